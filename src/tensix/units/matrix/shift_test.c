/* SHIFTXA, SHIFTXB, TRNSPSRCB, and the legacy instructions. */
#include "tensix/units/matrix/test_bench.h"

static void number_rows(struct src_register_file *src)
{
    for (unsigned row = 0; row < SRC_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            src->rows[0][row][column] = (row << 4 | column | 0x400) << 13;
        }
    }
}

static uint32_t number(unsigned row, unsigned column)
{
    return (row << 4 | column | 0x400) << 13;
}

/* SHIFTXA.md: the rows are those of the last instruction that had some; the result goes to the first 16. */
static void shiftxa_shifts_the_rows_that_were_last_used(void **state)
{
    struct bench *bench = *state;
    number_rows(&bench->state.srca);
    bench->state.addr.rwc[THREAD].srca = 32;
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){0}), STEP_DONE);
    assert_int_equal(execute_SHIFTXA(&bench->tensix, THREAD, (struct args_SHIFTXA){.shift_mode = 2}), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][3][0], 0);
    assert_int_equal(bench->state.srca.rows[0][3][1], number(35, 0));
    assert_int_equal(bench->state.srca.rows[0][3][15], number(35, 14));
    assert_int_equal(bench->state.srca.rows[0][35][0], number(35, 0));
    assert_int_equal(execute_SHIFTXA(&bench->tensix, THREAD, (struct args_SHIFTXA){.shift_mode = 3}), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][15][0], number(47, 1));
    assert_int_equal(bench->state.srca.rows[0][15][15], 0);
    assert_int_equal(execute_SHIFTXA(&bench->tensix, THREAD, (struct args_SHIFTXA){.shift_mode = 1}), STEP_STOP);
}

/* SHIFTXB.md and its diagrams: to the left by one column, with column 0 or zero coming in on the right. */
static void shiftxb_rotates_or_shifts_one_row(void **state)
{
    struct bench *bench = *state;
    number_rows(&bench->state.srcb);
    bench->state.addr.rwc[THREAD].srcb = 60;
    struct args_SHIFTXB args = {.shift_row = 6};
    assert_int_equal(execute_SHIFTXB(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srcb.rows[0][2][0], number(2, 1));
    assert_int_equal(bench->state.srcb.rows[0][2][14], number(2, 15));
    assert_int_equal(bench->state.srcb.rows[0][2][15], number(2, 0));
    args.rot_shift = 1;
    assert_int_equal(execute_SHIFTXB(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srcb.rows[0][2][0], number(2, 2));
    assert_int_equal(bench->state.srcb.rows[0][2][15], 0);
    assert_int_equal(bench->state.srcb.rows[0][3][0], number(3, 0));
}

static void trnspsrcb_transposes_rows_16_to_31(void **state)
{
    struct bench *bench = *state;
    number_rows(&bench->state.srcb);
    assert_int_equal(execute_TRNSPSRCB(&bench->tensix, THREAD, (struct args_TRNSPSRCB){}), STEP_DONE);
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned j = 0; j < 16; j++) {
            assert_int_equal(bench->state.srcb.rows[0][16 + i][j], number(16 + j, i));
            assert_int_equal(bench->state.srcb.rows[0][i][j], number(i, j));
        }
    }
    bench->state.srcb.owner[0] = SRC_UNPACKERS;
    assert_int_equal(execute_TRNSPSRCB(&bench->tensix, THREAD, (struct args_TRNSPSRCB){}), STEP_WAIT);
}

/* MatrixUnit.md, "Legacy instructions": Dst += 0, and the address mode, with a warning. */
static void legacy_convolutions_add_zero(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, BF16_ONE);
    fill_src(&bench->state.srcb, BF16_ONE);
    SET_THREAD_CONFIG(bench, ADDR_MOD_DST_SEC3_DestIncr, 8);
    bench->state.dst.rows[0][0] = 0x4049;
    bench->state.dst.rows[7][0] = 0x8001;
    bench->state.dst.rows[1][0] = 0x1234;
    bench->state.dst.valid[1] = 0;
    struct args_CONV3S1 args = {.addr_mode = 3, .clear_dvalid = 1};
    assert_int_equal(execute_CONV3S1(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[0][0], 0x4049);
    assert_int_equal(bench->state.dst.rows[7][0], 0);
    assert_int_equal(bench->state.dst.rows[1][0], 0);
    assert_int_equal(bench->state.dst.valid[1], 1);
    assert_int_equal(bench->state.addr.rwc[THREAD].dst, 8);
    assert_int_equal(bench->state.srca.owner[0], SRC_UNPACKERS);
    assert_int_equal(bench->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void legacy_max_pooling_pools_zeroes(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, BF16_ONE);
    fill_src(&bench->state.srcb, BF16_ONE);
    bench->state.dst.rows[0][0] = 0xbf80;
    bench->state.dst.rows[0][1] = 0x3e80;
    assert_int_equal(execute_MPOOL3S1(&bench->tensix, THREAD, (struct args_MPOOL3S1){0}), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[0][0], 0);
    assert_int_equal(bench->state.dst.rows[0][1], 0x3e80);
}

/* blackhole-emulator-spec.md: TRNSPSRCA and RAREB are dead on Blackhole. */
static void dead_instructions_change_nothing(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, BF16_ONE);
    bench->state.srca.rows[0][1][0] = 0x40000000;
    struct tensix_state *before = aligned_zeroed(sizeof *before);
    assert_non_null(before);
    memcpy(before, &bench->state, sizeof *before);
    assert_int_equal(execute_TRNSPSRCA(&bench->tensix, THREAD, (struct args_TRNSPSRCA){}), STEP_DONE);
    assert_int_equal(execute_RAREB(&bench->tensix, THREAD, (struct args_RAREB){}), STEP_DONE);
    assert_memory_equal(before, &bench->state, sizeof *before);
    assert_int_equal(bench->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_non_null(strstr(bench->diagnostics.entries[0].text, "TRNSPSRCA"));
    free(before);
}

static void undocumented_instructions_stop(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(execute_SETASHRMV(&bench->tensix, THREAD, (struct args_SETASHRMV){0}), STEP_STOP);
    assert_int_equal(execute_SETPKEDGOF(&bench->tensix, THREAD, (struct args_SETPKEDGOF){0}), STEP_STOP);
    assert_int_equal(bench->diagnostics.entries[0].category, BH_UNSUPPORTED);
    assert_non_null(strstr(bench->diagnostics.entries[0].text, "SETASHRMV"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(shiftxa_shifts_the_rows_that_were_last_used),
        BENCH_TEST(shiftxb_rotates_or_shifts_one_row),
        BENCH_TEST(trnspsrcb_transposes_rows_16_to_31),
        BENCH_TEST(legacy_convolutions_add_zero),
        BENCH_TEST(legacy_max_pooling_pools_zeroes),
        BENCH_TEST(dead_instructions_change_nothing),
        BENCH_TEST(undocumented_instructions_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
