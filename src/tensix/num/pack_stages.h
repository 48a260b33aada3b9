/* The functions of pack_formats.h that work on rows, one set for each level of the host's vector instructions.
   Internal to num/pack_*. */
#ifndef BHEMU_TENSIX_NUM_PACK_STAGES_H
#define BHEMU_TENSIX_NUM_PACK_STAGES_H

#include "tensix/num/pack_formats.h"
#include "util/host_vectors.h"

/* pack_NAME() each. */
struct pack_stages {
    void (*read_rows)(const struct dst_register_file *dst, bool read_32b, const uint32_t *row, pack_row *rows,
                      unsigned count);
    uint32_t (*largest)(uint32_t mask, const pack_row *rows, unsigned count);
    void (*early_rows)(enum pack_early early, unsigned shift, pack_row *rows, unsigned count);
    void (*late_rows)(enum pack_late late, pack_row *rows, unsigned count);
    void (*narrow_rows)(pack_row *rows, unsigned count);
    void (*relu_rows)(enum pack_relu relu, enum pack_kind kind, uint32_t threshold, uint32_t sign, pack_row *rows,
                      unsigned count);
    void (*exponent_threshold_rows)(enum pack_kind kind, uint32_t threshold, pack_row *rows, unsigned count);
    void (*lay_out)(unsigned bits, const uint32_t *datums, unsigned count, uint8_t *bytes);
    uint8_t (*bfp_group)(const uint32_t datums[16], unsigned bits, uint8_t *bytes);
    void (*bfp_groups)(const pack_row *rows, unsigned count, unsigned bits, uint8_t *bytes, uint8_t *exponents);
    uint32_t (*convert_rows)(const struct dst_register_file *dst, const struct pack_conversion *conversion,
                             const uint32_t *row, unsigned count, const uint16_t *masks, uint32_t fill, pack_row *rows);
};

extern const struct pack_stages pack_stages_basic;
#if defined(__x86_64__) && !defined(__clang__)
extern const struct pack_stages pack_stages_v3, pack_stages_v4;
#endif

/* Those of the host. */
static inline const struct pack_stages *pack_stages(void)
{
#if defined(__x86_64__) && !defined(__clang__)
    return host_vectors == HOST_VECTORS_V4   ? &pack_stages_v4
           : host_vectors == HOST_VECTORS_V3 ? &pack_stages_v3
                                             : &pack_stages_basic;
#else
    return &pack_stages_basic;
#endif
}

#endif
