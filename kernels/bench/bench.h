/* What bench/ tells its kernels, in the words of the arguments that other kernels use for shapes. `rows` is how many
   rounds to run. */
#ifndef BHEMU_KERNELS_BENCH_BENCH_H
#define BHEMU_KERNELS_BENCH_BENCH_H

/* columns */
enum bench_matrix {
    BENCH_MVMUL,
    BENCH_ELWADD,
    BENCH_ELWMUL,
    BENCH_MOVA2D,
    BENCH_MOVB2D,
    BENCH_MOVD2A,
    BENCH_MVMUL_INT8,
    BENCH_ELWSUB_COLUMN, /* column 0 of SrcB for all */
    BENCH_ELWMUL_COLUMN,
    BENCH_MOVB2D_ROW, /* one row for eight */
    BENCH_GAPOOL,
    BENCH_GMPOOL,
    BENCH_ZEROACC /* sixteen rows */
};
enum bench_vector {
    BENCH_SFPMAD,
    BENCH_SFPIADD,
    BENCH_SFPSWAP,
    BENCH_SFPCONFIG,
    BENCH_COPY,
    BENCH_RELU,
    BENCH_EXPONENTIAL,
    BENCH_SFPLOADI,
    BENCH_SFPADDI,
    BENCH_SFPSHFT,
    BENCH_SFP_IF
};
/* inner: with what bench_matrix multiplies */
enum bench_dst { BENCH_DST16, BENCH_DST32 };
/* columns of bench_unpack and bench_pack: a data format of L1. inner: how */
enum bench_unpack { BENCH_UNPACK_TILE, BENCH_UNPACK_ROW_MAJOR, BENCH_UNPACK_TRANSPOSED };
enum bench_pack { BENCH_PACK_OVERWRITE, BENCH_PACK_ACCUMULATE };
/* columns of bench_transfers. inner: bytes, at most 16 KiB */
enum bench_transfer { BENCH_READ_L1, BENCH_READ_DRAM, BENCH_WRITE_L1, BENCH_SEMAPHORE, BENCH_BROADCAST };

/* Instructions of the matrix and the vector unit in one round, tiles of the packer and of the unpacker. */
enum { BENCH_INSTRUCTIONS = 256, BENCH_TILES = 32 };
/* Of the vector unit: replays in a round, and how many times four rows each of them treats. */
enum { BENCH_REPLAYS = 8, BENCH_COPIES = 10, BENCH_RELUS = 5, BENCH_EXPONENTIALS = 4 };

#endif
