/* Parts of the vector extension that no recorded model covers: which core has it, the core's own arithmetic,
   diagnostics. tests/rv32_vector_test.c tests the results of single instructions. */
#include "rv32/fixture.h"

#include <string.h>

enum { E8 = 0, E16 = 1 << 3, E32 = 2 << 3, VALUES = 0x400 };

static uint32_t word_vsetivli(unsigned vl, unsigned vtype)
{
    return rv32_instructions[RV32_OP_VSETIVLI].match | vtype << 20 | vl << 15 | A0 << 7;
}

static uint32_t word_v(enum rv32_op op, unsigned funct6, unsigned vd, unsigned vs2, unsigned vs1)
{
    return rv32_instructions[op].match | funct6 << 26 | 1u << 25 | vs2 << 20 | vs1 << 15 | vd << 7;
}

static void execute_two(struct fixture *fixture, uint32_t first, uint32_t second)
{
    PROGRAM(fixture, first, second);
    fixture->core.id = BH_CORE_T2;
    fixture->core.pc = 0x100;
    rv32_run(&fixture->rv32, 2);
}

static void set_element(struct fixture *fixture, unsigned reg, unsigned i, uint32_t value)
{
    memcpy(fixture->core.v + reg * 16 + i * 4, &value, 4);
}

static uint32_t element(struct fixture *fixture, unsigned reg, unsigned i)
{
    uint32_t value;
    memcpy(&value, fixture->core.v + reg * 16 + i * 4, 4);
    return value;
}

static void stopped(struct fixture *fixture, enum bh_category category, const char *text)
{
    assert_true(fixture->diagnostics.stopped);
    assert_int_equal(fixture->diagnostics.entries[0].category, category);
    assert_non_null(strstr(fixture->diagnostics.entries[0].text, text));
}

static void only_t2_has_vectors(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_vsetivli(4, E32));
    fixture->core.id = BH_CORE_T1;
    assert_int_equal(rv32_run(&fixture->rv32, 1), 0);
    stopped(fixture, BH_UNDEFINED_BEHAVIOR, "only T2");
}

/* InstructionSet.md: the same caveats as scalar instructions: the product is kept to 27 bits, denormals are zero. */
static void multiply_adds_are_those_of_the_scalar_instructions(void **state)
{
    struct fixture *fixture = *state;
    static const uint32_t functions[8] = {0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f};
    static const enum rv32_op scalar[8] = {RV32_OP_FMADD_S, RV32_OP_FNMADD_S, RV32_OP_FMSUB_S, RV32_OP_FNMSUB_S,
                                           RV32_OP_FMADD_S, RV32_OP_FNMADD_S, RV32_OP_FMSUB_S, RV32_OP_FNMSUB_S};
    for (unsigned i = 0; i < 8 * 200; i++) {
        uint32_t a = 0x3f800000 + i * 0x12345, b = 0x3f800000 + i * i * 77, c = 0xbf800000 + i * 0x4321;
        set_element(fixture, 1, 0, a); /* vs2 */
        set_element(fixture, 2, 0, b); /* vs1 */
        set_element(fixture, 3, 0, c); /* vd */
        bool accumulates = functions[i % 8] >= 0x2c;
        fixture->core.x[RV32_F0 + 1] = b;
        fixture->core.x[RV32_F0 + 2] = accumulates ? a : c;
        fixture->core.x[RV32_F0 + 3] = accumulates ? c : a;
        execute_two(fixture, word_vsetivli(1, E32), word_v(RV32_OP_OPFVV, functions[i % 8], 3, 1, 2));
        PROGRAM(fixture, word_r(scalar[i % 8], 4, 1, 2) | 3u << 27 | 7 << 12);
        fixture->core.pc = 0x100;
        rv32_run(&fixture->rv32, 1);
        assert_int_equal(element(fixture, 3, 0), fixture->core.x[RV32_F0 + 4]);
    }
    assert_int_equal(fixture->diagnostics.count, 0);
}

static void conversions_that_name_it_round_towards_zero(void **state)
{
    struct fixture *fixture = *state;
    set_element(fixture, 1, 0, 0x403e0000); /* 2.97 */
    set_element(fixture, 1, 1, 0xc03e0000);
    execute_two(fixture, word_vsetivli(2, E32), word_v(RV32_OP_OPFVV, 0x12, 2, 1, 7));
    assert_int_equal(element(fixture, 2, 0), 2);
    assert_int_equal(element(fixture, 2, 1), (uint32_t)-2);
    execute_two(fixture, word_vsetivli(2, E32), word_v(RV32_OP_OPFVV, 0x12, 2, 1, 1));
    assert_int_equal(element(fixture, 2, 0), 3);
    assert_int_equal(element(fixture, 2, 1), (uint32_t)-3);
    assert_int_equal(fixture->core.csr[RV32_CSR_fcsr], 1);
}

static void division_and_square_root_are_refused(void **state)
{
    struct fixture *fixture = *state;
    execute_two(fixture, word_vsetivli(4, E32), word_v(RV32_OP_OPMVV, 0x20, 3, 1, 2)); /* vdivu */
    stopped(fixture, BH_UNDEFINED_BEHAVIOR, "no such operation");
}

static void types_with_64_bits_are_refused(void **state)
{
    struct fixture *fixture = *state;
    execute_two(fixture, word_vsetivli(4, 3 << 3), word_addi(0, 0, 0));
    stopped(fixture, BH_UNDEFINED_BEHAVIOR, "8, 16 or 32 bits");
}

static void accesses_reach_both_memories_and_nothing_else(void **state)
{
    struct fixture *fixture = *state;
    uint32_t load = rv32_instructions[RV32_OP_VLOAD32].match | 1u << 25 | A1 << 15 | 5 << 7;
    uint32_t store = rv32_instructions[RV32_OP_VSTORE32].match | 1u << 25 | A1 << 15 | 5 << 7;
    fixture->core.x[A1] = VALUES;
    l1_write(&fixture->l1, VALUES, (const uint32_t[]){1, 2, 3, 4}, 16);
    execute_two(fixture, word_vsetivli(3, E32), load);
    assert_int_equal(element(fixture, 5, 2), 3);
    assert_int_equal(element(fixture, 5, 3), 0); /* beyond vl: undisturbed */
    fixture->core.x[A1] = MEM_LOCAL_BASE + 4;
    execute_two(fixture, word_vsetivli(3, E32), store);
    assert_memory_equal(fixture->local_ram, "\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\0\0\0\0", 20);
    fixture->core.x[A1] = 0xffb40000;
    execute_two(fixture, word_vsetivli(3, E32), store);
    stopped(fixture, BH_UNSUPPORTED, "only accesses to L1");
    assert_int_equal(fixture->accesses, 0);
}

static void a_vector_store_into_code_is_executed(void **state)
{
    struct fixture *fixture = *state;
    uint32_t store = rv32_instructions[RV32_OP_VSTORE32].match | 1u << 25 | A1 << 15 | 5 << 7;
    fixture->core.id = BH_CORE_T2;
    PROGRAM(fixture, word_vsetivli(1, E32), store, word_addi(A2, ZERO, 1), word_j(ZERO, -8));
    fixture->core.x[A1] = 0x108;
    set_element(fixture, 5, 0, word_addi(A2, ZERO, 1));
    rv32_run(&fixture->rv32, 4);
    assert_int_equal(fixture->core.x[A2], 1);
    set_element(fixture, 5, 0, word_addi(A2, ZERO, 2));
    rv32_run(&fixture->rv32, 2);
    assert_int_equal(fixture->core.x[A2], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_t2_has_vectors),
        TEST(multiply_adds_are_those_of_the_scalar_instructions),
        TEST(conversions_that_name_it_round_towards_zero),
        TEST(division_and_square_root_are_refused),
        TEST(types_with_64_bits_are_refused),
        TEST(accesses_reach_both_memories_and_nothing_else),
        TEST(a_vector_store_into_code_is_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
