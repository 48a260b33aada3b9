/* bhemu run: runs job files, one after the other. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "interrupt.h"
#include "run_messages.h"
#include "run_options.h"
#include "run_part.h"

enum { EXIT_DIFFERENT = 1, EXIT_FAILED = 1, EXIT_SIGNAL = 128, MAXIMUM_OPTIONS = 100, NUMBERED = 0x100 };
enum { HELP_COLUMN = 24 };

static const struct run_part *const parts[] = {
    &run_options_part,  &run_filter_part, &run_log_part,     &run_trace_part, &run_dump_part,  &run_print_part,
    &run_snapshot_part, &run_report_part, &run_profile_part, &run_gdb_part,   &run_check_part,
};
enum { PARTS = sizeof parts / sizeof parts[0] };

/* Options of all parts. */

struct option_list {
    struct option options[MAXIMUM_OPTIONS];
    const struct run_part *part[MAXIMUM_OPTIONS];
    bool two[MAXIMUM_OPTIONS]; /* arguments */
    char letters[2 * MAXIMUM_OPTIONS];
    unsigned count;
};

static void add_option(struct option_list *list, const struct run_part *part, const struct run_option *option)
{
    static const struct run_option help = {"help", NULL, NULL, 'h'};
    option = option ? option : &help;
    int argument = !option->argument ? no_argument : option->argument[0] == '[' ? optional_argument : required_argument;
    int value = option->letter ? option->letter : NUMBERED + (int)list->count;
    list->part[list->count] = part;
    list->two[list->count] = option->argument && strchr(option->argument, ' ');
    list->options[list->count++] = (struct option){option->name, argument, NULL, value};
    if (option->letter) {
        char *end = list->letters + strlen(list->letters);
        end[0] = option->letter;
        end[1] = option->argument ? ':' : 0;
    }
}

static void find_options(struct option_list *list)
{
    for (unsigned i = 0; i < PARTS; i++) {
        for (const struct run_option *option = parts[i]->options; option->name; option++) {
            add_option(list, parts[i], option);
        }
    }
    add_option(list, NULL, NULL);
}

static void print_option(FILE *out, const struct run_option *option)
{
    char text[80];
    int length =
        snprintf(text, sizeof text, "  %c%c%s--%s%s%s", option->letter ? '-' : ' ',
                 option->letter ? option->letter : ' ', option->letter ? ", " : "  ", option->name,
                 option->argument && option->argument[0] != '[' ? " " : "", option->argument ? option->argument : "");
    fprintf(out, "%s%*s", text, length < HELP_COLUMN - 1 ? HELP_COLUMN - length : 2, "");
    for (const char *help = option->help; *help; help++) {
        fputc(*help, out);
        if (*help == '\n') {
            fprintf(out, "%*s", HELP_COLUMN, "");
        }
    }
    fputc('\n', out);
}

static void print_help(FILE *out)
{
    fputs("usage: bhemu run [options] JOB.yaml...\n"
          "Runs each job and compares its outputs with what it expects. Exits with 0 when all ended well and were "
          "equal,\n"
          "with 1 when one did not or was not, with 2 when the command line makes no sense, with 3 when only --check "
          "has\n"
          "found something. Interrupted (^C), it tells "
          "where\n"
          "everything is and exits with 130 (SIGTERM: 143); interrupted again, it ends at once.\n",
          out);
    for (unsigned i = 0; i < PARTS; i++) {
        for (const struct run_option *option = parts[i]->options; option->name; option++) {
            if (option->help) {
                print_option(out, option);
            }
        }
    }
}

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
    enum bh_status status = BH_OK;
    run->options.observers = run->observers;
    run->options.hooks = run->hooks;
    run->options.observer_count = run->options.hook_count = 0;
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
        }
    }
    return status;
}

static void print_result(const struct run *run)
{
    const struct bh_job_result *result = &run->result;
    printf("%s: %s\n", run->path, result->outputs_differ ? "DIFFERENT" : "ok");
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
            fprintf(stderr, "bhemu: %s: stopped after %" PRIu64 " %s\n", run->path, run->result.run.cycles,
                    bh_mode_counts(run->options.mode));
        } else {
            fprintf(stderr, "bhemu: %s\n", error->text);
        }
        return EXIT_FAILED;
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
static int search_seeds(struct run *run, struct bh_error *error)
{
    uint64_t first = run->options.jitter, digest = 0;
    run->options.no_output_files = true;
    for (uint64_t seed = 0; seed <= run->last_jitter; seed = seed ? seed + 1 : first) {
        run->options.jitter = seed;
        run->result = (struct bh_job_result){};
        enum bh_status status = run_job(run, error);
        bool differs = seed && run->result.digest != digest;
        if (status != BH_OK || run->result.outputs_differ || run->code || differs) {
            run->options.jitter = first;
            if (seed && !is_interrupted(run)) {
                fprintf(stderr, "jitter: %s: seed %" PRIu64 " %s\n", run->path, seed,
                        status != BH_OK              ? "stops it"
                        : differs                    ? "gives other outputs than none"
                        : run->result.outputs_differ ? "gives other outputs than expected"
                                                     : "has findings");
            }
            int code = tell_end(run, status, error);
            return code ? code : EXIT_DIFFERENT;
        }
        digest = run->result.digest;
    }
    run->options.jitter = first;
    fprintf(stderr, "jitter: %s: the same with seeds %" PRIu64 " to %" PRIu64 "\n", run->path, first, run->last_jitter);
    return tell_end(run, BH_OK, error);
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
        code = search_seeds(run, &error);
    } else {
        status = status == BH_OK ? run_job(run, &error) : status;
        run_end_progress();
        code = tell_end(run, status, &error);
    }
    run->job = NULL;
    bh_job_free(job);
    return code;
}

/* Reads the options. Returns false, with the exit code, if no job is to be run. */
static bool read_options(struct run *run, int argc, char **argv, int *code)
{
    struct option_list list = {};
    int option, index;
    find_options(&list);
    *code = EXIT_USAGE;
    while ((option = getopt_long(argc, argv, list.letters, list.options, NULL)) != -1) {
        for (index = 0; list.options[index].name && list.options[index].val != option; index++) {
        }
        if (!list.options[index].name) {
            return false; /* getopt_long() has said why */
        }
        if (!list.part[index]) {
            print_help(stdout);
            *code = 0;
            return false;
        }
        if (list.two[index] && optind == argc) {
            run_wrong("option '--%s' requires two arguments", list.options[index].name);
            return false;
        }
        run->second = list.two[index] ? argv[optind++] : NULL;
        if (!list.part[index]->set(run, list.options[index].name, optarg)) {
            return false;
        }
    }
    if (optind == argc) {
        print_help(stderr);
        return false;
    }
    run->jobs = (unsigned)(argc - optind);
    for (unsigned i = 0; i < PARTS; i++) {
        if (parts[i]->check && !parts[i]->check(run)) {
            return false;
        }
    }
    return true;
}

int command_run(int argc, char **argv)
{
    struct run run = {
        .progress = true,
        .filter.to = UINT64_MAX,
        .options = {
            .policy = -1, .on_diagnostic = run_print_diagnostic, .on_progress = run_print_progress, .context = &run}};
    int code;
    if (!run_options_from_environment(&run)) {
        return EXIT_USAGE;
    }
    if (!read_options(&run, argc, argv, &code)) {
        return code;
    }
    code = 0;
    for (int i = optind; i < argc; i++) {
        run.path = argv[i];
        int one = run_one(&run);
        code = one ? one : code;
        fflush(stdout); /* keeps the order of output and the next job's messages on stderr */
        if (run.options.interrupted && *run.options.interrupted) {
            return EXIT_SIGNAL + *run.options.interrupted;
        }
    }
    return code;
}
