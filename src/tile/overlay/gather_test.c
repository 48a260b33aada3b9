/* Several streams of a tile joined into one, from which software pulls. Source: ISA documentation
   NoC/Overlay/Gather.md. noc/streams_test.c tests gathering into a stream that transmits to another tile. */
#include "tile/fixture.h"

enum {
    NEW_MSG_INFO = 0,
    MISC_CFG = 3,
    LOCAL_DEST = 7,
    BUF_START = 17,
    BUF_SIZE = 18,
    RD_PTR = 19,
    GATHER = 26,
    MCAST_DEST = 24,
    IN_ORDER_NUM_MSGS = 27,
    HEADER = 34,
    LOCAL_SRC_MASK = 224,
    WAIT_STATUS = 257,
    NUM_MSGS_RECEIVED = 259,
    BUF_SPACE_AVAILABLE = 260,
    NEXT_ADDRESS = 262,
    NEXT_SIZE = 263,
    MSG_INFO_CLEAR = 265,
    MSG_DATA_CLEAR = 266,
    PHASE_ADVANCE = 267,
};

enum { LOCAL_SOURCES = 1 << 3, SOURCE_ENDPOINT = 1 << 4, RECEIVER_ENDPOINT = 1 << 6, LOCAL_RECEIVER = 1 << 7 };
enum { GATHERER = 4, SIZE = 8, IDLE = 1, BY_STREAM = 1 << 12, IN_ORDER = 1 << 16, ARBITRARY = 1 << 17 };

static uint32_t at(unsigned stream, uint32_t index)
{
    return 0xFFB40000 + stream * 0x1000 + index * 4;
}

static void put(struct fixture *fixture, unsigned stream, uint32_t index, uint32_t value)
{
    assert_int_equal(mmio_store(&fixture->tile, BH_CORE_B, at(stream, index), 4, value), STEP_DONE);
}

static uint32_t get(struct fixture *fixture, unsigned stream, uint32_t index)
{
    uint32_t value;
    assert_int_equal(mmio_load(&fixture->tile, BH_CORE_B, at(stream, index), 4, &value), STEP_DONE);
    return value;
}

static uint32_t buffer_of(unsigned stream)
{
    return 0x1000 + 0x10 * stream;
}

static void start_source(struct fixture *fixture, unsigned stream, uint32_t messages, uint32_t wanted)
{
    put(fixture, stream, MISC_CFG, SOURCE_ENDPOINT | LOCAL_RECEIVER);
    put(fixture, stream, LOCAL_DEST, wanted | GATHERER << 12);
    put(fixture, stream, BUF_START, buffer_of(stream));
    put(fixture, stream, BUF_SIZE, SIZE);
    put(fixture, stream, HEADER, messages << 12);
    put(fixture, stream, PHASE_ADVANCE, 1);
}

static void set_up_gatherer(struct fixture *fixture, uint64_t sources, uint32_t gather, uint32_t messages)
{
    put(fixture, GATHERER, MISC_CFG, LOCAL_SOURCES | RECEIVER_ENDPOINT);
    put(fixture, GATHERER, GATHER, gather);
    for (unsigned i = 0; i < 3; i++) {
        put(fixture, GATHERER, LOCAL_SRC_MASK + i, sources >> 24 * i & 0xffffff);
    }
    put(fixture, GATHERER, HEADER, messages << 12);
}

/* Pushes a message of `length` units at `offset` of the buffer. */
static void push(struct fixture *fixture, unsigned stream, uint32_t offset, uint32_t length)
{
    put(fixture, stream, NEW_MSG_INFO, (buffer_of(stream) + offset) | length << 17);
}

/* Asserts that the gatherer shows a message of a stream, and clears it. */
static void pull(struct fixture *fixture, unsigned stream, uint32_t offset, uint32_t length)
{
    assert_int_equal(get(fixture, GATHERER, NEXT_ADDRESS), buffer_of(stream) + offset);
    assert_int_equal(get(fixture, GATHERER, NEXT_SIZE), length);
    put(fixture, GATHERER, MSG_INFO_CLEAR, 1);
    put(fixture, GATHERER, MSG_DATA_CLEAR, 0);
}

/* "Before any messages are transferred ..., all of the gather input streams need to have started the phase"; "the
   corresponding gather input stream has its receive buffer FIFO read pointer advanced" */
static void data_stay_with_the_streams_that_they_came_by(void **context)
{
    struct fixture *fixture = *context;
    set_up_gatherer(fixture, UINT64_C(1) << 8 | UINT64_C(1) << 62, 1 | 1 << 13, 3);
    put(fixture, GATHERER, PHASE_ADVANCE, 1);
    start_source(fixture, 8, 2, 1);
    push(fixture, 8, 0, 3);
    push(fixture, 8, 3, 4);
    assert_int_equal(get(fixture, GATHERER, NUM_MSGS_RECEIVED), 0);
    start_source(fixture, 62, 1, 1);
    assert_int_equal(get(fixture, GATHERER, NUM_MSGS_RECEIVED), 2); /* its FIFO is full */
    push(fixture, 62, 0, 5);
    assert_int_equal(get(fixture, GATHERER, NUM_MSGS_RECEIVED), 2);
    assert_int_equal(get(fixture, 62, NUM_MSGS_RECEIVED), 1);
    assert_int_equal(get(fixture, 8, NUM_MSGS_RECEIVED), 0);
    assert_int_equal(get(fixture, 8, BUF_SPACE_AVAILABLE), SIZE - 7);
    pull(fixture, 8, 0, 3);
    assert_int_equal(get(fixture, 8, RD_PTR), 3);
    assert_int_equal(get(fixture, 8, BUF_SPACE_AVAILABLE), SIZE - 4);
    assert_int_not_equal(get(fixture, 8, WAIT_STATUS), IDLE);
    put(fixture, GATHERER, MSG_INFO_CLEAR, 2); /* messages of two streams */
    assert_int_equal(get(fixture, 62, BUF_SPACE_AVAILABLE), SIZE - 5);
    put(fixture, GATHERER, MSG_DATA_CLEAR, 0);
    assert_int_equal(get(fixture, 62, RD_PTR), 5);
    assert_int_equal(get(fixture, 8, RD_PTR), 7);
    assert_int_equal(get(fixture, 8, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, 62, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, GATHERER, WAIT_STATUS), IDLE);
}

/* MSG_SRC_IN_ORDER_FWD: "The receiver will not skip over any groups" */
static void groups_go_in_order_or_as_they_are_ready(void **context)
{
    struct fixture *fixture = *context;
    for (uint32_t order = 0; order < 2; order++) {
        set_up_gatherer(fixture, 7 << 8, 1 | 1 << 13 | (order ? IN_ORDER : 0), 3);
        for (unsigned stream = 8; stream < 11; stream++) {
            start_source(fixture, stream, 1, 1);
        }
        put(fixture, GATHERER, PHASE_ADVANCE, 1);
        push(fixture, 10, 0, 1);
        assert_int_equal(get(fixture, GATHERER, NUM_MSGS_RECEIVED), !order);
        push(fixture, 8, 0, 1);
        assert_int_equal(get(fixture, GATHERER, NUM_MSGS_RECEIVED), 2 - order);
        push(fixture, 9, 0, 1);
        pull(fixture, order ? 8 : 10, 0, 1);
        pull(fixture, order ? 9 : 8, 0, 1);
        pull(fixture, order ? 10 : 9, 0, 1);
        assert_int_equal(get(fixture, GATHERER, WAIT_STATUS), IDLE);
    }
}

/* MSG_GROUP_STREAM_CLEAR_TYPE; "a group is ready once all streams within the group are offering to transmit" */
static void groups_of_two_take_turns(void **context)
{
    struct fixture *fixture = *context;
    for (uint32_t by_stream = 0; by_stream < 2; by_stream++) {
        set_up_gatherer(fixture, 3 << 12, 2 | 2 << 13 | (by_stream ? BY_STREAM : 0), 4);
        start_source(fixture, 12, 2, 2);
        start_source(fixture, 13, 2, 2);
        put(fixture, GATHERER, PHASE_ADVANCE, 1);
        push(fixture, 12, 0, 1);
        push(fixture, 12, 1, 1);
        push(fixture, 13, 0, 2);
        assert_int_equal(get(fixture, GATHERER, NUM_MSGS_RECEIVED), 0);
        push(fixture, 13, 2, 2);
        pull(fixture, 12, 0, 1);
        pull(fixture, by_stream ? 12 : 13, by_stream, 2 - by_stream);
        pull(fixture, by_stream ? 13 : 12, !by_stream, 1 + by_stream);
        pull(fixture, 13, 2, 2);
        assert_int_equal(get(fixture, GATHERER, WAIT_STATUS), IDLE);
    }
}

/* Registers written during a phase take effect in the next one. */
static void a_phase_keeps_its_configuration(void **context)
{
    struct fixture *fixture = *context;
    set_up_gatherer(fixture, 1 << 8, 2 | 1 << 13 | BY_STREAM, 2);
    start_source(fixture, 8, 2, 1);
    put(fixture, GATHERER, PHASE_ADVANCE, 1);
    put(fixture, GATHERER, GATHER, BY_STREAM);
    push(fixture, 8, 0, 1);
    push(fixture, 8, 1, 1);
    pull(fixture, 8, 0, 1);
    pull(fixture, 8, 1, 1);
    assert_int_equal(get(fixture, GATHERER, WAIT_STATUS), IDLE);
    put(fixture, 5, MISC_CFG, SOURCE_ENDPOINT | RECEIVER_ENDPOINT);
    put(fixture, 5, HEADER, 1 << 12);
    put(fixture, 5, PHASE_ADVANCE, 1);
    put(fixture, 5, MISC_CFG, LOCAL_SOURCES | RECEIVER_ENDPOINT);
    put(fixture, 5, GATHER, 0);
    assert_int_equal(get(fixture, 5, NUM_MSGS_RECEIVED), 0);
}

/* "When using in-order message forwarding, number of messages after which the source pointer goes back to zero (without
   phase change). Dont-care if STREAM_MCAST_EN == 0" */
static void a_multicasting_stream_begins_with_the_first_group_again(void **context)
{
    enum { MULTICASTS = 3, MESSAGES = 10, AFTER = 5 };
    static const unsigned multicast[MESSAGES] = {8, 8, 9, 9, 10, 8, 8, 9, 9, 10},
                          otherwise[MESSAGES] = {8, 8, 9, 9, 10, 10, 8, 8, 9, 9};
    struct fixture *fixture = *context;
    for (uint32_t turn = 0; turn < 2; turn++) {
        uint32_t offset[3] = {0};
        for (unsigned stream = 8; stream < 11; stream++) {
            start_source(fixture, stream, 4, 0);
            put(fixture, stream, LOCAL_DEST, MULTICASTS << 12);
            for (uint32_t i = 0; i < 4; i++) {
                push(fixture, stream, i, 1);
            }
        }
        put(fixture, MULTICASTS, MISC_CFG, LOCAL_SOURCES | RECEIVER_ENDPOINT);
        put(fixture, MULTICASTS, MCAST_DEST, turn ? 0 : 1 << 12);
        put(fixture, MULTICASTS, GATHER, 2 | 1 << 13 | IN_ORDER);
        put(fixture, MULTICASTS, IN_ORDER_NUM_MSGS, AFTER);
        put(fixture, MULTICASTS, LOCAL_SRC_MASK, 7 << 8);
        put(fixture, MULTICASTS, HEADER, MESSAGES << 12);
        put(fixture, MULTICASTS, PHASE_ADVANCE, 1);
        for (unsigned i = 0; i < MESSAGES; i++) {
            unsigned stream = (turn ? otherwise : multicast)[i];
            assert_int_equal(get(fixture, MULTICASTS, NEXT_ADDRESS), buffer_of(stream) + offset[stream - 8]++);
            put(fixture, MULTICASTS, MSG_INFO_CLEAR, 1);
            put(fixture, MULTICASTS, MSG_DATA_CLEAR, 0);
        }
        assert_int_equal(get(fixture, MULTICASTS, WAIT_STATUS), IDLE);
        for (unsigned stream = 8; stream < 11; stream++) {
            put(fixture, stream, 271, 1); /* STREAM_RESET */
        }
    }
}

static void refused(struct fixture *fixture, unsigned stream, const char *text)
{
    struct diagnostics *diagnostics = &fixture->state->diagnostics;
    diagnostics->count = 0;
    assert_int_equal(mmio_store(&fixture->tile, BH_CORE_B, at(stream, PHASE_ADVANCE), 4, 1), STEP_STOP);
    assert_non_null(strstr(diagnostics->entries[0].text, text));
    diagnostics->stopped = false;
    diagnostics->count = 0;
}

static void what_can_not_be_gathered_is_told(void **context)
{
    struct fixture *fixture = *context;
    set_up_gatherer(fixture, 0, 1 | 1 << 13, 1);
    refused(fixture, GATHERER, "names no stream");
    set_up_gatherer(fixture, 1 << 8, 1 | 2 << 13, 1);
    refused(fixture, GATHERER, "groups in part");
    set_up_gatherer(fixture, 1 << 8, 1 | 3 << 13, 1);
    refused(fixture, GATHERER, "MSG_ARB_GROUP_SIZE");
    set_up_gatherer(fixture, 1 << 8, 1 << 13, 1);
    refused(fixture, GATHERER, "MSG_LOCAL_STREAM_CLEAR_NUM");
    set_up_gatherer(fixture, 1 << 8, 1 | 1 << 13 | ARBITRARY, 1);
    refused(fixture, GATHERER, "MSG_SRC_ARBITRARY_CLEAR_NUM_EN is not emulated");
    put(fixture, GATHERER, MISC_CFG, LOCAL_SOURCES | LOCAL_RECEIVER);
    refused(fixture, GATHERER, "at the same time");
    put(fixture, 6, MISC_CFG, LOCAL_SOURCES | RECEIVER_ENDPOINT);
    refused(fixture, 6, "this stream can not gather");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(data_stay_with_the_streams_that_they_came_by, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_go_in_order_or_as_they_are_ready, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_two_take_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_phase_keeps_its_configuration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_multicasting_stream_begins_with_the_first_group_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_can_not_be_gathered_is_told, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
