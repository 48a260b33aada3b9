/* The device's side of tiles at rest (tile/rest.h). */
#include <string.h>

#include "chip/device_state.h"
#include "tile/timed.h"

void device_rest(struct bh_device *device, unsigned index, uint64_t ran)
{
    device->resting[index / 64] |= UINT64_C(1) << index % 64;
    device->resting_cores += rest_cores(&device->tiles[index].state->rest);
    device->rested_at[index] = ran;
}

/* Cycles that a tile at rest has skipped since somebody last looked at it. */
static uint64_t missed(struct bh_device *device, unsigned index)
{
    uint64_t now = device->ran + device->ahead[index], cycles = now - device->rested_at[index];
    device->rested_at[index] = now;
    clock_begin(&device->tiles[index].state->clock, device_tile_clock(device, index));
    return cycles;
}

void device_show_resting(struct bh_device *device, unsigned index)
{
    tile_show(&device->tiles[index], missed(device, index));
}

static void wake(struct bh_device *device, unsigned index)
{
    struct tile *tile = &device->tiles[index];
    device->resting[index / 64] &= ~(UINT64_C(1) << index % 64);
    device->resting_cores -= rest_cores(&tile->state->rest);
    tile_wake(tile, missed(device, index));
}

void device_wake(struct bh_device *device, unsigned index)
{
    struct tile_state *state = device->tiles[index].state;
    if (device_rests(device, index)) {
        wake(device, index);
        memset(state->polled, 0, sizeof state->polled); /* no longer valid */
    } else if (state->clock.timed) {                    /* it may have been left out of quanta */
        clock_begin(&state->clock, device_tile_clock(device, index));
        tile_rouse(&device->tiles[index]);
        device_note_next_act(device, index);
    }
}

void device_show_all_resting(struct bh_device *device)
{
    for (unsigned index = 0; index < TENSIX_TILES; index++) {
        if (device_rests(device, index)) {
            device_show(device, index);
            device_show_resting(device, index);
        }
    }
}
