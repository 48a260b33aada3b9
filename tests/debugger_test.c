/* A debugger on the host, through the public interface: a program that stops at ebreak is inspected, changed and
   resumed, on a device that runs nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bhemu/device.h"

enum { X = 3, Y = 4, START = 0x1000, TARGET = 0x10000 };
enum { CONTROL_0 = 0xFFB12080, CONTROL_1 = 0xFFB12084, STATUS_1 = 0xFFB1208C, T0_PC = 0xFFB13140 };
enum { DR_STATUS, DR_COMMAND, DR_ARGUMENT_0, DR_ARGUMENT_1, DR_RESULT };
enum { PAUSED_BY_EBREAK = 9, CONTINUE = 4, WRITE_GPR = 16 };
#define SLOW (1u << 31)

static const uint32_t program[] = {
    0x00010537, /* lui a0, 0x10 */
    0x00100073, /* ebreak */
    0x00b52023, /* sw a1, 0(a0) */
    0x0000006f, /* j . */
};

static void write_word(struct bh_device *device, uint32_t address, uint32_t value)
{
    assert_int_equal(bh_write(device, X, Y, address, &value, sizeof value), BH_OK);
}

static uint32_t read_word(struct bh_device *device, uint32_t address)
{
    uint32_t value = 0;
    assert_int_equal(bh_read(device, X, Y, address, &value, sizeof value), BH_OK);
    return value;
}

static void dr_write(struct bh_device *device, unsigned index, uint32_t value)
{
    write_word(device, CONTROL_1, value);
    write_word(device, CONTROL_0, 0x80010000 + (BH_CORE_T0 << 17) + index);
    write_word(device, CONTROL_0, 0);
}

static uint32_t dr_read(struct bh_device *device, unsigned index)
{
    write_word(device, CONTROL_0, 0x80000000 + (BH_CORE_T0 << 17) + index);
    write_word(device, CONTROL_0, 0);
    return read_word(device, STATUS_1);
}

static void a_program_at_an_ebreak_is_changed_and_resumed(void **state)
{
    struct bh_device *device;
    struct bh_run_result result;
    assert_int_equal(bh_device_create(NULL, &device), BH_OK);
    assert_int_equal(bh_write(device, X, Y, START, program, sizeof program), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_T0, START), BH_OK);
    dr_write(device, DR_COMMAND, SLOW);
    assert_int_equal(bh_run(device, 100000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(dr_read(device, DR_STATUS), PAUSED_BY_EBREAK);
    assert_int_equal(read_word(device, T0_PC), START + 8);

    dr_write(device, DR_ARGUMENT_0, 11);
    dr_write(device, DR_ARGUMENT_1, 0xfeedbeef);
    dr_write(device, DR_COMMAND, SLOW | WRITE_GPR);
    dr_write(device, DR_COMMAND, SLOW | CONTINUE);
    assert_int_equal(dr_read(device, DR_STATUS), 0);
    assert_int_equal(bh_run(device, 100000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(read_word(device, TARGET), 0xfeedbeef);
    assert_int_equal(read_word(device, T0_PC), START + 12);
    bh_device_destroy(device);
}

struct told {
    struct bh_diagnostic last;
    unsigned count;
};

static void tell(void *context, const struct bh_diagnostic *diagnostic)
{
    struct told *told = context;
    told->last = *diagnostic;
    told->count++;
}

/* Core T0 is at an ebreak. The host polls for T0's result, while core B reads the clock for ever. */
static void a_host_that_polls_is_told_once_of_an_ebreak(void **state)
{
    static const uint32_t clock[] = {
        0xffb122b7, /* lui t0, 0xffb12 */
        0x1f02a303, /* lw t1, 0x1f0(t0): the wall clock */
        0xffdff06f, /* j -4 */
    };
    struct told told = {0};
    const struct bh_device_config config = {.on_diagnostic = tell, .context = &told};
    struct bh_device *device;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    assert_int_equal(bh_write(device, X, Y, START, program, sizeof program), BH_OK);
    assert_int_equal(bh_write(device, X, Y, START + 0x1000, clock, sizeof clock), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_T0, START), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_B, START + 0x1000), BH_OK);
    for (unsigned i = 0; i < 1000; i++) {
        struct bh_run_result result;
        assert_int_equal(bh_run(device, 1000, &result), BH_OK);
        assert_int_equal(result.reason, BH_RAN_CYCLES);
        assert_int_equal(read_word(device, TARGET), 0);
    }
    assert_int_equal(told.count, 1);
    assert_int_equal(told.last.action, BH_WARN);
    assert_int_equal(told.last.tile_x, X);
    assert_int_equal(told.last.tile_y, Y);
    assert_int_equal(told.last.agent, BH_AGENT_CORE);
    assert_int_equal(told.last.index, BH_CORE_T0);
    assert_int_equal(told.last.pc, START + 4);
    bh_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_at_an_ebreak_is_changed_and_resumed),
        cmocka_unit_test(a_host_that_polls_is_told_once_of_an_ebreak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
