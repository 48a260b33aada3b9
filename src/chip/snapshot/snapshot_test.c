/* Random programs on all tiles, interrupted by a snapshot at any time, a quantum that is open included: the device that
   it is restored to, the same one or another with other threads or another engine, does what the first one did. */
#include "../../../tests/snapshot_compare.h"
#include "chip/programs_fixture.h"
#include "chip/snapshot/archive.h"

#include "chip/device_state.h"
#include "util/hash.h"
#include "util/sanitized.h"

enum { MOST_SLICES = 60 };

/* What a host sees. */
struct digest {
    uint64_t value, diagnostics;
};

static void add(struct digest *digest, const void *data, size_t size)
{
    digest->value = hash_of(digest->value, data, size);
}

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    char line[2000];
    struct digest *digest = context;
    bh_diagnostic_format(diagnostic, line, sizeof line);
    add(digest, line, strlen(line));
    digest->diagnostics++;
}

struct way {
    enum bh_mode mode;
    unsigned threads;
    enum bh_engine engine;
};

static struct bh_device *create(const struct way *way, struct digest *digest)
{
    struct bh_device *device;
    struct bh_device_config config = {.on_diagnostic = on_diagnostic,
                                      .context = digest,
                                      .threads = way->threads,
                                      .engine = way->engine,
                                      .mode = way->mode};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    return device;
}

/* Any access of a host to a tile's data, to DRAM, or to a register. */
static void look(struct bh_device *device, struct digest *digest)
{
    uint32_t words[4] = {below(1000), 2, 3, 4};
    unsigned x, y;
    tensix_coordinates(below(TENSIX_TILES), &x, &y);
    uint32_t address = DATA + any_word() % (DATA_BYTES - 16);
    switch (below(5)) {
    case 0: assert_int_equal(bh_write(device, x, y, address, words, sizeof words), BH_OK); break;
    case 1:
        assert_int_equal(bh_write(device, 17 + below(2), 12 + below(12), below(1 << 20) * 64, words, 4), BH_OK);
        break;
    case 2: assert_int_equal(bh_read(device, x, y, 0xFFB20200, words, sizeof words), BH_OK); break;
    case 3: assert_int_equal(bh_read(device, 20 + below(4), 25, 0x1000, words, sizeof words), BH_OK); break;
    default: assert_int_equal(bh_read(device, x, y, address, words, sizeof words), BH_OK); break;
    }
    add(digest, words, sizeof words);
}

/* One slice of a run: short or long, as a whole or with a quantum that is left open. */
static void go_on(struct bh_device *device, struct digest *digest, enum bh_mode mode)
{
    uint32_t longest = mode == BH_MODE_TIMED ? 1500 : 8000;
    uint64_t cycles = 1 + below(below(2) ? longest : 150);
    if (below(3)) {
        enum bh_run_reason reason = bh_advance(device, cycles);
        add(digest, &reason, sizeof reason);
    } else {
        struct bh_run_result result;
        (void)bh_run(device, cycles, &result);
        add(digest, &result.reason, sizeof result.reason);
        add(digest, &result.cycles, sizeof result.cycles);
        add(digest, &result.riscv_instructions, sizeof result.riscv_instructions);
    }
    uint64_t clock = bh_clock(device);
    add(digest, &clock, sizeof clock);
    look(device, digest);
}

/* Cores of an Ethernet tile that count in its L1, the second one with stores to where the host looks. */
static void start_ethernet(struct bh_device *device)
{
    enum { X = 20, Y = 25, COUNTER_0 = 0x2000, COUNTER_1 = 0x3000, E0_HELD = 0x800, E1_HELD = 0x1000 };
    static const uint32_t soft_reset = 0xFFB121B0, reset_pc = 0xFFB14000;
    for (uint32_t core = 0; core < 2; core++) {
        const uint32_t program[] = {0x000012b7, 0x0002a303 | core << 22, 0x00130313, 0x0062a023 | core << 9,
                                    0xff5ff06f}; /* lui t0, 1; lw t1, 4 * core(t0); addi t1, t1, 1; sw; j -12 */
        uint32_t pc = core ? COUNTER_1 : COUNTER_0;
        assert_int_equal(bh_write(device, X, Y, pc, program, sizeof program), BH_OK);
        assert_int_equal(bh_write(device, X, Y, reset_pc + 8 * core, &pc, sizeof pc), BH_OK);
    }
    const uint32_t held[] = {E0_HELD | E1_HELD, 0};
    assert_int_equal(bh_write(device, X, Y, soft_reset, &held[0], 4), BH_OK);
    assert_int_equal(bh_write(device, X, Y, soft_reset, &held[1], 4), BH_OK);
}

static struct bh_snapshot *run_on(struct bh_device *device, struct digest *digest, enum bh_mode mode, unsigned slices)
{
    struct bh_snapshot *end;
    for (unsigned i = 0; i < slices; i++) {
        go_on(device, digest, mode);
    }
    assert_int_equal(bh_snapshot_take(device, &end), BH_OK);
    return end;
}

static unsigned open_quanta, packets; /* when snapshots were taken */

static void note(const struct bh_device *device)
{
    open_quanta += device->lag != 0;
    packets += network_pending(&device->network);
}

static void check(uint64_t seed, const struct way *way, const struct way *other)
{
    const struct digest begin = {.value = 0xcbf29ce484222325};
    struct digest digest[3] = {begin, begin, begin};
    struct bh_device *device = create(way, &digest[0]), *second = create(other, &digest[2]);
    struct bh_snapshot *taken, *end[3];
    struct bh_error error;
    random_state = seed;
    start_programs(device, 1 + below(8));
    if (seed % 4 == 1) {
        start_ethernet(device);
    }
    unsigned before = below(MOST_SLICES), after = 1 + below(MOST_SLICES);
    for (unsigned i = 0; i < before; i++) {
        go_on(device, &digest[0], way->mode);
    }
    note(device);
    uint64_t random_then = random_state;
    digest[0] = begin;
    assert_int_equal(bh_snapshot_take(device, &taken), BH_OK);
    end[0] = run_on(device, &digest[0], way->mode, after);
    struct digest first = digest[0];
    digest[0] = begin;
    random_state = random_then;
    assert_int_equal(bh_snapshot_restore(device, taken, &error), BH_OK);
    end[1] = run_on(device, &digest[0], way->mode, after);
    random_state = random_then;
    assert_int_equal(bh_snapshot_restore(second, taken, &error), BH_OK);
    end[2] = run_on(second, &digest[2], way->mode, after);
    for (unsigned i = 1; i < 3; i++) {
        char text[200];
        const struct digest *its = i == 1 ? &digest[0] : &digest[2];
        if (!snapshots_are_same(end[0], end[i], text, sizeof text)) {
            fail_msg("seed %u, restored to %s device: differs in %s", (unsigned)seed, i == 1 ? "the same" : "another",
                     text);
        }
        assert_int_equal(its->diagnostics, first.diagnostics);
        assert_true(its->value == first.value);
    }
    for (unsigned i = 0; i < 3; i++) {
        bh_snapshot_free(end[i]);
    }
    bh_snapshot_free(taken);
    bh_device_destroy(device);
    bh_device_destroy(second);
}

static void run_all(enum bh_mode mode, unsigned seeds)
{
    static const struct way kinds[] = {
        {.threads = 1}, {.threads = 2}, {.threads = 8}, {.threads = 1, .engine = BH_ENGINE_PLAIN}};
    open_quanta = packets = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct way way = kinds[seed % 4], other = kinds[(seed + 1 + seed / 4 % 3) % 4];
        way.mode = other.mode = mode;
        check(seed, &way, &other);
    }
    assert_true(open_quanta > 0);
    assert_true(packets > 0 || mode == BH_MODE_FUNCTIONAL); /* or all are in outboxes */
}

static void random_programs_run_on(void **context)
{
    (void)context;
    run_all(BH_MODE_FUNCTIONAL, FEWER_IF_SANITIZED(24));
}

static void random_programs_run_on_in_timed_mode(void **context)
{
    (void)context;
    run_all(BH_MODE_TIMED, FEWER_IF_SANITIZED(12));
}

static int set_up(void **context)
{
    (void)context;
    return snapshot_find_members() ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_run_on),
                                       cmocka_unit_test(random_programs_run_on_in_timed_mode)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
