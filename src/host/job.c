/* Running a job: everything it names is read and checked first, then written to a device, run, read back, compared, and
   only then written to files. */
#include "bhemu/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/program.h"
#include "host/elf_load.h"
#include "host/fail.h"
#include "host/job_input.h"
#include "host/job_output.h"
#include "host/npy.h"
#include "host/source_lines.h"

enum { CHUNK = 2000000 }; /* cycles between two calls of on_progress */

enum bh_status bh_job_load(const char *path, struct bh_job **job, struct bh_error *error)
{
    if (!path || !job) {
        return fail(error, BH_ERROR_ARGUMENT, "no path, or nowhere to put the job");
    }
    struct bh_job *made = calloc(1, sizeof *made);
    if (!made) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = job_file_load(path, &made->file, error);
    if (status == BH_OK) {
        const char *slash = strrchr(path, '/');
        made->folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
        made->path = strdup(path);
        status =
            made->folder && made->path ? job_find_board(made, error) : fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    if (status == BH_OK) {
        status = job_find_targets(made, error);
    }
    if (status != BH_OK) {
        bh_job_free(made);
        made = NULL;
    }
    *job = made;
    return status;
}

void bh_job_free(struct bh_job *job)
{
    if (job) {
        job_file_free(job->file);
        free(job->folder);
        free(job->path);
        free(job->targets);
        free(job);
    }
}

/* What is named twice, of what can be there once only. */
static enum bh_status check_names(const struct bh_job *job, const struct job_target *target, struct bh_error *error)
{
    const struct job_tile *tile = target->tile;
    unsigned x = target->x, y = target->y, programs = 0, starts = 0;
    for (unsigned i = 0; i < tile->programs_count; i++) {
        if (programs >> tile->programs[i].core & 1) {
            return fail(error, BH_ERROR_FORMAT, "%s: core %s of tile (%u,%u) has two programs", job->path,
                        bh_core_name(tile->programs[i].core), x, y);
        }
        programs |= 1u << tile->programs[i].core;
    }
    for (unsigned i = 0; i < tile->start_count; i++) {
        if (starts >> tile->start[i] & 1) {
            return fail(error, BH_ERROR_FORMAT, "%s: core %s of tile (%u,%u) is started twice", job->path,
                        bh_core_name(tile->start[i]), x, y);
        }
        starts |= 1u << tile->start[i];
    }
    return BH_OK;
}

static enum bh_status write_words(const struct bh_job *job, const struct job_target *target, struct bh_device *device,
                                  struct bh_error *error)
{
    for (unsigned i = 0; i < target->tile->words_count; i++) {
        const struct job_words *words = &target->tile->words[i];
        unsigned count;
        uint32_t *values = job_words_of(target, words, &count);
        enum bh_status status =
            values ? bh_write(device, target->x, target->y, words->address, values, count * 4) : BH_ERROR_MEMORY;
        free(values);
        if (status != BH_OK) {
            return fail(error, status, "%s: %u words do not fit at 0x%x of tile (%u,%u)", job->path, count,
                        words->address, target->x, target->y);
        }
    }
    return BH_OK;
}

/* Loads the programs and words of one tile. */
static enum bh_status prepare_tile(const struct bh_job *job, const struct job_target *target, struct bh_device *device,
                                   uint32_t entries[BH_CORE_COUNT], struct bh_error *error)
{
    const struct job_tile *tile = target->tile;
    unsigned x = target->x, y = target->y;
    uint32_t word;
    if (bh_read(device, x, y, 0, &word, sizeof word) != BH_OK) {
        return fail(
            error, BH_ERROR_ARGUMENT,
            "%s: there is no tile at (%u,%u) that a job can use; Tensix tiles have x 1..7 or 10..16, y 2..11, DRAM "
            "tiles x 17 or 18, y 12..23",
            job->path, x, y);
    }
    for (unsigned i = 0; i < tile->programs_count; i++) {
        char *path = job_resolve(job->folder, tile->programs[i].elf);
        enum bh_status status =
            path ? bh_load_elf(device, x, y, tile->programs[i].core, path, &entries[tile->programs[i].core], error)
                 : fail(error, BH_ERROR_MEMORY, "out of memory");
        free(path);
        if (status != BH_OK) {
            return status;
        }
    }
    return write_words(job, target, device, error);
}

static bool has_program(const struct job_tile *tile, enum bh_core core)
{
    for (unsigned i = 0; i < tile->programs_count; i++) {
        if (tile->programs[i].core == core) {
            return true;
        }
    }
    return false;
}

static enum bh_status start_tile(const struct bh_job *job, const struct job_target *target, struct bh_device *device,
                                 const uint32_t entries[BH_CORE_COUNT], struct bh_error *error)
{
    const struct job_tile *tile = target->tile;
    unsigned count = tile->start_count ? tile->start_count : tile->programs_count;
    for (unsigned i = 0; i < count; i++) {
        enum bh_core core = tile->start_count ? tile->start[i] : tile->programs[i].core;
        if (!has_program(tile, core)) {
            return fail(error, BH_ERROR_FORMAT, "%s: core %s of tile (%u,%u) is to start, but has no program",
                        job->path, bh_core_name(core), target->x, target->y);
        }
        enum bh_status status = bh_core_start(device, target->x, target->y, core, entries[core]);
        if (status != BH_OK) {
            return fail(error, status, "%s: core %s of tile (%u,%u) does not start: %s", job->path, bh_core_name(core),
                        target->x, target->y, bh_status_name(status));
        }
    }
    return BH_OK;
}

/* Hands diagnostics on, and keeps the last that stopped the run. */
struct listener {
    const struct bh_job_options *options;
    struct bh_diagnostic stopped;
};

static void listen(void *context, const struct bh_diagnostic *diagnostic)
{
    struct listener *listener = context;
    if (diagnostic->action == BH_STOP) {
        listener->stopped = *diagnostic;
    }
    if (listener->options->on_diagnostic) {
        listener->options->on_diagnostic(listener->options->context, diagnostic);
    }
}

static enum bh_status run(const struct bh_job *job, const struct bh_job_options *options, struct bh_device *device,
                          const struct listener *listener, struct bh_run_result *total, struct bh_error *error)
{
    uint64_t limit = options->limit ? options->limit : job->file->limit;
    *total = (struct bh_run_result){.reason = BH_RAN_CYCLES};
    while (total->cycles < limit) {
        uint64_t left = limit - total->cycles;
        struct bh_run_result part;
        enum bh_status status = bh_run(device, left < CHUNK ? left : CHUNK, &part);
        total->reason = part.reason;
        total->cycles += part.cycles;
        total->riscv_instructions += part.riscv_instructions;
        total->tensix_instructions += part.tensix_instructions;
        if (status != BH_OK) {
            return fail(error, status, "%s: stopped after %" PRIu64 " cycles: %s: %s", job->path, total->cycles,
                        bh_category_name(listener->stopped.category), listener->stopped.text);
        }
        if (part.reason == BH_RAN_IDLE) {
            return BH_OK;
        }
        if (options->on_progress) {
            options->on_progress(options->context, total);
        }
    }
    bh_report(device);
    return fail(error, BH_ERROR_STOPPED, "%s: not finished after %" PRIu64 " cycles (its limit)", job->path, limit);
}

enum bh_status bh_job_run(const struct bh_job *job, const struct bh_job_options *options, struct bh_job_result *result,
                          struct bh_error *error)
{
    static const struct bh_job_options no_options = {.policy = -1};
    options = options ? options : &no_options;
    if (!job || !result) {
        return fail(error, BH_ERROR_ARGUMENT, "no job, or nowhere to put the result");
    }
    *result = (struct bh_job_result){};
    const struct job_file *file = job->file;
    struct listener listener = {.options = options};
    struct bh_device_config config = {
        .policy = options->policy < 0 ? file->policy : (enum bh_policy_preset)options->policy,
        .on_diagnostic = listen,
        .context = &listener,
        .board = job->board,
        .threads = options->threads,
    };
    struct bh_device *device;
    uint32_t(*entries)[BH_CORE_COUNT] = calloc(job->targets_count, sizeof *entries);
    enum bh_status status = entries ? bh_device_create(&config, &device) : BH_ERROR_MEMORY;
    if (status != BH_OK) {
        free(entries);
        return fail(error, status, "no device: %s", bh_status_name(status));
    }
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        status = check_names(job, &job->targets[i], error);
    }
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        status = prepare_tile(job, &job->targets[i], device, entries[i], error);
    }
    if (status == BH_OK) {
        status = job_write_inputs(job, device, error);
    }
    if (status == BH_OK) {
        status = job_check_outputs(job, options, device, error);
    }
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        status = start_tile(job, &job->targets[i], device, entries[i], error);
    }
    if (status == BH_OK) {
        status = run(job, options, device, &listener, &result->run, error);
    }
    if (status == BH_OK) {
        status = job_collect_outputs(job, options, device, result, error);
    }
    bh_device_destroy(device);
    free(entries);
    return status;
}

/* The program that has been pushed from, most likely: that of the core itself, else any that has code there. */
static bool source_of(const struct bh_job *job, const struct job_tile *tile, const struct bh_place *place, bool own,
                      char *buffer, unsigned size)
{
    unsigned core = place->agent == BH_AGENT_THREAD ? BH_CORE_T0 + place->index : place->index;
    for (unsigned i = 0; i < tile->programs_count; i++) {
        if (own == (tile->programs[i].core == core)) {
            char *path = job_resolve(job->folder, tile->programs[i].elf);
            bool found = path && source_line(path, place->pc, buffer, size);
            free(path);
            if (found) {
                return true;
            }
        }
    }
    return false;
}

bool bh_job_source(const struct bh_job *job, unsigned x, unsigned y, const struct bh_place *place, char *buffer,
                   unsigned size)
{
    if (!buffer || size == 0) {
        return false;
    }
    buffer[0] = 0;
    for (unsigned i = 0; job && place && i < job->targets_count; i++) {
        const struct job_tile *tile = job->targets[i].tile;
        if (job->targets[i].x == x && job->targets[i].y == y) {
            return source_of(job, tile, place, true, buffer, size) || source_of(job, tile, place, false, buffer, size);
        }
    }
    return false;
}
