/* Calls within code that util/evex.h emits. Between them, rbx has what rdi was when the code began, and ebp two masks;
   r9 outlives a call, by way of r12. How often code is still to be executed is on top of the host's stack. Source:
   Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; System V ABI for x86-64. */
#ifndef BHEMU_JIT_EVEX_CALL_H
#define BHEMU_JIT_EVEX_CALL_H

#include "jit/evex.h"

/* Where code begins, which is to be executed ecx times, and before it returns, with how often that is still, eax.
   calls: it does. */
void evex_emit_frame(struct evex_code *code, bool calls);
void evex_emit_end_of_frame(struct evex_code *code, bool calls);

/* Counts an execution; the second goes back to byte `to` of the code unless it was the last. */
void evex_emit_count(struct evex_code *code);
void evex_emit_jump_if_more(struct evex_code *code, uint32_t to);

/* Goes to where evex_land() is called with what this returns, if it was the last. */
uint32_t evex_emit_jump_if_last(struct evex_code *code);

/* A call, after which rdi is as it was. Vector and mask registers are lost but for those that the function spares. */
void evex_emit_call(struct evex_code *code, const void *function);

/* ebp = 16 bits of k`low`, and above them those of k`high`; k0 and eax are lost. */
void evex_emit_keep_masks(struct evex_code *code, uint8_t low, uint8_t high);

/* Half `high` of ebp into k`to`, and into edi; eax is lost. */
void evex_emit_kept_mask(struct evex_code *code, uint8_t to, bool high);
void evex_emit_kept_argument(struct evex_code *code, bool high);

/* edi = 16 ones. */
void evex_emit_full_argument(struct evex_code *code);

#endif
