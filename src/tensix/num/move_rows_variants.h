/* The moves of num/move_rows.h for each level of the host's vectors; all give the same bits. Internal to
 * num/move_rows*. */
#ifndef BHEMU_TENSIX_NUM_MOVE_ROWS_VARIANTS_H
#define BHEMU_TENSIX_NUM_MOVE_ROWS_VARIANTS_H

#include "tensix/num/move_rows.h"
#include "util/host_vectors.h"

#define DECLARE_MOVES(level)                                                                                           \
    void move_rows_to_dst_##level(const struct row_move *move, const uint32_t src[][ROW_COLUMNS],                      \
                                  struct dst_register_file *dst, const struct row_places *places, uint32_t count);     \
    void move_rows_from_dst_##level(const struct row_move *move, uint32_t src[][ROW_COLUMNS],                          \
                                    const struct dst_register_file *dst, const struct row_places *places,              \
                                    uint32_t count);                                                                   \
    void move_rows_to_srca_##level(const struct row_move *move, const uint32_t srcb[][ROW_COLUMNS],                    \
                                   uint32_t srca[][ROW_COLUMNS], const struct row_places *places, uint32_t count);
DECLARE_MOVES(basic)
#if defined(__x86_64__) && !defined(__clang__)
DECLARE_MOVES(v3)
DECLARE_MOVES(v4)
#define MOVES_OF_HOST(name)                                                                                            \
    (host_vectors == HOST_VECTORS_V4 ? name##_v4 : host_vectors == HOST_VECTORS_V3 ? name##_v3 : name##_basic)
#else
#define MOVES_OF_HOST(name) name##_basic
#endif
#undef DECLARE_MOVES

#endif
