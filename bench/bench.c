/* make bench: how fast. Runs the same programs through the C ABI on our libttsim.so and, if one is named, on a peer's,
   in turn, and prints medians and ratios. Whole runs are measured, from the release of the cores to the completion
   word. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "layout.h"

enum { REPEATS = 5, B = 1 << 11, T0 = 1 << 12, T1 = 1 << 13, T2 = 1 << 14 };
enum { COMPLETION_B = LAYOUT_COMPLETION, COMPLETION_T1 = LAYOUT_COMPLETION + 8 };

struct measure {
    const char *name; /* also in JSON */
    const char *unit;
    const char *elfs[5]; /* of build/kernels, without .elf */
    uint32_t release;    /* soft reset bits */
    uint32_t completion; /* where the last core leaves its word */
    uint32_t rounds, peer_rounds;
    double work_per_round; /* 0: the figure is seconds */
    uint32_t clocks;       /* a call of libttsim_clock() */
    bool matrices;         /* a 128x128x128 product with its arguments */
};

static const struct measure measures[] = {
    {"riscv_instructions",
     "RISC-V instructions/s, one tile",
     {"bench_riscv.trisc1"},
     T1,
     COMPLETION_T1,
     200,
     8,
     1e6,
     100000,
     false},
    {"sfpmad", "SFPMAD/s", {"bench_sfpmad.trisc1"}, T1, COMPLETION_T1, 4000, 2000, 256, 1000, false},
    {"mvmul", "MVMUL/s (LoFi, BF16)", {"bench_mvmul.trisc1"}, T1, COMPLETION_T1, 500, 200, 256, 1000, false},
    {"matmul128",
     "s, 128x128x128 BF16, HiFi4",
     {"matmul128.brisc", "matmul128.trisc0", "matmul128.trisc1", "matmul128.trisc2", "matmul128.ncrisc"},
     B,
     COMPLETION_B,
     1,
     1,
     0,
     1000,
     true},
};
enum { MEASURES = sizeof measures / sizeof *measures };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Inputs do not matter to the time, but zeroes could. */
static void fill_bf16(struct client *client, uint32_t address, uint32_t count)
{
    uint32_t random = 12345;
    for (uint32_t i = 0; i < count; i += 2) {
        uint32_t pair = 0;
        for (unsigned half = 0; half < 2; half++) {
            random = random * 1664525 + 1013904223;
            pair |= (0x3f00 | (random >> 16 & 0x80ff)) << 16 * half;
        }
        client_write32(client, address + i * 2, pair);
    }
}

/* Runs one measure on one library in this process; seconds, or a negative number when it failed. */
static double run(const struct measure *measure, const char *library, const char *kernels, uint32_t rounds)
{
    enum { A = LAYOUT_TENSORS, TENSOR = 128 * 128 * 2 };
    struct client client;
    if (!client_open(&client, library)) {
        return -1;
    }
    client_choose_tile(&client, 1, 2);
    for (unsigned i = 0; i < 5 && measure->elfs[i]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.elf", kernels, measure->elfs[i]);
        if (!client_load_elf(&client, path)) {
            return -1;
        }
    }
    uint32_t arguments[7] = {A, A + TENSOR, A + 2 * TENSOR, measure->matrices ? 4 : rounds, 4, 4, 4};
    client_write(&client, LAYOUT_ARGUMENTS, arguments, sizeof arguments);
    if (measure->matrices) {
        fill_bf16(&client, A, 2 * 128 * 128);
    }
    double start = seconds();
    client_release(&client, measure->release);
    while (client_read32(&client, measure->completion) != COMPLETION_DONE) {
        client.clock(measure->clocks);
        if (seconds() - start > 120) {
            fprintf(stderr, "bench: %s does not finish on %s\n", measure->name, library);
            return -1;
        }
    }
    return seconds() - start;
}

/* As above in a child process, since a library may end its process. */
static double run_apart(const struct measure *measure, const char *library, const char *kernels, uint32_t rounds)
{
    double *result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED) {
        return -1;
    }
    *result = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        *result = run(measure, library, kernels, rounds);
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
    double ours, peer; /* medians: work per second, or seconds */
};

static double figure(const struct measure *measure, double taken, uint32_t rounds)
{
    return measure->work_per_round > 0 ? measure->work_per_round * rounds / taken : taken;
}

static bool measure_both(const struct measure *measure, const char *library, const char *peer, const char *kernels,
                         struct figures *figures)
{
    double ours[REPEATS], theirs[REPEATS];
    for (unsigned i = 0; i < REPEATS; i++) {
        ours[i] = run_apart(measure, library, kernels, measure->rounds);
        theirs[i] = peer ? run_apart(measure, peer, kernels, measure->peer_rounds) : 0;
        if (ours[i] < 0 || theirs[i] < 0) {
            return false;
        }
    }
    qsort(ours, REPEATS, sizeof *ours, ascending);
    qsort(theirs, REPEATS, sizeof *theirs, ascending);
    figures->ours = figure(measure, ours[REPEATS / 2], measure->rounds);
    figures->peer = peer ? figure(measure, theirs[REPEATS / 2], measure->peer_rounds) : 0;
    return true;
}

static double ratio(const struct measure *measure, const struct figures *figures)
{
    return measure->work_per_round > 0 ? figures->ours / figures->peer : figures->peer / figures->ours;
}

static int usage(void)
{
    fputs("usage: bench [--json FILE] KERNELS-FOLDER LIBRARY [PEER-LIBRARY]\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    const char *json_path = NULL;
    if (argc > 2 && strcmp(argv[1], "--json") == 0) {
        json_path = argv[2];
        argv += 2;
        argc -= 2;
    }
    if (argc < 3 || argc > 4) {
        return usage();
    }
    const char *kernels = argv[1], *library = argv[2], *peer = argc == 4 ? argv[3] : NULL;
    struct figures figures[MEASURES] = {};
    int status = 0;
    printf("%-34s %14s", "", "bhemu");
    printf(peer ? " %14s %8s\n" : "\n", "peer", "ratio");
    for (unsigned i = 0; i < MEASURES; i++) {
        if (!measure_both(&measures[i], library, peer, kernels, &figures[i])) {
            printf("%-34s failed\n", measures[i].unit);
            status = 1;
            continue;
        }
        printf("%-34s %14.4g", measures[i].unit, figures[i].ours);
        if (peer) {
            printf(" %14.4g %7.1fx", figures[i].peer, ratio(&measures[i], &figures[i]));
        }
        putchar('\n');
        fflush(stdout);
    }
    FILE *json = json_path ? fopen(json_path, "w") : NULL;
    if (json_path && !json) {
        perror(json_path);
        return 1;
    }
    if (json) {
        fputs("{\n", json);
        for (unsigned i = 0; i < MEASURES; i++) {
            fprintf(json, "  \"%s\": {\"ours\": %.6g, \"peer\": %.6g}%s\n", measures[i].name, figures[i].ours,
                    figures[i].peer, i + 1 < MEASURES ? "," : "");
        }
        fputs("}\n", json);
        fclose(json);
    }
    return status;
}
