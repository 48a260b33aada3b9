/* Jitter of units: what an instruction has begun its unit does later than it might, as silicon may. Only while there is
   jitter (struct tensix's `jitter`), in both modes.

   UNPACR and PACR execute when they leave the gate, for all that is in order with their thread: counters, addresses of
   an UNPACR, whose a bank of Src is, diagnostics. When they are due their data move: an UNPACR's once more, of what L1
   holds at that time; a PACR's with the configuration and the rows of Dst of that time. XMOV and STOREIND to L1 do
   everything then. Loads into GPRs are late by units/late.h.

   In timed mode an instruction is due when its unit is done with it, which is later by what jitter has chosen; who
   waits for the unit waits until then. In functional mode it is due at a time of the tile's clock; STALLWAIT waits
   until then, who else waits for the unit makes it do what it has begun at once. Sources: ISA documentation
   BackendConfiguration.md, UNPACR_Regular.md, STALLWAIT.md, FLUSHDMA.md, MemoryOrdering.md. */
#ifndef BHEMU_TENSIX_UNITS_LAG_H
#define BHEMU_TENSIX_UNITS_LAG_H

#include "debug/diagnostic.h"
#include "tensix/units/addr/addr.h"
#include "tensix/units/issue.h"
#include "tensix/units/mover/mover.h"
#include "tensix/units/pack/pack.h"
#include "tensix/units/thread.h"
#include "tensix/units/unpack/job.h"

struct tensix;

/* Units that lag, as bits of 1 << enum timing_busy. */
#define LAG_OF_UNPACKERS (1u << BUSY_UNPACK0 | 1u << BUSY_UNPACK1)
#define LAG_OF_ALL (LAG_OF_UNPACKERS | 1u << BUSY_SCALAR | 1u << BUSY_PACK | 1u << BUSY_MOVER)

enum lag_kind { LAG_UNPACK, LAG_PACK, LAG_MOVE, LAG_STORE };

enum { LAG_WORKS = 30, LAG_STORED_BYTES = 16 };

/* What a unit has begun, with what its instruction found when it left the gate. */
struct lag_work {
    uint64_t due;
    struct diagnostic_origin origin;
    uint8_t kind, unit, thread;
    union {
        struct {
            struct unpack_job job;
            bool broadcast;
        } unpack;
        struct {
            struct pack_unit unit;
            struct adc adc[TENSIX_THREADS]; /* of the packer */
        } pack;
        struct mover_transfer move;
        struct {
            uint32_t address, bytes;
            uint8_t data[LAG_STORED_BYTES];
        } store;
    };
};

/* Plain data, all zero at first. */
struct lag {
    uint64_t count; /* instructions that jitter has chosen a delay for */
    uint64_t delay; /* of the one that executes now: cycles */
    uint32_t works; /* in their order; a unit does its own in this order */
    bool fresh;     /* the last one is of the instruction that executes now */
    bool at_work;   /* one of them is being done */
    struct lag_work of[LAG_WORKS];
};

/* tensix_dispatch_told() with jitter. */
enum step lag_dispatch(struct tensix *tensix, unsigned thread, struct pushed instruction);

/* Timed mode: the instruction has passed, and the times until which units are busy are known. */
void lag_passed(struct tensix *tensix, unsigned thread);

/* An UNPACR, whose data are to move once more; XMOV, and a store to L1 by the Scalar Unit, which are to
   be done, under jitter. */
void lag_unpack(struct tensix *tensix, const struct unpack_job *job, bool broadcast);
void lag_move(struct tensix *tensix, unsigned thread, struct mover_transfer transfer);
void lag_store(struct tensix *tensix, unsigned thread, uint32_t address, const void *data, uint32_t bytes);

/* The units do what they have begun for the thread, or for any (TENSIX_THREADS), and what was begun before it. */
void lag_settle(struct tensix *tensix, uint32_t units, unsigned thread);

/* The same for who waits for the units to have drained, in functional mode: loads into GPRs, too. */
void lag_drain(struct tensix *tensix, uint32_t units, unsigned thread);

/* Whether any of the units has yet to do something for the thread. */
bool lag_pends(const struct tensix *tensix, uint32_t units, unsigned thread);

/* What is due until `time` is done. Returns whether anything was. */
bool lag_arrive(struct tensix *tensix, uint64_t time);

/* When the next one is due; CLOCK_NEVER: none is under way. */
uint64_t lag_next(const struct lag *lag);

/* Functional mode: the tile's clock is at `time`. */
void lag_reach(struct tensix *tensix, uint64_t time);

#endif
