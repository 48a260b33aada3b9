/* The log of include/bhemu/log.h: one line for each retired instruction. Its effects are reported before and are
   collected for each core and thread, since a thread may execute while a core pushes. */
#include "bhemu/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rv32_isa.h"
#include "isa/rv32_text.h"
#include "isa/tensix_text.h"
#include "util/bits.h"
#include "util/fail.h"
#include "watch/filter.h"
#include "watch/instruction_text.h"

enum { EFFECTS_SIZE = 400, CORES = WATCH_CORES, THREADS = WATCH_THREADS, GRID = WATCH_GRID };

/* The effects of the current instruction, as text. */
struct effects {
    unsigned length, left_out;
    char text[EFFECTS_SIZE];
};

struct log_tile {
    struct effects core[CORES], thread[THREADS];
};

struct bh_log {
    struct bh_observer observer;
    FILE *file;
    char *path;
    int error; /* errno of the first failure */
    struct watch_filter filter;
    struct log_tile *tiles[GRID][GRID];
};

/* What is logged. */

static bool is_logged(const struct bh_log *log, const struct bh_event *event)
{
    const struct bh_place *place = &event->place;
    if (place->agent == BH_AGENT_CORE) {
        return watch_core(&log->filter, place->index);
    }
    return place->agent == BH_AGENT_THREAD && watch_word(&log->filter, event->instruction);
}

/* The effects of an event's agent; null: the agent is not logged, or there is no memory. */
static struct effects *effects_of(struct bh_log *log, const struct bh_event *event)
{
    bool elsewhere = event->place_x != event->tile_x || event->place_y != event->tile_y;
    if (elsewhere || event->agent == BH_AGENT_NIU || event->tile_x >= GRID || event->tile_y >= GRID ||
        !is_logged(log, event)) {
        return NULL;
    }
    struct log_tile **tile = &log->tiles[event->tile_y][event->tile_x];
    if (!*tile && !(*tile = calloc(1, sizeof **tile))) {
        log->error = log->error ? log->error : ENOMEM;
        return NULL;
    }
    unsigned index = event->place.index;
    if (event->place.agent == BH_AGENT_CORE) {
        return index < CORES ? &(*tile)->core[index] : NULL;
    }
    return index < THREADS ? &(*tile)->thread[index] : NULL;
}

/* Effects as text. */

static void __attribute__((format(printf, 2, 3))) add(struct effects *effects, const char *format, ...)
{
    va_list arguments;
    unsigned room = EFFECTS_SIZE - effects->length;
    va_start(arguments, format);
    int length = vsnprintf(effects->text + effects->length, room, format, arguments);
    va_end(arguments);
    if (effects->left_out || length < 0 || (unsigned)length >= room) {
        effects->text[effects->length] = 0;
        effects->left_out++;
    } else {
        effects->length += (unsigned)length;
    }
}

/* The name of the thread whose registers changed, if another agent changed them. */
static const char *whose(const struct bh_event *event, char name[8])
{
    bool own = event->place.agent == BH_AGENT_THREAD && event->place.index == event->reg.part;
    name[0] = 0;
    if (!own) {
        (void)snprintf(name, 8, "t%u.", event->reg.part);
    }
    return name;
}

static void add_register(struct effects *effects, const struct bh_event *event)
{
    static const char *const counters[] = {"unpacker0", "unpacker1", "packer"};
    static const char *const adc_fields[] = {"x", "y", "z", "w", "x_cr", "y_cr", "z_cr", "w_cr"};
    static const char *const rwc_fields[] = {"srca",    "srcb",    "dst",    "fidelity",
                                             "srca_cr", "srcb_cr", "dst_cr", "extra"};
    const struct bh_register *reg = &event->reg;
    uint32_t index = reg->index, value = reg->value;
    char name[8];
    switch ((enum bh_register_file)reg->file) {
    case BH_REGISTER_X: add(effects, " %s=0x%08x", rv32_x_name(index), value); break;
    case BH_REGISTER_F: add(effects, " %s=0x%08x", rv32_f_name(index), value); break;
    case BH_REGISTER_V: add(effects, " v%u.%u=0x%08x", index / 4, index % 4, value); break;
    case BH_REGISTER_CSR: add(effects, " csr_%03x=0x%08x", index, value); break;
    case BH_REGISTER_GPR: add(effects, " %sgpr%u=0x%08x", whose(event, name), index, value); break;
    case BH_REGISTER_CONFIG: add(effects, " config%u.%u=0x%08x", reg->part, index, value); break;
    case BH_REGISTER_THREAD_CONFIG: add(effects, " %sthread.%u=0x%04x", whose(event, name), index, value); break;
    case BH_REGISTER_ADC:
        add(effects, " %s%s.%u.%s=%u", whose(event, name), counters[index / 16 % COUNT_OF(counters)], index / 8 % 2,
            adc_fields[index % COUNT_OF(adc_fields)], value);
        break;
    case BH_REGISTER_RWC:
        add(effects, " %srwc.%s=%u", whose(event, name), rwc_fields[index % COUNT_OF(rwc_fields)], value);
        break;
    default: break;
    }
}

/* Adds a store; the push of a .ttinsn needs no text. */
static void add_access(struct effects *effects, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    if (!access->write || (event->agent == BH_AGENT_CORE && rv32_identify(event->instruction) == RV32_OP_TTINSN)) {
        return;
    }
    if (event->agent == BH_AGENT_CORE && access->data && access->size <= 4) {
        uint32_t value = 0;
        memcpy(&value, access->data, access->size);
        add(effects, " [0x%08" PRIx64 "]=0x%0*x", access->address, (int)access->size * 2, value);
    } else {
        add(effects, " [0x%08" PRIx64 "+%u]", access->address, access->size);
    }
}

static const char *owner_name(unsigned owner, char name[8])
{
    if (owner == BH_MUTEX_FREE) {
        return "free";
    }
    (void)snprintf(name, 8, "t%u", owner);
    return name;
}

static void add_effect(struct effects *effects, const struct bh_event *event)
{
    char name[8];
    switch ((enum bh_event_kind)event->kind) {
    case BH_EVENT_REGISTER: add_register(effects, event); break;
    case BH_EVENT_ACCESS: add_access(effects, event); break;
    case BH_EVENT_SEMAPHORE:
        add(effects, " semaphore%u=%u/%u", event->semaphore.number, event->semaphore.value, event->semaphore.maximum);
        break;
    case BH_EVENT_MUTEX: add(effects, " mutex%u=%s", event->mutex.number, owner_name(event->mutex.owner, name)); break;
    case BH_EVENT_SRC_BANK:
        add(effects, " src%c%u=%s", "ab"[event->src_bank.src & 1], event -> src_bank.bank,
            event->src_bank.owner == BH_SRC_MATRIX ? "matrix" : "unpackers");
        break;
    default: break;
    }
}

/* Lines. */

static void write_line(struct bh_log *log, const struct bh_event *event, const struct effects *effects)
{
    char instruction[TENSIX_TEXT_SIZE], who[24], tile[12], more[32] = "";
    const struct bh_place *place = &event->place;
    if (place->agent == BH_AGENT_CORE) {
        watch_core_instruction(event->instruction, place->pc, instruction, sizeof instruction);
        (void)snprintf(who, sizeof who, "%s", bh_core_name((enum bh_core)place->index));
    } else {
        tensix_disassemble(event->instruction, TENSIX_TEXT_FIELDS, instruction, sizeof instruction);
        (void)snprintf(who, sizeof who, "t%u.%s", place->index, bh_unit_name(watch_unit(event->instruction)));
    }
    if (effects->left_out) {
        (void)snprintf(more, sizeof more, " and %u more", effects->left_out);
    }
    (void)snprintf(tile, sizeof tile, "%u-%u", event->tile_x, event->tile_y);
    if (fprintf(log->file, "%10" PRIu64 " %-5s %-9s 0x%08x  %s%s%s%s\n", event->cycle, tile, who, place->pc,
                instruction, effects->length || effects->left_out ? "  ;" : "", effects->text, more) < 0 &&
        !log->error) {
        log->error = errno ? errno : EIO;
    }
}

static void on_event(void *context, const struct bh_event *event)
{
    struct bh_log *log = context;
    struct effects *effects = log->error ? NULL : effects_of(log, event);
    if (!effects) {
        return;
    }
    if (event->kind == BH_EVENT_RETIRED && watch_time(&log->filter, event->cycle)) {
        write_line(log, event, effects);
    } else if (event->kind != BH_EVENT_ISSUED && event->kind != BH_EVENT_RETIRED) {
        add_effect(effects, event);
        return;
    }
    effects->length = effects->left_out = 0;
    effects->text[0] = 0;
}

/* Opening and closing. */

static enum bh_status choose(struct bh_log *log, const struct bh_log_options *options, struct bh_error *error)
{
    const struct watch_names names = {.tiles = options->tiles,
                                      .tile_count = options->tile_count,
                                      .cores = options->cores,
                                      .core_count = options->core_count,
                                      .units = options->units,
                                      .unit_count = options->unit_count,
                                      .from = options->from,
                                      .to = options->to};
    return watch_filter_make(&log->filter, &names, error);
}

static void forget(struct bh_log *log)
{
    for (unsigned i = 0; i < GRID * GRID; i++) {
        free(log->tiles[i / GRID][i % GRID]);
    }
    free(log->path);
    free(log);
}

enum bh_status bh_log_open(const char *path, const struct bh_log_options *options, struct bh_log **log,
                           struct bh_error *error)
{
    static const struct bh_log_options everything;
    options = options ? options : &everything;
    if (!path || !log) {
        return fail(error, BH_ERROR_ARGUMENT, "no path, or nowhere to put the log");
    }
    struct bh_log *opened = calloc(1, sizeof *opened);
    *log = NULL;
    if (!opened || !(opened->path = strdup(path))) {
        free(opened);
        return fail(error, BH_ERROR_MEMORY, "no memory for a log");
    }
    enum bh_status status = choose(opened, options, error);
    if (status == BH_OK && !(opened->file = fopen(path, "we"))) {
        status = fail(error, BH_ERROR_IO, "log %s: %s", path, strerror(errno));
    }
    if (status != BH_OK) {
        forget(opened);
        return status;
    }
    opened->observer = (struct bh_observer){.kinds = BH_EVENT_BIT(BH_EVENT_ISSUED) | BH_EVENT_BIT(BH_EVENT_RETIRED) |
                                                     BH_EVENT_BIT(BH_EVENT_REGISTER) | BH_EVENT_BIT(BH_EVENT_ACCESS) |
                                                     BH_EVENT_BIT(BH_EVENT_SEMAPHORE) | BH_EVENT_BIT(BH_EVENT_MUTEX) |
                                                     BH_EVENT_BIT(BH_EVENT_SRC_BANK),
                                            .tiles = options->tiles,
                                            .tile_count = options->tile_count,
                                            .on_event = on_event,
                                            .context = opened,
                                            .from = options->from,
                                            .to = options->to};
    *log = opened;
    return BH_OK;
}

const struct bh_observer *bh_log_observer(const struct bh_log *log)
{
    return log ? &log->observer : NULL;
}

enum bh_status bh_log_close(struct bh_log *log, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    if (!log) {
        return BH_OK;
    }
    if (fclose(log->file) != 0 && !log->error) {
        log->error = errno;
    }
    if (log->error) {
        status = fail(error, BH_ERROR_IO, "log %s: %s; what follows is missing", log->path, strerror(log->error));
    }
    forget(log);
    return status;
}
