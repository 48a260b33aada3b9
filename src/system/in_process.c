/* The exchange between chips of one process, and what exchanges between processes have of it. */
#include "system/state.h"

static bool put(struct bh_system *system, const struct wire_message *message, const void *bytes)
{
    struct bh_device *device = bh_system_chip(system, message->chip);
    return device && message->channel < WIRE_CHANNELS &&
           wire_buffer_add(&device->wire.in[message->channel], message, bytes);
}

bool exchange_take(struct bh_system *system, struct wire_buffer *to, bool *sent)
{
    bool done = true;
    *sent = false;
    for (unsigned i = 0; i < system->own; i++) {
        const struct system_chip *from = &system->chip[i];
        struct wire_buffer *out = &from->device->wire.out;
        const struct wire_message *message;
        while ((message = wire_buffer_next(out))) {
            const struct board_port *port = &from->place->port[message->channel];
            struct wire_message arriving = *message;
            arriving.channel = port->channel;
            arriving.chip = (uint16_t)port->number;
            done &= bh_system_chip(system, port->number)
                        ? put(system, &arriving, message + 1)
                        : wire_buffer_add(&to[system->part.owner[port->number]], &arriving, message + 1);
            wire_buffer_take(out);
            *sent = true;
        }
    }
    return done;
}

bool exchange_put(struct bh_system *system, const void *messages, uint64_t size)
{
    struct wire_buffer all = {.bytes = (uint8_t *)messages, .size = size};
    bool done = true;
    while (done && all.at < size) {
        const struct wire_message *message = wire_buffer_next(&all);
        done = size - all.at >= sizeof *message && message->size <= size - all.at - sizeof *message &&
               put(system, message, message + 1);
        if (done) {
            wire_buffer_take(&all);
            if (all.size == 0) { /* the last one was taken */
                break;
            }
        }
    }
    return done;
}

static bool swap(void *context, struct bh_system *system, bool *sent)
{
    return exchange_take(system, NULL, sent);
}

struct exchange exchange_in_process(void)
{
    return (struct exchange){.swap = swap};
}
