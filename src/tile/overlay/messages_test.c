/* Messages from software to software through an overlay stream. Sources: ISA documentation NoC/Overlay/
   ReceiveFromSoftware.md ("Pushing messages using the receive buffer FIFO, without the message header array"),
   TransmitToSoftware.md; chapter "config sync instructions" (STREAMWAIT). */
#include "isa/tensix_isa.h"
#include "tile/fixture.h"

enum {
    NEW_MSG_INFO = 0,
    MISC_CFG = 3,
    BUF_START = 17,
    BUF_SIZE = 18,
    RD_PTR = 19,
    WR_PTR = 20,
    HEADER = 34,
    WAIT_STATUS = 257,
    NUM_MSGS_RECEIVED = 259,
    BUF_SPACE_AVAILABLE = 260,
    MSG_INFO_CLEAR = 265,
    MSG_DATA_CLEAR = 266,
    PHASE_ADVANCE = 267,
    RESET = 271,
    CAN_PUSH = 275,
    IDLE = 1,
    MSG_FWD_ONGOING = 4 | 5 << 3, /* and STREAM_CURR_STATE */
    ENDPOINTS = 1 << 4 | 1 << 6,
    BUFFER = 0x1800, /* in units of 16 bytes */
    NEXT_ADDRESS = 262,
    NEXT_SIZE = 263,
    MSG_INFO = 329,
    SIZE = 10,
    STREAM = 33,
};

static uint32_t at(uint32_t index)
{
    return 0xFFB40000 + STREAM * 0x1000 + index * 4;
}

static void put(struct fixture *fixture, uint32_t index, uint32_t value)
{
    assert_int_equal(mmio_store(&fixture->tile, BH_CORE_B, at(index), 4, value), STEP_DONE);
}

static uint32_t get(struct fixture *fixture, uint32_t index)
{
    uint32_t value;
    assert_int_equal(mmio_load(&fixture->tile, BH_CORE_T2, at(index), 4, &value), STEP_DONE);
    return value;
}

static void push(struct fixture *fixture, uint32_t length)
{
    put(fixture, NEW_MSG_INFO, (BUFFER + get(fixture, WR_PTR)) | length << 17);
}

static void start(struct fixture *fixture, uint32_t messages)
{
    put(fixture, MISC_CFG, ENDPOINTS);
    put(fixture, BUF_START, BUFFER);
    put(fixture, BUF_SIZE, SIZE);
    put(fixture, HEADER, messages << 12);
    put(fixture, PHASE_ADVANCE, 1);
}

static void refused(struct fixture *fixture, uint32_t index, uint32_t value, const char *text)
{
    struct diagnostics *diagnostics = &fixture->state->diagnostics;
    diagnostics->count = 0;
    assert_int_equal(mmio_store(&fixture->tile, BH_CORE_B, at(index), 4, value), STEP_STOP);
    assert_non_null(strstr(diagnostics->entries[0].text, text));
    diagnostics->stopped = false;
    diagnostics->count = 0;
}

static void messages_are_counted_from_push_to_pull(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(get(fixture, WAIT_STATUS), IDLE);
    start(fixture, 3);
    assert_int_equal(get(fixture, WAIT_STATUS), MSG_FWD_ONGOING);
    assert_int_equal(get(fixture, CAN_PUSH), 1);
    push(fixture, 4);
    push(fixture, 3);
    assert_int_equal(get(fixture, NUM_MSGS_RECEIVED), 2);
    assert_int_equal(get(fixture, HEADER) & 0xfff, 3); /* messages not pulled yet */
    assert_int_equal(get(fixture, HEADER) >> 12 & 0xfff, 3);
    assert_int_equal(get(fixture, NEXT_ADDRESS), BUFFER);
    assert_int_equal(get(fixture, NEXT_SIZE), 4);
    assert_int_equal(get(fixture, MSG_INFO + 2), BUFFER + 4);
    assert_int_equal(get(fixture, MSG_INFO + 3), 3);
    assert_int_equal(get(fixture, WR_PTR), 7);
    assert_int_equal(get(fixture, BUF_SPACE_AVAILABLE), SIZE - 7);
    put(fixture, MSG_INFO_CLEAR, 1);
    assert_int_equal(get(fixture, HEADER) & 0xfff, 2);
    assert_int_equal(get(fixture, NUM_MSGS_RECEIVED), 1);
    assert_int_equal(get(fixture, BUF_SPACE_AVAILABLE), SIZE - 7); /* pulled, not read yet */
    put(fixture, MSG_DATA_CLEAR, 0);
    assert_int_equal(get(fixture, RD_PTR), 4);
    assert_int_equal(get(fixture, BUF_SPACE_AVAILABLE), SIZE - 3);
    push(fixture, 6);
    assert_int_equal(get(fixture, WR_PTR), 3); /* wrapped around */
    put(fixture, MSG_INFO_CLEAR, 2);
    assert_int_equal(get(fixture, WAIT_STATUS), MSG_FWD_ONGOING);
    put(fixture, MSG_DATA_CLEAR, 0);
    assert_int_equal(get(fixture, RD_PTR), 3);
    assert_int_equal(get(fixture, BUF_SPACE_AVAILABLE), SIZE);
    assert_int_equal(get(fixture, WAIT_STATUS), IDLE); /* the phase is over */
}

static void streamwait_waits_for_messages(void **context)
{
    struct fixture *fixture = *context;
    struct tensix *tensix = &fixture->tile.tensix;
    const uint16_t *config = fixture->state->tensix.config.thread[1];
    start(fixture, 5);
    const uint32_t words[] = {
        (uint32_t)TENSIX_OPCODE_SETC16 << 24 | STREAM_ID_SYNC_SEC0_BankSel_ADDR32 << 16 | STREAM,
        (uint32_t)TENSIX_OPCODE_STREAMWAIT << 24 | 1u << 22 | 2 << 4 | 1 << 3, /* B7; two messages */
        (uint32_t)TENSIX_OPCODE_SETC16 << 24 | 1 << 16 | 7,
    };
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(frontend_push(tensix, 1, words[i], 0, false), STEP_DONE);
    }
    for (unsigned sent = 0; sent < 2; sent++) {
        tensix_drain(tensix);
        assert_int_equal(config[1], 0);
        push(fixture, 1);
    }
    tensix_drain(tensix);
    assert_int_equal(config[1], 7);
}

static void misuse_is_told_and_changes_nothing(void **context)
{
    struct fixture *fixture = *context;
    put(fixture, MISC_CFG, 1 << 4 | 1 << 5); /* two sources */
    put(fixture, HEADER, 1 << 12);
    refused(fixture, PHASE_ADVANCE, 1, "has to name one source");
    put(fixture, MISC_CFG, 1 << 4 | 1 << 6 | 1 << 8); /* two receivers */
    refused(fixture, PHASE_ADVANCE, 1, "at most one receiver");
    refused(fixture, NEW_MSG_INFO, 1 << 17, "no phase is under way");
    put(fixture, MISC_CFG, ENDPOINTS);
    start(fixture, 2);
    refused(fixture, PHASE_ADVANCE, 1, "a phase is under way");
    refused(fixture, NEW_MSG_INFO, (SIZE + 1) << 17, "longer than what is free");
    refused(fixture, MSG_INFO_CLEAR, 1, "which has 0");
    refused(fixture, MSG_DATA_CLEAR, 1, "no message was pulled");
    push(fixture, 1);
    push(fixture, 1);
    refused(fixture, NEW_MSG_INFO, 1 << 17, "had all its messages");
    assert_int_equal(get(fixture, NUM_MSGS_RECEIVED), 2);
    put(fixture, RESET, 1);
    assert_int_equal(get(fixture, NUM_MSGS_RECEIVED), 0);
    assert_int_equal(get(fixture, WAIT_STATUS), IDLE);
}

/* "which can be between 0 and 4095" */
static void a_phase_without_messages_is_over_at_once(void **context)
{
    struct fixture *fixture = *context;
    start(fixture, 0);
    assert_int_equal(get(fixture, WAIT_STATUS), IDLE);
    refused(fixture, NEW_MSG_INFO, 1 << 17, "no phase is under way");
}

static void a_full_fifo_takes_no_more(void **context)
{
    struct fixture *fixture = *context;
    start(fixture, 100);
    put(fixture, BUF_SIZE, 0x1000);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(get(fixture, CAN_PUSH), 1);
        push(fixture, 1);
    }
    assert_int_equal(get(fixture, CAN_PUSH), 0);
    refused(fixture, NEW_MSG_INFO, 1 << 17, "there is no room");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages_are_counted_from_push_to_pull, set_up, tear_down),
        cmocka_unit_test_setup_teardown(streamwait_waits_for_messages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(misuse_is_told_and_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_phase_without_messages_is_over_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_fifo_takes_no_more, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
