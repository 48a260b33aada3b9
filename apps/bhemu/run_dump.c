/* --dump: the state of tiles at the end of a job, however it ended; with --dump-at where and when that says. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bhemu/dump.h"
#include "host/job_functions.h"
#include "run_files.h"
#include "run_part.h"
#include "run_place.h"

enum { DUMPS = 64, STOPS = 64, PATH_SIZE = 4096, SOURCE_SIZE = 200, TILES_HIGH = 12, TILES_WIDE = 17 };

/* A file that a dump is written to; several may share it. */
struct dump_file {
    const char *path; /* null: stdout */
    enum bh_dump_form form;
    FILE *file;
    unsigned documents;
};

struct wanted {
    char *request;
    unsigned file;
};

/* A place or a clock of --dump-at. */
struct stop {
    const char *text;
    bool at_clock, reached;
    uint64_t clock;
    enum bh_agent agent;
    uint8_t index;
    uint32_t pc;
    char source[SOURCE_SIZE];            /* in place of the pc, unless it is empty: "function", "file.c:57" */
    bool inside[TILES_HIGH][TILES_WIDE]; /* the last instruction of the core was there */
    uint64_t times;                      /* that are left to go by */
};

static struct wanted wanted[DUMPS];
static struct stop stops[STOPS];
static struct dump_file files[DUMPS];
static unsigned wanted_count, stop_count, file_count;

static struct run *of_run;
static struct bh_device *of_device;
static unsigned occasions;         /* on which was dumped */
static enum bh_status failed;      /* of a dump while the job ran, ... */
static struct bh_error why_failed; /* ... and why */

const struct command_option run_dump_list[] = {
    {"dump", "WHAT[:FILE]",
     "write the state of tiles when the run ends or stops: dst, srca, srcb, lregs, gprs, config,\nadcs, rwcs, "
     "semaphores, mutexes, cbs, niu, fifos, mop, replay, cores, all, with more words\nas in docs/dump.md: 'dst tiles 0 "
     "2 bf16'; FILE may end in .json, or .npy for arrays; may be\nrepeated; --tile and --core restrict it",
     0, false},
    {"dump-at", "WHERE",
     "write the dumps earlier: at a clock, or the first time that a core reaches CORE:ADDRESS,\nCORE:FUNCTION or "
     "CORE:FILE:LINE, as T1:0xa090 or T1:math.c:57, or that a thread (t1) executes\nan instruction pushed there; "
     "T1:0xa090,3: the third time; may be repeated",
     0, false},
    {},
};

/* Options. */

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), of_ending = strlen(ending);
    return length > of_ending && strcmp(text + length - of_ending, ending) == 0;
}

static enum bh_dump_form form_of(const char *path)
{
    return path && ends_in(path, ".json") ? BH_DUMP_JSON : path && ends_in(path, ".npy") ? BH_DUMP_NPY : BH_DUMP_TEXT;
}

static unsigned find_file(const char *path)
{
    for (unsigned i = 0; i < file_count; i++) {
        bool same = files[i].path && path ? strcmp(files[i].path, path) == 0 : files[i].path == path;
        if (same) {
            return i;
        }
    }
    if (path && form_of(path) != BH_DUMP_NPY) { /* arrays have names of their own */
        run_files_note_path("dump", path);
    }
    files[file_count] = (struct dump_file){.path = path, .form = form_of(path)};
    return file_count++;
}

static bool set_dump(const char *value)
{
    const char *colon = strchr(value, ':'), *path = colon ? colon + 1 : NULL;
    struct bh_error error;
    if (wanted_count == DUMPS) {
        return run_wrong("more than %d times --dump", DUMPS);
    }
    if (path && !*path) {
        return run_wrong("--dump %s: no file behind the colon", value);
    }
    char *request = strndup(value, colon ? (size_t)(colon - value) : strlen(value));
    if (!request) {
        return run_wrong("out of memory");
    }
    if (bh_dump_check(request, form_of(path), &error) != BH_OK) {
        free(request);
        return run_wrong("--dump %s: %s", value, error.text);
    }
    if (form_of(path) == BH_DUMP_NPY) {
        for (unsigned i = 0; i < file_count; i++) {
            if (files[i].path && strcmp(files[i].path, path) == 0) {
                free(request);
                return run_wrong("--dump %s: a .npy file holds one array, and this one has one", value);
            }
        }
    }
    wanted[wanted_count++] = (struct wanted){.request = request, .file = find_file(path)};
    return true;
}

static bool set_place(struct stop *stop, const char *value, const char *colon)
{
    char name[8] = "", where[SOURCE_SIZE] = "";
    const char *comma = strchr(colon, ',');
    size_t length = comma ? (size_t)(comma - colon - 1) : strlen(colon + 1);
    uint64_t pc = 0, times = 1;
    if ((size_t)(colon - value) >= sizeof name || length >= sizeof where) {
        return false;
    }
    memcpy(name, value, (size_t)(colon - value));
    memcpy(where, colon + 1, length);
    if (run_is_source(where)) {
        memcpy(stop->source, where, sizeof where);
    } else if (!run_number(where, &pc) || pc > UINT32_MAX) {
        return false;
    }
    if (comma && (!run_number(comma + 1, &times) || !times)) {
        return false;
    }
    stop->pc = (uint32_t)pc;
    stop->times = times;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        const char *of_core = bh_core_name((enum bh_core)core);
        if (strcmp(name, of_core) == 0) {
            stop->agent = BH_AGENT_CORE;
            stop->index = (uint8_t)core;
            return true;
        }
        if (core >= BH_CORE_T0 && core <= BH_CORE_T2 && name[0] == 't' && strcmp(name + 1, of_core + 1) == 0) {
            stop->agent = BH_AGENT_THREAD;
            stop->index = (uint8_t)(core - BH_CORE_T0);
            return true;
        }
    }
    return false;
}

static bool set_stop(const char *value)
{
    const char *colon = strchr(value, ':');
    struct stop stop = {.text = value, .at_clock = !colon};
    if (stop_count == STOPS) {
        return run_wrong("more than %d times --dump-at", STOPS);
    }
    if (colon ? !set_place(&stop, value, colon) : !run_number(value, &stop.clock)) {
        return run_wrong("--dump-at %s: neither a clock nor CORE:ADDRESS, CORE:FUNCTION or CORE:FILE:LINE, with a core "
                         "B, T0, T1, T2, NC or a thread t0, t1, t2, and perhaps ,N for the Nth time",
                         value);
    }
    stops[stop_count++] = stop;
    return true;
}

static bool set(struct run *run, const char *name, const char *value)
{
    return strcmp(name, "dump") == 0 ? set_dump(value) : set_stop(value);
}

static bool check(struct run *run)
{
    if (stop_count && !wanted_count) {
        return run_wrong("--dump-at without --dump: dump what?");
    }
    return !wanted_count || run->jobs <= 1 || run_wrong("--dump is for one job; here are %u", run->jobs);
}

/* Writing. */

static void write_bytes(void *context, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, context);
}

static bool source(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size)
{
    return run_source(context, x, y, place, buffer, size);
}

static enum bh_status fail(struct bh_error *error, enum bh_status status, const char *path)
{
    (void)snprintf(error->text, sizeof error->text, "dump %.1000s: %s", path, strerror(errno ? errno : EIO));
    return status;
}

/* "dst.npy" of the third occasion, of tile 1-2: "dst.1-2.3.npy". */
static void npy_path(char *path, const char *given, const struct bh_tile *tile)
{
    size_t length = strlen(given) - strlen(".npy");
    int used = snprintf(path, PATH_SIZE, "%.*s", (int)length, given);
    if (of_run->filter.tile_count != 1) {
        used += snprintf(path + used, PATH_SIZE - (size_t)used, ".%u-%u", tile->x, tile->y);
    }
    if (occasions > 1) {
        used += snprintf(path + used, PATH_SIZE - (size_t)used, ".%u", occasions);
    }
    (void)snprintf(path + used, PATH_SIZE - (size_t)used, ".npy");
}

static enum bh_status write_npy(struct bh_dump *dump, const char *given, const struct bh_tile *tile,
                                struct bh_error *error)
{
    char path[PATH_SIZE];
    dump->tiles = tile;
    dump->tile_count = 1;
    if (strlen(given) > PATH_SIZE - 100) {
        errno = ENAMETOOLONG;
        return fail(error, BH_ERROR_IO, given);
    }
    npy_path(path, given, tile);
    FILE *file = fopen(path, "we");
    if (!file) {
        return fail(error, BH_ERROR_IO, path);
    }
    enum bh_status status = bh_dump(of_device, dump, write_bytes, file, error);
    bool wrong = ferror(file);
    return (fclose(file) || wrong) && status == BH_OK ? fail(error, BH_ERROR_IO, path) : status;
}

/* A file for each tile. */
static enum bh_status write_npys(struct bh_dump *dump, const char *path, struct bh_error *error)
{
    struct bh_tile tiles[RUN_NAMES];
    const struct run_filter *filter = &of_run->filter;
    unsigned count = filter->tile_count;
    enum bh_status status = BH_OK;
    if (dump->event) {
        tiles[0] = bh_dump_tile_of(of_device, dump->event);
        status = write_npy(dump, path, tiles, error);
        dump->tiles = NULL;
        dump->tile_count = 0;
        return status;
    }
    if (count) {
        memcpy(tiles, filter->tiles, count * sizeof *tiles);
    } else {
        count = bh_dump_tiles(of_device, tiles, RUN_NAMES);
    }
    for (unsigned i = 0; status == BH_OK && i < count; i++) {
        status = write_npy(dump, path, &tiles[i], error);
    }
    dump->tiles = NULL;
    dump->tile_count = 0;
    return status;
}

static enum bh_status write_one(const struct wanted *one, const char *title, const struct bh_event *event,
                                struct bh_error *error)
{
    const struct run_filter *filter = &of_run->filter;
    struct dump_file *file = &files[one->file];
    struct bh_dump dump = {.request = one->request,
                           .form = file->form,
                           .tiles = filter->tiles,
                           .tile_count = filter->tile_count,
                           .cores = filter->cores,
                           .core_count = filter->core_count,
                           .source = source,
                           .source_context = of_run,
                           .title = title,
                           .event = event};
    if (file->form == BH_DUMP_NPY) {
        return write_npys(&dump, file->path, error);
    }
    if (!file->path) {
        run_end_progress();
    }
    if (file->form == BH_DUMP_JSON) {
        fputs(file->documents++ ? "," : "[", file->file);
    }
    return bh_dump(of_device, &dump, write_bytes, file->file, error);
}

static enum bh_status write_all(const char *title, const struct bh_event *event, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    occasions++;
    for (unsigned i = 0; status == BH_OK && i < wanted_count; i++) {
        status = write_one(&wanted[i], title, event, error);
    }
    return status;
}

/* While the job runs. */

static enum bh_status ready(void *context, struct bh_device *device, struct bh_error *error)
{
    of_device = device;
    return BH_OK;
}

static uint64_t next_stop(void *context, struct bh_device *device)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < stop_count; i++) {
        if (stops[i].at_clock && !stops[i].reached && stops[i].clock < next) {
            next = stops[i].clock;
        }
    }
    return next;
}

static enum bh_status reached(void *context, struct bh_device *device, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < stop_count; i++) {
        if (stops[i].at_clock && !stops[i].reached && stops[i].clock <= bh_clock(device)) {
            stops[i].reached = true;
            status = write_all("as asked for", NULL, error);
        }
    }
    return status;
}

/* Whether an instruction is one that is waited for. In a function or a line that is the first one, until it has been
   left. */
static bool is_there(struct stop *stop, const struct bh_event *event)
{
    if (stop->at_clock || stop->reached || stop->agent != event->place.agent || stop->index != event->place.index) {
        return false;
    }
    if (!stop->source[0]) {
        return stop->pc == event->place.pc;
    }
    struct bh_tile tile = bh_dump_tile_of(of_device, event);
    bool *inside = &stop->inside[event->tile_y % TILES_HIGH][event->tile_x % TILES_WIDE], before = *inside;
    *inside = run_is_at_source(of_run, tile.x, tile.y, &event->place, stop->source);
    return *inside && !before;
}

static void on_event(void *context, const struct bh_event *event)
{
    for (unsigned i = 0; of_device && i < stop_count; i++) {
        struct stop *stop = &stops[i];
        if (!is_there(stop, event) || --stop->times) {
            continue;
        }
        char title[100];
        stop->reached = true;
        (void)snprintf(title, sizeof title, "at %.80s", stop->text);
        if (failed == BH_OK) {
            failed = write_all(title, event, &why_failed);
        }
    }
}

static enum bh_status ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    if (failed != BH_OK) {
        *error = why_failed;
        return failed;
    }
    for (unsigned i = 0; i < stop_count; i++) {
        if (!stops[i].reached) {
            (void)snprintf(error->text, sizeof error->text, "--dump-at %.100s was not reached", stops[i].text);
            return BH_ERROR_ARGUMENT;
        }
    }
    return stop_count ? BH_OK : write_all(how == BH_OK ? "at the end" : "at a stop", NULL, error);
}

static const struct bh_job_hook hook = {.ready = ready, .stop = next_stop, .reached = reached, .ended = ended};
static struct bh_observer observer = {.kinds = BH_EVENT_BIT(BH_EVENT_ISSUED), .on_event = on_event};

static enum bh_status open_files(struct bh_error *error)
{
    for (unsigned i = 0; i < file_count; i++) {
        struct dump_file *file = &files[i];
        if (file->form != BH_DUMP_NPY) {
            file->file = file->path ? fopen(file->path, "we") : stdout;
            if (!file->file) {
                return fail(error, BH_ERROR_IO, file->path);
            }
        }
    }
    return BH_OK;
}

/* Refuses functions that no program has: the run would go by. A thread executes what its own core, or B, pushes. */
static enum bh_status check_functions(const struct run *run, struct bh_error *error)
{
    for (unsigned i = 0; i < stop_count; i++) {
        const struct stop *stop = &stops[i];
        bool core = stop->agent == BH_AGENT_CORE;
        char like[JOB_FUNCTION_SIZE], whose[16] = "the job";
        if (stop->at_clock || !stop->source[0] || strchr(stop->source, ':') ||
            job_may_have_function(run->job, core ? stop->index : BH_CORE_COUNT, stop->source, like)) {
            continue;
        }
        if (core) {
            (void)snprintf(whose, sizeof whose, "%s", bh_core_name((enum bh_core)stop->index));
        }
        (void)snprintf(error->text, sizeof error->text, "--dump-at %.100s: no program of %s has this function%s%s%s",
                       stop->text, whose, like[0] ? "; there is '" : "", like, like[0] ? "'" : "");
        return BH_ERROR_ARGUMENT;
    }
    return BH_OK;
}

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    of_run = run;
    if (!wanted_count) {
        return BH_OK;
    }
    enum bh_status status = check_functions(run, error);
    if (status != BH_OK) {
        return status;
    }
    observer.tiles = run->filter.tiles;
    observer.tile_count = run->filter.tile_count;
    for (unsigned i = 0; i < stop_count; i++) {
        if (!stops[i].at_clock) {
            run_add_observer(run, &observer);
            break;
        }
    }
    run_add_hook(run, &hook);
    return open_files(error);
}

static enum bh_status end(struct run *run, enum bh_status how, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < file_count; i++) {
        struct dump_file *file = &files[i];
        if (!file->file) {
            continue;
        }
        if (file->form == BH_DUMP_JSON) {
            fputs(file->documents ? "]\n" : "[]\n", file->file);
        }
        bool wrong = ferror(file->file);
        if ((file->path ? fclose(file->file) : fflush(file->file)) || wrong) {
            status = fail(error, BH_ERROR_IO, file->path ? file->path : "to stdout");
        }
        file->file = NULL;
    }
    run_forget_sources();
    return status;
}

const struct run_part run_dump_part = {
    .options = run_dump_list, .set = set, .check = check, .begin = begin, .end = end};
