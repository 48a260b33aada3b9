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

/* A chip as others see it: what firmware of Ethernet tiles exchanges with the tile at the other end of a link. */
struct board_chip {
    uint64_t board_id; /* bits 55:36 are the kind of board, the rest is a serial number */
    uint64_t asic_id;
    uint8_t asic_location; /* which of the board's chips it is */
    uint8_t pcie_usage;
};

/* Where the link of an Ethernet channel leads. */
struct board_port {
    bool linked;
    uint8_t channel, logical; /* of the other chip: the tile on its die, and among those that are there */
    unsigned number;          /* of the other chip in the system */
    struct board_chip chip;
};

enum { BOARD_PORTS = 14 };

struct board {
    const char *name;
    struct noc_tiles tiles;
    uint16_t all_ethernet; /* Ethernet tiles that can be reached, also those that firmware does not report */
    struct board_chip chip;
    struct board_port port[BOARD_PORTS]; /* by channel */
    const struct firmware_bundle *firmware;
};

/* The number of an Ethernet tile among those that are there; tiles that are not there come behind them. And the tile
   with such a number; BOARD_PORTS: there is none. */
unsigned board_logical_channel(const struct board *board, unsigned channel);
unsigned board_channel(const struct board *board, unsigned logical);

/* A board by its number, with other tiles than its own if `tiles` is not null. */
struct board board_create(enum bh_board board, const struct bh_tiles *tiles);

#endif
