/* When the rest of a tile sees what a core stores to L1 in timed mode. Sources: ISA documentation
   BabyRISCV/MemoryOrdering.md (a store is emitted when it leaves the store queue, in order; a load of what the core has
   stored sees it), BabyRISCV/README.md and CSRs.md (a store to L1 waits for others to join it as long as the merge
   timer of cfg0 says, 16 cycles after a reset), L1.md (less than 16 bytes are written in five cycles); blackhole-py
   riscv_contention_bench.py (a load of a register behind a store lets it go: cores that wait for it begin 21 to 35
   cycles later). */
#include "rv32/rv32.h"
#include "rv32/timed.h"
#include "tile/timed_fixture.h"
#include "tile/timed_stores.h"

enum { B = BH_CORE_B, PROGRAM = 0x1000, DATA = 0x20000, OTHER_LINE = DATA + 64, MERGE_TIMER = 16, WRITES = 5 };
enum { VALUE = 5, LOADED = 6, ADDRESS = 10, OTHER = 11 };
enum { WALL_CLOCK_L = 0xFFB121F0 };

static uint32_t load_word(unsigned rd, unsigned base)
{
    return rv32_instructions[RV32_OP_LW].match | base << 15 | rd << 7;
}

static uint32_t store_word(unsigned source, unsigned base, unsigned offset)
{
    return rv32_instructions[RV32_OP_SW].match | source << 20 | base << 15 | offset << 7;
}

/* Core B begins at START with up to four instructions, behind which it stays in a loop. */
static void begin(struct fixture *fixture, const uint32_t instructions[4], uint32_t other)
{
    struct rv32_core *core = &fixture->state->core[B];
    uint32_t program[5];
    for (unsigned i = 0; i < 4; i++) {
        program[i] = instructions[i] ? instructions[i] : rv32_instructions[RV32_OP_ADDI].match; /* nop */
    }
    program[4] = rv32_instructions[RV32_OP_JAL].match;
    l1_write(&fixture->tile.l1, PROGRAM, program, sizeof program);
    /* the instruction cache has them, so that they follow each other without waiting */
    fixture->state->timing[B].fetched[PROGRAM / RV32_FETCH_BYTES % rv32_fetch_lines(core)] =
        RV32_FETCHED(PROGRAM / RV32_FETCH_BYTES);
    rv32_reset(core, PROGRAM);
    core->x[VALUE] = 42;
    core->x[ADDRESS] = DATA;
    core->x[OTHER] = other;
}

/* The word at `address` as all but core B see it `cycles` after the last look. */
static uint32_t after(struct fixture *fixture, uint32_t cycles, uint32_t address)
{
    const struct tile_span span = {.cycles = cycles, .longest = TILE_QUANTUM};
    struct tile_turn turn;
    tile_run_timed(&fixture->tile, &span, &turn);
    assert_int_equal(fixture->state->diagnostics.count, 0);
    return l1_load32(&fixture->tile.l1, address);
}

/* The store enters EX1 at START, and the queue a cycle later. */
static void a_store_is_seen_when_its_merge_timer_ends(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0)}, 0);
    assert_int_equal(after(fixture, 4, DATA), 0);
    assert_int_equal(after(fixture, MERGE_TIMER + WRITES - 3, DATA), 0);
    assert_int_equal(after(fixture, 1, DATA), 42);
}

static void a_shorter_merge_timer_shows_it_earlier(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0)}, 0);
    fixture->state->core[B].csr[RV32_CSR_cfg0] &= ~(31u << RV32_CFG0_ST_MERGE_TIMER);
    fixture->state->core[B].csr[RV32_CSR_cfg0] |= 3 << RV32_CFG0_ST_MERGE_TIMER;
    assert_int_equal(after(fixture, 4 + WRITES, DATA), 0);
    assert_int_equal(after(fixture, 1, DATA), 42);
}

static void a_store_that_joins_it_keeps_it_back(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0), 0, 0, store_word(VALUE, ADDRESS, 4)}, 0);
    assert_int_equal(after(fixture, MERGE_TIMER + 4 + WRITES, DATA), 0);
    assert_int_equal(l1_load32(&fixture->tile.l1, DATA + 4), 0);
    assert_int_equal(after(fixture, 1, DATA), 42);
    assert_int_equal(l1_load32(&fixture->tile.l1, DATA + 4), 42);
}

static void a_store_to_another_line_lets_it_go(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0), store_word(VALUE, OTHER, 0)}, OTHER_LINE);
    assert_int_equal(after(fixture, 4 + WRITES, DATA), 42);
    assert_int_equal(l1_load32(&fixture->tile.l1, OTHER_LINE), 0);
    assert_int_equal(after(fixture, MERGE_TIMER, OTHER_LINE), 42);
}

static void a_store_to_a_register_follows_it(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0), store_word(VALUE, OTHER, 0)},
          MMIO_ADDRESS_TDMA_XMOV_SRC_ADDR);
    assert_int_equal(after(fixture, 4, DATA), 42);
}

static void a_fence_lets_it_go(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0), rv32_instructions[RV32_OP_FENCE].match}, 0);
    assert_int_equal(after(fixture, 3, DATA), 0);
    assert_int_equal(after(fixture, 1 + WRITES, DATA), 42);
}

static void a_load_of_a_register_lets_it_go(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0), load_word(LOADED, OTHER)}, WALL_CLOCK_L);
    assert_int_equal(after(fixture, 3, DATA), 0);
    assert_int_equal(after(fixture, 1 + WRITES, DATA), 42);
}

static void a_load_of_l1_does_not(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0), load_word(LOADED, OTHER)}, OTHER_LINE);
    assert_int_equal(after(fixture, MERGE_TIMER + WRITES, DATA), 0);
    assert_int_equal(after(fixture, 2, DATA), 42);
}

static void all_of_a_line_is_written_in_a_cycle(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture,
          (uint32_t[4]){store_word(VALUE, ADDRESS, 0), store_word(VALUE, ADDRESS, 4), store_word(VALUE, ADDRESS, 8),
                        store_word(VALUE, ADDRESS, 12)},
          0);
    assert_int_equal(after(fixture, 4 + MERGE_TIMER, DATA), 0);
    assert_int_equal(after(fixture, 2, DATA), 42);
}

/* gdb shows what has been stored. */
static void who_looks_from_outside_can_see_it(void **context)
{
    struct fixture *fixture = *context;
    uint32_t copy = 0, behind = 7;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0)}, 0);
    assert_int_equal(after(fixture, 4, DATA), 0);
    stores_look(&fixture->tile, DATA, (uint8_t *)&copy, sizeof copy);
    stores_look(&fixture->tile, DATA + 4, (uint8_t *)&behind, sizeof behind);
    assert_int_equal(copy, 42);
    assert_int_equal(behind, 7);
    assert_true(stores_arrive(&fixture->tile, CLOCK_NEVER));
    assert_int_equal(l1_load32(&fixture->tile.l1, DATA), 42);
}

/* However many stores join it. */
static void a_counter_is_seen_now_and_then(void **context)
{
    const uint32_t add_one = rv32_instructions[RV32_OP_ADDI].match | 1 << 20 | VALUE << 15 | VALUE << 7;
    const uint32_t count[] = {store_word(VALUE, ADDRESS, 0), add_one, /* jal x0, -8 */ 0xFF9FF06F};
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){0}, 0);
    l1_write(&fixture->tile.l1, PROGRAM, count, sizeof count);
    uint32_t before = after(fixture, 200, DATA);
    assert_true(before > 42);
    assert_true(after(fixture, 100, DATA) > before);
}

/* A load that follows lets it go as well, but does not wait until others see it. */
static void the_core_itself_sees_it(void **context)
{
    struct fixture *fixture = *context;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0), load_word(LOADED, ADDRESS)}, 0);
    (void)after(fixture, 4, DATA);
    assert_int_equal(fixture->state->core[B].x[LOADED], 42);
}

/* Two stores to one place that are both on their way: what others see is never the older value behind the newer. */
static void stores_to_one_place_are_seen_in_order(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t program[4] = {store_word(VALUE, ADDRESS, 0), store_word(VALUE, OTHER, 0),
                                 store_word(ADDRESS, ADDRESS, 0), 0};
    begin(fixture, program, OTHER_LINE);
    uint32_t seen = 0;
    for (unsigned cycle = 0; cycle < 2 * MERGE_TIMER + 3 * WRITES + 20; cycle++) {
        uint32_t now = after(fixture, 1, DATA);
        assert_true(now == seen || (seen == 0 && now == 42) || (seen == 42 && now == DATA));
        seen = now;
    }
    assert_int_equal(seen, DATA);
}

/* A core that polls the word goes on when it is seen. */
static void another_core_polls_it_in_vain_so_long(void **context)
{
    enum { POLL = 0x2000, T0 = BH_CORE_T0 };
    struct fixture *fixture = *context;
    const uint32_t poll[] = {load_word(LOADED, ADDRESS), /* beq x6, x0, -4 */ 0xFE030EE3,
                             rv32_instructions[RV32_OP_CSRRS].match | 0xB00u << 20 | OTHER << 7,
                             rv32_instructions[RV32_OP_JAL].match};
    l1_write(&fixture->tile.l1, POLL, poll, sizeof poll);
    struct rv32_core *core = &fixture->state->core[T0];
    rv32_reset(core, POLL);
    core->x[ADDRESS] = DATA;
    begin(fixture, (uint32_t[4]){store_word(VALUE, ADDRESS, 0)}, 0);
    (void)after(fixture, 200, DATA);
    assert_int_equal(core->x[LOADED], 42);
    assert_in_range(core->x[OTHER], START + 1 + MERGE_TIMER + WRITES, START + 1 + MERGE_TIMER + WRITES + 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(a_store_is_seen_when_its_merge_timer_ends),
        TIMED_TEST(a_shorter_merge_timer_shows_it_earlier),
        TIMED_TEST(a_store_that_joins_it_keeps_it_back),
        TIMED_TEST(a_store_to_another_line_lets_it_go),
        TIMED_TEST(a_store_to_a_register_follows_it),
        TIMED_TEST(a_fence_lets_it_go),
        TIMED_TEST(a_load_of_a_register_lets_it_go),
        TIMED_TEST(a_load_of_l1_does_not),
        TIMED_TEST(all_of_a_line_is_written_in_a_cycle),
        TIMED_TEST(who_looks_from_outside_can_see_it),
        TIMED_TEST(a_counter_is_seen_now_and_then),
        TIMED_TEST(the_core_itself_sees_it),
        TIMED_TEST(stores_to_one_place_are_seen_in_order),
        TIMED_TEST(another_core_polls_it_in_vain_so_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
