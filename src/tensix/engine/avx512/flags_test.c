/* What the replay buffer executes from generated code equals the same instructions executed one by one, where they set,
   save and restore lane flags, sort, configure, add, multiply, and move values between lanes: in results, flags, the
   stack of flags, diagnostics, and where execution stops. On hosts for which there is no generated code, all are
   executed one by one. */
#include "tensix/engine/fixture.h"

#include "tensix/units/dispatch.h"

enum { LREG_OF_ZERO = 9, LREG_OF_ONE, LREG_LANES = 15 }; /* whose values the lowering knows */
enum { THREAD = 1, PROGRAMS = 250, ROUNDS = 60 };

#define REPLAY_WORD(start, count, load) (0x04000000u | (start) << 14 | (count) << 4 | (load))

/* Mod1 of an instruction, mostly those that programs use. */
static uint32_t random_mod1(uint32_t opcode)
{
    static const uint8_t setcc[] = {0, 2, 4, 6, 1, 8}, encc[] = {0, 0, 10, 10, 2, 8, 1, 9};
    static const uint8_t iadd[] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12}, exexp[] = {0, 1, 2, 8, 10},
                         lz[] = {0, 2, 4, 8, 10, 6};
    static const uint8_t compare[] = {1, 8, 9, 1, 8, 9, 3, 7, 0};
    uint32_t choice = random_bits();
    switch (opcode) {
    case TENSIX_OPCODE_SFPSETCC: return setcc[choice % COUNT_OF(setcc)];
    case TENSIX_OPCODE_SFPENCC: return encc[choice % COUNT_OF(encc)];
    case TENSIX_OPCODE_SFPIADD: return iadd[choice % COUNT_OF(iadd)];
    case TENSIX_OPCODE_SFPEXEXP: return exexp[choice % COUNT_OF(exexp)];
    case TENSIX_OPCODE_SFPLZ: return lz[choice % COUNT_OF(lz)];
    case TENSIX_OPCODE_SFPLE:
    case TENSIX_OPCODE_SFPGT: return compare[choice % COUNT_OF(compare)];
    case TENSIX_OPCODE_SFPSWAP: return choice % 10;
    case TENSIX_OPCODE_SFPSHFT2: return choice % 7;
    case TENSIX_OPCODE_SFPPUSHC:
    case TENSIX_OPCODE_SFPPOPC: return choice % 32 ? 0 : choice >> 8;
    default: return choice;
    }
}

static uint32_t random_word(void)
{
    static const uint8_t opcodes[] = {
        TENSIX_OPCODE_SFPSETCC,   TENSIX_OPCODE_SFPSETCC,   TENSIX_OPCODE_SFPSETCC,  TENSIX_OPCODE_SFPENCC,
        TENSIX_OPCODE_SFPCOMPC,   TENSIX_OPCODE_SFPCOMPC,   TENSIX_OPCODE_SFPPUSHC,  TENSIX_OPCODE_SFPPUSHC,
        TENSIX_OPCODE_SFPPOPC,    TENSIX_OPCODE_SFPPOPC,    TENSIX_OPCODE_SFPLE,     TENSIX_OPCODE_SFPGT,
        TENSIX_OPCODE_SFPIADD,    TENSIX_OPCODE_SFPIADD,    TENSIX_OPCODE_SFPEXEXP,  TENSIX_OPCODE_SFPLZ,
        TENSIX_OPCODE_SFPABS,     TENSIX_OPCODE_SFPMOV,     TENSIX_OPCODE_SFPNOT,    TENSIX_OPCODE_SFPLOADI,
        TENSIX_OPCODE_SFPXOR,     TENSIX_OPCODE_SFPSHFT,    TENSIX_OPCODE_SFPMAD,    TENSIX_OPCODE_SFPSETSGN,
        TENSIX_OPCODE_SFPSWAP,    TENSIX_OPCODE_SFPSWAP,    TENSIX_OPCODE_SFPCONFIG, TENSIX_OPCODE_SFPADD,
        TENSIX_OPCODE_SFPMUL,     TENSIX_OPCODE_SFPADDI,    TENSIX_OPCODE_SFPMULI,   TENSIX_OPCODE_SFPNOP,
        TENSIX_OPCODE_SFPSHFT2,   TENSIX_OPCODE_SFPSHFT2,   TENSIX_OPCODE_SFPTRANSP, TENSIX_OPCODE_SFPLUT,
        TENSIX_OPCODE_SFPLUTFP32, TENSIX_OPCODE_SFPLUTFP32,
    };
    uint32_t opcode = opcodes[random_bits() % COUNT_OF(opcodes)], destination = 7u << 4;
    if (opcode == TENSIX_OPCODE_SFPMAD && random_bits() % 4) {
        opcode = TENSIX_OPCODE_SFPAND;
    }
    uint32_t fields = random_bits() & tensix_dispatch[opcode].fields & 0xffffff;
    if (opcode == TENSIX_OPCODE_SFPLOADI) {
        return opcode << 24 | (fields & 0x77ffff);
    }
    if (opcode == TENSIX_OPCODE_SFPCONFIG) {
        return opcode << 24 | (fields & 0xffff00) | (11 + random_bits() % 4) << 4 | (random_bits() % 4 ? 0 : 8);
    }
    if (opcode == TENSIX_OPCODE_SFPLUT) {
        return opcode << 24 | (fields & (random_bits() % 8 ? 0x77ffff : 0xffffff));
    }
    if (opcode == TENSIX_OPCODE_SFPADD && random_bits() % 4) {
        fields = (fields & ~0xf0000u) | LREG_OF_ONE << 16;
    }
    if (opcode == TENSIX_OPCODE_SFPMUL && random_bits() % 4) {
        fields = (fields & ~0xf00u) | LREG_OF_ZERO << 8;
    }
    fields = random_bits() % 64 ? fields & (~0xffu | destination) : fields;
    return opcode << 24 | (fields & ~15u) | (random_mod1(opcode) & tensix_dispatch[opcode].fields & 15);
}

/* Sources that are often negative, zero, or the same. */
static uint32_t random_datum(void)
{
    static const uint32_t chosen[] = {0, 0x80000000, 1, UINT32_MAX, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800001};
    uint32_t choice = random_bits();
    return choice & 1 ? random_bits() : chosen[choice >> 8 & 7];
}

/* The state in which programs begin: mostly all lanes, or lane flags that decide; a stack of some depth; rarely what
   differs from lane to lane. */
static void choose_flags(struct vector_unit *vector)
{
    uint32_t choice = random_bits();
    vector->use_lane_flags = choice % 16 == 0 ? random_bits() : choice % 4 ? UINT32_MAX : 0;
    vector->lane_flags = choice & 16 ? UINT32_MAX : random_bits();
    vector->stack_depth = (choice >> 8) % 64 ? (choice >> 16) % 4 : (choice >> 16) % (SFPU_STACK + 1);
    memset(vector->stack, 0, sizeof vector->stack);
    for (unsigned i = 0; i < vector->stack_depth; i++) {
        vector->stack[i].use_lane_flags = random_bits() % 16 ? UINT32_MAX : 0;
        vector->stack[i].lane_flags = random_bits() & 1 ? UINT32_MAX : random_bits();
    }
    if (vector->stack_depth && random_bits() % 32 == 0) {
        vector->stack[vector->stack_depth - 1].missing = random_bits() | 1;
    }
    uint32_t rows = random_bits() % 32 ? 0 : random_bits() % 16;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->lane_config[lane] = rows << LANE_CONFIG_ROW_MASK_SHIFT;
    }
    vector_configure(vector);
}

static void choose_state(struct vector_unit *one, struct vector_unit *other)
{
    for (unsigned lreg = 0; lreg < LREG_LANES; lreg++) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            if (lreg != LREG_OF_ZERO && lreg != LREG_OF_ONE) {
                one->lreg[lreg][lane] = random_datum();
            }
        }
    }
    choose_flags(one);
    *other = *one;
}

/* What is told of words as they are loaded is not compared. */
static void load_replay_buffer(struct fixture *fixture, const uint32_t *words)
{
    frontend_push(&fixture->tensix, THREAD, REPLAY_WORD(0u, 0u, 1u), 0, false);
    for (uint32_t i = 0; i < REPLAY_CAPACITY; i++) {
        frontend_push(&fixture->tensix, THREAD, words[i], 0, false);
    }
    frontend_drain(&fixture->tensix, THREAD);
    fixture->diagnostics.count = 0;
}

/* Executes the replay buffer as far as it goes, and the same alone. */
static void execute_both(struct fixture *replayed, struct fixture *alone, const uint32_t *words)
{
    struct frontend *frontend = &replayed->state.frontend[THREAD];
    uint64_t before = frontend->passed;
    uint32_t first = random_bits() & 1 ? 0 : random_bits() % REPLAY_CAPACITY;
    if (first) {
        frontend_push(&replayed->tensix, THREAD, REPLAY_WORD(0u, first, 0u), 0, false);
    }
    frontend_push(&replayed->tensix, THREAD, REPLAY_WORD(first, (REPLAY_CAPACITY - first) & 31u, 0u), 0, false);
    frontend_drain(&replayed->tensix, THREAD);
    unsigned done = 0;
    while (done < REPLAY_CAPACITY && tensix_execute(&alone->tensix, THREAD, words[done], 0) == STEP_DONE) {
        done++;
    }
    assert_int_equal(frontend->passed - before, done);
}

/* What is told, of which instruction, and the state of the vector unit. */
static void compare(struct fixture *replayed, struct fixture *alone)
{
    assert_int_equal(replayed->diagnostics.stopped, alone->diagnostics.stopped);
    assert_int_equal(replayed->diagnostics.count, alone->diagnostics.count);
    for (uint32_t i = 0; i < alone->diagnostics.count && i < COUNT_OF(alone->diagnostics.entries); i++) {
        assert_string_equal(replayed->diagnostics.entries[i].text, alone->diagnostics.entries[i].text);
        assert_int_equal(replayed->diagnostics.entries[i].instruction, alone->diagnostics.entries[i].instruction);
    }
    assert_memory_equal(vector_of(replayed)->lreg, vector_of(alone)->lreg, sizeof vector_of(alone)->lreg);
    assert_int_equal(vector_of(replayed)->lane_flags, vector_of(alone)->lane_flags);
    assert_int_equal(vector_of(replayed)->use_lane_flags, vector_of(alone)->use_lane_flags);
    assert_int_equal(vector_of(replayed)->stack_depth, vector_of(alone)->stack_depth);
    assert_memory_equal(vector_of(replayed), vector_of(alone), sizeof *vector_of(alone));
}

/* Both go on after what they diagnose, a program that was stopped with the next one. */
static void forget(struct fixture *fixture)
{
    memset(&fixture->diagnostics.now, 0, sizeof fixture->diagnostics.now);
    memset(fixture->diagnostics.warned, 0, sizeof fixture->diagnostics.warned);
    fixture->diagnostics.count = 0;
    fixture->diagnostics.stopped = false;
    frontend_reset(&fixture->state.frontend[THREAD]);
}

static void run_program(struct fixture *replayed, struct fixture *alone, const uint32_t *words)
{
    load_replay_buffer(replayed, words);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (random_bits() % 4 == 0) {
            choose_state(vector_of(replayed), vector_of(alone));
        }
        execute_both(replayed, alone, words);
        compare(replayed, alone);
        bool stopped = alone->diagnostics.stopped;
        if (alone->diagnostics.count) {
            forget(alone);
            forget(replayed);
            load_replay_buffer(replayed, words);
        }
        if (stopped) {
            choose_state(vector_of(replayed), vector_of(alone));
        }
    }
}

static void compare_programs(void **state, enum bh_policy_preset policy)
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *replayed = *state, *alone = other;
    diagnostics_set_policy(&replayed->diagnostics, policy);
    diagnostics_set_policy(&alone->diagnostics, policy);
    uint32_t words[REPLAY_CAPACITY] = {0};
    bool any_translated = false;
    for (unsigned program = 0; program < PROGRAMS; program++) {
        for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
            words[i] = words[i] && random_bits() % 4 ? words[i] : random_word();
        }
        choose_state(vector_of(replayed), vector_of(alone));
        run_program(replayed, alone, words);
        any_translated |= replayed->tensix.engine->compiler.used != 0;
    }
    fixture_teardown(&other);
    assert_int_equal(any_translated, compiles(replayed, VECTOR_WORDS));
}

static void flags_become_what_they_do_one_by_one(void **state)
{
    compare_programs(state, BH_POLICY_SILICON);
}

static void execution_stops_where_it_does_one_by_one(void **state)
{
    compare_programs(state, BH_POLICY_DEFAULT);
}

int main(void)
{
    seed = 0x6a09e667f3bcc909;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(flags_become_what_they_do_one_by_one, compiling_setup, compiling_teardown),
        cmocka_unit_test_setup_teardown(execution_stops_where_it_does_one_by_one, compiling_setup, compiling_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
