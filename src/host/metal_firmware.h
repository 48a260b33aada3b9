/* tt-metal's firmware on a Tensix tile: five ELFs, one for each core, uploaded and started as tt-metal's host does it.
   B leaves reset alone, and lets the others go itself; when all have started, the tile's go message says DONE, and the
   firmware waits for launches (host/metal_launch.h).
   Sources: chapter "firmware upload"; tt-metal risc_firmware_initializer.cpp, llrt.cpp. */
#ifndef BHEMU_HOST_METAL_FIRMWARE_H
#define BHEMU_HOST_METAL_FIRMWARE_H

#include "host/metal_tables.h"

#include "bhemu/error.h"

struct metal_firmware {
    const char *paths[BH_CORE_COUNT];
    struct metal_layout layout;
    unsigned dram_banks, l1_banks; /* that it was made for */
    struct metal_board board;
};

/* Looks at the five programs. Refuses what is not for this board, and what is no firmware of a version that is known,
   unless a layout is given: what that says of entry points is not used. */
enum bh_status metal_firmware_open(struct metal_firmware *firmware, const char *const paths[BH_CORE_COUNT],
                                   const struct metal_layout *given, enum bh_board board, struct bh_error *error);

/* Uploads it to one tile with all that it wants to know, and takes B out of reset. */
enum bh_status metal_firmware_boot(const struct metal_firmware *firmware, struct bh_device *device, unsigned x,
                                   unsigned y, struct bh_error *error);

/* The signal of the tile's go message: an enum metal_signal, if firmware and host keep to it. */
uint8_t metal_signal(const struct metal_firmware *firmware, struct bh_device *device, unsigned x, unsigned y);

/* "go message GO; NC DONE at 0x5480, ..." for people. Returns buffer. */
const char *metal_state(const struct metal_firmware *firmware, struct bh_device *device, unsigned x, unsigned y,
                        char *buffer, unsigned size);

#endif
