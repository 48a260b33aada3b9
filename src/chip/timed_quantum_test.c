/* Where quanta end makes no difference in timed mode: neither for tiles that doze while others act, nor for where a run
   ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "bhemu/snapshot.h"
#include "chip/device_state.h"
#include "chip/quantum.h"
#include "chip/rv32_words.h"
#include "chip/ways.h"
#include "noc/niu.h"
#include "time/timing.h"

enum { X = 1, Y = 2, FAR_X = 14, FAR_Y = 11, CODE = 0x1000, FLAG = 0x4000, LOG = 0x100 };
#define NIU 0xFFB20000u
enum { BEFORE = 1234, BEHIND = 2000 };

static struct bh_device *create(void)
{
    struct bh_device *device;
    const struct bh_device_config config = {.mode = BH_MODE_TIMED};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    return device;
}

static void put(struct bh_device *device, unsigned x, unsigned y, uint64_t address, uint32_t word)
{
    assert_int_equal(bh_write(device, x, y, address, &word, sizeof word), BH_OK);
}

static uint32_t get(struct bh_device *device, unsigned x, unsigned y)
{
    uint32_t word;
    assert_int_equal(bh_read(device, x, y, FLAG + LOG, &word, sizeof word), BH_OK);
    return word;
}

/* A write of the flag of the first tile to that of the other one; its core has only to start it. */
static void prepare_write(struct bh_device *device)
{
    put(device, X, Y, NIU + 4 * NOC_TARG_ADDR_LO, FLAG);
    put(device, X, Y, NIU + 4 * NOC_TARG_ADDR_HI, X | Y << NOC_COORDINATE_BITS);
    put(device, X, Y, NIU + 4 * NOC_RET_ADDR_LO, FLAG);
    put(device, X, Y, NIU + 4 * NOC_RET_ADDR_HI, FAR_X | FAR_Y << NOC_COORDINATE_BITS);
    put(device, X, Y, NIU + 4 * NOC_CTRL, 1 << 1 | 1 << 4); /* a write, with a response */
    put(device, X, Y, NIU + 4 * NOC_AT_LEN_BE, 16);
}

/* Waits for the flag, starts the write if asked to, waits for its response, and notes the wall clock. */
static void load_program(struct bh_device *device, unsigned x, unsigned y, bool writes)
{
    const uint32_t words[] = {
        lui(S0, FLAG),
        lui(S1, NIU),
        lui(10, 0xFFB12000),
        addi(T0, 0, 1),
        lw(T1, S0, 0),
        bne(T1, T0, -4),
        writes ? sw(T0, S1, 4 * NOC_CMD_CTRL) : addi(0, 0, 0),
        lw(T1, writes ? S1 : S0, writes ? NIU_COUNTER + 4 * NIU_MST_WR_ACK_RECEIVED : 0),
        bne(T1, T0, -4),
        lw(T1, 10, 0x1F0),
        sw(T1, S0, LOG),
        SELF_JUMP,
    };
    assert_int_equal(bh_write(device, x, y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, x, y, BH_CORE_B, CODE), BH_OK);
}

/* In calls of bh_run() of so many cycles; 0: in one call of bh_advance(). */
static void pass(struct bh_device *device, uint64_t cycles, uint64_t in_calls_of)
{
    if (in_calls_of == 0) {
        (void)bh_advance(device, cycles);
        return;
    }
    for (uint64_t left = cycles, step; left; left -= step) {
        step = left < in_calls_of ? left : in_calls_of;
        assert_int_equal(bh_run(device, step, NULL), BH_OK);
    }
}

/* What both tiles note; the host sets the flag in the middle of a long quantum, or between calls. */
static void notice(uint64_t in_calls_of, uint32_t noted[2])
{
    struct bh_device *device = create();
    prepare_write(device);
    load_program(device, X, Y, true);
    load_program(device, FAR_X, FAR_Y, false);
    pass(device, BEFORE, in_calls_of);
    if (in_calls_of == 0) {
        assert_true(device->quantum > TIMING_NOC_LOOKAHEAD);
    }
    put(device, X, Y, FLAG, 1);
    pass(device, BEHIND, in_calls_of);
    noted[0] = get(device, X, Y);
    noted[1] = get(device, FAR_X, FAR_Y);
    bh_device_destroy(device);
}

static void dozing_tiles_notice_at_the_time_at_which_they_would(void **context)
{
    uint32_t step_by_step[2], noted[2];
    notice(1, step_by_step);
    assert_in_range(step_by_step[0], BEFORE, BEFORE + BEHIND);
    assert_in_range(step_by_step[1], BEFORE, step_by_step[0]);
    const uint64_t calls[] = {0, 7, 19, 64, 5000};
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        notice(calls[i], noted);
        assert_memory_equal(noted, step_by_step, sizeof noted);
    }
}

/* Computes for about so many cycles, then goes on like load_program(). */
static void load_busy_program(struct bh_device *device, unsigned x, unsigned y, bool writes, int32_t cycles)
{
    const uint32_t words[] = {addi(T2, 0, cycles / 2), addi(T2, T2, -1), bne(T2, 0, -4)};
    load_program(device, x, y, writes);
    put(device, x, y, FLAG, writes);
    assert_int_equal(bh_write(device, x, y, CODE - sizeof words, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, x, y, BH_CORE_B, CODE - sizeof words), BH_OK);
}

/* What both tiles note. *ahead: before that, the tiles had computed beyond the clock, and were left out of a quantum.
 */
static void compute(uint64_t in_calls_of, uint32_t noted[2], bool *ahead)
{
    enum { LONG = 700, SHORT = 300, LOOK = 200 };
    struct bh_device *device = create();
    prepare_write(device);
    load_busy_program(device, X, Y, true, LONG);
    load_busy_program(device, FAR_X, FAR_Y, false, SHORT);
    pass(device, LOOK, in_calls_of);
    *ahead = device->tiles[0].ahead_until > LOOK + TIMING_NOC_LOOKAHEAD;
    pass(device, BEHIND, in_calls_of);
    noted[0] = get(device, X, Y);
    noted[1] = get(device, FAR_X, FAR_Y);
    bh_device_destroy(device);
}

static void tiles_that_compute_ahead_act_when_they_would(void **context)
{
    uint32_t step_by_step[2], noted[2];
    bool ahead;
    compute(1, step_by_step, &ahead);
    assert_true(ahead);
    assert_in_range(step_by_step[1], 700, step_by_step[0]);
    assert_in_range(step_by_step[0], step_by_step[1], BEHIND);
    const uint64_t calls[] = {0, 7, 19, 64, 5000};
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        compute(calls[i], noted, &ahead);
        assert_memory_equal(noted, step_by_step, sizeof noted);
    }
}

/* How many cycles pass until a core has halted. */
static uint64_t run_to_end(uint64_t in_calls_of)
{
    struct bh_device *device = create();
    struct bh_run_result result = {.reason = BH_RAN_CYCLES};
    uint64_t cycles = 0;
    uint32_t words[101];
    for (unsigned i = 0; i < 100; i++) {
        words[i] = addi(T0, T0, 1);
    }
    words[100] = SELF_JUMP;
    assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, CODE), BH_OK);
    while (result.reason == BH_RAN_CYCLES) {
        assert_int_equal(bh_run(device, in_calls_of, &result), BH_OK);
        cycles += result.cycles;
    }
    assert_int_equal(result.reason, BH_RAN_IDLE);
    bh_device_destroy(device);
    return cycles;
}

static void a_run_ends_when_the_last_core_does(void **context)
{
    uint64_t cycles = run_to_end(10000);
    assert_in_range(cycles, 100, 200);
    const uint64_t calls[] = {1, 7, 19, 64};
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        assert_int_equal(run_to_end(calls[i]), cycles);
    }
}

/* No debugger is there to let it go on; its time does not pass, and the others' does. */
static void a_core_that_an_ebreak_pauses_holds_up_nobody(void **context)
{
    enum { EBREAK = 0x00100073, ROUNDS = 500 };
    const uint32_t pauses[] = {EBREAK, SELF_JUMP};
    const uint32_t counts[] = {addi(T0, 0, ROUNDS), addi(T0, T0, -1), bne(T0, 0, -4),
                               lui(S0, FLAG),       sw(S0, S0, LOG),  SELF_JUMP};
    struct bh_device *device = create();
    struct bh_run_result result;
    assert_int_equal(bh_write(device, X, Y, CODE, pauses, sizeof pauses), BH_OK);
    assert_int_equal(bh_write(device, X, Y, 2 * CODE, counts, sizeof counts), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_T0, CODE), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_NC, 2 * CODE), BH_OK);
    assert_int_equal(bh_run(device, 1000000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_DEADLOCK);
    assert_in_range(result.cycles, ROUNDS, 10 * ROUNDS);
    assert_int_equal(get(device, X, Y), FLAG);
    bh_device_destroy(device);
}

enum { ROUND_OF_CALLS = 1000, LONG_RUN = 4 * SPIN_CHECK_INTERVAL };

/* In calls of bh_run() of so many cycles, until it does not end because they have passed. */
static enum bh_run_reason run_in_calls(struct bh_device *device, uint64_t in_calls_of)
{
    struct bh_run_result result = {.reason = BH_RAN_CYCLES};
    while (result.reason == BH_RAN_CYCLES && bh_clock(device) < LONG_RUN) {
        (void)bh_run(device, in_calls_of, &result);
    }
    return result.reason;
}

/* A core that computes for longer than it takes until cores are looked at whether they spin. Each exit of the inner
   loop is mispredicted, so that the time shows how its instructions were executed. */
static uint32_t compute_for_long(uint64_t in_calls_of)
{
    const uint32_t words[] = {lui(T2, 40000),  addi(T1, 0, 20),     addi(T1, T1, -1),  bne(T1, 0, -4), addi(T2, T2, -1),
                              bne(T2, 0, -16), lui(10, 0xFFB12000), lw(T1, 10, 0x1F0), lui(S0, FLAG),  sw(T1, S0, LOG),
                              SELF_JUMP};
    struct bh_device *device = create();
    assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_T0, CODE), BH_OK);
    assert_int_equal(run_in_calls(device, in_calls_of), BH_RAN_IDLE);
    uint32_t noted = get(device, X, Y);
    bh_device_destroy(device);
    return noted;
}

static void looking_whether_cores_spin_takes_no_time(void **context)
{
    uint32_t noted = compute_for_long(ROUND_OF_CALLS);
    assert_in_range(noted, 3 * SPIN_CHECK_INTERVAL / 2 + 1, LONG_RUN);
    assert_int_equal(compute_for_long(LONG_RUN), noted);
    assert_int_equal(compute_for_long(SPIN_CHECK_INTERVAL), noted);
}

/* Adds to a word for a while, then goes round for ever in a loop that is too long to be known as polling. */
static uint64_t spin_for_ever(uint64_t in_calls_of)
{
    enum { LENGTH = 100, ROUNDS = 5 };
    uint32_t words[LENGTH + 8] = {lui(S0, FLAG), addi(T0, 0, ROUNDS), sw(T0, S0, LOG), addi(T0, T0, -1),
                                  bne(T0, 0, -8)};
    for (unsigned i = 5; i < LENGTH + 5; i++) {
        words[i] = addi(T1, 0, 1);
    }
    words[LENGTH + 5] = bne(T1, 0, -4 * LENGTH);
    struct bh_device *device = create();
    assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_T0, CODE), BH_OK);
    assert_int_equal(run_in_calls(device, in_calls_of), BH_RAN_DEADLOCK);
    uint64_t clock = bh_clock(device);
    bh_device_destroy(device);
    return clock;
}

static void a_hang_is_found_at_the_same_time_in_short_calls(void **context)
{
    uint64_t clock = spin_for_ever(LONG_RUN);
    assert_in_range(clock, SPIN_CHECK_INTERVAL, LONG_RUN - 1);
    assert_int_equal(spin_for_ever(ROUND_OF_CALLS), clock);
}

/* A core waits for a mailbox that nobody fills; what another one has asked for comes from its own tile all the same,
   before that is called a deadlock. */
static uint32_t read_before_deadlock(uint64_t in_calls_of)
{
    const uint32_t waits[] = {lui(S0, 0xFFEC0000), lw(T0, S0, 0), addi(T0, T0, 1), SELF_JUMP};
    const uint32_t reads[] = {lui(S1, NIU), addi(T0, 0, 1), sw(T0, S1, 4 * NOC_CMD_CTRL), SELF_JUMP};
    struct bh_device *device = create();
    prepare_write(device);
    put(device, X, Y, NIU + 4 * NOC_RET_ADDR_LO, FLAG + LOG);
    put(device, X, Y, NIU + 4 * NOC_RET_ADDR_HI, X | Y << NOC_COORDINATE_BITS);
    put(device, X, Y, NIU + 4 * NOC_CTRL, 0); /* a read */
    put(device, X, Y, FLAG, BEFORE);
    assert_int_equal(bh_write(device, X, Y, CODE, waits, sizeof waits), BH_OK);
    assert_int_equal(bh_write(device, X, Y, 2 * CODE, reads, sizeof reads), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_T0, CODE), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_NC, 2 * CODE), BH_OK);
    assert_int_equal(run_in_calls(device, in_calls_of), BH_RAN_DEADLOCK);
    uint32_t read = get(device, X, Y);
    bh_device_destroy(device);
    return read;
}

static void what_is_on_its_way_comes_before_a_deadlock(void **context)
{
    for (uint64_t calls = 1; calls < 2 * TIMING_NOC_LOOKAHEAD; calls++) {
        assert_int_equal(read_before_deadlock(calls), BEFORE);
    }
}

/* Whose last agent waits from some clock on is deadlocked since then, whether its tile is observed or not. */
static uint64_t clock_of_deadlock(bool observed, unsigned adds)
{
    const struct way way = {observed, 1, 10000};
    struct bh_device *device = way_begin(&way, BH_POLICY_SILICON);
    struct bh_run_result result;
    uint32_t words[64];
    for (unsigned i = 0; i < adds; i++) {
        words[i] = addi(T0, T0, 1);
    }
    words[adds] = lui(S0, 0xFFEC0000);
    words[adds + 1] = lw(T0, S0, 0);
    words[adds + 2] = addi(T0, T0, 1);
    assert_int_equal(bh_write(device, X, Y, CODE, words, (adds + 3) * 4), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_T0, CODE), BH_OK);
    assert_int_equal(bh_run(device, way.slice, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_DEADLOCK);
    assert_int_equal(result.cycles, bh_clock(device));
    bh_device_destroy(device);
    return result.cycles;
}

static void a_deadlock_has_the_same_clock_if_it_is_observed(void **context)
{
    for (unsigned adds = 1; adds < 60; adds++) {
        uint64_t clock = clock_of_deadlock(false, adds);
        assert_in_range(clock, adds, adds + 60);
        assert_int_equal(clock_of_deadlock(true, adds), clock);
    }
}

/* A write over the NoC by a core of an Ethernet tile, which overwrites the source at once. */
enum { ETHERNET_X = 20, ETHERNET_PLACE = 25, SENT = 0x11, LATER = 0x22 };
#define WITH_BYTE_ENABLES (1u << 2)

static struct bh_device *begin_to_send(uint32_t flags)
{
    struct bh_device *device = create();
    const uint32_t words[] = {
        lui(S0, FLAG),
        lui(S1, NIU),
        addi(T0, 0, SENT),
        addi(T1, 0, 1),
        addi(T2, 0, LATER),
        sw(T0, S0, LOG),
        sw(T1, S1, 4 * NOC_CMD_CTRL),
        sw(T2, S0, LOG),
        SELF_JUMP,
    };
    const uint32_t registers[][2] = {
        {NOC_TARG_ADDR_LO, FLAG + LOG},      {NOC_TARG_ADDR_HI, ETHERNET_X | ETHERNET_PLACE << NOC_COORDINATE_BITS},
        {NOC_RET_ADDR_LO, FLAG + LOG},       {NOC_RET_ADDR_HI, X | Y << NOC_COORDINATE_BITS},
        {NOC_CTRL, 1 << 1 | 1 << 4 | flags}, {NOC_AT_LEN_BE, 16}};
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++) {
        bool enables = registers[i][0] == NOC_AT_LEN_BE && flags;
        put(device, ETHERNET_X, ETHERNET_PLACE, NIU + 4 * registers[i][0], enables ? 0xf : registers[i][1]);
    }
    assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_PLACE, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, ETHERNET_X, ETHERNET_PLACE, (enum bh_core)BH_CORE_E1, CODE), BH_OK);
    return device;
}

static void an_ethernet_tile_sends_what_it_had_when_it_started(void **context)
{
    static const uint64_t calls[] = {0, 1, 3, 50, BEHIND};
    for (unsigned i = 0; i < 2 * sizeof calls / sizeof *calls; i++) {
        struct bh_device *device = begin_to_send(i % 2 ? WITH_BYTE_ENABLES : 0);
        pass(device, BEHIND, calls[i / 2]);
        assert_int_equal(get(device, ETHERNET_X, ETHERNET_PLACE), LATER);
        assert_int_equal(get(device, X, Y), SENT);
        bh_device_destroy(device);
    }
}

/* Snapshots have what was not sent yet. */
static void what_an_ethernet_tile_sends_goes_on_from_snapshots(void **context)
{
    for (uint64_t cycles = 1; cycles < 40; cycles++) {
        struct bh_device *device = begin_to_send(0), *other = create();
        struct bh_snapshot *then;
        struct bh_error error;
        (void)bh_advance(device, cycles);
        (void)get(device, ETHERNET_X, ETHERNET_PLACE); /* its core gets to the clock */
        assert_int_equal(bh_snapshot_take(device, &then), BH_OK);
        assert_int_equal(bh_snapshot_restore(other, then, &error), BH_OK);
        pass(other, BEHIND, 0);
        assert_int_equal(get(other, X, Y), SENT);
        bh_snapshot_free(then);
        bh_device_destroy(other);
        bh_device_destroy(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dozing_tiles_notice_at_the_time_at_which_they_would),
        cmocka_unit_test(tiles_that_compute_ahead_act_when_they_would),
        cmocka_unit_test(a_run_ends_when_the_last_core_does),
        cmocka_unit_test(a_core_that_an_ebreak_pauses_holds_up_nobody),
        cmocka_unit_test(looking_whether_cores_spin_takes_no_time),
        cmocka_unit_test(a_hang_is_found_at_the_same_time_in_short_calls),
        cmocka_unit_test(what_is_on_its_way_comes_before_a_deadlock),
        cmocka_unit_test(a_deadlock_has_the_same_clock_if_it_is_observed),
        cmocka_unit_test(an_ethernet_tile_sends_what_it_had_when_it_started),
        cmocka_unit_test(what_an_ethernet_tile_sends_goes_on_from_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
