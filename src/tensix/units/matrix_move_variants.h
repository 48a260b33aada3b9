/* The plain instructions of matrix_move_plain.h, one by one and many in a row, for each level of the host's vector
   instructions. Internal to matrix_move_plain*. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_MOVE_VARIANTS_H
#define BHEMU_TENSIX_UNITS_MATRIX_MOVE_VARIANTS_H

#include <stdint.h>

#include "debug/diagnostic.h"

struct tensix;

#define EACH_PLAIN_INSTRUCTION(apply)                                                                                  \
    apply(MOVA2D) apply(MOVB2A) apply(MOVB2D) apply(MOVD2A) apply(MOVD2B) apply(ZEROACC)

/* any_NAME(): the instruction, whatever there is to it. one_NAME_LEVEL(): the same, faster where it is plain.
   many_NAME_LEVEL(): those at `code` up to the first that is not; returns how many. */
#define DECLARE_PLAIN(name, level)                                                                                     \
    enum step one_##name##_##level(struct tensix *tensix, unsigned thread, uint32_t word);                             \
    uint32_t many_##name##_##level(struct tensix *tensix, unsigned thread, const uint32_t *code, uint32_t count);
#if defined(__x86_64__) && !defined(__clang__)
#define DECLARE_LEVELS(name) DECLARE_PLAIN(name, v3) DECLARE_PLAIN(name, v4)
#else
#define DECLARE_LEVELS(name) DECLARE_PLAIN(name, basic)
#endif
#define DECLARE_ANY(name) enum step any_##name(struct tensix *tensix, unsigned thread, uint32_t word);

EACH_PLAIN_INSTRUCTION(DECLARE_ANY)
EACH_PLAIN_INSTRUCTION(DECLARE_LEVELS)

#undef DECLARE_ANY
#undef DECLARE_LEVELS
#undef DECLARE_PLAIN

#endif
