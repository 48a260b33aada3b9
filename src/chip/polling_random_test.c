/* Random programs that read over the NoC from other tiles and poll for the response, while another core computes, in
   timed mode: where tiles doze, or cores that poll are set aside, cores note the same clocks as where every tile is
   observed, which always runs, and the same again on several host threads and in slices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "chip/device_state.h"
#include "chip/random_words.h"
#include "chip/ways.h"

enum { TILES = 14, ROW = 2, CODE = 0x1000, LOG = 0x8000, LOG_BYTES = 0x400 };
enum { FROM = 0x10000, TO = 0x20000, LARGEST = 4096, SEEDS = 60, CYCLES = 30000, TRANSFERS = 5 };
enum { A0 = 10, A1, A2, A3, LOGS = 19, CLOCK, LOCAL, L1 };
enum { CTRL_READ = 0x10, FENCE = 0x0ff0000f, WALL_CLOCK = 0x1F0, CORES = 3, COMPUTES = 2 };

static const enum bh_core cores[CORES] = {BH_CORE_B, BH_CORE_NC, BH_CORE_T0};

static unsigned column(unsigned tile)
{
    return tile < 7 ? 1 + tile : 3 + tile;
}

/* What a polling loop may do besides polling. Loads from L1 may find its L0 data cache emptied, or a bank busy. */
static void put_idle(struct writer *writer)
{
    switch (below(writer, 10)) {
    case 0: put(writer, addi(T2, T1, 1)); break;
    case 1: put(writer, lw(T2, LOCAL, 4 * below(writer, 8))); break;
    case 2: put(writer, lw(T2, NIU, NIU_COUNTER + 4 * below(writer, 16))); break;
    case 3: put(writer, FENCE); break;
    case 4: /* never taken */ put(writer, bne(0, 0, 8)); break;
    case 5: /* over the next one, or taken by chance */
        put(writer, bne(below(writer, 2) ? CLOCK : T1, 0, 8));
        put(writer, addi(T2, 0, 1));
        break;
    case 6: put(writer, lw(T2, L1, 4 * below(writer, 64))); break;
    case 7: put(writer, lw(T2, L1, 512 * below(writer, 4))); break;         /* in one bank */
    case 8: put(writer, 0x02000033 | T2 << 7 | T1 << 15 | T1 << 20); break; /* mul */
    default: put(writer, 0x02004033 | T2 << 7 | T1 << 15 | CLOCK << 20);    /* div */
    }
}

/* Reads once, polls one of the counters that say so, and notes when it is there. */
static void put_transfer(struct writer *writer, unsigned self, unsigned noc, unsigned number)
{
    uint32_t size = 16 << below(writer, 9), other = column((self + 1 + below(writer, TILES - 1)) % TILES) | ROW << 6;
    bool one_flit = below(writer, 2);
    put_register(writer, NOC_TARG_ADDR_LO, FROM + 64 * below(writer, 16));
    put_register(writer, NOC_TARG_ADDR_HI, other);
    put_register(writer, NOC_RET_ADDR_LO, TO + 64 * below(writer, 16));
    put_register(writer, NOC_RET_ADDR_HI, column(self) | ROW << 6);
    put_register(writer, NOC_CTRL, CTRL_READ);
    put_register(writer, NOC_AT_LEN_BE, one_flit ? 64 : size);
    for (unsigned i = below(writer, 3); i; i--) {
        put(writer, sw(T0, below(writer, 2) ? L1 : LOCAL, 0x80));
    }
    put(writer, addi(A1, 0, 1));
    put(writer, sw(A1, NIU, 4 * NOC_CMD_CTRL));
    for (unsigned i = below(writer, 3); i; i--) {
        put_idle(writer);
    }
    put(writer, addi(A2, A2, 1));
    unsigned counter = number % 3 ? NIU_MST_RD_RESP_RECEIVED : NIU_MST_RD_REQ_SENT, first = writer->count;
    for (unsigned i = below(writer, 3); i; i--) {
        put_idle(writer);
    }
    put(writer, lw(T1, NIU, NIU_COUNTER + 4 * counter));
    for (unsigned i = below(writer, 3); i; i--) {
        put_idle(writer);
    }
    put(writer, bne(T1, A2, (int32_t)(first - writer->count) * 4));
    put(writer, lw(T1, CLOCK, WALL_CLOCK));
    put(writer, sw(T1, LOGS, 0));
    put(writer, addi(LOGS, LOGS, 4));
}

/* Loads and stores in L1 and local RAM, and computes, many times; once in a while it reaches further, and notes when.
 */
static void put_computing(struct writer *writer)
{
    unsigned first = writer->count;
    for (unsigned i = 4 + below(writer, 12); i; i--) {
        switch (below(writer, 6)) {
        case 0: put(writer, lw(T0, L1, 4 * below(writer, 64))); break;
        case 1: put(writer, sw(T1, L1, 4 * below(writer, 64))); break;
        case 2: put(writer, sw(T1, LOCAL, 4 * below(writer, 8))); break;
        case 3: put(writer, lw(T1, LOCAL, 4 * below(writer, 8))); break;
        case 4: put(writer, FENCE); break;
        default: put(writer, addi(T1, T0, 5));
        }
    }
    put(writer, addi(A2, A2, 1));
    put(writer, addi(A1, 0, 10 + (int32_t)below(writer, 40)));
    put(writer, bne(A2, A1, (int32_t)(first - writer->count) * 4));
    put(writer, addi(A2, 0, 0));
    if (below(writer, 2)) {
        put(writer, sw(T1, NIU, 4 * NOC_AT_DATA));
    }
    put(writer, lw(T1, CLOCK, WALL_CLOCK));
    put(writer, sw(T1, LOGS, 0));
    put(writer, addi(LOGS, LOGS, 4));
}

static void load_program(struct bh_device *device, unsigned tile, unsigned core, uint64_t seed)
{
    struct writer writer = {.random = (seed * TILES + tile) * CORES + core + UINT64_C(0x9e3779b97f4a7c15)};
    uint32_t at = CODE + core * WRITER_BYTES;
    put(&writer, lui(NIU, 0xFFB20000 + core % NIUS * 0x10000));
    put_constant(&writer, LOGS, LOG + core * LOG_BYTES);
    put(&writer, lui(CLOCK, 0xFFB12000));
    put(&writer, lui(LOCAL, 0xFFB00000));
    put(&writer, lui(L1, 0x30000));
    put(&writer, addi(A2, 0, 0));
    put(&writer, addi(A3, 0, TRANSFERS));
    unsigned first = writer.count;
    for (unsigned i = 0; i < TRANSFERS; i++) {
        if (core == COMPUTES) {
            put_computing(&writer);
        } else {
            put_transfer(&writer, tile, core, i + (unsigned)seed);
        }
    }
    put(&writer, addi(A3, A3, -1));
    put(&writer, bne(A3, 0, (int32_t)(first - writer.count) * 4));
    put(&writer, SELF_JUMP);
    assert_int_equal(bh_write(device, column(tile), ROW, at, writer.words, writer.count * 4), BH_OK);
    assert_int_equal(bh_core_start(device, column(tile), ROW, cores[core], at), BH_OK);
}

struct outcome {
    uint32_t log[TILES][CORES][LOG_BYTES / 4];
    uint32_t counters[TILES][NIUS][NIU_COUNTERS];
};

static void run(uint64_t seed, const struct way *way, struct outcome *outcome)
{
    struct bh_device *device = way_begin(way, BH_POLICY_DEFAULT);
    for (unsigned tile = 0; tile < TILES; tile++) {
        for (unsigned core = 0; core < (tile + seed) % CORES + 1; core++) {
            load_program(device, tile, core, seed);
        }
    }
    way_run(way, device, CYCLES);
    for (unsigned tile = 0; tile < TILES; tile++) {
        assert_int_equal(bh_read(device, column(tile), ROW, LOG, outcome->log[tile], sizeof outcome->log[tile]), BH_OK);
        way_read_counters(device, column(tile), ROW, outcome->counters[tile]);
    }
    bh_device_destroy(device);
}

static void who_polls_notices_at_the_time_at_which_he_would(void **context)
{
    static const struct way ways[] = {{true, 1, CYCLES}, {false, 1, CYCLES}, {false, 2, CYCLES},
                                      {false, 1, 1},     {false, 3, 777},    {false, 8, 13}};
    static struct outcome observed, other;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        memset(&observed, 0, sizeof observed);
        run(seed, &ways[0], &observed);
        assert_int_not_equal(observed.log[TILES - 1][0][TRANSFERS * TRANSFERS - 1], 0);
        for (unsigned i = 1; i < (seed % 8 ? 2 : sizeof ways / sizeof *ways); i++) {
            memset(&other, 0, sizeof other);
            run(seed, &ways[i], &other);
            if (memcmp(observed.log, other.log, sizeof other.log) != 0 ||
                memcmp(observed.counters, other.counters, sizeof other.counters) != 0) {
                fail_msg("seed %u, way %u: other clocks, or counters", (unsigned)seed, i);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_polls_notices_at_the_time_at_which_he_would)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
