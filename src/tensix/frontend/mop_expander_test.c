/* Expansion of MOP, against a model that writes the whole sequence down at once (ISA documentation MOPExpander.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/tensix_isa.h"
#include "tensix/frontend/frontend.h"

enum { MOST = 256 * 300 };
#define NOP_WORD ((uint32_t)TENSIX_OPCODE_NOP << 24)

struct sequence {
    uint32_t words[MOST];
    size_t count;
};

static struct sequence expected;

static void emit(uint32_t word)
{
    assert_true(expected.count < MOST);
    expected.words[expected.count++] = word;
}

static bool nop(uint32_t word)
{
    return word >> 24 == TENSIX_OPCODE_NOP;
}

static void model_template0(const uint32_t *c, uint32_t mask, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i >= 32 || (mask >> i & 1) == 0) {
            emit(c[3]);
            if (c[1] & 2) {
                emit(c[4]);
                emit(c[5]);
                emit(c[6]);
            }
            if (c[1] & 1) {
                emit(c[2]);
            }
        } else {
            emit(c[7]);
            if (c[1] & 1) {
                emit(c[8]);
            }
        }
    }
}

static void model_template1(const uint32_t *c, uint32_t given_outer, uint32_t given_inner)
{
    uint32_t outer = given_outer ? given_outer : c[0] & 127, inner = given_inner ? given_inner : c[1] & 127;
    uint32_t ops[2] = {c[5], c[6]};
    bool alternate = !nop(c[6]);
    if (alternate) {
        inner *= 2;
    }
    if (outer == 1 && nop(c[2]) && inner == 0 && !nop(c[3])) {
        outer += 128;
    }
    for (uint32_t j = 0; j < outer; j++) {
        if (!nop(c[2])) {
            emit(c[2]);
        }
        for (uint32_t i = 0; i < inner; i++) {
            if (i != inner - 1) {
                emit(ops[alternate ? i % 2 : 0]);
            } else {
                emit(j != outer - 1 ? c[8] : c[7]);
            }
        }
        if (!nop(c[3])) {
            emit(c[3]);
            if (!nop(c[4])) {
                emit(c[4]);
            }
        }
    }
}

static void check(struct mop_expander *mop, uint32_t word)
{
    mop_start(mop, word, 0x1234);
    for (size_t i = 0; i < expected.count; i++) {
        assert_true(mop->active);
        struct pushed next = mop_next(mop);
        assert_int_equal(next.word, expected.words[i]);
        assert_int_equal(next.pc, 0x1234);
    }
    assert_false(mop->active);
}

static uint32_t random_word(void)
{
    return rand() % 4 == 0 ? NOP_WORD | (uint32_t)rand() % 256
                           : (uint32_t)(0x26 + rand() % 64) << 24 | (uint32_t)rand() % 0x1000000;
}

static void template0_loops_under_its_mask(void **state)
{
    srand(1);
    for (int round = 0; round < 2000; round++) {
        struct mop_expander mop = {.zmask_high = (uint16_t)rand()};
        for (int i = 0; i < MOP_CONFIG_WORDS; i++) {
            mop.config[i] = random_word();
        }
        mop.config[1] = (uint32_t)rand() % 4;
        uint32_t low = (uint32_t)rand() & 0xffff, count = (uint32_t)rand() % 128;
        expected.count = 0;
        model_template0(mop.config, (uint32_t)mop.zmask_high << 16 | low, count + 1);
        check(&mop, 0x01000000 | count << 16 | low);
    }
}

static void template1_nests_two_loops(void **state)
{
    srand(2);
    for (int round = 0; round < 2000; round++) {
        struct mop_expander mop = {};
        for (int i = 0; i < MOP_CONFIG_WORDS; i++) {
            mop.config[i] = random_word();
        }
        mop.config[0] = (uint32_t)rand() % (round % 10 ? 5 : 128);
        mop.config[1] = (uint32_t)rand() % (round % 10 ? 5 : 128);
        expected.count = 0;
        model_template1(mop.config, 0, 0);
        check(&mop, 0x01800000);
    }
}

/* Inner count in bits 9:0, outer count in bits 19:10, 0 for that of the configuration (assembly.yaml of tt-llk's
   tt_llk_blackhole): blackhole-py's matmul_peak.py multiplies rows of any width and K blocks of any depth by one
   template. */
static void counts_of_the_instruction_come_first(void **state)
{
    srand(4);
    for (int round = 0; round < 2000; round++) {
        struct mop_expander mop = {};
        for (int i = 0; i < MOP_CONFIG_WORDS; i++) {
            mop.config[i] = random_word();
        }
        mop.config[0] = (uint32_t)rand() % 5;
        mop.config[1] = (uint32_t)rand() % 5;
        uint32_t inner = (uint32_t)rand() % 3 ? (uint32_t)rand() % (round % 10 ? 8 : 1024) : 0;
        uint32_t outer = (uint32_t)rand() % 3 ? (uint32_t)rand() % (inner < 8 && round % 10 == 1 ? 1024 : 16) : 0;
        expected.count = 0;
        model_template1(mop.config, outer, inner);
        check(&mop, 0x01800000 | outer << 10 | inner);
    }
}

/* "if OuterCount == 1 and IsNop(StartOp) and InnerCount == 0 and not IsNop(EndOp0): OuterCount += 128" */
static void an_empty_loop_with_an_end_runs_129_times(void **state)
{
    struct mop_expander mop = {.config = {1, 0, NOP_WORD, 0x37000001, NOP_WORD, 0, NOP_WORD, 0, 0}};
    mop_start(&mop, 0x01800000, 0);
    int count = 0;
    while (mop.active) {
        assert_int_equal(mop_next(&mop).word, 0x37000001);
        count++;
    }
    assert_int_equal(count, 129);
}

/* Whatever rounds the expander is said to give next, it gives, and goes on as if it had when they are left out. */
static void check_rounds(struct mop_expander *mop, unsigned *found)
{
    while (mop->active) {
        struct rounds rounds;
        if (rand() % 2 || !mop_rounds(mop, &rounds)) {
            (void)mop_next(mop);
            continue;
        }
        struct mop_expander one_by_one = *mop;
        uint32_t times = 1 + (uint32_t)rand() % rounds.times;
        assert_in_range(rounds.count, 1, ROUND_WORDS);
        for (uint32_t i = 0; i < times * rounds.count; i++) {
            assert_true(one_by_one.active);
            assert_int_equal(mop_next(&one_by_one).word, rounds.words[i % rounds.count]);
        }
        mop_leave_out_rounds(mop, &rounds, times);
        assert_int_equal(mop->active, one_by_one.active);
        if (mop->active) {
            assert_memory_equal(mop, &one_by_one, sizeof *mop);
        }
        *found += times > 1;
    }
}

static void rounds_are_what_comes_next(void **state)
{
    unsigned found[2] = {0};
    srand(3);
    for (int round = 0; round < 20000; round++) {
        struct mop_expander mop = {.zmask_high = (uint16_t)(rand() & -(rand() & 1))};
        unsigned template_number = (unsigned)rand() % 2;
        for (int i = 0; i < MOP_CONFIG_WORDS; i++) {
            mop.config[i] = i && rand() % 4 == 0 ? mop.config[i - 1] : random_word();
        }
        if (template_number == 0) {
            mop.config[1] = (uint32_t)rand() % 4;
        } else {
            mop.config[0] = (uint32_t)rand() % (rand() % 2 ? 5 : 128);
            mop.config[1] = (uint32_t)rand() % (rand() % 2 ? 5 : 128);
            mop.config[7] = rand() % 2 ? mop.config[5] : mop.config[7];
            mop.config[8] = rand() % 2 ? mop.config[7] : mop.config[8];
        }
        uint32_t mask = (uint32_t)(rand() & rand() & -(rand() & 1)) & 0xffff;
        uint32_t count = template_number == 0 ? (uint32_t)rand() % 128 : 0;
        uint32_t given = (uint32_t)rand() % 8 << 10 | (uint32_t)rand() % 32;
        mask = template_number == 0 ? mask : given & -(uint32_t)(rand() & 1);
        mop_start(&mop, 0x01000000 | template_number << 23 | count << 16 | mask, 0);
        check_rounds(&mop, &found[template_number]);
    }
    assert_in_range(found[0], 1000, UINT32_MAX);
    assert_in_range(found[1], 1000, UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(template0_loops_under_its_mask),
        cmocka_unit_test(template1_nests_two_loops),
        cmocka_unit_test(counts_of_the_instruction_come_first),
        cmocka_unit_test(an_empty_loop_with_an_end_runs_129_times),
        cmocka_unit_test(rounds_are_what_comes_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
