/* What the parts of T2's vector extension share: the instruction that executes, the elements of registers, and what an
   encoding may not ask for. Nobody else includes this.
   Registers have 128 bits, elements 8, 16 or 32. vstart is always 0; what the mask or vl leave out stays as it is. What
   is reserved, or needs elements of 64 bits, is UndefinedBehavior and does nothing.
   Sources: RISC-V "V" Vector Extension 1.0; ISA documentation BabyRISCV/InstructionSet.md. */
#ifndef BHEMU_RV32_VECTOR_H
#define BHEMU_RV32_VECTOR_H

#include <string.h>

#include "rv32/execute.h"

enum { VECTOR_ELEMENTS = 8 * RV32_VECTOR_BYTES }; /* at most, in a group of eight registers */

enum rv32_vector_op {
#define RV32_VECTOR(name, ...) RV32_VECTOR_##name,
#include "rv32_vector.def"
#undef RV32_VECTOR
    RV32_VECTOR_OPS
};

enum rv32_vector_shape {
    VECTOR_SAME,
    VECTOR_CARRY,
    VECTOR_COMPARE,
    VECTOR_CARRY_OUT,
    VECTOR_NARROW,
    VECTOR_WIDE,
    VECTOR_WIDE_W,
    VECTOR_REDUCE,
    VECTOR_WIDE_REDUCE,
    VECTOR_MASK,
    VECTOR_OTHER,
};

/* The groups of tables/rv32_vector.def, and the kinds of the last source as bits. */
enum { VECTOR_GROUP_I, VECTOR_GROUP_M, VECTOR_GROUP_F };
enum { VECTOR_SOURCE_V = 1, VECTOR_SOURCE_X = 2, VECTOR_SOURCE_I = 4 };

/* A vector instruction while it executes. */
struct vector {
    struct rv32 *rv32;
    struct rv32_core *core;
    uint32_t word;
    enum rv32_vector_op op;
    enum rv32_vector_shape shape;
    unsigned source;                                           /* VECTOR_SOURCE_... */
    unsigned vd, vs1, vs2;                                     /* register numbers; vs1 is rs1, too */
    bool masked;                                               /* by v0 */
    unsigned width;                                            /* of elements, as vtype selects it */
    int lmul;                                                  /* log2 of registers in a group */
    uint32_t vl;                                               /* elements to work on */
    uint32_t scalar;                                           /* the last source when it is no vector, sign-extended */
    uint32_t flags;                                            /* of floating-point arithmetic */
    uint8_t before[RV32_VECTOR_REGISTERS * RV32_VECTOR_BYTES]; /* all registers, before the instruction */
};

/* A group of registers as an operand. */
struct vector_group {
    unsigned first;
    int lmul;
    unsigned width; /* 1: a mask */
};

/* Element i of the group that starts at a register, as it was before the instruction: zero-extended. */
static inline uint32_t vector_get(const struct vector *vector, unsigned first, uint32_t i, unsigned width)
{
    uint32_t value = 0;
    memcpy(&value, vector->before + first * RV32_VECTOR_BYTES + i * width / 8, width / 8);
    return value;
}

static inline void vector_set(struct vector *vector, unsigned first, uint32_t i, unsigned width, uint32_t value)
{
    memcpy(vector->core->v + first * RV32_VECTOR_BYTES + i * width / 8, &value, width / 8);
}

/* Bit i of a mask. */
static inline bool vector_get_bit(const struct vector *vector, unsigned reg, uint32_t i)
{
    return vector->before[reg * RV32_VECTOR_BYTES + i / 8] >> i % 8 & 1;
}

static inline void vector_set_bit(struct vector *vector, unsigned reg, uint32_t i, bool value)
{
    uint8_t *byte = &vector->core->v[reg * RV32_VECTOR_BYTES + i / 8];
    *byte = (uint8_t)((*byte & ~(1u << i % 8)) | (unsigned)value << i % 8);
}

static inline bool vector_active(const struct vector *vector, uint32_t i)
{
    return !vector->masked || vector_get_bit(vector, 0, i);
}

/* How many elements of `width` bits a group has. */
static inline uint32_t vector_length(unsigned width, int lmul)
{
    uint32_t one = RV32_VECTOR_BYTES * 8 / width;
    return lmul < 0 ? one >> -lmul : one << lmul;
}

/* The last source of element i, at its width. */
static inline uint32_t vector_last_source(const struct vector *vector, uint32_t i, unsigned width)
{
    if (vector->source == VECTOR_SOURCE_V) {
        return vector_get(vector, vector->vs1, i, width);
    }
    return width == 32 ? vector->scalar : vector->scalar & ((1u << width) - 1);
}

/* Whether a group is one: elements not too wide, registers as many as there may be, the first one a multiple of that.
 */
bool vector_group_valid(struct vector_group group);

/* Whether a destination may overlap a source as it does. */
bool vector_overlap_valid(struct vector_group destination, struct vector_group source);

/* The diagnostic of a reserved encoding; then the instruction does nothing. */
enum step vector_reserved(const struct vector *vector, const char *why);

/* The parts: by shape, then single instructions. */
enum step vector_integer(struct vector *vector);
enum step vector_float(struct vector *vector);
enum step vector_other(struct vector *vector);
enum step vector_other_float(struct vector *vector);
enum step vector_memory(struct vector *vector, bool store);

#endif
