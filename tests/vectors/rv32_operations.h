/* The form of rv32_operations.bin, shared by the program that records it and the test that reads it.

   The file: a text of RV32_VECTORS_TEXT bytes, padded with zeros, that says where it comes from; then 32-bit words,
   little endian: for each case the instruction word, and its results in the order of the loops over the operands. Each
   instruction is executed with a0 = first operand, a1 = second operand, a2 = 1 and a3 = address of a word in memory:
     arithmetic  rd = a2, rs1 = a0, rs2 = a1                                  result: a2
     branches    rs1 = a0, rs2 = a1, over the one instruction `li a2, 0`      result: a2, so 1 if taken
     loads       rd = a2, from a3 + 0..3, where the first operand is          result: a2
     stores      of a0 to a3 + 0..3, where RV32_VECTORS_MEMORY is             result: the word in memory
     atomics     rd = a2, rs2 = a1, on a3, where the first operand is         results: a2, the word in memory
   Instructions with one operand are not repeated for each second operand. */
#ifndef BHEMU_TESTS_VECTORS_RV32_OPERATIONS_H
#define BHEMU_TESTS_VECTORS_RV32_OPERATIONS_H

#include <stdint.h>

#include "isa/rv32_isa.h"

#define RV32_VECTORS_MEMORY 0xa5b6c7d8u

enum { RV32_VECTORS_TEXT = 512, RV32_VECTORS_LI_A2_0 = 0x00000613, RV32_VECTORS_LI_A2_1 = 0x00100613 };

static const uint32_t rv32_vectors_operands[] = {
    0,          1,          2,          31,         32,         0x80,       0x8000,     0x0000ffff, 0x12345678,
    0x55555555, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa, 0xfedcba98, 0xffff0000, 0xfffffffe, 0xffffffff,
};

enum { RV32_VECTORS_OPERANDS = sizeof rv32_vectors_operands / sizeof rv32_vectors_operands[0] };

static const int32_t rv32_vectors_immediates[] = {0, 1, -1, 0x7f, 0x555, -0x556, 2047, -2048};
static const int32_t rv32_vectors_shifts[] = {0, 1, 2, 7, 8, 15, 16, 31};

enum { RV32_VECTORS_VARIANTS = 8 };

/* The number of immediates with which an instruction is executed; 0: it is not in the file. */
static inline unsigned rv32_vectors_variants(enum rv32_op op)
{
    switch (rv32_instructions[op].format) {
    case RV32_FORMAT_R:
    case RV32_FORMAT_UNARY:
    case RV32_FORMAT_B:
    case RV32_FORMAT_AMO: return rv32_instructions[op].extension < RV32_INTERRUPT;
    case RV32_FORMAT_I: return RV32_VECTORS_VARIANTS;
    case RV32_FORMAT_SHIFT: return op == RV32_OP_GREVI ? 0 : RV32_VECTORS_VARIANTS; /* grevi was never ratified */
    case RV32_FORMAT_U: return op == RV32_OP_LUI;
    case RV32_FORMAT_LOAD:
    case RV32_FORMAT_STORE: {
        unsigned size = 1u << (rv32_instructions[op].match >> 12 & 3);
        return 4 / size;
    }
    default: return 0;
    }
}

static inline uint32_t rv32_vectors_word(enum rv32_op op, unsigned variant)
{
    enum { a0 = 10, a1, a2, a3 };
    uint32_t match = rv32_instructions[op].match;
    uint32_t offset = variant << (match >> 12 & 3); /* loads and stores: a multiple of the size */
    switch (rv32_instructions[op].format) {
    case RV32_FORMAT_R: return match | a1 << 20 | a0 << 15 | a2 << 7;
    case RV32_FORMAT_UNARY: return match | a0 << 15 | a2 << 7;
    case RV32_FORMAT_I: return match | (uint32_t)rv32_vectors_immediates[variant] << 20 | a0 << 15 | a2 << 7;
    case RV32_FORMAT_SHIFT: return match | (uint32_t)rv32_vectors_shifts[variant] << 20 | a0 << 15 | a2 << 7;
    case RV32_FORMAT_U: return match | 0x89abc000u | a2 << 7;
    case RV32_FORMAT_B: return match | a1 << 20 | a0 << 15 | 8u << 7 /* distance 8 */;
    case RV32_FORMAT_LOAD: return match | offset << 20 | a3 << 15 | a2 << 7;
    case RV32_FORMAT_STORE: return match | a0 << 20 | a3 << 15 | offset << 7;
    case RV32_FORMAT_AMO: return match | a1 << 20 | a3 << 15 | a2 << 7;
    default: return 0;
    }
}

/* The number of second operands, and of results of each execution. */
static inline unsigned rv32_vectors_seconds(enum rv32_op op)
{
    enum rv32_format format = (enum rv32_format)rv32_instructions[op].format;
    return format == RV32_FORMAT_R || format == RV32_FORMAT_B || format == RV32_FORMAT_AMO ? RV32_VECTORS_OPERANDS : 1;
}

#endif
