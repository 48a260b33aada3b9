/* Message header arrays: a stream's own, from which it loads its messages' headers, and that of its destination. They
   hold all headers of a phase in sequence, or wrap around, so that room in them is counted like room in buffers.
   Sources: ISA documentation NoC/Overlay/README.md, TransferBetweenTiles.md; tt-metal noc_overlay_parameters.h for
   arrays that wrap around (MSG_INFO_BUF_FLOW_CTRL), which only Blackhole has. */
#include "tile/overlay/stream.h"

enum {
    SIZE_POW2 = 7,
    WRAP_PTR =
        0xff, /* STREAM_MSG_INFO_WRAP_RD_WR_PTR, alias STREAM_MSG_INFO_WR_PTR: two pointers, each with a wrap bit */
    WRAP_BIT = 1 << 8,
    WRAP_WR_PTR_SHAMT = 9,
    WRAP_BITS = WRAP_BIT | WRAP_PTR,
};

static uint32_t places(uint32_t power)
{
    return 2u << (power & SIZE_POW2);
}

/* Advances a pointer with its wrap bit by `count` places. */
static uint32_t further(uint32_t pointer, uint32_t count, uint32_t size)
{
    uint32_t offset = (pointer & WRAP_PTR) + count;
    return (offset % size) | ((pointer & WRAP_BIT) ^ (offset / size % 2 ? WRAP_BIT : 0));
}

uint32_t stream_header_places(const struct stream *stream)
{
    return stream_is(stream, MSG_INFO_BUF_FLOW_CTRL) ? places(*stream->words[INDEX(MSG_INFO_BUF_SIZE)]) : UINT32_MAX;
}

uint32_t stream_headers(const struct stream *stream)
{
    uint32_t pointers = *stream->words[INDEX(MSG_INFO_WR_PTR)];
    if (!stream_is(stream, MSG_INFO_BUF_FLOW_CTRL)) {
        return (pointers - *stream->words[INDEX(MSG_INFO_PTR)]) & BUF_WORDS;
    }
    uint32_t read = pointers & WRAP_BITS, written = pointers >> WRAP_WR_PTR_SHAMT & WRAP_BITS;
    return (written & WRAP_PTR) - (read & WRAP_PTR) + ((read ^ written) & WRAP_BIT ? stream_header_places(stream) : 0);
}

uint64_t stream_header_address(const struct stream *stream)
{
    uint64_t address = *stream->words[INDEX(MSG_INFO_PTR)];
    if (stream_is(stream, MSG_INFO_BUF_FLOW_CTRL)) {
        address += *stream->words[INDEX(MSG_INFO_WR_PTR)] & WRAP_PTR;
    }
    return address * HEADER_BYTES;
}

void stream_headers_came(const struct stream *stream, uint32_t count)
{
    uint32_t *pointers = stream->words[INDEX(MSG_INFO_WR_PTR)];
    if (stream_is(stream, MSG_INFO_BUF_FLOW_CTRL)) {
        *pointers = (*pointers & WRAP_BITS) |
                    further(*pointers >> WRAP_WR_PTR_SHAMT, count, stream_header_places(stream)) << WRAP_WR_PTR_SHAMT;
    } else {
        *pointers = (*pointers + count) & BUF_WORDS;
    }
}

void stream_header_loaded(const struct stream *stream)
{
    uint32_t *pointers = stream->words[INDEX(MSG_INFO_WR_PTR)], *pointer = stream->words[INDEX(MSG_INFO_PTR)];
    if (stream_is(stream, MSG_INFO_BUF_FLOW_CTRL)) {
        *pointers = (*pointers & ~(uint32_t)WRAP_BITS) | further(*pointers, 1, stream_header_places(stream));
        stream->engine->freed_info++;
    } else {
        *pointer = (*pointer + 1) & BUF_WORDS;
    }
}

/* The destination's. */

bool stream_counts_headers(const struct stream *stream)
{
    return stream_is(stream, DEST_MSG_INFO_BUF_FLOW_CTRL);
}

uint32_t stream_remote_header_places(const struct stream *stream)
{
    return places(*stream->words[INDEX(REMOTE_DEST_MSG_INFO_BUF_SIZE)]);
}

void stream_reset_info_space(const struct stream *stream)
{
    for (unsigned i = 0; i < stream_capacity(stream->site->overlay, stream->number); i++) {
        stream->site->overlay->info_space[stream->number][i] = (uint16_t)stream_remote_header_places(stream);
    }
}

uint32_t stream_remote_header(const struct stream *stream)
{
    uint32_t(*words)[STREAMS] = stream->words;
    uint32_t address = *words[INDEX(REMOTE_DEST_MSG_INFO_WR_PTR)] | *words[INDEX(REMOTE_DEST_MSG_INFO_WR_PTR_HI)]
                                                                        << BUF_WORDS_BITS;
    return stream_counts_headers(stream) ? address + (*words[INDEX(REMOTE_DEST_MSG_INFO_WRAP_WR_PTR)] & WRAP_PTR)
                                         : address;
}

void stream_header_sent(const struct stream *stream)
{
    uint32_t(*words)[STREAMS] = stream->words, *low = words[INDEX(REMOTE_DEST_MSG_INFO_WR_PTR)];
    if (stream_counts_headers(stream)) {
        uint32_t *pointer = words[INDEX(REMOTE_DEST_MSG_INFO_WRAP_WR_PTR)];
        *pointer = further(*pointer, 1, stream_remote_header_places(stream));
        return;
    }
    *low = (*low + 1) & BUF_WORDS;
    if (*low == 0 && stream_reaches_dram(stream->number)) {
        uint32_t *high = words[INDEX(REMOTE_DEST_MSG_INFO_WR_PTR_HI)];
        *high = (*high + 1) & HIGH_WORDS;
    }
}
