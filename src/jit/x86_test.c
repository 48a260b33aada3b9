/* Bytes of instructions on general registers as the GNU assembler gives them, except for an empty REX prefix, which it
   leaves out, and forms that are a byte shorter, which it prefers. rv32/translate_test.c tests the results of
   executing them. */
#include "jit/x86.h"

#include "jit/evex_fixture.h"

enum { CAPACITY = 64 };

static uint8_t bytes[CAPACITY];

static struct evex_code nothing(void)
{
    return (struct evex_code){.bytes = bytes, .capacity = CAPACITY};
}

static void operands_are_registers_or_memory(void **state)
{
    struct evex_code code = nothing();
    x86_emit(&code, X86_ADD, X86_RAX, x86_in(X86_RCX));
    ASSERT_CODE(&code, 0x40, 0x03, 0xc1); /* add eax, ecx */
    x86_emit(&code, X86_LOAD, X86_R9, x86_in(X86_RSI));
    ASSERT_CODE(&code, 0x44, 0x8b, 0xce); /* mov r9d, esi */
    x86_emit(&code, X86_LOAD, X86_RDI, x86_in(X86_R14));
    ASSERT_CODE(&code, 0x41, 0x8b, 0xfe); /* mov edi, r14d */
    x86_emit(&code, X86_SUB, X86_R15, x86_in(X86_R8));
    ASSERT_CODE(&code, 0x45, 0x2b, 0xf8); /* sub r15d, r8d */
    x86_emit(&code, X86_LOAD, X86_RAX, x86_at(X86_RBX, 0));
    ASSERT_CODE(&code, 0x40, 0x8b, 0x03); /* mov eax, [rbx] */
    x86_emit(&code, X86_STORE, X86_R11, x86_at(X86_R9, 4));
    ASSERT_CODE(&code, 0x45, 0x89, 0x59, 0x04); /* mov [r9 + 4], r11d */
    x86_emit_wide(&code, X86_LOAD, X86_RDX, x86_at(X86_RDI, 8));
    ASSERT_CODE(&code, 0x48, 0x8b, 0x57, 0x08); /* mov rdx, [rdi + 8] */
    x86_emit_wide(&code, X86_ADD, X86_RCX, x86_in(X86_R12));
    ASSERT_CODE(&code, 0x49, 0x03, 0xcc); /* add rcx, r12 */
}

static void rsp_and_r12_as_base_need_a_byte_more(void **state)
{
    struct evex_code code = nothing();
    x86_emit(&code, X86_LOAD, X86_RAX, x86_at(X86_RSP, 0));
    ASSERT_CODE(&code, 0x40, 0x8b, 0x04, 0x24); /* mov eax, [rsp] */
    x86_emit_wide(&code, X86_LOAD, X86_RDX, x86_at(X86_RSP, 24));
    ASSERT_CODE(&code, 0x48, 0x8b, 0x54, 0x24, 0x18); /* mov rdx, [rsp + 24] */
    x86_emit(&code, X86_ADDRESS, X86_RAX, x86_at(X86_R12, 0));
    ASSERT_CODE(&code, 0x41, 0x8d, 0x04, 0x24); /* lea eax, [r12] */
    x86_emit(&code, X86_ADDRESS, X86_R10, x86_at(X86_R12, -2048));
    ASSERT_CODE(&code, 0x45, 0x8d, 0x94, 0x24, 0x00, 0xf8, 0xff, 0xff); /* lea r10d, [r12 - 2048] */
}

static void rbp_and_r13_as_base_need_an_offset(void **state)
{
    struct evex_code code = nothing();
    x86_emit(&code, X86_LOAD, X86_RAX, x86_at(X86_RBP, 0));
    ASSERT_CODE(&code, 0x40, 0x8b, 0x45, 0x00); /* mov eax, [rbp] */
    x86_emit(&code, X86_STORE, X86_R8, x86_at(X86_R13, 0));
    ASSERT_CODE(&code, 0x45, 0x89, 0x45, 0x00); /* mov [r13], r8d */
    x86_emit(&code, X86_LOAD_BYTE, X86_RSI, x86_at_sum(X86_RBP, X86_RAX, 0, 0));
    ASSERT_CODE(&code, 0x40, 0x0f, 0xb6, 0x74, 0x05, 0x00); /* movzx esi, byte ptr [rbp + rax] */
    x86_emit(&code, X86_STORE, X86_RAX, x86_at_sum(X86_R13, X86_R9, 2, 0));
    ASSERT_CODE(&code, 0x43, 0x89, 0x44, 0x8d, 0x00); /* mov [r13 + r9 * 4], eax */
}

static void offsets_take_one_byte_or_four(void **state)
{
    struct evex_code code = nothing();
    x86_emit(&code, X86_LOAD, X86_RAX, x86_at(X86_RBX, 127));
    ASSERT_CODE(&code, 0x40, 0x8b, 0x43, 0x7f); /* mov eax, [rbx + 127] */
    x86_emit(&code, X86_LOAD, X86_RAX, x86_at(X86_RBX, 128));
    ASSERT_CODE(&code, 0x40, 0x8b, 0x83, 0x80, 0x00, 0x00, 0x00); /* mov eax, [rbx + 128] */
    x86_emit(&code, X86_LOAD, X86_RAX, x86_at(X86_RBX, -128));
    ASSERT_CODE(&code, 0x40, 0x8b, 0x43, 0x80); /* mov eax, [rbx - 128] */
    x86_emit(&code, X86_LOAD, X86_RAX, x86_at(X86_RBX, -129));
    ASSERT_CODE(&code, 0x40, 0x8b, 0x83, 0x7f, 0xff, 0xff, 0xff); /* mov eax, [rbx - 129] */
    x86_emit(&code, X86_ADDRESS, X86_RAX, x86_at(X86_R15, 0x4ffff0));
    ASSERT_CODE(&code, 0x41, 0x8d, 0x87, 0xf0, 0xff, 0x4f, 0x00); /* lea eax, [r15 + 0x4ffff0] */
    x86_emit(&code, X86_ADDRESS, X86_RAX, x86_at(X86_RSI, INT32_MIN));
    ASSERT_CODE(&code, 0x40, 0x8d, 0x86, 0x00, 0x00, 0x00, 0x80); /* lea eax, [rsi - 0x80000000] */
}

static void any_register_but_rsp_is_an_index(void **state)
{
    struct evex_code code = nothing();
    x86_emit(&code, X86_ADDRESS, X86_RDI, x86_at_sum(X86_RSI, X86_RDI, 1, 0));
    ASSERT_CODE(&code, 0x40, 0x8d, 0x3c, 0x7e); /* lea edi, [rsi + rdi * 2] */
    x86_emit(&code, X86_ADDRESS, X86_RAX, x86_at_sum(X86_RCX, X86_R12, 2, 0));
    ASSERT_CODE(&code, 0x42, 0x8d, 0x04, 0xa1); /* lea eax, [rcx + r12 * 4] */
    x86_emit(&code, X86_ADDRESS, X86_R14, x86_at_sum(X86_R12, X86_R12, 3, 0));
    ASSERT_CODE(&code, 0x47, 0x8d, 0x34, 0xe4); /* lea r14d, [r12 + r12 * 8] */
    x86_emit(&code, X86_LOAD_HALF, X86_RCX, x86_at_sum(X86_RDX, X86_RCX, 1, 0));
    ASSERT_CODE(&code, 0x40, 0x0f, 0xb7, 0x0c, 0x4a); /* movzx ecx, word ptr [rdx + rcx * 2] */
    x86_emit(&code, X86_LOAD, X86_R8, x86_at_sum(X86_R13, X86_RBP, 0, -5));
    ASSERT_CODE(&code, 0x45, 0x8b, 0x44, 0x2d, 0xfb); /* mov r8d, [r13 + rbp - 5] */
    x86_emit(&code, X86_STORE, X86_RBX, x86_at_sum(X86_RSP, X86_R15, 3, 1000));
    ASSERT_CODE(&code, 0x42, 0x89, 0x9c, 0xfc, 0xe8, 0x03, 0x00, 0x00); /* mov [rsp + r15 * 8 + 1000], ebx */
}

static void low_bytes_are_those_of_any_register(void **state)
{
    struct evex_code code = nothing();
    x86_emit(&code, X86_STORE_BYTE, X86_RSI, x86_at_sum(X86_RBP, X86_RAX, 0, 0));
    ASSERT_CODE(&code, 0x40, 0x88, 0x74, 0x05, 0x00); /* mov [rbp + rax], sil */
    x86_emit(&code, X86_STORE_BYTE, X86_RDI, x86_at(X86_RDX, 3));
    ASSERT_CODE(&code, 0x40, 0x88, 0x7a, 0x03); /* mov [rdx + 3], dil */
    x86_emit(&code, X86_STORE_BYTE, X86_RCX, x86_at(X86_RDX, 3));
    ASSERT_CODE(&code, 0x40, 0x88, 0x4a, 0x03); /* mov [rdx + 3], cl */
    x86_emit(&code, X86_STORE_BYTE, X86_R12, x86_at(X86_RDX, 3));
    ASSERT_CODE(&code, 0x44, 0x88, 0x62, 0x03); /* mov [rdx + 3], r12b */
    x86_emit(&code, X86_LOAD_BYTE, X86_R10, x86_in(X86_RDI));
    ASSERT_CODE(&code, 0x44, 0x0f, 0xb6, 0xd7); /* movzx r10d, dil */
    x86_emit(&code, X86_LOAD_SIGNED_BYTE, X86_RAX, x86_in(X86_RSI));
    ASSERT_CODE(&code, 0x40, 0x0f, 0xbe, 0xc6); /* movsx eax, sil */
    x86_emit_set(&code, X86_LESS, X86_RSI);
    ASSERT_CODE(&code, 0x40, 0x0f, 0x9c, 0xc6); /* setl sil */
    x86_emit_set(&code, X86_NOT_BELOW, X86_RAX);
    ASSERT_CODE(&code, 0x40, 0x0f, 0x93, 0xc0); /* setae al */
    x86_emit_set(&code, X86_GREATER, X86_R13);
    ASSERT_CODE(&code, 0x41, 0x0f, 0x9f, 0xc5); /* setg r13b */
}

static void halves_bytes_and_signs(void **state)
{
    struct evex_code code = nothing();
    x86_emit(&code, X86_STORE_HALF, X86_R9, x86_at_sum(X86_RBP, X86_RAX, 0, 0));
    ASSERT_CODE(&code, 0x66, 0x44, 0x89, 0x4c, 0x05, 0x00); /* mov [rbp + rax], r9w */
    x86_emit(&code, X86_STORE_HALF, X86_RCX, x86_at(X86_RDX, 2));
    ASSERT_CODE(&code, 0x66, 0x40, 0x89, 0x4a, 0x02); /* mov [rdx + 2], cx */
    x86_emit(&code, X86_LOAD_SIGNED_HALF, X86_R15, x86_at(X86_RAX, 2));
    ASSERT_CODE(&code, 0x44, 0x0f, 0xbf, 0x78, 0x02); /* movsx r15d, word ptr [rax + 2] */
    x86_emit(&code, X86_LOAD_HALF, X86_R8, x86_in(X86_RAX));
    ASSERT_CODE(&code, 0x44, 0x0f, 0xb7, 0xc0); /* movzx r8d, ax */
    x86_emit_wide(&code, X86_LOAD_SIGNED_WORD, X86_RCX, x86_in(X86_R11));
    ASSERT_CODE(&code, 0x49, 0x63, 0xcb); /* movsxd rcx, r11d */
}

static void operations_have_their_opcodes(void **state)
{
    struct evex_code code = nothing();
    x86_emit(&code, X86_ADD, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x03, 0x12); /* add edx, [r10] */
    x86_emit(&code, X86_OR, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x0b, 0x12); /* or edx, [r10] */
    x86_emit(&code, X86_AND, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x23, 0x12); /* and edx, [r10] */
    x86_emit(&code, X86_SUB, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x2b, 0x12); /* sub edx, [r10] */
    x86_emit(&code, X86_XOR, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x33, 0x12); /* xor edx, [r10] */
    x86_emit(&code, X86_COMPARE, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x3b, 0x12); /* cmp edx, [r10] */
    x86_emit(&code, X86_MULTIPLY, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x0f, 0xaf, 0x12); /* imul edx, [r10] */
    x86_emit(&code, X86_TEST, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x85, 0x12); /* test [r10], edx */
    x86_emit(&code, X86_POPULATION, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0xf3, 0x41, 0x0f, 0xb8, 0x12); /* popcnt edx, [r10] */
    x86_emit(&code, X86_TRAILING_ZEROS, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0xf3, 0x41, 0x0f, 0xbc, 0x12); /* tzcnt edx, [r10] */
    x86_emit(&code, X86_LEADING_ZEROS, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0xf3, 0x41, 0x0f, 0xbd, 0x12); /* lzcnt edx, [r10] */
    x86_emit(&code, X86_MOVE_IF + X86_BELOW, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x0f, 0x42, 0x12); /* cmovb edx, [r10] */
    x86_emit(&code, X86_MOVE_IF + X86_NOT_LESS, X86_RDX, x86_at(X86_R10, 0));
    ASSERT_CODE(&code, 0x41, 0x0f, 0x4d, 0x12); /* cmovge edx, [r10] */
    x86_emit_wide(&code, X86_OR, X86_RAX, x86_in(X86_R13));
    ASSERT_CODE(&code, 0x49, 0x0b, 0xc5); /* or rax, r13 */
    x86_emit_unary(&code, X86_NOT, X86_RAX);
    ASSERT_CODE(&code, 0x40, 0xf7, 0xd0); /* not eax */
    x86_emit_unary(&code, X86_NEGATE, X86_R9);
    ASSERT_CODE(&code, 0x41, 0xf7, 0xd9); /* neg r9d */
    x86_emit_unary(&code, X86_DIVIDE, X86_RCX);
    ASSERT_CODE(&code, 0x40, 0xf7, 0xf1); /* div ecx */
    x86_emit_unary(&code, X86_DIVIDE_SIGNED, X86_R12);
    ASSERT_CODE(&code, 0x41, 0xf7, 0xfc); /* idiv r12d */
    x86_emit_swap_bytes(&code, X86_RAX);
    ASSERT_CODE(&code, 0x40, 0x0f, 0xc8); /* bswap eax */
    x86_emit_swap_bytes(&code, X86_R13);
    ASSERT_CODE(&code, 0x41, 0x0f, 0xcd); /* bswap r13d */
}

static void immediates_take_one_byte_or_four(void **state)
{
    struct evex_code code = nothing();
    x86_emit_immediate(&code, X86_ADD, x86_in(X86_RSI), 127);
    ASSERT_CODE(&code, 0x40, 0x83, 0xc6, 0x7f); /* add esi, 127 */
    x86_emit_immediate(&code, X86_ADD, x86_in(X86_RSI), 128);
    ASSERT_CODE(&code, 0x40, 0x81, 0xc6, 0x80, 0x00, 0x00, 0x00); /* add esi, 128 */
    x86_emit_immediate(&code, X86_AND, x86_in(X86_RCX), ~1);
    ASSERT_CODE(&code, 0x40, 0x83, 0xe1, 0xfe); /* and ecx, -2 */
    x86_emit_immediate(&code, X86_SUB, x86_in(X86_R13), -128);
    ASSERT_CODE(&code, 0x41, 0x83, 0xed, 0x80); /* sub r13d, -128 */
    x86_emit_immediate(&code, X86_XOR, x86_in(X86_R8), -129);
    ASSERT_CODE(&code, 0x41, 0x81, 0xf0, 0x7f, 0xff, 0xff, 0xff); /* xor r8d, -129 */
    x86_emit_immediate(&code, X86_OR, x86_at(X86_RBX, 64), 2047);
    ASSERT_CODE(&code, 0x40, 0x81, 0x4b, 0x40, 0xff, 0x07, 0x00, 0x00); /* or dword ptr [rbx + 64], 2047 */
    x86_emit_immediate(&code, X86_COMPARE, x86_in(X86_R12), INT32_MIN);
    ASSERT_CODE(&code, 0x41, 0x81, 0xfc, 0x00, 0x00, 0x00, 0x80); /* cmp r12d, -0x80000000 */
    x86_emit_compare_byte(&code, x86_at_sum(X86_RDX, X86_RCX, 0, 0), 0);
    ASSERT_CODE(&code, 0x40, 0x80, 0x3c, 0x0a, 0x00); /* cmp byte ptr [rdx + rcx], 0 */
    x86_emit_compare_byte(&code, x86_at(X86_R12, 0), 255);
    ASSERT_CODE(&code, 0x41, 0x80, 0x3c, 0x24, 0xff); /* cmp byte ptr [r12], 255 */
}

static void constants_are_whole_words_but_for_zero(void **state)
{
    struct evex_code code = nothing();
    x86_emit_constant(&code, x86_in(X86_RAX), 0);
    ASSERT_CODE(&code, 0x40, 0x33, 0xc0); /* xor eax, eax */
    x86_emit_constant(&code, x86_in(X86_R12), 0);
    ASSERT_CODE(&code, 0x45, 0x33, 0xe4); /* xor r12d, r12d */
    x86_emit_constant(&code, x86_in(X86_RDI), 0x12345678);
    ASSERT_CODE(&code, 0x40, 0xc7, 0xc7, 0x78, 0x56, 0x34, 0x12); /* mov edi, 0x12345678 */
    x86_emit_constant(&code, x86_at(X86_RBX, 0), 0);
    ASSERT_CODE(&code, 0x40, 0xc7, 0x03, 0x00, 0x00, 0x00, 0x00); /* mov dword ptr [rbx], 0 */
    x86_emit_constant(&code, x86_at_sum(X86_RDX, X86_RCX, 3, 4), UINT32_MAX);
    /* mov dword ptr [rdx + rcx * 8 + 4], 0xffffffff */
    ASSERT_CODE(&code, 0x40, 0xc7, 0x44, 0xca, 0x04, 0xff, 0xff, 0xff, 0xff);
}

static void shifts_and_rotations(void **state)
{
    struct evex_code code = nothing();
    x86_emit_shift(&code, X86_SHIFT_LEFT, X86_RAX, 16);
    ASSERT_CODE(&code, 0x40, 0xc1, 0xe0, 0x10); /* shl eax, 16 */
    x86_emit_shift(&code, X86_SHIFT_RIGHT, X86_R9, 2);
    ASSERT_CODE(&code, 0x41, 0xc1, 0xe9, 0x02); /* shr r9d, 2 */
    x86_emit_shift(&code, X86_SHIFT_SIGNED, X86_RDX, 31);
    ASSERT_CODE(&code, 0x40, 0xc1, 0xfa, 0x1f); /* sar edx, 31 */
    x86_emit_shift(&code, X86_ROTATE_RIGHT, X86_R15, 7);
    ASSERT_CODE(&code, 0x41, 0xc1, 0xcf, 0x07); /* ror r15d, 7 */
    x86_emit_shift_wide(&code, X86_SHIFT_LEFT, X86_R13, 32);
    ASSERT_CODE(&code, 0x49, 0xc1, 0xe5, 0x20); /* shl r13, 32 */
    x86_emit_shift_wide(&code, X86_SHIFT_RIGHT, X86_RAX, 32);
    ASSERT_CODE(&code, 0x48, 0xc1, 0xe8, 0x20); /* shr rax, 32 */
    x86_emit_shift_by_cl(&code, X86_ROTATE_LEFT, X86_RAX);
    ASSERT_CODE(&code, 0x40, 0xd3, 0xc0); /* rol eax, cl */
    x86_emit_shift_by_cl(&code, X86_ROTATE_RIGHT, X86_R8);
    ASSERT_CODE(&code, 0x41, 0xd3, 0xc8); /* ror r8d, cl */
    x86_emit_shift_by(&code, X86_SHIFT_LEFT, X86_RAX, x86_in(X86_RSI), X86_RDI);
    ASSERT_CODE(&code, 0xc4, 0xe2, 0x41, 0xf7, 0xc6); /* shlx eax, esi, edi */
    x86_emit_shift_by(&code, X86_SHIFT_RIGHT, X86_R9, x86_at(X86_RBX, 12), X86_R15);
    ASSERT_CODE(&code, 0xc4, 0x62, 0x03, 0xf7, 0x4b, 0x0c); /* shrx r9d, [rbx + 12], r15d */
    x86_emit_shift_by(&code, X86_SHIFT_SIGNED, X86_RDI, x86_at_sum(X86_R12, X86_R14, 2, 0), X86_RCX);
    ASSERT_CODE(&code, 0xc4, 0x82, 0x72, 0xf7, 0x3c, 0xb4); /* sarx edi, [r12 + r14 * 4], ecx */
    x86_emit_rotated(&code, X86_RCX, x86_in(X86_RAX), 2);
    ASSERT_CODE(&code, 0xc4, 0xe3, 0x7b, 0xf0, 0xc8, 0x02); /* rorx ecx, eax, 2 */
    x86_emit_rotated(&code, X86_R14, x86_in(X86_R13), 1);
    ASSERT_CODE(&code, 0xc4, 0x43, 0x7b, 0xf0, 0xf5, 0x01); /* rorx r14d, r13d, 1 */
    x86_emit_and_not(&code, X86_RAX, X86_R10, x86_in(X86_RSI));
    ASSERT_CODE(&code, 0xc4, 0xe2, 0x28, 0xf2, 0xc6); /* andn eax, r10d, esi */
    x86_emit_and_not(&code, X86_R11, X86_RCX, x86_in(X86_R8));
    ASSERT_CODE(&code, 0xc4, 0x42, 0x70, 0xf2, 0xd8); /* andn r11d, ecx, r8d */
}

static void pushes_pops_and_jumps_to_registers_are_wide(void **state)
{
    struct evex_code code = nothing();
    x86_emit_push(&code, x86_in(X86_RBX));
    ASSERT_CODE(&code, 0x40, 0xff, 0xf3); /* push rbx */
    x86_emit_push(&code, x86_in(X86_R14));
    ASSERT_CODE(&code, 0x41, 0xff, 0xf6); /* push r14 */
    x86_emit_push(&code, x86_at(X86_RDI, 16));
    ASSERT_CODE(&code, 0x40, 0xff, 0x77, 0x10); /* push qword ptr [rdi + 16] */
    x86_emit_pop(&code, X86_RBP);
    ASSERT_CODE(&code, 0x40, 0x5d); /* pop rbp */
    x86_emit_pop(&code, X86_R15);
    ASSERT_CODE(&code, 0x41, 0x5f); /* pop r15 */
    x86_emit_jump_to(&code, X86_RSI);
    ASSERT_CODE(&code, 0x40, 0xff, 0xe6); /* jmp rsi */
    x86_emit_jump_to(&code, X86_R11);
    ASSERT_CODE(&code, 0x41, 0xff, 0xe3); /* jmp r11 */
}

static void jumps_go_back_to_a_byte_of_the_code(void **state)
{
    struct evex_code code = nothing();
    x86_emit(&code, X86_TEST, X86_RAX, x86_in(X86_RAX));
    x86_emit_jump(&code, X86_NOT_EQUAL, 0);
    x86_emit_jump(&code, X86_ALWAYS, 3);
    /* again: test eax, eax; jne again; jmp again + 3 */
    ASSERT_CODE(&code, 0x40, 0x85, 0xc0, 0x0f, 0x85, 0xf7, 0xff, 0xff, 0xff, 0xe9, 0xf5, 0xff, 0xff, 0xff);
}

static void jumps_ahead_end_where_they_land(void **state)
{
    struct evex_code code = nothing();
    uint32_t below = x86_emit_jump_ahead(&code, X86_BELOW), always = x86_emit_jump_ahead(&code, X86_ALWAYS);
    x86_emit_unary(&code, X86_NOT, X86_RAX);
    x86_land(&code, below);
    x86_emit_unary(&code, X86_NOT, X86_RAX);
    x86_land_at(&code, always, below);
    /* jb over; second: jmp second; not eax; over: not eax */
    ASSERT_CODE(&code, 0x0f, 0x82, 0x08, 0x00, 0x00, 0x00, 0xe9, 0xfb, 0xff, 0xff, 0xff, 0x40, 0xf7, 0xd0, 0x40, 0xf7,
                0xd0);
}

static void what_does_not_fit_is_said(void **state)
{
    struct evex_code code = {.bytes = bytes, .capacity = 10};
    uint32_t jump = x86_emit_jump_ahead(&code, X86_EQUAL);
    assert_false(code.full);
    x86_emit_jump_ahead(&code, X86_EQUAL);
    assert_true(code.full);
    x86_land(&code, jump); /* nothing is written any more */
    const uint8_t je[] = {0x0f, 0x84, 0x00, 0x00, 0x00, 0x00};
    assert_memory_equal(code.bytes, je, sizeof je);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_registers_or_memory),
        cmocka_unit_test(rsp_and_r12_as_base_need_a_byte_more),
        cmocka_unit_test(rbp_and_r13_as_base_need_an_offset),
        cmocka_unit_test(offsets_take_one_byte_or_four),
        cmocka_unit_test(any_register_but_rsp_is_an_index),
        cmocka_unit_test(low_bytes_are_those_of_any_register),
        cmocka_unit_test(halves_bytes_and_signs),
        cmocka_unit_test(operations_have_their_opcodes),
        cmocka_unit_test(immediates_take_one_byte_or_four),
        cmocka_unit_test(constants_are_whole_words_but_for_zero),
        cmocka_unit_test(shifts_and_rotations),
        cmocka_unit_test(pushes_pops_and_jumps_to_registers_are_wide),
        cmocka_unit_test(jumps_go_back_to_a_byte_of_the_code),
        cmocka_unit_test(jumps_ahead_end_where_they_land),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
