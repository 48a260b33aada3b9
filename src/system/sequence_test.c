/* Sequence numbers of TT-link packets: ETH_RXQ_LOCAL_RX_SEQ_NUM and ETH_RXQ_REMOTE_RX_SEQ_NUM. Sources: ISA
   documentation EthernetTile/EthernetTxRx.md (registers; packets acknowledge what has arrived, and updates are sent in
   between); tt-metal eth_ptp.hpp (an update after 8000 idle cycles, 8002 apart, which counts for no packet);
   blackhole-py fw/erisc/tp2/collective.c (E1 waits for the acknowledgement of each packet). */
#include "chip/ethernet/link_constants.h"
#include "system/programs.h"

enum { RX_NEXT = 0x40, RX_ACKNOWLEDGED = 0x44, TX_MOST = 0xc, TX_UPDATE = 0x4c, QUEUES = 3, SEQUENCE = 0xff };
enum { SOURCE = 0x20000, TARGET = 0x30000, DONE = 0x40000, UPDATES = LINK_SEQUENCE_UPDATE + 2 };

static const struct bh_link_end ends[2] = {{0, 2}, {1, 9}};

static struct bh_system *open_system(unsigned threads, enum bh_mode mode)
{
    struct bh_topology *topology;
    struct bh_system *system;
    struct bh_error error = {""};
    struct bh_system_config config = {.device = {.mode = mode}, .threads = threads};
    assert_int_equal(bh_topology_by_name("x2", &topology), BH_OK);
    assert_int_equal(bh_system_create(topology, &config, &system, &error), BH_OK);
    bh_topology_destroy(topology);
    return system;
}

static uint32_t rx(struct bh_system *system, unsigned end, unsigned queue, uint32_t offset)
{
    return get(system, ends[end].chip, ends[end].channel, RX + queue * QUEUE + offset);
}

/* The host sends `size` bytes in packets of 16. */
static void send(struct bh_system *system, unsigned end, unsigned queue, uint32_t size)
{
    uint32_t tx = TX + queue * QUEUE;
    const uint32_t words[][2] = {
        {TX_MOST, 16}, {TX_FROM, SOURCE}, {TX_SIZE, size}, {TX_TO, TARGET}, {TX_CMD, L1_WRITE}};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        put(system, ends[end].chip, ends[end].channel, tx + words[i][0], words[i][1]);
    }
}

static void pass_to(struct bh_system *system, uint64_t clock)
{
    (void)bh_system_advance(system, clock - bh_system_clock(system));
}

/* Nothing goes back: the other end's next update acknowledges them, on each queue for itself. */
static void updates_acknowledge_packets(void **context)
{
    enum { WAY = LINK_LATENCY + 2 };
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        struct bh_system *system = open_system(1, mode);
        for (unsigned queue = 0; queue < QUEUES; queue++) {
            assert_int_equal(get(system, 0, ends[0].channel, TX + queue * QUEUE + TX_UPDATE), LINK_SEQUENCE_UPDATE);
            send(system, 0, queue, 16 * (queue + 3));
        }
        pass_to(system, 3 * LINK_LATENCY);
        for (unsigned queue = 0; queue < QUEUES; queue++) {
            assert_int_equal(rx(system, 1, queue, RX_NEXT), queue + 3);
            assert_int_equal(rx(system, 0, queue, RX_ACKNOWLEDGED), 0);
        }
        pass_to(system, LINK_SEQUENCE_UPDATE + WAY - 1);
        assert_int_equal(rx(system, 0, 1, RX_ACKNOWLEDGED), 0);
        pass_to(system, LINK_SEQUENCE_UPDATE + WAY);
        for (unsigned queue = 0; queue < QUEUES; queue++) {
            assert_int_equal(rx(system, 0, queue, RX_ACKNOWLEDGED), queue + 3);
            assert_int_equal(rx(system, 1, queue, RX_ACKNOWLEDGED), 0);
            assert_int_equal(rx(system, 0, queue, RX_NEXT), 0); /* updates have no sequence number */
        }
        send(system, 0, 1, 16);
        pass_to(system, LINK_SEQUENCE_UPDATE + UPDATES + WAY - 1);
        assert_int_equal(rx(system, 0, 1, RX_ACKNOWLEDGED), 4);
        pass_to(system, LINK_SEQUENCE_UPDATE + UPDATES + WAY);
        assert_int_equal(rx(system, 0, 1, RX_ACKNOWLEDGED), 5);
        bh_system_destroy(system);
    }
}

/* A packet acknowledges what had arrived when it was begun, and the next update comes later then. */
static void packets_acknowledge_packets(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    send(system, 0, 1, 16);
    pass_to(system, 3000);
    assert_int_equal(rx(system, 0, 1, RX_ACKNOWLEDGED), 0);
    send(system, 1, 1, 16);
    pass_to(system, 3000 + LINK_LATENCY - 1);
    assert_int_equal(rx(system, 0, 1, RX_ACKNOWLEDGED), 0);
    pass_to(system, 4000);
    assert_int_equal(rx(system, 0, 1, RX_ACKNOWLEDGED), 1);
    send(system, 0, 1, 16);
    send(system, 1, 0, 16); /* another queue */
    pass_to(system, 3000 + LINK_SEQUENCE_UPDATE);
    assert_int_equal(rx(system, 0, 1, RX_ACKNOWLEDGED), 1);
    pass_to(system, 3000 + LINK_SEQUENCE_UPDATE + LINK_LATENCY + 10);
    assert_int_equal(rx(system, 0, 1, RX_ACKNOWLEDGED), 2);
    bh_system_destroy(system);
}

static void numbers_have_eight_bits(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    for (uint32_t sent = 100; sent <= 600; sent += 100) { /* more under way than are known one by one */
        send(system, 0, 2, 1600);
        (void)bh_system_advance(system, 2 * UPDATES);
        assert_int_equal(rx(system, 1, 2, RX_NEXT), sent & SEQUENCE);
        assert_int_equal(rx(system, 0, 2, RX_ACKNOWLEDGED), sent & SEQUENCE);
    }
    bh_system_destroy(system);
}

/* While a link is down nothing is acknowledged; what was, stays so. */
static void a_link_that_is_down_acknowledges_nothing(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    send(system, 0, 0, 64);
    pass_to(system, 3 * UPDATES);
    assert_int_equal(rx(system, 0, 0, RX_ACKNOWLEDGED), 4);
    assert_int_equal(bh_system_plug(system, ends[0], false), BH_OK);
    send(system, 0, 0, 32);
    pass_to(system, 6 * UPDATES);
    assert_int_equal(rx(system, 0, 0, RX_ACKNOWLEDGED), 4);
    assert_int_equal(bh_system_plug(system, ends[1], true), BH_OK);
    (void)bh_system_advance(system, LINK_TRAINING + 3 * LINK_LATENCY);
    assert_int_equal(rx(system, 1, 0, RX_NEXT), 6);
    assert_int_equal(rx(system, 0, 0, RX_ACKNOWLEDGED), 4);
    (void)bh_system_advance(system, UPDATES);
    assert_int_equal(rx(system, 0, 0, RX_ACKNOWLEDGED), 6);
    bh_system_destroy(system);
}

/* E1 at both ends sends four packets, each when the one before is acknowledged, and notes the clock: no deadlock, and
   the same clocks on any number of threads. */
static void cores_wait_for_acknowledgements(void **context)
{
    enum { PACKETS = 4, WALL_CLOCK = 0xFFB121F0 };
    struct code code = {.count = 0};
    for (unsigned i = 0; i < PACKETS; i++) {
        emit_send(&code, 1, L1_WRITE, SOURCE, 16, TARGET);
        emit_wait(&code, RX + QUEUE + RX_ACKNOWLEDGED, i + 1);
        load(&code, T0, WALL_CLOCK);
        emit(&code, lw(T1, T0, 0));
        load(&code, T0, DONE + 4 * i);
        emit(&code, sw(T1, T0, 0));
    }
    emit(&code, 0x6f); /* j 0 */
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        uint32_t clocks[2][2][PACKETS];
        for (unsigned threads = 1; threads <= 2; threads++) {
            struct bh_system *system = open_system(threads, mode);
            for (unsigned end = 0; end < 2; end++) {
                start(system, ends[end].chip, ends[end].channel, &code);
            }
            struct bh_run_result result;
            assert_int_equal(bh_system_run(system, UINT64_C(9) * UPDATES, &result), BH_OK);
            assert_int_not_equal(result.reason, BH_RAN_DEADLOCK);
            for (unsigned end = 0; end < 2; end++) {
                for (unsigned i = 0; i < PACKETS; i++) {
                    clocks[threads - 1][end][i] = get(system, ends[end].chip, ends[end].channel, DONE + 4 * i);
                    assert_int_not_equal(clocks[threads - 1][end][i], 0);
                }
            }
            bh_system_destroy(system);
        }
        assert_memory_equal(clocks[0], clocks[1], sizeof clocks[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_acknowledge_packets),     cmocka_unit_test(packets_acknowledge_packets),
        cmocka_unit_test(numbers_have_eight_bits),         cmocka_unit_test(a_link_that_is_down_acknowledges_nothing),
        cmocka_unit_test(cores_wait_for_acknowledgements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
