/* What cores push and MOPs expand to round by round, with REPLAYs in it, does what it does one instruction at a time,
   wherever quanta end: without an engine they execute so. */
#include "tensix/engine/fixture.h"

#include "tensix/units/dispatch.h"
#include "util/sanitized.h"

enum { THREAD = 1, PROGRAMS = FEWER_IF_SANITIZED(120), ROUNDS = 80 };

/* Instructions that have operations, and a few that have none, or are another unit's. */
static uint32_t random_word(void)
{
    static const uint8_t opcodes[] = {
        TENSIX_OPCODE_SFPMAD,   TENSIX_OPCODE_SFPADD,  TENSIX_OPCODE_SFPLOADI, TENSIX_OPCODE_SFPMOV,
        TENSIX_OPCODE_SFPIADD,  TENSIX_OPCODE_SFPIADD, TENSIX_OPCODE_SFPXOR,   TENSIX_OPCODE_SFPSHFT,
        TENSIX_OPCODE_SFPSETCC, TENSIX_OPCODE_SFPENCC, TENSIX_OPCODE_SFPCOMPC, TENSIX_OPCODE_SFPSWAP,
        TENSIX_OPCODE_SFPADDI,  TENSIX_OPCODE_SFPLOAD, TENSIX_OPCODE_SFPSTORE, TENSIX_OPCODE_INCRWC,
        TENSIX_OPCODE_INCRWC,   TENSIX_OPCODE_SFPLZ,   TENSIX_OPCODE_SETRWC,   TENSIX_OPCODE_MOVD2A,
    };
    uint32_t opcode = opcodes[random_bits() % (COUNT_OF(opcodes) - (one_in(4) ? 0 : 3))];
    uint32_t fields = random_bits() & tensix_dispatch[opcode].fields & 0xffffff;
    switch (opcode) {
    case TENSIX_OPCODE_SFPLOAD:
    case TENSIX_OPCODE_SFPSTORE: return opcode << 24 | (fields & 0x7fe3ff);
    case TENSIX_OPCODE_INCRWC: return opcode << 24 | (fields & 0x38000);
    case TENSIX_OPCODE_SETRWC: return opcode << 24 | (fields & 0x3c000f);
    case TENSIX_OPCODE_MOVD2A: return opcode << 24 | 2 << 12 | (fields & 0x30);
    default: return opcode << 24 | fields;
    }
}

/* Moves, whose rows and address modes may be any. */
static uint32_t random_move(void)
{
    static const uint32_t moves[] = {
        TENSIX_OPCODE_MOVA2D << 24 | 2 << 12, TENSIX_OPCODE_MOVA2D << 24,
        TENSIX_OPCODE_MOVB2D << 24 | 4 << 11, TENSIX_OPCODE_MOVB2D << 24 | 3 << 11,
        TENSIX_OPCODE_MOVD2A << 24 | 2 << 12, TENSIX_OPCODE_MOVD2B << 24,
        TENSIX_OPCODE_MOVD2B << 24 | 2 << 12, TENSIX_OPCODE_MOVB2A << 24 | 2 << 12,
    };
    uint32_t move = moves[random_bits() % COUNT_OF(moves)], fields = one_in(4) ? 0x7fc03f : 0x7e003f;
    return one_in(16) ? random_word() : move | (random_bits() & fields);
}

static uint32_t replay(uint32_t first, uint32_t count)
{
    return (uint32_t)TENSIX_OPCODE_REPLAY << 24 | first << 14 | count << 4;
}

static uint32_t random_element(uint32_t loaded, bool moves)
{
    uint32_t first = one_in(4) ? random_bits() % loaded : 0;
    return one_in(2) ? replay(first, 1 + random_bits() % (loaded - first)) : moves ? random_move() : random_word();
}

/* What both push: words of a program's loop, which may begin by loading what it replays, and executing that. */
struct program {
    uint32_t words[8 + 1 + REPLAY_CAPACITY], count, times, loaded;
    uint32_t replayed[REPLAY_CAPACITY];
    uint32_t mop[MOP_CONFIG_WORDS];
};

static struct program random_program(void)
{
    struct program program = {
        .count = 1 + random_bits() % 8,
        .times = 1 + random_bits() % 40,
        .loaded = 1 + random_bits() % (one_in(4) ? REPLAY_CAPACITY : 8),
    };
    bool moves = one_in(3);
    for (uint32_t i = 0; i < program.loaded; i++) {
        program.replayed[i] = moves ? random_move() : random_word();
    }
    for (uint32_t i = 0; i < MOP_CONFIG_WORDS; i++) {
        program.mop[i] = one_in(4) ? (uint32_t)TENSIX_OPCODE_NOP << 24 : random_element(program.loaded, moves);
    }
    bool masked = one_in(2);
    program.mop[0] = 1 + random_bits() % (one_in(2) ? 3 : 40);
    program.mop[1] = masked ? random_bits() % 4 : random_bits() % (one_in(2) ? 3 : 40);
    for (uint32_t i = 0; i < program.count; i++) {
        uint32_t mop = (uint32_t)TENSIX_OPCODE_MOP << 24 | (masked ? (random_bits() % 64) << 16 : 1 << 23);
        program.words[i] = one_in(6) ? mop : random_element(program.loaded, moves);
    }
    if (one_in(3)) {
        enum { LOAD = 1, EXECUTE = 2 };
        uint32_t length = program.loaded;
        memmove(program.words + 1 + length, program.words, program.count * sizeof *program.words);
        program.words[0] = replay(0, length) | (one_in(8) ? LOAD : LOAD | EXECUTE);
        memcpy(program.words + 1, program.replayed, length * sizeof *program.words);
        program.words[length] = one_in(4) ? random_word() : program.words[length];
        program.count += 1 + length;
    }
    return program;
}

static void load(struct fixture *fixture, const struct program *program)
{
    struct frontend *frontend = &fixture->state.frontend[THREAD];
    memcpy(frontend->mop.config, program->mop, sizeof program->mop);
    frontend_push(&fixture->tensix, THREAD, replay(0, program->loaded) | 1, 0, false);
    for (uint32_t i = 0; i < program->loaded; i++) {
        frontend_push(&fixture->tensix, THREAD, program->replayed[i], 4 * i, false);
    }
    frontend_drain(&fixture->tensix, THREAD);
}

static void push(struct fixture *fixture, uint32_t word, uint32_t pc, uint32_t limit)
{
    struct frontend *frontend = &fixture->state.frontend[THREAD];
    if (limit) {
        frontend->passed_limit = frontend->passed + limit;
        frontend_drain(&fixture->tensix, THREAD);
        frontend->passed_limit = 0;
    }
    assert_int_equal(frontend_push(&fixture->tensix, THREAD, word, pc, false), STEP_DONE);
}

/* The contents of a frontend, without those that have left it. */
static struct frontend held(const struct fixture *fixture)
{
    struct frontend frontend = fixture->state.frontend[THREAD];
    frontend.next = frontend.at_gate ? frontend.next : (struct pushed){};
    return frontend;
}

static void compare(struct fixture *looped, struct fixture *plain, unsigned program, unsigned round)
{
    struct tensix_state *a = &plain->state, *b = &looped->state;
    struct frontend held_a = held(plain), held_b = held(looped);
    if (memcmp(&a->vector, &b->vector, sizeof a->vector) != 0 || memcmp(&a->dst, &b->dst, sizeof a->dst) != 0 ||
        memcmp(&a->addr, &b->addr, sizeof a->addr) != 0 || memcmp(&a->srca, &b->srca, sizeof a->srca) != 0 ||
        memcmp(&a->srcb, &b->srcb, sizeof a->srcb) != 0 || a->matrix.last_srca_row != b->matrix.last_srca_row ||
        memcmp(&held_a, &held_b, sizeof held_a) != 0) {
        fail_msg("program %u, round %u", program, round);
    }
    assert_int_equal(plain->diagnostics.count, looped->diagnostics.count);
    assert_int_equal(plain->diagnostics.now.instruction, looped->diagnostics.now.instruction);
    assert_int_equal(plain->diagnostics.now.pc, looped->diagnostics.now.pc);
    plain->diagnostics.count = looped->diagnostics.count = 0;
}

static void fill_randomly(struct tensix_state *state)
{
    for (unsigned lreg = 0; lreg < 8; lreg++) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            state->vector.lreg[lreg][lane] = (random_bits() & 0x80ffffff) | 0x3f000000;
        }
    }
    for (unsigned row = 0; row < DST_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            state->dst.rows[row][column] = (uint16_t)random_bits();
        }
    }
    state->srca.owner[0] = state->srcb.owner[0] = SRC_MATRIX_UNIT;
    for (unsigned mode = 0; mode < RWC_ADDR_MODES; mode++) {
        uint16_t *config = state->config.thread[THREAD] + mode;
        config[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32] = (uint16_t)(random_bits() & (one_in(4) ? 0xffff : 0x3f3f));
        config[ADDR_MOD_DST_SEC0_DestIncr_ADDR32] = (uint16_t)(random_bits() & (one_in(4) ? 0xffff : 0x63ff));
        config[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32] = one_in(8) ? 1 : 0;
    }
}

static void loops_do_what_their_instructions_do(void **state)
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *looped = *state, *plain = other, *both[] = {looped, plain};
    fill_randomly(&plain->state);
    looped->state.vector = plain->state.vector;
    looped->state.dst = plain->state.dst;
    looped->state.srca = plain->state.srca;
    looped->state.srcb = plain->state.srcb;
    memcpy(looped->state.config.thread, plain->state.config.thread, sizeof looped->state.config.thread);
    for (unsigned i = 0; i < COUNT_OF(both); i++) {
        diagnostics_set_policy(&both[i]->diagnostics, BH_POLICY_SILICON);
    }
    bool compiled = false;
    for (unsigned number = 0; number < PROGRAMS; number++) {
        struct program program = random_program();
        load(looped, &program);
        load(plain, &program);
        bool unrolled = one_in(2);
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint32_t cut = one_in(2) ? random_bits() % (program.times * program.count) : UINT32_MAX;
            uint32_t limit = 1 + random_bits() % 64;
            for (uint32_t i = 0; i < program.times * program.count; i++) {
                uint32_t place = i % program.count, pc = 4 * (unrolled ? i : place);
                push(looped, program.words[place], pc, i == cut ? limit : 0);
                push(plain, program.words[place], pc, i == cut ? limit : 0);
                if (i == cut) {
                    compare(looped, plain, number, round);
                }
            }
            frontend_drain(&looped->tensix, THREAD);
            frontend_drain(&plain->tensix, THREAD);
            assert_true(frontend_idle(&looped->state.frontend[THREAD]));
            compare(looped, plain, number, round);
            compiled |= count_code(looped, false) != 0; /* which later programs may replace */
        }
    }
    assert_int_equal(compiled, compiles(looped, VECTOR_WORDS));
    fixture_teardown(&other);
}

int main(void)
{
    seed = 0x510e527fade682d1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(loops_do_what_their_instructions_do, compiling_setup, compiling_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
