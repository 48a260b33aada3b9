/* Random programs on tiles that send requests of all kinds to each other, to DRAM and to themselves, in functional
   mode: they end the same, bit for bit, with the same clocks and diagnostics, on any number of host threads, in any
   number of calls, whoever looks or observes, in both engines, and from a snapshot on. */
#include <stdlib.h>
#include <string.h>

#include "bhemu/observer.h"
#include "bhemu/snapshot.h"
#include "chip/device_state.h"
#include "chip/series.h"
#include "chip/series_programs.h"
#include "util/hash.h"
#include "util/sanitized.h"

enum { ALL_SEEDS = 24, SEEDS = FEWER_IF_SANITIZED(ALL_SEEDS) };

/* How it is run. */
struct way {
    const char *name;
    unsigned threads, longest_call; /* of bh_advance(); 0: any */
    bool looks, plain, interprets, observes, restores;
};

struct state {
    const struct scenario *scenario;
    const struct way *way;
    struct bh_device *device;
    uint64_t digest, told, told_in_order; /* of diagnostics: a look has some come before others */
    uint32_t random;
};

static uint32_t way_below(struct state *state, uint32_t limit)
{
    state->random = state->random * 1664525 + 1013904223;
    return (state->random >> 8) % limit;
}

static struct {
    uint64_t in_series, stopped, diagnostics;
} seen;

static bool prints;

static void tell(void *context, const struct bh_diagnostic *diagnostic)
{
    struct state *state = context;
    if (prints) {
        print_message("  %llu (%u,%u) pc %x cat %d: %.160s\n", (unsigned long long)diagnostic->cycle,
                      diagnostic->tile_x, diagnostic->tile_y, diagnostic->pc, (int)diagnostic->category,
                      diagnostic->text);
    }
    uint64_t hash = hash_of(diagnostic->cycle, diagnostic->text, strlen(diagnostic->text));
    hash = hash_of(hash, &diagnostic->tile_x, 2);
    hash = hash_of(hash, &diagnostic->pc, sizeof diagnostic->pc);
    state->told += hash;
    state->told_in_order = hash_of(state->told_in_order, &hash, sizeof hash);
    seen.diagnostics++;
}

static void hear(void *context, const struct bh_event *event)
{
    (void)context;
    (void)event;
}

static const struct bh_observer observer = {.kinds = BH_EVENT_ALL, .on_event = hear};

static void create(struct state *state)
{
    struct bh_device_config config = {.threads = state->way->threads,
                                      .on_error = state->scenario->on_error,
                                      .engine = state->way->plain ? BH_ENGINE_PLAIN : BH_ENGINE_FAST,
                                      .on_diagnostic = tell,
                                      .context = state};
    assert_int_equal(bh_device_create(&config, &state->device), BH_OK);
    state->device->translator->off |= state->way->interprets;
    if (state->way->observes) {
        assert_int_equal(bh_device_add_observer(state->device, &observer), BH_OK);
    }
}

static void look(struct state *state)
{
    static const uint32_t places[] = {SOFT_RESET,       0xFFB20200, 0xFFB20204,     0xFFB30044,
                                      STREAMS + 36 * 4, SHARED,     SHARED + 0x100, 0xFFB14010};
    uint32_t word;
    if (way_below(state, 5) == 0) {
        (void)bh_read(state->device, DRAM_X + way_below(state, 2), DRAM_Y + way_below(state, 12), SHARED, &word, 4);
    } else {
        unsigned tile = way_below(state, way_below(state, 3) ? state->scenario->tiles : TENSIX_TILES);
        (void)bh_read(state->device, at(tile) & 63, at(tile) >> 6, places[way_below(state, 8)], &word, 4);
    }
}

static void move_on(struct state *state)
{
    struct bh_snapshot *snapshot;
    assert_int_equal(bh_snapshot_take(state->device, &snapshot), BH_OK);
    bh_device_destroy(state->device);
    create(state);
    assert_int_equal(bh_snapshot_restore(state->device, snapshot, NULL), BH_OK);
    bh_snapshot_free(snapshot);
}

static void pass(struct state *state, uint64_t cycles)
{
    while (cycles) {
        uint64_t now = cycles;
        struct bh_run_result result;
        if (state->scenario->runs) {
            (void)bh_run(state->device, now, &result);
            state->digest = hash_of(state->digest, &result, sizeof result);
        } else {
            now = state->way->longest_call ? 1 + way_below(state, state->way->longest_call) : cycles;
            now = now < cycles ? now : cycles;
            (void)bh_advance(state->device, now);
        }
        cycles -= now;
        if (state->way->looks) {
            look(state);
        }
        if (state->way->restores && way_below(state, 4) == 0) {
            move_on(state);
        }
    }
}

static void add(uint64_t *digest, const void *data, size_t size)
{
    *digest = hash_of(*digest, data, size);
}

static void add_tile(struct state *state, unsigned tile)
{
    const struct tile_state *tile_state = &state->device->states[tile];
    uint64_t *digest = &state->digest;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        const struct rv32_core *rv32 = &tile_state->core[core];
        add(digest, rv32->x, RV32_SINK * sizeof rv32->x[0]);
        add(digest, &rv32->pc, sizeof rv32->pc);
        add(digest, &rv32->halt, sizeof rv32->halt);
        add(digest, &rv32->instret, sizeof rv32->instret);
    }
    add(digest, tile_state->l1, HEADERS + 0x4000);
    for (unsigned niu = 0; niu < NIUS; niu++) {
        add(digest, tile_state->registers.niu[niu].counter, sizeof tile_state->registers.niu[niu].counter);
        add(digest, tile_state->registers.niu[niu].initiator, sizeof tile_state->registers.niu[niu].initiator);
    }
    add(digest, &tile_state->registers.outbox.started, 4);
    add(digest, &tile_state->tensix.scalar.gpr, sizeof tile_state->tensix.scalar.gpr);
}

static uint64_t run(const struct scenario *scenario, const struct way *way, uint64_t *order)
{
    struct state state = {
        .scenario = scenario, .way = way, .digest = 0xcbf29ce484222325, .random = (uint32_t)scenario->seed};
    uint64_t clock = 0;
    uint8_t bytes[SHARED_BYTES];
    create(&state);
    random_state = ~scenario->seed;
    start(state.device, scenario);
    for (unsigned i = 0; i < scenario->acts; i++) {
        pass(&state, scenario->act[i].clock - clock);
        clock = scenario->act[i].clock;
        act(state.device, scenario, i);
    }
    pass(&state, scenario->end - clock);
    seen.in_series += series_any(state.device);
    bh_pass(state.device, 1);
    device_show_all_resting(state.device);
    seen.stopped += state.device->stopped;
    clock = bh_clock(state.device);
    add(&state.digest, &clock, sizeof clock);
    add(&state.digest, &state.told, sizeof state.told);
    *order = state.told_in_order;
    for (unsigned tile = 0; tile < scenario->tiles; tile++) {
        add_tile(&state, tile);
    }
    for (unsigned i = 0; i < 24; i++) {
        (void)bh_read(state.device, DRAM_X + i / 12, DRAM_Y + i % 12, SHARED, bytes, sizeof bytes);
        add(&state.digest, bytes, sizeof bytes);
    }
    bh_device_destroy(state.device);
    return state.digest;
}

static uint64_t first = 1, seeds = SEEDS;

static void programs_end_the_same(void **context)
{
    (void)context;
    static const struct way alone = {.name = "alone", .threads = 1};
    static const struct way ways[] = {
        {.name = "in pieces", .threads = 1, .longest_call = 700},
        {.name = "looked at", .threads = 1, .longest_call = 90, .looks = true},
        {.name = "on two threads", .threads = 2},
        {.name = "on three threads, looked at", .threads = 3, .longest_call = 2000, .looks = true},
        {.name = "by the plain engine", .threads = 1, .plain = true},
        {.name = "interpreted", .threads = 1, .interprets = true, .longest_call = 300, .looks = true},
        {.name = "observed", .threads = 2, .observes = true},
        {.name = "from snapshots on", .threads = 1, .restores = true, .longest_call = 3000},
        {.name = "from snapshots on, on two threads, looked at",
         .threads = 2,
         .restores = true,
         .looks = true,
         .longest_call = 1500},
    };
    unsigned wrong = 0;
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        struct scenario scenario = plan(seed);
        uint64_t order, expected_order, expected = run(&scenario, &alone, &expected_order);
        for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            if (run(&scenario, &ways[i], &order) != expected || (!ways[i].looks && order != expected_order)) {
                print_message(
                    "seed %u (%u tiles, %u cores, errors %d streams %d resets %d patches %d runs %d): otherwise %s\n",
                    (unsigned)seed, scenario.tiles, scenario.cores, scenario.errors, scenario.streams, scenario.resets,
                    scenario.patches, scenario.runs, ways[i].name);
                wrong++;
            }
        }
    }
    assert_true(seen.in_series > 0);
    if (seeds >= ALL_SEEDS) { /* a part of them may have no errors */
        assert_true(seen.stopped > 0 && seen.diagnostics > 0);
    }
    assert_int_equal(wrong, 0);
}

/* How many programs, the number of the first, and anything to have diagnostics printed. */
int main(int argc, char **argv)
{
    seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : seeds;
    first = argc > 2 ? strtoull(argv[2], NULL, 10) : first;
    prints = argc > 3;
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_end_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
