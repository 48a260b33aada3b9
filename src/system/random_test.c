/* Random programs on random topologies: the same bits and clocks on any number of threads and in any number of
   processes, however time passes and whichever process has a chip. */
#include "system/random_systems.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/shared.h"

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
    for (uint64_t seed = 1; seed <= 12; seed++) {
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
    assert_in_range(received, 1000, 1000 * 1000);
}

static void partitions_make_no_difference(void **context)
{
    for (uint64_t seed = 21; seed <= 24; seed++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_steps_make_no_difference),
        cmocka_unit_test(partitions_make_no_difference),
    };
    return cmocka_run_group_tests_name("system.random", tests, NULL, NULL);
}
