/* ATINCGET, ATINCGETPTR, ATSWAP, ATCAS, as the ISA documentation's pages of these names state them. */
#include "tensix/tensix_fixture.h"

enum { BASE = 0x4000 };

static void setup(struct fixture *f, uint64_t *seed)
{
    for (unsigned i = 0; i < 32; i += 4) {
        l1_store32(&f->l1, BASE + i, xorshift64_word(seed));
    }
    for (unsigned i = 0; i < GPRS; i++) {
        f->state.scalar.gpr[1][i] = xorshift64_word(seed);
    }
}

static void atincget_adds_within_its_width_and_returns_what_was_there(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 8;
    uint32_t *gpr = f->state.scalar.gpr[1];
    for (unsigned round = 0; round < 20000; round++) {
        setup(f, &seed);
        unsigned width = round % 32, word = xorshift64_word(&seed) % 4, reg = xorshift64_word(&seed) % 62 + 1;
        gpr[0] = BASE / 16;
        uint32_t old = l1_load32(&f->l1, BASE + 4 * word), increment = gpr[reg];
        RUN_OK(f, 1, ATINCGET, .WrapVal = width, .Sel32b = word, .DataRegIndex = reg, .AddrRegIndex = 0);
        uint64_t modulus = UINT64_C(2) << width;
        uint32_t expected = (uint32_t)(old / modulus * modulus + (old + (uint64_t)increment) % modulus);
        assert_int_equal(l1_load32(&f->l1, BASE + 4 * word), expected);
        assert_int_equal(gpr[reg], old);
    }
}

/* A FIFO of four elements: counters of three bits, at words 0 (read) and 1 (write). */
static void atincgetptr_pushes_until_full_and_pops_until_empty(void **state)
{
    struct fixture *f = *state;
    uint32_t *gpr = f->state.scalar.gpr[1];
    gpr[3] = BASE / 16;
    unsigned read = 0, written = 0;
    uint64_t seed = 9;
    for (unsigned round = 0; round < 5000; round++) {
        unsigned push = xorshift64_word(&seed) & 1, look = xorshift64_word(&seed) % 4 == 0;
        gpr[4] = 0xdead;
        enum step step = RUN(f, 1, ATINCGETPTR, .WrapVal = 3, .IncrVal = 0, .NoIncr = look, .Sel32b = push,
                             .DataRegIndex = 4, .AddrRegIndex = 3);
        unsigned size = written - read;
        if (push ? size == 4 : size == 0) {
            assert_int_equal(step, STEP_WAIT);
            assert_int_equal(gpr[4], 0xdead);
        } else {
            assert_int_equal(step, STEP_DONE);
            assert_int_equal(gpr[4], (push ? written : read) % 8);
            if (!look) {
                written += push;
                read += !push;
            }
        }
        assert_int_equal(l1_load32(&f->l1, BASE), read % 8);
        assert_int_equal(l1_load32(&f->l1, BASE + 4), written % 8);
    }
    assert_true(written > 100);
}

static void atincgetptr_steps_by_a_power_of_two(void **state)
{
    struct fixture *f = *state;
    f->state.scalar.gpr[1][3] = BASE / 16;
    RUN_OK(f, 1, ATINCGETPTR, .WrapVal = 10, .IncrVal = 5, .Sel32b = 1, .DataRegIndex = 4, .AddrRegIndex = 3);
    assert_int_equal(l1_load32(&f->l1, BASE + 4), 32);
    l1_store32(&f->l1, BASE, 0xffff0000);
    l1_store32(&f->l1, BASE + 4, 0xffff000f);
    RUN_OK(f, 1, ATINCGETPTR, .WrapVal = 4, .IncrVal = 0, .Sel32b = 1, .DataRegIndex = 4, .AddrRegIndex = 3);
    assert_int_equal(l1_load32(&f->l1, BASE + 4), 0xffff0000); /* bits above the width stay */
    assert_int_equal(f->state.scalar.gpr[1][4], 0xffff000f);
}

static void atswap_writes_the_granules_of_its_mask(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 10;
    uint32_t *gpr = f->state.scalar.gpr[1];
    for (unsigned round = 0; round < 20000; round++) {
        setup(f, &seed);
        unsigned mask = xorshift64_word(&seed) & 255, single = round & 1, reg = xorshift64_word(&seed) % 60 + 4;
        gpr[0] = BASE / 16;
        uint32_t data[4] = {};
        memcpy(single ? &data[reg % 4] : data, single ? &gpr[reg] : &gpr[reg / 4 * 4], single ? 4 : 16);
        uint8_t expected[32];
        memcpy(expected, f->l1_bytes + BASE, 32);
        for (unsigned i = 0; i < 8; i++) {
            if (mask >> i & 1) {
                memcpy(expected + 2 * i, (uint8_t *)data + 2 * i, 2);
            }
        }
        struct scalar_unit before = f->state.scalar;
        RUN_OK(f, 1, ATSWAP, .SwapMask = mask, .SingleDataReg = single, .DataRegIndex = reg, .AddrRegIndex = 0);
        assert_memory_equal(f->l1_bytes + BASE, expected, 32);
        assert_memory_equal(&before, &f->state.scalar, sizeof before);
    }
}

static void atcas_waits_until_the_word_is_what_it_compares_with(void **state)
{
    struct fixture *f = *state;
    f->state.scalar.gpr[2][7] = BASE / 16;
    for (unsigned compare = 0; compare < 16; compare++) {
        for (unsigned word = 0; word < 4; word++) {
            unsigned set = 15 - compare;
            l1_store32(&f->l1, BASE + 4 * word, compare + 16);
            assert_int_equal(RUN(f, 2, ATCAS, .SwapVal = set, .CmpVal = compare, .Sel32b = word, .AddrRegIndex = 7),
                             STEP_WAIT);
            assert_int_equal(l1_load32(&f->l1, BASE + 4 * word), compare + 16);
            l1_store32(&f->l1, BASE + 4 * word, compare);
            RUN_OK(f, 2, ATCAS, .SwapVal = set, .CmpVal = compare, .Sel32b = word, .AddrRegIndex = 7);
            assert_int_equal(l1_load32(&f->l1, BASE + 4 * word), set);
        }
    }
}

static void an_address_beyond_l1_is_undefined(void **state)
{
    struct fixture *f = *state;
    f->state.scalar.gpr[0][1] = L1_SIZE / 16;
    f->state.scalar.gpr[0][2] = L1_SIZE / 16 - 1;
    ASSERT_STOPPED(f, RUN(f, 0, ATINCGET, .AddrRegIndex = 1), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, ATINCGETPTR, .AddrRegIndex = 1), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, ATSWAP, .AddrRegIndex = 1, .SwapMask = 255), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, ATCAS, .AddrRegIndex = 1), BH_UNDEFINED_BEHAVIOR);
    RUN_OK(f, 0, ATSWAP, .AddrRegIndex = 2, .SwapMask = 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(atincget_adds_within_its_width_and_returns_what_was_there),
        FIXTURE_TEST(atincgetptr_pushes_until_full_and_pops_until_empty),
        FIXTURE_TEST(atincgetptr_steps_by_a_power_of_two),
        FIXTURE_TEST(atswap_writes_the_granules_of_its_mask),
        FIXTURE_TEST(atcas_waits_until_the_word_is_what_it_compares_with),
        FIXTURE_TEST(an_address_beyond_l1_is_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
