/* Packing plain rows in one pass gives what the packer's stages give one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/pack_formats.h"
#include "tensix/num/pack_rows_variants.h"
#include "util/xorshift.h"

enum { ROWS = 4, ROUNDS = 20000, WIDE_EXPONENT = 0x7f800000 };

static uint64_t random_state = 0x2545f4914f6cdd1d;

static uint32_t random32(void)
{
    return xorshift64_word(&random_state);
}

/* Any bits; exponents near one another; zeroes, denormals, infinities and NaNs among them. */
static void fill(struct dst_register_file *dst, uint32_t row[ROWS])
{
    for (unsigned i = 0; i < 64; i++) {
        uint32_t centre = random32() % 256, kind = random32() % 4;
        dst->valid[i] = random32() % 8 != 0;
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            uint32_t exponent = (centre + random32() % 12) & 0xff, cell = random32() & 0x807f;
            exponent = random32() % 16 == 0 ? (random32() & 1 ? 255 : 0) : exponent;
            dst->rows[i][column] = (uint16_t)(kind ? cell | exponent << 7 : random32());
        }
    }
    for (unsigned i = 0; i < ROWS; i++) {
        row[i] = random32() % 32;
    }
}

/* Read, and converted early; returns the largest exponent. */
static uint32_t read_stages(const struct dst_register_file *dst, const uint32_t *row, bool read_32b,
                            enum pack_early early, pack_row rows[ROWS])
{
    pack_read_rows(dst, read_32b, row, rows, ROWS);
    pack_early_rows(early, 0, rows, ROWS);
    return pack_largest(WIDE_EXPONENT, (const pack_row *)rows, ROWS) >> 23;
}

static void bf16_rows_equal_the_stages(void **state)
{
    static struct dst_register_file dst;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t row[ROWS];
        pack_row rows[ROWS];
        fill(&dst, row);
        bool flush = round & 1;
        enum pack_early early = flush ? PACK_EARLY_BF16_FLUSHED : PACK_EARLY_BF16;
        uint32_t largest = read_stages(&dst, row, false, early, rows);
        pack_late_rows(PACK_LATE_WIDE_TO_BF16, rows, ROWS);

        _Alignas(16) uint8_t expected[sizeof rows], bytes[sizeof rows], exponents[ROWS];
        pack_lay_out(16, rows[0], ROWS * ROW_COLUMNS, expected);
        assert_int_equal(pack_rows_bf16_to_bf16(&dst, row, ROWS, flush, bytes), largest);
        assert_memory_equal(bytes, expected, ROWS * ROW_COLUMNS * 2);

        assert_int_equal(pack_rows_bf16_to_bfp8(&dst, row, ROWS, flush, bytes, exponents), largest);
        for (unsigned i = 0; i < ROWS; i++) {
            assert_int_equal(exponents[i], pack_bfp_group(rows[i], 8, expected));
            assert_memory_equal(bytes + (size_t)i * ROW_COLUMNS, expected, ROW_COLUMNS);
        }
    }
}

static void rows_of_32_bits_equal_the_stages(void **state)
{
    static struct dst_register_file dst;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t row[ROWS];
        pack_row rows[ROWS];
        fill(&dst, row);
        uint32_t largest = read_stages(&dst, row, true, PACK_EARLY_32B, rows);
        _Alignas(16) uint8_t bytes[sizeof rows];
        assert_int_equal(pack_rows_32b(&dst, row, ROWS, bytes), largest);
        assert_memory_equal(bytes, rows, sizeof rows);
    }
}

/* Four neighbouring rows, by each version. */
static void four_rows_equal_rows_wherever_they_are(void **state)
{
    static struct dst_register_file dst;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t row[ROWS];
        fill(&dst, row);
        bool flush = round & 1, avx512 = round & 2 && host_has_avx512();
        uint32_t first = random32() % 8 * PACK_FOUR_ROWS;
        for (unsigned i = 0; i < ROWS; i++) {
            row[i] = first + i;
        }
        _Alignas(16) uint8_t expected[sizeof(pack_row) * ROWS] = {0}, bytes[sizeof expected] = {0};
        uint8_t shared[ROWS], exponents[ROWS];
        uint32_t largest = pack_rows_bf16_to_bf16(&dst, row, ROWS, flush, expected);
        assert_int_equal((avx512 ? pack_four_rows_bf16_to_bf16_avx512
                                 : pack_four_rows_bf16_to_bf16_portable)(&dst, first, flush, bytes),
                         largest);
        assert_memory_equal(bytes, expected, sizeof bytes);

        largest = pack_rows_bf16_to_bfp8(&dst, row, ROWS, flush, expected, shared);
        assert_int_equal((avx512 ? pack_four_rows_bf16_to_bfp8_avx512
                                 : pack_four_rows_bf16_to_bfp8_portable)(&dst, first, flush, bytes, exponents),
                         largest);
        assert_memory_equal(bytes, expected, sizeof bytes);
        assert_memory_equal(exponents, shared, sizeof shared);

        largest = pack_rows_32b(&dst, row, ROWS, expected);
        assert_int_equal(
            (avx512 ? pack_four_rows_32b_avx512 : pack_four_rows_32b_portable)(&dst, dst_row32(first), bytes), largest);
        assert_memory_equal(bytes, expected, sizeof bytes);
    }
}

/* Of one row to four: what is not packed stays. */
static void rows_equal_those_of_any_host(void **state)
{
    static struct dst_register_file dst;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t row[ROWS];
        fill(&dst, row);
        uint8_t bytes[2][ROWS * 64] = {{0}, {0}};
        unsigned count = 1 + round % ROWS;
        bool flush = round / ROWS & 1;
        assert_int_equal(pack_rows_bf16_to_bf16(&dst, row, count, flush, bytes[0]),
                         pack_rows_bf16_to_bf16_portable(&dst, row, count, flush, bytes[1]));
        assert_memory_equal(bytes[0], bytes[1], sizeof bytes[0]);
        assert_int_equal(pack_rows_32b(&dst, row, count, bytes[0]), pack_rows_32b_portable(&dst, row, count, bytes[1]));
        assert_memory_equal(bytes[0], bytes[1], sizeof bytes[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bf16_rows_equal_the_stages),
        cmocka_unit_test(rows_equal_those_of_any_host),
        cmocka_unit_test(rows_of_32_bits_equal_the_stages),
        cmocka_unit_test(four_rows_equal_rows_wherever_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
