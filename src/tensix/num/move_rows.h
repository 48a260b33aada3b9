/* Rows of 16 data between SrcA, SrcB and Dst, as moves make them. The data are as registers.h keeps them. */
#ifndef BHEMU_TENSIX_NUM_MOVE_ROWS_H
#define BHEMU_TENSIX_NUM_MOVE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/registers.h"

/* How a move moves a block of rows. A cell of 16 bits holds the high half of a datum of Src, or FP16; TF32 takes two.
   From Dst: of TF32 either what Src holds of it, or of FP32, with low_half, the 13 bits that this leaves behind, which
   land in the exponent and the low mantissa bits. */
struct row_move {
    uint8_t rows;         /* of the target: 1, 4 or 8 */
    bool one_row_for_all; /* of Src to Dst */
    bool column_0;        /* of a row of Src to Dst for all columns */
    bool fp16, tf32;
    bool low_half;    /* a cell is the low half of a row of 32 bits; the high half stays, or becomes zero if it is not
                         valid */
    uint32_t bits;    /* of a datum of Src to Dst that are moved */
    uint32_t some;    /* bits of which a datum of Src has any: it is zero if it has none of them */
    uint32_t blocked; /* one bit for each column that stays as it is */
};

/* Where a block begins: rows of SrcA or SrcB, and of Dst as dst_place() numbers them. */
struct row_places {
    uint16_t src, dst;
};

/* Moves `count` blocks, one after the other. Rows of Dst are valid then; from Dst, those that are not valid are zero.
 */
void move_rows_to_dst(const struct row_move *move, const uint32_t src[][ROW_COLUMNS], struct dst_register_file *dst,
                      const struct row_places *places, uint32_t count);
void move_rows_from_dst(const struct row_move *move, uint32_t src[][ROW_COLUMNS], const struct dst_register_file *dst,
                        const struct row_places *places, uint32_t count);

/* The same from SrcB to SrcA, whose row is places->dst. */
void move_rows_to_srca(const struct row_move *move, const uint32_t srcb[][ROW_COLUMNS], uint32_t srca[][ROW_COLUMNS],
                       const struct row_places *places, uint32_t count);

/* All data of a bank of Src become `value`. */
void src_bank_fill(uint32_t bank[SRC_ROWS][ROW_COLUMNS], uint32_t value);

/* Rows become columns: of 16 rows, to 16 others or to themselves. */
void src_transpose(const uint32_t rows[ROW_COLUMNS][ROW_COLUMNS], uint32_t columns[ROW_COLUMNS][ROW_COLUMNS]);

#endif
