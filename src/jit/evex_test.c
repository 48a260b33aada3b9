/* Bytes of instructions as the GNU assembler gives them. tensix/engine/avx512/lower_test.c tests the results of
   executing them. */
#include "jit/evex.h"

#include "jit/evex_fixture.h"

enum { CAPACITY = 64 };

static uint8_t bytes[CAPACITY];

static struct evex_code emitted(struct evex_instruction instruction)
{
    struct evex_code code = {.bytes = bytes, .capacity = CAPACITY};
    evex_emit(&code, &instruction);
    return code;
}

#define REGISTER(n) ((struct evex_operand){EVEX_REGISTER, n})
#define VECTOR(n) ((struct evex_operand){EVEX_VECTOR, n})
#define CONSTANT(n) ((struct evex_operand){EVEX_CONSTANT, n})

static void registers_take_five_bits(void **state)
{
    struct evex_code code = emitted((struct evex_instruction){EVEX_ADD, 1, 31, 0, 0, REGISTER(29)});
    ASSERT_CODE(&code, 0x62, 0x91, 0x05, 0x40, 0xfe, 0xcd); /* vpaddd zmm1, zmm31, zmm29 */
    code = emitted((struct evex_instruction){EVEX_MULTIPLY, 1, 31, 0, 0, REGISTER(29)});
    ASSERT_CODE(&code, 0x62, 0x92, 0x05, 0x40, 0x40, 0xcd); /* vpmulld zmm1, zmm31, zmm29 */
    code = emitted((struct evex_instruction){EVEX_OR, 10, 28, 0, 0, REGISTER(26)});
    ASSERT_CODE(&code, 0x62, 0x11, 0x1d, 0x40, 0xeb, 0xd2); /* vpord zmm10, zmm28, zmm26 */
    code = emitted((struct evex_instruction){EVEX_SHIFT_LEFT_BY, 1, 31, 0, 0, REGISTER(29)});
    ASSERT_CODE(&code, 0x62, 0x92, 0x05, 0x40, 0x47, 0xcd); /* vpsllvd zmm1, zmm31, zmm29 */
    code = emitted((struct evex_instruction){EVEX_SHIFT_RIGHT_BY, 1, 31, 0, 0, REGISTER(29)});
    ASSERT_CODE(&code, 0x62, 0x92, 0x05, 0x40, 0x45, 0xcd); /* vpsrlvd zmm1, zmm31, zmm29 */
    code = emitted((struct evex_instruction){EVEX_MOVE, 19, 0, 0, 0, REGISTER(23)});
    ASSERT_CODE(&code, 0x62, 0xa1, 0x7d, 0x48, 0x6f, 0xdf); /* vmovdqa32 zmm19, zmm23 */
}

static void vectors_in_memory_are_counted(void **state)
{
    struct evex_code code = emitted((struct evex_instruction){EVEX_SUB, 4, 30, 2, 0, VECTOR(17)});
    ASSERT_CODE(&code, 0x62, 0xf1, 0x0d, 0x42, 0xfa, 0x67, 0x11); /* vpsubd zmm4{k2}, zmm30, [rdi + 0x440] */
    code.size = 0;
    evex_emit_store(&code, 29, 15);
    ASSERT_CODE(&code, 0x62, 0x61, 0x7d, 0x48, 0x7f, 0x6f, 0x0f); /* vmovdqa32 [rdi + 0x3c0], zmm29 */
}

static void vectors_lie_behind_an_index(void **state)
{
    const struct evex_operand rows = {EVEX_INDEXED, 0x12345678};
    struct evex_code code = emitted((struct evex_instruction){EVEX_MOVE, 31, 0, 7 | EVEX_ZEROES, 0, rows});
    /* vmovdqa32 zmm31{k7}{z}, [rdi + rcx + 0x12345678] */
    ASSERT_CODE(&code, 0x62, 0x61, 0x7d, 0xcf, 0x6f, 0xbc, 0x0f, 0x78, 0x56, 0x34, 0x12);
    code = emitted((struct evex_instruction){EVEX_SHIFT_LEFT, 30, 0, 7 | EVEX_ZEROES, 16, rows});
    /* vpslld zmm30{k7}{z}, [rdi + rcx + 0x12345678], 16 */
    ASSERT_CODE(&code, 0x62, 0xf1, 0x0d, 0xc7, 0x72, 0xb4, 0x0f, 0x78, 0x56, 0x34, 0x12, 0x10);
    code.size = 0;
    evex_emit_indexed_store(&code, 16, -64);
    /* vmovdqa32 [rdi + rcx - 64], zmm16 */
    ASSERT_CODE(&code, 0x62, 0xe1, 0x7d, 0x48, 0x7f, 0x84, 0x0f, 0xc0, 0xff, 0xff, 0xff);
}

static void constants_are_relative_to_the_end(void **state)
{
    struct evex_code code = {.bytes = bytes, .capacity = CAPACITY};
    uint32_t place = evex_emit_constant(&code, 0x12345678);
    evex_emit(&code, &(struct evex_instruction){EVEX_XOR, 13, 27, 3, 0, CONSTANT(place)});
    /* vpxord zmm13{k3}, zmm27, [rip - 14]{1to16} */
    ASSERT_CODE(&code, 0x78, 0x56, 0x34, 0x12, 0x62, 0x71, 0x25, 0x53, 0xef, 0x2d, 0xf2, 0xff, 0xff, 0xff);
    code.size = sizeof(uint32_t);
    evex_emit(&code, &(struct evex_instruction){EVEX_MOVE, 19, 0, 3, 0, CONSTANT(place)});
    /* vpbroadcastd zmm19{k3}, [rip - 14] */
    ASSERT_CODE(&code, 0x78, 0x56, 0x34, 0x12, 0x62, 0xe2, 0x7d, 0x4b, 0x58, 0x1d, 0xf2, 0xff, 0xff, 0xff);
}

static void halves_are_joined(void **state)
{
    struct evex_code code =
        emitted((struct evex_instruction){EVEX_JOIN_HALVES, 1, 31, 0, EVEX_LOWER_HALVES, REGISTER(29)});
    ASSERT_CODE(&code, 0x62, 0x93, 0x05, 0x40, 0x43, 0xcd, 0x44); /* vshufi32x4 zmm1, zmm31, zmm29, 0x44 */
}

static void shifts_and_tables_end_in_a_byte(void **state)
{
    struct evex_code code = emitted((struct evex_instruction){EVEX_SHIFT_LEFT, 22, 0, 0, 5, REGISTER(22)});
    ASSERT_CODE(&code, 0x62, 0xb1, 0x4d, 0x40, 0x72, 0xf6, 0x05); /* vpslld zmm22, zmm22, 5 */
    code = emitted((struct evex_instruction){EVEX_SHIFT_RIGHT, 25, 0, 0, 5, REGISTER(21)});
    ASSERT_CODE(&code, 0x62, 0xb1, 0x35, 0x40, 0x72, 0xd5, 0x05); /* vpsrld zmm25, zmm21, 5 */
    code = emitted((struct evex_instruction){EVEX_SHIFT_RIGHT_SIGNED, 25, 0, 0, 5, REGISTER(21)});
    ASSERT_CODE(&code, 0x62, 0xb1, 0x35, 0x40, 0x72, 0xe5, 0x05); /* vpsrad zmm25, zmm21, 5 */
    code = emitted((struct evex_instruction){EVEX_SHIFT_RIGHT_WIDE, 25, 0, 0, 32, REGISTER(21)});
    ASSERT_CODE(&code, 0x62, 0xb1, 0xb5, 0x40, 0x73, 0xd5, 0x20); /* vpsrlq zmm25, zmm21, 32 */
    code = emitted((struct evex_instruction){EVEX_TERNARY, 16, 16, 2, 0x55, VECTOR(17)});
    /* vpternlogd zmm16{k2}, zmm16, [rdi + 0x440], 0x55 */
    ASSERT_CODE(&code, 0x62, 0xe3, 0x7d, 0x42, 0x25, 0x47, 0x11, 0x55);
}

static void products_are_wide_and_floats_rounded(void **state)
{
    struct evex_code code = emitted((struct evex_instruction){EVEX_MULTIPLY_EVEN, 17, 31, 0, 0, REGISTER(29)});
    ASSERT_CODE(&code, 0x62, 0x81, 0x85, 0x40, 0xf4, 0xcd); /* vpmuludq zmm17, zmm31, zmm29 */
    code = emitted((struct evex_instruction){EVEX_TO_FLOAT, 17, 0, 3, 0, REGISTER(29)});
    ASSERT_CODE(&code, 0x62, 0x81, 0x7c, 0x1b, 0x5b, 0xcd); /* vcvtdq2ps zmm17{k3}, zmm29, {rn-sae} */
}

static void the_smaller_or_larger_number_is_chosen(void **state)
{
    struct evex_code code = emitted((struct evex_instruction){EVEX_MINIMUM_SIGNED, 17, 31, 0, 0, REGISTER(29)});
    ASSERT_CODE(&code, 0x62, 0x82, 0x05, 0x40, 0x39, 0xcd); /* vpminsd zmm17, zmm31, zmm29 */
    code = emitted((struct evex_instruction){EVEX_MAXIMUM_SIGNED, 17, 31, 0, 0, REGISTER(29)});
    ASSERT_CODE(&code, 0x62, 0x82, 0x05, 0x40, 0x3d, 0xcd); /* vpmaxsd zmm17, zmm31, zmm29 */
}

static void signs_become_a_mask(void **state)
{
    struct evex_code code = emitted((struct evex_instruction){EVEX_SIGNS, 7, 0, 0, 0, REGISTER(19)});
    ASSERT_CODE(&code, 0x62, 0xb2, 0x7e, 0x48, 0x39, 0xfb); /* vpmovd2m k7, zmm19 */
}

static void registers_may_begin_elsewhere(void **state)
{
    struct evex_code code = {.bytes = bytes, .capacity = CAPACITY, .first_register = 16};
    evex_emit(&code, &(struct evex_instruction){EVEX_ADD, 17, 15, 0, 0, REGISTER(13)});
    ASSERT_CODE(&code, 0x62, 0x91, 0x05, 0x40, 0xfe, 0xcd); /* vpaddd zmm1, zmm31, zmm29 */
    code.size = 0;
    evex_emit(&code, &(struct evex_instruction){EVEX_SIGNS, 7, 0, 0, 0, REGISTER(3)});
    ASSERT_CODE(&code, 0x62, 0xb2, 0x7e, 0x48, 0x39, 0xfb); /* vpmovd2m k7, zmm19 */
    code.size = 0;
    evex_emit_store(&code, 13, 15);
    ASSERT_CODE(&code, 0x62, 0x61, 0x7d, 0x48, 0x7f, 0x6f, 0x0f); /* vmovdqa32 [rdi + 0x3c0], zmm29 */
}

static void jumps_end_where_they_land(void **state)
{
    struct evex_code code = {.bytes = bytes, .capacity = CAPACITY};
    uint32_t jump = evex_emit_jump_unless_all(&code);
    evex_emit_return(&code);
    evex_land(&code, jump);
    /* cmp esi, -1; jne over; vzeroupper; ret; over: */
    ASSERT_CODE(&code, 0x83, 0xfe, 0xff, 0x0f, 0x85, 0x04, 0, 0, 0, 0xc5, 0xf8, 0x77, 0xc3);
}

static void masks_are_moved(void **state)
{
    struct evex_code code = {.bytes = bytes, .capacity = CAPACITY};
    evex_emit_mask(&code, EVEX_MASK_MOVE, 1, 0, 6);
    ASSERT_CODE(&code, 0xc5, 0xf8, 0x90, 0xce); /* kmovw k1, k6 */
}

static void what_does_not_fit_is_said(void **state)
{
    struct evex_code code = {.bytes = bytes, .capacity = 5};
    evex_emit_constant(&code, 1);
    assert_false(code.full);
    evex_emit_constant(&code, 2);
    assert_true(code.full);
    assert_int_equal(code.size, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_take_five_bits),
        cmocka_unit_test(vectors_in_memory_are_counted),
        cmocka_unit_test(constants_are_relative_to_the_end),
        cmocka_unit_test(halves_are_joined),
        cmocka_unit_test(shifts_and_tables_end_in_a_byte),
        cmocka_unit_test(products_are_wide_and_floats_rounded),
        cmocka_unit_test(the_smaller_or_larger_number_is_chosen),
        cmocka_unit_test(signs_become_a_mask),
        cmocka_unit_test(vectors_lie_behind_an_index),
        cmocka_unit_test(registers_may_begin_elsewhere),
        cmocka_unit_test(jumps_end_where_they_land),
        cmocka_unit_test(masks_are_moved),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
