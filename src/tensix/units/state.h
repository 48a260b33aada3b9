/* The state of the Tensix coprocessor, and what a unit is handed to execute an instruction.
   struct tensix_state is plain data, a section of the tile's state. struct tensix is the state, with the way to L1, to
   the tile's registers and to diagnostics.

   A unit is a folder beside this file: its header declares its state and helpers, its .c files define one function for
   each of its instructions, `enum step execute_NAME(struct tensix *, unsigned thread, struct args_NAME)`, which either
   does all of it (STEP_DONE), nothing because it must wait (STEP_WAIT), or nothing because of a diagnostic (STEP_STOP).
   The prototypes come from tables/tensix.def through units/execute.h. */
#ifndef BHEMU_TENSIX_UNITS_STATE_H
#define BHEMU_TENSIX_UNITS_STATE_H

#include <stddef.h>

#include "debug/diagnostic.h"
#include "memory/l1.h"
#include "tensix/num/registers.h"
#include "tensix/units/addr/addr.h"
#include "tensix/units/config/config.h"
#include "tensix/units/issue.h"
#include "tensix/units/lag.h"
#include "tensix/units/matrix/matrix.h"
#include "tensix/units/mover/mover.h"
#include "tensix/units/pack/pack.h"
#include "tensix/units/scalar/scalar.h"
#include "tensix/units/sync/sync.h"
#include "tensix/units/thread.h"
#include "tensix/units/timing.h"
#include "tensix/units/unpack/begun.h"
#include "tensix/units/unpack/plan.h"
#include "tensix/units/unpack/unpack.h"
#include "tensix/units/vector/vector.h"

struct engine;

enum { TENSIX_PAGE = 4096, TENSIX_GAP = 1344 };

/* Memory is taken by page. On two pages are what a reset writes, and members that every kernel uses: from the valid
   flags behind the rows of Dst to the beginning of the vector unit's schedule. What kernels use that configure units is
   behind them, on pages of its own. */
struct tensix_state {
    struct dst_register_file dst;
    struct frontend frontend[TENSIX_THREADS];
    struct issue_counts issue;
    struct sync_unit sync;
    struct unpack_unit unpack;
    struct matrix_unit matrix;
    struct pack_unit pack;
    struct mover mover;
    bool src_given_back;     /* the last instruction gave a bank of SrcA or SrcB back to the unpackers */
    uint8_t src_handed_over; /* functional mode: a bit for each thread that has handed one over to the matrix unit, and
                                not tried its next instruction yet */
    struct vector_unit vector;
    uint8_t gap[TENSIX_GAP];
    struct scalar_unit scalar;
    struct config_unit config;
    struct addr_unit addr;
    struct pack_plan pack_plan;
    struct src_register_file srca, srcb;
    struct unpack_begun begun;
    struct tensix_timing timing; /* in timed mode */
    struct lag lag;              /* with jitter */
};

_Static_assert(offsetof(struct tensix_state, dst.valid) % TENSIX_PAGE == 0 &&
                   offsetof(struct tensix_state, vector.macro.queue) - offsetof(struct tensix_state, dst.valid) <=
                       2 * TENSIX_PAGE,
               "what a reset writes, and what every instruction reads, is on two pages");
_Static_assert(offsetof(struct tensix_state, scalar) % TENSIX_PAGE == 0, "TENSIX_GAP fills a page");

/* Access to the tile's memory-mapped registers, as words at aligned addresses. And flushing of its cores' instruction
   caches, one bit for each, which configuration can request; may be null. */
struct tensix_bus {
    void *context;
    enum step (*load)(void *context, uint32_t address, uint32_t *value);
    enum step (*store)(void *context, uint32_t address, uint32_t value);
    void (*flush_caches)(void *context, uint32_t cores);
};

struct tensix {
    struct tensix_state *state;
    struct l1 *l1;
    struct observed *observed; /* null: not observed; otherwise threads execute one instruction at a time */
    struct diagnostics *diagnostics;
    struct tensix_bus bus;
    struct rwc_modes modes[TENSIX_THREADS];
    struct unpack_plan unpack_plans[UNPACKERS][UNPACK_PLANNED_CONTEXTS]; /* by the last bit of the context's number */
    struct engine *engine;                                               /* null: instructions execute one by one */
    struct timing_words *words;                                          /* timed mode */
    bool timed;      /* timed mode: cores that push do not let threads execute, which go when it is their time */
    bool defers;     /* timed mode, or jitter: what units write is there later than their instructions execute */
    uint64_t jitter; /* seed; 0: none */
};

/* Records in `diagnostics->now` that `thread` executes `instruction`. */
static inline void tensix_now(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    struct diagnostic_origin *now = &tensix->diagnostics->now;
    now->agent = BH_AGENT_THREAD;
    now->index = (uint8_t)thread;
    now->pc = instruction.pc;
    now->instruction = instruction.word;
}

#endif
