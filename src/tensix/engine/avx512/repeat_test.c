/* A REPLAY that a MOP repeats, executed from generated code that goes round in a loop of its own, equals the same
   instructions executed one by one, as often: in LRegs, those that are configured among them, lane flags and their
   stack, Dst with its valid flags, counters, and random numbers. On hosts for which there is no generated code, all are
   executed one by one. */
#include "tensix/engine/fixture.h"

#include "tensix/units/addr/rwc.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/vector/parts.h"

enum { THREAD = 1, PROGRAMS = 1500, ROUNDS = 30, SHORTEST = 3, LONGEST = 10, MOST_REPETITIONS = 9 };
enum { MOP_LOOP = 0x01800000, NOTHING = TENSIX_OPCODE_NOP << 24 };

#define REPLAY_WORD(start, count, load) (0x04000000u | (start) << 14 | (count) << 4 | (load))

static uint32_t random_word(void)
{
    static const uint8_t opcodes[] = {
        TENSIX_OPCODE_SFPLOAD,   TENSIX_OPCODE_SFPSTORE,   TENSIX_OPCODE_INCRWC,   TENSIX_OPCODE_SFPCONFIG,
        TENSIX_OPCODE_SFPCONFIG, TENSIX_OPCODE_SFPIADD,    TENSIX_OPCODE_SFPNOT,   TENSIX_OPCODE_SFPLOADI,
        TENSIX_OPCODE_SFPSETSGN, TENSIX_OPCODE_SFPSETCC,   TENSIX_OPCODE_SFPENCC,  TENSIX_OPCODE_SFPSWAP,
        TENSIX_OPCODE_SFPSHFT,   TENSIX_OPCODE_SFPCOMPC,   TENSIX_OPCODE_SFPCAST,  TENSIX_OPCODE_SFP_STOCH_RND,
        TENSIX_OPCODE_SFPPUSHC,  TENSIX_OPCODE_SFPPOPC,    TENSIX_OPCODE_SFPMAD,   TENSIX_OPCODE_SFPADDI,
        TENSIX_OPCODE_SFPARECIP, TENSIX_OPCODE_SFPMUL24,   TENSIX_OPCODE_SFPEXEXP, TENSIX_OPCODE_SFPSETEXP,
        TENSIX_OPCODE_SFPXOR,    TENSIX_OPCODE_SFPLZ,      TENSIX_OPCODE_SFPSHFT2, TENSIX_OPCODE_SFPTRANSP,
        TENSIX_OPCODE_SFPLUT,    TENSIX_OPCODE_SFPLUTFP32,
    };
    enum { IN_ORDER = 10, ENABLE_BOTH = 0x300f, LREG_11 = 11 };
    uint32_t opcode = opcodes[random_bits() % COUNT_OF(opcodes)];
    uint32_t fields = random_bits() & tensix_dispatch[opcode].fields & 0xffffff;
    switch (opcode) {
    case TENSIX_OPCODE_SFPLOAD:
    case TENSIX_OPCODE_SFPSTORE: return opcode << 24 | (fields & ~0x800000u);
    case TENSIX_OPCODE_INCRWC: return opcode << 24 | (fields & 0x38000);
    case TENSIX_OPCODE_SFPCAST: return opcode << 24 | (fields & 0xf7f);
    case TENSIX_OPCODE_SFP_STOCH_RND: return opcode << 24 | (fields & 0xe0ff77);
    case TENSIX_OPCODE_SFPENCC:
        return opcode << 24 | (one_in(2) ? ENABLE_BOTH & ~15 & fields : fields & ENABLE_BOTH) |
               (one_in(2) ? IN_ORDER : 0);
    case TENSIX_OPCODE_SFPCONFIG: return opcode << 24 | (LREG_11 + random_bits() % 4) << 4;
    case TENSIX_OPCODE_SFPPUSHC:
    case TENSIX_OPCODE_SFPPOPC: return opcode << 24;
    case TENSIX_OPCODE_SFPLUT: return opcode << 24 | (fields & 0x7fffff);
    default: return opcode << 24 | (fields & ~0x80u);
    }
}

/* Mostly what is compiled. */
static uint32_t chosen_word(void)
{
    uint32_t word;
    struct vector_operation operation;
    do {
        word = random_word();
        operation = vector_decode(word);
    } while (!one_in(64) && (operation.kind == VECTOR_NOT_DECODED || operation.kind == VECTOR_BY_UNIT));
    return word;
}

/* Ends with as much on the stack as it begins with, as a rule. */
static void choose_words(uint32_t *words, uint32_t count)
{
    int level = 0;
    for (uint32_t i = 0; i < count; i++) {
        words[i] = level > 0 && (uint32_t)level >= count - i ? (uint32_t)TENSIX_OPCODE_SFPPOPC << 24 : chosen_word();
        level += (words[i] >> 24 == TENSIX_OPCODE_SFPPUSHC) - (words[i] >> 24 == TENSIX_OPCODE_SFPPOPC);
    }
}

static void choose_state(struct tensix_state *state)
{
    struct vector_unit *vector = &state->vector;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->prng[lane] = random_bits();
        for (unsigned lreg = 0; lreg < LREG_WRITABLE; lreg++) {
            vector->lreg[lreg][lane] = one_in(2) ? random_bits() : 0x3f800000 | (random_bits() & 0x80ffffff);
        }
    }
    vector->use_lane_flags = one_in(3) ? 0 : ALL_LANES;
    vector->lane_flags = one_in(2) ? ALL_LANES : random_bits();
    vector->stack_depth = random_bits() % 3;
    for (unsigned i = 0; i < SFPU_STACK; i++) {
        vector->stack[i] = (struct vector_flags){vector->use_lane_flags, random_bits(), 0};
    }
    for (unsigned row = 0; row < DST_ROWS; row++) {
        state->dst.valid[row] = !one_in(4);
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            state->dst.rows[row][column] = (uint16_t)random_bits();
        }
    }
    state->addr.rwc[THREAD].dst = random_bits() & RWC_DST_MASK & ~1u;
}

static void copy_state(const struct tensix_state *from, struct tensix_state *to)
{
    to->vector = from->vector;
    to->dst = from->dst;
    to->addr = from->addr;
}

static void load(struct fixture *fixture, const uint32_t *words, uint32_t count)
{
    frontend_push(&fixture->tensix, THREAD, REPLAY_WORD(0u, count, 1u), 0, false);
    for (uint32_t i = 0; i < count; i++) {
        frontend_push(&fixture->tensix, THREAD, words[i], 0, false);
    }
    frontend_drain(&fixture->tensix, THREAD);
}

static void repeat(struct fixture *fixture, uint32_t count, uint32_t times)
{
    uint32_t word = REPLAY_WORD(0u, count, 0u);
    const uint32_t config[] = {1, times, NOTHING, NOTHING, NOTHING, word, NOTHING, word, word};
    struct frontend *frontend = &fixture->state.frontend[THREAD];
    for (unsigned i = 0; i < COUNT_OF(config); i++) {
        frontend_write_mop_config(&fixture->tensix, THREAD, i, config[i]);
    }
    frontend_push(&fixture->tensix, THREAD, MOP_LOOP, 0, false);
    frontend->passed_limit = one_in(4) ? frontend->passed + 1 + random_bits() % (count * times) : 0;
    frontend_drain(&fixture->tensix, THREAD);
    frontend->passed_limit = 0;
    frontend_drain(&fixture->tensix, THREAD);
}

static void run_program(struct fixture *repeated, struct fixture *alone, const uint32_t *words, uint32_t count)
{
    load(repeated, words, count);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t times = 1 + random_bits() % MOST_REPETITIONS;
        if (round == 0 || one_in(4)) {
            choose_state(&alone->state);
        }
        copy_state(&alone->state, &repeated->state);
        repeat(repeated, count, times);
        for (uint32_t i = 0; i < count * times; i++) {
            assert_int_equal(tensix_execute(&alone->tensix, THREAD, words[i % count], 0), STEP_DONE);
        }
        repeated->diagnostics.count = alone->diagnostics.count = 0;
        assert_memory_equal(&alone->state.vector, &repeated->state.vector, sizeof alone->state.vector);
        assert_memory_equal(&alone->state.dst, &repeated->state.dst, sizeof alone->state.dst);
        assert_memory_equal(&alone->state.addr, &repeated->state.addr, sizeof alone->state.addr);
    }
}

static void repetitions_do_what_their_instructions_do(void **state)
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *repeated = *state, *alone = other;
    diagnostics_set_policy(&repeated->diagnostics, BH_POLICY_SILICON);
    diagnostics_set_policy(&alone->diagnostics, BH_POLICY_SILICON);
    uint32_t compiled = 0;
    for (unsigned program = 0; program < PROGRAMS; program++) {
        uint32_t words[LONGEST], count = SHORTEST + random_bits() % (LONGEST - SHORTEST + 1);
        choose_words(words, count);
        forget_traces(repeated);
        run_program(repeated, alone, words, count);
        compiled += count_code(repeated, false) != 0;
    }
    fixture_teardown(&other);
    assert_true(compiled >= (compiles(repeated, VECTOR_SUM) ? PROGRAMS / 2 : 0));
}

int main(void)
{
    seed = 0x1f83d9abfb41bd6b;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(repetitions_do_what_their_instructions_do, compiling_setup, compiling_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
