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
        cmocka_unit_test(arrays_without_columns_have_nothing),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
