/* How long requests take in timed mode: ISA documentation NoC/README.md (9 cycles from router to router, 5 from an NIU
   to its router, a flit a cycle, 16 KiB in a packet, a torus of 17x12 that responses go on round), tech_reports (64
   GB/s from each channel of DRAM, at 1.35 GHz). */
#include "chip/rv32_words.h"
#include "noc/fixture.h"
#include "noc/timing.h"

enum { NIU_0 = 0xFFB20000u, LONG_AGO = 2000, CMD_BROADCAST = 1 << 5, RESERVE = 1 << 8 };

static int set_up_timed(void **context)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct bh_device_config config = {.mode = BH_MODE_TIMED, .on_diagnostic = on_diagnostic, .context = fixture};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK ? 0 : -1;
}

/* Cycles until a word of a tile is this one; as long as nobody runs, a look changes nothing. */
static unsigned cycles_until(struct fixture *fixture, unsigned x, unsigned y, uint64_t address, uint32_t word)
{
    uint64_t begin = bh_clock(fixture->device);
    while (get_word(fixture, x, y, address) != word) {
        assert_int_equal(bh_run(fixture->device, 1, NULL), BH_OK);
        assert_int_equal(fixture->diagnostics, 0);
        assert_true(bh_clock(fixture->device) - begin < LONG_AGO);
    }
    return (unsigned)(bh_clock(fixture->device) - begin);
}

static uint64_t counter_at(unsigned noc, unsigned index)
{
    return NIU_0 + 0x10000 * noc + NIU_COUNTER + 4 * index;
}

static struct command write_to(unsigned noc, unsigned x, unsigned y, uint64_t bytes)
{
    return (struct command){.x = 1,
                            .y = 2,
                            .noc = noc,
                            .ctrl = CMD_WRITE | MARKED,
                            .target = 0x1000,
                            .target_at = at(1, 2),
                            .back = 0x40000,
                            .back_at = at(x, y),
                            .length = bytes};
}

/* Cycles until a write arrives, and until its acknowledgement does. */
static void measure_write(struct fixture *fixture, unsigned noc, unsigned x, unsigned y, unsigned *arrives,
                          unsigned *acknowledged)
{
    const struct command command = write_to(noc, x, y, 64);
    uint32_t before = counter(fixture, 1, 2, noc, NIU_MST_WR_ACK_RECEIVED);
    uint32_t arrived = counter(fixture, x, y, noc, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED);
    assert_int_equal(start(fixture, &command), BH_OK);
    *arrives = cycles_until(fixture, x, y, counter_at(noc, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED), arrived + 1);
    *acknowledged = *arrives + cycles_until(fixture, 1, 2, counter_at(noc, NIU_MST_WR_ACK_RECEIVED), before + 1);
}

static void a_flit_takes_nine_cycles_a_router_and_five_at_either_end(void **context)
{
    (void)context;
    struct noc_way way = {.noc = 0, .from = {1, 2}, .flits = 1, .passes = 1000 * MILLI};
    assert_int_equal(noc_arrival(&way, (struct noc_raw){1, 2}), 1010 * MILLI);
    assert_int_equal(noc_arrival(&way, (struct noc_raw){2, 2}), 1019 * MILLI);
    assert_int_equal(noc_arrival(&way, (struct noc_raw){3, 4}), 1046 * MILLI);
    assert_int_equal(noc_arrival(&way, (struct noc_raw){0, 1}), (1010 + 9 * (16 + 11)) * MILLI);
}

static void requests_go_one_way_round_and_responses_go_on(void **context)
{
    unsigned arrives, acknowledged, first, round;
    measure_write(*context, 0, 2, 2, &first, &round);
    for (unsigned x = 3; x <= 7; x++) {
        measure_write(*context, 0, x, 2, &arrives, &acknowledged);
        assert_int_equal(arrives, first + 9 * (x - 2));
        assert_int_equal(acknowledged, round);
    }
    measure_write(*context, 0, 1, 5, &arrives, &acknowledged);
    assert_int_equal(arrives, first + 9 * 2);
    assert_int_equal(acknowledged, round - 9 * (17 - 12));
    measure_write(*context, 0, 3, 5, &arrives, &acknowledged);
    assert_int_equal(acknowledged, round + 9 * 12);
    measure_write(*context, 1, 2, 2, &arrives, &acknowledged); /* left, and so round */
    assert_int_equal(arrives, first + 9 * 15);
    assert_int_equal(acknowledged, round);
}

static void a_packet_takes_a_cycle_for_each_flit(void **context)
{
    struct fixture *fixture = *context;
    const struct command small = write_to(0, 2, 2, 64), large = write_to(0, 2, 2, 16384);
    uint64_t arrived = counter_at(0, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED);
    assert_int_equal(start(fixture, &small), BH_OK);
    unsigned first = cycles_until(fixture, 2, 2, arrived, 1);
    exchange(fixture);
    assert_int_equal(start(fixture, &large), BH_OK);
    unsigned second = cycles_until(fixture, 2, 2, arrived, 2);
    assert_in_range(second - first, 255, 262); /* 255 more flits; an NIU sends 1.027 cycles a flit */
}

static void more_than_16_kib_are_two_packets(void **context)
{
    struct fixture *fixture = *context;
    const struct command command = write_to(0, 2, 2, 2 * 16384);
    uint64_t arrived = counter_at(0, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED);
    assert_int_equal(start(fixture, &command), BH_OK);
    (void)cycles_until(fixture, 2, 2, arrived, 1);
    assert_in_range(cycles_until(fixture, 2, 2, arrived, 2), 257, 267); /* with its header */
}

static void only_broadcasts_reserve_their_way(void **context)
{
    (void)context;
    struct noc_timing timing = {0};
    const struct noc_raw to[] = {{2, 2}, {4, 2}};
    struct noc_way first = {.from = {1, 2}, .flits = 2, .reserves = true},
                   second = {.noc = 1, .from = {1, 2}, .flits = 2};
    noc_broadcast(&timing, &first, to, 2);
    noc_broadcast(&timing, &second, to, 2);
    assert_int_equal(first.leaves, (TIMING_NOC_RESERVE + 3 * TIMING_NOC_RESERVE_ROUTER) * MILLI);
    assert_int_equal(second.leaves, 0);
}

static void a_broadcast_waits_for_those_of_others_only(void **context)
{
    (void)context;
    struct noc_timing timing = {0};
    const struct noc_raw to[] = {{3, 2}, {4, 2}};
    struct noc_way first = {.from = {1, 2}, .flits = 257, .reserves = true},
                   other = {.from = {2, 2}, .flits = 2, .reserves = true};
    assert_int_equal(noc_held(&timing, &other, to, 2), 0);
    noc_broadcast(&timing, &first, to, 2);
    assert_true(noc_held(&timing, &other, to, 2) >= first.passes + 257 * MILLI);
    assert_int_equal(noc_held(&timing, &first, to, 2), 0);
    other.noc = 1;
    assert_int_equal(noc_held(&timing, &other, to, 2), 0);
}

/* NOC_CMD_VC_LINKED: until the last of the linked requests has gone. */
static void linked_broadcasts_keep_their_way(void **context)
{
    (void)context;
    struct noc_timing timing = {0};
    const struct noc_raw to[] = {{3, 2}, {4, 2}};
    struct noc_way linked = {.from = {1, 2}, .flits = 2, .reserves = true, .keeps = true},
                   last = {.from = {1, 2}, .flits = 2}, other = {.from = {2, 2}, .flits = 2, .reserves = true};
    noc_broadcast(&timing, &linked, to, 2);
    assert_int_equal(noc_held(&timing, &other, to, 2), CLOCK_NEVER);
    assert_int_equal(noc_held(&timing, &last, to, 2), 0);
    last.ready = 5000 * MILLI;
    noc_broadcast(&timing, &last, to, 2);
    assert_int_equal(last.leaves, 5000 * MILLI);
    assert_in_range(noc_held(&timing, &other, to, 2), 5000 * MILLI, 5010 * MILLI);
}

/* Whether the source is one of the recipients can differ within a transaction. */
static void the_last_of_linked_broadcasts_can_have_fewer_recipients(void **context)
{
    (void)context;
    struct noc_timing timing = {0};
    const struct noc_raw to[] = {{1, 2}, {3, 2}};
    struct noc_way linked = {.from = {1, 2}, .flits = 2, .reserves = true, .keeps = true},
                   last = {.from = {1, 2}, .flits = 2}, other = {.from = {1, 1}, .flits = 2, .reserves = true};
    noc_broadcast(&timing, &linked, to, 2);
    assert_int_equal(noc_held(&timing, &other, to, 1), CLOCK_NEVER);
    noc_broadcast(&timing, &last, to + 1, 1);
    assert_in_range(noc_held(&timing, &other, to, 1), 1, linked.passes + 2 * MILLI);
}

static struct command broadcast_from(unsigned x, unsigned back, bool linked)
{
    struct command command = write_to(0, x, 2, 64);
    command.x = (uint8_t)x;
    command.target_at = at(x, 2);
    command.ctrl |= CMD_BROADCAST | RESERVE | (linked ? LINKED : 0);
    command.back = back;
    command.back_at = at(6, 2) | at(5, 2) << 2 * NOC_COORDINATE_BITS;
    return command;
}

/* Rows and columns of tiles that broadcast all at once take longer, on silicon, than their broadcasts do one after the
   other: the more, the longer they have waited (tt-metal noc_latencies.yaml, ROW_TO_ROW and COLUMN_TO_COLUMN). */
static void a_broadcast_that_waited_goes_on_a_part_of_its_wait_later(void **context)
{
    enum { FIRST = 0x40000, SECOND = 0x41000, VALUE = 7, WAIT = 4000 };
    struct fixture *fixture = *context;
    const struct command linked = broadcast_from(1, FIRST, true), last = broadcast_from(1, FIRST, false),
                         other = broadcast_from(2, SECOND, false);
    put_word(fixture, 2, 2, (unsigned)other.target, VALUE);
    assert_int_equal(start(fixture, &linked), BH_OK);
    assert_int_equal(bh_run(fixture->device, 500, NULL), BH_OK);
    assert_int_equal(start(fixture, &other), BH_OK);
    assert_int_equal(bh_run(fixture->device, WAIT, NULL), BH_OK);
    assert_int_equal(get_word(fixture, 6, 2, SECOND), 0);
    assert_int_equal(start(fixture, &last), BH_OK);
    unsigned later = cycles_until(fixture, 6, 2, SECOND, VALUE);
    unsigned alone = TIMING_NOC_RESERVE + 4 * TIMING_NOC_RESERVE_ROUTER + 2 * 5 + 4 * 9; /* four routers further */
    assert_in_range(later, alone, alone + (WAIT + 500) / TIMING_NOC_BACK_OFF_PART);
}

/* The last of linked broadcasts ends the transaction, and others get the way, where the rectangle is one tile, too. */
static void linked_broadcasts_to_one_tile_end(void **context)
{
    enum { FIRST = 0x40000, SECOND = 0x41000, VALUE = 7 };
    struct fixture *fixture = *context;
    struct command linked = broadcast_from(1, FIRST, true), last = broadcast_from(1, FIRST, false),
                   other = broadcast_from(2, SECOND, false);
    linked.back_at = last.back_at = rectangle(6, 2, 6, 2);
    put_word(fixture, 2, 2, (unsigned)other.target, VALUE);
    assert_int_equal(start(fixture, &linked), BH_OK);
    assert_int_equal(bh_run(fixture->device, 500, NULL), BH_OK);
    assert_int_equal(start(fixture, &last), BH_OK);
    assert_int_equal(bh_run(fixture->device, 500, NULL), BH_OK);
    assert_int_equal(start(fixture, &other), BH_OK);
    unsigned alone = TIMING_NOC_RESERVE + 4 * TIMING_NOC_RESERVE_ROUTER + 2 * 5 + 4 * 9; /* four routers further */
    assert_in_range(cycles_until(fixture, 6, 2, SECOND, VALUE), alone, alone + 20);
    assert_int_equal(get_word(fixture, 5, 2, SECOND), VALUE);
}

static void a_tile_that_is_reset_gives_back_what_it_kept(void **context)
{
    enum { FIRST = 0x40000, SECOND = 0x41000, VALUE = 7 };
    struct fixture *fixture = *context;
    const struct command linked = broadcast_from(1, FIRST, true), other = broadcast_from(2, SECOND, false);
    put_word(fixture, 2, 2, (unsigned)other.target, VALUE);
    assert_int_equal(start(fixture, &linked), BH_OK);
    assert_int_equal(bh_run(fixture->device, 500, NULL), BH_OK);
    assert_int_equal(bh_tile_reset(fixture->device, 1, 2), BH_OK);
    assert_int_equal(start(fixture, &other), BH_OK);
    (void)cycles_until(fixture, 6, 2, SECOND, VALUE);
}

static void start_next(struct fixture *fixture, const struct command *command)
{
    (void)cycles_until(fixture, 1, 2, NIU_0 + 0x40, 0);
    assert_int_equal(start(fixture, command), BH_OK);
}

/* blackhole-py microbench_noc_mcast_mixed.py: a loop that waits for each of its broadcasts to be sent takes as long as
   two fewer of them take. */
static void two_short_broadcasts_count_as_sent_while_they_wait(void **context)
{
    enum { RESERVES = TIMING_NOC_RESERVE + 5 * TIMING_NOC_RESERVE_ROUTER, SOON = TIMING_NOC_LOOKAHEAD + 1 };
    struct fixture *fixture = *context;
    const struct command broadcast = broadcast_from(1, 0x40000, false);
    const uint64_t sent = counter_at(0, NIU_MST_NONPOSTED_WR_REQ_SENT), begin = bh_clock(fixture->device);
    start_next(fixture, &broadcast);
    assert_in_range(cycles_until(fixture, 1, 2, sent, 1), 1, SOON);
    start_next(fixture, &broadcast);
    assert_in_range(cycles_until(fixture, 1, 2, sent, 2), 1, SOON);
    start_next(fixture, &broadcast);
    (void)cycles_until(fixture, 1, 2, sent, 3);
    assert_in_range(bh_clock(fixture->device) - begin, RESERVES, RESERVES + 15);
    start_next(fixture, &broadcast);
    (void)cycles_until(fixture, 1, 2, sent, 4);
    assert_in_range(bh_clock(fixture->device) - begin, 2 * RESERVES, 2 * RESERVES + 20);
    (void)cycles_until(fixture, 6, 2, counter_at(0, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED), 4);
    assert_in_range(bh_clock(fixture->device) - begin, 4 * RESERVES, 4 * RESERVES + 100);
}

static void long_broadcasts_count_as_sent_when_they_have_left(void **context)
{
    struct fixture *fixture = *context;
    struct command broadcast = broadcast_from(1, 0x40000, false);
    broadcast.length = 16384;
    start_next(fixture, &broadcast);
    unsigned leaves = cycles_until(fixture, 1, 2, counter_at(0, NIU_MST_NONPOSTED_WR_REQ_SENT), 1);
    assert_in_range(leaves, TIMING_NOC_RESERVE + 5 * TIMING_NOC_RESERVE_ROUTER + 256, 400);
}

/* The device learns of a request later than its core, which may have started another one by then. */
static void when_a_request_is_taken_is_known_of_that_alone(void **context)
{
    (void)context;
    struct niu niu = {.started = {20}, .taken_at = {20000}, .free_at = 21000};
    niu_taken(&niu, &(struct noc_request){.initiator = 0, .start = 10}, 15000, 22000);
    assert_int_equal(niu.taken_at[0], 20000);
    assert_int_equal(niu.free_at, 22000);
    niu_hold(&niu, &(struct noc_request){.initiator = 0, .start = 10}, 25000, 26000);
    assert_int_equal(niu.taken_at[0], 20000);
    niu_hold(&niu, &(struct noc_request){.initiator = 0, .start = 20}, 25000, 26000);
    assert_int_equal(niu.taken_at[0], 25000);
    niu_taken(&niu, &(struct noc_request){.initiator = 0, .start = 20}, 30000, 31000);
    assert_int_equal(niu.taken_at[0], 30000);
}

/* 110 cores that have waited for each other by polling one word begin to write a packet within 1216 cycles: all take
   1622, one alone takes 406. */
static void a_word_is_polled_every_11_cycles(void **context)
{
    (void)context;
    static struct noc_timing timing;
    const struct noc_raw at = {1, 2}, other = {2, 2};
    uint64_t last = 0;
    for (unsigned i = 0; i <= 110; i++) {
        last = noc_read_part(&timing, 0, at, 5);
        assert_true(i || last == 5);
    }
    assert_in_range(last, 1200, 1240);
    assert_int_equal(noc_read_part(&timing, 0, other, 5), 5);
    assert_int_equal(noc_read_part(&timing, 1, at, 5), 5);
}

static struct command read_by(unsigned x, uint64_t bytes)
{
    return (struct command){.x = x,
                            .y = 2,
                            .ctrl = CMD_READ | MARKED,
                            .target = 0x1000,
                            .target_at = at(1, 2),
                            .back = 0x40000,
                            .back_at = at(x, 2),
                            .length = bytes};
}

/* A tile is reset while the NIU of another one holds more of its reads than it takes at a time: others get in. */
static void reads_of_a_tile_that_was_reset_hold_up_no_others(void **context)
{
    struct fixture *fixture = *context;
    enum { PACKETS = 3 * TIMING_NOC_READS_HELD, PACKET = 16384, TIME_FOR_ALL = PACKETS * 300 };
    const struct command many = read_by(3, PACKETS * PACKET), one = read_by(4, 64);
    assert_int_equal(start(fixture, &many), BH_OK);
    assert_int_equal(bh_run(fixture->device, 400, NULL), BH_OK); /* the first ones have come, most have not */
    assert_int_equal(bh_tile_reset(fixture->device, 3, 2), BH_OK);
    uint32_t before = counter(fixture, 4, 2, 0, NIU_MST_RD_RESP_RECEIVED);
    assert_int_equal(start(fixture, &one), BH_OK);
    assert_int_equal(bh_run(fixture->device, TIME_FOR_ALL, NULL), BH_OK);
    assert_int_equal(counter(fixture, 4, 2, 0, NIU_MST_RD_RESP_RECEIVED), before + 1);
}

static void nobody_sees_a_write_before_it_arrives(void **context)
{
    struct fixture *fixture = *context;
    const struct command command = write_to(0, 7, 2, 64);
    put_word(fixture, 1, 2, 0x1000, 0x600D);
    assert_int_equal(start(fixture, &command), BH_OK);
    assert_int_equal(bh_run(fixture->device, 5 + 6 * 9 + 5, NULL), BH_OK);
    assert_int_equal(get_word(fixture, 7, 2, 0x40000), 0);
    assert_int_equal(bh_run(fixture->device, 10, NULL), BH_OK);
    assert_int_equal(get_word(fixture, 7, 2, 0x40000), 0x600D);
    assert_int_equal(counter(fixture, 1, 2, 0, NIU_MST_REQS_OUTSTANDING_ID), 1);
    exchange(fixture);
    assert_int_equal(counter(fixture, 1, 2, 0, NIU_MST_REQS_OUTSTANDING_ID), 0);
}

static void an_initiator_is_busy_until_the_niu_takes_its_request(void **context)
{
    struct fixture *fixture = *context;
    struct command command = write_to(0, 2, 2, 16384);
    assert_int_equal(start(fixture, &command), BH_OK);
    assert_int_equal(bh_run(fixture->device, 10, NULL), BH_OK);
    command.initiator = 1;
    assert_int_equal(start(fixture, &command), BH_OK);
    assert_int_equal(get_word(fixture, 1, 2, NIU_0 + 0x40), 0);
    assert_int_equal(get_word(fixture, 1, 2, NIU_0 + 0x840), 1);
    assert_int_equal(bh_run(fixture->device, 262, NULL), BH_OK);
    assert_int_equal(get_word(fixture, 1, 2, NIU_0 + 0x840), 0);
}

/* The shortest loops of public programs see it: one that polls four cycles after the store waits, one that polls six
   cycles after it does not. */
static void an_initiator_is_ready_again_a_little_later(void **context)
{
    struct fixture *fixture = *context;
    const struct command command = write_to(0, 2, 2, 64);
    assert_int_equal(start(fixture, &command), BH_OK);
    assert_int_equal(bh_run(fixture->device, 5, NULL), BH_OK);
    assert_int_equal(get_word(fixture, 1, 2, NIU_0 + 0x40), 1);
    assert_int_equal(bh_run(fixture->device, 1, NULL), BH_OK);
    assert_int_equal(get_word(fixture, 1, 2, NIU_0 + 0x40), 0);
}

/* A round of cores that write to one another, and wait for each acknowledgement, or until a broadcast has left; each
   notes when that was. */

enum { SENDERS = 8, ROUNDS = 20, NOTES = 0x20000, AT = S0, NOTE = S1 };

static uint32_t put_constant(uint32_t *words, uint32_t count, unsigned rd, uint32_t value)
{
    words[count] = lui(rd, value + 0x800);
    words[count + 1] = addi(rd, rd, (int32_t)(value << 20) >> 20);
    return count + 2;
}

static uint32_t put_register(uint32_t *words, uint32_t count, unsigned index, uint32_t value)
{
    count = put_constant(words, count, T0, value);
    words[count] = sw(T0, AT, 4 * index);
    return count + 1;
}

static void load_sender(struct fixture *fixture, unsigned number, bool broadcasts)
{
    enum { ROUND_LEFT = T2, SIZE = 0x300 };
    uint32_t words[256], count = 0;
    unsigned x = 1 + number % 4, y = 2 + number / 4 * 3, to = 1 + (number * 3 + 2) % 4;
    count = put_constant(words, count, AT, NIU_0);
    count = put_constant(words, count, NOTE, NOTES);
    count = put_register(words, count, NOC_TARG_ADDR_LO, 0x1000);
    count = put_register(words, count, NOC_TARG_ADDR_HI, at(x, y));
    count = put_register(words, count, NOC_RET_ADDR_LO, 0x30000 + 0x1000 * number);
    uint32_t rectangle = at(4, 5) | at(1, 2) << 2 * NOC_COORDINATE_BITS;
    count = put_register(words, count, NOC_RET_ADDR_HI, broadcasts ? rectangle : at(to, 2 + number % 5));
    count = put_register(words, count, NOC_CTRL, CMD_WRITE | MARKED | (broadcasts ? CMD_BROADCAST | RESERVE : 0));
    count = put_register(words, count, NOC_AT_LEN_BE, SIZE + 0x100 * number);
    count = put_constant(words, count, ROUND_LEFT, ROUNDS);
    uint32_t top = count;
    words[count++] = addi(T0, 0, 1);
    words[count++] = sw(T0, AT, 4 * NOC_CMD_CTRL);
    words[count++] =
        lw(T1, AT, NIU_COUNTER + 4 * (broadcasts ? NIU_MST_WRITE_REQS_OUTGOING_ID : NIU_MST_REQS_OUTSTANDING_ID));
    words[count++] = bne(T1, 0, -4);
    count = put_constant(words, count, T0, 0xFFB121F0);
    words[count++] = lw(T1, T0, 0);
    words[count++] = sw(T1, NOTE, 0);
    words[count++] = addi(NOTE, NOTE, 4);
    words[count++] = addi(ROUND_LEFT, ROUND_LEFT, -1);
    words[count] = bne(ROUND_LEFT, 0, ((int32_t)top - (int32_t)count) * 4);
    words[++count] = SELF_JUMP;
    assert_int_equal(bh_write(fixture->device, x, y, 0x8000, words, (count + 1) * 4), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, x, y, BH_CORE_B, 0x8000), BH_OK);
}

static void run_senders(unsigned threads, uint64_t slice, bool advances, bool broadcasts,
                        uint32_t notes[SENDERS][ROUNDS])
{
    struct fixture fixture = {0};
    struct bh_device_config config = {
        .mode = BH_MODE_TIMED, .threads = threads, .on_diagnostic = on_diagnostic, .context = &fixture};
    assert_int_equal(bh_device_create(&config, &fixture.device), BH_OK);
    for (unsigned number = 0; number < SENDERS; number++) {
        load_sender(&fixture, number, broadcasts);
    }
    for (uint64_t passed = 0; passed < (broadcasts ? 100000 : 20000); passed += slice) {
        if (advances) {
            (void)bh_advance(fixture.device, slice);
        } else {
            assert_int_equal(bh_run(fixture.device, slice, NULL), BH_OK);
        }
    }
    for (unsigned number = 0; number < SENDERS; number++) {
        assert_int_equal(
            bh_read(fixture.device, 1 + number % 4, 2 + number / 4 * 3, NOTES, notes[number], sizeof notes[number]),
            BH_OK);
        assert_int_not_equal(notes[number][ROUNDS - 1], 0);
    }
    assert_int_equal(fixture.diagnostics, 0);
    bh_device_destroy(fixture.device);
}

static void check_ways(bool broadcasts)
{
    static const struct {
        unsigned threads;
        uint64_t slice;
        bool advances;
    } ways[] = {{1, 20000, false}, {1, 1, false}, {1, 7, false}, {3, 1000, false}, {1, 33, true}, {2, 500, true}};
    uint32_t expected[SENDERS][ROUNDS], notes[SENDERS][ROUNDS];
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        run_senders(ways[i].threads, ways[i].slice, ways[i].advances, broadcasts, i ? notes : expected);
        if (i) {
            assert_memory_equal(notes, expected, sizeof notes);
        }
    }
}

static void times_depend_neither_on_threads_nor_on_calls(void **context)
{
    (void)context;
    check_ways(false);
}

static void those_of_broadcasts_that_wait_do_not_either(void **context)
{
    (void)context;
    check_ways(true);
}

static void what_is_under_way_ends_with_the_device(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned i = 0; i < 10; i++) {
        const struct command command = write_to(i % 2, 2 + i % 5, 2, 2 * 16384);
        assert_int_equal(start(fixture, &command), BH_OK);
        assert_int_equal(bh_run(fixture->device, 13, NULL), BH_OK);
    }
}

/* A link carries something in the first 2 of each 10 cycles; what comes earlier than planned takes a gap between. */
static void a_link_keeps_its_latest_gaps(void **context)
{
    enum { TAKEN = 2 * MILLI, EACH = 10 * MILLI, TIMES = 41, FIRST_GAP = TIMES - 1 - NOC_GAPS };
    struct noc_schedule link = {0};
    (void)context;
    for (uint64_t i = 0; i < TIMES; i++) {
        assert_int_equal(noc_take(&link, i * EACH, TAKEN), i * EACH + TAKEN);
    }
    assert_int_equal(noc_take(&link, 0, MILLI), FIRST_GAP * EACH + TAKEN + MILLI);  /* those before are forgotten */
    assert_int_equal(noc_take(&link, 30 * EACH, MILLI), 30 * EACH + TAKEN + MILLI); /* behind what it carries then */
    assert_int_equal(noc_take(&link, 30 * EACH, 8 * MILLI), 31 * EACH + TAKEN + MILLI); /* 7 cycles are left, then 1 */
    assert_int_equal(noc_take(&link, 40 * EACH, MILLI), 40 * EACH + TAKEN + MILLI);     /* behind all */
    assert_int_equal(noc_take(&link, 50 * EACH, TAKEN), 50 * EACH + TAKEN);
    assert_int_equal(noc_take(&link, 45 * EACH, MILLI), 45 * EACH + MILLI);
}

/* What something that is delayed gives back goes to others: at the end, or between what is planned. */
static void others_take_what_is_given_back(void **context)
{
    enum { WHOLE = 100 * MILLI, PART = 60 * MILLI, REST = WHOLE - PART };
    struct noc_schedule link = {0};
    (void)context;
    assert_int_equal(noc_take(&link, 0, WHOLE), WHOLE);
    noc_give(&link, WHOLE - PART, WHOLE);
    assert_int_equal(noc_take(&link, 0, WHOLE), REST + WHOLE);
    assert_int_equal(noc_take(&link, 0, WHOLE), REST + 2 * WHOLE);
    noc_give(&link, WHOLE - PART + REST, REST + WHOLE); /* of the second one */
    assert_int_equal(noc_take(&link, 0, PART), REST + WHOLE);
    assert_int_equal(noc_take(&link, 0, MILLI), REST + 2 * WHOLE + MILLI);
}

/* The same schedule has 16 gaps, in a ring that has begun anew; it gets some more. */
static void what_is_given_back_may_be_among_many_gaps(void **context)
{
    enum { TAKEN = 4 * MILLI, EACH = 10 * MILLI, TIMES = 41 };
    struct noc_schedule link = {0};
    (void)context;
    for (uint64_t i = 0; i < TIMES; i++) {
        (void)noc_take(&link, i * EACH, TAKEN);
    }
    noc_give(&link, 30 * EACH + MILLI, 30 * EACH + TAKEN); /* right before a gap: 3 and 6 cycles */
    assert_int_equal(noc_take(&link, 30 * EACH, 9 * MILLI), 31 * EACH);
    noc_give(&link, 40 * EACH + MILLI, 40 * EACH + TAKEN); /* the last of all */
    assert_int_equal(noc_take(&link, 40 * EACH, MILLI), 40 * EACH + 2 * MILLI);
}

#define TIMED(function) cmocka_unit_test_setup_teardown(function, set_up_timed, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flit_takes_nine_cycles_a_router_and_five_at_either_end),
        TIMED(requests_go_one_way_round_and_responses_go_on),
        TIMED(a_packet_takes_a_cycle_for_each_flit),
        TIMED(more_than_16_kib_are_two_packets),
        cmocka_unit_test(only_broadcasts_reserve_their_way),
        cmocka_unit_test(a_broadcast_waits_for_those_of_others_only),
        cmocka_unit_test(linked_broadcasts_keep_their_way),
        cmocka_unit_test(the_last_of_linked_broadcasts_can_have_fewer_recipients),
        TIMED(a_broadcast_that_waited_goes_on_a_part_of_its_wait_later),
        TIMED(linked_broadcasts_to_one_tile_end),
        TIMED(a_tile_that_is_reset_gives_back_what_it_kept),
        TIMED(two_short_broadcasts_count_as_sent_while_they_wait),
        TIMED(long_broadcasts_count_as_sent_when_they_have_left),
        cmocka_unit_test(when_a_request_is_taken_is_known_of_that_alone),
        cmocka_unit_test(a_word_is_polled_every_11_cycles),
        cmocka_unit_test(a_link_keeps_its_latest_gaps),
        cmocka_unit_test(others_take_what_is_given_back),
        cmocka_unit_test(what_is_given_back_may_be_among_many_gaps),
        TIMED(reads_of_a_tile_that_was_reset_hold_up_no_others),
        TIMED(nobody_sees_a_write_before_it_arrives),
        TIMED(an_initiator_is_busy_until_the_niu_takes_its_request),
        TIMED(an_initiator_is_ready_again_a_little_later),
        cmocka_unit_test(times_depend_neither_on_threads_nor_on_calls),
        cmocka_unit_test(those_of_broadcasts_that_wait_do_not_either),
        TIMED(what_is_under_way_ends_with_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
