/* Registers of overlay streams: their widths, values, and the effects of writes. Sources: ISA documentation
   NoC/Overlay/AsGeneralUse.md, README.md, TransmitToSoftware.md, LoadConfigurationFromL1.md; tt-metal
   noc_overlay_parameters.h for Blackhole's indices, stream_interface.h for STREAM_DEBUG_STATUS. */
#include <string.h>

#include "tile/overlay/stream.h"

enum {
    WAIT_SW_PHASE_ADVANCE_SIGNAL = 1 << 0,
    MSG_FWD_ONGOING = 1 << 2,
    STREAM_CURR_STATE_SHAMT = 3,
    WAIT_PREV_PHASE_DATA_FLUSH = 1 << 1,
    DEBUG_STATUS_END = INDEX(DEBUG_STATUS) + 10,
    DONE_WORDS = 2,
    NEXT_DONE_VALID = 1 << 16,
    MSG_INFO_WORDS = 2,
    MSG_INFO_HEADER_WORDS = MSG_INFO_WORDS + STREAM_HEADER_WORDS,
    GROUP = 4, /* number of messages that STREAM_MSG_GROUP_* cover */
    COMPRESS_WORD = 1,
    COMPRESS_BIT = 20,
    ZERO_MASK_WORD = 2,
    SRC_READY_WAIT_ALL_DESTS = 4 << 4,
    INFINITE_PHASE_END_DETECTED = 1 << 8,
    INFINITE_PHASE_END_HEADER_BUFFER_DETECTED = 1 << 9,
    GLOBAL_OFFSET_TABLE_CLEAR = 1 << 20,
    SCRATCHES = 6, /* STREAM_SCRATCH_0 and its successors */
};

/* Registers that exist only in streams that can transmit to buffers in DRAM. */
static bool is_of_dram_streams(uint32_t index)
{
    return index == INDEX(REMOTE_DEST_BUF_START_HI) || index == INDEX(REMOTE_DEST_MSG_INFO_WR_PTR_HI) ||
           (index >= INDEX(SCRATCH_0) && index < INDEX(SCRATCH_0) + SCRATCHES);
}

/* The implemented bits of a register. */
static uint32_t mask_of(unsigned stream, uint32_t index)
{
    if (is_of_dram_streams(index) && !stream_reaches_dram(stream)) {
        return 0;
    }
    switch (index) {
    case INDEX(REMOTE_SRC_PHASE):
    case INDEX(CURR_PHASE_BASE):
    case INDEX(CURR_PHASE): return PHASE_BITS;
    case INDEX(MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD): return 0xf;
    case INDEX(MCAST_DEST_NUM): return 0x3f;
    case INDEX(REMOTE_DEST): return 0x3ffff;
    case INDEX(MCAST_DEST): return 0x7ffff;
    case INDEX(REMOTE_DEST_BUF_START):
    case INDEX(REMOTE_DEST_BUF_SIZE):
    case INDEX(REMOTE_DEST_WR_PTR):
    case INDEX(REMOTE_DEST_MSG_INFO_WR_PTR):
    case INDEX(BUF_START):
    case INDEX(BUF_SIZE):
    case INDEX(MSG_INFO_PTR): return BUF_WORDS;
    case INDEX(RD_PTR):
    case INDEX(WR_PTR):
    case INDEX(MSG_INFO_WR_PTR): return BUF_WORDS | PTR_WRAP;
    case INDEX(REMOTE_DEST_MSG_INFO_BUF_SIZE):
    case INDEX(MSG_INFO_BUF_SIZE): return 7;
    case INDEX(REMOTE_DEST_MSG_INFO_WRAP_WR_PTR): return 0x1ff;
    case INDEX(REMOTE_DEST_BUF_START_HI):
    case INDEX(REMOTE_DEST_MSG_INFO_WR_PTR_HI): return HIGH_WORDS;
    default: return 0xffffff; /* configuration registers have 24 bits */
    }
}

/* The base of a register that counts relative to it: writes add the base, reads subtract it. */
static uint32_t base_of(uint32_t (*words)[STREAMS], uint32_t index)
{
    switch (index) {
    case INDEX(REMOTE_SRC_PHASE):
    case INDEX(CURR_PHASE): return *words[INDEX(CURR_PHASE_BASE)];
    case INDEX(PHASE_AUTO_CFG_PTR): return *words[INDEX(PHASE_AUTO_CFG_PTR_BASE)];
    default: return 0;
    }
}

/* The streams whose FIFO has copies of headers. */
static bool keeps_headers(const struct overlay *overlay, unsigned stream)
{
    return !overlay->of_ethernet && (stream == 4 || stream == 5);
}

static bool is_space_available(const struct overlay *overlay, unsigned stream, uint32_t index)
{
    return index >= INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) &&
           index < INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) + stream_capacity(overlay, stream);
}

static bool is_msg_info(const struct overlay *overlay, unsigned stream, uint32_t index)
{
    unsigned words = keeps_headers(overlay, stream) ? MSG_INFO_HEADER_WORDS : MSG_INFO_WORDS;
    return index >= INDEX(RECEIVER_MSG_INFO) && index < INDEX(RECEIVER_MSG_INFO) + STREAM_MESSAGES * words;
}

static bool is_set_header(const struct overlay *overlay, unsigned stream, uint32_t index)
{
    return keeps_headers(overlay, stream) && index >= INDEX(RECEIVER_ENDPOINT_SET_MSG_HEADER) &&
           index < INDEX(RECEIVER_ENDPOINT_SET_MSG_HEADER) + STREAM_HEADER_WORDS;
}

static bool is_done_mask(unsigned stream, uint32_t index)
{
    return stream == 0 && index >= INDEX(BLOB_AUTO_CFG_DONE) && index < INDEX(BLOB_AUTO_CFG_DONE) + DONE_WORDS;
}

static bool is_global_offset(uint32_t index)
{
    return index >= INDEX(GLOBAL_OFFSET_TABLE_RD) && index < INDEX(GLOBAL_OFFSET_TABLE_RD) + STREAM_OFFSETS;
}

static bool is_debug_status(uint32_t index)
{
    return index >= INDEX(DEBUG_STATUS) && index < DEBUG_STATUS_END;
}

bool overlay_is_row(const struct overlay *overlay, unsigned stream, uint32_t index)
{
    return is_space_available(overlay, stream, index) || is_msg_info(overlay, stream, index) ||
           is_set_header(overlay, stream, index) || is_done_mask(stream, index) || is_global_offset(index) ||
           is_debug_status(index);
}

/* Reading. */

static const struct stream_message *message_at(const struct stream *stream, unsigned i)
{
    static const struct stream_message none;
    const struct stream_engine *engine = stream->engine;
    return i < engine->count ? &engine->message[(engine->first + i) % STREAM_MESSAGES] : &none;
}

static uint32_t msg_info(const struct stream *stream, uint32_t offset)
{
    unsigned words = keeps_headers(stream->site->overlay, stream->number) ? MSG_INFO_HEADER_WORDS : MSG_INFO_WORDS;
    const struct stream_message *message = message_at(stream, offset / words);
    switch (offset % words) {
    case 0: return message->address;
    case 1: return message->length;
    default: return message->header[offset % words - MSG_INFO_WORDS];
    }
}

/* STREAM_MSG_GROUP_ZERO_MASK_AND and STREAM_MSG_GROUP_COMPRESS: of the four front messages. */
static uint32_t group(const struct stream *stream, uint32_t index)
{
    uint32_t mask = UINT32_MAX, compressed = 0;
    for (unsigned i = 0; i < GROUP; i++) {
        mask &= message_at(stream, i)->header[ZERO_MASK_WORD];
        compressed |= (message_at(stream, i)->header[COMPRESS_WORD] >> COMPRESS_BIT & 1) << i;
    }
    return !keeps_headers(stream->site->overlay, stream->number) ? 0
           : index == INDEX(MSG_GROUP_COMPRESS)                  ? compressed
                                                                 : mask;
}

static uint32_t wait_status(const struct stream *stream)
{
    uint32_t state = stream->engine->state, status = state << STREAM_CURR_STATE_SHAMT;
    switch ((enum stream_state)state) {
    case STREAM_IDLE:
    case STREAM_LOADED: return status | WAIT_SW_PHASE_ADVANCE_SIGNAL;
    case STREAM_FLUSHING: return status | WAIT_PREV_PHASE_DATA_FLUSH;
    case STREAM_FORWARDING:
        return status | MSG_FWD_ONGOING | (stream->engine->last ? INFINITE_PHASE_END_DETECTED : 0) |
               (stream->engine->last_header ? INFINITE_PHASE_END_HEADER_BUFFER_DETECTED : 0);
    default: return status;
    }
}

/* Those of the ten words whose meaning is known. */
static uint32_t debug_status(const struct stream *stream, uint32_t word)
{
    const struct stream_engine *engine = stream->engine;
    uint32_t(*space)[STREAMS] = &stream->words[INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE)];
    bool all = true;
    switch (word) {
    case 2:
        for (unsigned i = 0; i < stream_capacity(stream->site->overlay, stream->number); i++) {
            all &= *space[i] != 0;
        }
        return (uint32_t)(engine->reads < STREAM_MESSAGES) | (uint32_t)all << 3;
    case 8: return engine->shaking ? SRC_READY_WAIT_ALL_DESTS : 0;
    case 9: return (uint32_t)engine->reads << 17; /* messages pending */
    default: return 0;
    }
}

static uint32_t next_done(struct overlay *overlay)
{
    if (!overlay->done) {
        return 0;
    }
    unsigned stream = (unsigned)__builtin_ctzll(overlay->done);
    overlay->done &= overlay->done - 1;
    return stream | NEXT_DONE_VALID;
}

static uint32_t row_value(const struct stream *stream, uint32_t index)
{
    const struct overlay *overlay = stream->site->overlay;
    if (is_msg_info(overlay, stream->number, index)) {
        return msg_info(stream, index - INDEX(RECEIVER_MSG_INFO));
    }
    if (is_set_header(overlay, stream->number, index)) {
        return stream->engine->set_header[index - INDEX(RECEIVER_ENDPOINT_SET_MSG_HEADER)];
    }
    if (is_done_mask(stream->number, index)) {
        return (uint32_t)(overlay->done >> 32 * (index - INDEX(BLOB_AUTO_CFG_DONE)));
    }
    if (is_global_offset(index)) {
        return overlay->offset[index - INDEX(GLOBAL_OFFSET_TABLE_RD)];
    }
    if (is_debug_status(index)) {
        return debug_status(stream, index - INDEX(DEBUG_STATUS));
    }
    const uint16_t *info_space = overlay->info_space[stream->number];
    return *stream->words[index] |
           (stream_counts_headers(stream)
                ? (uint32_t)info_space[index - INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE)] << BUF_WORDS_BITS
                : 0);
}

enum step overlay_read(const struct overlay_site *site, unsigned number, uint32_t index, uint32_t *value)
{
    struct stream stream = overlay_stream(site, number);
    const struct stream_engine *engine = stream.engine;
    uint32_t(*words)[STREAMS] = stream.words;
    bool forwarding = engine->state == STREAM_FORWARDING;
    if (overlay_is_row(site->overlay, number, index)) {
        *value = row_value(&stream, index);
        return STEP_DONE;
    }
    switch (index) {
    case INDEX(REMOTE_SRC_PHASE):
    case INDEX(CURR_PHASE):
    case INDEX(PHASE_AUTO_CFG_PTR): *value = (*words[index] - base_of(words, index)) & mask_of(number, index); break;
    case INDEX(PHASE_AUTO_CFG_HEADER): *value = *words[index] | stream_messages_left(&stream); break;
    case INDEX(WAIT_STATUS): *value = wait_status(&stream); break;
    case INDEX(NUM_MSGS_RECEIVED): *value = engine->count; break;
    case INDEX(NUM_MSGS_RECEIVED_IN_BUF_AND_MEM): *value = (engine->count + stream_headers(&stream)) & BUF_WORDS; break;
    case INDEX(MSG_INFO_BUF_SPACE_AVAILABLE):
        *value =
            stream_is(&stream, MSG_INFO_BUF_FLOW_CTRL) ? stream_header_places(&stream) - stream_headers(&stream) : 0;
        break;
    case INDEX(BUF_SPACE_AVAILABLE): *value = stream_buf_space_available(&stream); break;
    case INDEX(NEXT_RECEIVED_MSG_ADDR):
        *value = engine->count ? message_at(&stream, 0)->address : *words[INDEX(BUF_START)] + engine->next_message;
        break;
    case INDEX(NEXT_RECEIVED_MSG_SIZE): *value = message_at(&stream, 0)->length; break;
    case INDEX(MULTI_MSG_CLEAR): *value = engine->to_clear; break;
    case INDEX(MSG_INFO_CAN_PUSH_NEW_MSG): *value = stream_has_room(&stream); break;
    case INDEX(MSG_INFO_FULL):
    case INDEX(MSG_INFO_FULLY_LOADED): *value = engine->count == STREAM_MESSAGES; break;
    case INDEX(PHASE_ALL_MSGS_PUSHED): *value = forwarding && engine->expected == 0; break;
    case INDEX(READY_FOR_MSG_PUSH): *value = forwarding && engine->expected && stream_has_room(&stream); break;
    case INDEX(MSG_GROUP_ZERO_MASK_AND):
    case INDEX(MSG_GROUP_COMPRESS): *value = group(&stream, index); break;
    case INDEX(BLOB_NEXT_AUTO_CFG_DONE): *value = number == 0 ? next_done(site->overlay) : 0; break;
    default: *value = *words[index]; break;
    }
    return STEP_DONE;
}

/* Writing. */

/* Whether the stream has the destination that bits 5:0 of an update name. */
static bool has_destination(const struct stream *stream, uint32_t value)
{
    return (value & DESTINATION_BITS) < stream_capacity(stream->site->overlay, stream->number);
}

/* Diagnoses an update of a destination that the stream does not have; it has no effect. */
static enum step no_such_destination(const struct stream *stream, const char *name, uint32_t value)
{
    return diagnose(stream->site->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "%s of stream %u: destination %u (bits 5:0); the stream has %u", name, stream->number,
                    value & DESTINATION_BITS, stream_capacity(stream->site->overlay, stream->number));
}

static enum step add_space(const struct stream *stream, uint32_t value)
{
    if (!has_destination(stream, value)) {
        return no_such_destination(stream, "STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE", value);
    }
    uint32_t *space = stream->words[INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) + (value & DESTINATION_BITS)];
    *space = (*space + (value >> PHASE_READY_NUM_SHAMT)) & BUF_WORDS;
    if (stream_counts_headers(stream)) {
        stream->site->overlay->info_space[stream->number][value & DESTINATION_BITS] +=
            (uint16_t)(value >> MSG_INFO_BUF_WORDS_FREE_INC_SHAMT);
    }
    return STEP_DONE;
}

static enum step destination_is_ready(const struct stream *stream, uint32_t value)
{
    if (!has_destination(stream, value)) {
        return no_such_destination(stream, "STREAM_DEST_PHASE_READY_UPDATE", value);
    }
    stream->site->overlay->ready[stream->number][value & DESTINATION_BITS] =
        (value >> PHASE_READY_NUM_SHAMT & PHASE_BITS) | HANDSHAKE_READY;
    return STEP_DONE;
}

/* The source requests a handshake. The stream responds as long as no data of the phase have arrived. */
static void source_asks(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    if (engine->state == STREAM_FORWARDING && stream_is(stream, REMOTE_SOURCE) && !engine->same_source &&
        !engine->heard) {
        engine->respond = true;
        engine->two_way = true;
    }
}

static void set_auto_config_header(const struct stream *stream, uint32_t value)
{
    uint32_t(*words)[STREAMS] = stream->words, *header = words[INDEX(PHASE_AUTO_CFG_HEADER)];
    *words[INDEX(CURR_PHASE)] = (*words[INDEX(CURR_PHASE)] + (value & PHASE_NUM_INCR)) & PHASE_BITS;
    if (*words[INDEX(ONETIME_MISC_CFG)] & PHASE_AUTO_CONFIG) {
        *words[INDEX(PHASE_AUTO_CFG_PTR)] += ((*header >> NEXT_PHASE_NUM_CFG_REG_WRITES_SHAMT) + 1) * 4;
    }
    *header = value & ~(uint32_t)PHASE_NUM_INCR;
}

/* Writes a configuration register, with the effects of the write. */
static void configure(const struct stream *stream, uint32_t index, uint32_t value)
{
    uint32_t(*words)[STREAMS] = stream->words;
    *words[index] = (value + base_of(words, index)) & mask_of(stream->number, index);
    switch (index) {
    case INDEX(ONETIME_MISC_CFG):
        if (value & PHASE_AUTO_CONFIG && stream->engine->state == STREAM_IDLE) {
            stream->engine->origin = stream->site->diagnostics->now;
            stream_load_configuration(stream);
        }
        break;
    case INDEX(REMOTE_DEST_BUF_SIZE):
        for (unsigned i = 0; i < stream_capacity(stream->site->overlay, stream->number); i++) {
            *words[INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) + i] = *words[index];
        }
        break;
    case INDEX(REMOTE_DEST_MSG_INFO_BUF_SIZE): stream_reset_info_space(stream); break;
    case INDEX(REMOTE_DEST_BUF_START): *words[INDEX(REMOTE_DEST_WR_PTR)] = 0; break;
    case INDEX(BUF_START):
        *words[INDEX(RD_PTR)] = 0;
        *words[INDEX(WR_PTR)] = 0;
        stream->engine->next_message = 0;
        break;
    case INDEX(RD_PTR): stream->engine->next_message = *words[index]; break;
    default: break;
    }
}

/* STREAM_GLOBAL_OFFSET_TABLE: sets one offset, or clears all. */
static void set_offset(struct overlay *overlay, uint32_t value)
{
    if (value & GLOBAL_OFFSET_TABLE_CLEAR) {
        memset(overlay->offset, 0, sizeof overlay->offset);
    } else {
        overlay->offset[value >> BUF_WORDS_BITS & GLOBAL_OFFSET_TABLE_INDEX_BITS] = value & BUF_WORDS;
    }
}

enum step stream_set(const struct stream *stream, uint32_t index, uint32_t value)
{
    struct overlay *overlay = stream->site->overlay;
    switch (index) {
    case INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE): return add_space(stream, value);
    case INDEX(PHASE_ADVANCE): return stream_phase_advance(stream);
    case INDEX(SOURCE_ENDPOINT_NEW_MSG_INFO): return stream_new_msg_info(stream, value);
    case INDEX(NUM_MSGS_RECEIVED_INC): return stream_num_msgs_received_inc(stream, value);
    case INDEX(MSG_INFO_CLEAR): return stream_msg_info_clear(stream, value);
    case INDEX(MSG_DATA_CLEAR): return stream_msg_data_clear(stream);
    case INDEX(MULTI_MSG_CLEAR): stream->engine->to_clear = value & PHASE_NUM_INCR; return STEP_DONE;
    case INDEX(DEST_PHASE_READY_UPDATE): return destination_is_ready(stream, value);
    case INDEX(SRC_READY_UPDATE): source_asks(stream); return STEP_DONE;
    case INDEX(RESET): stream_stop(stream); return STEP_DONE;
    case INDEX(DEBUG_ASSERTIONS): return STEP_DONE; /* nothing to clear */
    case INDEX(PHASE_AUTO_CFG_HEADER): set_auto_config_header(stream, value); return STEP_DONE;
    case INDEX(GLOBAL_OFFSET_TABLE): set_offset(overlay, value); return STEP_DONE;
    case INDEX(SCRATCH32): *stream->words[index] = value; return STEP_DONE;
    default: break;
    }
    if (is_done_mask(stream->number, index)) {
        overlay->done &= ~((uint64_t)value << 32 * (index - INDEX(BLOB_AUTO_CFG_DONE)));
    } else if (is_set_header(overlay, stream->number, index)) {
        stream->engine->set_header[index - INDEX(RECEIVER_ENDPOINT_SET_MSG_HEADER)] = value;
    } else if (!overlay_is_row(overlay, stream->number, index)) { /* otherwise it is read-only */
        configure(stream, index, value);
    }
    return STEP_DONE;
}

enum step overlay_write(const struct overlay_site *site, unsigned number, uint32_t index, uint32_t value)
{
    struct stream stream = overlay_stream(site, number);
    enum step step = stream_set(&stream, index, value);
    if (step == STEP_DONE && site->overlay->busy) {
        bool before = site->diagnostics->stopped;
        overlay_settle(site);
        step = site->diagnostics->stopped && !before ? STEP_STOP : STEP_DONE;
    }
    return step;
}
