/* What shows a core the time in timed mode: between two readings are as many cycles as the instructions between take.
   Sources: ISA documentation BabyRISCV/README.md (a division takes 6 cycles in EX1), CSRs.md, CycleCounters.md,
   DebugTimestamper.md; registers: tt-metal's kernel_profiler.hpp and tt-llk's profiler.h read WALL_CLOCK_L and _H. */
#include "rv32/rv32.h"
#include "rv32/timed.h"
#include "tensix/units/pack/writes.h"
#include "tile/timed_fixture.h"
#include "time/timing.h"

enum { B = BH_CORE_B, PROGRAM = 0x1000, BUFFER = 0x20000 };
enum { ZERO = 0, FIRST = 5, SECOND = 6, QUOTIENT = 7, DIVISOR = 8, REGISTER = 10, EVENT = 11 };
enum { MCYCLE = 0xB00, MINSTRET = 0xB02, CYCLE = 0xC00, INSTRET = 0xC02 };
enum { WALL_CLOCK_L = 0xFFB121F0, FPU_CONTROL = 0xFFB12020, FPU_OUT_L = 0xFFB12120, WDT = 0xFFB121E0 };
enum { WDT_CNTL = 0xFFB121E4 };

static uint32_t load_word(unsigned rd, unsigned base)
{
    return rv32_instructions[RV32_OP_LW].match | base << 15 | rd << 7;
}

static uint32_t store_word(unsigned source, unsigned base)
{
    return rv32_instructions[RV32_OP_SW].match | source << 20 | base << 15;
}

static uint32_t read_csr(unsigned rd, uint32_t csr)
{
    return rv32_instructions[RV32_OP_CSRRS].match | csr << 20 | rd << 7;
}

static uint32_t divide(void)
{
    return rv32_instructions[RV32_OP_DIVU].match | DIVISOR << 20 | DIVISOR << 15 | QUOTIENT << 7;
}

/* Core B executes `first`, a division, and `second` at `address`, and stops in a loop. */
static void run_at(struct fixture *fixture, uint32_t address, uint32_t first, uint32_t second)
{
    const uint32_t program[] = {first, divide(), second, rv32_instructions[RV32_OP_JAL].match};
    struct rv32_core *core = &fixture->state->core[B];
    const struct tile_span span = {.cycles = 400, .longest = TILE_QUANTUM};
    struct tile_turn turn;
    l1_write(&fixture->tile.l1, address, program, sizeof program);
    core->pc = address;
    core->halt = RV32_RUNNING;
    core->x[DIVISOR] = 7;
    tile_run_timed(&fixture->tile, &span, &turn);
    assert_int_equal(core->pc, address + 12);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

/* From one reading of a register to the next one: a cycle of the load, and those of the division. */
static uint32_t passed(struct fixture *fixture, uint32_t address)
{
    struct rv32_core *core = &fixture->state->core[B];
    core->x[REGISTER] = address;
    run_at(fixture, PROGRAM, load_word(FIRST, REGISTER), load_word(SECOND, REGISTER));
    return core->x[SECOND] - core->x[FIRST];
}

enum { DIVISION = 1 + TIMING_RV32_DIVIDE };

static void the_wall_clock_counts_cycles(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(passed(fixture, WALL_CLOCK_L), DIVISION);
    assert_true(fixture->state->core[B].x[FIRST] >= START);
}

static void reference_counters_count_cycles(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, FPU_CONTROL, 1);
    assert_int_equal(passed(fixture, FPU_OUT_L), DIVISION);
}

static void the_watchdog_counts_cycles_down(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, WDT, 100000);
    store(fixture, B, WDT_CNTL, 1);
    assert_int_equal(passed(fixture, WDT), -(uint32_t)DIVISION);
}

/* An instruction for a CSR has retired before the next one enters EX1. */
static void mcycle_counts_cycles_and_minstret_instructions(void **context)
{
    static const struct {
        uint32_t csr, passed;
    } cases[] = {{MCYCLE, 4 + TIMING_RV32_DIVIDE}, {CYCLE, 4 + TIMING_RV32_DIVIDE}, {MINSTRET, 2}, {INSTRET, 2}};
    struct fixture *fixture = *context;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv32_core *core = &fixture->state->core[B];
        run_at(fixture, PROGRAM + 0x100 * i, read_csr(FIRST, cases[i].csr), read_csr(SECOND, cases[i].csr));
        assert_int_equal(core->x[SECOND] - core->x[FIRST], cases[i].passed);
    }
}

/* Two events of 64 bits, whose second words are when they were written. */
static void timestamps_are_cycles(void **context)
{
    enum { EVENT_64 = 1 };
    struct fixture *fixture = *context;
    struct rv32_core *core = &fixture->state->core[B];
    *debug_word(&fixture->tile, MMIO_ADDRESS_TIMESTAMP_BUF0_START) = BUFFER / 16;
    *debug_word(&fixture->tile, MMIO_ADDRESS_TIMESTAMP_BUF0_END) = BUFFER / 16 + 1;
    *debug_word(&fixture->tile, MMIO_ADDRESS_TIMESTAMP_CNTL) = 1;
    core->x[REGISTER] = MMIO_ADDRESS_TIMESTAMP;
    core->x[EVENT] = EVENT_64;
    run_at(fixture, PROGRAM, store_word(EVENT, REGISTER), store_word(EVENT, REGISTER));
    uint32_t events[4];
    memcpy(events, l1_read(&fixture->tile.l1, (struct actor){.agent = BH_AGENT_HOST}, BUFFER, sizeof events),
           sizeof events);
    assert_int_equal(events[3] - events[1], DIVISION);
}

static void instructions_of_the_coprocessor_see_the_time_of_their_thread(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->diagnostics.now.agent = BH_AGENT_THREAD;
    fixture->state->diagnostics.now.index = 1;
    fixture->state->tensix.timing.now[1] = START + 50;
    assert_int_equal(load(fixture, MMIO_COPROCESSOR, WALL_CLOCK_L), START + 50);
}

/* The packer has written a word to BUFFER, which is there at `time`. */
static void pack_word(struct fixture *fixture, uint32_t word, uint64_t time)
{
    struct tensix *tensix = &fixture->tile.tensix;
    memcpy(pack_begin_write(tensix, BUFFER, sizeof word), &word, sizeof word);
    pack_end_write(tensix, BUFFER, sizeof word);
    pack_writes_due(&tensix->state->timing.pack.writes, time);
}

static void what_is_packed_is_seen_when_it_arrives(void **context)
{
    struct fixture *fixture = *context;
    struct rv32_core *core = &fixture->state->core[B];
    core->x[REGISTER] = BUFFER;
    core->x[DIVISOR] = 7;
    pack_word(fixture, 42, START + TIMING_RV32_LOAD_L1 + 2);
    fixture->state->core[B].csr[RV32_CSR_cfg0] |= RV32_CFG0_DIS_LOW_CASH;
    run_at(fixture, PROGRAM, load_word(FIRST, REGISTER), load_word(SECOND, REGISTER));
    assert_int_equal(core->x[FIRST], 0);
    assert_int_equal(core->x[SECOND], 42);
}

static void a_tile_without_running_cores_waits_for_what_is_packed(void **context)
{
    struct fixture *fixture = *context;
    const struct tile_span span = {.cycles = 10, .longest = TILE_QUANTUM};
    struct tile_turn turn;
    pack_word(fixture, 42, START + 15);
    tile_run_timed(&fixture->tile, &span, &turn);
    assert_true(turn.active);
    assert_int_equal(l1_load32(&fixture->tile.l1, BUFFER), 0);
    tile_run_timed(&fixture->tile, &span, &turn);
    assert_false(turn.active);
    assert_int_equal(l1_load32(&fixture->tile.l1, BUFFER), 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(the_wall_clock_counts_cycles),
        TIMED_TEST(reference_counters_count_cycles),
        TIMED_TEST(the_watchdog_counts_cycles_down),
        TIMED_TEST(mcycle_counts_cycles_and_minstret_instructions),
        TIMED_TEST(timestamps_are_cycles),
        TIMED_TEST(instructions_of_the_coprocessor_see_the_time_of_their_thread),
        TIMED_TEST(what_is_packed_is_seen_when_it_arrives),
        TIMED_TEST(a_tile_without_running_cores_waits_for_what_is_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
