/* Boards: which tiles of the chip are there, and what its firmware says of it. Sources: tt-umd
   cluster_descriptor_types.hpp (numbers of boards) and its cluster descriptors (what is harvested); ttsim (`full`). */
#ifndef BHEMU_CHIP_BOARD_H
#define BHEMU_CHIP_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "noc/translation.h"

/* A bundle of firmware, as FIRMWARE_BUNDLE of tables/arc_firmware.def describes it. */
struct firmware_bundle {
    uint32_t bundle;
    uint8_t tags, entries;
    uint32_t smc, dmc, ethernet, gddr;
    bool tells_ethernet, tests_gddr;
};

struct board {
    const char *name;
    struct noc_tiles tiles;
    uint16_t all_ethernet; /* Ethernet tiles that can be reached, also those that firmware does not report */
    uint64_t id;           /* bits 55:36 are the kind of board, the rest is a serial number */
    const struct firmware_bundle *firmware;
};

/* A board by its number, with other tiles than its own if `tiles` is not null. */
struct board board_create(enum bh_board board, const struct bh_tiles *tiles);

#endif
