#include "tensix/units/matrix_test_bench.h"

static const struct args_GMPOOL pool = {.instr_mod19 = 1, .dst = 4};

static void set_scales(struct bench *bench, uint32_t scale)
{
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        bench->state.srcb.rows[0][0][column] = scale;
    }
}

/* GMPOOL.md: the largest of 16 rows and of Dst's row, which when undefined is minus infinity; zero to three rows. */
static void gmpool_takes_the_largest_of_a_column(void **state)
{
    struct bench *bench = *state;
    set_scales(bench, BF16_ONE);
    memset(bench->state.dst.rows, 0x11, sizeof bench->state.dst.rows);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    fill_src(&bench->state.srca, 0xc1000000);
    bench->state.srca.rows[0][11][2] = 0xc0800000;
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, pool), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[4][2], 0xc080);
    assert_int_equal(bench->state.dst.rows[4][3], 0xc100);
    for (unsigned row = 5; row < 8; row++) {
        assert_int_equal(bench->state.dst.rows[row][2], 0);
        assert_int_equal(bench->state.dst.valid[row], 1);
    }
    assert_int_equal(bench->state.dst.valid[8], 0);
    bench->state.dst.rows[4][3] = 0x4000;
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, pool), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[4][3], 0x4000);
}

/* GMPOOL.md: row i of SrcA is scaled by the exponent of column i of SrcB's row; an exponent of zero excludes the row.
 */
static void gmpool_scales_rows_by_exponents(void **state)
{
    struct bench *bench = *state;
    set_scales(bench, 0);
    bench->state.srcb.rows[0][0][6] = 0x41700000; /* 15: counts as 8 */
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    fill_src(&bench->state.srca, 0x7f000000);
    bench->state.srca.rows[0][6][9] = 0xc0400000;
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, pool), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[4][9], 0xc1c0); /* -3 * 8 */
}

/* GMPOOL.md: BF16 in the high half, the transformed row number in the low half; the high bits of the number count the
   passes. */
static void gmpool_returns_the_row_of_the_maximum(void **state)
{
    struct bench *bench = *state;
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    set_scales(bench, BF16_ONE);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    fill_src(&bench->state.srca, BF16_ONE);
    for (unsigned column = 0; column < 8; column++) {
        bench->state.srca.rows[0][column][column] = 0x40000000;
    }
    struct args_GMPOOL args = pool;
    args.max_pool_index_en = 1;
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, args), STEP_DONE);
    static const uint8_t numbers[] = {0, 3, 6, 1, 4, 7, 2, 5};
    for (unsigned column = 0; column < 8; column++) {
        assert_int_equal(dst32(bench, 4, column), 0x40000000 | numbers[column]);
    }
    bench->state.srca.rows[0][5][0] = 0x40400000;
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(dst32(bench, 4, 0), 0x40400000 | 0x100 | 0x10 | 7);
    assert_int_equal(dst32(bench, 5, 0), 0x100);
}

/* GMPOOL.md: of ties the last visited wins, and rows 4 to 7 are visited before rows 0 to 3. */
static void gmpool_resolves_ties_as_rows_are_visited(void **state)
{
    struct bench *bench = *state;
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    set_scales(bench, BF16_ONE);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    fill_src(&bench->state.srca, BF16_ONE);
    struct args_GMPOOL args = pool;
    args.max_pool_index_en = 1;
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(dst32(bench, 4, 0), BF16_ONE | 1); /* row 3 */
}

/* GMPOOL.md, integers: not scaled; 13 bits of magnitude come out. */
static void gmpool_compares_integers(void **state)
{
    struct bench *bench = *state;
    set_format(bench, FORMAT_INT8);
    SET_CONFIG(bench, ALU_ACC_CTRL_INT8_math_enabled, 1);
    set_scales(bench, 0x4f000000);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    fill_src(&bench->state.srca, 0x88000000 | 9u << 13);
    bench->state.srca.rows[0][2][1] = 0x88000000 | 5u << 13;
    bench->state.srca.rows[0][2][2] = 0x08000000 | 1000u << 13;
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, pool), STEP_DONE);
    assert_int_equal(dst32(bench, 4, 0), 0x80000009);
    assert_int_equal(dst32(bench, 4, 1), 0x80000005);
    assert_int_equal(dst32(bench, 4, 2), 1000);
}

static void gmpool_keeps_five_exponent_bits_of_fp16(void **state)
{
    struct bench *bench = *state;
    set_format(bench, FORMAT_FP16);
    set_scales(bench, 15u << 23);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    fill_src(&bench->state.srca, 14u << 23);
    bench->state.srca.rows[0][9][3] = 17u << 23 | 5 << 13;
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, pool), STEP_DONE);
    assert_int_equal(dst_to_fp16(bench->state.dst.rows[4][3]), 17 << 10 | 5);
    assert_int_equal(dst_to_fp16(bench->state.dst.rows[4][4]), 14 << 10);
}

/* GMPOOL.md, supported types: "either TF32 or FP16" in Dst for FP16 in SrcA and SrcB. */
static void gmpool_of_fp16_leaves_tf32_in_32_bits(void **state)
{
    struct bench *bench = *state;
    set_format(bench, FORMAT_FP16);
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    set_scales(bench, 15u << 23);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    fill_src(&bench->state.srca, 0x80000000 | 14u << 23); /* -0.5 */
    bench->state.srca.rows[0][9][3] = 17u << 23 | 0x201 << 13;
    bench->state.srca.rows[0][9][4] = 0; /* the largest of its column */
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, pool), STEP_DONE);
    assert_int_equal(dst32(bench, 4, 0), 0xbf000000);
    assert_int_equal(dst32(bench, 4, 3), 129u << 23 | 0x201 << 13);
    assert_int_equal(dst32(bench, 4, 4), 0);
    assert_int_equal(bench->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    fill_src(&bench->state.srca, 16u << 23); /* 2, of which only what is larger than Dst counts */
    set_scales(bench, 14u << 23);            /* halved */
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, pool), STEP_DONE);
    assert_int_equal(dst32(bench, 4, 0), 0x3f800000);
    assert_int_equal(dst32(bench, 4, 3), 129u << 23 | 0x201 << 13);
}

static void gmpool_waits_for_both_banks(void **state)
{
    struct bench *bench = *state;
    bench->state.srcb.owner[0] = SRC_UNPACKERS;
    assert_int_equal(execute_GMPOOL(&bench->tensix, THREAD, pool), STEP_WAIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(gmpool_takes_the_largest_of_a_column),
        BENCH_TEST(gmpool_scales_rows_by_exponents),
        BENCH_TEST(gmpool_returns_the_row_of_the_maximum),
        BENCH_TEST(gmpool_resolves_ties_as_rows_are_visited),
        BENCH_TEST(gmpool_compares_integers),
        BENCH_TEST(gmpool_keeps_five_exponent_bits_of_fp16),
        BENCH_TEST(gmpool_of_fp16_leaves_tf32_in_32_bits),
        BENCH_TEST(gmpool_waits_for_both_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
