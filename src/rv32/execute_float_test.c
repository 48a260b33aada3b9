/* The instructions of F and Zfh as a core executes them: registers, NaN-boxing, BF16 mode, flags, and diagnostics of
   rounding modes. float_test.c tests the arithmetic itself. */
#include "rv32/fixture.h"

#include <string.h>

enum { F0 = RV32_F0, F1, F2, F3 };
enum { ONE = 0x3f800000, ONE_AND_A_HALF = 0x3fc00000, TWO = 0x40000000, THIRD = 0x3eaaaaab };
enum { RNE, RTZ, DYN = 7 };

static uint32_t word_f(enum rv32_op op, unsigned rd, unsigned rs1, unsigned rs2, unsigned mode)
{
    return word_r(op, rd, rs1, rs2) | mode << 12;
}

static void execute(struct fixture *fixture, uint32_t word)
{
    PROGRAM(fixture, word);
    fixture->core.pc = 0x100;
    assert_int_equal(rv32_run(&fixture->rv32, 1), 1);
    assert_false(fixture->diagnostics.stopped);
}

static void warned(struct fixture *fixture, enum bh_category category, const char *text)
{
    assert_int_equal(fixture->diagnostics.count, 1);
    assert_int_equal(fixture->diagnostics.entries[0].category, category);
    assert_non_null(strstr(fixture->diagnostics.entries[0].text, text));
    fixture->diagnostics.count = 0;
    memset(fixture->diagnostics.warned, 0, sizeof fixture->diagnostics.warned);
}

static void loads_and_stores_move_bits(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.x[A0] = 0x200;
    fixture->core.x[A1] = MEM_LOCAL_BASE;
    l1_store32(&fixture->l1, 0x200, 0x7f812345);
    execute(fixture, word_i(RV32_OP_FLW, 0, A0, 0));
    assert_int_equal(fixture->core.x[F0], 0x7f812345);
    assert_int_equal(fixture->core.x[0], 0);
    execute(fixture, word_s(RV32_OP_FSW, 0, 8, A1));
    assert_memory_equal(fixture->local_ram + 8, "\x45\x23\x81\x7f", 4);
    execute(fixture, word_i(RV32_OP_FLH, 1, A1, 10));
    assert_int_equal(fixture->core.x[F1], 0xffff7f81);
    execute(fixture, word_s(RV32_OP_FSH, 1, 2, A0));
    assert_int_equal(l1_load32(&fixture->l1, 0x200), 0x7f812345);
    execute(fixture, word_s(RV32_OP_FSH, 1, 0, A0));
    assert_int_equal(l1_load32(&fixture->l1, 0x200), 0x7f817f81);
    fixture->loaded = 0x1234;
    fixture->core.x[A2] = 0xffb40000;
    execute(fixture, word_i(RV32_OP_FLH, 2, A2, 4));
    assert_int_equal(fixture->core.x[F2], 0xffff1234);
    execute(fixture, word_s(RV32_OP_FSW, 2, 4, A2));
    assert_int_equal(fixture->access[1].kind, 's');
    assert_int_equal(fixture->access[1].value, 0xffff1234);
}

static void arithmetic_takes_and_gives_registers(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.x[F0] = ONE;
    fixture->core.x[F1] = TWO;
    fixture->core.x[F2] = ONE_AND_A_HALF;
    execute(fixture, word_f(RV32_OP_FADD_S, 0, 0, 0, DYN)); /* f0 = 2 */
    assert_int_equal(fixture->core.x[F0], TWO);
    execute(fixture, word_f(RV32_OP_FSUB_S, 3, 0, 2, DYN)); /* 0.5 */
    assert_int_equal(fixture->core.x[F3], 0x3f000000);
    execute(fixture, word_f(RV32_OP_FMUL_S, 3, 1, 2, DYN)); /* 3 */
    assert_int_equal(fixture->core.x[F3], 0x40400000);
    execute(fixture, word_f(RV32_OP_FMADD_S, 3, 1, 2, DYN) | 1u << 27); /* 2 * 1.5 + 2 */
    assert_int_equal(fixture->core.x[F3], 0x40a00000);
    execute(fixture, word_f(RV32_OP_FMSUB_S, 3, 1, 2, DYN) | 1u << 27);
    assert_int_equal(fixture->core.x[F3], ONE);
    execute(fixture, word_f(RV32_OP_FNMSUB_S, 3, 1, 2, DYN) | 1u << 27);
    assert_int_equal(fixture->core.x[F3], ONE | 1u << 31);
    execute(fixture, word_f(RV32_OP_FNMADD_S, 3, 1, 2, DYN) | 1u << 27);
    assert_int_equal(fixture->core.x[F3], 0xc0a00000);
    execute(fixture, word_r(RV32_OP_FSGNJN_S, 3, 3, 3));
    assert_int_equal(fixture->core.x[F3], 0x40a00000);
    execute(fixture, word_r(RV32_OP_FLT_S, A0, 2, 1));
    assert_int_equal(fixture->core.x[A0], 1);
    execute(fixture, word_r(RV32_OP_FLE_S, ZERO, 2, 1));
    assert_int_equal(fixture->core.x[ZERO], 0);
    execute(fixture, word_f(RV32_OP_FCVT_W_S, A0, 3, 0, DYN));
    assert_int_equal(fixture->core.x[A0], 5);
    execute(fixture, word_f(RV32_OP_FCVT_S_W, 3, A0, 0, DYN));
    assert_int_equal(fixture->core.x[F3], 0x40a00000);
    execute(fixture, word_r(RV32_OP_FMV_X_W, A0, 3, 0));
    assert_int_equal(fixture->core.x[A0], 0x40a00000);
    execute(fixture, word_r(RV32_OP_FMV_W_X, 0, A0, 0));
    assert_int_equal(fixture->core.x[F0], 0x40a00000);
    execute(fixture, word_r(RV32_OP_FCLASS_S, A0, 0, 0));
    assert_int_equal(fixture->core.x[A0], 1 << 6);
    assert_int_equal(fixture->core.csr[RV32_CSR_fcsr], 0);
    assert_int_equal(fixture->diagnostics.count, 0);
}

/* CSRs.md: "Hardware ignores rounding mode bits." */
static void the_rounding_mode_is_ignored_and_told_where_it_matters(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.x[F0] = 0x40200000; /* 2.5 */
    fixture->core.x[F1] = 0x40e00000; /* 7 */
    execute(fixture, word_f(RV32_OP_FCVT_W_S, A0, 1, 0, RTZ));
    assert_int_equal(fixture->core.x[A0], 7);
    assert_int_equal(fixture->diagnostics.count, 0);
    fixture->core.x[F1] = 0x40f00000; /* 7.5 */
    execute(fixture, word_f(RV32_OP_FCVT_W_S, A0, 1, 0, RTZ));
    assert_int_equal(fixture->core.x[A0], 8);
    assert_int_equal(fixture->core.csr[RV32_CSR_fcsr], 1);
    warned(fixture, BH_NON_CONTRACTUAL, "towards zero) is ignored");
    execute(fixture, word_f(RV32_OP_FCVT_W_S, A0, 0, 0, DYN));
    assert_int_equal(fixture->core.x[A0], 2);
    assert_int_equal(fixture->diagnostics.count, 0);
    fixture->core.csr[RV32_CSR_fcsr] = 3 << 5;
    execute(fixture, word_f(RV32_OP_FCVT_W_S, A0, 0, 0, DYN));
    assert_int_equal(fixture->core.x[A0], 2);
    warned(fixture, BH_NON_CONTRACTUAL, "(up) is ignored");
}

static void halves_are_boxed(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.x[A0] = 0x12343c00; /* 1 */
    execute(fixture, word_r(RV32_OP_FMV_H_X, 0, A0, 0));
    assert_int_equal(fixture->core.x[F0], 0xffff3c00);
    execute(fixture, word_f(RV32_OP_FADD_H, 1, 0, 0, DYN));
    assert_int_equal(fixture->core.x[F1], 0xffff4000);
    execute(fixture, word_f(RV32_OP_FCVT_S_H, 2, 1, 0, DYN));
    assert_int_equal(fixture->core.x[F2], TWO);
    execute(fixture, word_f(RV32_OP_FCVT_H_S, 3, 2, 0, DYN));
    assert_int_equal(fixture->core.x[F3], 0xffff4000);
    fixture->core.x[F3] = 0xffffc000;
    execute(fixture, word_r(RV32_OP_FMV_X_H, A0, 3, 0));
    assert_int_equal(fixture->core.x[A0], 0xffffc000);
    assert_int_equal(fixture->diagnostics.count, 0);
    execute(fixture, word_f(RV32_OP_FMUL_H, 3, 2, 1, DYN)); /* f2 holds a single */
    assert_int_equal(fixture->core.x[F3], 0xffff7e00);
    warned(fixture, BH_UNPREDICTABLE_VALUE, "no half precision");
}

/* CSRs.md, cfg0: EnBFloat, EnBFloatRTNE. */
static void cfg0_switches_halves_to_bf16(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.x[F0] = 0xffff3f80;
    fixture->core.x[F1] = 0xffff3bff; /* a little less than half a unit in the last place of 1 */
    fixture->core.x[F2] = 0x3f80ffff;
    fixture->core.csr[RV32_CSR_cfg0] |= 1u << 30;
    execute(fixture, word_f(RV32_OP_FCVT_H_S, 3, 2, 0, RTZ));
    assert_int_equal(fixture->core.x[F3], 0xffff3f80);
    execute(fixture, word_f(RV32_OP_FADD_H, 3, 0, 1, RTZ));
    assert_int_equal(fixture->core.x[F3], 0xffff3f80);
    execute(fixture, word_f(RV32_OP_FCVT_S_H, 3, 1, 0, RTZ));
    assert_int_equal(fixture->core.x[F3], 0x3bff0000);
    fixture->core.csr[RV32_CSR_cfg0] |= 1u << 31;
    fixture->core.x[F1] = 0xffff3b81; /* a little more than half */
    execute(fixture, word_f(RV32_OP_FCVT_H_S, 3, 2, 0, RNE));
    assert_int_equal(fixture->core.x[F3], 0xffff3f81);
    execute(fixture, word_f(RV32_OP_FADD_H, 3, 0, 1, RNE));
    assert_int_equal(fixture->core.x[F3], 0xffff3f81);
    assert_int_equal(fixture->diagnostics.count, 0);
}

static void flags_accumulate_in_fcsr(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.x[F0] = 0x7f7fffff;
    fixture->core.x[F1] = 0x7f800001; /* signaling NaN */
    execute(fixture, word_f(RV32_OP_FADD_S, 2, 0, 0, DYN));
    assert_int_equal(fixture->core.x[F2], 0x7f800000);
    assert_int_equal(fixture->core.csr[RV32_CSR_fcsr], 5);
    execute(fixture, word_r(RV32_OP_FMIN_S, 2, 0, 1));
    assert_int_equal(fixture->core.x[F2], 0x7f7fffff);
    assert_int_equal(fixture->core.csr[RV32_CSR_fcsr], 0x15);
    execute(fixture, word_i(RV32_OP_CSRRW, A0, ZERO, 3));
    assert_int_equal(fixture->core.x[A0], 0x15);
    assert_int_equal(fixture->core.csr[RV32_CSR_fcsr], 0);
}

/* InstructionSet.md: between separate and fused. */
static void a_multiply_add_of_halves_is_certain_where_fusing_makes_no_difference(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.x[F0] = 0xffff3c01; /* 1 + 2^-10 */
    fixture->core.x[F1] = 0xffffbc02; /* -(1 + 2^-9) */
    execute(fixture, word_f(RV32_OP_FMADD_H, 2, 0, 0, DYN) | 0u << 27);
    assert_int_equal(fixture->diagnostics.count, 0);
    execute(fixture, word_f(RV32_OP_FMADD_H, 2, 0, 0, DYN) | 1u << 27);
    assert_int_equal(fixture->core.x[F2], 0xffff0000); /* 2^-20 is flushed; not fused, 0 */
    assert_int_equal(fixture->diagnostics.count, 0);
    fixture->core.x[F0] = 0xffff5401; /* 64 times as much, and the square 4096 times */
    fixture->core.x[F1] = 0xffffec02;
    execute(fixture, word_f(RV32_OP_FMADD_H, 2, 0, 0, DYN) | 1u << 27);
    assert_int_equal(fixture->core.x[F2], 0xffff1c00); /* 2^-8; not fused, 0 */
    warned(fixture, BH_UNPREDICTABLE_VALUE, "between that of one rounding");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(loads_and_stores_move_bits),
        TEST(arithmetic_takes_and_gives_registers),
        TEST(the_rounding_mode_is_ignored_and_told_where_it_matters),
        TEST(halves_are_boxed),
        TEST(cfg0_switches_halves_to_bf16),
        TEST(flags_accumulate_in_fcsr),
        TEST(a_multiply_add_of_halves_is_certain_where_fusing_makes_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
