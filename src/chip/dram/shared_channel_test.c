/* A channel of GDDR is shared by the engines of its three tiles and by packets of the NoC, in timed mode, and cycles do
   not depend on where calls and quanta end, or on the number of threads. */
#include <string.h>

#include "bhemu/device.h"
#include "bhemu/snapshot.h"
#include "chip/dram/drisc_fixture.h"
#include "noc/niu.h"
#include "time/clock.h"
#include "util/xorshift.h"

enum { X = 17, FIRST_Y = 12, ENGINES = 3, WORKERS = 6, AGENTS = ENGINES + WORKERS };
enum { PROGRAM = 0x3260, STAGE = 0x6000, STAGES = 4, LOG = 0x1F000, LOG_BYTES = 0x100, LOG_WORDS = LOG_BYTES / 4 };
enum { WORKER_CODE = 0x2000, WORKER_LOG = 0x1000, BUFFER = 0x20000, PART = 0x1000000, MOST = 16384, CYCLES = 150000 };
enum { S2 = 18, CLOCK_LOW = 0x1F0, WRITES = 1 << 1, RESPONDS = 1 << 4 };
#define CLOCKS 0xFFB12000u
#define NIU 0xFFB20000u

/* Who has which part of the channel: an engine at one of its tiles, or core B of a Tensix tile. */
struct agent {
    unsigned x, y, number;
    bool engine;
};

static struct agent agent_of(unsigned number)
{
    bool engine = number < ENGINES;
    return (struct agent){engine ? X : 1 + (number - ENGINES), engine ? FIRST_Y + number : 2 + number, number, engine};
}

/* Notes the clock, in the order in which the program does. */
static void note(struct program *program, const struct agent *agent, unsigned *notes)
{
    load_value(program, S0, CLOCKS);
    add(program, lw(S1, S0, CLOCK_LOW));
    load_value(program, S0, (agent->engine ? LOG : WORKER_LOG) + 4 * (*notes)++);
    add(program, sw(S1, S0, 0));
}

static void start(struct bh_device *device, const struct agent *agent, struct program *program)
{
    uint32_t code = agent->engine ? PROGRAM : WORKER_CODE, core = agent->engine ? (uint32_t)BH_CORE_DRISC : BH_CORE_B;
    add(program, SELF_JUMP);
    assert_int_equal(bh_write(device, agent->x, agent->y, (agent->engine ? BH_DRISC_L1 : 0) + code, program->words,
                              program->count * (uint32_t)sizeof *program->words),
                     BH_OK);
    assert_int_equal(bh_core_start(device, agent->x, agent->y, (enum bh_core)core, code), BH_OK);
}

static void read_log(struct bh_device *device, const struct agent *agent, uint32_t log[LOG_WORDS])
{
    uint64_t from = agent->engine ? BH_DRISC_L1 + LOG : WORKER_LOG;
    assert_int_equal(bh_read(device, agent->x, agent->y, from, log, LOG_BYTES), BH_OK);
}

/* Requests of a Tensix tile, all of one kind, to one of the three tiles of the channel, and a wait for their responses.
   done: how many of the kind it has had. */
static void transfer(struct program *program, const struct agent *agent, unsigned noc, unsigned tile, bool writes,
                     uint32_t bytes, unsigned times, uint32_t *done)
{
    uint32_t niu = NIU + noc * 0x10000, here = agent->x | agent->y << NOC_COORDINATE_BITS,
             there = X | (FIRST_Y + tile) << NOC_COORDINATE_BITS, gddr = PART * (1 + agent->number);
    unsigned counter = NIU_COUNTER + 4 * (writes ? NIU_MST_WR_ACK_RECEIVED : NIU_MST_RD_RESP_RECEIVED);
    store(program, niu + 4 * NOC_TARG_ADDR_LO, writes ? BUFFER : gddr);
    store(program, niu + 4 * NOC_TARG_ADDR_HI, writes ? here : there);
    store(program, niu + 4 * NOC_RET_ADDR_LO, writes ? gddr : BUFFER);
    store(program, niu + 4 * NOC_RET_ADDR_HI, writes ? there : here);
    store(program, niu + 4 * NOC_AT_LEN_BE, bytes);
    store(program, niu + 4 * NOC_CTRL, RESPONDS | (writes ? WRITES : 0));
    load_value(program, S2, times);
    unsigned first = program->count;
    store(program, niu + 4 * NOC_CMD_CTRL, 1);
    add(program, lw(T1, T0, 0));
    add(program, bne(T1, 0, -4));
    add(program, addi(S2, S2, -1));
    add(program, bne(S2, 0, -4 * (int32_t)(program->count - first)));
    *done += times;
    load_value(program, T0, niu + counter);
    load_value(program, T2, *done);
    add(program, lw(T1, T0, 0));
    add(program, bne(T1, T2, -4));
}

/* Copies of an engine, of which the last is awaited. */
static void copy(struct program *program, const struct agent *agent, unsigned stream, bool writes, uint32_t bytes,
                 unsigned times)
{
    uint32_t gddr = PART * (1 + agent->number);
    for (unsigned i = 1; i < times; i++) {
        uint32_t base = DMA + stream * STREAM_STRIDE;
        store(program, base + (writes ? 0x10 : 0x30), writes ? STAGE : gddr);
        store(program, base + (writes ? 0x14 : 0x34), writes ? gddr : 0);
        store(program, base + (writes ? 0x18 : 0x38), writes ? 0 : STAGE);
        store(program, base + 0x50, (writes ? START_WRITE : START_READ) | bytes / 16);
    }
    if (writes) {
        write_to_gddr(program, stream, STAGE, gddr, bytes);
    } else {
        read_from_gddr(program, stream, gddr, STAGE, bytes);
    }
}

/* Cycles from the first agent's begin to the last one's end. */
static uint32_t window(struct bh_device *device, unsigned from, unsigned count)
{
    uint32_t first = UINT32_MAX, last = 0, log[LOG_WORDS];
    for (unsigned i = from; i < from + count; i++) {
        const struct agent agent = agent_of(i);
        read_log(device, &agent, log);
        first = log[0] < first ? log[0] : first;
        last = log[1] > last ? log[1] : last;
    }
    return last - first;
}

/* Bytes a cycle of engines, and of Tensix tiles that write over NoC 0. */
static double rate(unsigned engines, bool writes, unsigned workers)
{
    enum { ROUNDS = 8, COPY = 65536, PACKETS = 8 };
    const struct bh_device_config config = {.mode = BH_MODE_TIMED};
    struct bh_device *device;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    for (unsigned i = ENGINES - engines; i < ENGINES + workers; i++) {
        const struct agent agent = agent_of(i);
        struct program program = {0};
        unsigned notes = 0;
        uint32_t done = 0;
        note(&program, &agent, &notes);
        for (unsigned round = 0; round < ROUNDS && agent.engine; round++) {
            copy(&program, &agent, 0, writes, COPY, 1);
        }
        if (!agent.engine) {
            transfer(&program, &agent, 0, i % 3, true, MOST, PACKETS, &done);
        }
        note(&program, &agent, &notes);
        start(device, &agent, &program);
    }
    assert_int_equal(bh_run(device, CYCLES, NULL), BH_OK);
    double bytes = (double)engines * ROUNDS * COPY + (double)workers * PACKETS * MOST;
    double result = bytes / window(device, ENGINES - engines, engines + workers);
    bh_device_destroy(device);
    return result;
}

/* A channel has 64 GB/s, 47.4 bytes a cycle, and engines at all of its tiles together no more (blackhole-py
   drisc-dma-bringup.md: one alone, whichever it is, has 44.2 and 47.4). */
static void whole_percents_in(double rate, unsigned least, unsigned most)
{
    assert_in_range((unsigned)(rate * 10), least, most);
}

static void engines_of_a_channel_share_it(void **context)
{
    (void)context;
    whole_percents_in(rate(1, true, 0), 455, 490);
    whole_percents_in(rate(2, true, 0), 455, 490);
    whole_percents_in(rate(3, true, 0), 455, 490);
    whole_percents_in(rate(1, false, 0), 420, 474);
    whole_percents_in(rate(3, false, 0), 440, 474);
}

static void engines_and_packets_share_a_channel(void **context)
{
    (void)context;
    whole_percents_in(rate(0, true, WORKERS), 420, 474);
    whole_percents_in(rate(1, true, WORKERS), 420, 474);
    whole_percents_in(rate(3, false, WORKERS), 420, 474);
}

/* Random programs. */

static uint32_t below(uint64_t *random, uint32_t limit)
{
    return xorshift64_word(random) % limit;
}

static void load_random(struct bh_device *device, unsigned number, uint64_t seed)
{
    enum { STEPS = 6 };
    const struct agent agent = agent_of(number);
    struct program program = {0};
    unsigned notes = 0, noc = number % NIUS;
    uint32_t done[2] = {0};
    uint64_t random = seed * AGENTS + number + UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 0; i < STEPS; i++) {
        bool writes = below(&random, 2);
        unsigned times = 1 + below(&random, agent.engine ? 2 : 8);
        uint32_t bytes = 64u << below(&random, agent.engine ? 11 : 9);
        if (agent.engine) {
            copy(&program, &agent, below(&random, 2), writes, bytes > 0x18000 ? 0x18000 : bytes, times);
        } else {
            transfer(&program, &agent, noc, below(&random, ENGINES), writes, bytes, times, &done[writes]);
        }
        note(&program, &agent, &notes);
    }
    start(device, &agent, &program);
}

struct way {
    uint64_t slice;
    unsigned threads;
    bool advances; /* in calls that leave quanta open, as libttsim_clock() does */
    bool looks;    /* the host reads and writes in between */
    bool restores; /* behind each slice */
};

static void restore(struct bh_device *device)
{
    struct bh_snapshot *snapshot = NULL;
    struct bh_error error;
    assert_int_equal(bh_snapshot_take(device, &snapshot), BH_OK);
    assert_int_equal(bh_snapshot_restore(device, snapshot, &error), BH_OK);
    bh_snapshot_free(snapshot);
}

static void look(struct bh_device *device, uint64_t *random)
{
    const struct agent agent = agent_of(below(random, AGENTS));
    uint32_t word = 0;
    assert_int_equal(bh_read(device, agent.x, agent.y, agent.engine ? BH_DRISC_L1 + STAGE : BUFFER, &word, 4), BH_OK);
    assert_int_equal(bh_write(device, X, FIRST_Y, 0x100, &word, 4), BH_OK); /* GDDR that nobody else has */
}

static void hear(void *context, const struct bh_diagnostic *diagnostic)
{
    char text[512];
    (void)context;
    (void)bh_diagnostic_format(diagnostic, text, sizeof text);
    fail_msg("%s", text);
}

static void run_random(uint64_t seed, const struct way *way, uint32_t log[AGENTS][LOG_WORDS])
{
    struct bh_device *device;
    const struct bh_device_config config = {.mode = BH_MODE_TIMED, .threads = way->threads, .on_diagnostic = hear};
    uint64_t random = seed;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    for (unsigned i = 0; i < AGENTS; i++) {
        load_random(device, i, seed);
    }
    for (uint64_t done = 0, slice; done < CYCLES; done += slice) {
        slice = clock_sooner(way->looks ? 1 + below(&random, (uint32_t)way->slice) : way->slice, CYCLES - done);
        if (way->advances) {
            (void)bh_advance(device, slice);
        } else {
            assert_int_equal(bh_run(device, slice, NULL), BH_OK);
        }
        if (way->looks) {
            look(device, &random);
        }
        if (way->restores) {
            restore(device);
        }
    }
    for (unsigned i = 0; i < AGENTS; i++) {
        const struct agent agent = agent_of(i);
        read_log(device, &agent, log[i]);
    }
    bh_device_destroy(device);
}

static void clocks_are_the_same_in_any_calls_and_threads(void **context)
{
    enum { SEEDS = 4, STEPS = 6 };
    static const struct way ways[] = {
        {CYCLES, 1, false, false, false}, {CYCLES, 2, false, false, false}, {CYCLES, 3, false, false, false},
        {CYCLES, 8, false, false, false}, {777, 1, false, false, false},    {13, 2, false, false, false},
        {5, 1, true, false, false},       {997, 1, true, false, false},     {61, 1, true, true, false},
        {2000, 3, true, true, false},     {4999, 1, false, false, true}};
    static uint32_t whole[AGENTS][LOG_WORDS], log[AGENTS][LOG_WORDS];
    (void)context;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run_random(seed, &ways[0], whole);
        for (unsigned i = 0; i < AGENTS; i++) {
            assert_int_not_equal(whole[i][STEPS - 1], 0);
        }
        for (unsigned way = 1; way < sizeof ways / sizeof *ways; way++) {
            run_random(seed, &ways[way], log);
            for (unsigned i = 0; i < AGENTS * STEPS; i++) {
                if (log[i / STEPS][i % STEPS] != whole[i / STEPS][i % STEPS]) {
                    fail_msg("seed %u, way %u: agent %u notes %u after step %u, else %u", (unsigned)seed, way,
                             i / STEPS, log[i / STEPS][i % STEPS], i % STEPS, whole[i / STEPS][i % STEPS]);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_of_a_channel_share_it),
                                       cmocka_unit_test(engines_and_packets_share_a_channel),
                                       cmocka_unit_test(clocks_are_the_same_in_any_calls_and_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
