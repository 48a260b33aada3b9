/* One row of the table that `make bench` prints: a program, how much of it to run on each library, and how far ahead
   of a peer it is meant to be. measures.c and instructions.c list them, run.c runs them, bench.c repeats and prints,
   level.c says with which of the host's vector instructions. */
#ifndef BHEMU_BENCH_MEASURE_H
#define BHEMU_BENCH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/bench.h"

enum measure_kind {
    MEASURE_PROGRAM,  /* a program on one tile, from the release of its cores to its completion word */
    MEASURE_EVERY,    /* the same on all tiles at once */
    MEASURE_GRID,     /* kernels/matmul_grid on 64 tiles, from the release of their cores until all are done */
    MEASURE_JUMPS,    /* every tile in a jump to itself: `rounds` clocks */
    MEASURE_PROCESS,  /* a kernel test as a test suite runs it: process start to exit */
    MEASURE_RESIDENT, /* memory that a device takes before anything runs */
};

/* How many times ahead of the peer, by the vector instructions that the host has. 0: no goal; other hosts have none. */
struct goals {
    double avx512, avx2;
};

struct measure {
    const char *name; /* also in JSON */
    const char *unit;
    enum measure_kind kind;
    const char *elfs[5]; /* of build/kernels, without .elf */
    uint32_t release;    /* soft reset bits */
    uint32_t completion; /* where the last core leaves its word */
    uint32_t rounds, peer_rounds;
    double work_per_round;                       /* of one tile, or of the grid; 0: the figure is seconds, or bytes */
    uint32_t clocks;                             /* a call of libttsim_clock() */
    uint32_t shape[3];                           /* columns, inner, fidelity_phases of the arguments */
    uint32_t program[1 + BENCH_PROGRAM_MAXIMUM]; /* BENCH_PROGRAM: how many instructions, and their words */
    unsigned threads;                            /* BHEMU_THREADS; 0: not set. A peer takes no notice */
    struct goals goals;
};

/* make bench */
extern const struct measure measures[];
extern const unsigned measure_count;

/* make bench-instructions: what one instruction takes, mode by mode */
extern const struct measure instructions[];
extern const unsigned instruction_count;

/* Runs one measure once, in this process; seconds, or bytes, or a negative number when it failed. A library may end
   the process. */
double measure_run(const struct measure *measure, const char *library, const char *kernels, uint32_t rounds);

/* What MEASURE_PROCESS runs in a process of its own; an exit status. */
int measure_kernel_test(const char *library, const char *kernels);

#endif
