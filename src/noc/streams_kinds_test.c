/* Overlay streams that transmit to buffers in DRAM and over Ethernet, and what only Blackhole's streams can: phases
   without end, header arrays that wrap around, offsets. Sources: ISA documentation NoC/Overlay/TransmitToDRAMBuffer.md,
   TransferBetweenTiles.md, EthernetTile/EthernetTxRx.md; tt-metal noc_overlay_parameters.h; the sequence of register
   accesses of stream_dram_write() in tt-budabackend's stream_interface.h for Blackhole. */
#include "noc/streams_fixture.h"

enum {
    DRAM_X = 17,
    DRAM_Y = 14,
    TO_DRAM = 1 << 0 | 1 << 2, /* NCRISC_TRANS_EN, NCRISC_CMD_ID */
    WAITS_FOR_DESTINATIONS = 4,
    TWO_WAY_RESPONSE = 1 << 27,
    CONFIGURATION = 0xFFB20100,
    DOUBLE_STORE_DISABLE = 1 << 13,
};

#define DRAM_HEADERS UINT64_C(0x80001230)

/* A phase of one message to `address` in DRAM, as software starts it. */
static void start_dram_write(struct fixture *fixture, struct end end, uint64_t address, uint32_t length)
{
    put(fixture, end, CURR_PHASE, 0);
    put(fixture, end, SCRATCH_0, TO_DRAM);
    put(fixture, end, REMOTE_DEST_MSG_INFO_WR_PTR_HI, (uint32_t)(DRAM_HEADERS >> 21));
    put(fixture, end, REMOTE_DEST_MSG_INFO_WR_PTR, (uint32_t)(DRAM_HEADERS >> 4));
    put(fixture, end, MCAST_DEST, 0);
    put(fixture, end, MCAST_DEST_NUM, 1);
    put(fixture, end, HEADER, 1 << 12);
    put(fixture, end, REMOTE_DEST, DRAM_X | DRAM_Y << 6);
    put(fixture, end, REMOTE_DEST_BUF_START_HI, (uint32_t)(address >> 21));
    put(fixture, end, REMOTE_DEST_BUF_START, (uint32_t)(address >> 4));
    put(fixture, end, REMOTE_DEST_BUF_SIZE, length);
    put(fixture, end, BUF_START, BUFFER >> SHIFT);
    put(fixture, end, BUF_SIZE, length);
    put(fixture, end, MSG_INFO_PTR, HEADERS >> SHIFT);
    put(fixture, end, MSG_INFO_WR_PTR, HEADERS >> SHIFT);
    put(fixture, end, MISC_CFG,
        SOURCE_ENDPOINT | REMOTE_RECEIVER | SRC_CHANGE | DEST_CHANGE | DEST_NO_FLOW_CONTROL | UPDATE_NOC_1);
    put(fixture, end, ONETIME_MISC_CFG, 2);
    put(fixture, end, PHASE_ADVANCE, 1);
}

/* "clear the "Double store disable" bit of NIU_CFG_0"; tt-zephyr-platforms' noc_init.c sets it in all tiles. */
static void set_double_store(struct fixture *fixture, bool store)
{
    uint64_t address = CONFIGURATION | UINT64_C(1) << 32;
    uint32_t word = get_word(fixture, DRAM_X, DRAM_Y, address) & ~(uint32_t)DOUBLE_STORE_DISABLE;
    put_word(fixture, DRAM_X, DRAM_Y, address, word | (store ? 0 : DOUBLE_STORE_DISABLE));
}

/* "Wait to receive an appropriate handshake response packet from the DRAM buffer. This will not happen naturally; it
   requires software to write to STREAM_DEST_PHASE_READY_UPDATE" */
static void software_answers_for_a_buffer_in_dram(void **context)
{
    enum { LENGTH = 1500 };
    const uint64_t address = 0x93456780;
    struct fixture *fixture = *context;
    struct end end = {2, 3, 9};
    set_double_store(fixture, true);
    fill(fixture, end.x, end.y, BUFFER, LENGTH * 16, 77);
    start_dram_write(fixture, end, address, LENGTH);
    assert_int_equal(get(fixture, end, DEBUG_STATUS + 8) >> 4 & 7, WAITS_FOR_DESTINATIONS);
    put(fixture, end, NEW_MSG_INFO, LENGTH << 17 | BUFFER >> SHIFT);
    settle(fixture);
    assert_int_equal(get_word(fixture, DRAM_X, DRAM_Y, address), 0);
    put(fixture, end, DEST_PHASE_READY_UPDATE, TWO_WAY_RESPONSE);
    settle(fixture);
    assert_same(fixture, end.x, end.y, BUFFER, DRAM_X, DRAM_Y, address, LENGTH * 16);
    assert_same(fixture, end.x, end.y, BUFFER, DRAM_X, DRAM_Y, DRAM_HEADERS, 16);
    assert_int_equal(get(fixture, end, WAIT_STATUS), IDLE);
}

static void a_dram_tile_may_store_no_headers(void **context)
{
    struct fixture *fixture = *context;
    struct end end = {2, 3, 2};
    fill(fixture, end.x, end.y, BUFFER, 64, 3);
    start_dram_write(fixture, end, 0x4000, 4);
    put(fixture, end, DEST_PHASE_READY_UPDATE, 0);
    put(fixture, end, NEW_MSG_INFO, 4 << 17 | BUFFER >> SHIFT);
    settle(fixture);
    assert_same(fixture, end.x, end.y, BUFFER, DRAM_X, DRAM_Y, 0x4000, 64);
    assert_int_equal(get_word(fixture, DRAM_X, DRAM_Y, DRAM_HEADERS), 0);
}

/* "the DRAM buffer is a plain array; it is not circular"; "If NEXT_PHASE_DEST_CHANGE was not specified, then the
   transmitter ... can start transmitting straight away" */
static void a_buffer_in_dram_is_filled_once(void **context)
{
    struct fixture *fixture = *context;
    struct end end = {5, 5, 11};
    for (unsigned i = 0; i < 40; i++) {
        put_word(fixture, 5, 5, BUFFER + 4 * i, i + 1);
    }
    start_dram_write(fixture, end, 0x8000, 10);
    put(fixture, end, MISC_CFG, SOURCE_ENDPOINT | REMOTE_RECEIVER | SRC_CHANGE | DEST_NO_FLOW_CONTROL);
    put(fixture, end, DEST_PHASE_READY_UPDATE, 0);
    put(fixture, end, NEW_MSG_INFO, 4 << 17 | BUFFER >> SHIFT);
    settle(fixture);
    assert_int_equal(get(fixture, end, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, end, REMOTE_DEST_WR_PTR), 4);
    advance(fixture, end, SOURCE_ENDPOINT | REMOTE_RECEIVER | SRC_CHANGE | DEST_NO_FLOW_CONTROL, 3, 2);
    put(fixture, end, NEW_MSG_INFO, 6 << 17 | ((BUFFER >> SHIFT) + 4));
    settle(fixture);
    for (unsigned i = 0; i < 40; i++) {
        assert_int_equal(get_word(fixture, DRAM_X, DRAM_Y, 0x8000 + 4 * i), i + 1);
    }
    uint32_t address = 0xFFB40000u + end.stream * 0x1000, more = 1 << 17 | BUFFER >> SHIFT;
    assert_int_not_equal(bh_write(fixture->device, end.x, end.y, address, &more, 4), BH_OK);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
    assert_non_null(strstr(fixture->last.text, "of which 0 are left"));
}

/* "DEST_DATA_BUF_NO_FLOW_CTRL also needs to be set"; "set the STREAM_MCAST_EN field ... to false"; other streams have
   no STREAM_SCRATCH. */
static void what_a_buffer_in_dram_needs_is_told(void **context)
{
    uint32_t config = SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE;
    (void)context;
    for (unsigned i = 0; i < 2; i++) {
        struct end end = {1, 2, 3};
        void *fresh;
        assert_int_equal(set_up(&fresh), 0);
        put(fresh, end, SCRATCH_0, 6);
        put(fresh, end, MCAST_DEST, 1 << 12);
        assert_phase_refused(fresh, end, config | (i ? DEST_NO_FLOW_CONTROL : 0),
                             i ? "excludes multicast" : "needs DEST_DATA_BUF_NO_FLOW_CTRL");
        tear_down(&fresh);
    }
    struct fixture *fixture = *context;
    put(fixture, (struct end){1, 2, 7}, SCRATCH_0, 5);
    put(fixture, (struct end){1, 2, 8}, SCRATCH_0 + 5, 0xabcdef);
    assert_int_equal(get(fixture, (struct end){1, 2, 7}, SCRATCH_0), 0);
    assert_int_equal(get(fixture, (struct end){1, 2, 8}, SCRATCH_0 + 5), 0xabcdef);
}

/* INFINITE_PHASE_EN: "infinite messages per phase, accompanied by a last tile header bit which will end the phase" */
static void a_phase_without_end_ends_with_a_message(void **context)
{
    enum { SIZE = 12, LENGTH = 3, MESSAGES = 40, LAST_BIT = 127, PHASE = 6, LAST_TILE = 29, DETECTED = 3 << 8 };
    struct fixture *fixture = *context;
    struct end from = {4, 3, 20}, to = {4, 4, 30};
    buffers(fixture, from, SIZE);
    buffers(fixture, to, SIZE);
    for (unsigned y = 3; y <= 4; y++) {
        put(fixture, (struct end){4, y, 0}, MSG_HEADER_FORMAT, LENGTH_IN_BITS_31_0 | LAST_BIT << 14);
    }
    transmits_to(fixture, from, to, SIZE);
    receives_from(fixture, to, from, PHASE);
    advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE | INFINITE, 1, 0);
    advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE | INFINITE, PHASE, 0);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        bool last = i == MESSAGES - 1;
        uint32_t at = get(fixture, from, WR_PTR), header[4] = {LENGTH, i, 0, last ? 1u << 31 : 0};
        for (unsigned word = 0; word < 4; word++) {
            put_word(fixture, 4, 3, BUFFER + at * 16 + word * 4, header[word]);
            put_word(fixture, 4, 3, get(fixture, from, MSG_INFO_WR_PTR) * 16 + word * 4, header[word]);
        }
        assert_int_equal(get(fixture, from, WAIT_STATUS), FORWARDING);
        put(fixture, from, NUM_MSGS_RECEIVED_INC, LENGTH << 12 | 1 | (uint32_t)last << LAST_TILE);
        settle(fixture);
        assert_int_equal(get(fixture, to, WAIT_STATUS), FORWARDING | (last ? DETECTED : 0));
        put(fixture, to, MSG_INFO_CLEAR, 1);
        assert_int_equal(get_word(fixture, 4, 4, BUFFER + at * 16 + 4), i);
        put(fixture, to, MSG_DATA_CLEAR, 1);
        settle(fixture);
    }
    assert_int_equal(get(fixture, to, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
    uint32_t address = 0xFFB40000u + from.stream * 0x1000 + NUM_MSGS_RECEIVED_INC * 4, one = 1;
    assert_int_not_equal(bh_write(fixture->device, 4, 3, address, &one, 4), BH_OK);
}

/* MSG_INFO_BUF_FLOW_CTRL: "set if ... you want the buffer to have wrapping"; "Source can't send data unless WORDS_FREE
   > 0" */
static void header_arrays_wrap_around(void **context)
{
    enum { SIZE = 20, LENGTH = 1, MESSAGES = 18, PLACES = 4, PHASE = 6, START = HEADERS >> SHIFT };
    struct fixture *fixture = *context;
    struct end from = {7, 3, 20}, to = {6, 4, 30};
    buffers(fixture, from, SIZE);
    buffers(fixture, to, SIZE);
    transmits_to(fixture, from, to, SIZE);
    receives_from(fixture, to, from, PHASE);
    put(fixture, to, MSG_INFO_BUF_SIZE, 1);
    put(fixture, to, MSG_INFO_WR_PTR, 0); /* both pointers */
    put(fixture, from, REMOTE_DEST_MSG_INFO_BUF_SIZE, 1);
    put(fixture, from, REMOTE_DEST_MSG_INFO_WRAP_WR_PTR, 0);
    uint32_t receiver = REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE | WRAPPING_HEADERS;
    uint32_t sender = SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE | DEST_WRAPPING_HEADERS;
    put(fixture, to, ACK_THRESHOLD, 9);
    advance(fixture, to, receiver, 1, MESSAGES);
    advance(fixture, from, sender, PHASE, MESSAGES);
    assert_int_equal(get(fixture, from, DEST_SPACE), SIZE | PLACES << 17);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        push(fixture, from, LENGTH, SIZE, i * 100);
    }
    settle(fixture);
    settle(fixture);
    assert_int_equal(get(fixture, to, NUM_MSGS_RECEIVED), 16); /* as many as its FIFO holds */
    assert_int_equal(get(fixture, to, MSG_INFO_SPACE_AVAILABLE), PLACES - 2);
    assert_int_equal(get_word(fixture, to.x, to.y, HEADERS + 16 * PLACES), 0); /* nothing behind the array */
    for (uint32_t i = 0; i < MESSAGES; i++) {
        pull(fixture, to, LENGTH, SIZE, i * 100);
        settle(fixture);
    }
    assert_int_equal(get(fixture, to, MSG_INFO_WR_PTR), 0x402); /* each four times round and two further */
    assert_int_equal(get(fixture, to, MSG_INFO_PTR), START);
    assert_int_equal(get(fixture, from, REMOTE_DEST_MSG_INFO_WRAP_WR_PTR), 2);
    assert_int_equal(get(fixture, from, DEST_SPACE), SIZE | PLACES << 17);
    assert_int_equal(get(fixture, to, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
}

/* Software says with the bit of STREAM_WR_PTR that wraps that the buffer is full, and with STREAM_MSG_INFO_WR_PTR that
   headers are there: what was sent in one phase is sent again in the next one. */
static void what_is_in_a_buffer_is_sent_again(void **context)
{
    enum { SIZE = 12, LENGTH = 4, MESSAGES = 3, FULL = 1 << 17 };
    struct fixture *fixture = *context;
    struct end from = {12, 3, 33}, to = {13, 3, 33};
    for (uint32_t phase = 1; phase < 4; phase++) {
        buffers(fixture, to, SIZE);
        receives_from(fixture, to, from, phase);
        advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE, 1, MESSAGES);
        buffers(fixture, from, SIZE);
        transmits_to(fixture, from, to, SIZE);
        if (phase > 1) {
            put(fixture, from, WR_PTR, FULL);
            put(fixture, from, MSG_INFO_WR_PTR, (HEADERS >> SHIFT) + MESSAGES);
        }
        advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE, phase, MESSAGES);
        for (uint32_t i = 0; i < MESSAGES && phase == 1; i++) {
            push(fixture, from, LENGTH, SIZE, 16 * i);
        }
        settle(fixture);
        for (uint32_t i = 0; i < MESSAGES; i++) {
            pull(fixture, to, LENGTH, SIZE, 16 * i);
        }
        settle(fixture);
        assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
        assert_int_equal(get(fixture, from, BUF_SPACE_AVAILABLE), SIZE);
    }
}

/* GLOBAL_OFFSET_TABLE_RD_SRC_INDEX, GLOBAL_OFFSET_TABLE_RD_DEST_INDEX: "will offset ... by entry value" */
static void addresses_of_packets_get_offsets(void **context)
{
    enum { SIZE = 4, FROM_FURTHER = 0x300, TO_FURTHER = 0x500 };
    struct fixture *fixture = *context;
    struct end from = {12, 3, 1}, to = {13, 3, 1}, other = {12, 3, 50};
    put(fixture, other, GLOBAL_OFFSET_TABLE, FROM_FURTHER | 2 << 17); /* the table is one for all streams */
    put(fixture, other, GLOBAL_OFFSET_TABLE, TO_FURTHER | 7 << 17);
    assert_int_equal(get(fixture, from, GLOBAL_OFFSET_TABLE_RD + 2), FROM_FURTHER);
    assert_int_equal(get(fixture, from, GLOBAL_OFFSET_TABLE_RD + 7), TO_FURTHER);
    fill(fixture, from.x, from.y, BUFFER + FROM_FURTHER * 16, SIZE * 16, 9);
    buffers(fixture, from, SIZE);
    buffers(fixture, to, SIZE);
    transmits_to(fixture, from, to, SIZE);
    receives_from(fixture, to, from, 4);
    put(fixture, from, ONETIME_MISC_CFG, 2 << 5 | 7 << 8);
    advance(fixture, to, REMOTE_SOURCE | SRC_CHANGE | NO_FLOW_CONTROL, 1, 2);
    advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_NO_FLOW_CONTROL, 4, 1);
    uint32_t expected = get_word(fixture, from.x, from.y, BUFFER + FROM_FURTHER * 16);
    put_word(fixture, from.x, from.y, BUFFER + FROM_FURTHER * 16, SIZE);
    put(fixture, from, NEW_MSG_INFO, SIZE << 17 | BUFFER >> SHIFT);
    settle(fixture);
    assert_int_not_equal(expected, 0);
    assert_same(fixture, from.x, from.y, BUFFER + FROM_FURTHER * 16, to.x, to.y, BUFFER + TO_FURTHER * 16, SIZE * 16);
    put(fixture, other, GLOBAL_OFFSET_TABLE, 1 << 20);
    assert_int_equal(get(fixture, from, GLOBAL_OFFSET_TABLE_RD + 7), 0);
}

/* Ethernet. The link of a tile leads back to it (docs/chip.md). */

enum { ETHERNET_X = 22, ETHERNET_Y = 25, PEER = 63 | 63 << 6, AWAY = 0x20000 };
enum { RXQ_0 = 0xFFB94000, TXQ_0 = 0xFFB90000, HEADER_FORMAT = 0x48, PACKET_START_COUNT = 0x24, MAX_PACKET = 0xc };

static void pass_over_ethernet(struct fixture *fixture, struct end from, struct end to)
{
    enum { SIZE = 100, TO = 70, LENGTH = 60, MESSAGES = 5, PHASE = 9 };
    put_word(fixture, from.x, from.y, RXQ_0 + HEADER_FORMAT, LENGTH_IN_BITS_31_0);
    put_word(fixture, from.x, from.y, TXQ_0 + MAX_PACKET, 320);
    buffers(fixture, from, SIZE);
    put(fixture, to, BUF_START, AWAY >> SHIFT);
    put(fixture, to, BUF_SIZE, TO);
    put(fixture, to, MSG_INFO_PTR, (AWAY - 0x400) >> SHIFT);
    put(fixture, to, MSG_INFO_WR_PTR, (AWAY - 0x400) >> SHIFT);
    put(fixture, from, REMOTE_DEST, PEER | to.stream << 12);
    put(fixture, from, REMOTE_DEST_BUF_START, AWAY >> SHIFT);
    put(fixture, from, REMOTE_DEST_BUF_SIZE, TO);
    put(fixture, from, REMOTE_DEST_MSG_INFO_WR_PTR, (AWAY - 0x400) >> SHIFT);
    put(fixture, to, REMOTE_SRC, PEER | from.stream << 12);
    put(fixture, to, REMOTE_SRC_PHASE, PHASE);
    uint32_t noc = counter(fixture, from.x, from.y, 0, 11), before = get_word(fixture, from.x, from.y, RXQ_0 + 0x24);
    advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE, PHASE, MESSAGES);
    advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE, 1, MESSAGES);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        push(fixture, from, LENGTH, SIZE, i << 12);
        settle(fixture);
        uint32_t at = get(fixture, to, NEXT_ADDRESS) - (AWAY >> SHIFT);
        assert_int_equal(get(fixture, to, NUM_MSGS_RECEIVED), 1);
        put(fixture, to, MSG_INFO_CLEAR, 1);
        for (uint32_t word = 1; word < LENGTH * 4; word++) {
            assert_int_equal(get_word(fixture, to.x, to.y, AWAY + (at * 16 + word * 4) % (TO * 16)), (i << 12) + word);
        }
        put(fixture, to, MSG_DATA_CLEAR, 1);
        settle(fixture);
    }
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, to, WAIT_STATUS), IDLE);
    assert_int_equal(counter(fixture, from.x, from.y, 0, 11), noc); /* nothing went over the NoC */
    /* at least three packets a message, which are more where buffers wrap, and one update of space */
    assert_in_range(get_word(fixture, from.x, from.y, RXQ_0 + PACKET_START_COUNT) - before, 4 * MESSAGES,
                    7 * MESSAGES + 2);
}

static void streams_of_ethernet_tiles_reach_their_peers(void **context)
{
    pass_over_ethernet(*context, (struct end){ETHERNET_X, ETHERNET_Y, 3}, (struct end){ETHERNET_X, ETHERNET_Y, 8});
}

static void only_some_streams_have_peers(void **context)
{
    (void)context;
    static const struct end ends[] = {{1, 2, 0}, {ETHERNET_X, ETHERNET_Y, 4}, {ETHERNET_X, ETHERNET_Y, 12}};
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        void *fresh;
        assert_int_equal(set_up(&fresh), 0);
        put(fresh, ends[i], REMOTE_DEST, PEER);
        assert_phase_refused(fresh, ends[i], SOURCE_ENDPOINT | REMOTE_RECEIVER, "this one has not");
        tear_down(&fresh);
    }
}

/* Where the policy goes on, its coordinates are those of a tile like any other: of one that takes no such writes. */
static void a_stream_without_a_peer_reaches_nobody(void **context)
{
    static const struct end ends[] = {{1, 2, 0}, {ETHERNET_X, ETHERNET_Y, 4}};
    struct fixture *fixture = *context;
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct end from = ends[i], to = {from.x, from.y, from.stream + 16};
        put(fixture, from, REMOTE_DEST, PEER);
        advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE, 1, 1);
        assert_non_null(strstr(fixture->last.text, "this one has not"));
        assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK); /* it asks whether the destination is ready */
        assert_non_null(strstr(fixture->last.text, "inline writes are for"));
        put(fixture, to, REMOTE_SRC, PEER);
        advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE, 1, 1);
        assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK); /* it says that it is ready */
        assert_int_equal(get(fixture, from, WAIT_STATUS), FORWARDING);
        assert_int_equal(get(fixture, to, WAIT_STATUS), FORWARDING);
    }
}

/* "when using the NoC Overlay over Ethernet, ETH_RXQ_TILE_HEADER_FORMAT also needs to be configured" */
static void the_rx_queue_has_to_know_where_lengths_are(void **context)
{
    struct fixture *fixture = *context;
    struct end end = {ETHERNET_X, ETHERNET_Y, 1};
    buffers(fixture, end, 4);
    put(fixture, end, REMOTE_DEST, PEER | 2 << 12);
    put(fixture, end, REMOTE_DEST_BUF_START, AWAY >> SHIFT);
    put(fixture, end, REMOTE_DEST_BUF_SIZE, 4);
    advance(fixture, end, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_NO_FLOW_CONTROL, 1, 1);
    put(fixture, end, DEST_PHASE_READY_UPDATE, 1 << 6);
    put(fixture, end, NEW_MSG_INFO, 1 << 17 | BUFFER >> SHIFT);
    assert_int_not_equal(bh_run(fixture->device, 10, NULL), BH_OK);
    assert_non_null(strstr(fixture->last.text, "ETH_RXQ_TILE_HEADER_FORMAT"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(software_answers_for_a_buffer_in_dram),
        TEST(a_dram_tile_may_store_no_headers),
        TEST(a_buffer_in_dram_is_filled_once),
        TEST(what_a_buffer_in_dram_needs_is_told),
        TEST(a_phase_without_end_ends_with_a_message),
        TEST(header_arrays_wrap_around),
        TEST(what_is_in_a_buffer_is_sent_again),
        TEST(addresses_of_packets_get_offsets),
        TEST(streams_of_ethernet_tiles_reach_their_peers),
        TEST(only_some_streams_have_peers),
        cmocka_unit_test_setup_teardown(a_stream_without_a_peer_reaches_nobody, set_up_silicon, tear_down),
        TEST(the_rx_queue_has_to_know_where_lengths_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
