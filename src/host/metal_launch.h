/* Launching kernels on a tile whose firmware is ready (host/metal_firmware.h). What they are given lies in the kernel
   configuration, behind the memory that is reserved: unique arguments of each core, then common ones, semaphores,
   circular buffers, and the kernels themselves. A launch message says where, a go message lets B read it; B starts the
   other cores, and the go message says DONE when all are.

   Launched by the host, a tile's firmware keeps to the first launch message. Launched as by a dispatcher on the device,
   it takes the next one of the ring each time, clears what it took, and tells the dispatcher, here the tile itself.
   Sources: chapters "firmware upload", "circular buffers"; tt-metal program.cpp, dispatch.cpp (order and alignment),
   firmware_common.h. */
#ifndef BHEMU_HOST_METAL_LAUNCH_H
#define BHEMU_HOST_METAL_LAUNCH_H

#include "host/metal_firmware.h"

struct metal_words {
    const uint32_t *values;
    unsigned count;
};

/* A circular buffer in L1. */
struct metal_buffer {
    uint32_t index, address, pages, page; /* page: bytes of one */
};

struct metal_program {
    const char *kernels[BH_CORE_COUNT]; /* null: nothing runs there */
    struct metal_words unique[BH_CORE_COUNT], common[BH_CORE_COUNT];
    struct metal_words semaphores; /* what they begin with */
    const struct metal_buffer *buffers;
    unsigned buffers_count;
    unsigned noc; /* that B's kernel was compiled for */
    bool by_device;
};

struct metal_launch {
    uint8_t *config; /* malloc'ed; what lies at the layout's end */
    uint32_t config_size;
    uint8_t message[METAL_MESSAGE_BYTES];
    uint32_t linked[BH_CORE_COUNT], placed[BH_CORE_COUNT]; /* addresses of kernels */
    uint32_t sizes[BH_CORE_COUNT];                         /* of their images; 0: there is none */
};

/* Refuses kernels for some of T0, T1 and T2 only, kernels that can not be moved to where they are to run, and buffers
   that lie in the way or outside L1. Call metal_launch_free() afterwards, also after a failure. */
enum bh_status metal_launch_make(const struct metal_firmware *firmware, const struct metal_program *program,
                                 struct metal_launch *launch, struct bh_error *error);
void metal_launch_free(struct metal_launch *launch);

/* Writes it to a tile, whose firmware takes launch message `entry` next. */
enum bh_status metal_launch_write(const struct metal_firmware *firmware, const struct metal_launch *launch,
                                  struct bh_device *device, unsigned x, unsigned y, unsigned entry);

/* Starts what was written. */
enum bh_status metal_launch_go(const struct metal_firmware *firmware, struct bh_device *device, unsigned x, unsigned y);

#endif
