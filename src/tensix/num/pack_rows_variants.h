/* The versions of pack_rows.h's functions between which pack_rows.c chooses. Internal to num/, and for tests. */
#ifndef BHEMU_TENSIX_NUM_PACK_ROWS_VARIANTS_H
#define BHEMU_TENSIX_NUM_PACK_ROWS_VARIANTS_H

#include "tensix/num/pack_rows.h"
#include "util/host_vectors.h"

uint32_t pack_four_rows_bf16_to_bf16_portable(const struct dst_register_file *dst, uint32_t place, bool flush,
                                              uint8_t *bytes);
uint32_t pack_four_rows_bf16_to_bfp8_portable(const struct dst_register_file *dst, uint32_t place, bool flush,
                                              uint8_t *bytes, uint8_t exponents[PACK_FOUR_ROWS]);
uint32_t pack_four_rows_32b_portable(const struct dst_register_file *dst, uint32_t place, uint8_t *bytes);

uint32_t pack_rows_bf16_to_bf16_portable(const struct dst_register_file *dst, const uint32_t *row, unsigned count,
                                         bool flush, uint8_t *bytes);
uint32_t pack_rows_32b_portable(const struct dst_register_file *dst, const uint32_t *row, unsigned count,
                                uint8_t *bytes);

/* For a host that host_has_avx512(); on others the same as the above. */
uint32_t pack_four_rows_bf16_to_bf16_avx512(const struct dst_register_file *dst, uint32_t place, bool flush,
                                            uint8_t *bytes);
uint32_t pack_four_rows_bf16_to_bfp8_avx512(const struct dst_register_file *dst, uint32_t place, bool flush,
                                            uint8_t *bytes, uint8_t exponents[PACK_FOUR_ROWS]);
uint32_t pack_four_rows_32b_avx512(const struct dst_register_file *dst, uint32_t place, uint8_t *bytes);
uint32_t pack_rows_bf16_to_bf16_avx512(const struct dst_register_file *dst, const uint32_t *row, unsigned count,
                                       bool flush, uint8_t *bytes);
uint32_t pack_rows_32b_avx512(const struct dst_register_file *dst, const uint32_t *row, unsigned count, uint8_t *bytes);

#endif
