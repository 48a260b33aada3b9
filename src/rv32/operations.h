/* Arithmetic of single instructions that takes more than one expression. */
#ifndef BHEMU_RV32_OPERATIONS_H
#define BHEMU_RV32_OPERATIONS_H

#include <stdint.h>

#include "isa/rv32_isa.h"

/* What an atomic instruction leaves in memory that holds `a`; `b`: rs2. */
static inline uint32_t rv32_atomic(enum rv32_op op, uint32_t a, uint32_t b)
{
    switch (op) {
    case RV32_OP_AMOADD_W: return a + b;
    case RV32_OP_AMOXOR_W: return a ^ b;
    case RV32_OP_AMOOR_W: return a | b;
    case RV32_OP_AMOAND_W: return a & b;
    case RV32_OP_AMOMIN_W: return (int32_t)a < (int32_t)b ? a : b;
    case RV32_OP_AMOMAX_W: return (int32_t)a > (int32_t)b ? a : b;
    case RV32_OP_AMOMINU_W: return a < b ? a : b;
    case RV32_OP_AMOMAXU_W: return a > b ? a : b;
    default: return b; /* amoswap.w */
    }
}

/* orc.b: each byte all ones unless it is zero. */
static inline uint32_t or_combine_bytes(uint32_t value)
{
    uint32_t nonzero = ((value & 0x7f7f7f7f) + 0x7f7f7f7f) | value; /* bit 7 of each byte */
    return (nonzero >> 7 & 0x01010101) * 0xff;
}

/* grevi: bit i of the result is bit i ^ index of the value. Each bit of index exchanges neighbouring groups of bits. */
static inline uint32_t bits_exchanged(uint32_t value, uint32_t index)
{
    static const uint32_t upper[] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};
    for (unsigned i = 0; i < 5; i++) {
        if (index >> i & 1) {
            value = (value & upper[i]) >> (1u << i) | (value & ~upper[i]) << (1u << i);
        }
    }
    return value;
}

#endif
