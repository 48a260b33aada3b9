/* What is on its way over the links of a chip, in a snapshot: the messages one by one, so that nothing is loaded that
   no chip could have sent. */
#include <stdlib.h>

#include "chip/ethernet/frames.h"
#include "chip/snapshot/parts.h"

enum { L1_UNIT = 16 };

static bool is_possible(const struct wire_message *message)
{
    bool frame = message->kind == WIRE_FRAME;
    uint32_t most = frame ? ETHERNET_MOST_FRAME : ETHERNET_L1_SIZE;
    bool placed = frame || message->size == 0 ||
                  (message->address < ETHERNET_L1_SIZE && message->size <= ETHERNET_L1_SIZE - message->address);
    bool header = message->kind != WIRE_STREAM_DATA || message->value < ETHERNET_L1_SIZE / L1_UNIT;
    return message->kind < WIRE_KINDS && message->queue < WIRE_QUEUES && message->channel < WIRE_CHANNELS &&
           message->size <= most && message->packets <= message->size / L1_UNIT + 1 && placed && header;
}

static void archive_message(struct archive *archive, struct wire_message *message, uint8_t *bytes)
{
    ARCHIVE_RAW(archive, *message);
    if (archive->loads && !archive->wrong && !is_possible(message)) {
        archive_wrong(archive, "no chip can have sent what is on its way over a link");
    }
    if (!archive->wrong) {
        archive_raw(archive, bytes, message->size);
    }
}

static void load_message(struct archive *archive, struct wire_buffer *buffer)
{
    struct wire_message message;
    uint8_t *bytes = malloc(ETHERNET_L1_SIZE);
    if (!bytes) {
        archive_no_memory(archive);
        return;
    }
    archive_message(archive, &message, bytes);
    if (!archive->wrong && !wire_buffer_add(buffer, &message, bytes)) {
        archive_no_memory(archive);
    }
    free(bytes);
}

/* Each message behind a 1, then a 0. */
static void archive_buffer(struct archive *archive, struct wire_buffer *buffer)
{
    struct wire_buffer rest = *buffer; /* the same memory */
    const struct wire_message *next = wire_buffer_next(&rest);
    while (archive_number(archive, next != NULL, 2) && !archive->wrong) {
        if (archive->loads) {
            load_message(archive, buffer);
            continue;
        }
        if (!next) {
            break;
        }
        struct wire_message message = *next;
        archive_message(archive, &message, (uint8_t *)(next + 1));
        wire_buffer_take(&rest);
        next = wire_buffer_next(&rest);
    }
}

void archive_wire(struct archive *archive, struct wire *wire)
{
    archive_section(archive, "wire");
    if (archive->loads) {
        wire_reset(wire);
    }
    ARCHIVE(archive, wire->port);
    if (archive->loads && wire->port.up & ~wire->connected) {
        archive_wrong(archive, "a link is up that leads nowhere");
    }
    ARCHIVE(archive, wire->sent);
    ARCHIVE(archive, wire->free);
    ARCHIVE(archive, wire->accepts);
    ARCHIVE(archive, wire->packets);
    ARCHIVE(archive, wire->sent_at);
    ARCHIVE(archive, wire->frames);
    ARCHIVE(archive, wire->heard);
    archive_buffer(archive, &wire->out);
    for (unsigned channel = 0; channel < WIRE_CHANNELS; channel++) {
        archive_buffer(archive, &wire->in[channel]);
    }
    archive_end_section(archive);
}
