/* Every instruction of RV32IM, Zaamo, Zba and Zbb with edge operands, against results recorded on another model
   (tests/vectors/rv32_operations.h), executed by both copies of the interpreter. */
#include "rv32/fixture.h"

#include <stdio.h>

#include "vectors/rv32_operations.h"

enum { MEMORY = 0x2000 };

static FILE *open_vectors(void)
{
    FILE *file = fopen(BHEMU_SOURCE_DIR "/tests/vectors/rv32_operations.bin", "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, RV32_VECTORS_TEXT, SEEK_SET), 0);
    return file;
}

static uint32_t next(FILE *file)
{
    uint8_t b[4];
    assert_int_equal(fread(b, 1, sizeof b, file), sizeof b);
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint32_t run_hooked(struct rv32 *rv32, uint32_t budget)
{
    return rv32_run_hooked(rv32, budget, &(const struct rv32_hooks){0});
}

static void check(struct fixture *fixture, FILE *file, uint32_t (*run)(struct rv32 *, uint32_t), enum rv32_op op,
                  unsigned variant)
{
    enum rv32_format format = (enum rv32_format)rv32_instructions[op].format;
    uint32_t word = rv32_vectors_word(op, variant);
    assert_int_equal(next(file), word);
    PROGRAM(fixture, word, format == RV32_FORMAT_B ? RV32_VECTORS_LI_A2_0 : word_addi(ZERO, ZERO, 0), word_self_jump());
    for (unsigned i = 0; i < RV32_VECTORS_OPERANDS; i++) {
        for (unsigned j = 0; j < rv32_vectors_seconds(op); j++) {
            uint32_t a = rv32_vectors_operands[i], b = rv32_vectors_operands[j];
            rv32_reset(&fixture->core, 0x100);
            fixture->core.x[A0] = a;
            fixture->core.x[A1] = b;
            fixture->core.x[A2] = 1;
            fixture->core.x[A3] = MEMORY;
            l1_store32(&fixture->l1, MEMORY, format == RV32_FORMAT_STORE ? RV32_VECTORS_MEMORY : a);
            run(&fixture->rv32, 10);
            assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
            uint32_t a2 = fixture->core.x[A2], memory = l1_load32(&fixture->l1, MEMORY), expected;
            if (format != RV32_FORMAT_STORE && a2 != (expected = next(file))) {
                fail_msg("%s (0x%08x) of 0x%08x, 0x%08x: 0x%08x, should be 0x%08x", rv32_instructions[op].name, word, a,
                         b, a2, expected);
            }
            if ((format == RV32_FORMAT_STORE || format == RV32_FORMAT_AMO) && memory != (expected = next(file))) {
                fail_msg("%s (0x%08x) of 0x%08x, 0x%08x: memory 0x%08x, should be 0x%08x", rv32_instructions[op].name,
                         word, a, b, memory, expected);
            }
        }
    }
}

static void check_all(struct fixture *fixture, uint32_t (*run)(struct rv32 *, uint32_t))
{
    FILE *file = open_vectors();
    for (enum rv32_op op = RV32_OP_NONE + 1; op < RV32_OP_TTINSN; op++) {
        for (unsigned variant = 0; variant < rv32_vectors_variants(op); variant++) {
            check(fixture, file, run, op, variant);
        }
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

static void instructions_compute_what_another_model_computes(void **state)
{
    check_all(*state, rv32_run);
}

static void the_hooked_copy_computes_the_same(void **state)
{
    check_all(*state, run_hooked);
}

/* Instructions without vectors have tests elsewhere: in rv32_test.c and csr_test.c. */
static void every_executed_instruction_has_vectors_or_a_test(void **state)
{
    (void)state;
    for (enum rv32_op op = RV32_OP_NONE + 1; op < RV32_OP_TTINSN; op++) {
        bool elsewhere = op == RV32_OP_AUIPC || op == RV32_OP_JAL || op == RV32_OP_JALR || op == RV32_OP_FENCE ||
                         op == RV32_OP_FENCE_I || op == RV32_OP_ECALL || op == RV32_OP_EBREAK || op == RV32_OP_GREVI ||
                         rv32_instructions[op].extension == RV32_ZICSR ||
                         rv32_instructions[op].extension >= RV32_INTERRUPT;
        if (elsewhere == (rv32_vectors_variants(op) != 0)) {
            fail_msg("%s", rv32_instructions[op].name);
        }
    }
}

/* Bit manipulation draft 0.92: grev exchanges neighbouring groups of 2^i bits for each bit i of the shift amount. */
static void grevi_takes_bit_i_from_bit_i_xor_shift(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned shift = 0; shift < 32; shift++) {
        PROGRAM(fixture, word_i(RV32_OP_GREVI, A2, A0, (int32_t)shift), word_self_jump());
        for (unsigned i = 0; i < RV32_VECTORS_OPERANDS; i++) {
            uint32_t a = rv32_vectors_operands[i], expected = 0;
            for (unsigned bit = 0; bit < 32; bit++) {
                expected |= (a >> (bit ^ shift) & 1) << bit;
            }
            rv32_reset(&fixture->core, 0x100);
            fixture->core.x[A0] = a;
            rv32_run(&fixture->rv32, 10);
            assert_int_equal(fixture->core.x[A2], expected);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(instructions_compute_what_another_model_computes, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(the_hooked_copy_computes_the_same, fixture_setup, fixture_teardown),
        cmocka_unit_test(every_executed_instruction_has_vectors_or_a_test),
        cmocka_unit_test_setup_teardown(grevi_takes_bit_i_from_bit_i_xor_shift, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
