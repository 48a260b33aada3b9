/* The vector unit (SFPU): 32 lanes, LRegs, per-lane condition codes, and its way to Dst.

   Lane l is column l % 8 * 2 (+ 1 for odd columns) of row l / 8 of the four rows that an instruction touches.
   LReg[0..7] are general purpose, LReg[8..10] constants (0.8373, 0, 1), LReg[11..14] constants that SFPCONFIG can set,
   LReg[15] holds twice the lane's number; LReg[16] belongs to SFPLOADMACRO.
   What is one bit a lane is kept as one word, bit l for lane l.
   Sources: ISA documentation VectorUnit.md, LReg.md and the SFP* pages. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_VECTOR_H
#define BHEMU_TENSIX_UNITS_VECTOR_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "tensix/units/vector/loadmacro/macro.h"
#include "util/aligned.h"

enum { SFPU_LANES = 32, SFPU_LREGS = 17, SFPU_STACK = 8, SFPU_MACROS = 4 };

/* Bits of LaneConfig (ISA documentation SFPCONFIG.md). */
enum lane_config {
    LANE_CONFIG_ENABLE_FP16A_INF = 1 << 0,
    LANE_CONFIG_DISABLE_BACKDOOR_LOAD = 1 << 1,
    LANE_CONFIG_ENABLE_DEST_INDEX = 1 << 2,
    LANE_CONFIG_CAPTURE_DEFAULT_DEST_INDEX = 1 << 3,
    LANE_CONFIG_BLOCK_DEST_WR_FROM_SFPU = 1 << 4,
    LANE_CONFIG_BLOCK_SFPU_RD_FROM_DEST = 1 << 5,
    LANE_CONFIG_DEST_RD_COL_EXCHANGE = 1 << 6,
    LANE_CONFIG_DEST_WR_COL_EXCHANGE = 1 << 7,
    LANE_CONFIG_EXCHANGE_SRCB_SRCC = 1 << 8,
    LANE_CONFIG_BLOCK_DEST_MOV = 3 << 9,
    LANE_CONFIG_ROW_MASK_SHIFT = 12,
    LANE_CONFIG_BITS = (1 << 18) - 1
};

/* UseLaneFlagsForLaneEnable and LaneFlags in one entry of FlagStack. */
struct vector_flags {
    uint32_t use_lane_flags, lane_flags;
    uint32_t missing; /* lanes whose stacks do not have this entry */
};

struct vector_unit {
    CACHE_LINE_ALIGNED uint32_t lreg[SFPU_LREGS][SFPU_LANES];
    uint32_t prng[SFPU_LANES];             /* next to LRegs for generated code, which counts vectors */
    uint32_t use_lane_flags;               /* UseLaneFlagsForLaneEnable */
    uint32_t lane_flags;                   /* LaneFlags */
    struct vector_flags stack[SFPU_STACK]; /* FlagStack */
    uint32_t stack_depth;                  /* depth of the deepest lane */
    uint32_t lane_config[SFPU_LANES];      /* 18 bits */
    uint32_t any_lane_config;      /* bits of LaneConfig that are set in any lane; vector_configure() keeps it ... */
    uint32_t row_masked;           /* ... and the lanes that ROW_MASK switches off */
    uint32_t dst_stack_pointer[3]; /* RWCs[thread].Sp, used by SFPLOAD and SFPSTORE in mode INT32_ALL; 10 bits */
    struct {
        uint32_t instruction_template[SFPU_MACROS][SFPU_LANES];
        uint32_t sequence[SFPU_MACROS][SFPU_LANES];
        uint32_t misc[SFPU_LANES]; /* 12 bits */
    } load_macro;                  /* LoadMacroConfig */
    struct vector_macro macro;
};

/* The lanes in which an instruction has an effect: LaneEnabled of the documentation. */
static inline uint32_t vector_enabled_lanes(const struct vector_unit *vector)
{
    return (vector->lane_flags | ~vector->use_lane_flags) & ~vector->row_masked;
}

void vector_reset(struct vector_unit *vector);

/* The same for a unit that is all zero bytes, most of which stay untouched (tensix_reset_zeroed()). */
void vector_reset_zeroed(struct vector_unit *vector);

/* To be called after lane_config[] was written: updates the state derived from it. */
void vector_configure(struct vector_unit *vector);

/* The same by those who know which bits are set in any lane. */
void vector_configured(struct vector_unit *vector, uint32_t any);

struct tensix;

/* Executes `word` by `run`, and the due scheduled instructions in the same cycle or beside it. To be called in place
   of `run` while vector_schedule_active(). */
enum step vector_cycle(struct tensix *tensix, unsigned thread, uint32_t word,
                       enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word));

/* Lets time pass in which no instruction is issued, until this makes no more progress; in timed mode the cycles before
   `until`. Whether it made any. */
bool vector_let_time_pass(struct tensix *tensix, uint64_t until);

/* Whether it would make progress. */
bool vector_time_helps(const struct vector_unit *vector);

static inline bool vector_schedule_active(const struct vector_unit *vector)
{
    return vector->macro.active;
}

#endif
