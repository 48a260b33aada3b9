/* In timed mode a tile whose cores only poll is not run until somebody outside acts. That shows in nothing but speed:
   the cores of a tile that is observed, which always runs, do the same at the same times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "bhemu/observer.h"
#include "chip/device_state.h"
#include "chip/rv32_words.h"
#include "noc/traffic.h"
#include "rv32/timed.h"

enum { CFG0 = 0x7C0, CSRRS = 0x2073 };
enum { X = 1, Y = 2, CODE = 0x1000, FLAG = 0x4000, LOG = 0x4100, ROUNDS = 12 };

/* Polls a flag for a value one higher each time, with a load or a computation more in the loop of core NC, and notes
   the wall clock. With or without the L0 data cache, which is emptied now and then. */
static void load_program(struct bh_device *device, enum bh_core core, uint32_t at, uint32_t log, bool longer,
                         bool caches)
{
    const uint32_t body = longer ? lw(T2, S0, 4) : addi(T2, T2, 0);
    const uint32_t words[] = {
        addi(T0, 0, caches ? 0 : RV32_CFG0_DIS_LOW_CASH),
        CFG0 << 20 | T0 << 15 | CSRRS,
        lui(S0, FLAG),
        addi(S1, S0, (int32_t)(log - FLAG)),
        lui(10, 0xFFB12000),
        addi(T0, 0, 1),
        lw(T1, S0, 0), /* 4: polls */
        body,
        bne(T1, T0, -8),
        lw(T1, 10, 0x1F0),
        sw(T1, S1, 0),
        addi(S1, S1, 4),
        addi(T0, T0, 1),
        addi(11, 0, ROUNDS + 1),
        bne(T0, 11, -32),
        SELF_JUMP,
    };
    assert_int_equal(bh_write(device, X, Y, at, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, core, at), BH_OK);
}

static void hear(void *context, const struct bh_event *event) {}

static struct bh_device *open_device(bool observed)
{
    static const struct bh_observer observer = {.on_event = hear, .kinds = BH_EVENT_BIT(BH_EVENT_RETIRED)};
    const struct bh_device_config config = {.mode = BH_MODE_TIMED};
    struct bh_device *device;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    if (observed) {
        assert_int_equal(bh_device_add_observer(device, &observer), BH_OK);
    }
    return device;
}

/* Writes the flag after so many cycles. Returns whether the tile was not run meanwhile. */
static bool write_flag(struct bh_device *device, uint64_t pause, uint32_t flag)
{
    uint32_t word;
    (void)bh_advance(device, pause);
    (void)bh_read(device, X, Y, LOG, &word, sizeof word); /* runs the tile up to now */
    bool dozed = device->states[0].doze.cores != 0;
    assert_int_equal(bh_write(device, X, Y, FLAG, &flag, sizeof flag), BH_OK);
    return dozed;
}

/* What both cores note if the flag is written after so many cycles each time. *dozed: the tile was not run meanwhile.
 */
static void run(bool observed, bool caches, const uint64_t *pauses, uint32_t log[2][ROUNDS], bool *dozed)
{
    struct bh_device *device = open_device(observed);
    *dozed = false;
    load_program(device, BH_CORE_T0, CODE, LOG, false, caches);
    load_program(device, BH_CORE_NC, CODE + 0x400, LOG + 0x400, true, caches);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t flag = round + 1;
        *dozed |= write_flag(device, pauses[round], flag);
    }
    (void)bh_advance(device, 1000);
    assert_int_equal(bh_read(device, X, Y, LOG, log[0], sizeof log[0]), BH_OK);
    assert_int_equal(bh_read(device, X, Y, LOG + 0x400, log[1], sizeof log[1]), BH_OK);
    bh_device_destroy(device);
}

static void cores_that_poll_notice_at_the_time_at_which_they_would(void **context)
{
    uint64_t pauses[ROUNDS] = {1000, 1001, 1002, 1003, 505, 777, 20000, 4, 31, 1237, 64, 123457};
    for (unsigned variation = 0; variation < 20; variation++) {
        bool caches = variation % 2;
        uint32_t alone[2][ROUNDS], observed[2][ROUNDS];
        bool dozed;
        run(false, caches, pauses, alone, &dozed);
        assert_true(dozed);
        run(true, caches, pauses, observed, &dozed);
        assert_false(dozed);
        assert_memory_equal(alone, observed, sizeof alone);
        assert_true(alone[0][ROUNDS - 1] > alone[0][ROUNDS - 2] + 123000);
        for (unsigned round = 0; round < ROUNDS; round++) {
            pauses[round] += (7 * variation + 13 * round) % 40;
        }
    }
}

/* As run(), of one core that polls as firmware does, whose flag is written again so soon that a search for a state that
   recurs would not have ended. */
static void poll_alone(bool observed, uint32_t log[ROUNDS], unsigned *dozed)
{
    enum { SOON = 150, FENCE = 0x0ff0000f };
    const uint32_t words[] = {
        lui(S0, FLAG),   addi(S1, S0, LOG - FLAG), lui(10, 0xFFB12000), addi(T0, 0, 1), FENCE, /* 4: polls */
        lw(T1, S0, 0),   bne(T1, T0, -8),          lw(T1, 10, 0x1F0),   sw(T1, S1, 0),  addi(S1, S1, 4),
        addi(T0, T0, 1), addi(11, 0, ROUNDS + 1),  bne(T0, 11, -32),    SELF_JUMP,
    };
    struct bh_device *device = open_device(observed);
    assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, CODE), BH_OK);
    *dozed = 0;
    for (uint32_t flag = 1; flag <= ROUNDS; flag++) {
        *dozed += write_flag(device, SOON + 5 * flag, flag);
    }
    (void)bh_advance(device, 1000);
    assert_int_equal(bh_read(device, X, Y, LOG, log, ROUNDS * sizeof *log), BH_OK);
    bh_device_destroy(device);
}

static void who_polls_l1_alone_dozes_after_few_rounds(void **context)
{
    uint32_t alone[ROUNDS], observed[ROUNDS];
    unsigned dozed;
    poll_alone(false, alone, &dozed);
    assert_int_equal(dozed, ROUNDS);
    poll_alone(true, observed, &dozed);
    assert_int_equal(dozed, 0);
    assert_memory_equal(alone, observed, sizeof alone);
}

/* A core that is in the middle of a time round, having loaded what the host writes then, loads it again, whatever else
   it loads: its tile does not doze before. */
static void what_the_host_writes_in_the_middle_of_a_round_is_noticed(void **context)
{
    enum { MOST_LOADS = 7, CLOCKS = 80 };
    for (unsigned loads = 2; loads <= MOST_LOADS; loads += 5) {
        for (uint64_t clock = 60; clock < 60 + CLOCKS; clock++) {
            uint32_t words[20] = {lui(S0, FLAG), lui(S1, 0xFFB12000), addi(T0, 0, 1)}, noted, one = 1;
            unsigned count = 3;
            words[count++] = 0x0ff0000f; /* fence: empties the L0 data cache */
            words[count++] = lw(T1, S0, 0);
            for (unsigned i = 0; i < loads; i++) {
                words[count++] = lw(T2, S0, 64 * (i + 1));
            }
            words[count] = bne(T1, T0, -4 * (int32_t)(count - 3));
            count++;
            words[count++] = lw(T1, S1, 0x1F0);
            words[count++] = sw(T1, S0, LOG - FLAG);
            words[count++] = SELF_JUMP;
            struct bh_device *device;
            const struct bh_device_config config = {.mode = BH_MODE_TIMED};
            assert_int_equal(bh_device_create(&config, &device), BH_OK);
            assert_int_equal(bh_write(device, X, Y, CODE, words, count * 4), BH_OK);
            assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, CODE), BH_OK);
            (void)bh_advance(device, clock);
            assert_int_equal(bh_write(device, X, Y, FLAG, &one, sizeof one), BH_OK);
            (void)bh_advance(device, 1000);
            assert_int_equal(bh_read(device, X, Y, LOG, &noted, sizeof noted), BH_OK);
            assert_in_range(noted, clock, clock + 100);
            bh_device_destroy(device);
        }
    }
}

/* A core that polls while another of its tile acts, as at the start of firmware, polls when that one is done. */
static void who_polled_while_others_acted_dozes_afterwards(void **context)
{
    const uint32_t acts[] = {
        addi(T0, 0, RV32_CFG0_DIS_LOW_CASH),
        CFG0 << 20 | T0 << 15 | CSRRS,
        lui(S0, FLAG),
        addi(T0, 0, 200),
        sw(T0, S0, 64),
        addi(T0, T0, -1),
        bne(T0, 0, -8), /* acts 200 times */
        lw(T1, S0, 0),
        bne(S0, 0, -4), /* polls for ever */
    };
    struct bh_device *device;
    const struct bh_device_config config = {.mode = BH_MODE_TIMED};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    assert_int_equal(bh_write(device, X, Y, CODE + 0x800, acts, sizeof acts), BH_OK);
    load_program(device, BH_CORE_T0, CODE, LOG, false, false);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_NC, CODE + 0x800), BH_OK);
    (void)bh_advance(device, 20000);
    uint32_t left;
    assert_int_equal(bh_read(device, X, Y, FLAG + 64, &left, sizeof left), BH_OK);
    assert_int_equal(left, 1);
    assert_int_not_equal(device->states[0].doze.cores, 0);
    bh_device_destroy(device);
}

/* A core polls for the response to a read for longer than it takes to find a deadlock: the NIU that sends the response
   has much to send before. */
static void who_waits_long_for_a_response_is_in_no_deadlock(void **context)
{
    enum { FROM_X = 2, MUCH = 4000000, TO = 0x20000, READ = 0x10, POLLED = NIU_COUNTER + 4 * NIU_MST_RD_RESP_RECEIVED };
    const uint32_t words[] = {
        lui(S0, 0xFFB20000),
        lui(T0, CODE),
        sw(T0, S0, 4 * NOC_TARG_ADDR_LO),
        addi(T0, 0, FROM_X | Y << 6),
        sw(T0, S0, 4 * NOC_TARG_ADDR_HI),
        lui(T0, TO),
        sw(T0, S0, 4 * NOC_RET_ADDR_LO),
        addi(T0, 0, X | Y << 6),
        sw(T0, S0, 4 * NOC_RET_ADDR_HI),
        addi(T0, 0, READ),
        sw(T0, S0, 4 * NOC_CTRL),
        addi(T0, 0, 64),
        sw(T0, S0, 4 * NOC_AT_LEN_BE),
        addi(T1, 0, 1),
        sw(T1, S0, 4 * NOC_CMD_CTRL),
        lw(T0, S0, POLLED), /* until it is 1 */
        bne(T0, T1, -4),
        SELF_JUMP,
    };
    struct bh_device *device;
    const struct bh_device_config config = {.mode = BH_MODE_TIMED};
    uint32_t sent = 0x600D, came;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    device->network.traffic->timing.fabric[0].responses[Y][FROM_X].free = (uint64_t)MUCH * MILLI;
    assert_int_equal(bh_write(device, FROM_X, Y, CODE, &sent, sizeof sent), BH_OK);
    assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, CODE), BH_OK);
    struct bh_run_result result;
    assert_int_equal(bh_run(device, 2 * MUCH, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_in_range(bh_clock(device), MUCH, MUCH + 1000);
    assert_int_equal(bh_read(device, X, Y, TO, &came, sizeof came), BH_OK);
    assert_int_equal(came, sent);
    bh_device_destroy(device);
}

/* What comes over the NoC, but changes nothing that is polled, leaves the tile dozing. */
static void a_write_to_what_nobody_polls_ends_no_doze(void **context)
{
    enum { FROM_X = 2, TO = 0x20000, WRITE = 0x12, BACK = NIU_COUNTER + 4 * NIU_MST_WR_ACK_RECEIVED };
    const uint32_t writes[] = {
        lui(S0, 0xFFB20000),
        lui(T0, TO),
        sw(T0, S0, 4 * NOC_TARG_ADDR_LO),
        addi(T1, 0, FROM_X | Y << 6),
        sw(T1, S0, 4 * NOC_TARG_ADDR_HI),
        sw(T0, S0, 4 * NOC_RET_ADDR_LO),
        addi(T1, 0, X | Y << 6),
        sw(T1, S0, 4 * NOC_RET_ADDR_HI),
        addi(T0, 0, WRITE),
        sw(T0, S0, 4 * NOC_CTRL),
        addi(T0, 0, 64),
        sw(T0, S0, 4 * NOC_AT_LEN_BE),
        addi(T1, 0, 1),
        sw(T1, S0, 4 * NOC_CMD_CTRL),
        SELF_JUMP,
    };
    const uint32_t polls[] = {
        lui(S0, 0xFFB20000), addi(T1, 0, 1), lw(T0, S0, BACK), bne(T0, T1, -4), SELF_JUMP,
    };
    struct bh_device *device;
    const struct bh_device_config config = {.mode = BH_MODE_TIMED};
    uint32_t sent = 0x600D;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    assert_int_equal(bh_write(device, FROM_X, Y, TO, &sent, sizeof sent), BH_OK);
    assert_int_equal(bh_write(device, FROM_X, Y, CODE, writes, sizeof writes), BH_OK);
    assert_int_equal(bh_write(device, X, Y, CODE, polls, sizeof polls), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, CODE), BH_OK);
    (void)bh_advance(device, 1000);
    assert_int_equal(bh_core_start(device, FROM_X, Y, BH_CORE_B, CODE), BH_OK);
    (void)bh_advance(device, 1);
    const struct tile_state *state = &device->states[0];
    uint64_t since = state->doze.since[BH_CORE_B];
    assert_int_equal(state->doze.cores, 1u << BH_CORE_B);
    (void)bh_advance(device, 2000);
    assert_memory_equal(state->l1 + TO, &sent, sizeof sent);
    assert_int_equal(state->doze.cores, 1u << BH_CORE_B);
    assert_int_equal(state->doze.since[BH_CORE_B], since);
    bh_device_destroy(device);
}

/* A tile that a board does not have, nor any state of. */
static void a_write_to_a_tile_that_is_not_there_is_refused(void **context)
{
    enum { ABSENT_X = 16 };
    for (int mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        struct bh_device *device;
        const struct bh_device_config config = {.mode = (enum bh_mode)mode, .board = BH_BOARD_P150A};
        const uint32_t word = 1;
        assert_int_equal(bh_device_create(&config, &device), BH_OK);
        assert_int_not_equal(bh_write(device, ABSENT_X, Y, FLAG, &word, sizeof word), BH_OK);
        bh_device_destroy(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_that_poll_notice_at_the_time_at_which_they_would),
        cmocka_unit_test(who_polls_l1_alone_dozes_after_few_rounds),
        cmocka_unit_test(what_the_host_writes_in_the_middle_of_a_round_is_noticed),
        cmocka_unit_test(who_polled_while_others_acted_dozes_afterwards),
        cmocka_unit_test(a_write_to_what_nobody_polls_ends_no_doze),
        cmocka_unit_test(a_write_to_a_tile_that_is_not_there_is_refused),
        cmocka_unit_test(who_waits_long_for_a_response_is_in_no_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
