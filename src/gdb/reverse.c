/* Going back, and running while it is recorded. */
#include <stdlib.h>
#include <string.h>

#include "chip/quantum.h"
#include "chip/snapshot/snapshot.h"
#include "gdb/record.h"

bool gdb_repeats(const struct bh_gdb *gdb)
{
    return gdb->record && gdb->record->repeats;
}

bool gdb_passes(const struct bh_gdb *gdb)
{
    return gdb->record && gdb->record->mode != RECORD_RUNS;
}

/* Where gdb has stopped the program. */
static struct gdb_place stopped_at(const struct bh_gdb *gdb)
{
    return gdb->event ? (struct gdb_place){.position = gdb->record->position - 1} : gdb_record_place(gdb);
}

const char *gdb_go_back(struct bh_gdb *gdb, bool step)
{
    struct gdb_record *record = gdb->record;
    if (gdb->non_stop) {
        return "there is no way back in non-stop mode";
    }
    if (!gdb->calls) {
        return "what the host of libttsim.so, or another chip of a system, does cannot be repeated: there is no way "
               "back";
    }
    if (!record || !record->on) {
        return "nothing is recorded: \"monitor record on\" begins";
    }
    struct gdb_place now = stopped_at(gdb);
    if (!record->mark_count || gdb_place_compare(&now, &record->marks[0].at) < 0) {
        return "nothing is recorded yet: it begins where the tiles have run for as long as this core, a few thousand "
               "cycles from here at most";
    }
    record->asked = true;
    record->mode = RECORD_LEAVES;
    record->search = (struct gdb_search){.end = now, .steps = !step ? 0 : gdb->control ? gdb->control : gdb->general};
    if (!record->repeats) {
        record->told = now;
        gdb_record_mute(gdb, true);
    }
    gdb->stopped = gdb->stop_asked = false;
    return NULL;
}

/* Searching. */

/* Later ones replace those before; of those at one instruction a watchpoint counts most, then a breakpoint. */
static void find(struct gdb_search *search, const struct gdb_goal *at, unsigned thread, struct gdb_stop stop)
{
    struct gdb_goal *found = &search->found;
    int order = found->thread ? gdb_place_compare(&at->at, &found->at) : 1;
    if (order > 0 || (order == 0 && stop.cause > found->stop.cause)) {
        *found = *at;
        found->thread = thread;
        found->stop = stop;
    }
}

static void search_instruction(struct bh_gdb *gdb, const struct bh_event *event, unsigned number, uint64_t index)
{
    struct gdb_search *search = &gdb->record->search;
    struct gdb_stop stop = gdb_stop_before(gdb, event);
    search->last = (struct gdb_goal){.thread = number, .at = {.position = index}, .quantum = search->quantum};
    if (number == search->steps) {
        search->issued = search->last;
    }
    if (stop.cause != GDB_NOTHING) {
        find(search, &search->last, number, stop);
    }
}

static void find_step(struct gdb_search *search)
{
    static const struct gdb_stop stepped = {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_TRAP};
    if (search->issued.thread) {
        find(search, &search->issued, search->steps, stepped);
    }
}

static void search_event(struct bh_gdb *gdb, const struct bh_event *event, unsigned number, uint64_t index)
{
    struct gdb_search *search = &gdb->record->search;
    unsigned thread;
    if (event->kind == BH_EVENT_ISSUED && number) {
        search_instruction(gdb, event, number, index);
    } else if (event->kind == BH_EVENT_RETIRED && number && number == search->steps) {
        search->has_retired |= !search->issued.thread;
        find_step(search);
    } else if (event->kind == BH_EVENT_ACCESS) {
        struct gdb_stop stop = gdb_stop_behind(gdb, event, &thread);
        if (thread) {
            search->last.access = *event;
            find(search, &search->last, thread, stop);
        }
    }
}

/* The program stands still where it was to go. */
static void arrive(struct bh_gdb *gdb, const struct bh_event *event, unsigned number)
{
    const struct gdb_goal *goal = &gdb->record->goal;
    struct bh_event copy;
    gdb->record->mode = RECORD_RUNS;
    gdb->stop_asked = false;
    if (event) {
        copy = *event;
        gdb->event = &copy;
        gdb->current = number;
    }
    if (goal->stop.cause >= GDB_WATCHED_WRITE && goal->stop.cause <= GDB_WATCHED_ACCESS &&
        goal->access.agent != BH_AGENT_CORE) {
        gdb_say_who(gdb, goal->thread, &goal->access);
    }
    gdb_stand_still(gdb, goal->thread, goal->stop);
    gdb->event = NULL;
    gdb->current = 0;
}

bool gdb_record_event(struct bh_gdb *gdb, const struct bh_event *event, unsigned number)
{
    struct gdb_record *record = gdb->record;
    if (!gdb->runs) { /* what the host does between two calls is not repeated */
        return false;
    }
    uint64_t index = record->position++;
    bool onward = record->mode == RECORD_RUNS || record->mode == RECORD_GOES;
    if (record->repeats && onward && !record->told.between && index >= record->told.position) {
        gdb_record_mute(gdb, false);
    }
    if (record->mode == RECORD_RUNS) {
        return false;
    }
    if (event->kind == BH_EVENT_RETIRED && number) {
        gdb_thread(gdb, number)->retired++;
    }
    if (record->mode == RECORD_SEARCHES && index < record->search.end.position) {
        search_event(gdb, event, number, index);
    } else if (record->mode == RECORD_GOES && !record->goal.at.between && index == record->goal.at.position) {
        arrive(gdb, event, number);
    }
    return true;
}

/* Running. */

static bool is_over(const struct bh_gdb *gdb)
{
    return gdb->killed || gdb->record->failed || (gdb->interrupted && *gdb->interrupted);
}

static void begin_call(struct bh_gdb *gdb, unsigned call)
{
    struct gdb_record *record = gdb->record;
    record->call = call;
    device_run_begin(gdb->device, record->cycles[call], &record->run);
}

/* One quantum. false: the call is over. */
static bool run_quantum(struct bh_gdb *gdb)
{
    struct gdb_record *record = gdb->record;
    gdb->runs = true;
    bool goes_on = device_run_on(gdb->device, gdb->device->clock + 1, &record->run);
    gdb->runs = false;
    if (record->run.result.reason == BH_RAN_INTERRUPTED) {
        record->run.result.reason = BH_RAN_CYCLES;
        gdb_look(gdb);
        return true;
    }
    return goes_on;
}

/* What has run before up to a place, or to where ^C stops it. */
static void run_to(struct bh_gdb *gdb, const struct gdb_place *end, enum gdb_record_mode mode,
                   const struct gdb_place *keep)
{
    struct gdb_record *record = gdb->record;
    struct gdb_place now = gdb_record_place(gdb);
    record->mode = mode;
    while (record->mode == mode && gdb_place_compare(&now, end) < 0 && !is_over(gdb) &&
           !(mode == RECORD_SEARCHES && gdb->stop_asked)) {
        record->search.quantum = now;
        gdb_record_take(gdb, keep && gdb_place_compare(&now, keep) == 0);
        if (!run_quantum(gdb) && record->mode == mode) {
            if (record->call + 1 == record->calls) {
                break;
            }
            (void)device_run_end(gdb->device, &record->run);
            begin_call(gdb, record->call + 1);
        }
        now = gdb_record_place(gdb);
    }
}

/* Searches from snapshot to snapshot, backwards. */
static void search(struct bh_gdb *gdb)
{
    struct gdb_record *record = gdb->record;
    struct gdb_search *search = &record->search;
    const struct gdb_mark *mark;
    while (!search->found.thread && !is_over(gdb) && (mark = gdb_record_mark(gdb, &search->end, false))) {
        struct gdb_place at = mark->at;
        bool retires_later = search->has_retired;
        gdb_record_restore(gdb, mark);
        search->issued = (struct gdb_goal){};
        search->last = (struct gdb_goal){.at = at, .quantum = at};
        run_to(gdb, &search->end, RECORD_SEARCHES, NULL);
        if (gdb->stop_asked) {
            return;
        }
        if (retires_later) {
            find_step(search);
        }
        search->end = at;
    }
}

static void go_back(struct bh_gdb *gdb)
{
    static const struct gdb_stop interrupted = {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_INT};
    static const struct gdb_stop begins = {.cause = GDB_HISTORY_BEGINS, .signal = GDB_SIGNAL_TRAP};
    struct gdb_record *record = gdb->record;
    struct gdb_place from = record->search.end;
    record->asked = false;
    search(gdb);
    if (record->search.found.thread && !gdb->stop_asked) {
        record->goal = record->search.found;
    } else if (gdb->stop_asked) {
        record->goal = (struct gdb_goal){.thread = gdb->general, .stop = interrupted, .at = from, .quantum = from};
    } else {
        record->goal = (struct gdb_goal){.thread = gdb->general, .stop = begins, .at = record->marks[0].at};
    }
    const struct gdb_mark *mark = gdb_record_mark(gdb, &record->goal.at, true);
    if (mark && !is_over(gdb)) {
        gdb_record_restore(gdb, mark);
        run_to(gdb, &record->goal.at, RECORD_GOES, &record->goal.quantum);
    }
    if (record->mode != RECORD_RUNS && !record->asked && !is_over(gdb)) {
        arrive(gdb, NULL, 0);
    }
}

/* A snapshot of a device that nothing runs on. Who has last done anything is forgotten: a look of the host counts. */
static struct bh_snapshot *snapshot_at_rest(struct bh_device *device)
{
    static const struct diagnostic_origin nobody = {.agent = BH_AGENT_HOST};
    struct bh_snapshot *snapshot;
    for (unsigned i = device_next_tile(device->ready, 0); i < TENSIX_TILES;
         i = device_next_tile(device->ready, i + 1)) {
        device->states[i].diagnostics.now = nobody;
    }
    return bh_snapshot_take(device, &snapshot) == BH_OK ? snapshot : NULL;
}

/* Whether the device is as the last call has left it: nobody but programs has changed anything. */
static bool goes_on(struct bh_gdb *gdb)
{
    struct gdb_record *record = gdb->record;
    struct bh_snapshot *now = record->mark_count && record->left ? snapshot_at_rest(gdb->device) : NULL;
    bool same = now && now->size == record->left->size && memcmp(now->bytes, record->left->bytes, now->size) == 0;
    bh_snapshot_free(now);
    return same;
}

/* Adds a call to those that are recorded, or begins with it. */
static bool add_call(struct bh_gdb *gdb, uint64_t cycles)
{
    struct gdb_record *record = gdb->record;
    if (!goes_on(gdb)) {
        gdb_record_forget(gdb);
        record->calls = 0;
    }
    uint64_t *grown = realloc(record->cycles, (record->calls + 1) * sizeof *grown);
    if (grown) {
        record->cycles = grown;
        grown[record->calls] = cycles;
        begin_call(gdb, record->calls++);
    }
    return grown != NULL;
}

/* The program has ended, or waits for ever: gdb may go back from there. */
static enum bh_status end_call(struct bh_gdb *gdb)
{
    static const struct gdb_stop ends = {.cause = GDB_HISTORY_ENDS, .signal = GDB_SIGNAL_TRAP};
    struct gdb_record *record = gdb->record;
    const struct device_run *run = &record->run;
    bool idle = run->result.reason == BH_RAN_CYCLES && run->result.cycles < run->cycles && !gdb->device->stopped;
    gdb_stop_between(gdb);
    if (idle && record->on && !record->asked && link_connected(&gdb->link)) {
        gdb_stand_still(gdb, gdb->general ? gdb->general : 1, ends);
    }
    if (record->asked || is_over(gdb)) {
        return BH_OK;
    }
    enum bh_status status = device_run_end(gdb->device, &record->run);
    if (status != BH_OK && link_connected(&gdb->link)) {
        gdb_show_violation(gdb);
    }
    return status;
}

/* Between two quanta. */
static void look_around(struct bh_gdb *gdb)
{
    struct gdb_record *record = gdb->record;
    struct gdb_place now = gdb_record_place(gdb);
    if (record->repeats && !record->asked && gdb_place_compare(&now, &record->told) >= 0) {
        gdb_record_mute(gdb, false);
    }
    if (gdb->link.attention) {
        gdb_look(gdb);
    }
    if (record->on && !link_connected(&gdb->link)) {
        (void)gdb_record_switch(gdb, false);
    }
    if (!record->asked) { /* else nothing of what has happened since counts */
        gdb_stop_between(gdb);
    }
    if (!record->asked) {
        gdb_record_take(gdb, false);
    }
}

enum bh_status gdb_record_run(struct bh_gdb *gdb, uint64_t cycles, struct bh_run_result *result)
{
    struct gdb_record *record = gdb->record;
    enum bh_status status = BH_OK;
    bool more = true;
    if (!add_call(gdb, cycles)) {
        result->reason = BH_RAN_STOPPED;
        return BH_ERROR_MEMORY;
    }
    while (more && !is_over(gdb)) {
        look_around(gdb);
        if (record->asked) {
            go_back(gdb);
        } else if (!is_over(gdb) && !run_quantum(gdb) && !record->asked) {
            look_around(gdb);
            status = record->asked ? BH_OK : end_call(gdb);
            more = record->asked || record->call + 1 < record->calls;
            if (more && !record->asked && !is_over(gdb)) {
                begin_call(gdb, record->call + 1);
            }
        }
    }
    *result = record->run.result;
    if (is_over(gdb)) {
        (void)device_run_end(gdb->device, &record->run);
        result->reason = record->failed ? BH_RAN_STOPPED : BH_RAN_INTERRUPTED;
        return record->failed ? BH_ERROR_MEMORY : BH_OK;
    }
    bh_snapshot_free(record->left);
    record->left = NULL;
    if (record->on) {
        record->left = snapshot_at_rest(gdb->device);
    }
    return status;
}
