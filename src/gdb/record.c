/* Snapshots of a run that is recorded, and the switch. */
#include "gdb/record.h"

#include <stdlib.h>
#include <string.h>

#include "chip/visitor.h"
#include "tensix/units/observe.h"

/* In all; and the work, in events and cycles, from one snapshot to the next: more where they are large. */
const size_t gdb_record_bytes = (size_t)256 << 20;
enum { INTERVAL = 100000, BYTES_OF_INTERVAL = 8 };

static int compare(uint64_t one, uint64_t other)
{
    return one < other ? -1 : one > other;
}

int gdb_place_compare(const struct gdb_place *one, const struct gdb_place *other)
{
    int order = compare(one->position, other->position);
    order = order ? order : compare(other->between, one->between); /* the event is behind the end of the quantum */
    if (order || !one->between) {
        return order;
    }
    return one->call != other->call ? compare(one->call, other->call) : compare(one->clock, other->clock);
}

struct gdb_place gdb_record_place(const struct bh_gdb *gdb)
{
    const struct gdb_record *record = gdb->record;
    return (struct gdb_place){record->position, true, record->call, gdb->device->clock};
}

/* What snapshots do not have: what observers were told last, which decides what they are told next; and what those who
   act on the device remember of it. */

/* Copies, or measures only. */
struct rest {
    uint8_t *at; /* null: measures */
    size_t size;
    bool back;
};

static void copy(struct rest *rest, void *data, size_t size)
{
    if (rest->at && rest->back) {
        memcpy(data, rest->at + rest->size, size);
    } else if (rest->at) {
        memcpy(rest->at + rest->size, data, size);
    }
    rest->size += size;
}

static void copy_all(struct bh_gdb *gdb, struct rest *rest)
{
    struct observers *observers = &gdb->device->observers;
    for (unsigned i = 0; i < OBSERVED_TILES; i++) {
        struct observed *observed = &observers->tiles[i];
        if (observed->kinds) {
            copy(rest, observed->core, sizeof observed->core);
            copy(rest, observed->thread, sizeof observed->thread);
            copy(rest, &observed->cycle, sizeof observed->cycle);
        }
        if (observed->kinds && observed->tensix) {
            copy(rest, observed->tensix, sizeof *observed->tensix);
        }
    }
    for (struct device_visitor *visitor = gdb->device->visitor; visitor; visitor = visitor->next) {
        if (visitor->remember) {
            rest->size += visitor->remember(visitor->context, rest->at ? rest->at + rest->size : NULL, rest->back);
        }
    }
}

/* Marks. */

static uint64_t work_at(const struct gdb_place *place)
{
    return place->position + place->clock;
}

static uint64_t distance(uint64_t one, uint64_t other)
{
    return one < other ? other - one : one - other;
}

static void remove_mark(struct gdb_record *record, unsigned number)
{
    struct gdb_mark *mark = &record->marks[number];
    bh_snapshot_free(mark->snapshot);
    free(mark->rest);
    memmove(mark, mark + 1, (--record->mark_count - number) * sizeof *mark);
}

/* Removes the one that is missed least: others are near it, compared with how far away now is. The first stays. */
static void thin_out(struct gdb_record *record, uint64_t now)
{
    unsigned least = 1;
    double smallest = 0;
    for (unsigned i = 1; i < record->mark_count; i++) {
        uint64_t before = work_at(&record->marks[i - 1].at), own = work_at(&record->marks[i].at);
        uint64_t behind = i + 1 < record->mark_count ? work_at(&record->marks[i + 1].at) : now > own ? now : own;
        double missed = (double)(behind - before) / (double)(distance(now, own) + INTERVAL);
        if (i == 1 || missed < smallest) {
            least = i;
            smallest = missed;
        }
    }
    remove_mark(record, least);
}

static size_t bytes_of_all(const struct gdb_record *record)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < record->mark_count; i++) {
        bytes += record->marks[i].bytes;
    }
    return bytes;
}

struct gdb_mark *gdb_record_mark(struct bh_gdb *gdb, const struct gdb_place *place, bool at)
{
    struct gdb_record *record = gdb->record;
    unsigned number = record->mark_count;
    while (number && gdb_place_compare(&record->marks[number - 1].at, place) >= at) {
        number--;
    }
    return number ? &record->marks[number - 1] : NULL;
}

/* false: there is no memory. */
static bool make_mark(struct bh_gdb *gdb, struct gdb_mark *mark)
{
    struct rest rest = {};
    copy_all(gdb, &rest);
    *mark = (struct gdb_mark){.at = gdb_record_place(gdb), .run = gdb->record->run, .rest = malloc(rest.size + 1)};
    if (!mark->rest || bh_snapshot_take(gdb->device, &mark->snapshot) != BH_OK) {
        free(mark->rest);
        return false;
    }
    mark->bytes = bh_snapshot_size(mark->snapshot) + rest.size;
    rest = (struct rest){.at = mark->rest};
    copy_all(gdb, &rest);
    return true;
}

void gdb_record_take(struct bh_gdb *gdb, bool always)
{
    struct gdb_record *record = gdb->record;
    struct gdb_place now = gdb_record_place(gdb);
    const struct gdb_mark *last = gdb_record_mark(gdb, &now, true);
    if (!record->on || (last && gdb_place_compare(&last->at, &now) == 0) || (!last && record->mark_count) ||
        (last && !always && work_at(&now) - work_at(&last->at) < INTERVAL + last->bytes / BYTES_OF_INTERVAL)) {
        return;
    }
    struct gdb_mark mark;
    unsigned number = last ? (unsigned)(last - record->marks) + 1 : 0;
    if (!make_mark(gdb, &mark)) {
        return;
    }
    memmove(&record->marks[number + 1], &record->marks[number], (record->mark_count - number) * sizeof mark);
    record->marks[number] = mark;
    record->mark_count++;
    while (record->mark_count == RECORD_MARKS || (record->mark_count > 2 && bytes_of_all(record) > gdb_record_bytes)) {
        thin_out(record, work_at(&now));
    }
}

void gdb_record_restore(struct bh_gdb *gdb, const struct gdb_mark *mark)
{
    struct gdb_record *record = gdb->record;
    struct rest rest = {.at = mark->rest, .back = true};
    struct bh_error error;
    if (bh_snapshot_restore(gdb->device, mark->snapshot, &error) != BH_OK) {
        record->failed = true;
        gdb_say(gdb, error.text);
        gdb_say(gdb, "\n");
        return;
    }
    copy_all(gdb, &rest);
    record->position = mark->at.position;
    record->call = mark->at.call;
    record->run = mark->run;
    gdb->alone = gdb->watched = gdb->violated = false;
    for (unsigned i = 1; i <= gdb->thread_count; i++) {
        struct gdb_thread *thread = gdb_thread(gdb, i);
        thread->action = GDB_CONTINUES;
        thread->stepped = false;
        thread->watched.cause = GDB_NOTHING;
        thread->retired = gdb_core(gdb, thread)->core->instret;
    }
}

void gdb_record_forget(struct bh_gdb *gdb)
{
    struct gdb_record *record = gdb->record;
    while (record->mark_count) {
        remove_mark(record, record->mark_count - 1);
    }
    bh_snapshot_free(record->left);
    record->left = NULL;
}

void gdb_record_mute(struct bh_gdb *gdb, bool mute)
{
    gdb->record->repeats = mute;
    observers_tell_only(gdb->device, mute ? &gdb->observer : NULL);
    if (!mute && !link_connected(&gdb->link)) {
        gdb_let_go(gdb); /* all that it counts was told */
    }
}

/* The switch. */

bool gdb_records(const struct bh_gdb *gdb)
{
    return gdb->record && (gdb->record->on || gdb->record->repeats);
}

const char *gdb_record_switch(struct bh_gdb *gdb, bool on)
{
    if (on && !gdb->calls) {
        return "what the host of libttsim.so, or another chip of a system, does cannot be repeated: there is no "
               "recording";
    }
    if (on && (gdb->config.host_read || gdb->config.host_write)) {
        return "what the program reads of the host's memory cannot be repeated: there is no recording";
    }
    if (on && gdb->non_stop) {
        return "there is no recording in non-stop mode";
    }
    if (on && !gdb->record && !(gdb->record = calloc(1, sizeof *gdb->record))) {
        return "there is no memory for a recording";
    }
    if (gdb->record && gdb->record->on != on) {
        gdb->record->on = on;
        gdb_record_forget(gdb);
        gdb->link.attention = 1; /* bh_run() is to return at the end of the quantum */
    }
    return NULL;
}

void gdb_record_describe(const struct bh_gdb *gdb, FILE *out)
{
    const struct gdb_record *record = gdb->record;
    enum { MEGABYTE = 1000 * 1000 };
    if (!record || !record->on) {
        fputs("nothing is recorded\n", out);
    } else if (!record->mark_count) {
        fputs("the recording begins at the end of this quantum\n", out);
    } else {
        fprintf(out, "recorded from clock %llu on: %u snapshot%s, %.1f MB\n",
                (unsigned long long)record->marks[0].at.clock, record->mark_count, record->mark_count == 1 ? "" : "s",
                (double)bytes_of_all(record) / MEGABYTE);
    }
}

void gdb_record_changed(struct bh_gdb *gdb)
{
    if (gdb_records(gdb)) {
        gdb_record_forget(gdb);
        gdb_record_mute(gdb, false);
    }
}

void gdb_record_end(struct bh_gdb *gdb)
{
    if (gdb->record) {
        gdb_record_forget(gdb);
        gdb_record_mute(gdb, false);
        free(gdb->record->cycles);
        free(gdb->record);
        gdb->record = NULL;
    }
}
