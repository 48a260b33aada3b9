/* Overlay streams as the tests of this folder see them. Lengths and addresses are in units of 16 bytes. */
#ifndef BHEMU_NOC_STREAMS_FIXTURE_H
#define BHEMU_NOC_STREAMS_FIXTURE_H

#include "noc/fixture.h"

enum {
    NEW_MSG_INFO = 0,
    NUM_MSGS_RECEIVED_INC = 1,
    ONETIME_MISC_CFG = 2,
    MISC_CFG = 3,
    REMOTE_SRC = 4,
    REMOTE_SRC_PHASE = 5,
    ACK_THRESHOLD = 6,
    REMOTE_DEST = 7,
    REMOTE_DEST_BUF_START = 8,
    REMOTE_DEST_BUF_SIZE = 10,
    REMOTE_DEST_BUF_START_HI = 9,
    REMOTE_DEST_WR_PTR = 11,
    REMOTE_DEST_MSG_INFO_BUF_SIZE = 12,
    REMOTE_DEST_MSG_INFO_WR_PTR = 13,
    REMOTE_DEST_MSG_INFO_WR_PTR_HI = 14,
    REMOTE_DEST_MSG_INFO_WRAP_WR_PTR = 15,
    BUF_START = 17,
    BUF_SIZE = 18,
    RD_PTR = 19,
    WR_PTR = 20,
    MSG_INFO_BUF_SIZE = 21,
    MSG_INFO_PTR = 22,
    MSG_INFO_WR_PTR = 23,
    MCAST_DEST = 24,
    MCAST_DEST_NUM = 25,
    GATHER = 26,
    CURR_PHASE = 29,
    PHASE_AUTO_CFG_PTR = 31,
    MSG_HEADER_FORMAT = 33,
    HEADER = 34,
    SCRATCH_0 = 36,
    GLOBAL_OFFSET_TABLE = 207,
    LOCAL_SRC_MASK = 224,
    WAIT_STATUS = 257,
    IN_BUF_AND_MEM = 258,
    NUM_MSGS_RECEIVED = 259,
    BUF_SPACE_AVAILABLE = 260,
    MSG_INFO_SPACE_AVAILABLE = 261,
    NEXT_ADDRESS = 262,
    NEXT_SIZE = 263,
    MULTI_MSG_CLEAR = 264,
    MSG_INFO_CLEAR = 265,
    MSG_DATA_CLEAR = 266,
    PHASE_ADVANCE = 267,
    DEST_PHASE_READY_UPDATE = 268,
    RESET = 271,
    GLOBAL_OFFSET_TABLE_RD = 279,
    BLOB_DONE = 288,
    NEXT_DONE = 290,
    DEST_SPACE = 297,
    DEBUG_STATUS = 501,
};

enum { /* STREAM_MISC_CFG */
       OUTGOING_NOC_1 = 1 << 1,
       UPDATE_NOC_1 = 1 << 2,
       LOCAL_SOURCES = 1 << 3,
       SOURCE_ENDPOINT = 1 << 4,
       REMOTE_SOURCE = 1 << 5,
       RECEIVER_ENDPOINT = 1 << 6,
       LOCAL_RECEIVER = 1 << 7,
       REMOTE_RECEIVER = 1 << 8,
       TOKEN_MODE = 1 << 9,
       COPY_MODE = 1 << 10,
       SRC_CHANGE = 1 << 11,
       DEST_CHANGE = 1 << 12,
       NO_FLOW_CONTROL = 1 << 13,
       DEST_NO_FLOW_CONTROL = 1 << 14,
       WRAPPING_HEADERS = 1 << 15,
       DEST_WRAPPING_HEADERS = 1 << 16,
       INFINITE = 1 << 21,
       OUT_OF_ORDER = 1 << 22,
};

enum { IDLE = 1, FORWARDING = 4 | 5 << 3, SHIFT = 4, HEADERS = 0x9000, BUFFER = 0xa000, LENGTH_IN_BITS_31_0 = 32 << 7 };

/* A stream of a tile, and what it gets to know of others. */
struct end {
    unsigned x, y, stream;
};

static inline void put(struct fixture *fixture, struct end end, uint32_t index, uint32_t value)
{
    put_word(fixture, end.x, end.y, 0xFFB40000u + end.stream * 0x1000 + index * 4, value);
}

static inline uint32_t get(struct fixture *fixture, struct end end, uint32_t index)
{
    return get_word(fixture, end.x, end.y, 0xFFB40000u + end.stream * 0x1000 + index * 4);
}

static inline uint32_t name(struct end end)
{
    return end.x | end.y << 6 | end.stream << 12;
}

static inline void settle(struct fixture *fixture)
{
    for (unsigned i = 0; i < 4; i++) {
        exchange(fixture);
    }
}

static inline void buffers(struct fixture *fixture, struct end end, uint32_t size)
{
    put(fixture, (struct end){end.x, end.y, 0}, MSG_HEADER_FORMAT, LENGTH_IN_BITS_31_0);
    put(fixture, end, BUF_START, BUFFER >> SHIFT);
    put(fixture, end, BUF_SIZE, size);
    put(fixture, end, MSG_INFO_PTR, HEADERS >> SHIFT);
    put(fixture, end, MSG_INFO_WR_PTR, HEADERS >> SHIFT);
}

static inline void transmits_to(struct fixture *fixture, struct end end, struct end to, uint32_t size)
{
    put(fixture, end, REMOTE_DEST, name(to));
    put(fixture, end, REMOTE_DEST_BUF_START, BUFFER >> SHIFT);
    put(fixture, end, REMOTE_DEST_BUF_SIZE, size);
    put(fixture, end, REMOTE_DEST_MSG_INFO_WR_PTR, HEADERS >> SHIFT);
}

static inline void receives_from(struct fixture *fixture, struct end end, struct end from, uint32_t phase)
{
    put(fixture, end, REMOTE_SRC, name(from));
    put(fixture, end, REMOTE_SRC_PHASE, phase);
}

static inline void advance(struct fixture *fixture, struct end end, uint32_t config, uint32_t phase, uint32_t messages)
{
    put(fixture, end, MISC_CFG, config);
    put(fixture, end, CURR_PHASE, phase);
    put(fixture, end, HEADER, messages << 12);
    put(fixture, end, PHASE_ADVANCE, 1);
}

/* Software pushes a message whose bytes follow from `seed`, its length in the first word, into a buffer of `size`. */
static inline void push(struct fixture *fixture, struct end end, uint32_t length, uint32_t size, uint32_t seed)
{
    uint32_t at = get(fixture, end, WR_PTR);
    for (uint32_t i = 0; i < length * 4; i++) {
        uint32_t word = i ? seed + i : length;
        put_word(fixture, end.x, end.y, BUFFER + (at * 16 + i * 4) % (size * 16), word);
        if (i < 4) {
            put_word(fixture, end.x, end.y, get(fixture, end, MSG_INFO_WR_PTR) * 16 + i * 4, word);
        }
    }
    put(fixture, end, NUM_MSGS_RECEIVED_INC, length << 12 | 1);
}

/* The message at the front is that one; software takes it and gives it back. */
static inline void pull(struct fixture *fixture, struct end end, uint32_t length, uint32_t size, uint32_t seed)
{
    assert_int_not_equal(get(fixture, end, NUM_MSGS_RECEIVED), 0);
    assert_int_equal(get(fixture, end, NEXT_SIZE), length);
    uint32_t at = get(fixture, end, NEXT_ADDRESS) - (BUFFER >> SHIFT);
    put(fixture, end, MSG_INFO_CLEAR, 1);
    for (uint32_t i = 0; i < length * 4; i++) {
        assert_int_equal(get_word(fixture, end.x, end.y, BUFFER + (at * 16 + i * 4) % (size * 16)),
                         i ? seed + i : length);
    }
    put(fixture, end, MSG_DATA_CLEAR, 1);
}

/* A phase of one message is not started. */
static inline void assert_phase_refused(struct fixture *fixture, struct end end, uint32_t config, const char *part)
{
    uint32_t address = 0xFFB40000u + end.stream * 0x1000 + PHASE_ADVANCE * 4, one = 1;
    put(fixture, end, MISC_CFG, config);
    put(fixture, end, HEADER, 1 << 12);
    assert_int_not_equal(bh_write(fixture->device, end.x, end.y, address, &one, 4), BH_OK);
    assert_non_null(strstr(fixture->last.text, part));
}

#endif
