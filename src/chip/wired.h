/* A chip of a system (system/system.h): what comes over its links, and how it runs in epochs with the others. Only the
   system lets it run; everything else is done to it as to any device. */
#ifndef BHEMU_CHIP_WIRED_H
#define BHEMU_CHIP_WIRED_H

#include "chip/device_state.h"

/* A chip and its place in the system. */
struct wired_place {
    unsigned chip, chips;               /* its number, and how many there are */
    struct board_chip as;               /* what its firmware says of it */
    uint32_t latency;                   /* of links, in cycles */
    struct rv32_translator *translator; /* of all chips of the process */
    struct board_port port[BOARD_PORTS];
};

/* As bh_device_create(). place may be null: in no system. */
enum bh_status wired_create(const struct bh_device_config *config, const struct wired_place *place,
                            struct bh_device **device);

/* Delivers what has arrived by the device's clock; returns whether anything has. */
bool wired_receive(struct bh_device *device);

/* Plugs the cable of a channel in or out, at this end. */
void wired_plug(struct bh_device *device, unsigned channel, bool in);

/* As bh_advance(), but deadlocks are not told of: what arrives later may end them. Not beyond the horizon. When an
   error stops a tile of a device that is to stop then, all others run on. */
enum bh_run_reason wired_advance(struct bh_device *device, uint64_t cycles);

/* Whether every core that runs spins in a loop; finding out takes the chip some cycles. Adds instructions to *result.
 */
bool wired_spins(struct bh_device *device, struct bh_run_result *result);

/* As bh_run() does for a host that does not look meanwhile; the clock is that much later in any case. Adds
   instructions to *result. */
enum bh_run_reason wired_run(struct bh_device *device, uint64_t cycles, struct bh_run_result *result);

#endif
