/* bhemu diff: a job on two libraries, and the first byte in which they differ. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/observer.h"
#include "color.h"
#include "commands.h"
#include "host/job_compare.h"
#include "host/job_target.h"
#include "host/peer.h"
#include "memory/l1.h"
#include "run_part.h"
#include "util/fail.h"

enum { SECONDS = 60, MOST_SECONDS = 1000 * 1000 };

struct diff {
    const char *path;
    struct bh_job *job;
    struct peer_run peer;
    struct peer_image begin, ours, theirs;
    struct bh_run_result run; /* ours */
    uint64_t cycles;
    enum bh_mode mode;
    uint64_t every;    /* cycles between two looks; 0: at the end only */
    uint64_t *digests; /* of our memory at each */
    unsigned looks;    /* so far */
    uint64_t at;       /* what differs does from a look at this clock on; 0: at the end */
    bool came_back;    /* `ours` is what was there then */
};

/* Our run: its memory before the first cycle and at the end. */

static enum bh_status take_begin(void *context, struct bh_device *device, struct bh_error *error)
{
    struct diff *diff = context;
    return peer_image_take(diff->job, device, NULL, &diff->begin, error);
}

static enum bh_status take_end(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    struct diff *diff = context;
    diff->cycles = bh_clock(device);
    return peer_image_take(diff->job, device, &diff->begin, &diff->ours, error);
}

/* Looks on the way, at places that are known from a first run. */

static uint64_t next_look(void *context, struct bh_device *device)
{
    const struct diff *diff = context;
    uint64_t next = (diff->looks + 1) * diff->every;
    return next <= diff->cycles ? next : UINT64_MAX;
}

static enum bh_status look(void *context, struct bh_device *device, struct bh_error *error)
{
    struct diff *diff = context;
    enum bh_status status = peer_image_read(&diff->theirs, device, error);
    diff->digests[diff->looks++] = peer_image_digest(&diff->theirs);
    return status;
}

/* The same up to the look at diff->at, where the run ends. */
static enum bh_status look_and_end(void *context, struct bh_device *device, struct bh_error *error)
{
    struct diff *diff = context;
    if (++diff->looks * diff->every < diff->at) {
        return BH_OK;
    }
    enum bh_status status = peer_image_read(&diff->ours, device, error);
    diff->came_back = status == BH_OK;
    return status == BH_OK ? BH_ERROR_STOPPED : status;
}

/* Up to the last look time passes as it does for hosts of libttsim.so, which see what has crossed the NoC where a
   quantum ends: bh_run() would end one at each look. */
static enum bh_status pass_to_next(void *context, struct bh_device *device, uint64_t cycles,
                                   struct bh_run_result *result)
{
    if (next_look(context, device) == UINT64_MAX) {
        return bh_run(device, cycles, result);
    }
    const uint64_t before = bh_clock(device);
    enum bh_run_reason reason = bh_advance(device, cycles);
    bool ended = reason == BH_RAN_STOPPED || reason == BH_RAN_DEADLOCK;
    *result = (struct bh_run_result){.reason = ended ? reason : BH_RAN_CYCLES, .cycles = bh_clock(device) - before};
    return ended ? BH_ERROR_STOPPED : BH_OK;
}

static void print_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    char line[BH_DIAGNOSTIC_TEXT + 500];
    bh_diagnostic_format(diagnostic, line, sizeof line);
    fprintf(stderr, "%s\n", color_begin(stderr, line));
}

static enum bh_status run_ours(struct diff *diff, struct bh_error *error)
{
    const struct bh_job_hook hook = {.context = diff, .ready = take_begin, .ended = take_end}, *hooks[] = {&hook};
    const struct bh_job_options options = {.policy = -1,
                                           .on_diagnostic = print_diagnostic,
                                           .hooks = hooks,
                                           .hook_count = 1,
                                           .no_output_files = true,
                                           .mode = diff->mode};
    struct bh_job_result result;
    enum bh_status status = bh_job_run(diff->job, &options, &result, error);
    diff->run = result.run;
    return status;
}

/* Once more, with this hook. */
static enum bh_status run_again(struct diff *diff, const struct bh_job_hook *hook, struct bh_error *error)
{
    const struct bh_job_hook *hooks[] = {hook};
    const struct bh_job_options options = {
        .policy = -1, .hooks = hooks, .hook_count = 1, .no_output_files = true, .mode = diff->mode};
    struct bh_job_result result;
    return bh_job_run(diff->job, &options, &result, error);
}

/* Notes the digests of our memory; `theirs` is used for it. */
static enum bh_status note_looks(struct diff *diff, struct bh_error *error)
{
    const struct bh_job_hook hook = {.context = diff, .stop = next_look, .reached = look, .run = pass_to_next};
    diff->digests = calloc(diff->cycles / diff->every + 1, sizeof *diff->digests);
    if (!diff->digests) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return BH_ERROR_MEMORY;
    }
    enum bh_status status = run_again(diff, &hook, error);
    diff->peer.every = diff->every;
    diff->peer.digests = diff->digests;
    diff->peer.looks = diff->looks;
    return status;
}

/* Our memory at the look at which the other library's was another one. */
static enum bh_status go_back(struct diff *diff, unsigned looked, struct bh_error *error)
{
    const struct bh_job_hook hook = {.context = diff, .stop = next_look, .reached = look_and_end, .run = pass_to_next};
    diff->at = looked * diff->every;
    diff->looks = 0;
    enum bh_status status = run_again(diff, &hook, error);
    return diff->came_back ? BH_OK : status;
}

/* What wrote a byte last, in our library: found by a second run. */

struct writer {
    uint64_t address;
    uint64_t before; /* this clock */
    uint8_t space;   /* enum bh_space */
    bool found;
    struct bh_event event;
};

static void note_write(void *context, const struct bh_event *event)
{
    struct writer *writer = context;
    const struct bh_access *access = &event->access;
    if (access->write && event->cycle < writer->before && access->space == writer->space &&
        writer->address >= access->address && writer->address - access->address < access->size) {
        writer->event = *event;
        writer->found = true;
    }
}

static void print_writer(const struct diff *diff, const struct peer_memory *memory, uint64_t address)
{
    struct writer writer = {.address = address,
                            .before = diff->at ? diff->at : UINT64_MAX,
                            .space = memory->size == L1_SIZE ? BH_SPACE_L1 : BH_SPACE_DRAM};
    uint8_t x = (uint8_t)memory->x, y = (uint8_t)memory->y;
    const struct bh_tile tiles[] = {{x, y}, {x, y + 1}, {x, y + 2}}; /* three tiles show a channel of DRAM */
    const struct bh_observer observer = {.kinds = BH_EVENT_BIT(BH_EVENT_ACCESS),
                                         .tiles = tiles,
                                         .tile_count = writer.space == BH_SPACE_L1 ? 1 : 3,
                                         .on_event = note_write,
                                         .context = &writer,
                                         .to = diff->at},
                             *observers[] = {&observer};
    const struct bh_job_options options = {
        .policy = -1, .observers = observers, .observer_count = 1, .no_output_files = true, .mode = diff->mode};
    struct bh_job_result result;
    struct bh_error error;
    (void)bh_job_run(diff->job, &options, &result, &error);
    if (!writer.found) {
        printf("  no program has written it here\n");
        return;
    }
    const struct bh_event *event = &writer.event;
    if (event->place.agent == BH_AGENT_HOST) {
        printf("  no program has written it here: the host has, before the run\n");
        return;
    }
    const struct bh_diagnostic said = {.category = BH_INTERNAL_ERROR,
                                       .action = BH_WARN,
                                       .tile_x = event->place_x,
                                       .tile_y = event->place_y,
                                       .agent = event->place.agent,
                                       .index = event->place.index,
                                       .pc = event->place.pc,
                                       .instruction = event->instruction,
                                       .text = "x"};
    char line[BH_DIAGNOSTIC_TEXT + 500], source[600];
    bh_diagnostic_format(&said, line, sizeof line);
    const char *from = strstr(line, "tile ");
    char *to = strstr(line, ": x");
    if (to) {
        *to = 0;
    }
    bool unit = event->agent != BH_AGENT_CORE && event->agent != BH_AGENT_THREAD;
    printf("  written last here at clock %" PRIu64 " by %s", event->cycle, from ? from : line);
    if (unit) {
        printf(" (%s %u)", bh_agent_name((enum bh_agent)event->agent), event->index);
    }
    printf("\n");
    if (bh_job_source(diff->job, 0, event->place_x, event->place_y, &event->place, source, sizeof source)) {
        printf("    %s\n", source);
    }
}

/* What lies there. */

static double element_of(const uint8_t *bytes, enum bh_format format)
{
    uint8_t value[sizeof(double)];
    struct bh_array one = {.type = job_natural_type(format), .rows = 1, .columns = 1, .data = value};
    return bh_tensor_from_device(bytes, format, BH_ROWS, &one) == BH_OK ? job_element(&one, 0) : 0;
}

/* If the byte is in this output. Returns whether it is. */
static bool print_element(const struct diff *diff, const struct job_region *region, const struct job_output *output,
                          unsigned memory, uint64_t address)
{
    const struct peer_memory *ours = &diff->ours.memory[memory], *theirs = &diff->theirs.memory[memory];
    size_t size = bh_format_size(output->format), offset = job_region_offset(region, ours->x, ours->y, address);
    if (offset == SIZE_MAX) {
        return false;
    }
    if (!size) {
        printf("  in %s (%s): byte %zu\n", job_output_name(output), bh_format_name(output->format), offset);
        return true;
    }
    size_t index = offset / size;
    uint64_t begin = address - offset % size - ours->address;
    printf("  in %s (%s): element %zu", job_output_name(output), bh_format_name(output->format), index);
    if (output->layout == BH_TILES) {
        printf(", tile %zu face %zu row %zu column %zu", index / 1024, index / 256 % 4, index / 16 % 16, index % 16);
    }
    printf(": %.9g here, %.9g there\n", element_of(ours->bytes + begin, output->format),
           element_of(theirs->bytes + begin, output->format));
    return true;
}

static size_t bytes_of(const struct job_output *output)
{
    return job_tensor_size(output->format, output->shape[0], output->shape[1]);
}

static void print_tensor(const struct diff *diff, unsigned memory, uint64_t address)
{
    const struct bh_job *job = diff->job;
    for (unsigned i = 0; i < job->targets_count; i++) {
        const struct job_target *target = &job->targets[i];
        for (unsigned j = 0; j < target->tile->outputs_count; j++) {
            const struct job_output *output = &target->tile->outputs[j];
            struct job_region region = job_tile_region(target, &output->place, bytes_of(output));
            if (print_element(diff, &region, output, memory, address)) {
                return;
            }
        }
    }
    for (unsigned i = 0; i < job->file->dram.outputs_count; i++) {
        const struct job_output *output = &job->file->dram.outputs[i];
        struct job_region region;
        struct bh_error ignored;
        size_t page = job_page_size(output->format, output->layout, output->shape[1]);
        if (job_dram_region(job, &output->place, page, bytes_of(output), "", &region, &ignored) == BH_OK &&
            print_element(diff, &region, output, memory, address)) {
            return;
        }
    }
}

/* Prints what differs. Returns whether anything does. */
static bool print_differences(const struct diff *diff)
{
    uint64_t bytes = 0, ranges = 0, all = 0;
    unsigned memory = 0;
    uint64_t first = 0;
    for (unsigned i = 0; i < diff->ours.count; i++) {
        const struct peer_memory *a = &diff->ours.memory[i], *b = &diff->theirs.memory[i];
        bool before = false;
        all += a->size;
        for (uint32_t at = 0; at < a->size; at++) {
            bool differs = a->bytes[at] != b->bytes[at];
            if (differs && bytes++ == 0) {
                memory = i;
                first = a->address + at;
            }
            ranges += differs && !before;
            before = differs;
        }
    }
    if (!bytes) {
        printf("%s: the same on %s: %.1f MiB of L1 and DRAM after %" PRIu64 " %s", diff->path, diff->peer.library,
               (double)all / (1 << 20), diff->cycles, bh_mode_counts(diff->mode));
        if (diff->every) {
            printf(", and at %u clocks before", diff->peer.looks);
        }
        printf("\n");
        return false;
    }
    const struct peer_memory *a = &diff->ours.memory[memory], *b = &diff->theirs.memory[memory];
    printf("%s: DIFFERENT on %s", diff->path, diff->peer.library);
    if (diff->at) {
        printf(" after %" PRIu64 " %s, not %" PRIu64 " before", diff->at, bh_mode_counts(diff->mode), diff->every);
    }
    printf(": %" PRIu64 " byte%s in %" PRIu64 " place%s, first at 0x%08" PRIx64 " of %s (%u,%u): "
           "0x%02x here, 0x%02x there\n",
           bytes, bytes == 1 ? "" : "s", ranges, ranges == 1 ? "" : "s", first,
           a->size == L1_SIZE ? "tile" : "DRAM tile", a->x, a->y, a->bytes[first - a->address],
           b->bytes[first - b->address]);
    print_tensor(diff, memory, first);
    fflush(stdout);
    print_writer(diff, a, first);
    return true;
}

/* Loads the job, and refuses one that can not be compared. */
static enum bh_status load_job(struct diff *diff, struct bh_error *error)
{
    enum bh_status status = bh_job_load(diff->path, &diff->job, error);
    if (status == BH_OK && diff->job->parts_count) {
        return fail(error, BH_ERROR_ARGUMENT, "%s: it is on several chips; jobs on one chip can be compared",
                    diff->path);
    }
    if (status == BH_OK && diff->job->file->launch.kind != JOB_DIRECT) {
        return fail(error, BH_ERROR_ARGUMENT,
                    "%s: its kernels are launched by tt-metal's firmware; jobs that start their programs directly can "
                    "be compared",
                    diff->path);
    }
    return status;
}

static int diff_job(struct diff *diff)
{
    struct bh_error error;
    enum bh_status status = load_job(diff, &error);
    if (status == BH_OK) {
        status = run_ours(diff, &error);
    }
    if (status == BH_OK) {
        diff->peer.clocks = diff->cycles + diff->cycles / 4;
        status = peer_image_copy(&diff->ours, &diff->theirs) ? BH_OK : BH_ERROR_MEMORY;
        snprintf(error.text, sizeof error.text, "out of memory");
    }
    if (status == BH_OK && diff->every) {
        status = note_looks(diff, &error);
    }
    unsigned looked = PEER_AT_END;
    if (status == BH_OK) {
        diff->peer.timed = diff->mode == BH_MODE_TIMED;
        status = peer_run(diff->job, &diff->peer, &diff->begin, &diff->theirs, &looked, &error);
    }
    if (status == BH_OK && looked != PEER_AT_END) {
        status = go_back(diff, looked, &error);
    }
    int code = exit_code_of_run(status, &diff->run);
    if (status == BH_OK) {
        code = print_differences(diff) ? EXIT_DIFFERENT : EXIT_DONE;
    } else {
        fprintf(stderr, "bhemu: %s\n", error.text);
    }
    peer_image_free(&diff->begin);
    peer_image_free(&diff->ours);
    peer_image_free(&diff->theirs);
    free(diff->digests);
    bh_job_free(diff->job);
    return code;
}

static bool wrong(const char *value, const char *what)
{
    fprintf(stderr, "bhemu diff: '%s' is no number of %s\n", value, what);
    return false;
}

static bool set(void *context, const struct command_option *option, const char *value, const char *second)
{
    struct diff *diff = context;
    uint64_t number;
    if (strcmp(option->name, "color") == 0) {
        return color_choose(value);
    }
    if (strcmp(option->name, "peer") == 0) {
        diff->peer.library = value;
    } else if (strcmp(option->name, "timed") == 0) {
        diff->mode = BH_MODE_TIMED;
    } else if (strcmp(option->name, "every") == 0) {
        return (run_number(value, &diff->every) && diff->every && diff->every <= UINT32_MAX) || wrong(value, "cycles");
    } else if (run_number(value, &number) && number && number <= MOST_SECONDS) {
        diff->peer.seconds = (unsigned)number;
    } else {
        return wrong(value, "seconds");
    }
    return true;
}

static int start(int argc, char **argv)
{
    struct diff diff = {.peer.seconds = SECONDS};
    const struct command_line line = {.command = &command_diff, .least = 1, .most = 1, .set = set, .context = &diff};
    int code;
    if (!command_read(&line, argc, argv, &code)) {
        return code;
    }
    if (!diff.peer.library) {
        command_print_help(stderr, &command_diff);
        return EXIT_WRONG;
    }
    if (diff.every && diff.mode != BH_MODE_TIMED) { /* what a host sees then depends on how it lets clocks pass */
        fprintf(stderr, "bhemu diff: --every is for --timed\n");
        return EXIT_WRONG;
    }
    diff.path = argv[optind];
    return diff_job(&diff);
}

static const struct command_option options[] = {
    {"peer", "FILE", "the other library", 0, false},
    {"timed", NULL, "compare in timed mode, which the other library has if it is one of this project", 0, false},
    {"every", "N", "also compare after each N cycles, and show the first difference in time", 0, false},
    {"seconds", "N", "stop waiting for the other library after N seconds (60)", 0, false},
    {},
};
static const struct command_option *const lists[] = {options, color_list, NULL};

const struct command command_diff = {
    .name = "diff",
    .summary = "run a job here and on another library, and compare",
    .usage = "--peer FILE [--timed [--every N]] JOB.yaml",
    .description = "Runs the job here, and on another library with the C ABI of libttsim.so, in a process of its own. "
                   "When both have ended, compares L1 of the job's tiles and all DRAM that the job has used. Shows the "
                   "first byte that differs, what lies there, and which instruction has written it last here.",
    .lists = lists,
    .operand = OPERAND_JOBS,
    .run = start,
};
