#include "tensix/units/matrix/test_bench.h"

#include "tensix/units/matrix/pool.h"
#include "util/host_vectors.h"
#include "util/xorshift.h"

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

/* GMPOOL.md: of equal data the last visited wins, and rows 4 to 7 are visited before rows 0 to 3. */
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

/* GMPOOL.md, integers: no scaling; the result has 13 bits of magnitude. */
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

static uint64_t random_state = 0xc0ffee123456789b;

static uint32_t random32(void)
{
    return xorshift64_word(&random_state);
}

static bool one_in(uint32_t n)
{
    return random32() % n == 0;
}

/* Random bits; or exponents near each other, with zeroes and denormals. */
static void fill_at_random(struct bench *bench)
{
    uint32_t any = one_in(8), centre = random32() % 256, sign = one_in(4) ? 0x80000000 : 0;
    for (unsigned i = 0; i < SRC_ROWS * ROW_COLUMNS; i++) {
        uint32_t *a = &bench->state.srca.rows[0][i / ROW_COLUMNS][i % ROW_COLUMNS];
        uint32_t *b = &bench->state.srcb.rows[0][i / ROW_COLUMNS][i % ROW_COLUMNS];
        *a = any ? random32() & 0xffffe000 : (random32() & 0x807fe000) | ((centre + random32() % 8) & 0xff) << 23;
        *a = one_in(sign ? 64 : 16) ? *a & 0x807fe000 : *a | sign;
        *b = one_in(4) ? random32() & (one_in(2) ? 0x807fe000 : 0xffffe000) : BF16_ONE;
    }
    for (unsigned i = 0; i < DST_ROWS * ROW_COLUMNS; i++) {
        uint32_t cell = any ? random32() : (random32() & 0x807f) | ((centre + random32() % 8) & 0xff) << 7;
        bench->state.dst.rows[i / ROW_COLUMNS][i % ROW_COLUMNS] = (uint16_t)cell;
        bench->state.dst.valid[i / ROW_COLUMNS] = !one_in(4);
    }
}

static void choose_at_random(struct bench *bench)
{
    static const uint8_t formats[] = {FORMAT_BF16, FORMAT_BFP8, FORMAT_FP32, FORMAT_FP16, FORMAT_TF32, FORMAT_INT8};
    memset(&bench->state.config, 0, sizeof bench->state.config);
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, one_in(2));
    SET_CONFIG(bench, ALU_ACC_CTRL_INT8_math_enabled, one_in(16));
    SET_THREAD_CONFIG(bench, FP16A_FORCE_Enable, one_in(8));
    SET_THREAD_CONFIG(bench, DEST_TARGET_REG_CFG_MATH_Offset, random32() & 0x3ff);
    set_format(bench, formats[random32() % 6]);
    bench->state.dst.only_row32 = one_in(4);
    bench->state.addr.rwc[THREAD].srca = random32() & 63;
    bench->state.addr.rwc[THREAD].srcb = random32() & 63;
    bench->state.addr.rwc[THREAD].dst = random32() & 1023;
}

/* Whatever the host's vectors are. */
static void gmpool_of_all_columns_is_that_of_each(void **state)
{
    enum { ROUNDS = 3000 };
    struct bench *bench = *state;
    struct bench *other;
    void *copy = NULL;
    assert_int_equal(setup_bench(&copy), 0);
    other = copy;
    const enum host_vectors host = host_vectors;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill_at_random(bench);
        choose_at_random(bench);
        memcpy(&other->state, &bench->state, sizeof other->state);
        struct pool at_once = {.dst = random32() & 0x3ff, .index = one_in(16)}, by_columns = at_once;
        by_columns.by_columns = 1;
        host_vectors = (enum host_vectors)(random32() % (host + 1));
        assert_int_equal(matrix_pool(&bench->tensix, THREAD, at_once), STEP_DONE);
        host_vectors = host;
        assert_int_equal(matrix_pool(&other->tensix, THREAD, by_columns), STEP_DONE);
        assert_memory_equal(&bench->state.dst, &other->state.dst, sizeof bench->state.dst);
        assert_int_equal(bench->state.matrix.last_srca_row, other->state.matrix.last_srca_row);
    }
    teardown_bench(&copy);
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
        BENCH_TEST(gmpool_of_all_columns_is_that_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
