#include "tensix/units/matrix/test_bench.h"

/* SrcB[i][k] = i + 1 on the diagonal of a bank whose SrcA[k][j] = 2 * k + 1, so that the product is known. */
static void fill_with_known_product(struct bench *bench)
{
    static const uint32_t odd[] = {0x3f800000, 0x40400000, 0x40a00000, 0x40e00000, 0x41100000, 0x41300000,
                                   0x41500000, 0x41700000, 0x41880000, 0x41980000, 0x41a80000, 0x41b80000,
                                   0x41c80000, 0x41d80000, 0x41e80000, 0x41f80000};
    for (unsigned k = 0; k < 16; k++) {
        for (unsigned j = 0; j < ROW_COLUMNS; j++) {
            bench->state.srca.rows[0][k][j] = odd[k];
        }
        bench->state.srcb.rows[0][k % 8][k] = BF16_ONE;
    }
}

/* MVMUL.md: Dst[DstRow + i][j] += sum of SrcB[i][k] * SrcA[k][j]; undefined rows of Dst read as zero. */
static void mvmul_adds_the_product_to_rows_that_read_as_zero(void **state)
{
    struct bench *bench = *state;
    fill_with_known_product(bench);
    memset(bench->state.dst.rows, 0x55, sizeof bench->state.dst.rows);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    struct args_MVMUL args = {.dst = 16};
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, args), STEP_DONE);
    for (unsigned i = 0; i < 8; i++) {
        /* (2 i + 1) + (2 (i + 8) + 1) = 4 i + 18 */
        static const uint16_t sums[] = {0x4190, 0x41b0, 0x41d0, 0x41f0, 0x4208, 0x4218, 0x4228, 0x4238};
        assert_int_equal(bench->state.dst.rows[16 + i][3], sums[i]);
        assert_int_equal(bench->state.dst.valid[16 + i], 1);
    }
    assert_int_equal(bench->state.dst.valid[24], 0);
    assert_int_equal(bench->state.dst.rows[24][0], 0x5555);
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[16][3], 0x4210); /* 36 */
}

static void mvmul_waits_for_both_banks(void **state)
{
    struct bench *bench = *state;
    bench->state.srcb.owner[0] = SRC_UNPACKERS;
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){0}), STEP_WAIT);
    bench->state.srcb.owner[0] = SRC_MATRIX_UNIT;
    bench->state.srca.owner[0] = SRC_UNPACKERS;
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){0}), STEP_WAIT);
}

static void mvmul_hands_over_banks_and_applies_the_address_mode(void **state)
{
    struct bench *bench = *state;
    SET_THREAD_CONFIG(bench, CLR_DVALID_SrcB_Disable, 1);
    SET_THREAD_CONFIG(bench, ADDR_MOD_AB_SEC5_SrcAIncr, 16);
    SET_THREAD_CONFIG(bench, ADDR_MOD_DST_SEC5_DestIncr, 8);
    SET_THREAD_CONFIG(bench, ADDR_MOD_DST_SEC5_FidelityIncr, 1);
    struct args_MVMUL args = {.clear_dvalid = 3, .addr_mode = 5};
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.srca.owner[0], SRC_UNPACKERS);
    assert_int_equal(bench->state.srca.matrix_bank, 1);
    assert_int_equal(bench->state.srcb.owner[0], SRC_MATRIX_UNIT);
    assert_int_equal(bench->state.srcb.matrix_bank, 1);
    assert_int_equal(bench->state.addr.rwc[THREAD].srca, 16);
    assert_int_equal(bench->state.addr.rwc[THREAD].dst, 8);
    assert_int_equal(bench->state.addr.rwc[THREAD].fidelity_phase, 1);
}

/* MVMUL.md: DstRow is the sum of the field, the math offset, the RWC and DEST_REGW_BASE, aligned to 8. */
static void mvmul_adds_up_its_row_of_dst(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, BF16_ONE);
    fill_src(&bench->state.srcb, BF16_ONE);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    SET_CONFIG(bench, DEST_REGW_BASE_Base, 64);
    SET_THREAD_CONFIG(bench, DEST_TARGET_REG_CFG_MATH_Offset, 128);
    bench->state.addr.rwc[THREAD].dst = 16;
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){.dst = 13}), STEP_DONE);
    assert_int_equal(dst32(bench, 216, 15), 0x41800000); /* 13 + 128 + 16 + 64 = 221, aligned 216 */
    assert_int_equal(dst32(bench, 223, 0), 0x41800000);
    assert_int_equal(bench->state.dst.valid[dst_row32(216)], 1);
    assert_int_equal(bench->state.dst.valid[dst_row32(224)], 0);
    assert_int_equal(bench->state.dst.valid[dst_row32(208)], 0);
}

/* MVMUL.md masks both counters with 0x38; silicon SrcA's with 0x30 (blackhole-py, test_arithmetic_slots.py). Rows
   outside of these 16 of SrcA and 8 of SrcB are 0 here. */
static void mvmul_aligns_its_rows_of_srca_and_srcb(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, 0);
    fill_src(&bench->state.srcb, 0);
    for (unsigned row = 0; row < 16; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            bench->state.srca.rows[0][16 + row][column] = BF16_ONE;
            bench->state.srcb.rows[0][40 + row % 8][column] = BF16_ONE;
        }
    }
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    bench->state.addr.rwc[THREAD].srca = 24 + 5;
    bench->state.addr.rwc[THREAD].srcb = 40 + 7;
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){0}), STEP_DONE);
    for (unsigned row = 0; row < 8; row++) {
        assert_int_equal(bench->state.dst.rows[row][row], 0x4180); /* 16 */
    }
}

/* MVMUL.md, BroadcastSrcBRow: one row goes to rows 0, 2, 4 and 6 of Dst; those between keep their values. */
static void mvmul_broadcasts_a_row_to_every_other_row(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, BF16_ONE);
    for (unsigned k = 0; k < 16; k++) {
        bench->state.srcb.rows[0][5][k] = BF16_ONE;
    }
    bench->state.addr.rwc[THREAD].srcb = 5;
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){.instr_mod19 = 1}), STEP_DONE);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(bench->state.dst.rows[i][7], i % 2 ? 0 : 0x4180);
    }
}

/* GAPOOL.md: as MVMUL, with four rows of SrcB and Dst. */
static void gapool_multiplies_four_rows(void **state)
{
    struct bench *bench = *state;
    fill_src(&bench->state.srca, BF16_ONE);
    fill_src(&bench->state.srcb, BF16_ONE);
    struct args_GAPOOL args = {.instr_mod19 = 1, .dst = 4};
    assert_int_equal(execute_GAPOOL(&bench->tensix, THREAD, args), STEP_DONE);
    assert_int_equal(bench->state.dst.rows[3][0], 0);
    assert_int_equal(bench->state.dst.rows[4][0], 0x4180);
    assert_int_equal(bench->state.dst.rows[7][0], 0x4180);
    assert_int_equal(bench->state.dst.rows[8][0], 0);
}

/* SrcASrcB.md: the four phases multiply different bits of FP16 mantissas; the last bit of SrcA is in none. */
static void fidelity_phases_of_fp16_add_up(void **state)
{
    struct bench *bench = *state;
    set_format(bench, FORMAT_FP16);
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    SET_THREAD_CONFIG(bench, FIDELITY_BASE_Phase, 3);
    for (unsigned i = 0; i < 8; i++) {
        bench->state.srca.rows[0][0][i] = 15u << 23 | 0x3ff << 13;
        bench->state.srcb.rows[0][i][0] = 15u << 23 | 0x3ff << 13;
    }
    for (unsigned phase = 0; phase < 4; phase++) {
        bench->state.addr.rwc[THREAD].fidelity_phase = phase;
        assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){0}), STEP_DONE);
    }
    /* (2 - 2^-9) * (2 - 2^-10) */
    assert_int_equal(dst32(bench, 0, 0), 0x407fa008);
}

/* As tests of cards that reset the configuration to 0, FP32, while the thread does not imply formats: 1 + 2^-9, twice
   sixteen times, in two phases. TF32 has ten mantissa bits, of which SrcA multiplies nine, BF16 seven. */
static void srca_configured_as_fp32_multiplies_all_its_bits(void **state)
{
    struct bench *bench = *state;
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, 1);
    SET_CONFIG(bench, ALU_FORMAT_SPEC_REG0_SrcA, FORMAT_FP32);
    SET_THREAD_CONFIG(bench, DISABLE_IMPLIED_SRCA_FMT_Base, 1);
    fill_src(&bench->state.srca, BF16_ONE | 1 << 14);
    fill_src(&bench->state.srcb, BF16_ONE);
    memset(bench->state.dst.valid, 0, sizeof bench->state.dst.valid);
    for (unsigned phase = 0; phase < 2; phase++) {
        bench->state.addr.rwc[THREAD].fidelity_phase = phase;
        assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){0}), STEP_DONE);
        assert_int_equal(execute_GAPOOL(&bench->tensix, THREAD, (struct args_GAPOOL){.instr_mod19 = 1}), STEP_DONE);
    }
    assert_int_equal(dst32(bench, 0, 0), 0x42004000); /* 32 + 2^-4 */
    SET_CONFIG(bench, ALU_FORMAT_SPEC_REG0_SrcA, FORMAT_BF16);
    bench->state.addr.rwc[THREAD].fidelity_phase = 1;
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){0}), STEP_DONE);
    assert_int_equal(dst32(bench, 0, 0), 0x42004000);
}

/* MVMUL.md, SrcAStyle INT8: integers multiply into 32 bits of sign and magnitude. */
static void integers_multiply_in_four_phases(void **state)
{
    struct bench *bench = *state;
    set_format(bench, FORMAT_INT8);
    SET_CONFIG(bench, ALU_ACC_CTRL_INT8_math_enabled, 1);
    fill_src(&bench->state.srca, 0x88000000 | 200u << 13);
    fill_src(&bench->state.srcb, 0x08000000 | 100u << 13);
    for (unsigned phase = 0; phase < 4; phase++) {
        bench->state.addr.rwc[THREAD].fidelity_phase = phase;
        assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){0}), STEP_DONE);
    }
    assert_int_equal(dst32(bench, 7, 15), 0x80000000 | 16 * 200 * 100);
}

/* Data with eight exponent bits in a format with five are most likely a mistake: they are masked, with a warning. */
static void data_of_another_style_are_reported(void **state)
{
    struct bench *bench = *state;
    set_format(bench, FORMAT_FP16);
    fill_src(&bench->state.srca, BF16_ONE);
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){0}), STEP_DONE);
    assert_int_equal(bench->diagnostics.count, 1);
    assert_int_equal(bench->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

/* Fields of which only the names are known: GS_LF and Bfp8_HF change the computation; the zero flag of Dst gives a
   warning. */
static void other_widths_of_operands_are_refused(void **state)
{
    struct bench *bench = *state;
    fill_with_known_product(bench);
    SET_CONFIG(bench, ALU_ACC_CTRL_Zero_Flag_disabled_dst, 1);
    assert_int_equal(execute_ELWADD(&bench->tensix, THREAD, (struct args_ELWADD){0}), STEP_DONE);
    assert_int_equal(bench->diagnostics.count, 1);
    assert_int_equal(bench->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    SET_CONFIG(bench, ALU_ROUNDING_MODE_Bfp8_HF, 1);
    assert_int_equal(execute_MVMUL(&bench->tensix, THREAD, (struct args_MVMUL){0}), STEP_STOP);
    assert_int_equal(bench->diagnostics.entries[1].category, BH_UNSUPPORTED);
    assert_non_null(strstr(bench->diagnostics.entries[1].text, "Bfp8_HF"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(mvmul_adds_the_product_to_rows_that_read_as_zero),
        BENCH_TEST(mvmul_waits_for_both_banks),
        BENCH_TEST(mvmul_hands_over_banks_and_applies_the_address_mode),
        BENCH_TEST(mvmul_adds_up_its_row_of_dst),
        BENCH_TEST(mvmul_aligns_its_rows_of_srca_and_srcb),
        BENCH_TEST(mvmul_broadcasts_a_row_to_every_other_row),
        BENCH_TEST(gapool_multiplies_four_rows),
        BENCH_TEST(fidelity_phases_of_fp16_add_up),
        BENCH_TEST(srca_configured_as_fp32_multiplies_all_its_bits),
        BENCH_TEST(integers_multiply_in_four_phases),
        BENCH_TEST(data_of_another_style_are_reported),
        BENCH_TEST(other_widths_of_operands_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
