/* Random programs on many tiles that contend for DRAM, for each other's L1 and for links, in timed mode: cores note the
   same clocks wherever runs end and on any number of host threads. */
#include <string.h>

#include "bhemu/device.h"
#include "bhemu/snapshot.h"
#include "chip/random_words.h"
#include "noc/niu.h"

enum { TILES = TENSIX_TILES, CODE = 0x2000, LOG = 0x1000, LOG_BYTES = 0x100, FROM = 0x10000, TO = 0x40000 };
enum { SEEDS = 6, TRANSFERS = 8, CYCLES = 100000 };
enum { A0 = 10, A1, READS, ACKS, RESPONSES, LOGS = 19, CLOCK };
enum { WRITE = 1 << 1, ATOMIC = 1 << 0, RESPONSE = 1 << 4, BROADCAST = 1 << 5, RESERVES = 1 << 8 };
enum { INCREMENT_WRAPS_AT_32 = 1 << 12 | 31 << 2, NOC_WALL_CLOCK = 0x1F0 };

/* Translated coordinates are the same on both NoCs. */
static uint32_t place(unsigned x, unsigned y)
{
    return x | y << NOC_COORDINATE_BITS;
}

static uint32_t place_of(unsigned tile)
{
    unsigned x, y;
    tensix_coordinates(tile, &x, &y);
    return place(x, y);
}

/* The left half of two rows, from the corner at which a packet of that NoC comes in. */
static uint32_t rectangle(unsigned noc)
{
    uint32_t first = place(1, 2), last = place(7, 3);
    return noc ? first | last << 2 * NOC_COORDINATE_BITS : last | first << 2 * NOC_COORDINATE_BITS;
}

/* One of a few tiles or channels of DRAM, so that many requests meet. */
static uint32_t other(struct writer *writer, bool memory)
{
    if (memory && below(writer, 3)) {
        unsigned x = 17 + below(writer, 2);
        return place(x, 12 + below(writer, 2));
    }
    return place_of(below(writer, 4) * (TILES / 4));
}

static void put_poll(struct writer *writer, unsigned counter, unsigned count)
{
    put(writer, lw(T1, NIU, NIU_COUNTER + 4 * counter));
    put(writer, bne(T1, count, -4));
}

static void put_note(struct writer *writer)
{
    put(writer, lw(T1, CLOCK, NOC_WALL_CLOCK));
    put(writer, sw(T1, LOGS, 0));
    put(writer, addi(LOGS, LOGS, 4));
}

static void put_start(struct writer *writer)
{
    put(writer, addi(T0, 0, 1));
    put(writer, sw(T0, NIU, 4 * NOC_CMD_CTRL));
    put(writer, lw(T1, NIU, 4 * NOC_CMD_CTRL));
    put(writer, bne(T1, 0, -4));
}

static void put_addresses(struct writer *writer, uint32_t target, uint32_t to, uint32_t size)
{
    put_register(writer, NOC_TARG_ADDR_LO, FROM + 64 * below(writer, 64));
    put_register(writer, NOC_TARG_ADDR_HI, target);
    put_register(writer, NOC_RET_ADDR_LO, TO + 64 * below(writer, 64));
    put_register(writer, NOC_RET_ADDR_HI, to);
    put_register(writer, NOC_AT_LEN_BE, size);
}

/* Several requests of a kind, and a wait for all of their responses. */
static void put_transfers(struct writer *writer, unsigned noc, unsigned tile)
{
    uint32_t size = 16 << below(writer, 9), self = place_of(tile);
    unsigned times = 1 + below(writer, 4);
    switch (below(writer, 6)) {
    case 0:
    case 1:
    case 2:
        put_addresses(writer, other(writer, true), self, size);
        put_register(writer, NOC_CTRL, RESPONSE);
        for (unsigned i = 0; i < times; i++) {
            put_start(writer);
        }
        put(writer, addi(READS, READS, (int32_t)times));
        put_poll(writer, NIU_MST_RD_RESP_RECEIVED, READS);
        break;
    case 3:
        put_addresses(writer, self, other(writer, true), size);
        put_register(writer, NOC_CTRL, WRITE | RESPONSE);
        for (unsigned i = 0; i < times; i++) {
            put_start(writer);
        }
        put(writer, addi(ACKS, ACKS, (int32_t)times));
        put_poll(writer, NIU_MST_WR_ACK_RECEIVED, ACKS);
        break;
    case 4:
        put_addresses(writer, other(writer, false), self, INCREMENT_WRAPS_AT_32);
        put_register(writer, NOC_CTRL, ATOMIC | RESPONSE);
        put(writer, addi(T0, 0, 1));
        put(writer, sw(T0, NIU, 4 * NOC_AT_DATA));
        put_start(writer);
        put(writer, addi(RESPONSES, RESPONSES, 1));
        put_poll(writer, NIU_MST_ATOMIC_RESP_RECEIVED, RESPONSES);
        break;
    default: /* posted: nobody waits for it */
        put_addresses(writer, self, rectangle(noc), size);
        put_register(writer, NOC_CTRL, WRITE | BROADCAST | (below(writer, 2) ? RESERVES : 0));
        put_start(writer);
    }
    put_note(writer);
}

static void load_program(struct bh_device *device, unsigned tile, uint64_t seed)
{
    struct writer writer = {.random = seed * TILES + tile + UINT64_C(0x9e3779b97f4a7c15)};
    unsigned x, y, noc = below(&writer, NIUS);
    tensix_coordinates(tile, &x, &y);
    put_constant(&writer, NIU, 0xFFB20000 + noc * 0x10000);
    put_constant(&writer, CLOCK, 0xFFB12000);
    put_constant(&writer, LOGS, LOG);
    for (unsigned i = 0; i < TRANSFERS; i++) {
        put_transfers(&writer, noc, tile);
    }
    put(&writer, SELF_JUMP);
    assert_int_equal(bh_write(device, x, y, CODE, writer.words, writer.count * 4), BH_OK);
    assert_int_equal(bh_core_start(device, x, y, BH_CORE_B, CODE), BH_OK);
}

struct way {
    uint64_t slice;
    unsigned threads;
    bool restores; /* what is under way goes through a snapshot, behind each slice */
};

static void restore(struct bh_device *device)
{
    struct bh_snapshot *snapshot = NULL;
    struct bh_error error;
    assert_int_equal(bh_snapshot_take(device, &snapshot), BH_OK);
    assert_int_equal(bh_snapshot_restore(device, snapshot, &error), BH_OK);
    bh_snapshot_free(snapshot);
}

static void hear(void *context, const struct bh_diagnostic *diagnostic)
{
    char text[512];
    (void)bh_diagnostic_format(diagnostic, text, sizeof text);
    fail_msg("%s", text);
}

static void run(uint64_t seed, struct way way, uint32_t log[TILES][LOG_BYTES / 4])
{
    struct bh_device *device;
    const struct bh_device_config config = {.mode = BH_MODE_TIMED, .threads = way.threads, .on_diagnostic = hear};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    for (unsigned tile = 0; tile < TILES; tile++) {
        load_program(device, tile, seed);
    }
    for (uint64_t done = 0; done < CYCLES; done += way.slice) {
        assert_int_equal(bh_run(device, way.slice, NULL), BH_OK);
        if (way.restores) {
            restore(device);
        }
    }
    for (unsigned tile = 0; tile < TILES; tile++) {
        unsigned x, y;
        tensix_coordinates(tile, &x, &y);
        assert_int_equal(bh_read(device, x, y, LOG, log[tile], LOG_BYTES), BH_OK);
    }
    bh_device_destroy(device);
}

static void clocks_are_the_same_wherever_runs_end(void **context)
{
    static const struct way ways[] = {{CYCLES, 1, false}, {997, 1, false}, {50, 1, false}, {7, 1, false},
                                      {CYCLES, 2, false}, {233, 3, false}, {977, 1, true}};
    static uint32_t whole[TILES][LOG_BYTES / 4], log[TILES][LOG_BYTES / 4];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(seed, ways[0], whole);
        for (unsigned tile = 0; tile < TILES; tile++) {
            assert_int_not_equal(whole[tile][TRANSFERS - 1], 0);
        }
        for (unsigned i = 1; i < sizeof ways / sizeof *ways; i++) {
            run(seed, ways[i], log);
            for (unsigned tile = 0; tile < TILES; tile++) {
                for (unsigned note = 0; note < TRANSFERS; note++) {
                    if (log[tile][note] != whole[tile][note]) {
                        fail_msg("seed %u, way %u: tile %u notes %u after transfer %u, else %u", (unsigned)seed, i,
                                 tile, log[tile][note], note, whole[tile][note]);
                    }
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clocks_are_the_same_wherever_runs_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
