/* Packets to one place in the network: who waits for whom. Expected values follow from ISA documentation NoC/README.md:
   a flit a cycle over each link, 9 cycles from a router to the next one, 5 between NIU and router. */
#include "noc/worms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 128 };

/* What became of the packets, by their order. */
static struct {
    uint64_t arrived[MOST], gone[MOST];
    struct worms worms;
    struct noc_timing timing;
    unsigned under_way;
    bool waited[MOST];
} net;

static void waits(struct worm *worm)
{
    net.waited[worm->order] = true;
}

static void enters(struct worm *worm, uint64_t comes, uint64_t time)
{
    (void)worm;
    (void)comes;
    (void)time;
}

static void leaves(struct worm *worm, uint64_t time)
{
    (void)time;
    net.gone[worm->order] = worm->tail[0] / MILLI;
}

static void arrives(struct worm *worm, uint64_t time)
{
    (void)time;
    net.arrived[worm->order] = worm_arrival(worm) / MILLI;
    net.under_way--;
    worms_destroy(&net.worms, worm);
}

static const struct worm_events events = {waits, enters, leaves, arrives, NULL};

static int set_up_network(void **context)
{
    (void)context;
    memset(&net, 0, sizeof net);
    net.worms.events = &events;
    return 0;
}

static int tear_down_network(void **context)
{
    (void)context;
    worms_clear(&net.worms);
    return 0;
}

struct packet {
    unsigned noc;
    struct noc_raw from, to;
    unsigned flits, ready;
    bool response, either;
    uint16_t held;
};

static void start_packet(unsigned order, struct packet packet)
{
    struct worm *worm = worms_create(&net.worms, &net.timing, packet.noc, packet.from, packet.to);
    assert_non_null(worm);
    worm->order = order;
    worm->flits = packet.flits;
    worm->ready = packet.ready * MILLI;
    worm->response = packet.response;
    worm->held = packet.held;
    worm->either = packet.either;
    net.under_way++;
    worms_start(&net.worms, worm);
}

static void run(void)
{
    for (unsigned now = 0; net.under_way && now < 1000000; now += 7) {
        worms_advance(&net.worms, &net.timing, now);
    }
    assert_int_equal(net.under_way, 0);
}

static void a_lonely_packet_takes_the_documented_time(void **context)
{
    (void)context;
    start_packet(0, (struct packet){.from = {1, 2}, .to = {4, 5}, .flits = 1});
    start_packet(1, (struct packet){.noc = 1, .from = {1, 2}, .to = {1, 2}, .flits = 1});
    start_packet(2, (struct packet){.from = {8, 8}, .to = {8, 9}, .flits = 65});
    run();
    assert_int_equal(net.arrived[0], 5 + 6 * 9 + 5);
    assert_int_equal(net.arrived[1], 5 + 5); /* to its own tile */
    assert_in_range(net.arrived[2], 5 + 9 + 5 + 64, 5 + 9 + 5 + 66);
}

/* The second one waits for the link from (2, 2) to (3, 2), over which the first one goes at the same time. */
static void a_channel_carries_one_packet_after_the_other(void **context)
{
    (void)context;
    start_packet(0, (struct packet){.from = {1, 2}, .to = {4, 2}, .flits = 257});
    start_packet(1, (struct packet){.from = {2, 2}, .to = {5, 2}, .flits = 257, .ready = 9});
    start_packet(2, (struct packet){.from = {4, 2}, .to = {4, 3}, .flits = 257});           /* over another link */
    start_packet(3, (struct packet){.noc = 1, .from = {1, 2}, .to = {4, 2}, .flits = 257}); /* of another NoC */
    run();
    assert_in_range(net.arrived[0], 5 + 3 * 9 + 5 + 256, 5 + 3 * 9 + 5 + 264);
    assert_in_range(net.arrived[1], net.arrived[0] + 9 + 257, net.arrived[0] + 9 + 257 + 10);
    assert_in_range(net.arrived[2], 5 + 9 + 5 + 256, 5 + 9 + 5 + 264);
    assert_int_equal(net.arrived[3], net.arrived[0]);
}

/* `before` short packets wait at (3, 2) for the link over which packet 0 goes. When does one behind them arrive that
   goes from (2, 2) to somewhere else? */
static uint64_t behind_short_packets(unsigned before, struct noc_raw to)
{
    start_packet(0, (struct packet){.from = {3, 2}, .to = {5, 2}, .flits = 257});
    for (unsigned i = 1; i <= before; i++) {
        start_packet(i, (struct packet){.from = {2, 2}, .to = {5, 2}, .flits = 1, .ready = i});
    }
    start_packet(before + 1, (struct packet){.from = {2, 2}, .to = to, .flits = 1, .ready = before + 1});
    run();
    return net.arrived[before + 1];
}

/* A buffer of a router has room for what comes until word of a free place is back: 18 flits. */
static void short_packets_wait_in_a_buffer_until_it_is_full(void **context)
{
    const struct noc_raw turns_before = {2, 3};
    (void)context;
    assert_in_range(behind_short_packets(10, turns_before), 0, 100);
    (void)tear_down_network(NULL);
    (void)set_up_network(NULL);
    uint64_t arrived = behind_short_packets(40, turns_before);
    assert_true(arrived > net.arrived[0] - 30);
}

/* Packets leave a buffer in their order, wherever they go. */
static void who_could_go_on_waits_behind_who_can_not(void **context)
{
    (void)context;
    uint64_t arrived = behind_short_packets(1, (struct noc_raw){3, 3});
    assert_in_range(arrived, 257, net.arrived[1]);
}

/* A long packet behind a short one does so, too, and what finds no room stays in its NIU. */
static void a_long_packet_waits_behind_a_short_one(void **context)
{
    (void)context;
    start_packet(0, (struct packet){.from = {3, 2}, .to = {5, 2}, .flits = 257});
    start_packet(1, (struct packet){.from = {2, 2}, .to = {5, 2}, .flits = 1, .ready = 1});
    start_packet(2, (struct packet){.from = {2, 2}, .to = {3, 3}, .flits = 65, .ready = 2});
    run();
    assert_in_range(net.arrived[2], 257 + 65, net.arrived[1] + 65);
    assert_in_range(net.gone[2], 257, net.arrived[2]);
}

/* Of two more reads than it holds, two wait. */
static void holds_reads(unsigned holds)
{
    enum { LONG = 700, SOURCES = 10 };
    const struct noc_raw to = {12, 2};
    const uint16_t held = worms_part(1, holds);
    const unsigned reads = holds + 2;
    for (unsigned i = 0; i < reads; i++) {
        start_packet(i, (struct packet){.from = {(uint8_t)(1 + i % SOURCES), 2}, .to = to, .flits = 1, .held = held});
    }
    start_packet(reads, (struct packet){.from = {11, 2}, .to = {13, 2}, .flits = 1}); /* to somewhere else */
    for (unsigned left = 2, now = LONG; left; left--, now += LONG) {
        worms_advance(&net.worms, &net.timing, now);
        assert_int_equal(net.under_way, left);
        worms_let_go(&net.worms, &net.timing, 0, (struct noc_raw){1, 2}, to, held, (now + WORMS_AHEAD) * MILLI);
    }
    worms_advance(&net.worms, &net.timing, 3 * LONG);
    assert_int_equal(net.under_way, 0);
    unsigned late = 0;
    for (unsigned i = 0; i <= reads; i++) {
        late += net.arrived[i] >= LONG + WORMS_AHEAD + TIMING_NOC_ROUTER;
    }
    assert_int_equal(late, 2);
}

static void an_niu_holds_few_reads(void **context)
{
    (void)context;
    holds_reads(TIMING_NOC_READS_HELD);
    (void)tear_down_network(NULL);
    (void)set_up_network(NULL);
    holds_reads(TIMING_DRAM_READS_HELD);
}

/* Pages of 2 KiB to a DRAM tile: two of them fill what it holds, and the third one stands in the way of a packet to a
   tile behind it until the room of the first one is free. */
static void writes_wait_in_the_network_for_a_channel_of_dram(void **context)
{
    enum { PAGE = 33, WRITES = 3, BEHIND = WRITES, LONG = 700 };
    const struct noc_raw to = {9, 5};
    const uint16_t held = worms_part(PAGE - 1, TIMING_DRAM_WRITES_HELD);
    (void)context;
    for (unsigned i = 0; i < WRITES; i++) {
        start_packet(i, (struct packet){.from = {(uint8_t)(1 + i), 2}, .to = to, .flits = PAGE, .held = held});
    }
    start_packet(BEHIND, (struct packet){.from = {1, 2}, .to = {9, 8}, .flits = 1, .ready = LONG / 2});
    worms_advance(&net.worms, &net.timing, LONG);
    assert_int_equal(net.under_way, 2);
    worms_let_go(&net.worms, &net.timing, 0, (struct noc_raw){1, 2}, to, held, (LONG + WORMS_AHEAD) * MILLI);
    worms_advance(&net.worms, &net.timing, 2 * LONG);
    assert_int_equal(net.under_way, 0);
    assert_true(net.arrived[0] >= LONG && net.arrived[BEHIND] >= LONG); /* 0 comes from furthest away */
}

/* README.md: the buddy bit of a response can change at each hop. Packet 1 waits for packet 0, and packet 2 behind it.
 */
static uint64_t behind_a_response(bool either)
{
    start_packet(0, (struct packet){.from = {4, 2}, .to = {6, 2}, .flits = 257, .response = true});
    start_packet(1, (struct packet){.from = {3, 2}, .to = {6, 2}, .flits = 65, .response = true});
    start_packet(
        2, (struct packet){.from = {2, 2}, .to = {4, 3}, .flits = 65, .ready = 9, .response = true, .either = either});
    run();
    return net.arrived[2];
}

static void a_response_takes_either_of_two_channels(void **context)
{
    (void)context;
    assert_true(behind_a_response(false) > 257);
    (void)tear_down_network(NULL);
    (void)set_up_network(NULL);
    assert_true(behind_a_response(true) < 200);
}

/* RoutingPaths.md: packets of different virtual channels are interleaved onto a link. */
static void requests_and_responses_share_a_link(void **context)
{
    (void)context;
    start_packet(0, (struct packet){.from = {1, 2}, .to = {4, 2}, .flits = 65});
    start_packet(1, (struct packet){.from = {2, 2}, .to = {5, 2}, .flits = 65, .ready = 9, .response = true});
    run();
    uint64_t last = net.arrived[0] > net.arrived[1] ? net.arrived[0] : net.arrived[1];
    assert_in_range(last, 2 * 65, 5 + 5 * 9 + 5 + 2 * 65 + 10); /* the link had to carry both */
}

/* Flits of a packet that waits fill the buffers behind it, of 18 flits each; the others stay in its NIU. */
static void buffers_hold_what_waits(void **context)
{
    (void)context;
    start_packet(0, (struct packet){.from = {4, 2}, .to = {5, 2}, .flits = 257});
    start_packet(1, (struct packet){.from = {3, 2}, .to = {5, 2}, .flits = 10, .ready = 2}); /* waits for (4, 2) */
    start_packet(2, (struct packet){.from = {4, 7}, .to = {5, 7}, .flits = 257});
    start_packet(3, (struct packet){.from = {3, 7}, .to = {5, 7}, .flits = 100, .ready = 2});
    run();
    assert_in_range(net.gone[3], 250, 400); /* not before the other one is gone */
    assert_true(net.gone[1] < 60);
    assert_in_range(net.arrived[1], 257, 300);
}

/* So many tiles of a row send 32 packets each all the way around the torus to the tile before. Returns how many cycles
   a packet of 257 flits takes. */
static double cycles_around(unsigned senders)
{
    enum { PACKETS = 32, FLITS = 257 };
    uint64_t last = 0;
    for (unsigned i = 0; i < senders * PACKETS; i++) {
        uint8_t x = (uint8_t)(15 - 2 * (i % senders));
        start_packet(i, (struct packet){.from = {x, 4}, .to = {(uint8_t)(x - 1), 4}, .flits = FLITS});
    }
    run();
    for (unsigned i = 0; i < senders * PACKETS; i++) {
        last = net.arrived[i] > last ? net.arrived[i] : last;
    }
    return (double)last / (senders * PACKETS);
}

/* blackhole-py, noc-dual-dm-aggregate.md: 21,289 cycles with 2 senders of 32 packets each on NoC 1, 42,910 with 4. */
static void packets_around_the_torus_take_longer_than_their_flits(void **context)
{
    (void)context;
    for (unsigned senders = 2; senders <= 4; senders += 2) {
        assert_in_range((int)cycles_around(senders), 319, 345);
        (void)tear_down_network(NULL);
        (void)set_up_network(NULL);
    }
}

/* Packet 1 waits in the buffers of (3, 2) until packet 0 has gone. Then it and packet 2, which passes there, leave
   these buffers at the same time, on other links. */
static void a_router_takes_one_flit_a_cycle_from_a_link(void **context)
{
    enum { WAITS = 18, PASSES = 257, READY = 100, DOWN = 3 * 9 + 5, RIGHT = 2 * 9 + 5 };
    (void)context;
    start_packet(0, (struct packet){.from = {3, 2}, .to = {5, 2}, .flits = 257});
    start_packet(1, (struct packet){.from = {2, 2}, .to = {5, 2}, .flits = WAITS});
    start_packet(2, (struct packet){.from = {2, 2}, .to = {3, 5}, .flits = PASSES, .ready = READY, .response = true});
    run();
    uint64_t first = READY + 5 + 9, right = net.arrived[1] - RIGHT, down = net.arrived[2] - DOWN;
    assert_true(right > first && right - WAITS < first + PASSES); /* one begins before the other has gone */
    assert_true((right > down ? right : down) >= first + PASSES + WAITS - 1);
}

/* README.md: from an NIU to its router there is one flit a cycle. */
static void requests_and_responses_of_an_niu_share_its_way_to_the_router(void **context)
{
    enum { FLITS = 65 };
    (void)context;
    start_packet(0, (struct packet){.from = {1, 2}, .to = {4, 2}, .flits = FLITS});
    start_packet(1, (struct packet){.from = {1, 2}, .to = {1, 5}, .flits = FLITS, .response = true});
    run();
    uint64_t last = net.arrived[0] > net.arrived[1] ? net.arrived[0] : net.arrived[1];
    assert_in_range(last, 5 + 3 * 9 + 5 + 2 * FLITS - 1, 5 + 3 * 9 + 5 + 2 * FLITS + 10);
}

/* Who goes somewhere else waits too if it is behind in the same channel. */
static void a_packet_that_waits_blocks_those_behind_it(void **context)
{
    (void)context;
    start_packet(0, (struct packet){.from = {4, 2}, .to = {5, 2}, .flits = 257});
    start_packet(1, (struct packet){.from = {2, 2}, .to = {5, 2}, .flits = 65});
    start_packet(2, (struct packet){.from = {3, 2}, .to = {4, 2}, .flits = 2, .ready = 30});
    start_packet(3, (struct packet){.from = {3, 8}, .to = {4, 8}, .flits = 2, .ready = 30});
    run();
    assert_int_equal(net.arrived[3], 30 + 5 + 9 + 5 + 1);
    assert_true(net.arrived[2] > 200);
}

/* Everybody sends to the one before him, all the way around the torus: a cycle of channels would wait for itself. */
static void nobody_waits_for_himself(void **context)
{
    (void)context;
    for (unsigned i = 0; i < NOC_WIDTH; i++) {
        struct noc_raw from = {(uint8_t)i, 4}, to = {(uint8_t)((i + NOC_WIDTH - 1) % NOC_WIDTH), 4};
        start_packet(i, (struct packet){.from = from, .to = to, .flits = 257});
    }
    for (unsigned i = 0; i < NOC_HEIGHT; i++) {
        struct noc_raw from = {9, (uint8_t)i}, to = {9, (uint8_t)((i + NOC_HEIGHT - 1) % NOC_HEIGHT)};
        start_packet(NOC_WIDTH + i, (struct packet){.from = from, .to = to, .flits = 257});
    }
    run();
}

/* A packet that an NIU can not send at once. */
static void an_niu_sends_one_packet_after_the_other(void **context)
{
    (void)context;
    start_packet(0, (struct packet){.from = {1, 2}, .to = {4, 2}, .flits = 65});
    start_packet(1, (struct packet){.from = {1, 2}, .to = {1, 5}, .flits = 65});
    run();
    assert_false(net.waited[0]);
    assert_true(net.waited[1]);
    assert_in_range(net.gone[1] - net.gone[0], 65, 65 + 5);
}

/* The same, whenever somebody looks. */
static void passages_do_not_depend_on_when_they_are_done(void **context)
{
    uint64_t first[MOST];
    for (unsigned step = 1; step < 19; step += 3) {
        (void)set_up_network(context);
        for (unsigned i = 0; i < 40; i++) {
            struct noc_raw from = {(uint8_t)(i % 5), (uint8_t)(i % 3)},
                           to = {(uint8_t)(i * 7 % 6), (uint8_t)(i * 5 % 4)};
            start_packet(
                i, (struct packet){
                       .from = from, .to = to, .flits = 1 + i * 37 % 130, .ready = i * 3, .response = i % 4 == 0});
        }
        for (unsigned now = 0; net.under_way; now += step) {
            worms_advance(&net.worms, &net.timing, now);
        }
        if (step == 1) {
            memcpy(first, net.arrived, sizeof first);
        }
        assert_memory_equal(first, net.arrived, sizeof first);
        worms_clear(&net.worms);
    }
}

/* Packets that are ready in some hundred cycles, and much later, while others are on their way; all that is planned may
   be gathered for a snapshot meanwhile. */
static void packets_may_be_ready_much_later(void **context)
{
    static const unsigned ready[] = {0, 400, 255, 5000, 256, 100000, 3, 257, 5000};
    enum { PACKETS = sizeof ready / sizeof *ready };
    for (unsigned gathers = 0; gathers < 2; gathers++) {
        (void)set_up_network(context);
        for (unsigned i = 0; i < PACKETS; i++) {
            struct noc_raw from = {1, (uint8_t)i}, to = {4, (uint8_t)i};
            start_packet(i, (struct packet){.from = from, .to = to, .flits = 1, .ready = ready[i]});
        }
        assert_int_equal(worms_visible(&net.worms), TIMING_NOC_NIU_TO_ROUTER + TIMING_NOC_ROUTER + WORMS_LATER);
        for (unsigned now = 0; net.under_way && now < 1000000; now += 7) {
            worms_advance(&net.worms, &net.timing, now);
            if (gathers) {
                worms_gather(&net.worms);
            }
        }
        for (unsigned i = 0; i < PACKETS; i++) {
            assert_int_equal(net.arrived[i], ready[i] + 5 + 3 * 9 + 5);
        }
        assert_int_equal(worms_visible(&net.worms), UINT64_MAX);
        worms_clear(&net.worms);
    }
}

/* What is gathered is in the order in which it comes. */
static void passages_are_gathered_in_their_order(void **context)
{
    (void)context;
    for (unsigned i = 0; i < 40; i++) {
        struct noc_raw from = {(uint8_t)(i % 7), (uint8_t)(i % 9)}, to = {8, 10};
        start_packet(i, (struct packet){.from = from, .to = to, .flits = 2, .ready = i * 211 % 600});
    }
    worms_gather(&net.worms);
    const struct deliveries *passages = &net.worms.passages;
    assert_int_equal(passages->count, 40);
    for (unsigned i = 1; i < passages->count; i++) {
        assert_true(delivery_is_before(&passages->heap[i - 1], &passages->heap[i]));
    }
    run();
}

#define NET(function) cmocka_unit_test_setup_teardown(function, set_up_network, tear_down_network)

int main(void)
{
    const struct CMUnitTest tests[] = {
        NET(a_lonely_packet_takes_the_documented_time),
        NET(a_channel_carries_one_packet_after_the_other),
        NET(requests_and_responses_share_a_link),
        NET(requests_and_responses_of_an_niu_share_its_way_to_the_router),
        NET(packets_around_the_torus_take_longer_than_their_flits),
        NET(a_router_takes_one_flit_a_cycle_from_a_link),
        NET(buffers_hold_what_waits),
        NET(a_packet_that_waits_blocks_those_behind_it),
        NET(short_packets_wait_in_a_buffer_until_it_is_full),
        NET(who_could_go_on_waits_behind_who_can_not),
        NET(a_long_packet_waits_behind_a_short_one),
        NET(an_niu_holds_few_reads),
        NET(writes_wait_in_the_network_for_a_channel_of_dram),
        NET(a_response_takes_either_of_two_channels),
        NET(nobody_waits_for_himself),
        NET(an_niu_sends_one_packet_after_the_other),
        NET(passages_do_not_depend_on_when_they_are_done),
        NET(packets_may_be_ready_much_later),
        NET(passages_are_gathered_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
