/* bhemu run: runs job files, one after the other. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "color.h"
#include "commands.h"
#include "interrupt.h"
#include "run_files.h"
#include "run_messages.h"
#include "run_options.h"
#include "run_part.h"

static const struct run_part *const parts[] = {
    &run_options_part, &run_filter_part,   &run_log_part,    &run_trace_part,   &run_dump_part,
    &run_print_part,   &run_snapshot_part, &run_report_part, &run_profile_part, &run_gdb_part,
    &run_check_part,   &run_json_part,     &run_junit_part,  &run_color_part,
};
enum { PARTS = sizeof parts / sizeof parts[0] };

/* Running. */

void run_add_observer(struct run *run, const struct bh_observer *observer)
{
    if (run->options.observer_count < RUN_OBSERVERS) {
        run->observers[run->options.observer_count++] = observer;
    }
}

void run_add_hook(struct run *run, const struct bh_job_hook *hook)
{
    if (run->options.hook_count < RUN_HOOKS) {
        run->hooks[run->options.hook_count++] = hook;
    }
}

static enum bh_status run_job(struct run *run, struct bh_error *error)
{
    unsigned begun = 0;
    run->options.observers = run->observers;
    run->options.hooks = run->hooks;
    run->options.observer_count = run->options.hook_count = 0;
    enum bh_status status = bh_job_check(run->job, &run->options, error); /* before parts write over files */
    status = status == BH_OK ? run_filter_check_job(run, error) : status;
    status = status == BH_OK ? run_files_check_job(run, error) : status;
    for (; status == BH_OK && begun < PARTS; begun++) {
        status = parts[begun]->begin ? parts[begun]->begin(run, error) : BH_OK;
    }
    if (status == BH_OK) {
        run->options.interrupted = interrupt_watch();
        status = bh_job_run(run->job, &run->options, &run->result, error);
        interrupt_leave();
    }
    for (enum bh_status how = status; begun--;) {
        struct bh_error why;
        enum bh_status one = parts[begun]->end ? parts[begun]->end(run, how, &why) : BH_OK;
        if (status == BH_OK && one != BH_OK) {
            status = one;
            *error = why;
        } else if (one != BH_OK) { /* of a job that has not ended well; what it has written is not whole */
            run_end_progress();
            fprintf(stderr, "%s %s\n", color_begin(stderr, "bhemu:"), why.text);
            run->code = exit_code_worse(exit_code_of_run(one, &run->result.run), run->code);
        }
    }
    return status;
}

static void print_result(const struct run *run)
{
    const struct bh_job_result *result = &run->result;
    printf("%s: %s%s%s\n", run->path, color_code(stdout, result->outputs_differ ? COLOR_RED : COLOR_GREEN),
           result->outputs_differ ? "DIFFERENT" : "ok", color_code(stdout, COLOR_NONE));
    printf("  RISC-V instructions  %12" PRIu64 "\n", result->run.riscv_instructions);
    printf("  Tensix instructions  %12" PRIu64 "\n", result->run.tensix_instructions);
    printf("  %-19s  %12" PRIu64 "\n", bh_mode_counts(run->options.mode), result->run.cycles);
    printf("  seconds              %12.3f\n", run_seconds());
    printf("  outputs              %12u (%u compared, %u as expected)\n", result->outputs, result->outputs_compared,
           result->outputs_compared - result->outputs_differ);
}

/* Says how a job has ended. Returns the exit code. */
static int tell_end(const struct run *run, enum bh_status status, const struct bh_error *error)
{
    if (status != BH_OK) {
        if (run_messages_stopped()) {
            fputs(color_begin(stderr, "bhemu:"), stderr);
            fprintf(stderr, " %s: stopped after %" PRIu64 " %s\n", run->path, run->result.run.cycles,
                    bh_mode_counts(run->options.mode));
        } else {
            fputs(color_begin(stderr, "bhemu:"), stderr);
            fprintf(stderr, " %s\n", error->text);
        }
        int code = exit_code_worse(exit_code_of_run(status, &run->result.run), run->code);
        if (run->result.also == BH_OK) {
            return code;
        }
        fprintf(stderr, "%s %s\n", color_begin(stderr, "bhemu:"), run->result.also_error.text);
        return exit_code_worse(exit_code_of_run(run->result.also, &run->result.run), code);
    }
    if (!run->quiet || run->result.outputs_differ) {
        print_result(run);
    }
    if (run->result.outputs_differ) {
        printf("  %s\n", run->result.mismatch.text);
        return EXIT_DIFFERENT;
    }
    return run->code;
}

static bool is_interrupted(const struct run *run)
{
    return run->options.interrupted && *run->options.interrupted;
}

/* Runs the job without jitter, and then with each seed until something else comes out. */
static int search_seeds(struct run *run, enum bh_status *status, struct bh_error *error)
{
    uint64_t first = run->options.jitter, digest = 0;
    run->options.no_output_files = true;
    run->searches_seeds = true;
    for (uint64_t seed = 0;; seed = seed ? seed + 1 : first) {
        run->options.jitter = seed;
        run->result = (struct bh_job_result){};
        *status = run_job(run, error);
        bool differs = seed && run->result.digest != digest;
        if (*status != BH_OK || run->result.outputs_differ || run->code || differs) {
            run->options.jitter = first;
            if (seed && !is_interrupted(run)) {
                fprintf(stderr, "jitter: %s: seed %" PRIu64 " %s\n", run->path, seed,
                        *status != BH_OK             ? "stops it"
                        : differs                    ? "gives other outputs than none"
                        : run->result.outputs_differ ? "gives other outputs than expected"
                                                     : "has findings");
            }
            int code = tell_end(run, *status, error);
            return code ? code : EXIT_DIFFERENT;
        }
        digest = run->result.digest;
        if (seed == run->last_jitter) {
            break;
        }
    }
    run->options.jitter = first;
    fprintf(stderr, "jitter: %s: the same with seeds %" PRIu64 " to %" PRIu64 "\n", run->path, first, run->last_jitter);
    return tell_end(run, BH_OK, error);
}

const char *run_result_name(int code)
{
    static const char *const names[] = {
        [EXIT_DONE] = "ok",
        [EXIT_DIFFERENT] = "different",
        [EXIT_WRONG] = "wrong",
        [EXIT_FINDINGS] = "findings",
        [EXIT_STOPPED] = "stopped",
        [EXIT_ENDLESS] = "endless",
        [EXIT_HOST_FAILED] = "host failed",
    };
    return code < EXIT_CODE_COUNT ? names[code] : "interrupted";
}

static int run_one(struct run *run)
{
    struct bh_job *job;
    struct bh_error error;
    int code;
    run->result = (struct bh_job_result){};
    run->code = 0;
    run_messages_begin();
    enum bh_status status = bh_job_load(run->path, &job, &error);
    run->job = job;
    if (status == BH_OK && run->last_jitter > run->options.jitter) {
        code = search_seeds(run, &status, &error);
    } else {
        status = status == BH_OK ? run_job(run, &error) : status;
        run_end_progress();
        code = tell_end(run, status, &error);
    }
    code = is_interrupted(run) ? EXIT_SIGNAL + *run->options.interrupted : code;
    const struct run_end end = {.status = status, .error = &error, .code = code, .seconds = run_seconds()};
    for (unsigned i = 0; i < PARTS; i++) {
        if (parts[i]->told) {
            parts[i]->told(run, &end);
        }
    }
    free(run->findings);
    run->findings = NULL;
    run->job = NULL;
    bh_job_free(job);
    return code;
}

/* An option of a part. */
static bool set(void *context, const struct command_option *option, const char *value, const char *second)
{
    struct run *run = context;
    run->second = second;
    run_files_note(option, second ? second : value);
    for (unsigned i = 0; i < PARTS; i++) {
        for (const struct command_option *one = parts[i]->options; one->name; one++) {
            if (one == option) {
                return parts[i]->set(run, option->name, value);
            }
        }
    }
    return false;
}

static int start(int argc, char **argv)
{
    struct run run = {
        .progress = isatty(STDERR_FILENO),
        .filter.to = UINT64_MAX,
        .options = {
            .policy = -1, .on_diagnostic = run_print_diagnostic, .on_progress = run_print_progress, .context = &run}};
    const struct command_line line = {.command = &command_run, .least = 1, .set = set, .context = &run};
    int code;
    if (!run_options_from_environment(&run)) {
        return EXIT_WRONG;
    }
    if (!command_read(&line, argc, argv, &code)) {
        return code;
    }
    run.jobs = (unsigned)(argc - optind);
    for (unsigned i = 0; i < PARTS; i++) {
        if (parts[i]->check && !parts[i]->check(&run)) {
            return EXIT_WRONG;
        }
    }
    if (!run_files_check(argv + optind, run.jobs)) {
        return EXIT_WRONG;
    }
    code = EXIT_DONE;
    for (int i = optind; i < argc && !is_interrupted(&run); i++) {
        run.path = argv[i];
        code = exit_code_worse(run_one(&run), code);
        fflush(stdout); /* keeps the order of output and the next job's messages on stderr */
    }
    for (unsigned i = 0; i < PARTS; i++) {
        if (parts[i]->finish && !parts[i]->finish(&run, code)) {
            code = exit_code_worse(EXIT_HOST_FAILED, code);
        }
    }
    return code;
}

static const struct command_option *const lists[] = {
    run_options_list, run_filter_list,   run_log_list,    run_trace_list,   run_dump_list,
    run_print_list,   run_snapshot_list, run_report_list, run_profile_list, run_gdb_list,
    run_check_list,   run_json_list,     run_junit_list,  color_list,       NULL,
};

const struct command command_run = {
    .name = "run",
    .summary = "run a job: load programs and tensors, compare results",
    .usage = "[OPTION...] JOB.yaml...",
    .description = "Runs each job and compares its outputs with the expected ones. The exit code is that of the worst "
                   "job. ^C ends the run: it reports where all cores and threads are, and does not start the next job. "
                   "A second ^C ends the process at once.",
    .lists = lists,
    .operand = OPERAND_JOBS,
    .run = start,
};
