/* The versions of pack_rows.h's functions. Internal to num/. */
#ifndef BHEMU_TENSIX_NUM_PACK_ROWS_VARIANTS_H
#define BHEMU_TENSIX_NUM_PACK_ROWS_VARIANTS_H

#include "tensix/num/pack_formats.h"
#include "tensix/num/pack_rows.h"

struct pack_row_functions {
    uint32_t (*bf16)(const struct dst_register_file *dst, const struct pack_rows *rows, bool flush, uint8_t *bytes);
    uint32_t (*bfp)(const struct dst_register_file *dst, const struct pack_rows *rows, bool flush, unsigned bits,
                    uint8_t *bytes, uint8_t *exponents);
    uint32_t (*of_32b)(const struct dst_register_file *dst, const struct pack_rows *rows, uint8_t *bytes);
    void (*bfp_groups)(const pack_row *rows, unsigned count, unsigned bits, uint8_t *bytes, uint8_t *exponents);
    void (*read_rows)(const struct dst_register_file *dst, bool read_32b, const uint32_t *row, pack_row *rows,
                      unsigned count);
};

extern const struct pack_row_functions pack_rows_basic;
#if defined(__x86_64__) && !defined(__clang__)
extern const struct pack_row_functions pack_rows_v3, pack_rows_v4;
#endif

#endif
