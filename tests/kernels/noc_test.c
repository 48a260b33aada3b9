/* Programs on several tiles that communicate over the NoC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../kernels/noc/commands.h"
#include "program.h"

enum { TILES = 140, DONE = 0x444f4e45, ARGUMENTS = 0x16100 };

static int set_up(void **context)
{
    struct bh_device_config config = {
        .on_diagnostic = print_diagnostic, .verify = verify_from_environment(), .mode = mode_from_environment()};
    return bh_device_create(&config, (struct bh_device **)context) == BH_OK ? 0 : -1;
}

static int tear_down(void **context)
{
    bh_device_destroy(*context);
    return 0;
}

static void place_of(unsigned tile, unsigned *x, unsigned *y)
{
    *x = tile % 14 < 7 ? tile % 14 + 1 : tile % 14 + 3;
    *y = tile / 14 + 2;
}

static uint32_t at(unsigned tile)
{
    unsigned x, y;
    place_of(tile, &x, &y);
    return x | y << 6;
}

static void write_tile(struct bh_device *device, unsigned tile, uint32_t address, const void *data, uint32_t size)
{
    unsigned x, y;
    place_of(tile, &x, &y);
    assert_int_equal(bh_write(device, x, y, address, data, size), BH_OK);
}

static void read_tile(struct bh_device *device, unsigned tile, uint32_t address, void *data, uint32_t size)
{
    unsigned x, y;
    place_of(tile, &x, &y);
    assert_int_equal(bh_read(device, x, y, address, data, size), BH_OK);
}

/* kernels/noc: each tile reads 2 KiB from DRAM, writes it to the tile 17 further on, reads it back from there, and
   increments a counter on tile 0, all at the same time. */
static uint64_t all_tiles_at_once(struct bh_device *device)
{
    enum { SIZE = 2048, FIRST = 0x100000, THERE = 0x110000, BACK = 0x120000, COUNTER = 0x130000, OLD = 0x140000 };
    struct {
        uint32_t count;
        struct noc_command command[4];
    } program = {.count = 4};
    static uint8_t data[TILES][SIZE], found[SIZE];
    for (unsigned i = 0; i < TILES; i++) {
        for (unsigned j = 0; j < SIZE; j++) {
            data[i][j] = (uint8_t)(i * 7 + j * 13 + (j >> 8));
        }
        unsigned x, y, dram_x = 17 + i % 2, dram_y = 12 + i % 12;
        uint32_t address = 0x10000000 + SIZE * i, dram = dram_x | dram_y << 6, noc = i & 1, next = at((i + 17) % TILES);
        assert_int_equal(bh_write(device, dram_x, dram_y, address, data[i], SIZE), BH_OK);
        program.command[0] = (struct noc_command){.place = noc | 1 << 1 | NOC_COMMAND_WAIT,
                                                  .target = {address, 0, dram},
                                                  .back = {FIRST, 0, at(i)},
                                                  .ctrl = 0x10,
                                                  .length = SIZE,
                                                  .responses = 1};
        program.command[1] = (struct noc_command){.place = (noc ^ 1) | NOC_COMMAND_WAIT,
                                                  .target = {FIRST, 0, at(i)},
                                                  .back = {THERE, 0, next},
                                                  .ctrl = 0x12,
                                                  .length = SIZE,
                                                  .responses = 1};
        program.command[2] = (struct noc_command){.place = noc | 1 << 1,
                                                  .target = {THERE, 0, next},
                                                  .back = {BACK, 0, at(i)},
                                                  .ctrl = 0x10,
                                                  .length = SIZE,
                                                  .responses = 1};
        program.command[3] = (struct noc_command){.place = noc | 3 << 1,
                                                  .target = {COUNTER, 0, at(0)},
                                                  .back = {OLD, 0, at(i)},
                                                  .ctrl = 0x11,
                                                  .length = 0x107c,
                                                  .data = 1,
                                                  .responses = 1};
        write_tile(device, i, NOC_COMMANDS, &program, sizeof program);
        place_of(i, &x, &y);
        start_program(device, x, y, BH_CORE_B, "noc.brisc");
    }
    struct bh_run_result result;
    assert_int_equal(bh_run(device, 10000000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    uint32_t counter;
    bool seen[TILES] = {};
    read_tile(device, 0, COUNTER, &counter, sizeof counter);
    assert_int_equal(counter, TILES);
    for (unsigned i = 0; i < TILES; i++) {
        uint32_t old, done;
        read_tile(device, i, BACK, found, SIZE);
        assert_memory_equal(found, data[i], SIZE);
        read_tile(device, (i + 17) % TILES, THERE, found, SIZE);
        assert_memory_equal(found, data[i], SIZE);
        read_tile(device, i, OLD, &old, sizeof old);
        assert_true(old < TILES && !seen[old]);
        seen[old] = true;
        read_tile(device, i, 0x16000, &done, sizeof done);
        assert_int_equal(done, DONE);
    }
    return result.cycles;
}

static void all_tiles_talk_at_once(void **context)
{
    uint64_t cycles = all_tiles_at_once(*context);
    /* The same run again takes the same time: nothing depends on anything but the programs. */
    void *again;
    assert_int_equal(set_up(&again), 0);
    assert_int_equal(all_tiles_at_once(again), cycles);
    tear_down(&again);
}

/* kernels/credits: the receiver is slow, and no page is lost or overwritten. */
static void a_stream_never_outruns_its_credits(void **context)
{
    enum { PAGES = 500, PAGE = 256, RING_PAGES = 4, FROM = 0x30000, SENDER = 3, RECEIVER = 99 };
    struct bh_device *device = *context;
    const uint32_t room = RING_PAGES, none = 0;
    static uint32_t sent[PAGES * PAGE / 4], received[PAGES * PAGE / 4];
    for (unsigned i = 0; i < PAGES * PAGE / 4; i++) {
        sent[i] = i * 2654435761u;
    }
    write_tile(device, SENDER, FROM, sent, sizeof sent);
    write_tile(device, SENDER, ARGUMENTS, (const uint32_t[]){at(RECEIVER), PAGES}, 8);
    write_tile(device, RECEIVER, ARGUMENTS, (const uint32_t[]){at(SENDER), PAGES}, 8);
    write_tile(device, SENDER, 0xFFB40000 + 5 * 0x1000 + 10 * 4, &room, sizeof room);
    write_tile(device, RECEIVER, 0xFFB40000 + 5 * 0x1000 + 10 * 4, &none, sizeof none);
    unsigned x, y;
    place_of(RECEIVER, &x, &y);
    start_program(device, x, y, BH_CORE_NC, "credits.ncrisc");
    place_of(SENDER, &x, &y);
    start_program(device, x, y, BH_CORE_B, "credits.brisc");
    struct bh_run_result result;
    assert_int_equal(bh_run(device, 100000000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    read_tile(device, RECEIVER, FROM, received, sizeof received);
    assert_memory_equal(received, sent, sizeof sent);
}

/* kernels/all_reduce: a ring of tiles all over the grid. */
static void a_ring_adds_up(void **context)
{
    enum { RING = 20, CHUNK = 64, WORDS = RING * CHUNK, VECTOR = 0x30000 };
    struct bh_device *device = *context;
    static uint32_t vector[WORDS], sum[WORDS], found[WORDS];
    const uint32_t none = 0;
    memset(sum, 0, sizeof sum);
    for (unsigned i = 0; i < RING; i++) {
        unsigned tile = i * 7, next = (i + 1) % RING * 7, x, y;
        for (unsigned j = 0; j < WORDS; j++) {
            vector[j] = (i * WORDS + j) * 2654435761u;
            sum[j] += vector[j];
        }
        write_tile(device, tile, VECTOR, vector, sizeof vector);
        write_tile(device, tile, ARGUMENTS, (const uint32_t[]){i, RING, at(next), CHUNK}, 16);
        write_tile(device, tile, 0xFFB40000 + 5 * 0x1000 + 10 * 4, &none, sizeof none);
        place_of(tile, &x, &y);
        start_program(device, x, y, BH_CORE_B, "all_reduce.brisc");
    }
    struct bh_run_result result;
    assert_int_equal(bh_run(device, 100000000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    for (unsigned i = 0; i < RING; i++) {
        read_tile(device, i * 7, VECTOR, found, sizeof found);
        assert_memory_equal(found, sum, sizeof sum);
    }
}

/* A program that waits for a response that never comes is detected, and no other. */
static void waiting_for_nobody_is_a_deadlock(void **context)
{
    struct bh_device *device = *context;
    struct {
        uint32_t count;
        struct noc_command command[1];
    } program = {.count = 1,
                 .command = {{.place = NOC_COMMAND_WAIT,
                              .target = {0x1000, 0, at(5)},
                              .back = {0x1000, 0, at(6)},
                              .ctrl = 0x12,
                              .length = 16,
                              .responses = 2}}};
    unsigned x, y;
    place_of(5, &x, &y);
    write_tile(device, 5, NOC_COMMANDS, &program, sizeof program);
    start_program(device, x, y, BH_CORE_B, "noc.brisc");
    struct bh_run_result result;
    assert_int_equal(bh_run(device, 10000000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_DEADLOCK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_tiles_talk_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stream_never_outruns_its_credits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_ring_adds_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_for_nobody_is_a_deadlock, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
