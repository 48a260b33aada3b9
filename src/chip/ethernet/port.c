#include "chip/ethernet/port.h"

#include "chip/ethernet/link_constants.h"

/* The cable and the other end are as they are: a reset of this end does not change them. */
void port_reset(struct link_ports *ports, uint16_t connected)
{
    ports->on = connected;
    ports->up = connected & ports->plugged & ports->other_on;
    ports->trains = ports->awaited = 0;
    for (unsigned channel = 0; channel < WIRE_CHANNELS; channel++) {
        ports->due[channel] = UINT64_MAX;
        ports->up_at[channel] = 0;
        ports->retrained[channel] = 0;
        for (unsigned queue = 0; queue < WIRE_QUEUES; queue++) {
            ports->unsent[channel][queue] = 0;
            ports->repeated[channel][queue] = 0;
        }
    }
}

void port_update(struct link_ports *ports, unsigned channel, uint64_t now)
{
    uint16_t bit = (uint16_t)(1u << channel);
    bool possible = ports->plugged & ports->on & ports->other_on & bit;
    if (!possible) {
        ports->up &= (uint16_t)~bit;
        ports->trains &= (uint16_t)~bit;
        ports->due[channel] = ports->awaited & bit ? now + LINK_PATIENCE : UINT64_MAX;
    } else if (!((ports->up | ports->trains) & bit)) {
        ports->trains |= bit;
        ports->due[channel] = now + LINK_TRAINING;
    }
}

void port_act(struct link_ports *ports, unsigned channel)
{
    uint16_t bit = (uint16_t)(1u << channel);
    if (ports->trains & bit) {
        ports->up |= bit;
        ports->up_at[channel] = ports->due[channel];
        ports->retrained[channel]++;
        for (unsigned queue = 0; queue < WIRE_QUEUES; queue++) {
            ports->repeated[channel][queue] += ports->unsent[channel][queue] != 0;
            ports->unsent[channel][queue] = 0;
        }
    }
    ports->trains &= (uint16_t)~bit;
    ports->awaited &= (uint16_t)~bit;
    ports->due[channel] = UINT64_MAX;
}
