/* The frontend from the FIFO to the wait gate. Sources: chapter "stallwait conditions"; ISA documentation REPLAY.md,
   PushTensixInstruction.md, AutoTTSync.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/tensix_isa.h"
#include "tensix/tensix.h"

#define NOP 0x02000000u
#define SEMINIT(max, value, mask) (0xa3000000u | (max) << 20 | (value) << 16 | (mask) << 2)
#define SEMPOST(mask) (0xa4000000u | (mask) << 2)
#define SEMGET(mask) (0xa5000000u | (mask) << 2)
#define SEMWAIT(block, mask, condition) (0xa6000000u | (uint32_t)(block) << 15 | (mask) << 2 | (condition))
#define STALLWAIT(block, condition) (0xa2000000u | (uint32_t)(block) << 15 | (condition))
#define SETDMAREG(half, value) (0x45000000u | (uint32_t)(value) << 8 | (half))
#define SETC16(reg, value) (0xb2000000u | (uint32_t)(reg) << 16 | (value))
#define REPLAY(start, count, exec, load) (0x04000000u | (start) << 14 | (count) << 4 | (exec) << 1 | (load))
/* Clears the bank and hands it over; waits for the matrix unit's bank of SrcB. */
#define UNPACR_NOP_SET_SRCA 0x43000101u
#define UNPACR_NOP_SET_SRCB 0x43800101u
#define SETDVALID_SRCA 0x57000001u /* does not wait */
#define MOVA2D_8_ROWS 0x12002000u
#define SETRWC_RELEASE_SRCB 0x37800000u
#define SETRWC_RELEASE_BOTH 0x37c00000u
#define MOP(template_, count, mask) (0x01000000u | (uint32_t)(template_) << 23 | (count) << 16 | (mask))

enum { ZERO = 1, MAX = 2, BLOCK_SYNC = 1 << 1, BLOCK_THCON = 1 << 5, BLOCK_MATH = 1 << 6, BLOCK_CFG = 1 << 7 };

static struct tensix_state state;
static struct diagnostics diagnostics;
static struct tensix tensix = {.state = &state, .diagnostics = &diagnostics};

static int setup(void **unused)
{
    tensix_reset(&state);
    memset(&diagnostics, 0, sizeof diagnostics);
    diagnostics_set_policy(&diagnostics, BH_POLICY_DEFAULT);
    return 0;
}

static void push(unsigned thread, uint32_t word)
{
    assert_int_equal(frontend_push(&tensix, thread, word, 0x100, false), STEP_DONE);
}

static uint32_t gpr(unsigned thread, unsigned index)
{
    return state.scalar.gpr[thread][index];
}

static void a_blocked_instruction_holds_itself_and_all_behind_it(void **unused)
{
    push(0, SEMINIT(2, 0, 1));
    push(0, SEMWAIT(BLOCK_THCON, 1, ZERO));
    push(0, SETC16(1, 7)); /* not of the blocked class: passes */
    push(0, SETDMAREG(0, 0x1234));
    push(0, SETC16(1, 9)); /* not blocked, but behind a blocked one */
    tensix_drain(&tensix);
    assert_int_equal(state.config.thread[0][1], 7);
    assert_int_equal(gpr(0, 0), 0);
    push(1, SEMPOST(1));
    tensix_drain(&tensix);
    assert_int_equal(gpr(0, 0), 0x1234);
    assert_int_equal(state.config.thread[0][1], 9);
    assert_true(tensix_idle(&state));
}

static void other_threads_do_not_wait(void **unused)
{
    push(0, SEMWAIT(0x1ff, 1, ZERO));
    push(0, SETDMAREG(0, 1));
    push(2, SETDMAREG(0, 2));
    tensix_drain(&tensix);
    assert_int_equal(gpr(0, 0), 0);
    assert_int_equal(gpr(2, 0), 2);
}

static void waits_for_the_maximum_until_somebody_gets(void **unused)
{
    push(0, SEMINIT(2, 2, 1));
    push(0, SEMWAIT(BLOCK_SYNC, 1, MAX));
    push(0, SEMPOST(1));
    tensix_drain(&tensix);
    assert_int_equal(state.sync.semaphore[0].value, 2);
    push(1, SEMGET(1));
    tensix_drain(&tensix);
    assert_int_equal(state.sync.semaphore[0].value, 2);
    assert_true(tensix_idle(&state));
}

/* "block mask 0 is 1 << 6", "condition mask 0 is 0x0F" */
static void zero_masks_have_defaults(void **unused)
{
    for (uint32_t bank = 0; bank < SRC_BANKS; bank++) { /* C5 to C8 hold, which 0x0F has not */
        state.srca.owner[bank] = state.srcb.owner[bank] = bank ? SRC_UNPACKERS : SRC_MATRIX_UNIT;
    }
    state.srca.matrix_bank = state.srcb.matrix_bank = 1;
    push(0, STALLWAIT(0x1ff, 0));
    push(0, SETC16(1, 5));
    tensix_drain(&tensix);
    assert_int_equal(state.config.thread[0][1], 5);
    push(0, STALLWAIT(0, 1 << 5));
    push(0, SETC16(1, 6));
    tensix_drain(&tensix);
    assert_int_equal(state.config.thread[0][1], 6);
    assert_true(state.frontend[0].wait.latched);
    assert_int_equal(state.frontend[0].wait.block, BLOCK_MATH);
}

static void a_wait_whose_condition_is_met_is_forgotten_at_once(void **unused)
{
    push(0, SEMINIT(2, 1, 1));
    push(0, SEMWAIT(0x1ff, 1, ZERO));
    tensix_drain(&tensix);
    assert_false(state.frontend[0].wait.latched);
    push(1, SEMGET(1));
    tensix_drain(&tensix);
    push(0, SETC16(1, 5));
    tensix_drain(&tensix);
    assert_int_equal(state.config.thread[0][1], 5);
}

static void only_all_block_bits_hold_a_nop(void **unused)
{
    push(0, SEMWAIT(0x0ff, 1, ZERO));
    push(0, NOP);
    tensix_drain(&tensix);
    assert_true(frontend_idle(&state.frontend[0]));
    setup(NULL);
    push(0, SEMWAIT(0x1ff, 1, ZERO));
    push(0, NOP);
    tensix_drain(&tensix);
    assert_false(frontend_idle(&state.frontend[0]));
}

/* "a new wait instruction never replaces a latched wait instruction" */
static void a_wait_behind_a_latched_wait_waits_its_turn(void **unused)
{
    push(0, SEMWAIT(BLOCK_THCON, 1, ZERO));
    push(0, SEMWAIT(BLOCK_CFG, 2, ZERO));
    push(0, SETC16(1, 5));
    tensix_drain(&tensix);
    assert_int_equal(state.frontend[0].wait.semaphores, 1);
    push(1, SEMPOST(1));
    tensix_drain(&tensix);
    assert_int_equal(state.frontend[0].wait.semaphores, 2);
    assert_int_equal(state.config.thread[0][1], 0);
    push(1, SEMPOST(2));
    tensix_drain(&tensix);
    assert_int_equal(state.config.thread[0][1], 5);
}

static void stallwait_follows_the_ownership_of_src_banks(void **unused)
{
    static const struct {
        uint32_t condition;
        enum src_client a, b;
        bool holds;
    } cases[] = {
        {1 << 5, SRC_UNPACKERS, SRC_UNPACKERS, false},   {1 << 5, SRC_MATRIX_UNIT, SRC_UNPACKERS, true},
        {1 << 6, SRC_MATRIX_UNIT, SRC_UNPACKERS, false}, {1 << 6, SRC_UNPACKERS, SRC_MATRIX_UNIT, true},
        {1 << 7, SRC_UNPACKERS, SRC_MATRIX_UNIT, true},  {1 << 7, SRC_MATRIX_UNIT, SRC_UNPACKERS, false},
        {1 << 8, SRC_MATRIX_UNIT, SRC_UNPACKERS, true},  {1 << 8, SRC_UNPACKERS, SRC_MATRIX_UNIT, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setup(NULL);
        state.srca.owner[0] = (uint8_t)cases[i].a;
        state.srcb.owner[0] = (uint8_t)cases[i].b;
        push(0, STALLWAIT(BLOCK_CFG, cases[i].condition));
        push(0, SETC16(1, 5));
        tensix_drain(&tensix);
        assert_int_equal(state.config.thread[0][1], cases[i].holds ? 0 : 5);
    }
}

static void semwait_without_a_condition_is_undefined(void **unused)
{
    push(0, SEMWAIT(BLOCK_CFG, 1, 0));
    tensix_drain(&tensix);
    assert_true(diagnostics.stopped);
    assert_int_equal(diagnostics.entries[0].category, BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(diagnostics.entries[0].agent, BH_AGENT_THREAD);
    assert_int_equal(diagnostics.entries[0].pc, 0x100);
}

static void replay_loads_and_executes(void **unused)
{
    push(0, REPLAY(30u, 4u, 0u, 1u));
    for (uint32_t i = 0; i < 4; i++) {
        push(0, SETDMAREG(i * 2, i + 1));
    }
    tensix_drain(&tensix);
    assert_int_equal(gpr(0, 0), 0);   /* loading does not execute */
    push(0, REPLAY(31u, 2u, 0u, 0u)); /* the buffer wraps around */
    tensix_drain(&tensix);
    assert_int_equal(gpr(0, 0), 0);
    assert_int_equal(gpr(0, 1), 2);
    assert_int_equal(gpr(0, 2), 3);
    assert_int_equal(gpr(0, 3), 0);
}

/* Diagnostics name the wait, and where its REPLAY was pushed. */
static void a_replayed_wait_is_remembered_as_itself(void **unused)
{
    push(0, REPLAY(0u, 1u, 0u, 1u));
    push(0, SEMWAIT(BLOCK_THCON, 1, ZERO));
    push(0, SETDMAREG(0, 1));
    assert_int_equal(frontend_push(&tensix, 0, REPLAY(0u, 1u, 0u, 0u), 0x200, false), STEP_DONE);
    tensix_drain(&tensix);
    assert_true(state.frontend[0].wait.latched);
    assert_int_equal(state.frontend[0].wait.word, SEMWAIT(BLOCK_THCON, 1, ZERO));
    assert_int_equal(state.frontend[0].wait.pc, 0x200);
}

static void replay_executes_while_loading(void **unused)
{
    push(0, REPLAY(0u, 1u, 1u, 1u));
    push(0, SETDMAREG(0, 5));
    tensix_drain(&tensix);
    assert_int_equal(gpr(0, 0), 5);
}

static void replay_of_none_is_of_all_32(void **unused)
{
    push(0, REPLAY(0u, 0u, 0u, 1u));
    for (uint32_t i = 0; i < 32; i++) {
        push(0, NOP);
    }
    push(0, SETDMAREG(0, 5));
    tensix_drain(&tensix);
    assert_int_equal(gpr(0, 0), 5);
    uint64_t before = state.frontend[0].passed;
    push(0, REPLAY(0u, 0u, 0u, 0u));
    tensix_drain(&tensix);
    assert_int_equal(state.frontend[0].passed - before, 32);
}

static void replay_past_its_buffer_is_undefined(void **unused)
{
    push(0, REPLAY(0u, 33u, 0u, 1u));
    tensix_drain(&tensix);
    assert_true(diagnostics.stopped);
}

static void a_mop_can_expand_to_replays(void **unused)
{
    push(0, REPLAY(0u, 2u, 0u, 1u));
    push(0, SEMPOST(1));
    push(0, SEMPOST(2));
    tensix_drain(&tensix);
    uint32_t config[MOP_CONFIG_WORDS] = {
        2, 3, NOP, NOP, NOP, REPLAY(0u, 2u, 0u, 0u), NOP, REPLAY(0u, 2u, 0u, 0u), REPLAY(0u, 1u, 0u, 0u)};
    for (unsigned i = 0; i < MOP_CONFIG_WORDS; i++) {
        assert_int_equal(frontend_write_mop_config(&tensix, 0, i, config[i]), STEP_DONE);
    }
    push(0, MOP(1, 0u, 0u));
    tensix_drain(&tensix);
    assert_int_equal(state.sync.semaphore[0].value, 6);
    assert_int_equal(state.sync.semaphore[1].value, 5);
    assert_true(frontend_mop_idle(&state.frontend[0]));
}

/* "The very first FIFO has a capacity of 32 instructions"; a push into a full one waits, and nothing is lost. */
static void a_full_fifo_holds_the_pushing_core(void **unused)
{
    push(0, SEMWAIT(0x1ff, 1, ZERO));
    unsigned pushed = 0;
    for (; pushed < 100; pushed++) {
        if (frontend_push(&tensix, 0, SETDMAREG(pushed % 64 * 2, pushed + 1), 0, false) == STEP_WAIT) {
            break;
        }
    }
    assert_in_range(pushed, FIFO_CAPACITY, FIFO_CAPACITY + 1);
    assert_int_equal(frontend_push(&tensix, 0, NOP, 0, false), STEP_WAIT);
    push(1, SEMPOST(1));
    tensix_drain(&tensix);
    for (unsigned i = 0; i < pushed; i++) {
        assert_int_equal(gpr(0, i), i + 1);
    }
}

static void core_b_enters_behind_the_mop_expander(void **unused)
{
    assert_int_equal(frontend_push(&tensix, 2, SETDMAREG(0, 3), 0, true), STEP_DONE);
    tensix_drain(&tensix);
    assert_int_equal(gpr(2, 0), 3);
    assert_int_equal(frontend_push(&tensix, 2, MOP(1, 0u, 0u), 0x40, true), STEP_DONE);
    tensix_drain(&tensix);
    assert_true(diagnostics.stopped);
    assert_non_null(strstr(diagnostics.entries[0].text, "MOP reached the wait gate"));
}

static void accesses_of_a_core_keep_program_order(void **unused)
{
    push(0, SETDMAREG(0, 3));
    assert_int_equal(frontend_synchronize(&tensix, 0, TRACK_GPR_READ), STEP_DONE);
    assert_int_equal(gpr(0, 0), 3);
}

static void tracked_accesses_wait_for_what_conflicts(void **unused)
{
    enum { TRACK_CONFIG = 1, TRACK_GPRS = 4, TRACK_INSTRUCTIONS = 16, TRISC_SYNC = 56 };
    push(0, SETC16(TRISC_SYNC, TRACK_GPRS | TRACK_CONFIG | TRACK_INSTRUCTIONS));
    push(0, SEMWAIT(BLOCK_THCON, 1, ZERO));
    push(0, SETDMAREG(0, 3));
    assert_int_equal(frontend_synchronize(&tensix, 0, TRACK_GPR_WRITE), STEP_WAIT);
    assert_int_equal(frontend_synchronize(&tensix, 0, TRACK_CONFIG_WRITE), STEP_DONE);
    push(1, SEMPOST(1));
    tensix_drain(&tensix);
    assert_int_equal(frontend_synchronize(&tensix, 0, TRACK_GPR_WRITE), STEP_DONE);
}

static void untracked_accesses_do_not_wait(void **unused)
{
    push(0, SEMWAIT(BLOCK_THCON, 1, ZERO));
    push(0, SETDMAREG(0, 3));
    assert_int_equal(frontend_synchronize(&tensix, 0, TRACK_GPR_WRITE), STEP_DONE);
}

static void changing_a_mop_under_way_is_a_hazard(void **unused)
{
    push(0, SEMWAIT(0x1ff, 1, ZERO));
    push(0, NOP);
    push(0, MOP(0, 0u, 0u));
    assert_int_equal(frontend_write_mop_config(&tensix, 0, 0, 1), STEP_STOP);
    assert_int_equal(diagnostics.entries[0].category, BH_HAZARD);
}

/* The unpacker's instruction waits for the bank that the first SETRWC gives back, and hands over the other bank, which
   the second SETRWC gives back; neither SETRWC waits. */
static void what_waits_for_a_bank_goes_on_before_the_thread_that_gave_it_back(void **unused)
{
    state.srcb.owner[0] = SRC_MATRIX_UNIT;
    state.srcb.unpacker_bank = 1;
    push(0, UNPACR_NOP_SET_SRCB);
    push(1, SETRWC_RELEASE_SRCB);
    push(1, SETRWC_RELEASE_SRCB);
    tensix_drain(&tensix);
    assert_int_equal(state.srcb.unpacker_bank, 0);
    assert_int_equal(state.srcb.matrix_bank, 0);
    assert_int_equal(state.srcb.owner[0], SRC_UNPACKERS);
    assert_int_equal(state.srcb.owner[1], SRC_UNPACKERS);
}

/* The matrix unit waits for SrcA, and gives back SrcB as well: the unpackers hand it over right behind. They may pass
   one instruction of these cycles, or have got no other one yet. */
static void what_follows_is_not_behind(uint32_t hands_over_srca)
{
    for (unsigned pushed = 1; pushed <= 2; pushed++) {
        setup(NULL);
        push(0, hands_over_srca);
        if (pushed == 2) {
            push(0, UNPACR_NOP_SET_SRCB);
        }
        push(1, NOP);
        frontend_drain(&tensix, 1);
        push(1, MOVA2D_8_ROWS);
        push(1, SETRWC_RELEASE_BOTH);
        state.frontend[0].passed_limit = pushed == 2 ? 1 : 32;
        state.frontend[1].passed_limit = state.frontend[1].passed + 32;
        frontend_drain(&tensix, 0);
        frontend_drain(&tensix, 1);
        assert_int_equal(state.srca.matrix_bank, 0);
        if (pushed == 1) {
            push(0, UNPACR_NOP_SET_SRCB);
        }
        state.frontend[0].passed_limit = state.frontend[0].passed + 32;
        frontend_drain(&tensix, 0);
        state.frontend[1].passed_limit = state.frontend[1].passed + 32;
        frontend_drain(&tensix, 1);
        assert_int_equal(state.srca.matrix_bank, 1);
        assert_int_equal(state.srcb.unpacker_bank, 1);
        assert_int_equal(state.srcb.matrix_bank, 1);
        assert_int_equal(state.srcb.owner[0], SRC_UNPACKERS);
        assert_int_equal(state.srcb.owner[1], SRC_UNPACKERS);
        assert_false(diagnostics.stopped);
    }
}

static void what_a_bank_is_handed_over_to_is_not_ahead_of_what_follows(void **unused)
{
    what_follows_is_not_behind(UNPACR_NOP_SET_SRCA);
    what_follows_is_not_behind(SETDVALID_SRCA);
}

/* The same where the unpackers wait for a bank of SrcA, which the matrix unit gives back with SrcB in the middle of its
   turn: for what it does next they have handed both over. */
static void what_waits_for_a_bank_hands_over_the_other_one_as_soon(void **unused)
{
    enum { PAIRS = 3 };
    for (unsigned limit = 0; limit <= 32; limit += 32) {
        setup(NULL);
        for (unsigned i = 0; i < PAIRS; i++) {
            push(0, UNPACR_NOP_SET_SRCA);
            push(0, UNPACR_NOP_SET_SRCB);
            push(1, MOVA2D_8_ROWS);
            push(1, SETRWC_RELEASE_BOTH);
        }
        state.frontend[0].passed_limit = state.frontend[1].passed_limit = limit;
        frontend_drain(&tensix, 0);
        assert_int_equal(state.frontend[0].passed, 2);
        frontend_drain(&tensix, 1);
        state.frontend[1].passed_limit = 2 * limit; /* of the next slice */
        frontend_drain(&tensix, 1);
        assert_int_equal(state.frontend[1].passed, 2 * PAIRS);
        assert_int_equal(state.srcb.unpacker_bank, PAIRS % 2);
        assert_int_equal(state.srcb.matrix_bank, PAIRS % 2);
        assert_int_equal(state.srcb.owner[0], SRC_UNPACKERS);
        assert_int_equal(state.srcb.owner[1], SRC_UNPACKERS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_blocked_instruction_holds_itself_and_all_behind_it, setup),
        cmocka_unit_test_setup(other_threads_do_not_wait, setup),
        cmocka_unit_test_setup(waits_for_the_maximum_until_somebody_gets, setup),
        cmocka_unit_test_setup(zero_masks_have_defaults, setup),
        cmocka_unit_test_setup(a_wait_whose_condition_is_met_is_forgotten_at_once, setup),
        cmocka_unit_test_setup(only_all_block_bits_hold_a_nop, setup),
        cmocka_unit_test_setup(a_wait_behind_a_latched_wait_waits_its_turn, setup),
        cmocka_unit_test_setup(stallwait_follows_the_ownership_of_src_banks, setup),
        cmocka_unit_test_setup(semwait_without_a_condition_is_undefined, setup),
        cmocka_unit_test_setup(replay_loads_and_executes, setup),
        cmocka_unit_test_setup(a_replayed_wait_is_remembered_as_itself, setup),
        cmocka_unit_test_setup(replay_executes_while_loading, setup),
        cmocka_unit_test_setup(replay_of_none_is_of_all_32, setup),
        cmocka_unit_test_setup(replay_past_its_buffer_is_undefined, setup),
        cmocka_unit_test_setup(a_mop_can_expand_to_replays, setup),
        cmocka_unit_test_setup(a_full_fifo_holds_the_pushing_core, setup),
        cmocka_unit_test_setup(core_b_enters_behind_the_mop_expander, setup),
        cmocka_unit_test_setup(accesses_of_a_core_keep_program_order, setup),
        cmocka_unit_test_setup(tracked_accesses_wait_for_what_conflicts, setup),
        cmocka_unit_test_setup(untracked_accesses_do_not_wait, setup),
        cmocka_unit_test_setup(changing_a_mop_under_way_is_a_hazard, setup),
        cmocka_unit_test_setup(what_waits_for_a_bank_goes_on_before_the_thread_that_gave_it_back, setup),
        cmocka_unit_test_setup(what_a_bank_is_handed_over_to_is_not_ahead_of_what_follows, setup),
        cmocka_unit_test_setup(what_waits_for_a_bank_hands_over_the_other_one_as_soon, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
