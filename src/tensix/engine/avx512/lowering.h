/* The lowering of a trace under way: engine/avx512/lower.c has its order, words.c the operations on words and SFPSWAP,
   flags.c the lane flags, dst.c the way to Dst, configure.c SFPCONFIG, calls.c sums and what has no code of its own.
   Internal to engine/avx512/. */
#ifndef BHEMU_TENSIX_ENGINE_AVX512_LOWERING_H
#define BHEMU_TENSIX_ENGINE_AVX512_LOWERING_H

#include <stddef.h>
#include <string.h>

#include "jit/evex.h"
#include "tensix/engine/avx512/lower.h"
#include "tensix/num/sfpu_mad_registers.h"
#include "tensix/units/vector/words.h"

/* Half h of LReg[i] is vector 2 * i + h, in memory and, of those that can be written, in registers, from the host's
   zmm16 on, which some functions leave as they are. Those that follow in number begin with the host's zmm0: temporaries
   of operations on words, and two for what is made of these. */
enum {
    HALVES = 2,
    FIRST_TEMPORARY = HALVES * LREG_WRITABLE,
    FIRST_RESULT = FIRST_TEMPORARY + 14,
    FIRST_HOST_REGISTER = 16
};

/* A set of lanes: none, all, or those that a pair of mask registers has; saved: those that the stack has in memory. */
struct lane_mask {
    enum { MASK_NONE, MASK_ALL, MASK_PAIR, MASK_SAVED } kind;
    uint8_t pair;
};

/* Mask register of a half of the lanes; the highest is free for use within an instruction, as is the lowest. */
enum { MASK_PAIRS = 3, MASK_TEMPORARY = 7 };
static inline uint8_t mask_register(struct lane_mask mask, unsigned half)
{
    return (uint8_t)(mask.kind == MASK_PAIR ? 1 + HALVES * mask.pair + half : 0);
}

/* An entry of FlagStack. UseLaneFlagsForLaneEnable is the same in all lanes. */
struct known_flags {
    bool known; /* what it was when the trace began is in memory, and as the guards say */
    bool use;
    struct lane_mask flags;
};

/* What an operation is made of: an instruction that has not been emitted yet, without the register that it writes
   (EVEX_TERNARY: with it), or EVEX_MOVE of something that is in its place. */
typedef struct evex_instruction value;

enum { CONSTANTS = 16 };

struct lowering {
    struct evex_code code;
    const struct vector_operation *operations;
    uint32_t count;
    const struct trace_guards *guards;
    struct constant {
        uint32_t value, place;
    } constants[CONSTANTS * TRACE_LONGEST];
    uint32_t constants_count;
    bool calls; /* sums do, and operations without code of their own */
    /* Of one body: in which lanes its instructions execute, and whether anything comes of their results. */
    enum lanes_kind { IN_NO_LANES, IN_ALL_LANES, IN_SOME_LANES } executes_in[TRACE_LONGEST];
    bool needed[TRACE_LONGEST], constant[TRACE_LONGEST]; /* constant: the result does not depend on LRegs */
    /* At a place in the body. */
    uint32_t place;           /* the instruction at hand */
    uint32_t destinations;    /* the vectors that the instruction at hand may write */
    uint32_t loaded, written; /* the vectors that are in registers, and that have been written */
    uint32_t loaded_first;    /* those that were loaded from memory, before any handler was called */
    uint32_t at_start;        /* those that are in registers when the body begins */
    bool handled;             /* a handler has been called */
    uint32_t live;            /* the LRegs that matter when the body begins */
    bool goes_below;          /* the stack is, or was, popped to less than it had at first */
    struct {
        uint32_t bits, value;
    } known[LREG_WRITABLE]; /* the bits of each LReg that are the same in all lanes, as immediates were loaded */
    struct known_flags flags;
    struct known_flags stack[2 * SFPU_STACK]; /* from the lowest entry that may be looked at on */
    unsigned depth;                           /* of that */
    uint32_t dst_remainder;                   /* struct dst_guards, in this execution */
    uint32_t dst_step;                        /* by how much instructions have moved the counter of Dst */
    /* Of the operation at hand. */
    uint32_t taken, shared; /* temporaries in use, and those of them that stay so */
    uint8_t half;
};

/* A place in struct vector_unit, to which rdi points. */
#define IN_VECTOR_UNIT(member) ((struct evex_address){EVEX_RDI, (int32_t)offsetof(struct vector_unit, member)})

/* The lanes that are enabled. */
struct lane_mask lowered_lanes(const struct lowering *t);

/* A constant, for the operand of an instruction. */
struct evex_operand lowered_constant(struct lowering *t, uint32_t number);

/* In place of an LReg's number: what is in this register of the host, and those after it. */
enum { IN_REGISTER = 64 };

/* What an operation does to words, in the lanes of `mask`, which are not none; the same for this half; and for this
   half in all lanes into a register of the host. */
void lower_operation(struct lowering *t, const struct vector_operation *operation, struct lane_mask mask);
void lower_half(struct lowering *t, const struct vector_operation *operation, struct lane_mask mask);
void lower_into(struct lowering *t, const struct vector_operation *operation, uint8_t to);

/* k`to` = the lanes of this half where VC of an operation comes before its VB, or where not. */
void lower_comparison(struct lowering *t, const struct vector_operation *operation, bool less, uint8_t to);

/* What is at `from` into register `to`, in the lanes of k`mask`. */
void lower_move(struct lowering *t, uint8_t to, uint8_t mask, struct evex_operand from);

/* An operation of kind VECTOR_SUM, in the lanes of `mask`, which are not none; and whether operations have calls. */
void lower_sum(struct lowering *t, const struct vector_operation *operation, struct lane_mask mask);
bool lowering_calls(const struct vector_operation *operations, uint32_t count);

/* EFFECT_EXCHANGE and EFFECT_CONFIGURE where `lanes` are enabled. */
void lower_exchange(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes);
void lower_configuring(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes);

/* The operation at hand, which has no code of its own, by its handler (engine/portable.h), for which LRegs are in
   memory; and what handlers are told of operations, where code begins. */
void lower_by_handler(struct lowering *t, struct lane_mask lanes);
void lower_handlers(struct lowering *t);

/* Has in memory what LRegs have in registers. */
void lower_stores(struct lowering *t);

/* EFFECT_LOAD, EFFECT_STORE and EFFECT_COUNT; and the counter of Dst, from memory at first and back at the end. */
void lower_load(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes);
void lower_store(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes);
void lower_counting(struct lowering *t, const struct vector_operation *operation);
void lower_first_dst(struct lowering *t);
void lower_last_dst(struct lowering *t);

/* Before the same instructions are executed once more: finds their rows. Whether that is by the same code if they are
   executed so often, once or twice. */
void lower_dst_again(struct lowering *t);
bool lowered_dst_returns(const struct lowering *t, uint32_t times);

/* The register that a half of an LReg is in, loaded if it was not; or the place of one that cannot be written. */
struct evex_operand lowered_lreg(struct lowering *t, uint32_t lreg);

/* The register of one that can be written, for a result in `lanes`: what is there stays in others. */
uint8_t lowered_result(struct lowering *t, uint32_t lreg, struct lane_mask lanes);

/* The guards of a trace, for the state at hand. false: there is no code for this state. */
bool find_trace_guards(const struct vector_unit *vector, const struct vector_operation *operations, uint32_t count,
                       struct trace_guards *guards);

bool find_dst_guards(const struct tensix_state *state, unsigned thread, const struct vector_operation *operations,
                     uint32_t count, struct dst_guards *guards);

/* Lane flags as they are when a run begins, in all lanes or in some; what an instruction does to them; and to have them
   in memory at the end. */
void lower_first_flags(struct lowering *t, bool all_lanes);
void lower_effect(struct lowering *t, const struct vector_operation *operation);
void lower_last_flags(struct lowering *t);

/* The mask registers that have lane flags, now or in entries of the stack. */
uint8_t lowered_live_masks(const struct lowering *t);

/* Whether the same code can be executed once more, as far as flags have a say in it, in what were all lanes or some at
   first; if so, they come to be where they were. */
bool lower_flags_again(struct lowering *t, bool all_lanes);

/* Before a call: lane flags that it is to keep, if it is those of a pair, and none of the others are in registers any
   more. After it: where the stack is. */
struct lane_mask lowered_kept_flags(struct lowering *t);
void lower_stack_entry(struct lowering *t);

#endif
