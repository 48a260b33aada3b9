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
#include "host/job_file.h"
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
        if (!made->folder || !made->path) {
            status = fail(error, BH_ERROR_MEMORY, "out of memory");
        }
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
        free(job);
    }
}

char *job_resolve(const char *folder, const char *path)
{
    char *resolved;
    bool absolute = path[0] == '/';
    return asprintf(&resolved, "%s%s", absolute ? "" : folder, path) < 0 ? NULL : resolved;
}

enum bh_status job_read_array(const struct bh_job *job, const char *name, struct bh_array *array,
                              struct bh_error *error)
{
    char *path = job_resolve(job->folder, name);
    if (!path) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = npy_read(path, array, error);
    free(path);
    return status;
}

/* Whether an input of `size` bytes lies clear of the programs, and of the inputs before it, which have these sizes. */
static enum bh_status check_overlap(const struct bh_job *job, const struct job_tile *tile, unsigned index,
                                    const uint64_t *sizes, struct bh_error *error)
{
    const struct job_input *input = &tile->inputs[index];
    uint64_t first = input->address, end = first + sizes[index];
    for (unsigned i = 0; i < index; i++) {
        uint64_t other = tile->inputs[i].address;
        if (first < other + sizes[i] && other < end) {
            return fail(error, BH_ERROR_FORMAT, "%s: inputs %s (0x%x, %llu bytes) and %s (0x%x, %llu bytes) overlap",
                        job->path, tile->inputs[i].file, tile->inputs[i].address, (unsigned long long)sizes[i],
                        input->file, input->address, (unsigned long long)sizes[index]);
        }
    }
    for (unsigned i = 0; i < tile->programs_count; i++) {
        char *path = job_resolve(job->folder, tile->programs[i].elf);
        bool overlaps = path && elf_overlaps(path, first, end);
        free(path);
        if (overlaps) {
            return fail(error, BH_ERROR_FORMAT, "%s: input %s (0x%x, %llu bytes) overlaps the program %s", job->path,
                        input->file, input->address, (unsigned long long)sizes[index], tile->programs[i].elf);
        }
    }
    return BH_OK;
}

/* Writes one input, and tells its size. */
static enum bh_status write_input(const struct bh_job *job, const struct job_tile *tile, unsigned index,
                                  struct bh_device *device, uint64_t *sizes, struct bh_error *error)
{
    const struct job_input *input = &tile->inputs[index];
    struct bh_array array = {};
    enum bh_status status = job_read_array(job, input->file, &array, error);
    if (status != BH_OK) {
        return status;
    }
    size_t size = array.rows * array.columns * bh_format_size(input->format);
    sizes[index] = size;
    void *bytes = malloc(size ? size : 1);
    if (!bytes || size > UINT32_MAX) {
        status = fail(error, BH_ERROR_MEMORY, "%s: too large", input->file);
    } else if ((status = bh_tensor_to_device(&array, input->format, input->layout, bytes)) != BH_OK) {
        bool uneven = input->layout == BH_TILES && (array.rows % 32 || array.columns % 32);
        fail(error, status, "%s%s: a %zux%zu array %s", job->folder, input->file, array.rows, array.columns,
             uneven ? "can not be cut into tiles: rows and columns must be multiples of 32"
                    : "of this type can not become the format that the job says");
    } else if ((status = check_overlap(job, tile, index, sizes, error)) != BH_OK) {
        /* said */
    } else if ((status = bh_write(device, tile->at[0], tile->at[1], input->address, bytes, (uint32_t)size)) != BH_OK) {
        fail(error, status, "%s: input %s of %zu bytes does not fit at 0x%x of tile (%u,%u)", job->path, input->file,
             size, input->address, tile->at[0], tile->at[1]);
    }
    free(bytes);
    free(array.data);
    return status;
}

/* What is named twice, of what can be there once only. */
static enum bh_status check_names(const struct bh_job *job, unsigned index, struct bh_error *error)
{
    const struct job_tile *tile = &job->file->tiles[index];
    unsigned x = tile->at[0], y = tile->at[1], programs = 0, starts = 0;
    for (unsigned i = 0; i < index; i++) {
        if (job->file->tiles[i].at[0] == x && job->file->tiles[i].at[1] == y) {
            return fail(error, BH_ERROR_FORMAT, "%s: tile (%u,%u) is there twice", job->path, x, y);
        }
    }
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

/* Loads the programs and inputs of one tile. */
static enum bh_status prepare_tile(const struct bh_job *job, const struct job_tile *tile, struct bh_device *device,
                                   uint32_t entries[BH_CORE_COUNT], struct bh_error *error)
{
    enum bh_status status;
    unsigned x = tile->at[0], y = tile->at[1];
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
        status = path ? bh_load_elf(device, x, y, tile->programs[i].core, path, &entries[tile->programs[i].core], error)
                      : fail(error, BH_ERROR_MEMORY, "out of memory");
        free(path);
        if (status != BH_OK) {
            return status;
        }
    }
    for (unsigned i = 0; i < tile->words_count; i++) {
        const struct job_words *words = &tile->words[i];
        status = bh_write(device, x, y, words->address, words->values, words->values_count * 4);
        if (status != BH_OK) {
            return fail(error, status, "%s: %u words do not fit at 0x%x of tile (%u,%u)", job->path,
                        words->values_count, words->address, x, y);
        }
    }
    uint64_t *sizes = calloc(tile->inputs_count + 1, sizeof *sizes);
    if (!sizes) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < tile->inputs_count; i++) {
        status = write_input(job, tile, i, device, sizes, error);
    }
    free(sizes);
    return status;
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

static enum bh_status start_tile(const struct bh_job *job, const struct job_tile *tile, struct bh_device *device,
                                 const uint32_t entries[BH_CORE_COUNT], struct bh_error *error)
{
    unsigned count = tile->start_count ? tile->start_count : tile->programs_count;
    for (unsigned i = 0; i < count; i++) {
        enum bh_core core = tile->start_count ? tile->start[i] : tile->programs[i].core;
        if (!has_program(tile, core)) {
            return fail(error, BH_ERROR_FORMAT, "%s: core %s of tile (%u,%u) is to start, but has no program",
                        job->path, bh_core_name(core), tile->at[0], tile->at[1]);
        }
        enum bh_status status = bh_core_start(device, tile->at[0], tile->at[1], core, entries[core]);
        if (status != BH_OK) {
            return fail(error, status, "%s: core %s of tile (%u,%u) does not start: %s", job->path, bh_core_name(core),
                        tile->at[0], tile->at[1], bh_status_name(status));
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
    };
    struct bh_device *device;
    uint32_t(*entries)[BH_CORE_COUNT] = calloc(file->tiles_count, sizeof *entries);
    enum bh_status status = entries ? bh_device_create(&config, &device) : BH_ERROR_MEMORY;
    if (status != BH_OK) {
        free(entries);
        return fail(error, status, "no device: %s", bh_status_name(status));
    }
    for (unsigned i = 0; status == BH_OK && i < file->tiles_count; i++) {
        status = check_names(job, i, error);
    }
    for (unsigned i = 0; status == BH_OK && i < file->tiles_count; i++) {
        status = prepare_tile(job, &file->tiles[i], device, entries[i], error);
    }
    if (status == BH_OK) {
        status = job_check_outputs(job, options, device, error);
    }
    for (unsigned i = 0; status == BH_OK && i < file->tiles_count; i++) {
        status = start_tile(job, &file->tiles[i], device, entries[i], error);
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
    for (unsigned i = 0; job && place && i < job->file->tiles_count; i++) {
        const struct job_tile *tile = &job->file->tiles[i];
        if (tile->at[0] == x && tile->at[1] == y) {
            return source_of(job, tile, place, true, buffer, size) || source_of(job, tile, place, false, buffer, size);
        }
    }
    return false;
}
