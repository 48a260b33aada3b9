/* bhemu-node: a job on several chips by several processes, of one machine or many, that MPI starts:
     mpirun -n 4 bhemu-node run JOB.yaml
   or hosts whose chips they have (host.c). Each has a part of the chips. docs/systems.md describes it. */
#include <getopt.h>
#include <inttypes.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chip/diagnostic_lines.h"
#include "host.h"
#include "host/exit_code.h"
#include "host/job_files.h"
#include "host/job_system_snapshot.h"
#include "mpi_exchange.h"

enum { SLOW = 10, PATIENCE = 600, MAXIMUM = 1000000 };

static struct {
    int rank, ranks;
    const struct bh_job *job;
    uint16_t owner[BH_SYSTEM_CHIPS];
    unsigned chips;
    struct mpi_exchange *mpi;
    char last_words[300]; /* for a signal that ends the process */
} node;

static const char usage[] = "usage: mpirun -n RANKS bhemu-node run [OPTION...] JOB.yaml\n"
                            "  --timed                     as of bhemu run, and so are the next ones\n"
                            "  --threads N                 of each rank\n"
                            "  --limit STEPS\n"
                            "  --output FOLDER\n"
                            "  --save-every CYCLES         a snapshot of all chips in the folder of --save-folder\n"
                            "  --save-folder FOLDER        all ranks see it\n"
                            "  --resume FOLDER             goes on from the latest one, on any number of ranks\n"
                            "  --patience SECONDS          after which a rank that does not answer is given up; 600\n"
                            "or:    mpirun -n RANKS bhemu-node host [OPTION...] PROGRAM [ARGUMENT...]\n";

/* Diagnostics. */

static bool source_of(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size)
{
    const struct bh_diagnostic *diagnostic = context;
    return bh_job_source(node.job, diagnostic->chip, x, y, place, buffer, size);
}

static void print_line(void *context, const char *line)
{
    fprintf(stderr, "%s\n", line);
}

static void print_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    const struct diagnostic_lines lines = {source_of, print_line, (void *)diagnostic};
    diagnostic_write_lines(diagnostic, &lines);
}

static void print_print(void *context, const struct bh_print_line *line)
{
    char text[4000];
    (void)bh_print_format(line, text, sizeof text);
    printf("%s\n", text);
    fflush(stdout);
}

static const char *name_rank(unsigned rank, char text[SYSTEM_PART_NAME])
{
    return system_name_part("rank", rank, node.owner, node.chips, text);
}

static void tell_slow(unsigned rank, uint64_t clock)
{
    char name[SYSTEM_PART_NAME];
    fprintf(stderr, "bhemu-node: warning: %s is slow: others have waited %d s for it at cycle %" PRIu64 "\n",
            name_rank(rank, name), SLOW, clock);
}

/* mpirun ends the others when a rank has died, and says which. */
static void say_last_words(int signal)
{
    (void)!write(STDERR_FILENO, node.last_words, strlen(node.last_words));
    _exit(128 + signal);
}

static void prepare_last_words(const char *save_folder)
{
    char name[SYSTEM_PART_NAME];
    uint64_t saved = save_folder ? job_system_latest(save_folder) : UINT64_MAX;
    int length = snprintf(node.last_words, sizeof node.last_words, "bhemu-node: %s was ended from outside",
                          name_rank((unsigned)node.rank, name));
    if (saved != UINT64_MAX) {
        (void)snprintf(node.last_words + length, sizeof node.last_words - (size_t)length,
                       "; --resume %.100s goes on from cycle %" PRIu64 " or later\n", save_folder, saved);
    } else {
        (void)snprintf(node.last_words + length, sizeof node.last_words - (size_t)length, "\n");
    }
}

static void progress(void *context, const struct bh_run_result *so_far)
{
    prepare_last_words(((const struct bh_job_options *)context)->save_folder);
}

/* What all ranks have to have alike. */
struct agreed {
    char version[32];
    uint64_t job, chips, mode;
};

static uint64_t hash_of_file(const char *path)
{
    uint64_t hash = 0xcbf29ce484222325u;
    FILE *file = fopen(path, "rb");
    for (int byte; file && (byte = getc(file)) != EOF;) {
        hash = (hash ^ (uint64_t)byte) * 0x100000001b3u;
    }
    if (file) {
        fclose(file);
    }
    return hash;
}

/* Refuses ranks that run something else. */
static bool all_alike(const char *path, unsigned chips, const struct bh_job_options *options)
{
    struct agreed own = {.version = BHEMU_VERSION, .job = hash_of_file(path), .chips = chips, .mode = options->mode};
    struct agreed *all = calloc((size_t)node.ranks, sizeof *all);
    if (!all) {
        return false;
    }
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    bool alike = true;
    for (int rank = 1; rank < node.ranks && alike; rank++) {
        const char *what = strcmp(all[rank].version, all[0].version) != 0 ? "is of another version of bhemu"
                           : all[rank].job != all[0].job                  ? "has another job file"
                           : all[rank].chips != all[0].chips              ? "has another number of chips in its system"
                           : all[rank].mode != all[0].mode                ? "runs in another mode"
                                                                          : NULL;
        alike = !what;
        if (what && node.rank == 0) {
            fprintf(stderr, "bhemu-node: rank %d %s than rank 0\n", rank, what);
        }
    }
    free(all);
    return alike;
}

/* Results. */

static int put_together(const char *path, const struct job_outcome *all, const uint64_t *digests, unsigned parts,
                        enum bh_mode mode)
{
    struct bh_job_result sum;
    const struct job_outcome *failed = job_put_together(all, (unsigned)node.ranks, digests, parts, &sum);
    if (failed) {
        fprintf(stderr, "bhemu-node: %s\n", failed->error.text);
        return exit_code_of_run(failed->status, &failed->result.run);
    }
    printf("%s: %s\n  RISC-V instructions  %12" PRIu64 "\n  Tensix instructions  %12" PRIu64 "\n  %-20s %12" PRIu64
           "\n  outputs              %12u (%u compared, %u as expected)\n  digest           %016" PRIx64 "\n",
           path, sum.outputs_differ ? "DIFFERENT" : "ok", sum.run.riscv_instructions, sum.run.tensix_instructions,
           bh_mode_counts(mode), sum.run.cycles, sum.outputs, sum.outputs_compared,
           sum.outputs_compared - sum.outputs_differ, sum.digest);
    if (sum.outputs_differ) {
        printf("  %s\n", sum.mismatch.text);
    }
    return sum.outputs_differ ? EXIT_DIFFERENT : EXIT_DONE;
}

static int collect(const char *path, const struct job_outcome *own, const uint64_t *own_digests, unsigned parts,
                   enum bh_mode mode)
{
    struct job_outcome *all = calloc((size_t)node.ranks, sizeof *all);
    uint64_t *digests = calloc(parts, sizeof *digests);
    int code = EXIT_HOST_FAILED;
    if (all && digests) {
        MPI_Gather(own, sizeof *own, MPI_BYTE, all, sizeof *own, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Reduce(own_digests, digests, (int)parts, MPI_UINT64_T, MPI_BOR, 0, MPI_COMM_WORLD);
        code = node.rank == 0 ? put_together(path, all, digests, parts, mode) : 0;
    }
    free(digests);
    free(all);
    return code;
}

/* Ends all ranks: this one can not go on with them. */
static void abort_all(const struct bh_error *error, const char *save_folder)
{
    uint64_t saved = save_folder ? job_system_latest(save_folder) : UINT64_MAX;
    fprintf(stderr, "bhemu-node: rank %d: %s\n", node.rank, error->text);
    if (saved != UINT64_MAX) {
        fprintf(stderr, "bhemu-node: --resume %s goes on from cycle %" PRIu64 "\n", save_folder, saved);
    }
    MPI_Abort(MPI_COMM_WORLD, EXIT_HOST_FAILED);
}

static int run(const char *path, struct bh_job_options *options, unsigned patience)
{
    struct bh_job *job = NULL;
    struct job_outcome own = {.status = bh_job_load(path, &job, &own.error)};
    unsigned chips = own.status == BH_OK && job->parts_count ? job->chips : 0;
    if (own.status == BH_OK && !job->parts_count) {
        (void)snprintf(own.error.text, sizeof own.error.text, "%s: it is on one chip, which bhemu run runs", path);
    } else if (chips && (unsigned)node.ranks > chips) {
        (void)snprintf(own.error.text, sizeof own.error.text, "%s: %d ranks for %u chips; each has at least one", path,
                       node.ranks, chips);
        chips = 0;
    }
    if (!all_alike(path, chips, options) || !chips) {
        if (!chips && node.rank == 0) {
            fprintf(stderr, "bhemu-node: %s\n", own.error.text);
        }
        bh_job_free(job);
        return EXIT_WRONG;
    }
    node.job = job;
    node.chips = chips;
    system_share(node.owner, chips, (unsigned)node.ranks);
    const struct mpi_options how = {
        .owner = node.owner, .chips = chips, .patience = patience, .slow = SLOW, .on_slow = tell_slow};
    node.mpi = mpi_exchange_create(&how);
    uint64_t *digests = calloc(job->parts_count, sizeof *digests);
    int code = EXIT_HOST_FAILED;
    if (node.mpi && digests) {
        const struct job_process process = {.part = {.rank = (unsigned)node.rank,
                                                     .ranks = (unsigned)node.ranks,
                                                     .owner = node.owner,
                                                     .exchange = mpi_exchange(node.mpi)},
                                            .digests = digests};
        prepare_last_words(options->save_folder);
        signal(SIGTERM, say_last_words);
        options->context = options;
        own.status = job_check_files(job, options, &own.error);
        if (own.status == BH_OK) {
            own.status = job_run_parts(job, options, &process, &own.result, &own.error);
        }
        /* What all ranks agree on ends in the same way for all; otherwise the others would wait for this one. */
        bool agreed = own.status == BH_OK || own.status == BH_ERROR_STOPPED || own.status == BH_ERROR_LOST;
        if (!agreed || mpi_exchange(node.mpi).failed(node.mpi)[0]) {
            abort_all(&own.error, options->save_folder);
        }
        code = collect(path, &own, digests, job->parts_count, options->mode);
    }
    free(digests);
    mpi_exchange_destroy(node.mpi);
    bh_job_free(job);
    return code;
}

static bool number(const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && !*end && *value;
}

enum node_option { TIMED, THREADS, LIMIT, OUTPUT, SAVE_EVERY, SAVE_FOLDER, RESUME, PATIENCE_OPTION };

/* false: the command line is wrong. */
static bool read_options(int argc, char **argv, struct bh_job_options *options, unsigned *patience)
{
    static const struct node_name {
        const char *name;
        int argument;
    } names[] = {[TIMED] = {"timed", no_argument},
                 [THREADS] = {"threads", required_argument},
                 [LIMIT] = {"limit", required_argument},
                 [OUTPUT] = {"output", required_argument},
                 [SAVE_EVERY] = {"save-every", required_argument},
                 [SAVE_FOLDER] = {"save-folder", required_argument},
                 [RESUME] = {"resume", required_argument},
                 [PATIENCE_OPTION] = {"patience", required_argument}};
    enum { NAMES = sizeof names / sizeof *names };
    struct option list[NAMES + 1] = {{0}};
    for (int i = 0; i < NAMES; i++) {
        list[i] = (struct option){names[i].name, names[i].argument, NULL, i};
    }
    opterr = node.rank == 0;
    for (int option; (option = getopt_long(argc, argv, "", list, NULL)) != -1;) {
        uint64_t value = 0;
        bool counts = option == THREADS || option == LIMIT || option == SAVE_EVERY || option == PATIENCE_OPTION;
        if (option == '?' || (counts && !number(optarg, &value))) {
            return false;
        }
        switch (option) {
        case TIMED: options->mode = BH_MODE_TIMED; break;
        case THREADS: options->threads = value <= MAXIMUM ? (unsigned)value : 1; break;
        case LIMIT: options->limit = value; break;
        case OUTPUT: options->output_folder = optarg; break;
        case SAVE_EVERY: options->save_every = value; break;
        case SAVE_FOLDER: options->save_folder = optarg; break;
        case RESUME: options->resume = optarg; break;
        default: *patience = value <= MAXIMUM ? (unsigned)value : MAXIMUM; break;
        }
    }
    return optind + 2 == argc && strcmp(argv[optind], "run") == 0 && !options->save_every == !options->save_folder;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "host") == 0) {
        return node_host(argc - 1, argv + 1);
    }
    struct bh_job_options options = {
        .policy = -1, .on_diagnostic = print_diagnostic, .on_print = print_print, .on_progress = progress};
    unsigned patience = PATIENCE;
    int threads;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &node.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &node.ranks);
    int code = EXIT_WRONG;
    if (read_options(argc, argv, &options, &patience)) {
        code = run(argv[optind + 1], &options, patience);
    } else if (node.rank == 0) {
        fputs(usage, stderr);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}
