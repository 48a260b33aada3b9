/* Rows of 16 data between SrcA or SrcB and Dst, where the cells of Dst hold BF16: most moves. The data are as
   registers.h keeps them. */
#ifndef BHEMU_TENSIX_NUM_MOVE_ROWS_H
#define BHEMU_TENSIX_NUM_MOVE_ROWS_H

#include <stdint.h>

#include "tensix/num/registers.h"

/* `count` rows of Src, `stride` rows apart, to cells: of each datum what `bits` selects, or zero if it has none of the
   bits `some`. */
void move_rows_to_bf16(const uint32_t source[][ROW_COLUMNS], unsigned stride, unsigned count, uint32_t bits,
                       uint32_t some, uint16_t cells[][ROW_COLUMNS]);

/* The other way; rows that are not valid give zeroes. */
void move_rows_from_bf16(const uint16_t cells[][ROW_COLUMNS], const uint8_t valid[], unsigned count,
                         uint32_t target[][ROW_COLUMNS]);

/* All data of a bank of Src become `value`. */
void src_bank_fill(uint32_t bank[SRC_ROWS][ROW_COLUMNS], uint32_t value);

/* Rows become columns: of 16 rows, to 16 others or to themselves. */
void src_transpose(const uint32_t rows[ROW_COLUMNS][ROW_COLUMNS], uint32_t columns[ROW_COLUMNS][ROW_COLUMNS]);

#endif
