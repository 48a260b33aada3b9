#include "tensix/units/matrix/test_bench.h"

/* Small integers as BF16, in the high half of a datum. */
static uint32_t bf16_of(unsigned value)
{
    unsigned leading = value ? 31u - (unsigned)__builtin_clz(value) : 0;
    return value ? (127 + leading) << 23 | (value << (23 - leading) & 0x7fffff) : 0;
}

/* SrcA[row][column] = row + 1, SrcB[row][column] = 16 * row + column. */
static void fill_distinct(struct bench *bench)
{
    for (unsigned row = 0; row < 16; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            bench->state.srca.rows[0][row][column] = bf16_of(row + 1);
            bench->state.srcb.rows[0][row][column] = bf16_of(16 * (row % 8) + column);
        }
    }
}

static void expect_dst(const struct bench *bench, unsigned row, unsigned column, uint32_t fp32)
{
    assert_int_equal(bench->state.dst.rows[row][column], fp32 >> 16);
}

/* ELWADD.md: Dst = SrcA + SrcB, or += with AddDst. */
static void elwadd_assigns_or_accumulates(void **state)
{
    struct bench *bench = *state;
    fill_distinct(bench);
    struct args_ELWADD args = {.dst = 8};
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, args), STEP_DONE);
    expect_dst(bench, 8 + 3, 5, bf16_of(4 + 53));
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, args), STEP_DONE);
    expect_dst(bench, 8 + 3, 5, bf16_of(4 + 53));
    args.dest_accum_en = 1;
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, args), STEP_DONE);
    expect_dst(bench, 8 + 3, 5, bf16_of(2 * (4 + 53)));
    expect_dst(bench, 7, 5, 0);
    expect_dst(bench, 16, 5, 0);
}

/* ELWADD.md: SrcB's column 0 for all columns, one row of SrcB for all rows, or both. A broadcast row may be any. */
static void srcb_broadcasts_a_column_a_row_or_both(void **state)
{
    struct bench *bench = *state;
    fill_distinct(bench);
    for (unsigned mode = 0; mode < 4; mode++) {
        bench->state.addr.rwc[THREAD].srcb = mode & 2 ? 5 : 0;
        assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){.instr_mod19 = mode}), STEP_DONE);
        for (unsigned row = 0; row < 8; row++) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                unsigned b = 16 * (mode & 2 ? 5 : row) + (mode & 1 ? 0 : column);
                expect_dst(bench, row, column, bf16_of(row + 1 + b));
            }
        }
    }
}

static void elwsub_subtracts_srcb(void **state)
{
    struct bench *bench = *state;
    fill_distinct(bench);
    assert_int_equal(execute_ELWSUB(&bench->tensix, THREAD, (struct args_ELWSUB){0}), STEP_DONE);
    expect_dst(bench, 0, 0, bf16_of(1));
    expect_dst(bench, 2, 4, 0x80000000 | bf16_of(36 - 3));
    expect_dst(bench, 0, 1, 0);
}

/* ELWMUL.md accumulates always, and reads undefined rows as zero. */
static void elwmul_accumulates_onto_undefined_rows(void **state)
{
    struct bench *bench = *state;
    fill_distinct(bench);
    memset(bench->state.dst.rows, 0x3f, sizeof bench->state.dst.rows);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    assert_int_equal(execute_ELWMUL(&bench->tensix, THREAD, (struct args_ELWMUL){0}), STEP_DONE);
    expect_dst(bench, 3, 0, bf16_of(4 * 48));
    assert_int_equal(execute_ELWMUL(&bench->tensix, THREAD, (struct args_ELWMUL){0}), STEP_DONE);
    expect_dst(bench, 3, 0, bf16_of(2 * 4 * 48));
    assert_int_equal(bench->state.dst.valid[7], 1);
    assert_int_equal(bench->state.dst.valid[8], 0);
}

/* ELWADD.md: the fidelity phase divides by 32, by 128, or by both; software should not want that. */
static void a_fidelity_phase_divides_sums(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, bf16_of(96));
    fill_src(&bench->state.srcb, bf16_of(32));
    static const uint32_t quotients[] = {0x43000000, 0x40800000, 0x3f800000, 0x3d000000};
    for (unsigned phase = 0; phase < 4; phase++) {
        bench->state.addr.rwc[THREAD].fidelity_phase = phase;
        assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){0}), STEP_DONE);
        expect_dst(bench, 1, 1, quotients[phase]);
    }
    assert_int_equal(bench->diagnostics.count, 1);
    assert_int_equal(bench->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

/* The implied format of each bank determines the bits used of a datum: TF32 ten mantissa bits, BF16 seven. */
static void each_bank_implies_its_own_format(void **state)
{
    struct bench *bench = *state;
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    fill_src(&bench->state.srca, BF16_ONE | 1 << 13);
    bench->state.srca.format[0] = FORMAT_TF32;
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){0}), STEP_DONE);
    assert_int_equal(dst32(bench, 0, 0), BF16_ONE | 1 << 13);
    bench->state.srca.format[0] = FORMAT_BF16;
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){0}), STEP_DONE);
    assert_int_equal(dst32(bench, 0, 0), BF16_ONE);
    SET_THREAD_CONFIG(bench, DISABLE_IMPLIED_SRCA_FMT_Base, 1);
    SET_CONFIG(bench, ALU_FORMAT_SPEC_REG0_SrcA, FORMAT_TF32);
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){0}), STEP_DONE);
    assert_int_equal(dst32(bench, 0, 0), BF16_ONE | 1 << 13);
    SET_CONFIG(bench, ALU_FORMAT_SPEC_REG_SrcA_override, 1);
    SET_CONFIG(bench, ALU_FORMAT_SPEC_REG_SrcA_val, FORMAT_BF16);
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){0}), STEP_DONE);
    assert_int_equal(dst32(bench, 0, 0), BF16_ONE);
}

/* Integers are sign and magnitude, and zero when their exponent is. */
static void integers_add_in_sign_and_magnitude(void **state)
{
    struct bench *bench = *state;
    set_format(bench, FORMAT_INT8);
    SET_CONFIG(bench, ALU_ACC_CTRL_INT8_math_enabled, 1);
    fill_src(&bench->state.srca, 0x88000000 | 100u << 13);
    fill_src(&bench->state.srcb, 0x08000000 | 30u << 13);
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){0}), STEP_DONE);
    assert_int_equal(dst32(bench, 2, 2), 0x80000000 | 70);
    assert_int_equal(execute_ELWSUB(&bench->tensix, THREAD, (struct args_ELWSUB){.dest_accum_en = 1}), STEP_DONE);
    assert_int_equal(dst32(bench, 2, 2), 0x80000000 | 200);
    fill_src(&bench->state.srca, 0x80000000 | 100u << 13);
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){0}), STEP_DONE);
    assert_int_equal(dst32(bench, 2, 2), 30);
}

static void elementwise_waits_for_both_banks(void **state)
{
    struct bench *bench = *state;
    bench->state.srca.owner[0] = SRC_UNPACKERS;
    assert_int_equal(execute_ELWMUL(&bench->tensix, THREAD, (struct args_ELWMUL){0}), STEP_WAIT);
    bench->state.srca.owner[0] = SRC_MATRIX_UNIT;
    bench->state.srcb.owner[0] = SRC_UNPACKERS;
    assert_int_equal(execute_ELWSUB(&bench->tensix, THREAD, (struct args_ELWSUB){0}), STEP_WAIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(elwadd_assigns_or_accumulates),
        BENCH_TEST(srcb_broadcasts_a_column_a_row_or_both),
        BENCH_TEST(elwsub_subtracts_srcb),
        BENCH_TEST(elwmul_accumulates_onto_undefined_rows),
        BENCH_TEST(a_fidelity_phase_divides_sums),
        BENCH_TEST(each_bank_implies_its_own_format),
        BENCH_TEST(integers_add_in_sign_and_magnitude),
        BENCH_TEST(elementwise_waits_for_both_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
