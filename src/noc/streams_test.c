/* Overlay streams that send messages to each other. Sources: ISA documentation NoC/Overlay/README.md,
   ReceiveFromSoftware.md, TransferBetweenTiles.md, TransmitToSoftware.md, TransmitToNowhere.md,
   LoadConfigurationFromL1.md; tt-metal noc_overlay_parameters.h. Lengths and addresses are in units of 16 bytes. */
#include "noc/streams_fixture.h"

/* One phase of messages, more than the receiver has room for at once. */
static void pass_messages(struct fixture *fixture, struct end from, struct end to, bool receiver_first, unsigned noc)
{
    enum { MESSAGES = 12, FROM = 20, TO = 9, PHASE = 77 };
    uint32_t nocs = noc ? OUTGOING_NOC_1 : UPDATE_NOC_1;
    buffers(fixture, from, FROM);
    buffers(fixture, to, TO);
    transmits_to(fixture, from, to, TO);
    receives_from(fixture, to, from, PHASE);
    for (unsigned turn = 0; turn < 2; turn++) {
        if ((turn == 0) == receiver_first) {
            advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE | DEST_CHANGE | nocs, 5, MESSAGES);
        } else {
            advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | SRC_CHANGE | DEST_CHANGE | nocs, PHASE,
                    MESSAGES);
        }
        settle(fixture);
    }
    assert_int_equal(get(fixture, from, WAIT_STATUS), FORWARDING);
    unsigned pushed = 0;
    for (unsigned pulled = 0; pulled < MESSAGES; pulled++) {
        while (pushed < MESSAGES && get(fixture, from, BUF_SPACE_AVAILABLE) >= 1 + pushed % 5) {
            push(fixture, from, 1 + pushed % 5, FROM, 1000 * pushed);
            pushed++;
        }
        settle(fixture);
        assert_in_range(get(fixture, to, BUF_SPACE_AVAILABLE), 0, TO - 1);
        pull(fixture, to, 1 + pulled % 5, TO, 1000 * pulled);
        settle(fixture);
    }
    settle(fixture);
    assert_int_equal(get(fixture, to, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, from, DEST_SPACE), TO); /* everything was given back */
    assert_int_equal(get(fixture, from, BUF_SPACE_AVAILABLE), FROM);
    for (unsigned i = 0; i < MESSAGES; i++) { /* all headers are there, in a row */
        assert_int_equal(get_word(fixture, to.x, to.y, HEADERS + 16 * i), 1 + i % 5);
    }
}

static void messages_go_from_software_to_software(void **context)
{
    pass_messages(*context, (struct end){1, 2, 8}, (struct end){14, 11, 33}, true, 0);
}

static void a_transmitter_may_start_first(void **context)
{
    pass_messages(*context, (struct end){3, 4, 0}, (struct end){5, 6, 63}, false, 0);
}

static void data_and_flow_control_take_either_noc(void **context)
{
    pass_messages(*context, (struct end){3, 4, 60}, (struct end){3, 5, 60}, true, 1);
}

static void a_tile_sends_to_itself(void **context)
{
    enum { SIZE = 8 };
    struct fixture *fixture = *context;
    struct end from = {7, 7, 10}, to = {7, 7, 11};
    buffers(fixture, from, SIZE);
    put(fixture, to, BUF_START, 0xc000 >> SHIFT);
    put(fixture, to, BUF_SIZE, SIZE);
    put(fixture, to, MSG_INFO_PTR, 0xb000 >> SHIFT);
    put(fixture, to, MSG_INFO_WR_PTR, 0xb000 >> SHIFT);
    transmits_to(fixture, from, to, SIZE);
    put(fixture, from, REMOTE_DEST_BUF_START, 0xc000 >> SHIFT);
    put(fixture, from, REMOTE_DEST_MSG_INFO_WR_PTR, 0xb000 >> SHIFT);
    receives_from(fixture, to, from, 1);
    advance(fixture, to, REMOTE_SOURCE | SRC_CHANGE, 1, 1); /* to nowhere */
    advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE, 1, 1);
    push(fixture, from, 3, SIZE, 90);
    settle(fixture);
    assert_same(fixture, 7, 7, BUFFER, 7, 7, 0xc000, 48);
    assert_same(fixture, 7, 7, HEADERS, 7, 7, 0xb000, 16);
    assert_int_equal(get(fixture, to, RD_PTR), 3);
    assert_int_equal(get(fixture, to, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
}

/* Messages that two streams have in buffers of their own leave through a third, which has none. */
static void gathered_messages_leave_the_tile(void **context)
{
    enum { SIZE = 6, TO = 9, MESSAGES = 10, FIRST = 14, GATHERER = 5, PLACES = 0x20000, PHASE = 3 };
    struct fixture *fixture = *context;
    struct end gatherer = {2, 3, GATHERER}, to = {11, 8, 40};
    buffers(fixture, to, TO);
    receives_from(fixture, to, gatherer, PHASE);
    advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE | DEST_CHANGE, PHASE, MESSAGES);
    transmits_to(fixture, gatherer, to, TO);
    put(fixture, gatherer, GATHER, 1 | 2 << 13); /* one of each of two */
    put(fixture, gatherer, LOCAL_SRC_MASK, 3 << FIRST);
    advance(fixture, gatherer, LOCAL_SOURCES | REMOTE_RECEIVER | SRC_CHANGE | DEST_CHANGE, PHASE, MESSAGES);
    for (unsigned i = 0; i < 2; i++) {
        struct end from = {2, 3, FIRST + i};
        put(fixture, from, REMOTE_DEST, 1 | GATHERER << 12); /* STREAM_LOCAL_DEST */
        put(fixture, from, BUF_START, (PLACES + 0x1000 * i) >> SHIFT);
        put(fixture, from, BUF_SIZE, SIZE);
        advance(fixture, from, SOURCE_ENDPOINT | LOCAL_RECEIVER, PHASE, MESSAGES / 2);
    }
    for (uint32_t pushed = 0; pushed < MESSAGES; pushed++) {
        struct end from = {2, 3, FIRST + pushed % 2};
        uint32_t length = 2 + pushed % 3, at = get(fixture, from, WR_PTR), start = PLACES + 0x1000 * (pushed % 2);
        for (uint32_t i = 0; i < length * 4; i++) {
            put_word(fixture, 2, 3, start + (at * 16 + i * 4) % (SIZE * 16), i ? 100 * pushed + i : length);
        }
        put(fixture, from, 0, ((start >> SHIFT) + at) | length << 17); /* STREAM_SOURCE_ENDPOINT_NEW_MSG_INFO */
        settle(fixture);
        if (pushed % 2) {
            pull(fixture, to, 2 + (pushed - 1) % 3, TO, 100 * (pushed - 1));
            settle(fixture);
            pull(fixture, to, 2 + pushed % 3, TO, 100 * pushed);
            settle(fixture);
        }
    }
    for (unsigned stream = FIRST; stream < FIRST + 2; stream++) {
        assert_int_equal(get(fixture, (struct end){2, 3, stream}, WAIT_STATUS), IDLE);
        assert_int_equal(get(fixture, (struct end){2, 3, stream}, BUF_SPACE_AVAILABLE), SIZE);
    }
    assert_int_equal(get(fixture, gatherer, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, to, WAIT_STATUS), IDLE);
}

/* "If a stream is only communicating with other streams, its receive buffer is allowed to be smaller than a message" */
static void messages_are_passed_on(void **context)
{
    enum { MESSAGES = 6, LENGTH = 10, SMALL = 3, SIZE = 30, PHASE = 1 };
    struct fixture *fixture = *context;
    struct end from = {1, 3, 1}, relay = {16, 2, 40}, to = {10, 9, 4};
    buffers(fixture, from, SIZE);
    buffers(fixture, relay, SMALL);
    buffers(fixture, to, SIZE);
    transmits_to(fixture, from, relay, SMALL);
    receives_from(fixture, relay, from, PHASE);
    transmits_to(fixture, relay, to, SIZE);
    receives_from(fixture, to, relay, PHASE + 1);
    put(fixture, to, ACK_THRESHOLD, 1); /* once half of the buffer is free */
    advance(fixture, relay, REMOTE_SOURCE | REMOTE_RECEIVER | SRC_CHANGE | DEST_CHANGE, PHASE + 1, MESSAGES);
    advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE, PHASE, MESSAGES);
    advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE, 9, MESSAGES);
    for (unsigned i = 0; i < MESSAGES; i++) {
        push(fixture, from, LENGTH, SIZE, i << 16);
        for (unsigned j = 0; j < LENGTH; j++) {
            settle(fixture);
        }
        assert_int_equal(get(fixture, to, NUM_MSGS_RECEIVED), 1);
        pull(fixture, to, LENGTH, SIZE, i << 16);
    }
    settle(fixture);
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, relay, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, to, WAIT_STATUS), IDLE);
}

static void a_long_message_takes_several_packets(void **context)
{
    enum { LENGTH = 2500, SIZE = 4000 }; /* 16 KiB are 1024 units */
    struct fixture *fixture = *context;
    struct end from = {2, 2, 2}, to = {12, 4, 2};
    buffers(fixture, from, SIZE);
    buffers(fixture, to, SIZE);
    transmits_to(fixture, from, to, SIZE);
    receives_from(fixture, to, from, 3);
    fill(fixture, 2, 2, BUFFER, LENGTH * 16, 5);
    put_word(fixture, 2, 2, BUFFER, LENGTH);
    advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE, 3, 1);
    advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE, 3, 1);
    uint32_t sent = counter(fixture, 2, 2, 0, 11); /* NIU_MST_POSTED_WR_REQ_SENT */
    put(fixture, from, NEW_MSG_INFO, LENGTH << 17 | BUFFER >> SHIFT);
    settle(fixture);
    assert_in_range(counter(fixture, 2, 2, 0, 11) - sent, 3, 4); /* packets, perhaps a handshake */
    assert_same(fixture, 2, 2, BUFFER, 12, 4, BUFFER, LENGTH * 16);
    assert_int_equal(get(fixture, to, NUM_MSGS_RECEIVED), 1);
    put(fixture, to, MULTI_MSG_CLEAR, 1);
    settle(fixture);
    assert_int_equal(get(fixture, to, MULTI_MSG_CLEAR), 0);
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
}

static void streams_0_to_3_multicast(void **context)
{
    enum { SIZE = 16, RECEIVERS = 6, MESSAGES = 5, LENGTH = 4 };
    struct fixture *fixture = *context;
    struct end from = {10, 8, 3};
    buffers(fixture, from, SIZE);
    transmits_to(fixture, from, (struct end){2, 3, 20}, SIZE);
    put(fixture, from, MCAST_DEST, 4 | 4 << 6 | 1 << 12);
    put(fixture, from, MCAST_DEST_NUM, RECEIVERS);
    put(fixture, from, REMOTE_DEST_BUF_SIZE, SIZE);
    for (unsigned i = 0; i < RECEIVERS; i++) {
        struct end to = {2 + i % 3, 3 + i / 3, 20};
        buffers(fixture, to, SIZE);
        put(fixture, to, REMOTE_SRC, name(from) | i << 18);
        put(fixture, to, REMOTE_SRC_PHASE, 8);
        advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE, 8, MESSAGES);
        if (i == RECEIVERS - 2) { /* nothing goes before all are ready */
            advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE, 8, MESSAGES);
            push(fixture, from, LENGTH, SIZE, 0);
            settle(fixture);
            assert_int_equal(get(fixture, (struct end){2, 3, 20}, NUM_MSGS_RECEIVED), 0);
        }
    }
    settle(fixture);
    for (unsigned message = 0; message < MESSAGES; message++) {
        for (unsigned i = 0; i < RECEIVERS; i++) {
            pull(fixture, (struct end){2 + i % 3, 3 + i / 3, 20}, LENGTH, SIZE, message << 8);
        }
        if (message + 1 < MESSAGES) {
            push(fixture, from, LENGTH, SIZE, (message + 1) << 8);
        }
        settle(fixture);
    }
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, from, DEST_SPACE + RECEIVERS - 1), SIZE);
}

/* The receiver's phase has all messages, the sender has a phase for each of them; without a handshake between those. */
static void phases_go_on_where_the_one_before_ended(void **context)
{
    enum { MESSAGES = 4, SIZE = 12, LENGTH = 5, PHASE = 30 };
    struct fixture *fixture = *context;
    struct end from = {6, 2, 9}, to = {6, 10, 9};
    buffers(fixture, from, SIZE);
    buffers(fixture, to, SIZE);
    transmits_to(fixture, from, to, SIZE);
    receives_from(fixture, to, from, PHASE);
    advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE, 1, MESSAGES);
    for (unsigned i = 0; i < MESSAGES; i++) {
        bool last = i == MESSAGES - 1;
        advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | (last ? SRC_CHANGE | DEST_CHANGE : 0), PHASE + i, 1);
        push(fixture, from, LENGTH, SIZE, i * 100);
        settle(fixture);
        assert_int_equal(get(fixture, from, WAIT_STATUS), last ? FORWARDING : IDLE);
        pull(fixture, to, LENGTH, SIZE, i * 100);
        settle(fixture);
    }
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE); /* only the last phase waited for the receiver */
    assert_int_equal(get(fixture, to, WAIT_STATUS), IDLE);
}

/* Two phases of a relay, configured from L1, that follow each other for ever. */
static void phases_are_configured_from_l1(void **context)
{
    enum { SIZE = 8, LENGTH = 2, PHASES = 4, BLOB = 0x20000, WRITES = 8, PER_PHASE = 2 };
    struct fixture *fixture = *context;
    struct end from = {1, 2, 12}, relay = {2, 2, 12}, to = {3, 2, 12};
    buffers(fixture, relay, SIZE);
    transmits_to(fixture, relay, to, SIZE);
    receives_from(fixture, relay, from, 0);
    uint32_t config = REMOTE_SOURCE | REMOTE_RECEIVER | SRC_CHANGE | DEST_CHANGE;
    for (unsigned phase = 0; phase < 2; phase++) {
        const uint32_t blob[WRITES + 1] = {
            WRITES << 24 | PER_PHASE << 12 | 1, /* what the next one has; the phase's messages; the next phase */
            BUF_START << 24 | BUFFER >> SHIFT,
            MSG_INFO_PTR << 24 | HEADERS >> SHIFT,
            MSG_INFO_WR_PTR << 24 | HEADERS >> SHIFT,
            REMOTE_DEST_BUF_START << 24 | BUFFER >> SHIFT,
            REMOTE_DEST_MSG_INFO_WR_PTR << 24 | HEADERS >> SHIFT,
            MISC_CFG << 24 | config,
            REMOTE_SRC_PHASE << 24 | (100 + phase),
            PHASE_AUTO_CFG_PTR << 24 | (phase ? BLOB : BLOB + sizeof blob),
        };
        assert_int_equal(bh_write(fixture->device, 2, 2, BLOB + phase * sizeof blob, blob, sizeof blob), BH_OK);
    }
    put(fixture, relay, CURR_PHASE, 200);
    put(fixture, relay, PHASE_AUTO_CFG_PTR, BLOB);
    put(fixture, relay, HEADER, WRITES << 24);
    put(fixture, relay, ONETIME_MISC_CFG, 3); /* PHASE_AUTO_CONFIG, PHASE_AUTO_ADVANCE */
    for (unsigned phase = 0; phase < PHASES; phase++) {
        buffers(fixture, from, SIZE);
        buffers(fixture, to, SIZE);
        transmits_to(fixture, from, relay, SIZE);
        receives_from(fixture, to, relay, 201 + phase);
        assert_int_equal(get(fixture, relay, CURR_PHASE), 201 + phase);
        advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE, 100 + phase % 2, PER_PHASE);
        advance(fixture, to, REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE, 1, PER_PHASE);
        for (unsigned i = 0; i < PER_PHASE; i++) {
            push(fixture, from, LENGTH, SIZE, phase * 64 + i * 32);
        }
        settle(fixture);
        settle(fixture);
        for (unsigned i = 0; i < PER_PHASE; i++) {
            pull(fixture, to, LENGTH, SIZE, phase * 64 + i * 32);
        }
        settle(fixture);
        assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
        assert_int_equal(get(fixture, relay, WAIT_STATUS), FORWARDING);
    }
    put(fixture, relay, ONETIME_MISC_CFG, 0);
    put(fixture, relay, RESET, 1);
    assert_int_equal(get(fixture, relay, WAIT_STATUS), IDLE);
}

static void stream_0_names_streams_that_are_done(void **context)
{
    struct fixture *fixture = *context;
    struct end first = {4, 4, 0};
    for (unsigned stream = 5; stream < 64; stream += 40) {
        struct end end = {4, 4, stream};
        advance(fixture, end, SOURCE_ENDPOINT, 1, 0);
    }
    assert_int_equal(get(fixture, first, BLOB_DONE), 1 << 5);
    assert_int_equal(get(fixture, first, BLOB_DONE + 1), 1 << 13);
    assert_int_equal(get(fixture, first, NEXT_DONE), 0x10005);
    assert_int_equal(get(fixture, first, BLOB_DONE), 0);
    put(fixture, first, BLOB_DONE + 1, 1 << 13);
    assert_int_equal(get(fixture, first, NEXT_DONE), 0);
}

static void without_flow_control_nothing_is_told(void **context)
{
    enum { SIZE = 20, LENGTH = 4 };
    struct fixture *fixture = *context;
    struct end from = {1, 2, 50}, to = {1, 3, 50};
    buffers(fixture, from, SIZE);
    buffers(fixture, to, SIZE);
    transmits_to(fixture, from, to, SIZE);
    receives_from(fixture, to, from, 1);
    advance(fixture, to, REMOTE_SOURCE | SRC_CHANGE | NO_FLOW_CONTROL, 1, 2);
    advance(fixture, from, SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE | NO_FLOW_CONTROL << 1, 1, 2);
    push(fixture, from, LENGTH, SIZE, 1);
    push(fixture, from, LENGTH, SIZE, 2);
    settle(fixture);
    assert_int_equal(get(fixture, from, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, from, DEST_SPACE), SIZE - 2 * LENGTH);
}

/* Ethernet tiles have 32 streams of the same kind; tile (25, 16) is one of them, see docs/chip.md. */
static void ethernet_tiles_have_streams(void **context)
{
    enum { X = 20, Y = 25 };
    pass_messages(*context, (struct end){X, Y, 31}, (struct end){5, 5, 20}, true, 0);
}

static void messages_reach_ethernet_tiles(void **context)
{
    enum { X = 21, Y = 25 };
    pass_messages(*context, (struct end){6, 6, 3}, (struct end){X, Y, 9}, false, 0);
}

static void what_is_not_emulated_says_so(void **context)
{
    static const struct {
        uint32_t config;
        const char *part;
    } cases[] = {{SOURCE_ENDPOINT | REMOTE_RECEIVER | TOKEN_MODE, "TOKEN_MODE"},
                 {SOURCE_ENDPOINT | REMOTE_RECEIVER | COPY_MODE, "COPY_MODE"},
                 {SOURCE_ENDPOINT | REMOTE_RECEIVER | OUT_OF_ORDER, "OOO_PHASE_EXECUTION_EN"}};
    (void)context;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        void *fresh;
        assert_int_equal(set_up(&fresh), 0);
        assert_phase_refused(fresh, (struct end){1, 2, 8}, cases[i].config, cases[i].part);
        tear_down(&fresh);
    }
}

static void a_packet_for_a_stream_that_does_not_listen_is_wrong(void **context)
{
    struct fixture *fixture = *context;
    struct command command = {
        .x = 1, .y = 2, .ctrl = CMD_WRITE, .target_at = at(1, 2), .back_at = at(1, 3), .tag = 1 << 6 | 7, .length = 32};
    assert_wrong(fixture, &command, BH_UNDEFINED_BEHAVIOR, "overlay stream 7 of tile");
}

static void a_header_without_a_length_is_wrong(void **context)
{
    struct fixture *fixture = *context;
    struct end end = {1, 2, 6};
    buffers(fixture, end, 8);
    advance(fixture, end, SOURCE_ENDPOINT | RECEIVER_ENDPOINT, 1, 1);
    uint32_t address = 0xFFB40000u + 6 * 0x1000 + NUM_MSGS_RECEIVED_INC * 4, value = 2 << 12 | 1;
    assert_int_not_equal(bh_write(fixture->device, 1, 2, address, &value, 4), BH_OK);
    assert_non_null(strstr(fixture->last.text, "0 x 16 bytes"));
}

static void configuration_in_a_circle_ends(void **context)
{
    struct fixture *fixture = *context;
    struct end end = {1, 2, 6};
    const uint32_t blob[] = {2 << 24, MISC_CFG << 24 | SOURCE_ENDPOINT, PHASE_AUTO_CFG_PTR << 24 | 0x4000};
    uint32_t address = 0xFFB40000u + 6 * 0x1000 + ONETIME_MISC_CFG * 4, value = 3;
    assert_int_equal(bh_write(fixture->device, 1, 2, 0x4000, blob, sizeof blob), BH_OK);
    put(fixture, end, PHASE_AUTO_CFG_PTR, 0x4000);
    put(fixture, end, HEADER, 2 << 24);
    assert_int_not_equal(bh_write(fixture->device, 1, 2, address, &value, 4), BH_OK);
    assert_non_null(strstr(fixture->last.text, "round in circles"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(messages_go_from_software_to_software),
        TEST(a_transmitter_may_start_first),
        TEST(data_and_flow_control_take_either_noc),
        TEST(a_tile_sends_to_itself),
        TEST(messages_are_passed_on),
        TEST(a_long_message_takes_several_packets),
        TEST(gathered_messages_leave_the_tile),
        TEST(streams_0_to_3_multicast),
        TEST(phases_go_on_where_the_one_before_ended),
        TEST(phases_are_configured_from_l1),
        TEST(stream_0_names_streams_that_are_done),
        TEST(without_flow_control_nothing_is_told),
        TEST(ethernet_tiles_have_streams),
        TEST(messages_reach_ethernet_tiles),
        TEST(what_is_not_emulated_says_so),
        TEST(a_packet_for_a_stream_that_does_not_listen_is_wrong),
        TEST(a_header_without_a_length_is_wrong),
        TEST(configuration_in_a_circle_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
