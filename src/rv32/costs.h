/* What an instruction of a RISC-V core takes in timed mode, by enum rv32_op: which registers it waits for, and after
   how many cycles others can have its result. Made from tables/rv32.def and tables/timing.def; latencies of loads and
   divisions, which depend on more than that, are in rv32/timed.h. */
#ifndef BHEMU_RV32_COSTS_H
#define BHEMU_RV32_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/rv32_isa.h"
#include "time/timing.h"

struct rv32_cost {
    bool rd, rs1, rs2, rs3;
    uint8_t latency;
};

/* Registers that a format has. */
#define RV32_USES_NONE 0, 0, 0, 0
#define RV32_USES_R 1, 1, 1, 0
#define RV32_USES_UNARY 1, 1, 0, 0
#define RV32_USES_I 1, 1, 0, 0
#define RV32_USES_SHIFT 1, 1, 0, 0
#define RV32_USES_U 1, 0, 0, 0
#define RV32_USES_J 1, 0, 0, 0
#define RV32_USES_JALR 1, 1, 0, 0
#define RV32_USES_B 0, 1, 1, 0
#define RV32_USES_LOAD 1, 1, 0, 0
#define RV32_USES_STORE 0, 1, 1, 0
#define RV32_USES_AMO 1, 1, 1, 0
#define RV32_USES_CSR 1, 1, 0, 0
#define RV32_USES_CSRI 1, 0, 0, 0
#define RV32_USES_FENCE 0, 0, 0, 0
#define RV32_USES_FENCE_I 0, 0, 0, 0
#define RV32_USES_FLOAD 1, 1, 0, 0
#define RV32_USES_FSTORE 0, 1, 1, 0
#define RV32_USES_FR 1, 1, 1, 0
#define RV32_USES_FR4 1, 1, 1, 1
#define RV32_USES_FUNARY 1, 1, 0, 0
#define RV32_USES_FCMP 1, 1, 1, 0
#define RV32_USES_FTOX 1, 1, 0, 0
#define RV32_USES_XTOF 1, 1, 0, 0
#define RV32_USES_VECTOR 0, 0, 0, 0

/* Latencies by extension. */
#define RV32_LATENCY_I TIMING_RV32_INTEGER
#define RV32_LATENCY_M TIMING_RV32_MULTIPLY
#define RV32_LATENCY_ZICSR TIMING_RV32_INTEGER
#define RV32_LATENCY_ZAAMO TIMING_RV32_INTEGER
#define RV32_LATENCY_ZBA TIMING_RV32_INTEGER
#define RV32_LATENCY_ZBB TIMING_RV32_INTEGER
#define RV32_LATENCY_BITMANIP TIMING_RV32_INTEGER
#define RV32_LATENCY_INTERRUPT TIMING_RV32_INTEGER
#define RV32_LATENCY_F TIMING_RV32_FLOAT
#define RV32_LATENCY_ZFH TIMING_RV32_FLOAT
#define RV32_LATENCY_V TIMING_RV32_VECTOR

static const struct rv32_cost rv32_costs[RV32_OPS] = {
#define RV32(name, mnemonic, match, mask, format, extension, meaning)                                                  \
    [RV32_OP_##name] = {RV32_USES_##format, RV32_LATENCY_##extension},
#include "rv32.def"
#undef RV32
    [RV32_OP_TTINSN] = {0, 0, 0, 0, TIMING_RV32_INTEGER},
};

#endif
