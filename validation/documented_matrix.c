/* Matrix Unit: throughput over blocks of Dst in turn, latency by what has to wait. */
#include "validation/documented.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8, BLOCK_ROWS = 8, PHASES = 4, TEXT = 4096 };

/* Both source registers for the Matrix Unit; address modes 1 and 2: to the next fidelity phase, to the first one. */
#define READY                                                                                                          \
    "SETDVALID setvalid=3; SETC16 setc16_reg=29, setc16_value=0x2000; SETC16 setc16_reg=30, setc16_value=0x8000"

/* Cycles of the instruction for each of so many blocks of Dst in turn, once for each fidelity phase. */
static double cycles_over_blocks(const char *instruction, unsigned blocks, unsigned phases)
{
    char text[TEXT];
    size_t length = 0;
    const char *mode = strstr(instruction, "POOL") ? "pool_addr_mode" : "addr_mode";
    const char *comma = strchr(instruction, ' ') ? "," : "";
    for (unsigned i = 0; i < blocks * phases; i++) {
        bool ends_phase = i % blocks == blocks - 1 && phases > 1;
        unsigned to = ends_phase ? (i + 1 == blocks * phases ? 2 : 1) : 0;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%s %s=%u, dst=%u", i ? ";" : "",
                                   instruction, comma, mode, to, i % blocks * BLOCK_ROWS);
    }
    return cycles_of_pattern(READY, text);
}

static double throughput(const struct documented_figure *figure)
{
    return BLOCKS / cycles_over_blocks(figure->text, BLOCKS, 1);
}

/* The same block over and over: each needs what the one before it has written. */
static double same_block(const struct documented_figure *figure)
{
    return cycles_over_blocks(figure->text, 1, 1);
}

/* From the instruction to an MVMUL, which takes two blocks in turn so as not to wait for itself. */
static double until_mvmul(const struct documented_figure *figure)
{
    char text[TEXT];
    (void)snprintf(text, sizeof text, "%s; MVMUL dst=0; %s; MVMUL dst=8", figure->text, figure->text);
    return cycles_of_pattern(READY, text) / 2 - 1;
}

static double unreadable(const struct documented_figure *figure)
{
    return same_block(figure) - 1;
}

static double least_blocks(const struct documented_figure *figure)
{
    unsigned blocks = 1;
    while (blocks < BLOCKS && cycles_over_blocks(figure->text, blocks, 1) > blocks) {
        blocks++;
    }
    return blocks;
}

/* TFLOP/s at 1 GHz: figure->number is how much an instruction does, figure->other how many fidelity phases it needs. */
static double peak(const struct documented_figure *figure)
{
    unsigned phases = (unsigned)atoi(figure->other);
    return figure->number * BLOCKS / cycles_over_blocks(figure->text, BLOCKS, phases) / 1000;
}

/* Two tiles of 32 by 32: eight blocks of Dst, twice each, in each of figure->number phases, of which there are four
   until the counter starts anew. */
static double tile(const struct documented_figure *figure)
{
    char text[TEXT];
    size_t length = 0;
    for (unsigned i = 0; i < 2 * BLOCKS; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%sMVMUL addr_mode=%u, dst=%u", i ? ";" : "",
                                   i + 1 == 2 * BLOCKS && figure->number > 1, i % BLOCKS * BLOCK_ROWS);
    }
    return figure->number * cycles_of_pattern(READY, text);
}

/* Per cent of the peak rate, when so many NOPs follow so many MVMULs. */
static double throttled(const struct documented_figure *figure)
{
    unsigned multiply, idle, done = 0;
    char text[TEXT];
    size_t length = 0;
    (void)sscanf(figure->text, "%u %u", &multiply, &idle);
    for (unsigned i = 0; i < BLOCKS * (multiply + idle) / multiply; i++) {
        bool multiplies = i % (multiply + idle) < multiply;
        length += multiplies ? (size_t)snprintf(text + length, sizeof text - length, ";MVMUL dst=%u", done * BLOCK_ROWS)
                             : (size_t)snprintf(text + length, sizeof text - length, ";NOP");
        done += multiplies;
    }
    return (double)(long)(100.0 * BLOCKS / cycles_of_pattern(READY, text + 1) + 0.5);
}

#define FOUR(a, b, c, d, instruction, work)                                                                            \
    {a, peak, instruction, "1", work}, {b, peak, instruction, "2", work}, {c, peak, instruction, "3", work},           \
    {                                                                                                                  \
        d, peak, instruction, "4", work                                                                                \
    }
#define FOUR_ALIKE(a, b, c, d, instruction, work)                                                                      \
    {a, peak, instruction, "1", work}, {b, peak, instruction, "1", work}, {c, peak, instruction, "1", work},           \
    {                                                                                                                  \
        d, peak, instruction, "1", work                                                                                \
    }

const struct documented_figure documented_matrix[] = {
    {"D0086", throughput, "MVMUL", 0, 0},
    {"D0087", same_block, "MVMUL", 0, 0},
    {"D0088", throughput, "DOTPV", 0, 0},
    {"D0089", same_block, "DOTPV", 0, 0},
    {"D0090", throughput, "GAPOOL", 0, 0},
    {"D0091", same_block, "GAPOOL", 0, 0},
    {"D0092", throughput, "ELWMUL", 0, 0},
    {"D0093", same_block, "ELWMUL", 0, 0},
    {"D0094", throughput, "GMPOOL instr_mod19=1", 0, 0},
    {"D0095", same_block, "GMPOOL instr_mod19=1", 0, 0},
    {"D0096", throughput, "ELWADD", 0, 0},
    {"D0097", same_block, "ELWADD", 0, 0},
    {"D0098", throughput, "ELWSUB", 0, 0},
    {"D0099", same_block, "ELWSUB", 0, 0},
    {"D0100", measure_mean, "SETRWC", READY, 0},
    {"D0101", measure_mean, "INCRWC", READY, 0},
    {"D0102", measure_mean, "CLEARDVALID", READY, 0},
    {"D0103", measure_mean, "ZEROACC", READY, 0},
    {"D0104", measure_mean, "ZEROSRC src_mask=3", READY, 0},
    {"D0105", measure_mean, "TRNSPSRCB", READY, 0},
    {"D0106", measure_mean, "SHIFTXA shift_mode=2", READY, 0},
    {"D0107", measure_mean, "CLREXPHIST", READY, 0},
    {"D0108", measure_mean, "GATESRCRST reset_srcb_gate_control=1, reset_srca_gate_control=1", READY, 0},
    {"D0109", measure_rate, "SHIFTXB", READY, 0},
    {"D0110", measure_beyond, "SHIFTXB; SETRWC", READY, 1},
    {"D0111", measure_rate, "MOVD2A", READY, 0},
    {"D0112", measure_beyond, "MOVD2A; SETRWC", READY, 1},
    {"D0113", until_mvmul, "MOVA2D dst=64", 0, 0},
    {"D0114", until_mvmul, "MOVB2D dst=64", 0, 0},
    {"D0115", until_mvmul, "MOVDBGA2D dst=64", 0, 0},
    {"D0116", until_mvmul, "MOVB2A", 0, 0},
    {"D0117", unreadable, "MVMUL", 0, 0},
    {"D0118", least_blocks, "MVMUL", 0, 0},
    {"D0119", measure_beyond, "MOVD2B; SETRWC", READY, 2},
    {"D0120", measure_beyond, "MOVD2A; SETRWC", READY, 2},
    FOUR("D0122", "D0123", "D0124", "D0125", "MVMUL", 4096),
    FOUR("D0126", "D0127", "D0128", "D0129", "DOTPV", 4096),
    FOUR("D0130", "D0131", "D0132", "D0133", "GAPOOL", 2048),
    FOUR("D0134", "D0135", "D0136", "D0137", "MVMUL instr_mod19=1", 560),
    FOUR("D0138", "D0139", "D0140", "D0141", "ELWMUL", 256),
    FOUR_ALIKE("D0142", "D0143", "D0144", "D0145", "GMPOOL instr_mod19=1", 256),
    FOUR_ALIKE("D0146", "D0147", "D0148", "D0149", "ELWADD dest_accum_en=1", 256),
    FOUR_ALIKE("D0150", "D0151", "D0152", "D0153", "ELWSUB", 128),
    {"D0154", tile, 0, 0, 1},
    {"D0155", tile, 0, 0, 2},
    {"D0156", tile, 0, 0, 3},
    {"D0157", tile, 0, 0, 4},
    {"D0158", throttled, "8 3", 0, 0},
    {"D0159", throttled, "2 1", 0, 0},
    {"D0160", throttled, "1 1", 0, 0},
    {"D0161", throttled, "2 3", 0, 0},
    {"D0162", throttled, "1 2", 0, 0},
    {0},
};
