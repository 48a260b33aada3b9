/* Instructions that read products without hardware waiting for these. ISA documentation SFPMAD.md, "Instruction
   scheduling". */
#include "tensix/units/vector/loadmacro/macro_fixture.h"
#include "tensix/units/vector/operation.h"

/* Whether there is a warning about `reader` in the cycle after `product`. */
static bool is_missed(struct fixture *f, uint32_t product, uint32_t reader)
{
    f->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_STOP;
    bool missed = vector_check_pair(&f->tensix, product, reader) == STEP_STOP;
    assert_int_equal(f->diagnostics.count, missed);
    assert_true(!missed || f->diagnostics.entries[0].category == BH_UNPREDICTABLE_VALUE);
    f->diagnostics.count = 0;
    f->diagnostics.stopped = false;
    return missed;
}

enum { TWO = 2, OTHER = 5 };

static void readers_that_hardware_misses_are_warned_of(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t opcode, imm12, vc, vd, mod1;
        bool missed;
    } cases[] = {
        {TENSIX_OPCODE_SFPAND, TWO, OTHER, 6, 1, true},     /* USE_VB */
        {TENSIX_OPCODE_SFPAND, TWO, OTHER, 6, 0, false},    /* reads no VB */
        {TENSIX_OPCODE_SFPAND, OTHER, TWO, 6, 1, false},    /* VC is known */
        {TENSIX_OPCODE_SFPAND, TWO, TWO, 6, 1, false},      /* assumed to be read, so it waits */
        {TENSIX_OPCODE_SFPOR, TWO, OTHER, 6, 1, true},      /* USE_VB */
        {TENSIX_OPCODE_SFPOR, OTHER, OTHER, TWO, 1, false}, /* taken to read VD */
        {TENSIX_OPCODE_SFPXOR, 0, OTHER, TWO, 0, false},    /* all reads are known */
        {TENSIX_OPCODE_SFPIADD, 0, OTHER, TWO, 4, true},
        {TENSIX_OPCODE_SFPIADD, 0, TWO, TWO, 4, false},
        {TENSIX_OPCODE_SFPIADD, 3, OTHER, TWO, 5, false}, /* ARG_IMM: VD is not read */
        {TENSIX_OPCODE_SFPSHFT, 0, OTHER, TWO, 0, true},
        {TENSIX_OPCODE_SFPSHFT, 3, OTHER, TWO, 1, true},
        {TENSIX_OPCODE_SFPSHFT, 3, OTHER, TWO, 5, false}, /* ARG_IMM_USE_VC */
        {TENSIX_OPCODE_SFPSHFT, 0, TWO, OTHER, 0, false},
        {TENSIX_OPCODE_SFPCONFIG, 0, 0, 11, 0, false}, /* reads LReg[0] */
        {TENSIX_OPCODE_SFPSWAP, 0, TWO, OTHER, 1, true},
        {TENSIX_OPCODE_SFPSWAP, 0, OTHER, TWO, 9, true},
        {TENSIX_OPCODE_SFPSWAP, 0, OTHER, TWO, 0, false}, /* reads it in its second cycle */
        {TENSIX_OPCODE_SFPSHFT2, 0, 7, OTHER, 2, true},   /* SHFLROR1_AND_COPY4 */
        {TENSIX_OPCODE_SFPSHFT2, 0, TWO, OTHER, 3, true},
        {TENSIX_OPCODE_SFPSHFT2, 0, TWO, OTHER, 4, true},
        {TENSIX_OPCODE_SFPSHFT2, TWO, 7, OTHER, 5, true},
        {TENSIX_OPCODE_SFPSHFT2, TWO, 7, OTHER, 6, true},
        {TENSIX_OPCODE_SFPSHFT2, OTHER, 7, TWO, 5, false}, /* taken to read VD */
        {TENSIX_OPCODE_SFPSHFT2, 0, 7, OTHER, 0, false},   /* the documentation says nothing about COPY4 */
        {TENSIX_OPCODE_SFPNOP, 0, 0, 0, 0, false},
        {TENSIX_OPCODE_NOP, 0, 0, 0, 0, false},
    };
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        uint32_t reader = word(cases[i].opcode, cases[i].imm12, cases[i].vc, cases[i].vd, cases[i].mod1);
        assert_int_equal(is_missed(f, mad(10, 10, 9, TWO, 0), reader), cases[i].missed);
        assert_false(is_missed(f, mad(10, 10, 9, 4, 0), reader)); /* an LReg that none of them reads */
        assert_false(is_missed(f, nop(), reader));
        assert_false(is_missed(f, word(TENSIX_OPCODE_SFPMOV, 0, 1, TWO, 0), reader));
    }
    assert_true(is_missed(f, mad(10, 10, 9, 0, 0), word(TENSIX_OPCODE_SFPCONFIG, 0, 0, 11, 0)));
    assert_false(is_missed(f, mad(10, 10, 9, 0, 0), word(TENSIX_OPCODE_SFPCONFIG, 0, 0, 11, 1))); /* IMM16_IS_VALUE */
    assert_true(
        is_missed(f, mad(10, 10, 9, 0, 0), word(TENSIX_OPCODE_SFPCONFIG, 0, 0, 2, 1))); /* the logic ignores that bit */
}

/* SFPLUTFP32.md: the logic takes INDIRECT_VD from Mod1Mirror, bits 19:16, and assumes that every LReg but LReg[7] is
   read. */
static void sfplutfp32_says_by_its_mirror_that_it_reads_lreg7(void **state)
{
    enum { INDEX = 7, INDIRECT_VD = 8, MIRROR = INDIRECT_VD << 4, PLAIN = 0 };
    struct fixture *f = *state;
    uint32_t product = mad(10, 10, 9, INDEX, 0);
    assert_true(is_missed(f, product, word(TENSIX_OPCODE_SFPLUTFP32, 0, 0, OTHER, INDIRECT_VD)));
    assert_false(is_missed(f, product, word(TENSIX_OPCODE_SFPLUTFP32, MIRROR, 0, OTHER, INDIRECT_VD)));
    assert_false(is_missed(f, product, word(TENSIX_OPCODE_SFPLUTFP32, 0, 0, OTHER, PLAIN)));
    assert_false(is_missed(f, mad(10, 10, 9, 3, 0), word(TENSIX_OPCODE_SFPLUTFP32, 0, 0, OTHER, INDIRECT_VD)));
}

/* The pages of the others refer to SFPMAD's. */
static void all_products_take_two_cycles(void **state)
{
    struct fixture *f = *state;
    uint32_t reader = word(TENSIX_OPCODE_SFPIADD, 0, OTHER, TWO, 4),
             anything = word(TENSIX_OPCODE_SFPCONFIG, 0, 0, 11, 0);
    static const uint32_t opcodes[] = {TENSIX_OPCODE_SFPADD,  TENSIX_OPCODE_SFPMUL,     TENSIX_OPCODE_SFPADDI,
                                       TENSIX_OPCODE_SFPMULI, TENSIX_OPCODE_SFPLUTFP32, TENSIX_OPCODE_SFPMUL24};
    for (unsigned i = 0; i < COUNT_OF(opcodes); i++) {
        assert_true(is_missed(f, word(opcodes[i], 0, 9, TWO, 0), reader));
    }
    assert_true(is_missed(f, (uint32_t)TENSIX_OPCODE_SFPLUT << 24 | TWO << 20, reader));
    assert_true(is_missed(f, mad(10, 10, 9, OTHER, 8), anything)); /* INDIRECT_VD: may write any */
    assert_false(is_missed(f, mad(10, 10, 9, OTHER, 8), reader));  /* the logic assumes a read, so it waits */
}

static void push(struct fixture *f, uint32_t instruction, uint32_t pc)
{
    assert_int_equal(frontend_push(&f->tensix, THREAD, instruction, pc, false), STEP_DONE);
    tensix_drain(&f->tensix);
}

static uint32_t load_replay(uint32_t first, uint32_t count)
{
    return (uint32_t)TENSIX_OPCODE_REPLAY << 24 | first << 14 | count << 4 | 1;
}

/* Instructions of a REPLAY execute in consecutive cycles. They are checked once, when the buffer is loaded. */
static void replay_buffers_are_looked_at_when_loaded(void **state)
{
    struct fixture *f = *state;
    uint32_t product = mad(10, 10, 9, TWO, 0), reader = word(TENSIX_OPCODE_SFPIADD, 0, OTHER, TWO, 4);
    push(f, load_replay(8, 1), 0x10);
    push(f, product, 0x14);
    push(f, load_replay(9, 3), 0x18); /* loaded separately: entry 8 need not execute before entry 9 */
    push(f, reader, 0x1c);
    push(f, product, 0x20);
    assert_int_equal(f->diagnostics.count, 0);
    push(f, reader, 0x24);
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, BH_UNPREDICTABLE_VALUE);
    assert_int_equal(f->diagnostics.entries[0].action, BH_WARN);
    assert_int_equal(f->diagnostics.entries[0].pc, 0x24);
    push(f, load_replay(10, 2), 0x30); /* the same instructions again */
    push(f, product, 0x34);
    push(f, reader, 0x38);
    assert_int_equal(f->diagnostics.count, 1);
}

/* While instructions are scheduled, there are cycles: the reader gets the old value. */
static void missed_readers_among_scheduled_instructions_read_too_early(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 7, TEMPLATE));
    fill(f, 1, 7);
    fill(f, TWO, 100);
    f->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_WARN;
    go(f, load_macro(0, 4, UINT16, 0, 0));
    go(f, mad(10, 10, 9, TWO, 0));
    assert_int_equal(tensix_execute(&f->tensix, THREAD, word(TENSIX_OPCODE_SFPAND, TWO, 1, OTHER, 1), 0), STEP_DONE);
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, BH_UNPREDICTABLE_VALUE);
    ASSERT_LREG(f, OTHER, 7 & 100);
    ASSERT_LREG(f, TWO, 0x3f800000);
}

/* SFPLUTFP32.md: the result goes by Mod1, what waits for it by Mod1Mirror. LReg[7] says LReg[5]. */
static void sfplutfp32_says_by_its_mirror_what_it_writes(void **state)
{
    enum { INDEX = 7, TABLE = 10, MIRROR = 8 << 4, OLD = 100, MOVED = 6 };
    struct fixture *f = *state;
    const uint32_t move = word(TENSIX_OPCODE_SFPMOV, 0, OTHER, MOVED, 0);
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 7, TEMPLATE));
    f->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_WARN;
    for (unsigned known = 0; known < 2; known++) {
        uint32_t mirror = known ? MIRROR : 0;
        fill(f, INDEX, OTHER);
        fill(f, OTHER, OLD);
        go(f, load_macro(0, 4, UINT16, 0, 0));
        go(f, word(TENSIX_OPCODE_SFPLUTFP32, mirror, 0, TWO, TABLE));
        assert_int_equal(tensix_execute(&f->tensix, THREAD, move, 0), STEP_DONE);
        assert_int_equal(f->diagnostics.count, !known);
        if (known) {
            assert_int_not_equal(vector_of(f)->lreg[MOVED][0], OLD);
        } else {
            ASSERT_LREG(f, MOVED, OLD);
            assert_int_equal(f->diagnostics.entries[0].category, BH_UNPREDICTABLE_VALUE);
        }
        assert_int_not_equal(vector_of(f)->lreg[OTHER][0], OLD);
        f->diagnostics.count = 0;
        idle(f, 8);
    }
}

/* SFPLUTFP32.md: with INDIRECT_VD in Mod1Mirror every LReg is taken to be written, else VD, whatever Mod1 says. */
static void readers_wait_for_what_the_mirror_says(void **state)
{
    enum { TABLE = 10, MIRROR = 8 << 4 };
    struct fixture *f = *state;
    static const struct {
        uint32_t mirror, mod1, reads, cycles;
    } cases[] = {{0, 0, TWO, 2}, {0, 0, OTHER, 1}, {MIRROR, 0, OTHER, 2}, {MIRROR, 0, TWO, 2}, {0, TABLE, TWO, 2}};
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 7, TEMPLATE));
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 7, 0);
        go(f, load_macro(0, 4, UINT16, 0, 0));
        go(f, word(TENSIX_OPCODE_SFPLUTFP32, cases[i].mirror, 0, TWO, cases[i].mod1));
        uint32_t before = vector_of(f)->macro.now;
        go(f, word(TENSIX_OPCODE_SFPMOV, 0, cases[i].reads, 6, 0));
        assert_int_equal((vector_of(f)->macro.now - before) % VECTOR_DELAYS, cases[i].cycles);
        idle(f, 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MACRO_TEST(readers_that_hardware_misses_are_warned_of),
        MACRO_TEST(sfplutfp32_says_by_its_mirror_that_it_reads_lreg7),
        MACRO_TEST(sfplutfp32_says_by_its_mirror_what_it_writes),
        MACRO_TEST(readers_wait_for_what_the_mirror_says),
        MACRO_TEST(all_products_take_two_cycles),
        MACRO_TEST(replay_buffers_are_looked_at_when_loaded),
        MACRO_TEST(missed_readers_among_scheduled_instructions_read_too_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
