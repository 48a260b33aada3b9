/* What the files behind include/bhemu/device.h share: the device itself. */
#ifndef BHEMU_CHIP_DEVICE_STATE_H
#define BHEMU_CHIP_DEVICE_STATE_H

#include "bhemu/device.h"
#include "chip/absent.h"
#include "chip/arc/arc.h"
#include "chip/board.h"
#include "chip/dram.h"
#include "chip/ethernet/ethernet.h"
#include "chip/observers.h"
#include "chip/pcie/pcie.h"
#include "chip/pool.h"
#include "chip/ports.h"
#include "noc/network.h"
#include "noc/translation.h"
#include "rv32/translator.h"
#include "tile/tile.h"

enum { DEVICE_BITMAP_WORDS = (TENSIX_TILES + 63) / 64 };

/* Tiles that run programs: Tensix tiles, then Ethernet tiles by their channels. */
enum { DEVICE_TILES = TENSIX_TILES + ETHERNET_TILES };

enum { DEVICE_TOLD = 8 };

struct bh_device {
    struct bh_device_config config;
    struct board board;
    struct noc_translation translation;
    struct tile_state *states;             /* of all tiles, lazily mapped */
    uint8_t *code_rooms;                   /* the same for what the tiles predecode: Tensix, then Ethernet tiles */
    uint8_t *vector_rooms;                 /* the same for what Tensix tiles translate */
    uint64_t ready[DEVICE_BITMAP_WORDS];   /* tiles that somebody has reached; the others are all zeroes */
    uint16_t ready_ethernet;               /* the same for Ethernet tiles */
    uint64_t active[DEVICE_BITMAP_WORDS];  /* tiles that may have something to run */
    uint64_t known[DEVICE_BITMAP_WORDS];   /* tiles that had after their last turn, untouched but for L1 since then */
    uint64_t resting[DEVICE_BITMAP_WORDS]; /* those of them that need not run until somebody wakes them */
    unsigned resting_cores;                /* that go round meanwhile, on all of them */
    uint64_t ran;                          /* cycles that the tiles had to run so far */
    uint64_t rested_at[TENSIX_TILES];      /* of `ran`, when each that rests was last run */
    bool stopped;                          /* a diagnostic stopped a tile */
    uint32_t told[DEVICE_TOLD];            /* hashes of the warnings that a device gives but once; 0: free */
    uint64_t clock;
    uint64_t quantum; /* of the quantum that is open (chip/quantum.h): how long it is to be, */
    uint64_t lag;     /* and how much of it has passed on the clock, but not in the tiles */
    uint64_t early;   /* but for those that somebody has reached since then: the work that they have done in it, */
    bool early_stop;  /* whether one of them was stopped, */
    uint16_t ahead[DEVICE_TILES]; /* and how many cycles of it each of them has run */
    bool attended;                /* the host may look before it ends, */
    uint32_t tile_quantum;        /* the longest of a tile in it */
    uint64_t looked_at;           /* and has, at this clock, at a tile that had much to run */
    bool blocked;                 /* in the last one nothing got on, and nobody wrote since then: nothing will */
    uint32_t pace; /* work a cycle in the last one: instructions of RISC-V, and as many as took about as long */
    uint64_t written_at[DEVICE_TILES]; /* the clock when the host last wrote to each tile, */
    uint64_t host_wrote_at;            /* and to any */
    uint64_t busy_until;               /* the clock when the last tile so far ran out of things to run */
    uint64_t noc_busy_until;
    uint64_t reset_at; /* the clock when the firmware resets the chip; 0: it was not asked to */
    bool exchanging;   /* requests are being carried, so that outboxes must stay */
    struct pool *pool; /* null: one thread */
    struct observers observers;
    struct rv32_translator translator;
    struct ethernet *ethernet; /* all of them, lazily mapped; only those that are there are connected */
    struct dram dram;
    struct pcie pcie; /* ends with what is only used for diagnostics */
    struct network network;
    struct ports ports;
    struct tile tiles[TENSIX_TILES];
    struct absent absent;
    struct arc arc;
};

/* Whether the Ethernet tile of a channel is there. */
static inline bool device_has_ethernet(const struct bh_device *device, unsigned channel)
{
    return device->board.all_ethernet >> channel & 1;
}

/* A device of zeroes, connected with the room for its tiles. Null: there is no memory. */
struct bh_device *device_map(void);
void device_unmap(struct bh_device *device);

/* Reset a tile, which costs memory and time: called when somebody first reaches it (struct network). Only tiles that
   are ready may be looked at by other ways. */
void device_prepare_tensix(struct bh_device *device, unsigned index);
void device_prepare_ethernet(struct bh_device *device, struct ethernet *ethernet);

static inline bool device_ethernet_ready(const struct bh_device *device, unsigned channel)
{
    return device->ready_ethernet >> channel & 1;
}

/* Called while no core runs. */
void device_make_room_for_translations(struct bh_device *device);

/* The host is about to look at a tile, one of DEVICE_TILES, or to change it (chip/quantum.h). */
void device_show(struct bh_device *device, unsigned index);
void device_reach(struct bh_device *device, unsigned index);

/* The clock up to which a tile has run. */
static inline uint64_t device_tile_clock(const struct bh_device *device, unsigned index)
{
    return device->clock - device->lag + device->ahead[index];
}

/* A tile that has come to rest, as of `ran`, one whose cores somebody looks at, and one that is to run again: whoever
   touches it says so before. */
void device_rest(struct bh_device *device, unsigned index, uint64_t ran);
void device_show_resting(struct bh_device *device, unsigned index);
void device_show_all_resting(struct bh_device *device);
void device_wake(struct bh_device *device, unsigned index);

static inline bool device_rests(const struct bh_device *device, unsigned index)
{
    return device->resting[index / 64] >> index % 64 & 1;
}

/* Somebody outside looks at or changes more of a tile than its L1. */
static inline void device_touch(struct bh_device *device, unsigned index)
{
    device->known[index / 64] &= ~(UINT64_C(1) << index % 64);
}

/* Hands what was found to the user. */
void device_deliver(struct bh_device *device, struct diagnostics *diagnostics);

/* The same for the tiles that are not Tensix tiles. */
void device_deliver_others(struct bh_device *device);

/* Everything as after power-on, but the clock and the flash; memory is lost. */
void device_reset(struct bh_device *device);

/* Does so if the firmware was asked to, and the time has come. */
static inline void device_reset_if_due(struct bh_device *device)
{
    if (__builtin_expect(device->reset_at && device->clock >= device->reset_at, 0)) {
        device_reset(device);
    }
}

/* What the firmware of the ARC tile does to the chip: struct arc_chip. */
struct arc_chip device_arc_chip(struct bh_device *device);

/* Connects the PCIe tile and the NoC; the other tiles are there once somebody reaches them. */
void device_create_tiles(struct bh_device *device);
void device_forget_tiles(struct bh_device *device);

/* What a Tensix tile has predecoded and translated is forgotten, and so is its state but for L1. */
void device_forget_tensix(struct bh_device *device, unsigned index);

/* What the PCIe tile reaches: struct pcie_bus. */
struct pcie_bus device_pcie_bus(struct bh_device *device);

#endif
