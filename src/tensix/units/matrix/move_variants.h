/* The plain instructions of units/matrix/move_plain.h, for each level of the host's vector
   instructions. Internal to matrix_move_plain*. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_MOVE_VARIANTS_H
#define BHEMU_TENSIX_UNITS_MATRIX_MOVE_VARIANTS_H

#include <stdint.h>

struct tensix;

/* matrix_run_moves() for each level. */
#define DECLARE_RUN(level)                                                                                             \
    uint32_t run_moves_##level(struct tensix *tensix, unsigned thread, const uint32_t *code, uint32_t count,           \
                               uint32_t times);
#if defined(__x86_64__) && !defined(__clang__)
DECLARE_RUN(v3)
DECLARE_RUN(v4)
#else
DECLARE_RUN(basic)
#endif
#undef DECLARE_RUN

#endif
