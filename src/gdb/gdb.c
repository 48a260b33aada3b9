/* include/bhemu/gdb.h. */
#include "bhemu/gdb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bhemu/dump.h"
#include "bhemu/observer.h"
#include "chip/quantum.h"
#include "gdb/record.h"
#include "util/arguments.h"
#include "util/fail.h"

static bool core_by_name(const char *name, unsigned *core)
{
    for (*core = 0; *core < BH_CORE_KINDS; ++*core) {
        if (strcmp(bh_core_name((enum bh_core) * core), name) == 0) {
            return true;
        }
    }
    return false;
}

enum bh_status bh_gdb_open(const struct bh_gdb_options *options, struct bh_gdb **result, struct bh_error *error)
{
    if (!options || !result || options->tile_count > DEVICE_TILES || options->port > UINT16_MAX) {
        return fail(error, BH_ERROR_ARGUMENT, "gdb: a port is 0 to 65535, and there are %u tiles", DEVICE_TILES);
    }
    if (arguments_array(options->tiles, options->tile_count, "gdb: tiles", error) != BH_OK ||
        arguments_pointers(options->cores, options->core_count, "gdb: cores", error) != BH_OK) {
        return BH_ERROR_ARGUMENT;
    }
    struct bh_gdb *gdb = calloc(1, sizeof *gdb);
    if (!gdb) {
        return fail(error, BH_ERROR_MEMORY, "gdb: no memory");
    }
    gdb->chosen_count = options->tile_count;
    for (unsigned i = 0; i < options->tile_count; i++) {
        gdb->chosen[i] = options->tiles[i];
    }
    gdb->chosen_cores = options->core_count ? 0 : (1u << BH_CORE_KINDS) - 1;
    for (unsigned i = 0; i < options->core_count; i++) {
        unsigned core;
        if (!core_by_name(options->cores[i], &core)) {
            free(gdb);
            return fail(error, BH_ERROR_ARGUMENT,
                        "gdb: there are cores B, T0, T1, T2, NC, E0, E1, DRISC; none is called: %s", options->cores[i]);
        }
        gdb->chosen_cores |= 1u << core;
    }
    gdb->interrupted = options->interrupted;
    gdb->program = options->program;
    gdb->program_context = options->context;
    const char *why = link_open(&gdb->link, options->port, options->interrupted);
    if (why) {
        link_close(&gdb->link);
        free(gdb);
        return fail(error, BH_ERROR_IO, "gdb: port %u of 127.0.0.1: %s", options->port, why);
    }
    *result = gdb;
    return BH_OK;
}

unsigned bh_gdb_port(const struct bh_gdb *gdb)
{
    return gdb ? gdb->link.port : 0;
}

/* Diagnostics on their way to the user: gdb is told of those that stop the program, and where. */
static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    static const struct gdb_stop aborted = {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_ABRT};
    struct bh_gdb *gdb = context;
    bool held = gdb->non_stop && gdb_any_held(gdb);
    if (held && diagnostic->category == BH_DEADLOCK) {
        return; /* others wait for threads that gdb has stopped */
    }
    if (diagnostic->action == BH_STOP && link_connected(&gdb->link) && !gdb_passes(gdb)) {
        char text[BH_DIAGNOSTIC_TEXT + 300];
        (void)bh_diagnostic_format(diagnostic, text, sizeof text);
        gdb_say(gdb, text);
        gdb_say(gdb, "\n");
        const uint16_t *cores = diagnostic->tile_x < NOC_WIDTH && diagnostic->tile_y < NOC_HEIGHT
                                    ? gdb->thread_of[diagnostic->tile_y][diagnostic->tile_x]
                                    : NULL;
        bool deadlock = diagnostic->agent == BH_AGENT_HOST && diagnostic->places_count;
        enum bh_agent agent = deadlock ? diagnostic->places[0].agent : diagnostic->agent;
        unsigned index = deadlock ? diagnostic->places[0].index : diagnostic->index;
        unsigned core = agent == BH_AGENT_CORE ? index : agent == BH_AGENT_THREAD ? BH_CORE_T0 + index : 0;
        gdb->violation_thread = cores && core < BH_CORE_KINDS && cores[core] ? cores[core] : 1;
        if (!gdb->runs && !gdb->event) { /* the host may end the process when it hears of it */
            gdb->violated = true;
            gdb_stand_still(gdb, gdb->violation_thread, aborted);
        }
    }
    if (gdb->config.on_diagnostic && !gdb_repeats(gdb)) {
        gdb->config.on_diagnostic(gdb->config.context, diagnostic);
    }
}

static void host_read(void *context, uint64_t address, void *data, uint32_t size)
{
    const struct bh_gdb *gdb = context;
    gdb->config.host_read(gdb->config.context, address, data, size);
}

static void host_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    const struct bh_gdb *gdb = context;
    gdb->config.host_write(gdb->config.context, address, data, size);
}

/* Callbacks of the device share one context. */
static void take_callbacks(struct bh_gdb *gdb)
{
    struct bh_device_config *config = &gdb->device->config;
    gdb->config = *config;
    config->interrupted = &gdb->link.attention;
    config->on_diagnostic = on_diagnostic;
    config->host_read = config->host_read ? host_read : NULL;
    config->host_write = config->host_write ? host_write : NULL;
    config->context = gdb;
}

static void give_callbacks_back(struct bh_gdb *gdb)
{
    struct bh_device_config *config = &gdb->device->config;
    config->interrupted = gdb->config.interrupted;
    config->on_diagnostic = gdb->config.on_diagnostic;
    config->host_read = gdb->config.host_read;
    config->host_write = gdb->config.host_write;
    config->context = gdb->config.context;
}

static void add_threads(struct bh_gdb *gdb, struct bh_tile tile, const struct gdb_site *site)
{
    uint8_t cores[BH_CORE_COUNT];
    unsigned count = gdb_site_cores(gdb, site, cores);
    for (unsigned slot = 0; slot < count; slot++) {
        unsigned core = cores[slot];
        if (gdb->chosen_cores >> core & 1 && gdb->thread_count < GDB_THREADS) {
            struct gdb_thread *thread = &gdb->threads[gdb->thread_count++];
            *thread = (struct gdb_thread){
                .tile = site->index, .x = tile.x, .y = tile.y, .core = (uint8_t)core, .slot = (uint8_t)slot};
            (void)snprintf(thread->name, sizeof thread->name, "%u,%u %s", tile.x, tile.y,
                           bh_core_name((enum bh_core)core));
            thread->observed = &gdb->device->observers.tiles[site->y * NOC_WIDTH + site->x];
            thread->observed->every_round = true;
            thread->retired = gdb_core(gdb, thread)->core->instret;
            gdb->thread_of[site->y][site->x][core] = (uint16_t)gdb->thread_count;
        }
    }
}

/* Whether the tile was named before. */
static bool has_threads(const struct bh_gdb *gdb, const struct gdb_site *site)
{
    bool any = false;
    for (unsigned core = 0; core < BH_CORE_KINDS; core++) {
        any |= gdb->thread_of[site->y][site->x][core] != 0;
    }
    return any;
}

static enum bh_status choose_tiles(struct bh_gdb *gdb, struct bh_error *error)
{
    unsigned count = gdb->chosen_count;
    if (count) {
        memcpy(gdb->tiles, gdb->chosen, sizeof gdb->tiles);
    } else {
        count = gdb_running_tiles(gdb, gdb->tiles);
    }
    for (unsigned i = 0; i < count; i++) {
        struct gdb_site site;
        if (!gdb_find_tile(gdb, &gdb->tiles[i], &site)) {
            char name[16];
            (void)snprintf(name, sizeof name, "%u-%u", gdb->tiles[i].x, gdb->tiles[i].y);
            return fail(error, BH_ERROR_ARGUMENT, "gdb: there is no tile with RISC-V cores at: %s", name);
        }
    }
    gdb->observer = (struct bh_observer){
        .kinds = gdb_kinds, .tiles = gdb->tiles, .tile_count = count, .on_event = gdb_on_event, .context = gdb};
    return count ? BH_OK : fail(error, BH_ERROR_ARGUMENT, "gdb: no core runs, and no tile was chosen");
}

enum bh_status bh_gdb_attach(struct bh_gdb *gdb, struct bh_device *device, struct bh_error *error)
{
    if (!gdb || !device || device_is_remote(device) || gdb->device) {
        return fail(error, BH_ERROR_ARGUMENT, "gdb: no device, or one in another process, or already attached");
    }
    gdb->device = device;
    gdb->thread_count = 0;
    gdb->non_stop = gdb->greeted = gdb->killed = gdb->violated = false;
    memset(gdb->thread_of, 0, sizeof gdb->thread_of);
    enum bh_status status = choose_tiles(gdb, error);
    if (status == BH_OK && (status = bh_device_add_observer(device, &gdb->observer)) != BH_OK) {
        status = fail(error, status, "gdb: the device can not be observed: %s",
                      status == BH_ERROR_MEMORY ? "no memory" : "a chosen tile is not there");
    }
    if (status != BH_OK) {
        gdb->device = NULL;
        return status;
    }
    for (unsigned i = 0; i < gdb->observer.tile_count; i++) {
        struct gdb_site site;
        if (gdb_find_tile(gdb, &gdb->tiles[i], &site) && !has_threads(gdb, &site)) {
            add_threads(gdb, gdb->tiles[i], &site);
        }
    }
    take_callbacks(gdb);
    return BH_OK;
}

/* The first thread that runs. */
static unsigned first_thread(struct bh_gdb *gdb)
{
    for (unsigned i = 1; i <= gdb->thread_count; i++) {
        if (gdb_core(gdb, gdb_thread(gdb, i))->core->halt == RV32_RUNNING) {
            return i;
        }
    }
    return 1;
}

/* Waits for gdb if it was not here yet. */
static void greet(struct bh_gdb *gdb)
{
    static const struct gdb_stop begins = {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_TRAP};
    if (!gdb->greeted) {
        gdb->greeted = true;
        if (link_accept(&gdb->link)) {
            gdb->stopped = true;
            gdb_stand_still(gdb, first_thread(gdb), begins);
        } else {
            gdb_let_go(gdb);
        }
    }
}

static bool is_interrupted(const struct bh_gdb *gdb)
{
    return gdb->killed || (gdb->interrupted && *gdb->interrupted);
}

/* What is to be done between two calls of the device. */
static void serve(struct bh_gdb *gdb)
{
    greet(gdb);
    if (gdb->link.attention) {
        gdb_look(gdb);
    }
    gdb_stop_between(gdb);
}

bool bh_gdb_serve(struct bh_gdb *gdb)
{
    if (gdb && gdb->device) {
        serve(gdb);
        while (bh_gdb_holds(gdb) && !device_any_active(gdb->device) && !is_interrupted(gdb)) {
            if (link_receive(&gdb->link, true) == PACKET_WHOLE) {
                gdb_command(gdb, gdb->link.reader.data, gdb->link.reader.size);
            }
        }
    }
    return !gdb || !gdb->killed;
}

bool bh_gdb_holds(const struct bh_gdb *gdb)
{
    return gdb && gdb->device && gdb->non_stop && link_connected(&gdb->link) && gdb_any_held(gdb);
}

/* All that could run is stopped by gdb, or waits for what is. */
static void wait_for_gdb(struct bh_gdb *gdb)
{
    if (link_receive(&gdb->link, true) == PACKET_WHOLE) {
        gdb_command(gdb, gdb->link.reader.data, gdb->link.reader.size);
    }
    if (!link_connected(&gdb->link)) {
        gdb_let_go(gdb);
    }
}

void gdb_show_violation(struct bh_gdb *gdb)
{
    static const struct gdb_stop aborted = {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_ABRT};
    gdb->violated = true;
    unsigned thread = gdb->violation_thread ? gdb->violation_thread : 1;
    if (gdb->non_stop) {
        gdb_hold(gdb, gdb_thread(gdb, thread), aborted);
        gdb_notify(gdb);
        while (link_connected(&gdb->link) && gdb_thread(gdb, thread)->held && !is_interrupted(gdb)) {
            wait_for_gdb(gdb);
        }
    } else {
        gdb_stand_still(gdb, thread, aborted);
    }
}

enum bh_status bh_gdb_run(struct bh_gdb *gdb, uint64_t cycles, struct bh_run_result *result)
{
    struct bh_run_result sum = {.reason = BH_RAN_CYCLES};
    enum bh_status status = BH_OK;
    if (!gdb || !gdb->device) {
        return BH_ERROR_ARGUMENT;
    }
    gdb->calls = true;
    while (sum.cycles < cycles) {
        struct bh_run_result piece = {};
        serve(gdb);
        if (is_interrupted(gdb)) {
            sum.reason = BH_RAN_INTERRUPTED;
            break;
        }
        bool held = bh_gdb_holds(gdb);
        if (gdb_records(gdb)) {
            status = gdb_record_run(gdb, cycles - sum.cycles, &piece);
        } else {
            gdb->runs = true;
            status = bh_run(gdb->device, cycles - sum.cycles, &piece);
            gdb->runs = false;
        }
        sum.reason = piece.reason;
        sum.cycles += held ? 0 : piece.cycles; /* a job's limit does not count while gdb looks at a thread */
        sum.riscv_instructions += piece.riscv_instructions;
        sum.tensix_instructions += piece.tensix_instructions;
        held |= bh_gdb_holds(gdb);
        if (held && (piece.reason == BH_RAN_IDLE || piece.reason == BH_RAN_DEADLOCK)) {
            status = BH_OK;
            sum.reason = BH_RAN_CYCLES;
            wait_for_gdb(gdb);
        } else if (piece.reason == BH_RAN_INTERRUPTED) {
            sum.reason = BH_RAN_CYCLES;
        } else {
            gdb_stop_between(gdb);
            if (status != BH_OK && !gdb->violated && link_connected(&gdb->link)) {
                gdb_show_violation(gdb);
            }
            if (piece.reason != BH_RAN_CYCLES) {
                break;
            }
        }
    }
    gdb->calls = false;
    if (gdb->killed) { /* also in the quantum in which the program ended */
        sum.reason = BH_RAN_INTERRUPTED;
        status = BH_OK;
    }
    if (result) {
        *result = sum;
    }
    return status;
}

/* In non-stop mode gdb says that it has heard of the end. */
static void wait_until_heard(struct bh_gdb *gdb)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    for (unsigned patience = 0; patience < 100 && link_connected(&gdb->link); patience++) {
        if (link_receive(&gdb->link, false) == PACKET_WHOLE) {
            packet_begin(&gdb->reply);
            packet_text(&gdb->reply, "OK");
            link_send(&gdb->link, &gdb->reply, '$');
            if (strcmp(gdb->link.reader.data, "vStopped") == 0) {
                return;
            }
        }
        nanosleep(&pause, NULL);
    }
}

void bh_gdb_detach(struct bh_gdb *gdb, unsigned code)
{
    if (!gdb || !gdb->device) {
        return;
    }
    if (link_connected(&gdb->link)) {
        packet_begin(&gdb->notice);
        packet_text(&gdb->notice, gdb->non_stop ? "Stop:W%02x" : "W%02x", code & 0xff);
        link_send(&gdb->link, &gdb->notice, gdb->non_stop ? '%' : '$');
        if (gdb->non_stop) {
            wait_until_heard(gdb);
        }
        link_drop(&gdb->link);
    }
    gdb_record_end(gdb);
    gdb_let_go(gdb);
    give_callbacks_back(gdb);
    (void)bh_device_remove_observer(gdb->device, &gdb->observer);
    gdb->device = NULL;
}

void bh_gdb_close(struct bh_gdb *gdb)
{
    if (gdb) {
        bh_gdb_detach(gdb, 0);
        link_close(&gdb->link);
        free(gdb);
    }
}
