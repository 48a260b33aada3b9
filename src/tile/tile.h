/* One Tensix tile: five RISC-V cores, one Tensix coprocessor, 1.5 MiB of L1, and the registers between them.
   struct tile_state is plain data without pointers, cut into named sections: copying it is a snapshot. struct tile adds
   what can be made anew from it.
   Source: ISA documentation TensixTile/README.md, BabyRISCV/README.md (memory map). */
#ifndef BHEMU_TILE_TILE_H
#define BHEMU_TILE_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "memory/l1.h"
#include "rv32/rv32.h"
#include "tensix/engine/engine.h"
#include "tensix/tensix.h"
#include "tile/registers.h"
#include "tile/rest.h"
#include "tile/spins.h"
#include "time/clock.h"

/* In this order what every program uses takes few pages: of the registers, it is what comes first; of the diagnostics,
   which a program without any does not write, too. */
struct tile_state {
    struct rv32_core core[BH_CORE_COUNT];
    struct clock clock;
    uint64_t retired;    /* instructions of all cores, when the quantum began */
    uint64_t busy_until; /* the clock when the tile last ran out of things to run */
    struct polled polled[BH_CORE_COUNT];
    struct tile_rest rest;
    struct tile_registers registers; /* ends with what the next one begins with: what reset writes */
    struct diagnostics diagnostics;
    _Alignas(4096) struct tensix_state tensix;
    _Alignas(4096) uint8_t local_ram[BH_CORE_COUNT][LOCAL_RAM_SIZE]; /* pages that nobody uses are never written */
    _Alignas(4096) uint8_t l1[L1_SIZE];
    _Alignas(
        4096) uint8_t gap[4096]; /* an odd number of pages: what all tiles use lies in all sets of a host's caches */
};

/* What of a tile's next quantum is known without looking: only `cores` run, one bit for each, which nobody watches or
   interrupts; no thread has an instruction, or has passed one of the `cycles` that it may; nothing was found to be
   polled. No cores: that is not known. The scheduler finds it out; who accesses registers that may change it says so.
 */
struct tile_plain {
    uint8_t cores;
    uint32_t cycles;
};

struct tile {
    struct tile_state *state;
    struct tile_plain plain;
    uint64_t passed;           /* instructions of the coprocessor, in all turns so far */
    struct observed *observed; /* null: nobody wants to hear of the tile */
    struct l1 l1;
    struct rv32 core[BH_CORE_COUNT];
    struct tensix tensix;
    struct engine engine;
};

/* Connects a tile, all zeroes, with its state, which the caller owns and has zeroed, and resets it: all cores in soft
   reset. x, y: NoC 0 coordinates. code_room: for what is predecoded, as l1_connect() takes it; code_buffer: for
   translated vector instructions, struct trace_compiler's room. */
void tile_connect(struct tile *tile, struct tile_state *state, void *code_room, uint8_t *code_buffer, unsigned x,
                  unsigned y);

/* Has instructions of its cores translated, too. */
void tile_translate(struct tile *tile, struct rv32_translator *translator);

/* Has translated instructions of its coprocessor verified. */
void tile_verify(struct tile *tile);

/* The same as tile_connect(), with a code_room of its own, and nothing translated. Returns false when there is no
 * memory for it. */
bool tile_create(struct tile *tile, struct tile_state *state, unsigned x, unsigned y);
void tile_destroy(struct tile *tile);

/* What a tile came to. */
enum tile_progress {
    TILE_IDLE, /* nothing on it can run: every core is in reset or jumps to itself, no Tensix instruction is left.
                  Such a tile costs nothing */
    TILE_RUNNING,
    TILE_BLOCKED, /* everything that could run waits for what only somebody outside the tile can bring about */
    TILE_STOPPED, /* a diagnostic stopped it */
};

/* Advances the tile by `cycles`. In functional mode a core retires at most one instruction a cycle, and the
   coprocessor's threads execute whatever they can. The clock advances by all of `cycles` unless the tile stops. */
enum tile_progress tile_run(struct tile *tile, uint64_t cycles);

enum { TILE_QUANTUM = 512 };

#define TILE_QUIET (UINT64_MAX / 2)

/* A part of a quantum of the device. */
struct tile_span {
    uint64_t cycles;
    uint64_t quiet;   /* cycles before it in which nobody outside changed the tile; TILE_QUIET: very many */
    uint32_t longest; /* quantum of the tile, at most TILE_QUANTUM */
    bool first;       /* of the device's quantum: then the tile may come to rest */
};

/* How long a tile's next quantum is. */
uint32_t tile_quantum(uint64_t quiet, uint32_t longest);

/* How many cycles of these the tile runs if it is to run whole quanta of its own only: who looks at it then, rather
   than at the end of all cycles, changes nothing by that. */
uint64_t tile_whole_quanta(uint64_t quiet, uint32_t longest, uint64_t cycles);

/* What came of a turn. */
struct tile_turn {
    enum tile_progress progress;
    bool active;                                      /* the tile has something to run */
    uint64_t riscv_instructions, tensix_instructions; /* that were executed */
    uint64_t retired;                                 /* of those of RISC-V: not while the tile rested */
};

/* The same, but the tile may come to rest (tile/rest.h): then it need not be run again before tile_wake(), which has to
   come before anybody looks at its registers or cores, or at what rest_disturbed() says. */
void tile_run_or_rest(struct tile *tile, const struct tile_span *span, struct tile_turn *turn);

/* What the tile's cores and its coprocessor have executed since it was created. */
uint64_t tile_riscv_instructions(const struct tile *tile);
uint64_t tile_tensix_instructions(const struct tile *tile);

/* Whether the tile has anything to run. */
bool tile_active(const struct tile *tile);

/* The NoC overlay of the tile, for what comes to it over the NoC. */
struct overlay_site tile_overlay(struct tile *tile);

/* The wall clock, as `core` sees it; core BH_CORE_COUNT and more: as everybody else does. */
uint64_t tile_clock(const struct tile *tile, unsigned core);

/* Whether every core of a running tile waits, or spins in a loop that changes nothing and reads nothing that changes by
   itself, as clocks do. Runs the tile for a while to find out, at most *cycles; *cycles becomes how long. A tile that
   spins does so for ever, unless somebody outside writes to it. */
bool tile_spins(struct tile *tile, uint64_t *cycles);

/* The same, and looks at all cores even when one is found that does not spin: for tile_explain(). */
bool tile_look(struct tile *tile, uint64_t *cycles);

/* Whether a core keeps to a jump to itself over which something else was written: see rv32_flush_cache(). */
bool tile_misses_code(const struct tile *tile);

/* Writes one line that says who waits for what: every core out of reset, every thread with an instruction at its gate.
   Returns its length. `places` becomes where each of them is; count must be that of struct bh_diagnostic. */
int tile_explain(const struct tile *tile, char *buffer, unsigned size, struct bh_place places[BH_PLACES]);

/* Accesses from outside the tile, over the NoC: L1 and the MMIO that the NoC sees. size may be anything for L1 and
   local RAM; registers take aligned words. */
enum step tile_read(struct tile *tile, uint64_t address, void *data, uint32_t size);
enum step tile_write(struct tile *tile, uint64_t address, const void *data, uint32_t size);

#endif
