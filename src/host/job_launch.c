#include "host/job_launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/elf_load.h"
#include "host/job_input.h"
#include "host/metal_launch.h"
#include "host/metal_own.h"
#include "host/metal_print.h"
#include "util/fail.h"

enum { FIRST_LOOK = 1000, LAST_LOOK = 4000000 }; /* cycles between two reads of the go messages: more as time goes by */
enum { SOFT_RESET_0 = 0xFFB121B0u, ALL_IN_RESET = 0x47800 };

struct job_launcher {
    const struct bh_job *job;
    struct metal_firmware firmware;
    char *paths[BH_CORE_COUNT];
    struct metal_launch *launches; /* of each target; without a configuration where there are no kernels */
};

/* One tile's kernels and their arguments, as the launch unit takes them; its members are malloc'ed. */
struct tile_program {
    struct metal_program program;
    char *paths[BH_CORE_COUNT];
    uint32_t *words[2 * BH_CORE_COUNT];
};

static void free_program(struct tile_program *tile)
{
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        free(tile->paths[i]);
    }
    for (unsigned i = 0; i < 2 * BH_CORE_COUNT; i++) {
        free(tile->words[i]);
    }
}

/* One entry of arguments: the cores that it names each get a copy. */
static enum bh_status add_arguments(const struct bh_job *job, const struct job_target *target,
                                    const struct job_arguments *arguments, struct metal_words *of, uint32_t **words,
                                    struct bh_error *error)
{
    for (unsigned i = 0; i < arguments->cores_count; i++) {
        enum bh_core core = arguments->cores[i];
        words[core] = job_words_of(target, &arguments->words, &of[core].count);
        if (!words[core]) {
            return fail(error, BH_ERROR_MEMORY, "out of memory");
        }
        of[core].values = words[core];
    }
    return BH_OK;
}

/* Call free_program() afterwards, also after a failure. */
static enum bh_status make_program(const struct bh_job *job, const struct job_target *target, struct tile_program *made,
                                   struct bh_error *error)
{
    const struct job_tile *tile = target->tile;
    *made = (struct tile_program){
        .program = {.semaphores = {tile->semaphores, tile->semaphores_count},
                    .buffers = tile->buffers,
                    .buffers_count = tile->buffers_count,
                    .noc = tile->noc,
                    .by_device = job->file->launch.dispatch == JOB_BY_DEVICE},
    };
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < tile->kernels_count; i++) {
        enum bh_core core = tile->kernels[i].core;
        made->program.kernels[core] = made->paths[core] = job_resolve(job->folder, tile->kernels[i].elf);
        status = made->paths[core] ? BH_OK : fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    for (unsigned i = 0; status == BH_OK && i < tile->arguments_count; i++) {
        status = add_arguments(job, target, &tile->arguments[i], made->program.unique, made->words, error);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->common_arguments_count; i++) {
        status = add_arguments(job, target, &tile->common_arguments[i], made->program.common,
                               made->words + BH_CORE_COUNT, error);
    }
    return status;
}

/* Call metal_launch_free() afterwards, also after a failure. */
static enum bh_status make_launch(const struct bh_job *job, const struct metal_firmware *firmware,
                                  const struct job_target *target, struct metal_launch *launch, struct bh_error *error)
{
    struct tile_program tile;
    *launch = (struct metal_launch){};
    enum bh_status status = make_program(job, target, &tile, error);
    if (status == BH_OK && target->tile->kernels_count) {
        struct bh_error why = {};
        status = metal_launch_make(firmware, &tile.program, launch, &why);
        if (status != BH_OK) {
            schema_fail(job->file->schema, target->tile->kernels, error, status, "tile (%u,%u): %s", target->x,
                        target->y, why.text);
        }
    }
    free_program(&tile);
    return status;
}

static enum bh_status open_firmware(const struct bh_job *job, char *paths[BH_CORE_COUNT],
                                    struct metal_firmware *firmware, struct bh_error *error)
{
    const struct job_launch *launch = &job->file->launch;
    for (unsigned i = 0; i < launch->firmware_count; i++) {
        enum bh_core core = launch->firmware[i].core;
        paths[core] = job_resolve(job->folder, launch->firmware[i].elf);
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (!paths[core]) {
            return fail(error, BH_ERROR_MEMORY, "out of memory");
        }
    }
    struct bh_error why = {};
    enum bh_status status =
        metal_firmware_open(firmware, (const char *const *)paths, launch->layout, job->file->board, &why);
    if (status != BH_OK) {
        const void *what = launch->layout ? (const void *)&launch->layout : &launch->firmware;
        schema_fail(job->file->schema, what, error, status, "%s", why.text);
    }
    return status;
}

static void free_paths(char *paths[BH_CORE_COUNT])
{
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        free(paths[core]);
    }
}

enum bh_status job_launcher_open(const struct bh_job *job, struct job_launcher **launcher, struct bh_error *error)
{
    struct job_launcher *made = *launcher = calloc(1, sizeof *made);
    if (!made) {
        fail(error, BH_ERROR_MEMORY, "out of memory");
        return BH_ERROR_MEMORY;
    }
    made->job = job;
    made->launches = calloc(job->targets_count + 1, sizeof *made->launches);
    if (!made->launches) {
        fail(error, BH_ERROR_MEMORY, "out of memory");
        return BH_ERROR_MEMORY;
    }
    enum bh_status status = open_firmware(job, made->paths, &made->firmware, error);
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        status = make_launch(job, &made->firmware, &job->targets[i], &made->launches[i], error);
    }
    return status;
}

void job_launcher_close(struct job_launcher *launcher)
{
    if (!launcher) {
        return;
    }
    for (unsigned i = 0; launcher->launches && i < launcher->job->targets_count; i++) {
        metal_launch_free(&launcher->launches[i]);
    }
    free(launcher->launches);
    free_paths(launcher->paths);
    free(launcher);
}

uint32_t job_launcher_end(const struct job_launcher *launcher, unsigned target)
{
    return launcher->firmware.layout.end + launcher->launches[target].config_size;
}

/* Whether a tile has cores that take part. Others can be reached over the NoC, and have no firmware. */
static bool takes_part(const struct job_launcher *launcher, const struct job_target *target)
{
    unsigned x, y;
    return metal_logical(&launcher->firmware.board, target->x, target->y, &x, &y);
}

/* Whether a tile's go message says DONE. */
static bool is_done(const struct job_launcher *launcher, struct job_run *run, const struct job_target *target)
{
    return !takes_part(launcher, target) ||
           metal_signal(&launcher->firmware, run->device, target->x, target->y) == METAL_SIGNAL_DONE;
}

static enum bh_status reset(struct bh_device *device, const struct job_target *target)
{
    uint32_t word = ALL_IN_RESET;
    return bh_write(device, target->x, target->y, SOFT_RESET_0, &word, sizeof word);
}

/* The first tile that is not done, and how many are not. */
static const struct job_target *find_waiting(const struct job_launcher *launcher, struct job_run *run, unsigned *count)
{
    const struct job_target *first = NULL;
    *count = 0;
    for (unsigned i = 0; i < run->job->targets_count; i++) {
        const struct job_target *target = &run->job->targets[i];
        if (!is_done(launcher, run, target)) {
            first = first ? first : target;
            ++*count;
        }
    }
    return first;
}

/* Reports what the tiles that are not done wait for. The others are silenced first: their firmware waits for the host,
   as it should. */
static enum bh_status explain(const struct job_launcher *launcher, struct job_run *run, const char *what,
                              struct bh_error *error)
{
    char state[400], others[60] = "";
    unsigned count;
    const struct job_target *first = find_waiting(launcher, run, &count);
    for (unsigned i = 0; i < run->job->targets_count; i++) {
        if (is_done(launcher, run, &run->job->targets[i])) {
            (void)reset(run->device, &run->job->targets[i]);
        }
    }
    bh_report(run->device);
    if (count > 1) {
        snprintf(others, sizeof others, " and %u more", count - 1);
    }
    return fail(error, BH_ERROR_STOPPED, "%s: %stile (%u,%u)%s: %s after %" PRIu64 " %s: %s", run->job->path,
                run->total->reason == BH_RAN_INTERRUPTED ? "interrupted: " : "", first->x, first->y, others, what,
                run->total->cycles, bh_mode_counts(run->options->mode),
                metal_state(&launcher->firmware, run->device, first->x, first->y, state, sizeof state));
}

/* Runs until all tiles are done. If all cores spin or rest and some tiles are not done, they never will be. */
static enum bh_status wait_for_all(const struct job_launcher *launcher, struct job_run *run, const char *what,
                                   struct bh_error *error)
{
    bool goes_on = run->position.asked; /* from a snapshot that was taken here: the host does not look before it did */
    uint64_t *look = &run->position.look;
    unsigned waiting;
    *look = goes_on ? *look : FIRST_LOOK;
    while (goes_on || find_waiting(launcher, run, &waiting)) {
        if (!goes_on &&
            (job_run_is_over(run) || run->total->reason == BH_RAN_DEADLOCK || run->total->reason == BH_RAN_IDLE)) {
            return explain(launcher, run, what, error);
        }
        enum bh_status status = job_run_part(run, *look, error);
        if (status != BH_OK) {
            return status;
        }
        goes_on = false;
        *look = *look < LAST_LOOK ? *look + *look / 8 : LAST_LOOK;
    }
    run->total->reason = BH_RAN_CYCLES;
    return BH_OK;
}

enum bh_status job_launcher_print(struct job_launcher *launcher, struct job_run *run, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    run->formats = metal_formats_new();
    for (unsigned i = 0; run->formats && status == BH_OK && i < run->job->targets_count; i++) {
        const struct job_target *target = &run->job->targets[i];
        struct tile_program program = {};
        if (!takes_part(launcher, target)) {
            continue;
        }
        status = make_program(run->job, target, &program, error);
        if (status == BH_OK) {
            struct metal_print_tile tile = {.x = target->x, .y = target->y};
            memcpy(tile.kernels, program.program.kernels, sizeof tile.kernels);
            memcpy(tile.firmware, launcher->firmware.paths, sizeof tile.firmware);
            status =
                metal_print_add(run->print, run->formats, run->device, &launcher->firmware.layout, &tile, run->resumes);
        }
        free_program(&program);
    }
    return run->formats && status == BH_OK
               ? BH_OK
               : fail(error, status == BH_OK ? BH_ERROR_MEMORY : status, "%s: prints can not be shown", run->job->path);
}

enum bh_status job_launcher_boot(struct job_launcher *launcher, struct job_run *run, struct bh_error *error)
{
    if (run->position.phase != JOB_BOOTS) {
        return BH_OK;
    }
    for (unsigned i = 0; !run->resumes && i < run->job->targets_count; i++) {
        const struct job_target *target = &run->job->targets[i];
        struct bh_error why = {};
        if (!takes_part(launcher, target) && !target->tile->kernels_count) {
            continue;
        }
        enum bh_status status = metal_firmware_boot(&launcher->firmware, run->device, target->x, target->y, &why);
        if (status != BH_OK) {
            return fail(error, status, "%s: %s", run->job->path, why.text[0] ? why.text : "the firmware is not taken");
        }
    }
    run->total->reason = run->resumes ? run->total->reason : BH_RAN_CYCLES;
    return wait_for_all(launcher, run, "the firmware is not ready", error);
}

static enum bh_status launch_all(const struct job_launcher *launcher, struct job_run *run, unsigned entry)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < run->job->targets_count; i++) {
        const struct job_target *target = &run->job->targets[i];
        if (target->tile->kernels_count) {
            status = metal_launch_write(&launcher->firmware, &launcher->launches[i], run->device, target->x, target->y,
                                        entry);
        }
    }
    for (unsigned i = 0; status == BH_OK && i < run->job->targets_count; i++) {
        const struct job_target *target = &run->job->targets[i];
        if (target->tile->kernels_count) {
            status = metal_launch_go(&launcher->firmware, run->device, target->x, target->y);
        }
    }
    return status;
}

enum bh_status job_launcher_run(struct job_launcher *launcher, struct job_run *run, struct bh_error *error)
{
    const struct job_launch *launch = &run->job->file->launch;
    unsigned times = launch->times ? launch->times : 1, launched = 0;
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < run->job->targets_count; i++) {
        launched += run->job->targets[i].tile->kernels_count;
    }
    times = launched ? times : 0;
    uint32_t *number = &run->position.launch;
    bool goes_on = run->position.phase == JOB_RUNS; /* from a snapshot that was taken when kernels ran */
    run->position.phase = JOB_RUNS;
    for (; status == BH_OK && *number < times; ++*number) {
        unsigned i = *number;
        status =
            goes_on ? BH_OK : launch_all(launcher, run, launch->dispatch == JOB_BY_DEVICE ? i % METAL_MESSAGES : 0);
        if (status != BH_OK) {
            return fail(error, status, "%s: the kernels are not taken: %s", run->job->path, bh_status_name(status));
        }
        goes_on = false;
        status = wait_for_all(launcher, run, "the kernels have not ended", error);
    }
    for (unsigned i = 0; status == BH_OK && i < run->job->targets_count; i++) {
        if (takes_part(launcher, &run->job->targets[i])) {
            status = reset(run->device, &run->job->targets[i]);
            run->total->reason = BH_RAN_IDLE;
        }
    }
    return status;
}

bool job_launch_layout_find(const struct bh_job *job, const struct job_target *target, struct job_launch_layout *layout)
{
    struct metal_firmware firmware;
    struct metal_launch launch = {};
    struct tile_program tile = {};
    *layout = (struct job_launch_layout){};
    layout->known = open_firmware(job, layout->firmware, &firmware, NULL) == BH_OK &&
                    make_launch(job, &firmware, target, &launch, NULL) == BH_OK &&
                    make_program(job, target, &tile, NULL) == BH_OK;
    if (layout->known) {
        memcpy(layout->kernels, tile.paths, sizeof layout->kernels);
        memset(tile.paths, 0, sizeof tile.paths);
        memcpy(layout->placed, launch.placed, sizeof layout->placed);
        memcpy(layout->linked, launch.linked, sizeof layout->linked);
    } else {
        job_launch_layout_free(layout);
    }
    free_program(&tile);
    metal_launch_free(&launch);
    return layout->known;
}

void job_launch_layout_free(struct job_launch_layout *layout)
{
    free_paths(layout->firmware);
    free_paths(layout->kernels);
    *layout = (struct job_launch_layout){};
}

enum bh_status job_launcher_own(const struct bh_job *job, const struct job_target *target, unsigned x, unsigned y,
                                struct bh_check *check, struct bh_error *error)
{
    struct metal_firmware firmware;
    struct metal_launch launch = {};
    struct tile_program tile = {};
    char *paths[BH_CORE_COUNT] = {};
    enum bh_status status = open_firmware(job, paths, &firmware, error);
    if (status == BH_OK) {
        status = make_launch(job, &firmware, target, &launch, error);
    }
    if (status == BH_OK) {
        status = make_program(job, target, &tile, error);
    }
    if (status == BH_OK && launch.config) {
        status = metal_own(check, x, y, &firmware, &tile.program, &launch);
    }
    for (unsigned core = 0; status == BH_OK && core < BH_CORE_COUNT; core++) {
        status = elf_own(paths[core], x, y, (enum bh_core)core, false, check);
        if (status == BH_OK && tile.paths[core]) {
            status = elf_own(tile.paths[core], x, y, (enum bh_core)core, true, check);
        }
    }
    free_program(&tile);
    metal_launch_free(&launch);
    free_paths(paths);
    return status == BH_ERROR_MEMORY ? fail(error, status, "out of memory") : status;
}
