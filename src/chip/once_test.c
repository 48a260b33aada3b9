/* Warnings that a device gives but once, whichever of its tiles have reason to; and that none is lost. */
#include "chip/device_fixture.h"
#include "chip/device_state.h"
#include "chip/rv32_words.h"

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

/* Forty of them within a quantum, of which a tile once kept eight. */
static void each_warning_is_given_in_one_call_and_in_many(void **state)
{
    enum { WARNINGS = 40, PROGRAM = 0x1000, NOTHING_THERE = 0x50000000, CYCLES = 1000 };
    uint32_t words[WARNINGS + 2] = {lui(T0, NOTHING_THERE)};
    for (unsigned i = 1; i <= WARNINGS; i++) {
        words[i] = lw(T1, T0, 0);
    }
    words[WARNINGS + 1] = SELF_JUMP;
    for (unsigned way = 0; way < 4; way++) {
        struct fixture fixture = {};
        struct bh_device_config config = {.on_diagnostic = on_diagnostic,
                                          .context = &fixture,
                                          .mode = way / 2 ? BH_MODE_TIMED : BH_MODE_FUNCTIONAL,
                                          .policy = BH_POLICY_SILICON};
        assert_int_equal(bh_device_create(&config, &fixture.device), BH_OK);
        assert_int_equal(bh_write(fixture.device, 1, 2, PROGRAM, words, sizeof words), BH_OK);
        assert_int_equal(bh_core_start(fixture.device, 1, 2, BH_CORE_T0, PROGRAM), BH_OK);
        for (unsigned passed = 0; passed < CYCLES; passed += way % 2 ? 1 : CYCLES) {
            assert_int_equal(bh_run(fixture.device, way % 2 ? 1 : CYCLES, NULL), BH_OK);
        }
        assert_int_equal(fixture.diagnostics, WARNINGS);
        assert_int_equal(fixture.last.pc, PROGRAM + 4 * WARNINGS);
        bh_device_destroy(fixture.device);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_device_warns_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_tile_that_stops_says_why, set_up, tear_down),
        cmocka_unit_test(each_warning_is_given_in_one_call_and_in_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
