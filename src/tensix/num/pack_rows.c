/* The version for any host, and the choice of the host's version. */
#define PACK_ROWS pack_rows_basic
#include "tensix/num/pack_rows.inc"

#include "util/host_vectors.h"

static const struct pack_row_functions *host_rows(void)
{
#if defined(__x86_64__) && !defined(__clang__)
    return host_vectors == HOST_VECTORS_V4   ? &pack_rows_v4
           : host_vectors == HOST_VECTORS_V3 ? &pack_rows_v3
                                             : &pack_rows_basic;
#else
    return &pack_rows_basic;
#endif
}

uint32_t pack_rows_bf16_to_bf16(const struct dst_register_file *dst, const struct pack_rows *rows, bool flush,
                                uint8_t *bytes)
{
    return host_rows()->bf16(dst, rows, flush, bytes);
}

uint32_t pack_rows_bf16_to_bfp(const struct dst_register_file *dst, const struct pack_rows *rows, bool flush,
                               unsigned bits, uint8_t *bytes, uint8_t *exponents)
{
    return host_rows()->bfp(dst, rows, flush, bits, bytes, exponents);
}

uint32_t pack_rows_32b(const struct dst_register_file *dst, const struct pack_rows *rows, uint8_t *bytes)
{
    return host_rows()->of_32b(dst, rows, bytes);
}

void pack_read_rows(const struct dst_register_file *dst, bool read_32b, const uint32_t *row, pack_row *rows,
                    unsigned count)
{
    host_rows()->read_rows(dst, read_32b, row, rows, count);
}

void pack_bfp_groups(const pack_row *rows, unsigned count, unsigned bits, uint8_t *bytes, uint8_t *exponents)
{
    host_rows()->bfp_groups(rows, count, bits, bytes, exponents);
}

uint8_t pack_bfp_group(const uint32_t datums[16], unsigned bits, uint8_t *bytes)
{
    uint8_t exponent;
    pack_bfp_groups((const pack_row *)datums, 1, bits, bytes, &exponent);
    return exponent;
}
