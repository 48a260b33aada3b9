/* The parts of a device, each of which saves and loads its own state (chip/snapshot/archive.h). What is not saved is
   made anew: pointers between rooms, predecoded and translated code, caches. */
#ifndef BHEMU_CHIP_SNAPSHOT_PARTS_H
#define BHEMU_CHIP_SNAPSHOT_PARTS_H

#include "chip/device_state.h"
#include "chip/snapshot/archive.h"

/* A tile that is connected. Its memory has to be zero before it is loaded, but for what connecting it writes. */
void archive_tensix(struct archive *archive, struct bh_device *device, unsigned index);
void archive_ethernet(struct archive *archive, struct ethernet *ethernet);
void archive_dram_tile(struct archive *archive, struct dram_tile *tile);

/* What is under way in timed mode, when all tiles are connected. */
void archive_traffic(struct archive *archive, struct network *network);

/* What is on its way over its links. */
void archive_wire(struct archive *archive, struct wire *wire);

/* All of the device. A device that is loaded loses what it had. */
void archive_device(struct archive *archive, struct bh_device *device);

#endif
