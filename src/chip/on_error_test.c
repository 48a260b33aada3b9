/* on_error = BH_ON_ERROR_REPORT: an error stops its tile, and only that. */
#include <string.h>

#include "bhemu/pci.h"
#include "chip/device_fixture.h"
#include "chip/rv32_words.h"

enum { PROGRAM = 0x1000, RESULT = 0x20000, ALL_IN_RESET = 0x47800, JUMP_BACK_2 = 0xff9ff06f };
#define SOFT_RESET 0xFFB121B0u

static const uint32_t count[] = {0x000202b7 /* lui t0, 0x20 */, 0x00130313 /* addi t1, t1, 1 */,
                                 0x0062a023 /* sw t1, 0(t0) */, JUMP_BACK_2};

static void create(struct fixture *fixture, enum bh_mode mode, unsigned threads)
{
    struct bh_device_config config = {.on_diagnostic = on_diagnostic,
                                      .context = fixture,
                                      .mode = mode,
                                      .threads = threads,
                                      .on_error = BH_ON_ERROR_REPORT};
    *fixture = (struct fixture){};
    assert_int_equal(bh_device_create(&config, &fixture->device), BH_OK);
}

static void start(struct fixture *fixture, unsigned x, unsigned y, const uint32_t *words, unsigned words_count)
{
    assert_int_equal(bh_write(fixture->device, x, y, PROGRAM, words, words_count * 4), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, x, y, BH_CORE_T0, PROGRAM), BH_OK);
}

static void go_wild(struct fixture *fixture, unsigned x, unsigned y)
{
    const uint32_t wild[] = {lui(T0, 0x50000000), sw(0, T0, 0), SELF_JUMP};
    start(fixture, x, y, wild, 3);
}

static uint32_t get(struct fixture *fixture, unsigned x, unsigned y, uint64_t address)
{
    uint32_t word = 0;
    assert_int_equal(bh_read(fixture->device, x, y, address, &word, sizeof word), BH_OK);
    return word;
}

static void a_stopped_tile_answers_all_ones(void **context)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        struct fixture fixture;
        create(&fixture, kind % 2 ? BH_MODE_TIMED : BH_MODE_FUNCTIONAL, kind / 2 ? 3 : 1);
        start(&fixture, 2, 2, count, 4);
        go_wild(&fixture, 1, 2);
        assert_int_equal(bh_run(fixture.device, 10000, &fixture.result), BH_OK);
        assert_int_equal(fixture.result.reason, BH_RAN_CYCLES);
        assert_int_equal(fixture.diagnostics, 1);
        assert_int_equal(fixture.last.action, BH_STOP);
        assert_true(bh_tile_stopped(fixture.device, 1, 2));
        assert_false(bh_tile_stopped(fixture.device, 2, 2));
        assert_int_equal(get(&fixture, 1, 2, PROGRAM), UINT32_MAX);
        assert_int_equal(get(&fixture, 1, 2, SOFT_RESET), UINT32_MAX);
        uint32_t before = get(&fixture, 2, 2, RESULT);
        assert_true(before > 100);
        assert_int_equal(bh_run(fixture.device, 10000, NULL), BH_OK);
        assert_true(get(&fixture, 2, 2, RESULT) > before + 100);
        assert_int_equal(bh_tile_reset(fixture.device, 1, 2), BH_OK);
        assert_false(bh_tile_stopped(fixture.device, 1, 2));
        assert_int_equal(get(&fixture, 1, 2, PROGRAM), lui(T0, 0x50000000));
        assert_int_equal(get(&fixture, 1, 2, SOFT_RESET), ALL_IN_RESET);
        start(&fixture, 1, 2, count, 4);
        assert_int_equal(bh_run(fixture.device, 10000, NULL), BH_OK);
        assert_true(get(&fixture, 1, 2, RESULT) > 100);
        assert_int_equal(fixture.diagnostics, 1);
        bh_device_destroy(fixture.device);
    }
}

/* Nothing else runs: the device is idle, and its clock goes on. */
static void a_device_of_stopped_tiles_is_idle(void **context)
{
    struct fixture fixture;
    create(&fixture, BH_MODE_FUNCTIONAL, 1);
    go_wild(&fixture, 1, 2);
    assert_int_equal(bh_run(fixture.device, 10000, &fixture.result), BH_OK);
    assert_int_equal(fixture.result.reason, BH_RAN_IDLE);
    assert_int_equal(bh_advance(fixture.device, 1000), BH_RAN_IDLE);
    uint32_t word = 5;
    assert_int_equal(bh_write(fixture.device, 1, 2, RESULT, &word, 4), BH_OK); /* lost */
    assert_int_equal(bh_run(fixture.device, 10000, &fixture.result), BH_OK);
    assert_int_equal(fixture.result.reason, BH_RAN_IDLE);
    assert_int_equal(bh_core_start(fixture.device, 1, 2, BH_CORE_T0, PROGRAM), BH_OK); /* holds all first: a reset */
    assert_int_equal(get(&fixture, 1, 2, RESULT), 0);
    bh_device_destroy(fixture.device);
}

/* B of tile (2,2) reads a word of the stopped tile over the NoC, then writes to it, and counts responses. */
static void tiles_read_all_ones_from_it(void **context)
{
    for (unsigned timed = 0; timed < 2; timed++) {
        struct fixture fixture;
        create(&fixture, timed ? BH_MODE_TIMED : BH_MODE_FUNCTIONAL, 1);
        go_wild(&fixture, 1, 2);
        assert_int_equal(bh_run(fixture.device, 10000, NULL), BH_OK);
        const uint32_t read[] = {
            lui(T0, 0xFFB20000), lui(T2, RESULT),         sw(T2, T0, 0x00), sw(T2, T0, 0x0c), addi(T1, 0, 1 | 2 << 6),
            sw(T1, T0, 0x08),    addi(T1, 0, 2 | 2 << 6), sw(T1, T0, 0x14), addi(T1, 0, 4),   sw(T1, T0, 0x20),
            addi(T1, 0, 1),      sw(T1, T0, 0x40),        SELF_JUMP};
        start(&fixture, 2, 2, read, sizeof read / 4);
        assert_int_equal(bh_run(fixture.device, 100000, &fixture.result), BH_OK);
        assert_int_equal(fixture.result.reason, BH_RAN_IDLE);
        assert_int_equal(get(&fixture, 2, 2, RESULT), UINT32_MAX);
        assert_int_equal(get(&fixture, 2, 2, 0xFFB20208), 1); /* NIU_MST_RD_RESP_RECEIVED */
        assert_int_equal(fixture.diagnostics, 1);
        bh_device_destroy(fixture.device);
    }
}

static void reports_name_stopped_tiles_that_somebody_may_wait_for(void **context)
{
    static const char stopped[] = "was stopped by an error: UndefinedBehavior, core T0 at 0x00001004: store by T0 at "
                                  "0x50000000: nothing is mapped there";
    const uint32_t poll[] = {lui(T0, RESULT), 0x0002a303 /* lw t1, 0(t0) */, 0xfe030ee3 /* beqz t1, -4 */, SELF_JUMP};
    for (unsigned timed = 0; timed < 2; timed++) {
        struct fixture fixture;
        create(&fixture, timed ? BH_MODE_TIMED : BH_MODE_FUNCTIONAL, 1);
        go_wild(&fixture, 1, 2);
        assert_int_equal(bh_run(fixture.device, 10000, NULL), BH_OK);
        assert_int_equal(fixture.diagnostics, 1);
        bh_report(fixture.device); /* only the host can wait for it */
        assert_int_equal(fixture.diagnostics, 2);
        assert_int_equal(fixture.last.action, BH_WARN);
        assert_int_equal(fixture.last.tile_x, 1);
        assert_int_equal(strncmp(fixture.last.text, stopped, strlen(stopped)), 0);
        start(&fixture, 2, 2, poll, 4);
        (void)bh_run(fixture.device, 20000, NULL);
        bh_report(fixture.device);
        assert_int_equal(fixture.diagnostics, 3);
        assert_int_equal(fixture.last.tile_x, 2);
        char *line = strchr(fixture.last.text, '\n');
        assert_non_null(line);
        assert_int_equal(strncmp(line, "\n  tile (1,2) ", 14), 0);
        assert_int_equal(strncmp(line + 14, stopped, strlen(stopped)), 0);
        for (unsigned x = 3; x < 7; x++) { /* three are named */
            go_wild(&fixture, x, 2);
        }
        (void)bh_run(fixture.device, 20000, NULL);
        bh_report(fixture.device);
        assert_non_null(strstr(fixture.last.text, "\n  tile (4,2) was stopped by an error: "));
        assert_null(strstr(fixture.last.text, "\n  tile (5,2) "));
        assert_non_null(strstr(fixture.last.text, "\n  2 more tiles were stopped by errors"));
        for (unsigned x = 1; x < 7; x++) {
            if (x != 2) {
                assert_int_equal(bh_tile_reset(fixture.device, x, 2), BH_OK);
            }
        }
        bh_report(fixture.device);
        assert_int_equal(fixture.last.tile_x, 2);
        assert_null(strstr(fixture.last.text, "stopped"));
        bh_device_destroy(fixture.device);
    }
}

/* Who waits only for what the tile itself does does not wait for others. */
static void reports_of_own_waits_name_no_other_tile(void **context)
{
    struct fixture fixture;
    create(&fixture, BH_MODE_FUNCTIONAL, 1);
    go_wild(&fixture, 1, 2);
    const uint32_t wait[] = {0x8c400022 /* SEMINIT max_value=1, init_value=0, sem_sel=2 */,
                             0x9bfe0026 /* SEMWAIT for semaphore 1 not to be 0 */, 0x08000000 /* NOP */, SELF_JUMP};
    start(&fixture, 2, 2, wait, 4);
    (void)bh_run(fixture.device, 20000, NULL);
    bh_report(fixture.device);
    assert_int_equal(fixture.last.tile_x, 2);
    assert_non_null(strstr(fixture.last.text, "semaphore 1 is 0: nobody "));
    assert_null(strstr(fixture.last.text, "stopped by"));
    bh_device_destroy(fixture.device);
}

static void what_is_refused_reads_all_ones(void **context)
{
    struct fixture fixture;
    create(&fixture, BH_MODE_FUNCTIONAL, 1);
    uint32_t word = 0;
    assert_int_equal(bh_read(fixture.device, 1, 2, 0x200000, &word, 4), BH_ERROR_ADDRESS);
    assert_int_equal(word, UINT32_MAX);
    word = 0;
    assert_int_equal(bh_pci_read(fixture.device, 0x1000, &word, 4), BH_ERROR_ADDRESS);
    assert_int_equal(word, UINT32_MAX);
    word = 0;
    assert_int_equal(bh_pci_config_read(fixture.device, 3, &word), BH_ERROR_ADDRESS);
    assert_int_equal(word, UINT32_MAX);
    assert_false(bh_tile_stopped(fixture.device, 1, 2));
    bh_device_destroy(fixture.device);
}

static void a_reset_device_is_as_new(void **context)
{
    struct fixture fixture;
    create(&fixture, BH_MODE_FUNCTIONAL, 1);
    go_wild(&fixture, 1, 2);
    assert_int_equal(bh_run(fixture.device, 10000, NULL), BH_OK);
    uint64_t clock = bh_clock(fixture.device);
    assert_int_equal(bh_device_reset(NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_reset(fixture.device), BH_OK);
    assert_int_equal(bh_clock(fixture.device), clock);
    assert_false(bh_tile_stopped(fixture.device, 1, 2));
    assert_int_equal(get(&fixture, 1, 2, PROGRAM), 0);
    start(&fixture, 1, 2, count, 4);
    assert_int_equal(bh_run(fixture.device, 10000, NULL), BH_OK);
    assert_true(get(&fixture, 1, 2, RESULT) > 100);
    bh_device_destroy(fixture.device);
}

static void ethernet_tiles_are_stopped_alone_too(void **context)
{
    struct fixture fixture;
    unsigned x = 20, y = 25; /* translated coordinates of Ethernet tile 0 */
    create(&fixture, BH_MODE_FUNCTIONAL, 1);
    const uint32_t wild[] = {lui(T0, 0x50000000), sw(0, T0, 0), SELF_JUMP};
    uint32_t held = 3 << 11, pc = PROGRAM;
    assert_int_equal(bh_write(fixture.device, x, y, PROGRAM, wild, sizeof wild), BH_OK);
    assert_int_equal(bh_write(fixture.device, x, y, 0xFFB14000, &pc, 4), BH_OK);
    assert_int_equal(bh_write(fixture.device, x, y, SOFT_RESET, &held, 4), BH_OK);
    held = 1 << 12; /* E1 only */
    assert_int_equal(bh_write(fixture.device, x, y, SOFT_RESET, &held, 4), BH_OK);
    start(&fixture, 2, 2, count, 4);
    assert_int_equal(bh_run(fixture.device, 10000, &fixture.result), BH_OK);
    assert_int_equal(fixture.result.reason, BH_RAN_CYCLES);
    assert_int_equal(fixture.diagnostics, 1);
    assert_true(bh_tile_stopped(fixture.device, x, y));
    assert_int_equal(get(&fixture, x, y, 0), UINT32_MAX);
    held = UINT32_MAX;
    assert_int_equal(bh_write(fixture.device, x, y, SOFT_RESET, &held, 4), BH_OK);
    assert_false(bh_tile_stopped(fixture.device, x, y));
    assert_int_not_equal(get(&fixture, x, y, 0), UINT32_MAX);
    bh_device_destroy(fixture.device);
}

static void wrong_arguments(void **context)
{
    struct bh_device_config config = {.on_error = BH_ON_ERRORS};
    struct bh_device *device;
    enum bh_on_error on_error;
    assert_int_equal(bh_device_create(&config, &device), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_on_error_by_name("report", &on_error), BH_OK);
    assert_int_equal(on_error, BH_ON_ERROR_REPORT);
    assert_int_equal(bh_on_error_by_name("stop", &on_error), BH_OK);
    assert_int_equal(on_error, BH_ON_ERROR_STOP);
    assert_int_equal(bh_on_error_by_name("ignore", &on_error), BH_ERROR_ARGUMENT);
    struct fixture fixture;
    create(&fixture, BH_MODE_FUNCTIONAL, 1);
    assert_int_equal(bh_tile_reset(fixture.device, 8, 8), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_tile_reset(fixture.device, 19, 24), BH_ERROR_ARGUMENT); /* PCIe */
    assert_int_equal(bh_tile_reset(NULL, 1, 2), BH_ERROR_ARGUMENT);
    assert_false(bh_tile_stopped(fixture.device, 8, 8));
    bh_device_destroy(fixture.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_tile_answers_all_ones),
        cmocka_unit_test(a_device_of_stopped_tiles_is_idle),
        cmocka_unit_test(tiles_read_all_ones_from_it),
        cmocka_unit_test(reports_name_stopped_tiles_that_somebody_may_wait_for),
        cmocka_unit_test(reports_of_own_waits_name_no_other_tile),
        cmocka_unit_test(what_is_refused_reads_all_ones),
        cmocka_unit_test(a_reset_device_is_as_new),
        cmocka_unit_test(ethernet_tiles_are_stopped_alone_too),
        cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests_name("chip.on_error", tests, NULL, NULL);
}
