/* bench_firmware LIBRARY KERNELS PAGES: firmware of the project's own boots on all tiles, as tt-metal's host boots its
   own, and launches kernels/metal/add_*, which add so many pages a tile from DRAM to DRAM. Prints the seconds from when
   cores are let go until the host has seen that all are done, of processor time with BENCH_CPU_TIME: in
   libttsim_clock(), and in reads, in which a library may run tiles, too. What firmware is given is made for a device of
   this process, which never runs, and copied from there. bench_abi starts it: a program of its own, since the files of
   firmware and kernels take a library that no kernel test is to load (MEASURE_FIRMWARE). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bhemu/device.h"
#include "client.h"
#include "host/metal_launch.h"

enum { COLUMNS = 14, ROWS = 10, TILES = COLUMNS * ROWS, CHUNK = 4096, IMAGES = 0x14000, WINDOW = 0x200000 };
enum { PAGE = 2048, BUFFER_PAGES = 2, BUFFERS = 0x100000, CLOCKS = 1000, POLLS = 2000000 };
enum { INPUT_A = 0x1000000, INPUT_B = 0x2000000, OUTPUT = 0x4000000 }; /* in each bank */
enum { SOFT_RESET = 0xffb121b0u, ALL_BUT_B = 0x47000 };
enum { ONE = 0x3f80, TWO = 0x4000, THREE = 0x4040 }; /* BF16 */

static const uint32_t reset_pcs[] = {0xffb12228, 0xffb1222c, 0xffb12230, 0xffb12238};

static double spent;

static double now(void)
{
    struct timespec time;
    clock_gettime(getenv("BENCH_CPU_TIME") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "bench_firmware: %s\n", what);
    exit(EXIT_FAILURE);
}

static unsigned tile_x(unsigned tile)
{
    unsigned column = tile % COLUMNS;
    return column < 7 ? 1 + column : 3 + column;
}

static unsigned tile_y(unsigned tile)
{
    return 2 + tile / COLUMNS;
}

static void choose(struct client *client, unsigned tile)
{
    client_choose_tile(client, tile_x(tile), tile_y(tile));
}

static void wait_for_all(struct client *client, const struct metal_firmware *firmware)
{
    unsigned polls = 0;
    double start = now();
    for (unsigned tile = 0; tile < TILES; tile++) {
        choose(client, tile);
        while (client_read32(client, firmware->layout.go) >> 8 * METAL_SIGNAL_BYTE != METAL_SIGNAL_DONE) {
            if (++polls == POLLS) {
                give_up("the tiles do not get done");
            }
            client->clock(CLOCKS);
        }
    }
    spent += now() - start;
}

static bool is_zero(const uint8_t *bytes, unsigned size)
{
    static const uint8_t zeroes[CHUNK];
    return memcmp(bytes, zeroes, size) == 0;
}

static void boot(struct client *client, const struct metal_firmware *firmware, struct bh_device *model)
{
    static uint8_t bytes[CHUNK];
    struct bh_error error = {0};
    for (unsigned tile = 0; tile < TILES; tile++) {
        unsigned x = tile_x(tile), y = tile_y(tile);
        if (metal_firmware_boot(firmware, model, x, y, &error) != BH_OK) {
            give_up(error.text);
        }
        choose(client, tile);
        for (uint32_t address = 0; address < IMAGES; address += CHUNK) {
            if (bh_read(model, x, y, address, bytes, CHUNK) == BH_OK && !is_zero(bytes, CHUNK)) {
                client_write(client, address, bytes, CHUNK);
            }
        }
        for (unsigned i = 0; i < sizeof reset_pcs / sizeof *reset_pcs; i++) {
            uint32_t pc = 0;
            (void)bh_read(model, x, y, reset_pcs[i], &pc, sizeof pc);
            client_write32(client, reset_pcs[i], pc);
        }
    }
    for (unsigned tile = 0; tile < TILES; tile++) {
        choose(client, tile);
        client_write32(client, SOFT_RESET, ALL_BUT_B);
    }
    wait_for_all(client, firmware);
}

/* Fills the tensors in a bank, a window at a time. */
static void fill_bank(struct client *client, unsigned bank, uint32_t address, uint32_t size, uint16_t value)
{
    static uint16_t data[WINDOW / sizeof(uint16_t)];
    for (unsigned i = 0; i < sizeof data / sizeof *data; i++) {
        data[i] = value;
    }
    for (uint32_t at = 0; at < size; at += WINDOW) {
        client_choose_memory(client, address + at, 17 + bank / 4, 12 + bank % 4 * 3);
        client_write(client, 0, data, size - at < WINDOW ? size - at : WINDOW);
    }
}

static bool has_sums(struct client *client, unsigned bank, uint32_t size)
{
    static uint16_t data[WINDOW / sizeof(uint16_t)];
    bool right = true;
    for (uint32_t at = 0; at < size; at += WINDOW) {
        uint32_t part = size - at < WINDOW ? size - at : WINDOW;
        client_choose_memory(client, OUTPUT + at, 17 + bank / 4, 12 + bank % 4 * 3);
        client_read(client, 0, data, part);
        for (unsigned i = 0; i < part / sizeof *data; i++) {
            right &= data[i] == THREE;
        }
    }
    return right;
}

static void make_launch(const struct metal_firmware *firmware, const char *kernels, unsigned tile, unsigned pages,
                        struct metal_launch *launch)
{
    static const char *const names[BH_CORE_COUNT] = {[BH_CORE_B] = "brisc",
                                                     [BH_CORE_NC] = "ncrisc",
                                                     [BH_CORE_T0] = "trisc0",
                                                     [BH_CORE_T1] = "trisc1",
                                                     [BH_CORE_T2] = "trisc2"};
    const uint32_t share[] = {tile * pages, pages}, inputs[] = {INPUT_A, INPUT_B}, output[] = {OUTPUT}, zero[] = {0};
    const struct metal_buffer buffers[] = {{0, BUFFERS, BUFFER_PAGES, PAGE},
                                           {1, BUFFERS + 0x2000, BUFFER_PAGES, PAGE},
                                           {16, BUFFERS + 0x4000, BUFFER_PAGES, PAGE}};
    struct metal_program program = {.semaphores = {zero, 1}, .buffers = buffers, .buffers_count = 3};
    static char paths[BH_CORE_COUNT][4096];
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        snprintf(paths[core], sizeof paths[core], "%s/metal_add.%s.elf", kernels, names[core]);
        program.kernels[core] = paths[core];
        program.unique[core] = (struct metal_words){share + 1, 1};
    }
    program.unique[BH_CORE_B] = program.unique[BH_CORE_NC] = (struct metal_words){share, 2};
    program.common[BH_CORE_NC] = (struct metal_words){inputs, 2};
    program.common[BH_CORE_B] = (struct metal_words){output, 1};
    struct bh_error error = {0};
    if (metal_launch_make(firmware, &program, launch, &error) != BH_OK) {
        give_up(error.text);
    }
}

static void launch(struct client *client, const struct metal_firmware *firmware, const char *kernels, unsigned pages)
{
    for (unsigned tile = 0; tile < TILES; tile++) {
        struct metal_launch launch;
        make_launch(firmware, kernels, tile, pages, &launch);
        choose(client, tile);
        client_write(client, firmware->layout.end, launch.config, launch.config_size);
        client_write(client, firmware->layout.launch, launch.message, metal_message_size(&firmware->layout));
        metal_launch_free(&launch);
    }
    for (unsigned tile = 0; tile < TILES; tile++) {
        choose(client, tile);
        client_write32(client, firmware->layout.go, (uint32_t)METAL_SIGNAL_GO << 8 * METAL_SIGNAL_BYTE);
    }
    wait_for_all(client, firmware);
}

static struct bh_device *open_firmware(struct metal_firmware *firmware, const char *kernels)
{
    static const char *const names[BH_CORE_COUNT] = {[BH_CORE_B] = "brisc",
                                                     [BH_CORE_NC] = "ncrisc",
                                                     [BH_CORE_T0] = "trisc0",
                                                     [BH_CORE_T1] = "trisc1",
                                                     [BH_CORE_T2] = "trisc2"};
    static char paths[BH_CORE_COUNT][4096];
    const char *places[BH_CORE_COUNT];
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        snprintf(paths[core], sizeof paths[core], "%s/metal.%s.elf", kernels, names[core]);
        places[core] = paths[core];
    }
    struct bh_error error = {0};
    struct bh_device *model = NULL;
    if (metal_firmware_open(firmware, places, NULL, BH_BOARD_FULL, &error) != BH_OK) {
        give_up(error.text);
    }
    if (bh_device_create(&(struct bh_device_config){.board = BH_BOARD_FULL}, &model) != BH_OK) {
        give_up("no device");
    }
    return model;
}

int main(int argc, char **argv)
{
    struct metal_firmware firmware;
    struct client client;
    if (argc != 4) {
        give_up("usage: bench_firmware LIBRARY KERNELS PAGES");
    }
    unsigned pages = (unsigned)strtoul(argv[3], NULL, 10);
    struct bh_device *model = open_firmware(&firmware, argv[2]);
    if (!client_open(&client, argv[1])) {
        return EXIT_FAILURE;
    }
    boot(&client, &firmware, model);
    uint32_t size = (TILES * pages + firmware.dram_banks - 1) / firmware.dram_banks * PAGE;
    for (unsigned bank = 0; bank < firmware.dram_banks; bank++) {
        fill_bank(&client, bank, INPUT_A, size, ONE);
        fill_bank(&client, bank, INPUT_B, size, TWO);
    }
    launch(&client, &firmware, argv[2], pages);
    for (unsigned bank = 0; bank < firmware.dram_banks; bank++) {
        if (!has_sums(&client, bank, size)) {
            give_up("the sums are wrong");
        }
    }
    printf("%.9f\n", spent);
    bh_device_destroy(model);
    return EXIT_SUCCESS;
}
