/* One Tensix tile: five RISC-V cores, one Tensix coprocessor, 1.5 MiB of L1, and the registers between them. struct
   tile_state is plain data without pointers, divided into named sections: copying it is a snapshot. struct tile adds
   data that can be recomputed from it. Source: ISA documentation TensixTile/README.md, BabyRISCV/README.md (memory
   map). */
#ifndef BHEMU_TILE_TILE_H
#define BHEMU_TILE_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "memory/l1.h"
#include "rv32/polling.h"
#include "rv32/rv32.h"
#include "rv32/timed.h"
#include "tensix/engine/engine.h"
#include "tensix/tensix.h"
#include "tile/begins.h"
#include "tile/registers.h"
#include "tile/rest.h"
#include "tile/spins.h"
#include "time/clock.h"

/* Timed mode: while all that run on a tile are cores that poll, they are not run. While other cores do nothing but
   compute and access L1, nor are those that poll anything else. */
struct tile_doze {
    uint32_t cores;                 /* the former, one bit for each; 0: the tile does not doze */
    uint32_t aside;                 /* the latter */
    uint64_t since[BH_CORE_COUNT];  /* clocks of both when they were last run, */
    uint64_t latest[BH_CORE_COUNT]; /* and the latest one of those that each goes round together with */
    uint64_t counters[2];           /* those of each NIU that cores have loaded since polling last ended: a bit each */
};

/* Whether cores are not where the tile's clock is: tile_rouse(). */
static inline bool tile_doze_any(const struct tile_doze *doze)
{
    return doze->cores | doze->aside;
}

enum { TILE_PAGE = 4096 };

/* Local RAM of all cores: of B, T0, T1, T2, NC. */
enum { TILE_RAMS_SIZE = 2 * LOCAL_RAM_SIZE + 3 * LOCAL_RAM_SIZE_T };

/* Memory is taken by page. On three pages are what a reset writes and what every program uses, from the last members of
   the diagnostics, those that programs without diagnostics write, to the first requests of the outbox; what the
   coprocessor's programs use is on two more (struct tensix_state). */
struct tile_state {
    uint8_t gap[TILE_PAGE - offsetof(struct diagnostics, policy) % TILE_PAGE]; /* so that hot members are together */
    struct diagnostics diagnostics;
    struct rv32_core core[BH_CORE_COUNT];
    struct clock clock;
    struct tile_doze doze;
    uint32_t unseen;     /* timed mode: cores whose stores others do not all see yet (rv32/stores_seen.h), a bit each */
    uint64_t retired;    /* instructions retired by all cores when the quantum began */
    uint64_t busy_until; /* the clock when the tile last had nothing left to run */
    struct polled polled[BH_CORE_COUNT];
    struct tile_rest rest;
    struct tile_begins begins;
    uint8_t used_rams; /* cores whose local RAM may hold something, a bit each: those that have left reset, ... */
    struct tile_registers registers;
    _Alignas(TILE_PAGE) struct rv32_timing timing[BH_CORE_COUNT]; /* in timed mode */
    struct rv32_shared_timing shared_timing;
    _Alignas(TILE_PAGE) struct tensix_state tensix;
    _Alignas(TILE_PAGE) uint8_t local_rams[TILE_RAMS_SIZE]; /* tile_ram() */
    _Alignas(TILE_PAGE) uint8_t l1[L1_SIZE];
};

_Static_assert(sizeof(struct tile_state) / TILE_PAGE % 2,
               "an odd number of pages spreads the tiles' data over the sets of the host's caches");

static inline uint32_t tile_ram_size(unsigned core)
{
    return core >= BH_CORE_T0 && core <= BH_CORE_T2 ? LOCAL_RAM_SIZE_T : LOCAL_RAM_SIZE;
}

/* The local RAM of a core. */
static inline uint8_t *tile_ram(struct tile_state *state, unsigned core)
{
    return state->local_rams + core * LOCAL_RAM_SIZE_T + (core ? LOCAL_RAM_SIZE - LOCAL_RAM_SIZE_T : 0);
}

/* A prediction for the tile's next quantum: only the cores in `cores`, one bit for each, run, and they are neither
   watched nor interrupted; no thread has an instruction, or has used any of its `cycles`; no core was found polling.
   cores 0: no prediction. The scheduler makes it; accesses to registers that may change it revoke it. */
struct tile_plain {
    uint8_t cores;
    uint32_t cycles;
};

/* Timed mode: who goes on when (tile/timed.c). The key of an agent orders all of them: its time, then its number, since
   at the same time the agent of the lower number goes first. */
struct tile_schedule {
    uint64_t key[CLOCK_AGENTS]; /* CLOCK_NEVER: it goes on when somebody acts, or not at all */
    uint32_t going, waiting;    /* those that go on at their time, and those that wait for somebody to act, */
    uint32_t quiet;             /* of the latter those that wait for what other agents of the tile do beyond L1 */
    uint64_t out;               /* of all others, those that nothing but a request gives work to (rv32_requests()) */
    uint64_t units_rest; /* whether nothing of the coprocessor is under way, nor will be before a thread goes on or the
                            tile is reached from outside: its state, which is on other pages, need not be looked at */
};

/* Timed mode: the search for a state of cores that recurs (tile/timed_circles.h). */
enum circle_depth {
    CIRCLE_NOTHING,       /* nothing yet, as long as cores may soon go on, */
    CIRCLE_REGISTERS,     /* where cores are, and their registers, which tell most states apart at little cost, */
    CIRCLE_WHOLE,         /* all that their next instructions and the times of these depend on, */
    CIRCLE_WITH_FRONTEND, /* with what frontends foresee, which changes again and again */
};
struct tile_circle {           /* without padding */
    uint64_t acts;             /* the state is not from before the last act, if this is struct tile_circles' */
    uint64_t time;             /* when cores were in the state that is to recur: the clock of one */
    uint32_t cores, at;        /* whose state it is; the one of them at whose jump back they are looked at */
    uint32_t looks, most;      /* so many so far; after so many the state is taken anew */
    uint32_t depth;            /* enum circle_depth: what has been looked at */
    uint32_t frontend_changes; /* how often what frontends foresee had changed */
    uint32_t pc[BH_CORE_COUNT], hits[BH_CORE_COUNT];
    uint64_t later[BH_CORE_COUNT], instret[BH_CORE_COUNT]; /* other clocks, less that one */
    uint64_t registers, digest;
};

struct tile_circles {
    uint64_t acts;   /* how often anybody has done more than compute, jump and load words */
    uint32_t turns;  /* since then */
    uint32_t closed; /* cores whose state has been found to recur, a bit each */
};

struct noc_inbox;

/* Functional mode: who carries out at once what a tile starts in its turn. */
struct tile_carrier {
    /* The request that the tile has just started, at `now`. false: it has to wait in the outbox. */
    bool (*carry)(void *context, unsigned initiator, uint64_t now);
    void *context;
    unsigned initiator; /* the tile's number among those of the network */
};

/* What every program uses is on the first page. */
struct tile {
    _Alignas(TILE_PAGE) struct tile_state *state;
    struct tile_plain plain;
    struct tile_schedule schedule; /* when the last turn ended; all zeroes: to be found out */
    uint64_t ahead_until; /* timed mode: no agent does anything before then, unless the tile is reached from outside */
    struct tile_circles circles;
    uint64_t unreported; /* instructions of cores since its last turn: of those that somebody outside has roused */
    bool holds_pushes;   /* what cores push has to wait until the next slice */
    uint64_t jitter;     /* seed of the tile; 0: none */
    bool pushes_told;    /* all that cores push comes to push_store() */
    uint64_t passed;     /* instructions of the coprocessor, in all turns so far */
    struct pollings pollings;
    uint64_t accesses; /* functional mode: of cores beyond memory so far, and other changes that cores may wait for */
    struct observed *observed;          /* null: the tile is not observed */
    const struct tile_carrier *carrier; /* null: requests wait for the end of the turn */
    struct noc_inbox *inbox;            /* timed mode: what comes to it over the NoC, and when; may be null */
    bool provided;                      /* tile_provide() has taken memory */
    struct l1 l1;
    struct rv32 core[BH_CORE_COUNT];
    struct tensix tensix;
    struct engine engine;
    struct timing_words timing_words;
    struct tile_circle circle[BH_CORE_COUNT];
    struct polling polling[BH_CORE_COUNT];
};

_Static_assert(offsetof(struct tile, engine.cache.memos) <= TILE_PAGE, "a program without traces takes one page");

/* Connects a tile, all zeroes, with its state, which the caller owns and has zeroed, and resets it: all cores are in
   soft reset. x, y: NoC 0 coordinates. code_room: for predecoded instructions, see l1_connect(); code_buffer: for
   generated code of vector instructions, see struct trace_compiler. */
void tile_connect(struct tile *tile, struct tile_state *state, void *code_room, uint8_t *code_buffer, unsigned x,
                  unsigned y);

/* Enables translation of its cores' instructions. */
void tile_translate(struct tile *tile, struct rv32_translator *translator);

/* Makes the tile model how long things take: timed mode. */
void tile_model_time(struct tile *tile);

/* Delays its agents and units at random; seed: that of the device, 0: none. */
void tile_jitter(struct tile *tile, uint64_t seed, unsigned x, unsigned y);

/* Makes the tile do in its own turns what comes to it over the NoC: timed mode. */
void tile_receive(struct tile *tile, struct noc_inbox *inbox);

/* Enables verification of its coprocessor's compiled traces. */
void tile_verify(struct tile *tile);

/* Like tile_connect(), with a code_room of its own, and without translation. Returns false when there is no memory for
   it. */
bool tile_create(struct tile *tile, struct tile_state *state, unsigned x, unsigned y);
void tile_destroy(struct tile *tile);

/* What a tile came to. */
enum tile_progress {
    TILE_IDLE, /* nothing can run: every core is in reset or jumps to itself, and no Tensix instruction is left. Such a
                  tile costs no time */
    TILE_RUNNING,
    TILE_BLOCKED, /* everything that could run waits for an event from outside the tile */
    TILE_STOPPED, /* a diagnostic stopped the tile */
};

/* Advances the tile by `cycles`. In functional mode a core retires at most one instruction a cycle, and the
   coprocessor's threads execute as much as they can. The clock advances by all of `cycles` unless the tile stops. */
enum tile_progress tile_run(struct tile *tile, uint64_t cycles);

/* Cycles: the longest time between two at which a tile shows outside how far it is; and how far its agents that run get
   ahead of each other once a thread of the coprocessor has an instruction. */
enum { TILE_QUANTUM = 512, TILE_SLICE = 32 };

#define TILE_QUIET (UINT64_MAX / 2)

/* A part of a quantum of the device. */
struct tile_span {
    uint64_t cycles;
    uint64_t quiet;   /* cycles since the last change of the tile from outside; TILE_QUIET: very many */
    uint32_t longest; /* longest quantum of the tile, at most TILE_QUANTUM */
    bool untouched;   /* nobody outside has reached more of the tile than its L1 since its last turn */
    bool first;       /* the first part of the device's quantum: only then the tile may come to rest */
};

/* How long a tile's next quantum is. */
uint32_t tile_quantum(uint64_t quiet, uint32_t longest);

/* The number of cycles to run so that the tile executes only whole quanta of its own: accesses at that time, instead
   of at the end of all cycles, have no other effect. */
uint64_t tile_whole_quanta(uint64_t quiet, uint32_t longest, uint64_t cycles);

/* The result of a turn. */
struct tile_turn {
    enum tile_progress progress;
    bool active;                                      /* the tile has something to run */
    uint64_t riscv_instructions, tensix_instructions; /* executed instructions */
    uint64_t retired; /* those of RISC-V that were really executed, without those skipped at rest */
};

/* Like tile_run(), but the tile may come to rest (tile/rest.h). Then it need not run again before tile_wake(), which
   must be called before any access to its registers or cores, or one for which rest_disturbed() is true. */
void tile_run_or_rest(struct tile *tile, const struct tile_span *span, struct tile_turn *turn);

/* Instructions that the tile's cores and its coprocessor have executed since it was created. */
uint64_t tile_riscv_instructions(const struct tile *tile);
uint64_t tile_tensix_instructions(const struct tile *tile);

/* Whether the tile has anything to run. */
bool tile_active(const struct tile *tile);

/* The NoC overlay of the tile, as packets from the NoC need it. */
struct overlay_site tile_overlay(struct tile *tile);

/* The wall clock as an agent sees it (tile/mmio.h). */
uint64_t tile_clock(const struct tile *tile, unsigned agent);

/* The turn of a core: at most `budget` cycles. Interrupts come between two turns; raising one ends the turn of the
   agent that raises it. Returns the instructions that it retired. */
uint32_t tile_run_core(struct tile *tile, unsigned core, uint32_t budget);

/* Whether every core of a running tile waits, or spins in a loop that changes nothing and reads nothing that changes
   by itself, like clocks do. Runs the tile to find out, for at most *cycles, which becomes the cycles used; in timed
   mode on trial, which takes none. A tile that spins does so for ever, unless it is written from outside. */
bool tile_spins(struct tile *tile, uint64_t *cycles);

/* Whether a core is in a jump to itself that has been overwritten in L1: see rv32_flush_cache(). */
bool tile_misses_code(const struct tile *tile);

/* Who waits for whom: every core out of reset, every thread with an instruction at its gate. Changes nothing. */
struct waits;
struct tile_sight;
void tile_explain(const struct tile *tile, const struct tile_sight *sight, struct waits *waits);

/* L1 gets more from outside. If that is several pages by now, they are programs and data: takes the pages that programs
   use, of local RAM and of what the coprocessor's units have. */
void tile_provide(struct tile *tile);

/* To be called before others than the tile's cores write to L1. */
static inline void tile_before_write(struct tile *tile, uint32_t address, uint32_t size)
{
    if (l1_before_write(&tile->l1, address, size) && !tile->provided) {
        tile_provide(tile);
    }
}

/* Accesses from outside the tile, over the NoC: L1 and the registers that the NoC may access. Any size is allowed for
   L1 and local RAM; registers take aligned words. */
enum step tile_read(struct tile *tile, uint64_t address, void *data, uint32_t size);
enum step tile_write(struct tile *tile, uint64_t address, const void *data, uint32_t size);

#endif
