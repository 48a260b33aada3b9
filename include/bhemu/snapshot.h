/* Snapshots of a whole device: in memory, for debuggers that go back, or as files. A device that a snapshot was
   restored to runs on as the one that it was taken of: the same bits, clocks and diagnostics. docs/snapshots.md says
   what is in a file.

   The device that restores has to be the same board, with the same tiles, in the same mode. Engine, host threads,
   policy, callbacks and observers are its own: what a snapshot has of the device is what a program can see. Observers
   are told of what happens from then on; do not use a checker then (bhemu/check.h). Take and restore snapshots
   between calls of device.h, not from callbacks. */
#ifndef BHEMU_SNAPSHOT_H
#define BHEMU_SNAPSHOT_H

#include <stddef.h>

#include "bhemu/device.h"
#include "bhemu/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bh_snapshot;

/* Copies the state of a device, whose size is that of memory that is not zero. BH_ERROR_MEMORY: there is no room for
   it; BH_ERROR_ARGUMENT: a null pointer. */
BH_API enum bh_status bh_snapshot_take(struct bh_device *device, struct bh_snapshot **snapshot);

/* Gives the state back, to the same device or to one like it, as often as wanted. BH_ERROR_ARGUMENT: it is another
   board, or in another mode, and is as before; BH_ERROR_MEMORY: there is no room for it, and the device is half of it.
   error may be null. */
BH_API enum bh_status bh_snapshot_restore(struct bh_device *device, const struct bh_snapshot *snapshot,
                                          struct bh_error *error);
BH_API void bh_snapshot_free(struct bh_snapshot *snapshot);

/* The device's clock when it was taken, and the bytes of the host's memory that it takes. */
BH_API uint64_t bh_snapshot_clock(const struct bh_snapshot *snapshot);
BH_API size_t bh_snapshot_size(const struct bh_snapshot *snapshot);

/* The same with files, which are compressed. A file is written as a whole or not at all. One that is truncated or
   altered, of another version of the format, of another board or in another mode is refused with BH_ERROR_FORMAT, and
   *error says why; the device is as before. error may be null. */
BH_API enum bh_status bh_save(struct bh_device *device, const char *path, struct bh_error *error);
BH_API enum bh_status bh_restore(struct bh_device *device, const char *path, struct bh_error *error);

#ifdef __cplusplus
}
#endif
#endif
