/* Profiles: where the time of programs goes. An observer (bhemu/observer.h) that adds up what cores, threads and units
   of tiles do, and at the end writes it as text, JSON, one HTML page with pictures, or stacks for flame graphs.
   docs/profile.md describes what is counted.

   What is kept are sums, so that memory does not grow with the length of a run. The same programs give the same profile
   on every run, on any number of host threads. Numbers of cycles are those of the tiles' clocks: modelled cycles in
   timed mode; in functional mode steps of the emulated clock, which are no measure of time. */
#ifndef BHEMU_PROFILE_H
#define BHEMU_PROFILE_H

#include <stddef.h>

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "bhemu/event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bh_profile;

struct bh_profile_options {
    const struct bh_tile *tiles;
    unsigned tile_count; /* 0: all tiles */
    enum bh_mode mode;   /* of the device */
    uint64_t from, to;   /* only this part of the run: clocks of the device, with `to`; 0: to the end */
    /* Only these cores, and instructions of these units, as in struct bh_log_options; of the cycles of threads all are
       there if any unit is named. None of either: all. Bytes are always those of the whole tile. */
    const char *const *cores;
    unsigned core_count;
    const char *const *units;
    unsigned unit_count;
    uint64_t every;    /* 0: all events are told of. Else cycles from one look to the next: bh_profile_sample() */
    const char *title; /* what is profiled; may be null */
    /* As bh_job_source(); may be null: then places are addresses. */
    bool (*source)(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size);
    /* A number that is the same for tiles with the same programs, so that their lines are looked up once; may be null:
       all tiles have the same. */
    unsigned (*group)(void *context, unsigned x, unsigned y);
    void *context;
    /* For programs that the host replaces while the device runs: the number of the program at a place, asked for when
       it executes, by which places with the same address are told apart, and source lines of that program, in the place
       of `source`; as bh_symbols_program() and bh_symbols_program_source(). Both or none may be null. */
    unsigned (*program)(void *context, unsigned x, unsigned y, const struct bh_place *place);
    bool (*program_source)(void *context, unsigned program, const struct bh_place *place, char *buffer, unsigned size);
};

/* BH_ERROR_ARGUMENT: `to` is before `from`, or no such core, unit or mode. options may be null. The tiles, and what the
   callbacks need, have to stay as they are: the tiles until bh_profile_close(), the others until bh_profile_end(). */
BH_API enum bh_status bh_profile_open(const struct bh_profile_options *options, struct bh_profile **profile,
                                      struct bh_error *error);

/* The observer to add to a device, or to give to a job. */
BH_API const struct bh_observer *bh_profile_observer(const struct bh_profile *profile);

/* In place of the observer, if `every` was set: from now on looks at what all cores and threads of Tensix tiles are at,
   between two quanta of the device, at distances of half to one and a half times `every`. What they are at counts for
   all cycles since the last look; numbers of instructions are exact. Tiles run at full speed, on all threads of the
   host. The device has to stay until bh_profile_end(); both let its tiles run up to its clock, as bh_run() does.
   BH_ERROR_ARGUMENT: `every` was not set, there is no such Tensix tile, or the device is sampled already. */
BH_API enum bh_status bh_profile_sample(struct bh_profile *profile, struct bh_device *device, struct bh_error *error);

/* The device's clock before it runs, unless that is 0: the profile begins there if `from` is less. */
BH_API void bh_profile_begin(struct bh_profile *profile, uint64_t clock);

/* The run is over at this clock of the device: later events are not counted. Looks source lines up and sorts. */
BH_API enum bh_status bh_profile_end(struct bh_profile *profile, uint64_t clock, struct bh_error *error);

/* In place of enum bh_wait_reason: a core has loaded the same value from the same address again and has stored nothing
   in between. */
enum { BH_PROFILE_POLLS = BH_WAIT_REASONS };

/* What a core or a thread does in a cycle. */
enum bh_profile_state {
    BH_PROFILE_STOPPED, /* in reset, not begun yet, or at its end */
    BH_PROFILE_RUNNING, /* core: executes, or waits for results in its pipeline; thread: an instruction leaves the gate
                         */
    BH_PROFILE_IDLE,    /* thread: nothing stands before its gate; core: it is not run, since it does nothing new */
    BH_PROFILE_WAITING, /* + enum bh_wait_reason, or + BH_PROFILE_POLLS */
    BH_PROFILE_STATES = BH_PROFILE_WAITING + BH_WAIT_REASONS + 1
};

/* "stopped", "running", "idle", bh_wait_name(), "polling". */
BH_API const char *bh_profile_state_name(unsigned state);

enum { BH_PROFILE_CORES = BH_CORE_KINDS, BH_PROFILE_THREADS = 3 };
enum { BH_PROFILE_AGENTS = BH_PROFILE_CORES + BH_PROFILE_THREADS }; /* cores by enum bh_core, then threads */

struct bh_profile_agent {
    uint64_t instructions;              /* executed */
    uint64_t cycles[BH_PROFILE_STATES]; /* add up to the cycles of the profile */
};

struct bh_profile_unit {
    uint64_t instructions;
    uint64_t cycles; /* in which it works; 0 in functional mode. Unpackers: in which either does */
};

struct bh_profile_bytes {
    uint64_t read, written;
};

/* One tile, or the sum of all. */
struct bh_profile_tile {
    uint8_t x, y;           /* of NoC 0; 0-0: the sum of all */
    uint8_t ethernet, dram; /* what the tile is; else a Tensix tile */
    struct bh_profile_agent agent[BH_PROFILE_AGENTS];
    struct bh_profile_unit unit[BH_UNITS];
    uint64_t unpacker_cycles[2]; /* in which it fetches */
    uint64_t phase[4];           /* products of the matrix unit (MVMUL, DOTPV, ELWMUL, GAPOOL) by phase */
    uint64_t mvmul;              /* MVMULs, of all phases */
    uint64_t flop;               /* operations of the matrix unit; a product counts once, in phase 0 */
    uint64_t flop_instructions;  /* instructions, of all phases, that did them */
    uint64_t vector_flop;
    struct bh_profile_bytes l1_traffic[BH_AGENTS]; /* by who reads or writes L1; BH_AGENT_NIU: either */
    struct bh_profile_bytes unpacker[2];           /* of these, each unpacker */
    struct bh_profile_bytes noc[2]; /* data that left the tile over each NoC, and that came: read, written */
};

/* Waits of one kind at one place, or of a tile. */
struct bh_profile_wait {
    uint8_t agent;       /* of BH_PROFILE_AGENTS */
    struct bh_wait wait; /* or BH_PROFILE_POLLS and the address */
    uint32_t pc, word;   /* of the instruction that waits; of a STALLWAIT and the like, not of what that holds */
    uint32_t tiles;      /* on so many tiles */
    uint64_t count, cycles, longest;
    struct bh_place awaited; /* who mostly ended them; BH_AGENT_HOST: nobody in particular */
    const char *text;        /* "semaphore 1, for thread T1" */
    const char *source;      /* "function (file:line), in ..."; null: not known */
};

/* A line of the source, or an instruction where that is not known. */
struct bh_profile_line {
    uint8_t agent;
    uint32_t pc;    /* of its first instruction */
    uint64_t count; /* instructions executed */
    uint64_t running, waiting;
    const char *function, *line; /* "kernel_main", "math.c:17"; or an instruction and its address */
};

struct bh_profile_result {
    const char *title;
    enum bh_mode mode;
    uint64_t from, cycles; /* of the profile */
    uint64_t riscv_instructions, tensix_instructions;
    const struct bh_profile_tile *tiles; /* those where anything happened, by y, then x */
    unsigned tile_count;
    struct bh_profile_tile total;
    const struct bh_profile_wait *waits; /* most cycles first */
    unsigned wait_count;
    const struct bh_profile_line *lines; /* most cycles first */
    unsigned line_count;
    struct bh_profile_bytes dram[8]; /* by channel: what the tiles have asked for over the NoC */
    uint64_t left_out;               /* instructions at places for which there was no room */
    /* Of a profile of samples: as in the options, and looks at the device. Then there is nothing of units and of bytes;
       `count` of lines and waits are looks that found them, whose waits have no `longest`. */
    uint64_t every, samples;
};

/* After bh_profile_end(). Valid until bh_profile_close(). */
BH_API const struct bh_profile_result *bh_profile_result(const struct bh_profile *profile);

enum bh_profile_format {
    BH_PROFILE_TEXT,   /* a page for a terminal */
    BH_PROFILE_JSON,   /* all of it; docs/profile.md */
    BH_PROFILE_HTML,   /* one page with pictures that needs no other file */
    BH_PROFILE_FOLDED, /* "tile;core;function;... cycles": for flamegraph.pl, speedscope and the like */
    BH_PROFILE_FORMATS
};

/* Writes it to a new file, after bh_profile_end(). BH_ERROR_IO: not all could be written. */
BH_API enum bh_status bh_profile_write(const struct bh_profile *profile, enum bh_profile_format format,
                                       const char *path, struct bh_error *error);

/* The same as a text that is to be free()d; *size, which may be null, becomes its length. Null: no memory. */
BH_API char *bh_profile_text(const struct bh_profile *profile, enum bh_profile_format format, size_t *size);

/* profile, which no device may use any more, may be null. */
BH_API void bh_profile_close(struct bh_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
