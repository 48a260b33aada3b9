/* Warnings that a device gives but once, whichever of its tiles have reason to. */
#include "chip/device_fixture.h"
#include "chip/device_state.h"

static void warn(struct bh_device *device, unsigned tile, enum bh_policy_preset policy, const char *what)
{
    device_prepare_tensix(device, tile);
    diagnostics_set_policy(&device->tiles[tile].state->diagnostics, policy);
    (void)diagnose_once(&device->tiles[tile].state->diagnostics, BH_NON_CONTRACTUAL, "%s", what);
    device_deliver(device, &device->tiles[tile].state->diagnostics);
}

static void a_device_warns_once(void **state)
{
    struct fixture *fixture = *state;
    warn(fixture->device, 3, BH_POLICY_DEFAULT, "one");
    warn(fixture->device, 4, BH_POLICY_DEFAULT, "one");
    warn(fixture->device, 4, BH_POLICY_DEFAULT, "one");
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.action, BH_WARN);
    warn(fixture->device, 5, BH_POLICY_DEFAULT, "another");
    assert_int_equal(fixture->diagnostics, 2);
}

/* What stops a tile is told of each of them. */
static void each_tile_that_stops_says_why(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned tile = 0; tile < 3; tile++) {
        warn(fixture->device, tile, BH_POLICY_STRICT, "one");
        assert_int_equal(fixture->diagnostics, tile + 1);
        assert_int_equal(fixture->last.action, BH_STOP);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_device_warns_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_tile_that_stops_says_why, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
