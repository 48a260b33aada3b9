/* Links of a system: whether they are up, and their cables. Of links between chips of two processes each has an end. */
#include "chip/quantum.h"
#include "system/nodes.h"
#include "system/state.h"

/* Whether a channel of a chip is this end of a link. */
static bool is_at(const struct system_chip *chip, unsigned channel, struct bh_link_end end)
{
    return chip->place->port[channel].linked && chip->place->chip == end.chip &&
           board_logical_channel(&chip->device->board, channel) == end.channel;
}

/* Whether it is the other one. */
static bool is_opposite(const struct system_chip *chip, unsigned channel, struct bh_link_end end)
{
    const struct board_port *port = &chip->place->port[channel];
    return port->linked && port->number == end.chip && port->logical == end.channel;
}

static enum bh_link_state state_of(const struct link_ports *ports, unsigned channel)
{
    return port_is_up(ports, channel) ? BH_LINK_UP : ports->trains >> channel & 1 ? BH_LINK_TRAINING : BH_LINK_DOWN;
}

enum bh_link_state bh_system_link(const struct bh_system *system, struct bh_link_end end)
{
    if (system && system->nodes) {
        return nodes_link(system->nodes, end);
    }
    for (unsigned i = 0; system && i < system->own; i++) {
        for (unsigned channel = 0; channel < BOARD_PORTS; channel++) {
            if (is_at(&system->chip[i], channel, end)) {
                return state_of(&system->chip[i].device->wire.port, channel);
            }
        }
    }
    return BH_LINK_NONE;
}

enum bh_status bh_system_plug(struct bh_system *system, struct bh_link_end end, bool in)
{
    bool any = false;
    if (system && system->nodes) {
        return nodes_plug(system->nodes, end, in);
    }
    for (unsigned i = 0; system && i < system->own; i++) {
        struct system_chip *chip = &system->chip[i];
        for (unsigned channel = 0; channel < BOARD_PORTS; channel++) {
            if (is_at(chip, channel, end) || is_opposite(chip, channel, end)) {
                device_settle(chip->device);
                wired_plug(chip->device, channel, in);
                system->explained = false;
                any = true;
            }
        }
    }
    return any ? BH_OK : BH_ERROR_ARGUMENT;
}
