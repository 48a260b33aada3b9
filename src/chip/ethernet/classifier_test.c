/* Frames that an Ethernet tile sends with headers of its table, and how its RX classifier treats them. Source: ISA
   documentation EthernetTile/EthernetTxRx.md ("INSERT_CTL"), EthernetRxClassifier.md; its sample ethdump.c, and
   tt-metal eth_ptp.hpp, for how software writes registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "chip/device_fixture.h"
#include "chip/ethernet/classifier_fixture.h"

enum { X = 20, Y = 25, PAYLOAD = 0x10000, RECEIVED = 0x30000, HEADER = 5, RX_QUEUE = 2, SIZE = 40 };

#define TX 0xFFB92000u
#define RX 0xFFB96000u
#define ENTRY (0xFFB98200u + 0x80 * HEADER)
#define CLASSIFIER CLASSIFIER_BASE

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

/* Queue 2 sends SIZE bytes with header 5, RX queue 2 stores all bytes that it receives. */
static void set_up_queues(struct fixture *fixture)
{
    for (uint32_t i = 0; i < SIZE; i += 4) {
        put(fixture, PAYLOAD + i, 0x03020100 + i * 0x01010101);
    }
    put(fixture, TX + 0x14, PAYLOAD);
    put(fixture, TX + 0x18, SIZE);
    put(fixture, TX + 0x80, HEADER);
    put(fixture, RX, 0);
    put(fixture, RX + 0x0c, RECEIVED >> 4);
    put(fixture, RX + 0x10, 0x1000 >> 4);
    put(fixture, RX + 0x18, 0);
    put(fixture, 0xFFB98150, 2); /* MAC_RX_ROUTING: as the flow table says */
    put(fixture, CLASSIFIER + 0xd04, RX_QUEUE);
    put(fixture, ENTRY + 0x10, 0xa3a4a5a6); /* from a1:a2:a3:a4:a5:a6 to 22:22:33:44:55:66 */
    put(fixture, ENTRY + 0x14, 0xa1a2);
    put(fixture, ENTRY + 0x18, 0x33445566);
    put(fixture, ENTRY + 0x1c, 0x2222);
}

/* Sends the frame; *size becomes the number of bytes received, of which `bytes` gets the first 256. */
static void transfer(struct fixture *fixture, uint8_t bytes[256], uint32_t *size)
{
    put(fixture, RX + 0x08, 0);
    put(fixture, TX + 0x04, 1);
    *size = get(fixture, RX + 0x08);
    assert_int_equal(bh_read(fixture->device, X, Y, RECEIVED, bytes, 256), BH_OK);
}

/* A sum of 16-bit words that includes its checksum is all ones. */
static uint32_t ones_sum(const uint8_t *bytes, uint32_t size, uint32_t sum)
{
    for (uint32_t i = 0; i + 1 < size; i += 2) {
        sum += big(bytes + i, 2);
    }
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

/* As the sample of the ISA documentation sends: IPv4 and UDP, with hardware's lengths and checksums. */
static void put_udp_headers(struct fixture *fixture)
{
    static const uint32_t header[] = {0x45000000, 0, 0x0a110000, 0x7f000001, 0x7f000002};
    put(fixture, ENTRY + 0x20, 0x08000001);
    for (unsigned i = 0; i < 5; i++) {
        put(fixture, ENTRY + 0x30 + 4 * i, header[i]);
    }
    put(fixture, ENTRY + 0x60, 0x12345678); /* ports */
    put(fixture, ENTRY + 0x64, 0);
    put(fixture, ENTRY, 1 << 8 | 1 << 16 | 1 << 18);
}

static void ip_and_udp_headers_get_lengths_and_checksums(void **context)
{
    struct fixture *fixture = *context;
    uint8_t bytes[256];
    uint32_t size;
    set_up_queues(fixture);
    put_udp_headers(fixture);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 14 + 20 + 8 + SIZE);
    assert_int_equal(big(bytes + 12, 2), 0x0800);
    assert_int_equal(big(bytes + 16, 2), 20 + 8 + SIZE);
    assert_int_equal(ones_sum(bytes + 14, 20, 0), 0xffff);
    assert_int_equal(big(bytes + 26, 4), 0x7f000001);
    assert_int_equal(big(bytes + 34, 4), 0x12345678);
    assert_int_equal(big(bytes + 38, 2), 8 + SIZE);
    assert_int_equal(ones_sum(bytes + 34, 8 + SIZE, ones_sum(bytes + 26, 8, 17 + 8 + SIZE)), 0xffff);
    assert_int_equal(big(bytes + 42, 4), 0x00010203);
}

static void ipv6_and_tcp_follow_two_tags(void **context)
{
    struct fixture *fixture = *context;
    uint8_t bytes[256];
    uint32_t size;
    set_up_queues(fixture);
    put(fixture, ENTRY + 0x20, 0x86dd0001);
    put(fixture, ENTRY + 0x24, 0x88a86123);
    put(fixture, ENTRY + 0x28, 0x81002456);
    for (unsigned i = 0; i < 10; i++) {
        put(fixture, ENTRY + 0x30 + 4 * i, i == 0 ? 0x60000000 : i == 1 ? 0x0640 : 0x01020304 * i);
    }
    for (unsigned i = 0; i < 5; i++) {
        put(fixture, ENTRY + 0x60 + 4 * i, i == 3 ? 0x50100000 : 0x11 * i);
    }
    put(fixture, ENTRY, 1 | 1 << 4 | 1 << 8 | 1 << 12 | 1 << 16 | 1 << 18 | 1 << 20);
    put(fixture, CLASSIFIER + 0x1000, 0);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 12 + 8 + 2 + 40 + 20 + SIZE);
    assert_int_equal(big(bytes + 12, 4), 0x88a86123);
    assert_int_equal(big(bytes + 16, 4), 0x81002456);
    assert_int_equal(big(bytes + 26, 2), 20 + SIZE);
    assert_int_equal(ones_sum(bytes + 62, 20 + SIZE, ones_sum(bytes + 30, 32, 6 + 20 + SIZE)), 0xffff);
    put(fixture, ENTRY, 1 << 8 | 1 << 26);
    uint32_t one = 1;
    assert_int_not_equal(bh_write(fixture->device, X, Y, TX + 4, &one, 4), BH_OK);
    assert_int_equal(fixture->last.category, BH_UNSUPPORTED);
    put(fixture, ENTRY, 1 << 8 | 2 << 12);
    assert_int_not_equal(bh_write(fixture->device, X, Y, TX + 4, &one, 4), BH_OK);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
}

/* "SW_METADATA comes first"; "prepended in big endian byte order" */
static void metadata_go_in_front(void **context)
{
    struct fixture *fixture = *context;
    uint8_t bytes[256];
    uint32_t size;
    set_up_queues(fixture);
    put(fixture, CLASSIFIER + 0xd04, RX_QUEUE | 1 << 5 | 1 << 6);
    put(fixture, CLASSIFIER + 0xd0c, 0x89abcdef);
    put(fixture, CLASSIFIER + 0xd00, 0x15);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 8 + 14 + SIZE);
    assert_int_equal(big(bytes, 4), 0x89abcdef);
    assert_int_equal(big(bytes + 4, 4), (14 + SIZE) | RX_QUEUE << 20 | 0x15 << 24);
    assert_int_equal(big(bytes + 8, 4), 0x22223344);
    assert_int_equal(big(bytes + 20, 2), SIZE); /* no EtherType: the length */
}

/* "Whether to remove VLAN tags and IP/UDP headers from the frame" */
static void tags_and_headers_are_removed(void **context)
{
    struct fixture *fixture = *context;
    uint8_t bytes[256];
    uint32_t size;
    set_up_queues(fixture);
    put_udp_headers(fixture);
    put(fixture, ENTRY + 0x24, 0x81002456);
    put(fixture, ENTRY, 1 | 1 << 8 | 1 << 16 | 1 << 18);
    put(fixture, CLASSIFIER + 0xd04, RX_QUEUE | 1 << 3);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 14 + SIZE);
    assert_int_equal(big(bytes + 12, 2), 0x0800);
    assert_int_equal(big(bytes + 14, 4), 0x00010203);
}

/* "Optionally require that frames have particular S-TAG or C-TAG VLAN tags"; OVERRIDE_DECISION */
static void frames_are_dropped(void **context)
{
    struct fixture *fixture = *context;
    uint8_t bytes[256];
    uint32_t size;
    set_up_queues(fixture);
    put(fixture, ENTRY + 0x24, 0x8100a456);
    put(fixture, ENTRY, 1);
    put(fixture, CLASSIFIER + 0x1000, 2);
    for (uint32_t wanted = 0x456; wanted < 0x458; wanted++) {
        put(fixture, CLASSIFIER + 0xd08, wanted | 1 << 15);
        transfer(fixture, bytes, &size);
        assert_int_equal(size, wanted == 0x456 ? 18 + SIZE : 0);
    }
    put(fixture, CLASSIFIER + 0x1000, 0);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 18 + SIZE);
    put(fixture, CLASSIFIER + 0xd08, 1u << 31); /* an S-tag, too */
    put(fixture, CLASSIFIER + 0x1000, 2);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 0);
    put(fixture, CLASSIFIER + 0xd08, 0);
    put(fixture, CLASSIFIER + 0xd04, RX_QUEUE | 1 << 2);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 0);
    put(fixture, CLASSIFIER + 0x1000, 1);
    put(fixture, CLASSIFIER + 0xd04, RX_QUEUE);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 0);
    assert_int_equal(get(fixture, RX + 0x4c), 0); /* the dropped frames are counted by the queue */
}

/* HEADER_ERROR_CONTROL, EOP_STATUS_GOOD_LO, USER_DEFINED_ETHERTYPE */
static void unsupported_headers_and_codes_are_dropped(void **context)
{
    enum { LONG_HEADER = 0x46000000, PAUSE = 0x88080001 };
    struct fixture *fixture = *context;
    uint8_t bytes[256];
    uint32_t size;
    set_up_queues(fixture);
    put_udp_headers(fixture);
    put(fixture, ENTRY + 0x30, LONG_HEADER);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 0);
    put(fixture, CLASSIFIER + 0x1004, 1);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 42 + SIZE);
    put(fixture, CLASSIFIER + 0x1004, 0);
    put(fixture, CLASSIFIER, 0xffff0800); /* as the sample of the ISA documentation does */
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 42 + SIZE);
    put(fixture, ENTRY, 0);
    put(fixture, ENTRY + 0x20, PAUSE);
    put(fixture, PAYLOAD, 0x0100); /* operation 1: flow control, code 1 */
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 14 + SIZE);
    put(fixture, 0xFFB98120, 0x1d);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 0);
}

/* The pattern of one row, as eth_ptp.hpp writes it, and how it reads back. */
static void patterns_are_written_and_read(void **context)
{
    struct fixture *fixture = *context;
    uint8_t bytes[256];
    uint32_t size;
    set_up_queues(fixture);
    put(fixture, CLASSIFIER + 0xd60, 1);
    for (uint32_t mask = 0; mask < 2; mask++) { /* all frames to 22:22:33:44:55:xx */
        put(fixture, CLASSIFIER + 0xd80, 0);
        put(fixture, CLASSIFIER + 0xdc0, mask ? UINT32_MAX : 0);
        put(fixture, CLASSIFIER + 0xdc4, mask ? UINT32_MAX : 0);
        for (unsigned word = 0; word < 4; word++) {
            put(fixture, CLASSIFIER + 0xd90 + 4 * word, mask ? UINT32_MAX : 0);
            put(fixture, CLASSIFIER + 0xda0 + 4 * word,
                word == 0   ? (mask ? 0xff : 0x33445500)
                : word == 1 ? (mask ? 0 : 0x2222)
                : mask      ? UINT32_MAX
                            : 0);
        }
        put(fixture, CLASSIFIER + 0xdb0, mask ? UINT32_MAX : 0);
        put(fixture, CLASSIFIER + 0xdf0, GO | 0xf8u << 16 | 1 << 10 | 1 << 9 | mask << 8 | 17);
    }
    put(fixture, CLASSIFIER + 0xc00 + 4 * 17, 7 | 9 << 16);
    put(fixture, CLASSIFIER + 0xe84, RX_QUEUE | 1 << 5);
    put(fixture, CLASSIFIER + 0xe8c, 0x77);
    put(fixture, CLASSIFIER + 0xea0, GO | 1 << 8 | 9);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 14 + SIZE); /* the row is not enabled yet */
    put(fixture, CLASSIFIER + 0xd40, GO | 1 << 16 | 1 << 8 | 17);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 4 + 14 + SIZE);
    assert_int_equal(big(bytes, 4), 0x77);
    put(fixture, ENTRY + 0x18, 0x33445655);
    transfer(fixture, bytes, &size);
    assert_int_equal(size, 14 + SIZE);
    put(fixture, CLASSIFIER + 0xdf0, GO | 17);
    assert_int_equal(get(fixture, CLASSIFIER + 0xe20), 0x33445500);
    put(fixture, CLASSIFIER + 0xdf0, GO | 1 << 8 | 17);
    assert_int_equal(get(fixture, CLASSIFIER + 0xe20), 0xff);
    put(fixture, CLASSIFIER + 0xd40, GO | 17);
    assert_int_equal(get(fixture, CLASSIFIER + 0xd44), 1 << 8 | 17);
    put(fixture, CLASSIFIER + 0xe84, 0);
    put(fixture, CLASSIFIER + 0xea0, GO | 9);
    assert_int_equal(get(fixture, CLASSIFIER + 0xe84), RX_QUEUE | 1 << 5);
}

static uint64_t get_pair(struct fixture *fixture, uint32_t address)
{
    uint64_t low = get(fixture, address);
    return (uint64_t)get(fixture, address + 4) << 32 | low;
}

/* eth_ptp.hpp, restart_ptp_timer(): PTP time minus the reference clock's nanoseconds is -(restart_at + 1) * 20 */
static void the_timer_restarts_when_it_is_told_to(void **context)
{
    enum { TIMER = 0xFFB98800, NS = 20, TICK = 27, LEAD = 5000, BOTH_TAKEN = 3 << 8 };
    struct fixture *fixture = *context;
    bh_pass(fixture->device, UINT64_C(1000000) * TICK);
    put(fixture, TIMER, 1);
    uint64_t at = get_pair(fixture, TIMER + 0x50) + LEAD;
    assert_int_equal(at, 1000000 + LEAD);
    put(fixture, TIMER + 0x04, (uint32_t)at);
    put(fixture, TIMER + 0x08, (uint32_t)(at >> 32));
    put(fixture, TIMER + 0x0c, NS << 16);
    put(fixture, TIMER + 0x10, 0);
    put(fixture, TIMER + 0x14, 0);
    put(fixture, TIMER + 0x20, 1);
    put(fixture, TIMER + 0x24, 1);
    assert_int_equal(get(fixture, TIMER + 0x40), 3); /* both wait */
    bh_pass(fixture->device, (LEAD + 1) * TICK);
    assert_int_equal(get(fixture, TIMER + 0x40), BOTH_TAKEN);
    assert_int_equal(get_pair(fixture, TIMER + 0x60), 0);
    assert_int_equal(get(fixture, TIMER + 0x44), NS << 16);
    bh_pass(fixture->device, UINT64_C(300000000) * TICK);
    assert_int_equal(get_pair(fixture, TIMER + 0x60), UINT64_C(300000000) * NS);
    put(fixture, TIMER + 0x20, 0);
    put(fixture, TIMER + 0x24, 0);
    assert_int_equal(get(fixture, TIMER + 0x40), 0);
    put(fixture, TIMER + 0x24, 1); /* that tick has passed */
    assert_int_equal(get(fixture, TIMER + 0x40), 1 << 17);
}

/* "Whether to record the frame's RX timestamp in a separate small FIFO" */
static void times_of_frames_are_kept(void **context)
{
    enum { TIMER = 0xFFB98800, STAMPS = 0xFFB9D800, KEPT = 16, TICK = 27, EMPTY = 1 << 18, FULL = 1 << 16 };
    struct fixture *fixture = *context;
    uint8_t bytes[256];
    uint32_t size;
    set_up_queues(fixture);
    put(fixture, TIMER + 0x04, 10);
    put(fixture, TIMER + 0x0c, 3 << 15); /* one and a half nanoseconds a tick */
    put(fixture, TIMER, 1);
    put(fixture, TIMER + 0x20, 1);
    put(fixture, TIMER + 0x24, 1);
    bh_pass(fixture->device, 11 * TICK);
    put(fixture, CLASSIFIER + 0xd04, RX_QUEUE | 1 << 4);
    put(fixture, CLASSIFIER + 0xd00, 0x1b);
    assert_int_equal(get(fixture, STAMPS + 0x10), EMPTY);
    for (unsigned i = 0; i < KEPT + 1; i++) {
        bh_pass(fixture->device, 2 * TICK);
        transfer(fixture, bytes, &size);
        assert_int_equal(size, 14 + SIZE);
    }
    assert_int_equal(get(fixture, STAMPS + 0x10) & (FULL | EMPTY | 0xf), FULL);
    for (unsigned i = 0; i < KEPT; i++) {
        assert_int_equal(get_pair(fixture, STAMPS), 3 * (i + 1));
        assert_int_equal(get(fixture, STAMPS + 0x08), 1u << 31 | 0x1b);
        put(fixture, STAMPS + 0x10, 1u << 31);
        put(fixture, STAMPS + 0x10, 0);
    }
    assert_int_equal(get(fixture, STAMPS + 0x10), EMPTY);
    transfer(fixture, bytes, &size);
    put(fixture, STAMPS + 0x10, 1 << 30);
    assert_int_equal(get(fixture, STAMPS + 0x10), EMPTY);
}

static void what_is_not_emulated_is_told(void **context)
{
    struct fixture *fixture = *context;
    uint32_t one = 1;
    set_up_queues(fixture);
    put(fixture, CLASSIFIER + 0xd00, 0x100);
    assert_int_not_equal(bh_write(fixture->device, X, Y, TX + 4, &one, 4), BH_OK);
    assert_int_equal(fixture->last.category, BH_UNSUPPORTED);
    put(fixture, CLASSIFIER + 0xd00, 0);
    put(fixture, CLASSIFIER + 0xd04, 3);
    assert_int_not_equal(bh_write(fixture->device, X, Y, TX + 4, &one, 4), BH_OK);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
    put(fixture, CLASSIFIER + 0xd04, RX_QUEUE | 1 << 3 | 1 << 5);
    assert_int_not_equal(bh_write(fixture->device, X, Y, TX + 4, &one, 4), BH_OK);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ip_and_udp_headers_get_lengths_and_checksums),
        TEST(ipv6_and_tcp_follow_two_tags),
        TEST(metadata_go_in_front),
        TEST(tags_and_headers_are_removed),
        TEST(frames_are_dropped),
        TEST(unsupported_headers_and_codes_are_dropped),
        TEST(patterns_are_written_and_read),
        TEST(the_timer_restarts_when_it_is_told_to),
        TEST(times_of_frames_are_kept),
        TEST(what_is_not_emulated_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
