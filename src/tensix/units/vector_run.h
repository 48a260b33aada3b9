/* Execution of what vector_plan.h has had translated, within its caller. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_RUN_H
#define BHEMU_TENSIX_UNITS_VECTOR_RUN_H

#include "tensix/tensix.h"

/* Where in run->translated a translation for the state at hand is. */
static inline unsigned vector_translated_index(const struct tensix_state *state, unsigned thread,
                                               const struct vector_run *run)
{
    return run->finds_columns ? state->addr.rwc[thread].dst >> 1 & 1 : 0;
}

/* The translation of a run that holds in the state at hand; null: there is none. *dst_origin: what its code is to be
   handed. */
static inline const struct vector_translated_run *vector_translation(const struct tensix_state *state, unsigned thread,
                                                                     const struct vector_run *run, uint32_t *dst_origin)
{
    const struct vector_translated_run *translated = &run->translated[vector_translated_index(state, thread, run)];
    const struct vector_assumptions *assumed = &translated->assumed;
    if (!translated->code || !vector_is_as_assumed(&state->vector, assumed) ||
        (assumed->dst.any && !vector_dst_is_as_assumed(state, &assumed->dst, dst_origin))) {
        return NULL;
    }
    return translated;
}

/* vector_run_plans() for a run that has been translated, all of which may execute. 0: there is none. */
static inline uint32_t vector_run_translated(struct tensix *tensix, unsigned thread, const struct vector_run *run,
                                             uint32_t count)
{
    enum { RARE = LANE_CONFIG_ENABLE_DEST_INDEX | LANE_CONFIG_EXCHANGE_SRCB_SRCC };
    struct vector_unit *vector = &tensix->state->vector;
    if (run->loads != tensix->replays[thread].loads || run->count > count || vector->any_lane_config & RARE) {
        return 0;
    }
    uint32_t dst_origin = 0;
    const struct vector_translated_run *translated = vector_translation(tensix->state, thread, run, &dst_origin);
    if (!translated) {
        return 0;
    }
    translated->code(vector, vector_enabled_lanes(vector), dst_origin);
    return run->count;
}

/* Executes a run that has been translated up to `times` times. Returns how often it has. */
static inline uint32_t vector_repeat_translated(struct tensix *tensix, unsigned thread, const struct vector_run *run,
                                                uint32_t times)
{
    uint32_t done = 0;
    while (done < times && vector_run_translated(tensix, thread, run, run->count)) {
        done++;
    }
    return done;
}

#endif
