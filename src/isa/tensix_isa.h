/* The Tensix instruction set, as tables/tensix.def lists it: opcodes, argument structs, decoders.
   A word is opcode in 31:24 and fields below; struct args_NAME has the fields of NAME under their own names. */
#ifndef BHEMU_ISA_TENSIX_ISA_H
#define BHEMU_ISA_TENSIX_ISA_H

#include <stdint.h>

/* The unit that executes an instruction. */
enum tensix_unit {
#define TENSIX_UNIT(name, ...) TENSIX_##name,
#include "tensix.def"
    TENSIX_UNITS
};

/* The bits of a wait's block mask, B0 to B8: which instructions a latched STALLWAIT, SEMWAIT or STREAMWAIT holds at the
   wait gate (chapter "stallwait conditions"; ISA documentation, STALLWAIT.md). */
enum tensix_block {
    TENSIX_BLOCK_TDMA = 1 << 0,
    TENSIX_BLOCK_SYNC = 1 << 1,
    TENSIX_BLOCK_PACK = 1 << 2,
    TENSIX_BLOCK_UNPACK = 1 << 3,
    TENSIX_BLOCK_XMOV = 1 << 4,
    TENSIX_BLOCK_THCON = 1 << 5,
    TENSIX_BLOCK_MATH = 1 << 6,
    TENSIX_BLOCK_CFG = 1 << 7,
    TENSIX_BLOCK_SFPU = 1 << 8,
    TENSIX_BLOCK_ALL = (1 << 9) - 1,
    TENSIX_BLOCK_NOP = 1 << 9 /* not a bit of the mask: NOP is held only if all nine bits are set */
};

/* The classes of tables/tensix.def: any of these bits in the block mask holds the instruction. */
enum tensix_blocked {
    TENSIX_BLOCKED_NEVER = 0, /* handled before the wait gate */
    TENSIX_BLOCKED_MISC = TENSIX_BLOCK_TDMA,
    TENSIX_BLOCKED_SYNC = TENSIX_BLOCK_SYNC,
    TENSIX_BLOCKED_WAIT = TENSIX_BLOCK_ALL,
    TENSIX_BLOCKED_PACK = TENSIX_BLOCK_TDMA | TENSIX_BLOCK_PACK,
    TENSIX_BLOCKED_UNPACK = TENSIX_BLOCK_TDMA | TENSIX_BLOCK_UNPACK,
    TENSIX_BLOCKED_MOVER = TENSIX_BLOCK_TDMA | TENSIX_BLOCK_XMOV,
    TENSIX_BLOCKED_SCALAR = TENSIX_BLOCK_TDMA | TENSIX_BLOCK_THCON,
    TENSIX_BLOCKED_MATRIX = TENSIX_BLOCK_MATH,
    TENSIX_BLOCKED_CONFIG = TENSIX_BLOCK_CFG,
    TENSIX_BLOCKED_VECTOR = TENSIX_BLOCK_SFPU,
    TENSIX_BLOCKED_NOP = TENSIX_BLOCK_NOP
};

/* For each opcode its unit, enum tensix_unit; the first one where there is no instruction. */
extern const uint8_t tensix_unit_of[256];

/* For each opcode its TENSIX_BLOCKED_..., 0 where there is no instruction. */
extern const uint16_t tensix_block_class[256];

/* Whether a wait with this block mask (B0..B8) holds an instruction with this opcode. */
static inline int tensix_block_holds(uint32_t mask, uint8_t opcode)
{
    mask |= (mask & TENSIX_BLOCK_ALL) == TENSIX_BLOCK_ALL ? TENSIX_BLOCK_NOP : 0;
    return (tensix_block_class[opcode] & mask) != 0;
}

/* TENSIX_OPCODE_NAME. */
enum tensix_opcode {
#define TENSIX_BEGIN(name, opcode, ...) TENSIX_OPCODE_##name = (opcode),
#include "tensix.def"
};

/* struct args_NAME. */
#define TENSIX_BEGIN(name, ...) struct args_##name {
#define TENSIX_FIELD(name, field, shift, width) uint32_t field;
#define TENSIX_END(name)                                                                                               \
    }                                                                                                                  \
    ;
#include "tensix.def"

/* struct args_NAME decode_NAME(word). */
#define TENSIX_BEGIN(name, ...)                                                                                        \
    static inline struct args_##name decode_##name(uint32_t word)                                                      \
    {                                                                                                                  \
        struct args_##name args = {};
#define TENSIX_FIELD(name, field, shift, width) args.field = (word >> (shift)) & ((1u << (width)) - 1);
#define TENSIX_END(name)                                                                                               \
    (void)word;                                                                                                        \
    return args;                                                                                                       \
    }
#include "tensix.def"

#endif
