/* Pooling by maximum, for GMPOOL and for the legacy instructions that do the same on zeroes. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_POOL_H
#define BHEMU_TENSIX_UNITS_MATRIX_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"

struct tensix;

/* Flags have the size of words: the host is slow when a struct is stored in smaller parts and then loaded as a
   whole. */
struct pool {
    uint32_t dst, addr_mode, clear_dvalid;
    uint32_t index;        /* max_pool_index_en: also return the maximum's row */
    uint32_t srca_is_zero; /* whatever SrcA holds */
    uint32_t by_columns;   /* process column by column even where all columns can be pooled at once */
};

/* Dst[row][j] = the largest of Dst[row][j] and the 16 data of column j of SrcA, each scaled by the power of two in its
   column of a row of SrcB. Waits for both banks. */
enum step matrix_pool(struct tensix *tensix, unsigned thread, struct pool pool);

#endif
