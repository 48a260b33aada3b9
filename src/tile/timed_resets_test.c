/* Cores that put others of their tile into reset and let them go again, in timed mode: clocks do not depend on how far
   those have computed ahead, nor on where turns end. */
#include "rv32/rv32.h"
#include "rv32/timed.h"
#include "tile/timed_fixture.h"

enum { B = BH_CORE_B, T1 = BH_CORE_T1, PROGRAM = 0x1000, T1_PROGRAM = 0x2000, T1_RESET_PC = 0xA000 };
enum { DATA = 0x20000, OTHER_LINE = DATA + 64, WRITES = 5, FETCH = 30 };
enum { HOLD = 5, LET_GO = 6, VALUE = 7, NOTED = 8, ADDRESS = 10 };
enum { ALL_HELD = 0x47800, T1_HELD = 1 << 13 };
#define DEBUG_BASE 0xFFB12000u

static uint32_t load_word(unsigned rd, unsigned base, unsigned offset)
{
    return rv32_instructions[RV32_OP_LW].match | offset << 20 | base << 15 | rd << 7;
}

static uint32_t store_word(unsigned source, unsigned base, unsigned offset)
{
    return rv32_instructions[RV32_OP_SW].match | (offset >> 5) << 25 | source << 20 | base << 15 | (offset & 31) << 7;
}

static uint32_t add(unsigned rd, unsigned rs, unsigned value)
{
    return rv32_instructions[RV32_OP_ADDI].match | value << 20 | rs << 15 | rd << 7;
}

static uint32_t load_upper(unsigned rd, uint32_t value)
{
    return rv32_instructions[RV32_OP_LUI].match | value | rd << 7;
}

static uint32_t jump_back(void) /* by an instruction */
{
    return rv32_instructions[RV32_OP_JAL].match | 0xffdff000;
}

/* The core is out of reset from now on, with registers for the program. */
static void begin(struct fixture *fixture, unsigned core, uint32_t address, const uint32_t *program, uint32_t size)
{
    l1_write(&fixture->tile.l1, address, program, size);
    uint32_t *soft_reset = &fixture->state->registers.debug[(MMIO_ADDRESS_SOFT_RESET_0 - DEBUG_BASE) / 4];
    *soft_reset &= core == T1 ? ~(uint32_t)T1_HELD : ~(1u << 11);
    rv32_reset(&fixture->state->core[core], address);
    uint32_t *x = fixture->state->core[core].x;
    x[HOLD] = *soft_reset | T1_HELD;
    x[LET_GO] = *soft_reset & ~(uint32_t)T1_HELD;
    x[VALUE] = 42;
    x[ADDRESS] = core == B ? DEBUG_BASE : DATA;
}

static void pass(struct fixture *fixture, uint32_t cycles)
{
    const struct tile_span span = {.cycles = cycles, .longest = TILE_QUANTUM};
    struct tile_turn turn;
    tile_run_timed(&fixture->tile, &span, &turn);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

enum { SOFT_RESET = MMIO_ADDRESS_SOFT_RESET_0 & 0xfff, WALL_CLOCK = MMIO_ADDRESS_WALL_CLOCK_L & 0xfff };

/* T1 computes, and has done so up to RV32_AHEAD cycles ahead. B holds it and lets it go within its turn. */
static void a_core_begins_when_it_is_let_go(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t computes[] = {add(NOTED, NOTED, 1), jump_back()};
    const uint32_t notes[] = {load_upper(ADDRESS, DEBUG_BASE), load_word(NOTED, ADDRESS, WALL_CLOCK),
                              rv32_instructions[RV32_OP_JAL].match};
    const uint32_t resets[] = {store_word(HOLD, ADDRESS, SOFT_RESET), store_word(LET_GO, ADDRESS, SOFT_RESET),
                               rv32_instructions[RV32_OP_JAL].match};
    l1_write(&fixture->tile.l1, T1_RESET_PC, notes, sizeof notes);
    begin(fixture, T1, T1_PROGRAM, computes, sizeof computes);
    pass(fixture, 100);
    begin(fixture, B, PROGRAM, resets, sizeof resets);
    pass(fixture, 100);
    assert_in_range(fixture->state->core[T1].x[NOTED], START + 100, START + 100 + 2 * FETCH);
}

/* T1 stores to L1, and to its own RAM long afterwards: it is held in between, so that the latter does not let the
   former go. `ahead`: T1 has executed both. */
static uint64_t seen_after_reset(struct fixture *fixture, bool ahead)
{
    const uint32_t stores[] = {
        store_word(VALUE, ADDRESS, 0), ahead ? add(VALUE, VALUE, 1) : rv32_instructions[RV32_OP_JAL].match,
        add(VALUE, VALUE, 1),          add(VALUE, VALUE, 1),
        add(VALUE, VALUE, 1),          load_upper(ADDRESS, 0xFFB00000),
        store_word(VALUE, ADDRESS, 0), rv32_instructions[RV32_OP_JAL].match};
    const uint32_t program = T1_PROGRAM + (ahead ? RV32_FETCH_BYTES : 0), line = program / RV32_FETCH_BYTES;
    begin(fixture, T1, program, stores, sizeof stores);
    uint64_t since = fixture->state->clock.now;
    fixture->state->timing[T1] = (struct rv32_timing){0};
    fixture->state->timing[T1].fetched[line % rv32_fetch_lines(&fixture->state->core[T1])] = RV32_FETCHED(line);
    l1_write(&fixture->tile.l1, DATA, (uint32_t[1]){0}, 4);
    pass(fixture, 3);
    store(fixture, MMIO_NOC, MMIO_ADDRESS_SOFT_RESET_0, fixture->state->core[T1].x[HOLD]);
    while (l1_load32(&fixture->tile.l1, DATA) == 0) {
        pass(fixture, 1);
        assert_true(fixture->state->clock.now < since + 100);
    }
    return fixture->state->clock.now - since;
}

static void a_store_is_seen_soon_after_the_reset_of_its_core(void **context)
{
    uint64_t seen = seen_after_reset(*context, false);
    assert_in_range(seen, 3 + WRITES, 3 + WRITES + 1);
    assert_int_equal(seen_after_reset(*context, true), seen);
}

/* A store that waits for others in the queue when its core is reset: what that stores afterwards, to another line, does
   not join it. */
static void nothing_joins_a_store_from_before_the_reset(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t stores[] = {store_word(VALUE, ADDRESS, 0), rv32_instructions[RV32_OP_JAL].match};
    const uint32_t again[] = {load_upper(ADDRESS, DATA), store_word(ADDRESS, ADDRESS, OTHER_LINE - DATA + 4),
                              rv32_instructions[RV32_OP_JAL].match};
    l1_write(&fixture->tile.l1, OTHER_LINE + 4, (uint32_t[1]){7}, 4);
    l1_write(&fixture->tile.l1, T1_RESET_PC, again, sizeof again);
    begin(fixture, T1, T1_PROGRAM, stores, sizeof stores);
    pass(fixture, 9); /* of them eight until it is fetched */
    store(fixture, MMIO_NOC, MMIO_ADDRESS_SOFT_RESET_0, fixture->state->core[T1].x[HOLD]);
    store(fixture, MMIO_NOC, MMIO_ADDRESS_SOFT_RESET_0, fixture->state->core[T1].x[LET_GO]);
    pass(fixture, 15);
    assert_int_equal(l1_load32(&fixture->tile.l1, DATA + 4), 0);
    for (unsigned cycle = 0; cycle < 100; cycle++) {
        pass(fixture, 1);
        assert_int_equal(l1_load32(&fixture->tile.l1, DATA + 4), 0);
    }
    assert_int_equal(l1_load32(&fixture->tile.l1, DATA), 42);
    assert_int_equal(l1_load32(&fixture->tile.l1, OTHER_LINE + 4), DATA);
}

/* What a core has computed ahead does not count if it is held before. */
static void a_held_core_is_not_busy(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t computes[] = {add(NOTED, NOTED, 1), jump_back()};
    begin(fixture, T1, T1_PROGRAM, computes, sizeof computes);
    pass(fixture, 100);
    store(fixture, MMIO_NOC, MMIO_ADDRESS_SOFT_RESET_0, fixture->state->core[T1].x[HOLD]);
    pass(fixture, 1);
    assert_int_equal(fixture->state->busy_until, START + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(a_core_begins_when_it_is_let_go),
        TIMED_TEST(a_store_is_seen_soon_after_the_reset_of_its_core),
        TIMED_TEST(nothing_joins_a_store_from_before_the_reset),
        TIMED_TEST(a_held_core_is_not_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
