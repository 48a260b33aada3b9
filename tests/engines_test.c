/* Random programs of three threads give the same state of the tile, at every clock at which it is examined, with
   either engine: rows of instructions at once, or one by one. */
#include "random_threads.h"

enum { SEEDS = 12, SLICES = 12, LONGEST_SLICE = 4000 };

static void compare(struct bh_device *devices[2], unsigned seed, unsigned slice)
{
    assert_int_equal(bh_clock(devices[0]), bh_clock(devices[1]));
    for (unsigned tile = 0; tile < TILES; tile++) {
        const char *what = difference(devices[0]->tiles[tile].state, devices[1]->tiles[tile].state);
        if (what) {
            fail_msg("seed %u, slice %u, tile %u: %s differ", seed, slice, tile, what);
        }
    }
}

static void both_engines_leave_the_same(void **state)
{
    uint64_t executed = 0, traces = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        const struct bh_device_config fast = {.policy = BH_POLICY_SILICON},
                                      plain = {.policy = BH_POLICY_SILICON, .engine = BH_ENGINE_PLAIN};
        struct bh_device *devices[2];
        random_state = seed * 0x9e3779b97f4a7c15;
        assert_int_equal(bh_device_create(&fast, &devices[0]), BH_OK);
        assert_int_equal(bh_device_create(&plain, &devices[1]), BH_OK);
        start_programs(devices, 2);
        for (unsigned slice = 0; slice < SLICES; slice++) {
            uint64_t cycles = 1 + below(one_in(2) ? 100 : LONGEST_SLICE);
            for (unsigned i = 0; i < 2; i++) {
                struct bh_run_result result;
                (void)bh_run(devices[i], cycles, &result);
            }
            compare(devices, seed, slice);
        }
        executed += count_instructions(devices[0]);
        for (unsigned tile = 0; tile < TILES; tile++) {
            for (unsigned i = 0; i < TRACES; i++) {
                traces += devices[0]->tiles[tile].engine.cache.tags[i].loads;
            }
        }
        bh_device_destroy(devices[0]);
        bh_device_destroy(devices[1]);
    }
    assert_in_range(executed, 20000 * SEEDS, UINT64_MAX);
    assert_in_range(traces, 10 * SEEDS, UINT64_MAX);
    print_message("%llu Tensix instructions, %llu traces\n", (unsigned long long)executed, (unsigned long long)traces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_engines_leave_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
