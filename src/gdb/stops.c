/* When threads stop, and how. An observer is called before each instruction of a core, on the thread that runs the
   device: while it does not return the whole device stands still, with the instruction not yet begun, and nothing has
   changed when it goes on. In non-stop mode a core that stops leaves its turn before the instruction, and is paused
   until gdb lets it go on. */
#include <stdio.h>
#include <string.h>

#include "gdb/record.h"

enum { EBREAK = 0x00100073 };

const uint64_t gdb_kinds =
    BH_EVENT_BIT(BH_EVENT_ISSUED) | BH_EVENT_BIT(BH_EVENT_RETIRED) | BH_EVENT_BIT(BH_EVENT_ACCESS);

uint32_t gdb_pc(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    bool begins = gdb->current && gdb_thread(gdb, gdb->current) == thread;
    return begins ? gdb->event->place.pc : gdb_core(gdb, thread)->core->pc;
}

void gdb_set_pc(struct bh_gdb *gdb, struct gdb_thread *thread, uint32_t pc)
{
    struct rv32_core *core = gdb_core(gdb, thread)->core;
    core->pc = pc;
    core->waiting = false;
    thread->observed->core[thread->core].issued = false;
    if (core->halt == RV32_SELF_JUMP) {
        core->halt = RV32_RUNNING;
    }
    if (gdb->current && gdb_thread(gdb, gdb->current) == thread) {
        thread->observed->leaves = true;
        thread->observed->goes_to = pc;
        ((struct bh_event *)(uintptr_t)gdb->event)->place.pc = pc;
    }
}

/* Finding out whether to stop. */

const struct gdb_point *gdb_breakpoint_at(const struct bh_gdb *gdb, uint32_t pc)
{
    for (unsigned i = 0; i < gdb->point_count; i++) {
        if (gdb->points[i].type <= 1 && gdb->points[i].address == pc) {
            return &gdb->points[i];
        }
    }
    return NULL;
}

struct found {
    unsigned thread; /* 0: nothing */
    struct gdb_stop stop;
};

static struct found stop_of(unsigned thread, enum gdb_cause cause)
{
    return (struct found){thread, {.cause = cause, .signal = GDB_SIGNAL_TRAP}};
}

struct gdb_stop gdb_stop_before(const struct bh_gdb *gdb, const struct bh_event *event)
{
    const struct gdb_point *point = gdb_breakpoint_at(gdb, event->place.pc);
    enum gdb_cause cause = !point ? GDB_STOPPED : point->type == 0 ? GDB_SOFTWARE_BREAKPOINT : GDB_HARDWARE_BREAKPOINT;
    bool stops = point || event->instruction == EBREAK;
    return (struct gdb_stop){.cause = stops ? cause : GDB_NOTHING, .signal = GDB_SIGNAL_TRAP};
}

/* Watchpoints that were hit since the last instruction. */
static struct found find_watched(struct bh_gdb *gdb)
{
    for (unsigned i = 1; gdb->watched && i <= gdb->thread_count; i++) {
        struct gdb_thread *thread = gdb_thread(gdb, i);
        bool later = gdb->alone && thread->left_out; /* gdb expects no news of it until the other one has stepped */
        if (thread->watched.cause != GDB_NOTHING && !later) {
            struct found found = {i, thread->watched};
            thread->watched.cause = GDB_NOTHING;
            return found;
        }
    }
    gdb->watched = gdb->watched && gdb->alone;
    return (struct found){};
}

static bool step_ended(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    uint32_t pc;
    if (thread->action == GDB_CONTINUES || !thread->stepped) {
        return false;
    }
    pc = gdb_pc(gdb, thread);
    return thread->action == GDB_STEPS || pc < thread->from || pc >= thread->to || gdb_breakpoint_at(gdb, pc);
}

/* A thread that steps while gdb has all others stand still has ended its step, although its next turn has not come. */
static struct found find_lone_step(struct bh_gdb *gdb)
{
    for (unsigned i = 1; gdb->alone && i <= gdb->thread_count; i++) {
        if (step_ended(gdb, gdb_thread(gdb, i))) {
            return stop_of(i, GDB_STOPPED);
        }
    }
    return (struct found){};
}

/* A thread that gdb has stand still has come to a breakpoint, before the one that steps has executed its instruction.
   gdb (13 at least) ends itself if the answer to a step over a breakpoint is about another thread. What it does take is
   a signal that it is to pass on without a word: it then lets all threads go on, with breakpoints, and is told of the
   other one. */
static struct found end_lone_step(struct bh_gdb *gdb)
{
    for (unsigned i = 1; i <= gdb->thread_count; i++) {
        if (!gdb_thread(gdb, i)->left_out) {
            return (struct found){i, {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_CHLD}};
        }
    }
    return (struct found){};
}

/* It passes the breakpoint, which is told of as soon as gdb lets all threads go on. */
static void stop_later(struct bh_gdb *gdb, unsigned number)
{
    struct gdb_thread *thread = gdb_thread(gdb, number);
    char text[200];
    (void)snprintf(text, sizeof text, "%s passes the breakpoint at 0x%08x: gdb lets only another thread go on\n",
                   thread->name, gdb->event->place.pc);
    gdb_say(gdb, text);
    thread->watched = (struct gdb_stop){.cause = GDB_STOPPED, .signal = GDB_SIGNAL_TRAP};
    gdb->watched = true;
}

/* first: the instruction has not stopped the program yet. */
static struct found find(struct bh_gdb *gdb, unsigned number, bool first)
{
    struct found found = find_watched(gdb);
    found = found.thread ? found : find_lone_step(gdb);
    if (found.thread || !number) {
        return found;
    }
    struct gdb_stop stop = gdb_stop_before(gdb, gdb->event);
    if (stop.cause > GDB_STOPPED || (first && stop.cause == GDB_STOPPED)) {
        return (struct found){number, stop};
    }
    return first && step_ended(gdb, gdb_thread(gdb, number)) ? stop_of(number, GDB_STOPPED) : found;
}

static void stop(struct bh_gdb *gdb, struct found found)
{
    if (gdb->non_stop) {
        gdb_hold(gdb, gdb_thread(gdb, found.thread), found.stop);
        gdb_notify(gdb);
    } else {
        gdb_stand_still(gdb, found.thread, found.stop);
    }
}

static void on_issued(struct bh_gdb *gdb, unsigned number)
{
    bool first = true, ended = false;
    while (link_connected(&gdb->link) && !gdb_passes(gdb)) {
        if (gdb->link.attention) {
            gdb_look(gdb);
        }
        struct found found = find(gdb, number, first);
        if (!found.thread && gdb->stop_asked && number && !gdb->non_stop) {
            found = (struct found){number, {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_INT}};
        }
        if (!found.thread) {
            break;
        }
        if (found.thread && found.thread == number && gdb->alone && gdb_thread(gdb, number)->left_out) {
            if (ended) { /* and gdb insists */
                stop_later(gdb, number);
                break;
            }
            ended = true;
            stop(gdb, end_lone_step(gdb));
            continue;
        }
        gdb->stop_asked = false;
        stop(gdb, found);
        if (found.thread == number) {
            break;
        }
        first = false;
    }
    struct gdb_thread *thread = number ? gdb_thread(gdb, number) : NULL;
    if (thread && thread->held) { /* also one that the program has reset meanwhile */
        gdb_hold(gdb, thread, thread->stop);
    }
}

/* Watchpoints. */

/* Cores do not see GDDR, which has addresses of its own. */
static bool watches(const struct gdb_point *point, const struct bh_access *access)
{
    bool wanted = point->type == 4 || (point->type == 2 && access->write) || (point->type == 3 && !access->write);
    uint64_t address = access->address;
    return wanted && access->space != BH_SPACE_DRAM && address < (uint64_t)point->address + point->size &&
           address + access->size > point->address;
}

/* The thread that is told of an access of others: that of the core whose thread of the coprocessor, or NIU, it is. */
static unsigned thread_for(struct bh_gdb *gdb, const struct bh_event *event)
{
    const uint16_t *cores = gdb->thread_of[event->tile_y][event->tile_x];
    bool here = event->place_x == event->tile_x && event->place_y == event->tile_y;
    unsigned thread = 0;
    if (here && event->place.agent == BH_AGENT_CORE && event->place.index < BH_CORE_KINDS) {
        thread = cores[event->place.index];
    } else if (here && event->place.agent == BH_AGENT_THREAD && event->place.index < OBSERVED_THREADS) {
        thread = cores[BH_CORE_T0 + event->place.index];
    }
    for (unsigned core = 0; !thread && core < BH_CORE_KINDS; core++) {
        thread = cores[core];
    }
    return thread;
}

void gdb_say_who(struct bh_gdb *gdb, unsigned number, const struct bh_event *event)
{
    const struct gdb_thread *thread = gdb_thread(gdb, number);
    char text[400], by[100] = "";
    const struct bh_place *place = &event->place;
    if (place->agent == BH_AGENT_CORE || place->agent == BH_AGENT_THREAD) {
        char name[8];
        (void)snprintf(name, sizeof name, "T%u", place->index);
        (void)snprintf(by, sizeof by, ", for %s %s at 0x%08x of the tile at (%u,%u) of NoC 0",
                       bh_agent_name(place->agent),
                       place->agent == BH_AGENT_CORE ? bh_core_name((enum bh_core)place->index) : name, place->pc,
                       event->place_x, event->place_y);
    }
    (void)snprintf(text, sizeof text, "%u,%u: %s %u %s %u bytes at 0x%08x%s\n", thread->x, thread->y,
                   bh_agent_name((enum bh_agent)event->agent), event->index, event->access.write ? "wrote" : "read",
                   event->access.size, (uint32_t)event->access.address, by);
    gdb_say(gdb, text);
}

struct gdb_stop gdb_stop_behind(struct bh_gdb *gdb, const struct bh_event *event, unsigned *thread)
{
    static const enum gdb_cause causes[] = {[2] = GDB_WATCHED_WRITE, GDB_WATCHED_READ, GDB_WATCHED_ACCESS};
    struct gdb_stop stop = {.cause = GDB_NOTHING, .signal = GDB_SIGNAL_TRAP};
    *thread = 0;
    for (unsigned i = 0; i < gdb->point_count; i++) {
        const struct gdb_point *point = &gdb->points[i];
        unsigned number = point->type >= 2 && watches(point, &event->access) ? thread_for(gdb, event) : 0;
        if (number) {
            uint32_t first = (uint32_t)event->access.address;
            stop.cause = causes[point->type];
            stop.address = first > point->address ? first : point->address;
            *thread = number;
        }
    }
    return stop;
}

static void on_access(struct bh_gdb *gdb, const struct bh_event *event)
{
    unsigned number;
    struct gdb_stop stop = gdb_stop_behind(gdb, event, &number);
    if (number) {
        gdb_thread(gdb, number)->watched = stop;
        gdb->watched = true;
        if (event->agent != BH_AGENT_CORE) {
            gdb_say_who(gdb, number, event);
        }
    }
}

void gdb_on_event(void *context, const struct bh_event *event)
{
    struct bh_gdb *gdb = context;
    bool core = event->agent == BH_AGENT_CORE && event->index < BH_CORE_KINDS;
    unsigned number = core ? gdb->thread_of[event->tile_y][event->tile_x][event->index] : 0;
    if (gdb->event || (gdb->record && gdb_record_event(gdb, event, number))) { /* the former: it is caused by gdb */
        return;
    }
    if (event->kind == BH_EVENT_RETIRED && number) {
        gdb_thread(gdb, number)->stepped = true;
        gdb_thread(gdb, number)->retired++;
    } else if (event->kind == BH_EVENT_ACCESS && link_connected(&gdb->link)) {
        on_access(gdb, event);
    } else if (event->kind == BH_EVENT_ISSUED) {
        struct bh_event copy = *event; /* gdb may change the pc */
        gdb->event = &copy;
        gdb->current = number;
        on_issued(gdb, number);
        gdb->current = 0;
        gdb->event = NULL;
    }
}

void gdb_stop_between(struct bh_gdb *gdb)
{
    struct found found = find_watched(gdb);
    found = found.thread ? found : find_lone_step(gdb);
    if (!found.thread && gdb->stop_asked && !gdb->non_stop) {
        found = (struct found){gdb->general ? gdb->general : 1, {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_INT}};
    }
    if (found.thread && link_connected(&gdb->link)) {
        gdb->stop_asked = false;
        stop(gdb, found);
    }
}

/* Standing still. */

void gdb_stand_still(struct bh_gdb *gdb, unsigned thread, struct gdb_stop stop)
{
    gdb->why = stop;
    gdb->why_thread = gdb->general = thread;
    if (!gdb->stopped) {
        gdb->stopped = true;
        gdb_send_stop(gdb, thread, stop);
    }
    while (gdb->stopped && link_connected(&gdb->link)) {
        enum packet_event event = link_receive(&gdb->link, true);
        if (event == PACKET_WHOLE) {
            gdb_command(gdb, gdb->link.reader.data, gdb->link.reader.size);
        } else if (event == PACKET_NOTHING && gdb->interrupted && *gdb->interrupted) {
            break;
        }
    }
    gdb->stopped = false;
    if (link_connected(&gdb->link)) {
        gdb->link.attention = link_has_more(&gdb->link); /* a ^C may have come with the packet */
        link_watch(&gdb->link);
    } else {
        gdb_let_go(gdb);
    }
}

void gdb_look(struct bh_gdb *gdb)
{
    enum packet_event event;
    gdb->link.attention = 0;
    while ((event = link_receive(&gdb->link, false)) != PACKET_NOTHING) {
        if (event == PACKET_INTERRUPT) {
            gdb->stop_asked = true;
        } else if (event == PACKET_WHOLE) {
            gdb_command(gdb, gdb->link.reader.data, gdb->link.reader.size);
        }
    }
    if (!link_connected(&gdb->link)) {
        gdb_let_go(gdb);
    } else {
        link_watch(&gdb->link);
    }
    if (gdb->killed || (gdb->interrupted && *gdb->interrupted)) {
        gdb->link.attention = 1; /* bh_run() is to return */
    }
}

/* Non-stop mode. */

bool gdb_any_held(const struct bh_gdb *gdb)
{
    for (unsigned i = 0; i < gdb->thread_count; i++) {
        if (gdb->threads[i].held) {
            return true;
        }
    }
    return false;
}

void gdb_hold(struct bh_gdb *gdb, struct gdb_thread *thread, struct gdb_stop stop)
{
    struct rv32_core *core = gdb_core(gdb, thread)->core;
    thread->untold |= !thread->held;
    thread->held = true;
    thread->stop = stop;
    if (core->halt != RV32_RUNNING) {
        return;
    }
    thread->paused = true;
    core->halt = RV32_PAUSED;
    if (gdb->current && gdb_thread(gdb, gdb->current) == thread) {
        thread->observed->leaves = true;
        thread->observed->goes_to = gdb->event->place.pc;
    } else {
        gdb_touch_tile(gdb, thread);
    }
}

void gdb_release(struct bh_gdb *gdb, struct gdb_thread *thread)
{
    struct rv32_core *core = gdb_core(gdb, thread)->core;
    thread->held = thread->untold = false;
    if (thread->paused && core->halt == RV32_PAUSED) {
        core->halt = RV32_RUNNING;
        gdb_wake_tile(gdb, thread);
    }
    thread->paused = false;
    if (gdb->current && gdb_thread(gdb, gdb->current) == thread) {
        thread->observed->leaves = false;
    }
}

void gdb_let_go(struct bh_gdb *gdb)
{
    gdb->point_count = 0;
    gdb->stopped = gdb->stop_asked = gdb->alone = gdb->watched = gdb->telling = false;
    for (unsigned i = 0; i < gdb->thread_count; i++) {
        struct gdb_thread *thread = &gdb->threads[i];
        thread->action = GDB_CONTINUES;
        thread->watched.cause = GDB_NOTHING;
        thread->observed->every_round = gdb_repeats(gdb); /* else it would lose count */
        gdb_release(gdb, thread);
    }
}
