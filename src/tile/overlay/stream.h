/* Shared by the parts of the overlay. Sources: overlay.h. */
#ifndef BHEMU_TILE_OVERLAY_STREAM_H
#define BHEMU_TILE_OVERLAY_STREAM_H

#include "tile/mmio.h"
#include "tile/overlay/overlay.h"

#define INDEX(name) ((MMIO_ADDRESS_STREAM_##name & 0xfff) / 4)

/* STREAM_MISC_CFG of Blackhole. */
enum stream_configuration {
    OUTGOING_DATA_NOC = 1 << 1,
    REMOTE_SRC_UPDATE_NOC = 1 << 2,
    LOCAL_SOURCES_CONNECTED = 1 << 3,
    SOURCE_ENDPOINT = 1 << 4,
    REMOTE_SOURCE = 1 << 5,
    RECEIVER_ENDPOINT = 1 << 6,
    LOCAL_RECEIVER = 1 << 7,
    REMOTE_RECEIVER = 1 << 8,
    TOKEN_MODE = 1 << 9,
    COPY_MODE = 1 << 10,
    NEXT_PHASE_SRC_CHANGE = 1 << 11,
    NEXT_PHASE_DEST_CHANGE = 1 << 12,
    DATA_BUF_NO_FLOW_CTRL = 1 << 13,
    DEST_DATA_BUF_NO_FLOW_CTRL = 1 << 14,
    MSG_INFO_BUF_FLOW_CTRL = 1 << 15,
    DEST_MSG_INFO_BUF_FLOW_CTRL = 1 << 16,
    REMOTE_SRC_IS_MCAST = 1 << 17,
    INFINITE_PHASE_EN = 1 << 21,
    OOO_PHASE_EXECUTION_EN = 1 << 22,
};

enum {
    PHASE_AUTO_CONFIG = 1 << 0, /* STREAM_ONETIME_MISC_CFG */
    PHASE_AUTO_ADVANCE = 1 << 1,
    GLOBAL_OFFSET_TABLE_RD_SRC_INDEX_SHAMT = 5,
    GLOBAL_OFFSET_TABLE_RD_DEST_INDEX_SHAMT = 8,
    GLOBAL_OFFSET_TABLE_INDEX_BITS = STREAM_OFFSETS - 1,
    BUF_WORDS = 0x1ffff,
    BUF_WORDS_BITS = 17,
    PTR_WRAP = 1 << BUF_WORDS_BITS, /* STREAM_RD_PTR, STREAM_WR_PTR */
    HIGH_WORDS = 0x7fff,            /* high bits of addresses of buffers in DRAM */
    HEADER_BYTES = 16,
    PHASE_BITS = 0xfffff,
    PHASE_NUM_INCR = 0xfff, /* STREAM_PHASE_AUTO_CFG_HEADER */
    CURR_PHASE_NUM_MSGS_SHAMT = 12,
    CURR_PHASE_NUM_MSGS = 0xfff << CURR_PHASE_NUM_MSGS_SHAMT,
    NEXT_PHASE_NUM_CFG_REG_WRITES_SHAMT = 24,
    COORDINATE_BITS = 0x3f, /* STREAM_REMOTE_SRC, STREAM_REMOTE_DEST, STREAM_MCAST_DEST */
    Y_SHAMT = 6,
    STREAM_ID_SHAMT = 12,
    STREAM_ID_BITS = 0x3f,
    DEST_INDEX_SHAMT = 18,
    MCAST_EN = 1 << 12,
    PHASE_READY_NUM_SHAMT = 6, /* STREAM_DEST_PHASE_READY_UPDATE, and the size field of space updates */
    PHASE_READY_MCAST = 1 << 26,
    PHASE_READY_TWO_WAY_RESP = 1 << 27,
    MSG_INFO_BUF_WORDS_FREE_INC_SHAMT = 23,
    DESTINATION_BITS = 0x3f,
    OVER_ETHERNET = 63, /* as a coordinate */
};
#define HANDSHAKE_READY (1u << 31) /* of `ready` in struct overlay: there is a phase */

/* One stream of a site. */
struct stream {
    const struct overlay_site *site;
    unsigned number;
    uint32_t (*words)[STREAMS]; /* its registers: *words[index] */
    struct stream_engine *engine;
};

static inline struct actor stream_actor(const struct stream *stream)
{
    return (struct actor){.agent = BH_AGENT_STREAM, .index = (uint8_t)stream->number};
}

static inline uint32_t (*overlay_words(struct overlay *overlay, unsigned number))[STREAMS]
{
    return (uint32_t(*)[STREAMS])(void *)&overlay->words[0][number];
}

static inline struct stream overlay_stream(const struct overlay_site *site, unsigned number)
{
    return (struct stream){site, number, overlay_words(site->overlay, number), &site->overlay->engine[number]};
}

static inline bool stream_is(const struct stream *stream, enum stream_configuration bits)
{
    return *stream->words[INDEX(MISC_CFG)] & bits;
}

static inline bool stream_is_over_ethernet(uint32_t place)
{
    return (place & COORDINATE_BITS) == OVER_ETHERNET && (place >> Y_SHAMT & COORDINATE_BITS) == OVER_ETHERNET;
}

/* Whether a stream's source or destination is the other end of its tile's link. Without a link the coordinates are
   those of a tile that does not exist. */
bool stream_is_linked(const struct stream *stream, uint32_t place);

/* Whether a stream can transmit to buffers in DRAM and, in an Ethernet tile, over the link; whether it transmits to
   such a buffer now. */
bool stream_reaches_dram(unsigned stream);
bool stream_writes_dram(const struct stream *stream);

/* The number of destinations for which the stream has counters, and the number to which it transmits. */
unsigned stream_capacity(const struct overlay *overlay, unsigned stream);
unsigned stream_destinations(const struct stream *stream);

/* diagnose(), with the agent that started the stream's phase as the origin. */
enum step stream_wrong(const struct stream *stream, enum bh_category category, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Phases. */
enum step stream_phase_advance(const struct stream *stream);
void stream_load_configuration(const struct stream *stream);
void stream_stop(const struct stream *stream);
void overlay_settle(const struct overlay_site *site);

/* Changes a register as a write does, without the consequences. */
enum step stream_set(const struct stream *stream, uint32_t index, uint32_t value);

/* Messages: pushed and pulled by software, loaded from the header array, cleared. */
enum step stream_new_msg_info(const struct stream *stream, uint32_t value);
enum step stream_num_msgs_received_inc(const struct stream *stream, uint32_t value);
enum step stream_msg_info_clear(const struct stream *stream, uint32_t value);
enum step stream_msg_data_clear(const struct stream *stream);
bool stream_load_messages(const struct stream *stream);
bool stream_clear_messages(const struct stream *stream);
bool stream_has_room(const struct stream *stream);
uint32_t stream_buf_space_available(const struct stream *stream);
uint32_t stream_messages_left(const struct stream *stream);

/* The own message header array: number of headers not loaded yet; its capacity (UINT32_MAX if it does not wrap
   around); the address of the next header to be loaded, in bytes of L1; updates after headers have arrived, and after
   one was loaded. */
uint32_t stream_headers(const struct stream *stream);
uint32_t stream_header_places(const struct stream *stream);
uint64_t stream_header_address(const struct stream *stream);
void stream_headers_came(const struct stream *stream, uint32_t count);
void stream_header_loaded(const struct stream *stream);

/* The destination's header array: whether its places are counted; the address of the next header (in units) and the
   update after sending it; free places at the beginning; updates when some were given back. */
bool stream_counts_headers(const struct stream *stream);
uint32_t stream_remote_header(const struct stream *stream);
void stream_header_sent(const struct stream *stream);
void stream_reset_info_space(const struct stream *stream);
uint32_t stream_remote_header_places(const struct stream *stream);

/* Appends a message to the metadata FIFO, which must not be full. */
void stream_push(const struct stream *stream, const struct stream_message *message);

/* Removes the front message and frees its buffer space at once. */
void stream_drop_message(const struct stream *stream);

/* Removes the front message of the metadata FIFO after it was transmitted. */
void stream_pop_message(const struct stream *stream);

/* The L1 read complete FIFO: appends a begun read, completes the front one. */
void stream_begin_read(const struct stream *stream, struct stream_read read);
void stream_end_read(const struct stream *stream);

/* Data were added to the receive buffer. */
void stream_fill(const struct stream *stream, uint32_t length);

/* Gathering: checks its configuration; gathers the available messages. */
enum step stream_check_gather(const struct stream *stream);
bool stream_gather(const struct stream *stream);

/* Packets: sends the pending ones. Each returns whether it did anything. */
bool stream_transmit(const struct stream *stream);
bool stream_answer_source(const struct stream *stream);
bool stream_tell_space(const struct stream *stream);
bool stream_ask_destinations(const struct stream *stream);

#endif
