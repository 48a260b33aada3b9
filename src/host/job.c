/* Running a job: everything it names is read and checked first, then written to a device, run, read back, compared, and
   only then written to files. */
#include "bhemu/job.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/program.h"
#include "host/elf_load.h"
#include "host/file_target.h"
#include "host/job_check.h"
#include "host/job_files.h"
#include "host/job_input.h"
#include "host/job_launch.h"
#include "host/job_output.h"
#include "host/job_print.h"
#include "host/job_snapshot.h"
#include "host/job_source.h"
#include "host/job_system.h"
#include "host/npy.h"
#include "util/arguments.h"
#include "util/fail.h"

enum bh_status job_prepare(struct bh_job *job, struct bh_error *error)
{
    if (!schema_has(job->file->schema, &job->file->tiles) && !job->among_all) {
        return job_file_has_no_tiles(job->file, error);
    }
    job_find_board(job);
    enum bh_status status = job_find_targets(job, error);
    return status == BH_OK ? job_check(job, error) : status;
}

static enum bh_status load(const char *path, const char *text, struct bh_job **job, struct bh_error *error)
{
    struct bh_job *made = calloc(1, sizeof *made);
    if (!made) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = job_file_load(path, text, &made->file, error);
    if (status == BH_OK) {
        const char *slash = strrchr(path, '/');
        made->folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
        made->chips = 1;
        made->path = strdup(path);
        status = made->folder && made->path ? BH_OK : fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    if (status == BH_OK) {
        status = made->file->system || made->file->chips ? job_find_parts(made, error) : job_prepare(made, error);
    }
    if (status == BH_OK) {
        made->sources = job_sources_create(made);
        status = made->sources ? BH_OK : fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    if (status != BH_OK) {
        bh_job_free(made);
        made = NULL;
    }
    *job = made;
    return status;
}

enum bh_status bh_job_load(const char *path, struct bh_job **job, struct bh_error *error)
{
    return path && job ? load(path, NULL, job, error)
                       : fail(error, BH_ERROR_ARGUMENT, "no path, or nowhere to put the job");
}

enum bh_status bh_job_parse(const char *text, const char *path, struct bh_job **job, struct bh_error *error)
{
    return text && path && job ? load(path, text, job, error)
                               : fail(error, BH_ERROR_ARGUMENT, "no text, no path, or nowhere to put the job");
}

void bh_job_free(struct bh_job *job)
{
    if (job) {
        job_sources_free(job->sources);
        job_free_parts(job);
        job_file_free(job->file);
        free(job->folder);
        free(job->path);
        free(job->targets);
        free(job);
    }
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
            return schema_fail(job->file->schema, &words->address, error, status,
                               "%u words can not be written to 0x%" PRIx64 " of tile (%u,%u): %s", count,
                               words->address, target->x, target->y, bh_status_name(status));
        }
    }
    return BH_OK;
}

/* Loads the programs and words of one tile. */
static enum bh_status prepare_tile(const struct bh_job *job, const struct job_target *target, struct bh_device *device,
                                   uint32_t entries[BH_CORE_KINDS], struct bh_error *error)
{
    const struct job_tile *tile = target->tile;
    unsigned x = target->x, y = target->y;
    uint32_t word;
    if (bh_read(device, x, y, 0, &word, sizeof word) != BH_OK) {
        return schema_fail(job->file->schema, tile, error, BH_ERROR_ARGUMENT,
                           "the tile at (%u,%u) has no memory that a job can use", x, y);
    }
    for (unsigned i = 0; i < tile->programs_count; i++) {
        char *path = job_resolve(job->folder, tile->programs[i].elf);
        struct bh_error why = {};
        enum bh_status status =
            path ? bh_load_elf(device, x, y, tile->programs[i].core, path, &entries[tile->programs[i].core], &why)
                 : fail(&why, BH_ERROR_MEMORY, "out of memory");
        free(path);
        if (status != BH_OK) {
            return schema_fail(job->file->schema, &tile->programs[i].elf, error, status, "%s", why.text);
        }
    }
    return write_words(job, target, device, error);
}

static enum bh_status start_tile(const struct bh_job *job, const struct job_target *target, struct bh_device *device,
                                 const uint32_t entries[BH_CORE_KINDS], struct bh_error *error)
{
    const struct job_tile *tile = target->tile;
    unsigned count = tile->start_count ? tile->start_count : tile->programs_count;
    for (unsigned i = 0; i < count; i++) {
        enum bh_core core = tile->start_count ? tile->start[i] : tile->programs[i].core;
        enum bh_status status = bh_core_start(device, target->x, target->y, core, entries[core]);
        if (status != BH_OK) {
            return fail(error, status, "%s: core %s of tile (%u,%u) does not start: %s", job->path, bh_core_name(core),
                        target->x, target->y, bh_status_name(status));
        }
    }
    return BH_OK;
}

enum bh_status job_start_directly(struct job_run *run, struct bh_error *error)
{
    const struct bh_job *job = run->job;
    uint32_t(*entries)[BH_CORE_KINDS] = calloc(job->targets_count, sizeof *entries);
    if (!entries) {
        fail(error, BH_ERROR_MEMORY, "out of memory");
        return BH_ERROR_MEMORY;
    }
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        status = prepare_tile(job, &job->targets[i], run->device, entries[i], error);
    }
    if (status == BH_OK) {
        status = job_write_inputs(job, NULL, run->device, error);
    }
    if (status == BH_OK) {
        status = job_check_outputs(job, run->device, error);
    }
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        status = start_tile(job, &job->targets[i], run->device, entries[i], error);
    }
    free(entries);
    return status;
}

static enum bh_status run_directly(struct job_run *run, struct bh_error *error)
{
    enum bh_status status =
        run->resumes ? job_check_outputs(run->job, run->device, error) : job_start_directly(run, error);
    return status == BH_OK ? job_run_to_end(run, error) : status;
}

/* tt-metal's firmware runs first, and launches kernels. */
static enum bh_status run_launched(struct job_run *run, struct bh_error *error)
{
    const struct bh_job *job = run->job;
    struct job_launcher *launcher;
    enum bh_status status = job_launcher_open(job, &launcher, error);
    if (status == BH_OK) {
        status = job_check_outputs(job, run->device, error);
    }
    if (status == BH_OK) {
        status = job_launcher_print(launcher, run, error);
    }
    if (status == BH_OK) {
        status = job_launcher_boot(launcher, run, error);
    }
    bool booted = run->position.phase == JOB_BOOTS; /* else the snapshot that it goes on from was taken later */
    if (status == BH_OK && booted) {
        status = job_write_inputs(job, launcher, run->device, error);
    }
    for (unsigned i = 0; status == BH_OK && booted && i < job->targets_count; i++) {
        status = write_words(job, &job->targets[i], run->device, error);
    }
    if (status == BH_OK) {
        status = job_launcher_run(launcher, run, error);
    }
    job_launcher_close(launcher);
    return status;
}

static const struct bh_job_options no_options = {.policy = -1};

static enum bh_status check_arrays(const struct bh_job_options *options, struct bh_error *error)
{
    enum bh_status status = arguments_pointers(options->observers, options->observer_count, "observers", error);
    status = status == BH_OK ? arguments_pointers(options->hooks, options->hook_count, "hooks", error) : status;
    status = status == BH_OK ? arguments_array(options->saves, options->save_count, "snapshots", error) : status;
    for (unsigned i = 0; status == BH_OK && i < options->save_count; i++) {
        status = options->saves[i].path ? BH_OK : fail(error, BH_ERROR_ARGUMENT, "snapshot %u has no path", i + 1);
    }
    return status;
}

enum bh_status bh_job_check(const struct bh_job *job, const struct bh_job_options *options, struct bh_error *error)
{
    options = options ? options : &no_options;
    if (!job) {
        return fail(error, BH_ERROR_ARGUMENT, "no job");
    }
    if ((unsigned)options->engine >= BH_ENGINES || (unsigned)options->mode >= BH_MODES || options->policy < -1 ||
        options->policy > BH_POLICY_SILICON) {
        return fail(error, BH_ERROR_ARGUMENT, "%s: there is no such engine, mode or policy", job->path);
    }
    enum bh_status status = check_arrays(options, error);
    if (status != BH_OK) {
        return status;
    }
    unsigned drivers = 0;
    for (unsigned i = 0; i < options->hook_count; i++) {
        drivers += options->hooks[i]->run != NULL;
    }
    if (drivers > 1) {
        return fail(error, BH_ERROR_ARGUMENT, "%u hooks would run the device in place of bh_run()", drivers);
    }
    if (options->save_count > BH_JOB_SAVES) {
        return fail(error, BH_ERROR_ARGUMENT, "%u snapshots; there may be %d", options->save_count, BH_JOB_SAVES);
    }
    if (options->chip >= job->chips) {
        return fail(error, BH_ERROR_ARGUMENT, "%s: there is no chip %u", job->path, options->chip);
    }
    if (!job->parts_count && options->processes > 1) {
        return fail(error, BH_ERROR_ARGUMENT, "%s: it is on one chip, which one process has", job->path);
    }
    if (!job->parts_count && (options->save_folder || options->resume)) {
        return fail(error, BH_ERROR_ARGUMENT, "%s: it is on one chip, whose snapshots are single files", job->path);
    }
    status = job_check_files(job, options, error);
    for (unsigned i = 0; status == BH_OK && i < options->save_count; i++) {
        struct file_target target = {};
        status = file_target_find(options->saves[i].path, &target, error);
        file_target_free(&target);
    }
    return status;
}

enum bh_status bh_job_run(const struct bh_job *job, const struct bh_job_options *options, struct bh_job_result *result,
                          struct bh_error *error)
{
    options = options ? options : &no_options;
    if (!job || !result) {
        return fail(error, BH_ERROR_ARGUMENT, "no job, or nowhere to put the result");
    }
    *result = (struct bh_job_result){};
    job_sources_forget(job->sources);
    bool launched = job->file->launch.kind == JOB_TT_METAL;
    enum bh_status status = bh_job_check(job, options, error);
    if (status != BH_OK) {
        return status;
    }
    if (job->parts_count) {
        return options->processes > 1 ? job_run_processes(job, options, result, error)
                                      : job_run_parts(job, options, NULL, result, error);
    }
    struct job_run run = {.job = job, .options = options, .total = &result->run, .launched = launched};
    struct bh_device_config config = {
        .policy = options->policy < 0 ? job->file->policy : (enum bh_policy_preset)options->policy,
        .on_diagnostic = job_run_listen,
        .context = &run,
        .board = job->file->board,
        .threads = options->threads,
        .verify = options->verify,
        .jitter = options->jitter,
        .engine = options->engine,
        .mode = options->mode,
        .interrupted = options->interrupted,
    };
    status = bh_device_create(&config, &run.device);
    if (status != BH_OK) {
        return fail(error, status, "no device: %s", bh_status_name(status));
    }
    status = job_observe(run.device, options, error);
    if (status == BH_OK) {
        status = job_print_open(&run, error);
    }
    if (status == BH_OK && options->restore) {
        run.resumes = true;
        status = job_snapshot_restore(&run, options->restore, error);
    }
    if (status == BH_OK && run.position.phase != JOB_ENDED) {
        status = launched ? run_launched(&run, error) : run_directly(&run, error);
    }
    if (status == BH_OK) {
        status = job_collect_outputs(job, options, run.device, result, error);
    }
    job_print_close(&run);
    status = job_run_end(&run, status, result, error);
    bh_device_destroy(run.device);
    return status;
}

unsigned bh_job_group(const struct bh_job *job, unsigned chip, unsigned x, unsigned y)
{
    const struct bh_job *part = job;
    const struct job_target *target = job_find_target(job, chip, x, y, &part);
    unsigned before = 0;
    for (unsigned i = 0; target && i < job->parts_count && &job->parts[i] != part; i++) {
        before += job->parts[i].file->tiles_count;
    }
    return target ? before + (unsigned)(target->tile - part->file->tiles) : UINT_MAX;
}

/* What the job has for a chip; null: nothing. */
static const struct bh_job *part_of(const struct bh_job *job, unsigned chip)
{
    const struct bh_job *of_chip = job && job->parts_count ? NULL : job;
    for (unsigned i = 0; job && i < job->parts_count; i++) {
        of_chip = job->parts[i].chip == chip ? &job->parts[i] : of_chip;
    }
    return of_chip;
}

bool bh_job_may_have_tile(const struct bh_job *job, unsigned chip, unsigned x, unsigned y)
{
    const struct bh_job *part = part_of(job, chip);
    struct noc_translation translation;
    unsigned noc_x, noc_y;
    if (!job || chip >= job->chips) {
        return false;
    }
    noc_translation_create(&translation,
                           part ? part->tiles : (struct noc_tiles){ALL_TENSIX_COLUMNS, ALL_ETHERNET, ALL_DRAM});
    return noc_translate(&translation, x, y, &noc_x, &noc_y) &&
           (!part || noc_tile_present(&translation, noc_x, noc_y) || noc_tile_kind(noc_x, noc_y) == TILE_ETHERNET);
}

bool bh_job_tiles(const struct bh_job *job, unsigned chip, struct bh_tiles *tiles)
{
    const struct bh_job *of_chip = part_of(job, chip);
    if (of_chip && tiles) {
        const struct noc_tiles *of_board = &of_chip->tiles;
        *tiles = (struct bh_tiles){of_board->tensix_columns, of_board->ethernet, of_board->dram};
    }
    return of_chip != NULL;
}
