/* The kernel "rank" through the public C API: the host sorts the same data, and ttsim ran the same program on them
   (digests below; recorded through its C ABI, libttsim_api.md). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "copy.h"
#include "program.h"
#include "util/xorshift.h"

enum { TILE_X = 1, TILE_Y = 2, PAIRS = 3, TILE = 1024, DATA = 2 * PAIRS * TILE, THREADS = 3 };
enum { INPUT = LAYOUT_TENSORS, OUTPUT = INPUT + DATA * 4 };

/* Pairs of tiles: data and an unused one as input, sorted data and their places as output. */
static uint32_t input[2 * PAIRS][TILE], output[2 * PAIRS][TILE];

static struct bh_device *start(void)
{
    static const enum bh_core cores[THREADS] = {BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};
    static const char *const programs[THREADS] = {"operation.trisc0", "rank.trisc1", "operation.trisc2"};
    struct bh_device_config config = {
        .on_diagnostic = print_diagnostic, .verify = verify_from_environment(), .mode = mode_from_environment()};
    struct operation_arguments arguments = copy_of_fp32(INPUT, OUTPUT, 2 * PAIRS);
    struct bh_device *device;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, INPUT, input, sizeof input), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, LAYOUT_ARGUMENTS, &arguments, sizeof arguments), BH_OK);
    clear_completion(device, TILE_X, TILE_Y);
    for (unsigned i = 0; i < THREADS; i++) {
        start_program(device, TILE_X, TILE_Y, cores[i], programs[i]);
    }
    return device;
}

static void run(void)
{
    struct bh_device *device = start();
    run_to_completion(device, TILE_X, TILE_Y);
    assert_int_equal(bh_read(device, TILE_X, TILE_Y, OUTPUT, output, sizeof output), BH_OK);
    bh_device_destroy(device);
}

/* By their total order, from the largest down. */
static int descending(const void *a, const void *b)
{
    int64_t key[2];
    const uint32_t *words[2] = {a, b};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t word = *words[i], magnitude = word & 0x7fffffff;
        key[i] = word >> 31 ? -1 - (int64_t)magnitude : magnitude;
    }
    return (key[0] < key[1]) - (key[0] > key[1]);
}

static void check_pair(unsigned pair)
{
    uint32_t want[TILE];
    bool seen[TILE] = {};
    memcpy(want, input[2 * pair], sizeof want);
    qsort(want, TILE, sizeof *want, descending);
    for (unsigned rank = 0; rank < TILE; rank++) {
        float place_as_float;
        memcpy(&place_as_float, &output[2 * pair + 1][rank], sizeof place_as_float);
        assert_true(place_as_float >= 0 && place_as_float < TILE && truncf(place_as_float) == place_as_float);
        unsigned place = (unsigned)place_as_float;
        assert_int_equal(output[2 * pair][rank], want[rank]);
        assert_int_equal(input[2 * pair][place], want[rank]);
        assert_false(seen[place]);
        seen[place] = true;
    }
}

static uint64_t digest(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; i < DATA; i++) {
        hash = (hash ^ output[i / TILE][i % TILE]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void check(uint64_t recorded)
{
    run();
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        check_pair(pair);
    }
    assert_int_equal(digest(), recorded);
}

/* Numbers with the ten bits of mantissa that SrcA has, of 2^-16 to 2^15. */
static uint32_t random_number(uint64_t *random)
{
    uint32_t word = xorshift64_word(random);
    return (word & 0x807fe000) | (127 - 16 + (word & 31)) << 23;
}

static void different_data_come_sorted_with_their_places(void **state)
{
    uint64_t random = 0x70b4;
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        for (unsigned i = 0; i < TILE; i++) {
            input[2 * pair][i] = random_number(&random);
        }
    }
    check(UINT64_C(0xa4c47428c5f4e325));
}

static void equal_data_keep_places_of_their_own(void **state)
{
    static const uint32_t few[8] = {0, 0xc0000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x40000000, 0};
    uint64_t random = 0xd0b1e;
    for (unsigned i = 0; i < TILE; i++) {
        input[0][i] = few[xorshift64_word(&random) % 8];
        input[2][i] = 0x3f800000;
        input[4][i] = i % 64 ? 0xc1200000 : random_number(&random);
    }
    check(UINT64_C(0xabf45ea349386325));
}

static void order_of_the_data_does_not_matter(void **state)
{
    for (unsigned i = 0; i < TILE; i++) {
        float number = (float)i;
        memcpy(&input[0][i], &number, sizeof number);
        input[2][TILE - 1 - i] = input[0][i];
        input[4][(i * 389) % TILE] = input[0][i] ^ (i & 1) << 31;
    }
    check(UINT64_C(0x62b6c42793d80325));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_data_come_sorted_with_their_places),
        cmocka_unit_test(equal_data_keep_places_of_their_own),
        cmocka_unit_test(order_of_the_data_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
