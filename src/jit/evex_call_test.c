/* Bytes of instructions as the GNU assembler makes them. */
#include "jit/evex_call.h"

#include "jit/evex_fixture.h"

enum { CAPACITY = 64 };

static void calls_keep_what_they_say(void **state)
{
    uint8_t bytes[CAPACITY];
    struct evex_code code = {.bytes = bytes, .capacity = CAPACITY};
    evex_emit_frame(&code, true);
    /* push rbx, rbp, r12, rax; mov rbx, rdi; push rcx */
    ASSERT_CODE(&code, 0x53, 0x55, 0x41, 0x54, 0x50, 0x48, 0x89, 0xfb, 0x51);
    evex_emit_end_of_frame(&code, true);
    /* mov eax, [rsp]; add rsp, 8; pop rcx, r12, rbp, rbx */
    ASSERT_CODE(&code, 0x8b, 0x04, 0x24, 0x48, 0x83, 0xc4, 0x08, 0x59, 0x41, 0x5c, 0x5d, 0x5b);
    evex_emit_call(&code, (const void *)0x1122334455667788);
    /* mov r12, r9; mov rax, ...; call rax; mov r9, r12; mov rdi, rbx */
    ASSERT_CODE(&code, 0x4d, 0x89, 0xcc, 0x48, 0xb8, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xff, 0xd0, 0x4d,
                0x89, 0xe1, 0x48, 0x89, 0xdf);
}

static void executions_are_counted_on_the_stack(void **state)
{
    uint8_t bytes[CAPACITY];
    struct evex_code code = {.bytes = bytes, .capacity = CAPACITY};
    evex_emit_frame(&code, false);
    evex_emit_count(&code);
    evex_emit_jump_if_more(&code, 1);
    evex_emit_end_of_frame(&code, false);
    /* push rcx; dec dword [rsp]; jne to where it is counted; mov eax, [rsp]; add rsp, 8 */
    ASSERT_CODE(&code, 0x51, 0xff, 0x0c, 0x24, 0x0f, 0x85, 0xf7, 0xff, 0xff, 0xff, 0x8b, 0x04, 0x24, 0x48, 0x83, 0xc4,
                0x08);
}

static void masks_come_from_ebp(void **state)
{
    uint8_t bytes[CAPACITY];
    struct evex_code code = {.bytes = bytes, .capacity = CAPACITY};
    evex_emit_keep_masks(&code, 3, 4);
    ASSERT_CODE(&code, 0xc5, 0xdc, 0x4b, 0xc3, 0xc5, 0xfb, 0x93, 0xe8); /* kunpckwd k0, k4, k3; kmovd ebp, k0 */
    evex_emit_kept_mask(&code, 1, false);
    ASSERT_CODE(&code, 0xc5, 0xf8, 0x92, 0xcd); /* kmovw k1, ebp */
    evex_emit_kept_mask(&code, 2, true);
    ASSERT_CODE(&code, 0x89, 0xe8, 0xc1, 0xe8, 0x10, 0xc5, 0xf8, 0x92, 0xd0); /* mov eax, ebp; shr; kmovw k2, eax */
    evex_emit_kept_argument(&code, false);
    ASSERT_CODE(&code, 0x0f, 0xb7, 0xfd); /* movzx edi, bp */
    evex_emit_kept_argument(&code, true);
    ASSERT_CODE(&code, 0x89, 0xef, 0xc1, 0xef, 0x10); /* mov edi, ebp; shr edi, 16 */
    evex_emit_full_argument(&code);
    ASSERT_CODE(&code, 0xbf, 0xff, 0xff, 0x00, 0x00); /* mov edi, 0xffff */
    evex_emit_lanes_argument(&code, true);
    ASSERT_CODE(&code, 0x89, 0xea); /* mov edx, ebp */
    evex_emit_lanes_argument(&code, false);
    ASSERT_CODE(&code, 0xba, 0xff, 0xff, 0xff, 0xff); /* mov edx, -1 */
}

static void addresses_are_arguments(void **state)
{
    uint8_t bytes[CAPACITY];
    struct evex_code code = {.bytes = bytes, .capacity = CAPACITY};
    evex_emit_address_argument(&code, (const void *)0x1122334455667788);
    ASSERT_CODE(&code, 0x48, 0xbe, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11); /* mov rsi, ... */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_keep_what_they_say),
        cmocka_unit_test(executions_are_counted_on_the_stack),
        cmocka_unit_test(masks_come_from_ebp),
        cmocka_unit_test(addresses_are_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
