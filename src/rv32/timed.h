/* A core in timed mode: how many cycles its instructions take. In order, with a time for each register at which its
   value is there, so that a load delays the instruction that needs it; a retire queue and a queue of stores; what is
   fetched, loaded and stored takes as long as its memory does. Constants: tables/timing.def. The loop itself is
   execute.inc. Sources: ISA documentation BabyRISCV/README.md, MemoryOrdering.md, CSRs.md, InstructionCache.md. */
#ifndef BHEMU_RV32_TIMED_H
#define BHEMU_RV32_TIMED_H

#include "rv32/rv32.h"
#include "time/timing.h"

enum { RV32_RETIRE_QUEUE = TIMING_RV32_RETIRE_QUEUE, RV32_STORE_QUEUE = TIMING_RV32_STORE_QUEUE };
enum { RV32_LOADS = TIMING_RV32_LOADS_IN_FLIGHT, RV32_L0_LINES = TIMING_RV32_L0_LINES };
enum { RV32_LINE = TIMING_RV32_LINE_BYTES };

/* The instruction cache: of the largest one's lines a core has as many as its own has. */
enum { RV32_FETCH_BYTES = 64, RV32_FETCH_WORDS = RV32_FETCH_BYTES / 4 };
enum { RV32_FETCH_LINES = TIMING_RV32_FETCH_BYTES / RV32_FETCH_BYTES };

_Static_assert((TIMING_RV32_FETCH_BYTES & (TIMING_RV32_FETCH_BYTES - 1)) == 0 &&
                   (TIMING_RV32_FETCH_BYTES_SMALL & (TIMING_RV32_FETCH_BYTES_SMALL - 1)) == 0,
               "the place of a line is found by masking its number");

#define RV32_FETCHED(line) ((line) + 1)

enum { RV32_BRANCHES = 512 };

/* How sure the frontend is that a branch is taken; 0: not. */
enum { RV32_LIKELY = 2, RV32_CERTAIN = 3 };

/* The last result for a register. */
struct rv32_written {
    uint64_t ready;   /* instructions that enter EX1 then have it, */
    uint64_t retires; /* and it has left the retire queue */
};

/* A jump or branch that was taken, by indices of words in L1. */
struct rv32_branch {
    uint32_t self, target, taken;
};

/* A store in its queue, or one that has left it. */
struct rv32_queued {
    uint64_t leaves;         /* the queue; CLOCK_NEVER: not before it is known whether another one joins it */
    uint32_t address, bytes; /* of what it stores: in a line of L1 a bit for each byte, else their number */
    uint32_t first;          /* address of the last store that joined it */
    uint64_t joined;         /* when that did */
};

/* Bytes of a line of L1 that the core has stored and nobody else sees yet: of stores in the queue, and of those that L1
   writes. */
enum { RV32_UNSEEN = RV32_STORE_QUEUE + 2 };
struct rv32_unseen {
    uint64_t
        written; /* L1 has written them; CLOCK_NEVER: they are of the last store in the queue, which waits for others */
    uint64_t since;           /* when the first of them was stored */
    uint64_t due;             /* while it is not the core's turn: when others see them */
    uint32_t address, bytes;  /* of the line; a bit for each byte */
    uint8_t other[RV32_LINE]; /* during the core's turn, what others see; else what the core sees */
};

/* To so many cycles, instructions and hits of the L0 data cache later a core comes as it is now again and again. */
struct rv32_circle {
    uint64_t cycles, instructions;
    uint32_t hits;
};

/* What cores of a tile share, a bit each: banks of L1, and the path to the local data RAMs of all cores. */
#define RV32_BANK_OF(address) (UINT64_C(1) << (address) / RV32_LINE % TIMING_L1_BANKS)
#define RV32_SLOW_PATH (UINT64_C(1) << TIMING_L1_BANKS)

/* What is known of the loop that a core is in: whether it polls, that is, goes round without doing anything but
   compute, jump and load what stays the same until somebody else acts. It is looked at where it jumps back. */
struct rv32_polling {
    uint32_t first, jump; /* indices in L1 of the loop's first word and of that of its jump back; jump 0: no loop */
    bool acted;           /* the core has done more since it was last there */
    bool touched;         /* somebody else has acted since, on more than L1 and his own RAM */
    bool sure;            /* each further time round takes as long as the last one did */
    bool clear;           /* nothing that had begun was in the way of what came next: rv32_time_round() */
    bool learned;         /* what the frontend foresees, or what loads depend on besides times, has changed since */
    bool unbroken;        /* nobody else has acted since, not even on L1 */
    bool recurs; /* but for its registers' values being loaded from L1, each further time round takes as long as
                    the last one did, unless other cores take the same banks */
    uint32_t frontend_changes; /* how often the former has */
    uint32_t changes;          /* how often in a row it had acted, or its registers were not the same */
    uint64_t loaded;           /* from which of what cores share, since somebody else has acted or the core itself */
    uint64_t at, instret;      /* when it was last there, and instructions retired by then */
    struct rv32_circle circle; /* if it is sure, one time round; else as tile/timed_circles.h has found it */
    struct rv32_circle round;  /* if it recurs, one time round */
    uint32_t foreseen, hits;   /* frontend_changes and l0_hits when it was last there, */
    uint32_t lines[RV32_L0_LINES]; /* and the L0 data cache: what is replaced next first */
    uint32_t x[RV32_SINK];         /* the registers then */
};

/* Registers of both NIUs and of the overlay, from which loads take TIMING_RV32_LOAD_TILE. */
#define RV32_NOC_FIRST 0xFFB20000u
#define RV32_NOC_END 0xFFB80000u

/* What the time of a core depends on. Plain data, all zero at first: a section of the tile's state. */
struct rv32_timing {
    struct rv32_written written[RV32_REGISTERS];
    uint64_t passed_at;                     /* an instruction that enters EX1 then has the last one's result for */
    uint32_t passed_on;                     /* this register, although the queue holds another one for it */
    uint64_t vector[RV32_VECTOR_REGISTERS]; /* when the last result for each vector register has left the queue */
    uint64_t queue[RV32_RETIRE_QUEUE];      /* when each entry is free */
    uint32_t place;                         /* of the next instruction's entry */
    uint64_t retired;                       /* when the last instruction leaves the retire queue */
    uint64_t loads[RV32_LOADS];             /* until when there are so many loads in flight that the next one waits */
    uint32_t load;                          /* which of them is next */
    uint64_t last_load;                     /* when the result of the last one is there */
    struct rv32_queued stores[RV32_STORE_QUEUE];
    uint32_t store;                         /* which of them is next */
    struct rv32_unseen unseen[RV32_UNSEEN]; /* in the order in which they leave the queue */
    uint32_t unseen_count;
    uint64_t drained;    /* the next store may leave the queue */
    uint64_t l1_stores;  /* and one to L1 */
    uint64_t port_free;  /* the port of L1 takes the next load */
    uint32_t fused;      /* of how many .ttinsn the last instruction is made, if more can join, */
    uint32_t next_fused; /* the PC of the one that could, */
    uint64_t fused_at;   /* and when the first of them entered EX1 */
    uint32_t cold_line;  /* RV32_FETCHED() of the last line that came from L1, */
    uint32_t cold;       /* and the PC of the first word of it that was not executed since, as far as .ttinsn go */
    uint32_t l0[RV32_L0_LINES], l0_next,
        l0_hits;                        /* lines of L1, plus one; which is replaced next; hits since a flush */
    uint32_t fetched[RV32_FETCH_LINES]; /* RV32_FETCHED() of lines of instructions, of which some was executed */
    uint32_t line; /* RV32_FETCHED() of that of the last instruction; 0: none, or the cache was emptied since */
    uint32_t
        coming; /* RV32_FETCHED() of the line that is prefetched next, those behind it one after the other; 0: none */
    uint64_t coming_at;          /* when that has come */
    struct rv32_polling polling; /* before the branches, which are most of it: what each turn needs is on one page */
    struct rv32_branch branch[RV32_BRANCHES];
};

/* What the cores of a tile share. Plain data, all zero at first: a section of the tile's state. */
struct rv32_shared_timing {
    uint64_t bank[TIMING_L1_BANKS]; /* when each bank of L1 takes the next access */
    uint64_t slow_path;             /* when the path to the local data RAMs of all cores does */
};

/* So far a core may run ahead as long as nobody can tell: a turn has its cost, and quanta are short. */
enum { RV32_AHEAD = 1000 };

/* How far a core may go in its turn. */
struct rv32_turn {
    uint64_t until;     /* at this time another agent of the tile may act: what reaches beyond registers and local RAM
                           happens before, or not in this turn */
    uint64_t end;       /* the same for others than those of the tile; instructions that do not reach beyond registers
                           and local RAM may begin up to RV32_AHEAD cycles later */
    bool exact;         /* neither may they begin later than `end` */
    bool stop_at_event; /* somebody waits for what the core may do: the turn ends after each access beyond L1 and local
                           RAM, and after each store to L1 */
    bool stop_at_awaited; /* somebody waits, but only for rv32_is_awaited(): the turn ends after each such access */
    bool stop_at_request; /* an agent that the core may give work to has none: the turn ends after each access that may
                             do so */
    bool stop_at_polling; /* the turn ends where the core turns out to poll, at its jump back */
    bool stop_at_recurring; /* and where it recurs, */
    bool stop_at_round;     /* and at each jump back, of loops that may poll */
    bool spares_polled; /* stores to rv32_is_polled(), and loads that change something there, happen not in this turn */
    uint64_t event;     /* result: when the last of these happened; CLOCK_NEVER: there was none */
    bool acted;         /* result: whether the core has done more than compute, jump, and load words, */
    bool pushed;        /* whether it has executed .ttinsn, */
    bool requested;     /* and more than all that and store what gives no agent work */
    bool polled;        /* result: whether it has done more than that to rv32_is_polled(), */
    bool awaited;       /* and to rv32_is_awaited() */
    bool blocked;       /* result: the turn has ended because of spares_polled */
    bool recurred;      /* result: it has ended because of stop_at_recurring, */
    bool round;         /* or because of stop_at_round */
};

/* Bits of an address within an NIU that select a register of an initiator, and of these NOC_CMD_CTRL of each. */
enum { RV32_NIU_BYTES = 0x10000, RV32_NIU_INITIATORS = 0x1800, RV32_NIU_REGISTERS = 0x7f, RV32_NIU_CMD_CTRL = 0x40 };
enum { RV32_NIU_COUNTER = 0x200, RV32_NIU_COUNTERS = 62 };

/* Whether the address is of a register of an NIU's initiators, but NOC_CMD_CTRL: timed mode never loads it directly, so
   that no core polls it. */
static inline bool rv32_is_command(uint32_t address)
{
    uint32_t offset = address % RV32_NIU_BYTES;
    return address - RV32_NOC_FIRST < 2 * RV32_NIU_BYTES && !(offset & ~(RV32_NIU_INITIATORS | RV32_NIU_REGISTERS)) &&
           (offset & RV32_NIU_REGISTERS) != RV32_NIU_CMD_CTRL;
}

/* The word of an initiator's register, if stores may go to it directly; else null. */
static inline uint32_t *rv32_command(const struct rv32 *rv32, uint32_t address)
{
    enum { BITS = RV32_NIU_INITIATORS | (RV32_NIU_REGISTERS & ~3) };
    uint32_t offset = address - RV32_NOC_FIRST;
    if ((offset & ~(uint32_t)(BITS | RV32_NIU_BYTES)) ||
        !(rv32->plain_commands >> (offset & RV32_NIU_REGISTERS) / 4 & 1)) {
        return NULL;
    }
    enum { PER_INITIATOR = 0x800 / (RV32_NIU_REGISTERS + 1) }; /* so much closer together the registers' words are */
    return rv32->niu[offset / RV32_NIU_BYTES].commands +
           ((offset & RV32_NIU_INITIATORS) / PER_INITIATOR + (offset & RV32_NIU_REGISTERS)) / 4;
}

/* A counter of an NIU, if loads may go to it directly; else null. It is noted that it is polled. */
static inline const uint32_t *rv32_counter(const struct rv32 *rv32, uint32_t address)
{
    uint32_t offset = address - RV32_NOC_FIRST, counter = (offset % RV32_NIU_BYTES - RV32_NIU_COUNTER) / 4;
    const struct rv32_niu *niu = &rv32->niu[offset / RV32_NIU_BYTES % 2];
    if (offset >= 2 * RV32_NIU_BYTES || counter >= RV32_NIU_COUNTERS || address % 4 || !niu->counters) {
        return NULL;
    }
    *niu->polled |= UINT64_C(1) << counter;
    return &niu->counters[counter];
}

/* Whether it may be that cores poll the address, which is not in L1: words of NIUs and of the overlay that they load
   directly, the RAM of other cores, which they reach by the slow path, and what changes these. */
#define RV32_POLLED_END 0xFFB80000u
static inline bool rv32_is_polled(uint32_t address)
{
    return address >= L1_SIZE && address < RV32_POLLED_END && !rv32_is_command(address);
}

/* Whether agents that wait may wait for what an access of this address changes, which is not in L1: not for words of
   NIUs and of the overlay, nor for instructions that are pushed. */
static inline bool rv32_is_awaited(uint32_t address)
{
    return address - RV32_NOC_FIRST >= RV32_NOC_END - RV32_NOC_FIRST && address - INSTRN_BUF_BASE >= 0x30000;
}

/* Whether a store may give work to an agent: pushes, soft resets, and interrupts. */
static inline bool rv32_requests(uint32_t address)
{
    return address - INSTRN_BUF_BASE < 0x30000 || address - 0xFFB12000 < 0x2000;
}

/* rv32_run() in timed mode, beginning at the core's clock, which goes on with it: to when the next instruction begins
   at the earliest. Returns how many instructions have retired. The clock is then not before `until` or `end`, unless
   the core waits, halts, is stopped, or stop_at_event ended its turn. */
uint32_t rv32_run_timed(struct rv32 *rv32, struct rv32_turn *turn);

/* The same of a core before which nothing but .ttinsn stands that the FIFO may take in this turn, as rv32_only_pushes()
   says, whose pushes are plain (struct rv32), and who is not observed. */
bool rv32_only_pushes(const struct rv32 *rv32);
uint32_t rv32_run_pushes(struct rv32 *rv32, struct rv32_turn *turn);

/* rv32_run_timed(), told to hooks; and of a core that is observed. An instruction may be told of several times before
   it retires: whenever it is tried, and it is not its time yet. */
uint32_t rv32_interpret_timed_hooked(struct rv32 *rv32, struct rv32_turn *turn, const struct rv32_hooks *hooks);
uint32_t rv32_run_timed_observed(struct rv32 *rv32, struct rv32_turn *turn);

/* Whether the core polls what neither is in L1 nor has a way there that others take: as long as nobody acts on what it
   loads it comes to the state that it is in now again and again, a time round its loop later (polling.circle). */
static inline bool rv32_polls(const struct rv32_core *core, const struct rv32_timing *timing)
{
    const struct rv32_polling *polling = &timing->polling;
    return polling->sure && !polling->acted && !polling->touched && core->pc / 4 >= polling->first &&
           core->pc / 4 <= polling->jump;
}

/* The jump back at `self` is taken, over so many instructions; the next one may enter EX1 at `now`, as number
   `instret`. `before`: when the instruction before the jump has left the retire queue. Returns whether the loop has
   turned out not to poll: it need not be looked at any more.
   A time round takes as long as the one before it did, if that one changed nothing that matters: not the registers, nor
   what the frontend has learned, and if at the begin of both nothing was under way that could delay an instruction, nor
   has it loaded from L1. Cores that do may poll as well: tile/timed_circles.h. */
bool rv32_time_round(struct rv32_timing *timing, uint32_t self, int32_t distance, const uint32_t *x, uint64_t now,
                     uint64_t instret, uint64_t before);

/* A core that polls has gone its circle so often more. */
void rv32_time_rounds(struct rv32 *rv32, uint64_t rounds);

/* What cores share, those of `shared`, has done so, too, for the cores that use it; a circle takes so many cycles. */
void rv32_time_shared_rounds(struct rv32_shared_timing *timing, uint64_t shared, uint64_t cycles);

/* Hashes of a core's registers, of what its frontend foresees, and of all else that its next instructions and their
   times depend on, but for memory and vector registers. Times are relative to its clock. */
uint64_t rv32_registers_digest(const struct rv32 *rv32);
uint64_t rv32_frontend_digest(const struct rv32_timing *timing);
uint64_t rv32_time_digest(const struct rv32 *rv32);

/* The same of what cores share, relative to `now`. */
uint64_t rv32_shared_digest(const struct rv32_shared_timing *timing, uint64_t shared, uint64_t now);

/* The core leaves reset: nothing of what it did before delays it. Others still see what it has stored when they would.
 */
void rv32_time_reset(struct rv32_timing *timing);

/* Empties the core's instruction cache, and has no jump foreseen any more. */
void rv32_time_flush(struct rv32_timing *timing);

/* What the loop asks; `at` is when the instruction entered EX1, and becomes the cycle before it leaves it for the
   Load/Store Unit. A load's result is for instructions that enter EX1 so many cycles later as is returned.
   `word` of L1 is the next instruction, in a line that may not be in the instruction cache; `follows`: it is the first
   of the line behind the last one.
   `replaced`: what stood in L1 where the store already is; null: others may see it at once. */
uint64_t rv32_time_fetch(struct rv32 *rv32, uint64_t now, uint32_t word, bool follows);
uint64_t rv32_time_load(struct rv32 *rv32, uint64_t *at, uint32_t address, uint32_t size);
uint64_t rv32_time_store(struct rv32 *rv32, uint64_t at, uint32_t address, uint32_t size, const void *replaced);
uint64_t rv32_time_atomic(struct rv32 *rv32, uint64_t *at, uint32_t address);
uint64_t rv32_time_fence(struct rv32 *rv32, uint64_t at);
uint32_t rv32_division_cycles(enum rv32_op op, uint32_t dividend, uint32_t divisor);

enum {
    RV32_CFG0_DIS_LD_BUF_BYP = 1 << 0,
    RV32_CFG0_DIS_BP = 1 << 1,
    RV32_CFG0_DIS_IC_PREFETCH = 1 << 2,
    RV32_CFG0_DIS_LOW_CASH = 1 << 3,
    RV32_CFG0_DIS_CSR_SYNC = 1 << 10,
    RV32_CFG0_DIS_ST_MERGE = 1 << 12,
    RV32_CFG0_ST_MERGE_TIMER = 13, /* first bit of five */
    RV32_CFG0_DIS_TRISC_CACHE = 1 << 18,
    RV32_CFG0_DIS_LOW_CACHE_PERIODIC_FLUSH = 1 << 24,
};

/* How long L1 takes for a store of these bytes of a line: less than all are read, changed, and written. */
static inline uint32_t rv32_cycles_to_write(uint32_t bytes)
{
    return bytes == (UINT64_C(1) << RV32_LINE) - 1 ? TIMING_RV32_STORE : TIMING_RV32_STORE_L1;
}

static inline uint32_t rv32_merge_timer(const struct rv32_core *core)
{
    return core->csr[RV32_CSR_cfg0] >> RV32_CFG0_ST_MERGE_TIMER & 31;
}

static inline bool rv32_synchronizes(const struct rv32_core *core)
{
    return !(core->csr[RV32_CSR_cfg0] & RV32_CFG0_DIS_CSR_SYNC);
}

/* Whether the core's instruction cache makes one instruction of neighbouring .ttinsn. */
static inline bool rv32_fuses(const struct rv32_core *core)
{
    return core->id != BH_CORE_B && core->id != BH_CORE_NC && !(core->csr[RV32_CSR_cfg0] & RV32_CFG0_DIS_TRISC_CACHE);
}

/* Whether the core executes the .ttinsn at `pc` as it has come from L1, not out of the instruction cache, which fuses.
 */
static inline bool rv32_time_is_cold(struct rv32_timing *timing, uint32_t pc)
{
    if (RV32_FETCHED(pc / RV32_FETCH_BYTES) != timing->cold_line || pc < timing->cold) {
        return false;
    }
    timing->cold = pc + 4;
    return true;
}

/* Until when what has been prefetched can delay an instruction. */
static inline uint64_t rv32_prefetches_until(const struct rv32_timing *timing)
{
    return timing->coming ? timing->coming_at + TIMING_RV32_FETCH_AHEAD * TIMING_RV32_FETCH_LINE : 0;
}

/* What the frontend foresees has changed. */
static inline void rv32_frontend_learns(struct rv32_timing *timing)
{
    timing->polling.learned = true;
    timing->polling.frontend_changes++;
}

static inline uint32_t rv32_fetch_lines(const struct rv32_core *core)
{
    bool small = core->id == BH_CORE_T1 || core->id == BH_CORE_NC;
    return (uint32_t)(small ? TIMING_RV32_FETCH_BYTES_SMALL : TIMING_RV32_FETCH_BYTES) / RV32_FETCH_BYTES;
}

/* Whether the last store in the queue, one to L1, waits there for others that join it. */
static inline bool rv32_store_waits(const struct rv32_timing *timing)
{
    return timing->stores[(timing->store - 1) % RV32_STORE_QUEUE].leaves == CLOCK_NEVER;
}

/* Whether a load from local RAM that entered EX1 at `at` can not meet a store in the queue. */
static inline bool rv32_stores_drained(const struct rv32_timing *timing, uint64_t at)
{
    return timing->drained + TIMING_RV32_STORE_TO_LOAD <= at + 1;
}

/* rv32_time_store() to anywhere but L1, if the queue is empty. false: it is not, nothing happened. */
static inline bool rv32_time_lonely_store(struct rv32_timing *timing, uint64_t at, uint32_t address, uint32_t size)
{
    if (rv32_store_waits(timing) || timing->drained > at + 1) {
        return false;
    }
    timing->drained = at + 1 + TIMING_RV32_STORE;
    timing->stores[timing->store++ % RV32_STORE_QUEUE] =
        (struct rv32_queued){.leaves = at + 1, .address = address, .bytes = size};
    return true;
}

/* rv32_time_load() from the NoC's registers, if the queue of stores is empty. 0: it is not, nothing happened. */
static inline uint32_t rv32_time_noc_load(struct rv32_timing *timing, uint64_t *at, uint32_t address)
{
    if (address - RV32_NOC_FIRST >= RV32_NOC_END - RV32_NOC_FIRST || !rv32_stores_drained(timing, *at) ||
        rv32_store_waits(timing)) {
        return 0;
    }
    uint64_t *in_flight = &timing->loads[timing->load++ % RV32_LOADS];
    uint64_t leaves = *at + 1 > *in_flight ? *at + 1 : *in_flight;
    *in_flight = leaves + TIMING_RV32_LOAD_TILE - 1;
    *at = leaves - 1;
    uint64_t comes = *at + TIMING_RV32_LOAD_TILE;
    timing->last_load = comes > timing->last_load ? comes : timing->last_load;
    return TIMING_RV32_LOAD_TILE;
}

#endif
