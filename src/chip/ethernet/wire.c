#include "chip/ethernet/wire.h"

#include <stdlib.h>
#include <string.h>

#include "chip/ethernet/link_constants.h"

enum { ALIGNMENT = 8, FIRST_ROOM = 4096 };

static size_t room_of(const struct wire_message *message)
{
    return sizeof *message + (message->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Moves what was not taken to the front, when that is less than half. */
static void compact(struct wire_buffer *buffer)
{
    if (buffer->at >= buffer->size - buffer->at) {
        memmove(buffer->bytes, buffer->bytes + buffer->at, buffer->size - buffer->at);
        buffer->size -= buffer->at;
        buffer->at = 0;
    }
}

static bool grow(struct wire_buffer *buffer, size_t more)
{
    size_t room = buffer->room ? buffer->room : FIRST_ROOM;
    while (room - buffer->size < more) {
        room *= 2;
    }
    if (room != buffer->room) {
        uint8_t *bytes = realloc(buffer->bytes, room);
        if (!bytes) {
            return false;
        }
        buffer->bytes = bytes;
        buffer->room = room;
    }
    return true;
}

bool wire_buffer_add(struct wire_buffer *buffer, const struct wire_message *message, const void *bytes)
{
    size_t more = room_of(message);
    if (buffer->at) {
        compact(buffer);
    }
    if (!grow(buffer, more)) {
        return false;
    }
    uint8_t *place = buffer->bytes + buffer->size;
    memset(place + more - ALIGNMENT, 0, ALIGNMENT); /* what fills the last word up */
    memcpy(place, message, sizeof *message);
    if (message->size) {
        memcpy(place + sizeof *message, bytes, message->size);
    }
    buffer->size += more;
    return true;
}

const struct wire_message *wire_buffer_next(const struct wire_buffer *buffer)
{
    return buffer->at < buffer->size ? (const struct wire_message *)(buffer->bytes + buffer->at) : NULL;
}

void wire_buffer_take(struct wire_buffer *buffer)
{
    buffer->at += room_of(wire_buffer_next(buffer));
    if (buffer->at == buffer->size) {
        buffer->at = buffer->size = 0;
    }
}

void wire_destroy(struct wire *wire)
{
    free(wire->out.bytes);
    for (unsigned channel = 0; channel < WIRE_CHANNELS; channel++) {
        free(wire->in[channel].bytes);
    }
    *wire = (struct wire){0};
}

void wire_reset(struct wire *wire)
{
    port_reset(&wire->port, wire->connected);
    wire->out.at = wire->out.size = 0;
    for (unsigned channel = 0; channel < WIRE_CHANNELS; channel++) {
        wire->in[channel].at = wire->in[channel].size = 0;
    }
    memset(wire->free, 0, sizeof wire->free);
    memset(wire->accepts, 0, sizeof wire->accepts);
    memset(wire->packets, 0, sizeof wire->packets);
    memset(wire->sent_at, 0, sizeof wire->sent_at);
    memset(wire->frames, 0, sizeof wire->frames);
    memset(wire->heard, 0, sizeof wire->heard);
}

static uint64_t cycles_of(uint64_t bytes)
{
    return (bytes + LINK_BYTES_PER_CYCLE - 1) / LINK_BYTES_PER_CYCLE;
}

/* Counts the packets of a message, which are of about the same length. Returns when at most `ahead` are left. */
static uint64_t queue_packets(struct wire *wire, const struct wire_message *message, uint64_t begins,
                              uint64_t wire_bytes, unsigned ahead)
{
    uint64_t *sent_at = wire->sent_at[message->channel][message->queue];
    uint32_t *packets = &wire->packets[message->channel][message->queue];
    for (uint32_t i = 0; i < message->packets; i++) {
        sent_at[(*packets)++ % WIRE_AHEAD] = begins + cycles_of(wire_bytes * (i + 1) / message->packets);
    }
    ahead = ahead < WIRE_AHEAD ? ahead : WIRE_AHEAD - 1;
    return sent_at[(*packets - 1 - ahead) % WIRE_AHEAD]; /* 0 of one that was never sent */
}

bool wire_send(struct wire *wire, uint64_t now, struct wire_message *message, const void *bytes, uint64_t wire_bytes,
               unsigned ahead)
{
    unsigned channel = message->channel;
    uint64_t begins = wire->free[channel] > now ? wire->free[channel] : now;
    wire->free[channel] = begins + cycles_of(wire_bytes);
    if (message->packets) {
        uint64_t taken = queue_packets(wire, message, begins, wire_bytes, ahead);
        wire->accepts[channel][message->queue] = ahead ? taken : begins;
        wire->frames[channel][message->queue] += message->kind == WIRE_FRAME;
    }
    message->arrives = wire->free[channel] + wire->latency;
    message->sequence = wire->sent[channel]++;
    return wire_buffer_add(&wire->out, message, bytes);
}

static uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* When the other end began to send the last packet of a TX queue that has arrived by `now`, sequence number updates
   among them. Those come at equal distances from the last other packet, or since the link is up. */
static uint64_t last_heard(const struct wire *wire, unsigned channel, unsigned queue, uint64_t now)
{
    const struct wire_heard *heard = &wire->heard[channel][queue];
    uint64_t frame = cycles_of(LINK_SEQUENCE_FRAME), idle = later_of(heard->ended, wire->port.up_at[channel]),
             way = frame + wire->latency;
    uint64_t updates = now >= idle + way ? (now - way - idle + frame) / (LINK_SEQUENCE_UPDATE + frame) : 0;
    return updates ? idle + updates * (LINK_SEQUENCE_UPDATE + frame) - frame : heard->began;
}

/* How many packets of a TX queue had arrived `then`; 0 if so many are under way that it is not known. */
static uint32_t arrived_by(const struct wire *wire, unsigned channel, unsigned queue, uint64_t then)
{
    uint32_t packets = wire->packets[channel][queue], under_way = 0;
    const uint64_t *sent_at = wire->sent_at[channel][queue];
    while (under_way < packets && under_way < WIRE_AHEAD &&
           later_of(sent_at[(packets - 1 - under_way) % WIRE_AHEAD] + wire->latency, wire->port.up_at[channel]) >
               then) {
        under_way++;
    }
    uint32_t arrived = packets - under_way, frames = wire->frames[channel][queue];
    return under_way == WIRE_AHEAD || frames > arrived ? 0 : arrived - frames;
}

uint32_t wire_acknowledged(const struct wire *wire, unsigned channel, unsigned queue, uint64_t now)
{
    uint32_t before = wire->heard[channel][queue].acknowledged, arrived = 0;
    if (port_is_up(&wire->port, channel)) {
        arrived = arrived_by(wire, channel, queue, last_heard(wire, channel, queue, now));
    }
    return arrived > before ? arrived : before;
}

void wire_hear(struct wire *wire, const struct wire_message *message, uint64_t frame_bytes)
{
    struct wire_heard *heard = &wire->heard[message->channel][message->queue];
    uint64_t ended = message->arrives - wire->latency,
             before = last_heard(wire, message->channel, message->queue, message->arrives);
    heard->began = later_of(ended - cycles_of(frame_bytes), before);
    heard->ended = ended;
    heard->acknowledged = wire_acknowledged(wire, message->channel, message->queue, message->arrives);
}

void wire_update(struct wire *wire, unsigned channel, uint64_t now)
{
    uint32_t acknowledged[WIRE_QUEUES];
    for (unsigned queue = 0; queue < WIRE_QUEUES; queue++) {
        acknowledged[queue] = wire_acknowledged(wire, channel, queue, now);
    }
    port_update(&wire->port, channel, now);
    for (unsigned queue = 0; queue < WIRE_QUEUES; queue++) {
        wire->heard[channel][queue].acknowledged = acknowledged[queue];
    }
}

bool wire_switch(struct wire *wire, unsigned channel, uint64_t now, bool on)
{
    struct wire_message message = {.kind = WIRE_CARRIER, .channel = (uint8_t)channel, .value = on};
    uint16_t bit = (uint16_t)(1u << channel);
    bool done = on == ((wire->port.on & bit) != 0) || wire_send(wire, now, &message, NULL, 0, 0);
    wire->port.on = on ? wire->port.on | bit : wire->port.on & (uint16_t)~bit;
    wire_update(wire, channel, now);
    return done;
}

void wire_restart(struct wire *wire, uint64_t now)
{
    uint16_t off = wire->connected & (uint16_t)~wire->port.on;
    wire_reset(wire);
    wire->port.on &= (uint16_t)~off;
    for (unsigned channel = 0; channel < WIRE_CHANNELS; channel++) {
        if (off >> channel & 1) {
            wire_update(wire, channel, now);
            (void)wire_switch(wire, channel, now, true);
        }
    }
}

/* While a link is down, TT-link packets wait; frames arrive only to be lost. */
static bool waits(const struct wire_message *message)
{
    return message->kind != WIRE_CARRIER && message->kind != WIRE_FRAME;
}

const struct wire_message *wire_next(const struct wire *wire, unsigned channel)
{
    struct wire_buffer rest = wire->in[channel]; /* the same memory */
    const struct wire_message *next = wire_buffer_next(&wire->in[channel]);
    if (port_is_up(&wire->port, channel)) {
        return next;
    }
    while (next && waits(next)) {
        wire_buffer_take(&rest);
        next = wire_buffer_next(&rest);
    }
    return next;
}

void wire_take(struct wire *wire, unsigned channel)
{
    struct wire_buffer *buffer = &wire->in[channel];
    const struct wire_message *next = wire_next(wire, channel);
    if (next == wire_buffer_next(buffer)) {
        wire_buffer_take(buffer);
    } else {
        struct wire_message *message = (struct wire_message *)(buffer->bytes + ((const uint8_t *)next - buffer->bytes));
        message->kind = WIRE_NOTHING;
    }
}

uint64_t wire_next_arrival(const struct wire *wire, unsigned *channel)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < WIRE_CHANNELS; i++) {
        const struct wire_message *message = wire_next(wire, i);
        uint64_t arrives = message ? message->arrives : UINT64_MAX,
                 due = wire->port.due[i] < arrives ? wire->port.due[i] : arrives;
        if (due < next) {
            next = due;
            *channel = i;
        }
    }
    return next;
}

bool wire_is_busy(const struct wire *wire)
{
    unsigned channel;
    return wire->out.size || wire_next_arrival(wire, &channel) != UINT64_MAX;
}
