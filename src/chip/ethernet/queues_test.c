/* Registers of the queues of Ethernet tiles at their limits. Source: ISA documentation EthernetTile/EthernetTxRx.md. */
#include "chip/device_fixture.h"

#define TX 0xFFB90000u
#define RX 0xFFB94000u

enum { X = 20, Y = 25, QUEUE_STRIDE = 0x1000, QUEUES = 3 };
enum {
    CMD = 0x04,
    MAX_PKT_SIZE_BYTES = 0x0c,
    TRANSFER_START = 0x14,
    TRANSFER_SIZE = 0x18,
    DEST = 0x1c,
    PKT_START_CNT = 0x34
};
enum { RXQ_CTRL = 0x00, TILE_HEADER_FORMAT = 0x48, L1_WRITE = 2 };

static void put(struct fixture *fixture, uint32_t address, uint32_t word)
{
    assert_int_equal(bh_write(fixture->device, X, Y, address, &word, sizeof word), BH_OK);
}

static uint32_t get(struct fixture *fixture, uint32_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(fixture->device, X, Y, address, &word, sizeof word), BH_OK);
    return word;
}

/* "Writes ignored, reads as zero" */
static void reserved_bits_read_as_zero(void **context)
{
    struct fixture *fixture = *context;
    for (uint32_t rx = RX; rx < RX + QUEUES * QUEUE_STRIDE; rx += QUEUE_STRIDE) {
        put(fixture, rx + RXQ_CTRL, UINT32_MAX);
        put(fixture, rx + TILE_HEADER_FORMAT, UINT32_MAX);
        assert_int_equal(get(fixture, rx + RXQ_CTRL), 1 << 1 | 1 << 2);
        assert_int_equal(get(fixture, rx + TILE_HEADER_FORMAT), 0x3fff);
    }
}

/* "if this is more than ETH_TXQ_MAX_PKT_SIZE_BYTES, hardware will split it": as many packets as that takes. */
static void transfers_are_as_many_packets_as_their_longest_allows(void **context)
{
    static const uint32_t longest[] = {16, 0x1000, 0x7fffffff, 0x80000000, 0xfffffff0, UINT32_MAX},
                          packets[] = {256, 1, 1, 1, 1, 1};
    struct fixture *fixture = *context;
    put(fixture, TX + TRANSFER_START, 0x10000);
    put(fixture, TX + TRANSFER_SIZE, 0x1000);
    put(fixture, TX + DEST, 0x20000);
    for (unsigned i = 0; i < sizeof longest / sizeof *longest; i++) {
        uint32_t before = get(fixture, TX + PKT_START_CNT);
        put(fixture, 0x10000, 0x1000 + i);
        put(fixture, TX + MAX_PKT_SIZE_BYTES, longest[i]);
        put(fixture, TX + CMD, L1_WRITE);
        assert_int_equal(get(fixture, 0x20000), 0x1000 + i);
        assert_int_equal(get(fixture, TX + PKT_START_CNT) - before, packets[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reserved_bits_read_as_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(transfers_are_as_many_packets_as_their_longest_allows, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
