/* Files of snapshots: a header, then the device's bytes (chip/snapshot/archive.h) and those of the job that ran on it,
   compressed by zstd as one frame. Numbers are little-endian. Header, by offsets:
     0 "bhemusnp"   8 version (4 bytes)   12 layout of the device's state (4 bytes: struct snapshot_layout)
     16 bytes of the device   24 bytes of the job   32 bytes of the frame   40 hash of the header before it, and the
   frame Whatever bit is altered, something of that does not fit. */
#ifndef BHEMU_HOST_SNAPSHOT_FILE_H
#define BHEMU_HOST_SNAPSHOT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "bhemu/error.h"

/* What is in a file. */
struct snapshot_content {
    uint8_t *bytes; /* malloc'ed: of the device, then of the job */
    size_t device, job;
};

enum bh_status snapshot_file_read(const char *path, struct snapshot_content *content, struct bh_error *error);

/* The device and so many bytes of the job that runs on it. */
enum bh_status snapshot_file_write(const char *path, struct bh_device *device, const void *job, size_t size,
                                   struct bh_error *error);

/* Gives a device what was read. */
enum bh_status snapshot_content_restore(const struct snapshot_content *content, const char *path,
                                        struct bh_device *device, struct bh_error *error);

#endif
