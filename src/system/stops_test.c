/* Systems that an error stops: all chips come to the end of the epoch in which it happens, and stay there, in however
   many calls, on any number of threads and processes. */
#include "system/random_systems.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bhemu/observer.h"
#include "bhemu/snapshot.h"
#include "chip/device_state.h"
#include "chip/ethernet/link_constants.h"
#include "system/shared.h"
#include "util/sanitized.h"

enum { STOP_CYCLES = 12000, CORE_AT = 0x4000, COUNTER = 0x600, TENSIX_X = 1, TENSIX_Y = 2 };

/* Random programs, one of six of which ends with an error; all others count on and on. */

static void emit_wait_for(struct code *code, uint32_t rounds)
{
    load(code, T0, rounds);
    emit(code, addi(T0, T0, -1));
    emit(code, bne(T0, 0, -4));
}

static void emit_error(struct code *code, uint64_t *seed)
{
    enum { NOWHERE = 63 | 63 << 6, ABSENT = 0x3ffff0 };
    switch (random_number(seed) % 3) {
    case 0: emit(code, 0); break;          /* no instruction */
    case 1: store(code, ABSENT, 1); break; /* no memory */
    default:                               /* no tile */
        store(code, NIU + 0x14, NOWHERE);
        store(code, NIU + 0x1c, 1 << 1);
        store(code, NIU + 0x20, 16);
        store(code, NIU + 0x40, 1);
    }
}

static void emit_end(struct code *code, uint64_t *seed)
{
    emit_wait_for(code, 1 + random_number(seed) % 2000);
    if (random_number(seed) % 6 == 0) {
        emit_error(code, seed);
    }
    load(code, T0, COUNTER);
    emit(code, addi(T1, T1, 1));
    emit(code, sw(T1, T0, 0));
    emit(code, bne(T0, 0, -8));
}

/* Writes over the NoC between two Tensix tiles, of which core B of each runs this. */
static struct code tensix_program(uint64_t *seed, unsigned y)
{
    struct code code = {0};
    for (unsigned i = 0; i < 12; i++) {
        uint32_t at = 0x8000 + random_number(seed) % 0x40 * 16, to = 0x8000 + random_number(seed) % 0x40 * 16;
        if (random_number(seed) % 2) {
            store(&code, at, random_number(seed));
            emit_wait_for(&code, 1 + random_number(seed) % 100);
        } else {
            store(&code, NIU + 0x00, at);
            store(&code, NIU + 0x08, TENSIX_X | y << 6);
            store(&code, NIU + 0x0c, to);
            store(&code, NIU + 0x14, TENSIX_X | (2 * TENSIX_Y + 1 - y) << 6);
            store(&code, NIU + 0x1c, 1 << 1 | 1 << 4);
            store(&code, NIU + 0x20, 64);
            store(&code, NIU + 0x40, 1);
        }
    }
    emit_end(&code, seed);
    return code;
}

static void start_programs(uint64_t seed, const struct bh_topology *topology, struct bh_system *system)
{
    for (unsigned i = 0; i < 2 * topology->link_count; i++) {
        const struct bh_link_end *end = &topology->links[i / 2].end[i % 2];
        struct code code = random_program(&seed, end->channel);
        code.count--; /* the jump to itself */
        emit_end(&code, &seed);
        if (bh_system_chip(system, end->chip)) {
            start(system, end->chip, end->channel, &code);
        }
    }
    for (unsigned i = 0; i < 2 * RANDOM_CHIPS; i++) {
        struct bh_device *chip = bh_system_chip(system, i / 2);
        struct code code = tensix_program(&seed, TENSIX_Y + i % 2);
        if (chip) {
            assert_int_equal(bh_write(chip, TENSIX_X, TENSIX_Y + i % 2, CORE_AT, code.words, 4 * code.count), BH_OK);
            assert_int_equal(bh_core_start(chip, TENSIX_X, TENSIX_Y + i % 2, BH_CORE_B, CORE_AT), BH_OK);
        }
    }
}

/* What is left of a chip, and what it has told. */

struct remains {
    uint64_t clock, told, ethernet, tensix;
    uint32_t stopped, errors;
};

static uint64_t hash_core(uint64_t hash, const struct rv32_core *core)
{
    hash = hash_of(hash, core->x, sizeof core->x);
    return hash_of(hash_of(hash, &core->pc, sizeof core->pc), &core->instret, sizeof core->instret);
}

static void see_chip(const struct bh_device *device, struct remains *left)
{
    unsigned index;
    left->clock = device->clock;
    left->stopped = device->stopped;
    left->ethernet = left->tensix = 0;
    for (unsigned channel = 0; channel < ETHERNET_TILES; channel++) {
        const struct ethernet *ethernet = &device->ethernet[channel];
        if (device_ethernet_ready(device, channel)) {
            left->ethernet = hash_of(left->ethernet, ethernet->tile.l1_bytes, 0x20000);
            left->ethernet = hash_of(left->ethernet, ethernet->rx, sizeof ethernet->rx);
            left->ethernet = hash_core(left->ethernet, &ethernet->tile.core[ETHERNET_E1]);
        }
    }
    for (unsigned y = TENSIX_Y; y < TENSIX_Y + 2; y++) {
        assert_true(tensix_index(TENSIX_X, y, &index));
        left->tensix = hash_of(left->tensix, device->tiles[index].l1.bytes, 0x10000);
        if (device->config.mode == BH_MODE_FUNCTIONAL) { /* else it may have computed ahead */
            left->tensix = hash_core(left->tensix, &device->states[index].core[BH_CORE_B]);
        }
    }
}

struct teller {
    struct remains *left;
};

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct remains *left = &((struct teller *)context)->left[diagnostic->chip];
    const uint64_t facts[] = {diagnostic->cycle, diagnostic->pc, diagnostic->tile_x, diagnostic->tile_y};
    left->told += hash_of(hash_of(0, facts, sizeof facts), diagnostic->text, strlen(diagnostic->text));
    left->errors += diagnostic->action == BH_STOP;
}

/* Running. */

struct slices {
    unsigned threads;
    uint64_t step; /* of cycles; 0: at random */
    bool runs;     /* by bh_system_run(); else by bh_system_advance() */
    bool looks;    /* the host reads between calls */
    bool observed; /* a Tensix tile of each chip */
};

static bool step_on(struct bh_system *system, const struct slices *way, uint64_t cycles)
{
    return way->runs ? bh_system_run(system, cycles, NULL) == BH_ERROR_STOPPED
                     : bh_system_advance(system, cycles) == BH_RAN_STOPPED;
}

static void look_at(struct bh_system *system, const struct bh_topology *topology, uint64_t *random)
{
    const struct bh_link_end *end =
        &topology->links[random_number(random) % topology->link_count].end[random_number(random) % 2];
    unsigned chip = random_number(random) % RANDOM_CHIPS;
    uint32_t word;
    if (bh_system_chip(system, end->chip)) {
        (void)get(system, end->chip, end->channel, COUNTER);
    }
    if (bh_system_chip(system, chip)) {
        assert_int_equal(bh_read(bh_system_chip(system, chip), TENSIX_X, TENSIX_Y, COUNTER, &word, sizeof word), BH_OK);
    }
}

static void on_event(void *context, const struct bh_event *event) {}

static void observe(struct bh_system *system)
{
    static const struct bh_tile tile = {.x = TENSIX_X, .y = TENSIX_Y};
    static const struct bh_observer observer = {
        .kinds = BH_EVENT_ALL, .on_event = on_event, .tiles = &tile, .tile_count = 1};
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        assert_int_equal(bh_device_add_observer(bh_system_chip(system, i), &observer), BH_OK);
    }
}

/* Runs what one process has of a system until an error stops it; part: null: all. */
static void run_stopped(uint64_t seed, enum bh_mode mode, const struct slices *way, const struct system_part *part,
                        struct remains left[RANDOM_CHIPS])
{
    struct random_topology random;
    struct teller teller = {left};
    struct bh_system *system;
    uint64_t steps = seed * 99 + way->step;
    bool stopped = false;
    memset(left, 0, RANDOM_CHIPS * sizeof *left);
    random_topology(&seed, &random);
    const struct bh_system_config config = {
        .device = {.mode = mode, .on_diagnostic = on_diagnostic, .context = &teller}, .threads = way->threads};
    assert_int_equal(system_create(&random.topology, &config, part, &system, NULL), BH_OK);
    start_programs(seed, &random.topology, system);
    if (way->observed) {
        observe(system);
    }
    while (!stopped && bh_system_clock(system) < STOP_CYCLES) {
        uint64_t left_over = STOP_CYCLES - bh_system_clock(system);
        uint64_t step = way->step ? way->step : 1 + random_number(&steps) % 600;
        stopped = step_on(system, way, step < left_over ? step : left_over);
        if (way->looks) {
            look_at(system, &random.topology, &steps);
        }
    }
    for (unsigned i = 0; stopped && i < 3; i++) { /* it stays where it is */
        assert_true(step_on(system, way, 1 + 777 * i));
    }
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        if (bh_system_chip(system, i)) {
            see_chip(bh_system_chip(system, i), &left[i]);
        }
    }
    bh_system_destroy(system);
}

/* Running them in all ways. */

static void assert_same(uint64_t seed, const struct remains one[RANDOM_CHIPS], const struct remains other[RANDOM_CHIPS])
{
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        if (memcmp(&one[i], &other[i], sizeof *one) != 0) {
            fail_msg("program %u, chip %u", (unsigned)seed, i);
        }
    }
}

static bool was_stopped(const struct remains left[RANDOM_CHIPS])
{
    bool stopped = false;
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        stopped |= left[i].stopped != 0;
        assert_int_equal(left[i].stopped, left[i].errors != 0);
        assert_int_equal(left[i].clock % LINK_LATENCY, 0);
    }
    return stopped;
}

static void calls_and_threads_make_no_difference(void **context)
{
    static const struct slices all = {.threads = 1, .step = STOP_CYCLES};
    static const struct slices advances[] = {{.threads = 3, .step = 37},
                                             {.threads = 1, .looks = true},
                                             {.threads = 2, .step = STOP_CYCLES, .observed = true}};
    static const struct slices runs[] = {{.threads = 1, .step = STOP_CYCLES, .runs = true},
                                         {.threads = 2, .step = 41, .runs = true},
                                         {.threads = 1, .runs = true, .looks = true, .observed = true}};
    for (uint64_t seed = 1; seed <= FEWER_IF_SANITIZED(12); seed++) {
        for (unsigned mode = 0; mode < BH_MODES; mode++) {
            struct remains once[RANDOM_CHIPS], sliced[RANDOM_CHIPS];
            run_stopped(seed, (enum bh_mode)mode, &all, NULL, once);
            assert_true(was_stopped(once));
            for (unsigned i = 0; i < sizeof advances / sizeof *advances; i++) {
                run_stopped(seed, (enum bh_mode)mode, &advances[i], NULL, sliced);
                assert_same(seed, once, sliced);
            }
            for (unsigned i = 0; mode == BH_MODE_TIMED && i < sizeof runs / sizeof *runs; i++) {
                run_stopped(seed, BH_MODE_TIMED, &runs[i], NULL, sliced);
                assert_same(seed, once, sliced);
            }
        }
    }
}

static void run_in_processes(uint64_t seed, enum bh_mode mode, const struct slices *way, unsigned ranks,
                             struct remains left[RANDOM_CHIPS])
{
    enum { ROOM = RANDOM_CHIPS * sizeof *left };
    struct remains *all = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct shared *shared = shared_create(ranks);
    uint16_t owner[RANDOM_CHIPS];
    uint64_t random = seed * 77 + ranks;
    assert_non_null(shared);
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        owner[i] = (uint16_t)(random_number(&random) % ranks);
    }
    for (unsigned rank = 0; rank < ranks; rank++) {
        if (fork() == 0) {
            struct remains own[RANDOM_CHIPS];
            struct shared_end *end = shared_join(shared, &(struct shared_options){.rank = rank});
            const struct system_part part = {rank, ranks, owner, shared_exchange(end)};
            run_stopped(seed, mode, way, &part, own);
            for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
                all[i] = owner[i] == rank ? own[i] : all[i];
            }
            shared_leave(end);
            _exit(0);
        }
    }
    for (unsigned rank = 0; rank < ranks; rank++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    memcpy(left, all, ROOM);
    shared_destroy(shared);
    munmap(all, ROOM);
}

static void processes_make_no_difference(void **context)
{
    static const struct slices all = {.threads = 1, .step = STOP_CYCLES};
    for (uint64_t seed = 41; seed <= 40 + FEWER_IF_SANITIZED(4); seed++) {
        for (unsigned mode = 0; mode < BH_MODES; mode++) {
            const struct slices slices = {.threads = 2, .runs = mode == BH_MODE_TIMED};
            struct remains once[RANDOM_CHIPS], apart[RANDOM_CHIPS];
            run_stopped(seed, (enum bh_mode)mode, &all, NULL, once);
            assert_true(was_stopped(once));
            for (unsigned ranks = 2; ranks <= 3; ranks++) {
                run_in_processes(seed, (enum bh_mode)mode, ranks % 2 ? &all : &slices, ranks, apart);
                assert_same(seed, once, apart);
            }
        }
    }
}

/* One system, whose chip 0 is stopped in the third epoch by its core B, while that of chip 1 counts on. */

enum { X2_CHIPS = 2, EPOCH = LINK_LATENCY };

static void start_b(struct bh_system *system, unsigned chip, const struct code *code)
{
    struct bh_device *device = bh_system_chip(system, chip);
    assert_int_equal(bh_write(device, TENSIX_X, TENSIX_Y, CORE_AT, code->words, 4 * code->count), BH_OK);
    assert_int_equal(bh_core_start(device, TENSIX_X, TENSIX_Y, BH_CORE_B, CORE_AT), BH_OK);
}

static uint32_t count_of(struct bh_system *system, unsigned chip)
{
    uint32_t word;
    assert_int_equal(bh_read(bh_system_chip(system, chip), TENSIX_X, TENSIX_Y, COUNTER, &word, sizeof word), BH_OK);
    return word;
}

static struct bh_system *create_x2(void)
{
    struct bh_topology *topology;
    struct bh_system *system;
    assert_int_equal(bh_topology_by_name("x2", &topology), BH_OK);
    assert_int_equal(bh_system_create(topology, NULL, &system, NULL), BH_OK);
    bh_topology_destroy(topology);
    return system;
}

static struct bh_system *begin_x2(void)
{
    struct bh_system *system = create_x2();
    struct code wrong = {.count = 0}, counts = {.count = 0};
    emit_wait_for(&wrong, EPOCH + 100); /* of two instructions each */
    emit(&wrong, 0);
    load(&counts, T0, COUNTER);
    emit(&counts, addi(T1, T1, 1));
    emit(&counts, sw(T1, T0, 0));
    emit(&counts, bne(T0, 0, -8));
    start_b(system, 0, &wrong);
    start_b(system, 1, &counts);
    return system;
}

static void assert_halted(struct bh_system *system, uint32_t count)
{
    struct bh_run_result result;
    assert_int_equal(bh_system_run(system, 10000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_STOPPED);
    assert_int_equal(result.cycles, 0);
    assert_int_equal(bh_system_advance(system, 777), BH_RAN_STOPPED);
    assert_int_equal(bh_system_clock(system), 3 * EPOCH);
    for (unsigned chip = 0; chip < X2_CHIPS; chip++) {
        assert_int_equal(bh_clock(bh_system_chip(system, chip)), 3 * EPOCH);
        assert_int_equal(bh_tile_stopped(bh_system_chip(system, chip), TENSIX_X, TENSIX_Y), chip == 0);
    }
    assert_int_equal(count_of(system, 1), count);
    assert_null(bh_system_failed(system));
}

/* The call that meets the error passes all of the epoch, however few cycles are asked for. */
static void a_system_halts_where_the_epoch_ends(void **context)
{
    struct bh_run_result result;
    struct bh_system *system = begin_x2();
    uint64_t cycles = 0;
    assert_int_equal(bh_system_run(system, 100 * EPOCH, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_STOPPED);
    assert_int_equal(result.cycles, 3 * EPOCH);
    uint32_t count = count_of(system, 1);
    assert_in_range(count, 3 * EPOCH / 3 - 10, 3 * EPOCH / 3);
    assert_halted(system, count);
    bh_system_destroy(system);
    system = begin_x2();
    for (enum bh_status status = BH_OK; status == BH_OK;) {
        struct bh_run_result part;
        status = bh_system_run(system, 7, &part);
        cycles += part.cycles;
    }
    assert_int_equal(cycles, result.cycles);
    assert_halted(system, count);
    bh_system_destroy(system);
}

static void a_system_runs_on_when_the_chip_is_reset(void **context)
{
    struct bh_system *system = begin_x2();
    while (bh_system_advance(system, 100) != BH_RAN_STOPPED) {
    }
    uint32_t count = count_of(system, 1);
    assert_halted(system, count);
    assert_int_equal(bh_device_reset(bh_system_chip(system, 0)), BH_OK);
    assert_int_equal(bh_system_advance(system, EPOCH), BH_RAN_CYCLES);
    assert_int_equal(bh_system_clock(system), 4 * EPOCH);
    assert_in_range(count_of(system, 1), count + EPOCH / 3 - 10, count + EPOCH / 3 + 10);
    bh_system_destroy(system);
}

static void a_halted_system_is_halted_after_a_snapshot(void **context)
{
    struct bh_system *system = begin_x2(), *other = create_x2();
    struct bh_snapshot *chips[X2_CHIPS];
    struct bh_error error;
    while (bh_system_advance(system, 100) != BH_RAN_STOPPED) {
    }
    uint32_t count = count_of(system, 1);
    for (unsigned i = 0; i < X2_CHIPS; i++) {
        assert_int_equal(bh_snapshot_take(bh_system_chip(system, i), &chips[i]), BH_OK);
        assert_int_equal(bh_snapshot_restore(bh_system_chip(other, i), chips[i], &error), BH_OK);
        bh_snapshot_free(chips[i]);
    }
    const struct system_position position = system_position(system);
    system_set_position(other, &position);
    assert_halted(other, count);
    bh_system_destroy(system);
    bh_system_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_and_threads_make_no_difference),
        cmocka_unit_test(processes_make_no_difference),
        cmocka_unit_test(a_system_halts_where_the_epoch_ends),
        cmocka_unit_test(a_system_runs_on_when_the_chip_is_reset),
        cmocka_unit_test(a_halted_system_is_halted_after_a_snapshot),
    };
    return cmocka_run_group_tests_name("system.stops", tests, NULL, NULL);
}
