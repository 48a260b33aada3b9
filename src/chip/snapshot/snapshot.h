/* Snapshots in memory: include/bhemu/snapshot.h. Files of them: host/snapshot_file.c. */
#ifndef BHEMU_CHIP_SNAPSHOT_SNAPSHOT_H
#define BHEMU_CHIP_SNAPSHOT_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include "bhemu/snapshot.h"

struct bh_snapshot {
    uint64_t clock;
    size_t size;
    uint8_t *bytes; /* as chip/snapshot/archive.h has them */
};

/* Loads bytes that may be wrong: then *why says what is, and the device is as before. */
enum bh_status snapshot_load(struct bh_device *device, const uint8_t *bytes, size_t size, const char **why);

#endif
