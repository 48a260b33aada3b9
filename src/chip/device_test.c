/* The public C API: include/bhemu/device.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "chip/device_fixture.h"
#include "chip/rv32_words.h"

static void put(struct fixture *fixture, unsigned x, unsigned y, uint64_t address, const uint32_t *words,
                unsigned count)
{
    assert_int_equal(bh_write(fixture->device, x, y, address, words, count * 4), BH_OK);
}

static uint32_t get(struct fixture *fixture, unsigned x, unsigned y, uint64_t address)
{
    uint32_t word = 0;
    assert_int_equal(bh_read(fixture->device, x, y, address, &word, sizeof word), BH_OK);
    return word;
}

/* Stores `value` (less than 2048) to 0x20000 + 4 * core, then jumps to itself. */
static void put_program(struct fixture *fixture, unsigned x, unsigned y, uint32_t pc, unsigned core, int32_t value)
{
    uint32_t program[] = {lui(T0, 0x20000), addi(T1, 0, value), sw(T1, T0, 4 * core), SELF_JUMP};
    put(fixture, x, y, pc, program, 4);
}

static void each_core_starts_where_it_is_told(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t pcs[] = {0x40, 0x3000, 0x11000, 0x100000, 0x17fff0};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        put_program(fixture, 16, 11, pcs[core], core, (int32_t)(100 + core));
        assert_int_equal(bh_core_start(fixture->device, 16, 11, (enum bh_core)core, pcs[core]), BH_OK);
    }
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, 10000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(result.riscv_instructions, 5 * 3 + 1); /* and B's jump to 0x40 */
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        assert_int_equal(get(fixture, 16, 11, 0x20000 + 4 * core), 100 + core);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

/* The jump that bh_core_start() puts at 0 for B reaches all of L1. */
static void core_b_starts_anywhere(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t pcs[] = {0x4, 0x7fc, 0x800, 0xffffc, 0x100000, 0x100800, 0x17f7f8, 0x17fff0};
    for (unsigned i = 0; i < sizeof pcs / sizeof pcs[0]; i++) {
        unsigned x = 1 + i % 7;
        put_program(fixture, x, 4, pcs[i] == 4 ? 0x10 : pcs[i], 0, (int32_t)i + 1);
        if (pcs[i] == 4) {
            continue;
        }
        assert_int_equal(bh_core_start(fixture->device, x, 4, BH_CORE_B, pcs[i]), BH_OK);
        assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
        assert_int_equal(get(fixture, x, 4, 0x20000), i + 1);
    }
}

/* SoftReset.md: without the override bit a core starts at its fixed address. */
static void cores_have_default_addresses(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t pcs[] = {0, 0x6000, 0xa000, 0xe000, 0x12000};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        put_program(fixture, 7, 2, pcs[core], core, (int32_t)(200 + core));
    }
    uint32_t none = 0;
    put(fixture, 7, 2, 0xFFB121B0, &none, 1);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        assert_int_equal(get(fixture, 7, 2, 0x20000 + 4 * core), 200 + core);
    }
}

static void leaving_reset_clears_local_ram_unless_told_not_to(void **context)
{
    struct fixture *fixture = *context;
    uint32_t word = 0x12345678, keep = 1 << 6;
    put_program(fixture, 1, 2, 0, 0, 1);
    put(fixture, 1, 2, 0xFFB14010, &word, 1);
    assert_int_equal(bh_core_start(fixture->device, 1, 2, BH_CORE_B, 0), BH_OK);
    assert_int_equal(get(fixture, 1, 2, 0xFFB14010), 0);
    put(fixture, 1, 2, 0xFFB12224, &keep, 1); /* DISABLE_RESET */
    put(fixture, 1, 2, 0xFFB14010, &word, 1);
    assert_int_equal(bh_core_start(fixture->device, 1, 2, BH_CORE_B, 0), BH_OK);
    assert_int_equal(get(fixture, 1, 2, 0xFFB14010), 0x12345678);
}

static void all_tiles_run_and_know_where_they_are(void **context)
{
    struct fixture *fixture = *context;
    /* Copies NOC_ID_LOGICAL to 0x20000. */
    uint32_t program[] = {lui(T0, 0xFFB20000), lw(T1, T0, 0x148), lui(T2, 0x20000), sw(T1, T2, 0), SELF_JUMP};
    unsigned tiles = 0;
    for (unsigned y = 2; y <= 11; y++) {
        for (unsigned x = 1; x <= 16; x++) {
            bool tensix = x != 8 && x != 9;
            if (tensix) {
                assert_int_equal(bh_write(fixture->device, x, y, 0, program, sizeof program), BH_OK);
            }
            assert_int_equal(bh_core_start(fixture->device, x, y, BH_CORE_B, 0), tensix ? BH_OK : BH_ERROR_ARGUMENT);
            tiles += tensix;
        }
    }
    assert_int_equal(tiles, 140);
    assert_int_equal(bh_run(fixture->device, 5000, NULL), BH_OK);
    for (unsigned y = 2; y <= 11; y++) {
        for (unsigned x = 1; x <= 16; x++) {
            if (x != 8 && x != 9) {
                assert_int_equal(get(fixture, x, y, 0x20000), x | y << 6);
                assert_int_equal(get(fixture, x, y, 0xFFB20044) & 0xfff, x | y << 6);
                assert_int_equal(get(fixture, x, y, 0xFFB30044) & 0xfff, (16 - x) | (11 - y) << 6);
            }
        }
    }
}

static void bad_arguments_are_refused(void **context)
{
    struct fixture *fixture = *context;
    struct bh_device *device = fixture->device;
    uint32_t word = 0;
    struct bh_device_config config = {.policy = (enum bh_policy_preset)7};
    assert_int_equal(bh_device_create(NULL, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_create(&config, &device), BH_ERROR_ARGUMENT);
    device = fixture->device;
    assert_int_equal(bh_write(NULL, 1, 2, 0, &word, 4), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_write(device, 8, 11, 0, &word, 4), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_write(device, 19, 24, 0, &word, 4), BH_ERROR_ADDRESS); /* there is no host */
    assert_int_equal(bh_write(device, 32, 2, 0, &word, 4), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_read(device, 1, 2, 0, NULL, 4), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_core_start(device, 1, 2, (enum bh_core)5, 0), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_core_start(device, 1, 2, BH_CORE_B, 2), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_core_start(device, 1, 2, BH_CORE_B, 0x180000), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_run(NULL, 1, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_clock(NULL), 0);
    bh_device_destroy(NULL);
}

static void a_bad_address_transfers_nothing_and_stops_nothing(void **context)
{
    struct fixture *fixture = *context;
    uint32_t words[4] = {1, 2, 3, 4};
    assert_int_equal(bh_write(fixture->device, 1, 2, 0x17fff8, words, sizeof words), BH_ERROR_ADDRESS);
    assert_int_equal(get(fixture, 1, 2, 0x17fff8), 0);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(fixture->last.agent, BH_AGENT_HOST);
    assert_int_equal(fixture->last.tile_x, 1);
    assert_int_equal(fixture->last.tile_y, 2);
    assert_int_equal(bh_write(fixture->device, 1, 2, 0xFFEF0000, words, 4), BH_ERROR_ADDRESS);
    assert_int_equal(bh_write(fixture->device, 1, 2, 0xFFB12228, words, 3), BH_ERROR_ADDRESS);
    assert_int_equal(bh_write(fixture->device, 1, 2, 0xFFB12246, words, 2), BH_ERROR_ADDRESS);
    assert_int_equal(bh_write(fixture->device, 1, 2, 0x100000000, words, 4), BH_ERROR_ADDRESS);
    assert_int_equal(bh_write(fixture->device, 1, 2, UINT64_MAX - 3, words, 8), BH_ERROR_ADDRESS);
    assert_int_equal(bh_write(fixture->device, 1, 2, 0xFFFFFFFC, words, 4), BH_ERROR_ADDRESS);
    assert_int_equal(bh_write(fixture->device, 1, 2, 0xFFB1DFFC, words, 8), BH_ERROR_ADDRESS);
    assert_int_equal(fixture->diagnostics, 8);
    assert_int_equal(bh_write(fixture->device, 1, 2, 0xFFB12228, words, 12), BH_OK);
    assert_int_equal(get(fixture, 1, 2, 0xFFB12230), 3);
    assert_int_equal(bh_run(fixture->device, 10, NULL), BH_OK);
}

static void a_wrong_program_stops_the_device_and_says_where(void **context)
{
    struct fixture *fixture = *context;
    uint32_t program[] = {addi(0, 0, 0), lui(T0, 0xFFC00000), sw(T1, T0, 0), SELF_JUMP};
    put(fixture, 2, 3, 0x100, program, 4);
    assert_int_equal(bh_core_start(fixture->device, 2, 3, BH_CORE_NC, 0x100), BH_OK);
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, 5000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_STOPPED);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.pc, 0x108);
    assert_int_equal(fixture->last.agent, BH_AGENT_CORE);
    assert_int_equal(fixture->last.index, BH_CORE_NC);
    assert_non_null(strstr(fixture->last.text, "0xffc00000"));
    assert_int_equal(bh_run(fixture->device, 5000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.cycles, 0);
}

static void cores_that_wait_for_each_other_are_a_deadlock(void **context)
{
    struct fixture *fixture = *context;
    /* B waits for a value from T0, T0 for one from B. */
    uint32_t b[] = {lui(T0, 0xFFEC1000), lw(T1, T0, 0), SELF_JUMP};
    uint32_t t0[] = {lui(T0, 0xFFEC0000), lw(T1, T0, 0), SELF_JUMP};
    put(fixture, 1, 2, 0x100, b, 3);
    put(fixture, 1, 2, 0x200, t0, 3);
    assert_int_equal(bh_core_start(fixture->device, 1, 2, BH_CORE_B, 0x100), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, 1, 2, BH_CORE_T0, 0x200), BH_OK);
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, 1000000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_DEADLOCK);
    assert_true(result.cycles <= 10000);
    assert_int_equal(fixture->last.category, BH_DEADLOCK);
    assert_non_null(strstr(fixture->last.text, "mailbox"));
    /* It ends when somebody outside acts. */
    assert_int_equal(bh_core_stop(fixture->device, 1, 2, BH_CORE_B), BH_OK);
    assert_int_equal(bh_core_stop(fixture->device, 1, 2, BH_CORE_T0), BH_OK);
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
}

/* The instruction cache keeps what is written over a jump to itself from the core: the device ends as if nothing were
   wrong, but can tell. */
static void a_core_that_does_not_see_its_new_program_is_reported(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t jump = SELF_JUMP, program[] = {lui(T0, 0x20000), SELF_JUMP};
    put(fixture, 1, 2, 0x100, &jump, 1);
    assert_int_equal(bh_core_start(fixture->device, 1, 2, BH_CORE_B, 0x100), BH_OK);
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    bh_report(fixture->device);
    assert_int_equal(fixture->diagnostics, 0);
    put(fixture, 1, 2, 0x100, program, 2);
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(result.riscv_instructions, 0);
    bh_report(fixture->device);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.category, BH_DEADLOCK);
    assert_int_equal(fixture->last.action, BH_WARN);
    assert_int_equal(fixture->last.places[0].pc, 0x100);
    assert_non_null(strstr(fixture->last.text, "core B at 0x00000100 keeps to the jump to itself"));
    assert_non_null(strstr(fixture->last.text, "RISCV_IC_INVALIDATE_InvalidateAll"));

    assert_int_equal(bh_core_start(fixture->device, 1, 2, BH_CORE_B, 0x100), BH_OK);
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(result.riscv_instructions, 2); /* the jump at its reset PC, too */
    bh_report(fixture->device);
    assert_int_equal(fixture->diagnostics, 1);
}

static void a_loop_that_waits_for_nothing_is_a_deadlock(void **context)
{
    struct fixture *fixture = *context;
    /* Polls a word of L1 that nobody writes: lw; beqz back to the lw. */
    uint32_t program[] = {lui(T0, 0x20000), lw(T1, T0, 0), 0xfe030ee3, SELF_JUMP};
    put(fixture, 1, 2, 0, program, 4);
    assert_int_equal(bh_core_start(fixture->device, 1, 2, BH_CORE_B, 0), BH_OK);
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_CYCLES);
    assert_int_equal(bh_run(fixture->device, 1000000000000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_DEADLOCK);
    uint32_t one = 1;
    put(fixture, 1, 2, 0x20000, &one, 1);
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
}

static void the_wall_clock_is_the_devices(void **context)
{
    struct fixture *fixture = *context;
    put_program(fixture, 1, 2, 0, 0, 1);
    uint32_t spin[] = {addi(T0, T0, 1), 0xffdff06f}; /* counts */
    put(fixture, 2, 2, 0, spin, 2);
    assert_int_equal(bh_core_start(fixture->device, 2, 2, BH_CORE_B, 0), BH_OK);
    assert_int_equal(bh_run(fixture->device, 12345, NULL), BH_OK);
    assert_int_equal(bh_clock(fixture->device), 12345);
    assert_int_equal(get(fixture, 1, 2, 0xFFB121F0), 12345);
    assert_int_equal(get(fixture, 2, 2, 0xFFB121F0), 12345);
}

/* 140 tiles parked in `j .`, as host software leaves them. */
static void parked_tiles_cost_next_to_nothing(void **context)
{
    struct fixture *fixture = *context;
    uint32_t park = SELF_JUMP;
    for (unsigned y = 2; y <= 11; y++) {
        for (unsigned x = 1; x <= 16; x++) {
            if (x != 8 && x != 9) {
                put(fixture, x, y, 0, &park, 1);
                assert_int_equal(bh_core_start(fixture->device, x, y, BH_CORE_B, 0), BH_OK);
            }
        }
    }
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, UINT64_MAX / 2, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(result.riscv_instructions, 0);
}

static void a_device_is_created_small(void **context)
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    struct bh_device *device;
    assert_int_equal(bh_device_create(NULL, &device), BH_OK);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
    bh_device_destroy(device);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_is_created_small),
        TEST(each_core_starts_where_it_is_told),
        TEST(core_b_starts_anywhere),
        TEST(cores_have_default_addresses),
        TEST(leaving_reset_clears_local_ram_unless_told_not_to),
        TEST(all_tiles_run_and_know_where_they_are),
        TEST(bad_arguments_are_refused),
        TEST(a_bad_address_transfers_nothing_and_stops_nothing),
        TEST(a_wrong_program_stops_the_device_and_says_where),
        TEST(cores_that_wait_for_each_other_are_a_deadlock),
        TEST(a_core_that_does_not_see_its_new_program_is_reported),
        TEST(a_loop_that_waits_for_nothing_is_a_deadlock),
        TEST(the_wall_clock_is_the_devices),
        TEST(parked_tiles_cost_next_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
