/* With every level of the host's vectors instructions of the vector unit, and those of the counters, leave out of a
   replay buffer what they leave one by one: in LRegs, Dst, counters, random numbers and configuration (ISA
   documentation REPLAY.md and the instructions' own pages). */
#include "tensix/engine/fixture.h"

#include "tensix/units/dispatch.h"
#include "util/host_vectors.h"

enum { THREAD = 1, PROGRAMS = 1500, LENGTH = 20, ROUNDS = 2 };

#define REPLAY_WORD(start, count, load) (0x04000000u | (start) << 14 | (count) << 4 | (load))

static const uint8_t opcodes[] = {
    TENSIX_OPCODE_SFPLOAD,   TENSIX_OPCODE_SFPSTORE,  TENSIX_OPCODE_SFPLOAD,       TENSIX_OPCODE_SFPSTORE,
    TENSIX_OPCODE_INCRWC,    TENSIX_OPCODE_SETRWC,    TENSIX_OPCODE_SFPSWAP,       TENSIX_OPCODE_SFPTRANSP,
    TENSIX_OPCODE_SFPSHFT2,  TENSIX_OPCODE_SFPCAST,   TENSIX_OPCODE_SFP_STOCH_RND, TENSIX_OPCODE_SFPMUL24,
    TENSIX_OPCODE_SFPARECIP, TENSIX_OPCODE_SFPCONFIG, TENSIX_OPCODE_SFPLUT,        TENSIX_OPCODE_SFPLUTFP32,
    TENSIX_OPCODE_SFPNOP,    TENSIX_OPCODE_SFPMAD,    TENSIX_OPCODE_SFPIADD,       TENSIX_OPCODE_SFPSETCC,
    TENSIX_OPCODE_SFPENCC,
};

/* Of SETRWC and INCRWC mostly what only moves counters; of SFPCONFIG mostly what leaves instructions enabled. */
static uint32_t random_word(unsigned i)
{
    uint32_t opcode = opcodes[i % COUNT_OF(opcodes)], fields = random_bits() & tensix_dispatch[opcode].fields;
    switch (opcode) {
    case TENSIX_OPCODE_SETRWC: fields &= ~(3u << 22); break;
    case TENSIX_OPCODE_INCRWC: fields &= ~(7u << 21); break;
    case TENSIX_OPCODE_SFPMUL24: fields = (fields & ~0xf00u) | (random_bits() % 4 ? 9u << 8 : 0); break;
    case TENSIX_OPCODE_SFPCONFIG:
        fields = (fields >> 4 & 15) == 15 && random_bits() % 8 ? fields & ~0xffff0fu : fields;
        break;
    default: fields &= random_bits() % 8 ? ~0x80u : ~0u; break; /* destinations from 12 on become templates */
    }
    return opcode << 24 | (fields & 0xffffff);
}

static uint32_t random_number(void)
{
    uint32_t value = random_bits();
    return value % 3 == 0   ? (value & 0x80ffffff) | 0x3f000000
           : value % 3 == 1 ? value
                            : (uint32_t)((int32_t)value >> 20);
}

/* Lanes, rows, address modes and, rarely, LaneConfig. */
static void randomize(struct tensix_state *state)
{
    static const uint32_t lane_configs[] = {0, 0, 0, 0, 0, 0, 0x1, 0x10, 0x20, 0x40, 0x80, 0x100, 0x9000, 0x4};
    struct vector_unit *vector = &state->vector;
    uint32_t lane_config = lane_configs[random_bits() % COUNT_OF(lane_configs)], plain = random_bits() % 4;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        for (unsigned lreg = 0; lreg < 8; lreg++) {
            vector->lreg[lreg][lane] = random_number();
        }
        vector->prng[lane] = random_bits();
        vector->lane_config[lane] = lane_config;
    }
    vector_configure(vector);
    vector->use_lane_flags = random_bits() % 2 ? UINT32_MAX : 0;
    vector->lane_flags = random_bits();
    for (unsigned row = 0; row < DST_ROWS; row++) {
        state->dst.valid[row] = !plain || random_bits() % 16 != 0;
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            state->dst.rows[row][column] = (uint16_t)random_bits();
        }
    }
    state->dst.only_row32 = random_bits() % 8 == 0;
    uint16_t *config = state->config.thread[THREAD];
    for (unsigned mode = 0; mode < 8; mode++) {
        config[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + mode] = (uint16_t)(plain ? 0 : random_bits());
        config[ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + mode] = (uint16_t)(random_bits() & (plain ? 0x3ff : 0xffff));
        config[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + mode] = (uint16_t)(plain ? 0 : random_bits() & 0x13);
    }
    config[DEST_TARGET_REG_CFG_MATH_Offset_ADDR32] = (uint16_t)(random_bits() & 0xfff);
    state->config.bank[0][ALU_FORMAT_SPEC_REG1_SrcB_ADDR32] = random_bits();
    state->config.bank[0][ALU_ACC_CTRL_SFPU_Fp32_enabled_ADDR32] =
        random_bits() % 2 ? ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK : 0;
    state->addr.rwc[THREAD].dst = random_bits() & 0x3ff;
}

static void forget_diagnostics(struct fixture *fixture)
{
    fixture->diagnostics.count = 0;
    fixture->diagnostics.stopped = false;
}

static void load_replay_buffer(struct tensix *tensix, const uint32_t *words)
{
    frontend_push(tensix, THREAD, REPLAY_WORD(0u, (uint32_t)LENGTH, 1u), 0, false);
    for (unsigned i = 0; i < LENGTH; i++) {
        frontend_push(tensix, THREAD, words[i], 0, false);
    }
}

static void assert_same(const struct tensix_state *one, const struct tensix_state *other)
{
    assert_memory_equal(&one->vector, &other->vector, sizeof one->vector);
    assert_memory_equal(&one->dst, &other->dst, sizeof one->dst);
    assert_memory_equal(&one->addr, &other->addr, sizeof one->addr);
}

/* One by one on what every host has, replayed on a level of its own. */
static void compare_on(struct fixture *replayed, struct fixture *alone, enum host_vectors level)
{
    uint32_t words[LENGTH];
    for (unsigned program = 0; program < PROGRAMS; program++) {
        bool one_kind = random_bits() % 2;
        uint32_t first = random_bits();
        for (unsigned i = 0; i < LENGTH; i++) {
            words[i] = random_word(one_kind ? first : random_bits());
        }
        randomize(&alone->state);
        replayed->state.vector = alone->state.vector;
        replayed->state.dst = alone->state.dst;
        replayed->state.addr = alone->state.addr;
        replayed->state.config = alone->state.config;
        host_vectors = level;
        load_replay_buffer(&replayed->tensix, words);
        for (unsigned round = 0; round < ROUNDS; round++) {
            host_vectors = level;
            frontend_push(&replayed->tensix, THREAD, REPLAY_WORD(0u, (uint32_t)LENGTH, 0u), 0, false);
            frontend_drain(&replayed->tensix, THREAD);
            host_vectors = HOST_VECTORS_BASIC;
            for (unsigned i = 0; i < LENGTH; i++) {
                tensix_execute(&alone->tensix, THREAD, words[i], 0);
            }
            assert_same(&alone->state, &replayed->state);
            forget_diagnostics(alone);
            forget_diagnostics(replayed);
        }
    }
}

static void replayed_instructions_do_what_they_do_alone(void **state)
{
    const enum host_vectors highest = host_vectors;
    for (unsigned level = HOST_VECTORS_BASIC; level <= highest; level++) {
        void *replayed = NULL, *alone = NULL;
        assert_int_equal(engine_setup(&replayed), 0);
        assert_int_equal(fixture_setup(&alone), 0);
        diagnostics_set_policy(&((struct fixture *)replayed)->diagnostics, BH_POLICY_SILICON);
        diagnostics_set_policy(&((struct fixture *)alone)->diagnostics, BH_POLICY_SILICON);
        compare_on(replayed, alone, (enum host_vectors)level);
        engine_teardown(&replayed);
        fixture_teardown(&alone);
    }
    host_vectors = highest;
}

/* Otherwise the test above would compare nothing. */
static void all_of_them_are_decoded(void **state)
{
    enum { WORDS = 10000, FEW = 300 };
    for (unsigned i = 0; i < COUNT_OF(opcodes); i++) {
        unsigned decoded = 0;
        for (unsigned word = 0; word < WORDS; word++) {
            decoded += vector_decode(random_word(i)).kind != VECTOR_NOT_DECODED;
        }
        assert_in_range(decoded, FEW, WORDS);
    }
}

int main(void)
{
    seed = 0xd1342543de82ef95;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replayed_instructions_do_what_they_do_alone),
        cmocka_unit_test(all_of_them_are_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
