/* Launches as they are seen from outside: circular buffers that overlap tell which of them the checker knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "host/metal_layout.h"
#include "host/metal_watch.h"
#include "tile/mmio.h"

enum { X = 1, Y = 2, CONFIG = 0x9000, DESCRIPTIONS = 0x40, FIRST = 0x30000 };

struct test {
    struct bh_check *check;
    struct metal_watch *watch;
    const struct metal_layout *layout;
    unsigned found;
};

static void on_finding(void *context, const struct bh_check_finding *finding)
{
    struct test *test = context;
    assert_string_equal(finding->rule, "memcheck.circular-buffer");
    test->found++;
}

static int set_up(void **context)
{
    static const uint32_t entries[BH_CORE_COUNT] = {[BH_CORE_B] = 0x3840,
                                                    [BH_CORE_NC] = 0x5440,
                                                    [BH_CORE_T0] = 0x5a40,
                                                    [BH_CORE_T1] = 0x6040,
                                                    [BH_CORE_T2] = 0x6640};
    struct test *test = calloc(1, sizeof *test);
    const struct bh_check_options options = {.on_finding = on_finding, .context = test};
    assert_int_equal(bh_check_open(&options, &test->check, NULL), BH_OK);
    test->watch = metal_watch_open(test->check, NULL, 0);
    assert_non_null(test->watch);
    test->layout = metal_layout_find(entries);
    assert_non_null(test->layout);
    *context = test;
    return 0;
}

static int tear_down(void **context)
{
    struct test *test = *context;
    metal_watch_close(test->watch);
    bh_check_close(test->check);
    free(test);
    return 0;
}

static void put(const struct test *test, enum bh_agent agent, uint32_t address, const void *data, uint32_t size)
{
    const struct bh_observer *observer = metal_watch_observer(test->watch);
    const struct bh_event event = {
        .kind = BH_EVENT_ACCESS,
        .tile_x = X,
        .tile_y = Y,
        .agent = (uint8_t)agent,
        .access = {.space = address < 0x180000 ? BH_SPACE_L1 : BH_SPACE_REGISTER,
                   .write = 1,
                   .size = size,
                   .address = address,
                   .data = data},
    };
    assert_true(observer->kinds >> BH_EVENT_ACCESS & 1);
    observer->on_event(observer->context, &event);
}

static void put_word(const struct test *test, enum bh_agent agent, uint32_t address, uint32_t word)
{
    put(test, agent, address, &word, sizeof word);
}

/* Firmware's code does not matter, but where it begins. */
static void boot(const struct test *test)
{
    uint32_t offset = 0x3840;
    uint32_t jump = 0x6f | (offset & 0xff000) | (offset >> 11 & 1) << 20 | (offset >> 1 & 0x3ff) << 21;
    put_word(test, BH_AGENT_HOST, 0, jump);
    put_word(test, BH_AGENT_CORE, MMIO_ADDRESS_NCRISC_RESET_PC, 0x5440); /* B does that */
    put_word(test, BH_AGENT_CORE, MMIO_ADDRESS_TRISC0_RESET_PC, 0x5a40);
    put_word(test, BH_AGENT_CORE, MMIO_ADDRESS_TRISC1_RESET_PC, 0x6040);
    put_word(test, BH_AGENT_CORE, MMIO_ADDRESS_TRISC2_RESET_PC, 0x6640);
}

/* Two circular buffers of 64 bytes, one `distance` behind the other. */
static void send_launch(const struct test *test, enum bh_agent agent, unsigned entry, uint32_t distance)
{
    const uint32_t descriptions[] = {FIRST, 64, 1, 64, FIRST + distance, 64, 1, 64};
    uint8_t message[METAL_MESSAGE_BYTES] = {};
    metal_put(test->layout, message, METAL_kernel_config_base, 0, CONFIG);
    metal_put(test->layout, message, METAL_local_cb_offset, 0, DESCRIPTIONS);
    metal_put(test->layout, message, METAL_local_cb_mask, 0, 3);
    put(test, agent, CONFIG + DESCRIPTIONS, descriptions, sizeof descriptions);
    put(test, agent, test->layout->launch + entry * metal_message_size(test->layout), message,
        metal_message_size(test->layout));
}

static void send_go(const struct test *test, enum bh_agent agent, unsigned index, enum metal_signal signal)
{
    put_word(test, agent, test->layout->go + 4 * index, (uint32_t)signal << 8 * METAL_SIGNAL_BYTE);
}

static void expect(struct test *test, unsigned found)
{
    assert_int_equal(test->found, found);
    test->found = 0;
}

static void launches_by_the_host_and_over_the_noc(void **context)
{
    static const enum bh_agent agents[] = {BH_AGENT_HOST, BH_AGENT_NIU};
    for (unsigned i = 0; i < 2; i++, tear_down(context), set_up(context)) {
        struct test *test = *context;
        boot(test);
        send_launch(test, agents[i], 0, 32);
        send_go(test, agents[i], 0, METAL_SIGNAL_INIT);
        send_go(test, agents[i], 1, METAL_SIGNAL_GO); /* which does not count */
        send_go(test, BH_AGENT_CORE, 0, METAL_SIGNAL_DONE);
        expect(test, 0);
        send_go(test, agents[i], 0, METAL_SIGNAL_GO);
        expect(test, 1);
    }
}

static void the_next_launch_has_other_buffers(void **context)
{
    struct test *test = *context;
    boot(test);
    send_launch(test, BH_AGENT_HOST, 0, 64);
    send_go(test, BH_AGENT_HOST, 0, METAL_SIGNAL_GO);
    send_launch(test, BH_AGENT_HOST, 1, 128); /* in the next entry of the ring */
    put_word(test, BH_AGENT_CORE, METAL_LAUNCH_READ_PTR, 1);
    send_go(test, BH_AGENT_HOST, 0, METAL_SIGNAL_GO);
    expect(test, 0);
    send_launch(test, BH_AGENT_HOST, 1, 48);
    send_go(test, BH_AGENT_HOST, 0, METAL_SIGNAL_GO);
    expect(test, 1);
}

static void other_firmware_is_left_alone(void **context)
{
    struct test *test = *context;
    boot(test);
    put_word(test, BH_AGENT_HOST, MMIO_ADDRESS_TRISC2_RESET_PC, 0x6644);
    send_launch(test, BH_AGENT_HOST, 0, 32);
    send_go(test, BH_AGENT_HOST, 0, METAL_SIGNAL_GO);
    expect(test, 0);
}

static void descriptions_that_make_no_sense(void **context)
{
    struct test *test = *context;
    const uint32_t nowhere[] = {0xfffffff0, 64, 1, 64, FIRST, 0xffffffff, 1, 64};
    uint8_t message[METAL_MESSAGE_BYTES] = {};
    boot(test);
    send_launch(test, BH_AGENT_HOST, 0, 32);
    put(test, BH_AGENT_HOST, CONFIG + DESCRIPTIONS, nowhere, sizeof nowhere);
    send_go(test, BH_AGENT_HOST, 0, METAL_SIGNAL_GO);
    metal_put(test->layout, message, METAL_kernel_config_base, 0, 0xfffffff0); /* a message that is nothing but wrong */
    metal_put(test->layout, message, METAL_local_cb_offset, 0, 0xffff);
    metal_put(test->layout, message, METAL_local_cb_mask, 0, UINT32_MAX);
    put(test, BH_AGENT_HOST, test->layout->launch, message, metal_message_size(test->layout));
    send_go(test, BH_AGENT_HOST, 0, METAL_SIGNAL_GO);
    metal_put(test->layout, message, METAL_kernel_config_base, 0, (1 << 17) - 4);
    put(test, BH_AGENT_HOST, test->layout->launch, message, metal_message_size(test->layout));
    send_go(test, BH_AGENT_HOST, 0, METAL_SIGNAL_GO);
    put(test, BH_AGENT_HOST, (1 << 17) - 8, nowhere, sizeof nowhere); /* goes on behind what is kept */
    expect(test, 0);
}

int main(void)
{
#define WATCH_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WATCH_TEST(launches_by_the_host_and_over_the_noc),
        WATCH_TEST(the_next_launch_has_other_buffers),
        WATCH_TEST(other_firmware_is_left_alone),
        WATCH_TEST(descriptions_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
