/* A job on several chips in several processes of this machine: they are forked, each has a part of the chips
   (system/shared.h), and what they have come to is put together. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "host/job_system_snapshot.h"
#include "host/processes.h"
#include "system/shared.h"
#include "util/fail.h"

enum { SLOW = 10 }; /* seconds, after which a process that others wait for is named */

struct job_processes {
    const struct bh_job *job;
    const struct bh_job_options *options;
    unsigned chips;
    uint16_t owner[BH_SYSTEM_CHIPS];
    struct processes processes;
    struct job_outcome *outcomes; /* shared memory: one for each process, and behind them the digests of parts */
    uint64_t *digests;
    volatile sig_atomic_t *interrupted; /* the last in it: what `interrupted` of the options is in this process */
    size_t outcomes_size;
};

static void tell_slow(void *context, unsigned rank, uint64_t clock)
{
    const struct job_processes *all = context;
    const struct bh_diagnostic diagnostic = {.category = BH_UNSUPPORTED, .action = BH_WARN};
    struct bh_diagnostic told = diagnostic;
    (void)snprintf(told.text, sizeof told.text, "process %u is slow: others have waited %d s for it at cycle %llu",
                   rank, SLOW, (unsigned long long)clock);
    if (all->options->on_diagnostic) {
        all->options->on_diagnostic(all->options->context, &told);
    }
}

static void no_progress(void *context, const struct bh_run_result *so_far) {}

static int run_process(void *context, unsigned rank)
{
    struct job_processes *all = context;
    struct job_outcome *outcome = &all->outcomes[rank];
    const struct shared_options how = {.rank = rank, .slow = SLOW, .on_slow = rank ? NULL : tell_slow, .context = all};
    struct shared_end *end = shared_join(all->processes.shared, &how);
    struct bh_job_options options = *all->options;
    options.on_progress = rank ? no_progress : options.on_progress;
    options.interrupted = options.interrupted ? all->interrupted : NULL;
    if (!end) {
        outcome->status = fail(&outcome->error, BH_ERROR_MEMORY, "out of memory");
    } else {
        const struct job_process process = {.part = {.rank = rank,
                                                     .ranks = all->processes.ranks,
                                                     .owner = all->owner,
                                                     .exchange = shared_exchange(end)},
                                            .digests = all->digests};
        outcome->status = job_run_parts(all->job, &options, &process, &outcome->result, &outcome->error);
    }
    shared_leave(end);
    outcome->ended = true;
    return 0;
}

/* One that has died leaves no outcome. For one that has failed by itself, since it can not read or write a file, say,
   the others would wait. */
static bool ended_well(void *context, unsigned rank, int status)
{
    const struct job_outcome *outcome = &((const struct job_processes *)context)->outcomes[rank];
    bool alike = outcome->status == BH_OK || outcome->status == BH_ERROR_STOPPED || outcome->status == BH_ERROR_LOST;
    return outcome->ended && alike;
}

static enum bh_status tell_of_death(const struct job_processes *all, struct bh_error *error)
{
    char what[60], name[SYSTEM_PART_NAME];
    unsigned rank = all->processes.dead;
    uint64_t saved = all->options->save_folder ? job_system_latest(all->options->save_folder) : UINT64_MAX;
    char resume[200] = "";
    if (saved != UINT64_MAX) {
        (void)snprintf(resume, sizeof resume, "; --resume %.100s goes on from cycle %llu", all->options->save_folder,
                       (unsigned long long)saved);
    }
    return fail(error, BH_ERROR_LOST, "%s: %s %s at cycle %llu; the others have ended%s", all->job->path,
                system_name_part("process", rank, all->owner, all->chips, name), process_end(all->processes.how, what),
                (unsigned long long)shared_clock(all->processes.shared, rank), resume);
}

static enum bh_status run_all(struct job_processes *all, struct bh_job_result *result, struct bh_error *error)
{
    const struct timespec look = {.tv_nsec = 1000 * 1000};
    struct processes *processes = &all->processes;
    enum bh_status status = processes_start(processes, error);
    while (processes_look(processes)) {
        *all->interrupted = all->options->interrupted ? *all->options->interrupted : 0;
        nanosleep(&look, NULL);
    }
    if (status != BH_OK) {
        return status;
    }
    const struct job_outcome *failure =
        job_put_together(all->outcomes, processes->ranks, all->digests, all->job->parts_count, result);
    if (processes->dead < processes->ranks && (!failure || failure->status == BH_ERROR_LOST)) {
        return tell_of_death(all, error);
    }
    return failure ? fail(error, failure->status, "%s", failure->error.text) : BH_OK;
}

enum bh_status job_run_processes(const struct bh_job *job, const struct bh_job_options *options,
                                 struct bh_job_result *result, struct bh_error *error)
{
    struct job_processes all = {.job = job, .options = options, .chips = job->chips};
    struct processes *processes = &all.processes;
    *processes =
        (struct processes){.ranks = options->processes, .run = run_process, .ended_well = ended_well, .context = &all};
    if (options->observer_count || options->hook_count) {
        return fail(error, BH_ERROR_ARGUMENT, "%s: logs, traces, dumps and the like are of a job in one process",
                    job->path);
    }
    if (processes->ranks > all.chips || processes->ranks > SHARED_RANKS) {
        return fail(error, BH_ERROR_ARGUMENT,
                    "%s: %u processes for %u chips; each has at least one, and there are %d at "
                    "most",
                    job->path, processes->ranks, all.chips, SHARED_RANKS);
    }
    system_share(all.owner, all.chips, processes->ranks);
    all.outcomes_size =
        processes->ranks * sizeof *all.outcomes + job->parts_count * sizeof *all.digests + sizeof *all.interrupted;
    all.outcomes = mmap(NULL, all.outcomes_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    processes->shared = shared_create(processes->ranks);
    enum bh_status status = BH_ERROR_MEMORY;
    if (all.outcomes == MAP_FAILED || !processes->shared) {
        fail(error, status, "out of memory");
    } else {
        all.digests = (uint64_t *)(void *)(all.outcomes + processes->ranks);
        all.interrupted = (volatile sig_atomic_t *)(void *)(all.digests + job->parts_count);
        status = run_all(&all, result, error);
    }
    if (all.outcomes != MAP_FAILED) {
        munmap(all.outcomes, all.outcomes_size);
    }
    shared_destroy(processes->shared);
    return status;
}
