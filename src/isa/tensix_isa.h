/* The Tensix instruction set, as tables/tensix.def lists it: opcodes, argument structs, decoders.
   A word is opcode in 31:24 and fields below; struct args_NAME has the fields of NAME under their own names. */
#ifndef BHEMU_ISA_TENSIX_ISA_H
#define BHEMU_ISA_TENSIX_ISA_H

#include <stdint.h>

/* The unit that executes an instruction. */
enum tensix_unit {
    TENSIX_FRONTEND,
    TENSIX_SYNC,
    TENSIX_SCALAR,
    TENSIX_CONFIG,
    TENSIX_ADDR,
    TENSIX_UNPACK,
    TENSIX_MATRIX,
    TENSIX_VECTOR,
    TENSIX_PACK,
    TENSIX_MOVER,
    TENSIX_UNITS
};

/* TENSIX_OPCODE_NAME. */
enum tensix_opcode {
#define TENSIX_BEGIN(name, opcode, ...) TENSIX_OPCODE_##name = (opcode),
#define TENSIX_FIELD(...)
#define TENSIX_END(...)
#include "tensix.def"
#undef TENSIX_BEGIN
#undef TENSIX_FIELD
#undef TENSIX_END
};

/* struct args_NAME. */
#define TENSIX_BEGIN(name, ...) struct args_##name {
#define TENSIX_FIELD(name, field, shift, width) uint32_t field;
#define TENSIX_END(name) };
#include "tensix.def"
#undef TENSIX_BEGIN
#undef TENSIX_FIELD
#undef TENSIX_END

/* struct args_NAME decode_NAME(word). */
#define TENSIX_BEGIN(name, ...)                                                                                        \
    static inline struct args_##name decode_##name(uint32_t word)                                                      \
    {                                                                                                                  \
        struct args_##name args = {};
#define TENSIX_FIELD(name, field, shift, width) args.field = (word >> (shift)) & ((1u << (width)) - 1);
#define TENSIX_END(name)                                                                                               \
        (void)word;                                                                                                    \
        return args;                                                                                                   \
    }
#include "tensix.def"
#undef TENSIX_BEGIN
#undef TENSIX_FIELD
#undef TENSIX_END

#endif
