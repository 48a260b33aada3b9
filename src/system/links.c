/* Links of a system: whether they are up, and their cables. */
#include "chip/quantum.h"
#include "system/state.h"

/* The port at an end, and its channel on the die; null: no link leads there. */
static const struct board_port *port_at(const struct bh_system *system, struct bh_link_end end, unsigned *channel)
{
    if (!system || end.chip >= system->count) {
        return NULL;
    }
    *channel = board_channel(&system->chip[end.chip].device->board, end.channel);
    const struct board_port *port = *channel < BOARD_PORTS ? &system->chip[end.chip].place->port[*channel] : NULL;
    return port && port->linked ? port : NULL;
}

enum bh_link_state bh_system_link(const struct bh_system *system, struct bh_link_end end)
{
    unsigned channel;
    if (!port_at(system, end, &channel)) {
        return BH_LINK_NONE;
    }
    const struct link_ports *ports = &system->chip[end.chip].device->wire.port;
    return port_is_up(ports, channel) ? BH_LINK_UP : ports->trains >> channel & 1 ? BH_LINK_TRAINING : BH_LINK_DOWN;
}

static void plug(struct bh_device *device, unsigned channel, bool in)
{
    device_settle(device);
    wired_plug(device, channel, in);
}

enum bh_status bh_system_plug(struct bh_system *system, struct bh_link_end end, bool in)
{
    unsigned channel;
    const struct board_port *port = port_at(system, end, &channel);
    if (!port) {
        return BH_ERROR_ARGUMENT;
    }
    plug(system->chip[end.chip].device, channel, in);
    plug(system->chip[port->number].device, port->channel, in);
    system->explained = false;
    return BH_OK;
}
