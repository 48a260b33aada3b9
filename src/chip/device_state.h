/* What the files behind include/bhemu/device.h share: the device itself. */
#ifndef BHEMU_CHIP_DEVICE_STATE_H
#define BHEMU_CHIP_DEVICE_STATE_H

#include "bhemu/device.h"
#include "chip/absent.h"
#include "chip/arc/arc.h"
#include "chip/board.h"
#include "chip/dram/dram.h"
#include "chip/dram/dram_tile.h"
#include "chip/ethernet/ethernet.h"
#include "chip/observers.h"
#include "chip/pcie/pcie.h"
#include "chip/pool.h"
#include "chip/ports.h"
#include "chip/visitor.h"
#include "noc/network.h"
#include "noc/translation.h"
#include "rv32/translator.h"
#include "tile/tile.h"
#include "tile/timed.h"

enum { DEVICE_BITMAP_WORDS = (TENSIX_TILES + 63) / 64 };

/* Tiles that run programs: Tensix tiles, Ethernet tiles by their channels, and DRAM tiles in the order of struct ports.
   The last two have cores but no coprocessor. */
enum { CORE_TILES = ETHERNET_TILES + DRAM_TILES, DEVICE_TILES = TENSIX_TILES + CORE_TILES };

enum { DEVICE_TOLD = 8 };

struct device_remote;

struct bh_device {
    struct bh_device_config config;
    const struct device_remote *remote; /* null: the chip is in this process (chip/remote.h) */
    struct board board;
    struct noc_translation translation;
    struct tile_state *states;            /* of all tiles, lazily mapped */
    uint8_t *code_rooms;                  /* the same for predecoded instructions: by DEVICE_TILES */
    uint8_t *code_buffers;                /* the same for generated code of vector instructions, of Tensix tiles */
    uint64_t ready[DEVICE_BITMAP_WORDS];  /* tiles that were reached before; the memory of others is all zeroes */
    uint64_t ready_cores;                 /* the same for CORE_TILES; of a DRAM tile its core */
    uint64_t active[DEVICE_BITMAP_WORDS]; /* tiles that may have something to run */
    uint64_t known[DEVICE_BITMAP_WORDS];  /* active after their last turn, and untouched but for L1 since then */
    uint8_t series[TENSIX_TILES];         /* functional mode: quanta for which each tile is in series (chip/series.h) */
    uint64_t requested[DEVICE_BITMAP_WORDS]; /* tiles that have started requests in this quantum */
    uint64_t touched[DEVICE_BITMAP_WORDS]; /* tiles to which somebody has written over a NoC since they were last run */
    uint64_t next_act[TENSIX_TILES];       /* timed mode: device_note_next_act() */
    uint64_t resting[DEVICE_BITMAP_WORDS]; /* at rest (tile/rest.h): they need not run before somebody wakes them */
    unsigned resting_cores;                /* cores of these tiles that poll meanwhile */
    uint64_t ran;                          /* cycles of all quanta so far */
    uint64_t rested_at[TENSIX_TILES];      /* value of `ran` when each tile at rest was last run */
    bool stopped;                          /* a diagnostic stopped a tile, and so the device */
    bool any_dead;                         /* one stopped a tile, and the device goes on */
    uint64_t stops_late[(DEVICE_TILES + 63) / 64]; /* tiles with errors that run on to the end of the system's epoch */
    uint32_t resets;                               /* of tiles and of the device, so far */
    uint32_t told[DEVICE_TOLD];                    /* hashes of warnings that a device gives only once; 0: free */
    uint64_t clock;
    uint64_t quantum;             /* length of the quantum that is open (chip/quantum.h) */
    uint64_t lag;                 /* cycles of it that have passed on the clock, but not in the tiles ... */
    uint64_t early;               /* ... except tiles that were reached early: the work that they have done in it, */
    bool early_stop;              /* whether one of them was stopped, */
    uint16_t ahead[DEVICE_TILES]; /* and how many of its cycles each tile has run */
    bool attended;                /* the host may look before the quantum ends */
    uint32_t tile_quantum;        /* the longest quantum of a tile in it */
    uint64_t looked_at;           /* the clock when the host last looked at a tile that had much to run */
    bool blocked;  /* nothing could go on in the last quantum, and nobody has written since: a deadlock */
    uint32_t pace; /* work per cycle in the last quantum: RISC-V instructions, or what takes as long */
    uint64_t written_at[DEVICE_TILES]; /* the clock when the host last wrote to each tile, */
    uint64_t host_wrote_at;            /* and to any */
    uint64_t busy_until;               /* the latest clock at which a tile ran out of work */
    uint64_t noc_busy_until;
    uint64_t worked_at; /* timed mode: the clock when last a Tensix instruction executed or a request was carried out */
    uint64_t began_at;  /* the clock of its last reset */
    uint64_t reset_at;  /* when the firmware is to reset the chip; 0: no reset was asked for */
    bool exchanged;     /* requests were carried out where the last quantum ended */
    bool exchanging;    /* requests are being carried out: outboxes must not change */
    struct pool *pool;  /* null: one thread */
    struct observers observers;
    struct device_visitor *visitor;        /* the first; may be null */
    struct rv32_translator *translator;    /* that of its system, or */
    struct rv32_translator own_translator; /* its own */
    struct ethernet *ethernet;             /* all of them, lazily mapped; only those that are there are connected */
    struct dram_tile *dram_tiles;          /* the cores of DRAM tiles, the same */
    struct wire wire;                      /* of their links */
    uint64_t horizon;     /* of a chip of a system: the clock behind which no quantum goes; 0: it is in none */
    unsigned chip, chips; /* its number in the system, and how many there are; 0: it is in none */
    struct dram dram;
    struct network network;
    struct ports ports;
    struct tile tiles[TENSIX_TILES];
    struct pcie pcie; /* its last members are used for diagnostics only */
    struct absent absent;
    struct arc arc;
};

/* Whether a device only stands for a chip of another process (chip/remote.h). */
static inline bool device_is_remote(const struct bh_device *device)
{
    return device && __builtin_expect(device->remote != NULL, 0);
}

/* Whether the Ethernet tile of a channel is there. */
static inline bool device_has_ethernet(const struct bh_device *device, unsigned channel)
{
    return device->board.all_ethernet >> channel & 1;
}

/* Whether the board has the tile at (x, y) of NoC 0: there is one, and it is not left out. */
static inline bool device_has_tile(const struct bh_device *device, unsigned x, unsigned y)
{
    return noc_tile_kind(x, y) == TILE_ETHERNET ? device_has_ethernet(device, die_index(x))
                                                : noc_tile_present(&device->translation, x, y);
}

/* A device of zeroes, with the memory for its tiles. Null: there is no memory. */
struct bh_device *device_map(void);
void device_unmap(struct bh_device *device);

/* As bh_device_destroy(); a chip of a system, too. */
void device_destroy(struct bh_device *device);

/* Reset a tile, which costs memory and time: called when somebody first reaches it (struct network). Only tiles that
   are ready may be looked at by other ways. */
void device_prepare_tensix(struct bh_device *device, unsigned index);
void device_prepare_ethernet(struct bh_device *device, struct ethernet *ethernet);
void device_prepare_dram(struct bh_device *device, unsigned number);

/* One of CORE_TILES; whether it was reached before; and whether it has anything to run. */
static inline struct core_tile *device_core_tile(const struct bh_device *device, unsigned number)
{
    return number < ETHERNET_TILES ? &device->ethernet[number].tile : &device->dram_tiles[number - ETHERNET_TILES].tile;
}

static inline bool device_core_ready(const struct bh_device *device, unsigned number)
{
    return device->ready_cores >> number & 1;
}

bool device_core_tile_active(const struct bh_device *device, unsigned number);

static inline bool device_ethernet_ready(const struct bh_device *device, unsigned channel)
{
    return device_core_ready(device, channel);
}

/* Forgets all translations if their memory is full; a system does that for its chips. Call it while no core runs. */
void device_make_room_for_translations(struct bh_device *device);

/* The device's memory refers to no translation any more. */
void device_leave_translations(struct bh_device *device);

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

/* Whether the device goes on when an error stops a tile. */
static inline bool device_goes_on(const struct bh_device *device)
{
    return device->config.on_error == BH_ON_ERROR_REPORT;
}

/* Whether an error has stopped a tile of a device that goes on: it is as if it were not there. */
static inline bool device_is_dead(const struct bh_device *device, const struct diagnostics *diagnostics)
{
    return __builtin_expect(diagnostics->stopped, 0) && device_goes_on(device);
}

static inline bool device_tile_is_dead(const struct bh_device *device, unsigned index)
{
    return device_is_dead(device, &device->states[index].diagnostics);
}

/* Stops the device if the tile of these diagnostics was stopped, or remembers that it was. */
static inline void device_note_stop(struct bh_device *device, const struct diagnostics *diagnostics)
{
    device->any_dead |= device_is_dead(device, diagnostics);
    device->stopped |= diagnostics->stopped && !device_goes_on(device);
}

/* A tile, one of DEVICE_TILES, is reset. */
static inline void device_forget_stop(struct bh_device *device, unsigned index)
{
    device->stops_late[index / 64] &= ~(UINT64_C(1) << index % 64);
}

/* The latest clock at which a tile ran out of work, or in timed mode a packet was under way. */
uint64_t device_busy_until(const struct bh_device *device);

/* Timed mode: whether something is still to happen at a tile, for which others may poll or wait. */
bool device_anything_arrives(const struct bh_device *device);

/* Call this before somebody outside reads or changes more of a tile than its L1. */
static inline void device_touch(struct bh_device *device, unsigned index)
{
    device->known[index / 64] &= ~(UINT64_C(1) << index % 64);
    if (!device->states[index].doze.cores) {
        device->next_act[index] = 0;
    }
}

/* Timed mode: when anything next happens at a tile that is awake, unless somebody outside acts on it; 0: that is not
   known. Call this after anything that may have changed that. */
static inline void device_note_next_act(struct bh_device *device, unsigned index)
{
    const struct tile_state *state = &device->states[index];
    bool known = state->doze.cores || device->known[index / 64] >> index % 64 & 1;
    device->next_act[index] = known && !state->diagnostics.stopped ? tile_next_act(&device->tiles[index]) : 0;
}

/* Between two quanta; now: even if the visit is not due. Who only looks is not shown again what he has seen. */
static inline void device_visit(struct bh_device *device, bool now)
{
    for (struct device_visitor *visitor = device->visitor; __builtin_expect(visitor != NULL, 0);
         visitor = visitor->next) {
        bool repeats = device->observers.only && !visitor->acts;
        if ((now || device->clock >= visitor->due) && !repeats) {
            visitor->come(visitor->context);
            visitor->due = device->clock + visitor->interval;
        }
    }
}

/* Before a diagnostic is handed on. */
static inline void device_look(struct bh_device *device)
{
    for (struct device_visitor *visitor = device->visitor; visitor; visitor = visitor->next) {
        if (visitor->look) {
            visitor->look(visitor->context);
        }
    }
}

/* Hands the tile's diagnostics to the user. */
void device_deliver(struct bh_device *device, struct diagnostics *diagnostics);

/* The same for the tiles that are not Tensix tiles. */
void device_deliver_others(struct bh_device *device);

/* Everything as after power-on, but the clock and the flash; memory is lost. */
void device_reset(struct bh_device *device);

/* Resets a Tensix tile, which keeps only its L1, or one of CORE_TILES: of a DRAM tile its core. */
void device_reset_tensix(struct bh_device *device, unsigned index);
void device_reset_core_tile(struct bh_device *device, unsigned number);

/* Resets the device if the firmware was asked to and the time has come. */
static inline void device_reset_if_due(struct bh_device *device)
{
    if (__builtin_expect(device->reset_at && device->clock >= device->reset_at, 0)) {
        device_reset(device);
    }
}

/* What the firmware of the ARC tile does to the chip: struct arc_chip. */
struct arc_chip device_arc_chip(struct bh_device *device);

/* Connects the PCIe tile and the NoC; other tiles are connected when they are first reached. */
void device_create_tiles(struct bh_device *device);
void device_forget_tiles(struct bh_device *device);

/* Forgets a Tensix tile's predecoded and translated code, and its state except L1. */
void device_forget_tensix(struct bh_device *device, unsigned index);

/* For a state that is about to be loaded: all zeroes. The tile stays connected. */
void device_clear_tensix(struct bh_device *device, unsigned index);
void device_clear_arc(struct bh_device *device);

/* Forgets code and state of one of CORE_TILES. */
void device_forget_core_tile(struct bh_device *device, unsigned number);

/* What the PCIe tile reaches: struct pcie_bus. */
struct pcie_bus device_pcie_bus(struct bh_device *device);

#endif
