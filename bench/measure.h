/* One row of the table that `make bench` prints: a program, the amount of work for each library, and the goal for its
   ratio to a peer. measures.c and instructions.c list them, run.c runs them, bench.c repeats and prints, level.c
   determines the host's vector level. */
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
    MEASURE_FIRMWARE, /* firmware that boots on all tiles, and its kernels: until the host sees that they are done */
    MEASURE_RESIDENT, /* memory of a device before anything runs */
};

/* Goals for the ratio to the peer, by vector level of the host. 0: no goal; other hosts have none. */
struct goals {
    double avx512, avx2;
};

struct measure {
    const char *name; /* also in JSON */
    const char *unit;
    enum measure_kind kind;
    const char *elfs[5]; /* of build/kernels, without .elf */
    uint32_t release;    /* soft reset bits */
    uint32_t completion; /* where the last core writes its completion word */
    uint32_t rounds, peer_rounds;
    double work_per_round;                       /* of one tile, or of the grid; 0: the figure is seconds, or bytes */
    uint32_t clocks;                             /* a call of libttsim_clock() */
    uint32_t shape[3];                           /* columns, inner, fidelity_phases of the arguments */
    uint32_t program[1 + BENCH_PROGRAM_MAXIMUM]; /* BENCH_PROGRAM: how many instructions, and their words */
    unsigned threads;                            /* BHEMU_THREADS; 0: not set. Peers ignore it */
    struct goals goals;
};

/* make bench */
extern const struct measure measures[];
extern const unsigned measure_count;

/* make bench-instructions: the time of single instructions, mode by mode */
extern const struct measure instructions[];
extern const unsigned instruction_count;

/* Runs a measure once, in this process. Returns seconds, or bytes, or a negative number after an error. A library may
   end the process. */
double measure_run(const struct measure *measure, const char *library, const char *kernels, uint32_t rounds);

/* Runs a kernel test of MEASURE_PROCESS in a process of its own; returns its exit status. */
int measure_kernel_test(const char *library, const char *kernels);

#endif
