/* Hosts whose chips other processes have: the same bits and clocks as in one process. */
#include <sys/mman.h>

#include "bhemu/snapshot.h"
#include "chip/ethernet/link_constants.h"
#include "system/nodes_fixture.h"
#include "system/random_systems.h"
#include "util/sanitized.h"

/* A digest of a random system in one process. */
static uint64_t digest_here(uint64_t seed, enum bh_mode mode, struct way way)
{
    struct random_topology random;
    struct left left[2 * RANDOM_LINKS] = {{0}};
    const struct bh_system_config config = {.device = {.mode = mode}, .threads = way.threads};
    struct bh_system *system;
    struct bh_error error = {""};
    unsigned received = 0;
    random_topology(&seed, &random);
    assert_int_equal(bh_system_create(&random.topology, &config, &system, &error), BH_OK);
    run_random_system(seed, &random.topology, system, way, left);
    bh_system_destroy(system);
    uint64_t digest = digest_of(left, &received);
    assert_true(received > 0);
    return digest;
}

/* The same with its chips in other processes, to which they belong at random. */
static uint64_t digest_of_nodes(uint64_t seed, enum bh_mode mode, struct way way, unsigned ranks)
{
    struct random_topology random;
    struct fixture_nodes nodes = {.ranks = 0};
    struct left left[2 * RANDOM_LINKS] = {{0}};
    const struct bh_system_config config = {.device = {.mode = mode}, .threads = way.threads};
    struct bh_system *system;
    struct bh_error error = {""};
    uint64_t share = seed * 99 + ranks;
    unsigned received = 0;
    random_topology(&seed, &random);
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        nodes.owner[i] = (uint16_t)(random_number(&share) % ranks);
    }
    fixture_start(&nodes, ranks, &(struct serve_options){.topology = &random.topology});
    assert_int_equal(bh_system_connect(nodes.addresses[0], &config, &system, &error), BH_OK);
    assert_int_equal(bh_system_chip_count(system), RANDOM_CHIPS);
    run_random_system(seed, &random.topology, system, way, left);
    assert_int_equal(bh_system_clock(system), RANDOM_CYCLES);
    assert_null(bh_system_failed(system));
    bh_system_destroy(system);
    assert_int_equal(fixture_end(&nodes), 0);
    return digest_of(left, &received);
}

static void processes_make_no_difference(void **context)
{
    for (uint64_t seed = 31; seed <= 30 + FEWER_IF_SANITIZED(3); seed++) {
        for (unsigned mode = 0; mode < BH_MODES; mode++) {
            uint64_t run = digest_here(seed, (enum bh_mode)mode, (struct way){1, 0});
            uint64_t looked = digest_here(seed, (enum bh_mode)mode, (struct way){1, 700});
            for (unsigned ranks = 1 + 3 * mode % STRIDE_IF_SANITIZED(4); ranks <= 4; ranks += STRIDE_IF_SANITIZED(4)) {
                assert_int_equal(digest_of_nodes(seed, (enum bh_mode)mode, (struct way){1, 0}, ranks), run);
                assert_int_equal(digest_of_nodes(seed, (enum bh_mode)mode, (struct way){2, 700}, ranks), looked);
            }
        }
    }
}

/* The memory of a host. */
struct host_memory {
    uint32_t words[64];
    unsigned reads, writes;
};

static void read_memory(void *context, uint64_t address, void *data, uint32_t size)
{
    struct host_memory *memory = context;
    memory->reads++;
    memcpy(data, (uint8_t *)memory->words + address % sizeof memory->words, size);
}

static void write_memory(void *context, uint64_t address, const void *data, uint32_t size)
{
    struct host_memory *memory = context;
    memory->writes++;
    memcpy((uint8_t *)memory->words + address % sizeof memory->words, data, size);
}

enum { TILE_X = 1, TILE_Y = 2, NOC_WRITE = 0x12, NOC_READ = 0x10, PCIE = 19 | 24 << 6 };

/* A tile's NIU transports 32 bytes between its L1 and the host's memory. */
static void transport(struct bh_device *device, uint32_t control, uint32_t local, uint32_t there)
{
    bool writes = control == NOC_WRITE;
    const uint32_t here_at = TILE_X | TILE_Y << 6, registers[][2] = {{0x00, writes ? local : there},
                                                                     {0x04, writes ? 0 : 4u << 26},
                                                                     {0x08, writes ? here_at : PCIE},
                                                                     {0x0c, writes ? there : local},
                                                                     {0x10, writes ? 4u << 26 : 0},
                                                                     {0x14, writes ? PCIE : here_at},
                                                                     {0x1c, control},
                                                                     {0x20, 32},
                                                                     {0x40, 1}};
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++) {
        assert_int_equal(bh_write(device, TILE_X, TILE_Y, NIU + registers[i][0], &registers[i][1], 4), BH_OK);
    }
}

static void chips_reach_the_memory_of_the_host(void **context)
{
    struct random_topology random;
    struct fixture_nodes nodes = {.ranks = 0};
    struct host_memory memory = {.reads = 0};
    const struct bh_system_config config = {
        .device = {.host_read = read_memory, .host_write = write_memory, .context = &memory}};
    struct bh_system *system;
    struct bh_error error = {""};
    uint64_t seed = 61;
    random_topology(&seed, &random);
    system_share(nodes.owner, RANDOM_CHIPS, 3);
    for (unsigned i = 0; i < 8; i++) {
        memory.words[i] = 0x1000 + i;
    }
    fixture_start(&nodes, 3, &(struct serve_options){.topology = &random.topology});
    assert_int_equal(bh_system_connect(nodes.addresses[0], &config, &system, &error), BH_OK);
    for (unsigned chip = 0; chip < RANDOM_CHIPS; chip++) {
        transport(bh_system_chip(system, chip), NOC_READ, 0x30000, 0);
    }
    assert_int_equal(bh_system_advance(system, 4000), BH_RAN_IDLE);
    for (unsigned chip = 0; chip < RANDOM_CHIPS; chip++) {
        uint32_t words[8];
        struct bh_device *device = bh_system_chip(system, chip);
        assert_int_equal(bh_read(device, TILE_X, TILE_Y, 0x30000, words, sizeof words), BH_OK);
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(words[i], 0x1000 + i);
            words[i] += 0x100 * (chip + 1);
        }
        assert_int_equal(bh_write(device, TILE_X, TILE_Y, 0x30000, words, sizeof words), BH_OK);
        transport(device, NOC_WRITE, 0x30000, 32 + 32 * chip);
    }
    assert_int_equal(bh_system_advance(system, 4000), BH_RAN_IDLE);
    for (unsigned i = 0; i < 8 * RANDOM_CHIPS; i++) {
        assert_int_equal(memory.words[8 + i], 0x1000 + i % 8 + 0x100 * (i / 8 + 1));
    }
    assert_int_equal(memory.reads, RANDOM_CHIPS);
    assert_int_equal(memory.writes, RANDOM_CHIPS);
    bh_system_destroy(system);
    assert_int_equal(fixture_end(&nodes), 0);
}

/* What a process does not offer to hosts is refused. */
static void what_looks_into_chips_is_refused(void **context)
{
    struct random_topology random;
    struct fixture_nodes nodes = {.ranks = 0};
    struct bh_system *system, *other;
    struct bh_snapshot *snapshot;
    struct bh_error error = {""};
    uint64_t seed = 61;
    uint32_t word = 0;
    random_topology(&seed, &random);
    system_share(nodes.owner, RANDOM_CHIPS, 2);
    fixture_start(&nodes, 2, &(struct serve_options){.topology = &random.topology});
    assert_int_equal(bh_system_connect(nodes.addresses[0], NULL, &system, &error), BH_OK);
    struct bh_device *device = bh_system_chip(system, 5);
    assert_null(bh_system_chip(system, RANDOM_CHIPS));
    assert_int_equal(bh_run(device, 1, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_snapshot_take(device, &snapshot), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_read(device, 40, 2, 0, &word, 4), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_write(device, 1, 2, 0xFFF00000, &word, 4), BH_ERROR_ADDRESS);
    assert_int_equal(bh_core_start(device, 1, 2, BH_CORE_T0, 3), BH_ERROR_ARGUMENT);
    assert_false(bh_tile_stopped(device, 1, 2));
    assert_int_equal(bh_tile_reset(device, 1, 2), BH_OK);
    assert_int_equal(bh_tile_reset(device, 40, 2), BH_ERROR_ARGUMENT);
    const struct bh_link_end end = random.links[0].end[0];
    assert_int_equal(bh_system_link(system, end), BH_LINK_UP);
    assert_int_equal(bh_system_plug(system, end, false), BH_OK);
    assert_int_equal(bh_system_link(system, end), BH_LINK_DOWN);
    assert_int_equal(bh_system_link(system, random.links[0].end[1]), BH_LINK_DOWN);
    assert_int_equal(bh_system_plug(system, (struct bh_link_end){0, 13}, false), BH_ERROR_ARGUMENT);
    /* A second host. */
    assert_int_equal(bh_system_connect(nodes.addresses[1], NULL, &other, &error), BH_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "another host has these chips"));
    assert_null(other);
    bh_system_destroy(system);
    assert_int_equal(fixture_end(&nodes), 0);
}

/* A host for each process, of which each lets time pass as it likes. */
struct hosts {
    uint64_t seed;
    enum bh_mode mode;
    const struct bh_topology *topology;
    struct left *left; /* shared memory */
    int *barrier;      /* the same: how many hosts have come to it */
    unsigned ranks;
    bool lockstep;
};

/* Without letting time pass, as hosts do that talk to each other. */
static void wait_for_hosts(const struct hosts *hosts, unsigned round)
{
    __atomic_add_fetch(hosts->barrier, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(hosts->barrier, __ATOMIC_SEQ_CST) < (int)(round * hosts->ranks)) {
        usleep(100);
    }
}

static void be_host(const struct hosts *hosts, unsigned rank, const char *address)
{
    const struct bh_system_config config = {.device = {.mode = hosts->mode}};
    uint64_t seed = hosts->seed;
    struct bh_system *system;
    struct bh_error error = {""};
    if (bh_system_connect(address, &config, &system, &error) != BH_OK) {
        fail_msg("%s", error.text);
    }
    wait_for_hosts(hosts, 1);
    for (unsigned i = 0; i < 2 * hosts->topology->link_count; i++) {
        const struct bh_link_end *end = &hosts->topology->links[i / 2].end[i % 2];
        struct code code = random_program(&seed, end->channel);
        if (end->chip % hosts->ranks == rank) { /* the chips of the rank are numbered from 0 */
            start(system, end->chip / hosts->ranks, end->channel, &code);
        }
    }
    wait_for_hosts(hosts, 2);
    if (hosts->lockstep) {
        for (uint64_t passed = 0, step; passed < RANDOM_CYCLES; passed += step) {
            step = 100 + 77 * rank < RANDOM_CYCLES - passed ? 100 + 77 * rank : RANDOM_CYCLES - passed;
            assert_int_not_equal(bh_system_advance(system, step), BH_RAN_STOPPED);
            assert_int_equal(bh_system_clock(system), passed + step);
        }
    } else if (rank == 0) { /* the others sleep */
        for (unsigned i = 0; i < 10; i++) {
            (void)bh_system_advance(system, RANDOM_CYCLES / 10);
        }
        assert_int_equal(bh_system_clock(system), RANDOM_CYCLES);
    }
    wait_for_hosts(hosts, 3);
    for (unsigned i = 0; i < 2 * hosts->topology->link_count; i++) {
        const struct bh_link_end *end = &hosts->topology->links[i / 2].end[i % 2];
        if (end->chip % hosts->ranks == rank) {
            const struct bh_link_end own = {end->chip / hosts->ranks, end->channel};
            hosts->left[i] = what_is_left(system, &own);
        }
    }
    assert_null(bh_system_failed(system));
    bh_system_destroy(system);
}

static uint64_t digest_of_hosts(struct hosts hosts)
{
    struct random_topology random;
    struct fixture_nodes nodes = {.ranks = 0};
    pid_t pids[FIXTURE_RANKS];
    unsigned received = 0;
    hosts.left = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    hosts.barrier = (int *)(void *)(hosts.left + 2 * RANDOM_LINKS);
    random_topology(&hosts.seed, &random);
    hosts.topology = &random.topology;
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        nodes.owner[i] = (uint16_t)(i % hosts.ranks);
    }
    fixture_start(&nodes, hosts.ranks,
                  &(struct serve_options){.topology = &random.topology, .each = true, .lockstep = hosts.lockstep});
    for (unsigned rank = 0; rank < hosts.ranks; rank++) {
        pids[rank] = fork();
        if (pids[rank] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            be_host(&hosts, rank, nodes.addresses[rank]);
            _exit(0);
        }
    }
    for (unsigned rank = 0; rank < hosts.ranks; rank++) {
        int status;
        assert_int_equal(waitpid(pids[rank], &status, 0), pids[rank]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(fixture_end(&nodes), 0);
    uint64_t digest = digest_of(hosts.left, &received);
    assert_true(received > 0);
    munmap(hosts.left, 1 << 16);
    return digest;
}

static void hosts_make_no_difference(void **context)
{
    for (uint64_t seed = 41; seed <= 40 + FEWER_IF_SANITIZED(2); seed++) {
        for (unsigned mode = 0; mode < BH_MODES; mode++) {
            uint64_t digest = digest_here(seed, (enum bh_mode)mode, (struct way){1, 700});
            for (unsigned ranks = 1 + 2 * mode % STRIDE_IF_SANITIZED(3); ranks <= 3; ranks += STRIDE_IF_SANITIZED(3)) {
                struct hosts hosts = {.seed = seed, .mode = (enum bh_mode)mode, .ranks = ranks};
                assert_int_equal(digest_of_hosts(hosts), digest);
                hosts.lockstep = true;
                assert_int_equal(digest_of_hosts(hosts), digest);
            }
        }
    }
}

/* Programs that do not end, at all ends of links. */
static void start_counting(const struct bh_topology *topology, struct bh_system *system)
{
    struct code code = {0};
    emit(&code, addi(T0, T0, 1));
    emit(&code, bne(T0, 0, -4));
    for (unsigned i = 0; i < 2 * topology->link_count; i++) {
        const struct bh_link_end *end = &topology->links[i / 2].end[i % 2];
        start(system, end->chip, end->channel, &code);
    }
}

/* A program that ends with an error, on chip 0, which is the first one of rank 0. */
static void start_wrong(struct bh_system *system)
{
    enum { ROUNDS = 700 };
    struct code code = {0};
    load(&code, T0, ROUNDS);
    emit(&code, addi(T0, T0, -1));
    emit(&code, bne(T0, 0, -4));
    emit(&code, 0);
    start(system, 0, 0, &code);
}

enum { HALTS_AT = 3 * LINK_LATENCY };

/* No time passes any more, before the chip is reset. */
static void assert_halted(struct bh_system *system)
{
    struct bh_run_result result;
    assert_int_equal(bh_system_clock(system), HALTS_AT);
    assert_int_equal(bh_system_advance(system, 1000), BH_RAN_STOPPED);
    assert_int_equal(bh_system_run(system, 1000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.cycles, 0);
    assert_int_equal(result.reason, BH_RAN_STOPPED);
    assert_int_equal(bh_system_clock(system), HALTS_AT);
    assert_null(bh_system_failed(system));
}

static void a_system_halts_in_all_processes(void **context)
{
    struct random_topology random;
    struct fixture_nodes nodes = {.ranks = 0};
    struct bh_system *system;
    struct bh_error error = {""};
    uint64_t seed = 51;
    random_topology(&seed, &random);
    system_share(nodes.owner, RANDOM_CHIPS, 3);
    fixture_start(&nodes, 3, &(struct serve_options){.topology = &random.topology});
    assert_int_equal(bh_system_connect(nodes.addresses[0], NULL, &system, &error), BH_OK);
    start_counting(&random.topology, system);
    start_wrong(system);
    while (bh_system_advance(system, 77) != BH_RAN_STOPPED) {
    }
    assert_halted(system);
    assert_int_equal(bh_device_reset(bh_system_chip(system, 0)), BH_OK);
    assert_int_equal(bh_system_run(system, 1000, NULL), BH_OK);
    assert_int_equal(bh_system_clock(system), HALTS_AT + 1000);
    bh_system_destroy(system);
    assert_int_equal(fixture_end(&nodes), 0);
}

/* Also if each has a host: no host waits for a time that does not come. */
static void a_system_halts_for_all_hosts(void **context)
{
    enum { HOSTS = 2 };
    for (unsigned lockstep = 0; lockstep < 2; lockstep++) {
        struct random_topology random;
        struct fixture_nodes nodes = {.ranks = 0};
        pid_t pids[HOSTS];
        uint64_t seed = 51;
        random_topology(&seed, &random);
        system_share(nodes.owner, RANDOM_CHIPS, HOSTS);
        fixture_start(&nodes, HOSTS,
                      &(struct serve_options){.topology = &random.topology, .each = true, .lockstep = lockstep});
        for (unsigned rank = 0; rank < HOSTS; rank++) {
            pids[rank] = fork();
            if (pids[rank] == 0) {
                struct bh_system *system;
                struct bh_error error = {""};
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                assert_int_equal(bh_system_connect(nodes.addresses[rank], NULL, &system, &error), BH_OK);
                if (rank == 0) {
                    start_wrong(system);
                }
                while (bh_system_advance(system, 1000 + 100000 * rank) != BH_RAN_STOPPED) {
                }
                assert_int_equal(bh_system_clock(system) % LINK_LATENCY, 0);
                assert_null(bh_system_failed(system));
                bh_system_destroy(system);
                _exit(0);
            }
        }
        for (unsigned rank = 0; rank < HOSTS; rank++) {
            int status;
            assert_int_equal(waitpid(pids[rank], &status, 0), pids[rank]);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        assert_int_equal(fixture_end(&nodes), 0);
    }
}

/* Programs run on all chips, and one of three processes is killed at some time: the host hears which, and at which
   clock; nothing waits for ever. */
static void a_process_that_dies_is_named(void **context)
{
    uint64_t random_seed = 5;
    for (unsigned i = 0; i < FEWER_IF_SANITIZED(20); i++) {
        struct random_topology random;
        struct fixture_nodes nodes = {.ranks = 0};
        struct bh_system *system;
        struct bh_error error = {""};
        char name[20];
        uint64_t seed = 51;
        uint32_t word;
        unsigned victim = random_number(&random_seed) % 3, wait = random_number(&random_seed) % 30000;
        random_topology(&seed, &random);
        for (unsigned chip = 0; chip < RANDOM_CHIPS; chip++) {
            nodes.owner[chip] = (uint16_t)(chip / 2);
        }
        fixture_start(&nodes, 3, &(struct serve_options){.topology = &random.topology});
        assert_int_equal(bh_system_connect(nodes.addresses[0], NULL, &system, &error), BH_OK);
        start_counting(&random.topology, system);
        pid_t killer = fork();
        if (killer == 0) {
            usleep(wait);
            fixture_kill(&nodes, victim);
            _exit(0);
        }
        while (!bh_system_failed(system)) {
            (void)bh_system_advance(system, 1000);
        }
        (void)snprintf(name, sizeof name, victim == 0 ? "rank 0 (" : victim == 1 ? "rank 1 (" : "rank 2 (");
        if (!strstr(bh_system_failed(system), name) && !strstr(bh_system_failed(system), "has died")) {
            fail_msg("\"%s\" does not name rank %u", bh_system_failed(system), victim);
        }
        assert_int_equal(bh_read(bh_system_chip(system, 0), X, Y, 0, &word, sizeof word), BH_ERROR_LOST);
        assert_int_equal(bh_system_run(system, 1, NULL), BH_ERROR_LOST);
        assert_int_equal(bh_system_advance(system, 1), BH_RAN_STOPPED);
        bh_system_destroy(system);
        assert_int_equal(waitpid(killer, NULL, 0), killer);
        shared_tell_of_death(nodes.shared, victim); /* as who has started it does */
        assert_true(fixture_end(&nodes) >= 1);
    }
}

/* A host that is gone without a word, at any time, is followed by another one. */
static void a_host_that_dies_leaves_the_chips_to_the_next(void **context)
{
    uint64_t random_seed = 6, seed = 51;
    struct random_topology random;
    struct fixture_nodes nodes = {.ranks = 0};
    struct bh_system *system;
    struct bh_error error = {""};
    random_topology(&seed, &random);
    for (unsigned chip = 0; chip < RANDOM_CHIPS; chip++) {
        nodes.owner[chip] = (uint16_t)(chip % 3);
    }
    fixture_start(&nodes, 3, &(struct serve_options){.topology = &random.topology});
    for (unsigned i = 0; i < FEWER_IF_SANITIZED(20); i++) {
        pid_t host = fork();
        if (host == 0) {
            (void)bh_system_connect(nodes.addresses[0], NULL, &system, &error);
            for (;;) {
                (void)bh_system_advance(system, i % 2 ? 700 : 1000000);
            }
        }
        usleep(random_number(&random_seed) % 30000);
        kill(host, SIGKILL);
        assert_int_equal(waitpid(host, NULL, 0), host);
        if (bh_system_connect(nodes.addresses[0], NULL, &system, &error) != BH_OK) {
            fail_msg("%s", error.text);
        }
        assert_int_equal(bh_system_clock(system), 0);
        assert_int_equal(bh_system_advance(system, 1000), BH_RAN_IDLE);
        assert_int_equal(bh_system_clock(system), 1000);
        bh_system_destroy(system);
    }
    assert_int_equal(fixture_end(&nodes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_make_no_difference),
        cmocka_unit_test(chips_reach_the_memory_of_the_host),
        cmocka_unit_test(what_looks_into_chips_is_refused),
        cmocka_unit_test(hosts_make_no_difference),
        cmocka_unit_test(a_system_halts_in_all_processes),
        cmocka_unit_test(a_system_halts_for_all_hosts),
        cmocka_unit_test(a_process_that_dies_is_named),
        cmocka_unit_test(a_host_that_dies_leaves_the_chips_to_the_next),
    };
    return cmocka_run_group_tests_name("system.nodes", tests, NULL, NULL);
}
