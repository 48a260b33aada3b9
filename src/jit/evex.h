/* An encoder of the few AVX-512 instructions that generated code consists of: those on vectors of 16 words (VL 512),
   those on mask registers, of 16 bits, and moves of such masks and 32-bit words to and from memory. Source: Intel 64
   and IA-32 Architectures Software Developer's Manual, volume 2, section 2.7 "Intel AVX-512 Encoding" and the pages of
   the instructions; System V ABI for x86-64 (rdi, esi: first two arguments; rax, rdx, vector registers and mask
   registers are caller-saved). */
#ifndef BHEMU_JIT_EVEX_H
#define BHEMU_JIT_EVEX_H

#include <stdbool.h>
#include <stdint.h>

enum evex_operation {
    EVEX_ADD,                   /* vpaddd: to = x + y */
    EVEX_SUB,                   /* vpsubd: to = x - y */
    EVEX_MINIMUM_SIGNED,        /* vpminsd: to = the smaller of x and y, as signed numbers, and the larger one */
    EVEX_MAXIMUM_SIGNED,        /* vpmaxsd */
    EVEX_MULTIPLY,              /* vpmulld: to = x * y */
    EVEX_MULTIPLY_EVEN,         /* vpmuludq: each 64-bit element of `to` = product of the low words of x and y */
    EVEX_AND,                   /* vpandd */
    EVEX_OR,                    /* vpord */
    EVEX_XOR,                   /* vpxord */
    EVEX_TERNARY,               /* vpternlogd: each bit of `to` = bit 4 to + 2 x + y of `count` */
    EVEX_MOVE,                  /* vmovdqa32, or vpbroadcastd of a constant: to = y */
    EVEX_SHIFT_LEFT,            /* vpslld: to = y << count; y is no constant */
    EVEX_SHIFT_RIGHT,           /* vpsrld: to = y >> count; y is no constant */
    EVEX_SHIFT_RIGHT_SIGNED,    /* vpsrad: the same with copies of bit 31 */
    EVEX_SHIFT_RIGHT_WIDE,      /* vpsrlq: logical, on 64-bit elements; y is a register */
    EVEX_TO_FLOAT,              /* vcvtdq2ps: to = y, a signed number, rounded to the nearest float, ties to even */
    EVEX_SHIFT_LEFT_BY,         /* vpsllvd: to = x << y, zero where y is 32 or more */
    EVEX_SHIFT_RIGHT_BY,        /* vpsrlvd: to = x >> y, zero where y is 32 or more */
    EVEX_SHIFT_RIGHT_SIGNED_BY, /* vpsravd: to = x >> y with copies of bit 31, which fill the word where y is 32 or more
                                 */
    EVEX_ABSOLUTE,              /* vpabsd: to = |y|, -2^31 unchanged */
    EVEX_LEADING_ZEROS,         /* vplzcntd: number of zeros above the highest set bit of y */
    EVEX_SIGNS,                 /* vpmovd2m: mask register `to` = bit 31 of y, which is a register */
    EVEX_TEST,                  /* vptestmd: mask register `to` = (x & y) != 0 */
    EVEX_TEST_NOT,              /* vptestnmd: mask register `to` = (x & y) == 0 */
    EVEX_COMPARE,     /* vpcmpd: mask register `to` = comparison of x and y as signed numbers, selected by `count` */
    EVEX_JOIN_HALVES, /* vshufi32x4: to = a half of x, then one of y, selected by `count` */
    EVEX_WIDEN,       /* vpmovm2d: to = all ones where mask register `y.number` has a one, else zero */
};

/* Truth tables for EVEX_TERNARY's `count`: of its inputs, and of selecting x where `to` is set, else y. */
enum { EVEX_TABLE_TO = 0xf0, EVEX_TABLE_X = 0xcc, EVEX_TABLE_Y = 0xaa, EVEX_TABLE_SELECT = 0xca };

/* `count` of EVEX_JOIN_HALVES: both lower halves. */
enum { EVEX_LOWER_HALVES = 0x44 };

/* Of EVEX_COMPARE. */
enum { EVEX_EQUAL = 0, EVEX_NOT_EQUAL = 4 };

/* Where an operand is. */
enum evex_place {
    EVEX_REGISTER, /* zmm0 to zmm31 */
    EVEX_VECTOR,   /* 64 bytes at rdi + 64 * number, number at most 127, aligned to 64 */
    EVEX_INDEXED,  /* 64 bytes at rdi + rcx + number, a signed one, aligned to 64 */
    EVEX_CONSTANT, /* a word at byte `number` of the code, broadcast to the vector */
};
struct evex_operand {
    enum evex_place place;
    uint32_t number;
};

/* to = operation(x, y) in the elements selected by mask register k`mask`; 0: in all. Comparisons give zero in the
   others; EVEX_ZEROES added to the mask's number clears the others. */
enum { EVEX_ZEROES = 1 << 7 };

struct evex_instruction {
    enum evex_operation operation;
    uint8_t to, x, mask;
    uint8_t count; /* of a shift; kind of comparison; truth table */
    struct evex_operand y;
};

/* Code being generated. Instructions on words: evex_words.h. */
struct evex_code {
    uint8_t *bytes;
    uint32_t size, capacity;
    bool full;              /* the code did not fit; nothing more is written */
    uint32_t live;          /* vector registers whose values are needed later, one bit for each; set by the user */
    uint8_t live_masks;     /* likewise of mask registers */
    bool overwrote;         /* an emitted instruction has overwritten a value that is needed later */
    uint8_t first_register; /* number of the host's register for zmm0; the others follow, with wrap-around from zmm31 to
                               zmm0 */
};

/* Vector registers from `first` on, as in struct evex_code's live. */
static inline uint32_t evex_registers(unsigned first, unsigned count)
{
    return (uint32_t)(((UINT64_C(1) << count) - 1) << first);
}

/* Notes that an instruction writes vector registers, or a mask register. */
static inline void evex_write(struct evex_code *code, uint32_t registers)
{
    code->overwrote |= (code->live & registers) != 0;
}

static inline void evex_write_mask(struct evex_code *code, uint8_t mask)
{
    code->overwrote |= code->live_masks >> mask & 1;
}

/* Appends raw bytes. */
void evex_emit_bytes(struct evex_code *code, const uint8_t *bytes, uint32_t size);

void evex_emit(struct evex_code *code, const struct evex_instruction *instruction);

/* Stores zmm`from` to 64 bytes at rdi + 64 * number, or rdi + rcx + offset. */
void evex_emit_store(struct evex_code *code, uint8_t from, uint32_t number);
void evex_emit_indexed_store(struct evex_code *code, uint8_t from, int32_t offset);

/* A forward jump if not all bits of esi are set; to be resolved by evex_land(). */
uint32_t evex_emit_jump_unless_all(struct evex_code *code);
void evex_land(struct evex_code *code, uint32_t jump);

/* k1 = bits 15:0, k2 = bits 31:16 of esi, which is overwritten. */
void evex_emit_masks(struct evex_code *code);

/* Operations on mask registers. */
enum evex_mask_operation {
    EVEX_MASK_AND,     /* to = x & y */
    EVEX_MASK_AND_NOT, /* to = ~x & y */
    EVEX_MASK_MOVE,    /* to = y */
    EVEX_MASK_NOT,     /* to = ~y */
    EVEX_MASK_JOIN,    /* 32 bits: x above y */
};
void evex_emit_mask(struct evex_code *code, enum evex_mask_operation operation, uint8_t to, uint8_t x, uint8_t y);

/* A memory operand: an offset from a register. */
struct evex_address {
    enum evex_base { EVEX_RDX = 2, EVEX_RDI = 7 } base;
    int32_t offset;
};

/* k`to` = 16 bits, and 32 bits = k`from`. */
void evex_emit_mask_load(struct evex_code *code, uint8_t to, struct evex_address from);
void evex_emit_mask_store(struct evex_code *code, uint8_t from, struct evex_address to);

/* Stores a 32-bit word, or adds to it. */
void evex_emit_word_store(struct evex_code *code, uint32_t value, struct evex_address to);
void evex_emit_word_add(struct evex_code *code, int8_t value, struct evex_address to);

/* rdx = address of an array's entry of 12 bytes; the array is `array` bytes after rdi, its index in the word `index`
   bytes after rdi. */
void evex_emit_entry_of_12(struct evex_code *code, int32_t array, int32_t index);

void evex_emit_return(struct evex_code *code);

/* Appends a word as a constant. Returns its place. */
uint32_t evex_emit_constant(struct evex_code *code, uint32_t value);

#endif
