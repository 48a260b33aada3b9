/* Packets that overlay streams send and receive over the NoC. Messages are posted writes with the receiving stream in
   NOC_PACKET_TAG; handshakes and flow control are writes to a register of the other stream. Streams of Ethernet tiles
   send the same packets over the link to their peers; buffers in DRAM get only the data. Source: ISA documentation
   NoC/Overlay/TransferBetweenTiles.md, TransmitToDRAMBuffer.md, NoC/MemoryMap.md (NOC_PACKET_TAG); tt-metal
   noc_overlay_parameters.h (the global offset table). */
#include "noc/observe.h"
#include "tile/overlay/stream.h"

enum {
    UNIT = 16, /* bytes */
    PACKET_UNITS = NOC_PACKET_BYTES / UNIT,
    TAG_STREAM = 0x3f,
    TAG_DELIVER_TO_OVERLAY = 1 << 6,
    TAG_FIRST = 1 << 7,
    TAG_LAST = 1 << 8,
    TAG_HEADER_STORE = 1 << 9,
    ALL_BYTES = 0xf, /* byte mask of a register write */
};

static bool outbox_full(const struct stream *stream)
{
    bool full = stream->site->outbox->count == NOC_OUTBOX_SIZE;
    stream->site->overlay->waiting |= full;
    return full;
}

/* The tile at the coordinates in bits 11:0 of a register. */
static struct noc_place place_of(const struct stream *stream, unsigned noc, uint32_t word)
{
    struct noc_place place;
    niu_translate(&stream->site->niu[noc], word & COORDINATE_BITS, word >> Y_SHAMT & COORDINATE_BITS, &place.x,
                  &place.y);
    place.start_x = place.x;
    place.start_y = place.y;
    place.written = noc_written(word & COORDINATE_BITS, word >> Y_SHAMT & COORDINATE_BITS);
    return place;
}

/* The destinations: a tile, or a rectangle of them. */
static struct noc_place destination_of(const struct stream *stream, unsigned noc, bool *broadcast)
{
    uint32_t end = *stream->words[INDEX(MCAST_DEST)];
    struct noc_place start = place_of(stream, noc, *stream->words[INDEX(REMOTE_DEST)]);
    *broadcast = stream_capacity(stream->site->overlay, stream->number) > 1 && end & MCAST_EN;
    if (!*broadcast) {
        return start;
    }
    struct noc_place place = place_of(stream, noc, end);
    place.start_x = start.x;
    place.start_y = start.y;
    return place;
}

static unsigned data_noc(const struct stream *stream)
{
    return stream_is(stream, OUTGOING_DATA_NOC);
}

static void post(const struct stream *stream, struct noc_request *request)
{
    struct noc_outbox *outbox = stream->site->outbox;
    request->origin = stream->engine->origin;
    request->start = stream->site->diagnostics->now.cycle;
    if (request->link) {
        outbox->request[outbox->count++] = *request;
        outbox->started++;
        return;
    }
    niu_post(&stream->site->niu[request->noc], outbox, request);
    noc_tell_sent(stream->site->observed, outbox);
}

/* Writes register `index` of a stream of another tile, or of a stream at the other end of the link. */
static void post_register(const struct stream *stream, unsigned noc, struct noc_place place, bool link, bool broadcast,
                          unsigned other, uint32_t index, uint32_t value)
{
    struct noc_request request = {
        .kind = NOC_WRITE_INLINE,
        .link = link,
        .noc = (uint8_t)noc,
        .broadcast = broadcast,
        .target = place,
        .target_address = (MMIO_ADDRESS_STREAM_SOURCE_ENDPOINT_NEW_MSG_INFO + other * STREAM_STRIDE + index * 4),
        .length = ALL_BYTES,
        .data = value,
    };
    post(stream, &request);
}

static void post_to_source(const struct stream *stream, uint32_t index, uint32_t value)
{
    unsigned noc = stream_is(stream, REMOTE_SRC_UPDATE_NOC);
    uint32_t source = *stream->words[INDEX(REMOTE_SRC)];
    bool link = stream_is_linked(stream, source);
    post_register(stream, noc, link ? (struct noc_place){0} : place_of(stream, noc, source), link, false,
                  source >> STREAM_ID_SHAMT & STREAM_ID_BITS, index,
                  value | (source >> DEST_INDEX_SHAMT & DESTINATION_BITS));
}

/* The receiver's side. */

bool stream_answer_source(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    if (!engine->respond || outbox_full(stream)) {
        return false;
    }
    uint32_t phase = *stream->words[INDEX(REMOTE_SRC_PHASE)] & PHASE_BITS;
    post_to_source(stream, INDEX(DEST_PHASE_READY_UPDATE),
                   phase << PHASE_READY_NUM_SHAMT | (stream_is(stream, REMOTE_SRC_IS_MCAST) ? PHASE_READY_MCAST : 0) |
                       (engine->two_way ? PHASE_READY_TWO_WAY_RESP : 0));
    engine->respond = false;
    return true;
}

/* The amount of freed space from which on the source is told: STREAM_MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD. */
static uint32_t threshold(const struct stream *stream)
{
    uint32_t value = *stream->words[INDEX(MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD)];
    uint32_t size = *stream->words[INDEX(BUF_SIZE)], part = size >> (value & 7);
    return (value & 7) == 0 ? 0 : value & 8 ? size - part : part;
}

bool stream_tell_space(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    if (!stream_is(stream, REMOTE_SOURCE) || stream_is(stream, DATA_BUF_NO_FLOW_CTRL)) {
        engine->freed = 0;
    }
    if (!stream_is(stream, REMOTE_SOURCE)) {
        engine->freed_info = 0;
    }
    bool last = engine->expected == 0 && engine->in_flight == 0;
    bool enough = engine->freed && (last || engine->freed >= threshold(stream));
    bool enough_info = engine->freed_info && (last || engine->freed_info == stream_header_places(stream));
    if ((!enough && !enough_info) || outbox_full(stream)) {
        return false;
    }
    post_to_source(stream, INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE),
                   engine->freed << PHASE_READY_NUM_SHAMT | engine->freed_info << MSG_INFO_BUF_WORDS_FREE_INC_SHAMT);
    engine->freed = 0;
    engine->freed_info = 0;
    return true;
}

const char *overlay_packet(const struct overlay_site *site, uint16_t tag, uint32_t bytes)
{
    if ((tag & TAG_STREAM) >= overlay_streams(site->overlay)) {
        return "there is no such stream";
    }
    struct stream stream = overlay_stream(site, tag & TAG_STREAM);
    struct stream_engine *engine = stream.engine;
    uint32_t length = (bytes + UNIT - 1) / UNIT;
    bool starts = tag & TAG_FIRST, ends = tag & TAG_LAST,
         whole = stream_is(&stream, RECEIVER_ENDPOINT | LOCAL_RECEIVER);
    if (engine->state != STREAM_FORWARDING || !stream_is(&stream, REMOTE_SOURCE)) {
        return "it does not receive from another stream now";
    }
    if (engine->expected == 0) {
        return "its phase has had all its messages";
    }
    if (starts && stream_headers(&stream) == stream_header_places(&stream)) {
        return "its message header array has no room for it";
    }
    if (engine->incoming == starts) {
        return starts ? "the message before has not ended" : "no message has begun";
    }
    if (length > stream_buf_space_available(&stream)) {
        return "its receive buffer has no room for it";
    }
    engine->heard = true;
    engine->respond = false;
    stream_fill(&stream, length);
    engine->incoming = !ends;
    engine->expected -= engine->endless ? engine->last && ends : ends;
    if (whole ? ends : starts) { /* streams that transmit to others forward a message in parts as it arrives */
        stream_headers_came(&stream, 1);
    }
    overlay_settle(site);
    return NULL;
}

/* The transmitter's side. */

bool stream_ask_destinations(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    if (!engine->shaking || engine->requested || outbox_full(stream)) {
        return false;
    }
    engine->requested = true;
    if (stream_writes_dram(stream)) { /* software sends the updates instead */
        return true;
    }
    bool broadcast = false, link = stream_is_linked(stream, *stream->words[INDEX(REMOTE_DEST)]);
    unsigned noc = data_noc(stream);
    struct noc_place place = link ? (struct noc_place){0} : destination_of(stream, noc, &broadcast);
    uint32_t x = stream->site->diagnostics->tile_x, y = stream->site->diagnostics->tile_y;
    uint32_t self = x | y << Y_SHAMT | stream->number << STREAM_ID_SHAMT;
    post_register(stream, noc, place, link, broadcast,
                  *stream->words[INDEX(REMOTE_DEST)] >> STREAM_ID_SHAMT & STREAM_ID_BITS, INDEX(SRC_READY_UPDATE),
                  self);
    return true;
}

/* The smallest free space of all destinations; 0 for a new message if a destination has no room for its header. */
static uint32_t least_space(const struct stream *stream)
{
    uint32_t least = BUF_WORDS;
    bool begins = stream_counts_headers(stream) && stream->engine->sent == 0;
    for (unsigned i = 0; i < stream_destinations(stream); i++) {
        if (begins && stream->site->overlay->info_space[stream->number][i] == 0) {
            return 0;
        }
        uint32_t space = *stream->words[INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) + i];
        least = space < least ? space : least;
    }
    return least;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The registers of the stream whose buffer holds a message. */
static uint32_t (*buffer_of(const struct stream *stream, const struct stream_message *message))[STREAMS]
{
    return message->source ? overlay_words(stream->site->overlay, message->source - 1u) : stream->words;
}

/* The length of the next packet of the front message; `from`: its offset in the buffer. */
static uint32_t packet_length(const struct stream *stream, const struct stream_message *message, uint32_t *from)
{
    const struct stream_engine *engine = stream->engine;
    uint32_t(*buffer)[STREAMS] = buffer_of(stream, message);
    uint32_t size = *buffer[INDEX(BUF_SIZE)], dest_size = *stream->words[INDEX(REMOTE_DEST_BUF_SIZE)];
    uint32_t written = *stream->words[INDEX(REMOTE_DEST_WR_PTR)];
    bool link = stream_is_linked(stream, *stream->words[INDEX(REMOTE_DEST)]);
    uint32_t length = least_of(least_of(message->length - engine->sent, engine->arrived),
                               link ? stream->site->link_units : PACKET_UNITS);
    *from = message->address - *buffer[INDEX(BUF_START)] + engine->sent;
    *from = size ? *from % size : 0;
    length = least_of(length, size - *from);
    length = least_of(length, written < dest_size ? dest_size - written : 0);
    return stream_writes_dram(stream) ? length : least_of(length, least_space(stream));
}

/* One of the eight offsets that can be added to packets' addresses. */
static uint32_t global_offset(const struct stream *stream, unsigned shamt)
{
    uint32_t index = *stream->words[INDEX(ONETIME_MISC_CFG)] >> shamt & GLOBAL_OFFSET_TABLE_INDEX_BITS;
    return stream->site->overlay->offset[index];
}

/* The address of the next packet, in units; addresses of buffers in DRAM have high bits. */
static uint64_t destination_address(const struct stream *stream)
{
    uint32_t(*words)[STREAMS] = stream->words;
    uint32_t address = *words[INDEX(REMOTE_DEST_BUF_START)] + *words[INDEX(REMOTE_DEST_WR_PTR)] +
                       global_offset(stream, GLOBAL_OFFSET_TABLE_RD_DEST_INDEX_SHAMT);
    return stream_writes_dram(stream) ? address + (*words[INDEX(REMOTE_DEST_BUF_START_HI)] << BUF_WORDS_BITS)
                                      : address & BUF_WORDS;
}

static uint64_t source_address(const struct stream *stream, const struct stream_message *message, uint32_t from)
{
    uint32_t address = *buffer_of(stream, message)[INDEX(BUF_START)] + from;
    return (address + global_offset(stream, GLOBAL_OFFSET_TABLE_RD_SRC_INDEX_SHAMT)) & BUF_WORDS;
}

/* NOC_PACKET_TAG. DRAM tiles have no streams, but store headers unless their NIU disables it. */
static uint16_t tag_of(const struct stream *stream, bool first, bool last)
{
    unsigned to = *stream->words[INDEX(REMOTE_DEST)] >> STREAM_ID_SHAMT & STREAM_ID_BITS;
    unsigned store = first ? TAG_HEADER_STORE : 0;
    return (uint16_t)(stream_writes_dram(stream)
                          ? store
                          : store | to | TAG_DELIVER_TO_OVERLAY | (first ? TAG_FIRST : 0) | (last ? TAG_LAST : 0));
}

static void send_packet(const struct stream *stream, const struct stream_message *message, uint32_t from,
                        uint32_t length)
{
    struct stream_engine *engine = stream->engine;
    unsigned noc = data_noc(stream);
    struct noc_request request = {
        .kind = NOC_WRITE,
        .link = stream_is_linked(stream, *stream->words[INDEX(REMOTE_DEST)]),
        .noc = (uint8_t)noc,
        .reader = (uint8_t)(stream->number + 1),
        .packet_tag = tag_of(stream, engine->sent == 0, engine->sent + length == message->length),
        .target_address = source_address(stream, message, from) * UNIT,
        .back_address = destination_address(stream) * UNIT,
        .length = (uint64_t)length * UNIT,
        .data = stream_remote_header(stream),
    };
    uint8_t x = stream->site->diagnostics->tile_x, y = stream->site->diagnostics->tile_y;
    request.target.x = noc ? (uint8_t)(NOC_WIDTH - 1 - x) : x;
    request.target.y = noc ? (uint8_t)(NOC_HEIGHT - 1 - y) : y;
    if (!request.link) {
        request.back = destination_of(stream, noc, &request.broadcast);
    }
    post(stream, &request);
}

/* Updates the stream's state after a packet was sent. */
static void account(const struct stream *stream, const struct stream_message *message, uint32_t length)
{
    uint32_t(*words)[STREAMS] = stream->words;
    struct stream_engine *engine = stream->engine;
    bool dram = stream_writes_dram(stream), ends = engine->sent + length == message->length;
    for (unsigned i = 0; i < stream_destinations(stream) && !dram; i++) {
        *words[INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) + i] -= length;
        stream->site->overlay->info_space[stream->number][i] -= ends && stream_counts_headers(stream);
    }
    *words[INDEX(REMOTE_DEST_WR_PTR)] += length;
    if (*words[INDEX(REMOTE_DEST_WR_PTR)] == *words[INDEX(REMOTE_DEST_BUF_SIZE)] && !dram) {
        *words[INDEX(REMOTE_DEST_WR_PTR)] = 0;
    }
    stream_begin_read(stream, (struct stream_read){.source = {message->source}, .length = {length}});
    engine->sent += length;
    if (ends) {
        stream_header_sent(stream);
        stream_pop_message(stream);
    }
}

/* A buffer in DRAM does not wrap around. */
static bool leaves_buffer(const struct stream *stream, const struct stream_message *message)
{
    uint32_t(*words)[STREAMS] = stream->words;
    uint32_t left = *words[INDEX(REMOTE_DEST_BUF_SIZE)] - *words[INDEX(REMOTE_DEST_WR_PTR)];
    if (!stream_writes_dram(stream) || message->length - stream->engine->sent <= left) {
        return false;
    }
    (void)stream_wrong(stream, BH_UNDEFINED_BEHAVIOR,
                       "overlay stream %u: a message of %u x 16 bytes for a buffer in DRAM of which %u are left "
                       "(STREAM_REMOTE_DEST_BUF_SIZE less STREAM_REMOTE_DEST_WR_PTR)",
                       stream->number, message->length, left);
    return true;
}

bool stream_transmit(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    bool any = false;
    while (engine->count && engine->reads < STREAM_MESSAGES && !outbox_full(stream)) {
        const struct stream_message *message = &engine->message[engine->first];
        uint32_t from, length = leaves_buffer(stream, message) ? 0 : packet_length(stream, message, &from);
        if (length == 0) {
            break;
        }
        send_packet(stream, message, from, length);
        account(stream, message, length);
        any = true;
    }
    return any;
}

void overlay_sent(const struct overlay_site *site, unsigned number)
{
    struct stream stream = overlay_stream(site, number);
    stream_end_read(&stream);
    overlay_settle(site);
}
