/* What the replay buffer executes from operations equals the same instructions executed one by one, as the issuing
   thread would without a replay buffer (ISA documentation REPLAY.md). */
#include "tensix/engine/fixture.h"

#include "tensix/units/dispatch.h"
#include "tensix/units/vector/words.h"

enum { THREAD = 1, PROGRAMS = 6000 };

#define REPLAY_WORD(start, count, load) (0x04000000u | (start) << 14 | (count) << 4 | (load))

/* Instructions that have operations, those that change which lanes are enabled, and some that have none. */
static uint32_t random_word(void)
{
    static const uint8_t opcodes[] = {
        TENSIX_OPCODE_SFPMAD,    TENSIX_OPCODE_SFPMAD,    TENSIX_OPCODE_SFPADD,    TENSIX_OPCODE_SFPMUL,
        TENSIX_OPCODE_SFPLOADI,  TENSIX_OPCODE_SFPMOV,    TENSIX_OPCODE_SFPIADD,   TENSIX_OPCODE_SFPIADD,
        TENSIX_OPCODE_SFPABS,    TENSIX_OPCODE_SFPAND,    TENSIX_OPCODE_SFPOR,     TENSIX_OPCODE_SFPXOR,
        TENSIX_OPCODE_SFPNOT,    TENSIX_OPCODE_SFPSHFT,   TENSIX_OPCODE_SFPEXEXP,  TENSIX_OPCODE_SFPEXMAN,
        TENSIX_OPCODE_SFPSETEXP, TENSIX_OPCODE_SFPSETMAN, TENSIX_OPCODE_SFPSETSGN, TENSIX_OPCODE_SFPDIVP2,
        TENSIX_OPCODE_SFPSETCC,  TENSIX_OPCODE_SFPENCC,   TENSIX_OPCODE_SFPLZ,     TENSIX_OPCODE_SFPADDI,
        TENSIX_OPCODE_SFPCOMPC,  TENSIX_OPCODE_SFPSWAP,   TENSIX_OPCODE_SFPMULI,   TENSIX_OPCODE_SFPADDI,
    };
    uint32_t opcode = opcodes[random_bits() % COUNT_OF(opcodes)];
    return opcode << 24 | (random_bits() & tensix_dispatch[opcode].fields & 0xffffff);
}

/* SFPCONFIG, mostly of the same few words by an immediate, so that one overwrites what the one before it wrote; with
   what depends on LaneConfig and lane flags between them. */
static uint32_t random_configuration(void)
{
    static const uint8_t targets[] = {4, 4, 5, 8, 11, 15, 15, 15};
    uint32_t word = (uint32_t)TENSIX_OPCODE_SFPCONFIG << 24 | (random_bits() & 0xffff) << 8;
    word |= (uint32_t)targets[random_bits() % COUNT_OF(targets)] << 4;
    return random_bits() % 8 == 0 ? random_word() : word | (random_bits() % 4 ? 1 : random_bits() & 0xf);
}

static void fill_randomly(struct fixture *alone, struct fixture *replayed)
{
    for (unsigned lreg = 0; lreg < 8; lreg++) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            uint32_t value = random_bits();
            value = value & 1 ? (value & 0x80ffffff) | 0x3f000000 : value;
            alone->state.vector.lreg[lreg][lane] = replayed->state.vector.lreg[lreg][lane] = value;
        }
    }
}

/* Both go on after what they diagnose. */
static void forget_diagnostics(struct fixture *fixture)
{
    fixture->diagnostics.count = 0;
    fixture->diagnostics.stopped = false;
}

static void replay_as_alone(void **state, uint32_t (*random)(void))
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *replayed = *state, *alone = other;
    diagnostics_set_policy(&replayed->diagnostics, BH_POLICY_SILICON);
    diagnostics_set_policy(&alone->diagnostics, BH_POLICY_SILICON);
    for (unsigned program = 0; program < PROGRAMS; program++) {
        uint32_t start = random_bits() % REPLAY_CAPACITY, count = 1 + random_bits() % REPLAY_CAPACITY;
        fill_randomly(alone, replayed);
        frontend_push(&replayed->tensix, THREAD, REPLAY_WORD(start, count & 31, 1), 0, false);
        uint32_t words[REPLAY_CAPACITY];
        for (unsigned i = 0; i < count; i++) {
            words[i] = random();
            frontend_push(&replayed->tensix, THREAD, words[i], 0, false);
        }
        for (unsigned round = 0; round < 3; round++) {
            frontend_push(&replayed->tensix, THREAD, REPLAY_WORD(start, count & 31, 0), 0, false);
            replayed->state.frontend[THREAD].passed_limit = 0;
            frontend_drain(&replayed->tensix, THREAD);
            for (unsigned i = 0; i < count; i++) {
                tensix_execute(&alone->tensix, THREAD, words[i], 0);
            }
            if (memcmp(&alone->state.vector, &replayed->state.vector, sizeof alone->state.vector) != 0) {
                fail_msg("program %u, round %u: %u instructions from place %u", program, round, count, start);
            }
            forget_diagnostics(alone);
            forget_diagnostics(replayed);
        }
    }
    fixture_teardown(&other);
}

static void replayed_instructions_do_what_they_do_alone(void **state)
{
    replay_as_alone(state, random_word);
}

static void what_is_configured_again_is_as_if_alone(void **state)
{
    replay_as_alone(state, random_configuration);
}

static void decoded_words_have_an_operation(void **state)
{
    for (unsigned program = 0; program < PROGRAMS; program++) {
        struct vector_operation operation = vector_decode(random_word());
        if (operation.kind == VECTOR_WORDS) {
            assert_int_not_equal(operation.word_operation, WORDS_NONE);
        }
    }
}

/* A REPLAY that has begun is executed to its end. Another begins only if the thread may pass an instruction more. */
static void a_limit_comes_between_replays(void **state)
{
    struct fixture *fixture = *state;
    struct frontend *frontend = &fixture->state.frontend[THREAD];
    enum { COUNT = 20, SFPIADD_1_TO_0 = 0x79001005 }; /* LReg[0] += 1 */
    assert_int_equal(TENSIX_OPCODE_SFPIADD, 0x79);
    frontend_push(&fixture->tensix, THREAD, REPLAY_WORD(5u, COUNT, 1), 0, false);
    for (unsigned i = 0; i < COUNT; i++) {
        frontend_push(&fixture->tensix, THREAD, SFPIADD_1_TO_0, 0, false);
    }
    fill(fixture, 0, 0);
    unsigned passed = 0;
    for (unsigned limit = 1; limit <= 5 * COUNT; limit += 7) {
        frontend_push(&fixture->tensix, THREAD, REPLAY_WORD(5u, COUNT, 0), 0, false);
        frontend->passed_limit = limit;
        unsigned begun = limit > passed ? COUNT : 0;
        assert_int_equal(frontend_drain(&fixture->tensix, THREAD), begun);
        passed += begun;
        ASSERT_LREG(fixture, 0, passed);
        assert_int_equal(frontend_exhausted(frontend), passed >= limit);
    }
}

int main(void)
{
    seed = 0x2545f4914f6cdd1d;
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(replayed_instructions_do_what_they_do_alone),
        ENGINE_TEST(what_is_configured_again_is_as_if_alone),
        FIXTURE_TEST(decoded_words_have_an_operation),
        ENGINE_TEST(a_limit_comes_between_replays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
