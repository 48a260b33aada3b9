/* SFPNAND of docs/adding-an-instruction.md, in a copy of the sources with this instruction:
   scripts/test-made-up-instruction. */
#include "isa/tensix_facts.h"
#include "isa/tensix_text.h"
#include "tensix/engine/fixture.h"
#include "tensix/units/vector/loadmacro/macro_fixture.h"
#include "tensix/units/vector/operation.h"

#define TENSIX_INSTRUCTION_BUFFER (&pushed)
static volatile uint32_t pushed;
#undef TENSIX_OPCODE
#include "kernel/tensix.h"

enum { USE_VB = 1, A = 0x0f0f1234, B = 0x00ff5555 };

static void interpreter_executes_it(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, A);
    fill(f, 2, B);
    fill(f, 3, 7);
    go(f, TT_OP_SFPNAND(0, 1, 2, 0));
    ASSERT_LREG(f, 2, ~(A & B));
    enable_lanes(f, 0xff);
    go(f, TT_OP_SFPNAND(1, 1, 3, USE_VB));
    ASSERT_LREG_IN(f, 3, 0xff, ~A, 7);
}

/* Executed repeatedly among decoded instructions, by the portable back end or code of the host. */
static void rows_execute_it(void **state)
{
    enum { TIMES = 60 };
    struct fixture *f = *state;
    const uint32_t row[] = {mad(1, 2, 3, 4, 0), TT_OP_SFPNAND(2, 1, 5, USE_VB), word(TENSIX_OPCODE_SFPXOR, 0, 5, 1, 0),
                            mad(4, 1, 2, 2, 0), TT_OP_SFPNAND(0, 2, 3, 0)};
    struct vector_unit one_by_one;
    uint32_t seed = 1;
    for (unsigned lane = 0; lane < 8 * SFPU_LANES; lane++) {
        f->state.vector.lreg[lane / SFPU_LANES][lane % SFPU_LANES] = seed = seed * 1664525 + 1013904223;
    }
    const struct vector_unit before = f->state.vector;
    for (unsigned i = 0; i < TIMES * COUNT_OF(row); i++) {
        go(f, row[i % COUNT_OF(row)]);
    }
    one_by_one = f->state.vector;
    f->state.vector = before;
    assert_int_equal(frontend_push(&f->tensix, THREAD, TT_OP_REPLAY(0, COUNT_OF(row), 0, 1), 0, false), STEP_DONE);
    for (unsigned i = 0; i < COUNT_OF(row); i++) {
        assert_int_equal(frontend_push(&f->tensix, THREAD, row[i], 4 + 4 * i, false), STEP_DONE);
    }
    tensix_drain(&f->tensix);
    for (unsigned i = 0; i < TIMES; i++) {
        assert_int_equal(frontend_push(&f->tensix, THREAD, TT_OP_REPLAY(0, COUNT_OF(row), 0, 0), 100, false),
                         STEP_DONE);
        tensix_drain(&f->tensix);
    }
    assert_int_equal(f->diagnostics.count, 0);
    assert_memory_equal(f->state.vector.lreg, one_by_one.lreg, sizeof one_by_one.lreg);
}

/* The loaded LReg is VC, or VB; the result goes there, or to LReg[16]. */
static void sfploadmacro_schedules_it(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, TT_OP_SFPNAND(0, 1, 2, 0));
    put(f, 0, 0x5555);
    fill(f, 1, A);
    fill(f, 2, B);
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 2);
    ASSERT_LREG(f, 4, ~(B & 0x5555)); /* VB is the VD of the template */
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE | OVERRIDE_VB));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 2);
    ASSERT_LREG(f, 4, ~(A & 0x5555));
    set_template(f, 0, TT_OP_SFPNAND(2, 1, 3, USE_VB));
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE | LREG16));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 2);
    ASSERT_LREG(f, 16, ~(B & 0x5555));
    ASSERT_LREG(f, 4, 0x5555);
}

static void facts_are_those_of_its_entry(void **state)
{
    uint32_t word = TT_OP_SFPNAND(5, 1, 2, USE_VB);
    struct tensix_operands operands = tensix_operands_of(word);
    assert_int_equal(tensix_reads(word, &operands), 1 << 5 | 1 << 1 | TENSIX_USE_LANE_FLAGS);
    assert_int_equal(tensix_writes(word, &operands), 1 << 2);
    assert_int_equal(tensix_facts[word >> 24].sub_unit, TENSIX_SUB_UNIT_SIMPLE);
}

static void text_and_header_have_it(void **state)
{
    char text[TENSIX_TEXT_SIZE];
    uint32_t word;
    struct tensix_text_error error;
    tensix_disassemble(0x9a005121, TENSIX_TEXT_COMPACT, text, sizeof text);
    assert_string_equal(text, "ttsfpnand 5,1,2,1");
    assert_true(tensix_assemble("SFPNAND imm12_math=5, lreg_c=1, lreg_dest=2, instr_mod1=1", &word, &error));
    assert_int_equal(word, 0x9a005121);
    assert_int_equal(TT_OP_SFPNAND(5, 1, 2, 1), 0x9a005121);
    TT_SFPNAND(5, 1, 2, 1);
    assert_int_equal(pushed, 0x9a005121);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MACRO_TEST(interpreter_executes_it),
        ENGINE_TEST(rows_execute_it),
        cmocka_unit_test_setup_teardown(rows_execute_it, compiling_setup, compiling_teardown),

        MACRO_TEST(sfploadmacro_schedules_it),
        cmocka_unit_test(facts_are_those_of_its_entry),
        cmocka_unit_test(text_and_header_have_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
