/* Tiles in series (chip/series.h): how soon one goes on that waits for another, and what a request does to its own
 * tile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "chip/device_state.h"
#include "chip/program_fixture.h"
#include "chip/series.h"
#include "noc/coordinates.h"

enum {
    CODE = 0x4000,
    FLAG = 0x20000,
    SOURCE = 0x100,
    COUNT = 0x200,
    DOORBELL = 0x300,
    NIU = 18,
    ROUND = 10,
    LAST = 9,
    ONE = 5
};
enum { ROUNDS = 200, HOP = 140, LONGEST_HANG = 60 };
enum { WRITE = 2, WRITE_INLINE = 0xa, TO = 0x14, FROM = 0x8 };
#define SOFT_RESET 0xFFB121B0u
#define ALL_CORES 0x47800u
#define CORE_T0 0x1000u
#define STREAMS 0xFFB40000u

static void put_register(struct program *program, uint32_t offset, uint32_t value)
{
    put_constant(program, T1, value);
    put(program, sw(T1, NIU, offset));
}

static void put_branch(struct program *program, unsigned one, unsigned other, unsigned to)
{
    put(program, bne(one, other, ((int32_t)to - (int32_t)program->count) * 4));
}

static uint32_t at(unsigned tile)
{
    unsigned x, y;
    tensix_coordinates(tile, &x, &y);
    return x | y << 6;
}

static struct bh_device *create(void)
{
    struct bh_device *device;
    assert_int_equal(bh_device_create(NULL, &device), BH_OK);
    return device;
}

static void write_word(struct bh_device *device, unsigned tile, uint32_t address, uint32_t value)
{
    assert_int_equal(bh_write(device, at(tile) & 63, at(tile) >> 6, address, &value, 4), BH_OK);
}

static uint32_t read_word(struct bh_device *device, unsigned tile, uint32_t address)
{
    uint32_t value;
    assert_int_equal(bh_read(device, at(tile) & 63, at(tile) >> 6, address, &value, 4), BH_OK);
    return value;
}

static void start(struct bh_device *device, unsigned tile, const struct program *program)
{
    unsigned x = at(tile) & 63, y = at(tile) >> 6;
    assert_int_equal(bh_write(device, x, y, CODE, program->word, program->count * 4), BH_OK);
    assert_int_equal(bh_core_start(device, x, y, BH_CORE_T0, CODE), BH_OK);
}

/* Registers with addresses and constants; an initiator that writes 16 bytes to the flag of another tile. */
static void begin(struct program *program, unsigned tile, unsigned to)
{
    program->count = 0;
    put_constant(program, S0, FLAG);
    put_constant(program, NIU, 0xFFB20000);
    put_constant(program, ONE, 1);
    put_constant(program, ROUND, 1);
    put_register(program, 0x0, FLAG + SOURCE);
    put_register(program, FROM, at(tile));
    put_register(program, 0xc, FLAG);
    put_register(program, TO, at(to));
    put_register(program, 0x1c, WRITE);
    put_register(program, 0x20, 16);
}

static void put_wait(struct program *program)
{
    put(program, lw(T1, S0, 0));
    put_branch(program, T1, ROUND, program->count - 1);
}

static void put_send(struct program *program)
{
    put(program, sw(ROUND, S0, SOURCE));
    put(program, sw(ONE, NIU, 0x40));
}

static void put_work(struct program *program, unsigned rounds)
{
    if (rounds) {
        put_constant(program, T2, rounds);
        put(program, addi(T2, T2, -1));
        put_branch(program, T2, 0, program->count - 1);
    }
}

/* Cycles until a flag has gone round a ring so many times; each tile works for twice `work` cycles before it sends. */
static uint64_t cycles_of_ring(unsigned tiles, unsigned apart, unsigned work)
{
    struct program program;
    struct bh_run_result result;
    struct bh_device *device = create();
    for (unsigned i = 0; i < tiles; i++) {
        begin(&program, i * apart, (i + 1) % tiles * apart);
        put_constant(&program, LAST, ROUNDS + 1);
        unsigned loop = program.count;
        if (i == 0) {
            put_work(&program, work);
            put_send(&program);
            put_wait(&program);
        } else {
            put_wait(&program);
            put_work(&program, work);
            put_send(&program);
        }
        put(&program, addi(ROUND, ROUND, 1));
        put_branch(&program, ROUND, LAST, loop);
        put(&program, SELF_JUMP);
        start(device, i * apart, &program);
    }
    assert_int_equal(bh_run(device, 10000000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(read_word(device, 0, FLAG), ROUNDS);
    bh_device_destroy(device);
    return result.cycles;
}

/* Also where tiles come to rest meanwhile: a ring of eight went round once in 8000 cycles where they were left out of
   the quantum in which they were woken. */
static void a_flag_goes_round_quickly(void **context)
{
    (void)context;
    static const unsigned tiles[] = {2, 3, 5, 8, 9, 20};
    for (unsigned i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        assert_in_range(cycles_of_ring(tiles[i], 7, 0), 0, (uint64_t)ROUNDS * tiles[i] * HOP);
    }
}

/* Those who wait do not run far ahead of one who works. */
static void so_it_does_if_tiles_work(void **context)
{
    (void)context;
    enum { WORK = 150, WORKED = 2 * WORK + 200 };
    static const unsigned tiles[] = {2, 3, 8, 20};
    for (unsigned i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        assert_in_range(cycles_of_ring(tiles[i], 7, WORK), 0, (uint64_t)ROUNDS * tiles[i] * WORKED);
    }
}

/* Two tiles that read each other's word until it is the number of the round, and then have it follow in their own. */
static void tiles_that_poll_each_other_take_turns(void **context)
{
    (void)context;
    struct program program;
    struct bh_run_result result;
    struct bh_device *device = create();
    for (unsigned tile = 0; tile < 2; tile++) {
        begin(&program, tile, tile);
        put_constant(&program, LAST, ROUNDS + 1);
        put_register(&program, 0x0, FLAG + COUNT);
        put_register(&program, FROM, at(1 - tile));
        put_register(&program, 0x1c, 0x10);
        unsigned loop = program.count;
        if (tile == 0) {
            put(&program, sw(ROUND, S0, COUNT));
        }
        unsigned poll = program.count;
        put(&program, sw(ONE, NIU, 0x40));
        put(&program, lw(T1, S0, 0));
        put_branch(&program, T1, ROUND, poll);
        if (tile == 1) {
            put(&program, sw(ROUND, S0, COUNT));
        }
        put(&program, addi(ROUND, ROUND, 1));
        put_branch(&program, ROUND, LAST, loop);
        put(&program, SELF_JUMP);
        start(device, tile, &program);
    }
    assert_int_equal(bh_run(device, 10000000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_in_range(result.cycles, 0, (uint64_t)ROUNDS * 2 * SERIES_TURN * 3 / 4);
    bh_device_destroy(device);
}

/* Instructions of cores whose tiles come to rest and wake are counted as those of others are. */
static void instructions_are_counted_once(void **context)
{
    (void)context;
    struct program program;
    struct bh_device *device = create();
    uint64_t counted = 0, retired = 0;
    enum { RING = 8 };
    for (unsigned i = 0; i < RING; i++) {
        begin(&program, i, (i + 1) % RING);
        unsigned loop = program.count;
        if (i == 0) {
            put_send(&program);
        }
        put_wait(&program);
        if (i) {
            put_send(&program);
        }
        put(&program, addi(ROUND, ROUND, 1));
        if (i == 3) {
            put_constant(&program, T2, 3000);
            put(&program, addi(T2, T2, -1));
            put_branch(&program, T2, 0, program.count - 1);
        }
        put_branch(&program, ONE, 0, loop);
        start(device, i, &program);
    }
    for (unsigned i = 0; i < 300; i++) {
        struct bh_run_result result;
        assert_int_equal(bh_run(device, 777, &result), BH_OK);
        counted += result.riscv_instructions;
    }
    device_show_all_resting(device);
    for (unsigned i = 0; i < RING; i++) {
        retired += device->states[i].core[BH_CORE_T0].instret;
    }
    assert_int_equal(counted, retired);
    bh_device_destroy(device);
}

/* It starts again at its reset PC when it is released, and not behind the store that started the request. */
static void a_core_that_resets_itself_over_the_noc_starts_anew(void **context)
{
    (void)context;
    struct program program;
    struct bh_device *device = create();
    begin(&program, 0, 1);
    put(&program, lw(T1, S0, COUNT));
    put(&program, addi(T1, T1, 1));
    put(&program, sw(T1, S0, COUNT));
    put_constant(&program, T2, 1000);
    unsigned loop = program.count;
    put_send(&program);
    put(&program, addi(T2, T2, -1));
    put_branch(&program, T2, 0, loop);
    put_register(&program, 0x0, SOFT_RESET);
    put_register(&program, 0x1c, WRITE_INLINE);
    put_register(&program, 0x20, 0xf);
    put_register(&program, 0x28, ALL_CORES);
    put(&program, sw(ONE, NIU, 0x40));
    put(&program, addi(ROUND, ROUND, 1));
    put_branch(&program, ONE, 0, program.count - 1);
    start(device, 0, &program);
    for (unsigned i = 1; i <= 3; i++) {
        assert_true(bh_run(device, 20000, NULL) == BH_OK);
        assert_int_equal(read_word(device, 0, FLAG + COUNT), i);
        assert_int_equal(read_word(device, 0, SOFT_RESET), ALL_CORES);
        write_word(device, 0, SOFT_RESET, ALL_CORES & ~CORE_T0);
    }
    bh_device_destroy(device);
}

/* A write to NOC_CMD_CTRL of the own NIU, over the NoC: both requests arrive. */
static void a_request_starts_another_of_its_tile(void **context)
{
    (void)context;
    enum { OTHERS = 0x1800, TIMES = 50 };
    struct program program;
    struct bh_device *device = create();
    begin(&program, 0, 1);
    put_constant(&program, NIU, 0xFFB20000 + OTHERS);
    put_register(&program, 0x0, FLAG + COUNT);
    put_register(&program, FROM, at(1));
    put_register(&program, 0x1c, 1); /* increments */
    put_register(&program, 0x20, 0x1000 | 31 << 2);
    put_register(&program, 0x28, 1);
    put_constant(&program, NIU, 0xFFB20000);
    put_constant(&program, T2, TIMES);
    unsigned loop = program.count;
    put_register(&program, 0x0, FLAG + SOURCE);
    put_register(&program, 0x1c, WRITE);
    put_register(&program, 0x20, 16);
    put_send(&program);
    put_register(&program, 0x0, 0xFFB20040 + OTHERS);
    put_register(&program, 0x1c, WRITE_INLINE);
    put_register(&program, 0x20, 0xf);
    put_register(&program, 0x28, 1);
    put(&program, sw(ONE, NIU, 0x40));
    put_constant(&program, LAST, 300);
    put(&program, addi(LAST, LAST, -1));
    put_branch(&program, LAST, 0, program.count - 1);
    put(&program, addi(ROUND, ROUND, 1));
    put(&program, addi(T2, T2, -1));
    put_branch(&program, T2, 0, loop);
    put(&program, SELF_JUMP);
    start(device, 0, &program);
    assert_int_equal(bh_run(device, 200000, NULL), BH_OK);
    assert_int_equal(read_word(device, 1, FLAG), TIMES);
    assert_int_equal(read_word(device, 1, FLAG + COUNT), TIMES);
    bh_device_destroy(device);
}

enum { ARC = 8, REFCLK_LOW = (int32_t)0x800300e0, SEVERAL = 70 };

static void pass(struct bh_device *device, uint64_t cycles, uint64_t longest)
{
    for (uint64_t now; cycles; cycles -= now) {
        now = cycles < longest ? cycles : longest;
        (void)bh_advance(device, now);
    }
}

/* The sum of what a tile has read of the firmware's clock, between requests to others. */
static uint32_t sum_of_clocks(uint64_t longest)
{
    struct program program;
    struct bh_device *device = create();
    begin(&program, 0, 1);
    unsigned loop = program.count;
    put_send(&program);
    put_register(&program, 0x0, (uint32_t)REFCLK_LOW);
    put_register(&program, FROM, ARC);
    put_register(&program, TO, at(0));
    put_register(&program, 0x1c, 0x10);
    put_register(&program, 0x20, 4);
    put(&program, sw(ONE, NIU, 0x40));
    put(&program, lw(T1, S0, 0));
    put(&program, lw(T2, S0, COUNT));
    put(&program, T1 << 20 | T2 << 15 | T2 << 7 | 0x33); /* add */
    put(&program, sw(T2, S0, COUNT));
    put_register(&program, 0x0, FLAG + SOURCE);
    put_register(&program, FROM, at(0));
    put_register(&program, TO, at(1));
    put_register(&program, 0x1c, WRITE);
    put_register(&program, 0x20, 16);
    put_branch(&program, ONE, 0, loop);
    start(device, 0, &program);
    pass(device, 40000, longest);
    bh_pass(device, 1);
    uint32_t sum = read_word(device, 0, FLAG + COUNT);
    bh_device_destroy(device);
    return sum;
}

static void a_tile_sees_the_same_clock_in_one_call_and_in_many(void **context)
{
    (void)context;
    uint32_t sum = sum_of_clocks(40000);
    assert_int_not_equal(sum, 0);
    assert_int_equal(sum_of_clocks(SEVERAL), sum);
}

/* A message to the firmware, which resets another tile. */
static uint64_t retired_until_reset(uint64_t longest)
{
    enum { RESET_TILE = 0xae, MISC_CNTL = (int32_t)0x80030100, QUEUES = (int32_t)0x8003042c };
    struct program program;
    struct bh_device *device = create();
    uint32_t info, queue, message[8] = {RESET_TILE, (at(1) & 63) | at(1) >> 6 << 8}, next = 1;
    assert_int_equal(bh_read(device, ARC, 0, (uint32_t)QUEUES, &info, 4), BH_OK);
    assert_int_equal(bh_read(device, ARC, 0, info, &queue, 4), BH_OK);
    assert_int_equal(bh_write(device, ARC, 0, queue + 32, message, sizeof message), BH_OK);
    assert_int_equal(bh_write(device, ARC, 0, queue, &next, 4), BH_OK);
    write_word(device, 0, FLAG + DOORBELL, 1 << 16);
    for (unsigned tile = 0; tile < 2; tile++) {
        begin(&program, tile, 1 - tile);
        put_constant(&program, T2, 500);
        unsigned loop = program.count;
        put_send(&program);
        put(&program, addi(T2, T2, -1));
        put_branch(&program, T2, 0, loop);
        if (tile == 0) {
            put_register(&program, 0x0, FLAG + DOORBELL);
            put_register(&program, 0xc, (uint32_t)MISC_CNTL);
            put_register(&program, TO, ARC);
            put_register(&program, 0x20, 4);
            put(&program, sw(ONE, NIU, 0x40));
            put(&program, SELF_JUMP);
        }
        put_branch(&program, ONE, 0, loop);
        start(device, tile, &program);
    }
    pass(device, 40000, longest);
    bh_pass(device, 1);
    assert_int_equal(read_word(device, 1, SOFT_RESET), ALL_CORES);
    assert_int_equal(bh_clock(device), 40001);
    uint64_t retired = device->states[0].core[BH_CORE_T0].instret + read_word(device, 0, FLAG);
    bh_device_destroy(device);
    return retired;
}

static void a_tile_has_another_reset_in_an_open_quantum(void **context)
{
    (void)context;
    assert_int_equal(retired_until_reset(SEVERAL), retired_until_reset(40000));
}

/* Two streams of a tile lead to each other. */
enum { STREAM = 6, UNITS = 16, HEADERS = 0x30000, BUFFERS = 0x40000, PLACE = 0x400 };

static void configure(struct bh_device *device, unsigned stream, uint32_t index, uint32_t value)
{
    write_word(device, 0, STREAMS + stream * 0x1000 + index * 4, value);
}

static void lead(struct bh_device *device, unsigned stream, unsigned other)
{
    enum { INFINITE = 1 << 21, WRAPPING = 3 << 15, REMOTE = 1 << 5 | 1 << 8, CHANGES = 3 << 11 };
    const uint32_t registers[][2] = {{17, (BUFFERS + stream * PLACE) / 16},
                                     {18, UNITS},
                                     {22, (HEADERS + stream * PLACE) / 16},
                                     {21, 2},
                                     {7, at(0) | other << 12},
                                     {8, (BUFFERS + other * PLACE) / 16},
                                     {10, UNITS},
                                     {12, 2},
                                     {13, (HEADERS + other * PLACE) / 16},
                                     {4, at(0) | other << 12},
                                     {5, 1},
                                     {3, INFINITE | WRAPPING | REMOTE | CHANGES},
                                     {29, 1},
                                     {34, 1 << 12},
                                     {267, 1}};
    for (unsigned i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        configure(device, stream, registers[i][0], registers[i][1]);
    }
}

static void a_message_in_a_circle_lets_time_pass(void **context)
{
    (void)context;
    struct program program;
    struct bh_run_result result;
    struct bh_device *device = create();
    configure(device, 0, 33, 32 << 7 | 40 << 14); /* MSG_HEADER_FORMAT: length, and the bit of the last message */
    for (uint32_t address = HEADERS + STREAM * PLACE; address < HEADERS + (STREAM + 2) * PLACE; address += 16) {
        write_word(device, 0, address, 1);
        write_word(device, 0, address + BUFFERS - HEADERS, 1);
    }
    lead(device, STREAM, STREAM + 1);
    lead(device, STREAM + 1, STREAM);
    begin(&program, 0, 1);
    put_send(&program);
    put_branch(&program, ONE, 0, program.count - 2);
    start(device, 0, &program);
    assert_int_equal(bh_run(device, 5000, &result), BH_OK);
    configure(device, STREAM, 1, 1 << 12 | 1); /* NUM_MSGS_RECEIVED_INC */
    uint32_t before = device->states[0].registers.niu[0].counter[NIU_SLV_POSTED_WR_REQ_RECEIVED];
    alarm(LONGEST_HANG);
    assert_int_equal(bh_run(device, 20000, &result), BH_OK);
    alarm(0);
    assert_int_equal(result.cycles, 20000);
    assert_true(device->states[0].registers.niu[0].counter[NIU_SLV_POSTED_WR_REQ_RECEIVED] != before);
    bh_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flag_goes_round_quickly),
        cmocka_unit_test(so_it_does_if_tiles_work),
        cmocka_unit_test(tiles_that_poll_each_other_take_turns),
        cmocka_unit_test(instructions_are_counted_once),
        cmocka_unit_test(a_core_that_resets_itself_over_the_noc_starts_anew),
        cmocka_unit_test(a_request_starts_another_of_its_tile),
        cmocka_unit_test(a_tile_sees_the_same_clock_in_one_call_and_in_many),
        cmocka_unit_test(a_tile_has_another_reset_in_an_open_quantum),
        cmocka_unit_test(a_message_in_a_circle_lets_time_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
