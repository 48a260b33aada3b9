#include "rows.h"

#include "tensix_config.h"

enum { FP32 = 0, BF16 = 5, BFP8 = 6, BFP4 = 7, INT8 = 14 };

#define RISCV                                                                                                          \
    .elfs = {"bench_riscv.trisc1"}, .release = T1, .completion = DONE_T1, .work_per_round = 1e6, .clocks = 100000

#define TILES(name_, unit_, elf, bit, done, format, how, rounds_, peer_rounds_, goals_)                                \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .elfs = {elf}, .release = bit, .completion = done, .rounds = rounds_,            \
        .peer_rounds = peer_rounds_, .work_per_round = BENCH_TILES, .clocks = 1000, .shape = {format, how},            \
        .goals = GOALS goals_                                                                                          \
    }
#define UNPACK(name, unit, format, how)                                                                                \
    TILES(name, unit, "bench_unpack.trisc0", T0, DONE_T0, format, how, 5000, 100, (10, 8))
#define PACK(name, unit, format, how, goals)                                                                           \
    TILES(name, unit, "bench_pack.trisc2", T2, DONE_T2, format, how, 500, 100, goals)

/* Rows of 16 data, an instruction each. */
#define ROWS(name_, unit_, elf, bit, done, format, how, goals_)                                                        \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .elfs = {elf}, .release = bit, .completion = done, .rounds = 5000,               \
        .peer_rounds = 200, .work_per_round = BENCH_ROWS, .clocks = 1000, .shape = {format, how},                      \
        .goals = GOALS goals_                                                                                          \
    }
#define UNPACK_ROW(name, unit, format)                                                                                 \
    ROWS(name, unit, "bench_unpack.trisc0", T0, DONE_T0, format, BENCH_UNPACK_ROW, (10, 10))
#define PACK_ROW(name, unit, format)                                                                                   \
    ROWS(name, unit, "bench_pack.trisc2", T2, DONE_T2, format, BENCH_PACK_ROW, (10, 10))

/* Between registers, flags unchanged. */
#define IADD(c, d) TT_OP_SFPIADD(0, c, d, 4)
/* Larger one in d, and the smaller one in c. */
#define MAXIMUM(c, d) TT_OP_SFPSWAP(0, c, d, 9)
/* LReg[index] from LReg[0]. */
#define CONFIGURE(index) TT_OP_SFPCONFIG(0, index, 0)
#define ENABLE_ALL_LANES TT_OP_SFPENCC(3, 0, 0, 10)
/* Copies four rows of BF16 to others; the counter of Dst advances by two. */
#define LOAD_ROWS TT_OP_SFPLOAD(0, 2, 3, 0)
#define STORE_ROWS TT_OP_SFPSTORE(0, 2, 3, 512)
#define NEXT_ROWS TT_OP_INCRWC(0, 2, 0, 0)

#define ELWADD(mode) TT_OP_ELWADD(0, 0, 0, mode, 0)
#define ELWMUL(mode) TT_OP_ELWMUL(0, 0, 0, mode, 0)
#define ELWSUB_COLUMN(mode) TT_OP_ELWSUB(0, 0, 1, mode, 0)
#define ELWMUL_COLUMN(mode) TT_OP_ELWMUL(0, 0, 1, mode, 0)
#define MOVA2D_8_ROWS(mode) TT_OP_MOVA2D(0, 0, mode, 2, 0)
#define MOVB2D_4_ROWS(mode) TT_OP_MOVB2D(0, 0, mode, 4, 0)
#define MOVB2D_ROW(mode) TT_OP_MOVB2D(0, 0, mode, 2, 0)
#define MOVD2A_4_ROWS(mode) TT_OP_MOVD2A(0, 0, mode, 2, 0)

/* Transfers, each waited for, on all tiles at once. */
#define TRANSFERS(name_, unit_, how, size)                                                                             \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .kind = MEASURE_EVERY, .elfs = {"bench_transfers.brisc"}, .release = B,          \
        .completion = DONE_B, .rounds = 5000, .peer_rounds = 1000, .work_per_round = 1, .clocks = 1000,                \
        .shape = {how, size}, .goals = {                                                                               \
            8,                                                                                                         \
            8                                                                                                          \
        }                                                                                                              \
    }

/* Firmware boots on all tiles and runs a kernel. */
#define FIRMWARE(name_, unit_, pages, goals_)                                                                          \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .kind = MEASURE_FIRMWARE, .shape = {pages}, .goals = GOALS goals_                \
    }

/* A round is 32 of the inner dimension. A peer takes half a minute for all of them. */
#define GRID_MATMUL                                                                                                    \
    .elfs = {"matmul_grid.brisc", "matmul128.trisc0", "matmul128.trisc1", "matmul128.trisc2", "matmul_grid.ncrisc"},   \
    .release = B, .completion = DONE_B, .rounds = 32, .peer_rounds = 8, .work_per_round = 1024. * 1024 * 32,           \
    .clocks = 1000, .shape = {4, 4, 4}

const struct measure measures[] = {
    {.name = "riscv",
     .unit = "RISC-V instructions/s, one tile",
     RISCV,
     .rounds = 200,
     .peer_rounds = 4,
     .goals = {40, 40}},
    {.name = "riscv_every",
     .unit = "RISC-V instructions/s, 140 tiles",
     .kind = MEASURE_EVERY,
     RISCV,
     .rounds = 2,
     .peer_rounds = 1,
     .goals = {4, 4}},
    {.name = "riscv_every_2",
     .unit = "  the same with two host threads",
     .kind = MEASURE_EVERY,
     RISCV,
     .rounds = 2,
     .peer_rounds = 1,
     .threads = 2,
     .goals = {7, 7}},
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
     .goals = {20, 20}},
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
     .goals = {12, 12}},
    FIRMWARE("firmware_8", "s, firmware, adds 8 pages a tile, 140 tiles", 8, (6, 6)),
    FIRMWARE("firmware_64", "s, firmware, adds 64 pages a tile", 64, (10, 10)),
    TRANSFERS("read_l1_64", "NoC reads/s, 64 bytes, 140 tiles", BENCH_READ_L1, 64),
    TRANSFERS("read_l1_2k", "NoC reads/s, 2 KiB", BENCH_READ_L1, 2048),
    TRANSFERS("read_dram_2k", "NoC reads/s, 2 KiB of DRAM", BENCH_READ_DRAM, 2048),
    TRANSFERS("write_l1_2k", "NoC writes/s, 2 KiB", BENCH_WRITE_L1, 2048),
    TRANSFERS("semaphore", "NoC increments/s, 140 tiles", BENCH_SEMAPHORE, 0),
    TRANSFERS("broadcast", "steps/s of broadcasts in rows", BENCH_BROADCAST, 2048),
    {.name = "wait",
     .unit = "cycles waited by the wall clock/s",
     .elfs = {"bench_wait.brisc"},
     .release = B,
     .completion = DONE_B,
     .rounds = 5000,
     .peer_rounds = 20,
     .work_per_round = 10000,
     .clocks = 1000,
     .goals = {10, 10}},
    {.name = "ring",
     .unit = "flags/s, round five cores",
     .elfs = {"bench_ring.brisc", "bench_ring.trisc0", "bench_ring.trisc1", "bench_ring.trisc2", "bench_ring.ncrisc"},
     .release = B | T0 | T1 | T2 | NC,
     .completion = DONE_NC,
     .rounds = 1000,
     .peer_rounds = 200,
     .work_per_round = 500,
     .clocks = 1000,
     .goals = {10, 10}},
    {.name = "calls",
     .unit = "  the same, ten clocks a call",
     .elfs = {"bench_ring.brisc", "bench_ring.trisc0", "bench_ring.trisc1", "bench_ring.trisc2", "bench_ring.ncrisc"},
     .release = B | T0 | T1 | T2 | NC,
     .completion = DONE_NC,
     .rounds = 1000,
     .peer_rounds = 200,
     .work_per_round = 500,
     .clocks = 10,
     .goals = {10, 10}},
    VECTOR("sfpmad", "SFPMAD/s", (25, 12), TT_OP_SFPMAD(0, 1, 2, 4, 0), TT_OP_SFPMAD(4, 1, 3, 5, 0),
           TT_OP_SFPMAD(5, 0, 2, 6, 0), TT_OP_SFPMAD(6, 1, 3, 0, 0)),
    VECTOR("sfpiadd", "SFPIADD/s", (25, 12), IADD(1, 4), IADD(4, 5), IADD(5, 6), IADD(6, 0)),
    VECTOR("sfpswap", "SFPSWAP/s", (25, 12), MAXIMUM(0, 4), MAXIMUM(1, 5), MAXIMUM(2, 6), MAXIMUM(3, 7)),
    VECTOR("sfpconfig", "SFPCONFIG/s", (25, 12), CONFIGURE(11), CONFIGURE(12), CONFIGURE(13), CONFIGURE(14)),
    VECTOR_BODY("sfp_copy", "SFPLOAD, SFPSTORE, INCRWC/s", BENCH_FRACTIONS, LOAD_ROWS, STORE_ROWS, NEXT_ROWS),
    VECTOR_BODY("sfp_relu", "relu of 4 rows/s", BENCH_FRACTIONS, LOAD_ROWS, TT_OP_SFPSETCC(0, 0, 0, 0),
                TT_OP_SFPLOADI(0, 0, 0), ENABLE_ALL_LANES, STORE_ROWS, NEXT_ROWS),
    /* e^x by Schraudolph's method: a x + b, limited, is converted to the bits of a float. */
    VECTOR_BODY("sfp_exponential", "exponential of 4 rows/s", BENCH_OF_EXPONENTIAL, LOAD_ROWS, MAXIMUM(14, 0),
                TT_OP_SFPMAD(0, 1, 2, 0, 0), TT_OP_SFP_STOCH_RND(0, 0, 0, 0, 0, 6), TT_OP_SFPSHFT(15, 0, 0, 1),
                TT_OP_SFPSETSGN(0, 0, 0, 1), STORE_ROWS, NEXT_ROWS),
    /* Loads an FP32 datum in two halves, and another one; SFPXORs use the results, so that no load is useless. */
    VECTOR("sfploadi", "SFPLOADI/s, with an SFPXOR for every three", (25, 12), TT_OP_SFPLOADI(4, 8, 0x3f81),
           TT_OP_SFPLOADI(4, 10, 0x1234), TT_OP_SFPLOADI(5, 0, 0x3f7e), TT_OP_SFPXOR(0, 4, 0, 0)),
    VECTOR("sfpaddi", "SFPADDI/s and SFPMULI/s", (25, 12), TT_OP_SFPADDI(0x3c00, 4, 0), TT_OP_SFPMULI(0x3f7e, 4, 0),
           TT_OP_SFPADDI(0xbc00, 5, 0), TT_OP_SFPMULI(0x3f81, 5, 0)),
    /* Shifts by register, of results of shifts. */
    VECTOR("sfpshft", "SFPSHFT/s, by register", (25, 12), TT_OP_SFPSHFT(0, 1, 4, 0), TT_OP_SFPSHFT(0, 4, 5, 0),
           TT_OP_SFPSHFT(0, 2, 6, 0), TT_OP_SFPSHFT(0, 6, 0, 0)),
    /* LReg[0] changes its sign each time, so that the branches alternate. */
    VECTOR("sfp_if", "SFP instructions/s, if and else", (25, 12), TT_OP_SFPPUSHC(0, 0, 0, 0),
           TT_OP_SFPSETCC(0, 0, 0, 0), IADD(1, 4), TT_OP_SFPNOT(0, 0, 0, 0), TT_OP_SFPCOMPC(0, 0, 0, 0), IADD(2, 4),
           TT_OP_SFPNOT(0, 0, 0, 0), TT_OP_SFPPOPC(0, 0, 0, 0)),
    MVMUL("mvmul_16_0", "MVMUL/s, 16-bit Dst, phase 0", BENCH_DST16, 0),
    MVMUL("mvmul_16_1", "MVMUL/s, 16-bit Dst, phase 1", BENCH_DST16, 1),
    MVMUL("mvmul_16_2", "MVMUL/s, 16-bit Dst, phase 2", BENCH_DST16, 2),
    MVMUL("mvmul_16_3", "MVMUL/s, 16-bit Dst, phase 3", BENCH_DST16, 3),
    MVMUL("mvmul_32_0", "MVMUL/s, 32-bit Dst, phase 0", BENCH_DST32, 0),
    MVMUL("mvmul_32_1", "MVMUL/s, 32-bit Dst, phase 1", BENCH_DST32, 1),
    MVMUL("mvmul_32_2", "MVMUL/s, 32-bit Dst, phase 2", BENCH_DST32, 2),
    MVMUL("mvmul_32_3", "MVMUL/s, 32-bit Dst, phase 3", BENCH_DST32, 3),
    MATRIX("mvmul_int8", "MVMUL/s, INT8", BENCH_MVMUL_INT8, BENCH_DST32, 0, 1000, 100, (10, 10)),
    MATRIX_OPERATION("elwadd", "ELWADD/s", BENCH_DST16, 0, 1000, 100, (10, 8), ELWADD),
    MATRIX_OPERATION("elwmul", "ELWMUL/s", BENCH_DST16, 0, 1000, 100, (10, 8), ELWMUL),
    MATRIX_OPERATION("elwsub_column", "ELWSUB/s, column 0 for all", BENCH_DST16, 0, 1000, 100, (10, 8), ELWSUB_COLUMN),
    MATRIX_OPERATION("elwmul_column", "ELWMUL/s, column 0 for all, phase 1", BENCH_DST16, 1, 1000, 100, (10, 8),
                     ELWMUL_COLUMN),
    MATRIX_OPERATION("mova2d", "MOVA2D/s, 8 rows", BENCH_DST16, 0, 20000, 400, (10, 15), MOVA2D_8_ROWS),
    MATRIX_OPERATION("movb2d", "MOVB2D/s, 4 rows", BENCH_DST16, 0, 20000, 400, (10, 15), MOVB2D_4_ROWS),
    MATRIX_OPERATION("movb2d_row", "MOVB2D/s, a row for 8", BENCH_DST16, 0, 20000, 400, (10, 15), MOVB2D_ROW),
    MATRIX_OPERATION("movd2a", "MOVD2A/s, 4 rows", BENCH_DST16, 0, 20000, 400, (10, 15), MOVD2A_4_ROWS),
    MATRIX("gapool", "GAPOOL/s", BENCH_OPERATION, BENCH_DST16, 0, 1000, 100, (10, 8), 2,
           TT_OP_GAPOOL(0, 1, BENCH_SAME_SRCA, 0, 0), TT_OP_GAPOOL(0, 1, BENCH_CLEAR, 0, 0)),
    MATRIX("gmpool", "GMPOOL/s", BENCH_SCALED, BENCH_DST16, 0, 1000, 400, (0, 0), 2,
           TT_OP_GMPOOL(0, 1, BENCH_SAME_SRCA, 0, 0), TT_OP_GMPOOL(0, 1, BENCH_CLEAR, 0, 0)),
    MATRIX("zeroacc", "ZEROACC/s, 16 rows", BENCH_OPERATION, BENCH_DST16, 0, 20000, 400, (0, 0), 2,
           TT_OP_ZEROACC(1, 0, 0, 1, 0), TT_OP_ZEROACC(1, 0, 0, 1, 3)),
    MATRIX("zerosrc", "ZEROSRC/s, both banks of both", BENCH_OPERATION, BENCH_DST16, 0, 20000, 400, (10, 10), 2,
           TT_OP_ZEROSRC(0, 1, 0, 3), TT_OP_ZEROSRC(0, 1, 0, 3)),
    MATRIX("trnspsrcb", "TRNSPSRCB/s", BENCH_OPERATION, BENCH_DST16, 0, 20000, 400, (10, 10), 2, TT_OP_TRNSPSRCB,
           TT_OP_TRNSPSRCB),
    VECTOR("setrwc", "SETRWC/s", (10, 10), TT_OP_SETRWC(0, 0, 0, 0, 0, 4)),
    VECTOR("nop", "NOP/s", (10, 10), TT_OP_NOP),
    VECTOR("config_macro", "SFPCONFIG/s of LoadMacroConfig", (10, 10), TT_OP_SFPCONFIG(0, 4, 1)),
    VECTOR("config_lanes", "SFPCONFIG/s of LaneConfig", (10, 10), TT_OP_SFPCONFIG(0, 15, 1)),
    UNPACK("unpack_bf16", "tiles/s unpacked, BF16", BF16, BENCH_UNPACK_TILE),
    UNPACK("unpack_fp32", "tiles/s unpacked, FP32 to TF32", FP32, BENCH_UNPACK_TILE),
    UNPACK("unpack_bfp8", "tiles/s unpacked, BFP8", BFP8, BENCH_UNPACK_TILE),
    UNPACK("unpack_bfp4", "tiles/s unpacked, BFP4", BFP4, BENCH_UNPACK_TILE),
    UNPACK("unpack_int8", "tiles/s unpacked, INT8", INT8, BENCH_UNPACK_TILE),
    UNPACK("unpack_row_major", "tiles/s unpacked, BF16, row-major", BF16, BENCH_UNPACK_ROW_MAJOR),
    UNPACK("unpack_transposed", "tiles/s unpacked, BF16, transposed", BF16, BENCH_UNPACK_TRANSPOSED),
    PACK("pack_bf16", "tiles/s packed, BF16", BF16, BENCH_PACK_OVERWRITE, (10, 8)),
    PACK("pack_fp32", "tiles/s packed, FP32", FP32, BENCH_PACK_OVERWRITE, (10, 8)),
    PACK("pack_bfp8", "tiles/s packed, BF16 to BFP8", BFP8, BENCH_PACK_OVERWRITE, (10, 8)),
    PACK("pack_bfp4", "tiles/s packed, BF16 to BFP4", BFP4, BENCH_PACK_OVERWRITE, (10, 10)),
    PACK("pack_accumulate", "tiles/s packed, BF16, accumulated", BF16, BENCH_PACK_ACCUMULATE, (10, 10)),
    UNPACK_ROW("unpack_row_bf16", "rows/s unpacked one by one, BF16", BF16),
    UNPACK_ROW("unpack_row_fp32", "rows/s unpacked, FP32 to TF32", FP32),
    UNPACK_ROW("unpack_row_bfp8", "rows/s unpacked, BFP8", BFP8),
    UNPACK_ROW("unpack_row_bfp4", "rows/s unpacked, BFP4", BFP4),
    UNPACK_ROW("unpack_row_int8", "rows/s unpacked, INT8", INT8),
    PACK_ROW("pack_row_bf16", "rows/s packed one by one, BF16", BF16),
    PACK_ROW("pack_row_fp32", "rows/s packed, FP32", FP32),
    PACK_ROW("pack_row_bfp8", "rows/s packed, BF16 to BFP8", BFP8),
    PACK_ROW("pack_row_bfp4", "rows/s packed, BF16 to BFP4", BFP4),
    PUSHED("pushed_sfpload", "SFPLOAD, SFPSTORE/s, pushed", (12, 12), TT_OP_SFPLOAD(4, 2, 3, 0),
           TT_OP_SFPSTORE(4, 2, 3, 512)),
    PUSHED("pushed_sfpmad", "SFPMUL, SFPADD/s, pushed", (12, 12), TT_OP_SFPMUL(0, 1, 9, 4, 0),
           TT_OP_SFPADD(10, 4, 2, 5, 0)),
    PUSHED("pushed_sfploadi", "SFPLOADI, SFPIADD/s, pushed", (12, 12), TT_OP_SFPLOADI(4, 2, 17), IADD(4, 5)),
    PUSHED("pushed_setrwc", "SETRWC, INCRWC/s, pushed", (12, 12), TT_OP_SETRWC(0, 0, 0, 0, 0, 4),
           TT_OP_INCRWC(0, 2, 0, 0)),
    PUSHED("pushed_mova2d", "MOVA2D of 8 rows, MOVD2B of 4/s, pushed", (12, 12), TT_OP_MOVA2D(0, 0, 3, 2, 0),
           TT_OP_MOVD2B(0, 0, 3, 2, 4)),
    PUSHED("pushed_elwadd", "ELWADD, SETRWC/s, pushed", (12, 12), TT_OP_ELWADD(0, 0, 0, 3, 0),
           TT_OP_SETRWC(0, 0, 0, 0, 0, 4)),
    PUSHED("pushed_adc", "SETADCXY, INCADCZW/s, pushed", (12, 12), TT_OP_SETADCXY(3, 0, 0, 0, 0, 15),
           TT_OP_INCADCZW(3, 0, 0, 1, 1)),
    PUSHED("pushed_gpr", "SETDMAREG, ADDDMAREG/s, pushed", (12, 12), TT_OP_SETDMAREG(0, 17, 0, 8),
           TT_OP_ADDDMAREG(0, 5, 6, 7)),
    PUSHED("pushed_config", "SETC16, STALLWAIT/s, pushed", (12, 12), TT_OP_SETC16(ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32, 8),
           TT_OP_STALLWAIT(64, 16)),
    PUSHED("pushed_semaphore", "SEMPOST, SEMGET/s, pushed", (12, 12), TT_OP_SEMPOST(32), TT_OP_SEMGET(32)),
    {.name = "matmul128",
     .unit = "s, 128x128x128 BF16, HiFi4",
     .elfs = {"matmul128.brisc", "matmul128.trisc0", "matmul128.trisc1", "matmul128.trisc2", "matmul128.ncrisc"},
     .release = B,
     .completion = DONE_B,
     .rounds = 4,
     .peer_rounds = 4,
     .clocks = 1000,
     .shape = {4, 4, 4},
     .goals = {15, 8}},
    {.name = "matmul_grid",
     .unit = "multiply-adds/s, 1024^3, 64 tiles",
     .kind = MEASURE_GRID,
     GRID_MATMUL,
     .goals = {15, 8}},
    {.name = "matmul_grid_2",
     .unit = "  the same with two host threads",
     .kind = MEASURE_GRID,
     GRID_MATMUL,
     .threads = 2,
     .goals = {15, 8}},
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
     .goals = {10, 10}},
    {.name = "jumps",
     .unit = "clocks/s, 140 tiles in self-jumps",
     .kind = MEASURE_JUMPS,
     .release = B,
     .rounds = 200000000,
     .peer_rounds = 1000000,
     .work_per_round = 1,
     .clocks = 100000,
     .goals = {100, 100}},
    {.name = "resident", .unit = "bytes resident at rest", .kind = MEASURE_RESIDENT, .goals = {1, 1}},
};
const unsigned measure_count = sizeof measures / sizeof *measures;
