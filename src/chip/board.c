#include "chip/board.h"

#include <string.h>

enum bundle {
#define FIRMWARE_BUNDLE(name, ...) name,
#include "arc_firmware.def"
#undef FIRMWARE_BUNDLE
};

static const struct firmware_bundle bundles[] = {
#define FIRMWARE_BUNDLE(name, ...) [name] = {__VA_ARGS__},
#include "arc_firmware.def"
#undef FIRMWARE_BUNDLE
};

/* The two last columns of the die and DRAM channel 3 are harvested as in the cluster descriptors of tt-umd. A firmware
   bundle from 19.5 on expects two harvested columns on each of the two boards. */
static const struct board boards[BH_BOARDS] = {
    [BH_BOARD_FULL] =
        {"full", {ALL_TENSIX_COLUMNS, 0x0fff, ALL_DRAM}, 0, {0x40000000001, 1, 0, 1}, {}, &bundles[V18_12_0]},
    [BH_BOARD_P100A] = {"p100a", {0x0fff, 0, 0xf7}, 0, {0x43000000001, 1, 0, 1}, {}, &bundles[V19_7_1]},
    [BH_BOARD_P150A] = {"p150a", {0x0fff, 0x3edf, ALL_DRAM}, 0, {0x40000000001, 1, 0, 1}, {}, &bundles[V19_7_1]},
};

struct board board_create(enum bh_board board, const struct bh_tiles *tiles)
{
    struct board created = boards[board];
    if (tiles) {
        created.tiles = (struct noc_tiles){tiles->tensix_columns, tiles->ethernet, tiles->dram};
    }
    /* The host never expects more than 12. */
    created.all_ethernet = board == BH_BOARD_FULL ? ALL_ETHERNET : created.tiles.ethernet;
    return created;
}

unsigned board_logical_channel(const struct board *board, unsigned channel)
{
    uint32_t there = board->tiles.ethernet, before = (1u << channel) - 1;
    return (unsigned)__builtin_popcount(there >> channel & 1 ? there & before : there | (~there & before));
}

unsigned board_channel(const struct board *board, unsigned logical)
{
    for (unsigned channel = 0; channel < BOARD_PORTS; channel++) {
        if (board->tiles.ethernet >> channel & 1 && board_logical_channel(board, channel) == logical) {
            return channel;
        }
    }
    return BOARD_PORTS;
}

enum bh_status bh_board_by_name(const char *name, enum bh_board *board, struct bh_tiles *tiles)
{
    for (unsigned i = 0; name && board && i < BH_BOARDS; i++) {
        if (!strcmp(name, boards[i].name)) {
            *board = (enum bh_board)i;
            if (tiles) {
                const struct noc_tiles *own = &boards[i].tiles;
                *tiles = (struct bh_tiles){own->tensix_columns, own->ethernet, own->dram};
            }
            return BH_OK;
        }
    }
    return BH_ERROR_ARGUMENT;
}
