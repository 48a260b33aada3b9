/* Tiles that a board leaves out: nothing that a host asks of them is more than an error. Of a p150a these are the last
   two columns of Tensix tiles, and two Ethernet tiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "bhemu/device.h"
#include "bhemu/dump.h"
#include "bhemu/gdb.h"

enum { LEFT_OUT_X = 15, LAST_X = 16, FIRST_Y = 2, LAST_Y = 11, COORDINATES = 40 };
enum { FIRST_ETHERNET = 20, ETHERNET_TILES = 12, ETHERNET_Y = 25 };

static int set_up(void **context)
{
    struct bh_device_config config = {.board = BH_BOARD_P150A, .on_error = BH_ON_ERROR_REPORT};
    struct bh_device *device;
    if (bh_device_create(&config, &device) != BH_OK) {
        return -1;
    }
    *context = device;
    return 0;
}

static int tear_down(void **context)
{
    bh_device_destroy(*context);
    return 0;
}

/* Registers of all kinds, among them those whose reads take something away. */
static const uint64_t addresses[] = {0,          0x100,      0xFFB121B0, 0xFFB121F0,    0xFFB20000,
                                     0xFFB40000, 0xFFB90000, 0xFFE80000, 0xFFE80008,    0xFFE90000,
                                     0xFFEA0000, 0xFFEC0000, 0xFFEF0000, UINT32_MAX - 3};

static void accesses_of_the_host_come_back(void **context)
{
    struct bh_device *device = *context;
    for (unsigned x = 0; x < COORDINATES; x++) {
        for (unsigned y = 0; y < COORDINATES; y++) {
            for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
                uint32_t word = 0;
                (void)bh_read(device, x, y, addresses[i], &word, sizeof word);
                (void)bh_write(device, x, y, addresses[i], &word, sizeof word);
            }
        }
    }
    bh_advance(device, 1000);
}

static void they_are_no_tiles_to_reset(void **context)
{
    struct bh_device *device = *context;
    for (unsigned x = LEFT_OUT_X; x <= LAST_X; x++) {
        for (unsigned y = FIRST_Y; y <= LAST_Y; y++) {
            assert_int_equal(bh_tile_reset(device, x, y), BH_ERROR_ARGUMENT);
            assert_false(bh_tile_stopped(device, x, y));
        }
    }
    assert_int_equal(bh_tile_reset(device, LEFT_OUT_X - 1, FIRST_Y), BH_OK);
    for (unsigned x = FIRST_ETHERNET; x < FIRST_ETHERNET + ETHERNET_TILES; x++) {
        assert_int_equal(bh_tile_reset(device, x, ETHERNET_Y), BH_OK);
    }
    assert_int_equal(bh_tile_reset(device, FIRST_ETHERNET + ETHERNET_TILES, ETHERNET_Y), BH_ERROR_ARGUMENT);
}

static void drop(void *context, const void *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
}

static void they_have_no_dump(void **context)
{
    const struct bh_tile tile = {LEFT_OUT_X, 7};
    struct bh_dump dump = {.request = "cores", .tiles = &tile, .tile_count = 1};
    struct bh_error error = {0};
    assert_int_equal(bh_dump(*context, &dump, drop, NULL, &error), BH_ERROR_ARGUMENT);
    assert_string_equal(error.text, "there is no Tensix tile at 15-7");
}

static void no_debugger_attaches_to_them(void **context)
{
    const struct bh_tile tile = {LEFT_OUT_X, 7};
    struct bh_gdb_options options = {.tiles = &tile, .tile_count = 1};
    struct bh_error error = {0};
    struct bh_gdb *gdb;
    assert_int_equal(bh_gdb_open(&options, &gdb, &error), BH_OK);
    assert_int_equal(bh_gdb_attach(gdb, *context, &error), BH_ERROR_ARGUMENT);
    assert_string_equal(error.text, "gdb: there is no tile with RISC-V cores at: 15-7");
    bh_gdb_close(gdb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(accesses_of_the_host_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(they_are_no_tiles_to_reset, set_up, tear_down),
        cmocka_unit_test_setup_teardown(they_have_no_dump, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_debugger_attaches_to_them, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
