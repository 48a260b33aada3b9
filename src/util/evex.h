/* An encoder of the few AVX-512 instructions that translated code consists of, all on vectors of 16 words (VL 512).
   Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, section 2.7 "Intel AVX-512 Encoding"
   and the pages of the instructions; System V ABI for x86-64 (rdi, esi: first two arguments; no vector register and no
   mask register outlives a call). */
#ifndef BHEMU_UTIL_EVEX_H
#define BHEMU_UTIL_EVEX_H

#include <stdbool.h>
#include <stdint.h>

enum evex_operation {
    EVEX_ADD,                /* vpaddd: to = x + y */
    EVEX_SUB,                /* vpsubd: to = x - y */
    EVEX_AND,                /* vpandd */
    EVEX_OR,                 /* vpord */
    EVEX_XOR,                /* vpxord */
    EVEX_NOT,                /* vpternlogd: to = ~y */
    EVEX_MOVE,               /* vmovdqa32, or vpbroadcastd of a constant: to = y */
    EVEX_SHIFT_LEFT,         /* vpslld: to = y << count; y is a register */
    EVEX_SHIFT_RIGHT,        /* vpsrld: to = y >> count; y is a register */
    EVEX_SHIFT_RIGHT_SIGNED, /* vpsrad: the same with copies of bit 31 */
    EVEX_SHIFT_LEFT_BY,      /* vpsllvd: to = x << y, zero where y is 32 or more */
    EVEX_SHIFT_RIGHT_BY,     /* vpsrlvd: to = x >> y, zero where y is 32 or more */
};

/* Where an operand is. */
enum evex_place {
    EVEX_REGISTER, /* zmm0 to zmm31 */
    EVEX_VECTOR,   /* 64 bytes at rdi + 64 * number, up to number 127, aligned to 64 */
    EVEX_CONSTANT, /* a word at byte `number` of the code, in all places of the vector */
};
struct evex_operand {
    enum evex_place place;
    uint32_t number;
};

/* to = operation(x, y) in the places that mask register k`mask` says; 0: in all. */
struct evex_instruction {
    enum evex_operation operation;
    uint8_t to, x, mask;
    uint8_t count; /* of a shift */
    struct evex_operand y;
};

/* Code that is being written. */
struct evex_code {
    uint8_t *bytes;
    uint32_t size, capacity;
    bool full; /* something did not fit; nothing more is written */
};

void evex_emit(struct evex_code *code, const struct evex_instruction *instruction);

/* zmm`from` to 64 bytes at rdi + 64 * number. */
void evex_emit_store(struct evex_code *code, uint8_t from, uint32_t number);

/* A jump, unless all bits of esi are set, to where evex_land() is called with what this returns. */
uint32_t evex_emit_jump_unless_all(struct evex_code *code);
void evex_land(struct evex_code *code, uint32_t jump);

/* k1 = bits 15:0, k2 = bits 31:16 of esi, which is lost. */
void evex_emit_masks(struct evex_code *code);

void evex_emit_return(struct evex_code *code);

/* A word, for instructions after it to use. Returns where it is. */
uint32_t evex_emit_constant(struct evex_code *code, uint32_t value);

#endif
