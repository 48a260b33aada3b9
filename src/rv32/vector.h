/* Shared by the parts of T2's vector extension: the current instruction, the elements of registers, and checks for
   reserved encodings. Not to be included by others. Registers have 128 bits, elements 8, 16 or 32. vstart is always 0;
   elements excluded by the mask or vl keep their values. Reserved encodings, and those that need elements of 64 bits,
   are UndefinedBehavior and have no effect. Sources: RISC-V "V" Vector Extension 1.0; ISA documentation
   BabyRISCV/InstructionSet.md. */
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

/* What an arithmetic instruction is; op RV32_VECTOR_OPS: none that there is. */
struct vector_kind {
    enum rv32_vector_op op;
    enum rv32_vector_shape shape;
    unsigned group, source; /* VECTOR_GROUP_..., VECTOR_SOURCE_... */
};
struct vector_kind vector_kind_of(uint32_t word);

/* A vector instruction during its execution. */
struct vector {
    struct rv32 *rv32;
    struct rv32_core *core;
    uint32_t word;
    enum rv32_vector_op op;
    enum rv32_vector_shape shape;
    unsigned source;       /* VECTOR_SOURCE_... */
    unsigned vd, vs1, vs2; /* register numbers; vs1 is rs1, too */
    bool masked;           /* by v0 */
    unsigned width;        /* element width that vtype selects */
    int lmul;              /* log2 of the number of registers in a group */
    uint32_t vl;           /* elements to work on */
    uint32_t scalar;       /* the last source if it is not a vector, sign-extended */
    uint32_t flags;        /* exceptions of floating-point arithmetic */
    uint8_t before[RV32_VECTOR_REGISTERS * RV32_VECTOR_BYTES]; /* all registers, before the instruction */
};

/* A group of registers as an operand. */
struct vector_group {
    unsigned first;
    int lmul;
    unsigned width; /* 1: a mask */
};

/* Element i of the group that starts at a register, zero-extended; its value before the instruction. */
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

/* Element i of the last source, at that source's width. */
static inline uint32_t vector_last_source(const struct vector *vector, uint32_t i, unsigned width)
{
    if (vector->source == VECTOR_SOURCE_V) {
        return vector_get(vector, vector->vs1, i, width);
    }
    return width == 32 ? vector->scalar : vector->scalar & ((1u << width) - 1);
}

/* Whether a group is valid: elements not too wide, not more than eight registers, and the first one a multiple of
   their number. */
bool vector_group_valid(struct vector_group group);

/* Whether a destination may overlap a source as these do. */
bool vector_overlap_valid(struct vector_group destination, struct vector_group source);

/* Diagnoses a reserved encoding, which has no effect. */
enum step vector_reserved(const struct vector *vector, const char *why);

/* The instructions of each file. */
enum step vector_integer(struct vector *vector);
enum step vector_float(struct vector *vector);
enum step vector_other(struct vector *vector);
enum step vector_other_float(struct vector *vector);
enum step vector_memory(struct vector *vector, bool store);

#endif
