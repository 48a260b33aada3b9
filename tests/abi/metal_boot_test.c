/* Firmware that launches kernels like tt-metal's does (kernels/metal), booted by a client that only knows the C ABI:
   it writes segments, tables and mailboxes through TLB windows, releases B, and polls. There is no job file with
   addresses.
   Sources: chapter "firmware upload"; tt-metal llrt.cpp, risc_firmware_initializer.cpp. */
#include <elf.h>
#include <stdio.h>
#include <unistd.h>

#include "../../kernels/metal/layout.h"
#include "client.h"

#define SOFT_RESET 0xFFB121B0u
#define LOCAL_RAM 0xFFB00000u

enum { ALL_IN_RESET = 0x47800, B_IN_RESET = 1 << 11, CORES = 5, ROWS = 10, MOST_TILES = 140 };
enum { SIGNAL_DONE = 0, SIGNAL_INIT = 0x40, SIGNAL_GO = 0x80, SIGNAL_REWIND_BY_HOST = 0xe0 };
enum { CONFIG = METAL_BRISC_IMAGE, RESULTS = 0x20000, MESSAGE_BYTES = 96, MESSAGES = 8, MODE_HOST = 1 };
enum { TABLES_END = METAL_COLUMNS + 32 };
enum { MODE = 42, KERNEL_OFFSETS = 44, FIRST_REMOTE_BUFFER = 70, ENABLES = 76 }; /* of the launch message */

static struct client client;
static unsigned columns;

static void no_host_read(uint64_t paddr, void *data, uint32_t size)
{
    fail_msg("nothing reads the host's memory");
}

static void no_host_write(uint64_t paddr, const void *data, uint32_t size)
{
    fail_msg("nothing writes to the host's memory");
}

static void start(const char *board, unsigned columns_of_board)
{
    if (access(BHEMU_BUILD_DIR "/kernels/built", R_OK) != 0) {
        skip();
    }
    assert_int_equal(setenv("BHEMU_BOARD", board, 1), 0);
    assert_true(client_load(&client));
    client.set_callbacks(no_host_read, no_host_write);
    client.init();
    client_find_bars(&client);
    columns = columns_of_board;
}

/* Translated coordinates: columns 8 and 9 are no Tensix tiles. */
static unsigned tile_x(unsigned tile)
{
    unsigned column = tile % columns;
    return column < 7 ? 1 + column : 3 + column;
}

static unsigned tile_y(unsigned tile)
{
    return 2 + tile / columns;
}

/* Segments for local RAM go to the images from which the cores copy them. */
static void upload(unsigned tile, const char *name, uint32_t local_image)
{
    static uint8_t file[1 << 20];
    char path[500];
    snprintf(path, sizeof path, BHEMU_BUILD_DIR "/kernels/metal.%s.elf", name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_in_range(fread(file, 1, sizeof file, stream), 1, sizeof file - 1);
    fclose(stream);
    Elf32_Ehdr header;
    memcpy(&header, file, sizeof header);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr segment;
        memcpy(&segment, file + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && segment.p_filesz) {
            uint32_t local = segment.p_paddr >= LOCAL_RAM ? local_image - LOCAL_RAM : 0;
            client_write_block(&client, tile_x(tile), tile_y(tile), segment.p_paddr + local, file + segment.p_offset,
                               segment.p_filesz);
        }
    }
}

static uint32_t jump_to(uint32_t address)
{
    return 0x6f | (address & 0xff000) | (address >> 11 & 1) << 20 | (address >> 1 & 0x3ff) << 21;
}

static void put(unsigned tile, uint32_t address, uint32_t word)
{
    client_tile_put32(&client, tile_x(tile), tile_y(tile), address, word);
}

static uint32_t get(unsigned tile, uint32_t address)
{
    return client_tile_get32(&client, tile_x(tile), tile_y(tile), address);
}

/* What the firmware reads before the first launch: no launch messages, where the tile is, and tables of banks and
   coordinates, which these kernels do not use. */
static void write_tables(unsigned tile)
{
    static const uint8_t none[MESSAGES * MESSAGE_BYTES], tables[TABLES_END - METAL_BANKS];
    uint8_t place[] = {(uint8_t)(tile % columns), (uint8_t)(tile / columns)};
    client_write_block(&client, tile_x(tile), tile_y(tile), METAL_LAUNCH, none, sizeof none);
    client_write_block(&client, tile_x(tile), tile_y(tile), METAL_BANKS, tables, sizeof tables);
    client_write_block(&client, tile_x(tile), tile_y(tile), METAL_LOGICAL_X, place, sizeof place);
}

static void prepare(unsigned tile)
{
    static const struct {
        const char *name;
        uint32_t image;
    } cores[CORES] = {{"brisc", METAL_BRISC_IMAGE},
                      {"ncrisc", METAL_NCRISC_IMAGE},
                      {"trisc0", METAL_TRISC0_IMAGE},
                      {"trisc1", METAL_TRISC1_IMAGE},
                      {"trisc2", METAL_TRISC2_IMAGE}};
    static const uint32_t reset_pcs[][2] = {{0xFFB12238, METAL_NCRISC_CODE},
                                            {0xFFB12228, METAL_TRISC0_CODE},
                                            {0xFFB1222C, METAL_TRISC1_CODE},
                                            {0xFFB12230, METAL_TRISC2_CODE}};
    put(tile, SOFT_RESET, get(tile, SOFT_RESET) | ALL_IN_RESET);
    for (unsigned i = 0; i < CORES; i++) {
        upload(tile, cores[i].name, cores[i].image);
    }
    for (unsigned i = 0; i < CORES - 1; i++) {
        put(tile, reset_pcs[i][0], reset_pcs[i][1]);
    }
    write_tables(tile);
    put(tile, 0, jump_to(METAL_BRISC_CODE));
    put(tile, METAL_GO_INDEX, 0);
    put(tile, METAL_GO, (uint32_t)SIGNAL_INIT << 24);
}

/* Polls until the go message of each tile says DONE. */
static void wait(unsigned tiles, uint32_t clocks)
{
    unsigned done = 0;
    for (unsigned polls = 0; done < tiles; polls++) {
        assert_in_range(polls, 0, 1000000);
        client.clock(clocks);
        done += get(done, METAL_GO) >> 24 == SIGNAL_DONE;
    }
}

/* A kernel in which each core stores a number at its own address: lui a5; lui a4; addi a4; sw; li a0, 0; ret. */
static void put_kernels(unsigned tile, uint32_t number, uint8_t message[MESSAGE_BYTES])
{
    memset(message, 0, MESSAGE_BYTES);
    message[MODE] = MODE_HOST;
    message[FIRST_REMOTE_BUFFER] = METAL_BUFFERS;
    message[ENABLES] = 0x1f;
    for (unsigned kind = 0; kind < 3; kind++) {
        memcpy(message + 4 * kind, &(uint32_t){CONFIG}, 4);
    }
    for (uint32_t core = 0; core < CORES; core++) {
        uint32_t offset = 0x100 * (core + 1), place = 16 * core;
        uint32_t code[] = {RESULTS | 0x7b7,
                           0x737,
                           (number + core) << 20 | 0x00070713,
                           0x00e7a023 | (place & 0x1f) << 7 | place >> 5 << 25,
                           0x00000513,
                           0x00008067};
        memcpy(message + KERNEL_OFFSETS + 4 * core, &offset, 4);
        client_write_block(&client, tile_x(tile), tile_y(tile), CONFIG + offset, code, sizeof code);
    }
}

static void go(unsigned tile, const uint8_t message[MESSAGE_BYTES])
{
    put(tile, METAL_GO, (uint32_t)SIGNAL_REWIND_BY_HOST << 24);
    client_write_block(&client, tile_x(tile), tile_y(tile), METAL_LAUNCH, message, MESSAGE_BYTES);
    put(tile, METAL_GO, (uint32_t)SIGNAL_GO << 24);
}

static void launch(unsigned tile, uint32_t number)
{
    uint8_t message[MESSAGE_BYTES];
    put_kernels(tile, number, message);
    go(tile, message);
}

static void boot_and_launch(unsigned tiles, uint32_t clocks)
{
    for (unsigned tile = 0; tile < tiles; tile++) {
        prepare(tile);
    }
    for (unsigned tile = 0; tile < tiles; tile++) {
        put(tile, SOFT_RESET, get(tile, SOFT_RESET) & ~(uint32_t)B_IN_RESET);
    }
    wait(tiles, clocks);
    for (uint32_t number = 100; number < 300; number += 100) {
        for (unsigned tile = 0; tile < tiles; tile++) {
            launch(tile, number);
        }
        wait(tiles, clocks);
        for (unsigned tile = 0; tile < tiles; tile++) {
            for (unsigned core = 0; core < CORES; core++) {
                assert_int_equal(get(tile, RESULTS + 16 * core), number + core);
            }
        }
    }
    client.exit();
}

static void firmware_boots_on_one_tile(void **context)
{
    start("full", 14);
    boot_and_launch(1, 1);
}

static void firmware_boots_on_four_tiles(void **context)
{
    start("full", 14);
    boot_and_launch(4, 100000);
}

static void firmware_boots_on_all_tiles(void **context)
{
    start("full", 14);
    boot_and_launch(MOST_TILES, 1);
}

static void firmware_boots_on_all_tiles_of_a_harvested_board(void **context)
{
    start("p100a", 12);
    boot_and_launch(12 * ROWS, 1000);
    start("p150a", 12);
    boot_and_launch(12 * ROWS, 1000);
}

/* What stands in a file. */
static const char *contents(int file)
{
    static char text[1 << 14];
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = 0;
    return text;
}

/* Lets time pass until something was said, or for so many calls. */
static void wait_for_words(int file, unsigned calls)
{
    for (unsigned i = 0; i < calls && !*contents(file); i++) {
        client.clock(100);
        usleep(500);
    }
}

static void the_checker_finds_nothing(void **context)
{
    char path[] = "/tmp/bhemu_metal_XXXXXX";
    int file = mkstemp(path), error = dup(2);
    assert_true(file >= 0 && error >= 0);
    setenv("BHEMU_CHECK", "1", 1);
    start("full", 14);
    unsetenv("BHEMU_CHECK");
    fflush(stderr);
    dup2(file, 2);
    boot_and_launch(4, 1000);
    fflush(stderr);
    dup2(error, 2);
    close(error);
    unlink(path);
    assert_string_equal(contents(file), "check: 0 findings\n");
    close(file);
}

/* T1's kernel polls a word that nobody writes. Firmware that waits for the host is not told of, one that waits for T1
   is. */
static void kernels_that_do_not_end_are_reported(void **context)
{
    static const uint32_t poll[] = {0x000307b7, 0x0007a703, 0xfe070ee3}; /* lui a5; lw a4; beqz a4 */
    char path[] = "/tmp/bhemu_metal_XXXXXX";
    int file = mkstemp(path), error = dup(2);
    assert_true(file >= 0 && error >= 0);
    setenv("BHEMU_REPORT_AFTER", "0.02", 1);
    start("full", 14);
    unsetenv("BHEMU_REPORT_AFTER");
    for (unsigned tile = 0; tile < 2; tile++) {
        prepare(tile);
        put(tile, SOFT_RESET, get(tile, SOFT_RESET) & ~(uint32_t)B_IN_RESET);
    }
    wait(2, 1000);
    fflush(stderr);
    dup2(file, 2);
    wait_for_words(file, 100);
    bool quiet = !*contents(file);
    launch(0, 100);
    client_write_block(&client, tile_x(0), tile_y(0), CONFIG + 0x400, poll, sizeof poll);
    wait_for_words(file, 10000);
    dup2(error, 2);
    close(error);
    unlink(path);
    const char *said = contents(file);
    assert_true(quiet);
    assert_ptr_equal(strstr(said, "libttsim: warning: Deadlock: tile (1,2): core T1 waits for 0x00030000 in L1 to "
                                  "change, which is 0x0; nobody writes it\n"),
                     said);
    assert_non_null(strstr(said, " polls 0x00030000 in L1, reads 0x0"));
    assert_null(strstr(said, "(2,2)"));
    assert_non_null(strstr(said, "\nlibttsim: report: tt-metal on tile (1,2): launch message 0, id 0: go message 0x80 "
                                 "(GO); kernels not ended: "));
    assert_non_null(strstr(said, "T1 at 0x"));
    close(file);
    client.exit();
}

/* The last word of circular buffer 0, or that behind it: lui a5; lw a4, the buffer's address; sw zero; li a0, 0; ret.
 */
static void launch_with_buffers(unsigned tile, uint32_t offset)
{
    enum { DESCRIPTIONS = 0x80, DESCRIPTIONS_OFFSET = 18, BUFFERS_MASK = 64, B_KERNEL = 0x100, BOTH = 3 };
    static const uint32_t descriptions[] = {0x21000, 64, 1, 64, 0x21080, 64, 1, 64};
    uint8_t message[MESSAGE_BYTES];
    uint32_t described = CONFIG + DESCRIPTIONS;
    uint32_t code[] = {((described + 0x800) & 0xfffff000) | 0x7b7, (described & 0xfff) << 20 | 0x0007a703,
                       0x00072023 | (offset & 0x1f) << 7 | offset >> 5 << 25, 0x00000513, 0x00008067};
    put_kernels(tile, 100, message);
    client_write_block(&client, tile_x(tile), tile_y(tile), CONFIG + B_KERNEL, code, sizeof code);
    client_write_block(&client, tile_x(tile), tile_y(tile), described, descriptions, sizeof descriptions);
    message[DESCRIPTIONS_OFFSET] = DESCRIPTIONS;
    message[BUFFERS_MASK] = BOTH;
    go(tile, message);
    wait(1, 1000);
}

/* The checker knows the circular buffers of a launch from its message. */
static void circular_buffers_are_checked(void **context)
{
    char path[] = "/tmp/bhemu_metal_XXXXXX";
    int file = mkstemp(path), error = dup(2);
    assert_true(file >= 0 && error >= 0);
    setenv("BHEMU_CHECK", "memcheck", 1);
    start("full", 14);
    unsetenv("BHEMU_CHECK");
    prepare(0);
    put(0, SOFT_RESET, get(0, SOFT_RESET) & ~(uint32_t)B_IN_RESET);
    wait(1, 1000);
    fflush(stderr);
    dup2(file, 2);
    launch_with_buffers(0, 60);
    bool quiet = !*contents(file);
    launch_with_buffers(0, 64);
    dup2(error, 2);
    close(error);
    unlink(path);
    const char *said = contents(file);
    assert_true(quiet);
    assert_non_null(strstr(said,
                           "check: memcheck.circular-buffer: error: B writes 4 bytes at 0x21040, behind the end of "
                           "circular buffer 0 (0x21000 to 0x2103f)"));
    close(file);
    client.exit();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(firmware_boots_on_one_tile),
        cmocka_unit_test(firmware_boots_on_four_tiles),
        cmocka_unit_test(firmware_boots_on_all_tiles),
        cmocka_unit_test(firmware_boots_on_all_tiles_of_a_harvested_board),
        cmocka_unit_test(the_checker_finds_nothing),
        cmocka_unit_test(kernels_that_do_not_end_are_reported),
        cmocka_unit_test(circular_buffers_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
