/* 10,000 items among the cores and the threads of a tile: none lost, none early, none twice. The chapter "stallwait
   conditions" requires this of its handshakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "program.h"

enum { X = 3, Y = 4, ITEMS = 10000, ARGUMENTS = 0x16100, OUTPUT = 0x30000 };

static void every_item_arrives_once_and_in_order(void **state)
{
    struct bh_device *device;
    struct bh_run_result result;
    uint32_t arguments[7] = {0, 0, OUTPUT, ITEMS}, output[2] = {~0u, 0};
    struct bh_device_config config = {.mode = mode_from_environment()};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    assert_int_equal(bh_write(device, X, Y, ARGUMENTS, arguments, sizeof arguments), BH_OK);
    assert_int_equal(bh_write(device, X, Y, OUTPUT, output, sizeof output), BH_OK);
    start_program(device, X, Y, BH_CORE_T2, "relay.trisc2");
    start_program(device, X, Y, BH_CORE_T1, "relay.trisc1");
    start_program(device, X, Y, BH_CORE_T0, "relay.trisc0");
    start_program(device, X, Y, BH_CORE_B, "relay.brisc");
    assert_int_equal(bh_run(device, 100000000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(bh_read(device, X, Y, OUTPUT, output, sizeof output), BH_OK);
    assert_int_equal(output[1], ITEMS);
    assert_int_equal(output[0], 0);
    bh_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_item_arrives_once_and_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
