/* What the firmware of the ARC processor answers. Source: tt-zephyr-platforms bh_arc (the handlers of each message). */
#include "chip/arc_fixture.h"

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
    assert_int_equal(response[2], 2); /* forced */
    assert_int_equal(ask(0x33, 100, 0, NULL), 1);
    assert_int_equal(ask(0x33, 1401, 0, NULL), 1);
    assert_int_equal(telemetry(CLOCK), 1000);
    assert_int_equal(ask(0x33, 0, 0, NULL), 0);
    assert_int_equal(ask(0x23, 900, 0, NULL), 0); /* the most that the host wants */
    assert_int_equal(telemetry(CLOCK), 900);
    assert_int_equal(ask(0x23, 799, 0, NULL), 1);
    assert_int_equal(ask(0x23, 0, 1, NULL), 0);
    assert_int_equal(telemetry(CLOCK), 1350);
    assert_int_equal(ask(0x54, 0, 0, NULL), 0);
    assert_int_equal(ask(0xc6 | 1 << 8, 1100, 0, NULL), 0); /* the least */
    assert_int_equal(telemetry(CLOCK), 1100);
    assert_int_equal(ask(0xc6 | 1 << 8, 1, 0, NULL), 0);
    assert_int_equal(telemetry(CLOCK), 800);
    assert_int_equal(ask(0xc6, 1100, 0, NULL), 1);
    assert_int_equal(ask(0x31, 0, 1000, NULL), 1);
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
        TEST(voltages_and_limits_are_checked),
        TEST(sensors_show_what_telemetry_does),
        TEST(throttler_counters_stay_zero),
        TEST(dram_is_trained_where_it_is),
        TEST(the_flash_is_read_and_written_through_its_buffer),
        TEST(unknown_codes_and_resets_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
