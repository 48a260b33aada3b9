/* Stochastic rounding in the packer, each conversion by itself: ISA documentation, Packers/FormatConversion.md. */
#include "tensix/num/pack_rounding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/rounding.h"
#include "util/xorshift.h"

enum { SAMPLES = 1 << 16, RANDOM_LIMIT = 1 << STOCHASTIC_BITS };

/* The conversions that drop bits, and how many of a datum of Dst, in the layout of a row. */
static const struct conversion {
    enum pack_early early;
    unsigned shift, dropped;
} conversions[] = {
    {PACK_EARLY_32B_TO_TF32, 0, 13}, {PACK_EARLY_32B_TO_BF16, 0, 16}, {PACK_EARLY_32B_TO_E8M6, 0, 17},
    {PACK_EARLY_32B_TO_INT8, 5, 5},  {PACK_EARLY_32B_TO_UINT8, 9, 9}, {PACK_EARLY_BF16_TO_E8M6, 0, 1},
    {PACK_EARLY_FP16_TO_E5M6, 0, 4},
};
enum { CONVERSIONS = sizeof conversions / sizeof *conversions };

/* The datum of Dst with a given number, for a conversion from 32 bits, from 16 bits, or from FP16. */
static uint32_t in_dst(enum pack_early early, uint32_t datum)
{
    return early == PACK_EARLY_FP16_TO_E5M6 ? dst_from_fp16((uint16_t)datum) : datum;
}

/* A number in the middle of the range of each, whose dropped bits are zero. */
static uint32_t some_number(const struct conversion *conversion, uint64_t *random)
{
    uint32_t word = xorshift64_word(random);
    switch (conversion->early) {
    case PACK_EARLY_32B_TO_INT8:
    case PACK_EARLY_32B_TO_UINT8: return (word % 120) << conversion->shift;
    case PACK_EARLY_BF16_TO_E8M6: return (0x3000 + word % 0x2000) & ~1u;
    case PACK_EARLY_FP16_TO_E5M6: return (0x2000 + word % 0x2000) & ~15u;
    default: return (0x30000000 + word % 0x20000000) >> conversion->dropped << conversion->dropped;
    }
}

static uint32_t convert(const struct conversion *conversion, uint32_t datum, uint32_t random)
{
    pack_row rows[1], numbers[1];
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        rows[0][i] = in_dst(conversion->early, datum);
        numbers[0][i] = random;
    }
    pack_early_at_random(conversion->early, conversion->shift, numbers, rows, 1);
    pack_early_rows(conversion->early, conversion->shift, rows, 1);
    return rows[0][7];
}

static uint32_t to_nearest(const struct conversion *conversion, uint32_t datum)
{
    pack_row rows[1] = {{in_dst(conversion->early, datum)}};
    pack_early_rows(conversion->early, conversion->shift, rows, 1);
    return rows[0][0];
}

/* Numbers whose dropped bits are zero change only with the random number 0. */
static void what_needs_no_rounding_stays(void **state)
{
    uint64_t random = 7;
    for (unsigned i = 0; i < CONVERSIONS; i++) {
        for (unsigned sample = 0; sample < 1000; sample++) {
            uint32_t datum = some_number(&conversions[i], &random);
            assert_int_equal(convert(&conversions[i], datum, 1 + xorshift64_word(&random) % (RANDOM_LIMIT - 1)),
                             to_nearest(&conversions[i], datum));
        }
    }
}

/* "A slight bias towards increasing the magnitude": at equality too. */
static void the_bits_that_go_are_compared_with_the_random_number(void **state)
{
    uint64_t random = 11;
    for (unsigned i = 0; i < CONVERSIONS; i++) {
        unsigned dropped = conversions[i].dropped;
        for (unsigned sample = 0; sample < 1000; sample++) {
            uint32_t below = some_number(&conversions[i], &random), above = below + (UINT32_C(1) << dropped);
            uint32_t lost = 1 + xorshift64_word(&random) % ((UINT32_C(1) << dropped) - 1);
            uint32_t limit = lost << (STOCHASTIC_BITS - dropped);
            assert_int_equal(convert(&conversions[i], below | lost, limit), to_nearest(&conversions[i], above));
            assert_int_equal(convert(&conversions[i], below | lost, limit + 1), to_nearest(&conversions[i], below));
        }
    }
}

static void halves_go_up_half_of_the_time_and_the_mean_converges(void **state)
{
    uint64_t random = 13;
    for (unsigned i = 0; i < CONVERSIONS; i++) {
        unsigned dropped = conversions[i].dropped;
        for (unsigned eighths = 1; eighths < 8; eighths++) {
            uint32_t lost = dropped < 3 ? UINT32_C(1) << (dropped - 1) : eighths << (dropped - 3);
            unsigned expected = dropped < 3 ? SAMPLES / 2 : SAMPLES / 8 * eighths, up = 0;
            uint32_t below = some_number(&conversions[i], &random);
            for (unsigned sample = 0; sample < SAMPLES; sample++) {
                uint32_t result = convert(&conversions[i], below | lost, xorshift64_word(&random) % RANDOM_LIMIT);
                up += result != to_nearest(&conversions[i], below);
            }
            assert_in_range(up, expected - SAMPLES / 100, expected + SAMPLES / 100); /* five times the deviation */
        }
    }
}

/* Infinity, NaN, denormals and the largest numbers give the same results as without random rounding. */
static void special_values_are_as_without_chance(void **state)
{
    static const struct {
        unsigned conversion;
        uint32_t datum, expected;
    } cases[] = {
        {1, 0x7f800000, 0x7f800000}, {1, 0xff812345, 0xff800000},
        {1, 0x80000000, 0},          {1, 0x00012345, 0},
        {1, 0x7f7fffff, 0x7f800000}, {3, 0x7fffffff, 0x7f},
        {3, 0xffffffff, 0xff},       {4, 0xffffffff, 0},
        {4, 0x7fffffff, 0xff},       {5, 0x0001, 0},
        {6, 0x7fff, 0x7ff0},         {6, 0x0001, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(convert(&conversions[cases[i].conversion], cases[i].datum, 0), cases[i].expected);
    }
}

/* Data of a group, as the late conversion gives them: BF16, all of one exponent except the first. */
static void fill_group(uint32_t group[16], uint32_t first, uint32_t others)
{
    for (unsigned i = 0; i < 16; i++) {
        group[i] = i ? others : first;
    }
}

static void fill_random(uint32_t random[16], uint64_t *state)
{
    for (unsigned i = 0; i < 16; i++) {
        random[i] = xorshift64_word(state) % RANDOM_LIMIT;
    }
}

static void block_floats_that_need_no_rounding_stay(void **state)
{
    uint64_t random = 17;
    for (unsigned sample = 0; sample < 10000; sample++) {
        uint32_t group[16], numbers[16];
        for (unsigned i = 0; i < 16; i++) {
            uint32_t word = xorshift64_word(&random);
            group[i] = (word & 0x8000) | 127 << 7 | (word & 0x7e);
            numbers[i] = 1 + xorshift64_word(&random) % (RANDOM_LIMIT - 1);
        }
        for (unsigned bits = 8; bits >= 2; bits /= 2) {
            uint8_t expected[16], bytes[16];
            assert_int_equal(pack_bfp_group_at_random(group, bits, numbers, bytes),
                             pack_bfp_group(group, bits, expected));
            assert_memory_equal(bytes, expected, 2 * (size_t)bits);
        }
    }
}

/* A datum of exponent e - d loses d + 1 of its eight bits, and is rounded up in proportion to them. */
static void the_mean_of_block_floats_converges(void **state)
{
    uint64_t random = 19;
    for (unsigned smaller = 0; smaller <= 7; smaller++) {
        uint32_t mantissa = 0x80 | (xorshift64_word(&random) & 0x7e) | 1;
        uint32_t group[16], numbers[16], sum = 0;
        fill_group(group, 127 << 7, (127 - smaller) << 7 | (mantissa & 0x7f));
        for (unsigned sample = 0; sample < SAMPLES / 16; sample++) {
            uint8_t bytes[16];
            fill_random(numbers, &random);
            assert_int_equal(pack_bfp_group_at_random(group, 8, numbers, bytes), 127);
            assert_int_equal(bytes[0], 0x40);
            for (unsigned i = 1; i < 16; i++) {
                sum += bytes[i];
            }
        }
        double mean = (double)sum / (SAMPLES / 16 * 15), exact = (double)mantissa / (2u << smaller);
        assert_true(mean > exact - 0.02 && mean < exact + 0.02);
    }
}

/* No carry exceeds the seven bits of magnitude, and zeroes stay zero. */
static void block_floats_stay_within_their_bits(void **state)
{
    uint32_t group[16], numbers[16] = {0};
    uint8_t bytes[16];
    fill_group(group, 127 << 7 | 0x7f, 0x8000 | 127 << 7 | 0x7e);
    assert_int_equal(pack_bfp_group_at_random(group, 8, numbers, bytes), 127);
    assert_int_equal(bytes[0], 0x7f);
    assert_int_equal(bytes[1], 0xff);
    fill_group(group, 127 << 7, 0);
    pack_bfp_group_at_random(group, 8, numbers, bytes);
    assert_int_equal(bytes[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_needs_no_rounding_stays),
        cmocka_unit_test(the_bits_that_go_are_compared_with_the_random_number),
        cmocka_unit_test(halves_go_up_half_of_the_time_and_the_mean_converges),
        cmocka_unit_test(special_values_are_as_without_chance),
        cmocka_unit_test(block_floats_that_need_no_rounding_stay),
        cmocka_unit_test(the_mean_of_block_floats_converges),
        cmocka_unit_test(block_floats_stay_within_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
