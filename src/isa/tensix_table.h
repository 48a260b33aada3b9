/* The Tensix instruction set as data: what tables/tensix.def says, for tools that work on any instruction by its opcode
   or its name (assembler, disassembler, reference page, kernel header) and for the wait gate.
   Constant data; no state. */
#ifndef BHEMU_ISA_TENSIX_TABLE_H
#define BHEMU_ISA_TENSIX_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "isa/tensix_isa.h"

enum { TENSIX_MAX_FIELDS = 13 };

/* How many instructions there are. */
enum {
#define TENSIX_BEGIN(name, ...) +1
    TENSIX_INSTRUCTIONS = 0
#include "tensix.def"
};

enum tensix_field_kind {
    TENSIX_FIELD_PLAIN,
    TENSIX_FIELD_RESERVED, /* an argument whose bits mean nothing: must be 0 */
    TENSIX_FIELD_EXTRA     /* documented, but no argument of the kernels' macros: 0 unless written by name */
};

/* Text is in arrays rather than behind pointers, which would have to be relocated when the library is loaded. */
struct tensix_field {
    char name[25]; /* empty: ends a list of fields */
    uint8_t shift; /* of the least significant bit */
    uint8_t width; /* 1..24 */
    uint8_t kind;  /* enum tensix_field_kind */
};

struct tensix_instruction {
    char name[15];
    uint8_t opcode;
    uint8_t issue;   /* minimum cycles until the unit accepts the next instruction; or enum tensix_cycles */
    uint8_t latency; /* minimum cycles until the result is available; or enum tensix_cycles */
    uint16_t block;  /* enum tensix_blocked */
    enum tensix_unit unit;
    uint8_t field_count;    /* number of fields of all kinds */
    uint8_t argument_count; /* number of fields without those of TENSIX_FIELD_EXTRA, which come last */
    uint32_t reserved;      /* bits of 23:0 that must be 0: those of no field, and of TENSIX_FIELD_RESERVED */
    uint32_t ignored;       /* of these, bits that kernels set on cards, where they are ignored */
    char summary[100];
    struct tensix_field fields[TENSIX_MAX_FIELDS + 1];
};

/* All instructions, by ascending opcode. */
extern const struct tensix_instruction tensix_instructions[TENSIX_INSTRUCTIONS];

/* The instruction with an opcode; null when there is none. */
const struct tensix_instruction *tensix_by_opcode(uint8_t opcode);

/* The instruction with a name of that length, in any case and with or without underscores, as it is (MVMUL) or as
   kernels and listings spell it (TT_OP_MVMUL, TT_MVMUL, TTI_MVMUL, ttmvmul, ttunpacrnop); null when there is none. */
const struct tensix_instruction *tensix_by_name_n(const char *name, size_t length);
const struct tensix_instruction *tensix_by_name(const char *name);

/* The bits of a field, at bit 0: the largest value that the encoding has room for. */
static inline uint32_t tensix_field_mask(const struct tensix_field *field)
{
    return (1u << field->width) - 1;
}

/* The largest value that a field may have. */
static inline uint32_t tensix_field_max(const struct tensix_field *field)
{
    return field->kind == TENSIX_FIELD_RESERVED ? 0 : tensix_field_mask(field);
}

/* A field's value in a word. */
static inline uint32_t tensix_field_get(const struct tensix_field *field, uint32_t word)
{
    return (word >> field->shift) & tensix_field_mask(field);
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
