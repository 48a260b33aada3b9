#include "jit/evex_words.h"

enum { MOD_DISPLACEMENT_32 = 2 << 6, MOD_REGISTER = 3 << 6, RM_SIB = 4, BASE_RDI = 7 };

static void emit_word(struct evex_code *code, uint32_t word)
{
    evex_emit_bytes(code, (const uint8_t *)&word, sizeof word);
}

/* REX prefix, opcode, ModR/M; `reg` may be an extension of the opcode. */
static void emit_head(struct evex_code *code, uint8_t opcode, unsigned mod, unsigned reg, unsigned rm, unsigned index)
{
    enum { REX = 0x40 };
    const uint8_t bytes[] = {(uint8_t)(REX | (reg >> 3) << 2 | (index >> 3) << 1 | rm >> 3), opcode,
                             (uint8_t)(mod | (reg & 7) << 3 | (rm & 7))};
    evex_emit_bytes(code, bytes, sizeof bytes);
}

static void emit_in_memory(struct evex_code *code, uint8_t opcode, unsigned reg, struct word_place place)
{
    emit_head(code, opcode, MOD_DISPLACEMENT_32, reg, RM_SIB, place.index);
    evex_emit_bytes(code, &(uint8_t){(uint8_t)((place.index & 7) << 3 | BASE_RDI)}, 1);
    emit_word(code, (uint32_t)place.offset);
}

void word_emit(struct evex_code *code, enum word_operation operation, enum word_register to, enum word_register from)
{
    static const uint8_t opcodes[] = {[WORD_MOVE] = 0x89, [WORD_ADD] = 0x01, [WORD_OR] = 0x09, [WORD_AND] = 0x21};
    emit_head(code, opcodes[operation], MOD_REGISTER, from, to, 0);
}

void word_emit_immediate(struct evex_code *code, enum word_operation operation, enum word_register to,
                         uint32_t immediate)
{
    static const uint8_t opcodes[] = {[WORD_MOVE] = 0xc7, [WORD_ADD] = 0x81, [WORD_OR] = 0x81, [WORD_AND] = 0x81};
    static const uint8_t extensions[] = {[WORD_MOVE] = 0, [WORD_ADD] = 0, [WORD_OR] = 1, [WORD_AND] = 4};
    emit_head(code, opcodes[operation], MOD_REGISTER, extensions[operation], to, 0);
    emit_word(code, immediate);
}

static void emit_shift(struct evex_code *code, unsigned extension, enum word_register to, uint8_t count)
{
    enum { SHIFT = 0xc1 };
    emit_head(code, SHIFT, MOD_REGISTER, extension, to, 0);
    evex_emit_bytes(code, &count, 1);
}

void word_emit_shift_left(struct evex_code *code, enum word_register to, uint8_t count)
{
    enum { SHL = 4 };
    emit_shift(code, SHL, to, count);
}

void word_emit_shift_right(struct evex_code *code, enum word_register to, uint8_t count)
{
    enum { SHR = 5 };
    emit_shift(code, SHR, to, count);
}

void word_emit_sum(struct evex_code *code, enum word_register to, enum word_register from, uint32_t addend)
{
    enum { LEA = 0x8d };
    emit_head(code, LEA, MOD_DISPLACEMENT_32, to, from, 0);
    emit_word(code, addend);
}

void word_emit_load(struct evex_code *code, enum word_register to, struct word_place from)
{
    enum { MOV = 0x8b };
    emit_in_memory(code, MOV, to, from);
}

void word_emit_load_product(struct evex_code *code, enum word_register to, struct word_place from, uint32_t factor)
{
    enum { IMUL = 0x69 };
    emit_in_memory(code, IMUL, to, from);
    emit_word(code, factor);
}

void word_emit_store(struct evex_code *code, struct word_place to, enum word_register from)
{
    enum { MOV = 0x89 };
    emit_in_memory(code, MOV, from, to);
}

void word_emit_or_store(struct evex_code *code, struct word_place to, enum word_register from)
{
    enum { OR = 0x09 };
    emit_in_memory(code, OR, from, to);
}

void word_emit_immediate_store(struct evex_code *code, struct word_place to, uint32_t immediate)
{
    enum { MOV = 0xc7 };
    emit_in_memory(code, MOV, 0, to);
    emit_word(code, immediate);
}

enum { VEX = 0xc5 };

void word_emit_to_mask(struct evex_code *code, uint8_t to, enum word_register from)
{
    const uint8_t kmovw[] = {VEX, 0xf8, 0x92, (uint8_t)(MOD_REGISTER | to << 3 | from)};
    evex_write_mask(code, to);
    evex_emit_bytes(code, kmovw, sizeof kmovw);
}

void word_emit_from_mask(struct evex_code *code, enum word_register to, uint8_t from)
{
    const uint8_t kmovd[] = {VEX, 0xfb, 0x93, (uint8_t)(MOD_REGISTER | to << 3 | from)};
    evex_emit_bytes(code, kmovd, sizeof kmovd);
}
