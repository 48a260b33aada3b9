/* What the replay buffer executes from generated code equals the same instructions executed one by one, where they load
   from Dst, store to it and move its counter, and where they convert between formats with random numbers: in LRegs,
   lane flags, Dst with its valid flags, counters, and random numbers; in every format, wherever a quantum ends, and
   whatever is configured from one time to the next. On hosts for which there is no generated code, all are executed one
   by one. */
#include "tensix/engine/fixture.h"

#include "tensix/units/dispatch.h"
#include "tensix/units/vector/parts.h"

enum { THREAD = 1, PROGRAMS = 120, ROUNDS = 60 };

#define REPLAY_WORD(start, count, load) (0x04000000u | (start) << 14 | (count) << 4 | (load))

/* Mostly loads and stores; between them what computes, and what sets lane flags. */
static uint32_t random_word(void)
{
    static const uint8_t opcodes[] = {
        TENSIX_OPCODE_SFPLOAD,   TENSIX_OPCODE_SFPLOAD,  TENSIX_OPCODE_SFPLOAD, TENSIX_OPCODE_SFPSTORE,
        TENSIX_OPCODE_SFPSTORE,  TENSIX_OPCODE_SFPSTORE, TENSIX_OPCODE_INCRWC,  TENSIX_OPCODE_INCRWC,
        TENSIX_OPCODE_SETRWC,    TENSIX_OPCODE_SFPIADD,  TENSIX_OPCODE_SFPNOT,  TENSIX_OPCODE_SFPLOADI,
        TENSIX_OPCODE_SFPSETSGN, TENSIX_OPCODE_SFPSETCC, TENSIX_OPCODE_SFPENCC, TENSIX_OPCODE_SFPSWAP,
        TENSIX_OPCODE_SFPSHFT,   TENSIX_OPCODE_SFPCOMPC, TENSIX_OPCODE_SFPCAST, TENSIX_OPCODE_SFP_STOCH_RND,
    };
    uint32_t opcode = opcodes[random_bits() % COUNT_OF(opcodes)];
    uint32_t fields = random_bits() & tensix_dispatch[opcode].fields & 0xffffff;
    switch (opcode) {
    case TENSIX_OPCODE_SFPLOAD:
    case TENSIX_OPCODE_SFPSTORE: return opcode << 24 | (fields & ~(one_in(16) ? 0u : 1u << 23));
    case TENSIX_OPCODE_SETRWC: return opcode << 24 | (fields & ~(3u << 22));
    case TENSIX_OPCODE_INCRWC: return opcode << 24 | (fields & (one_in(4) ? 0x1fffff : 0x3c000));
    case TENSIX_OPCODE_SFPCAST: return opcode << 24 | (fields & 0xf7f);
    case TENSIX_OPCODE_SFP_STOCH_RND: return opcode << 24 | (fields & 0xe0ff77);
    case TENSIX_OPCODE_SFPENCC: return opcode << 24 | (fields & 0x300f);
    default: return opcode << 24 | (fields & ~0x80u);
    }
}

static uint32_t random_number(void)
{
    uint32_t value = random_bits(), exponent = 100 + value % 50;
    return value % 4 == 0   ? (value & 0x807fffff) | exponent << 23
           : value % 4 == 1 ? value & 0x807fffff
           : value % 4 == 2 ? (uint32_t)((int32_t)value >> 20)
                            : value;
}

/* Where rows lie, and how they are read. */
static void configure(struct tensix_state *state)
{
    static const uint32_t lane_configs[] = {0, 0, 0, 0, 0, 0, 0, 0x1, 0x10, 0x20, 0x40, 0x80, 0x9000};
    uint16_t *config = state->config.thread[THREAD];
    uint32_t lane_config = lane_configs[random_bits() % COUNT_OF(lane_configs)];
    bool plain = !one_in(8), odd = one_in(8);
    for (unsigned mode = 0; mode < 8; mode++) {
        config[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + mode] = (uint16_t)(plain ? 0 : random_bits());
        config[ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + mode] = (uint16_t)(random_bits() & (plain ? 0x3fe | odd : 0xffff));
        config[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + mode] = (uint16_t)(plain ? 0 : random_bits() & 0x13);
    }
    config[DEST_TARGET_REG_CFG_MATH_Offset_ADDR32] = (uint16_t)(random_bits() & (odd ? 0xfff : 0xffe));
    state->config.bank[0][ALU_FORMAT_SPEC_REG1_SrcB_ADDR32] = random_bits();
    state->config.bank[0][ALU_ACC_CTRL_SFPU_Fp32_enabled_ADDR32] = one_in(2) ? ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK : 0;
    state->dst.only_row32 = one_in(4);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        state->vector.lane_config[lane] = lane_config;
    }
    vector_configure(&state->vector);
}

static void fill_registers(struct tensix_state *state)
{
    bool valid = one_in(2);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        state->vector.prng[lane] = random_bits();
        for (unsigned lreg = 0; lreg < LREG_WRITABLE; lreg++) {
            state->vector.lreg[lreg][lane] = random_number();
        }
    }
    state->vector.use_lane_flags = one_in(3) ? 0 : ALL_LANES;
    state->vector.lane_flags = one_in(2) ? ALL_LANES : random_bits() & random_bits() << 7;
    for (unsigned row = 0; row < DST_ROWS; row++) {
        state->dst.valid[row] = valid || !one_in(4);
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            state->dst.rows[row][column] = (uint16_t)random_bits();
        }
    }
    state->addr.rwc[THREAD].dst = random_bits() & (one_in(8) ? 0x3ff : 0x3fe);
}

static void copy_state(const struct tensix_state *from, struct tensix_state *to)
{
    to->vector = from->vector;
    to->dst = from->dst;
    to->addr = from->addr;
    to->config = from->config;
}

static void load_replay_buffer(struct fixture *fixture, const uint32_t *words)
{
    frontend_push(&fixture->tensix, THREAD, REPLAY_WORD(0u, 0u, 1u), 0, false);
    for (uint32_t i = 0; i < REPLAY_CAPACITY; i++) {
        frontend_push(&fixture->tensix, THREAD, words[i], 0, false);
    }
    frontend_drain(&fixture->tensix, THREAD);
}

static void execute_both(struct fixture *replayed, struct fixture *alone, const uint32_t *words)
{
    struct frontend *frontend = &replayed->state.frontend[THREAD];
    frontend_push(&replayed->tensix, THREAD, REPLAY_WORD(0u, 0u, 0u), 0, false);
    frontend->passed_limit = one_in(4) ? frontend->passed + 1 + random_bits() % REPLAY_CAPACITY : 0;
    frontend_drain(&replayed->tensix, THREAD);
    frontend->passed_limit = 0;
    frontend_drain(&replayed->tensix, THREAD);
    for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
        assert_int_equal(tensix_execute(&alone->tensix, THREAD, words[i], 0), STEP_DONE);
    }
    replayed->diagnostics.count = alone->diagnostics.count = 0;
}

static void assert_same(const struct tensix_state *one, const struct tensix_state *other)
{
    assert_memory_equal(&one->vector, &other->vector, sizeof one->vector);
    assert_memory_equal(&one->dst, &other->dst, sizeof one->dst);
    assert_memory_equal(&one->addr, &other->addr, sizeof one->addr);
}

static void dst_becomes_what_it_does_one_by_one(void **state)
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *replayed = *state, *alone = other;
    diagnostics_set_policy(&replayed->diagnostics, BH_POLICY_SILICON);
    diagnostics_set_policy(&alone->diagnostics, BH_POLICY_SILICON);
    uint32_t words[REPLAY_CAPACITY] = {0}, compiled = 0;
    for (unsigned program = 0; program < PROGRAMS; program++) {
        for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
            words[i] = words[i] && !one_in(4) ? words[i] : random_word();
        }
        configure(&alone->state);
        fill_registers(&alone->state);
        copy_state(&alone->state, &replayed->state);
        forget_traces(replayed);
        load_replay_buffer(replayed, words);
        for (unsigned round = 0; round < ROUNDS; round++) {
            if (one_in(ROUNDS)) {
                configure(&alone->state);
            }
            if (one_in(8)) {
                fill_registers(&alone->state);
            }
            copy_state(&alone->state, &replayed->state);
            execute_both(replayed, alone, words);
            assert_same(&alone->state, &replayed->state);
        }
        compiled += count_code(replayed, true) != 0;
    }
    assert_true(compiled >= (compiles(replayed, VECTOR_WORDS) ? PROGRAMS / 2 : 0));
    fixture_teardown(&other);
}

int main(void)
{
    seed = 0x510e527fade682d1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dst_becomes_what_it_does_one_by_one, compiling_setup, compiling_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
