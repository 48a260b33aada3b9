/* How a core runs: budgets, x0, its memories, waiting, self-modified code, jumps to itself and into nothing.
   What each instruction computes is in tests/rv32_vectors_test.c. */
#include "rv32/fixture.h"

static void a_run_retires_exactly_its_budget(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_addi(T0, T0, 1), word_j(0, -4));
    uint64_t total = 0;
    for (uint32_t budget = 1; budget < 50; budget++) {
        assert_int_equal(rv32_run(&fixture->rv32, budget), budget);
        total += budget;
        assert_int_equal(fixture->core.instret, total);
        assert_int_equal(fixture->core.x[T0], (total + 1) / 2);
        assert_int_equal(fixture->core.pc, total % 2 ? 0x104 : 0x100);
    }
    assert_int_equal(rv32_run(&fixture->rv32, 0), 0);
}

static void x0_stays_zero(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_addi(ZERO, ZERO, 5), word_u(RV32_OP_LUI, ZERO, 0x12345000), word_j(ZERO, 4),
            word_i(RV32_OP_LW, ZERO, ZERO, 0x100), word_i(RV32_OP_CSRRS, ZERO, ZERO, 0x301),
            word_r(RV32_OP_AMOADD_W, ZERO, ZERO, ZERO), word_addi(T0, ZERO, 7), word_self_jump());
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    assert_int_equal(fixture->core.x[0], 0);
    assert_int_equal(fixture->core.x[T0], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_retires_exactly_its_budget, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(x0_stays_zero, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
