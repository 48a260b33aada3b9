/* The formats of SFPLOAD and SFPSTORE, as expressions on words: units/vector/words_in_c.h defines ADD, SELECT, ... in
   C, engine/avx512/words.c as instructions of the host. Cells are in the order of dst_to_hardware()'s argument.
   Sources: ISA documentation SFPLOAD.md, SFPSTORE.md. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_DST_FORMATS_H
#define BHEMU_TENSIX_UNITS_VECTOR_DST_FORMATS_H

#include "tensix/units/vector/rounding.h"

/* dst_from_hardware() and dst_to_hardware() for values that are zero from bit 16 on; for others, only the lower 16
   bits of the result are right. */
#define CELL_OF_HARDWARE(x)                                                                                            \
    WITH(bits, x, SELECT(CONSTANT(0x8000), bits, SELECT(CONSTANT(0x7f80), SHIFT_LEFT(bits, 7), SHIFT_RIGHT(bits, 8))))
#define HARDWARE_OF_CELL(x)                                                                                            \
    WITH(cell, x, SELECT(CONSTANT(0x8000), cell, SELECT(CONSTANT(0x7f00), SHIFT_LEFT(cell, 8), SHIFT_RIGHT(cell, 7))))

/* FP16 in Dst's order, with the five exponent bits lowest, where exponent 31 is an ordinary one, to FP32. */
#define SIGN_FROM_BIT_15(x) SHIFT_LEFT(AND(x, CONSTANT(0x8000)), 16)
#define FP16_OF_HARDWARE(x)                                                                                            \
    WITH(fp16, x,                                                                                                      \
         WITH(exponent, AND(fp16, CONSTANT(0x1f)),                                                                     \
              OR(OR(SIGN_FROM_BIT_15(fp16), SHIFT_LEFT(AND(fp16, CONSTANT(0x7fe0)), 8)),                               \
                 AND(IS_POSITIVE(exponent), SHIFT_LEFT(ADD(exponent, CONSTANT(112)), 23)))))

/* FP32 to FP16 in Dst's order: truncated, flushed, and saturated at the largest magnitude. */
#define SIGN_TO_BIT_15(x) AND(SHIFT_RIGHT(x, 16), CONSTANT(0x8000))
#define HARDWARE_OF_FP16(x)                                                                                            \
    WITH(exponent, SUB(AND(SHIFT_RIGHT(x, 23), CONSTANT(0xff)), CONSTANT(112)),                                        \
         OR(SIGN_TO_BIT_15(x),                                                                                         \
            SELECT(IS_POSITIVE(SUB(exponent, CONSTANT(31))), CONSTANT(0x7fff),                                         \
                   AND(IS_POSITIVE(exponent), OR(AND(SHIFT_RIGHT(x, 8), CONSTANT(0x7fe0)), exponent)))))

/* Ten bits of integer as FP16 with an exponent of 16. */
#define HARDWARE_OF_INT8(x) OR(SIGN_TO_BIT_15(x), OR(SHIFT_LEFT(AND(x, CONSTANT(0x3ff)), 5), CONSTANT(16)))

#define FLUSH_DENORMAL(x) AND(x, OR(IS_POSITIVE(AND(x, CONSTANT(EXPONENT_BITS))), CONSTANT(SIGN_BIT)))

/* An integer of `count` bits of magnitude, from bit `shift` on, below the sign in bit 15. */
#define SIGN_MAGNITUDE(x, shift, count)                                                                                \
    WITH(integer, x, OR(SIGN_FROM_BIT_15(integer), AND(SHIFT_RIGHT(integer, shift), CONSTANT((1u << (count)) - 1))))

/* For each format the value that SFPLOAD loads, given the cell shifted left by `shift` in c, and the LReg's old value
   in b. LOAD32: b is the cell of the low half. */
/* clang-format off */
#define VECTOR_DST_LOADS(LOAD, LOAD32) \
    LOAD(FP16, 0, FP16_OF_HARDWARE(HARDWARE_OF_CELL(c))) \
    LOAD(BF16, 16, c) \
    LOAD32(FP32, 16, OR(c, HARDWARE_OF_CELL(b))) \
    LOAD32(INT32, 16, OR(c, HARDWARE_OF_CELL(b))) \
    LOAD(INT8, 0, SIGN_MAGNITUDE(HARDWARE_OF_CELL(c), 5, 8)) \
    LOAD(UINT16, 0, HARDWARE_OF_CELL(c)) \
    LOAD(HI16, 0, SHIFT_LEFT(HARDWARE_OF_CELL(c), 16)) \
    LOAD(INT16, 0, SIGN_MAGNITUDE(HARDWARE_OF_CELL(c), 0, 15)) \
    LOAD(LO16, 0, HARDWARE_OF_CELL(c)) \
    LOAD32(INT32_ALL, 16, OR(c, HARDWARE_OF_CELL(b))) \
    LOAD(ZERO, 0, CONSTANT(0u)) \
    LOAD32(INT32_SM, 16, OR(c, HARDWARE_OF_CELL(b))) \
    LOAD(INT8_COMP, 0, SIGN_MAGNITUDE(HARDWARE_OF_CELL(c), 5, 10)) \
    LOAD(LO16_ONLY, 0, OR(AND(b, CONSTANT(0xffff0000)), HARDWARE_OF_CELL(c))) \
    LOAD(HI16_ONLY, 0, OR(SHIFT_LEFT(HARDWARE_OF_CELL(c), 16), AND(b, CONSTANT(0xffff))))

/* For each format the cell that SFPSTORE stores for the datum c, shifted left by `shift`; bits below it, and from bit
   16 on if it is not shifted, are ignored. STORE32: the cells of its high and, not shifted, of its low half. HI16 and
   LO16 store 32 bits unchanged, which read back as two 16-bit integers; LO16 swaps the halves. */
#define VECTOR_DST_STORES(STORE, STORE32) \
    STORE(FP16, 0, CELL_OF_HARDWARE(HARDWARE_OF_FP16(c))) \
    STORE(BF16, 16, FLUSH_DENORMAL(c)) \
    STORE32(FP32, 16, FLUSH_DENORMAL(c), CELL_OF_HARDWARE(FLUSH_DENORMAL(c))) \
    STORE32(INT32, 16, c, CELL_OF_HARDWARE(c)) \
    STORE(INT8, 0, CELL_OF_HARDWARE(HARDWARE_OF_INT8(c))) \
    STORE(UINT16, 0, CELL_OF_HARDWARE(c)) \
    STORE32(HI16, 0, CELL_OF_HARDWARE(SHIFT_RIGHT(c, 16)), CELL_OF_HARDWARE(c)) \
    STORE(INT16, 0, CELL_OF_HARDWARE(OR(SIGN_TO_BIT_15(c), AND(c, CONSTANT(0x7fff))))) \
    STORE32(LO16, 0, CELL_OF_HARDWARE(c), CELL_OF_HARDWARE(SHIFT_RIGHT(c, 16))) \
    STORE32(INT32_ALL, 16, c, CELL_OF_HARDWARE(c)) \
    STORE(ZERO, 0, CONSTANT(0u)) \
    STORE32(INT32_SM, 16, c, CELL_OF_HARDWARE(c)) \
    STORE(INT8_COMP, 0, CELL_OF_HARDWARE(HARDWARE_OF_INT8(c))) \
    STORE(LO16_ONLY, 0, CELL_OF_HARDWARE(c)) \
    STORE(HI16_ONLY, 0, CELL_OF_HARDWARE(SHIFT_RIGHT(c, 16)))
/* clang-format on */

#endif
