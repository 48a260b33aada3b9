/* Gathering: one stream, which has no buffer of its own, forwards the messages of several streams of its tile. Their
   metadata move from FIFO to FIFO; the data stay in the buffers of the source streams until they have been read, and
   are given back to these. Sources: ISA documentation NoC/Overlay/Gather.md, README.md (which streams can); tt-metal
   noc_overlay_parameters.h (Blackhole has STREAM_GATHER and STREAM_GATHER_CLEAR in one register, and
   STREAM_MSG_SRC_IN_ORDER_FWD_NUM_MSGS). */
#include "tile/overlay/stream.h"

enum {
    MSG_LOCAL_STREAM_CLEAR_NUM = 0xfff, /* STREAM_GATHER */
    MSG_GROUP_STREAM_CLEAR_TYPE = 1 << 12,
    MSG_ARB_GROUP_SIZE_SHAMT = 13,
    MSG_ARB_GROUP_SIZE_BITS = 7,
    MSG_SRC_IN_ORDER_FWD = 1 << 16,
    MSG_SRC_ARBITRARY_CLEAR_NUM_EN = 1 << 17,
    LOCAL_DEST_MSG_CLEAR_NUM = 0xfff, /* STREAM_LOCAL_DEST: the register that is STREAM_REMOTE_DEST in other streams */
    LOCAL_DEST_STREAM_ID_SHAMT = 12,
    MASK_BITS = 24, /* bits used of each word of STREAM_LOCAL_SRC_MASK */
    MASK_WORDS = 3,
    MOST_GATHERED = 2, /* messages in the FIFO */
};

static unsigned group_size(uint32_t gather)
{
    return gather >> MSG_ARB_GROUP_SIZE_SHAMT & MSG_ARB_GROUP_SIZE_BITS;
}

static uint64_t sources_of(const struct stream *stream)
{
    uint64_t sources = 0;
    for (unsigned i = 0; i < MASK_WORDS; i++) {
        sources |= (uint64_t)*stream->words[INDEX(LOCAL_SRC_MASK) + i] << MASK_BITS * i;
    }
    return sources;
}

static bool groups_are_whole(uint64_t sources, unsigned size)
{
    uint64_t group = (UINT64_C(1) << size) - 1;
    for (unsigned first = 0; first < STREAMS; first += size) {
        uint64_t there = sources >> first & group;
        if (there && there != group) {
            return false;
        }
    }
    return true;
}

/* The error in a stream's gather configuration, or null. */
static const char *wrong_gather(const struct stream *stream)
{
    const struct overlay *overlay = stream->site->overlay;
    unsigned size = group_size(*stream->words[INDEX(GATHER)]), able = overlay->of_ethernet ? 2 : 6;
    uint64_t sources = sources_of(stream);
    return stream->number >= able                           ? "this stream can not gather"
           : stream_is(stream, LOCAL_RECEIVER)              ? "it can not be gathered from at the same time"
           : size != 1 && size != 2 && size != 4            ? "MSG_ARB_GROUP_SIZE has to be 1, 2 or 4"
           : sources == 0                                   ? "STREAM_LOCAL_SRC_MASK names no stream"
           : sources >> 1 >> (overlay_streams(overlay) - 1) ? "STREAM_LOCAL_SRC_MASK names streams that are not there"
           : !groups_are_whole(sources, size)               ? "STREAM_LOCAL_SRC_MASK has groups in part"
           : !(*stream->words[INDEX(GATHER)] & MSG_LOCAL_STREAM_CLEAR_NUM)
               ? "MSG_LOCAL_STREAM_CLEAR_NUM is 0: no message would ever be gathered"
               : NULL;
}

enum step stream_check_gather(const struct stream *stream)
{
    const char *wrong = wrong_gather(stream);
    stream->engine->gather = 0; /* if the policy continues after an error, nothing is gathered */
    if (wrong) {
        return stream_wrong(stream, BH_UNDEFINED_BEHAVIOR,
                            "overlay stream %u starts to gather (STREAM_GATHER 0x%x): %s", stream->number,
                            *stream->words[INDEX(GATHER)], wrong);
    }
    if (*stream->words[INDEX(GATHER)] & MSG_SRC_ARBITRARY_CLEAR_NUM_EN) {
        return stream_wrong(
            stream, BH_UNSUPPORTED,
            "overlay stream %u starts to gather (STREAM_GATHER 0x%x): MSG_SRC_ARBITRARY_CLEAR_NUM_EN is "
            "not emulated",
            stream->number, *stream->words[INDEX(GATHER)]);
    }
    stream->engine->gather = *stream->words[INDEX(GATHER)];
    return STEP_DONE;
}

/* Whether a stream has started a phase in which it sends its messages to this one. */
static bool started(const struct stream *stream, const struct stream *source)
{
    return source->engine->state == STREAM_FORWARDING && stream_is(source, LOCAL_RECEIVER) &&
           (*source->words[INDEX(REMOTE_DEST)] >> LOCAL_DEST_STREAM_ID_SHAMT & STREAM_ID_BITS) == stream->number;
}

/* All source streams must have started before any message is gathered. */
static bool all_started(const struct stream *stream)
{
    for (uint64_t bits = sources_of(stream); bits; bits &= bits - 1) {
        struct stream source = overlay_stream(stream->site, (unsigned)__builtin_ctzll(bits));
        if (!started(stream, &source)) {
            return false;
        }
    }
    return true;
}

/* Whether each stream of a group has as many messages as the group's threshold asks for. */
static bool group_ready(const struct stream *stream, unsigned first)
{
    for (unsigned i = 0; i < group_size(stream->engine->gather); i++) {
        struct stream source = overlay_stream(stream->site, first + i);
        uint32_t wanted = *source.words[INDEX(REMOTE_DEST)] & LOCAL_DEST_MSG_CLEAR_NUM;
        if (!started(stream, &source) || source.engine->count < wanted) {
            return false;
        }
    }
    return true;
}

/* Chooses the group to gather from: the one already begun, or the next one that is ready; when in order, the next one,
   but only once it is ready. */
static bool choose_group(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    unsigned size = group_size(engine->gather), first = engine->next_group;
    bool in_order = engine->gather & MSG_SRC_IN_ORDER_FWD;
    uint64_t sources = sources_of(stream);
    for (unsigned i = 0; engine->group == 0 && i < STREAMS; i += size) {
        unsigned group = (first + i) % STREAMS;
        if (sources >> group & 1) {
            bool ready = group_ready(stream, group);
            if (ready) {
                engine->group = (uint8_t)(group + 1);
                engine->gathered = 0;
            } else if (in_order) {
                return false;
            }
        }
    }
    return engine->group != 0;
}

static unsigned messages_of_group(uint32_t gather)
{
    return (gather & MSG_LOCAL_STREAM_CLEAR_NUM) * group_size(gather);
}

/* The next stream of the group. */
static unsigned turn(const struct stream *stream)
{
    const struct stream_engine *engine = stream->engine;
    unsigned first = engine->group - 1u, size = group_size(engine->gather), done = engine->gathered;
    return first + (engine->gather & MSG_GROUP_STREAM_CLEAR_TYPE ? done * size / messages_of_group(engine->gather)
                                                                 : done % size);
}

/* Moves one message from a stream's FIFO to this one's. */
static bool take(const struct stream *stream, unsigned number)
{
    struct stream_engine *engine = stream->engine;
    struct stream source = overlay_stream(stream->site, number);
    if (!started(stream, &source) || source.engine->count == 0) {
        return false;
    }
    struct stream_message message = source.engine->message[source.engine->first];
    message.source = (uint8_t)(number + 1);
    stream_pop_message(&source);
    source.engine->arrived -= message.length;
    source.engine->lent += message.length;
    stream_push(stream, &message);
    engine->arrived += message.length;
    engine->last |= engine->endless && message.last;
    engine->expected = engine->endless ? !engine->last : engine->expected - 1;
    return true;
}

/* A multicasting stream that gathers in order returns to the first group after STREAM_MSG_SRC_IN_ORDER_FWD_NUM_MSGS
   messages, wherever it is then. 0: only at the end of all groups. */
static void return_to_first_group(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    bool multicasts =
        stream_capacity(stream->site->overlay, stream->number) > 1 && *stream->words[INDEX(MCAST_DEST)] & MCAST_EN;
    engine->in_order++;
    if (engine->gather & MSG_SRC_IN_ORDER_FWD && multicasts &&
        engine->in_order == *stream->words[INDEX(MSG_SRC_IN_ORDER_FWD_NUM_MSGS)]) {
        engine->in_order = 0;
        engine->group = 0;
        engine->next_group = 0;
    }
}

bool stream_gather(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    unsigned messages = messages_of_group(engine->gather);
    bool any = false;
    if (messages == 0) { /* the phase began otherwise */
        return false;
    }
    engine->gathering |= all_started(stream);
    while (engine->gathering && engine->expected && engine->count < MOST_GATHERED && choose_group(stream) &&
           take(stream, turn(stream))) {
        any = true;
        if (++engine->gathered == messages) {
            engine->next_group = (uint8_t)((engine->group - 1u + group_size(engine->gather)) % STREAMS);
            engine->group = 0;
        }
        return_to_first_group(stream);
    }
    return any;
}
