/* What a job file says, as docs/jobs.md describes it: plain data, filled in by libcyaml. */
#ifndef BHEMU_HOST_JOB_FILE_H
#define BHEMU_HOST_JOB_FILE_H

#include <stdint.h>

#include "bhemu/error.h"
#include "bhemu/tensor.h"

/* One ELF for one core. */
struct job_program {
    enum bh_core core;
    char *elf;
};

/* Words written to L1 before anything starts. */
struct job_words {
    uint32_t address;
    uint32_t *values;
    unsigned values_count;
};

struct job_input {
    char *file;
    uint32_t address;
    enum bh_format format;
    enum bh_layout layout;
};

struct job_output {
    char *file;        /* where to write it; null: nowhere */
    char *expect;      /* what it must be; null: anything */
    double *tolerance; /* null: bit for bit */
    uint32_t address;
    uint32_t shape[2];
    enum bh_format format;
    enum bh_layout layout;
};

struct job_tile {
    uint32_t at[2];
    struct job_program *programs;
    unsigned programs_count;
    enum bh_core *start; /* which cores the host releases; none named: all that have a program */
    unsigned start_count;
    struct job_words *words;
    unsigned words_count;
    struct job_input *inputs;
    unsigned inputs_count;
    struct job_output *outputs;
    unsigned outputs_count;
};

struct job_file {
    char *description;
    enum bh_policy_preset policy;
    uint64_t limit; /* cycles */
    struct job_tile *tiles;
    unsigned tiles_count;
};

/* The most cycles that a job takes when it does not say. */
#define JOB_DEFAULT_LIMIT 1000000000ull

/* Reads and checks the form of a job file. */
enum bh_status job_file_load(const char *path, struct job_file **job, struct bh_error *error);
void job_file_free(struct job_file *job);

#endif
