/* The registers of a Tensix tile that belong to no unit: soft reset and reset PCs, mailboxes, PCBufs, overlay streams. */
#ifndef BHEMU_TILE_REGISTERS_H
#define BHEMU_TILE_REGISTERS_H

#include <stdint.h>

struct tile_registers {
    uint32_t soft_reset;
};

#endif
