/* Instructions of the vector unit that only compute on LRegs, kept in decoded form: those that neither wait nor set
   flags, and for which no diagnostic is possible. The replay expander keeps a plan for each of its places and has
   vector_run_plans() execute what stands there, many in a row. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_PLAN_H
#define BHEMU_TENSIX_UNITS_VECTOR_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/sfpu_mad.h"

struct tensix;
struct pushed;

/* vd = f(vb, vc, immediate) in `lanes`. The LRegs may be the same. */
typedef void lane_operation(uint32_t *vd, const uint32_t *vb, const uint32_t *vc, uint32_t immediate, uint32_t lanes);

enum vector_plan_kind {
    VECTOR_NOT_PLANNED,
    VECTOR_LANEWISE, /* vd = operation(vb, vc, immediate) */
    VECTOR_WORDS,    /* the same, of which vector_words.h knows */
    VECTOR_SUM       /* vd = va * vb + vc */
};

struct vector_plan {
    uint32_t word; /* of which this is the plan */
    uint32_t immediate;
    lane_operation *operation;
    uint8_t kind;           /* enum vector_plan_kind */
    uint8_t word_operation; /* VECTOR_WORDS: which */
    uint8_t vd, va, vb, vc;
    bool chooses_vb; /* SFPLOADMACRO may choose another VB */
    /* Where the LRegs lie, once vector_run_plans() has seen the plan. */
    struct sfpu_mad_step lregs; /* x_sign, z_sign: of the instruction, VECTOR_SUM only */
};

/* The plan of an instruction; VECTOR_NOT_PLANNED for all others. */
struct vector_plan vector_plan_of(uint32_t word);

/* Whether an instruction is one of the vector unit, so that it may have a plan. */
static inline bool vector_may_be_planned(uint32_t word)
{
    enum { FIRST_OPCODE = 0x70 };
    return word >> 24 >= FIRST_OPCODE;
}

/* Executes the instructions `from` on, `count` at the most, up to the first that has no plan. plans[i] is that of an
   earlier from[i], and brought up to date. Returns how many it has executed. Nothing may be scheduled by SFPLOADMACRO.
 */
uint32_t vector_run_plans(struct tensix *tensix, const struct pushed *from, struct vector_plan *plans, uint32_t count);

#endif
