/* Performance counters: modes, edges, what they count. Sources: tile/perf_counters.h. */
#include "isa/tensix_isa.h"
#include "tile/fixture.h"

/* An instruction without its fields. */
#define WORD(name) ((uint32_t)TENSIX_OPCODE_##name << 24)

enum { B = BH_CORE_B, T1 = BH_CORE_T1 };
enum { INSTRN = 0xFFB12000, UNPACK = 0xFFB1200C, FPU = 0xFFB12018, L1 = 0xFFB12030, PACK = 0xFFB120F0 };
enum { OUT_INSTRN = 0xFFB12100, OUT_UNPACK = 0xFFB12108, OUT_PACK = 0xFFB12110, OUT_L1 = 0xFFB12118 };
enum { OUT_FPU = 0xFFB12120, ALL = 0xFFB1203C, MUX = 0xFFB12218 };
enum { MODE = 4, CONTROL = 8, EVENTS = 4, START = 1, STOP = 2 };
enum { THREAD_INSTRUCTIONS_0 = 256, THREAD_INSTRUCTIONS_1 = 264, THREAD_INSTRUCTIONS_2 = 272 };

static void control(struct fixture *fixture, uint32_t bank, uint32_t value)
{
    store(fixture, B, bank + CONTROL, 0);
    store(fixture, B, bank + CONTROL, value);
}

static uint32_t count(struct fixture *fixture, uint32_t bank, uint32_t out, uint32_t select)
{
    store(fixture, B, bank + MODE, select << 8);
    return load(fixture, B, out + EVENTS);
}

static void execute(struct fixture *fixture, unsigned thread, uint32_t word)
{
    assert_int_equal(frontend_push(&fixture->tile.tensix, thread, word, 0, false), STEP_DONE);
}

static void the_reference_counter_counts_clocks(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->clock.now = 1000;
    control(fixture, FPU, START);
    fixture->state->clock.now = 1500;
    assert_int_equal(load(fixture, B, OUT_FPU), 500);
    fixture->state->clock.now = 1700;
    control(fixture, FPU, STOP);
    fixture->state->clock.now = 9000;
    assert_int_equal(load(fixture, B, OUT_FPU), 700);
    control(fixture, FPU, START);
    assert_int_equal(load(fixture, B, OUT_FPU), 0);
    assert_int_equal(load(fixture, B, OUT_INSTRN), 0);
}

static void only_rising_edges_start_and_stop(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, L1 + CONTROL, START);
    fixture->state->clock.now = 100;
    store(fixture, B, L1 + CONTROL, START);
    assert_int_equal(load(fixture, B, OUT_L1), 100);
    store(fixture, B, L1 + CONTROL, 0);
    fixture->state->clock.now = 150;
    assert_int_equal(load(fixture, B, OUT_L1), 150);
    store(fixture, B, L1 + CONTROL, STOP);
    fixture->state->clock.now = 200;
    store(fixture, B, L1 + CONTROL, STOP);
    assert_int_equal(load(fixture, B, OUT_L1), 150);
    store(fixture, B, L1 + CONTROL, START);
    fixture->state->clock.now = 230;
    assert_int_equal(load(fixture, B, OUT_L1), 30);
}

static void a_reference_period_stops_the_bank(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, PACK, 300);
    store(fixture, B, PACK + MODE, 1);
    control(fixture, PACK, START);
    fixture->state->clock.now = 299;
    assert_int_equal(load(fixture, B, OUT_PACK), 299);
    fixture->state->clock.now = 10000;
    store(fixture, B, PACK + MODE, 0); /* too late to go on */
    fixture->state->clock.now = 20000;
    assert_int_equal(load(fixture, B, OUT_PACK), 300);
    assert_int_equal(fixture->state->tensix.issue.wanted, 0);
}

static void mode_2_keeps_no_reference(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, FPU + MODE, 2);
    control(fixture, FPU, START);
    execute(fixture, 1, WORD(SFPNOP));
    fixture->state->clock.now = 400;
    assert_int_equal(load(fixture, B, OUT_FPU), 0);
    store(fixture, B, FPU + MODE, 1 << 8 | 2);
    assert_int_equal(load(fixture, B, OUT_FPU + EVENTS), 1);
}

static void one_register_starts_and_stops_two_banks(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, ALL, START);
    fixture->state->clock.now = 64;
    assert_int_equal(load(fixture, B, OUT_FPU), 64);
    assert_int_equal(load(fixture, B, OUT_INSTRN), 64);
    assert_int_equal(load(fixture, B, OUT_UNPACK), 0);
    assert_int_equal(load(fixture, B, OUT_PACK), 0);
    assert_int_equal(load(fixture, B, OUT_L1), 0);
    store(fixture, B, ALL, STOP);
    fixture->state->clock.now = 128;
    assert_int_equal(load(fixture, B, OUT_FPU), 64);
    assert_int_equal(load(fixture, B, OUT_INSTRN), 64);
}

/* Instructions of each thread by unit, including those expanded from MOP and REPLAY, without MOP and REPLAY themselves
   and instructions that are only recorded. */
static void instructions_are_counted_where_they_execute(void **context)
{
    struct fixture *fixture = *context;
    execute(fixture, 0, WORD(DMANOP)); /* pushed before the counters start, although still in the FIFO */
    control(fixture, INSTRN, START);
    control(fixture, FPU, START);
    control(fixture, UNPACK, START);
    for (unsigned i = 0; i < 3; i++) {
        execute(fixture, 0, WORD(DMANOP));
    }
    execute(fixture, 1, WORD(REPLAY) | 2 << 4 | 1); /* load two */
    execute(fixture, 1, WORD(SFPNOP));
    execute(fixture, 1, WORD(SETRWC));
    execute(fixture, 1, WORD(REPLAY) | 2 << 4);
    execute(fixture, 1, WORD(REPLAY) | 1 << 4);
    execute(fixture, 2, WORD(SEMPOST));
    execute(fixture, 2, WORD(NOP));
    execute(fixture, 2, WORD(SETC16));
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, THREAD_INSTRUCTIONS_0), 3);
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, THREAD_INSTRUCTIONS_1), 3);
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, THREAD_INSTRUCTIONS_2), 3);
    assert_int_equal(fixture->state->diagnostics.count, 0); /* hardware counts these, so no warning */
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, THREAD_INSTRUCTIONS_1 + 7), 3);
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, 6), 3);  /* THCON_INSTRN_AVAILABLE_0 */
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, 7), 0);  /* ..._1 */
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, 5), 1);  /* SYNC_INSTRN_AVAILABLE_2 */
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, 2), 1);  /* CFG_INSTRN_AVAILABLE_2 */
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, 16), 3); /* MATH_INSTRN_AVAILABLE_1 */
    assert_int_equal(count(fixture, FPU, OUT_FPU, 0), 1);
    assert_int_equal(count(fixture, FPU, OUT_FPU, 1), 2);
    assert_int_equal(count(fixture, FPU, OUT_FPU, 257), 3);
    assert_int_equal(count(fixture, UNPACK, OUT_UNPACK, 3), 3);
    control(fixture, INSTRN, STOP);
    execute(fixture, 0, WORD(DMANOP));
    tensix_drain(&fixture->tile.tensix);
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, THREAD_INSTRUCTIONS_0), 3);
    control(fixture, INSTRN, START);
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, THREAD_INSTRUCTIONS_0), 0);
}

/* While counters run, instructions take another path through the frontend. */
static void counting_changes_nothing(void **context)
{
    struct fixture *fixture = *context;
    struct tensix_state *states[2] = {test_malloc(sizeof **states), test_malloc(sizeof **states)};
    for (unsigned counted = 0; counted < 2; counted++) {
        struct tensix_state *state = &fixture->state->tensix;
        tensix_reset(state);
        control(fixture, INSTRN, counted ? START : STOP);
        execute(fixture, 1, WORD(REPLAY) | 3 << 4 | 1);
        execute(fixture, 1, WORD(SFPLOADI) | 1 << 20 | 2 << 16 | 5);
        execute(fixture, 1, WORD(SFPIADD) | 7 << 12 | 1 << 8 | 2 << 4 | 5);
        execute(fixture, 1, WORD(INCRWC) | 1 << 6);
        for (unsigned i = 0; i < 20; i++) {
            execute(fixture, 1, WORD(REPLAY) | 3 << 4);
        }
        tensix_drain(&fixture->tile.tensix);
        assert_int_equal(state->frontend[1].passed, 60);
        state->issue = (struct issue_counts){};
        memcpy(states[counted], state, sizeof *state);
    }
    assert_memory_equal(states[0], states[1], sizeof **states);
    test_free(states[0]);
    test_free(states[1]);
}

static void assert_warned(struct fixture *fixture, const char *part)
{
    struct diagnostics *diagnostics = &fixture->state->diagnostics;
    assert_int_equal(diagnostics->count, 1);
    assert_int_equal(diagnostics->entries[0].category, BH_NON_CONTRACTUAL);
    assert_non_null(strstr(diagnostics->entries[0].text, part));
    diagnostics->count = 0;
}

/* tt-llk names counters of XSEARCH instructions, a class of which Blackhole has none. */
static void counters_of_no_instruction_stay_zero(void **context)
{
    struct fixture *fixture = *context;
    control(fixture, INSTRN, START);
    for (uint32_t i = 9; i < 12; i++) {
        assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, i), 0);
    }
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

static void what_is_not_counted_is_said(void **context)
{
    struct fixture *fixture = *context;
    control(fixture, L1, START);
    store(fixture, B, MUX, 4 << 4);
    assert_int_equal(count(fixture, L1, OUT_L1, 258), 0);
    assert_warned(fixture, "PACKER_IF_1_TAG_SEARCH_GRANT of L1 reads as 0");
    assert_int_equal(count(fixture, FPU, OUT_FPU, 1), 0);
    assert_warned(fixture, "SFPU_COUNTER of FPU counts instructions");
    assert_int_equal(count(fixture, INSTRN, OUT_INSTRN, 62), 0);
    assert_warned(fixture, "0x03e of INSTRN_THREAD is documented nowhere");
    store(fixture, B, UNPACK + MODE, 0x55);
    assert_warned(fixture, "there are modes 0, 1 and 2");
    assert_refused(fixture, mmio_store(&fixture->tile, MMIO_COPROCESSOR, FPU + CONTROL, 4, START), BH_UNSUPPORTED,
                   "an instruction of the coprocessor");
    store(fixture, B, FPU + CONTROL, START | STOP);
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_UNPREDICTABLE_VALUE);
    fixture->state->clock.now += 10;
    assert_int_equal(load(fixture, B, OUT_FPU), 0);
}

static uint32_t shown(struct fixture *fixture, unsigned chain, unsigned place, unsigned word)
{
    store(fixture, MMIO_NOC, 0xFFB12054, 1u << 29 | word << 25 | chain << 16 | place);
    return load(fixture, MMIO_NOC, 0xFFB1205C);
}

static void the_daisychain_shows_them(void **context)
{
    struct fixture *fixture = *context;
    control(fixture, UNPACK, START);
    control(fixture, PACK, START);
    control(fixture, FPU, START);
    execute(fixture, 1, WORD(SETRWC));
    tensix_drain(&fixture->tile.tensix);
    fixture->state->clock.now = 70;
    assert_int_equal(shown(fixture, 5, 6, 0), 70); /* issue_dbg3: MATH_INSTRN_STARTED */
    assert_int_equal(shown(fixture, 5, 6, 1), 1);
    assert_int_equal(shown(fixture, 5, 6, 3), 0);
    assert_int_equal(shown(fixture, 4, 18, 0), 70); /* issue_dbg16: MATH_NOT_SCOREBOARD_STALLED, of grants */
    assert_int_equal(shown(fixture, 4, 18, 2), 1);
    assert_int_equal(shown(fixture, 7, 0, 0), 70); /* fpu_dbg0 */
    assert_int_equal(shown(fixture, 7, 0, 1), 1);
    assert_int_equal(shown(fixture, 7, 2, 0), 0); /* L1: does not run */
    assert_int_equal(shown(fixture, 1, 1, 1), 0); /* THREAD_STALLS_2 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_reference_counter_counts_clocks),
        TEST(only_rising_edges_start_and_stop),
        TEST(a_reference_period_stops_the_bank),
        TEST(mode_2_keeps_no_reference),
        TEST(one_register_starts_and_stops_two_banks),
        TEST(instructions_are_counted_where_they_execute),
        TEST(counting_changes_nothing),
        TEST(counters_of_no_instruction_stay_zero),
        TEST(what_is_not_counted_is_said),
        TEST(the_daisychain_shows_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
