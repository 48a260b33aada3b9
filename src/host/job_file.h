/* What a job file says, as docs/jobs.md describes it: plain data. */
#ifndef BHEMU_HOST_JOB_FILE_H
#define BHEMU_HOST_JOB_FILE_H

#include <stdint.h>

#include "bhemu/error.h"
#include "bhemu/system.h"
#include "bhemu/tensor.h"
#include "host/metal_launch.h"
#include "host/schema.h"

/* One ELF for one core. */
struct job_program {
    enum bh_core core;
    char *elf;
};

/* Words written to L1 before anything starts: the same for every tile that an entry is about, with what depends on its
   column and row among them, and on its chip among those of the entry, added, or those of each tile one after the
   other. */
struct job_words {
    uint64_t address;
    uint32_t *values, *by_column, *by_row, *by_chip, *each;
    unsigned values_count, by_column_count, by_row_count, by_chip_count, each_count;
};

/* Where a tensor lies. In DRAM its pages go around the channels. */
struct job_place {
    uint64_t address;
    uint32_t page; /* bytes; 0: a tile or a row of the tensor */
    uint32_t *channels;
    unsigned channels_count; /* 0: all */
};

struct job_input {
    char *file;
    struct job_place place;
    enum bh_format format;
    enum bh_layout layout;
};

struct job_output {
    char *file;        /* where to write it; null: nowhere */
    char *expect;      /* what it must be; null: anything */
    double *tolerance; /* null: bit for bit */
    struct job_place place;
    uint32_t *shape; /* rows, columns */
    unsigned shape_count;
    enum bh_format format;
    enum bh_layout layout;
};

/* How the programs of a job come to run. */
enum job_launch_kind {
    JOB_DIRECT,  /* the host loads them and releases the cores */
    JOB_TT_METAL /* tt-metal's firmware launches them as kernels */
};

enum job_dispatch { JOB_BY_HOST, JOB_BY_DEVICE };

struct job_launch {
    enum job_launch_kind kind;
    struct job_program *firmware;
    unsigned firmware_count;
    struct metal_layout *layout; /* null: the one that firmware with these entry points has */
    uint32_t times;              /* 0: once */
    enum job_dispatch dispatch;
};

/* What kernels of some cores get: words.address is not used. */
struct job_arguments {
    enum bh_core *cores;
    unsigned cores_count;
    struct job_words words;
};

/* One tile, or one for each pair of a column and a row. */
struct job_tile {
    uint32_t *at; /* x, y; null: see columns and rows */
    unsigned at_count;
    uint32_t *columns, *rows;
    unsigned columns_count, rows_count;
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
    /* What tt-metal's firmware launches. */
    struct job_program *kernels;
    unsigned kernels_count;
    struct job_arguments *arguments, *common_arguments;
    unsigned arguments_count, common_arguments_count;
    struct metal_buffer *buffers;
    unsigned buffers_count;
    uint32_t *semaphores; /* their first values */
    unsigned semaphores_count;
    uint32_t noc; /* of B's kernel */
};

/* Tensors in DRAM. */
struct job_dram {
    struct job_input *inputs;
    unsigned inputs_count;
    struct job_output *outputs;
    unsigned outputs_count;
};

/* What some chips of a system have. */
struct job_chips {
    uint32_t *chips;
    unsigned chips_count;
    struct job_dram dram;
    struct job_tile *tiles;
    unsigned tiles_count;
};

struct job_file {
    struct schema_file *schema; /* whose memory all of it is, and which knows the lines */
    char *description;
    enum bh_board board;
    enum bh_policy_preset policy;
    uint64_t limit; /* cycles */
    struct job_launch launch;
    struct job_dram dram;
    struct job_tile *tiles;
    unsigned tiles_count;
    char *system;            /* the name of its topology; null: one chip, which has tiles and dram */
    uint32_t latency;        /* of links; 0: not said */
    struct job_chips *chips; /* of a system, in place of tiles and dram */
    unsigned chips_count;
};

/* The most cycles that a job takes when it does not say. */
#define JOB_DEFAULT_LIMIT 1000000000ull

/* What a job file may be. */
extern const struct schema_value job_file_schema;

/* Reads a job file, or its content if that is not null, and checks each value by itself. */
enum bh_status job_file_load(const char *path, const char *content, struct job_file **job, struct bh_error *error);
void job_file_free(struct job_file *job);

/* Refuses a job that has no tiles but should. */
enum bh_status job_file_has_no_tiles(const struct job_file *job, struct bh_error *error);

#endif
