/* Instructions on words of 32 bits in general registers, for code that evex.h emits. Source: Intel 64 and IA-32
   Architectures Software Developer's Manual, volume 2. */
#ifndef BHEMU_JIT_EVEX_WORDS_H
#define BHEMU_JIT_EVEX_WORDS_H

#include "jit/evex.h"

/* Caller-saved registers. */
enum word_register { WORD_EAX, WORD_ECX, WORD_EDX, WORD_NO_INDEX = 4, WORD_ESI = 6, WORD_R8D = 8, WORD_R9D };

/* rdi + index + offset */
struct word_place {
    enum word_register index;
    int32_t offset;
};

enum word_operation { WORD_MOVE, WORD_ADD, WORD_OR, WORD_AND };

/* to = to operation from */
void word_emit(struct evex_code *code, enum word_operation operation, enum word_register to, enum word_register from);
void word_emit_immediate(struct evex_code *code, enum word_operation operation, enum word_register to,
                         uint32_t immediate);
void word_emit_shift_left(struct evex_code *code, enum word_register to, uint8_t count);
void word_emit_shift_right(struct evex_code *code, enum word_register to, uint8_t count);

/* to = from + addend */
void word_emit_sum(struct evex_code *code, enum word_register to, enum word_register from, uint32_t addend);

/* to = memory; to = memory * factor */
void word_emit_load(struct evex_code *code, enum word_register to, struct word_place from);
void word_emit_load_product(struct evex_code *code, enum word_register to, struct word_place from, uint32_t factor);

/* memory = from; memory |= from; memory = immediate */
void word_emit_store(struct evex_code *code, struct word_place to, enum word_register from);
void word_emit_or_store(struct evex_code *code, struct word_place to, enum word_register from);
void word_emit_immediate_store(struct evex_code *code, struct word_place to, uint32_t immediate);

/* k`to` = bits 15:0 of `from`, and `to` = bits 31:0 of k`from`; both among the first eight registers. */
void word_emit_to_mask(struct evex_code *code, uint8_t to, enum word_register from);
void word_emit_from_mask(struct evex_code *code, enum word_register to, uint8_t from);

#endif
