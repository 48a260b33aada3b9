#include "jit/x86.h"

#include <string.h>

enum { MOD_NONE = 0, MOD_BYTE = 1, MOD_WORD = 2, MOD_REGISTER = 3, RM_SIB = 4, RM_RBP = 5, HALF = 0x66 };

static void emit_byte(struct evex_code *code, unsigned byte)
{
    evex_emit_bytes(code, &(uint8_t){(uint8_t)byte}, 1);
}

static void emit_word(struct evex_code *code, uint32_t word)
{
    evex_emit_bytes(code, (const uint8_t *)&word, sizeof word);
}

static void emit_modes(struct evex_code *code, unsigned reg, struct x86_operand operand)
{
    unsigned base = operand.base & 7, fields = (reg & 7) << 3;
    if (!operand.in_memory) {
        emit_byte(code, MOD_REGISTER << 6 | fields | base);
        return;
    }
    bool index = operand.index != X86_NO_INDEX, is_short = operand.offset == (int8_t)operand.offset;
    unsigned mode = operand.offset == 0 && base != RM_RBP ? MOD_NONE : is_short ? MOD_BYTE : MOD_WORD;
    if (index || base == RM_SIB) {
        emit_byte(code, mode << 6 | fields | RM_SIB);
        emit_byte(code, (unsigned)operand.scale << 6 | (operand.index & 7u) << 3 | base);
    } else {
        emit_byte(code, mode << 6 | fields | base);
    }
    if (mode == MOD_BYTE) {
        emit_byte(code, (uint8_t)operand.offset);
    } else if (mode == MOD_WORD) {
        emit_word(code, (uint32_t)operand.offset);
    }
}

/* The upper bits of the registers' numbers, as REX has them. */
static unsigned upper_bits(unsigned reg, struct x86_operand operand)
{
    unsigned index = operand.in_memory ? operand.index >> 3 : 0;
    return (reg >> 3) << 2 | index << 1 | operand.base >> 3;
}

static void emit(struct evex_code *code, bool wide, uint32_t opcode, unsigned reg, struct x86_operand operand)
{
    enum { REX = 0x40, REX_W = 8 };
    unsigned prefix = opcode > 0xffff ? opcode >> 16 : opcode >> 8 == HALF ? HALF : 0;
    unsigned escape = opcode >> 8 & 0xff;
    if (prefix) {
        emit_byte(code, prefix);
    }
    emit_byte(code,
              REX | (wide ? REX_W : 0) | upper_bits(reg, operand)); /* always emitted, so that low bytes are sil, dil */
    if (escape && escape != HALF) {
        emit_byte(code, escape);
    }
    emit_byte(code, opcode);
    emit_modes(code, reg, operand);
}

void x86_emit(struct evex_code *code, uint32_t opcode, enum x86_register reg, struct x86_operand operand)
{
    emit(code, false, opcode, reg, operand);
}

void x86_emit_wide(struct evex_code *code, uint32_t opcode, enum x86_register reg, struct x86_operand operand)
{
    emit(code, true, opcode, reg, operand);
}

void x86_emit_immediate(struct evex_code *code, uint32_t operation, struct x86_operand operand, int32_t immediate)
{
    enum { BYTE = 0x83, WORD = 0x81 };
    bool is_short = immediate == (int8_t)immediate;
    emit(code, false, is_short ? BYTE : WORD, operation >> 3, operand);
    if (is_short) {
        emit_byte(code, (uint8_t)immediate);
    } else {
        emit_word(code, (uint32_t)immediate);
    }
}

void x86_emit_constant(struct evex_code *code, struct x86_operand operand, uint32_t immediate)
{
    enum { MOV = 0xC7 };
    if (immediate == 0 && !operand.in_memory) {
        emit(code, false, X86_XOR, operand.base, operand);
        return;
    }
    emit(code, false, MOV, 0, operand);
    emit_word(code, immediate);
}

void x86_emit_compare_byte(struct evex_code *code, struct x86_operand operand, uint8_t immediate)
{
    enum { CMP = 0x80 };
    emit(code, false, CMP, 7, operand);
    emit_byte(code, immediate);
}

static void emit_shift(struct evex_code *code, bool wide, enum x86_shift shift, enum x86_register reg, uint8_t count)
{
    enum { BY_IMMEDIATE = 0xC1 };
    emit(code, wide, BY_IMMEDIATE, shift, x86_in(reg));
    emit_byte(code, count);
}

void x86_emit_shift(struct evex_code *code, enum x86_shift shift, enum x86_register reg, uint8_t count)
{
    emit_shift(code, false, shift, reg, count);
}

void x86_emit_shift_wide(struct evex_code *code, enum x86_shift shift, enum x86_register reg, uint8_t count)
{
    emit_shift(code, true, shift, reg, count);
}

void x86_emit_shift_by_cl(struct evex_code *code, enum x86_shift shift, enum x86_register reg)
{
    enum { BY_CL = 0xD3 };
    emit(code, false, BY_CL, shift, x86_in(reg));
}

/* VEX.LZ.pp.mm.W0 opcode: `second` is the operand in vvvv. */
static void emit_vex(struct evex_code *code, unsigned map, unsigned prefix, uint8_t opcode, enum x86_register reg,
                     unsigned second, struct x86_operand operand)
{
    enum { VEX = 0xC4, NO_UPPER_BITS = 7 };
    emit_byte(code, VEX);
    emit_byte(code, (upper_bits(reg, operand) ^ NO_UPPER_BITS) << 5 | map);
    emit_byte(code, (second ^ 15) << 3 | prefix);
    emit_byte(code, opcode);
    emit_modes(code, reg, operand);
}

enum { MAP_0F38 = 2, MAP_0F3A = 3, PREFIX_NONE = 0, PREFIX_66 = 1, PREFIX_F3 = 2, PREFIX_F2 = 3 };

void x86_emit_shift_by(struct evex_code *code, enum x86_shift shift, enum x86_register to, struct x86_operand operand,
                       enum x86_register count)
{
    enum { SHIFT = 0xF7 };
    unsigned prefix = shift == X86_SHIFT_LEFT ? PREFIX_66 : shift == X86_SHIFT_RIGHT ? PREFIX_F2 : PREFIX_F3;
    emit_vex(code, MAP_0F38, prefix, SHIFT, to, count, operand);
}

void x86_emit_rotated(struct evex_code *code, enum x86_register to, struct x86_operand operand, uint8_t count)
{
    enum { RORX = 0xF0 };
    emit_vex(code, MAP_0F3A, PREFIX_F2, RORX, to, 0, operand);
    emit_byte(code, count);
}

void x86_emit_and_not(struct evex_code *code, enum x86_register to, enum x86_register x, struct x86_operand operand)
{
    enum { ANDN = 0xF2 };
    emit_vex(code, MAP_0F38, PREFIX_NONE, ANDN, to, x, operand);
}

void x86_emit_unary(struct evex_code *code, enum x86_unary operation, enum x86_register reg)
{
    enum { UNARY = 0xF7 };
    emit(code, false, UNARY, operation, x86_in(reg));
}

void x86_emit_swap_bytes(struct evex_code *code, enum x86_register reg)
{
    enum { REX = 0x40, ESCAPE = 0x0F, BSWAP = 0xC8 };
    emit_byte(code, REX | reg >> 3);
    emit_byte(code, ESCAPE);
    emit_byte(code, BSWAP | (reg & 7));
}

void x86_emit_set(struct evex_code *code, enum x86_condition condition, enum x86_register reg)
{
    enum { SET = 0x0F90 };
    emit(code, false, SET | condition, 0, x86_in(reg));
}

void x86_emit_push(struct evex_code *code, struct x86_operand operand)
{
    enum { PUSH = 0xFF };
    emit(code, false, PUSH, 6, operand);
}

void x86_emit_pop(struct evex_code *code, enum x86_register reg)
{
    enum { REX = 0x40, POP = 0x58 };
    emit_byte(code, REX | reg >> 3);
    emit_byte(code, POP | (reg & 7u));
}

void x86_emit_jump_to(struct evex_code *code, enum x86_register reg)
{
    enum { JMP = 0xFF };
    emit(code, false, JMP, 4, x86_in(reg));
}

uint32_t x86_emit_jump_ahead(struct evex_code *code, enum x86_condition condition)
{
    enum { ESCAPE = 0x0F, JCC = 0x80, JMP = 0xE9 };
    if (condition == X86_ALWAYS) {
        emit_byte(code, JMP);
    } else {
        emit_byte(code, ESCAPE);
        emit_byte(code, JCC | condition);
    }
    emit_word(code, 0);
    return code->size;
}

void x86_land_at(struct evex_code *code, uint32_t jump, uint32_t target)
{
    uint32_t distance = target - jump;
    if (!code->full) {
        memcpy(code->bytes + jump - sizeof distance, &distance, sizeof distance);
    }
}

void x86_land(struct evex_code *code, uint32_t jump)
{
    x86_land_at(code, jump, code->size);
}

void x86_emit_jump(struct evex_code *code, enum x86_condition condition, uint32_t target)
{
    x86_land_at(code, x86_emit_jump_ahead(code, condition), target);
}

void x86_emit_call(struct evex_code *code, uint32_t target)
{
    enum { CALL = 0xE8 };
    emit_byte(code, CALL);
    emit_word(code, 0);
    x86_land_at(code, code->size, target);
}

void x86_emit_call_at(struct evex_code *code, struct x86_operand operand)
{
    enum { CALL = 0xFF };
    emit(code, false, CALL, 2, operand);
}
