/* What SETRWC and INCRWC do to the counters of SrcA, SrcB and Dst, so that several of them in a row become one: of each
   counter its new value and its new checkpoint are zero, its value, or its checkpoint, plus a number. Sources: ISA
   documentation SETRWC.md, INCRWC.md. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_COUNTERS_H
#define BHEMU_TENSIX_UNITS_VECTOR_COUNTERS_H

#include "tensix/units/addr/rwc.h"
#include "tensix/units/vector/operation.h"

/* Where a counter's value, or its checkpoint, comes from. */
enum counter_source { COUNTER_ZERO, COUNTER_VALUE, COUNTER_CHECKPOINT };

/* How a change of one counter stands in a word: numbers of ten bits, sources of two. Bit 31, of Dst's: the fidelity
   phase becomes zero. */
enum {
    COUNTER_NUMBER = 0x3ff,
    COUNTER_VALUE_AT = 0,
    COUNTER_CHECKPOINT_AT = 10,
    COUNTER_VALUE_FROM_AT = 20,
    COUNTER_CHECKPOINT_FROM_AT = 22,
    COUNTER_PHASE_AT = 31
};

/* Applies a change to a counter of `mask`. */
static inline void counter_change(uint32_t *value, uint32_t *checkpoint, uint32_t change, uint32_t mask)
{
    const uint32_t sources[4] = {[COUNTER_VALUE] = *value, [COUNTER_CHECKPOINT] = *checkpoint};
    *value = (sources[change >> COUNTER_VALUE_FROM_AT & 3] + (change >> COUNTER_VALUE_AT)) & mask;
    *checkpoint = (sources[change >> COUNTER_CHECKPOINT_FROM_AT & 3] + (change >> COUNTER_CHECKPOINT_AT)) & mask;
}

/* Executes a VECTOR_COUNTERS. */
static inline void vector_change_counters(struct rwc *rwc, const struct vector_operation *operation)
{
    counter_change(&rwc->srca, &rwc->srca_cr, operation->srca, RWC_SRC_MASK);
    counter_change(&rwc->srcb, &rwc->srcb_cr, operation->srcb, RWC_SRC_MASK);
    counter_change(&rwc->dst, &rwc->dst_cr, operation->immediate, RWC_DST_MASK);
    rwc->fidelity_phase = operation->immediate >> COUNTER_PHASE_AT ? 0 : rwc->fidelity_phase;
}

/* Makes *second do what *first and then *second do, if both only move counters; *first then does nothing. */
void vector_join_counters(struct vector_operation *first, struct vector_operation *second);

#endif
