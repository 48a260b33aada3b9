/* Programs that hang or run wild: each ends the run for the right reason, with a diagnostic of place and cause, and in
   time. Programs that only look as if they hang are not disturbed. */
#include "host/files.h"

#include "chip/device_fixture.h"
#include "isa/tensix_text.h"

enum { MVMUL = 0x98000000 }; /* ttinsn(0x26000000) */
enum { X = 1, Y = 2, ADDRESS = 0x1000, APART = 0x1000, LIMIT = 100 * 1000 * 1000 };

/* A Tensix instruction from its text, as .ttinsn. */
static uint32_t tt(const char *text)
{
    uint32_t word = 0;
    struct tensix_text_error error;
    assert_true(tensix_assemble(text, &word, &error));
    return ttinsn(word);
}

/* Where the program of a core begins. */
static uint32_t place(enum bh_core core)
{
    return ADDRESS + core * APART;
}

static void start(struct fixture *fixture, enum bh_core core, const uint32_t *words, unsigned count)
{
    assert_int_equal(bh_write(fixture->device, X, Y, place(core), words, count * 4), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, core, place(core)), BH_OK);
}

/* start(fixture, core, words...) */
#define START(fixture, core, ...)                                                                                      \
    start(fixture, core, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4)

static void run(struct fixture *fixture, uint64_t cycles)
{
    (void)bh_run(fixture->device, cycles, &fixture->result);
}

static void assert_says(const struct fixture *fixture, const char *part)
{
    assert_contains(fixture->last.text, part);
}

/* Asserts that the run ends with a deadlock, long before its limit, and that its text has these parts. */
static void deadlocks(struct fixture *fixture, const char *part, const char *other)
{
    run(fixture, LIMIT);
    assert_int_equal(fixture->result.reason, BH_RAN_DEADLOCK);
    assert_true(fixture->result.cycles <= 2000000);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.category, BH_DEADLOCK);
    assert_int_equal(fixture->last.action, BH_STOP);
    assert_int_equal(fixture->last.tile_x, X);
    assert_int_equal(fixture->last.tile_y, Y);
    assert_says(fixture, part);
    assert_says(fixture, other);
}

/* Asserts that the run is stopped by one diagnostic of an agent at this word of its program. */
static void stops(struct fixture *fixture, enum bh_category category, enum bh_agent agent, unsigned index,
                  enum bh_core core, unsigned word, const char *part)
{
    run(fixture, LIMIT);
    assert_int_equal(fixture->result.reason, BH_RAN_STOPPED);
    assert_int_equal(fixture->diagnostics, 1);
    assert_says(fixture, part);
    assert_int_equal(fixture->last.category, category);
    assert_int_equal(fixture->last.agent, agent);
    assert_int_equal(fixture->last.index, index);
    assert_int_equal(fixture->last.pc, place(core) + 4 * word);
}

static void stops_core(struct fixture *fixture, enum bh_category category, unsigned word, const char *part)
{
    stops(fixture, category, BH_AGENT_CORE, BH_CORE_T1, BH_CORE_T1, word, part);
}

static void stops_thread(struct fixture *fixture, enum bh_category category, unsigned word, const char *part)
{
    stops(fixture, category, BH_AGENT_THREAD, 1, BH_CORE_T1, word, part);
}

/* Hangs. */

static void a_semaphore_that_nobody_posts(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SEMINIT max_value=2, init_value=0, sem_sel=2"),
          tt("SEMWAIT stall_res=64, sem_sel=2, wait_sem_cond=1"), MVMUL, SELF_JUMP);
    deadlocks(fixture, "thread T1 holds MVMUL 0x26000000 pushed at 0x00003008 behind SEMWAIT",
              "semaphore 1 is 0: nobody has posted it");
    assert_int_equal(fixture->last.places_count, 1);
    assert_int_equal(fixture->last.places[0].agent, BH_AGENT_THREAD);
    assert_int_equal(fixture->last.places[0].index, 1);
    assert_int_equal(fixture->last.places[0].pc, place(BH_CORE_T1) + 8);
}

static void a_semaphore_that_nobody_takes_from(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T2, tt("SEMINIT max_value=2, init_value=2, sem_sel=128"),
          tt("SEMWAIT stall_res=511, sem_sel=128, wait_sem_cond=2"), tt("NOP"), tt("SEMPOST sem_sel=128"), SELF_JUMP);
    deadlocks(fixture, "behind SEMWAIT", "semaphore 7 is at its maximum 2: nobody has taken from it");
}

static void a_product_of_what_nobody_unpacked(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t wait[] = {MVMUL, lui(T0, 0xFFE80000), sw(ZERO, T0, 4), lw(T1, T0, 4), SELF_JUMP};
    start(fixture, BH_CORE_T1, wait, 5);
    deadlocks(fixture, "core T1 at 0x0000300c waits until its thread has finished all Tensix instructions",
              "SrcA bank 0 belongs to the unpackers: nothing was unpacked into it");
    assert_int_equal(fixture->last.places_count, 2);
    assert_int_equal(fixture->last.places[0].agent, BH_AGENT_CORE);
    assert_int_equal(fixture->last.places[0].pc, place(BH_CORE_T1) + 12);
}

static void a_full_instruction_fifo(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, MVMUL, jump(-4));
    deadlocks(fixture, "core T1 at 0x00003000 waits for room in its thread's instruction FIFO",
              "thread T1 holds MVMUL");
}

static void a_mutex_that_is_never_released(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("ATGETM mutex_index=2"), SELF_JUMP);
    START(fixture, BH_CORE_T1, addi(T0, ZERO, 5), addi(T0, T0, -1), branch(BNE, T0, ZERO, -4),
          tt("ATGETM mutex_index=2"), SELF_JUMP);
    deadlocks(fixture, "thread T1 holds ATGETM", "mutex 2 is held by T0");
}

static void a_stream_that_never_moves(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("STREAMWAIT stall_res=64, target_value=5, target_sel=0, wait_stream_sel=0"), MVMUL,
          SELF_JUMP);
    deadlocks(fixture, "thread T1 holds MVMUL 0x26000000 pushed at 0x00003004 behind STREAMWAIT",
              "the phase of overlay stream 0 is 0, not yet 5: nobody has written STREAM_CURR_PHASE");
}

static void a_mailbox_that_nobody_writes(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, lui(T0, 0xFFEC0000), lw(T1, T0, 0), SELF_JUMP);
    START(fixture, BH_CORE_B, SELF_JUMP);
    deadlocks(fixture, "core T0 at 0x00002004 waits for a value in its mailbox from B",
              "B has not sent (it is at its end, a jump to itself)");
}

static void a_mailbox_that_nobody_reads(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_B, lui(T0, 0xFFEC2000), sw(T1, T0, 0), jump(-4));
    deadlocks(fixture, "core B at 0x00001004 waits for room to send to T1's mailbox",
              "4 not taken by T1 (it is in reset)");
}

static void a_mailbox_that_is_only_asked_for_values(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T2, lui(T0, 0xFFEC0000), lw(T1, T0, 4), branch(BEQ, T1, ZERO, -4), SELF_JUMP);
    deadlocks(fixture, "core T2 at 0x0000400",
              "polls its mailbox from B, which has not sent anything (it is in reset)");
}

static void a_pc_buffer_that_nobody_writes(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, lui(T0, 0xFFE80000), lw(T1, T0, 0), SELF_JUMP);
    deadlocks(fixture, "core T1 at 0x00003004 waits for a value in its PCBuf", "B has not written (it is in reset)");
}

static void a_pc_buffer_that_nobody_reads(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_B, lui(T0, 0xFFE90000), sw(T1, T0, 0), jump(-4));
    deadlocks(fixture, "core B at 0x00001004 waits for room in T1's PCBuf", "T1 does not empty (it is in reset)");
}

static void a_flag_in_l1_that_nobody_sets(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_NC, lui(T0, 0x20000), lw(T1, T0, 16), branch(BEQ, T1, ZERO, -4), SELF_JUMP);
    deadlocks(fixture, "core NC at 0x0000500", "polls 0x00020010 in L1, reads 0x0: nobody writes it");
    /* The flag is set by the host: the program continues. */
    uint32_t one = 1;
    assert_int_equal(bh_write(fixture->device, X, Y, 0x20010, &one, 4), BH_OK);
    run(fixture, LIMIT);
    assert_int_equal(fixture->result.reason, BH_RAN_IDLE);
}

/* Like unoptimised compiled code: the polled value goes through the stack. */
static void a_flag_that_is_polled_by_way_of_the_stack(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_B, lui(T0, 0x20000), lui(T2, 0xFFB00000), lw(T1, T0, 16), sw(T1, T2, 64), lw(T1, T2, 64),
          branch(BEQ, T1, ZERO, -12), SELF_JUMP);
    deadlocks(fixture, "core B at 0x000010", "polls 0x00020010 in L1");
}

static void a_semaphore_polled_through_its_window(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, lui(T0, 0xFFE80000), lw(T1, T0, 0x20 + 4 * 3), branch(BEQ, T1, ZERO, -4), SELF_JUMP);
    deadlocks(fixture, "core T0", "polls semaphore 3, reads 0: nobody posts or takes from it");
}

static void cores_that_poll_each_others_flags(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, lui(T0, 0x20000), lw(T1, T0, 0), branch(BEQ, T1, ZERO, -4), sw(T1, T0, 4), SELF_JUMP);
    START(fixture, BH_CORE_T1, lui(T0, 0x20000), lw(T1, T0, 4), branch(BEQ, T1, ZERO, -4), sw(T1, T0, 0), SELF_JUMP);
    deadlocks(fixture, "polls 0x00020000 in L1", "polls 0x00020004 in L1");
    assert_int_equal(fixture->last.places_count, 2);
}

static void one_that_polls_while_the_other_waits(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, lui(T0, 0x20000), lw(T1, T0, 0), branch(BEQ, T1, ZERO, -4), SELF_JUMP);
    START(fixture, BH_CORE_T1, lui(T0, 0xFFEC1000), lw(T1, T0, 0), SELF_JUMP);
    deadlocks(fixture, "polls 0x00020000 in L1", "T0 has not sent (it is still running)");
}

static void an_endless_loop_is_told_as_such(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, addi(T0, ZERO, 1), jump(-4));
    deadlocks(fixture, "core T0 at 0x0000200", "runs in a loop");
}

/* Not hangs. */

/* Asserts that the program runs to the end of the cycles without a diagnostic, and ends if it is left to. */
static void is_left_alone(struct fixture *fixture)
{
    for (unsigned i = 0; i < 3; i++) {
        run(fixture, 1500000);
        assert_int_equal(fixture->diagnostics, 0);
        assert_int_equal(fixture->result.reason, BH_RAN_CYCLES);
    }
    run(fixture, 20000000);
    assert_int_equal(fixture->diagnostics, 0);
    assert_int_equal(fixture->result.reason, BH_RAN_IDLE);
}

/* Computes in registers for about 8 million cycles. */
#define COMPUTE lui(T0, 4 << 20), addi(T0, T0, -1), branch(BNE, T0, ZERO, -4)

static void a_long_computation_without_stores(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, COMPUTE, SELF_JUMP);
    is_left_alone(fixture);
}

static void one_that_polls_what_another_will_write(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, lui(T0, 0x20000), lw(T1, T0, 0), branch(BEQ, T1, ZERO, -4), SELF_JUMP);
    START(fixture, BH_CORE_T1, COMPUTE, lui(T0, 0x20000), addi(T1, ZERO, 1), sw(T1, T0, 0), SELF_JUMP);
    is_left_alone(fixture);
}

static void one_that_waits_for_what_another_will_send(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_B, lui(T0, 0xFFEC1000), lw(T1, T0, 0), SELF_JUMP);
    START(fixture, BH_CORE_T0, COMPUTE, lui(T0, 0xFFEC0000), sw(T1, T0, 0), SELF_JUMP);
    is_left_alone(fixture);
}

/* Polls with the wall clock as its timeout; also if the loop only tests upper bits, which seldom change. */
static void timeouts_by_the_wall_clock(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned shift = 0; shift <= 20; shift += 20) {
        uint32_t end = (uint32_t)(bh_clock(fixture->device) + 6000000) >> shift & ~0x800u;
        START(fixture, BH_CORE_T0, lui(T0, 0xFFB12000), lui(T2, end), addi(T2, T2, (int32_t)(end & 0x7ff)),
              lw(T1, T0, 0x1F0), srli(T1, T1, shift), branch(BLTU, T1, T2, -8), SELF_JUMP);
        run(fixture, 3000000);
        assert_int_equal(fixture->result.reason, BH_RAN_CYCLES);
        run(fixture, 20000000);
        assert_int_equal(fixture->diagnostics, 0);
        assert_int_equal(fixture->result.reason, BH_RAN_IDLE);
    }
}

/* The same with the mcycle CSR. */
static void timeouts_by_the_cycle_counter(void **context)
{
    struct fixture *fixture = *context;
    enum { CSRR_T1_MCYCLE = 0xb0002373 };
    START(fixture, BH_CORE_T0, lui(T2, 8 << 20), CSRR_T1_MCYCLE, srli(T1, T1, 19), branch(BEQ, T1, ZERO, -8),
          CSRR_T1_MCYCLE, branch(BLTU, T1, T2, -4), SELF_JUMP);
    is_left_alone(fixture);
}

/* Readings of the wall clock never go backwards, at any distance: the search for hangs takes time, too. */
static void clocks_never_go_back(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, lui(T0, 0xFFB12000), addi(T2, ZERO, 0), lw(T1, T0, 0x1F0), branch(BLTU, T1, T2, 12),
          addi(T2, T1, 0), jump(-12), sw(ZERO, ZERO, 0), SELF_JUMP);
    START(fixture, BH_CORE_T1, lui(T0, 0x20000), lw(T1, T0, 0), branch(BEQ, T1, ZERO, -4), SELF_JUMP);
    for (unsigned i = 0; i < 5; i++) {
        run(fixture, 1000000 + 4096 + 77 * i);
        assert_int_equal(fixture->result.reason, BH_RAN_CYCLES);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

/* Wild programs. */

static void stores_to_unmapped_space(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, lui(T0, 0x40000000), sw(T1, T0, 0), SELF_JUMP);
    stops_core(fixture, BH_UNDEFINED_BEHAVIOR, 1, "store by T1 at 0x40000000: nothing is mapped there");
}

static void loads_from_what_is_another_cores(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, lui(T0, 0xFFE90000), lw(T1, T0, 0), SELF_JUMP);
    stops_core(fixture, BH_UNDEFINED_BEHAVIOR, 1, "is mapped for B only");
}

static void jumps_into_nothing(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, lui(T0, 0x7f000000), jalr(ZERO, T0, 0), SELF_JUMP);
    stops_core(fixture, BH_UNDEFINED_BEHAVIOR, 1, "jump into nothing: 0x7f000000 is outside L1");
}

static void jumps_into_the_middle_of_an_instruction(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, addi(T0, ZERO, 0x102), jalr(ZERO, T0, 0), SELF_JUMP);
    stops_core(fixture, BH_UNDEFINED_BEHAVIOR, 1, "jump to 0x00000102: instructions are words");
}

static void runs_into_zeroes(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, addi(T0, ZERO, 1));
    stops_thread(fixture, BH_UNDEFINED_BEHAVIOR, 1, "did execution run past the end of a program, or a REPLAY?");
}

static void runs_off_the_end_of_l1(void **context)
{
    struct fixture *fixture = *context;
    uint32_t last = addi(T0, ZERO, 1);
    assert_int_equal(bh_write(fixture->device, X, Y, 0x17fffc, &last, 4), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, BH_CORE_T1, 0x17fffc), BH_OK);
    run(fixture, LIMIT);
    assert_int_equal(fixture->result.reason, BH_RAN_STOPPED);
    assert_says(fixture, "execution came to the end of L1");
}

static void pauses_without_a_debugger(void **context)
{
    struct fixture *fixture = *context;
    enum { EBREAK = 0x00100073 };
    START(fixture, BH_CORE_T1, EBREAK, SELF_JUMP);
    run(fixture, 1);
    assert_int_equal(fixture->diagnostics, 1); /* reported when it happens */
    assert_says(fixture, "ebreak: the core pauses here");
    fixture->diagnostics = 0;
    deadlocks(fixture, "core T1 at 0x00003004 is paused by the ebreak", "until a debugger resumes it");
}

static void pushes_what_is_no_instruction(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, addi(T0, ZERO, 0), lui(T0, 0xFFE40000), lui(T1, 0xff000000), sw(T1, T0, 0), SELF_JUMP);
    stops_thread(fixture, BH_UNDEFINED_BEHAVIOR, 3, "no instruction has opcode 0xff");
}

static void sets_reserved_bits(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, ttinsn(0x26000000 | 1 << 12), SELF_JUMP);
    stops_thread(fixture, BH_UNDEFINED_BEHAVIOR, 0, "MVMUL: reserved bits 0x001000 are set");
}

static void uses_what_is_not_emulated(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("TBUFCMD"), SELF_JUMP);
    stops_thread(fixture, BH_UNSUPPORTED, 0, "TBUFCMD is not emulated yet");
}

/* Three threads that push the largest possible MOPs for ever: as many instructions execute as there are cycles. */
static void storms_of_mops_do_not_hold_up_the_host(void **context)
{
    struct fixture *fixture = *context;
    enum { CYCLES = 1000000 };
    for (enum bh_core core = BH_CORE_T0; core <= BH_CORE_T2; core++) {
        START(fixture, core, lui(T0, 0xFFB80000), addi(T1, ZERO, 127), sw(T1, T0, 0), sw(T1, T0, 4),
              lui(T1, 0x02000000), sw(T1, T0, 8), sw(T1, T0, 12), sw(T1, T0, 16), lui(T1, 0x89000000), sw(T1, T0, 20),
              sw(T1, T0, 24), sw(T1, T0, 28), sw(T1, T0, 32), tt("MOP mop_type=1"), jump(-4));
    }
    run(fixture, CYCLES);
    assert_int_equal(fixture->result.reason, BH_RAN_CYCLES);
    assert_int_equal(fixture->result.cycles, CYCLES);
    assert_in_range(fixture->result.tensix_instructions, CYCLES, 3 * CYCLES);
    assert_int_equal(fixture->diagnostics, 0);
}

/* A report tells where a program is that does not end. */
static void programs_that_do_not_end_are_reported(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, addi(T0, T0, 1), jump(-4));
    START(fixture, BH_CORE_T2, MVMUL, SELF_JUMP);
    run(fixture, 10000);
    assert_int_equal(fixture->diagnostics, 0);
    bh_report(fixture->device);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.action, BH_WARN);
    assert_says(fixture, "core T1 at 0x0000300");
    assert_says(fixture, "thread T2 holds MVMUL");
    bh_report(NULL);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_semaphore_that_nobody_posts),
        TEST(a_semaphore_that_nobody_takes_from),
        TEST(a_product_of_what_nobody_unpacked),
        TEST(a_full_instruction_fifo),
        TEST(a_mutex_that_is_never_released),
        TEST(a_stream_that_never_moves),
        TEST(a_mailbox_that_nobody_writes),
        TEST(a_mailbox_that_nobody_reads),
        TEST(a_mailbox_that_is_only_asked_for_values),
        TEST(a_pc_buffer_that_nobody_writes),
        TEST(a_pc_buffer_that_nobody_reads),
        TEST(a_flag_in_l1_that_nobody_sets),
        TEST(a_flag_that_is_polled_by_way_of_the_stack),
        TEST(a_semaphore_polled_through_its_window),
        TEST(cores_that_poll_each_others_flags),
        TEST(one_that_polls_while_the_other_waits),
        TEST(an_endless_loop_is_told_as_such),
        TEST(a_long_computation_without_stores),
        TEST(one_that_polls_what_another_will_write),
        TEST(one_that_waits_for_what_another_will_send),
        TEST(timeouts_by_the_wall_clock),
        TEST(timeouts_by_the_cycle_counter),
        TEST(clocks_never_go_back),
        TEST(stores_to_unmapped_space),
        TEST(loads_from_what_is_another_cores),
        TEST(jumps_into_nothing),
        TEST(jumps_into_the_middle_of_an_instruction),
        TEST(runs_into_zeroes),
        TEST(runs_off_the_end_of_l1),
        TEST(pauses_without_a_debugger),
        TEST(pushes_what_is_no_instruction),
        TEST(sets_reserved_bits),
        TEST(uses_what_is_not_emulated),
        TEST(storms_of_mops_do_not_hold_up_the_host),
        TEST(programs_that_do_not_end_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
