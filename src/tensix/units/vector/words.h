/* Operations of the vector unit on words, each a function of b, c and `immediate` without branches. The operators (ADD,
   SHIFT_LEFT, CONSTANT, ...) are defined for a word in units/vector/words.c, for a vector of words in
   num/word_vectors.inc, and as instructions of the host in engine/avx512/words.c:
     NEGATIVE    all ones where the highest bit is set, else zero
     TO_FLOAT    the float nearest to a number below 2^31, ties to even
     SELECT      the bits of x where `field` has ones, else those of y
     IF_NEGATIVE x where the highest bit of `sign` is set, else y
     EITHER      x or y, which are equal wherever the result is used

   Each operation has a lane_operation, lanewise_NAME(). Internal to units/vector/ and the engine. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_WORDS_H
#define BHEMU_TENSIX_UNITS_VECTOR_WORDS_H

#include "tensix/units/vector/dst_formats.h"
#include "tensix/units/vector/parts.h"

/* x with a field, given as a mask, replaced by that of y. */
#define REPLACE(x, field, y) SELECT(CONSTANT(field), y, x)

/* Shifts by register: left by c or, if that is negative, right by -c, modulo 32: `count`. Shifts to the left may use
   either count: `count` saves generated code an instruction, c saves compiled code a load (row SFPSHFT of `make
   bench`). */
#define LEFT_OR_RIGHT(right)                                                                                           \
    WITH(count, AND(ABSOLUTE(c), CONSTANT(31)),                                                                        \
         IF_NEGATIVE(c, right, SHIFT_LEFT_BY(b, EITHER(AND(c, CONSTANT(31)), count))))

/* Whether a float is neither infinite nor NaN, as a mask: adding one to such an exponent does not carry. */
#define IS_FINITE(x) NEGATIVE(ADD(OR(x, CONSTANT(~EXPONENT_BITS)), CONSTANT(1)))

/* Clears the sign, except that of NaN: among negative numbers, this addition carries only for NaN. */
#define FLOAT_ABSOLUTE(x) AND(x, OR(NOT(ADD(x, CONSTANT(MANTISSA_BITS))), CONSTANT(~SIGN_BIT)))

/* Bit 31: whether x < y as sign-magnitude integers, or floats: the sign of x if signs differ, otherwise that of a
   difference. */
#define BEFORE(x, y) SELECT(XOR(x, y), x, SELECT(x, SUB(y, x), SUB(x, y)))

/* Product of mantissas of 23 bits: the lower and the upper half of its 46 bits. The upper one is the upper word of a
   product of 64 bits if one of the factors is shifted up, which drops the bits above its mantissa. */
#define MANTISSA(x) AND(x, CONSTANT(MANTISSA_BITS))
#define UPPER_PRODUCT(x, y) MULTIPLY_UPPER(SHIFT_LEFT(x, 9), MANTISSA(y))

/* clang-format off */
#define VECTOR_WORD_OPERATIONS \
    VECTOR_WORD_OPERATION(add, ADD(c, b)) \
    VECTOR_WORD_OPERATION(subtract, SUB(c, b)) \
    VECTOR_WORD_OPERATION(add_immediate, ADD(c, CONSTANT(immediate))) \
    VECTOR_WORD_OPERATION(multiply_lower, MANTISSA(MULTIPLY(b, c))) \
    VECTOR_WORD_OPERATION(multiply_upper, UPPER_PRODUCT(b, c)) \
    VECTOR_WORD_OPERATION(bitwise_and, AND(b, c)) \
    VECTOR_WORD_OPERATION(bitwise_or, OR(b, c)) \
    VECTOR_WORD_OPERATION(bitwise_xor, XOR(b, c)) \
    VECTOR_WORD_OPERATION(bitwise_not, NOT(c)) \
    VECTOR_WORD_OPERATION(shift_left_immediate, SHIFT_LEFT(b, immediate & 31)) \
    VECTOR_WORD_OPERATION(shift_right_immediate, SHIFT_RIGHT(b, -immediate & 31)) \
    VECTOR_WORD_OPERATION(shift_right_signed_immediate, SHIFT_RIGHT_SIGNED(b, -immediate & 31)) \
    VECTOR_WORD_OPERATION(shift, LEFT_OR_RIGHT(SHIFT_RIGHT_BY(b, count))) \
    VECTOR_WORD_OPERATION(shift_signed, LEFT_OR_RIGHT(SHIFT_RIGHT_SIGNED_BY(b, count))) \
    VECTOR_WORD_OPERATION(integer_absolute, ABSOLUTE(c)) \
    VECTOR_WORD_OPERATION(other_integer, OR(ABSOLUTE(c), AND(c, CONSTANT(SIGN_BIT)))) \
    VECTOR_WORD_OPERATION(float_absolute, FLOAT_ABSOLUTE(c)) \
    VECTOR_WORD_OPERATION(integer_to_float, \
        OR(AND(c, CONSTANT(SIGN_BIT)), TO_FLOAT(AND(c, CONSTANT(~SIGN_BIT))))) \
    VECTOR_WORD_OPERATION(leading_zeros, LEADING_ZEROS(AND(c, CONSTANT(immediate)))) \
    VECTOR_WORD_OPERATION(greater, NEGATIVE(BEFORE(c, b))) \
    VECTOR_WORD_OPERATION(not_greater, NOT(NEGATIVE(BEFORE(c, b)))) \
    VECTOR_WORD_OPERATION(add_to_exponent, \
        SELECT(IS_FINITE(c), REPLACE(c, EXPONENT_BITS, ADD(c, CONSTANT(immediate))), c)) \
    VECTOR_WORD_OPERATION(extract_exponent, SUB(SHIFT_RIGHT(SHIFT_LEFT(c, 1), 24), CONSTANT(immediate))) \
    VECTOR_WORD_OPERATION(extract_mantissa, OR(AND(c, CONSTANT(MANTISSA_BITS)), CONSTANT(immediate))) \
    VECTOR_WORD_OPERATION(set_exponent, OR(AND(c, CONSTANT(~EXPONENT_BITS)), CONSTANT(immediate))) \
    VECTOR_WORD_OPERATION(set_exponent_of_float, REPLACE(c, EXPONENT_BITS, b)) \
    VECTOR_WORD_OPERATION(set_exponent_of_integer, REPLACE(c, EXPONENT_BITS, SHIFT_LEFT(b, 23))) \
    VECTOR_WORD_OPERATION(set_mantissa, OR(AND(c, CONSTANT(~MANTISSA_BITS)), CONSTANT(immediate))) \
    VECTOR_WORD_OPERATION(set_mantissa_of_register, REPLACE(c, MANTISSA_BITS, b)) \
    VECTOR_WORD_OPERATION(set_sign, OR(AND(c, CONSTANT(~SIGN_BIT)), CONSTANT(immediate))) \
    VECTOR_WORD_OPERATION(set_sign_of_register, REPLACE(c, SIGN_BIT, b)) \
    VECTOR_WORD_OPERATION(load_immediate, CONSTANT(immediate)) \
    VECTOR_WORD_OPERATION(load_upper, OR(AND(c, CONSTANT(0xffff)), CONSTANT(immediate))) \
    VECTOR_WORD_OPERATION(load_lower, OR(AND(c, CONSTANT(0xffff0000)), CONSTANT(immediate))) \
    VECTOR_WORD_OPERATION(move, XOR(c, CONSTANT(immediate)))
/* clang-format on */

/* The same for generated code's loads and stores of Dst, with cells as in units/vector/dst_formats.h; these have no
   lane_operations. */
#define DST_LOAD_OPERATION(format, shift, expression) VECTOR_WORD_OPERATION(load_##format, expression)
#define DST_STORE_OPERATION(format, shift, cell) VECTOR_WORD_OPERATION(store_##format, cell)
#define DST_STORE32_OPERATION(format, shift, high, low)                                                                \
    VECTOR_WORD_OPERATION(store_##format, high)                                                                        \
    VECTOR_WORD_OPERATION(store_low_##format, low)
#define VECTOR_DST_OPERATIONS                                                                                          \
    VECTOR_DST_LOADS(DST_LOAD_OPERATION, DST_LOAD_OPERATION)                                                           \
    VECTOR_DST_STORES(DST_STORE_OPERATION, DST_STORE32_OPERATION)

#define VECTOR_WORD_OPERATION(name, expression) lane_operation lanewise_##name;
VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION

enum vector_word_operation {
    WORDS_NONE,
#define VECTOR_WORD_OPERATION(name, expression) WORDS_##name,
    VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION
        WORDS_OPERATIONS,
#define VECTOR_WORD_OPERATION(name, expression) WORDS_##name,
    VECTOR_DST_OPERATIONS VECTOR_ROUNDINGS(VECTOR_WORD_OPERATION, VECTOR_WORD_OPERATION)
#undef VECTOR_WORD_OPERATION
};

#endif
