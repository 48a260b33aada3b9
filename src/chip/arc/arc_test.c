/* What the firmware of the ARC processor answers. Source: tt-zephyr-platforms bh_arc (the handlers of each message). */
#include "chip/arc/fixture.h"

static int set_up(void **context)
{
    struct bh_device_config config = {.board = BH_BOARD_P100A};
    (void)context;
    return bh_device_create(&config, &device) == BH_OK ? 0 : -1;
}

static void clocks_are_what_the_host_asks_for(void **context)
{
    uint32_t response[8];
    (void)context;
    assert_int_equal(ask(0x52, 0, 0, NULL), 0);
    assert_int_equal(telemetry(CLOCK), 1350);
    assert_int_equal(ask(0x33, 1000, 0, NULL), 0);
    assert_int_equal(send((uint32_t[4]){0x34}, response), 0);
    assert_int_equal(response[1], 1000);
    assert_int_equal(response[2], 2); /* forced clock */
    assert_int_equal(ask(0x33, 100, 0, NULL), 1);
    assert_int_equal(ask(0x33, 1401, 0, NULL), 1);
    assert_int_equal(telemetry(CLOCK), 1000);
    assert_int_equal(ask(0x33, 0, 0, NULL), 0);
    assert_int_equal(ask(0x23, 900, 0, NULL), 0); /* the host's upper limit */
    assert_int_equal(telemetry(CLOCK), 900);
    assert_int_equal(ask(0x23, 799, 0, NULL), 1);
    assert_int_equal(ask(0x23, 0, 1, NULL), 0);
    assert_int_equal(telemetry(CLOCK), 1350);
    assert_int_equal(ask(0x54, 0, 0, NULL), 0);
    assert_int_equal(ask(0xc6 | 1 << 8, 1100, 0, NULL), 0); /* the host's lower limit */
    assert_int_equal(telemetry(CLOCK), 1100);
    assert_int_equal(ask(0xc6 | 1 << 8, 1, 0, NULL), 0);
    assert_int_equal(telemetry(CLOCK), 800);
    assert_int_equal(ask(0xc6, 1100, 0, NULL), 1);
    assert_int_equal(ask(0x31, 0, 1000, NULL), 1);
}

/* enum aiclk_arb_min, enum aiclk_arb_max, enum targ_freq_reason */
static void telemetry_says_who_arbitrated_the_clock(void **context)
{
    enum { BUSY = 1 << 16, DOPPLER_SLOW = 8 << 16, HOST_FMAX = 10 << 16, BY_MAX = 1 << 16, FORCED = 4 << 16 };
    (void)context;
    assert_int_equal(telemetry(CLOCK_LEAST), 800 | BUSY);
    assert_int_equal(telemetry(CLOCK_MOST), 1350 | DOPPLER_SLOW);
    assert_int_equal(telemetry(67), 3);
    assert_int_equal(telemetry(68), 0x1d1);
    assert_int_equal(telemetry(CLOCK_REASON), 1); /* a lower limit, from the second arbiter */
    assert_int_equal(ask(0x52, 0, 0, NULL), 0);
    assert_int_equal(telemetry(CLOCK_LEAST), 1350 | BUSY);
    assert_int_equal(ask(0x23, 900, 0, NULL), 0);
    assert_int_equal(telemetry(CLOCK_MOST), 900 | HOST_FMAX);
    assert_int_equal(telemetry(CLOCK_REASON), BY_MAX | 10);
    assert_int_equal(ask(0x33, 1000, 0, NULL), 0);
    assert_int_equal(telemetry(CLOCK_REASON), FORCED);
}

/* struct telemetry_table: version, entry_count, tag_table[TAG_COUNT], telemetry[TAG_COUNT] */
static void assert_table(enum bh_board board, uint32_t count, uint32_t tags)
{
    struct bh_device_config config = {.board = board};
    bh_device_destroy(device);
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    uint32_t table = get(0x80030434), values = get(0x80030430), found = 0;
    assert_int_equal(get(table), 0x100);
    assert_int_equal(get(table + 4), count);
    assert_int_equal(values, table + 8 + 4 * count);
    assert_int_equal(telemetry(33), count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = get(table + 8 + 4 * i);
        assert_int_equal(entry & 0xffff, entry >> 16);
        assert_in_range(entry >> 16, 0, count - 1);
        found += entry != 0;
    }
    assert_int_equal(found, tags);
}

static void telemetry_is_laid_out_as_firmware_has_it(void **context)
{
    (void)context;
    assert_table(BH_BOARD_FULL, 65, 58); /* 18.12.0 */
    assert_int_equal(telemetry(28), 0x120c0000);
    assert_int_equal(telemetry(24), 0);
    assert_int_equal(telemetry(22), 0x5555); /* trained; there is no self-test yet */
    assert_table(BH_BOARD_P100A, 70, 64);
    assert_int_equal(telemetry(22), 0x55155515); /* trained and tested; no channel 3 */
    assert_int_equal(telemetry(43), 0x00002828);
    assert_int_equal(telemetry(24), 0);   /* no Ethernet */
    assert_table(BH_BOARD_P150A, 70, 64); /* 19.7.1 */
    assert_int_equal(telemetry(22), 0x55555555);
    assert_int_equal(telemetry(13), 0);
    assert_int_equal(telemetry(24), 0x00010900);
    assert_int_equal(telemetry(25), 0x0002000d);
    assert_int_equal(telemetry(26), 0x00170100); /* 0.23.1 */
    assert_int_equal(telemetry(28), 0x13070100);
    assert_int_equal(telemetry(29), 0x001d0100); /* 0.29.1 */
    uint32_t version;
    assert_int_equal(bh_read(device, 20, 25, 0x7cfbc, &version, 4), BH_OK);
    assert_int_equal(version, 0x00010900);
    assert_int_equal(bh_read(device, 20, 25, 0x70188, &version, 4), BH_OK);
    assert_int_equal(version, 0x00010900);
}

static void voltages_and_limits_are_checked(void **context)
{
    uint32_t value;
    (void)context;
    assert_int_equal(ask(0x13, 0x64, 0, &value), 0);
    assert_int_equal(value, 750);
    assert_int_equal(ask(0x13, 0x65, 0, &value), 0);
    assert_int_equal(value, 850);
    assert_int_equal(ask(0x13, 0x66, 0, &value), 1);
    assert_int_equal(ask(0x39, 800, 0, NULL), 0);
    assert_int_equal(ask(0x13, 0x64, 0, &value), 0);
    assert_int_equal(value, 800);
    assert_int_equal(ask(0x39, 901, 0, NULL), 1);
    assert_int_equal(ask(0xa3, 0, 0, NULL), 0);
    assert_int_equal(ask(0x13, 0x64, 0, &value), 0);
    assert_int_equal(value, 750);
    uint32_t limit = telemetry(TDP_LIMIT);
    assert_int_equal(ask(0x22, 100, 0, NULL), 0);
    assert_int_equal(telemetry(TDP_LIMIT), 100);
    assert_int_equal(ask(0x22, 49, 0, NULL), 1);
    assert_int_equal(ask(0x22, 1000, 0, NULL), 1);
    assert_int_equal(ask(0x22, 0, 1, NULL), 0);
    assert_int_equal(telemetry(TDP_LIMIT), limit);
    assert_int_equal(ask(0xa6, 1000, 0, &value), 0);
    assert_int_equal(value, 728); /* 0.00031395 x 10^6 - 0.43953 x 10^3 + 828.83 + 25 mV */
    assert_int_equal(ask(0x30, 728, 0, &value), 0);
    assert_in_range(value, 980, 999);
}

static void sensors_show_what_telemetry_does(void **context)
{
    uint32_t response[8];
    (void)context;
    assert_int_equal(send((uint32_t[4]){0x1b}, response), 0);
    assert_int_equal(response[2], telemetry(TEMPERATURE));
    assert_int_equal(response[1], 1376); /* 83.09 + 262.5 x (1376 / 4096 - 0.5) = 40 degrees */
    assert_int_equal(send((uint32_t[4]){0x1d}, response), 0);
    assert_int_equal(response[2], 750);
    assert_int_equal(response[1], 11151);
    assert_int_equal(send((uint32_t[4]){0x1e}, response), 1); /* nobody on the bus */
    assert_int_equal(send((uint32_t[4]){0xc0}, response), 0);
    assert_int_equal(response[1], 1);
    assert_int_equal(send((uint32_t[4]){0xc4, 0x1234}, response), 0);
    assert_int_equal(response[1], 0x1234);
    assert_int_equal(send((uint32_t[4]){0xc1, 250}, response), 134);
    assert_int_equal(send((uint32_t[4]){0xc1, 251}, response), 0);
}

static void throttler_counters_stay_zero(void **context)
{
    uint32_t response[8];
    (void)context;
    assert_int_equal(ask(0x35, 2, 1 << 3, NULL), 0); /* freezes counter 3 */
    assert_int_equal(send((uint32_t[4]){0x35, 3 << 16}, response), 0);
    assert_int_equal(response[1], 1 << 16);
    assert_int_equal(response[2], 0);
    assert_int_equal(ask(0x35, 11 << 16, 0, NULL), 1);
    assert_int_equal(ask(0x35, 3, 0, NULL), 1);
    assert_int_equal(ask(0x35, 1 << 8, 0, NULL), 1);
}

/* A p100a has no channel 3. */
static void dram_is_trained_where_it_is(void **context)
{
    uint32_t value;
    (void)context;
    assert_int_equal(ask(0xb6, 2, 0, &value), 0);
    assert_int_equal(ask(0xb6, 3, 0, &value), 1);
    assert_int_equal(value, 2);
    assert_int_equal(ask(0xb6, 8, 0, &value), 1);
    assert_int_equal(value, 1);
}

static void the_flash_is_read_and_written_through_its_buffer(void **context)
{
    uint32_t response[8], info = get(0x80030428), buffer = 0x10000000 + (info & 0xffffff), size = 1u << (info >> 24);
    (void)context;
    assert_int_equal(size, 4096);
    assert_int_equal(send((uint32_t[4]){0x19, 0, 16, buffer}, response), 0);
    assert_int_equal(get(buffer), 0xffffffff); /* erased */
    put(buffer + 4, 0x12345678);
    assert_int_equal(send((uint32_t[4]){0x1a, 0x3fffffc, 4, buffer + 4}, response), 2); /* locked */
    assert_int_equal(send((uint32_t[4]){0xc2}, response), 0);
    assert_int_equal(send((uint32_t[4]){0x1a, 0x3fffffc, 4, buffer + 4}, response), 0);
    assert_int_equal(send((uint32_t[4]){0xc3}, response), 0);
    assert_int_equal(send((uint32_t[4]){0x1a, 0, 4, buffer}, response), 2);
    assert_int_equal(send((uint32_t[4]){0x19, 0x3fffffc, 4, buffer + 4092}, response), 0);
    assert_int_equal(get(buffer + 4092), 0x12345678);
    assert_int_equal(send((uint32_t[4]){0x19, 0, 8, buffer + 4092}, response), 2);
    assert_int_equal(send((uint32_t[4]){0x19, 0, 4, buffer - 4}, response), 2);
    assert_int_equal(send((uint32_t[4]){0x19, 0x3fffffc, 8, buffer}, response), 0xea);
    assert_int_equal(send((uint32_t[4]){0x19 | 1 << 8, 0, 8, buffer}, response), 1);
}

static void unknown_codes_and_resets_are_told_apart(void **context)
{
    uint32_t response[8];
    (void)context;
    assert_int_equal(send((uint32_t[4]){0x11}, response), 0xff);
    assert_int_equal(send((uint32_t[4]){0x56, 5}, response), 5); /* no such level */
    assert_int_equal(send((uint32_t[4]){0xbe, 100}, response), 0);
    assert_int_equal(send((uint32_t[4]){0x90, 7}, response), 0);
    assert_int_equal(response[1], 8);
    assert_int_equal(response[2], 101);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(clocks_are_what_the_host_asks_for),
        TEST(telemetry_says_who_arbitrated_the_clock),
        TEST(telemetry_is_laid_out_as_firmware_has_it),
        TEST(voltages_and_limits_are_checked),
        TEST(sensors_show_what_telemetry_does),
        TEST(throttler_counters_stay_zero),
        TEST(dram_is_trained_where_it_is),
        TEST(the_flash_is_read_and_written_through_its_buffer),
        TEST(unknown_codes_and_resets_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
