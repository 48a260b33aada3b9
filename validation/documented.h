/* Micro-programs for figures that documents give: each measures one from the outside, by what a program on the chip can
   see of it. */
#ifndef BHEMU_VALIDATION_DOCUMENTED_H
#define BHEMU_VALIDATION_DOCUMENTED_H

#include "validation/program.h"
#include "validation/validation.h"

/* Who measures the figure with this id, and what it is told: instructions of the coprocessor, separated by semicolons,
   or what else its function says. A list ends with null. */
struct documented_figure {
    const char *id;
    double (*measure)(const struct documented_figure *figure);
    const char *text, *other;
    double number;
};

extern const struct documented_figure documented_riscv[], documented_queues[], documented_frontend[],
    documented_small_units[], documented_matrix[], documented_vector[], documented_data[], documented_noc[],
    documented_patterns[];

enum { THREADS = 3 };

/* A word of the configuration, which the core of a thread writes first. A list ends with address 0. */
struct setting {
    unsigned address;
    uint32_t value;
};

/* What a thread of the coprocessor does: these instructions, and then `pattern` over and over, from the replay expander
   unless `loops` is set: then its core pushes it, and MOPs in it become so many single-cycle instructions. Null:
   nothing. */
struct thread_work {
    const char *setup, *pattern;
    unsigned loops;
    const struct setting *config;
};

/* The cycles of one round of the patterns, all threads at once: of so many more rounds that what happens once drops
   out. */
double cycles_of_round(const struct thread_work work[THREADS]);

/* The same with one thread, whose core pushes the pattern. */
double cycles_of_pushes(const char *pattern, unsigned loops);

/* The same with one thread. */
double cycles_of_pattern(const char *setup, const char *pattern);

/* The cycles of an instruction of the pattern `figure->text`, behind `figure->other`, on the average; how many there
   are in a cycle; the cycles of the whole pattern without those of `figure->number` instructions that take one. */
double measure_mean(const struct documented_figure *figure);
double measure_rate(const struct documented_figure *figure);
double measure_beyond(const struct documented_figure *figure);

/* The words of a text. Returns how many. */
unsigned assemble(const char *text, uint32_t *words, unsigned room);
unsigned length_of(const char *text);

#endif
