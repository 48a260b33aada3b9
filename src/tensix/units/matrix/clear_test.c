#include "tensix/units/matrix/test_bench.h"

static void expect_undefined(const struct bench *bench, unsigned first, unsigned count)
{
    for (unsigned row = 0; row < DST_ROWS; row++) {
        bool undefined = row >= first && row < first + count;
        assert_int_equal(bench->state.dst.valid[row], !undefined);
    }
}

enum { ONE_ROW, SIXTEEN_ROWS, HALF, ALL };

/* ZEROACC.md, ZEROACC_MODE_ONE_ROW: relative to the math offset and the RWC; rows of 32 bits by configuration. */
static void zeroacc_clears_one_row(void **state)
{
    struct bench *bench = *state;
    SET_THREAD_CONFIG(bench, DEST_TARGET_REG_CFG_MATH_Offset, 256);
    bench->state.addr.rwc[THREAD].dst = 8;
    SET_THREAD_CONFIG(bench, ADDR_MOD_DST_SEC1_DestIncr, 4);
    struct args_ZEROACC args = {.clear_mode = ONE_ROW, .where = 2, .addr_mode = 1};
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    expect_undefined(bench, 266, 1);
    assert_int_equal(bench->state.addr.rwc[THREAD].dst, 12);
    memset(bench->state.dst.valid, 1, sizeof bench->state.dst.valid);
    SET_CONFIG(bench, ALU_ACC_CTRL_INT8_math_enabled, 1);
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    expect_undefined(bench, dst_row32(270), 1);
}

static void zeroacc_clears_sixteen_rows(void **state)
{
    struct bench *bench = *state;
    struct args_ZEROACC args = {.clear_mode = SIXTEEN_ROWS, .where = 3};
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    expect_undefined(bench, 48, 16);
    memset(bench->state.dst.valid, 1, sizeof bench->state.dst.valid);
    args.use_32_bit_mode = 1;
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    for (unsigned row = 0; row < DST_ROWS; row++) {
        bool high_half = row >= 96 && row < 128 && !(row & 8);
        assert_int_equal(bench->state.dst.valid[row], !high_half);
    }
}

/* Blackhole counts the blocks from the thread's half, unless absolute mode is set. */
static void zeroacc_counts_blocks_from_the_threads_half(void **state)
{
    struct bench *bench = *state;
    SET_THREAD_CONFIG(bench, DEST_TARGET_REG_CFG_MATH_Offset, 512);
    struct args_ZEROACC args = {.clear_mode = SIXTEEN_ROWS, .where = 1};
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    expect_undefined(bench, 528, 16);
    memset(bench->state.dst.valid, 1, sizeof bench->state.dst.valid);
    SET_CONFIG(bench, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, 1);
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    expect_undefined(bench, 16, 16);
}

/* RWCs.md: block 0xff does not exist, so that only the address mode takes effect. */
static void zeroacc_of_no_block_applies_the_address_mode(void **state)
{
    struct bench *bench = *state;
    SET_THREAD_CONFIG(bench, ADDR_MOD_AB_SEC2_SrcAIncr, 3);
    struct args_ZEROACC args = {.clear_mode = SIXTEEN_ROWS, .where = 0xff, .addr_mode = 2};
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    expect_undefined(bench, 0, 0);
    assert_int_equal(bench->state.addr.rwc[THREAD].srca, 3);
}

static void zeroacc_clears_a_half_or_all(void **state)
{
    struct bench *bench = *state;
    SET_THREAD_CONFIG(bench, ADDR_MOD_AB_SEC2_SrcAIncr, 3);
    struct args_ZEROACC args = {.clear_mode = HALF, .where = 1, .addr_mode = 2};
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    expect_undefined(bench, 512, 512);
    args = (struct args_ZEROACC){.clear_mode = ALL, .addr_mode = 2};
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    expect_undefined(bench, 0, 1024);
    assert_int_equal(bench->state.addr.rwc[THREAD].srca, 0);
}

/* ZEROACC.md calls Revert undefined; the vendor's kernels use it on 16 rows of 32 bits. */
static void zeroacc_can_make_rows_defined_again(void **state)
{
    struct bench *bench = *state;
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    struct args_ZEROACC args = {.clear_mode = SIXTEEN_ROWS, .use_32_bit_mode = 1, .clear_zero_flags = 1};
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.dst.valid[7], 1);
    assert_int_equal(bench->state.dst.valid[8], 0);
    assert_int_equal(bench->state.dst.valid[16], 1);
    args.use_32_bit_mode = 0;
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_DONE);
    args.clear_mode = HALF;
    assert_int_equal(execute_ZEROACC(&bench->tensix, THREAD, args), STEP_STOP);
}

/* ZEROSRC.md: both banks, the matrix unit's, or the unpacker's; SrcA may become minus infinity. */
static void zerosrc_chooses_its_banks(void **state)
{
    struct bench *bench = *state;
    memset(bench->state.srca.rows, 0x55, sizeof bench->state.srca.rows);
    memset(bench->state.srcb.rows, 0x55, sizeof bench->state.srcb.rows);
    bench->state.srca.unpacker_bank = 1;
    struct args_ZEROSRC args = {.src_mask = 1};
    assert_int_equal(execute_ZEROSRC(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][63][15], 0x55555555);
    assert_int_equal(bench->state.srca.rows[1][63][15], 0);
    args = (struct args_ZEROSRC){.src_mask = 3, .write_mode = 1, .zero_val = 1};
    assert_int_equal(execute_ZEROSRC(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][63][15], 0xffffe000);
    assert_int_equal(bench->state.srca.rows[1][63][15], 0);
    assert_int_equal(bench->state.srcb.rows[0][0][0], 0);
    assert_int_equal(bench->state.srcb.rows[1][0][0], 0x55555555);
    args = (struct args_ZEROSRC){.src_mask = 2, .bank_mask = 1};
    assert_int_equal(execute_ZEROSRC(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srcb.rows[1][0][0], 0);
}

/* However often it has been cleared, and whatever wrote to it since then. */
static void zerosrc_clears_what_was_written_since(void **state)
{
    static const uint32_t zeros[SRC_BANKS][SRC_ROWS][ROW_COLUMNS];
    static const uint8_t moves[] = {TENSIX_OPCODE_MOVD2A, TENSIX_OPCODE_MOVD2B, TENSIX_OPCODE_MOVB2A};
    struct bench *bench = *state;
    const struct args_ZEROSRC both = {.src_mask = 3, .bank_mask = 1}, infinity = {.src_mask = 1, .zero_val = 1};
    bench->state.dst.valid[0] = 1;
    bench->state.dst.rows[0][3] = 0x3f80;
    memset(bench->state.srca.rows, 0x55, sizeof bench->state.srca.rows);
    memset(bench->state.srcb.rows, 0x55, sizeof bench->state.srcb.rows);
    for (unsigned i = 0; i < 2 * sizeof moves; i++) {
        assert_int_equal(execute_ZEROSRC(&bench->tensix, THREAD, both), STEP_DONE);
        assert_memory_equal(bench->state.srca.rows, zeros, sizeof zeros);
        assert_memory_equal(bench->state.srcb.rows, zeros, sizeof zeros);
        if (moves[i / 2] == TENSIX_OPCODE_MOVB2A) {
            assert_int_equal(tensix_execute(&bench->tensix, THREAD, (uint32_t)TENSIX_OPCODE_MOVD2B << 24, 0),
                             STEP_DONE);
        }
        assert_int_equal(tensix_execute(&bench->tensix, THREAD, (uint32_t)moves[i / 2] << 24, 0), STEP_DONE);
        bool of_a = moves[i / 2] != TENSIX_OPCODE_MOVD2B;
        assert_int_equal((of_a ? bench->state.srca : bench->state.srcb).rows[0][0][3], BF16_ONE);
    }
    assert_int_equal(execute_ZEROSRC(&bench->tensix, THREAD, both), STEP_DONE);
    assert_int_equal(execute_ZEROSRC(&bench->tensix, THREAD, infinity), STEP_DONE);
    assert_int_equal(execute_ZEROSRC(&bench->tensix, THREAD, both), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][5][5], 0);
}

/* CLEARDVALID.md: the bank goes back; KeepReadingSameSrc stays with it; Reset gives everything to the unpackers. */
static void cleardvalid_gives_banks_back(void **state)
{
    struct bench *bench = *state;
    struct args_CLEARDVALID args = {.cleardvalid = 1};
    assert_int_equal(execute_CLEARDVALID(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.owner[0], SRC_UNPACKERS);
    assert_int_equal(bench->state.srca.matrix_bank, 1);
    assert_int_equal(bench->state.srcb.owner[0], SRC_MATRIX_UNIT);
    args = (struct args_CLEARDVALID){.cleardvalid = 2, .reset = 2};
    assert_int_equal(execute_CLEARDVALID(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srcb.owner[0], SRC_UNPACKERS);
    assert_int_equal(bench->state.srcb.matrix_bank, 0);
    assert_int_equal(bench->diagnostics.count, 0);
    bench->state.srca.owner[1] = SRC_MATRIX_UNIT;
    bench->state.srcb.unpacker_bank = 1;
    assert_int_equal(execute_CLEARDVALID(&bench->tensix, THREAD, (struct args_CLEARDVALID){.reset = 1}), STEP_DONE);
    assert_int_equal(bench->state.srca.owner[1], SRC_UNPACKERS);
    assert_int_equal(bench->state.srca.matrix_bank, 0);
    assert_int_equal(bench->state.srcb.unpacker_bank, 0);
    assert_int_equal(bench->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void clrexphist_clears_the_packers_histogram(void **state)
{
    struct bench *bench = *state;
    bench->state.pack.exponent_histogram[7] = 3;
    assert_int_equal(execute_CLREXPHIST(&bench->tensix, THREAD, (struct args_CLREXPHIST){}), STEP_DONE);
    assert_int_equal(bench->state.pack.exponent_histogram[7], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(zeroacc_clears_one_row),
        BENCH_TEST(zeroacc_clears_sixteen_rows),
        BENCH_TEST(zeroacc_counts_blocks_from_the_threads_half),
        BENCH_TEST(zeroacc_of_no_block_applies_the_address_mode),
        BENCH_TEST(zeroacc_clears_a_half_or_all),
        BENCH_TEST(zeroacc_can_make_rows_defined_again),
        BENCH_TEST(zerosrc_chooses_its_banks),
        BENCH_TEST(zerosrc_clears_what_was_written_since),
        BENCH_TEST(cleardvalid_gives_banks_back),
        BENCH_TEST(clrexphist_clears_the_packers_histogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
