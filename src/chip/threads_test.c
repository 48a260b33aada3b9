/* Random programs on all tiles give the same on any number of host threads, and whether or not they are translated:
   memory, counters, clocks, diagnostics. They read and write what the others write to them, so that a request which
   came in another order would show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tests/host/process.h"
#include "bhemu/device.h"
#include "bhemu/observer.h"
#include "chip/device_state.h"
#include "chip/programs_fixture.h"
#include "noc/coordinates.h"
#include "noc/niu.h"
#include "util/hash.h"
#include "util/sanitized.h"

enum { SLICES = 400 };

/* A digest of what is compared, in the order in which it is added. */
struct digest {
    uint64_t value, diagnostics, cycles, riscv;
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

static void add_state(struct digest *digest, struct bh_device *device)
{
    uint8_t data[DATA_BYTES];
    uint32_t counters[NIU_COUNTERS];
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        unsigned x, y;
        tensix_coordinates(i, &x, &y);
        assert_int_equal(bh_read(device, x, y, DATA, data, sizeof data), BH_OK);
        add(digest, data, sizeof data);
        for (unsigned noc = 0; noc < NIUS; noc++) {
            assert_int_equal(bh_read(device, x, y, 0xFFB20200 + 0x10000 * noc, counters, sizeof counters), BH_OK);
            add(digest, counters, sizeof counters);
        }
    }
}

static const struct bh_observer *observing; /* of the next devices; may be null */

static struct bh_device *create(unsigned threads, struct digest *digest)
{
    struct bh_device *device;
    struct bh_device_config config = {.on_diagnostic = on_diagnostic, .context = digest, .threads = threads};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    assert_int_equal(observing ? bh_device_add_observer(device, observing) : BH_OK, BH_OK);
    return device;
}

static uint64_t translated; /* entries of translated code, so far */

/* Lets cycles pass, either at once, or in pieces. */
static enum bh_run_reason advance(struct bh_device *device, uint64_t cycles, bool pieces)
{
    enum bh_run_reason reason = BH_RAN_CYCLES;
    for (uint64_t left = cycles; left && reason == BH_RAN_CYCLES;) {
        uint64_t now = pieces ? 1 + (left * 7 + cycles) % 300 : left;
        now = now < left ? now : left;
        reason = bh_advance(device, now);
        left -= now;
    }
    return reason;
}

/* What programs do when somebody lets cycles pass by bh_advance(), and looks at some tiles meanwhile. */
static struct digest run_when_looked_at(uint64_t seed, unsigned threads, bool pieces)
{
    struct digest digest = {.value = 0xcbf29ce484222325};
    struct bh_device *device = create(threads, &digest);
    enum bh_run_reason reason = BH_RAN_CYCLES;
    random_state = seed;
    start_programs(device, 1 + below(8));
    for (unsigned slice = 0; slice < 5 * SLICES && reason == BH_RAN_CYCLES; slice++) {
        reason = advance(device, 1 + below(slice % 2 ? 8000 : 200), pieces);
        uint32_t words[4];
        unsigned x, y;
        tensix_coordinates(below(TENSIX_TILES), &x, &y);
        assert_int_equal(bh_read(device, x, y, DATA + any_word() % (DATA_BYTES - 16), words, sizeof words), BH_OK);
        add(&digest, words, sizeof words);
        words[0] = below(1000);
        if (slice % 4 == 0) {
            assert_int_equal(bh_write(device, x, y, DATA + any_word(), words, 4), BH_OK);
        }
    }
    assert_int_equal(reason, BH_RAN_IDLE);
    add_state(&digest, device);
    bh_device_destroy(device);
    return digest;
}

static void it_does_not_matter_in_how_many_calls_cycles_pass(void **context)
{
    (void)context;
    for (uint64_t seed = 1; seed <= FEWER_IF_SANITIZED(6); seed++) {
        struct digest one = run_when_looked_at(seed, 1, false), pieces = run_when_looked_at(seed, 1, true),
                      threads = run_when_looked_at(seed, 3, true);
        assert_memory_equal(&one, &pieces, sizeof one);
        assert_memory_equal(&one, &threads, sizeof one);
    }
}

static struct digest run(uint64_t seed, unsigned threads, bool translates)
{
    struct digest digest = {.value = 0xcbf29ce484222325};
    struct bh_device *device = create(threads, &digest);
    device->translator->off |= !translates;
    struct bh_run_result result = {};
    random_state = seed;
    start_programs(device, 1 + below(8));
    for (unsigned slice = 0; slice < SLICES && result.reason == BH_RAN_CYCLES; slice++) {
        assert_int_equal(bh_run(device, 1 + below(40000), &result), BH_OK);
        uint64_t clock = bh_clock(device);
        add(&digest, &result.reason, sizeof result.reason);
        add(&digest, &clock, sizeof clock);
        digest.cycles += result.cycles;
        digest.riscv += result.riscv_instructions;
        if (slice < 4) {
            add_state(&digest, device);
        }
    }
    assert_int_equal(result.reason, BH_RAN_IDLE);
    add_state(&digest, device);
    translated += device->translator->entries;
    bh_device_destroy(device);
    return digest;
}

static void random_programs_do_the_same_on_any_number_of_threads(void **context)
{
    static const unsigned threads[] = {1, 2, 3, 8};
    uint64_t diagnostics = 0, instructions = 0, before = 0;
    for (uint64_t seed = 1; seed <= FEWER_IF_SANITIZED(8); seed++) {
        before = translated;
        struct digest one = run(seed, 1, false);
        assert_int_equal(translated, before);
        diagnostics += one.diagnostics;
        instructions += one.riscv;
        for (unsigned i = 0; i < sizeof threads / sizeof threads[0]; i++) {
            before = translated;
            struct digest other = run(seed, threads[i], true);
            assert_true(translated > before || !translate_possible());
            if (memcmp(&one, &other, sizeof one) != 0) {
                fail_msg("seed %u: %u threads, translating, do not do what one does that interprets", (unsigned)seed,
                         threads[i]);
            }
        }
    }
    assert_true(diagnostics > 0);
    assert_true(instructions > 100000);
}

/* How much of an event's union means something; the rest is not told. */
static size_t size_of_union(unsigned kind)
{
    switch (kind) {
    case BH_EVENT_ISSUED: return sizeof(struct bh_issue);
    case BH_EVENT_RETIRED: return 0;
    case BH_EVENT_WAIT_BEGAN:
    case BH_EVENT_WAIT_ENDED: return sizeof(struct bh_wait);
    case BH_EVENT_ACCESS: return sizeof(struct bh_access);
    default: return sizeof((struct bh_event){0}.room);
    }
}

/* All that an event says, but where its data lie. */
static void add_event(void *context, const struct bh_event *event)
{
    struct digest *digest = context;
    struct bh_event copy = *event;
    if (copy.kind == BH_EVENT_ACCESS) {
        add(digest, copy.access.data, copy.access.size);
        copy.access.data = NULL;
    }
    add(digest, &copy, offsetof(struct bh_event, issue) + size_of_union(event->kind));
    digest->diagnostics++; /* counts them */
}

static void observers_change_nothing_and_are_told_the_same_on_any_number_of_threads(void **context)
{
    static const struct bh_tile some[] = {{1, 2}, {7, 5}, {16, 11}};
    struct digest events = {.value = 0xcbf29ce484222325};
    struct bh_observer observer = {
        .kinds = BH_EVENT_ALL, .tiles = some, .tile_count = 3, .on_event = add_event, .context = &events};
    uint64_t count = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        observer.tile_count = seed == 4 ? 0 : 3;
        observing = NULL;
        struct digest alone = run(seed, 1, true), looked_at = run_when_looked_at(seed, 1, true), told[3];
        observing = &observer;
        for (unsigned threads = 1; threads <= 3; threads++) {
            events = (struct digest){.value = 0xcbf29ce484222325};
            struct digest observed = run(seed, threads, true), observed_too = run_when_looked_at(seed, threads, true);
            assert_memory_equal(&alone, &observed, sizeof alone);
            assert_memory_equal(&looked_at, &observed_too, sizeof looked_at);
            told[threads - 1] = events;
        }
        observing = NULL;
        count += told[0].diagnostics;
        assert_memory_equal(&told[0], &told[1], sizeof told[0]);
        assert_memory_equal(&told[0], &told[2], sizeof told[0]);
    }
    assert_true(count > 100000);
}

static void another_seed_gives_something_else(void **context)
{
    assert_true(run(1, 2, true).value != run(2, 2, true).value);
}

/* Runs programs on all tiles for a while: enough for a pool to begin. */
static void run_a_little(struct bh_device *device)
{
    random_state = 1;
    start_programs(device, 8);
    assert_int_equal(bh_run(device, 1000, NULL), BH_OK);
}

static void threads_are_there_only_if_asked_for(void **context)
{
    struct digest digest = {};
    unsigned before = threads_of_this_process();
    for (unsigned threads = 0; threads <= 4; threads++) {
        struct bh_device *device = create(threads, &digest);
        assert_int_equal(threads_of_this_process(), before);
        run_a_little(device);
        assert_int_equal(threads_of_this_process(), before + (threads > 1 ? threads - 1 : 0));
        bh_device_destroy(device);
    }
}

static void a_forked_child_has_threads_of_its_own(void **context)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* it does not let a child of several threads begin any */
#endif
    struct digest digest = {};
    struct bh_device *device = create(3, &digest);
    run_a_little(device);
    pid_t child = fork();
    if (child == 0) {
        struct bh_run_result result;
        bool ran = bh_run(device, 1000000, &result) == BH_OK && result.reason == BH_RAN_IDLE;
        bool threads = threads_of_this_process() == 3;
        bh_device_destroy(device);
        _exit(ran && threads ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(bh_run(device, 1000000, NULL), BH_OK);
    bh_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_do_the_same_on_any_number_of_threads),
        cmocka_unit_test(it_does_not_matter_in_how_many_calls_cycles_pass),
        cmocka_unit_test(observers_change_nothing_and_are_told_the_same_on_any_number_of_threads),
        cmocka_unit_test(another_seed_gives_something_else),
        cmocka_unit_test(threads_are_there_only_if_asked_for),
        cmocka_unit_test(a_forked_child_has_threads_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
