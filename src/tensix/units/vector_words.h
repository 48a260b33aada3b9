/* Operations of the vector unit on words that are written for a vector of words as for one: functions of b, c and
   `immediate` without a choice. Of each there is a lane_operation, lanewise_NAME(), and a sequence of them runs with
   its last result in the host's registers. Internal to vector_*.c. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_WORDS_H
#define BHEMU_TENSIX_UNITS_VECTOR_WORDS_H

#include "tensix/units/vector_parts.h"

/* clang-format off */
#define VECTOR_WORD_OPERATIONS \
    VECTOR_WORD_OPERATION(add, c + b) \
    VECTOR_WORD_OPERATION(subtract, c - b) \
    VECTOR_WORD_OPERATION(add_immediate, c + immediate) \
    VECTOR_WORD_OPERATION(bitwise_and, (b & c)) \
    VECTOR_WORD_OPERATION(bitwise_or, b | c) \
    VECTOR_WORD_OPERATION(bitwise_xor, b ^ c) \
    VECTOR_WORD_OPERATION(bitwise_not, ~c) \
    VECTOR_WORD_OPERATION(shift_left_immediate, b << (immediate & 31)) \
    VECTOR_WORD_OPERATION(shift_right_immediate, b >> (-immediate & 31)) \
    VECTOR_WORD_OPERATION(extract_exponent, (c >> 23 & 0xff) - immediate) \
    VECTOR_WORD_OPERATION(extract_mantissa, (c & MANTISSA_BITS) | immediate) \
    VECTOR_WORD_OPERATION(set_exponent, (c & ~EXPONENT_BITS) | immediate) \
    VECTOR_WORD_OPERATION(set_exponent_of_float, (c & ~EXPONENT_BITS) | (b & EXPONENT_BITS)) \
    VECTOR_WORD_OPERATION(set_exponent_of_integer, (c & ~EXPONENT_BITS) | (b & 0xff) << 23) \
    VECTOR_WORD_OPERATION(set_mantissa, (c & ~MANTISSA_BITS) | immediate) \
    VECTOR_WORD_OPERATION(set_mantissa_of_register, (c & ~MANTISSA_BITS) | (b & MANTISSA_BITS)) \
    VECTOR_WORD_OPERATION(set_sign, (c & ~SIGN_BIT) | immediate) \
    VECTOR_WORD_OPERATION(set_sign_of_register, (c & ~SIGN_BIT) | (b & SIGN_BIT)) \
    VECTOR_WORD_OPERATION(load_immediate, immediate) \
    VECTOR_WORD_OPERATION(load_upper, (c & 0xffff) | immediate) \
    VECTOR_WORD_OPERATION(load_lower, (c & 0xffff0000) | immediate) \
    VECTOR_WORD_OPERATION(move, c ^ immediate)
/* clang-format on */

#define VECTOR_WORD_OPERATION(name, expression) lane_operation lanewise_##name;
VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION

/* The place of an operation in the list, from 1 on; 0: it is none of them. */
uint8_t vector_word_operation(lane_operation *operation);

/* Executes, in all lanes, what is planned: `count` plans of kind VECTOR_WORDS. */
void vector_run_words(const struct vector_plan *plan, uint32_t count);

#endif
