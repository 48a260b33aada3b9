#include "tensix/units/matrix/test_bench.h"

static void fill_src_with_row_numbers(struct src_register_file *src)
{
    for (unsigned row = 0; row < SRC_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            src->rows[0][row][column] = BF16_ONE | row << 16 | (column & 7) << 13;
        }
    }
}

static void set_dst32(struct bench *bench, uint32_t row, unsigned column, uint32_t datum)
{
    uint32_t place = dst_row32(row);
    bench->state.dst.rows[place][column] = dst_high_cell(datum);
    bench->state.dst.rows[place + DST_LOW_HALF][column] = dst_low_cell(datum);
    bench->state.dst.valid[place] = 1;
}

/* MOVA2D.md: eight aligned rows, or one. */
static void mova2d_moves_eight_rows_or_one(void **state)
{
    struct bench *bench = *state;
    fill_src_with_row_numbers(&bench->state.srca);
    bench->state.addr.rwc[THREAD].srca = 17;
    struct args_MOVA2D args = {.instr_mod = 2, .src = 8, .dst = 13};
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, args), STEP_DONE);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(bench->state.dst.rows[8 + i][3], 0x3f80 | (24 + i));
    }
    assert_int_equal(bench->state.dst.rows[16][3], 0);
    args = (struct args_MOVA2D){.src = 8, .dst = 33};
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[33][0], 0x3f80 | 25);
    assert_int_equal(bench->state.dst.rows[34][0], 0);
}

/* TF32 takes 32 bits of Dst whatever its width is; FP16 keeps five exponent bits. */
static void mova2d_follows_the_format_of_srca(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, 0xc049e000);
    set_format(bench, FORMAT_TF32);
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, (struct args_MOVA2D){.dst = 2}), STEP_DONE);
    assert_int_equal(dst32(bench, 2, 9), 0xc049e000);
    set_format(bench, FORMAT_FP16);
    fill_src(&bench->state.srca, 0x88002000);
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, (struct args_MOVA2D){.dst = 3}), STEP_DONE);
    assert_int_equal(dst_to_fp16(bench->state.dst.rows[3][9]), 0xc001);
}

/* blackhole-py, test_dst_paths.py: with ALU_ACC_CTRL_Fp32_enabled all 19 bits of Src go to a row of 32 bits, whatever
   its format is; halves of 16 bits are moved with it clear. */
static void moves_while_fp32_is_enabled_are_of_tf32(void **state)
{
    struct bench *bench = *state;
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    static const enum data_format formats[] = {FORMAT_BF16, FORMAT_FP16, FORMAT_TF32};
    for (unsigned i = 0; i < 3; i++) {
        set_format(bench, formats[i]);
        fill_src(&bench->state.srca, 0xc049e000);
        fill_src(&bench->state.srcb, 0x0fc00000);
        set_dst32(bench, 1, 9, 0x12345678);
        set_dst32(bench, 2, 9, 0x12345678);
        assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, (struct args_MOVA2D){.dst = 1}), STEP_DONE);
        assert_int_equal(execute_MOVB2D(&bench->tensix, THREAD, (struct args_MOVB2D){.dst = 2}), STEP_DONE);
        assert_int_equal(dst32(bench, 1, 9), 0xc049e000);
        assert_int_equal(dst32(bench, 2, 9), 0x0fc00000);
    }
    assert_int_equal(bench->diagnostics.count, 0);
    set_format(bench, FORMAT_INT16);
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, (struct args_MOVA2D){.dst = 4}), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[4][9], 0xc049);
    set_format(bench, FORMAT_BF16);
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 0);
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, (struct args_MOVA2D){.dst = 3}), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[3][9], 0xc049);
}

/* ALU_ACC_CTRL_Zero_Flag_disabled_src keeps data with a zero exponent, such as integers of 16 bits. */
static void moves_flush_denormals_unless_told_not_to(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, 0x80550000);
    set_format(bench, FORMAT_INT16);
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, (struct args_MOVA2D){0}), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[0][0], 0);
    SET_CONFIG(bench, ALU_ACC_CTRL_Zero_Flag_disabled_src, 1);
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, (struct args_MOVA2D){0}), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[0][0], 0x8055);
}

/* MOVA2D.md: TF32 writes the high half; another format with UseDst32bLo writes the low half and keeps the high one. */
static void dest_32b_lo_fills_the_low_half_only(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, BF16_ONE);
    set_dst32(bench, 5, 1, 0x12345678);
    struct args_MOVA2D args = {.dest_32b_lo = 1, .dst = 5};
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(dst32(bench, 5, 1), 0x12340000 | dst_to_hardware(0x3f80));
    bench->state.dst.valid[dst_row32(5)] = 0;
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(dst32(bench, 5, 1), dst_to_hardware(0x3f80));
    set_format(bench, FORMAT_TF32);
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, args), STEP_STOP);
    assert_int_equal(bench->diagnostics.entries[0].category, BH_UNDEFINED_BEHAVIOR);
}

/* LaneConfig.BLOCK_DEST_MOV: two bits for the two columns of each of the first eight lanes. */
static void blocked_columns_stay_as_they_are(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, BF16_ONE);
    bench->state.vector.lane_config[3] = 2 << 9;
    vector_configure(&bench->state.vector);
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, (struct args_MOVA2D){0}), STEP_DONE);
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        assert_int_equal(bench->state.dst.rows[0][column], column == 7 ? 0 : 0x3f80);
    }
}

/* MOVB2D.md: one row, four, or one for eight; in each case column 0 may be broadcast. */
static void movb2d_broadcasts_rows_and_column_0(void **state)
{
    struct bench *bench = *state;
    fill_src_with_row_numbers(&bench->state.srcb);
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    set_format(bench, FORMAT_TF32);
    bench->state.addr.rwc[THREAD].srcb = 2;
    static const unsigned counts[] = {1, 1, 8, 8, 4, 4};
    for (unsigned mode = 0; mode < 6; mode++) {
        memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
        struct args_MOVB2D args = {.movb2d_instr_mod = mode, .src = 5, .dst = 24};
        assert_int_equal(execute_MOVB2D(&bench->tensix, THREAD, args), STEP_DONE);
        for (unsigned i = 0; i < 9; i++) {
            uint32_t row = 24 + i;
            assert_int_equal(bench->state.dst.valid[dst_row32(row)], i < counts[mode]);
            if (i < counts[mode]) {
                uint32_t source = mode & 4 ? 4 + i : 7;
                assert_int_equal(dst32(bench, row, 3), BF16_ONE | source << 16 | (mode & 1 ? 0 : 3) << 13);
            }
        }
    }
    assert_int_equal(execute_MOVB2D(&bench->tensix, THREAD, (struct args_MOVB2D){.movb2d_instr_mod = 6}), STEP_STOP);
}

static void moves_to_dst_wait_for_their_source(void **state)
{
    struct bench *bench = *state;
    bench->state.srca.owner[0] = bench->state.srcb.owner[0] = SRC_UNPACKERS;
    assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, (struct args_MOVA2D){0}), STEP_WAIT);
    assert_int_equal(execute_MOVB2D(&bench->tensix, THREAD, (struct args_MOVB2D){0}), STEP_WAIT);
    assert_int_equal(execute_MOVB2A(&bench->tensix, THREAD, (struct args_MOVB2A){0}), STEP_WAIT);
    assert_int_equal(execute_MOVDBGA2D(&bench->tensix, THREAD, (struct args_MOVDBGA2D){0}), STEP_DONE);
    assert_int_equal(execute_MOVDBGB2D(&bench->tensix, THREAD, (struct args_MOVDBGB2D){0}), STEP_DONE);
    assert_int_equal(execute_MOVD2A(&bench->tensix, THREAD, (struct args_MOVD2A){0}), STEP_DONE);
    assert_int_equal(execute_MOVD2B(&bench->tensix, THREAD, (struct args_MOVD2B){0}), STEP_DONE);
}

/* MOVD2A.md: FP32 becomes TF32 or BF16 by truncation; the low half can be read, too. */
static void movd2a_truncates_and_takes_either_half(void **state)
{
    struct bench *bench = *state;
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    set_dst32(bench, 4, 0, 0x40490fdb);
    struct args_MOVD2A args = {.instr_mod = 2, .src = 4, .dst = 6};
    assert_int_equal(execute_MOVD2A(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][4][0], 0x40490000);
    set_format(bench, FORMAT_TF32);
    assert_int_equal(execute_MOVD2A(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][4][0], 0x40490000);
    set_dst32(bench, 4, 0, 0x4049ffdb);
    assert_int_equal(execute_MOVD2A(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][4][0], 0x4049e000);
    args.dest_32b_lo = 1; /* the 13 bits below: 0x1fdb, of which 0xdb is the exponent */
    assert_int_equal(execute_MOVD2A(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][4][0], 0xdbu << 23 | 0x1f << 13);
    set_format(bench, FORMAT_BF16);
    assert_int_equal(execute_MOVD2A(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][4][0], (uint32_t)dst_from_hardware(0xffdb) << 16);
}

static void movd2b_reads_undefined_rows_as_zero(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srcb, BF16_ONE);
    memset(bench->state.dst.rows, 0x3f, sizeof bench->state.dst.rows);
    bench->state.dst.valid[9] = 0;
    struct args_MOVD2B args = {.instr_mod = 2, .src = 16, .dst = 8};
    assert_int_equal(execute_MOVD2B(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srcb.rows[0][16][0], 0x3f3f0000);
    assert_int_equal(bench->state.srcb.rows[0][17][0], 0);
    assert_int_equal(bench->state.srcb.rows[0][20][0], BF16_ONE);
}

/* MOVD2A.md: 16 bits of Dst cannot hold TF32, and have no low half. */
static void movd2a_refuses_more_than_16_bits_hold(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(execute_MOVD2A(&bench->tensix, THREAD, (struct args_MOVD2A){.dest_32b_lo = 1}), STEP_STOP);
    set_format(bench, FORMAT_TF32);
    assert_int_equal(execute_MOVD2A(&bench->tensix, THREAD, (struct args_MOVD2A){0}), STEP_STOP);
    assert_int_equal(bench->diagnostics.count, 2);
}

/* The sequence of llk_math_transpose_dest.h, without bit 11 of DBG_FEATURE_DISABLE: with Fp32_enabled clear for the
   moves, the halves of 32-bit data go through SrcB and SrcA and back. TF32 and BF16 give the same result. */
static void halves_of_fp32_can_go_over_srcb_and_srca(void **state)
{
    struct bench *bench = *state;
    SET_CONFIG(bench, ALU_ACC_CTRL_SFPU_Fp32_enabled, 1);
    SET_CONFIG(bench, ALU_ACC_CTRL_Zero_Flag_disabled_src, 1);
    for (unsigned tf32 = 0; tf32 < 2; tf32++) {
        set_format(bench, tf32 ? FORMAT_TF32 : FORMAT_BF16);
        for (unsigned row = 0; row < 16; row++) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                set_dst32(bench, row, column, 0x12345678 * (16 * row + column + tf32));
                set_dst32(bench, 32 + row, column, 0);
            }
        }
        for (unsigned low = 0; low < 2; low++) {
            for (unsigned row = 0; row < 16; row += 4) {
                struct args_MOVD2B from = {.dest_32b_lo = low, .instr_mod = 2, .src = 16 + row, .dst = row};
                assert_int_equal(execute_MOVD2B(&bench->tensix, THREAD, from), STEP_DONE);
                struct args_MOVB2A over = {.instr_mod = 2, .srca = row, .srcb = 16 + row};
                assert_int_equal(execute_MOVB2A(&bench->tensix, THREAD, over), STEP_DONE);
            }
            for (unsigned row = 0; row < 16; row += 8) {
                struct args_MOVA2D back = {.dest_32b_lo = low, .instr_mod = 2, .src = row, .dst = 32 + row};
                assert_int_equal(execute_MOVA2D(&bench->tensix, THREAD, back), STEP_DONE);
            }
        }
        for (unsigned row = 0; row < 16; row++) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                assert_int_equal(dst32(bench, 32 + row, column), 0x12345678 * (16 * row + column + tf32));
            }
        }
    }
    assert_int_equal(bench->diagnostics.count, 1); /* one for all moves, as they have the same PC */
    assert_int_equal(bench->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void movb2a_copies_rows(void **state)
{
    struct bench *bench = *state;
    fill_src_with_row_numbers(&bench->state.srcb);
    bench->state.srcb.rows[0][9][0] = 0x007fe000;
    struct args_MOVB2A args = {.instr_mod = 2, .srca = 20, .srcb = 8};
    assert_int_equal(execute_MOVB2A(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.rows[0][21][0], 0);
    assert_int_equal(bench->state.srca.rows[0][23][5], BF16_ONE | 11 << 16 | 5 << 13);
    assert_int_equal(bench->state.srca.rows[0][24][5], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(mova2d_moves_eight_rows_or_one),
        BENCH_TEST(mova2d_follows_the_format_of_srca),
        BENCH_TEST(moves_while_fp32_is_enabled_are_of_tf32),
        BENCH_TEST(moves_flush_denormals_unless_told_not_to),
        BENCH_TEST(dest_32b_lo_fills_the_low_half_only),
        BENCH_TEST(blocked_columns_stay_as_they_are),
        BENCH_TEST(movb2d_broadcasts_rows_and_column_0),
        BENCH_TEST(moves_to_dst_wait_for_their_source),
        BENCH_TEST(movd2a_truncates_and_takes_either_half),
        BENCH_TEST(movd2b_reads_undefined_rows_as_zero),
        BENCH_TEST(movd2a_refuses_more_than_16_bits_hold),
        BENCH_TEST(halves_of_fp32_can_go_over_srcb_and_srca),
        BENCH_TEST(movb2a_copies_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
