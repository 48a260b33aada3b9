/* Jobs that are interrupted by a snapshot: restored to the same device and run on, or restored to another one, with
   another engine or other threads, they end as those that were run on: the same state, bit for bit, with the same
   clocks and counts, and with the outputs that are expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../snapshot_layout.h"
#include "bhemu/job.h"
#include "bhemu/snapshot.h"
#include "chip/snapshot/snapshot.h"
#include "tile/tile.h"

const struct tile_state *keeps_the_struct; /* in this file's debugging information */

static const char *const jobs[] = {"add1",        "all_reduce", "credits",        "dram_add",
                                   "eltwise_add", "matmul128",  "matmul32_hifi4", "matmul32_lofi",
                                   "matmul_grid", "messages",   "metal_add"};

/* Runs on, or what it did then is taken back; or it begins with the file of one that ran on. */
enum visit_kind { RUNS_ON, RESTORES, BEGINS_WITH };

/* What happens to a job at a clock. */
struct visit {
    enum visit_kind kind;
    uint64_t at;
    unsigned visits;
    struct bh_snapshot *taken, *ended;
    uint64_t clock;
};

static char file[] = "/tmp/bhemu-snapshot-XXXXXX";

static uint64_t stop_at(void *context, struct bh_device *device)
{
    struct visit *visit = context;
    (void)device;
    return visit->visits || visit->kind == BEGINS_WITH ? UINT64_MAX : visit->at;
}

static enum bh_status reached(void *context, struct bh_device *device, struct bh_error *error)
{
    struct visit *visit = context;
    visit->visits++;
    assert_int_equal(bh_snapshot_take(device, &visit->taken), BH_OK);
    assert_int_equal(bh_snapshot_clock(visit->taken), bh_clock(device));
    if (visit->kind == RESTORES) {
        struct bh_run_result result;
        (void)bh_run(device, 777, &result);
        assert_int_equal(bh_snapshot_restore(device, visit->taken, error), BH_OK);
    }
    return BH_OK;
}

static enum bh_status ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    struct visit *visit = context;
    (void)how;
    (void)error;
    visit->clock = bh_clock(device);
    assert_int_equal(bh_snapshot_take(device, &visit->ended), BH_OK);
    return BH_OK;
}

struct way {
    enum bh_mode mode;
    enum bh_engine engine;
    unsigned threads;
};

static struct bh_run_result run(const char *name, const struct way *way, struct visit *visit)
{
    char path[4096];
    struct bh_job *job;
    const struct bh_job_hook hook = {visit, NULL, stop_at, reached, NULL, ended};
    const struct bh_job_hook *hooks[] = {&hook};
    const struct bh_job_save save = {visit->at, file};
    struct bh_job_options options = {.policy = -1,
                                     .saves = &save,
                                     .save_count = visit->kind == RUNS_ON && visit->at != UINT64_MAX,
                                     .restore = visit->kind == BEGINS_WITH ? file : NULL,
                                     .threads = way->threads,
                                     .mode = way->mode,
                                     .engine = way->engine,
                                     .hooks = hooks,
                                     .hook_count = 1};
    struct bh_job_result result = {};
    struct bh_error error = {};
    snprintf(path, sizeof path, BHEMU_SOURCE_DIR "/kernels/jobs/%s.yaml", name);
    assert_int_equal(bh_job_load(path, &job, &error), BH_OK);
    if (bh_job_run(job, &options, &result, &error) != BH_OK) {
        fail_msg("%s: %s", name, error.text);
    }
    bh_job_free(job);
    assert_true(result.outputs_compared > 0);
    if (result.outputs_differ) {
        fail_msg("%s at %u: %s", name, (unsigned)visit->at, result.mismatch.text);
    }
    return result.run;
}

/* Padding within structs has any value: it is made zero. */

static uint8_t is_member[sizeof(struct tile_state)];

static void note_member(void *context, const struct layout_leaf *leaf)
{
    (void)context;
    memset(is_member + leaf->offset, 0xff, leaf->size);
}

static int find_members(void **context)
{
    struct layout layout;
    (void)context;
    int descriptor = mkstemp(file);
    close(descriptor);
    return descriptor >= 0 && layout_open(&layout) && layout_of(&layout, "tile_state", note_member, NULL) ? 0 : -1;
}

enum { HEADER = 24, PAGE = 4096, ENTRY = 4 + PAGE };

static uint32_t number_at(const uint8_t *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* Copies the state of a tile, pages and what is behind them, without pages that only have padding. */
static uint8_t *copy_tile(uint8_t *to, const uint8_t *from, uint64_t length)
{
    const uint8_t *end = from + length;
    for (; number_at(from) != UINT32_MAX; from += ENTRY) {
        bool any = false;
        memcpy(to, from, ENTRY);
        for (unsigned i = 0; i < PAGE; i++) {
            to[4 + i] &= is_member[(size_t)number_at(from) * PAGE + i];
            any |= to[4 + i] != 0;
        }
        to += any ? ENTRY : 0;
    }
    memcpy(to, from, (size_t)(end - from));
    return to + (end - from);
}

static void clean(struct bh_snapshot *snapshot)
{
    uint8_t *made = malloc(snapshot->size), *to = made;
    for (size_t at = 0; at < snapshot->size;) {
        const uint8_t *section = snapshot->bytes + at;
        uint64_t length;
        memcpy(&length, section + HEADER - sizeof length, sizeof length);
        memcpy(to, section, HEADER);
        uint8_t *end = to + HEADER;
        if (!strncmp((const char *)section, "tensix", 6)) {
            end = copy_tile(end, section + HEADER, length);
        } else {
            memcpy(end, section + HEADER, length);
            end += length;
        }
        uint64_t left = (uint64_t)(end - to) - HEADER;
        memcpy(to + HEADER - sizeof left, &left, sizeof left);
        to = end;
        at += HEADER + length;
    }
    free(snapshot->bytes);
    snapshot->bytes = made;
    snapshot->size = (size_t)(to - made);
}

/* Where a byte of a snapshot is: the section, and in a tile's state the offset. */
static void find(const struct bh_snapshot *snapshot, size_t at, char *text, size_t size)
{
    const uint8_t *section = snapshot->bytes;
    uint64_t length;
    for (;; section += HEADER + length) {
        memcpy(&length, section + HEADER - sizeof length, sizeof length);
        if (snapshot->bytes + at < section + HEADER + length) {
            break;
        }
    }
    size_t offset = (size_t)(snapshot->bytes + at - section - HEADER);
    const uint8_t *page = section + HEADER + offset / ENTRY * ENTRY;
    snprintf(text, size, "section %s, byte 0x%zx (of a tile's state 0x%zx)", (const char *)section, offset,
             (size_t)number_at(page) * PAGE + offset % ENTRY - 4);
}

static void assert_same(const char *name, const struct visit *one, const struct visit *other)
{
    assert_int_equal(one->clock, other->clock);
    struct bh_snapshot *a = one->ended, *b = other->ended;
    clean(a);
    clean(b);
    size_t at = 0, size = a->size < b->size ? a->size : b->size;
    while (at < size && a->bytes[at] == b->bytes[at]) {
        at++;
    }
    if (a->size != b->size || at < size) {
        char text[200];
        find(a, at, text, sizeof text);
        fail_msg("%s, interrupted at %u: its end differs in %s", name, (unsigned)one->at, text);
    }
}

static void free_visit(struct visit *visit)
{
    bh_snapshot_free(visit->taken);
    bh_snapshot_free(visit->ended);
}

/* The job, interrupted at a clock; false: it is over by then. */
static bool check(const char *name, const struct way *way, const struct way *other, uint64_t at, uint64_t end)
{
    struct visit on = {.kind = RUNS_ON, .at = at}, restored = {.kind = RESTORES, .at = at},
                 begun = {.kind = BEGINS_WITH, .at = at};
    if (at >= end) {
        return false;
    }
    struct bh_run_result expected = run(name, way, &on),
                         found[] = {run(name, way, &restored), run(name, other, &begun)};
    assert_int_equal(on.visits, 1);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(found[i].reason, expected.reason);
        assert_int_equal(found[i].cycles, expected.cycles);
        assert_int_equal(found[i].riscv_instructions, expected.riscv_instructions);
        assert_int_equal(found[i].tensix_instructions, expected.tensix_instructions);
    }
    assert_same(name, &on, &restored);
    assert_same(name, &on, &begun);
    free_visit(&restored);
    free_visit(&begun);
    free_visit(&on);
    return true;
}

enum { CLOCKS = 4 };

/* Each job at clocks that are spread over it, in different ways. */
static void check_all(enum bh_mode mode)
{
    static const struct way kinds[] = {
        {.threads = 1}, {.threads = 2}, {.threads = 8}, {.threads = 1, .engine = BH_ENGINE_PLAIN}};
    unsigned checked = 0;
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct way way = kinds[0], other;
        way.mode = mode;
        struct visit whole = {.kind = RUNS_ON, .at = UINT64_MAX};
        (void)run(jobs[i], &way, &whole);
        for (unsigned j = 0; j < CLOCKS; j++) {
            way = kinds[(i + j) % 4];
            other = kinds[(i + j + 1 + j % 3) % 4];
            way.mode = other.mode = mode;
            checked += check(jobs[i], &way, &other, whole.clock * (3 * j + 1) / (3 * CLOCKS) + i, whole.clock);
        }
        free_visit(&whole);
    }
    assert_int_equal(checked, CLOCKS * sizeof jobs / sizeof *jobs);
}

static void jobs_run_on_as_if_nothing_had_been(void **context)
{
    (void)context;
    check_all(BH_MODE_FUNCTIONAL);
}

static void jobs_in_timed_mode_do_so(void **context)
{
    (void)context;
    check_all(BH_MODE_TIMED);
}

static int remove_file(void **context)
{
    (void)context;
    return unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_run_on_as_if_nothing_had_been),
                                       cmocka_unit_test(jobs_in_timed_mode_do_so)};
    return cmocka_run_group_tests(tests, find_members, remove_file);
}
