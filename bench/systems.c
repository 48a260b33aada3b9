/* make bench-systems: systems of 1, 2, 4 and 32 chips through the C ABI, ours and those of the vendor's builds for so
   many chips if they are named: memory and time to start, at rest and with all Tensix tiles busy. Each measure runs in
   a process of its own. Then what an epoch takes in several processes (bench/processes.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "processes.h"

#define CHIP_SIZE 0x1000000000ull /* between the BARs of two chips */

enum { COLUMNS = 14, ROWS = 10, T1_CODE = 0xa000, T1_HELD = 0x2000, COUNT_AT = 0x20000 };
enum { LEAST_SECONDS = 1, TURNS = 3 };

static const struct {
    const char *name; /* BHEMU_SYSTEM */
    unsigned chips;
} systems[] = {{"one", 1}, {"x2", 2}, {"x4", 4}, {"x32", 32}};
enum { SYSTEMS = sizeof systems / sizeof *systems };

struct figures {
    double start;     /* seconds, until the first clock has passed */
    double rest;      /* MiB resident then */
    double idle;      /* clocks a second at rest */
    double busy;      /* and with a core of each tile that runs */
    double busy_size; /* MiB resident then */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double resident(void)
{
    unsigned long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%lu %lu", &size, &pages) != 2) {
            pages = 0;
        }
        fclose(file);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static void place_of(unsigned tile, unsigned *x, unsigned *y)
{
    *x = tile % COLUMNS < 7 ? tile % COLUMNS + 1 : tile % COLUMNS + 3;
    *y = tile / COLUMNS + 2;
}

/* Chooses one of the Tensix tiles of all chips. */
static void choose(struct client *client, unsigned tile)
{
    unsigned x, y;
    client->chip = tile / (COLUMNS * ROWS) * CHIP_SIZE;
    place_of(tile % (COLUMNS * ROWS), &x, &y);
    client_choose_tile(client, x, y);
}

/* Lets time pass, and looks at every tile of so many chips: a library may run them only then. */
static void pass(struct client *client, uint32_t clocks, unsigned chips)
{
    client->clock(clocks);
    for (unsigned i = 0; i < chips * COLUMNS * ROWS; i++) {
        choose(client, i);
        (void)client_read32(client, COUNT_AT);
    }
}

/* Clocks a second: as many at once as take a moment, for a second at least. */
static double rate(struct client *client, unsigned chips)
{
    uint32_t step = 64;
    for (double begin = now(), taken = 0; taken < 0.2 && step < 1u << 30; step *= 2) {
        begin = now();
        pass(client, step, chips);
        taken = now() - begin;
    }
    double begin = now(), clocks = 0;
    do {
        pass(client, step, chips);
        clocks += step;
    } while (now() - begin < LEAST_SECONDS);
    return clocks / (now() - begin);
}

/* Counts in a register and in L1, for ever. */
static void start_tile(struct client *client)
{
    static const uint32_t code[] = {
        0x000203b7, /* lui t2, 0x20 */
        0x00128293, /* addi t0, t0, 1 */
        0x0053a023, /* sw t0, 0(t2) */
        0x007282b3, /* add t0, t0, t2 */
        0xff5ff06f, /* j -12 */
    };
    client_write(client, T1_CODE, code, sizeof code);
    client_release(client, T1_HELD);
}

static void measure(const char *library, unsigned chips, struct figures *figures)
{
    struct client client;
    double begin = now();
    if (!client_open(&client, library)) {
        return;
    }
    client.clock(1);
    figures->start = now() - begin;
    figures->rest = resident();
    figures->idle = rate(&client, 0);
    for (unsigned tile = 0; tile < chips * COLUMNS * ROWS; tile++) {
        choose(&client, tile);
        start_tile(&client);
    }
    figures->busy = rate(&client, chips);
    figures->busy_size = resident();
}

static struct figures measure_apart(const char *library, unsigned system, const char *threads)
{
    struct figures none = {0},
                   *figures = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (figures == MAP_FAILED) {
        return none;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("BHEMU_SYSTEM", systems[system].name, 1);
        setenv("BHEMU_THREADS", threads, 1);
        measure(library, systems[system].chips, figures);
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    struct figures found = *figures;
    munmap(figures, sizeof none);
    return found;
}

static int ascending(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

/* Of each figure the median. */
static struct figures medians(const struct figures all[TURNS])
{
    struct figures result;
    for (unsigned i = 0; i < sizeof result / sizeof(double); i++) {
        double values[TURNS];
        for (unsigned turn = 0; turn < TURNS; turn++) {
            memcpy(&values[turn], (const char *)&all[turn] + i * sizeof(double), sizeof(double));
        }
        qsort(values, TURNS, sizeof *values, ascending);
        memcpy((char *)&result + i * sizeof(double), &values[TURNS / 2], sizeof(double));
    }
    return result;
}

static void print_row(unsigned chips, const char *who, const struct figures *figures)
{
    printf("| %u | %s | %.1f | %.4f | %.3g | %.1f | %.3g |\n", chips, who, figures->rest, figures->start, figures->idle,
           figures->busy_size, figures->busy);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 2 + SYSTEMS) {
        fprintf(stderr, "usage: bench_systems LIBRARY [PEER PEER_X2 PEER_X4 PEER_X32]\n");
        return 2;
    }
    printf("| chips | | MiB at rest | s to start | clocks a second at rest | MiB busy | clocks a second busy |\n"
           "|---|---|---|---|---|---|---|\n");
    for (unsigned system = 0; system < SYSTEMS; system++) {
        struct figures ours[TURNS], two[TURNS], peer[TURNS];
        for (unsigned turn = 0; turn < TURNS; turn++) {
            ours[turn] = measure_apart(argv[1], system, "1");
            two[turn] = measure_apart(argv[1], system, "2");
            peer[turn] = argc > 2 ? measure_apart(argv[2 + system], system, "1") : (struct figures){0};
        }
        struct figures own = medians(ours), threads = medians(two), other = medians(peer);
        print_row(systems[system].chips, "bhemu", &own);
        print_row(systems[system].chips, "bhemu, 2 threads", &threads);
        if (argc > 2) {
            print_row(systems[system].chips, "peer", &other);
            printf("| %u | ratio of 1 thread | %.2f | %.2f | %.0f | %.2f | %.1f |\n", systems[system].chips,
                   own.rest / other.rest, own.start / other.start, own.idle / other.idle,
                   own.busy_size / other.busy_size, own.busy / other.busy);
        }
        fflush(stdout);
    }
    char folder[512];
    const char *end = strrchr(argv[1], '/');
    (void)snprintf(folder, sizeof folder, "%.*s", end ? (int)(end - argv[1]) : 1, end ? argv[1] : ".");
    print_processes(folder);
    return 0;
}
