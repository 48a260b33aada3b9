/* bhemu run: runs job files, one after the other. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bhemu/job.h"
#include "commands.h"

enum { EXIT_DIFFERENT = 1, EXIT_FAILED = 1 };

struct watch {
    bool progress, told;
    double started, last;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    char line[1200];
    bh_diagnostic_format(diagnostic, line, sizeof line);
    fprintf(stderr, "%s\n", line);
}

/* One line, at most once a second, overwritten in place on a terminal. */
static void print_progress(void *context, const struct bh_run_result *so_far)
{
    struct watch *watch = context;
    double now = seconds();
    if (!watch->progress || now - watch->last < 1) {
        return;
    }
    bool terminal = isatty(STDERR_FILENO);
    fprintf(stderr, "%s%.0f s: %.1f million cycles, %.1f million RISC-V and %.3f million Tensix instructions%s",
            terminal ? "\r" : "", now - watch->started, (double)so_far->cycles / 1e6,
            (double)so_far->riscv_instructions / 1e6, (double)so_far->tensix_instructions / 1e6, terminal ? "" : "\n");
    fflush(stderr);
    watch->last = now;
    watch->told = terminal;
}

static int parse_policy(const char *name)
{
    static const char *const names[] = {"default", "strict", "silicon"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -2;
}

static int run_one(const char *path, struct bh_job_options *options, bool quiet)
{
    struct bh_job *job;
    struct bh_job_result result;
    struct bh_error error;
    struct watch *watch = options->context;
    watch->started = watch->last = seconds();
    watch->told = false;
    enum bh_status status = bh_job_load(path, &job, &error);
    if (status == BH_OK) {
        status = bh_job_run(job, options, &result, &error);
    }
    bh_job_free(job);
    if (watch->told) {
        fputc('\n', stderr);
    }
    if (status != BH_OK) {
        fprintf(stderr, "bhemu: %s\n", error.text);
        return EXIT_FAILED;
    }
    if (!quiet || result.outputs_differ) {
        printf("%s: %s\n", path, result.outputs_differ ? "DIFFERENT" : "ok");
        printf("  cycles               %12" PRIu64 "\n", result.run.cycles);
        printf("  RISC-V instructions  %12" PRIu64 "\n", result.run.riscv_instructions);
        printf("  Tensix instructions  %12" PRIu64 "\n", result.run.tensix_instructions);
        printf("  seconds              %12.3f\n", seconds() - watch->started);
        printf("  outputs              %12u (%u compared, %u as expected)\n", result.outputs, result.outputs_compared,
               result.outputs_compared - result.outputs_differ);
    }
    if (result.outputs_differ) {
        printf("  %s\n", result.mismatch.text);
        return EXIT_DIFFERENT;
    }
    return 0;
}

static const char help[] =
    "usage: bhemu run [options] JOB.yaml...\n"
    "Runs each job and compares its outputs with what it expects. Exits with 0 when all ended well and were equal,\n"
    "with 1 when one did not or was not, with 2 when the command line makes no sense.\n"
    "  -o, --output FOLDER   write output files there instead of beside the job file\n"
    "  -p, --policy NAME     default, strict or silicon, instead of what the job says\n"
    "  -q, --quiet           say nothing about jobs that are as expected\n"
    "      --no-progress     no progress line on long runs\n";

int command_run(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"output", required_argument, NULL, 'o'}, {"policy", required_argument, NULL, 'p'},
        {"quiet", no_argument, NULL, 'q'},        {"no-progress", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},         {},
    };
    struct watch watch = {.progress = true};
    struct bh_job_options options = {
        .policy = -1, .on_diagnostic = print_diagnostic, .on_progress = print_progress, .context = &watch};
    bool quiet = false;
    int option;
    while ((option = getopt_long(argc, argv, "o:p:qh", long_options, NULL)) != -1) {
        switch (option) {
        case 'o': options.output_folder = optarg; break;
        case 'p':
            options.policy = parse_policy(optarg);
            if (options.policy == -2) {
                fprintf(stderr, "bhemu run: no policy '%s'; there are default, strict and silicon\n", optarg);
                return EXIT_USAGE;
            }
            break;
        case 'q': quiet = true; break;
        case 'n': watch.progress = false; break;
        case 'h': fputs(help, stdout); return 0;
        default: return EXIT_USAGE;
        }
    }
    if (optind == argc) {
        fputs(help, stderr);
        return EXIT_USAGE;
    }
    int status = 0;
    for (int i = optind; i < argc; i++) {
        int one = run_one(argv[i], &options, quiet);
        status = one ? one : status;
    }
    return status;
}
