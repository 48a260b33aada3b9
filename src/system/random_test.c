/* Random programs on random topologies: the same bits and clocks on any number of threads and in any number of
   processes, however time passes and whichever process has a chip. */
#include "system/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/shared.h"

static uint32_t random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static struct code random_program(uint64_t *seed)
{
    struct code code = {0};
    for (unsigned i = 0; i < 24; i++) {
        uint32_t kind = random_number(seed) % 8, queue = random_number(seed) % 2;
        uint32_t at = 0x10000 + random_number(seed) % 0x400 * 16, to = 0x10000 + random_number(seed) % 0x400 * 16;
        if (kind < 2) {
            emit_send(&code, queue, L1_WRITE, at, 16 * (random_number(seed) % 64), to);
        } else if (kind == 2) {
            store(&code, TX + queue * QUEUE + TX_DATA, random_number(seed));
            emit_send(&code, queue, MMIO_WRITE, 0, 0, E1_END_PC);
        } else if (kind == 3) { /* as long as what it reads says */
            load(&code, T0, at);
            emit(&code, lw(T1, T0, 0));
            emit(&code, 0x03f37313); /* andi t1, t1, 63 */
            emit(&code, addi(T1, T1, 1));
            emit(&code, addi(T1, T1, -1));
            emit(&code, bne(T1, 0, -4));
        } else if (kind == 4) { /* adds what has come to what is here */
            load(&code, T0, at);
            emit(&code, FENCE);
            emit(&code, lw(T1, T0, 0));
            load(&code, T0, to);
            emit(&code, lw(T2, T0, 0));
            emit(&code, 0x007303b3); /* add t2, t1, t2 */
            emit(&code, addi(T2, T2, 1));
            emit(&code, sw(T2, T0, 0));
        } else {
            store(&code, at, random_number(seed));
        }
    }
    emit(&code, SELF_JUMP);
    return code;
}

/* How a random system is run. */
struct way {
    unsigned threads;
    uint64_t step; /* of cycles; 0: all at once, by bh_system_run() */
};

enum { RANDOM_CHIPS = 6, RANDOM_LINKS = 20, RANDOM_CYCLES = 30000 };

static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

static unsigned random_links(uint64_t *seed, struct bh_link links[RANDOM_LINKS])
{
    bool used[RANDOM_CHIPS][12] = {{false}};
    unsigned count = 0;
    for (unsigned i = 0; i < RANDOM_LINKS; i++) {
        struct bh_link link;
        for (unsigned end = 0; end < 2; end++) {
            link.end[end] = (struct bh_link_end){random_number(seed) % RANDOM_CHIPS, random_number(seed) % 12};
        }
        bool *one = &used[link.end[0].chip][link.end[0].channel], *other = &used[link.end[1].chip][link.end[1].channel];
        if (!*one && !*other && one != other) {
            *one = *other = true;
            links[count++] = link;
        }
    }
    return count;
}

/* What the programs at one end of a link have left. */
struct left {
    uint64_t hash;
    uint32_t received; /* packets */
};

static struct left what_is_left(struct bh_system *system, const struct bh_link_end *end)
{
    static uint8_t bytes[0x20000];
    assert_int_equal(bh_read(bh_system_chip(system, end->chip), X + end->channel, Y, 0, bytes, sizeof bytes), BH_OK);
    uint32_t words[] = {get(system, end->chip, end->channel, E1_END_PC),
                        get(system, end->chip, end->channel, RX + 0x28),
                        get(system, end->chip, end->channel, RX + QUEUE + 0x28)};
    uint64_t hash = hash_of(0xcbf29ce484222325u, bytes, sizeof bytes);
    return (struct left){hash_of(hash, words, sizeof words), words[1] + words[2]};
}

/* Runs what one process has of a random system; part: null: all. Fills in left[] for the ends of its chips. */
static void run_random_part(uint64_t seed, enum bh_mode mode, struct way way, const struct system_part *part,
                            struct left left[2 * RANDOM_LINKS])
{
    struct bh_topology_chip chips[RANDOM_CHIPS] = {{0}};
    struct bh_link links[RANDOM_LINKS];
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        chips[i].asic_id = i + 1;
    }
    struct bh_topology topology = {"random", chips, RANDOM_CHIPS, links, random_links(&seed, links)};
    struct bh_system_config config = {.device = {.mode = mode}, .threads = way.threads};
    struct bh_system *system;
    struct bh_error error = {""};
    assert_int_equal(system_create(&topology, &config, part, &system, &error), BH_OK);
    for (unsigned i = 0; i < 2 * topology.link_count; i++) {
        const struct bh_link_end *end = &links[i / 2].end[i % 2];
        struct code code = random_program(&seed);
        if (bh_system_chip(system, end->chip)) {
            start(system, end->chip, end->channel, &code);
        }
    }
    if (way.step == 0) {
        assert_int_equal(bh_system_run(system, RANDOM_CYCLES, NULL), BH_OK);
        (void)bh_system_advance(system, RANDOM_CYCLES - bh_system_clock(system));
    }
    for (uint64_t rest = way.step ? RANDOM_CYCLES : 0; rest;) {
        uint64_t step = rest < way.step ? rest : way.step;
        (void)bh_system_advance(system, step);
        rest -= step;
    }
    for (unsigned i = 0; i < 2 * topology.link_count; i++) {
        const struct bh_link_end *end = &links[i / 2].end[i % 2];
        if (bh_system_chip(system, end->chip)) {
            left[i] = what_is_left(system, end);
        }
    }
    bh_system_destroy(system);
}

static uint64_t digest_of(const struct left left[2 * RANDOM_LINKS], unsigned *received)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < 2 * RANDOM_LINKS; i++) {
        hash = hash_of(hash, &left[i].hash, sizeof left[i].hash);
        *received += left[i].received;
    }
    return hash;
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
