/* All stages of the packer in one call give the result of single stages in sequence, for every vector width of the
   host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/pack_formats.h"
#include "util/host_vectors.h"
#include "util/xorshift.h"

enum { ROWS = 4, ROUNDS = 60000, SETTLED = 64, DST_ROWS_USED = 64 };

static uint64_t random_state = 0x1d872b41a9f3c605;

static uint32_t random32(void)
{
    return xorshift64_word(&random_state);
}

static bool one_in(uint32_t n)
{
    return random32() % n == 0;
}

/* Random bits; exponents near each other, so that thresholds divide them; zeroes, denormals, infinities and NaNs. */
static void fill(struct dst_register_file *dst)
{
    dst->only_row32 = one_in(4);
    for (unsigned i = 0; i < DST_ROWS_USED; i++) {
        uint32_t centre = random32() % 256, kind = random32() % 4;
        dst->valid[i] = !one_in(8);
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            uint32_t exponent = one_in(16) ? (random32() & 1 ? 255 : 0) : centre + random32() % 12;
            uint32_t cell = kind ? (random32() & 0x807f) | (exponent & 0xff) << 7 : random32();
            dst->rows[i][column] = (uint16_t)cell;
        }
    }
}

static enum pack_kind kind_of(enum pack_early early)
{
    switch (early) {
    case PACK_EARLY_32B: return one_in(2) ? PACK_WIDE : PACK_INTEGER;
    case PACK_EARLY_32B_TO_TF32:
    case PACK_EARLY_32B_TO_BF16:
    case PACK_EARLY_32B_TO_BF16_TRUNCATED:
    case PACK_EARLY_32B_TO_E8M6:
    case PACK_EARLY_BF16:
    case PACK_EARLY_BF16_FLUSHED:
    case PACK_EARLY_BF16_TO_E8M6: return PACK_WIDE;
    case PACK_EARLY_BF16_TO_FP16:
    case PACK_EARLY_FP16:
    case PACK_EARLY_FP16_FLUSHED:
    case PACK_EARLY_FP16_TO_E5M7:
    case PACK_EARLY_FP16_TO_E5M6:
    case PACK_EARLY_FP16_TO_FP8: return PACK_NARROW;
    default: return PACK_INTEGER;
    }
}

static enum pack_late late_of(enum pack_kind kind)
{
    switch (kind) {
    case PACK_WIDE: return (enum pack_late)(random32() % (PACK_LATE_WIDE_TO_E5M7 + 1));
    case PACK_NARROW:
        return one_in(8) ? PACK_LATE_IDENTITY
                         : (enum pack_late)(PACK_LATE_NARROW_TO_FP32 +
                                            random32() % (PACK_LATE_E5M7 + 1 - PACK_LATE_NARROW_TO_FP32));
    default: return PACK_LATE_IDENTITY;
    }
}

static struct pack_conversion choose_conversion(void)
{
    enum pack_early early = (enum pack_early)(random32() % PACK_EARLY_CONVERSIONS);
    enum pack_kind kind = kind_of(early);
    bool narrow = kind == PACK_WIDE && one_in(4);
    struct pack_conversion conversion = {
        .read_32b = early < PACK_EARLY_BF16,
        .early = early,
        .kind = kind,
        .shift = one_in(2) ? random32() % 32 : 0,
        .relu = one_in(2) ? PACK_RELU_NONE : (enum pack_relu)(random32() % 4),
        .relu_threshold = kind == PACK_WIDE ? random32() & 0x7fff0000 : random32() & 0x7fff,
        .relu_sign = one_in(4) ? 0 : UINT32_C(1) << (const unsigned[]){31, 15, 7}[random32() % 3],
        .narrow = narrow,
        .exponent_threshold_enabled = one_in(4),
        .exponent_threshold = random32() & (kind == PACK_WIDE && !narrow ? 0xff : 0x1f),
        .late = late_of(narrow ? PACK_NARROW : kind),
    };
    return conversion;
}

/* The masked columns become `fill`. */
static void mask_rows(const uint16_t *masks, uint32_t fill, pack_row *rows)
{
    for (unsigned i = 0; i < ROWS * ROW_COLUMNS; i++) {
        uint32_t *datum = &rows[i / ROW_COLUMNS][i % ROW_COLUMNS];
        *datum = masks[i / ROW_COLUMNS] >> (i % ROW_COLUMNS) & 1 ? *datum : fill;
    }
}

static uint32_t convert_in_stages(const struct dst_register_file *dst, const struct pack_conversion *conversion,
                                  const uint32_t *row, const uint16_t *masks, uint32_t fill, pack_row *rows)
{
    pack_read_rows(dst, conversion->read_32b, row, rows, ROWS);
    pack_early_rows(conversion->early, conversion->shift, rows, ROWS);
    if (masks) {
        mask_rows(masks, fill, rows);
    }
    pack_relu_rows(conversion->relu, conversion->kind, conversion->relu_threshold, conversion->relu_sign, rows, ROWS);
    uint32_t largest = pack_largest(pack_exponent_mask(conversion), (const pack_row *)rows, ROWS);
    if (conversion->narrow) {
        pack_narrow_rows(rows, ROWS);
    }
    if (conversion->exponent_threshold_enabled) {
        pack_exponent_threshold_rows(conversion->narrow ? PACK_NARROW : conversion->kind,
                                     conversion->exponent_threshold, rows, ROWS);
    }
    pack_late_rows(conversion->late, rows, ROWS);
    return largest;
}

static void converted_rows_equal_the_stages(void **state)
{
    static struct dst_register_file dst;
    const enum host_vectors host = host_vectors;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round % SETTLED == 0) {
            fill(&dst);
        }
        const struct pack_conversion conversion = choose_conversion();
        uint32_t row[ROWS], replacement = random32();
        uint16_t masks[ROWS];
        for (unsigned i = 0; i < ROWS; i++) {
            row[i] = random32() % (conversion.read_32b || dst.only_row32 ? DST_ROWS_USED / 2 : DST_ROWS_USED);
            masks[i] = (uint16_t)(one_in(4) ? 0xffff : random32());
        }
        const uint16_t *chosen = one_in(2) ? masks : NULL;
        unsigned count = 1 + random32() % ROWS;
        _Alignas(64) pack_row expected[ROWS], rows[ROWS];
        /* Unused rows repeat the first one, so that they do not affect the largest exponent. */
        for (unsigned i = count; i < ROWS; i++) {
            row[i] = row[0];
            masks[i] = masks[0];
        }
        host_vectors = HOST_VECTORS_BASIC;
        uint32_t largest = convert_in_stages(&dst, &conversion, row, chosen, replacement, expected);
        host_vectors = (enum host_vectors)(random32() % (host + 1));
        memset(rows, 0x5a, sizeof rows);
        assert_int_equal(pack_convert_rows(&dst, &conversion, row, count, chosen, replacement, rows), largest);
        assert_memory_equal(rows, expected, count * sizeof *rows);
        for (unsigned i = count; i < ROWS; i++) {
            assert_int_equal(rows[i][0], 0x5a5a5a5a);
        }
        host_vectors = host;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(converted_rows_equal_the_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
