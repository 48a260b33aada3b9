/* Random programs in timed mode whose cores T push instructions faster than their threads pass them, with loads, waits
   and notes of the clock in between, while threads compete for units: where threads pass what stands in their FIFOs in
   a row, and have their cores push again at once, cores note the same clocks and counters as where every tile is
   observed, each of whose instructions is told; and the same again on several host threads and in slices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "chip/device_state.h"
#include "chip/random_waits.h"
#include "chip/ways.h"

enum { X = 1, Y = 2, CODE = 0x10000, LOG = 0x8000, LOG_BYTES = 0x400, CYCLES = 15000, SEEDS = 300, ROUNDS = 3 };
enum { MOST_WORDS = 700 }; /* of a program, but for some that end it */
enum { CORES = 5, B = 0, NC = 4 };

static const enum bh_core cores[CORES] = {BH_CORE_B, BH_CORE_T0, BH_CORE_T1, BH_CORE_T2, BH_CORE_NC};

/* Nothing but .ttinsn, which are made one by four. */
static void put_straight(struct writer *writer, unsigned core)
{
    for (unsigned i = 8 + below(writer, 60); i; i--) {
        const uint32_t words[] = {SEMPOST(core),
                                  SEMGET(core),
                                  OP(NOP),
                                  OP(INCRWC) | below(writer, 4) << 14,
                                  SETDMAREG(2 * (8 + below(writer, 16)), below(writer, 0x4000)),
                                  OP(SFPLOADI) | below(writer, 4) << 20,
                                  OP(SFPADD) | below(writer, 4) << 16 | 10 << 12 | 1 << 4,
                                  STALLWAIT(1 + below(writer, STALL_THREAD), below(writer, 0x2000) & UNITS)};
        uint32_t word = words[below(writer, sizeof words / sizeof *words)];
        put(writer, word << 2 | word >> 30);
    }
}

/* Many in a row, some of them in a loop, and a semaphore that the thread posts and takes. */
static void put_pushes(struct writer *writer, unsigned core)
{
    unsigned times = 1 + below(writer, 3), row = 1 + below(writer, 60);
    put(writer, addi(A2, 0, (int32_t)times));
    unsigned first = writer->count;
    for (unsigned i = 0; i < row && writer->count < MOST_WORDS; i++) {
        if (below(writer, 24) == 0) {
            put_straight(writer, core);
        } else if (below(writer, 8) == 0) {
            put_tensix(writer, SEMPOST(core));
            put_some_tensix_noise(writer);
            put_tensix(writer, SEMGET(core));
        } else {
            put_tensix_noise(writer);
        }
        if (below(writer, 24) == 0) {
            put_idle(writer);
        }
    }
    put(writer, addi(A2, A2, -1));
    put_back(writer, BNE, A2, 0, first);
}

static void load_program(struct bh_device *device, unsigned core, uint64_t seed)
{
    struct writer writer = {.random = seed * CORES + core + UINT64_C(0x9e3779b97f4a7c15)};
    const bool pushes = seed % 4 ? core == 1 + seed % 3 : core != B && core != NC; /* one core, or all three */
    put(&writer, lui(NIU, 0xFFB20000));
    put(&writer, lui(CLOCK, 0xFFB12000));
    put(&writer, lui(LOCAL, 0xFFB00000));
    put(&writer, lui(L1, 0x30000));
    put(&writer, lui(PCBUF, 0xFFE80000));
    put(&writer, lui(PUSH, 0xFFE40000));
    put(&writer, lui(OTHER, 0x31000));
    put_constant(&writer, LOGS, LOG + core * LOG_BYTES);
    if (seed % 2 && core == NC) {
        put_start_counters(&writer);
    }
    if (pushes) {
        put_tensix(&writer, SEMINIT(15u, 0u, core));
        put(&writer, lw(T1, PCBUF, 4)); /* until it has */
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        put_delay(&writer);
        if (pushes && below(&writer, 8)) {
            put_pushes(&writer, core);
        }
        if (pushes && below(&writer, 2)) {
            put_ttsync(&writer);
        }
        if (seed % 2 && core == NC) {
            put_note_counter(&writer);
        }
        put_note(&writer);
    }
    put(&writer, SELF_JUMP);
    uint32_t at = CODE + core * WRITER_BYTES;
    assert_int_equal(bh_write(device, X, Y, at, writer.words, writer.count * 4), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, cores[core], at), BH_OK);
}

struct outcome {
    uint32_t log[CORES][LOG_BYTES / 4], gprs[TENSIX_THREADS * GPRS];
    uint64_t passed;
};

static void run(uint64_t seed, const struct way *way, struct outcome *outcome)
{
    struct bh_device *device = way_begin(way, BH_POLICY_SILICON);
    for (unsigned core = 0; core < CORES; core++) {
        load_program(device, core, seed);
    }
    way_run(way, device, CYCLES);
    assert_int_equal(bh_read(device, X, Y, LOG, outcome->log, sizeof outcome->log), BH_OK);
    memcpy(outcome->gprs, device->states[0].tensix.scalar.gpr, sizeof outcome->gprs);
    outcome->passed = device->tiles[0].passed;
    bh_device_destroy(device);
}

static void who_pushes_goes_on_at_the_time_at_which_he_would(void **context)
{
    static const struct way ways[] = {
        {true, 1, CYCLES}, {false, 1, CYCLES}, {false, 2, CYCLES}, {false, 1, 7}, {false, 3, 777}};
    static struct outcome observed, other;
    unsigned ended = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        memset(&observed, 0, sizeof observed);
        run(seed, &ways[0], &observed);
        for (unsigned core = 0; core < CORES; core++) {
            ended += observed.log[core][ROUNDS - 1] != 0;
        }
        for (unsigned i = 1; i < (seed % 8 ? 2 : sizeof ways / sizeof *ways); i++) {
            memset(&other, 0, sizeof other);
            run(seed, &ways[i], &other);
            if (memcmp(&observed, &other, sizeof other) != 0) {
                fail_msg("seed %u, way %u: other clocks, counters or GPRs", (unsigned)seed, i);
            }
        }
    }
    assert_true(ended > SEEDS * (CORES - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_pushes_goes_on_at_the_time_at_which_he_would)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
