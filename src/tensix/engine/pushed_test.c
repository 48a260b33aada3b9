/* What cores push again and again equals the same instructions executed one by one, whatever loops they stand in,
   wherever the FIFO is drained, and whatever the program becomes from one time to the next. */
#include "tensix/engine/fixture.h"

#include "tensix/units/dispatch.h"

enum { THREAD = 1, PROGRAMS = 150, ROUNDS = 60, LONGEST = 80 };

/* Instructions that have operations, some that have none; mixed: and some of other units. */
static uint32_t random_word(bool mixed)
{
    static const uint8_t opcodes[] = {
        TENSIX_OPCODE_SFPMAD,   TENSIX_OPCODE_SFPADD,    TENSIX_OPCODE_SFPLOADI, TENSIX_OPCODE_SFPMOV,
        TENSIX_OPCODE_SFPIADD,  TENSIX_OPCODE_SFPIADD,   TENSIX_OPCODE_SFPABS,   TENSIX_OPCODE_SFPAND,
        TENSIX_OPCODE_SFPXOR,   TENSIX_OPCODE_SFPNOT,    TENSIX_OPCODE_SFPSHFT,  TENSIX_OPCODE_SFPSETEXP,
        TENSIX_OPCODE_SFPSETCC, TENSIX_OPCODE_SFPENCC,   TENSIX_OPCODE_SFPCOMPC, TENSIX_OPCODE_SFPSWAP,
        TENSIX_OPCODE_SFPADDI,  TENSIX_OPCODE_SFPSETMAN, TENSIX_OPCODE_SFPLOAD,  TENSIX_OPCODE_SFPSTORE,
        TENSIX_OPCODE_INCRWC,   TENSIX_OPCODE_INCRWC,    TENSIX_OPCODE_NOP,      TENSIX_OPCODE_SFPLZ,
    };
    static const uint8_t others[] = {
        TENSIX_OPCODE_SETRWC, TENSIX_OPCODE_SETRWC,    TENSIX_OPCODE_SETRWC,   TENSIX_OPCODE_INCRWC,
        TENSIX_OPCODE_DMANOP, TENSIX_OPCODE_SFPCONFIG, TENSIX_OPCODE_SETADCXY, TENSIX_OPCODE_INCADCZW,
        TENSIX_OPCODE_MOVD2A, TENSIX_OPCODE_SETDMAREG,
    };
    uint32_t opcode =
        mixed && one_in(2) ? others[random_bits() % COUNT_OF(others)] : opcodes[random_bits() % COUNT_OF(opcodes)];
    uint32_t fields = random_bits() & tensix_dispatch[opcode].fields & 0xffffff;
    switch (opcode) {
    case TENSIX_OPCODE_SFPLOAD:
    case TENSIX_OPCODE_SFPSTORE: return opcode << 24 | (fields & 0x7fe3ff);
    case TENSIX_OPCODE_INCRWC: return opcode << 24 | (fields & (one_in(2) ? 0x38000 : 0x1fffff));
    case TENSIX_OPCODE_SETRWC: return opcode << 24 | (fields & 0x3fffff);
    case TENSIX_OPCODE_MOVD2A: return opcode << 24 | (fields & 0x7e03ff);
    case TENSIX_OPCODE_SFPCONFIG:
        return opcode << 24 | (fields & 0xffff0f) | (one_in(8) ? 15 : 4 + random_bits() % 11) << 4;
    default: return opcode << 24 | fields;
    }
}

static void fill_randomly(struct tensix_state *state)
{
    memset(state->vector.lane_config, 0, sizeof state->vector.lane_config);
    vector_configure(&state->vector);
    for (unsigned lreg = 0; lreg < 8; lreg++) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            uint32_t value = random_bits();
            state->vector.lreg[lreg][lane] = value & 1 ? (value & 0x80ffffff) | 0x3f000000 : value;
        }
    }
    for (unsigned row = 0; row < DST_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            state->dst.rows[row][column] = (uint16_t)random_bits();
        }
    }
}

/* Both go on after what they diagnose. */
static void forget_diagnostics(struct fixture *fixture)
{
    fixture->diagnostics.count = 0;
    fixture->diagnostics.stopped = false;
}

/* A round of a loop, or as much of it as branches let be. Threads execute some of it in between, as quanta end. */
static void push_round(struct fixture *pushed, struct fixture *alone, const uint32_t *words, uint32_t count)
{
    struct frontend *frontend = &pushed->state.frontend[THREAD];
    uint32_t first = one_in(16) ? random_bits() % count : 0, leap = one_in(16) ? random_bits() % count : count;
    uint32_t drained = one_in(4) ? random_bits() % count : count;
    for (uint32_t i = first; i < count; i += i == leap ? 2 : 1) {
        assert_int_equal(frontend_push(&pushed->tensix, THREAD, words[i], 0x1000 + 4 * i, false), STEP_DONE);
        tensix_execute(&alone->tensix, THREAD, words[i], 0);
        if (i == drained) {
            frontend->passed_limit = one_in(2) ? frontend->passed + 1 + random_bits() % FIFO_CAPACITY : 0;
            frontend_drain(&pushed->tensix, THREAD);
            frontend->passed_limit = 0;
        }
    }
}

static void compare(struct fixture *pushed, struct fixture *alone, unsigned program, unsigned round)
{
    struct tensix_state *a = &alone->state, *b = &pushed->state;
    if (memcmp(&a->vector, &b->vector, sizeof a->vector) != 0 || memcmp(&a->dst, &b->dst, sizeof a->dst) != 0 ||
        memcmp(&a->addr, &b->addr, sizeof a->addr) != 0 || memcmp(&a->srca, &b->srca, sizeof a->srca) != 0 ||
        memcmp(&a->scalar, &b->scalar, sizeof a->scalar) != 0) {
        fail_msg("program %u, round %u", program, round);
    }
}

static void pushed_instructions_do_what_they_do_alone(void **state)
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *pushed = *state, *alone = other;
    diagnostics_set_policy(&pushed->diagnostics, BH_POLICY_SILICON);
    diagnostics_set_policy(&alone->diagnostics, BH_POLICY_SILICON);
    pushed->tensix.engine->compiler.patience = 4; /* the FIFO is drained at many places of a loop */
    uint32_t words[LONGEST] = {0};
    for (unsigned program = 0; program < PROGRAMS; program++) {
        uint32_t count = 1 + random_bits() % LONGEST;
        bool mixed = program < PROGRAMS / 2;
        for (unsigned i = 0; i < LONGEST; i++) {
            words[i] = words[i] && !one_in(8) ? words[i] : random_word(mixed);
        }
        fill_randomly(&alone->state);
        pushed->state.vector = alone->state.vector;
        pushed->state.dst = alone->state.dst;
        for (unsigned round = 0; round < ROUNDS; round++) {
            push_round(pushed, alone, words, count);
            if (one_in(4) || round == ROUNDS - 1) {
                frontend_drain(&pushed->tensix, THREAD);
                assert_true(frontend_idle(&pushed->state.frontend[THREAD]));
                compare(pushed, alone, program, round);
            }
            forget_diagnostics(alone);
            forget_diagnostics(pushed);
        }
    }
    assert_int_equal(count_code(pushed, false) != 0, compiles(pushed, VECTOR_WORDS));
    fixture_teardown(&other);
}

/* As the compiler of SFPU kernels has it: a body is loaded and executed, then replayed. The replay buffer changes, or
   the coprocessor is reset, and the same is pushed again. */
static void replays_execute_what_is_loaded(void **state)
{
    struct fixture *fixture = *state;
    struct frontend *frontend = &fixture->state.frontend[THREAD];
    enum { LOAD_AND_EXECUTE = 3, REPLAYS = 7, SFPIADD_1_TO_0 = 0x79001005, SFPIADD_2_TO_0 = 0x79002005 };
    const uint32_t replay = (uint32_t)TENSIX_OPCODE_REPLAY << 24 | 3 << 4;
    uint32_t expected = fixture->state.vector.lreg[0][0];
    for (unsigned round = 0; round < 400; round++) {
        uint32_t word = round / 100 % 2 ? SFPIADD_2_TO_0 : SFPIADD_1_TO_0, pc = 0;
        bool loads = round % 50 != 49;
        if (round == 250) {
            memset(&frontend->replay, 0, sizeof frontend->replay);
            loads = true;
        }
        if (loads) {
            frontend_push(&fixture->tensix, THREAD, replay | LOAD_AND_EXECUTE, pc, false);
            for (unsigned i = 0; i < 3; i++) {
                frontend_push(&fixture->tensix, THREAD, word, pc += 4, false);
            }
        }
        pc = 12;
        for (unsigned i = 0; i < REPLAYS; i++) {
            frontend_push(&fixture->tensix, THREAD, replay, pc += 4, false);
        }
        frontend_drain(&fixture->tensix, THREAD);
        expected += (REPLAYS + loads) * 3 * (word == SFPIADD_2_TO_0 ? 2 : 1);
        assert_int_equal(fixture->state.vector.lreg[0][0], expected);
        assert_int_equal(frontend->replay.mode, REPLAY_PASSES);
        assert_int_equal(frontend->replay.pc, pc);
    }
}

int main(void)
{
    seed = 0x9b05688c2b3e6c1f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pushed_instructions_do_what_they_do_alone, compiling_setup, compiling_teardown),
        ENGINE_TEST(replays_execute_what_is_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
