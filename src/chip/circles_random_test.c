/* Random cores that poll words of L1, in timed mode, in loops of different lengths whose loads meet in banks of L1 and
   hit the L0 data cache: they notice what the host writes there at the same clock where their tile dozes meanwhile, for
   whole joint rounds, as where it is observed and each round is executed; and the same again on several host threads
   and in slices. */
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

enum { X = 1, Y = 2, CODE = 0x1000, FLAGS = 0x10000, LOG = 0x20000, LOG_BYTES = 0x100 };
enum { CORES = 5, ROUNDS = 12, LINES = 6, LINE = 16, BANK = 512, SEEDS = 200, LAST = 1500 };
enum { A0 = 10, A1, LOGS, CLOCK, LOCAL, FLAG, OTHER };
enum { FENCE = 0x0ff0000f, WALL_CLOCK = 0x1F0 };

static const enum bh_core cores[CORES] = {BH_CORE_B, BH_CORE_T0, BH_CORE_T1, BH_CORE_T2, BH_CORE_NC};

/* What a core does besides in its loop: more loads from L1, of which many are from one bank. */
static void put_idle(struct writer *writer)
{
    switch (below(writer, 8)) {
    case 0: put(writer, FENCE); break;
    case 1: put(writer, lw(T2, LOCAL, 4 * below(writer, 8))); break;
    case 2: put(writer, lw(T2, FLAG, BANK * below(writer, 4))); break;
    case 3: put(writer, lw(T2, FLAG, 4 * below(writer, 16))); break;
    case 4: put(writer, 0x02004033 | T2 << 7 | T1 << 15 | CLOCK << 20); break; /* div */
    case 5:                                                                    /* a loop in the loop */
        put(writer, addi(T2, 0, 1 + (int32_t)below(writer, 4)));
        put(writer, addi(T2, T2, -1));
        put(writer, bne(T2, 0, -4));
        break;
    default: put(writer, addi(T2, T1, 1));
    }
}

/* Waits for its flag to become one more each time, and notes when it has seen that. */
static void load_program(struct bh_device *device, unsigned core, uint64_t seed)
{
    struct writer writer = {.random = seed * CORES + core + UINT64_C(0x9e3779b97f4a7c15)};
    uint32_t flag = FLAGS + (below(&writer, 2) ? 0 : LINE * below(&writer, LINES - 1)); /* and 4 * core */
    unsigned width = below(&writer, 3);                                                 /* a word, half of it, a byte */
    put_constant(&writer, LOGS, LOG + core * LOG_BYTES);
    put_constant(&writer, FLAG, FLAGS);
    put_constant(&writer, OTHER, flag);
    put(&writer, lui(CLOCK, 0xFFB12000));
    put(&writer, lui(LOCAL, 0xFFB00000));
    put(&writer, addi(A1, 0, 0));
    unsigned again = writer.count;
    put(&writer, addi(A1, A1, 1));
    unsigned first = writer.count;
    if (below(&writer, 4)) { /* empties the L0 data cache, as firmware does */
        put(&writer, FENCE);
    }
    for (unsigned i = below(&writer, 7); i; i--) {
        put_idle(&writer);
    }
    put(&writer, (lw(T1, OTHER, 4 * core) & ~(7u << 12)) | (2 - width) << 12);
    for (unsigned i = below(&writer, 3); i; i--) {
        put(&writer, addi(T2, T2, 0));
    }
    put(&writer, bne(T1, A1, (int32_t)(first - writer.count) * 4));
    put(&writer, lw(T1, CLOCK, WALL_CLOCK));
    put(&writer, sw(T1, LOGS, 0));
    put(&writer, addi(LOGS, LOGS, 4));
    put(&writer, bne(CLOCK, 0, (int32_t)(again - writer.count) * 4));
    assert_int_equal(bh_write(device, X, Y, CODE + core * WRITER_BYTES, writer.words, writer.count * 4), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, cores[core], CODE + core * WRITER_BYTES), BH_OK);
}

static void raise_flags(struct bh_device *device, uint32_t value)
{
    uint32_t words[LINES * LINE / 4];
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        words[i] = value;
    }
    assert_int_equal(bh_write(device, X, Y, FLAGS, words, sizeof words), BH_OK);
}

static void run(uint64_t seed, const struct way *way, uint32_t log[CORES][LOG_BYTES / 4])
{
    struct writer writer = {.random = seed + 1};
    struct bh_device *device = way_begin(way, BH_POLICY_SILICON);
    for (unsigned core = 0; core < CORES; core++) {
        if (below(&writer, 4)) {
            load_program(device, core, seed);
        }
    }
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        way_run(way, device, 300 + below(&writer, LAST << (round % 4)));
        raise_flags(device, round);
    }
    way_run(way, device, LAST);
    assert_int_equal(bh_read(device, X, Y, LOG, log, CORES * LOG_BYTES), BH_OK);
    bh_device_destroy(device);
}

static void who_polls_l1_notices_at_the_time_at_which_he_would(void **context)
{
    static const struct way ways[] = {
        {true, 1, 1u << 20}, {false, 1, 1u << 20}, {false, 2, 1u << 20}, {false, 1, 7}, {false, 3, 777}};
    static uint32_t observed[CORES][LOG_BYTES / 4], other[CORES][LOG_BYTES / 4];
    unsigned noticed = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        memset(observed, 0, sizeof observed);
        run(seed, &ways[0], observed);
        for (unsigned core = 0; core < CORES; core++) {
            noticed += observed[core][ROUNDS - 1] != 0;
        }
        for (unsigned i = 1; i < (seed % 8 ? 2 : sizeof ways / sizeof *ways); i++) {
            memset(other, 0, sizeof other);
            run(seed, &ways[i], other);
            if (memcmp(observed, other, sizeof other) != 0) {
                fail_msg("seed %u, way %u: other clocks", (unsigned)seed, i);
            }
        }
    }
    assert_true(noticed > SEEDS * CORES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_polls_l1_notices_at_the_time_at_which_he_would)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
