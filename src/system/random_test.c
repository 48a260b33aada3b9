/* Random programs on random topologies: the same bits and clocks on any number of threads and in any number of
   processes, however time passes and whichever process has a chip. */
#include "system/random_systems.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bhemu/snapshot.h"
#include "chip/ethernet/link_constants.h"
#include "system/shared.h"
#include "util/sanitized.h"

/* Runs what one process has of a random system; part: null: all. Fills in left[] for the ends of its chips. */
static void run_random_part(uint64_t seed, enum bh_mode mode, struct way way, const struct system_part *part,
                            struct left left[2 * RANDOM_LINKS])
{
    struct random_topology random;
    random_topology(&seed, &random);
    struct bh_system_config config = {.device = {.mode = mode}, .threads = way.threads};
    struct bh_system *system;
    struct bh_error error = {""};
    assert_int_equal(system_create(&random.topology, &config, part, &system, &error), BH_OK);
    run_random_system(seed, &random.topology, system, way, left);
    bh_system_destroy(system);
}

/* A digest of all that the programs have left. Adds how many packets have arrived. */
static uint64_t run_random(uint64_t seed, enum bh_mode mode, struct way way, unsigned *received)
{
    struct left left[2 * RANDOM_LINKS] = {{0}};
    run_random_part(seed, mode, way, NULL, left);
    return digest_of(left, received);
}

/* The same in several processes, to each of which chips belong at random. */
static uint64_t run_random_processes(uint64_t seed, enum bh_mode mode, struct way way, unsigned ranks)
{
    enum { ROOM = 2 * RANDOM_LINKS * sizeof(struct left) };
    struct left *left = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct shared *shared = shared_create(ranks);
    uint16_t owner[RANDOM_CHIPS];
    uint64_t random = seed * 77 + ranks;
    unsigned received = 0;
    assert_non_null(shared);
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        owner[i] = (uint16_t)(random_number(&random) % ranks); /* some may have none */
    }
    for (unsigned rank = 0; rank < ranks; rank++) {
        if (fork() == 0) {
            struct shared_end *end = shared_join(shared, &(struct shared_options){.rank = rank});
            const struct system_part part = {rank, ranks, owner, shared_exchange(end)};
            run_random_part(seed, mode, way, &part, left);
            shared_leave(end);
            _exit(0);
        }
    }
    for (unsigned rank = 0; rank < ranks; rank++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    uint64_t digest = digest_of(left, &received);
    assert_true(received > 0);
    shared_destroy(shared);
    munmap(left, ROOM);
    return digest;
}

static void threads_and_steps_make_no_difference(void **context)
{
    static const struct way ways[] = {{2, 0}, {3, 0}, {8, 0}};
    static const struct way looks[] = {{1, 64}, {2, 7}, {3, 1001}, {8, RANDOM_CYCLES}};
    unsigned received = 0;
    for (uint64_t seed = 1; seed <= FEWER_IF_SANITIZED(12); seed++) {
        for (unsigned mode = 0; mode < BH_MODES; mode++) {
            uint64_t run = run_random(seed, (enum bh_mode)mode, (struct way){1, 0}, &received);
            uint64_t looked = run_random(seed, (enum bh_mode)mode, (struct way){1, 400}, &received);
            for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
                assert_int_equal(run_random(seed, (enum bh_mode)mode, ways[i], &received), run);
            }
            for (unsigned i = 0; i < sizeof looks / sizeof *looks; i++) {
                assert_int_equal(run_random(seed, (enum bh_mode)mode, looks[i], &received), looked);
            }
        }
    }
    assert_in_range(received, FEWER_IF_SANITIZED(1000), 1000 * 1000);
}

static void partitions_make_no_difference(void **context)
{
    for (uint64_t seed = 21; seed <= 20 + FEWER_IF_SANITIZED(4); seed++) {
        for (unsigned mode = 0; mode < BH_MODES; mode++) {
            unsigned received = 0;
            uint64_t run = run_random(seed, (enum bh_mode)mode, (struct way){1, 0}, &received);
            uint64_t looked = run_random(seed, (enum bh_mode)mode, (struct way){1, 700}, &received);
            for (unsigned ranks = 1; ranks <= 4; ranks++) {
                assert_int_equal(run_random_processes(seed, (enum bh_mode)mode, (struct way){1, 0}, ranks), run);
                assert_int_equal(run_random_processes(seed, (enum bh_mode)mode, (struct way){2, 700}, ranks), looked);
            }
        }
    }
}

enum { EPOCH = LINK_LATENCY };

/* Snapshots of all chips, at the end of an epoch. */
struct saved {
    struct system_position position;
    struct bh_snapshot *chips[RANDOM_CHIPS];
};

static struct saved save(struct bh_system *system)
{
    struct saved saved = {.position = system_position(system)};
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        assert_int_equal(bh_snapshot_take(bh_system_chip(system, i), &saved.chips[i]), BH_OK);
    }
    return saved;
}

static void restore(struct bh_system *system, const struct saved *saved)
{
    struct bh_error error;
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        assert_int_equal(bh_snapshot_restore(bh_system_chip(system, i), saved->chips[i], &error), BH_OK);
    }
    system_set_position(system, &saved->position);
}

/* Runs on to the end: what is left then. */
static uint64_t run_on(const struct bh_topology *topology, struct bh_system *system, unsigned *received)
{
    struct left left[2 * RANDOM_LINKS] = {{0}};
    while (bh_system_clock(system) < RANDOM_CYCLES) {
        uint64_t rest = RANDOM_CYCLES - bh_system_clock(system);
        (void)bh_system_advance(system, rest < EPOCH ? rest : EPOCH);
    }
    see_what_is_left(topology, system, left);
    return digest_of(left, received);
}

static struct bh_system *begin_random(uint64_t seed, enum bh_mode mode, unsigned threads,
                                      struct random_topology *random)
{
    const struct bh_system_config config = {.device = {.mode = mode}, .threads = threads};
    struct bh_system *system;
    random_topology(&seed, random);
    assert_int_equal(bh_system_create(&random->topology, &config, &system, NULL), BH_OK);
    start_random_programs(seed, &random->topology, system);
    return system;
}

/* The same system, and another one that was elsewhere, on other threads, come to the same end. */
static void check_snapshot(uint64_t seed, enum bh_mode mode)
{
    unsigned received = 0;
    uint64_t random_place = seed * 12345, epochs = 1 + random_number(&random_place) % (RANDOM_CYCLES / EPOCH / 4);
    uint64_t end = run_random(seed, mode, (struct way){1, EPOCH}, &received);
    struct random_topology random;
    struct bh_system *one = begin_random(seed, mode, 1 + seed % 3, &random);
    struct bh_system *other = begin_random(seed, mode, 1 + (seed + 1) % 3, &random);
    for (uint64_t i = 0; i < epochs; i++) {
        (void)bh_system_advance(one, EPOCH);
    }
    (void)bh_system_advance(other, EPOCH * (random_number(&random_place) % 20));
    struct saved saved = save(one);
    assert_int_equal(run_on(&random.topology, one, &received), end);
    restore(one, &saved);
    assert_int_equal(run_on(&random.topology, one, &received), end);
    restore(other, &saved);
    assert_int_equal(run_on(&random.topology, other, &received), end);
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        bh_snapshot_free(saved.chips[i]);
    }
    bh_system_destroy(one);
    bh_system_destroy(other);
}

static void systems_run_on_from_snapshots(void **context)
{
    for (uint64_t seed = 31; seed <= 30 + FEWER_IF_SANITIZED(8); seed++) {
        check_snapshot(seed, BH_MODE_FUNCTIONAL);
        check_snapshot(seed, BH_MODE_TIMED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_steps_make_no_difference),
        cmocka_unit_test(partitions_make_no_difference),
        cmocka_unit_test(systems_run_on_from_snapshots),
    };
    return cmocka_run_group_tests_name("system.random", tests, NULL, NULL);
}
