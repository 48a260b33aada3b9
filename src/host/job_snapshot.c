#include "host/job_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "host/snapshot_file.h"
#include "util/fail.h"

uint64_t job_snapshot_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

/* Of a file, whose folder may be another one by now. */
static uint64_t add_name(uint64_t hash, const char *path)
{
    const char *slash = strrchr(path, '/');
    for (const char *c = slash ? slash + 1 : path; *c; c++) {
        hash = job_snapshot_hash(hash, (unsigned char)*c);
    }
    return job_snapshot_hash(hash, 0);
}

static uint64_t add_programs(uint64_t hash, const struct job_program *programs, unsigned count)
{
    hash = job_snapshot_hash(hash, count);
    for (unsigned i = 0; i < count; i++) {
        hash = add_name(job_snapshot_hash(hash, programs[i].core), programs[i].elf);
    }
    return hash;
}

static uint64_t add_outputs(uint64_t hash, const struct job_output *outputs, unsigned count)
{
    hash = job_snapshot_hash(hash, count);
    for (unsigned i = 0; i < count; i++) {
        hash = job_snapshot_hash(job_snapshot_hash(hash, outputs[i].place.address), outputs[i].format);
        hash = job_snapshot_hash(job_snapshot_hash(hash, outputs[i].layout), outputs[i].shape_count);
        for (unsigned j = 0; j < outputs[i].shape_count; j++) {
            hash = job_snapshot_hash(hash, outputs[i].shape[j]);
        }
    }
    return hash;
}

uint64_t job_snapshot_part(uint64_t hash, const struct bh_job *part)
{
    const struct job_dram *dram = &part->file->dram;
    for (unsigned i = 0; i < part->targets_count; i++) {
        const struct job_target *target = &part->targets[i];
        const struct job_tile *tile = target->tile;
        hash = job_snapshot_hash(job_snapshot_hash(hash, target->x), target->y);
        hash = add_programs(hash, tile->programs, tile->programs_count);
        hash = add_programs(hash, tile->kernels, tile->kernels_count);
        hash = add_outputs(hash, tile->outputs, tile->outputs_count);
    }
    return add_outputs(hash, dram->outputs, dram->outputs_count);
}

/* What a job is known by: its tiles, what it starts on them, and its outputs. */
static uint64_t identity_of(const struct bh_job *job)
{
    const struct job_launch *launch = &job->file->launch;
    uint64_t hash = job_snapshot_hash(job_snapshot_hash(0, (uint64_t)launch->kind), launch->times);
    return job_snapshot_part(add_programs(hash, launch->firmware, launch->firmware_count), job);
}

enum bh_status job_snapshot_save(struct job_run *run, const char *path, struct bh_error *error)
{
    struct saved_job job;
    memset(&job, 0, sizeof job); /* padding, too */
    job.identity = identity_of(run->job);
    job.position = run->position;
    job.cycles = run->total->cycles;
    job.riscv_instructions = run->total->riscv_instructions;
    job.tensix_instructions = run->total->tensix_instructions;
    job.reason = run->total->reason;
    job.stopped = run->stopped;
    return snapshot_file_write(path, run->device, &job, sizeof job, error);
}

/* Whether a hook runs the device: a debugger comes to a deadlock by itself, when it is there. */
static bool is_run(const struct job_run *run)
{
    bool any = false;
    for (unsigned i = 0; i < run->options->hook_count; i++) {
        any |= run->options->hooks[i]->run != NULL;
    }
    return any;
}

/* Whether a hook stops the device where it wants. */
static bool stops(const struct job_run *run)
{
    bool any = is_run(run);
    for (unsigned i = 0; i < run->options->hook_count; i++) {
        const struct bh_job_hook *hook = run->options->hooks[i];
        any |= hook->stop && hook->stop(hook->context, run->device) != UINT64_MAX;
    }
    return any;
}

/* Hooks that stop the device where they want do so: what was left of a call of bh_run() is another call. If nothing
   runs any more it ends here, with the clock at which that was so. */
static void leave_call(struct job_run *run)
{
    struct job_position *position = &run->position;
    if (position->call.cycles && stops(run)) {
        (void)device_run_end(run->device, &position->call);
        position->part.cycles += position->call.result.cycles;
        position->part.riscv_instructions += position->call.result.riscv_instructions;
        position->part.tensix_instructions += position->call.result.tensix_instructions;
        position->call = (struct device_run){0};
    }
}

static enum bh_status take_place(struct job_run *run, const struct saved_job *job)
{
    run->position = job->position;
    leave_call(run);
    run->total->cycles = job->cycles;
    run->total->riscv_instructions = job->riscv_instructions;
    run->total->tensix_instructions = job->tensix_instructions;
    run->total->reason = job->reason == BH_RAN_INTERRUPTED ? BH_RAN_CYCLES : (enum bh_run_reason)job->reason;
    run->hangs = job->reason == BH_RAN_DEADLOCK && !run->launched && !is_run(run);
    if (job->stopped.action == BH_STOP && job->reason != BH_RAN_DEADLOCK) { /* the device does not say it again */
        job_run_listen(run, &job->stopped);
    }
    return BH_OK;
}

enum bh_status job_snapshot_restore(struct job_run *run, const char *path, struct bh_error *error)
{
    struct snapshot_content content;
    struct saved_job job = {0};
    enum bh_status status = snapshot_file_read(path, &content, error);
    if (status != BH_OK) {
        return status;
    }
    if (content.job == 0) {
        status = fail(error, BH_ERROR_FORMAT, "%s: is not restored: it is of a device without a job", path);
    } else if (content.job != sizeof job) {
        status = fail(error, BH_ERROR_FORMAT, "%s: is not restored: what it has of the job is of another size", path);
    } else {
        memcpy(&job, content.bytes + content.device, sizeof job);
        status = job.identity == identity_of(run->job)
                     ? snapshot_content_restore(&content, path, run->device, error)
                     : fail(error, BH_ERROR_FORMAT, "%s: is not restored: it is of another job than %s", path,
                            run->job->path);
    }
    free(content.bytes);
    return status == BH_OK ? take_place(run, &job) : status;
}
