/* tt-metal's firmware as it is seen on a tile, for those who have not loaded it: which launch it is at, and which of
   its kernels have not ended. Recognised by its entry points; needs nothing but the device. */
#ifndef BHEMU_HOST_METAL_SEEN_H
#define BHEMU_HOST_METAL_SEEN_H

#include <stdbool.h>

#include "host/metal_layout.h"

struct bh_device;

struct metal_seen {
    const struct metal_layout *layout;
    uint8_t signal;                 /* of the go message that counts: enum metal_signal */
    uint8_t run[BH_CORE_COUNT];     /* enum metal_run, of all but B */
    uint32_t entry;                 /* of the ring of launch messages */
    uint32_t id, enables;           /* host_assigned_id and enables of that launch message */
    uint32_t kernel[BH_CORE_COUNT]; /* where each core's kernel is */
};

/* false: the tile has no firmware that is known. Changes nothing. */
bool metal_see(struct bh_device *device, unsigned x, unsigned y, struct metal_seen *seen);

/* Whether a launch has begun and not ended. */
bool metal_is_busy(const struct metal_seen *seen);

/* "launch message 0, id 7: go message GO; kernels not ended: T0 at 0x8ab0, ..."; the same on tiles that are the same.
 */
void metal_describe(const struct metal_seen *seen, char *buffer, unsigned size);

#endif
