/* The unpackers' conversions, which work on sixteen datums at once, against the documentation's functions for one
   datum: on all datums of eight and sixteen bits, with all shared exponents, and on many of 32 bits. Source: ISA
   documentation UNPACR_Regular.md, FormatConversion and the functions that it calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/formats_unpack.h"
#include "tensix/num/registers.h"
#include "util/host_vectors.h"
#include "util/xorshift.h"

/* Converts from Src's order of sign, mantissa, exponent (1, 10 and 8 bits) to that of tensix/num/registers.h. */
static uint32_t look_alike(uint32_t hardware19)
{
    return (hardware19 & 0x40000) << 13 | (hardware19 & 0xff) << 23 | (hardware19 & 0x3ff00) << 5;
}

static uint32_t src_tf32(uint32_t x)
{
    return look_alike((x & 0x40000) | (x & 0x3ff) << 8 | (x & 0x3fc00) >> 10);
}

static uint32_t src_bf16(uint32_t x)
{
    return src_tf32(x << 3);
}

static uint32_t src_fp16(uint32_t x)
{
    return src_tf32((x & 0x8000) << 3 | (x & 0x7fff));
}

static uint32_t block_magnitude(uint32_t datum, uint8_t *exponent)
{
    uint32_t magnitude = datum << 1 & 0xff;
    for (; !(magnitude & 0x80); magnitude = magnitude << 1 & 0xff) {
        --*exponent;
    }
    return magnitude & 0x7e;
}

static uint32_t bfp8_to_bf16(uint32_t datum, uint8_t exponent)
{
    uint32_t sign = datum >> 7;
    if (!(datum & 0x7f)) {
        return sign ? 0xff80 : 0;
    }
    uint32_t magnitude = block_magnitude(datum, &exponent);
    return sign << 15 | (uint32_t)exponent << 7 | magnitude;
}

/* *defined: the exponent fits into five bits. */
static uint32_t bfp8a_to_fp16(uint32_t datum, uint8_t exponent, bool *defined)
{
    uint32_t sign = datum >> 7;
    *defined = true;
    if (!(datum & 0x7f)) {
        return sign ? 0xfc00 : 0;
    }
    uint32_t magnitude = block_magnitude(datum, &exponent);
    *defined = !(exponent & 0xe0);
    return sign << 15 | (uint32_t)(exponent & 0x1f) << 10 | magnitude << 3;
}

static uint32_t int8_to_fp16(uint32_t datum, bool is_unsigned)
{
    uint32_t sign = is_unsigned ? 0 : datum & 0x80;
    datum -= sign;
    return (datum ? datum | 16 << 10 : 0) | sign << 8;
}

static uint32_t e4m3_to_fp16(uint32_t fp8)
{
    uint32_t exponent = fp8 >> 3 & 15, mantissa = fp8 & 7;
    uint32_t below = exponent == 15 && mantissa == 7 ? 0x7f : 0;
    return (fp8 & 0x80) << 8 | (exponent ? exponent + 8 : 0) << 10 | mantissa << 7 | below;
}

static uint32_t fp32_to_fp16(uint32_t fp32)
{
    int exponent = (int)(fp32 >> 23 & 0xff) - 127 + 15;
    uint32_t sign = fp32 >> 16 & 0x8000;
    return sign | (exponent < 0 ? 0 : exponent > 31 ? 0x7fff : (uint32_t)exponent << 10 | (fp32 >> 13 & 0x3ff));
}

static uint32_t reference(enum unpack_conversion conversion, uint32_t datum)
{
    switch (conversion) {
    case UNPACK_RAW32: return datum;
    case UNPACK_FP32_TO_TF32: return src_tf32(datum >> 13);
    case UNPACK_FP32_TO_BF16: return src_bf16((datum & 0x7f800000 ? datum : datum & 0x80000000) >> 16);
    case UNPACK_FP32_TO_FP16: return src_fp16(fp32_to_fp16(datum));
    case UNPACK_BF16: return src_bf16(datum);
    case UNPACK_FP16: return src_fp16(datum);
    case UNPACK_INT16: return look_alike((datum & 0xff00) << 3 | (datum & 0xff));
    case UNPACK_FP8_E5M2: return src_fp16(datum << 8 | ((datum & 0x7f) == 0x7f ? 0xff : 0));
    case UNPACK_FP8_E4M3: return src_fp16(e4m3_to_fp16(datum));
    case UNPACK_INT8: return src_fp16(int8_to_fp16(datum, false));
    case UNPACK_UINT8: return src_fp16(int8_to_fp16(datum, true));
    default: fail(); return 0;
    }
}

/* By the functions for each level of vectors that the host has. */
static void check(enum unpack_conversion conversion, unsigned bits, const void *datums, const uint32_t *expected,
                  unsigned count)
{
    const enum host_vectors host = host_vectors;
    for (unsigned level = HOST_VECTORS_BASIC; level <= host; level++) {
        uint32_t src[UNPACK_CONVERT_MAX + 1];
        src[count] = 0xdeadbeef;
        const struct unpack_source source = {.datums = datums, .datum_bits = bits};
        host_vectors = (enum host_vectors)level;
        assert_true(unpack_convert(conversion, &source, src, count));
        assert_memory_equal(src, expected, count * sizeof *src);
        assert_int_equal(src[count], 0xdeadbeef);
    }
}

static void all_datums_of_sixteen_bits(void **state)
{
    static const enum unpack_conversion conversions[] = {UNPACK_BF16, UNPACK_FP16, UNPACK_INT16};
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned base = 0; base < 0x10000; base += 1024) {
            uint16_t datums[1024];
            uint32_t expected[1024];
            for (unsigned i = 0; i < 1024; i++) {
                datums[i] = (uint16_t)(base + i);
                expected[i] = reference(conversions[c], base + i);
            }
            check(conversions[c], 16, datums, expected, 1024);
        }
    }
}

static void all_datums_of_eight_bits(void **state)
{
    static const enum unpack_conversion conversions[] = {UNPACK_FP8_E5M2, UNPACK_FP8_E4M3, UNPACK_INT8, UNPACK_UINT8};
    for (unsigned c = 0; c < 4; c++) {
        uint8_t datums[256];
        uint32_t expected[256];
        for (unsigned i = 0; i < 256; i++) {
            datums[i] = (uint8_t)i;
            expected[i] = reference(conversions[c], i);
        }
        check(conversions[c], 8, datums, expected, 256);
        check(conversions[c], 8, datums, expected, 37);
        check(conversions[c], 8, datums, expected, 1);
    }
}

/* Every sign and exponent, with mantissas next to where results change, and some random ones. */
static void fp32_datums_of_every_exponent(void **state)
{
    static const enum unpack_conversion conversions[] = {UNPACK_RAW32, UNPACK_FP32_TO_TF32, UNPACK_FP32_TO_BF16,
                                                         UNPACK_FP32_TO_FP16};
    static const uint32_t mantissas[] = {0,        1,        0x001fff, 0x002000, 0x00ffff,
                                         0x010000, 0x3fffff, 0x400000, 0x7fe000, 0x7fffff};
    uint32_t random = 1;
    for (unsigned high = 0; high < 512; high++) {
        uint32_t datums[1000];
        for (unsigned i = 0; i < 1000; i++) {
            random = random * 1664525 + 1013904223;
            datums[i] = high << 23 | (i < 10 ? mantissas[i] : random >> 9);
        }
        for (unsigned c = 0; c < 4; c++) {
            uint32_t expected[1000];
            for (unsigned i = 0; i < 1000; i++) {
                expected[i] = reference(conversions[c], datums[i]);
            }
            check(conversions[c], 32, datums, expected, 1000);
        }
    }
}

/* All datums of a block format with one shared exponent, in bytes as in L1. */
static void check_block(unsigned bits, uint8_t exponent, bool five_bits, bool forced)
{
    uint8_t datums[256] = {}, exponents[16];
    unsigned count = 1u << (bits == 8 ? 8 : 6);
    uint32_t src[256];
    memset(exponents, exponent, sizeof exponents);
    for (unsigned i = 0; i < count; i++) {
        datums[i * bits / 8] |= (uint8_t)((i & ((1u << bits) - 1)) << i * bits % 8);
    }
    struct unpack_source source = {
        .datums = datums, .datum_bits = bits, .exponents = exponents, .exponent_forced = forced};
    bool predictable = unpack_convert(five_bits ? UNPACK_BFPA : UNPACK_BFP, &source, src, count);
    bool all_defined = true;
    for (unsigned i = 0; i < count; i++) {
        uint32_t datum = (i & ((1u << bits) - 1)) << (8 - bits);
        bool defined = true;
        uint32_t expected =
            five_bits ? src_fp16(bfp8a_to_fp16(datum, exponent, &defined)) : src_bf16(bfp8_to_bf16(datum, exponent));
        assert_int_equal(src[i], expected);
        all_defined &= defined;
    }
    assert_int_equal(predictable, all_defined);
}

static void all_block_floats_with_all_exponents(void **state)
{
    const enum host_vectors host = host_vectors;
    for (unsigned i = 0; i < 256 * (host + 1); i++) {
        host_vectors = (enum host_vectors)(i / 256);
        for (unsigned bits = 2; bits <= 8; bits *= 2) {
            check_block(bits, (uint8_t)i, false, false);
            check_block(bits, (uint8_t)i, true, true);
        }
    }
}

/* Runs that begin and end anywhere in a group and in a byte, against single datums. */
static void parts_of_groups_are_converted_datum_by_datum(void **state)
{
    enum { ROUNDS = 3000, MOST = 200, GUARD = 16 };
    const enum host_vectors host = host_vectors;
    uint64_t random = 0x2b7e151628aed2a6;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t datums[MOST + 8], exponents[MOST / 16 + 2];
        uint32_t src[MOST + GUARD];
        for (unsigned i = 0; i < sizeof datums; i++) {
            datums[i] = (uint8_t)xorshift64_word(&random);
            exponents[i % sizeof exponents] = (uint8_t)xorshift64_word(&random);
        }
        unsigned bits = 8u >> xorshift64_word(&random) % 3, count = xorshift64_word(&random) % (MOST + 1);
        struct unpack_source source = {
            .datums = datums,
            .datum_bits = bits,
            .datum_phase = xorshift64_word(&random) % (8 / bits),
            .exponents = exponents,
            .exponent_phase = xorshift64_word(&random) % 16,
            .exponent_forced = xorshift64_word(&random) % 4 == 0,
        };
        memset(src, 0xa5, sizeof src);
        host_vectors = (enum host_vectors)(xorshift64_word(&random) % (host + 1));
        assert_true(unpack_convert(UNPACK_BFP, &source, src, count));
        host_vectors = host;
        for (unsigned i = 0; i < count; i++) {
            unsigned place = (source.datum_phase + i) * bits;
            uint32_t datum = ((uint32_t)datums[place / 8] >> place % 8 & ((1u << bits) - 1)) << (8 - bits);
            uint8_t exponent = exponents[source.exponent_forced ? 0 : (source.exponent_phase + i) / 16];
            assert_int_equal(src[i], src_bf16(bfp8_to_bf16(datum, exponent)));
        }
        for (unsigned i = 0; i < GUARD; i++) {
            assert_int_equal(src[count + i], 0xa5a5a5a5);
        }
    }
}

static void an_exponent_is_shared_by_sixteen_datums(void **state)
{
    uint8_t datums[64], exponents[5] = {100, 110, 120, 130, 140};
    memset(datums, 0x40, sizeof datums);
    struct unpack_source source = {.datums = datums, .datum_bits = 8, .exponents = exponents, .exponent_phase = 10};
    uint32_t src[64];
    assert_true(unpack_convert(UNPACK_BFP, &source, src, 64));
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(src[i], (uint32_t)exponents[(i + 10) / 16] << 23);
    }
}

static void datums_below_eight_bits_may_begin_within_a_byte(void **state)
{
    const uint8_t datums[4] = {0x10, 0x32, 0x54, 0x76}, exponent = 127;
    struct unpack_source source = {
        .datums = datums, .datum_bits = 4, .datum_phase = 1, .exponents = &exponent, .exponent_phase = 1};
    uint32_t src[7];
    assert_true(unpack_convert(UNPACK_BFP, &source, src, 7));
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(src[i], src_bf16(bfp8_to_bf16((i + 1) << 4, 127)));
    }
}

/* Rows at a distance, converted by one call, give the result of one call for each, for every vector width of the host;
   data behind them keep their values. */
static void rows_apart_are_converted_like_runs(void **state)
{
    enum { ROUNDS = 3000, MOST_ROWS = 32, WIDEST = 32, MOST_BYTES = 0x2000, GUARD = 16 };
    static uint8_t datums[MOST_BYTES];
    static uint32_t src[MOST_ROWS * WIDEST + GUARD], expected[MOST_ROWS * WIDEST + GUARD];
    const enum host_vectors host = host_vectors;
    uint64_t random = 0x853c49e6748fea9b;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < MOST_BYTES; i += 8) {
            uint64_t eight = xorshift64(&random);
            memcpy(datums + i, &eight, sizeof eight);
        }
        enum unpack_conversion conversion = (enum unpack_conversion)(xorshift64_word(&random) % (UNPACK_BFPA + 1));
        unsigned bits = conversion <= UNPACK_FP32_TO_FP16 ? 32 : conversion <= UNPACK_INT16 ? 16 : 8;
        unsigned width = xorshift64_word(&random) % 2 ? 512 / bits % 48 : 1 + xorshift64_word(&random) % WIDEST;
        unsigned rows = 1 + xorshift64_word(&random) % MOST_ROWS;
        size_t stride = xorshift64_word(&random) % (rows > 1 ? (MOST_BYTES - width * bits / 8) / (rows - 1) : 64);
        bool known = conversion != UNPACK_RAW32 && conversion < UNPACK_BFP;
        memset(src, 0xa5, sizeof src);
        memset(expected, 0xa5, sizeof expected);
        for (unsigned row = 0; known && row < rows; row++) {
            struct unpack_source source = {.datums = datums + row * stride, .datum_bits = bits};
            assert_true(unpack_convert(conversion, &source, expected + (size_t)row * width, width));
        }
        host_vectors = (enum host_vectors)(xorshift64_word(&random) % (host + 1));
        assert_int_equal(unpack_convert_rows(conversion, datums, stride, src, width, rows), known);
        assert_memory_equal(src, expected, sizeof src);
        host_vectors = host;
    }
}

/* Cells of Dst: 16 bits of Src, without the mantissa bits that BF16 lacks or the exponent bits that FP16 lacks. */
static void src_datums_become_cells_of_dst(void **state)
{
    for (unsigned base = 0; base < 0x10000; base += 16) {
        uint32_t src[16];
        uint16_t cells[16];
        for (unsigned i = 0; i < 16; i++) {
            src[i] = src_bf16(base + i);
        }
        unpack_src_to_dst16(UNPACK_BF16, src, cells, 16);
        for (unsigned i = 0; i < 16; i++) {
            assert_int_equal(cells[i], base + i);
            src[i] = src_fp16(base + i);
        }
        unpack_src_to_dst16(UNPACK_FP16, src, cells, 13);
        for (unsigned i = 0; i < 13; i++) {
            assert_int_equal(dst_to_fp16(cells[i]), base + i);
            src[i] = reference(UNPACK_INT16, base + i);
        }
        unpack_src_to_dst16(UNPACK_INT16, src, cells, 13);
        for (unsigned i = 0; i < 13; i++) {
            assert_int_equal(dst_to_hardware(cells[i]), base + i);
        }
    }
}

static void formats_of_block_floats_widen(void **state)
{
    bool defined;
    assert_int_equal(unpack_conversion(FORMAT_BFP4, FORMAT_BFP8, false, false, false, &defined), UNPACK_BFP);
    assert_true(defined);
    unpack_conversion(FORMAT_BF16, FORMAT_FP16, false, false, false, &defined);
    assert_false(defined);
    unpack_conversion(FORMAT_FP32, FORMAT_FP32, false, false, false, &defined);
    assert_false(defined);
    assert_int_equal(unpack_conversion(FORMAT_FP32, FORMAT_FP32, true, false, false, &defined), UNPACK_RAW32);
    assert_true(defined);
    unpack_conversion(FORMAT_INT32, FORMAT_INT32, false, false, false, &defined);
    assert_false(defined);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_datums_of_sixteen_bits),
        cmocka_unit_test(all_datums_of_eight_bits),
        cmocka_unit_test(fp32_datums_of_every_exponent),
        cmocka_unit_test(all_block_floats_with_all_exponents),
        cmocka_unit_test(parts_of_groups_are_converted_datum_by_datum),
        cmocka_unit_test(an_exponent_is_shared_by_sixteen_datums),
        cmocka_unit_test(datums_below_eight_bits_may_begin_within_a_byte),
        cmocka_unit_test(rows_apart_are_converted_like_runs),
        cmocka_unit_test(src_datums_become_cells_of_dst),
        cmocka_unit_test(formats_of_block_floats_widen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
