/* In timed mode clocks do not depend on where calls of bh_run() end, also where a core empties its own instruction
   cache, where both cores of an Ethernet tile wait for each other, where an NIU writes to its own tile, and where a
   packet is under way when all cores have ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "chip/rv32_words.h"
#include "isa/tensix_isa.h"
#include "noc/niu.h"

enum { X = 1, Y = 2, ETHERNET_X = 20, ETHERNET_Y = 25, CODE = 0x2000, NOTES = 0x8000, ROUNDS = 60, CYCLES = 12000 };
enum { LOGS = 18, LIMIT = 19 };

static const uint64_t slices[] = {CYCLES, 1, 7, 19, 100, 777};

static struct bh_device *create(void)
{
    struct bh_device *device;
    const struct bh_device_config config = {.mode = BH_MODE_TIMED};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    return device;
}

static void run(struct bh_device *device, uint64_t slice)
{
    for (uint64_t done = 0; done < CYCLES; done += slice) {
        struct bh_run_result result;
        (void)bh_run(device, slice < CYCLES - done ? slice : CYCLES - done, &result);
    }
}

/* Each round empties the instruction caches, by RISCV_IC_INVALIDATE, and notes the wall clock. */
static void load_emptying(struct bh_device *device)
{
    enum { ALL_CACHES = 31, IC_INVALIDATE = 0x2E4 };
    const uint32_t words[] = {
        lui(S0, 0xFFEF0000),    lui(S1, 0xFFB12000),     lui(LOGS, NOTES),
        addi(LIMIT, 0, ROUNDS), addi(T0, 0, ALL_CACHES), sw(T0, S0, IC_INVALIDATE), /* 5 */
        lw(T1, S1, 0x1F0),      sw(T1, LOGS, 0),         addi(LOGS, LOGS, 4),
        addi(LIMIT, LIMIT, -1), bne(LIMIT, 0, -20),      SELF_JUMP,
    };
    assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, CODE), BH_OK);
}

static void who_empties_his_instruction_cache_fetches_again(void **context)
{
    uint32_t expected[ROUNDS], found[ROUNDS];
    for (unsigned i = 0; i < sizeof slices / sizeof *slices; i++) {
        struct bh_device *device = create();
        load_emptying(device);
        run(device, slices[i]);
        assert_int_equal(bh_read(device, X, Y, NOTES, i ? found : expected, sizeof found), BH_OK);
        assert_int_not_equal(expected[ROUNDS - 1], 0);
        assert_true(i == 0 || memcmp(found, expected, sizeof found) == 0);
        bh_device_destroy(device);
    }
}

/* Waits until its word is the number of the round, notes the wall clock, and sets the other core's word: E1 to that
   number, E0 to the next one. */
static void load_waiting(struct bh_device *device, unsigned core)
{
    const uint32_t words[] = {
        lui(S0, 0x4000),
        lui(S1, 0xFFB12000),
        lui(LOGS, NOTES),
        addi(LOGS, LOGS, core ? 0x400 : 0),
        addi(LIMIT, 0, ROUNDS),
        addi(T0, 0, core ? 1 : 0),
        lw(T1, S0, core ? 4 : 0), /* 6 */
        bne(T1, T0, -4),
        lw(T1, S1, 0x1F0),
        sw(T1, LOGS, 0),
        addi(LOGS, LOGS, 4),
        addi(T0, T0, core ? 0 : 1),
        sw(T0, S0, core ? 0 : 4),
        addi(T0, T0, core ? 1 : 0),
        addi(LIMIT, LIMIT, -1),
        bne(LIMIT, 0, -36),
        SELF_JUMP,
    };
    uint32_t pc = CODE + 0x400 * core;
    assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_Y, pc, words, sizeof words), BH_OK);
    assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_Y, 0xFFB14000 + 8 * core, &pc, sizeof pc), BH_OK);
}

static void release_both(struct bh_device *device)
{
    const uint32_t held[] = {0x1800, 0}; /* E0 and E1 */
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_Y, 0xFFB121B0, &held[i], sizeof *held), BH_OK);
    }
}

static void cores_of_an_ethernet_tile_meet_at_the_same_clocks(void **context)
{
    uint32_t expected[2][ROUNDS], found[2][ROUNDS];
    for (unsigned i = 0; i < sizeof slices / sizeof *slices; i++) {
        struct bh_device *device = create();
        for (unsigned core = 0; core < 2; core++) {
            load_waiting(device, core);
        }
        release_both(device);
        run(device, slices[i]);
        for (unsigned core = 0; core < 2; core++) {
            assert_int_equal(bh_read(device, ETHERNET_X, ETHERNET_Y, NOTES + 0x400 * core,
                                     i ? found[core] : expected[core], sizeof *found),
                             BH_OK);
            assert_int_not_equal(expected[core][ROUNDS - 1], 0);
        }
        assert_true(i == 0 || memcmp(found, expected, sizeof found) == 0);
        bh_device_destroy(device);
    }
}

/* Where nothing but Ethernet tiles runs, a run ends when the last of their cores does. */
static void ethernet_tiles_end_runs_at_their_clocks(void **context)
{
    struct bh_device *device = create();
    struct bh_run_result result;
    const uint32_t words[] = {addi(T0, 0, 1), addi(T0, T0, 1), addi(T0, T0, 1), SELF_JUMP};
    uint32_t pc = CODE;
    assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_Y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_Y, 0xFFB14000, &pc, sizeof pc), BH_OK);
    release_both(device);
    assert_int_equal(bh_run(device, CYCLES, &result), BH_OK);
    assert_in_range(result.cycles, 3, 100);
    assert_int_equal(bh_clock(device), result.cycles);
    bh_device_destroy(device);
}

/* Its NIU writes a register of its own tile, which the core then polls, again and again: pauses before each write, and
   at most six instructions before it polls, make all relations of the times of writes, loads and quanta. */
static void load_writing_to_itself(struct bh_device *device, int32_t pause, int32_t skipped)
{
    enum { STREAM = 0xFFB40000, WORD = 0x28, WRITE_INLINE = 2 | 1 << 3, ALL_BYTES = 0xF };
    const uint32_t words[] = {
        lui(S0, 0xFFB20000),
        lui(S1, 0xFFB12000),
        lui(LOGS, NOTES),
        addi(LIMIT, 0, ROUNDS),
        lui(10, STREAM),
        addi(T0, 10, WORD),
        sw(T0, S0, 4 * NOC_TARG_ADDR_LO),
        addi(T0, 0, X | Y << 6),
        sw(T0, S0, 4 * NOC_TARG_ADDR_HI),
        addi(T0, 0, WRITE_INLINE),
        sw(T0, S0, 4 * NOC_CTRL),
        addi(T0, 0, ALL_BYTES),
        sw(T0, S0, 4 * NOC_AT_LEN_BE),
        addi(T2, 0, 1),
        addi(T0, LIMIT, pause), /* 14 */
        addi(T0, T0, -1),
        bne(T0, 0, -4),
        sw(LIMIT, S0, 4 * NOC_AT_DATA),
        sw(T2, S0, 4 * NOC_CMD_CTRL),
        bne(T2, 0, 4 * skipped), /* 19 */
        addi(T1, T1, 0),
        addi(T1, T1, 0),
        addi(T1, T1, 0),
        addi(T1, T1, 0),
        addi(T1, T1, 0),
        addi(T1, T1, 0),
        lw(T1, 10, WORD), /* 26 */
        bne(T1, LIMIT, -4),
        lw(T1, S1, 0x1F0),
        sw(T1, LOGS, 0),
        addi(LOGS, LOGS, 4),
        addi(LIMIT, LIMIT, -1),
        bne(LIMIT, 0, -72),
        SELF_JUMP,
    };
    assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, CODE), BH_OK);
}

/* Such a write is there TIMING_NOC_LOOKAHEAD cycles after it was started, which may be just where a quantum ends. */
static void what_an_niu_writes_to_its_own_tile_is_seen_at_once(void **context)
{
    uint32_t expected[ROUNDS], found[ROUNDS];
    for (int32_t variant = 0; variant < 20 * 7; variant++) {
        for (unsigned i = 0; i < sizeof slices / sizeof *slices; i++) {
            struct bh_device *device = create();
            load_writing_to_itself(device, 1 + variant / 7, 1 + variant % 7);
            run(device, slices[i]);
            assert_int_equal(bh_read(device, X, Y, NOTES, i ? found : expected, sizeof found), BH_OK);
            assert_int_not_equal(expected[ROUNDS - 1], 0);
            assert_true(i == 0 || memcmp(found, expected, sizeof found) == 0);
            bh_device_destroy(device);
        }
    }
}

/* A core has its NIU write to DRAM, without a response, and ends long before the packet is there. */
static void a_run_ends_when_its_last_packet_is_there(void **context)
{
    enum { DRAM_X = 17, DRAM_Y = 12, WRITE = 2, BYTES = 2032 };
    const uint32_t words[] = {
        lui(S0, 0xFFB20000),
        addi(T0, 0, X | Y << 6),
        sw(T0, S0, 4 * NOC_TARG_ADDR_HI),
        addi(T0, 0, DRAM_X | DRAM_Y << 6),
        sw(T0, S0, 4 * NOC_RET_ADDR_HI),
        addi(T0, 0, WRITE),
        sw(T0, S0, 4 * NOC_CTRL),
        addi(T0, 0, BYTES),
        sw(T0, S0, 4 * NOC_AT_LEN_BE),
        addi(T0, 0, 1),
        sw(T0, S0, 4 * NOC_CMD_CTRL),
        SELF_JUMP,
    };
    uint64_t expected = 0;
    for (unsigned i = 0; i < sizeof slices / sizeof *slices; i++) {
        struct bh_device *device = create();
        struct bh_run_result result = {0};
        assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
        assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, CODE), BH_OK);
        do {
            assert_int_equal(bh_run(device, slices[i], &result), BH_OK);
        } while (result.reason != BH_RAN_IDLE);
        expected = i ? expected : bh_clock(device);
        assert_int_equal(bh_clock(device), expected);
        assert_true(expected > 150); /* of which its way takes the most */
        bh_device_destroy(device);
    }
}

/* Core E1 of an Ethernet tile reads from DRAM once, polls the counter of responses, and notes when it has become more;
   `before` so many instructions. */
static void load_reading(struct bh_device *device, unsigned before)
{
    enum { DRAM_X = 17, DRAM_Y = 12, READ = 0x10, BYTES = 64, TO = 0x8100 };
    uint32_t words[64];
    unsigned count = 0;
    const uint32_t reads[] = {
        lui(S0, 0xFFB20000),
        lui(S1, 0xFFB12000),
        lui(LOGS, NOTES),
        lw(T1, S0, NIU_COUNTER + 4 * NIU_MST_RD_RESP_RECEIVED),
        addi(T0, 0, DRAM_X | DRAM_Y << 6),
        sw(T0, S0, 4 * NOC_TARG_ADDR_HI),
        lui(T0, NOTES),
        addi(T0, T0, TO - NOTES),
        sw(T0, S0, 4 * NOC_RET_ADDR_LO),
        addi(T0, 0, ETHERNET_X | ETHERNET_Y << 6),
        sw(T0, S0, 4 * NOC_RET_ADDR_HI),
        addi(T0, 0, READ),
        sw(T0, S0, 4 * NOC_CTRL),
        addi(T0, 0, BYTES),
        sw(T0, S0, 4 * NOC_AT_LEN_BE),
        addi(T0, 0, 1),
        sw(T0, S0, 4 * NOC_CMD_CTRL),
        lw(T2, S0, NIU_COUNTER + 4 * NIU_MST_RD_RESP_RECEIVED),
        bne(T2, T1, 8),
        bne(S0, 0, -8),
        lw(T1, S1, 0x1F0),
        sw(T1, LOGS, 0),
        SELF_JUMP,
    };
    while (before--) {
        words[count++] = addi(T0, T0, 0);
    }
    memcpy(words + count, reads, sizeof reads);
    uint32_t pc = CODE + 0x400;
    assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_Y, pc, words, count * 4 + sizeof reads), BH_OK);
    assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_Y, 0xFFB14008, &pc, sizeof pc), BH_OK);
}

static void an_ethernet_tile_sees_a_response_when_it_comes(void **context)
{
    for (unsigned before = 0; before < 20; before++) {
        uint32_t expected = 0, found;
        for (unsigned i = 0; i < sizeof slices / sizeof *slices; i++) {
            const uint32_t held = 0x800;
            struct bh_device *device = create();
            load_reading(device, before);
            assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_Y, 0xFFB121B0, &held, sizeof held), BH_OK);
            run(device, slices[i]);
            assert_int_equal(bh_read(device, ETHERNET_X, ETHERNET_Y, NOTES, &found, sizeof found), BH_OK);
            expected = i ? expected : found;
            assert_int_not_equal(found, 0);
            assert_int_equal(found, expected);
            bh_device_destroy(device);
        }
    }
}

/* Core B puts T0, which counts, into reset and lets it go: it begins anew at that time, whatever it had counted ahead.
 */
static void a_core_begins_when_it_leaves_reset(void **context)
{
    enum { T0_HELD = 0x47000, ALL_BUT_TWO = 0x46000, TIMES = 100, COUNTED = 0x700 };
    const uint32_t counts[] = {lui(S1, 0xFFB12000),  lw(T1, S1, 0x1F0), lui(LOGS, NOTES), sw(T1, LOGS, 0),
                               addi(T0, 0, COUNTED), addi(T0, T0, -1),  bne(T0, 0, -4),   SELF_JUMP};
    const uint32_t resets[] = {
        lui(S1, 0xFFB12000), addi(T0, 0, TIMES), addi(T0, T0, -1), bne(T0, 0, -4),  lui(T1, T0_HELD),
        sw(T1, S1, 0x1B0),   addi(T0, 0, TIMES), addi(T0, T0, -1), bne(T0, 0, -4),  lui(T1, ALL_BUT_TWO),
        lw(T2, S1, 0x1F0),   sw(T1, S1, 0x1B0),  lui(LOGS, NOTES), sw(T2, LOGS, 4), SELF_JUMP,
    };
    for (unsigned i = 0; i < sizeof slices / sizeof *slices; i++) {
        struct bh_device *device = create();
        uint32_t pc = CODE + 0x400, notes[2];
        assert_int_equal(bh_write(device, X, Y, pc, counts, sizeof counts), BH_OK);
        assert_int_equal(bh_write(device, X, Y, 0xFFB12228, &pc, sizeof pc), BH_OK);
        assert_int_equal(bh_write(device, X, Y, 0xFFB12234, &(uint32_t){7}, 4), BH_OK);
        assert_int_equal(bh_write(device, X, Y, CODE, resets, sizeof resets), BH_OK);
        assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, CODE), BH_OK);
        assert_int_equal(bh_write(device, X, Y, 0xFFB121B0, &(uint32_t){ALL_BUT_TWO}, 4), BH_OK);
        run(device, slices[i]);
        assert_int_equal(bh_read(device, X, Y, NOTES, notes, sizeof notes), BH_OK);
        assert_in_range(notes[0], notes[1], notes[1] + 60);
        bh_device_destroy(device);
    }
}

static void note_cycle(void *context, const struct bh_diagnostic *diagnostic)
{
    *(uint64_t *)context = diagnostic->cycle;
}

/* Core T1 pushes instructions, of which the last stores to a register that there is not. */
static void a_diagnostic_names_the_cycle_of_its_instruction(void **context)
{
    enum { PUSHES = 20, NO_REGISTER = 0xFFB13FF0 };
    const uint32_t set = (uint32_t)TENSIX_OPCODE_SETDMAREG << 24;
    const uint32_t store = (uint32_t)TENSIX_OPCODE_STOREREG << 24 | (NO_REGISTER >> 2 & 0x3ffff);
    uint32_t words[PUSHES + 2];
    uint64_t expected = 0;
    for (unsigned i = 0; i < PUSHES; i++) {
        words[i] = set << 2 | set >> 30;
    }
    words[PUSHES] = store << 2 | store >> 30;
    words[PUSHES + 1] = SELF_JUMP;
    for (unsigned i = 0; i < sizeof slices / sizeof *slices; i++) {
        struct bh_device *device;
        uint64_t cycle = 0;
        const struct bh_device_config config = {.mode = BH_MODE_TIMED, .on_diagnostic = note_cycle, .context = &cycle};
        assert_int_equal(bh_device_create(&config, &device), BH_OK);
        assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
        assert_int_equal(bh_core_start(device, X, Y, BH_CORE_T1, CODE), BH_OK);
        run(device, slices[i]);
        expected = i ? expected : cycle;
        assert_true(cycle > PUSHES);
        assert_int_equal(cycle, expected);
        bh_device_destroy(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_empties_his_instruction_cache_fetches_again),
        cmocka_unit_test(cores_of_an_ethernet_tile_meet_at_the_same_clocks),
        cmocka_unit_test(what_an_niu_writes_to_its_own_tile_is_seen_at_once),
        cmocka_unit_test(a_run_ends_when_its_last_packet_is_there),
        cmocka_unit_test(an_ethernet_tile_sees_a_response_when_it_comes),
        cmocka_unit_test(a_core_begins_when_it_leaves_reset),
        cmocka_unit_test(a_diagnostic_names_the_cycle_of_its_instruction),
        cmocka_unit_test(ethernet_tiles_end_runs_at_their_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
