/* The exchange of requests between tiles where a quantum of the device ends, and what errors in them stop. */
#include <string.h>

#include "chip/quantum.h"
#include "noc/traffic.h"
#include "tile/timed.h"

enum { NOC_QUIET = 4000 }; /* cycles without a request after which quanta are the longer ones again */

/* Null: nobody has reached the tile. */
static struct diagnostics *diagnostics_of(const struct bh_device *device, unsigned index)
{
    if (index >= TENSIX_TILES) {
        unsigned number = index - TENSIX_TILES;
        return device_core_ready(device, number) ? &device_core_tile(device, number)->diagnostics : NULL;
    }
    return device_used(device, index) ? &device->states[index].diagnostics : NULL;
}

static bool is_stopped(const struct bh_device *device, unsigned index)
{
    const struct diagnostics *diagnostics = diagnostics_of(device, index);
    return diagnostics && diagnostics->stopped;
}

/* Stops that are put off. When the device finds out that a request is wrong, the tile that has started it has run on,
   how far depends on where the quantum ends. In timed mode such a tile of a chip of a system runs on to the end of the
   epoch, as all others do that no error of their own stops. */

static bool puts_stops_off(const struct bh_device *device)
{
    return device->wire.wired && device->config.mode == BH_MODE_TIMED && !device_goes_on(device);
}

struct stops {
    bool before[DEVICE_TILES]; /* the exchange: errors of their own */
};

static void note_stops(const struct bh_device *device, struct stops *stops)
{
    *stops = (struct stops){{false}};
    for (unsigned index = 0; device->stopped && index < DEVICE_TILES; index++) {
        stops->before[index] = is_stopped(device, index);
    }
}

static void put_stops_off(struct bh_device *device, const struct stops *stops)
{
    for (unsigned index = 0; index < DEVICE_TILES; index++) {
        if (is_stopped(device, index) && !stops->before[index]) {
            diagnostics_of(device, index)->stopped = false;
            device->stops_late[index / 64] |= UINT64_C(1) << index % 64;
            device->stopped = true;
        }
    }
}

void device_stop_late_ones(struct bh_device *device)
{
    for (unsigned index = 0; index < DEVICE_TILES; index++) {
        struct diagnostics *diagnostics = diagnostics_of(device, index);
        if (diagnostics && device->stops_late[index / 64] >> index % 64 & 1) {
            diagnostics->stopped = true;
        }
    }
    memset(device->stops_late, 0, sizeof device->stops_late);
}

/* Delivers the diagnostics that an exchange has caused. */
static void deliver_exchanged(struct bh_device *device)
{
    for (unsigned i = device_next_tile(device->ready, 0); i < TENSIX_TILES;
         i = device_next_tile(device->ready, i + 1)) {
        struct tile *tile = &device->tiles[i];
        device_note_stop(device, &tile->state->diagnostics);
        if (tile->state->diagnostics.stopped && device->config.mode == BH_MODE_TIMED) {
            device_note_next_act(device, i); /* its turn, in which it is found to have nothing to run, is now */
        }
        if (tile->state->diagnostics.count) {
            device_deliver(device, &tile->state->diagnostics);
        }
    }
    for (uint64_t ready = device->ready_cores; ready; ready &= ready - 1) {
        device_note_stop(device, &device_core_tile(device, (unsigned)__builtin_ctzll(ready))->diagnostics);
    }
}

/* The same, if there may be any, and those of tiles that have none of their own. */
static void deliver_told(struct bh_device *device)
{
    if (device->network.told) {
        device->network.told = false;
        deliver_exchanged(device);
    }
    device_deliver_others(device);
}

/* Timed mode: what comes to tiles that were stopped, which do not take it themselves. */
static void deliver_to_stopped(struct bh_device *device)
{
    for (unsigned i = device_next_tile(device->ready, 0); i < TENSIX_TILES;
         i = device_next_tile(device->ready, i + 1)) {
        struct noc_inbox *inbox = device->tiles[i].inbox;
        while (device->states[i].diagnostics.stopped && inbox && inbox_next(inbox) <= device->clock) {
            inbox_deliver(inbox);
        }
    }
}

bool device_exchange(struct bh_device *device)
{
    const bool puts_off = puts_stops_off(device);
    struct stops stops;
    observers_set_clock(device);
    device->exchanging = true;
    if ((device->any_dead || device->stopped) && device->config.mode == BH_MODE_TIMED) {
        deliver_to_stopped(device);
    }
    if (puts_off) {
        note_stops(device, &stops);
    }
    unsigned carried = network_exchange(&device->network, device->clock);
    for (unsigned channel = 0; channel < DRAM_CHANNELS; channel++) {
        network_book_copies(&device->network, channel, device->clock);
    }
    device->exchanging = false;
    device->exchanged = carried != 0;
    if (carried == 0) {
        return false;
    }
    device->noc_busy_until = device->clock + NOC_QUIET;
    device->worked_at = device->clock;
    if (device->network.told && puts_off) {
        put_stops_off(device, &stops);
    }
    deliver_told(device);
    return true;
}

void device_note_carried(struct bh_device *device, uint64_t clock)
{
    device->noc_busy_until = clock + NOC_QUIET;
    deliver_told(device);
}
