/* What ends a quantum, and a slice of one. */
#include "chip/rv32_words.h"
#include "isa/tensix_isa.h"
#include "tile/fixture.h"

enum { THREAD = 1, LENGTH = 20, INCRWC_1 = TENSIX_OPCODE_INCRWC << 24 | 1 << 14 };

static void push(struct fixture *fixture, uint32_t word)
{
    assert_int_equal(frontend_push(&fixture->tile.tensix, THREAD, word, 0, false), STEP_DONE);
}

static uint32_t replay(bool load)
{
    return (uint32_t)TENSIX_OPCODE_REPLAY << 24 | LENGTH << 4 | load;
}

/* At most one instruction a cycle leaves a frontend, on the average: a REPLAY that has begun ends in the same quantum,
   and what is too much then is taken off those that follow. */
static void a_replay_beyond_a_quantum_is_taken_off_the_next(void **context)
{
    struct fixture *fixture = *context;
    const struct frontend *frontend = &fixture->state->tensix.frontend[THREAD];
    push(fixture, replay(true));
    for (unsigned i = 0; i < LENGTH; i++) {
        push(fixture, INCRWC_1);
    }
    push(fixture, replay(false));
    push(fixture, replay(false));
    static const struct {
        uint32_t cycles, passed;
    } quanta[] = {{10, LENGTH}, {5, LENGTH}, {5, LENGTH}, {1, 2 * LENGTH}};
    for (unsigned i = 0; i < sizeof quanta / sizeof *quanta; i++) {
        assert_int_equal(tile_run(&fixture->tile, quanta[i].cycles), TILE_RUNNING);
        assert_int_equal(frontend->passed, quanta[i].passed);
        assert_int_equal(fixture->state->tensix.addr.rwc[THREAD].dst, quanta[i].passed);
    }
    assert_true(frontend_idle(frontend));
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

enum { CODE = 0x4000, OUT = 0x20000, VALUE = 10, FOUND = 11, WAITED = 100, ALL_BUT_B_AND_T0 = 0x46000 };
enum { SEMAPHORES_AT = 0xFFE80020, DONE_CHECK_AT = 0xFFE80004 };

static void put_constant(uint32_t **program, unsigned rd, uint32_t value)
{
    *(*program)++ = lui(rd, value + 0x800);
    *(*program)++ = addi(rd, rd, (int32_t)(value << 20) >> 20);
}

static void put_load(uint32_t **program, uint32_t address)
{
    put_constant(program, FOUND, address);
    *(*program)++ = lw(VALUE, FOUND, 0);
}

static void put_store(uint32_t **program, uint32_t address)
{
    put_constant(program, FOUND, address);
    *(*program)++ = sw(VALUE, FOUND, 0);
}

/* Does nothing for so many cycles. */
static void put_nops(uint32_t **program, unsigned cycles)
{
    for (unsigned i = 0; i < cycles; i++) {
        *(*program)++ = addi(0, 0, 0);
    }
}

static void put_push(uint32_t **program, uint32_t word)
{
    *(*program)++ = word << 2 | word >> 30; /* .ttinsn */
}

/* A core has a program, which ends in a jump to itself, from the begin of the next quantum on. */
static void start(struct fixture *fixture, unsigned core, const uint32_t *program, const uint32_t *end)
{
    static const uint32_t self_jump = SELF_JUMP;
    uint32_t at = CODE + core * 0x1000, size = (uint32_t)(end - program) * 4;
    l1_write(&fixture->tile.l1, at, program, size);
    l1_write(&fixture->tile.l1, at + size, &self_jump, sizeof self_jump);
    rv32_reset(&fixture->state->core[core], at);
}

static uint32_t found(const struct fixture *fixture, unsigned core)
{
    uint32_t word;
    memcpy(&word, fixture->state->l1 + OUT + 4 * core, sizeof word);
    return word;
}

/* Core T0 pushes, and waits for its thread, within its turn. Core T1 has its turn after that: it sees nothing of it
   before that cycle, and all of it after that. */
static void what_a_core_pushes_is_done_when_others_are_as_far(void **context)
{
    struct fixture *fixture = *context;
    uint32_t pushing[200], looking[400], *push = pushing, *look = looking;
    put_nops(&push, WAITED);
    put_push(&push, (uint32_t)TENSIX_OPCODE_SEMINIT << 24 | 15u << 20 | 7u << 16 | 1u << 2);
    put_load(&push, DONE_CHECK_AT);
    put_nops(&look, WAITED - 40);
    put_load(&look, SEMAPHORES_AT);
    put_store(&look, OUT);
    put_nops(&look, 2 * 40);
    put_load(&look, SEMAPHORES_AT);
    put_store(&look, OUT + 4);
    start(fixture, BH_CORE_T0, pushing, push);
    start(fixture, BH_CORE_T1, looking, look);
    assert_int_equal(tile_run(&fixture->tile, TILE_QUANTUM), TILE_RUNNING);
    assert_int_equal(found(fixture, 0), 0);
    assert_int_equal(found(fixture, 1), 7);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

/* The push that waits is its core's next instruction: nothing is lost, or done twice, and it costs no time. */
static void a_push_that_is_held_executes_once(void **context)
{
    struct fixture *fixture = *context;
    uint32_t program[200], nops[1], *end = program, *none = nops;
    put_nops(&end, 10);
    put_push(&end, INCRWC_1);
    put_push(&end, INCRWC_1);
    put_nops(&end, WAITED);
    start(fixture, BH_CORE_T1, program, end);
    start(fixture, BH_CORE_T2, nops, none);
    (void)tile_run(&fixture->tile, 11 + WAITED / 2);
    assert_int_equal(fixture->state->core[BH_CORE_T1].instret, 11 + WAITED / 2);
    assert_int_equal(fixture->state->tensix.addr.rwc[1].dst, 2);
    assert_false(fixture->state->core[BH_CORE_T1].waiting);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

/* A core begins at the time at which another one lets it out of reset, if its turn is still to come. */
static void a_core_begins_when_it_is_started(void **context)
{
    struct fixture *fixture = *context;
    uint32_t starting[200], started[20], *b = starting, *t = started;
    put_nops(&b, WAITED);
    put_constant(&b, VALUE, ALL_BUT_B_AND_T0);
    put_store(&b, MMIO_ADDRESS_SOFT_RESET_0);
    put_load(&t, MMIO_ADDRESS_WALL_CLOCK_L);
    put_store(&t, OUT);
    start(fixture, BH_CORE_T0, started, t);
    fixture->state->core[BH_CORE_T0].halt = RV32_IN_RESET;
    store(fixture, MMIO_NOC, MMIO_ADDRESS_SOFT_RESET_0, ALL_BUT_B_AND_T0 | 1u << 12);
    store(fixture, MMIO_NOC, MMIO_ADDRESS_TRISC0_RESET_PC, CODE + BH_CORE_T0 * 0x1000);
    store(fixture, MMIO_NOC, MMIO_ADDRESS_TRISC_RESET_PC_OVERRIDE, 1);
    start(fixture, BH_CORE_B, starting, b);
    assert_int_equal(tile_run(&fixture->tile, TILE_QUANTUM), TILE_RUNNING);
    assert_in_range(found(fixture, 0), WAITED, WAITED + 20);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_replay_beyond_a_quantum_is_taken_off_the_next),
        TEST(what_a_core_pushes_is_done_when_others_are_as_far),
        TEST(a_push_that_is_held_executes_once),
        TEST(a_core_begins_when_it_is_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
