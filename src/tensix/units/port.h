/* What accepts one instruction at a time, of whichever thread, in timed mode. Threads that wait for it take turns: the
   first that finds it taken has it when it becomes free, before the others. */
#ifndef BHEMU_TENSIX_UNITS_PORT_H
#define BHEMU_TENSIX_UNITS_PORT_H

#include <stdint.h>

/* Plain data, all zero at first. Times are absolute. */
struct timing_port {
    uint64_t accepts; /* from then on */
    uint64_t turn;    /* at this time it is that of turn_of */
    uint8_t turn_of;
};

/* When the port may accept an instruction of `thread` that is there at `now`; not later than `now`: it does. */
static inline uint64_t timing_port_accepts(struct timing_port *port, unsigned thread, uint64_t now)
{
    if (now < port->accepts) {
        if (port->turn != port->accepts) {
            port->turn = port->accepts;
            port->turn_of = (uint8_t)thread;
        }
        return port->accepts;
    }
    return port->turn == now && port->turn_of != thread ? now + 1 : now;
}

#endif
