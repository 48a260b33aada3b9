/* Functional mode: short writes over the NoC carry what L1 held when they were started, on Tensix and Ethernet tiles;
   docs/noc.md. Kernels send a header, change it, and send it again at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "chip/rv32_words.h"
#include "noc/niu.h"

enum { CODE = 0x1000, SOURCE = 0x6000, PLACE = 0x7000, FIRST = 0x111, SECOND = 0x222, THIRD = 0x333, STEP = 0x200 };
enum {
    WRITE = 1 << 1,
    BYTES = 1 << 2,
    HERE_X = 3,
    HERE_Y = 4,
    THERE_X = 5,
    THERE_Y = 6,
    ETHERNET_X = 21,
    ETHERNET_Y = 25
};
#define NIU 0xFFB20000u
#define SOFT_RESET 0xFFB121B0u
#define RESET_PC 0xFFB14000u

static void put(struct bh_device *device, unsigned x, unsigned y, uint64_t address, uint32_t word)
{
    assert_int_equal(bh_write(device, x, y, address, &word, sizeof word), BH_OK);
}

static uint32_t get(struct bh_device *device, unsigned x, unsigned y, uint64_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(device, x, y, address, &word, sizeof word), BH_OK);
    return word;
}

static void prepare(struct bh_device *device, unsigned x, unsigned y, uint32_t control, uint32_t length)
{
    put(device, x, y, NIU + 4 * NOC_TARG_ADDR_LO, SOURCE);
    put(device, x, y, NIU + 4 * NOC_TARG_ADDR_HI, x | y << NOC_COORDINATE_BITS);
    put(device, x, y, NIU + 4 * NOC_RET_ADDR_LO, PLACE);
    put(device, x, y, NIU + 4 * NOC_RET_ADDR_HI, THERE_X | THERE_Y << NOC_COORDINATE_BITS);
    put(device, x, y, NIU + 4 * NOC_CTRL, control);
    put(device, x, y, NIU + 4 * NOC_AT_LEN_BE, length);
}

/* Sends the word to two places, with another value in between, and overwrites it. */
static uint32_t send_twice(uint32_t *words)
{
    uint32_t count = 0;
    words[count++] = lui(S0, SOURCE);
    words[count++] = lui(T2, NIU);
    words[count++] = lui(S1, PLACE);
    words[count++] = addi(S1, S1, STEP);
    words[count++] = addi(T0, 0, 1);
    words[count++] = addi(T1, 0, FIRST);
    words[count++] = sw(T1, S0, 0);
    words[count++] = sw(T0, T2, 4 * NOC_CMD_CTRL);
    words[count++] = addi(T1, 0, SECOND);
    words[count++] = sw(T1, S0, 0);
    words[count++] = sw(S1, T2, 4 * NOC_RET_ADDR_LO);
    words[count++] = sw(T0, T2, 4 * NOC_CMD_CTRL);
    words[count++] = addi(T1, 0, THIRD);
    words[count++] = sw(T1, S0, 0);
    words[count++] = SELF_JUMP;
    return count;
}

static void start_core(struct bh_device *device, bool ethernet)
{
    uint32_t words[32], size = send_twice(words) * sizeof *words;
    if (!ethernet) {
        assert_int_equal(bh_write(device, HERE_X, HERE_Y, CODE, words, size), BH_OK);
        assert_int_equal(bh_core_start(device, HERE_X, HERE_Y, BH_CORE_B, CODE), BH_OK);
        return;
    }
    enum { HELD = 0x1800, E1_HELD = 0x1000 };
    put(device, ETHERNET_X, ETHERNET_Y, SOFT_RESET, HELD);
    assert_int_equal(bh_write(device, ETHERNET_X, ETHERNET_Y, CODE, words, size), BH_OK);
    put(device, ETHERNET_X, ETHERNET_Y, RESET_PC, CODE);
    put(device, ETHERNET_X, ETHERNET_Y, SOFT_RESET, E1_HELD);
}

static void send_and_compare(bool ethernet, uint32_t control, uint32_t length)
{
    unsigned x = ethernet ? ETHERNET_X : HERE_X, y = ethernet ? ETHERNET_Y : HERE_Y;
    struct bh_device *device;
    assert_int_equal(bh_device_create(NULL, &device), BH_OK);
    prepare(device, x, y, control, length);
    start_core(device, ethernet);
    assert_int_equal(bh_run(device, 10000, NULL), BH_OK);
    assert_int_equal(get(device, x, y, SOURCE), THIRD);
    assert_int_equal(get(device, THERE_X, THERE_Y, PLACE), FIRST);
    assert_int_equal(get(device, THERE_X, THERE_Y, PLACE + STEP), SECOND);
    bh_device_destroy(device);
}

static void short_writes_carry_what_there_was_when_they_were_started(void **context)
{
    const uint32_t lengths[] = {4, 16, 64, 96, NOC_KEPT_BYTES};
    (void)context;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        send_and_compare(false, WRITE, lengths[i]);
        send_and_compare(true, WRITE, lengths[i]);
    }
}

static void so_do_those_with_byte_enables(void **context)
{
    (void)context;
    send_and_compare(false, WRITE | BYTES, 0xf);
    send_and_compare(true, WRITE | BYTES, 0xf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_writes_carry_what_there_was_when_they_were_started),
        cmocka_unit_test(so_do_those_with_byte_enables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
