/* What a host asks of the kernel "operation": any one operation on tiles, in any formats. The arguments are written to
   LAYOUT_ARGUMENTS before the first core is released; the host sees to it that the formats go together, as
   docs/formats.md lists them. Addresses and tensors are as in runtime/arguments.h, a tile of a format being
   operation_tile_size() bytes: the exponents of a block format come first, 64 of them. */
#ifndef BHEMU_KERNELS_OPERATION_H
#define BHEMU_KERNELS_OPERATION_H

#include <stdint.h>

#include "../runtime/layout.h"

enum operation {
    OPERATION_COPY,           /* output = input_a; with OPERATION_TO_DST the unpacker writes to Dst itself */
    OPERATION_ADD,            /* output = input_a + input_b */
    OPERATION_SUBTRACT,       /* output = input_a - input_b */
    OPERATION_MULTIPLY,       /* output = input_a * input_b, element by element */
    OPERATION_PRODUCT,        /* output = input_a x input_b */
    OPERATION_REDUCE_ROWS,    /* each row of a tile to its column 0 */
    OPERATION_REDUCE_COLUMNS, /* each column to row 0 */
    OPERATION_REDUCE_ALL,     /* the tile to its first datum */
    OPERATIONS
};

/* Where operand b of ADD, SUBTRACT and MULTIPLY comes from, as the instructions number it. */
enum operation_broadcast {
    BROADCAST_NONE,
    BROADCAST_COLUMN, /* column 0 for all columns */
    BROADCAST_ROW,    /* row 0 for all rows */
    BROADCAST_SCALAR  /* the first datum for all */
};

enum operation_flag {
    OPERATION_DST_32 = 1 << 0,      /* 32 bits a datum in Dst: half as many tiles fit */
    OPERATION_INPUT_E4M3 = 1 << 1,  /* FP8 inputs are e4m3, not e5m2 */
    OPERATION_OUTPUT_E4M3 = 1 << 2, /* FP8 output likewise */
    OPERATION_UNSIGNED = 1 << 3,    /* 8-bit integers are UINT8 */
    OPERATION_TRANSPOSE = 1 << 4,   /* COPY: rows become columns */
    OPERATION_TILIZE = 1 << 5,      /* COPY: input_a, of 16 or 32 bits, is row-major, row_tiles tiles wide */
    OPERATION_UNTILIZE = 1 << 6,    /* the output is row-major, row_tiles tiles wide: they must fit in half of Dst */
    OPERATION_ACCUMULATE = 1 << 7,  /* add to what L1 holds */
    OPERATION_TO_DST = 1 << 8,      /* COPY: of 32-bit data that Src registers can not hold */
    OPERATION_ROUND_10B = 1 << 9,   /* pack with PCK_DEST_RD_CTRL_Round_10b_mant */
    OPERATION_INTEGER = 1 << 10,    /* ALU_ACC_CTRL_INT8_math_enabled; Dst holds 32 bits */
    OPERATION_MAXIMUM = 1 << 11,    /* reductions: the largest; without: sums scaled by row 0 of input_b */
    OPERATION_READ_RAW = 1 << 12,   /* pack with PCK_DEST_RD_CTRL_Read_int8 */
};

struct operation_arguments {
    uint32_t input_a, input_b, output;
    uint32_t tiles;
    uint32_t operation;              /* enum operation */
    uint32_t broadcast;              /* enum operation_broadcast */
    uint32_t fidelity_phases;        /* PRODUCT, MULTIPLY, sums: 1 to 4 */
    uint32_t flags;                  /* enum operation_flag */
    uint32_t a_format, b_format;     /* in L1, as tile descriptors number them */
    uint32_t a_register, b_register; /* register formats that the unpackers convert to */
    uint32_t dst_format;             /* format in which the packer reads Dst */
    uint32_t output_format;
    uint32_t relu;      /* STACC_RELU_ApplyRelu, and the threshold 16 bits above */
    uint32_t row_tiles; /* TILIZE, UNTILIZE */
};

static inline const volatile struct operation_arguments *operation_arguments(void)
{
    return (const volatile struct operation_arguments *)LAYOUT_ARGUMENTS;
}

/* Bits of a datum in L1. */
static inline uint32_t operation_format_bits(uint32_t format)
{
    switch (format) {
    case 0:
    case 4:
    case 8: return 32; /* FP32, TF32, INT32 */
    case 1:
    case 5:
    case 9: return 16; /* FP16, BF16, INT16 */
    case 3:
    case 7: return 4; /* BFP4A, BFP4 */
    case 11:
    case 15: return 2; /* BFP2A, BFP2 */
    default: return 8; /* BFP8A, BFP8, FP8, INT8 */
    }
}

static inline uint32_t operation_format_is_block(uint32_t format)
{
    return 0x88ccu >> format & 1;
}

static inline uint32_t operation_tile_size(uint32_t format)
{
    return 1024 / 8 * operation_format_bits(format) + (operation_format_is_block(format) ? 64 : 0);
}

/* How many tiles half of Dst holds. */
static inline uint32_t operation_half_tiles(uint32_t flags)
{
    return flags & (OPERATION_DST_32 | OPERATION_INTEGER) ? 4 : 8;
}

#endif
