/* The instruction cache, as far as programs can observe it. Source: ISA documentation (Wormhole)
   BabyRISCV/InstructionCache.md. */
#include "rv32/debug.h"
#include "rv32/fixture.h"

static int setup(void **state)
{
    int result = fixture_setup(state);
    ((struct fixture *)*state)->rv32.flushable = true;
    return result;
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)

/* Calls a subroutine at 0x400 twice; in between the host may rewrite it. */
static void call_once(struct fixture *fixture, uint32_t subroutine)
{
    PROGRAM(fixture, word_j(RA, 0x300), word_self_jump());
    l1_store32(&fixture->l1, 0x400, subroutine);
    l1_store32(&fixture->l1, 0x404, word_i(RV32_OP_JALR, ZERO, RA, 0));
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->core.pc, 0x104);
    fixture->core.pc = 0x100;
    fixture->core.halt = RV32_RUNNING;
}

static void call_again(struct fixture *fixture)
{
    rv32_run(&fixture->rv32, 100);
}

static void a_jump_to_itself_stays_though_it_is_rewritten(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_addi(A0, A0, 1), word_self_jump());
    rv32_run(&fixture->rv32, 100);
    assert_false(rv32_in_stale_self_jump(&fixture->rv32));
    l1_store32(&fixture->l1, 0x104, word_j(ZERO, -4));
    assert_true(rv32_in_stale_self_jump(&fixture->rv32));
    assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);

    rv32_flush_cache(&fixture->rv32);
    assert_false(rv32_in_stale_self_jump(&fixture->rv32));
    assert_int_equal(rv32_run(&fixture->rv32, 2), 2);
    assert_int_equal(fixture->core.halt, RV32_RUNNING);
    assert_int_equal(fixture->core.x[A0], 2);
    assert_int_equal(fixture->diagnostics.count, 0);
}

static void a_taken_branch_to_itself_stays_though_it_is_rewritten(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_b(RV32_OP_BEQ, ZERO, ZERO, 0), word_self_jump());
    rv32_run(&fixture->rv32, 100);
    l1_store32(&fixture->l1, 0x100, word_addi(A0, A0, 1));
    assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
    rv32_flush_cache(&fixture->rv32);
    assert_int_equal(rv32_run(&fixture->rv32, 100), 1);
    assert_int_equal(fixture->core.pc, 0x104);
}

static void a_flush_leaves_a_jump_to_itself_that_is_still_one(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_self_jump());
    rv32_run(&fixture->rv32, 100);
    rv32_flush_cache(&fixture->rv32);
    assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
}

/* DebugInterface.md: to resume meaningfully, software has to change the instruction and then flush the cache. */
static void a_debugger_resumes_the_jump_to_itself_that_is_cached(void **state)
{
    enum { COMMAND = 1, PAUSE = 1 << 0, STEP = 1 << 1, CONTINUE = 1 << 2 };
    const uint32_t slow = 1u << 31;
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_self_jump(), word_addi(A0, A0, 1), word_self_jump());
    rv32_run(&fixture->rv32, 100);
    rv32_debug_write(&fixture->rv32, COMMAND, slow | PAUSE);
    assert_int_equal(fixture->core.halt, RV32_PAUSED);
    l1_store32(&fixture->l1, 0x100, word_addi(A0, A0, 2));
    for (unsigned steps = 0; steps < 4; steps++) {
        rv32_debug_write(&fixture->rv32, COMMAND, slow | STEP);
        assert_int_equal(fixture->core.halt, RV32_PAUSED);
        assert_int_equal(fixture->core.pc, 0x100);
    }
    rv32_debug_write(&fixture->rv32, COMMAND, slow | CONTINUE);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);

    rv32_debug_write(&fixture->rv32, COMMAND, slow | PAUSE);
    rv32_flush_cache(&fixture->rv32);
    assert_int_equal(fixture->core.halt, RV32_PAUSED);
    rv32_debug_write(&fixture->rv32, COMMAND, slow | CONTINUE);
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->core.x[A0], 3);
    assert_int_equal(fixture->core.pc, 0x108);
}

static void code_that_was_rewritten_since_it_was_fetched_is_told_of_once(void **state)
{
    struct fixture *fixture = *state;
    call_once(fixture, word_addi(A0, A0, 1));
    l1_store32(&fixture->l1, 0x400, word_addi(A0, A0, 8));
    l1_store32(&fixture->l1, 0x404, word_j(ZERO, -0x300));
    call_again(fixture);
    assert_int_equal(fixture->core.x[A0], 9);
    assert_int_equal(fixture->diagnostics.count, 1);
    const struct bh_diagnostic *entry = &fixture->diagnostics.entries[0];
    assert_int_equal(entry->category, BH_NON_CONTRACTUAL);
    assert_int_equal(entry->pc, 0x400);
    assert_int_equal(entry->instruction, word_addi(A0, A0, 8));
    assert_non_null(strstr(entry->text, "RISCV_IC_INVALIDATE_InvalidateAll"));
}

static void stale_code_stops_under_the_strict_policy(void **state)
{
    struct fixture *fixture = *state;
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_STRICT);
    call_once(fixture, word_addi(A0, A0, 1));
    l1_store32(&fixture->l1, 0x400, word_addi(A0, A0, 8));
    assert_int_equal(stopped_by(fixture, BH_NON_CONTRACTUAL)->pc, 0x400);
    assert_int_equal(fixture->core.x[A0], 1);
}

static void a_flush_between_writing_and_executing_is_enough(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 3; i++) {
        call_once(fixture, word_addi(A0, A0, 1 << i));
        call_again(fixture);
        rv32_reset(&fixture->core, 0x100);
        l1_store32(&fixture->l1, 0x400, word_addi(A0, A0, 2 << i));
        rv32_flush_cache(&fixture->rv32);
    }
    call_again(fixture);
    assert_int_equal(fixture->core.x[A0], 8);
    assert_int_equal(fixture->diagnostics.count, 0);
}

static void a_flush_before_writing_is_enough_if_nothing_is_fetched_in_between(void **state)
{
    struct fixture *fixture = *state;
    call_once(fixture, word_addi(A0, A0, 1));
    rv32_flush_cache(&fixture->rv32);
    l1_store32(&fixture->l1, 0x400, word_addi(A0, A0, 8));
    call_again(fixture);
    assert_int_equal(fixture->core.x[A0], 9);
    assert_int_equal(fixture->diagnostics.count, 0);
}

static void the_same_code_written_again_is_not_stale(void **state)
{
    struct fixture *fixture = *state;
    call_once(fixture, word_addi(A0, A0, 1));
    l1_store32(&fixture->l1, 0x400, 0);
    l1_store32(&fixture->l1, 0x400, word_addi(A0, A0, 1));
    call_again(fixture);
    assert_int_equal(fixture->core.x[A0], 2);
    assert_int_equal(fixture->diagnostics.count, 0);
}

static void code_that_another_core_had_fetched_is_not_stale(void **state)
{
    struct fixture *fixture = *state;
    call_once(fixture, word_addi(A0, A0, 1));
    l1_store32(&fixture->l1, 0x400, word_addi(A0, A0, 8));
    fixture->core.id = BH_CORE_T1;
    call_again(fixture);
    assert_int_equal(fixture->core.x[A0], 9);
    assert_int_equal(fixture->diagnostics.count, 0);
}

/* Cores of Ethernet tiles have no flush register: they flush their cache by executing enough other code. */
static void a_core_whose_cache_can_not_be_flushed_is_not_told(void **state)
{
    struct fixture *fixture = *state;
    fixture->rv32.flushable = false;
    call_once(fixture, word_addi(A0, A0, 1));
    l1_store32(&fixture->l1, 0x400, word_addi(A0, A0, 8));
    call_again(fixture);
    assert_int_equal(fixture->core.x[A0], 9);
    assert_int_equal(fixture->diagnostics.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_jump_to_itself_stays_though_it_is_rewritten),
        TEST(a_taken_branch_to_itself_stays_though_it_is_rewritten),
        TEST(a_flush_leaves_a_jump_to_itself_that_is_still_one),
        TEST(a_debugger_resumes_the_jump_to_itself_that_is_cached),
        TEST(code_that_was_rewritten_since_it_was_fetched_is_told_of_once),
        TEST(stale_code_stops_under_the_strict_policy),
        TEST(a_flush_between_writing_and_executing_is_enough),
        TEST(a_flush_before_writing_is_enough_if_nothing_is_fetched_in_between),
        TEST(the_same_code_written_again_is_not_stale),
        TEST(code_that_another_core_had_fetched_is_not_stale),
        TEST(a_core_whose_cache_can_not_be_flushed_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
