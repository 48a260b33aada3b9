/* The same random programs in timed mode: tiles that are observed pass each instruction on its own, others those of a
   replay buffer or a FIFO in a row. Cores note the same clocks, and once nothing happens any more tiles are in the same
   state; so they are in calls of few cycles and on two host threads. */
#include "random_threads.h"

#include "chip/ways.h"

enum { SEEDS = 10, CYCLES = 20000, MORE_CYCLES = 1000 };

static const struct way ways[] = {{true, 1, CYCLES}, {false, 1, CYCLES}, {false, 2, 777}, {false, 1, 13}};
enum { WAYS = sizeof ways / sizeof *ways };

/* Whether nothing of the coprocessor has happened on the tile for long, and nothing will. Where an error stops a tile
   some threads have gone ahead of it. */
static bool rests(struct bh_device *const devices[WAYS], const uint64_t before[WAYS][TILES], unsigned tile)
{
    bool rests = true;
    for (unsigned i = 0; i < WAYS; i++) {
        rests &= tile_tensix_instructions(&devices[i]->tiles[tile]) == before[i][tile] &&
                 !devices[i]->tiles[tile].state->diagnostics.stopped;
    }
    return rests;
}

static unsigned compare(struct bh_device *const devices[WAYS], const uint64_t before[WAYS][TILES], unsigned seed)
{
    unsigned compared = 0;
    for (unsigned tile = 0; tile < TILES; tile++) {
        const struct tile_state *observed = devices[0]->tiles[tile].state;
        for (unsigned i = 1; i < WAYS; i++) {
            const struct tile_state *other = devices[i]->tiles[tile].state;
            if (memcmp(observed->l1 + NOTES, other->l1 + NOTES, TENSIX_THREADS * NOTES_OF_ONE) != 0) {
                fail_msg("seed %u, way %u, tile %u: other clocks", seed, i, tile);
            }
            const char *what = rests(devices, before, tile) ? difference(observed, other) : NULL;
            if (what) {
                fail_msg("seed %u, way %u, tile %u: %s differ", seed, i, tile, what);
            }
        }
        compared += rests(devices, before, tile);
    }
    return compared;
}

static void who_passes_a_row_leaves_the_same(void **context)
{
    unsigned compared = 0;
    (void)context;
    most_rounds = 40;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct bh_device *devices[WAYS];
        uint64_t before[WAYS][TILES];
        for (unsigned i = 0; i < WAYS; i++) {
            devices[i] = way_begin_with(&ways[i], BH_POLICY_SILICON, BH_ON_ERROR_REPORT);
        }
        random_state = seed * 0x9e3779b97f4a7c15;
        start_programs(devices, WAYS);
        for (unsigned i = 0; i < WAYS; i++) {
            way_run(&ways[i], devices[i], CYCLES);
            for (unsigned tile = 0; tile < TILES; tile++) {
                before[i][tile] = tile_tensix_instructions(&devices[i]->tiles[tile]);
            }
            way_run(&ways[i], devices[i], MORE_CYCLES);
        }
        compared += compare(devices, before, seed);
        for (unsigned i = 0; i < WAYS; i++) {
            bh_device_destroy(devices[i]);
        }
    }
    print_message("%u tiles compared\n", compared);
    assert_true(compared > SEEDS * TILES / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_passes_a_row_leaves_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
