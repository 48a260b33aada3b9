/* Tiles at rest, as the device has them: tile/rest.h. */
#include <string.h>

#include "chip/device_state.h"

void device_rest(struct bh_device *device, unsigned index, uint64_t ran)
{
    device->resting[index / 64] |= UINT64_C(1) << index % 64;
    device->resting_cores += rest_cores(&device->tiles[index].state->rest);
    device->rested_at[index] = ran;
}

static void wake(struct bh_device *device, unsigned index)
{
    struct tile *tile = &device->tiles[index];
    device->resting[index / 64] &= ~(UINT64_C(1) << index % 64);
    device->resting_cores -= rest_cores(&tile->state->rest);
    tile->state->clock = device->clock;
    tile_wake(tile, device->ran + device->lag - device->rested_at[index]);
    device->ahead[index] = (uint16_t)device->lag;
}

void device_wake(struct bh_device *device, unsigned index)
{
    struct tile_state *state = device->tiles[index].state;
    if (device_rests(device, index)) {
        wake(device, index);
        memset(state->polled, 0, sizeof state->polled); /* may not be true any more */
    }
}

void device_wake_all(struct bh_device *device)
{
    for (unsigned index = 0; index < TENSIX_TILES; index++) {
        if (device_rests(device, index)) {
            wake(device, index);
        }
    }
}
