/* Messages of overlay streams: pushed by software, with or without the message header array, loaded from that array
   into the message metadata FIFO, pulled by software, and given back to the sender. Sources: ISA documentation
   NoC/Overlay/ReceiveFromSoftware.md, TransmitToSoftware.md, README.md. */
#include <string.h>

#include "tile/overlay/stream.h"

enum {
    NEW_MSG_ADDRESS = 0x1ffff,
    NEW_MSG_SIZE_SHAMT = 17,
    NEW_MSG_SIZE_MASK = 0x3fff,
    NEW_MSG_LAST_TILE_SHAMT = 31,
    NEW_MSGS_NUM = 0xfff,
    NEW_MSGS_TOTAL_SIZE_SHAMT = 12,
    NEW_MSGS_LAST_TILE_SHAMT = 29,
    MOST_CLEARED = 2,
    MSG_HEADER_WORD_CNT_OFFSET = 0x78, /* a multiple of 8 */
    MSG_HEADER_WORD_CNT_BITS_SHAMT = 7,
    MSG_HEADER_WORD_CNT_BITS = 0x7f,
    MSG_HEADER_INFINITE_PHASE_LAST_TILE_OFFSET_SHAMT = 14,
};

uint32_t stream_messages_left(const struct stream *stream)
{
    return *stream->words[INDEX(PHASE_AUTO_CFG_HEADER)] >> CURR_PHASE_NUM_MSGS_SHAMT & PHASE_NUM_INCR;
}

/* Advances an offset in the receive buffer by `length`, with wrap-around. */
static uint32_t further(const struct stream *stream, uint32_t offset, uint32_t length)
{
    uint32_t size = *stream->words[INDEX(BUF_SIZE)], moved = offset + length;
    return (size ? moved % size : moved) & BUF_WORDS;
}

static void advance(const struct stream *stream, uint32_t index, uint32_t length)
{
    *stream->words[index] = further(stream, *stream->words[index], length);
}

bool stream_has_room(const struct stream *stream)
{
    return stream->engine->count < STREAM_MESSAGES && stream_headers(stream) == 0;
}

uint32_t stream_buf_space_available(const struct stream *stream)
{
    uint32_t size = *stream->words[INDEX(BUF_SIZE)], taken = stream->engine->in_flight;
    return size > taken ? size - taken : 0;
}

void stream_fill(const struct stream *stream, uint32_t length)
{
    advance(stream, INDEX(WR_PTR), length);
    stream->engine->in_flight += length;
    stream->engine->arrived += length;
}

void stream_push(const struct stream *stream, const struct stream_message *message)
{
    struct stream_engine *engine = stream->engine;
    engine->message[(engine->first + engine->count++) % STREAM_MESSAGES] = *message;
}

void stream_pop_message(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    engine->first = (uint8_t)((engine->first + 1) % STREAM_MESSAGES);
    engine->count--;
    engine->sent = 0;
    if (!engine->endless && stream_messages_left(stream)) {
        *stream->words[INDEX(PHASE_AUTO_CFG_HEADER)] -= 1 << CURR_PHASE_NUM_MSGS_SHAMT;
    }
}

void stream_begin_read(const struct stream *stream, struct stream_read read)
{
    struct stream_engine *engine = stream->engine;
    engine->read[(engine->first_read + engine->reads++) % STREAM_MESSAGES] = read;
    engine->arrived -= read.length[0] + read.length[1];
}

/* Frees a message's space in the buffer that holds it. Nothing is freed if that stream was gathered from and has been
   stopped since. */
static void give_back(const struct stream *stream, unsigned source, uint32_t length)
{
    struct stream of = source ? overlay_stream(stream->site, source - 1) : *stream;
    if (source && of.engine->lent < length) {
        return;
    }
    of.engine->lent -= source ? length : 0;
    of.engine->in_flight -= length;
    of.engine->freed += length;
    advance(&of, INDEX(RD_PTR), length);
}

void stream_end_read(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    if (engine->reads == 0) {
        return;
    }
    struct stream_read read = engine->read[engine->first_read];
    engine->first_read = (uint8_t)((engine->first_read + 1) % STREAM_MESSAGES);
    engine->reads--;
    for (unsigned i = 0; i < 2; i++) {
        give_back(stream, read.source[i], read.length[i]);
    }
}

/* Counts received messages of the phase; `last`: one of them ends an endless phase. */
static void expect_less(const struct stream *stream, uint32_t messages, bool last)
{
    struct stream_engine *engine = stream->engine;
    if (!engine->endless) {
        engine->expected -= (uint16_t)messages;
    } else if (last) {
        engine->last = true;
        engine->expected = engine->incoming;
    }
}

/* The error of a push by software, or null. */
static const char *wrong_push(const struct stream *stream, uint32_t messages, uint32_t length)
{
    const struct stream_engine *engine = stream->engine;
    if (engine->state != STREAM_FORWARDING) {
        return "no phase is under way (STREAM_PHASE_ADVANCE starts one)";
    }
    if (engine->endless ? engine->last : messages > engine->expected) {
        return "the phase has had all its messages";
    }
    if (length > stream_buf_space_available(stream)) {
        return "it is longer than what is free in the buffer (STREAM_BUF_SPACE_AVAILABLE)";
    }
    return NULL;
}

enum step stream_new_msg_info(const struct stream *stream, uint32_t value)
{
    struct stream_engine *engine = stream->engine;
    uint32_t length = value >> NEW_MSG_SIZE_SHAMT & NEW_MSG_SIZE_MASK;
    const char *wrong = wrong_push(stream, 1, length);
    if (!wrong && !stream_has_room(stream)) {
        wrong = "there is no room (STREAM_MSG_INFO_CAN_PUSH_NEW_MSG)";
    }
    if (wrong) {
        return diagnose(stream->site->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "a message of %u x 16 bytes is pushed to overlay stream %u, but %s", length, stream->number,
                        wrong);
    }
    bool last = value >> NEW_MSG_LAST_TILE_SHAMT;
    struct stream_message message = {.last = last, .address = value & NEW_MSG_ADDRESS, .length = length};
    memcpy(message.header, engine->set_header, sizeof message.header);
    stream_push(stream, &message);
    expect_less(stream, 1, last);
    stream_headers_came(stream, 1);
    stream_header_loaded(stream);
    stream_fill(stream, length);
    engine->next_message = *stream->words[INDEX(WR_PTR)];
    return STEP_DONE;
}

enum step stream_num_msgs_received_inc(const struct stream *stream, uint32_t value)
{
    uint32_t messages = value & NEW_MSGS_NUM, length = value >> NEW_MSGS_TOTAL_SIZE_SHAMT & BUF_WORDS;
    const char *wrong = wrong_push(stream, messages, length);
    if (wrong) {
        return diagnose(stream->site->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "%u messages of %u x 16 bytes together are pushed to overlay stream %u, but %s", messages,
                        length, stream->number, wrong);
    }
    expect_less(stream, messages, value >> NEW_MSGS_LAST_TILE_SHAMT & 1);
    stream_headers_came(stream, messages);
    stream_fill(stream, length);
    return STEP_DONE;
}

/* The length of a message, extracted from its header as STREAM_MSG_HEADER_FORMAT of stream 0 says. 0: the format has
   none. */
static uint32_t length_of(const struct stream *stream, const uint32_t *header)
{
    uint32_t format = stream->site->overlay->words[INDEX(MSG_HEADER_FORMAT)][0];
    unsigned offset = format & MSG_HEADER_WORD_CNT_OFFSET;
    unsigned bits = format >> MSG_HEADER_WORD_CNT_BITS_SHAMT & MSG_HEADER_WORD_CNT_BITS;
    uint8_t bytes[HEADER_BYTES + sizeof(uint64_t)] = {0};
    uint64_t field;
    memcpy(bytes, header, HEADER_BYTES);
    memcpy(&field, bytes + offset / 8, sizeof field);
    return (uint32_t)(bits < 32 ? field & ((UINT64_C(1) << bits) - 1) : field);
}

/* Whether a header marks its message as the last of an endless phase. */
static bool says_last(const struct stream *stream, const uint32_t *header)
{
    uint32_t format = stream->site->overlay->words[INDEX(MSG_HEADER_FORMAT)][0];
    unsigned bit = format >> MSG_HEADER_INFINITE_PHASE_LAST_TILE_OFFSET_SHAMT & MSG_HEADER_WORD_CNT_BITS;
    return header[bit / 32] >> bit % 32 & 1;
}

static bool load_message(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    const struct overlay_site *site = stream->site;
    uint64_t address = stream_header_address(stream);
    struct stream_message message = {.address = *stream->words[INDEX(BUF_START)] + engine->next_message};
    if (address + HEADER_BYTES > site->l1_size) {
        (void)stream_wrong(stream, BH_UNDEFINED_BEHAVIOR,
                           "overlay stream %u: its message header array (STREAM_MSG_INFO_PTR) leaves L1 at 0x%llx",
                           stream->number, (unsigned long long)address);
        return false;
    }
    memcpy(message.header, l1_read(site->l1, stream_actor(stream), (uint32_t)address, HEADER_BYTES), HEADER_BYTES);
    message.length = length_of(stream, message.header);
    if (message.length == 0 || message.length > BUF_WORDS) {
        (void)stream_wrong(stream, BH_UNDEFINED_BEHAVIOR,
                           "overlay stream %u: the header at 0x%llx says that the message has %u x 16 bytes "
                           "(STREAM_MSG_HEADER_FORMAT of stream 0 is 0x%x)",
                           stream->number, (unsigned long long)address, message.length,
                           site->overlay->words[INDEX(MSG_HEADER_FORMAT)][0]);
        return false;
    }
    if (engine->endless && says_last(stream, message.header)) {
        message.last = true;
        engine->last_header = true;
        expect_less(stream, 1, true);
    }
    stream_push(stream, &message);
    engine->next_message = further(stream, engine->next_message, message.length);
    stream_header_loaded(stream);
    return true;
}

bool stream_load_messages(const struct stream *stream)
{
    bool any = false;
    while (stream->engine->count < STREAM_MESSAGES && stream_headers(stream)) {
        if (!load_message(stream)) {
            return false;
        }
        any = true;
    }
    return any;
}

enum step stream_msg_info_clear(const struct stream *stream, uint32_t value)
{
    struct stream_engine *engine = stream->engine;
    if (value > MOST_CLEARED || value > engine->count || engine->reads == STREAM_MESSAGES) {
        return diagnose(stream->site->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "STREAM_MSG_INFO_CLEAR of %u messages of overlay stream %u, which has %u (0 to %u at once; %u "
                        "reads of L1 are not complete, of at most %u)",
                        value, stream->number, engine->count, MOST_CLEARED, engine->reads, STREAM_MESSAGES);
    }
    struct stream_read read = {0};
    for (uint32_t i = 0; i < value; i++) {
        read.source[i] = engine->message[engine->first].source;
        read.length[i] = engine->message[engine->first].length;
        stream_pop_message(stream);
    }
    stream_begin_read(stream, read);
    return STEP_DONE;
}

enum step stream_msg_data_clear(const struct stream *stream)
{
    if (stream->engine->reads == 0) {
        return diagnose(stream->site->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "STREAM_MSG_DATA_CLEAR of overlay stream %u, of which no message was pulled "
                        "(STREAM_MSG_INFO_CLEAR)",
                        stream->number);
    }
    stream_end_read(stream);
    return STEP_DONE;
}

void stream_drop_message(const struct stream *stream)
{
    const struct stream_message *message = &stream->engine->message[stream->engine->first];
    struct stream_read read = {.source = {message->source}, .length = {message->length}};
    stream_pop_message(stream);
    stream_begin_read(stream, read);
    stream_end_read(stream);
}

/* STREAM_MULTI_MSG_CLEAR: messages are cleared as they enter the FIFO. */
bool stream_clear_messages(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    bool any = false;
    while (engine->to_clear && engine->count && engine->reads < STREAM_MESSAGES) {
        stream_drop_message(stream);
        engine->to_clear--;
        any = true;
    }
    return any;
}
