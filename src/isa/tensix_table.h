/* The Tensix instruction set as data: what tables/tensix.def says, for tools that work on any instruction by its opcode
   or its name (assembler, disassembler, reference page, kernel header) and for the wait gate.
   Constant data; no state. */
#ifndef BHEMU_ISA_TENSIX_TABLE_H
#define BHEMU_ISA_TENSIX_TABLE_H

#include <stdint.h>

#include "isa/tensix_isa.h"

enum { TENSIX_MAX_FIELDS = 13, TENSIX_INSTRUCTIONS = 137 };

struct tensix_field {
    const char *name; /* null ends a list of fields */
    uint8_t shift;    /* of the least significant bit */
    uint8_t width;    /* 1..24 */
};

struct tensix_instruction {
    const char *name;
    uint8_t opcode;
    enum tensix_unit unit;
    uint8_t field_count;
    uint32_t reserved; /* bits of 23:0 that no field has */
    struct tensix_field fields[TENSIX_MAX_FIELDS + 1];
};

/* All instructions, by ascending opcode. */
extern const struct tensix_instruction tensix_instructions[TENSIX_INSTRUCTIONS];

/* The instruction with an opcode; null when there is none. */
const struct tensix_instruction *tensix_by_opcode(uint8_t opcode);

/* The instruction with a name in any case, as it is (MVMUL) or as kernels and listings spell it (TT_OP_MVMUL, TT_MVMUL,
   TTI_MVMUL, ttmvmul); null when there is none. */
const struct tensix_instruction *tensix_by_name(const char *name);

/* The largest value of a field. */
static inline uint32_t tensix_field_max(const struct tensix_field *field)
{
    return (1u << field->width) - 1;
}

/* A field's value in a word. */
static inline uint32_t tensix_field_get(const struct tensix_field *field, uint32_t word)
{
    return (word >> field->shift) & tensix_field_max(field);
}

/* The word of an instruction with these values in the order of its fields; bits that do not fit are cut off. */
uint32_t tensix_encode(const struct tensix_instruction *instruction, const uint32_t *values);

/* The word as it stands in a RISC-V program (`.ttinsn`): rotated left by 2, so that the two lowest bits, 11 in every
   32-bit RISC-V instruction, hold the top bits of an opcode, which are never 11. */
static inline uint32_t tensix_to_inline(uint32_t word)
{
    return word << 2 | word >> 30;
}

static inline uint32_t tensix_from_inline(uint32_t word)
{
    return word >> 2 | word << 30;
}

/* The name of a unit as the ISA documentation has it: "Matrix Unit (FPU)". */
const char *tensix_unit_name(enum tensix_unit unit);

#endif
