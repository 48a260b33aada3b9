/* Instructions of the vector unit, and of the counters by which it finds its rows, kept in decoded form: those that
   neither wait nor set flags, and for which no diagnostic is possible, or at least not in the state that they find
   when they execute. There is a plan for each place of a replay buffer, and for each place from which on plans have
   executed, how many stand there in a row and execute together: a run. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_PLAN_H
#define BHEMU_TENSIX_UNITS_VECTOR_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix_isa.h"
#include "tensix/frontend/frontend.h"
#include "tensix/num/sfpu_mad.h"
#include "tensix/units/vector.h"
#include "tensix/units/vector_translate.h"

struct tensix;

/* vd = f(vb, vc, immediate) in `lanes`. The LRegs may be the same. */
typedef void lane_operation(uint32_t *vd, const uint32_t *vb, const uint32_t *vc, uint32_t immediate, uint32_t lanes);

struct vector_plan;

/* Executes an instruction. false: there is more to it in the state at hand. Then nothing has happened, and it is to be
   executed the usual way. Nothing is scheduled by SFPLOADMACRO. */
typedef bool vector_call(struct tensix *tensix, unsigned thread, const struct vector_plan *plan);

enum vector_plan_kind {
    VECTOR_NOT_PLANNED,
    VECTOR_NOTHING, /* what has no effect */
    VECTOR_WORDS,   /* vd = operation(vb, vc, immediate), one of vector_words.h */
    VECTOR_SUM,     /* vd = va * vb + vc */
    VECTOR_CALL     /* whatever `call` does */
};

struct vector_plan {
    uint32_t word; /* of which this is the plan */
    uint32_t immediate;
    union {
        lane_operation *operation; /* VECTOR_WORDS */
        vector_call *call;         /* VECTOR_CALL */
    };
    uint8_t kind;           /* enum vector_plan_kind */
    uint8_t word_operation; /* VECTOR_WORDS: which, once the plan is one of a replay buffer */
    uint8_t vd, va, vb, vc;
    union {
        bool chooses_vb;   /* VECTOR_WORDS: SFPLOADMACRO may choose another VB */
        uint8_t addr_mode; /* VECTOR_CALL */
    };
    /* Where the LRegs lie, once the plan is one of a replay buffer. */
    struct sfpu_mad_step lregs; /* x_sign, z_sign: of the instruction, VECTOR_SUM only */
};

/* The plan of an instruction; VECTOR_NOT_PLANNED for all others. */
struct vector_plan vector_plan_of(uint32_t word);

/* Whether an instruction is one of the vector unit, or comes behind all of those. */
static inline bool vector_has_opcode(uint32_t word)
{
    enum { FIRST_OPCODE = 0x70 };
    return word >> 24 >= FIRST_OPCODE;
}

/* Whether an instruction may have a plan. */
static inline bool vector_may_be_planned(uint32_t word)
{
    return vector_has_opcode(word) || word >> 24 == TENSIX_OPCODE_INCRWC || word >> 24 == TENSIX_OPCODE_SETRWC;
}

/* Plans of one kind that stand in a row. */
struct vector_run {
    uint64_t loads;    /* struct vector_replay, when the run was found; it holds as long as that stays so */
    vector_code *code; /* VECTOR_WORDS: the run in translation, or null */
    uint8_t executed;  /* VECTOR_WORDS: how often, up to when it is translated */
    uint8_t kind;      /* enum vector_plan_kind */
    uint8_t count;     /* 0 if VECTOR_NOT_PLANNED */
};

/* What is known of a replay buffer. */
struct vector_replay {
    uint64_t loads; /* how often another word has come to stand anywhere in it; that it was reset does not count */
    struct vector_run runs[REPLAY_CAPACITY];
    struct vector_plan plans[REPLAY_CAPACITY];
};

/* Says that another word has come to stand in the replay buffer. */
static inline void vector_replay_loaded(struct vector_replay *replay)
{
    replay->loads++;
}

/* Whether it is known that there is no plan for what stands in `place`. */
static inline bool vector_known_not_planned(const struct vector_replay *replay, uint32_t place)
{
    const struct vector_run *run = &replay->runs[place];
    return run->loads == replay->loads && run->kind == VECTOR_NOT_PLANNED;
}

/* vector_run_plans() for a run that has been translated, all of which may execute. 0: there is none. */
static inline uint32_t vector_run_translated(struct vector_unit *vector, const struct vector_replay *replay,
                                             uint32_t place, uint32_t count)
{
    const struct vector_run *run = &replay->runs[place];
    if (!run->code || run->loads != replay->loads || run->count > count ||
        vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX) {
        return 0;
    }
    run->code(vector->lreg[0], vector_enabled_lanes(vector));
    return run->count;
}

/* Warns if `word`, executed in the cycle after `before`, reads what that has not written yet. */
enum step vector_check_pair(struct tensix *tensix, uint32_t before, uint32_t word);

/* Executes for `thread` what stands in its replay buffer of `words` from `place` on, `count` instructions at the most,
   up to the first that has no plan, or whose plan does not hold. None of them may be zero, as what a reset leaves.
   Returns how many it has executed. Nothing may be scheduled by SFPLOADMACRO. */
uint32_t vector_run_plans(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t place,
                          uint32_t count);

#endif
