/* Bytes of instructions on words as the GNU assembler gives them, except for an empty REX prefix, which it leaves out.
   tensix/engine/avx512/dst_test.c tests the results of executing them. */
#include "jit/evex_words.h"

#include "jit/evex_fixture.h"

enum { CAPACITY = 64 };

static uint8_t bytes[CAPACITY];

static struct evex_code nothing(void)
{
    return (struct evex_code){.bytes = bytes, .capacity = CAPACITY};
}

static void registers_take_four_bits(void **state)
{
    struct evex_code code = nothing();
    word_emit(&code, WORD_MOVE, WORD_ECX, WORD_EAX);
    ASSERT_CODE(&code, 0x40, 0x89, 0xc1); /* mov ecx, eax */
    word_emit(&code, WORD_ADD, WORD_R9D, WORD_EDX);
    ASSERT_CODE(&code, 0x41, 0x01, 0xd1); /* add r9d, edx */
    word_emit(&code, WORD_OR, WORD_ESI, WORD_R8D);
    ASSERT_CODE(&code, 0x44, 0x09, 0xc6); /* or esi, r8d */
    word_emit_sum(&code, WORD_EAX, WORD_R9D, 0x12345678);
    ASSERT_CODE(&code, 0x41, 0x8d, 0x81, 0x78, 0x56, 0x34, 0x12); /* lea eax, [r9 + 0x12345678] */
    word_emit_shift_left(&code, WORD_ECX, 5);
    ASSERT_CODE(&code, 0x40, 0xc1, 0xe1, 0x05); /* shl ecx, 5 */
    word_emit_shift_right(&code, WORD_R8D, 7);
    ASSERT_CODE(&code, 0x41, 0xc1, 0xe8, 0x07); /* shr r8d, 7 */
}

static void immediates_follow(void **state)
{
    struct evex_code code = nothing();
    word_emit_immediate(&code, WORD_ADD, WORD_ESI, 0x7f7f7f7f);
    ASSERT_CODE(&code, 0x40, 0x81, 0xc6, 0x7f, 0x7f, 0x7f, 0x7f); /* add esi, 0x7f7f7f7f */
    word_emit_immediate(&code, WORD_AND, WORD_ECX, 0x3fc);
    ASSERT_CODE(&code, 0x40, 0x81, 0xe1, 0xfc, 0x03, 0x00, 0x00); /* and ecx, 0x3fc */
    word_emit_immediate_store(&code, (struct word_place){WORD_EAX, 0x12345678}, 0x01010101);
    /* mov dword ptr [rdi + rax + 0x12345678], 0x01010101 */
    ASSERT_CODE(&code, 0x40, 0xc7, 0x84, 0x07, 0x78, 0x56, 0x34, 0x12, 0x01, 0x01, 0x01, 0x01);
}

static void memory_is_relative_to_rdi(void **state)
{
    const struct word_place indexed = {WORD_EAX, 0x12345678}, alone = {WORD_NO_INDEX, -64};
    struct evex_code code = nothing();
    word_emit_load_product(&code, WORD_EAX, indexed, 255);
    /* imul eax, [rdi + rax + 0x12345678], 255 */
    ASSERT_CODE(&code, 0x40, 0x69, 0x84, 0x07, 0x78, 0x56, 0x34, 0x12, 0xff, 0x00, 0x00, 0x00);
    word_emit_or_store(&code, indexed, WORD_ESI);
    ASSERT_CODE(&code, 0x40, 0x09, 0xb4, 0x07, 0x78, 0x56, 0x34, 0x12); /* or [rdi + rax + 0x12345678], esi */
    word_emit_load(&code, WORD_R9D, alone);
    ASSERT_CODE(&code, 0x44, 0x8b, 0x8c, 0x27, 0xc0, 0xff, 0xff, 0xff); /* mov r9d, [rdi - 64] */
    word_emit_store(&code, alone, WORD_EAX);
    ASSERT_CODE(&code, 0x40, 0x89, 0x84, 0x27, 0xc0, 0xff, 0xff, 0xff); /* mov [rdi - 64], eax */
}

static void masks_are_words(void **state)
{
    struct evex_code code = nothing();
    word_emit_to_mask(&code, 7, WORD_EAX);
    ASSERT_CODE(&code, 0xc5, 0xf8, 0x92, 0xf8); /* kmovw k7, eax */
    word_emit_from_mask(&code, WORD_ESI, 0);
    ASSERT_CODE(&code, 0xc5, 0xfb, 0x93, 0xf0); /* kmovd esi, k0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_take_four_bits),
        cmocka_unit_test(immediates_follow),
        cmocka_unit_test(memory_is_relative_to_rdi),
        cmocka_unit_test(masks_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
