/* An encoder of instructions on general registers of x86-64, appended to a struct evex_code. Operands have 32 bits
   unless said otherwise; writing a 32-bit register clears its upper half. Source: Intel 64 and IA-32 Architectures
   Software Developer's Manual, volume 2. */
#ifndef BHEMU_JIT_X86_H
#define BHEMU_JIT_X86_H

#include "jit/evex.h"

enum x86_register {
    X86_RAX,
    X86_RCX,
    X86_RDX,
    X86_RBX,
    X86_RSP,
    X86_RBP,
    X86_RSI,
    X86_RDI,
    X86_R8,
    X86_R9,
    X86_R10,
    X86_R11,
    X86_R12,
    X86_R13,
    X86_R14,
    X86_R15,
    X86_REGISTERS
};

/* A register, or the memory at base + index * 2^scale + offset. */
struct x86_operand {
    bool in_memory;
    uint8_t base; /* enum x86_register; the register itself */
    uint8_t index, scale;
    int32_t offset;
};

enum { X86_NO_INDEX = X86_RSP };

static inline struct x86_operand x86_in(enum x86_register reg)
{
    return (struct x86_operand){.base = (uint8_t)reg};
}

static inline struct x86_operand x86_at(enum x86_register base, int32_t offset)
{
    return (struct x86_operand){.in_memory = true, .base = (uint8_t)base, .index = X86_NO_INDEX, .offset = offset};
}

static inline struct x86_operand x86_at_sum(enum x86_register base, enum x86_register index, uint8_t scale,
                                            int32_t offset)
{
    return (struct x86_operand){
        .in_memory = true, .base = (uint8_t)base, .index = (uint8_t)index, .scale = scale, .offset = offset};
}

/* Opcodes of x86_emit(): prefix, escape and opcode, as they stand in the manual. */
enum {
    X86_ADD = 0x03, /* to += from, and so on */
    X86_OR = 0x0B,
    X86_AND = 0x23,
    X86_SUB = 0x2B,
    X86_XOR = 0x33,
    X86_COMPARE = 0x3B,
    X86_MULTIPLY = 0x0FAF,
    X86_LOAD = 0x8B,        /* to = from: a word */
    X86_LOAD_BYTE = 0x0FB6, /* zero-extended, and the rest of these */
    X86_LOAD_HALF = 0x0FB7,
    X86_LOAD_SIGNED_BYTE = 0x0FBE,
    X86_LOAD_SIGNED_HALF = 0x0FBF,
    X86_LOAD_SIGNED_WORD = 0x63, /* wide */
    X86_ADDRESS = 0x8D,          /* lea */
    X86_STORE_BYTE = 0x88,       /* operand = register */
    X86_STORE = 0x89,            /* a word; X86_STORE_HALF is a half */
    X86_STORE_HALF = 0x6689,
    X86_TEST = 0x85,
    X86_POPULATION = 0xF30FB8,
    X86_TRAILING_ZEROS = 0xF30FBC,
    X86_LEADING_ZEROS = 0xF30FBD,
    X86_MOVE_IF = 0x0F40, /* + enum x86_condition */
};

enum x86_condition {
    X86_BELOW = 2,
    X86_NOT_BELOW = 3,
    X86_EQUAL = 4,
    X86_NOT_EQUAL = 5,
    X86_ABOVE = 7,
    X86_LESS = 12,
    X86_NOT_LESS = 13,
    X86_GREATER = 15,
    X86_ALWAYS = 16,
};

/* Shifts and rotations; those by cl, and by a register with BMI2. */
enum x86_shift {
    X86_ROTATE_LEFT = 0,
    X86_ROTATE_RIGHT = 1,
    X86_SHIFT_LEFT = 4,
    X86_SHIFT_RIGHT = 5,
    X86_SHIFT_SIGNED = 7
};

void x86_emit(struct evex_code *code, uint32_t opcode, enum x86_register reg, struct x86_operand operand);
void x86_emit_wide(struct evex_code *code, uint32_t opcode, enum x86_register reg, struct x86_operand operand);

/* operand = operand operation immediate, of X86_ADD to X86_COMPARE. */
void x86_emit_immediate(struct evex_code *code, uint32_t operation, struct x86_operand operand, int32_t immediate);

/* operand = immediate */
void x86_emit_constant(struct evex_code *code, struct x86_operand operand, uint32_t immediate);

/* Compares a byte with an immediate. */
void x86_emit_compare_byte(struct evex_code *code, struct x86_operand operand, uint8_t immediate);

void x86_emit_shift(struct evex_code *code, enum x86_shift shift, enum x86_register reg, uint8_t count);
void x86_emit_shift_wide(struct evex_code *code, enum x86_shift shift, enum x86_register reg, uint8_t count);
void x86_emit_shift_by_cl(struct evex_code *code, enum x86_shift shift, enum x86_register reg);

/* BMI2 and BMI1: to = operand shifted by count (modulo 32); to = operand rotated right; to = ~x & operand. */
void x86_emit_shift_by(struct evex_code *code, enum x86_shift shift, enum x86_register to, struct x86_operand operand,
                       enum x86_register count);
void x86_emit_rotated(struct evex_code *code, enum x86_register to, struct x86_operand operand, uint8_t count);
void x86_emit_and_not(struct evex_code *code, enum x86_register to, enum x86_register x, struct x86_operand operand);

enum x86_unary { X86_NOT = 2, X86_NEGATE = 3, X86_DIVIDE = 6, X86_DIVIDE_SIGNED = 7 }; /* edx:eax by reg: eax, edx */
void x86_emit_unary(struct evex_code *code, enum x86_unary operation, enum x86_register reg);

void x86_emit_swap_bytes(struct evex_code *code, enum x86_register reg);

/* Low byte of reg = condition ? 1 : 0. */
void x86_emit_set(struct evex_code *code, enum x86_condition condition, enum x86_register reg);

void x86_emit_push(struct evex_code *code, struct x86_operand operand);
void x86_emit_pop(struct evex_code *code, enum x86_register reg);
void x86_emit_jump_to(struct evex_code *code, enum x86_register reg);

/* Calls of byte `target` of the code, and of the address in a 64-bit operand. */
void x86_emit_call(struct evex_code *code, uint32_t target);
void x86_emit_call_at(struct evex_code *code, struct x86_operand operand);

/* A jump to byte `target` of the code; or forward, to be resolved by x86_land() or x86_land_at(). */
void x86_emit_jump(struct evex_code *code, enum x86_condition condition, uint32_t target);
uint32_t x86_emit_jump_ahead(struct evex_code *code, enum x86_condition condition);
void x86_land_at(struct evex_code *code, uint32_t jump, uint32_t target);
void x86_land(struct evex_code *code, uint32_t jump);

#endif
