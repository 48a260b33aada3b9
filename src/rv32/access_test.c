/* Accesses beyond the memories that a core may access directly, and misaligned ones. */
#include "rv32/fixture.h"

#include "util/bits.h"
#include <string.h>

/* WormholeB0 BabyRISCV/README.md: unaligned accesses are rounded down to the nearest aligned address. */
static void misaligned_accesses_are_rounded_down_with_a_warning(void **state)
{
    struct fixture *fixture = *state;
    l1_store32(&fixture->l1, 0x2000, 0x87654321);
    PROGRAM(fixture, word_u(RV32_OP_LUI, T0, 0x2000), word_i(RV32_OP_LW, A0, T0, 3), word_i(RV32_OP_LH, A1, T0, 3),
            word_s(RV32_OP_SH, T0, 7, T0), word_i(RV32_OP_LHU, A2, T0, 6), word_self_jump());
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->core.x[A0], 0x87654321);
    assert_int_equal(fixture->core.x[A1], 0xffff8765);
    assert_int_equal(fixture->core.x[A2], 0x2000);
    assert_int_equal(fixture->diagnostics.count, 3);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_int_equal(fixture->diagnostics.entries[0].pc, 0x104);
    assert_non_null(strstr(fixture->diagnostics.entries[0].text, "misaligned load of 4 bytes at 0x00002003"));
}

/* tt-exalens, test_l1_mem_access: bytes keep their lanes and do not cross the end of a 16-byte line. */
static void misaligned_stores_to_l1_keep_their_lanes(void **state)
{
    static const struct {
        enum rv32_op op;
        uint32_t offset, value, expected[2]; /* expected: the word that contains `offset`, and the next word */
    } cases[] = {
        {RV32_OP_SW, 1, 0x11223344, {0x112233ef, 0xdeadbe44}},  {RV32_OP_SW, 2, 0x11223344, {0x1122beef, 0xdead3344}},
        {RV32_OP_SW, 7, 0x11223344, {0x11adbeef, 0xde223344}},  {RV32_OP_SW, 13, 0x11223344, {0x112233ef, 0xdeadbeef}},
        {RV32_OP_SW, 15, 0x11223344, {0x11adbeef, 0xdeadbeef}}, {RV32_OP_SH, 1, 0xcc69, {0xde69ccef, 0xdeadbeef}},
        {RV32_OP_SH, 3, 0xcc69, {0xccadbeef, 0xdeadbe69}},      {RV32_OP_SH, 15, 0xcc69, {0xccadbeef, 0xdeadbeef}},
    };
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        for (uint32_t address = 0x2000; address < 0x2020; address += 4) {
            l1_store32(&fixture->l1, address, 0xdeadbeef);
        }
        PROGRAM(fixture, word_u(RV32_OP_LUI, T0, 0x2000), word_s(cases[i].op, T1, (int32_t)cases[i].offset, T0),
                word_self_jump());
        rv32_reset(&fixture->core, 0x100);
        fixture->core.x[T1] = cases[i].value;
        rv32_run(&fixture->rv32, 100);
        uint32_t word = 0x2000 + (cases[i].offset & ~3u);
        assert_int_equal(l1_load32(&fixture->l1, word), cases[i].expected[0]);
        assert_int_equal(l1_load32(&fixture->l1, word + 4), cases[i].expected[1]);
        assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    }
}

/* MemoryOrdering.md: atomic requests are directed toward L1. */
static void atomics_reach_l1_only(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.x[SP] = MEM_LOCAL_BASE;
    PROGRAM(fixture, word_r(RV32_OP_AMOADD_W, T0, SP, T1));
    assert_non_null(strstr(stopped_by(fixture, BH_UNDEFINED_BEHAVIOR)->text, "atomics reach L1 only"));
}

static void misaligned_atomics_are_told(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.x[SP] = 0x202;
    PROGRAM(fixture, word_r(RV32_OP_AMOMAXU_W, T0, SP, T1));
    assert_non_null(strstr(stopped_by(fixture, BH_UNDEFINED_BEHAVIOR)->text, "misaligned"));
}

static void the_last_bytes_of_l1_can_be_reached(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_u(RV32_OP_LUI, T0, L1_SIZE), word_s(RV32_OP_SW, T0, -4, T0), word_i(RV32_OP_LBU, A0, T0, -2),
            word_i(RV32_OP_LHU, A1, T0, -2), word_i(RV32_OP_LW, A2, T0, -4), word_i(RV32_OP_LW, A3, T0, 0),
            word_self_jump());
    fixture->loaded = 5;
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->core.x[A0], 0x18);
    assert_int_equal(fixture->core.x[A1], 0x18);
    assert_int_equal(fixture->core.x[A2], 0x180000);
    assert_int_equal(fixture->core.x[A3], 5);
    assert_int_equal(fixture->accesses, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(misaligned_accesses_are_rounded_down_with_a_warning),
        TEST(misaligned_stores_to_l1_keep_their_lanes),
        TEST(atomics_reach_l1_only),
        TEST(misaligned_atomics_are_told),
        TEST(the_last_bytes_of_l1_can_be_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
