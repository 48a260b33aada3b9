/* Calls in code that jit/evex.h emits. Outside of calls, rbx has the initial rdi, and ebp two masks; r9 is preserved
   in r12 across calls. The number of remaining executions is on top of the stack. Source: Intel 64 and IA-32
   Architectures Software Developer's Manual, volume 2; System V ABI for x86-64. */
#ifndef BHEMU_JIT_EVEX_CALL_H
#define BHEMU_JIT_EVEX_CALL_H

#include "jit/evex.h"

/* The beginning of code that executes ecx times, and the end before its return, with the remaining number in eax.
   calls: the code contains calls. */
void evex_emit_frame(struct evex_code *code, bool calls);
void evex_emit_end_of_frame(struct evex_code *code, bool calls);

/* Counts an execution; the second function jumps back to byte `to` of the code unless it was the last. */
void evex_emit_count(struct evex_code *code);
void evex_emit_jump_if_more(struct evex_code *code, uint32_t to);

/* A forward jump if it was the last execution; to be resolved by evex_land(). */
uint32_t evex_emit_jump_if_last(struct evex_code *code);

/* A call that preserves rdi. Vector and mask registers are lost except those that the function preserves. */
void evex_emit_call(struct evex_code *code, const void *function);

/* ebp = 16 bits of k`low`, and above them those of k`high`; overwrites k0 and eax. */
void evex_emit_keep_masks(struct evex_code *code, uint8_t low, uint8_t high);

/* Moves half `high` of ebp to k`to` and to edi; overwrites eax. */
void evex_emit_kept_mask(struct evex_code *code, uint8_t to, bool high);
void evex_emit_kept_argument(struct evex_code *code, bool high);

/* edi = 16 ones. */
void evex_emit_full_argument(struct evex_code *code);

/* rsi = an address; edx = both halves of ebp, or all ones. */
void evex_emit_address_argument(struct evex_code *code, const void *address);
void evex_emit_lanes_argument(struct evex_code *code, bool kept);

#endif
