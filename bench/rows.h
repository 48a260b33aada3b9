/* Rows of instructions out of the replay buffer, for the tables of measures.c and instructions.c. */
#ifndef BHEMU_BENCH_ROWS_H
#define BHEMU_BENCH_ROWS_H

#include "measure.h"

#include "layout.h"
#include "tensix.h"

/* Bits of the soft reset register, and where cores leave their completion words. */
enum { B = 1 << 11, T0 = 1 << 12, T1 = 1 << 13, T2 = 1 << 14, NC = 1 << 18 };
enum {
    DONE_B = LAYOUT_COMPLETION,
    DONE_T0 = DONE_B + 4,
    DONE_T1 = DONE_B + 8,
    DONE_T2 = DONE_B + 12,
    DONE_NC = DONE_B + 16
};

#define WORDS_COUNT(...) (sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Goals are arguments of these macros in parentheses: (with AVX-512, with AVX2). */
#define GOALS(avx512_, avx2_)                                                                                          \
    {                                                                                                                  \
        .avx512 = (avx512_), .avx2 = (avx2_)                                                                           \
    }

/* A row for the program in the last arguments; `work` is the amount of work in a round. */
#define VECTOR_ROW(name_, unit_, constants, rounds_, peer_rounds_, work, goals_, ...)                                  \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .elfs = {"bench_vector.trisc1"}, .release = T1, .completion = DONE_T1,           \
        .rounds = rounds_, .peer_rounds = peer_rounds_, .work_per_round = work, .clocks = 1000, .shape = {constants},  \
        .program = {WORDS_COUNT(__VA_ARGS__), __VA_ARGS__}, .goals = GOALS goals_                                      \
    }
#define REPLAYS_OF(...) (BENCH_REPLAYED / WORDS_COUNT(__VA_ARGS__) * BENCH_REPLAYS)
/* Instructions, counted one by one. */
#define VECTOR(name, unit, goals, ...)                                                                                 \
    VECTOR_ROW(name, unit, BENCH_FRACTIONS, 100000, 500, REPLAYS_OF(__VA_ARGS__) * WORDS_COUNT(__VA_ARGS__), goals,    \
               __VA_ARGS__)
/* Bodies of programs on four rows of Dst. They have no goal. */
#define VECTOR_BODY(name, unit, constants, ...)                                                                        \
    VECTOR_ROW(name, unit, constants, 10000, 500, REPLAYS_OF(__VA_ARGS__), (0, 0), __VA_ARGS__)

/* Instructions that the core pushes one by one. */
#define PUSHED(name_, unit_, goals_, ...)                                                                              \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .elfs = {"bench_pushed.trisc1"}, .release = T1, .completion = DONE_T1,           \
        .rounds = 10000, .peer_rounds = 200, .work_per_round = BENCH_PUSHED, .clocks = 1000,                           \
        .program = {WORDS_COUNT(__VA_ARGS__), __VA_ARGS__}, .goals = GOALS goals_                                      \
    }

#define MATRIX(name_, unit_, operation, dst, phase, rounds_, peer_rounds_, goals_, ...)                                \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .elfs = {"bench_matrix.trisc1"}, .release = T1, .completion = DONE_T1,           \
        .rounds = rounds_, .peer_rounds = peer_rounds_, .work_per_round = BENCH_INSTRUCTIONS, .clocks = 1000,          \
        .shape = {operation, dst, phase}, .program = {__VA_ARGS__}, .goals = GOALS goals_                              \
    }
#define MVMUL(name, unit, dst, phase) MATRIX(name, unit, BENCH_MVMUL, dst, phase, 500, 50, (15, 8))
/* `instruction` is a macro of one argument, the address mode. */
#define MATRIX_OPERATION(name, unit, dst, phase, rounds, peer_rounds, goals, instruction)                              \
    MATRIX(name, unit, BENCH_OPERATION, dst, phase, rounds, peer_rounds, goals, 2, instruction(BENCH_NEXT),            \
           instruction(BENCH_CLEAR))

#endif
