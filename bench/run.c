#include "measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "client.h"
#include "layout.h"

enum { TILE_COLUMNS = 14, TILE_ROWS = 10, TILES = TILE_COLUMNS * TILE_ROWS, TIMEOUT = 120 };
enum { JUMP_TO_ITSELF = 0x6f, BF16_TILE = 2048, INPUT_SIZE = 2 * 128 * 128 * 2 };

static double clock_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double wall_seconds(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

/* The clock to measure with. On a machine that others use, too, processor time is more reliable; BENCH_CPU_TIME=1
   selects it where one thread does the work. */
static double seconds(const struct measure *measure)
{
    bool processor = getenv("BENCH_CPU_TIME") && measure->threads < 2;
    return processor ? clock_seconds(CLOCK_PROCESS_CPUTIME_ID) : wall_seconds();
}

/* Tensix tiles are left and right of column 8, which has other tiles. */
static void choose_nth_tile(struct client *client, unsigned tile)
{
    unsigned column = tile % TILE_COLUMNS;
    client_choose_tile(client, column < 7 ? 1 + column : 3 + column, 2 + tile / TILE_COLUMNS);
}

/* The time does not depend on inputs, except perhaps zeroes. Pairs of BF16, or one FP32, all of them finite: as BF16
   of magnitude 0.5 to 2, with so few mantissa bits that adding 1.0 is exact, too. */
static void make_inputs(uint32_t *pairs, unsigned size)
{
    uint32_t random = 12345;
    for (unsigned i = 0; i < size / sizeof *pairs; i++) {
        pairs[i] = 0;
        for (unsigned half = 0; half < 2; half++) {
            random = random * 1664525 + 1013904223;
            pairs[i] |= (0x3f00 | (random >> 16 & 0x80fc)) << 16 * half;
        }
    }
}

static void fill_inputs(struct client *client, uint32_t address)
{
    static uint32_t pairs[INPUT_SIZE / sizeof(uint32_t)];
    make_inputs(pairs, sizeof pairs);
    client_write(client, address, pairs, sizeof pairs);
}

static bool load(struct client *client, const struct measure *measure, const char *kernels, uint32_t rounds)
{
    for (unsigned i = 0; i < 5 && measure->elfs[i]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.elf", kernels, measure->elfs[i]);
        if (!client_load_elf(client, path)) {
            return false;
        }
    }
    uint32_t arguments[7] = {LAYOUT_TENSORS, LAYOUT_TENSORS + INPUT_SIZE / 2, LAYOUT_TENSORS + INPUT_SIZE, rounds};
    memcpy(arguments + 4, measure->shape, sizeof measure->shape);
    client_write(client, LAYOUT_ARGUMENTS, arguments, sizeof arguments);
    client_write(client, BENCH_PROGRAM, measure->program, sizeof measure->program);
    return true;
}

/* Clocks until the tile that the client sees has finished. */
static bool finish(struct client *client, const struct measure *measure, double deadline)
{
    enum { POLLS = 64 }; /* processor time takes long to ask for */
    for (unsigned polls = 1; client_read32(client, measure->completion) != COMPLETION_DONE; polls++) {
        client->clock(measure->clocks);
        if (polls % POLLS == 0 && seconds(measure) > deadline) {
            fprintf(stderr, "bench: %s does not finish\n", measure->name);
            return false;
        }
    }
    return true;
}

/* On the first `tiles` tiles at once. */
static double run_program(const struct measure *measure, struct client *client, const char *kernels, unsigned tiles,
                          uint32_t rounds)
{
    for (unsigned tile = 0; tile < tiles; tile++) {
        choose_nth_tile(client, tile);
        if (!load(client, measure, kernels, rounds)) {
            return -1;
        }
    }
    if (tiles == 1) {
        fill_inputs(client, LAYOUT_TENSORS);
    }
    double start = seconds(measure);
    for (unsigned tile = 0; tile < tiles; tile++) {
        choose_nth_tile(client, tile);
        client_release(client, measure->release);
    }
    for (unsigned tile = 0; tile < tiles; tile++) {
        choose_nth_tile(client, tile);
        if (!finish(client, measure, start + TIMEOUT)) {
            return -1;
        }
    }
    return (seconds(measure) - start) / tiles;
}

enum { GRID = 8, GRID_CORNERS = LAYOUT_ARGUMENTS + 0x40, DRAM_A = 0, DRAM_B = 0x80000, DRAM_C = 0x100000 };

/* The first eight columns and rows. */
static unsigned nth_tile_of_grid(unsigned tile)
{
    return tile / GRID * TILE_COLUMNS + tile % GRID;
}

/* Loads A and B, of 1024 x 32 rounds and 32 rounds x 1024 data, to all channels of DRAM; each tile computes 128x128 of
   the output. kernels/matmul_grid/grid.h has the arguments. */
static bool load_grid(const struct measure *measure, struct client *client, const char *kernels, uint32_t rounds)
{
    for (unsigned channel = 0; channel < 8; channel++) {
        client_choose_tile(client, 17 + channel / 4, 12 + channel % 4 * 3);
        for (uint32_t offset = 0; offset < 2 * DRAM_B; offset += INPUT_SIZE) {
            fill_inputs(client, offset);
        }
    }
    for (unsigned tile = 0; tile < GRID * GRID; tile++) {
        choose_nth_tile(client, nth_tile_of_grid(tile));
        if (!load(client, measure, kernels, rounds)) {
            return false;
        }
        const uint32_t arguments[7] = {DRAM_A, DRAM_B, DRAM_C, 4, 4, rounds, measure->shape[2]};
        const uint32_t grid[6] = {1 | 2 << 6, 10 | 9 << 6, GRID, GRID, tile % GRID, tile / GRID};
        client_write(client, LAYOUT_ARGUMENTS, arguments, sizeof arguments);
        client_write(client, GRID_CORNERS, grid, sizeof grid);
    }
    return true;
}

static double run_grid(const struct measure *measure, struct client *client, const char *kernels, uint32_t rounds)
{
    if (!load_grid(measure, client, kernels, rounds)) {
        return -1;
    }
    double start = seconds(measure);
    for (unsigned tile = 0; tile < GRID * GRID; tile++) {
        choose_nth_tile(client, nth_tile_of_grid(tile));
        client_release(client, measure->release);
    }
    for (unsigned tile = 0; tile < GRID * GRID; tile++) {
        choose_nth_tile(client, nth_tile_of_grid(tile));
        if (!finish(client, measure, start + TIMEOUT)) {
            return -1;
        }
    }
    return seconds(measure) - start;
}

static double run_jumps(const struct measure *measure, struct client *client, uint32_t clocks)
{
    for (unsigned tile = 0; tile < TILES; tile++) {
        choose_nth_tile(client, tile);
        client_write32(client, LAYOUT_BRISC_CODE, JUMP_TO_ITSELF);
        client_release(client, measure->release);
    }
    client->clock(measure->clocks);
    double start = seconds(measure);
    for (uint32_t done = 0; done < clocks; done += measure->clocks) {
        client->clock(measure->clocks);
    }
    return seconds(measure) - start;
}

static const struct measure *kernel_test(void)
{
    const struct measure *measure = measures;
    while (measure->kind != MEASURE_PROCESS) {
        measure++;
    }
    return measure;
}

static float from_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* Whether the output is what add1 computes. */
static bool is_one_more(const uint16_t *inputs, const uint16_t *outputs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (from_bf16(outputs[i]) != from_bf16(inputs[i]) + 1) {
            fprintf(stderr, "bench: datum %u is %g instead of %g\n", i, from_bf16(outputs[i]),
                    from_bf16(inputs[i]) + 1);
            return false;
        }
    }
    return true;
}

int measure_kernel_test(const char *library, const char *kernels)
{
    enum { TILES_MAXIMUM = 4 };
    static uint32_t inputs[TILES_MAXIMUM * BF16_TILE / sizeof(uint32_t)], outputs[sizeof inputs / sizeof *inputs];
    const struct measure *measure = kernel_test();
    const uint32_t size = measure->rounds * measure->shape[0] * BF16_TILE;
    struct client client;
    if (size > sizeof inputs || !client_open(&client, library)) {
        return EXIT_FAILURE;
    }
    choose_nth_tile(&client, 0);
    if (!load(&client, measure, kernels, measure->rounds)) {
        return EXIT_FAILURE;
    }
    make_inputs(inputs, size);
    client_write(&client, LAYOUT_TENSORS, inputs, size);
    client_release(&client, measure->release);
    if (!finish(&client, measure, seconds(measure) + TIMEOUT)) {
        return EXIT_FAILURE;
    }
    client_read(&client, LAYOUT_TENSORS + INPUT_SIZE, outputs, size);
    client.exit();
    bool right = is_one_more((const uint16_t *)inputs, (const uint16_t *)outputs, size / sizeof(uint16_t));
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Starts processes like test runners: without a copy of their own memory. */
static double run_process(const char *library, const char *kernels)
{
    char *const arguments[] = {"bench_abi", "--kernel-test", (char *)kernels, (char *)library, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0); /* a peer's last words */
    double start = wall_seconds();
    pid_t child;
    int status = -1;
    bool ran = posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ) == 0 &&
               waitpid(child, &status, 0) == child && status == 0;
    double taken = wall_seconds() - start;
    posix_spawn_file_actions_destroy(&actions);
    return ran ? taken : -1;
}

/* bench_firmware, which is beside this program, with so many pages a tile. */
static double run_firmware(const char *library, const char *kernels, uint32_t pages)
{
    char program[4096], command[3 * 4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = 0;
    char *name = strrchr(program, '/');
    double taken;
    snprintf(command, sizeof command, "exec '%.*s/bench_firmware' '%s' '%s' %u", (int)(name ? name - program : 0),
             program, library, kernels, pages);
    fflush(NULL);
    FILE *output = popen(command, "r"); /* NOLINT(cert-env33-c): of a developer's own machine */
    if (!output) {
        return -1;
    }
    taken = fscanf(output, "%lf", &taken) == 1 ? taken : -1;
    return pclose(output) == 0 ? taken : -1;
}

/* In bytes. */
static double resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size, pages = -1;
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) {
        pages = -1;
    }
    if (file) {
        fclose(file);
    }
    return pages < 0 ? -1 : (double)pages * (double)sysconf(_SC_PAGESIZE);
}

double measure_run(const struct measure *measure, const char *library, const char *kernels, uint32_t rounds)
{
    if (measure->threads) {
        char threads[16];
        snprintf(threads, sizeof threads, "%u", measure->threads);
        setenv("BHEMU_THREADS", threads, 1);
    }
    if (measure->kind == MEASURE_PROCESS) {
        return run_process(library, kernels);
    }
    if (measure->kind == MEASURE_FIRMWARE) {
        return run_firmware(library, kernels, measure->shape[0]);
    }
    double before = resident();
    struct client client;
    if (!client_open(&client, library)) {
        return -1;
    }
    switch (measure->kind) {
    case MEASURE_PROGRAM: return run_program(measure, &client, kernels, 1, rounds);
    case MEASURE_EVERY: return run_program(measure, &client, kernels, TILES, rounds);
    case MEASURE_GRID: return run_grid(measure, &client, kernels, rounds);
    case MEASURE_JUMPS: return run_jumps(measure, &client, rounds);
    default: client.clock(1); return resident() - before;
    }
}
