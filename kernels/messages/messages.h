/* messages: rows of a picture go from one tile to another as messages of overlay streams, through a stream of a tile
   between them, whose cores do nothing meanwhile. A message is a header, with its length, and a row. */
#ifndef BHEMU_KERNELS_MESSAGES_H
#define BHEMU_KERNELS_MESSAGES_H

#include "arguments.h"
#include "streams.h"

enum {
    UNIT = 16, /* bytes */
    ROW = 256,
    LENGTH = 1 + ROW / UNIT,
    STREAM = 20,
    PHASE = 1, /* of the sender; the stream in the middle runs the next one */
    ROWS_AT = LAYOUT_TENSORS,
};

/* The sender has room for three messages, the receiver for two, the stream in the middle for not even one. */
static const struct stream_buffer sender = {LAYOUT_BUFFERS / UNIT, 3 * LENGTH, LAYOUT_BUFFERS / UNIT + 0x400};
static const struct stream_buffer middle = {LAYOUT_BUFFERS / UNIT, 5, LAYOUT_BUFFERS / UNIT + 0x400};
static const struct stream_buffer receiver = {LAYOUT_BUFFERS / UNIT, 2 * LENGTH, LAYOUT_BUFFERS / UNIT + 0x400};

/* At LAYOUT_ARGUMENTS. */
struct messages_arguments {
    uint32_t from, to; /* the tiles before and behind this one: x | y << 6 */
    uint32_t rows;
};

#endif
