/* bhemu run: runs job files, one after the other. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bhemu/job.h"
#include "bhemu/log.h"
#include "commands.h"
#include "interrupt.h"

enum { EXIT_DIFFERENT = 1, EXIT_FAILED = 1, EXIT_SIGNAL = 128, MAXIMUM_THREADS = 64, MAXIMUM_NAMES = 140 };
enum { OPTION_LOG = 0x100, OPTION_LOG_TILE, OPTION_LOG_CORE, OPTION_LOG_UNIT, OPTION_TIMED };

/* The settings of --log and its filters. */
struct log_request {
    const char *path; /* null: no log */
    struct bh_tile tiles[MAXIMUM_NAMES];
    const char *cores[MAXIMUM_NAMES], *units[MAXIMUM_NAMES];
    struct bh_log_options options;
};

struct watch {
    const struct bh_job *job;
    bool progress, told;
    bool stopped; /* a diagnostic with the reason has been printed */
    double started, last;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Ends the line of a progress report on the terminal. */
static void end_progress(struct watch *watch)
{
    if (watch->told) {
        fputc('\n', stderr);
        watch->told = false;
    }
}

/* Prints a text with the paths in it relative to the working folder. */
static void print_relative(const char *text)
{
    char folder[PATH_MAX];
    size_t length = getcwd(folder, sizeof folder - 1) ? strlen(folder) : 0;
    if (length) {
        folder[length] = '/';
        folder[length + 1] = 0;
        for (const char *found; (found = strstr(text, folder)); text = found + length + 1) {
            fprintf(stderr, "%.*s", (int)(found - text), text);
        }
    }
    fprintf(stderr, "%s\n", text);
}

static void print_place(const struct bh_job *job, const struct bh_diagnostic *diagnostic, const struct bh_place *place)
{
    char source[600];
    if (bh_job_source(job, diagnostic->tile_x, diagnostic->tile_y, place, source, sizeof source)) {
        bool core = place->agent == BH_AGENT_CORE;
        fprintf(stderr, "  %s %s at 0x%08x: ", core ? "core" : "thread",
                bh_core_name((enum bh_core)(core ? place->index : BH_CORE_T0 + place->index)), place->pc);
        print_relative(source);
    }
}

/* Prints a diagnostic, and a line for each place in a program that it names, if the ELF has its source line. */
static void print_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct watch *watch = context;
    char line[2500];
    end_progress(watch);
    bh_diagnostic_format(diagnostic, line, sizeof line);
    fprintf(stderr, "%s\n", line);
    if (diagnostic->agent != BH_AGENT_HOST) {
        struct bh_place place = {.agent = diagnostic->agent, .index = diagnostic->index, .pc = diagnostic->pc};
        print_place(watch->job, diagnostic, &place);
    }
    for (unsigned i = 0; i < diagnostic->places_count; i++) {
        print_place(watch->job, diagnostic, &diagnostic->places[i]);
    }
    watch->stopped |= diagnostic->action == BH_STOP;
}

/* Prints progress at most once a second, in one line that is overwritten on a terminal. */
static void print_progress(void *context, const struct bh_run_result *so_far)
{
    struct watch *watch = context;
    double now = seconds();
    if (!watch->progress || now - watch->last < 1) {
        return;
    }
    bool terminal = isatty(STDERR_FILENO);
    fprintf(stderr, "%s%.0f s: %.1f million emulated steps, %.1f million RISC-V and %.3f million Tensix instructions%s",
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

/* 0 when it is none. */
static uint64_t parse_limit(const char *text)
{
    char *end;
    errno = 0;
    unsigned long long limit = strtoull(text, &end, 0);
    return errno || end == text || *end || strchr(text, '-') ? 0 : limit;
}

/* BHEMU_VERIFY=1: as --verify. */
static bool verify_from_environment(void)
{
    const char *text = getenv("BHEMU_VERIFY");
    return text && strcmp(text, "1") == 0;
}

/* BHEMU_MODE: functional or timed. false: it is something else. */
static bool mode_from_environment(enum bh_mode *mode)
{
    const char *text = getenv("BHEMU_MODE");
    if (text && *text && bh_mode_by_name(text, mode) != BH_OK) {
        fprintf(stderr, "bhemu run: BHEMU_MODE is '%s'; it may be functional or timed\n", text);
        return false;
    }
    return true;
}

/* Parses one option of the log. false: it is invalid. */
static bool add_log_option(struct log_request *request, int option, const char *value)
{
    struct bh_log_options *options = &request->options;
    if (option == OPTION_LOG) {
        request->path = value;
    } else if (option == OPTION_LOG_TILE) {
        unsigned x, y;
        char rest;
        if (sscanf(value, "%u-%u%c", &x, &y, &rest) != 2 || x > UINT8_MAX || y > UINT8_MAX ||
            options->tile_count == MAXIMUM_NAMES) {
            fprintf(stderr, "bhemu run: '%s' is no tile; the one at [1, 2] is 1-2\n", value);
            return false;
        }
        request->tiles[options->tile_count++] = (struct bh_tile){(uint8_t)x, (uint8_t)y};
    } else if (option == OPTION_LOG_CORE && options->core_count < MAXIMUM_NAMES) {
        request->cores[options->core_count++] = value;
    } else if (option == OPTION_LOG_UNIT && options->unit_count < MAXIMUM_NAMES) {
        request->units[options->unit_count++] = value;
    }
    options->tiles = request->tiles;
    options->cores = request->cores;
    options->units = request->units;
    return true;
}

static enum bh_status run_job(const struct bh_job *job, struct bh_job_options *options,
                              const struct log_request *request, struct bh_job_result *result, struct bh_error *error)
{
    struct bh_log *log = NULL;
    const struct bh_observer *observer;
    if (request->path) {
        enum bh_status status = bh_log_open(request->path, &request->options, &log, error);
        if (status != BH_OK) {
            return status;
        }
        observer = bh_log_observer(log);
        options->observers = &observer;
        options->observer_count = 1;
    }
    options->interrupted = interrupt_watch();
    enum bh_status status = bh_job_run(job, options, result, error);
    interrupt_leave();
    struct bh_error log_error;
    enum bh_status closed = bh_log_close(log, &log_error);
    if (closed != BH_OK && status == BH_OK) {
        *error = log_error;
        return closed;
    }
    return status;
}

static int run_one(const char *path, struct bh_job_options *options, const struct log_request *log, bool quiet)
{
    struct bh_job *job;
    struct bh_job_result result = {};
    struct bh_error error;
    struct watch *watch = options->context;
    watch->started = watch->last = seconds();
    watch->told = watch->stopped = false;
    enum bh_status status = bh_job_load(path, &job, &error);
    watch->job = job;
    if (status == BH_OK) {
        status = run_job(job, options, log, &result, &error);
    }
    bh_job_free(job);
    end_progress(watch);
    if (status != BH_OK) {
        if (watch->stopped) {
            fprintf(stderr, "bhemu: %s: stopped after %" PRIu64 " %s\n", path, result.run.cycles,
                    bh_mode_counts(options->mode));
        } else {
            fprintf(stderr, "bhemu: %s\n", error.text);
        }
        return EXIT_FAILED;
    }
    if (!quiet || result.outputs_differ) {
        printf("%s: %s\n", path, result.outputs_differ ? "DIFFERENT" : "ok");
        printf("  RISC-V instructions  %12" PRIu64 "\n", result.run.riscv_instructions);
        printf("  Tensix instructions  %12" PRIu64 "\n", result.run.tensix_instructions);
        printf("  %-19s  %12" PRIu64 "\n", bh_mode_counts(options->mode), result.run.cycles);
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
    "with 1 when one did not or was not, with 2 when the command line makes no sense. Interrupted (^C), it tells "
    "where\n"
    "everything is and exits with 130 (SIGTERM: 143); interrupted again, it ends at once.\n"
    "  -o, --output FOLDER   write output files there instead of beside the job file\n"
    "  -l, --limit STEPS     give up after so many emulated steps, instead of what the job says\n"
    "  -p, --policy NAME     default, strict or silicon, instead of what the job says\n"
    "  -t, --threads N       run tiles on N host threads, 1 to 64; what comes out is the same\n"
    "      --log FILE        write each executed instruction there, and what it changes; to compare, of one job\n"
    "      --log-tile X-Y    of these tiles only; may be repeated, as the next two\n"
    "      --log-core NAME   of these cores: B, T0, T1, T2, NC\n"
    "      --log-unit NAME   of these units: sync, scalar, config, addr, unpack, matrix, vector, pack, mover\n"
    "      --engine NAME     fast, or plain: each instruction by itself; what comes out is the same\n"
    "      --timed           model how many cycles silicon takes: clocks that programs read, and those of the "
    "summary;\n"
    "                        the same as BHEMU_MODE=timed in the environment\n"
    "      --verify          execute translated Tensix instructions a second time, one by one, and compare; slow;\n"
    "                        the same as BHEMU_VERIFY=1 in the environment\n"
    "  -q, --quiet           say nothing about jobs that are as expected\n"
    "      --no-progress     no progress line on long runs\n";

int command_run(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"limit", required_argument, NULL, 'l'},
        {"output", required_argument, NULL, 'o'},
        {"policy", required_argument, NULL, 'p'},
        {"threads", required_argument, NULL, 't'},
        {"log", required_argument, NULL, OPTION_LOG},
        {"log-tile", required_argument, NULL, OPTION_LOG_TILE},
        {"log-core", required_argument, NULL, OPTION_LOG_CORE},
        {"log-unit", required_argument, NULL, OPTION_LOG_UNIT},
        {"engine", required_argument, NULL, 'e'},
        {"timed", no_argument, NULL, OPTION_TIMED},
        {"verify", no_argument, NULL, 'v'},
        {"quiet", no_argument, NULL, 'q'},
        {"no-progress", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},
        {},
    };
    struct watch watch = {.progress = true};
    struct log_request log = {};
    struct bh_job_options options = {.policy = -1,
                                     .verify = verify_from_environment(),
                                     .on_diagnostic = print_diagnostic,
                                     .on_progress = print_progress,
                                     .context = &watch};
    bool quiet = false;
    int option;
    if (!mode_from_environment(&options.mode)) {
        return EXIT_USAGE;
    }
    while ((option = getopt_long(argc, argv, "l:o:p:t:qh", long_options, NULL)) != -1) {
        switch (option) {
        case 'l':
            options.limit = parse_limit(optarg);
            if (options.limit == 0) {
                fprintf(stderr, "bhemu run: '%s' is no number of steps\n", optarg);
                return EXIT_USAGE;
            }
            break;
        case 'o': options.output_folder = optarg; break;
        case OPTION_LOG:
        case OPTION_LOG_TILE:
        case OPTION_LOG_CORE:
        case OPTION_LOG_UNIT:
            if (!add_log_option(&log, option, optarg)) {
                return EXIT_USAGE;
            }
            break;
        case OPTION_TIMED: options.mode = BH_MODE_TIMED; break;
        case 'v': options.verify = true; break;
        case 'e':
            if (bh_engine_by_name(optarg, &options.engine) != BH_OK) {
                fprintf(stderr, "bhemu run: no engine '%s'; there are fast and plain\n", optarg);
                return EXIT_USAGE;
            }
            break;
        case 'p':
            options.policy = parse_policy(optarg);
            if (options.policy == -2) {
                fprintf(stderr, "bhemu run: no policy '%s'; there are default, strict and silicon\n", optarg);
                return EXIT_USAGE;
            }
            break;
        case 't': {
            uint64_t threads = parse_limit(optarg);
            if (threads == 0 || threads > MAXIMUM_THREADS) {
                fprintf(stderr, "bhemu run: '%s' threads; there may be 1 to %d\n", optarg, MAXIMUM_THREADS);
                return EXIT_USAGE;
            }
            options.threads = (unsigned)threads;
            break;
        }
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
    if (log.path && optind + 1 < argc) {
        fprintf(stderr, "bhemu run: --log is for one job; here are %d\n", argc - optind);
        return EXIT_USAGE;
    }
    int status = 0;
    for (int i = optind; i < argc; i++) {
        int one = run_one(argv[i], &options, &log, quiet);
        status = one ? one : status;
        fflush(stdout); /* keeps the order of output and the next job's messages on stderr */
        if (options.interrupted && *options.interrupted) {
            return EXIT_SIGNAL + *options.interrupted;
        }
    }
    return status;
}
