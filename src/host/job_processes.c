/* A job on several chips in several processes of this machine: they are forked, each has a part of the chips
   (system/shared.h), and what they have come to is put together. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/job_system_snapshot.h"
#include "system/shared.h"
#include "util/fail.h"

enum { SLOW = 10 }; /* seconds, after which a process that others wait for is named */

/* What a process leaves behind. */
struct report {
    bool ended; /* the rest is there */
    enum bh_status status;
    struct bh_error error;
    struct bh_job_result result;
};

struct processes {
    const struct bh_job *job;
    const struct bh_job_options *options;
    unsigned ranks;
    uint16_t owner[BH_SYSTEM_CHIPS];
    pid_t pids[SHARED_RANKS];
    struct shared *shared;
    struct report *reports; /* shared memory: one for each process, and behind them the digests of parts */
    uint64_t *digests;
    size_t reports_size;
};

static void tell_slow(void *context, unsigned rank, uint64_t clock)
{
    const struct processes *all = context;
    const struct bh_diagnostic diagnostic = {.category = BH_UNSUPPORTED, .action = BH_WARN};
    struct bh_diagnostic told = diagnostic;
    (void)snprintf(told.text, sizeof told.text, "process %u is slow: others have waited %d s for it at cycle %llu",
                   rank, SLOW, (unsigned long long)clock);
    if (all->options->on_diagnostic) {
        all->options->on_diagnostic(all->options->context, &told);
    }
}

static void no_progress(void *context, const struct bh_run_result *so_far) {}

/* In the child. */
static void run_process(struct processes *all, unsigned rank)
{
    struct report *report = &all->reports[rank];
    const struct shared_options how = {.rank = rank, .slow = SLOW, .on_slow = rank ? NULL : tell_slow, .context = all};
    struct shared_end *end = shared_join(all->shared, &how);
    struct bh_job_options options = *all->options;
    options.on_progress = rank ? no_progress : options.on_progress;
    if (!end) {
        report->status = fail(&report->error, BH_ERROR_MEMORY, "out of memory");
    } else {
        const struct job_process process = {
            .part = {.rank = rank, .ranks = all->ranks, .owner = all->owner, .exchange = shared_exchange(end)},
            .digests = all->digests};
        report->status = job_run_parts(all->job, &options, &process, &report->result, &report->error);
    }
    shared_leave(end);
    report->ended = true;
}

static enum bh_status start_processes(struct processes *all, struct bh_error *error)
{
    fflush(NULL); /* or children would write it again */
    for (unsigned rank = 0; rank < all->ranks; rank++) {
        pid_t pid = fork();
        if (pid == 0) {
            run_process(all, rank);
            fflush(NULL);
            _exit(0);
        }
        if (pid < 0) {
            shared_tell_of_death(all->shared, rank);
            return fail(error, BH_ERROR_MEMORY, "process %u can not be started: %s", rank, strerror(errno));
        }
        all->pids[rank] = pid;
    }
    return BH_OK;
}

/* "0 to 3", the chips of a process. */
static const char *chips_of(const struct processes *all, unsigned rank, char text[40])
{
    unsigned first = 0, last, count = job_chip_count(all->job, NULL);
    while (first < count && all->owner[first] != rank) {
        first++;
    }
    for (last = first; last + 1 < count && all->owner[last + 1] == rank; last++) {
    }
    (void)snprintf(text, 40, first == last ? "chip %u" : "chips %u to %u", first, last);
    return text;
}

/* Waits until all have ended. Returns the first one that ended without a report, and how; ranks: none has. The caller
   may have other children, which are not waited for. */
static unsigned wait_for_processes(struct processes *all, int *how)
{
    const struct timespec look = {.tv_nsec = 1000 * 1000};
    unsigned dead = all->ranks;
    for (unsigned left = all->ranks; left; nanosleep(&look, NULL)) {
        left = 0;
        for (unsigned rank = 0; rank < all->ranks; rank++) {
            int status;
            pid_t pid = all->pids[rank] ? waitpid(all->pids[rank], &status, WNOHANG) : -1;
            left += pid == 0;
            if (pid <= 0) {
                continue;
            }
            all->pids[rank] = 0;
            if (!all->reports[rank].ended) {
                shared_tell_of_death(all->shared, rank);
                *how = dead == all->ranks ? status : *how;
                dead = dead == all->ranks ? rank : dead;
            }
        }
    }
    return dead;
}

static enum bh_status tell_of_death(const struct processes *all, unsigned rank, int how, struct bh_error *error)
{
    char what[60], chips[40];
    (void)snprintf(what, sizeof what, WIFSIGNALED(how) ? "was ended by signal %d" : "exited with status %d",
                   WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
    uint64_t saved = all->options->save_folder ? job_system_latest(all->options->save_folder) : UINT64_MAX;
    char resume[200] = "";
    if (saved != UINT64_MAX) {
        (void)snprintf(resume, sizeof resume, "; --resume %.100s goes on from cycle %llu", all->options->save_folder,
                       (unsigned long long)saved);
    }
    return fail(error, BH_ERROR_LOST, "%s: process %u (%s) %s at cycle %llu; the others have ended%s", all->job->path,
                rank, chips_of(all, rank, chips), what, (unsigned long long)shared_clock(all->shared, rank), resume);
}

/* One process failed first: the others say that they have lost it, or that another one has stopped. */
static const struct report *first_failure(const struct processes *all)
{
    const struct report *found = NULL;
    for (unsigned rank = 0; rank < all->ranks; rank++) {
        const struct report *report = &all->reports[rank];
        bool better = !found || (found->status == BH_ERROR_LOST && report->status != BH_ERROR_LOST);
        found = report->status != BH_OK && better ? report : found;
    }
    return found;
}

static void put_together(const struct processes *all, struct bh_job_result *result)
{
    result->run.reason = all->reports[0].result.run.reason;
    result->run.cycles = all->reports[0].result.run.cycles;
    for (unsigned rank = 0; rank < all->ranks; rank++) {
        const struct bh_job_result *one = &all->reports[rank].result;
        if (!result->outputs_differ) {
            result->mismatch = one->mismatch;
        }
        result->run.riscv_instructions += one->run.riscv_instructions;
        result->run.tensix_instructions += one->run.tensix_instructions;
        result->outputs += one->outputs;
        result->outputs_compared += one->outputs_compared;
        result->outputs_differ += one->outputs_differ;
    }
    for (unsigned i = 0; i < all->job->parts_count; i++) {
        result->digest = job_combine_digests(result->digest, all->digests[i]);
    }
}

static enum bh_status run_all(struct processes *all, struct bh_job_result *result, struct bh_error *error)
{
    int how = 0;
    enum bh_status status = start_processes(all, error);
    unsigned dead = wait_for_processes(all, &how);
    const struct report *failure = first_failure(all);
    if (status != BH_OK) {
        return status;
    }
    if (dead < all->ranks && (!failure || failure->status == BH_ERROR_LOST)) {
        return tell_of_death(all, dead, how, error);
    }
    put_together(all, result);
    return failure ? fail(error, failure->status, "%s", failure->error.text) : BH_OK;
}

enum bh_status job_run_processes(const struct bh_job *job, const struct bh_job_options *options,
                                 struct bh_job_result *result, struct bh_error *error)
{
    struct processes all = {.job = job, .options = options, .ranks = options->processes};
    unsigned chips = job_chip_count(job, error);
    if (chips == 0) {
        return BH_ERROR_FORMAT;
    }
    if (options->observer_count || options->hook_count) {
        return fail(error, BH_ERROR_ARGUMENT, "%s: logs, traces, dumps and the like are of a job in one process",
                    job->path);
    }
    if (all.ranks > chips || all.ranks > SHARED_RANKS) {
        return fail(error, BH_ERROR_ARGUMENT,
                    "%s: %u processes for %u chips; each has at least one, and there are %d at "
                    "most",
                    job->path, all.ranks, chips, SHARED_RANKS);
    }
    system_share(all.owner, chips, all.ranks);
    all.reports_size = all.ranks * sizeof *all.reports + job->parts_count * sizeof *all.digests;
    all.reports = mmap(NULL, all.reports_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    all.shared = shared_create(all.ranks);
    enum bh_status status = BH_ERROR_MEMORY;
    if (all.reports == MAP_FAILED || !all.shared) {
        fail(error, status, "out of memory");
    } else {
        all.digests = (uint64_t *)(void *)(all.reports + all.ranks);
        status = run_all(&all, result, error);
    }
    if (all.reports != MAP_FAILED) {
        munmap(all.reports, all.reports_size);
    }
    shared_destroy(all.shared);
    return status;
}
