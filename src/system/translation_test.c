/* Chips of a system share translated code (rv32/translator.h), and do what they do without it. */
#include "rv32/translate.h"
#include "system/programs.h"
#include "system/state.h"
#include "util/sanitized.h"

enum { CHIPS = 2, TILE_X = 1, TILE_Y = 2, LOOP = 0x1000, AT_LOOP = LOOP + 16, RESULT = 0x9000, WORDS = 9 };

static struct bh_system *create(unsigned threads, bool translates)
{
    struct bh_topology *topology;
    struct bh_system *system;
    struct bh_system_config config = {.threads = threads};
    assert_int_equal(bh_topology_by_name("x2", &topology), BH_OK);
    assert_int_equal(bh_system_create(topology, &config, &system, NULL), BH_OK);
    bh_topology_destroy(topology);
    system->translator.off |= !translates;
    return system;
}

/* Starts a core that adds a step to a word again and again, and counts in another. */
static void start_loop(struct bh_system *system, unsigned chip, int32_t step, int32_t count)
{
    const uint32_t words[WORDS] = {lui(T0, RESULT + 0x800), addi(T0, T0, 0),    addi(T1, 0, 0),
                                   addi(T2, 0, 0),          addi(T1, T1, step), sw(T1, T0, 0),
                                   addi(T2, T2, count),     sw(T2, T0, 4),      bne(T0, 0, -16)};
    struct bh_device *device = bh_system_chip(system, chip);
    assert_int_equal(bh_core_stop(device, TILE_X, TILE_Y, BH_CORE_B), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, LOOP, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, TILE_X, TILE_Y, BH_CORE_B, LOOP), BH_OK);
}

static uint32_t entry_of(struct bh_system *system, unsigned chip)
{
    return translator_entry(&system->translator, &bh_system_chip(system, chip)->tiles[0].l1, AT_LOOP);
}

static void code_is_translated_once_for_all_chips(void **context)
{
    enum { ENOUGH = 40000 };
    (void)context;
    bool possible = translate_possible(); /* else no chip has an entry */
    for (unsigned threads = 1; threads <= CHIPS; threads++) {
        struct bh_system *system = create(threads, true);
        start_loop(system, 0, 3, 1);
        assert_int_equal(bh_system_run(system, ENOUGH, NULL), BH_OK);
        uint32_t entries = system->translator.entries, used = system->translator.used;
        assert_int_equal(entry_of(system, 0) != 0, possible);
        start_loop(system, 1, 3, 1);
        assert_int_equal(bh_system_run(system, ENOUGH, NULL), BH_OK);
        assert_int_equal(entry_of(system, 1), entry_of(system, 0));
        assert_int_equal(system->translator.entries, entries);
        assert_int_equal(system->translator.used, used);
        bh_system_destroy(system);
    }
}

/* More kernels, on all chips, than there is memory for; those that sanitizers leave no time for only take theirs. */
static void no_chip_runs_code_that_was_dropped(void **context)
{
    enum { ALL = 4500, KERNELS = FEWER_IF_SANITIZED(ALL), STEPS = 2048, CYCLES = 20000, FEW = 16, PAGE = 4096 };
    struct bh_system *systems[] = {create(1, true), create(2, true), create(1, false)};
    unsigned dropped = 0;
    (void)context;
    for (int32_t kernel = 0; kernel < KERNELS; kernel++) {
        uint32_t results[3][CHIPS][2];
        for (unsigned i = 0; i < 3; i++) {
            uint32_t used = systems[i]->translator.used;
            for (unsigned chip = 0; chip < CHIPS && (chip == 0 || kernel % FEW == 0); chip++) {
                start_loop(systems[i], chip, kernel % STEPS, 1 + kernel / STEPS);
            }
            assert_int_equal(bh_system_run(systems[i], CYCLES, NULL), BH_OK);
            dropped += systems[i]->translator.used < used;
            if (kernel == 0 && systems[i]->translator.used) {
                systems[i]->translator.used += (ALL - KERNELS) * PAGE; /* each takes a page */
            }
            for (unsigned chip = 0; chip < CHIPS; chip++) {
                assert_int_equal(bh_read(bh_system_chip(systems[i], chip), TILE_X, TILE_Y, RESULT, results[i][chip],
                                         sizeof results[i][chip]),
                                 BH_OK);
            }
        }
        assert_int_not_equal(results[0][0][1], 0);
        assert_memory_equal(results[0], results[2], sizeof results[0]);
        assert_memory_equal(results[1], results[2], sizeof results[1]);
    }
    if (translate_possible()) {
        assert_in_range(dropped, 2, 10); /* both that translate, once at least */
    }
    for (unsigned i = 0; i < 3; i++) {
        bh_system_destroy(systems[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_translated_once_for_all_chips),
        cmocka_unit_test(no_chip_runs_code_that_was_dropped),
    };
    return cmocka_run_group_tests_name("system.translation", tests, NULL, NULL);
}
