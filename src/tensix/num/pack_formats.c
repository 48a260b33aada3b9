/* What of pack_formats.h does not depend on the host; rows are pack_stages.inc's. */
#include "tensix/num/pack_formats.h"

#include <string.h>

#include "tensix/num/pack_stages.h"

static uint32_t load(const uint8_t *bytes, unsigned size)
{
    uint32_t value = 0;
    memcpy(&value, bytes, size);
    return value;
}

unsigned pack_l1_datum_bytes(enum data_format format)
{
    return (format & 3) == 0 ? 4 : (format & 3) == 1 ? 2 : 1;
}

void pack_read_l1(const uint8_t *bytes, enum data_format format, unsigned count, uint32_t *datums)
{
    unsigned size = pack_l1_datum_bytes(format);
    for (unsigned i = 0; i < count; i++) {
        uint32_t datum = load(bytes + (size_t)i * size, size);
        switch (format) {
        case FORMAT_BF16: datums[i] = datum << 16; break;
        case FORMAT_BFP8: datums[i] = (datum & 0x80) << 24 | (datum & 0x7f) << 16; break;
        case FORMAT_BFP8A: datums[i] = (datum & 0x80) << 8 | (datum & 0x7f) << 3; break;
        case FORMAT_FP8: datums[i] = datum << 8; break;
        default: datums[i] = datum; break;
        }
    }
}

uint32_t pack_exponent_mask(const struct pack_conversion *conversion)
{
    bool as_fp32 = conversion->kind == PACK_WIDE || conversion->early == PACK_EARLY_32B;
    return as_fp32 ? 0x7f800000 : conversion->kind == PACK_NARROW ? 0x7c00 : 0xff;
}

void pack_read_rows(const struct dst_register_file *dst, bool read_32b, const uint32_t *row, pack_row *rows,
                    unsigned count)
{
    pack_stages()->read_rows(dst, read_32b, row, rows, count);
}

uint32_t pack_largest(uint32_t mask, const pack_row *rows, unsigned count)
{
    return pack_stages()->largest(mask, rows, count);
}

void pack_early_rows(enum pack_early early, unsigned shift, pack_row *rows, unsigned count)
{
    pack_stages()->early_rows(early, shift, rows, count);
}

void pack_late_rows(enum pack_late late, pack_row *rows, unsigned count)
{
    pack_stages()->late_rows(late, rows, count);
}

void pack_narrow_rows(pack_row *rows, unsigned count)
{
    pack_stages()->narrow_rows(rows, count);
}

void pack_relu_rows(enum pack_relu relu, enum pack_kind kind, uint32_t threshold, uint32_t sign, pack_row *rows,
                    unsigned count)
{
    pack_stages()->relu_rows(relu, kind, threshold, sign, rows, count);
}

void pack_exponent_threshold_rows(enum pack_kind kind, uint32_t threshold, pack_row *rows, unsigned count)
{
    pack_stages()->exponent_threshold_rows(kind, threshold, rows, count);
}

void pack_lay_out(unsigned bits, const uint32_t *datums, unsigned count, uint8_t *bytes)
{
    pack_stages()->lay_out(bits, datums, count, bytes);
}

uint8_t pack_bfp_group(const uint32_t datums[16], unsigned bits, uint8_t *bytes)
{
    return pack_stages()->bfp_group(datums, bits, bytes);
}

void pack_bfp_groups(const pack_row *rows, unsigned count, unsigned bits, uint8_t *bytes, uint8_t *exponents)
{
    pack_stages()->bfp_groups(rows, count, bits, bytes, exponents);
}

uint32_t pack_convert_rows(const struct dst_register_file *dst, const struct pack_conversion *conversion,
                           const uint32_t *row, unsigned count, const uint16_t *masks, uint32_t fill, pack_row *rows)
{
    return pack_stages()->convert_rows(dst, conversion, row, count, masks, fill, rows);
}
