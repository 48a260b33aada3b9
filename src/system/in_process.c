/* The exchange between chips of one process. */
#include "system/state.h"

/* Puts a message where the link of its channel leads. */
static bool put(struct bh_system *system, const struct system_chip *from, const struct wire_message *message)
{
    const struct board_port *port = &from->place->port[message->channel];
    struct wire_message arriving = *message;
    arriving.channel = port->channel;
    return wire_buffer_add(&system->chip[port->number].device->wire.in[port->channel], &arriving, message + 1);
}

static bool swap(void *context, struct bh_system *system, bool *any)
{
    bool done = true;
    *any = false;
    for (unsigned i = 0; i < system->count; i++) {
        struct wire_buffer *out = &system->chip[i].device->wire.out;
        const struct wire_message *message;
        while ((message = wire_buffer_next(out))) {
            done &= put(system, &system->chip[i], message);
            wire_buffer_take(out);
            *any = true;
        }
    }
    return done;
}

struct exchange exchange_in_process(void)
{
    return (struct exchange){.swap = swap};
}
