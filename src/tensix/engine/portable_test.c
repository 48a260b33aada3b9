/* What the portable back end executes leaves what the units leave that execute the same instructions one by one: in
   LRegs, lane flags and their stack, random numbers, Dst and counters; with the handlers of every level of vector
   instructions that the host has. Each handler executes many times, in all lanes and in some. */
#include "tensix/engine/fixture.h"
#include "tensix/engine/portable.h"
#include "tensix/engine/portable_levels.h"
#include "tensix/units/dispatch.h"
#include "util/host_vectors.h"

enum { THREAD = 1, PROGRAMS = 12000, LENGTH = 24, OFTEN = 20 };

static const uint8_t opcodes[] = {
#define OPCODE_OF_DECODED(name) TENSIX_OPCODE_##name,
#define OPCODE_OF_NOT_DECODED(name)
#define TENSIX_FACTS(name, sub_unit, decoded, ...) OPCODE_OF_##decoded(name)
#include "tensix.def"
};

/* Modes are rarely such as do nothing else; destinations from 8 on are rare. */
static uint32_t random_word(void)
{
    uint32_t opcode = opcodes[random_bits() % COUNT_OF(opcodes)];
    uint32_t word = opcode << 24 | (random_bits() & tensix_dispatch[opcode].fields & 0xffffff);
    switch (opcode) {
    case TENSIX_OPCODE_INCRWC: return one_in(2) ? word & 0xff03f000 : word;
    case TENSIX_OPCODE_SFPCONFIG:
        if (one_in(8)) { /* LaneConfig from an immediate, seldom with ENABLE_DEST_INDEX */
            return (word & (one_in(8) ? 0xffffff00u : 0xfffffb00u)) | 0xf1;
        }
        return one_in(2) ? (word & ~0xfu & ~0xf0u) | (11 + random_bits() % 4) << 4 : word;
    case TENSIX_OPCODE_SFPLOAD:
    case TENSIX_OPCODE_SFPSTORE:
    case TENSIX_OPCODE_SFPLUT:
    case TENSIX_OPCODE_SFPLOADI: return one_in(8) ? word : word & ~0x800000u;
    case TENSIX_OPCODE_SFPADDI:
    case TENSIX_OPCODE_SFPMULI:
    case TENSIX_OPCODE_SFPMAD: return one_in(8) ? word : word & ~0x8cu;
    case TENSIX_OPCODE_SFPADD: return one_in(8) ? word : (word & ~0xf008cu) | 10 << 16;
    case TENSIX_OPCODE_SFPMUL: return one_in(8) ? word : (word & ~0xf8eu) | 9 << 8;
    case TENSIX_OPCODE_SFPMUL24: return one_in(4) ? word : (word & ~0xf8cu) | 9 << 8;
    case TENSIX_OPCODE_SFPSHFT2:
    case TENSIX_OPCODE_SFP_STOCH_RND:
    case TENSIX_OPCODE_SFPSHFT:
    case TENSIX_OPCODE_SFPGT:
    case TENSIX_OPCODE_SFPLE: return one_in(8) ? word : word & ~(one_in(3) ? 0x88u : 0x80u);
    case TENSIX_OPCODE_SFPCAST:
    case TENSIX_OPCODE_SFPARECIP: return one_in(4) ? word : word & ~(one_in(2) ? 0x8eu : 0x8cu);
    case TENSIX_OPCODE_SFPPUSHC:
    case TENSIX_OPCODE_SFPPOPC: return one_in(8) ? word : word & ~0x8fu;
    default: return one_in(8) ? word : word & ~0x80u;
    }
}

/* Anything, numbers near one, zeros and what is next to them, infinities and NaN, small integers. */
static uint32_t random_number(void)
{
    static const uint32_t specials[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                        0x7fc00000, 0xffffffff, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff,
                                        0x40000000, 0x3f000000, 0x0000001f, 0xffffffe0};
    uint32_t value = random_bits();
    switch (value >> 8 & 7) {
    case 0: return specials[value % COUNT_OF(specials)];
    case 1: return random_bits();
    case 2: return (uint32_t)((int32_t)random_bits() >> (value >> 16 & 31));
    default: return (random_bits() & 0x80ffffff) | (0x3e000000 + (value >> 16 & 3) * 0x800000);
    }
}

static uint32_t random_lanes(void)
{
    return one_in(3) ? random_bits() : one_in(3) ? 0 : UINT32_MAX;
}

static void randomize_stack(struct vector_unit *vector)
{
    bool even = !one_in(8);
    vector->stack_depth = random_bits() % (SFPU_STACK + 1);
    for (unsigned i = 0; i < SFPU_STACK; i++) {
        uint32_t missing = even || i >= vector->stack_depth ? 0 : random_bits() & random_bits() & 0xff;
        vector->stack[i] = (struct vector_flags){random_lanes(), random_lanes(), missing};
    }
    for (unsigned i = vector->stack_depth; i-- > 1;) { /* what is above is missing in more lanes */
        vector->stack[i].missing |= vector->stack[i - 1].missing;
    }
}

static void randomize_vector(struct vector_unit *vector)
{
    static const uint32_t lane_configs[] = {0x1, 0x10, 0x20, 0x40, 0x80, 0x100, 0x9000, 0x4};
    uint32_t lane_config = one_in(4) ? lane_configs[random_bits() % COUNT_OF(lane_configs)] : 0;
    bool all_lanes = one_in(3);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        for (unsigned lreg = 0; lreg < LREG_WRITABLE; lreg++) {
            vector->lreg[lreg][lane] = random_number();
        }
        vector->prng[lane] = random_bits();
        vector->lane_config[lane] = one_in(2) ? lane_config : 0;
    }
    vector_configure(vector);
    vector->use_lane_flags = all_lanes ? 0 : random_lanes();
    vector->lane_flags = random_lanes();
    randomize_stack(vector);
}

static void randomize(struct tensix_state *state)
{
    bool plain = !one_in(3);
    randomize_vector(&state->vector);
    for (unsigned row = 0; row < DST_ROWS; row++) {
        state->dst.valid[row] = plain || !one_in(16);
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            state->dst.rows[row][column] = (uint16_t)random_bits();
        }
    }
    state->dst.only_row32 = one_in(8);
    uint16_t *config = state->config.thread[THREAD];
    for (unsigned mode = 0; mode < 8; mode++) {
        config[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + mode] = (uint16_t)(plain ? 0 : random_bits());
        config[ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + mode] = (uint16_t)(random_bits() & (plain ? 0x3ff : 0xffff));
        config[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + mode] = (uint16_t)(plain ? 0 : random_bits() & 0x13);
    }
    config[DEST_TARGET_REG_CFG_MATH_Offset_ADDR32] = (uint16_t)(random_bits() & 0xfff);
    state->config.bank[0][ALU_FORMAT_SPEC_REG1_SrcB_ADDR32] = random_bits();
    state->config.bank[0][ALU_ACC_CTRL_SFPU_Fp32_enabled_ADDR32] = one_in(2) ? ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK : 0;
    state->addr.rwc[THREAD].dst = random_bits() & 0x3ff;
}

static void assert_same(const struct tensix_state *one, const struct tensix_state *other)
{
    assert_memory_equal(&one->vector, &other->vector, sizeof one->vector);
    assert_memory_equal(&one->dst, &other->dst, sizeof one->dst);
    assert_memory_equal(&one->addr, &other->addr, sizeof one->addr);
}

static void execute_by_unit(struct fixture *fixture, uint32_t word)
{
    enum host_vectors before = host_vectors;
    host_vectors = HOST_VECTORS_BASIC;
    tensix_execute(&fixture->tensix, THREAD, word, 0);
    host_vectors = before;
    fixture->diagnostics.count = 0;
    fixture->diagnostics.stopped = false;
}

/* How often each handler has executed: in all lanes, in some. */
struct tally {
    unsigned executed[PORTABLE_COUNT][2];
};

static void run_program(const struct portable_level *vectors, struct fixture *portable, struct fixture *alone,
                        struct tally *tally)
{
    struct vector_operation operations[LENGTH];
    uint32_t lanes[LENGTH];
    bool same = one_in(4);
    for (unsigned i = 0; i < LENGTH; i++) {
        operations[i] = trace_decode(i && same ? operations[0].word : random_word());
    }
    randomize(&alone->state);
    portable->state.vector = alone->state.vector;
    portable->state.dst = alone->state.dst;
    portable->state.addr = alone->state.addr;
    portable->state.config = alone->state.config;
    for (uint32_t done = 0; done < LENGTH;) {
        uint32_t some = portable_run_by(vectors, &portable->tensix, THREAD, &operations[done], LENGTH - done, 1);
        assert_in_range(some, 0, LENGTH - done);
        for (uint32_t i = done; i < done + some; i++) {
            lanes[i] = vector_enabled_lanes(vector_of(alone));
            execute_by_unit(alone, operations[i].word);
            tally->executed[operations[i].handler][lanes[i] != UINT32_MAX]++;
        }
        assert_same(&alone->state, &portable->state);
        done += some;
        if (done < LENGTH) {
            execute_by_unit(alone, operations[done].word);
            execute_by_unit(portable, operations[done].word);
            done++;
        }
    }
}

/* Operations again and again are as many of them alone. Returns how often all of them have executed. */
static uint32_t repeat_program(const struct portable_level *vectors, struct fixture *portable, struct fixture *alone)
{
    enum { SHORT = 3, TIMES = 4 };
    struct vector_operation operations[SHORT];
    for (unsigned i = 0; i < SHORT; i++) {
        operations[i] = trace_decode(random_word());
    }
    randomize(&alone->state);
    portable->state.vector = alone->state.vector;
    portable->state.dst = alone->state.dst;
    portable->state.addr = alone->state.addr;
    portable->state.config = alone->state.config;
    uint32_t done = portable_run_by(vectors, &portable->tensix, THREAD, operations, SHORT, TIMES);
    assert_in_range(done, 0, SHORT * TIMES);
    for (uint32_t i = 0; i < done; i++) {
        execute_by_unit(alone, operations[i % SHORT].word);
    }
    assert_same(&alone->state, &portable->state);
    return done / SHORT;
}

static void compare_level(enum host_vectors level, const struct portable_level *vectors)
{
    const enum host_vectors highest = host_vectors;
    void *portable = NULL, *alone = NULL;
    static struct tally tally;
    uint32_t repeated = 0;
    if (highest < level) {
        skip();
    }
    memset(&tally, 0, sizeof tally);
    assert_int_equal(fixture_setup(&portable), 0);
    assert_int_equal(fixture_setup(&alone), 0);
    diagnostics_set_policy(&((struct fixture *)portable)->diagnostics, BH_POLICY_SILICON);
    diagnostics_set_policy(&((struct fixture *)alone)->diagnostics, BH_POLICY_SILICON);
    host_vectors = level;
    for (unsigned program = 0; program < PROGRAMS; program++) {
        run_program(vectors, portable, alone, &tally);
        repeated += repeat_program(vectors, portable, alone);
    }
    assert_in_range(repeated, PROGRAMS, 4 * PROGRAMS);
    host_vectors = highest;
    for (unsigned handler = 1; handler < PORTABLE_COUNT; handler++) {
        if (handler != PORTABLE_refuse && handler != PORTABLE_load_INT32_ALL && handler != PORTABLE_store_INT32_ALL &&
            (tally.executed[handler][0] < OFTEN || tally.executed[handler][1] < OFTEN)) {
            fail_msg("handler %u executed %u times in all lanes, %u times in some", handler, tally.executed[handler][0],
                     tally.executed[handler][1]);
        }
    }
    fixture_teardown(&portable);
    fixture_teardown(&alone);
}

static void operations_do_what_units_do_on_any_host(void **state)
{
    compare_level(HOST_VECTORS_BASIC, &portable_basic);
}

#if defined(__x86_64__) && !defined(__clang__)
static void operations_do_what_units_do_with_avx2(void **state)
{
    compare_level(HOST_VECTORS_V3, &portable_v3);
}

static void operations_do_what_units_do_with_avx512(void **state)
{
    compare_level(HOST_VECTORS_V4, &portable_v4);
}
#endif

/* Then they can be kept, and handed on. */
static void plans_do_not_depend_on_the_host(void **state)
{
    const enum host_vectors highest = host_vectors;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        uint32_t word = random_word();
        host_vectors = HOST_VECTORS_BASIC;
        struct vector_operation one = trace_decode(word);
        host_vectors = highest;
        struct vector_operation other = trace_decode(word);
        assert_int_equal(one.kind, other.kind);
        assert_int_equal(one.handler, other.handler);
        assert_int_equal(one.word_operation, other.word_operation);
        assert_int_equal(one.effect, other.effect);
        assert_int_equal(one.condition, other.condition);
        assert_int_equal(one.immediate, other.immediate);
    }
}

/* While something is scheduled by SFPLOADMACRO, instructions take cycles. */
static void nothing_executes_beside_a_schedule(void **state)
{
    struct fixture *fixture = *state;
    const struct vector_operation operation = trace_decode((uint32_t)TENSIX_OPCODE_SFPNOP << 24);
    assert_int_equal(portable_run(&fixture->tensix, THREAD, &operation, 1, 3), 3);
    vector_of(fixture)->macro.active = true;
    assert_int_equal(portable_run(&fixture->tensix, THREAD, &operation, 1, 3), 0);
}

int main(void)
{
    seed = 0x3c6ef372fe94f82b;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_do_what_units_do_on_any_host),
#if defined(__x86_64__) && !defined(__clang__)
        cmocka_unit_test(operations_do_what_units_do_with_avx2),
        cmocka_unit_test(operations_do_what_units_do_with_avx512),
#endif
        cmocka_unit_test(plans_do_not_depend_on_the_host),
        FIXTURE_TEST(nothing_executes_beside_a_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
