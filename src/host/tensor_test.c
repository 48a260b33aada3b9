/* Conversions between host arrays and device tensors, against the host compiler's own and a model of the tile layout.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu/tensor.h"
#include "tensix/num/formats_unpack.h"
#include "tensix/num/registers.h"

static uint64_t random64(void)
{
    return (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
}

/* Doubles of all sizes, with many near the ranges of the small formats. */
static double random_double(void)
{
    uint64_t bits = random64() << 1 ^ random64();
    if (rand() % 2) {
        bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (uint64_t)(1023 - 155 + rand() % 290) << 52;
    }
    if (rand() % 4 == 0) {
        bits &= ~UINT64_C(0) << 42; /* ties */
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void to_device(enum bh_host_type type, const void *value, enum bh_format format, void *bytes)
{
    struct bh_array array = {.type = type, .rows = 1, .columns = 1, .data = (void *)value};
    assert_int_equal(bh_tensor_to_device(&array, format, BH_ROWS, bytes), BH_OK);
}

/* The FP16 number next to `value`, ties to even: compilers have a type for it on few hosts. */
static double nearest16(double value)
{
    enum { SMALLEST = -24 }; /* exponent of the smallest denormal */
    int exponent;
    frexp(value, &exponent);
    double ulp = ldexp(1, exponent - 11 > SMALLEST ? exponent - 11 : SMALLEST);
    double rounded = nearbyint(value / ulp) * ulp;
    return fabs(rounded) >= 65536 ? copysign(INFINITY, value) : rounded;
}

static double of_fp16(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
    double magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                       : exponent == 0 ? ldexp(mantissa, -24)
                                       : ldexp(1024 + mantissa, exponent - 25);
    return copysign(magnitude, bits & 0x8000 ? -1 : 1);
}

static void floats_are_rounded_to_nearest_even(void **state)
{
    srand(1);
    for (int i = 0; i < 300000; i++) {
        double value = random_double();
        float expected32 = (float)value, actual32;
        to_device(BH_HOST_FLOAT64, &value, BH_FP32, &actual32);
        uint16_t bits16;
        to_device(BH_HOST_FLOAT64, &value, BH_FP16, &bits16);
        double expected16 = nearest16(value), actual16 = of_fp16(bits16);
        if (value != value) {
            assert_true(actual32 != actual32 && actual16 != actual16);
        } else {
            assert_memory_equal(&actual32, &expected32, sizeof actual32);
            assert_memory_equal(&actual16, &expected16, sizeof actual16);
        }
    }
}

static void bfloat16_is_rounded_to_nearest_even(void **state)
{
    static const struct {
        uint32_t fp32;
        uint16_t bf16;
    } cases[] = {
        {0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f808001, 0x3f81}, {0x3f818000, 0x3f82},
        {0x7f7fffff, 0x7f80}, {0x7f800000, 0x7f80}, {0xff800000, 0xff80}, {0x7f800001, 0x7fc0},
        {0x00000001, 0x0000}, {0x00008001, 0x0001}, {0x80000000, 0x8000}, {0x007fffff, 0x0080},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t actual;
        to_device(BH_HOST_FLOAT32, &cases[i].fp32, BH_BF16, &actual);
        assert_int_equal(actual, cases[i].bf16);
    }
}

static void every_bfloat16_survives_the_way_there_and_back(void **state)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        uint16_t bf16 = (uint16_t)bits, back;
        float value;
        struct bh_array array = {.type = BH_HOST_FLOAT32, .rows = 1, .columns = 1, .data = &value};
        assert_int_equal(bh_tensor_from_device(&bf16, BH_BF16, BH_ROWS, &array), BH_OK);
        to_device(BH_HOST_FLOAT32, &value, BH_BF16, &back);
        if ((bits & 0x7fff) > 0x7f80) {
            assert_int_equal(back, bits | 0x40); /* NaN comes back quiet */
        } else {
            assert_int_equal(back, bits);
        }
    }
}

static void integers_of_the_same_width_are_taken_as_bits(void **state)
{
    uint16_t bits = 0x1234, bf16;
    to_device(BH_HOST_UINT16, &bits, BH_BF16, &bf16);
    assert_int_equal(bf16, 0x1234);
}

static void tiles_are_four_faces(void **state)
{
    enum { ROWS = 64, COLUMNS = 96 };
    static uint16_t matrix[ROWS][COLUMNS], tiles[ROWS * COLUMNS], back[ROWS][COLUMNS];
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            matrix[row][column] = (uint16_t)(row << 8 | column);
        }
    }
    struct bh_array array = {.type = BH_HOST_UINT16, .rows = ROWS, .columns = COLUMNS, .data = matrix};
    assert_int_equal(bh_tensor_to_device(&array, BH_BF16, BH_TILES, tiles), BH_OK);
    size_t place = 0;
    for (unsigned tile_row = 0; tile_row < ROWS; tile_row += 32) {
        for (unsigned tile_column = 0; tile_column < COLUMNS; tile_column += 32) {
            for (unsigned face = 0; face < 4; face++) {
                for (unsigned row = 0; row < 16; row++) {
                    for (unsigned column = 0; column < 16; column++) {
                        unsigned r = tile_row + face / 2 * 16 + row, c = tile_column + face % 2 * 16 + column;
                        assert_int_equal(tiles[place++], matrix[r][c]);
                    }
                }
            }
        }
    }
    array.data = back;
    assert_int_equal(bh_tensor_from_device(tiles, BH_BF16, BH_TILES, &array), BH_OK);
    assert_memory_equal(matrix, back, sizeof matrix);
}

static void small_floats_survive_the_way_there_and_back(void **state)
{
    for (unsigned bits = 0; bits < 256; bits++) {
        unsigned exponent = bits >> 3 & 15, mantissa = bits & 7;
        double expected =
            copysign(exponent ? ldexp(8 + mantissa, (int)exponent - 10) : ldexp(mantissa, -9), bits & 0x80 ? -1 : 1);
        uint8_t byte = (uint8_t)bits, back;
        double value;
        struct bh_array array = {.type = BH_HOST_FLOAT64, .rows = 1, .columns = 1, .data = &value};
        assert_int_equal(bh_tensor_from_device(&byte, BH_E4M3, BH_ROWS, &array), BH_OK);
        assert_memory_equal(&value, &expected, sizeof value);
        to_device(BH_HOST_FLOAT64, &value, BH_E4M3, &back);
        assert_int_equal(back, bits);
        assert_int_equal(bh_tensor_from_device(&byte, BH_FP8, BH_ROWS, &array), BH_OK);
        uint16_t upper = (uint16_t)(bits << 8); /* of FP16 */
        if ((upper & 0x7fff) <= 0x7c00) {
            assert_true(value == ((upper & 0x7fff) == 0x7c00 ? copysign(INFINITY, of_fp16(upper)) : of_fp16(upper)));
            to_device(BH_HOST_FLOAT64, &value, BH_FP8, &back);
            assert_int_equal(back, bits);
        }
    }
}

static void small_floats_are_rounded_to_nearest_even(void **state)
{
    static const struct {
        float value;
        uint8_t e4m3, fp8;
    } cases[] = {
        {1.0625f, 0x38, 0x3c},  {1.1875f, 0x3a, 0x3d},   {1.125f, 0x39, 0x3c},   {1.375f, 0x3b, 0x3e},
        {-480, 0xff, 0xe0},     {495, 0x7f, 0x60},       {1000, 0x7f, 0x64},     {65000, 0x7f, 0x7c},
        {INFINITY, 0x7f, 0x7c}, {-INFINITY, 0xff, 0xfc}, {0x1p-10f, 0x00, 0x14}, {0x1.8p-9f, 0x02, 0x1a},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t byte;
        to_device(BH_HOST_FLOAT32, &cases[i].value, BH_E4M3, &byte);
        assert_int_equal(byte, cases[i].e4m3);
        to_device(BH_HOST_FLOAT32, &cases[i].value, BH_FP8, &byte);
        assert_int_equal(byte, cases[i].fp8);
    }
    uint8_t byte;
    to_device(BH_HOST_FLOAT32, &(float){NAN}, BH_E4M3, &byte);
    assert_int_equal(byte & 0x7f, 0x7f);
}

static void tf32_has_ten_bits_of_mantissa(void **state)
{
    static const uint32_t cases[][2] = {
        {0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f800000}, {0x3f801001, 0x3f802000}, {0x3f803000, 0x3f804000},
        {0x7f7fffff, 0x7f800000}, {0xff800000, 0xff800000}, {0x7f800001, 0x7fc00000}, {0x80000000, 0x80000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t actual;
        to_device(BH_HOST_FLOAT32, &cases[i][0], BH_TF32, &actual);
        assert_int_equal(actual, cases[i][1]);
    }
    assert_int_equal(bh_format_size(BH_TF32), 4);
}

enum { EDGE = 32, EXPONENTS = EDGE * EDGE / 16, MAX_TILE = EXPONENTS + EDGE * EDGE };

static const struct {
    enum bh_format format;
    unsigned bits;
    bool narrow;
} blocks[] = {
    {BH_BFP8, 8, false}, {BH_BFP4, 4, false}, {BH_BFP2, 2, false},
    {BH_BFP8A, 8, true}, {BH_BFP4A, 4, true}, {BH_BFP2A, 2, true},
};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static void tiles_of_block_formats_are_read_as_unpackers_do(void **state)
{
    srand(2);
    for (unsigned i = 0; i < BLOCKS; i++) {
        uint8_t tile[MAX_TILE];
        float got[EDGE][EDGE];
        for (unsigned byte = 0; byte < MAX_TILE; byte++) {
            /* within these no exponent wraps */
            tile[byte] = (uint8_t)(byte >= EXPONENTS ? rand() : blocks[i].narrow ? 7 + rand() % 24 : 8 + rand() % 246);
        }
        struct bh_array array = {.type = BH_HOST_FLOAT32, .rows = EDGE, .columns = EDGE, .data = got};
        assert_int_equal(bh_tensor_from_device(tile, blocks[i].format, BH_TILES, &array), BH_OK);
        struct unpack_source source = {.datums = tile + EXPONENTS, .datum_bits = blocks[i].bits, .exponents = tile};
        uint32_t src[EDGE * EDGE];
        unpack_convert(blocks[i].narrow ? UNPACK_BFPA : UNPACK_BFP, &source, src, EDGE * EDGE);
        for (unsigned place = 0; place < EDGE * EDGE; place++) {
            unsigned row = place / 512 * 16 + place / 16 % 16, column = place / 256 % 2 * 16 + place % 16;
            uint16_t fp16 = src_to_fp16(src[place]);
            float wide;
            memcpy(&wide, &src[place], sizeof wide);
            double narrow = (fp16 & 0x7c00) == 0x7c00
                                ? copysign(ldexp(1024 + (fp16 & 0x3ff), 6), fp16 & 0x8000 ? -1 : 1)
                                : of_fp16(fp16);
            assert_true(got[row][column] == (blocks[i].narrow ? (float)narrow : wide));
        }
    }
}

/* No datum is further from its value than half of the last place, unless it has the largest magnitude. */
static void block_formats_share_the_largest_exponent(void **state)
{
    srand(3);
    for (unsigned i = 0; i < BLOCKS; i++) {
        float matrix[EDGE][EDGE], back[EDGE][EDGE];
        uint8_t tile[MAX_TILE];
        for (unsigned row = 0; row < EDGE; row++) {
            for (unsigned column = 0; column < EDGE; column++) {
                double size = ldexp(1 + rand() % 0x10000 / 65536.0, rand() % 12 - 6);
                matrix[row][column] = (float)(row == 5 ? 0 : rand() % 2 ? size : -size);
            }
        }
        matrix[7][3] = 1.9999f * 64; /* would be rounded up to the next power of two */
        struct bh_array array = {.type = BH_HOST_FLOAT32, .rows = EDGE, .columns = EDGE, .data = matrix};
        assert_int_equal(bh_tensor_to_device(&array, blocks[i].format, BH_TILES, tile), BH_OK);
        array.data = back;
        assert_int_equal(bh_tensor_from_device(tile, blocks[i].format, BH_TILES, &array), BH_OK);
        double most = (1 << (blocks[i].bits - 1)) - 1;
        for (unsigned row = 0; row < EDGE; row++) {
            for (unsigned half = 0; half < 2; half++) {
                int exponent = tile[row / 16 * 32 + half * 16 + row % 16];
                double unit = ldexp(1, exponent - (blocks[i].narrow ? 15 : 127) - ((int)blocks[i].bits - 2)),
                       largest = 0;
                for (unsigned column = half * 16; column < half * 16 + 16; column++) {
                    double value = matrix[row][column];
                    assert_true(fabs(back[row][column] - value) <= unit / 2 ||
                                (fabs(back[row][column]) == most * unit && fabs(value) > most * unit));
                    largest = fmax(largest, fabs(value));
                }
                assert_int_equal(exponent, row == 5 ? 0 : ilogb(largest) + (blocks[i].narrow ? 15 : 127));
            }
        }
    }
}

static void what_blocks_can_not_hold_becomes_the_largest(void **state)
{
    static float matrix[EDGE][EDGE];
    uint8_t tile[MAX_TILE];
    matrix[0][0] = INFINITY, matrix[0][1] = -INFINITY, matrix[1][0] = NAN, matrix[2][0] = 1, matrix[2][1] = -0x1p-20f;
    matrix[3][0] = 1e9f, matrix[3][1] = 1, matrix[4][0] = 1.5f, matrix[4][1] = 2.5f, matrix[4][2] = 64;
    struct bh_array array = {.type = BH_HOST_FLOAT32, .rows = EDGE, .columns = EDGE, .data = matrix};
    assert_int_equal(bh_tensor_to_device(&array, BH_BFP8, BH_TILES, tile), BH_OK);
    const uint8_t *data = tile + EXPONENTS;
    assert_int_equal(tile[0], 255);
    assert_int_equal(data[0], 0x7f);
    assert_int_equal(data[1], 0xff);
    assert_int_equal(tile[1], 255);
    assert_int_equal(data[16], 0x7f);
    assert_int_equal(tile[2], 127);
    assert_int_equal(data[32], 0x40);
    assert_int_equal(data[33], 0); /* no sign without a magnitude */
    assert_int_equal(data[64], 2); /* both ties */
    assert_int_equal(data[65], 2);
    assert_int_equal(bh_tensor_to_device(&array, BH_BFP8A, BH_TILES, tile), BH_OK);
    assert_int_equal(tile[3], 31);
    assert_int_equal(data[48], 0x7f);
    assert_int_equal(bh_tensor_to_device(&array, BH_BFP4, BH_TILES, tile), BH_OK);
    matrix[2][1] = -1;
    assert_int_equal(bh_tensor_to_device(&array, BH_BFP4, BH_TILES, tile), BH_OK);
    assert_int_equal(tile[EXPONENTS + 16], 0xc4); /* the first in the low bits */
}

static void sizes_are_those_of_the_layout(void **state)
{
    assert_int_equal(bh_tensor_size(BH_BF16, BH_ROWS, 3, 5), 30);
    assert_int_equal(bh_tensor_size(BH_BF16, BH_TILES, 64, 32), 4096);
    assert_int_equal(bh_tensor_size(BH_BFP8, BH_TILES, 64, 32), 2 * 1088);
    assert_int_equal(bh_tensor_size(BH_BFP4A, BH_TILES, 32, 32), 576);
    assert_int_equal(bh_tensor_size(BH_BFP2, BH_TILES, 32, 32), 320);
    assert_int_equal(bh_tensor_size(BH_BFP8, BH_ROWS, 32, 32), 0);
    assert_int_equal(bh_tensor_size(BH_BF16, BH_TILES, 31, 32), 0);
    assert_int_equal(bh_tensor_size(BH_FP32, BH_ROWS, SIZE_MAX, 2), 0);
    assert_int_equal(bh_tensor_size(BH_FORMAT_COUNT, BH_ROWS, 1, 1), 0);
    assert_int_equal(bh_format_size(BH_BFP8), 0);
}

/* However many rows it says it has. */
static void arrays_without_columns_have_nothing(void **state)
{
    uint8_t data = 7, bytes = 9;
    struct bh_array array = {.type = BH_HOST_INT8, .rows = SIZE_MAX, .columns = 0, .data = &data};
    assert_int_equal(bh_tensor_to_device(&array, BH_INT8, BH_ROWS, &bytes), BH_OK);
    assert_int_equal(bh_tensor_from_device(&bytes, BH_INT8, BH_ROWS, &array), BH_OK);
    assert_int_equal(data, 7);
    assert_int_equal(bytes, 9);
}

static void what_does_not_go_together_is_refused(void **state)
{
    uint8_t data[4096];
    struct bh_array array = {.type = BH_HOST_FLOAT32, .rows = 16, .columns = 32, .data = data};
    assert_int_equal(bh_tensor_to_device(&array, BH_BF16, BH_TILES, data), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_tensor_to_device(&array, BH_INT8, BH_ROWS, data), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_tensor_to_device(NULL, BH_BF16, BH_ROWS, data), BH_ERROR_ARGUMENT);
    array.rows = 32;
    assert_int_equal(bh_tensor_to_device(&array, BH_BFP2, BH_ROWS, data), BH_ERROR_ARGUMENT);
    array.type = BH_HOST_UINT8;
    assert_int_equal(bh_tensor_to_device(&array, BH_BFP8, BH_TILES, data), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_format_by_name("bf17"), BH_FORMAT_COUNT);
    assert_int_equal(bh_format_by_name("bf16"), BH_BF16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_rounded_to_nearest_even),
        cmocka_unit_test(bfloat16_is_rounded_to_nearest_even),
        cmocka_unit_test(every_bfloat16_survives_the_way_there_and_back),
        cmocka_unit_test(integers_of_the_same_width_are_taken_as_bits),
        cmocka_unit_test(tiles_are_four_faces),
        cmocka_unit_test(small_floats_survive_the_way_there_and_back),
        cmocka_unit_test(small_floats_are_rounded_to_nearest_even),
        cmocka_unit_test(tf32_has_ten_bits_of_mantissa),
        cmocka_unit_test(tiles_of_block_formats_are_read_as_unpackers_do),
        cmocka_unit_test(block_formats_share_the_largest_exponent),
        cmocka_unit_test(what_blocks_can_not_hold_becomes_the_largest),
        cmocka_unit_test(sizes_are_those_of_the_layout),
        cmocka_unit_test(arrays_without_columns_have_nothing),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
