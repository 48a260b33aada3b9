/* Overlay streams that carry messages from tile to tile. Addresses and lengths are in units of 16 bytes. Source: ISA
   documentation NoC/Overlay/README.md, ReceiveFromSoftware.md, TransferBetweenTiles.md, TransmitToSoftware.md; register
   indices and fields are Blackhole's. */
#ifndef BHEMU_KERNELS_STREAMS_H
#define BHEMU_KERNELS_STREAMS_H

#include "mmio.h"

enum stream_register {
    STREAM_NUM_MSGS_RECEIVED_INC = 1,
    STREAM_MISC_CFG = 3,
    STREAM_REMOTE_SRC = 4,
    STREAM_REMOTE_SRC_PHASE = 5,
    STREAM_REMOTE_DEST = 7,
    STREAM_REMOTE_DEST_BUF_START = 8,
    STREAM_REMOTE_DEST_BUF_SIZE = 10,
    STREAM_REMOTE_DEST_MSG_INFO_WR_PTR = 13,
    STREAM_BUF_START = 17,
    STREAM_BUF_SIZE = 18,
    STREAM_WR_PTR = 20,
    STREAM_MSG_INFO_PTR = 22,
    STREAM_MSG_INFO_WR_PTR = 23,
    STREAM_CURR_PHASE = 29,
    STREAM_MSG_HEADER_FORMAT = 33,
    STREAM_PHASE_AUTO_CFG_HEADER = 34,
    STREAM_WAIT_STATUS = 257,
    STREAM_NUM_MSGS_RECEIVED = 259,
    STREAM_BUF_SPACE_AVAILABLE = 260,
    STREAM_NEXT_RECEIVED_MSG_ADDR = 262,
    STREAM_MSG_INFO_CLEAR = 265,
    STREAM_MSG_DATA_CLEAR = 266,
    STREAM_PHASE_ADVANCE = 267,
};

enum stream_configuration {
    STREAM_SOURCE_ENDPOINT = 1 << 4,
    STREAM_REMOTE_SOURCE = 1 << 5,
    STREAM_RECEIVER_ENDPOINT = 1 << 6,
    STREAM_REMOTE_RECEIVER = 1 << 8,
    STREAM_NEXT_PHASE_SRC_CHANGE = 1 << 11,
    STREAM_NEXT_PHASE_DEST_CHANGE = 1 << 12,
};

enum { STREAM_MSG_FWD_ONGOING = 1 << 2, STREAM_LENGTH_IN_BITS_31_0 = 32 << 7 };

/* A stream's receive buffer and message header array. */
struct stream_buffer {
    uint32_t start, size, headers;
};

/* A register of a stream, 0 to 63, of this tile. */
static inline volatile uint32_t *stream(uint32_t number, enum stream_register index)
{
    return (volatile uint32_t *)(STREAM_REGISTERS + number * 0x1000 + index * 4);
}

/* Gives a stream that receives its buffer. */
static inline void stream_receives_into(uint32_t number, struct stream_buffer buffer)
{
    *stream(0, STREAM_MSG_HEADER_FORMAT) = STREAM_LENGTH_IN_BITS_31_0;
    *stream(number, STREAM_BUF_START) = buffer.start;
    *stream(number, STREAM_BUF_SIZE) = buffer.size;
    *stream(number, STREAM_MSG_INFO_PTR) = buffer.headers;
    *stream(number, STREAM_MSG_INFO_WR_PTR) = buffer.headers;
}

/* from: x | y << 6, of a stream with the same number. */
static inline void stream_receives_from(uint32_t number, uint32_t from, uint32_t phase)
{
    *stream(number, STREAM_REMOTE_SRC) = from | number << 12;
    *stream(number, STREAM_REMOTE_SRC_PHASE) = phase;
}

/* to: x | y << 6, of a stream with the same number; buffer: its buffer there. */
static inline void stream_transmits_to(uint32_t number, uint32_t to, struct stream_buffer buffer)
{
    *stream(number, STREAM_REMOTE_DEST) = to | number << 12;
    *stream(number, STREAM_REMOTE_DEST_BUF_START) = buffer.start;
    *stream(number, STREAM_REMOTE_DEST_BUF_SIZE) = buffer.size;
    *stream(number, STREAM_REMOTE_DEST_MSG_INFO_WR_PTR) = buffer.headers;
}

/* configuration: of enum stream_configuration. messages: how many the phase has. */
static inline void stream_start_phase(uint32_t number, uint32_t configuration, uint32_t phase, uint32_t messages)
{
    *stream(number, STREAM_MISC_CFG) = configuration | STREAM_NEXT_PHASE_SRC_CHANGE | STREAM_NEXT_PHASE_DEST_CHANGE;
    *stream(number, STREAM_CURR_PHASE) = phase;
    *stream(number, STREAM_PHASE_AUTO_CFG_HEADER) = messages << 12;
    *stream(number, STREAM_PHASE_ADVANCE) = 1;
}

/* Waits until the stream forwards no message. */
static inline void stream_wait_for_end(uint32_t number)
{
    while (*stream(number, STREAM_WAIT_STATUS) & STREAM_MSG_FWD_ONGOING) {
    }
}

#endif
