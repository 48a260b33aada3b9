#include "tile/overlay_messages.h"

#include <stddef.h>

#include "tile/mmio.h"

#define INDEX(name) ((MMIO_ADDRESS_STREAM_##name & 0xfff) / 4)

enum {
    SOURCE_ENDPOINT = 1 << 4,
    RECEIVER_ENDPOINT = 1 << 6,
    ENDPOINTS = 0x1f << 4, /* where messages come from and go to: bits 8:4 */
    CURR_PHASE_NUM_MSGS_SHAMT = 12,
    CURR_PHASE_NUM_MSGS_MASK = 0xfff,
    NEW_MSG_SIZE_SHAMT = 17,
    NEW_MSG_SIZE_MASK = 0x3fff,
    BUF_WORDS = 0x1ffff,
    MOST_CLEARED = 2,
};

enum step stream_phase_advance(const struct stream *stream)
{
    uint32_t config = stream->words[INDEX(MISC_CFG)] & ENDPOINTS;
    if (config != (SOURCE_ENDPOINT | RECEIVER_ENDPOINT)) {
        return diagnose(
            stream->diagnostics, BH_UNSUPPORTED,
            "STREAM_PHASE_ADVANCE of overlay stream %u: only streams from software to software are emulated "
            "(STREAM_MISC_CFG with SOURCE_ENDPOINT and RECEIVER_ENDPOINT, bits 4 and 6; bits 8:4 are 0x%x)",
            stream->number, config >> 4);
    }
    uint32_t messages =
        stream->words[INDEX(PHASE_AUTO_CFG_HEADER)] >> CURR_PHASE_NUM_MSGS_SHAMT & CURR_PHASE_NUM_MSGS_MASK;
    if (stream->messages->forwarding || messages == 0) {
        return diagnose(stream->diagnostics, BH_UNDEFINED_BEHAVIOR, "STREAM_PHASE_ADVANCE of overlay stream %u: %s",
                        stream->number,
                        messages ? "a phase is under way"
                                 : "the phase has no messages (bits 23:12 of STREAM_PHASE_AUTO_CFG_HEADER)");
    }
    stream->messages->forwarding = true;
    stream->messages->expected = (uint16_t)messages;
    return STEP_DONE;
}

/* A pointer into the receive buffer, `length` further on. */
static void advance(const struct stream *stream, uint32_t index, uint32_t length)
{
    uint32_t size = stream->words[INDEX(BUF_SIZE)], moved = stream->words[index] + length;
    stream->words[index] = (size ? moved % size : moved) & BUF_WORDS;
}

bool stream_has_room(const struct stream *stream)
{
    return stream->messages->count < STREAM_MESSAGES &&
           stream->words[INDEX(MSG_INFO_PTR)] == stream->words[INDEX(MSG_INFO_WR_PTR)];
}

enum step stream_new_msg_info(const struct stream *stream, uint32_t value)
{
    struct stream_messages *messages = stream->messages;
    uint32_t length = value >> NEW_MSG_SIZE_SHAMT & NEW_MSG_SIZE_MASK;
    const char *wrong = !messages->forwarding      ? "no phase is under way (STREAM_PHASE_ADVANCE starts one)"
                        : messages->expected == 0  ? "the phase has had all its messages"
                        : !stream_has_room(stream) ? "there is no room (STREAM_MSG_INFO_CAN_PUSH_NEW_MSG)"
                        : length > stream_buf_space_available(stream)
                            ? "it is longer than what is free in the buffer (STREAM_BUF_SPACE_AVAILABLE)"
                            : NULL;
    if (wrong) {
        return diagnose(stream->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "a message of %u x 16 bytes is pushed to overlay stream %u, but %s", length, stream->number,
                        wrong);
    }
    messages->length[(messages->first + messages->count++) % STREAM_MESSAGES] = (uint16_t)length;
    messages->expected--;
    messages->in_flight += length;
    stream->words[INDEX(MSG_INFO_PTR)] = (stream->words[INDEX(MSG_INFO_PTR)] + 1) & BUF_WORDS;
    stream->words[INDEX(MSG_INFO_WR_PTR)] = stream->words[INDEX(MSG_INFO_PTR)];
    advance(stream, INDEX(WR_PTR), length);
    return STEP_DONE;
}

enum step stream_msg_info_clear(const struct stream *stream, uint32_t value)
{
    struct stream_messages *messages = stream->messages;
    if (value > MOST_CLEARED || value > messages->count || messages->reads == STREAM_MESSAGES) {
        return diagnose(stream->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "STREAM_MSG_INFO_CLEAR of %u messages of overlay stream %u, which has %u (0 to %u at once; %u "
                        "reads of L1 are not complete, of at most %u)",
                        value, stream->number, messages->count, MOST_CLEARED, messages->reads, STREAM_MESSAGES);
    }
    uint32_t length = 0;
    for (uint32_t i = 0; i < value; i++) {
        length += messages->length[messages->first];
        messages->first = (uint8_t)((messages->first + 1) % STREAM_MESSAGES);
        messages->count--;
    }
    messages->read_length[(messages->first_read + messages->reads++) % STREAM_MESSAGES] = length;
    return STEP_DONE;
}

enum step stream_msg_data_clear(const struct stream *stream)
{
    struct stream_messages *messages = stream->messages;
    if (messages->reads == 0) {
        return diagnose(stream->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "STREAM_MSG_DATA_CLEAR of overlay stream %u, of which no message was pulled "
                        "(STREAM_MSG_INFO_CLEAR)",
                        stream->number);
    }
    uint32_t length = messages->read_length[messages->first_read];
    messages->first_read = (uint8_t)((messages->first_read + 1) % STREAM_MESSAGES);
    messages->reads--;
    messages->in_flight -= length;
    advance(stream, INDEX(RD_PTR), length);
    if (messages->expected == 0 && messages->count == 0 && messages->reads == 0) {
        messages->forwarding = false; /* the phase is over */
    }
    return STEP_DONE;
}

uint32_t stream_buf_space_available(const struct stream *stream)
{
    uint32_t size = stream->words[INDEX(BUF_SIZE)], taken = stream->messages->in_flight;
    return size > taken ? size - taken : 0;
}
