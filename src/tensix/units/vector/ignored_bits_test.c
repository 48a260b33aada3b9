/* Words with bits that public kernels set and cards ignore - 12:10 of SFPLOAD, SFPSTORE and SFPLOADMACRO, bit 3 of
   SFP_STOCH_RND's Mod1 for floats - have the effect of the words without those bits, in every way of execution: one by
   one, pushed repeatedly, replayed, repeated by a MOP, and scheduled by SFPLOADMACRO. All warn. */
#include "tensix/engine/fixture.h"

enum { THREAD = 1, PROGRAMS = 150, ROUNDS = 40, LONGEST = 12 };
enum { ABOVE_ADDRESS = 7 << 10, BIT_3_OF_MOD1 = 8 };

#define REPLAY_WORD(count, load) ((uint32_t)TENSIX_OPCODE_REPLAY << 24 | (count) << 4 | (load))

static uint32_t op(uint32_t opcode, uint32_t fields)
{
    return opcode << 24 | fields;
}

static uint32_t any_lreg(void)
{
    return random_bits() % 4;
}

static uint32_t rounding(void)
{
    static const uint8_t of_floats[] = {0, 1, 2, 3, 6, 7};
    uint32_t mode = of_floats[random_bits() % COUNT_OF(of_floats)];
    return op(TENSIX_OPCODE_SFP_STOCH_RND, (random_bits() % 3) << 21 | any_lreg() << 8 | any_lreg() << 4 | mode);
}

/* A random instruction; *marked: the same one with ignored bits, if it has any. */
static uint32_t random_word(uint32_t *marked)
{
    uint32_t place = any_lreg() << 20 | (1 + random_bits() % 3) << 16 | (random_bits() & 0xe07e), word;
    uint32_t bits = (random_bits() % 8) << 10;
    switch (random_bits() % 6) {
    case 0: word = op(TENSIX_OPCODE_SFPLOAD, place); break;
    case 1: word = op(TENSIX_OPCODE_SFPSTORE, place); break;
    case 2:
        word = rounding();
        bits = BIT_3_OF_MOD1;
        break;
    case 3:
        word = op(TENSIX_OPCODE_SFPIADD, (random_bits() & 0xfff) << 12 | any_lreg() << 8 | any_lreg() << 4 | 5);
        bits = 0;
        break;
    default:
        word = op(TENSIX_OPCODE_SFPMAD, (random_bits() & 0x33) << 12 | any_lreg() << 8 | any_lreg() << 4);
        bits = 0;
        break;
    }
    *marked = word | bits;
    return word;
}

static void fill_randomly(struct tensix_state *state)
{
    struct vector_unit *vector = &state->vector;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->prng[lane] = random_bits();
        for (unsigned lreg = 0; lreg < 8; lreg++) {
            vector->lreg[lreg][lane] = (random_bits() & 0x83ffffff) | 0x40000000;
        }
    }
    for (unsigned row = 0; row < DST_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            state->dst.rows[row][column] = (uint16_t)random_bits();
        }
    }
    for (unsigned mode = 0; mode < RWC_ADDR_MODES; mode++) {
        state->config.thread[THREAD][ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + mode] = (uint16_t)(2 * mode);
    }
}

static void copy_state(const struct tensix_state *from, struct tensix_state *to)
{
    to->vector = from->vector;
    to->dst = from->dst;
    to->addr = from->addr;
    memcpy(to->config.thread, from->config.thread, sizeof to->config.thread);
}

/* Compares everything except the words of scheduled instructions. */
static void compare(const struct fixture *plain, struct fixture *marked)
{
    marked->state.vector.macro = plain->state.vector.macro;
    assert_memory_equal(&plain->state.vector, &marked->state.vector, sizeof plain->state.vector);
    assert_memory_equal(&plain->state.dst, &marked->state.dst, sizeof plain->state.dst);
    assert_memory_equal(&plain->state.addr, &marked->state.addr, sizeof plain->state.addr);
}

static void push(struct fixture *fixture, uint32_t word, uint32_t pc)
{
    assert_int_equal(frontend_push(&fixture->tensix, THREAD, word, pc, false), STEP_DONE);
}

static void one_by_one(struct fixture *fixture, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(tensix_execute(&fixture->tensix, THREAD, words[i], 4 * i), STEP_DONE);
    }
}

static void pushed(struct fixture *fixture, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        push(fixture, words[i], 4 * i);
    }
    frontend_drain(&fixture->tensix, THREAD);
}

static void load(struct fixture *fixture, const uint32_t *words, uint32_t count)
{
    push(fixture, REPLAY_WORD(count, 1), 0);
    pushed(fixture, words, count);
}

static void replayed(struct fixture *fixture, const uint32_t *words, uint32_t count)
{
    load(fixture, words, count);
    push(fixture, REPLAY_WORD(count, 0), 4);
    frontend_drain(&fixture->tensix, THREAD);
}

static void repeated(struct fixture *fixture, const uint32_t *words, uint32_t count)
{
    enum { MOP_LOOP = 0x01800000, NOTHING = TENSIX_OPCODE_NOP << 24 };
    uint32_t word = REPLAY_WORD(count, 0);
    const uint32_t config[] = {1, 1, NOTHING, NOTHING, NOTHING, word, NOTHING, word, word};
    load(fixture, words, count);
    for (unsigned i = 0; i < COUNT_OF(config); i++) {
        frontend_write_mop_config(&fixture->tensix, THREAD, i, config[i]);
    }
    push(fixture, MOP_LOOP, 8);
    frontend_drain(&fixture->tensix, THREAD);
}

typedef void way(struct fixture *fixture, const uint32_t *words, uint32_t count);

static way *const ways[] = {one_by_one, pushed, replayed, repeated};

static void assert_warned(struct fixture *fixture, bool marked)
{
    struct diagnostics *diagnostics = &fixture->diagnostics;
    assert_int_equal(diagnostics->count != 0, marked);
    for (unsigned i = 0; i < diagnostics->count && i < DIAGNOSTICS_KEPT; i++) {
        assert_int_equal(diagnostics->entries[i].category, BH_NON_CONTRACTUAL);
        assert_int_equal(diagnostics->entries[i].action, BH_WARN);
    }
    diagnostics->count = 0;
    memset(diagnostics->warned, 0, sizeof diagnostics->warned);
    memset(diagnostics->repeated, 0, sizeof diagnostics->repeated);
}

static void ignored_bits_change_nothing(void **state)
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *marked = *state, *plain = other;
    plain->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_IGNORE; /* stochastic rounding */
    marked->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_IGNORE;
    for (unsigned program = 0; program < PROGRAMS; program++) {
        uint32_t words[LONGEST], same[LONGEST], count = 1 + random_bits() % LONGEST;
        for (uint32_t i = 0; i < count; i++) {
            words[i] = random_word(&same[i]);
        }
        way *execute = ways[program % COUNT_OF(ways)];
        bool any = memcmp(words, same, count * sizeof *words) != 0;
        fill_randomly(&plain->state);
        copy_state(&plain->state, &marked->state);
        for (unsigned round = 0; round < ROUNDS; round++) {
            one_by_one(plain, words, count);
            execute(marked, same, count);
            compare(plain, marked);
        }
        assert_warned(plain, false);
        assert_warned(marked, any);
    }
    fixture_teardown(&other);
}

/* Programs a macro that loads LReg[vd], multiplies, rounds and stores it. */
static void program_macro(struct vector_unit *vector, uint32_t round, uint32_t store)
{
    enum { MAD_SLOT = 4, ROUND_SLOT = 5 | 2 << 3, STORE_SLOT = 6 | 3 << 3 };
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->load_macro.instruction_template[0][lane] = op(TENSIX_OPCODE_SFPMAD, 0x12 << 12 | 9 << 8);
        vector->load_macro.instruction_template[1][lane] = round;
        vector->load_macro.instruction_template[2][lane] = store;
        vector->load_macro.sequence[0][lane] = MAD_SLOT << 8 | ROUND_SLOT << 16 | (uint32_t)STORE_SLOT << 24;
        vector->load_macro.misc[lane] = 1 << 4; /* store in the load's mode */
    }
}

static void templates_and_macros_may_have_ignored_bits(void **state)
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *marked = *state, *plain = other;
    plain->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_IGNORE;
    marked->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_IGNORE;
    for (unsigned program = 0; program < PROGRAMS; program++) {
        uint32_t macro = op(TENSIX_OPCODE_SFPLOADMACRO, any_lreg() << 20 | 3 << 16 | (random_bits() & 0xe07e));
        uint32_t round = rounding(), store = op(TENSIX_OPCODE_SFPSTORE, 0);
        uint32_t nop = op(TENSIX_OPCODE_SFPNOP, 0);
        const uint32_t words[] = {macro, nop, nop, nop, nop, nop};
        const uint32_t same[] = {macro | ABOVE_ADDRESS, nop, nop, nop, nop, nop};
        fill_randomly(&plain->state);
        program_macro(&plain->state.vector, round, store);
        copy_state(&plain->state, &marked->state);
        for (unsigned i = 0; i < ROUNDS / 4; i++) {
            program_macro(&marked->state.vector, round | BIT_3_OF_MOD1, store | ABOVE_ADDRESS);
            one_by_one(plain, words, COUNT_OF(words));
            ways[program % COUNT_OF(ways)](marked, same, COUNT_OF(same));
            program_macro(&marked->state.vector, round, store);
            compare(plain, marked);
        }
        assert_warned(plain, false);
        assert_int_equal(marked->diagnostics.count, 2); /* reserved bits, and SFP_STOCH_RND */
        assert_warned(marked, true);
    }
    fixture_teardown(&other);
}

/* SFPSTORE of ckernel_sfpu_reduce_custom.h: ADDR_MOD_3 and -128 & 0x3fff, added up to mode 4 and 0x1f80. */
static void a_store_of_the_vendors_kernel_goes_128_back(void **state)
{
    enum { STORE = 0x72029f80, MODE_4_STEP = 6 };
    struct fixture *fixture = *state;
    fixture->state.addr.rwc[THREAD].dst = 256;
    fixture->state.config.thread[THREAD][ADDR_MOD_DST_SEC4_DestIncr_ADDR32] = MODE_4_STEP;
    fill(fixture, 0, 0x3f800000);
    assert_int_equal(tensix_execute(&fixture->tensix, THREAD, STORE, 0), STEP_DONE);
    assert_int_equal(fixture->state.dst.rows[128][0], 0x3f80);
    assert_int_equal(fixture->state.addr.rwc[THREAD].dst, 256 + MODE_4_STEP);
    assert_int_equal(fixture->diagnostics.count, 1);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_non_null(strstr(fixture->diagnostics.entries[0].text, "SFPSTORE: reserved bits 0x001c00"));
}

static void strictly_or_with_other_reserved_bits_they_stop(void **state)
{
    struct fixture *fixture = *state;
    const uint32_t template = op(TENSIX_OPCODE_SFPMAD, 1 << 20), nop = op(TENSIX_OPCODE_SFPNOP, 0);
    ASSERT_STOPPED(fixture, tensix_execute(&fixture->tensix, THREAD, nop | 1, 0), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(fixture, tensix_execute(&fixture->tensix, THREAD, template, 0), BH_UNDEFINED_BEHAVIOR);
    program_macro(&fixture->state.vector, template, op(TENSIX_OPCODE_SFPSTORE, 0));
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        fixture->state.vector.load_macro.instruction_template[0][lane] = template;
    }
    uint32_t macro = op(TENSIX_OPCODE_SFPLOADMACRO, 3 << 16);
    ASSERT_STOPPED(fixture, tensix_execute(&fixture->tensix, THREAD, macro, 0), BH_UNDEFINED_BEHAVIOR);
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_STRICT);
    ASSERT_STOPPED(fixture, tensix_execute(&fixture->tensix, THREAD, 0x72029f80, 0), BH_NON_CONTRACTUAL);
}

#define TRANSLATING_TEST(function) cmocka_unit_test_setup_teardown(function, compiling_setup, compiling_teardown)

int main(void)
{
    seed = 0x3c6ef372fe94f82b;
    const struct CMUnitTest tests[] = {
        TRANSLATING_TEST(ignored_bits_change_nothing),
        TRANSLATING_TEST(templates_and_macros_may_have_ignored_bits),
        FIXTURE_TEST(a_store_of_the_vendors_kernel_goes_128_back),
        FIXTURE_TEST(strictly_or_with_other_reserved_bits_they_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
