#include "measure.h"

#include "bench/bench.h"
#include "layout.h"

enum { B = 1 << 11, T0 = 1 << 12, T1 = 1 << 13, T2 = 1 << 14, NC = 1 << 18 };
enum {
    DONE_B = LAYOUT_COMPLETION,
    DONE_T0 = DONE_B + 4,
    DONE_T1 = DONE_B + 8,
    DONE_T2 = DONE_B + 12,
    DONE_NC = DONE_B + 16
};
enum { FP32 = 0, BF16 = 5, BFP8 = 6, BFP4 = 7, INT8 = 14 };

#define RISCV                                                                                                          \
    .elfs = {"bench_riscv.trisc1"}, .release = T1, .completion = DONE_T1, .work_per_round = 1e6, .clocks = 100000

#define MATRIX(name_, unit_, operation, dst, phase, rounds_, peer_rounds_, goal_)                                      \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .elfs = {"bench_matrix.trisc1"}, .release = T1, .completion = DONE_T1,           \
        .rounds = rounds_, .peer_rounds = peer_rounds_, .work_per_round = BENCH_INSTRUCTIONS, .clocks = 1000,          \
        .shape = {operation, dst, phase}, .goal = goal_                                                                \
    }
#define MVMUL(name, unit, dst, phase) MATRIX(name, unit, BENCH_MVMUL, dst, phase, 500, 50, 15)

#define VECTOR(name_, unit_, operation)                                                                                \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .elfs = {"bench_vector.trisc1"}, .release = T1, .completion = DONE_T1,           \
        .rounds = 100000, .peer_rounds = 500, .work_per_round = BENCH_INSTRUCTIONS, .clocks = 1000,                    \
        .shape = {operation}, .goal = 25                                                                               \
    }

/* Of bodies that treat four rows of Dst, `count` in a replay. They have no goal. */
#define VECTOR_BODY(name_, unit_, operation, count)                                                                    \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .elfs = {"bench_vector.trisc1"}, .release = T1, .completion = DONE_T1,           \
        .rounds = 10000, .peer_rounds = 500, .work_per_round = (count)*BENCH_REPLAYS, .clocks = 1000, .shape = {       \
            operation                                                                                                  \
        }                                                                                                              \
    }

#define TILES(name_, unit_, elf, bit, done, format, how, rounds_, peer_rounds_, goal_)                                 \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .elfs = {elf}, .release = bit, .completion = done, .rounds = rounds_,            \
        .peer_rounds = peer_rounds_, .work_per_round = BENCH_TILES, .clocks = 1000, .shape = {format, how},            \
        .goal = goal_                                                                                                  \
    }
#define UNPACK(name, unit, format, how)                                                                                \
    TILES(name, unit, "bench_unpack.trisc0", T0, DONE_T0, format, how, 5000, 100, 10)
#define PACK(name, unit, format, how, goal)                                                                            \
    TILES(name, unit, "bench_pack.trisc2", T2, DONE_T2, format, how, 500, 100, goal)

/* Each waited for, of all tiles at once. */
#define TRANSFERS(name_, unit_, how, size)                                                                             \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .kind = MEASURE_EVERY, .elfs = {"bench_transfers.brisc"}, .release = B,          \
        .completion = DONE_B, .rounds = 5000, .peer_rounds = 1000, .work_per_round = 1, .clocks = 1000, .shape = {     \
            how,                                                                                                       \
            size                                                                                                       \
        }                                                                                                              \
    }

/* A round is 32 of the inner dimension. A peer takes half a minute for all of them. */
#define GRID_MATMUL                                                                                                    \
    .elfs = {"matmul_grid.brisc", "matmul128.trisc0", "matmul128.trisc1", "matmul128.trisc2", "matmul_grid.ncrisc"},   \
    .release = B, .completion = DONE_B, .rounds = 32, .peer_rounds = 8, .work_per_round = 1024. * 1024 * 32,           \
    .clocks = 1000, .shape = {4, 4, 4}

const struct measure measures[] = {
    {.name = "riscv", .unit = "RISC-V instructions/s, one tile", RISCV, .rounds = 200, .peer_rounds = 4, .goal = 40},
    {.name = "riscv_every",
     .unit = "RISC-V instructions/s, 140 tiles",
     .kind = MEASURE_EVERY,
     RISCV,
     .rounds = 2,
     .peer_rounds = 1,
     .goal = 4},
    {.name = "riscv_every_2",
     .unit = "  the same with two host threads",
     .kind = MEASURE_EVERY,
     RISCV,
     .rounds = 2,
     .peer_rounds = 1,
     .threads = 2,
     .goal = 7},
    {.name = "mixed",
     .unit = "rounds of C/s, 140 tiles, 5 cores",
     .kind = MEASURE_EVERY,
     .elfs = {"bench_mixed.brisc", "bench_mixed.trisc0", "bench_mixed.trisc1", "bench_mixed.trisc2",
              "bench_mixed.ncrisc"},
     .release = B | T0 | T1 | T2 | NC,
     .completion = DONE_NC,
     .rounds = 60,
     .peer_rounds = 15,
     .work_per_round = 5,
     .clocks = 10000,
     .goal = 4},
    {.name = "pipeline",
     .unit = "pages/s, DRAM to DRAM, 140 tiles",
     .kind = MEASURE_EVERY,
     .elfs = {"bench_pipeline.brisc", "bench_pipeline.trisc0", "bench_pipeline.ncrisc"},
     .release = B | T0 | NC,
     .completion = DONE_B,
     .rounds = 60,
     .peer_rounds = 20,
     .work_per_round = 1,
     .clocks = 1000,
     .goal = 4},
    TRANSFERS("read_l1_64", "NoC reads/s, 64 bytes, 140 tiles", BENCH_READ_L1, 64),
    TRANSFERS("read_l1_2k", "NoC reads/s, 2 KiB", BENCH_READ_L1, 2048),
    TRANSFERS("read_dram_2k", "NoC reads/s, 2 KiB of DRAM", BENCH_READ_DRAM, 2048),
    TRANSFERS("write_l1_2k", "NoC writes/s, 2 KiB", BENCH_WRITE_L1, 2048),
    TRANSFERS("semaphore", "NoC increments/s, 140 tiles", BENCH_SEMAPHORE, 0),
    TRANSFERS("broadcast", "steps/s of broadcasts in rows", BENCH_BROADCAST, 2048),
    {.name = "ring",
     .unit = "flags/s, round five cores",
     .elfs = {"bench_ring.brisc", "bench_ring.trisc0", "bench_ring.trisc1", "bench_ring.trisc2", "bench_ring.ncrisc"},
     .release = B | T0 | T1 | T2 | NC,
     .completion = DONE_NC,
     .rounds = 1000,
     .peer_rounds = 200,
     .work_per_round = 500,
     .clocks = 1000,
     .goal = 10},
    {.name = "calls",
     .unit = "  the same, ten clocks a call",
     .elfs = {"bench_ring.brisc", "bench_ring.trisc0", "bench_ring.trisc1", "bench_ring.trisc2", "bench_ring.ncrisc"},
     .release = B | T0 | T1 | T2 | NC,
     .completion = DONE_NC,
     .rounds = 1000,
     .peer_rounds = 200,
     .work_per_round = 500,
     .clocks = 10,
     .goal = 10},
    VECTOR("sfpmad", "SFPMAD/s", BENCH_SFPMAD),
    VECTOR("sfpiadd", "SFPIADD/s", BENCH_SFPIADD),
    VECTOR("sfpswap", "SFPSWAP/s", BENCH_SFPSWAP),
    VECTOR("sfpconfig", "SFPCONFIG/s", BENCH_SFPCONFIG),
    VECTOR_BODY("sfp_copy", "SFPLOAD, SFPSTORE, INCRWC/s", BENCH_COPY, BENCH_COPIES),
    VECTOR_BODY("sfp_relu", "relu of 4 rows/s", BENCH_RELU, BENCH_RELUS),
    VECTOR_BODY("sfp_exponential", "exponential of 4 rows/s", BENCH_EXPONENTIAL, BENCH_EXPONENTIALS),
    VECTOR("sfploadi", "SFPLOADI/s, with an SFPXOR for every three", BENCH_SFPLOADI),
    VECTOR("sfpaddi", "SFPADDI/s and SFPMULI/s", BENCH_SFPADDI),
    VECTOR("sfpshft", "SFPSHFT/s, by register", BENCH_SFPSHFT),
    VECTOR("sfp_if", "SFP instructions/s, if and else", BENCH_SFP_IF),
    MVMUL("mvmul_16_0", "MVMUL/s, 16-bit Dst, phase 0", BENCH_DST16, 0),
    MVMUL("mvmul_16_1", "MVMUL/s, 16-bit Dst, phase 1", BENCH_DST16, 1),
    MVMUL("mvmul_16_2", "MVMUL/s, 16-bit Dst, phase 2", BENCH_DST16, 2),
    MVMUL("mvmul_16_3", "MVMUL/s, 16-bit Dst, phase 3", BENCH_DST16, 3),
    MVMUL("mvmul_32_0", "MVMUL/s, 32-bit Dst, phase 0", BENCH_DST32, 0),
    MVMUL("mvmul_32_1", "MVMUL/s, 32-bit Dst, phase 1", BENCH_DST32, 1),
    MVMUL("mvmul_32_2", "MVMUL/s, 32-bit Dst, phase 2", BENCH_DST32, 2),
    MVMUL("mvmul_32_3", "MVMUL/s, 32-bit Dst, phase 3", BENCH_DST32, 3),
    MATRIX("mvmul_int8", "MVMUL/s, INT8", BENCH_MVMUL_INT8, BENCH_DST32, 0, 1000, 100, 0),
    MATRIX("elwadd", "ELWADD/s", BENCH_ELWADD, BENCH_DST16, 0, 1000, 100, 10),
    MATRIX("elwmul", "ELWMUL/s", BENCH_ELWMUL, BENCH_DST16, 0, 1000, 100, 10),
    MATRIX("elwsub_column", "ELWSUB/s, column 0 for all", BENCH_ELWSUB_COLUMN, BENCH_DST16, 0, 1000, 100, 10),
    MATRIX("elwmul_column", "ELWMUL/s, column 0 for all, phase 1", BENCH_ELWMUL_COLUMN, BENCH_DST16, 1, 1000, 100, 10),
    MATRIX("mova2d", "MOVA2D/s, 8 rows", BENCH_MOVA2D, BENCH_DST16, 0, 2000, 400, 10),
    MATRIX("movb2d", "MOVB2D/s, 4 rows", BENCH_MOVB2D, BENCH_DST16, 0, 2000, 400, 10),
    MATRIX("movb2d_row", "MOVB2D/s, a row for 8", BENCH_MOVB2D_ROW, BENCH_DST16, 0, 2000, 400, 10),
    MATRIX("movd2a", "MOVD2A/s, 4 rows", BENCH_MOVD2A, BENCH_DST16, 0, 2000, 400, 10),
    MATRIX("gapool", "GAPOOL/s", BENCH_GAPOOL, BENCH_DST16, 0, 1000, 100, 10),
    MATRIX("gmpool", "GMPOOL/s", BENCH_GMPOOL, BENCH_DST16, 0, 1000, 400, 0),
    MATRIX("zeroacc", "ZEROACC/s, 16 rows", BENCH_ZEROACC, BENCH_DST16, 0, 2000, 400, 0),
    UNPACK("unpack_bf16", "tiles/s unpacked, BF16", BF16, BENCH_UNPACK_TILE),
    UNPACK("unpack_fp32", "tiles/s unpacked, FP32 to TF32", FP32, BENCH_UNPACK_TILE),
    UNPACK("unpack_bfp8", "tiles/s unpacked, BFP8", BFP8, BENCH_UNPACK_TILE),
    UNPACK("unpack_bfp4", "tiles/s unpacked, BFP4", BFP4, BENCH_UNPACK_TILE),
    UNPACK("unpack_int8", "tiles/s unpacked, INT8", INT8, BENCH_UNPACK_TILE),
    UNPACK("unpack_row_major", "tiles/s unpacked, BF16, row-major", BF16, BENCH_UNPACK_ROW_MAJOR),
    UNPACK("unpack_transposed", "tiles/s unpacked, BF16, transposed", BF16, BENCH_UNPACK_TRANSPOSED),
    PACK("pack_bf16", "tiles/s packed, BF16", BF16, BENCH_PACK_OVERWRITE, 10),
    PACK("pack_fp32", "tiles/s packed, FP32", FP32, BENCH_PACK_OVERWRITE, 10),
    PACK("pack_bfp8", "tiles/s packed, BF16 to BFP8", BFP8, BENCH_PACK_OVERWRITE, 10),
    PACK("pack_bfp4", "tiles/s packed, BF16 to BFP4", BFP4, BENCH_PACK_OVERWRITE, 0),
    PACK("pack_accumulate", "tiles/s packed, BF16, accumulated", BF16, BENCH_PACK_ACCUMULATE, 0),
    {.name = "matmul128",
     .unit = "s, 128x128x128 BF16, HiFi4",
     .elfs = {"matmul128.brisc", "matmul128.trisc0", "matmul128.trisc1", "matmul128.trisc2", "matmul128.ncrisc"},
     .release = B,
     .completion = DONE_B,
     .rounds = 4,
     .peer_rounds = 4,
     .clocks = 1000,
     .shape = {4, 4, 4},
     .goal = 15},
    {.name = "matmul_grid", .unit = "multiply-adds/s, 1024^3, 64 tiles", .kind = MEASURE_GRID, GRID_MATMUL, .goal = 15},
    {.name = "matmul_grid_2",
     .unit = "  the same with two host threads",
     .kind = MEASURE_GRID,
     GRID_MATMUL,
     .threads = 2,
     .goal = 15},
    {.name = "process",
     .unit = "s, a kernel test, start to exit",
     .kind = MEASURE_PROCESS,
     .elfs = {"add1.trisc0", "add1.trisc1", "add1.trisc2"},
     .release = T0 | T1 | T2,
     .completion = DONE_T2,
     .rounds = 2,
     .peer_rounds = 2,
     .clocks = 1000,
     .shape = {2},
     .goal = 5},
    {.name = "jumps",
     .unit = "clocks/s, 140 tiles in self-jumps",
     .kind = MEASURE_JUMPS,
     .release = B,
     .rounds = 200000000,
     .peer_rounds = 1000000,
     .work_per_round = 1,
     .clocks = 100000,
     .goal = 100},
    {.name = "resident", .unit = "bytes resident at rest", .kind = MEASURE_RESIDENT, .goal = 1},
};
const unsigned measure_count = sizeof measures / sizeof *measures;
