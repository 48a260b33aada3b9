/* make bench: runs the same programs through the C ABI on our libttsim.so and, if one is named, on a peer's, in turn,
   and prints medians, ratios and the goals for these as a table and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "level.h"
#include "measure.h"

/* Turns of each library; a process takes milliseconds, mostly in the operating system, so that each turn runs several,
   one after the other like a test suite. Odd numbers, for the median. */
enum { TURNS = 5, PROCESSES_IN_A_TURN = 15, SAMPLES = TURNS * PROCESSES_IN_A_TURN };

/* Runs a measure in a child process, since a library keeps its state in the process and may end it. */
static double run_apart(const struct measure *measure, const char *library, const char *kernels, uint32_t rounds)
{
    if (measure->kind == MEASURE_PROCESS) {
        return measure_run(measure, library, kernels, rounds);
    }
    double *result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED) {
        return -1;
    }
    *result = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        *result = measure_run(measure, library, kernels, rounds);
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    double taken = *result;
    munmap(result, sizeof *result);
    return taken;
}

static int ascending(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

struct figures {
    bool measured;
    double ours, peer; /* medians: work per second, or seconds, or bytes. 0: no peer, or it can not run this */
};

static bool is_rate(const struct measure *measure)
{
    return measure->work_per_round > 0;
}

static double figure(const struct measure *measure, double taken, uint32_t rounds)
{
    return is_rate(measure) ? measure->work_per_round * rounds / taken : taken;
}

/* false: a run has failed. */
static bool take_turn(const struct measure *measure, const char *library, const char *kernels, uint32_t rounds,
                      double *taken, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        taken[i] = run_apart(measure, library, kernels, rounds);
        if (taken[i] < 0) {
            return false;
        }
    }
    return true;
}

static struct figures measure_both(const struct measure *measure, const char *library, const char *peer,
                                   const char *kernels)
{
    double ours[SAMPLES], theirs[SAMPLES] = {0};
    const unsigned in_a_turn = measure->kind == MEASURE_PROCESS ? PROCESSES_IN_A_TURN : 1, samples = TURNS * in_a_turn;
    for (unsigned first = 0; first < samples; first += in_a_turn) {
        if (!take_turn(measure, library, kernels, measure->rounds, ours + first, in_a_turn)) {
            return (struct figures){.measured = false};
        }
        if (peer && !take_turn(measure, peer, kernels, measure->peer_rounds, theirs + first, in_a_turn)) {
            peer = NULL;
        }
    }
    qsort(ours, samples, sizeof *ours, ascending);
    qsort(theirs, samples, sizeof *theirs, ascending);
    return (struct figures){.measured = true,
                            .ours = figure(measure, ours[samples / 2], measure->rounds),
                            .peer = peer ? figure(measure, theirs[samples / 2], measure->peer_rounds) : 0};
}

static double ratio(const struct measure *measure, const struct figures *figures)
{
    return is_rate(measure) ? figures->ours / figures->peer : figures->peer / figures->ours;
}

static void print_row(const struct measure *measure, const struct figures *figures, bool peer)
{
    if (!figures->measured) {
        printf("%-44s failed\n", measure->unit);
        return;
    }
    printf("%-44s %12.4g", measure->unit, figures->ours);
    if (figures->peer > 0) {
        printf(" %12.4g %7.1fx", figures->peer, ratio(measure, figures));
        double goal = level_goal(measure);
        if (goal > 0) {
            printf(" %6gx%s", goal, ratio(measure, figures) < goal ? "  below its goal" : "");
        }
    } else if (peer) {
        printf(" %12s", "failed");
    }
    putchar('\n');
    fflush(stdout);
}

struct table {
    const struct measure *rows;
    unsigned count;
};

static void write_json(FILE *json, struct table table, const struct figures *figures)
{
    fprintf(json, "{\n  \"host_vectors\": \"%s\"", level_name());
    for (unsigned i = 0; i < table.count; i++) {
        const struct measure *measure = &table.rows[i];
        if (figures[i].measured) {
            fprintf(json, ",\n  \"%s\": {\"unit\": \"%s\", \"ours\": %.6g", measure->name,
                    measure->unit + strspn(measure->unit, " "), figures[i].ours);
            if (figures[i].peer > 0) {
                fprintf(json, ", \"peer\": %.6g, \"ratio\": %.4g, \"goal\": %g", figures[i].peer,
                        ratio(measure, &figures[i]), level_goal(measure));
            }
            fputs("}", json);
        }
    }
    fputs("\n}\n", json);
}

static int usage(void)
{
    fputs("usage: bench_abi [--instructions] [--json FILE] [--only BEGIN-OF-NAME] [--host avx512|avx2|baseline] "
          "KERNELS-FOLDER LIBRARY [PEER-LIBRARY]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    const char *json_path = NULL, *only = NULL;
    char **const all_arguments = argv;
    if (argc == 4 && strcmp(argv[1], "--kernel-test") == 0) {
        return measure_kernel_test(argv[3], argv[2]);
    }
    struct table table = {measures, measure_count};
    if (argc > 1 && strcmp(argv[1], "--instructions") == 0) {
        table = (struct table){instructions, instruction_count};
        argv++;
        argc--;
    }
    while (argc > 2 && argv[1][0] == '-') {
        if (strcmp(argv[1], "--json") == 0) {
            json_path = argv[2];
        } else if (strcmp(argv[1], "--only") == 0) {
            only = argv[2];
        } else if (strcmp(argv[1], "--host") == 0) {
            if (!level_choose(argv[2], all_arguments)) {
                return 1;
            }
        } else {
            return usage();
        }
        argv += 2;
        argc -= 2;
    }
    if (argc < 3 || argc > 4) {
        return usage();
    }
    const char *kernels = argv[1], *library = argv[2], *peer = argc == 4 ? argv[3] : NULL;
    struct figures *figures = calloc(table.count, sizeof *figures);
    if (!figures) {
        perror("bench");
        return 1;
    }
    int status = 0;
    printf("host vectors: %s\n%-44s %12s", level_name(), "", "bhemu");
    printf(peer ? " %12s %8s %7s\n" : "\n", "peer", "ratio", "goal");
    for (unsigned i = 0; i < table.count; i++) {
        if (only && strncmp(table.rows[i].name, only, strlen(only)) != 0) {
            continue;
        }
        figures[i] = measure_both(&table.rows[i], library, peer, kernels);
        print_row(&table.rows[i], &figures[i], peer);
        status |= !figures[i].measured;
    }
    FILE *json = json_path ? fopen(json_path, "w") : NULL;
    if (json_path && !json) {
        perror(json_path);
        status = 1;
    }
    if (json) {
        write_json(json, table, figures);
        fclose(json);
    }
    free(figures);
    return status;
}
