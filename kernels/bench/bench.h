/* Arguments that bench/ gives its kernels, in the words that other kernels use for shapes. `rows` is the number of
   rounds. */
#ifndef BHEMU_KERNELS_BENCH_BENCH_H
#define BHEMU_KERNELS_BENCH_BENCH_H

#include "layout.h"

/* The instructions that bench_vector, bench_matrix and bench_pushed are to repeat: their number, then their words. */
#define BENCH_PROGRAM (LAYOUT_ARGUMENTS + 0x40)
enum { BENCH_PROGRAM_MAXIMUM = 16 };

/* columns of bench_vector: constants in LReg[0..3] */
enum bench_constants { BENCH_FRACTIONS, BENCH_OF_EXPONENTIAL };
/* columns of bench_matrix */
enum bench_matrix {
    BENCH_OPERATION, /* BENCH_PROGRAM: the instruction, and the same with an address mode that clears counters */
    BENCH_SCALED,    /* the same with ones in SrcB */
    BENCH_MVMUL,
    BENCH_MVMUL_INT8
};
/* inner: the width of Dst for bench_matrix */
enum bench_dst { BENCH_DST16, BENCH_DST32 };
/* Address modes of BENCH_OPERATION: eight rows on in all, in SrcB and Dst, and all counters to zero. */
enum bench_address { BENCH_NEXT = 0, BENCH_CLEAR = 5, BENCH_SAME_SRCA = 7 };
/* columns of bench_unpack and bench_pack: a data format of L1. inner: how */
enum bench_unpack { BENCH_UNPACK_TILE, BENCH_UNPACK_ROW_MAJOR, BENCH_UNPACK_TRANSPOSED, BENCH_UNPACK_ROW };
enum bench_pack { BENCH_PACK_OVERWRITE, BENCH_PACK_ACCUMULATE, BENCH_PACK_ROW };
/* columns of bench_transfers. inner: bytes, at most 16 KiB */
enum bench_transfer { BENCH_READ_L1, BENCH_READ_DRAM, BENCH_WRITE_L1, BENCH_SEMAPHORE, BENCH_BROADCAST };

/* In one round instructions of the matrix unit, tiles of the packer and of the unpacker, rows of both that are an
   instruction each, instructions that the core pushes. */
enum { BENCH_INSTRUCTIONS = 256, BENCH_TILES = 32, BENCH_ROWS = 512, BENCH_ROWS_AT_ONCE = 64, BENCH_PUSHED = 1024 };
/* Of bench_vector: replays in a round. Each repeats the program as often as it fits into 32 instructions. */
enum { BENCH_REPLAYS = 8, BENCH_REPLAYED = 32 };

#endif
