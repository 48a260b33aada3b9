/* Moves of rows of 16 data between SrcA, SrcB and Dst. The data have the layout of registers.h. */
#ifndef BHEMU_TENSIX_NUM_MOVE_ROWS_H
#define BHEMU_TENSIX_NUM_MOVE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/registers.h"

/* How a block of rows is moved. A cell of 16 bits holds the high half of a datum of Src, or FP16; TF32 takes two
   cells. From Dst: TF32 is either truncated to the precision of Src or, with low_half, the 13 bits that the truncation
   loses, which go to the exponent and the low mantissa bits. */
struct row_move {
    uint8_t rows;         /* of the destination: 1, 4 or 8 */
    bool one_row_for_all; /* Src to Dst: broadcasts one row */
    bool column_0;        /* Src to Dst: broadcasts column 0 of each row */
    bool fp16, tf32;
    bool low_half; /* a cell is the low half of a row of 32 bits; the high half keeps its value, or becomes zero if the
                      row is invalid */
    uint32_t bits; /* Src to Dst: the moved bits of a datum */
    uint32_t some; /* a datum of Src counts as zero if none of these bits is set */
    uint32_t blocked; /* one bit for each column that is not written */
};

/* The first rows of a block: in SrcA or SrcB, and in Dst as numbered by dst_place(). */
struct row_places {
    uint16_t src, dst;
};

/* Moves `count` blocks in order. Written rows of Dst become valid; invalid rows of Dst read as zero. */
void move_rows_to_dst(const struct row_move *move, const uint32_t src[][ROW_COLUMNS], struct dst_register_file *dst,
                      const struct row_places *places, uint32_t count);
void move_rows_from_dst(const struct row_move *move, uint32_t src[][ROW_COLUMNS], const struct dst_register_file *dst,
                        const struct row_places *places, uint32_t count);

/* The same from SrcB to SrcA, whose row is places->dst. */
void move_rows_to_srca(const struct row_move *move, const uint32_t srcb[][ROW_COLUMNS], uint32_t srca[][ROW_COLUMNS],
                       const struct row_places *places, uint32_t count);

/* Sets all data of a bank of Src to `value`. */
void src_bank_fill(uint32_t bank[SRC_ROWS][ROW_COLUMNS], uint32_t value);

/* The same of a register file's bank, which may be zero already. */
static inline void src_bank_clear(struct src_register_file *src, unsigned bank, uint32_t value)
{
    if (value || !src->zero[bank]) {
        src_bank_fill(src->rows[bank], value);
    }
    src->zero[bank] = value == 0;
}

/* Transposes 16 rows, to 16 others or in place. */
void src_transpose(const uint32_t rows[ROW_COLUMNS][ROW_COLUMNS], uint32_t columns[ROW_COLUMNS][ROW_COLUMNS]);

#endif
