/* Observers: they are told what happens on a device while it happens. Logs, traces, profiles, checkers and debuggers
   are made of them. A tile that nobody observes runs at full speed; one that somebody does runs one instruction at a
   time, with the same bits, clocks and diagnostics.

   Events are delivered on the thread that called the library, before the next thing happens on their tile. Their order
   is the same on every run, and for any number of host threads: within a quantum of the device (bh_run() runs many) all
   events of one tile come in the order in which they happen there, and tiles one after the other: Ethernet tiles, then
   Tensix tiles, each by their numbers; then follow the events of what crosses the NoC between two quanta. What the host
   does is told as it does it. Within a tile cores and threads take turns of some cycles, so that the clock of one
   event may be less than that of the event before, which is another agent's; for each core and each thread it never
   decreases.

   What is not executed is not told: of a tile that rests, since all its cores go round in circles that change nothing
   and look at nothing that changes, the rounds; of cycles that bh_advance() has let pass, what tiles have not executed
   yet, until they do.

   A callback must not call functions that take the device. */
#ifndef BHEMU_OBSERVER_H
#define BHEMU_OBSERVER_H

#include "bhemu/device.h"
#include "bhemu/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds an observer, which is told from now on, behind those that are there already. It, and its tiles, have to stay as
   they are until it is removed, or the device destroyed. BH_ERROR_ARGUMENT: no callback, no such tile (those that
   the board leaves out are none), or it is there already. */
BH_API enum bh_status bh_device_add_observer(struct bh_device *device, const struct bh_observer *observer);

/* BH_ERROR_ARGUMENT: the observer is not on this device. */
BH_API enum bh_status bh_device_remove_observer(struct bh_device *device, const struct bh_observer *observer);

#ifdef __cplusplus
}
#endif
#endif
