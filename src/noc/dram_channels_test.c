/* When channels of DRAM read and write what NIUs ask for, in timed mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "noc/timing.h"

static void a_channel_of_dram_brings_47_bytes_a_cycle(void **context)
{
    (void)context;
    static struct noc_timing timing;
    uint64_t port = 0, other = 0;
    (void)noc_dram(&timing, 3, &port, 0, 10 * 256, true);
    uint64_t next = noc_dram(&timing, 3, &port, 0, 1, true);
    assert_in_range(next / MILLI, 163840 * 10 / 474, 163840 * 10 / 460);
    assert_int_equal(noc_dram(&timing, 4, &other, 0, 1, true), 0);
}

/* An NIU of a DRAM tile takes a read in 16.4 cycles, whatever its size; another one of the channel, or that of the
   other NoC, its own at the same time (tt-metal issue 55898). */
static void each_niu_of_a_channel_takes_its_reads(void **context)
{
    (void)context;
    static struct noc_timing timing;
    uint64_t port[2] = {0}, last = 0;
    for (unsigned i = 0; i < 20; i++) {
        last = noc_dram(&timing, 2, &port[i % 2], 0, 1, true);
    }
    assert_in_range(last, 9 * 16400, 9 * 16400 + 4000);
}

/* 110 cores that each write 64 bytes 256 times, to eight channels, take 18101 cycles: 5.1 for each packet. Those that
   read take 54737: 15.5. */
static void small_packets_are_written_faster_than_read(void **context)
{
    (void)context;
    static struct noc_timing timing;
    uint64_t port = 0, other = 0;
    (void)noc_dram(&timing, 0, &port, 0, 1, false);
    assert_in_range(noc_dram(&timing, 0, &port, 0, 1, false), 48 * MILLI / 10, 52 * MILLI / 10);
    (void)noc_dram(&timing, 1, &other, 0, 1, true);
    assert_in_range(noc_dram(&timing, 1, &other, 0, 1, true), 15 * MILLI, 17 * MILLI);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_channel_of_dram_brings_47_bytes_a_cycle),
                                       cmocka_unit_test(each_niu_of_a_channel_takes_its_reads),
                                       cmocka_unit_test(small_packets_are_written_faster_than_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
