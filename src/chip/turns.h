/* Turns of Tensix tiles in a quantum of the device: who has one, up to which cycle, and what came of it. Tiles do not
   see each other in turns that turns_run() runs together, so that it does not matter which thread runs which tile, or
   when; results are noted in the order of the tiles' numbers. */
#ifndef BHEMU_CHIP_TURNS_H
#define BHEMU_CHIP_TURNS_H

#include "chip/device_state.h"

/* A tile's turn, from one cycle of the quantum to another, and its result. */
struct turn {
    uint8_t tile;
    uint16_t begin, end;
    uint16_t step; /* it ends after a multiple of so many cycles in which its tile has started a request; 0: at `end` */
    bool noted;    /* has requests or diagnostics */
    bool rests;
    uint32_t requests;     /* that it has started */
    struct tile_turn came; /* result of the turn */
};

/* Turns of a quantum of the active tiles, or of a part of it. */
struct turns {
    struct bh_device *device;
    uint64_t start; /* of the quantum */
    bool skipping;  /* some tile is left out, since nothing would happen in its turn */
    unsigned count;
    struct turn turn[TENSIX_TILES];
};

/* Result of a quantum. */
struct outcome {
    bool running, blocked, stopped;
};

/* A tile that an error has stopped has nothing to run, unless it stops the device. */
static inline enum tile_progress progress_for_device(const struct bh_device *device, enum tile_progress progress)
{
    return progress == TILE_STOPPED && device_goes_on(device) ? TILE_IDLE : progress;
}

void outcome_add(struct outcome *outcome, enum tile_progress progress);
enum tile_progress outcome_progress(const struct outcome *outcome);

/* No turns; adds one, which is empty if it ends where it begins. */
void turns_begin(struct turns *turns, struct bh_device *device);
void turns_add(struct turns *turns, unsigned tile, uint16_t begin, uint16_t end);

/* Runs a turn; all turns, on all host threads: `cycles` is how long most of them are. */
void turn_run(struct bh_device *device, uint64_t start, struct turn *turn);
void turns_run(struct turns *turns, uint64_t cycles);

/* Makes the result of a turn visible outside the tile. */
void turn_note(struct bh_device *device, const struct turn *turn, struct outcome *outcome);

/* What a turn has executed, in instructions of a core or what takes as long. */
uint64_t turn_work(const struct turn *turn);

/* Cycles since the host last wrote to a tile, at a cycle of the quantum that began at `start`. */
uint64_t turn_quiet(const struct bh_device *device, unsigned index, uint64_t clock);

#endif
