/* A Blackhole device: create one, write programs and data into its tiles, release cores, run, read back.

   A device is an opaque handle; any number can live in one process, each used by one thread at a time. Every call
   returns a status; details of what went wrong come as diagnostics through the callback. The library never prints or
   exits. Tiles are named by their translated NoC coordinates: Tensix tiles have x in 1..7 and 10..16, y in 2..11; DRAM
   tiles have x 17 or 18, y in 12..23, and three of them each, from y 12 on, show the same 4 GiB; Ethernet tiles have x
   in 20..31 and y 25; the PCIe tile is at (19, 24), the ARC tile at (8, 0). On boards with harvested tiles there are
   fewer. Addresses are those that the NoC sees in the tile: in a Tensix or Ethernet tile L1 from 0, registers at
   0xFFB1_0000 and above; in a DRAM tile its memory from 0, the L1 of its core at
   BH_DRISC_L1, and the core's registers where those of a Tensix tile are. */
#ifndef BHEMU_DEVICE_H
#define BHEMU_DEVICE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "bhemu/api.h"
#include "bhemu/diagnostic.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bh_status {
    BH_OK,
    BH_ERROR_ARGUMENT, /* a null pointer, also in an array or for one; a tile, a core, a value of an enum that is none
                        */
    BH_ERROR_MEMORY,   /* the host has no memory */
    BH_ERROR_ADDRESS,  /* not mapped, or not for this kind of access; nothing was transferred */
    BH_ERROR_FORMAT,   /* a file or a text is malformed */
    BH_ERROR_IO,       /* the host's file system said no */
    BH_ERROR_STOPPED,  /* a diagnostic stopped the device; see the callback */
    BH_ERROR_LOST      /* another process, which has other chips of the system, has ended or stopped */
};

/* "ok", "bad argument", ... */
BH_API const char *bh_status_name(enum bh_status status);

struct bh_device;

/* Boards differ in the harvested tiles, and in their firmware's data. */
enum bh_board {
    BH_BOARD_FULL,  /* 140 Tensix tiles, 12 Ethernet tiles (two are always harvested), 32 GiB of DRAM */
    BH_BOARD_P100A, /* 120 Tensix tiles, no Ethernet tiles, 28 GiB */
    BH_BOARD_P150A, /* 120 Tensix tiles, 12 Ethernet tiles, 32 GiB */
    BH_BOARDS
};

/* The tiles that are there. Bit i is the i-th one of the die: Tensix columns and Ethernet tiles have x = 1, 16, 2, 15,
   3, ... of NoC 0; DRAM channels are numbered from 0. */
struct bh_tiles {
    uint16_t tensix_columns; /* bits 13:0; at least one */
    uint16_t ethernet;       /* bits 13:0 */
    uint8_t dram;            /* at least one */
};

/* "full", "p100a", "p150a". *tiles, unless null, becomes the tiles of the board. BH_ERROR_ARGUMENT: no such board. */
BH_API enum bh_status bh_board_by_name(const char *name, enum bh_board *board, struct bh_tiles *tiles);

/* How a device executes. Bits, clocks and diagnostics are the same. */
enum bh_engine {
    BH_ENGINE_FAST,  /* executes rows of instructions at once, and compiles frequent ones to code of the host */
    BH_ENGINE_PLAIN, /* executes one instruction at a time: no compiled code */
    BH_ENGINES
};

/* "fast", "plain". BH_ERROR_ARGUMENT: no such engine. */
BH_API enum bh_status bh_engine_by_name(const char *name, enum bh_engine *engine);

/* Whether a device models how long things take on silicon (docs/timing.md). */
enum bh_mode {
    BH_MODE_FUNCTIONAL, /* a cycle for each instruction: fast; clocks are no measure of time */
    BH_MODE_TIMED,      /* clocks count the cycles that silicon takes, as far as they are known; the engine is plain */
    BH_MODES
};

/* What a device in this mode counts: "emulated steps", "modelled cycles". */
BH_API const char *bh_mode_counts(enum bh_mode mode);

/* "functional", "timed". BH_ERROR_ARGUMENT: none is called so. */
BH_API enum bh_status bh_mode_by_name(const char *name, enum bh_mode *mode);

/* What becomes of the device after an error of a program. */
enum bh_on_error {
    BH_ON_ERROR_STOP, /* bh_run() returns BH_ERROR_STOPPED, and the device does not run any more */
    /* Only the tile stops, as if it had fallen off the NoC: what reads from it gets all ones, what is written to it is
       lost, and all others go on. bh_tile_reset(), or a write to SOFT_RESET_0 that holds all of its cores, makes it
       clean. An access of the host that is refused reads all ones, too. */
    BH_ON_ERROR_REPORT,
    BH_ON_ERRORS
};

/* "stop", "report". BH_ERROR_ARGUMENT: none is called so. */
BH_API enum bh_status bh_on_error_by_name(const char *name, enum bh_on_error *on_error);

struct bh_device_config {
    enum bh_policy_preset policy;
    void (*on_diagnostic)(void *context, const struct bh_diagnostic *diagnostic); /* may be null */
    void *context;
    enum bh_board board;
    const struct bh_tiles *tiles; /* null: those of the board */
    /* The memory of the host, which the device reads and writes through its PCIe tile: at the addresses that leave the
       device. May be null: then such an access is refused. */
    void (*host_read)(void *context, uint64_t address, void *data, uint32_t size);
    void (*host_write)(void *context, uint64_t address, const void *data, uint32_t size);
    /* Host threads that run tiles within bh_run(), the calling one among them; 0 and 1: only that, no other is created.
       More than 64 count as 64. Results, clocks and the order of diagnostics do not depend on it. Callbacks are called
       on the calling thread. */
    unsigned threads;
    /* Also executes compiled rows of Tensix instructions one by one, and compares; a difference is a
       BH_INTERNAL_ERROR. Slow. */
    bool verify;
    /* Not 0: cores, threads and requests on the NoC are delayed at random where hardware promises no order; the same
       number gives the same run. Programs that are synchronised give the same results. */
    uint64_t jitter;
    enum bh_engine engine;
    enum bh_mode mode;
    /* A signal handler or another thread sets this to nonzero to have bh_run() return after the next few thousand
       cycles, and on each later call. May be null. The device sets up no handlers of its own. */
    const volatile sig_atomic_t *interrupted;
    enum bh_on_error on_error;
};

/* Creates a device, all cores in reset, all memory zero but for what firmware left in the ARC and Ethernet tiles.
   config may be null: a full board. */
BH_API enum bh_status bh_device_create(const struct bh_device_config *config, struct bh_device **device);

/* device may be null. A chip of a system stays: it goes with its system. */
BH_API void bh_device_destroy(struct bh_device *device);

/* Copies size bytes to or from one tile: all of them, or none. *data stays as it is if a read is refused, but for
   BH_ON_ERROR_REPORT. */
BH_API enum bh_status bh_write(struct bh_device *device, unsigned x, unsigned y, uint64_t address, const void *data,
                               uint32_t size);
BH_API enum bh_status bh_read(struct bh_device *device, unsigned x, unsigned y, uint64_t address, void *data,
                              uint32_t size);

/* Where the NoC sees the 128 KiB of L1 of a DRAM tile's core, which the core sees from 0 on. */
#define BH_DRISC_L1 0x2000000000ull

/* Takes one core out of reset at pc, or puts it back. (BH_CORE_B always starts at 0: hardware has no register for it;
   bh_core_start() puts a jump to pc there when pc is not 0.) Of Ethernet tiles the cores are BH_CORE_E0 and BH_CORE_E1,
   of DRAM tiles BH_CORE_DRISC. */
BH_API enum bh_status bh_core_start(struct bh_device *device, unsigned x, unsigned y, enum bh_core core, uint32_t pc);
BH_API enum bh_status bh_core_stop(struct bh_device *device, unsigned x, unsigned y, enum bh_core core);

/* Resets a Tensix or Ethernet tile, or the core of a DRAM tile: all that it loses in a reset by the firmware is lost -
   of Tensix tiles everything but L1 -, its cores are in reset, and it runs again if an error had stopped it.
   BH_ERROR_ARGUMENT: no such tile. */
BH_API enum bh_status bh_tile_reset(struct bh_device *device, unsigned x, unsigned y);

/* Whether an error has stopped a tile. */
BH_API bool bh_tile_stopped(const struct bh_device *device, unsigned x, unsigned y);

/* Everything as after bh_device_create(), but the clock and the flash: as a reset of the chip by the firmware. */
BH_API enum bh_status bh_device_reset(struct bh_device *device);

/* Cycles, here and below, are steps of the emulated clock. In functional mode a core retires one instruction at most in
   each of them, and they are no measure of the time that a program takes on silicon; in timed mode they are modelled
   cycles of silicon. */

/* Why bh_run() returned. */
enum bh_run_reason {
    BH_RAN_CYCLES,   /* the cycles asked for have passed */
    BH_RAN_IDLE,     /* nothing can run: every core is in reset, jumps to itself, or is held by a debugger */
    BH_RAN_STOPPED,  /* a diagnostic stopped a tile */
    BH_RAN_DEADLOCK, /* everything that runs waits for events that can not happen; a diagnostic says who waits for what
                      */
    BH_RAN_INTERRUPTED /* `interrupted` of struct bh_device_config is not 0 */
};

struct bh_run_result {
    enum bh_run_reason reason;
    uint64_t cycles;              /* passed during this call */
    uint64_t riscv_instructions;  /* retired during this call, all cores of all tiles */
    uint64_t tensix_instructions; /* executed during this call */
};

/* Advances the device by at most `cycles`, and all tiles to exactly the same time. Returns BH_ERROR_STOPPED when the
   reason is BH_RAN_STOPPED or BH_RAN_DEADLOCK, else BH_OK. result may be null. */
BH_API enum bh_status bh_run(struct bh_device *device, uint64_t cycles, struct bh_run_result *result);

/* Lets cycles pass for a host that looks at the device between few of them. In how many calls they pass makes no
   difference to programs, nor does what the host reads meanwhile, or when: a read shows a tile as it was when its cores
   had last had their turns, 8 cycles ago, or a quarter of the time since the host wrote to that tile, or 512 cycles, or
   less; while tiles transfer over the NoC, 100 cycles ago, or a quarter of the time since the host wrote to any, or
   1000 cycles, or less. What the host writes is written at the device's clock. BH_RAN_CYCLES may mean that it is not
   known whether anything gets on. Null, and a chip of a system: BH_RAN_STOPPED. */
BH_API enum bh_run_reason bh_advance(struct bh_device *device, uint64_t cycles);

/* How many instructions all tiles execute in a cycle, or have of late. Those of the coprocessor, which take longer,
   count for more than one. 0: nothing runs, what waits can not go on, or Ethernet tiles run, too. */
BH_API uint64_t bh_pace(const struct bh_device *device);

/* Hands to on_diagnostic, for each tile that has something to run, where its cores and threads are and what they wait
   for: a BH_DEADLOCK that only warns. Tiles that do the same share one, and there are at most eight. For programs that
   do not end; of those that do, cores are told of that keep to a jump to itself, over which a program was written that
   they can not see. */
BH_API void bh_report(struct bh_device *device);

/* The device's clock, in cycles since it was created. */
BH_API uint64_t bh_clock(const struct bh_device *device);

/* Lets time pass without execution: only the clocks advance, after all tiles have run exactly up to now. For hosts
   whose time passes also when bh_run() found nothing to run. Time that passes so, and in bh_advance() where nothing can
   run, ends at a clock of 2^53. */
BH_API void bh_pass(struct bh_device *device, uint64_t cycles);

#ifdef __cplusplus
}
#endif
#endif
