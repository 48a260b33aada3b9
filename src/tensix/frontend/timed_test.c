/* The cycles of a frontend: FIFO, MOP expander, replay expander, wait gate. Sources: ISA documentation
   PushTensixInstruction.md, MOPExpander.md, REPLAY.md, STALLWAIT.md; chapter "stallwait conditions". */
#include "tensix/timed_fixture.h"

enum { START = 1000, GATE = START + TIMING_PUSH_TO_GATE };
#define UNPACR_NOP_SET_DVALID ((uint32_t)TENSIX_OPCODE_UNPACR_NOP << 24 | 1u << 8 | 1)
enum { FIFO_DEPTH = 32, FIFO_SOFT_LIMIT = 28 };

/* Words of the MOP expander's configuration, template 1. */
enum { OUTER, INNER, START_OP, END_OP0, END_OP1, LOOP_OP, LOOP_OP1, LOOP0_LAST, LOOP1_LAST };

static void configure_mop(struct fixture *f, uint32_t outer, uint32_t inner, uint32_t loop)
{
    uint32_t *config = f->state.frontend[T0].mop.config;
    config[OUTER] = outer;
    config[INNER] = inner;
    config[START_OP] = config[END_OP0] = config[END_OP1] = config[LOOP_OP1] = TT_OP_NOP;
    config[LOOP_OP] = config[LOOP0_LAST] = config[LOOP1_LAST] = loop;
}

static void gate_passes_an_instruction_a_cycle(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP);
    timed_push(f, T0, START + 9, TT_OP_SFPNOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2, 3, 9);
}

static void three_threads_pass_in_the_same_cycle(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    for (unsigned thread = T0; thread <= T2; thread++) {
        TIMED_WORDS(f, thread, START, TT_OP_NOP, TT_OP_NOP, TT_OP_NOP);
    }
    timed_run(f, passes);
    for (unsigned thread = T0; thread <= T2; thread++) {
        ASSERT_PASSED(passes[thread], GATE, 0, 1, 2);
    }
}

/* 28 are taken, the next one too; then none until there are 28 again. Four at once fill the FIFO. */
static void fifo_takes_32_when_four_come_at_once(void **state)
{
    struct fixture *f = *state;
    struct pushed nop = {.word = TT_OP_NOP};
    for (unsigned i = 0; i < FIFO_SOFT_LIMIT; i++) {
        timed_push(f, T0, START + i, TT_OP_NOP);
    }
    for (unsigned i = FIFO_SOFT_LIMIT; i < FIFO_DEPTH; i++) {
        timed_push(f, T0, START + FIFO_SOFT_LIMIT, TT_OP_NOP);
    }
    assert_int_equal(frontend_push_timed(&f->tensix, T0, nop, false, START + FIFO_SOFT_LIMIT), STEP_WAIT);
    for (unsigned i = 0; i < FIFO_DEPTH - FIFO_SOFT_LIMIT; i++) {
        assert_int_equal(frontend_push_timed(&f->tensix, T0, nop, false, START + FIFO_DEPTH), STEP_WAIT);
        struct frontend_turn turn = {.now = START + FIFO_DEPTH + i, .until = START + FIFO_DEPTH + i + 1};
        frontend_run_timed(&f->tensix, T0, &turn);
        assert_int_equal(f->state.frontend[T0].passed, i + 1);
    }
    assert_int_equal(frontend_push_timed(&f->tensix, T0, nop, false, START + FIFO_DEPTH), STEP_DONE);
}

/* Auto TTSync's tracking counts what has left the FIFO and stands before the gate, too (PushTensixInstruction.md). */
static void what_stands_before_the_gate_is_counted(void **state)
{
    struct fixture *f = *state;
    struct pushed nop = {.word = TT_OP_NOP};
    timed_push(f, T0, START, TT_OP_SEMWAIT(0x1ff, 1, 1));
    timed_push(f, T0, START, TT_OP_NOP);
    struct frontend_turn turn = {.now = START, .until = CLOCK_NEVER};
    frontend_run_timed(&f->tensix, T0, &turn);
    assert_true(f->state.frontend[T0].at_gate);
    for (unsigned i = 1; i <= FIFO_SOFT_LIMIT; i++) {
        timed_push(f, T0, START + 100 + i, TT_OP_NOP);
    }
    assert_int_equal(frontend_push_timed(&f->tensix, T0, nop, false, START + 200), STEP_WAIT);
}

/* A REPLAY that only loads passes nothing, but makes room, and comes to an end, for which cores may wait. */
static void words_that_do_not_pass_are_events_too(void **state)
{
    struct fixture *f = *state;
    timed_push(f, T0, START, TT_OP_REPLAY(0, 31, 0, 1));
    for (unsigned i = 1; i < FIFO_DEPTH; i++) {
        timed_push(f, T0, START, TT_OP_SFPNOP);
    }
    struct frontend_turn turn = {.now = START, .until = CLOCK_NEVER, .stop_at_event = true};
    frontend_run_timed(&f->tensix, T0, &turn);
    assert_int_equal(f->state.frontend[T0].fifo.count, FIFO_SOFT_LIMIT);
    assert_int_equal(turn.event, GATE + FIFO_DEPTH - FIFO_SOFT_LIMIT - 1);
    turn = (struct frontend_turn){.now = turn.now, .until = CLOCK_NEVER, .stop_at_event = true};
    assert_int_equal(frontend_run_timed(&f->tensix, T0, &turn), GATE + FIFO_DEPTH - 1);
    assert_int_equal(turn.event, GATE + FIFO_DEPTH - 1);
    assert_int_equal(f->state.frontend[T0].passed, 0);
}

static void fifo_takes_29_one_by_one(void **state)
{
    struct fixture *f = *state;
    struct pushed nop = {.word = TT_OP_NOP};
    for (unsigned i = 0; i <= FIFO_SOFT_LIMIT; i++) {
        timed_push(f, T0, START + i, TT_OP_NOP);
    }
    assert_int_equal(frontend_push_timed(&f->tensix, T0, nop, false, START + FIFO_DEPTH), STEP_WAIT);
}

static void mop_gives_an_instruction_a_cycle_from_its_own_cycle_on(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure_mop(f, 2, 3, TT_OP_SFPNOP);
    TIMED_WORDS(f, T0, START, TT_OP_SFPNOP, TT_OP_MOP(1, 0, 0));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2, 3, 4, 5, 6);
}

static void a_cycle_passes_behind_a_mop_before_anything_but_a_mop(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure_mop(f, 1, 2, TT_OP_SFPNOP);
    TIMED_WORDS(f, T0, START, TT_OP_MOP(1, 0, 0), TT_OP_MOP(1, 0, 0), TT_OP_SFPNOP, TT_OP_SFPNOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2, 3, 5, 6);
}

/* A core that waits for the MOP expander goes on when that is done, though what it gave is held at the gate for longer.
 */
static void a_turn_ends_where_a_mop_does(void **state)
{
    enum { HELD = 10 };
    struct fixture *f = *state;
    f->state.timing.matrix.accepts = GATE + HELD;
    configure_mop(f, 1, 1, TT_OP_ZEROACC(1, 0, 0, 3, 0));
    TIMED_WORDS(f, T0, START, TT_OP_MOP(1, 0, 0), TT_OP_NOP);
    struct frontend_turn turn = {.now = START, .until = CLOCK_NEVER, .stop_at_event = true};
    assert_int_equal(frontend_run_timed(&f->tensix, T0, &turn), GATE + HELD);
    assert_int_equal(turn.event, GATE);
    assert_int_equal(f->state.frontend[T0].passed, 0);
}

/* A REPLAY of two instructions among what the MOP gives hides the transition, as MOPExpander.md says. */
static void replay_hides_the_transition_behind_a_mop(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure_mop(f, 1, 1, TT_OP_REPLAY(0, 2, 0, 0));
    f->state.frontend[T0].replay.words[0] = f->state.frontend[T0].replay.words[1] = TT_OP_SFPNOP;
    TIMED_WORDS(f, T0, START, TT_OP_MOP(1, 0, 0), TT_OP_SFPNOP, TT_OP_SFPNOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2, 3);
}

static void mop_cfg_takes_a_cycle_of_its_expander(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_SFPNOP, TT_OP_MOP_CFG(0), TT_OP_SFPNOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 2);
}

static void replay_takes_the_cycle_of_its_first_instruction(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
        f->state.frontend[T0].replay.words[i] = TT_OP_SFPNOP;
    }
    TIMED_WORDS(f, T0, START, TT_OP_SFPNOP, TT_OP_REPLAY(0, 4, 0, 0), TT_OP_REPLAY(4, 3, 0, 0), TT_OP_SFPNOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2, 3, 4, 5, 6, 7, 8);
}

static void replay_that_loads_takes_a_cycle_and_one_for_each_word(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_SFPNOP, TT_OP_REPLAY(0, 2, 0, 1), TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 4);
}

static void replay_that_loads_and_executes_passes_a_word_a_cycle(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_SFPNOP, TT_OP_REPLAY(0, 2, 1, 1), TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 2, 3, 4);
}

static void replay_buffer_replays_32_instructions_in_32_cycles(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
        f->state.frontend[T0].replay.words[i] = TT_OP_SFPNOP;
    }
    timed_push(f, T0, START, TT_OP_REPLAY(0, 32, 0, 0));
    timed_run(f, passes);
    assert_int_equal(passes[T0].count, 32);
    assert_int_equal(passes[T0].at[31] - passes[T0].at[0], 31);
}

/* Constants under the names that the chapter gives them. */
enum { STALL_TDMA = 0x1, STALL_SYNC = 0x2, STALL_PACK = 0x4, STALL_UNPACK = 0x8, STALL_THCON = 0x20 };
enum { STALL_MATH = 0x40, STALL_CFG = 0x80, STALL_SFPU = 0x100, STALL_THREAD = 0x1ff };
enum { THCON = 0x1, UNPACK0 = 0x2, UNPACK1 = 0x4, PACK0 = 0x8, MATH = 0x10, XMOV = 0x200, TRISC_CFG = 0x400 };
enum { SFPU1 = 0x800, CFGEXU = 0x1000 };
enum { STALL_ON_ZERO = 1, STALL_ON_MAX = 2 };

/* STALLWAIT takes a cycle, and holds the next instruction for one more even if its condition is met. */
static void stallwait_holds_for_a_cycle_though_its_condition_is_met(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_STALLWAIT(STALL_CFG, THCON), TT_OP_SETC16(1, 1), TT_OP_SETC16(1, 2));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 2, 3);
}

static void stallwait_takes_one_cycle_from_what_it_does_not_block(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_STALLWAIT(STALL_CFG, THCON), TT_OP_NOP, TT_OP_SETC16(1, 1));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2);
}

/* A wait waits for the one before: as measured, 800 STALLWAITs take 1600 cycles. */
static void waits_pass_every_other_cycle(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_STALLWAIT(0, 0), TT_OP_STALLWAIT(0, 0), TT_OP_STALLWAIT(0, 0));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 2, 4);
}

/* Each condition about a unit that is busy until a time lets what it holds pass in the cycle after. */
static void conditions_about_busy_units_are_met_a_cycle_before_it_goes_on(void **state)
{
    static const struct {
        uint32_t condition;
        enum timing_busy what;
        bool of_anybody;
    } conditions[] = {{THCON, BUSY_SCALAR, false},   {UNPACK0, BUSY_UNPACK0, false}, {UNPACK1, BUSY_UNPACK1, false},
                      {PACK0, BUSY_PACK, false},     {MATH, BUSY_MATRIX, false},     {XMOV, BUSY_MOVER, true},
                      {TRISC_CFG, BUSY_CORE, false}, {SFPU1, BUSY_VECTOR, false},    {CFGEXU, BUSY_CONFIG, true}};
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(conditions); i++) {
        for (unsigned busy = T0; busy <= T1; busy++) {
            struct timed_passes passes[TENSIX_THREADS];
            tensix_reset(&f->state);
            memset(&f->state.timing, 0, sizeof f->state.timing);
            f->state.timing.busy_until[conditions[i].what][busy] = GATE + 20;
            TIMED_WORDS(f, T0, START, TT_OP_STALLWAIT(STALL_SYNC, conditions[i].condition), TT_OP_SEMPOST(1));
            timed_run(f, passes);
            bool waits = busy == T0 || conditions[i].of_anybody;
            ASSERT_PASSED(passes[T0], GATE, 0, waits ? 21 : 2);
        }
    }
}

/* Pattern 1: what a LOADIND loads is there before a WRCFG takes it to configuration. */
static void pattern_1_waits_for_the_scalar_unit_before_wrcfg(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_LOADIND(1, 0, 0, 4, 0), TT_OP_STALLWAIT(STALL_CFG, THCON), TT_OP_WRCFG(4, 0, 64));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 3, TIMING_SCALAR_LOAD + 1);
}

/* The same with SETDMAREG, which has no request outstanding: the cycle by which the gate lags. */
static void pattern_1_costs_two_cycles_when_nothing_is_outstanding(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_SETDMAREG(0, 1, 0, 8), TT_OP_STALLWAIT(STALL_CFG, THCON | PACK0),
                TT_OP_WRCFG(4, 0, 64));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 3);
}

/* Patterns 3 and 4: one thread posts in a cycle, in the next one the value is there, and in the one after that what
   waits for it passes. */
static void patterns_3_and_4_pass_two_cycles_after_the_post(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    f->state.sync.semaphore[1].max = 1;
    TIMED_WORDS(f, T2, START, TT_OP_SEMWAIT(STALL_TDMA, 2, STALL_ON_ZERO), TT_OP_SETADCXX(1, 0, 0), TT_OP_SEMGET(2));
    TIMED_WORDS(f, T1, START + 30, TT_OP_SEMPOST(2), TT_OP_SEMWAIT(STALL_SYNC, 2, STALL_ON_MAX), TT_OP_SEMPOST(2));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T2], GATE, 0, 32, 33);
    ASSERT_PASSED(passes[T1], GATE, 30, 31, 35); /* SEMGET at 33, its value at 34 */
}

/* The gate sees the semaphore at 1 before the SEMGET, which the wait does not block, takes it down. */
static void a_met_condition_stays_met(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    f->state.sync.semaphore[1].value = f->state.sync.semaphore[1].max = 1;
    TIMED_WORDS(f, T0, START, TT_OP_SEMWAIT(STALL_UNPACK, 2, STALL_ON_ZERO), TT_OP_SEMGET(2), UNPACR_NOP_SET_DVALID);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2);
    assert_int_equal(f->state.sync.semaphore[1].value, 0);
}

/* Pattern 7: a core's write to configuration, which is on its way for some cycles. */
static void pattern_7_waits_for_the_cores_write(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    timing_busy(&f->state.timing, BUSY_CORE, T0, GATE + 5);
    TIMED_WORDS(f, T0, START, TT_OP_STALLWAIT(STALL_UNPACK, TRISC_CFG), TT_OP_NOP, UNPACR_NOP_SET_DVALID);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 6);
}

/* Patterns 5, 6 and 8: one wait for several units lets go a cycle after the last of them has drained. */
static void patterns_5_6_and_8_wait_for_the_last_unit(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    struct tensix_timing *timing = &f->state.timing;
    timing_busy(timing, BUSY_PACK, T0, GATE + 9);
    timing_busy(timing, BUSY_SCALAR, T0, GATE + 4);
    TIMED_WORDS(f, T0, START, TT_OP_STALLWAIT(STALL_CFG, PACK0 | THCON), TT_OP_WRCFG(4, 0, 64));
    timing_busy(timing, BUSY_MATRIX, T1, GATE + 5);
    timing_busy(timing, BUSY_VECTOR, T1, GATE + 8);
    TIMED_WORDS(f, T1, START, TT_OP_STALLWAIT(STALL_SYNC, MATH | SFPU1), TT_OP_SEMPOST(2),
                TT_OP_STALLWAIT(STALL_CFG, MATH | SFPU1), TT_OP_SETC16(1, 1));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 10);
    ASSERT_PASSED(passes[T1], GATE, 1, 9, 10, 12); /* the Sync Unit takes one wait a cycle */
}

static void what_a_wait_does_not_block_passes_until_something_is_blocked(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    timing_busy(&f->state.timing, BUSY_PACK, T0, GATE + 20);
    TIMED_WORDS(f, T0, START, TT_OP_STALLWAIT(STALL_CFG, PACK0), TT_OP_NOP, TT_OP_NOP, TT_OP_SETC16(1, 1), TT_OP_NOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2, 21, 22);
}

/* In turns of one cycle each, in which performance counters look at each instruction, or in one turn for all. */
static void run_in_turns(struct fixture *f, bool of_one_cycle)
{
    uint64_t next = START;
    f->state.issue.wanted = of_one_cycle;
    while (next != CLOCK_NEVER) {
        struct frontend_turn turn = {.now = next, .until = of_one_cycle ? next + 1 : CLOCK_NEVER};
        next = frontend_run_timed(&f->tensix, T0, &turn);
    }
    memset(&f->state.issue, 0, sizeof f->state.issue);
    memset(&f->state.timing.counts, 0, sizeof f->state.timing.counts);
}

static uint32_t random_word(uint32_t random)
{
    uint32_t a = random >> 8 & 7, b = random >> 12 & 7, c = random >> 16 & 7;
    switch (random >> 24 & 15) {
    case 0:
    case 1: return TT_OP_SFPMAD(a, b, 9, c, 0);
    case 2: return TT_OP_SFPSWAP(0, a, b, 9);
    case 3: return TT_OP_SFPNOP;
    case 4: return TT_OP_SFPLOAD(a, 2, 3, 8 * b);
    case 5: return TT_OP_SFPSTORE(a, 2, 3, 8 * b);
    case 6: return TT_OP_ZEROACC(1, 0, 0, 3, b);
    case 7: return TT_OP_INCRWC(0, 2, 0, 0);
    case 8: return TT_OP_MOVD2A(0, 0, 3, 2, 8 * b);
    case 9: return TT_OP_MOVA2D(0, 8 * a, 3, 2, 8 * b);
    case 10: return TT_OP_ELWADD(0, 0, 0, 3, 8 * a);
    case 11: return TT_OP_NOP;
    case 12: return TT_OP_SETC16(1, a);
    default: return TT_OP_SFPIADD(0, a, b, 4);
    }
}

/* Where turns end, or who looks, makes no difference to when what a REPLAY executes passes. */
static void replays_pass_alike_however_turns_end(void **state)
{
    struct fixture *f = timed_with_sources(state);
    struct tensix_state *begin = test_malloc(sizeof *begin), *end = test_malloc(sizeof *end);
    uint32_t random = 1;
    for (unsigned program = 0; program < 500; program++) {
        uint32_t *words = f->state.frontend[T0].replay.words;
        for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
            random = random * 1664525 + 1013904223;
            words[i] = random_word(random);
        }
        configure_mop(f, 1, 3, TT_OP_REPLAY(0, program % REPLAY_CAPACITY, 0, 0));
        TIMED_WORDS(f, T0, START, TT_OP_MOP(1, 0, 0), TT_OP_REPLAY(3, 7, 0, 0), TT_OP_SFPNOP,
                    TT_OP_REPLAY(0, 16, 0, 0));
        memcpy(begin, &f->state, sizeof *begin);
        run_in_turns(f, true);
        memcpy(end, &f->state, sizeof *end);
        memcpy(&f->state, begin, sizeof *begin);
        run_in_turns(f, false);
        assert_memory_equal(&f->state, end, sizeof *end);
        memcpy(&f->state, begin, sizeof *begin);
        memset(&f->state.frontend[T0].fifo, 0, sizeof f->state.frontend[T0].fifo);
    }
    test_free(begin);
    test_free(end);
}

/* Others than those of the tile cannot tell when the Vector Unit and the Matrix Unit compute. */
static void only_what_stays_in_the_tile_passes_ahead(void **state)
{
    enum { AHEAD = 50 };
    struct fixture *f = *state;
    const uint32_t last[] = {UNPACR_NOP_SET_DVALID, TT_OP_STALLWAIT(STALL_CFG, PACK0), TT_OP_SETC16(1, 1)};
    for (unsigned i = 0; i < COUNT_OF(last); i++) {
        uint64_t passed = f->state.frontend[T0].passed, start = START + 1000 * i, gate = start + TIMING_PUSH_TO_GATE;
        TIMED_WORDS(f, T0, start, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_ZEROACC(3, 0, 0, 3, 0), TT_OP_SFPNOP, last[i]);
        struct frontend_turn turn = {.now = start, .until = gate + 1, .ahead = gate + 3};
        assert_int_equal(frontend_run_timed(&f->tensix, T0, &turn), gate + 3);
        assert_int_equal(f->state.frontend[T0].passed, passed + 3);
        turn = (struct frontend_turn){.now = gate + 3, .until = gate + 3, .ahead = gate + AHEAD};
        assert_int_equal(frontend_run_timed(&f->tensix, T0, &turn), gate + 4);
        assert_int_equal(f->state.frontend[T0].passed, passed + 4);
        turn = (struct frontend_turn){.now = gate + 4, .until = CLOCK_NEVER};
        assert_int_equal(frontend_run_timed(&f->tensix, T0, &turn), CLOCK_NEVER);
        assert_int_equal(f->state.frontend[T0].passed, passed + 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(gate_passes_an_instruction_a_cycle),
        TIMED_TEST(three_threads_pass_in_the_same_cycle),
        TIMED_TEST(fifo_takes_32_when_four_come_at_once),
        TIMED_TEST(what_stands_before_the_gate_is_counted),
        TIMED_TEST(words_that_do_not_pass_are_events_too),
        TIMED_TEST(fifo_takes_29_one_by_one),
        TIMED_TEST(mop_gives_an_instruction_a_cycle_from_its_own_cycle_on),
        TIMED_TEST(a_cycle_passes_behind_a_mop_before_anything_but_a_mop),
        TIMED_TEST(a_turn_ends_where_a_mop_does),
        TIMED_TEST(replay_hides_the_transition_behind_a_mop),
        TIMED_TEST(mop_cfg_takes_a_cycle_of_its_expander),
        TIMED_TEST(replay_takes_the_cycle_of_its_first_instruction),
        TIMED_TEST(replay_that_loads_takes_a_cycle_and_one_for_each_word),
        TIMED_TEST(replay_that_loads_and_executes_passes_a_word_a_cycle),
        TIMED_TEST(replay_buffer_replays_32_instructions_in_32_cycles),
        TIMED_TEST(stallwait_holds_for_a_cycle_though_its_condition_is_met),
        TIMED_TEST(stallwait_takes_one_cycle_from_what_it_does_not_block),
        TIMED_TEST(waits_pass_every_other_cycle),
        TIMED_TEST(conditions_about_busy_units_are_met_a_cycle_before_it_goes_on),
        TIMED_TEST(pattern_1_waits_for_the_scalar_unit_before_wrcfg),
        TIMED_TEST(pattern_1_costs_two_cycles_when_nothing_is_outstanding),
        TIMED_TEST(patterns_3_and_4_pass_two_cycles_after_the_post),
        TIMED_TEST(a_met_condition_stays_met),
        TIMED_TEST(pattern_7_waits_for_the_cores_write),
        TIMED_TEST(patterns_5_6_and_8_wait_for_the_last_unit),
        TIMED_TEST(what_a_wait_does_not_block_passes_until_something_is_blocked),
        TIMED_TEST(replays_pass_alike_however_turns_end),
        TIMED_TEST(only_what_stays_in_the_tile_passes_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
