#include "jit/evex_call.h"

#include <string.h>

#define EMIT(code, ...)                                                                                                \
    do {                                                                                                               \
        const uint8_t bytes_of_it[] = {__VA_ARGS__};                                                                   \
        evex_emit_bytes(code, bytes_of_it, sizeof bytes_of_it);                                                        \
    } while (0)

void evex_emit_frame(struct evex_code *code, bool calls)
{
    if (calls) {
        EMIT(code, 0x53);             /* push rbx */
        EMIT(code, 0x55);             /* push rbp */
        EMIT(code, 0x41, 0x54);       /* push r12 */
        EMIT(code, 0x50);             /* push rax: together with rcx it aligns the stack for calls */
        EMIT(code, 0x48, 0x89, 0xfb); /* mov rbx, rdi */
    }
    EMIT(code, 0x51); /* push rcx */
}

void evex_emit_end_of_frame(struct evex_code *code, bool calls)
{
    EMIT(code, 0x8b, 0x04, 0x24); /* mov eax, [rsp]: a pop would load more bytes than the last store wrote, and stall */
    EMIT(code, 0x48, 0x83, 0xc4, 0x08); /* add rsp, 8 */
    if (calls) {
        EMIT(code, 0x59);       /* pop rcx */
        EMIT(code, 0x41, 0x5c); /* pop r12 */
        EMIT(code, 0x5d);       /* pop rbp */
        EMIT(code, 0x5b);       /* pop rbx */
    }
}

void evex_emit_count(struct evex_code *code)
{
    EMIT(code, 0xff, 0x0c, 0x24); /* dec dword [rsp] */
}

void evex_emit_jump_if_more(struct evex_code *code, uint32_t to)
{
    EMIT(code, 0x0f, 0x85); /* jne */
    uint32_t distance = to - (code->size + (uint32_t)sizeof distance);
    evex_emit_bytes(code, (const uint8_t *)&distance, sizeof distance);
}

uint32_t evex_emit_jump_if_last(struct evex_code *code)
{
    EMIT(code, 0x0f, 0x84, 0x00, 0x00, 0x00, 0x00); /* je */
    return code->size;
}

/* The registers that instructions name, corresponding to the host's zmm0 to zmm15, which functions may change. */
static uint32_t lost_in_calls(const struct evex_code *code)
{
    enum { REGISTERS = 32, LOST = 16 };
    uint32_t lost = 0;
    for (unsigned number = 0; number < REGISTERS; number++) {
        lost |= (uint32_t)((number + code->first_register) % REGISTERS < LOST) << number;
    }
    return lost;
}

void evex_emit_call(struct evex_code *code, const void *function)
{
    evex_write(code, lost_in_calls(code));
    code->overwrote |= code->live_masks != 0;
    uint8_t mov[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0}; /* mov rax, function */
    memcpy(mov + 2, &function, sizeof function);
    EMIT(code, 0x4d, 0x89, 0xcc); /* mov r12, r9 */
    evex_emit_bytes(code, mov, sizeof mov);
    EMIT(code, 0xff, 0xd0);       /* call rax */
    EMIT(code, 0x4d, 0x89, 0xe1); /* mov r9, r12 */
    EMIT(code, 0x48, 0x89, 0xdf); /* mov rdi, rbx */
}

void evex_emit_keep_masks(struct evex_code *code, uint8_t low, uint8_t high)
{
    evex_emit_mask(code, EVEX_MASK_JOIN, 0, high, low);
    EMIT(code, 0xc5, 0xfb, 0x93, 0xe8); /* kmovd ebp, k0 */
}

enum { MOD_REGISTER = 3 << 6, EAX = 0, EBP = 5 };

void evex_emit_kept_mask(struct evex_code *code, uint8_t to, bool high)
{
    if (high) {
        EMIT(code, 0x89, 0xe8);       /* mov eax, ebp */
        EMIT(code, 0xc1, 0xe8, 0x10); /* shr eax, 16 */
    }
    EMIT(code, 0xc5, 0xf8, 0x92, (uint8_t)(MOD_REGISTER | to << 3 | (high ? EAX : EBP))); /* kmovw */
}

void evex_emit_kept_argument(struct evex_code *code, bool high)
{
    if (high) {
        EMIT(code, 0x89, 0xef);       /* mov edi, ebp */
        EMIT(code, 0xc1, 0xef, 0x10); /* shr edi, 16 */
    } else {
        EMIT(code, 0x0f, 0xb7, 0xfd); /* movzx edi, bp */
    }
}

void evex_emit_full_argument(struct evex_code *code)
{
    EMIT(code, 0xbf, 0xff, 0xff, 0x00, 0x00); /* mov edi, 0xffff */
}

void evex_emit_address_argument(struct evex_code *code, const void *address)
{
    uint8_t mov[] = {0x48, 0xbe, 0, 0, 0, 0, 0, 0, 0, 0}; /* mov rsi, address */
    memcpy(mov + 2, &address, sizeof address);
    evex_emit_bytes(code, mov, sizeof mov);
}

void evex_emit_lanes_argument(struct evex_code *code, bool kept)
{
    if (kept) {
        EMIT(code, 0x89, 0xea); /* mov edx, ebp */
    } else {
        EMIT(code, 0xba, 0xff, 0xff, 0xff, 0xff); /* mov edx, -1 */
    }
}
