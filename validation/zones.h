/* What the zones of tt-metal's kernels for its estimator of transfers have in common: registers, places, and how its
   API for data movement starts and counts packets. */
#ifndef BHEMU_VALIDATION_ZONES_H
#define BHEMU_VALIDATION_ZONES_H

#include <stdbool.h>

#include "validation/transfers.h"

enum { ZONE_CODE = 0x8000, ZONE_FROM = 0x20000, ZONE_TO = 0x60000, ZONE_TIMES = 0x150000 };
enum { COUNTERS = 0xFFB00040u, WALL_CLOCK = 0xFFB121F0u }; /* COUNTERS: where the core counts what it has started */
enum { GRID_WIDTH = 11, GRID_HEIGHT = 10, GRID = GRID_WIDTH * GRID_HEIGHT, MOST_TILES = 130 };

/* Registers besides those of transfers.h. */
enum { COMMAND = A0, CONTROL = A1, ONE = A2, COUNTER = A3, MARK = A4, ZONE_NAME = S1, MIDDLE = S7 };

struct pattern {
    bool reads, stateful, broadcasts;
    unsigned noc;
    uint32_t control;
    unsigned bytes, each; /* packets to or from each peer */
    unsigned answers;     /* to each packet */
    unsigned senders, peers;
    struct place sender[MOST_TILES];
    uint32_t peer[MOST_TILES]; /* as NOC_RET_ADDR_HI or NOC_TARG_ADDR_HI says it */
};

uint32_t at_place(struct place place);

/* A tile of the grid. */
struct place grid_tile(unsigned column, unsigned row);

/* The registers, and those of the initiator that no packet changes, as firmware leaves them. */
void emit_setup(struct program *program, const struct pattern *pattern, struct place here);

/* Waits until the initiator takes a packet. */
void emit_ready(struct program *program);

/* A packet to or from the tile THERE; MIDDLE is the middle of its address. */
void emit_packet(struct program *program, const struct pattern *pattern);

/* Begin or end of a zone: the profiler writes its name and the high part of the clock to L1, then the low part: here it
   is at ZONE_TIMES + 4, and + 12. */
void emit_mark(struct program *program);

#endif
