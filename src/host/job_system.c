#include "host/job_system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/device_state.h"
#include "host/job_input.h"
#include "host/job_output.h"
#include "host/job_print.h"
#include "host/job_system_snapshot.h"
#include "util/fail.h"
#include "watch/print.h"

enum { CHUNK = 2000000 }; /* cycles between two calls of on_progress */

/* Parts. */

void job_free_parts(struct bh_job *job)
{
    for (unsigned i = 0; i < job->parts_count; i++) {
        free(job->parts[i].file);
        free(job->parts[i].targets);
    }
    free(job->parts);
    job->parts = NULL;
    job->parts_count = 0;
}

static enum bh_status add_part(struct bh_job *job, const struct bh_topology *topology, const struct job_chips *entry,
                               unsigned among, struct bh_error *error)
{
    unsigned chip = entry->chips[among];
    if (chip >= topology->chip_count) {
        return schema_fail(job->file->schema, &entry->chips, error, BH_ERROR_FORMAT,
                           "chips: there is no chip %u; system %s has %u", chip, topology->name, topology->chip_count);
    }
    struct job_file *file = malloc(sizeof *file);
    if (!file) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    *file = *job->file;
    file->tiles = entry->tiles;
    file->tiles_count = entry->tiles_count;
    file->dram = entry->dram;
    file->board = topology->chips[chip].board;
    struct bh_job *part = &job->parts[job->parts_count++];
    *part = (struct bh_job){.file = file,
                            .folder = job->folder,
                            .path = job->path,
                            .chip_tiles = topology->chips[chip].tiles,
                            .chip = chip,
                            .among = among,
                            .among_all = entry->chips_count};
    enum bh_status status = job_prepare(part, error);
    part->chip_tiles = NULL; /* the topology's */
    return status;
}

static bool has_dram(const struct bh_job *part)
{
    return part->file && (part->file->dram.inputs_count || part->file->dram.outputs_count);
}

/* Refuses two parts of one chip that have the same tile, or both its DRAM. */
static enum bh_status check_parts(const struct bh_job *one, const struct bh_job *other, struct bh_error *error)
{
    if (one->chip != other->chip) {
        return BH_OK;
    }
    for (unsigned i = 0; i < other->targets_count; i++) {
        for (unsigned j = 0; j < one->targets_count; j++) {
            const struct job_target *a = &one->targets[j], *b = &other->targets[i];
            if (a->x == b->x && a->y == b->y) {
                return schema_fail(other->file->schema, b->tile, error, BH_ERROR_FORMAT,
                                   "tile (%u,%u) of chip %u is there twice", b->x, b->y, one->chip);
            }
        }
    }
    return has_dram(one) && has_dram(other)
               ? fail(error, BH_ERROR_FORMAT, "%s: dram of chip %u is there twice", one->path, one->chip)
               : BH_OK;
}

static enum bh_status check_keys(const struct bh_job *job, struct bh_error *error)
{
    const struct job_file *file = job->file;
    const struct {
        const void *member;
        const char *key;
    } others[] = {{&file->tiles, "tiles"}, {&file->dram, "dram"}, {&file->board, "board"}, {&file->launch, "launch"}};
    if (!file->system) {
        return schema_fail(file->schema, &file->chips, error, BH_ERROR_FORMAT,
                           "chips: only with system, which the job does not say");
    }
    if (!file->chips) {
        return schema_fail(file->schema, &file->system, error, BH_ERROR_FORMAT,
                           "system: there is no chips, which says what each of its chips has");
    }
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (schema_has(file->schema, others[i].member)) {
            return schema_fail(file->schema, others[i].member, error, BH_ERROR_FORMAT, "%s: not with system: %s",
                               others[i].key,
                               i < 2 ? "it belongs into an entry of chips" : "no job on several chips has it");
        }
    }
    return BH_OK;
}

const char *job_system_names(char text[JOB_SYSTEM_NAMES])
{
    size_t length = 0;
    for (unsigned i = 0; bh_topology_name(i); i++) {
        length += (size_t)snprintf(text + length, JOB_SYSTEM_NAMES - length, "%s, ", bh_topology_name(i));
    }
    (void)snprintf(text + length, JOB_SYSTEM_NAMES - length, "or a file that ends in .yaml");
    return text;
}

static enum bh_status unknown_system(const struct bh_job *job, struct bh_error *error)
{
    char names[JOB_SYSTEM_NAMES];
    return schema_fail(job->file->schema, &job->file->system, error, BH_ERROR_FORMAT,
                       "system: '%s' is not known; it has to be one of %s", job->file->system, job_system_names(names));
}

bool job_names_file(const char *system)
{
    const char *ending = system ? strrchr(system, '.') : NULL;
    return ending && (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".yml") == 0);
}

static enum bh_status find_topology(const struct bh_job *job, struct bh_topology **topology, struct bh_error *error)
{
    if (job_names_file(job->file->system)) {
        char *path = job_resolve(job->folder, job->file->system);
        enum bh_status status =
            path ? bh_topology_load(path, topology, error) : fail(error, BH_ERROR_MEMORY, "out of memory");
        free(path);
        return status;
    }
    enum bh_status status = bh_topology_by_name(job->file->system, topology);
    return status == BH_ERROR_MEMORY ? fail(error, status, "out of memory")
           : status != BH_OK         ? unknown_system(job, error)
                                     : BH_OK;
}

enum bh_status job_find_parts(struct bh_job *job, struct bh_error *error)
{
    const struct job_file *file = job->file;
    struct bh_topology *topology = NULL;
    enum bh_status status = check_keys(job, error);
    if (status != BH_OK) {
        return status;
    }
    status = find_topology(job, &topology, error);
    if (!topology) {
        return status;
    }
    job->chips = topology->chip_count;
    size_t most = 0;
    for (unsigned i = 0; i < file->chips_count; i++) {
        most += file->chips[i].chips_count;
    }
    job->parts = calloc(most + 1, sizeof *job->parts);
    if (!job->parts) {
        bh_topology_destroy(topology);
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    for (unsigned i = 0; i < file->chips_count; i++) {
        for (unsigned j = 0; j < file->chips[i].chips_count && status == BH_OK; j++) {
            status = add_part(job, topology, &file->chips[i], j, error);
        }
    }
    for (unsigned i = 0; i < job->parts_count && status == BH_OK; i++) {
        for (unsigned j = 0; j < i && status == BH_OK; j++) {
            status = check_parts(&job->parts[j], &job->parts[i], error);
        }
    }
    bh_topology_destroy(topology);
    return status;
}

/* Running. */

/* All parts that run in this process. */
struct whole {
    const struct bh_job *job;
    const struct bh_job_options *options;
    const struct job_process *process; /* null: all of them */
    struct bh_system *system;
    struct job_run *runs;      /* one for each part; the first one hears of what is wrong */
    uint64_t save_at;          /* the clock at which a snapshot is due */
    struct bh_device *watched; /* the chip that observers and hooks accompany; null: it is of another process */
    bool holds;                /* a hook keeps cores from running */
};

static enum bh_status refuse_options(const struct bh_job *job, const struct bh_job_options *options,
                                     struct bh_error *error)
{
    if (options->save_count || options->restore) {
        return fail(error, BH_ERROR_ARGUMENT,
                    "%s: a snapshot of one chip is not for a job on several; those of all chips are: save_folder and "
                    "resume (--save-every and --resume)",
                    job->path);
    }
    for (unsigned i = 0; i < options->hook_count; i++) {
        if (options->hooks[i]->run && !options->hooks[i]->serve) {
            return fail(error, BH_ERROR_ARGUMENT, "%s: a hook that runs one device is not for a job on several chips",
                        job->path);
        }
    }
    return BH_OK;
}

static enum bh_status open_system(struct whole *whole, struct bh_error *error)
{
    const struct bh_job_options *options = whole->options;
    struct bh_topology *topology = NULL;
    struct bh_system_config config = {
        .device = {.policy = options->policy < 0 ? whole->job->file->policy : (enum bh_policy_preset)options->policy,
                   .on_diagnostic = job_run_listen,
                   .context = whole->runs,
                   .verify = options->verify,
                   .jitter = options->jitter,
                   .engine = options->engine,
                   .mode = options->mode,
                   .interrupted = options->interrupted},
        .threads = options->threads,
        .latency = whole->job->file->latency,
    };
    enum bh_status status = find_topology(whole->job, &topology, error);
    if (!topology) {
        return status;
    }
    status = system_create(topology, &config, whole->process ? &whole->process->part : NULL, &whole->system, error);
    bh_topology_destroy(topology);
    if (status != BH_OK) {
        return status;
    }
    whole->watched = bh_system_chip(whole->system, options->chip);
    return BH_OK;
}

/* Before a snapshot is restored, which says when each comes next. */
static enum bh_status open_prints(struct whole *whole, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < whole->job->parts_count && status == BH_OK; i++) {
        struct job_run *run = &whole->runs[i];
        for (unsigned j = 0; j < i && !run->print; j++) { /* of another part of the chip */
            run->print = whole->runs[j].device == run->device ? whole->runs[j].print : NULL;
        }
        status = run->device ? job_print_open(run, error) : BH_OK;
    }
    return status;
}

/* Loads all parts, and starts their cores. */
static enum bh_status start_parts(struct whole *whole, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < whole->job->parts_count && status == BH_OK; i++) {
        status = whole->runs[i].device ? job_start_directly(&whole->runs[i], error) : BH_OK;
    }
    for (unsigned i = 0; i < whole->job->parts_count && status == BH_OK; i++) {
        if (whole->runs[i].print) {
            print_visit(whole->runs[i].print);
        }
    }
    return status;
}

static enum bh_status start(struct whole *whole, struct bh_error *error)
{
    enum bh_status status = whole->options->resume ? BH_OK : start_parts(whole, error);
    for (unsigned i = 0; whole->watched && i < whole->options->hook_count && status == BH_OK; i++) {
        const struct bh_job_hook *hook = whole->options->hooks[i];
        status = hook->ready ? hook->ready(hook->context, whole->watched, error) : BH_OK;
    }
    return status;
}

static uint64_t limit_of(const struct whole *whole)
{
    return whole->options->limit ? whole->options->limit : whole->job->file->limit;
}

static enum bh_status give_up(const struct whole *whole, const struct bh_run_result *total, struct bh_error *error)
{
    const char *counts = bh_mode_counts(whole->options->mode), *path = whole->job->path;
    bh_system_report(whole->system);
    return total->reason == BH_RAN_INTERRUPTED
               ? fail(error, BH_ERROR_STOPPED, "%s: interrupted after %" PRIu64 " %s", path, total->cycles, counts)
               : fail(error, BH_ERROR_STOPPED, "%s: not finished after %" PRIu64 " %s (its limit)", path,
                      limit_of(whole), counts);
}

static enum bh_status stop(const struct whole *whole, const struct bh_run_result *total, struct bh_error *error)
{
    const struct bh_diagnostic *stopped = &whole->runs[0].stopped;
    const char *lost = bh_system_failed(whole->system), *counts = bh_mode_counts(whole->options->mode);
    if (lost) {
        return fail(error, BH_ERROR_LOST, "%s: %s", whole->job->path, lost);
    }
    if (!stopped->text[0]) {
        return fail(error, BH_ERROR_LOST, "%s: stopped after %" PRIu64 " %s by a chip of another process",
                    whole->job->path, total->cycles, counts);
    }
    return fail(error, BH_ERROR_STOPPED, "%s: stopped after %" PRIu64 " %s: chip %u: %s: %.*s", whole->job->path,
                total->cycles, counts, stopped->chip, bh_category_name(stopped->category),
                (int)strcspn(stopped->text, "\n"), stopped->text);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many cycles the system runs before something else is due. */
static uint64_t next_part(const struct whole *whole, const struct bh_run_result *total)
{
    uint64_t part = smaller(limit_of(whole) - total->cycles, CHUNK), clock = bh_system_clock(whole->system);
    part = whole->options->save_folder ? smaller(part, whole->save_at - clock) : part;
    for (unsigned i = 0; whole->watched && i < whole->options->hook_count; i++) {
        const struct bh_job_hook *hook = whole->options->hooks[i];
        part = hook->stop ? smaller(part, hook->stop(hook->context, whole->watched) - clock) : part;
        part = hook->serve ? smaller(part, system_epoch_end(whole->system, clock + 1) - clock) : part;
    }
    return part;
}

/* Calls the hooks whose clock has come, and those that serve. */
static enum bh_status call_hooks(struct whole *whole, struct bh_run_result *total, struct bh_error *error)
{
    whole->holds = false;
    for (unsigned i = 0; whole->watched && i < whole->options->hook_count; i++) {
        const struct bh_job_hook *hook = whole->options->hooks[i];
        while (hook->stop && hook->stop(hook->context, whole->watched) <= bh_system_clock(whole->system)) {
            enum bh_status status = hook->reached(hook->context, whole->watched, error);
            if (status != BH_OK) {
                return status;
            }
        }
        bool holds = false;
        if (hook->serve && !hook->serve(hook->context, whole->watched, &holds)) {
            total->reason = BH_RAN_INTERRUPTED;
        }
        whole->holds |= holds;
    }
    return BH_OK;
}

/* Saves at ends of epochs. Looking for chips that spin takes cycles, so that a run may have gone beyond one. */
static enum bh_status save_if_due(struct whole *whole, const struct bh_run_result *total, struct bh_error *error)
{
    uint64_t clock = bh_system_clock(whole->system);
    if (!whole->options->save_folder || clock < whole->save_at) {
        return BH_OK;
    }
    bool whole_epoch = clock == system_epoch_end(whole->system, clock);
    whole->save_at = system_epoch_end(whole->system, clock + (whole_epoch ? whole->options->save_every : 0));
    return whole_epoch ? job_system_save(whole->job, whole->system, !whole->process || whole->process->part.rank == 0,
                                         whole->options->save_folder, total->cycles, error)
                       : BH_OK;
}

/* Goes on from a snapshot, if that is wanted. */
static enum bh_status resume(struct whole *whole, struct bh_run_result *total, struct bh_error *error)
{
    const struct bh_job_options *options = whole->options;
    enum bh_status status = BH_OK;
    if (options->resume) {
        status = job_system_resume(whole->job, whole->system, options->mode, options->resume, &total->cycles, error);
    }
    for (unsigned i = 0; status == BH_OK && i < bh_system_chip_count(whole->system); i++) {
        uint64_t riscv = 0, tensix = 0;
        if (bh_system_chip(whole->system, i)) {
            system_instructions(whole->system, i, &riscv, &tensix);
        }
        total->riscv_instructions += riscv;
        total->tensix_instructions += tensix;
    }
    whole->save_at = system_epoch_end(whole->system, bh_system_clock(whole->system) + options->save_every);
    return status;
}

static enum bh_status run(struct whole *whole, struct bh_run_result *total, struct bh_error *error)
{
    while (total->reason != BH_RAN_INTERRUPTED && total->cycles < limit_of(whole)) {
        struct bh_run_result part;
        enum bh_status status = call_hooks(whole, total, error);
        if (status != BH_OK || total->reason == BH_RAN_INTERRUPTED) {
            return status == BH_OK ? give_up(whole, total, error) : status;
        }
        status = bh_system_run(whole->system, next_part(whole, total), &part);
        if (whole->holds && (part.reason == BH_RAN_IDLE || part.reason == BH_RAN_DEADLOCK)) {
            status = BH_OK;
            part.reason = BH_RAN_CYCLES;
            part.cycles = 0; /* of the job's limit, while a thread is looked at */
        }
        total->reason = part.reason;
        total->cycles += part.cycles;
        total->riscv_instructions += part.riscv_instructions;
        total->tensix_instructions += part.tensix_instructions;
        if (status != BH_OK) {
            return stop(whole, total, error);
        }
        if (part.reason == BH_RAN_IDLE) {
            total->cycles = system_ended_at(whole->system);
            bh_system_report(whole->system);
            return BH_OK;
        }
        status = save_if_due(whole, total, error);
        if (status != BH_OK) {
            return status;
        }
        if (whole->options->on_progress) {
            whole->options->on_progress(whole->options->context, total);
        }
    }
    return give_up(whole, total, error);
}

/* The digest of a job from those of its parts, one after the other; it begins with 0. */
static uint64_t combine_digests(uint64_t digest, uint64_t part)
{
    return digest ? (digest ^ part) * 0x100000001b3u + 1 : part;
}

static void add_outputs(struct bh_job_result *sum, const struct bh_job_result *one)
{
    if (!sum->outputs_differ) {
        sum->mismatch = one->mismatch;
    }
    sum->outputs += one->outputs;
    sum->outputs_compared += one->outputs_compared;
    sum->outputs_differ += one->outputs_differ;
}

const struct job_outcome *job_put_together(const struct job_outcome *all, unsigned ranks, const uint64_t *digests,
                                           unsigned parts, struct bh_job_result *result)
{
    const struct job_outcome *failed = NULL;
    *result = (struct bh_job_result){.run = {.reason = all[0].result.run.reason, .cycles = all[0].result.run.cycles}};
    for (unsigned rank = 0; rank < ranks; rank++) {
        const struct job_outcome *one = &all[rank];
        bool better = !failed || (failed->status == BH_ERROR_LOST && one->status != BH_ERROR_LOST);
        failed = one->status != BH_OK && better ? one : failed;
        result->run.riscv_instructions += one->result.run.riscv_instructions;
        result->run.tensix_instructions += one->result.run.tensix_instructions;
        add_outputs(result, &one->result);
    }
    for (unsigned i = 0; i < parts; i++) {
        result->digest = combine_digests(result->digest, digests[i]);
    }
    return failed;
}

/* What came out of each part has a digest of its own, so that it is the same in whichever process the part runs. */
static enum bh_status collect(struct whole *whole, struct bh_job_result *result, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < whole->job->parts_count && status == BH_OK; i++) {
        struct bh_job_result one = {0};
        if (!whole->runs[i].device) {
            continue;
        }
        status = job_collect_outputs(&whole->job->parts[i], whole->options, whole->runs[i].device, &one, error);
        add_outputs(result, &one);
        result->digest = combine_digests(result->digest, one.digest);
        if (whole->process) {
            whole->process->digests[i] = one.digest;
        }
    }
    return status;
}

static enum bh_status end(struct whole *whole, enum bh_status how, struct bh_job_result *result, struct bh_error *error)
{
    enum bh_status status = how;
    for (unsigned i = whole->options->hook_count; whole->watched && i--;) {
        const struct bh_job_hook *hook = whole->options->hooks[i];
        struct bh_error why;
        enum bh_status one = hook->ended ? hook->ended(hook->context, whole->watched, how, &why) : BH_OK;
        status = job_end_error(status, one, &why, result, error);
    }
    return status;
}

enum bh_status job_run_parts(const struct bh_job *job, const struct bh_job_options *options,
                             const struct job_process *process, struct bh_job_result *result, struct bh_error *error)
{
    struct whole whole = {
        .job = job, .options = options, .process = process, .runs = calloc(job->parts_count, sizeof *whole.runs)};
    enum bh_status status = whole.runs ? refuse_options(job, options, error) : BH_ERROR_MEMORY;
    for (unsigned i = 0; i < job->parts_count && status == BH_OK; i++) {
        whole.runs[i] = (struct job_run){.job = &job->parts[i], .options = options, .total = &result->run};
    }
    status = status == BH_OK ? open_system(&whole, error) : status;
    for (unsigned i = 0; i < job->parts_count && status == BH_OK; i++) {
        whole.runs[i].device = bh_system_chip(whole.system, job->parts[i].chip);
    }
    status = status == BH_OK && whole.watched ? job_observe(whole.watched, options, error) : status;
    if (status == BH_OK) {
        status = open_prints(&whole, error);
        status = status == BH_OK ? resume(&whole, &result->run, error) : status;
        status = status == BH_OK ? start(&whole, error) : status;
        status = status == BH_OK ? run(&whole, &result->run, error) : status;
        status = status == BH_OK ? collect(&whole, result, error) : status;
        status = end(&whole, status, result, error);
    }
    for (unsigned i = 0; whole.runs && i < job->parts_count; i++) {
        for (unsigned j = i + 1; j < job->parts_count; j++) { /* one that several parts have is closed once */
            whole.runs[j].print = whole.runs[j].print == whole.runs[i].print ? NULL : whole.runs[j].print;
        }
        job_print_close(&whole.runs[i]);
    }
    bh_system_destroy(whole.system);
    free(whole.runs);
    return status;
}
