/* The Tensix coprocessor of one tile: three threads, each with its frontend, in front of units that they share.
   tensix_state is plain data, a section of the tile's state. struct tensix is what a unit is handed: the state, and the
   way to L1 and to diagnostics.

   A unit is one file pair in units/: the header declares the unit's state and helpers, the .c file defines one function
   for each instruction, `enum step execute_NAME(struct tensix *, unsigned thread, struct args_NAME)`, which either does
   all of it (STEP_DONE), nothing because it must wait (STEP_WAIT), or nothing because of a diagnostic (STEP_STOP).
   Its prototypes come from tables/tensix.def through tensix/execute.h. */
#ifndef BHEMU_TENSIX_TENSIX_H
#define BHEMU_TENSIX_TENSIX_H

#include "debug/diagnostic.h"
#include "memory/l1.h"
#include "tensix/frontend/frontend.h"
#include "tensix/registers.h"
#include "tensix/units/addr/addr.h"
#include "tensix/units/config/config.h"
#include "tensix/units/matrix/matrix.h"
#include "tensix/units/mover/mover.h"
#include "tensix/units/pack/pack.h"
#include "tensix/units/scalar/scalar.h"
#include "tensix/units/sync/sync.h"
#include "tensix/units/unpack/unpack.h"
#include "tensix/units/vector/vector.h"

struct engine;

enum { TENSIX_THREADS = 3 };

/* What performance counters count instructions by: the units that execute them. */
enum issue_class {
    ISSUE_CFG,
    ISSUE_SYNC,
    ISSUE_THCON,
    ISSUE_MOVE,
    ISSUE_MATRIX,
    ISSUE_VECTOR,
    ISSUE_UNPACK,
    ISSUE_PACK,
    ISSUE_OTHER,
    ISSUE_CLASSES
};
#define ISSUE_BIT(class) (1u << ISSUE_##class)
enum { ISSUE_ALL = (1 << ISSUE_CLASSES) - 1 };

/* Instructions that have left the wait gate, counted only while somebody wants to know. */
struct issue_counts {
    uint32_t wanted; /* one bit for each bank of performance counters that does */
    uint32_t executed[TENSIX_THREADS][ISSUE_CLASSES];
};

/* What every kernel uses lies together, from the flags behind the rows of Dst to the begin of the vector unit: memory
   is had page by page. */
struct tensix_state {
    struct dst_register_file dst;
    struct frontend frontend[TENSIX_THREADS];
    struct issue_counts issue;
    struct sync_unit sync;
    struct scalar_unit scalar;
    struct config_unit config;
    struct addr_unit addr;
    struct unpack_unit unpack;
    struct matrix_unit matrix;
    struct pack_unit pack;
    struct pack_plan pack_plan;
    struct mover mover;
    bool src_given_back; /* a bank of SrcA or SrcB, to the unpackers, by the instruction that just executed */
    struct vector_unit vector;
    struct src_register_file srca, srcb;
};

/* The way to the tile's memory-mapped registers, for those units that can take it: words at aligned addresses. And to
   the instruction caches of its cores, which configuration can flush, one bit for each; may be null. */
struct tensix_bus {
    void *context;
    enum step (*load)(void *context, uint32_t address, uint32_t *value);
    enum step (*store)(void *context, uint32_t address, uint32_t value);
    void (*flush_caches)(void *context, uint32_t cores);
};

struct tensix {
    struct tensix_state *state;
    struct l1 *l1;
    struct diagnostics *diagnostics;
    struct tensix_bus bus;
    struct rwc_modes modes[TENSIX_THREADS];
    struct engine *engine; /* null: instructions execute one by one */
};

/* Says in `diagnostics->now` that `thread` executes `instruction`. */
static inline void tensix_now(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    struct diagnostic_origin *now = &tensix->diagnostics->now;
    now->agent = BH_AGENT_THREAD;
    now->index = (uint8_t)thread;
    now->pc = instruction.pc;
    now->instruction = instruction.word;
}

/* Puts the coprocessor into the state that it has after reset. */
void tensix_reset(struct tensix_state *state);

/* The same for a state that is all zero bytes; it leaves most of them untouched, so that their memory stays unmapped.
 */
void tensix_reset_zeroed(struct tensix_state *state);

/* Executes one instruction word for `thread` at once: decodes it, checks its reserved bits, calls its unit.
   `pc` is that of the RISC-V instruction that pushed it. Used by the frontends behind their wait gates. */
enum step tensix_execute(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc);

/* Lets every thread execute until none can go on. Returns how many instructions passed. It ends early when a diagnostic
   stops the tile. */
uint32_t tensix_drain(struct tensix *tensix);

/* Counts an instruction that `thread` has executed. */
void issue_count(struct issue_counts *counts, unsigned thread, uint32_t word);

/* Whether no instruction is on its way in any thread. */
bool tensix_idle(const struct tensix_state *state);

#endif
