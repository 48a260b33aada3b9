/* Execution of what engine/plan.h has had translated, within its caller. */
#ifndef BHEMU_TENSIX_ENGINE_RUN_H
#define BHEMU_TENSIX_ENGINE_RUN_H

#include "tensix/engine/verify.h"
#include "tensix/tensix.h"

/* Where in run->translated a translation for the state at hand is. */
static inline unsigned vector_translated_index(const struct tensix_state *state, unsigned thread,
                                               const struct vector_run *run)
{
    return run->finds_columns ? state->addr.rwc[thread].dst >> 1 & 1 : 0;
}

/* Whether a translation holds as far as that can change from one run to the next: lane flags, and the rows of Dst that
   its instructions find are to begin in the same place. */
static inline bool vector_translation_holds(const struct tensix_state *state, unsigned thread,
                                            const struct vector_translated_run *translated, uint32_t dst_origin)
{
    enum { ROWS = 4 };
    const struct vector_assumptions *assumed = &translated->assumed;
    uint32_t first = state->addr.rwc[thread].dst + dst_origin;
    return (!assumed->dst.any || first % ROWS == assumed->dst.remainder) &&
           vector_is_as_assumed(&state->vector, assumed);
}

/* The translation of a run that holds in the state at hand; null: there is none. *dst_origin: what its code is to be
   handed. *checked has one bit for each of run->translated of which what is configured is known to be as assumed. */
static inline const struct vector_translated_run *vector_translation(const struct tensix_state *state, unsigned thread,
                                                                     const struct vector_run *run, uint32_t *dst_origin,
                                                                     uint32_t *checked)
{
    unsigned index = vector_translated_index(state, thread, run);
    const struct vector_translated_run *translated = &run->translated[index];
    if (!translated->code) {
        return NULL;
    }
    if (translated->assumed.dst.any && !(*checked >> index & 1)) {
        if (!vector_dst_is_as_assumed(state, &translated->assumed.dst, dst_origin)) {
            return NULL;
        }
        *checked |= 1u << index;
    }
    return vector_translation_holds(state, thread, translated, *dst_origin) ? translated : NULL;
}

/* Executes a run that has been translated up to `times` times. Returns how often it has. No run changes what is
   configured, nor address modes. */
static inline uint32_t vector_repeat_translated(struct tensix *tensix, unsigned thread,
                                                const struct vector_replay *replay, const struct vector_run *run,
                                                uint32_t times)
{
    enum { RARE = LANE_CONFIG_ENABLE_DEST_INDEX | LANE_CONFIG_EXCHANGE_SRCB_SRCC };
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t done = 0, dst_origin = 0, checked = 0;
    if (run->loads != replay->loads || vector->any_lane_config & RARE) {
        return 0;
    }
    while (done < times) {
        const struct vector_translated_run *translated =
            vector_translation(tensix->state, thread, run, &dst_origin, &checked);
        if (!translated) {
            break;
        }
        if (__builtin_expect(tensix->translator.verifies, false)) {
            done += vector_verify(tensix, thread, replay, run, translated, dst_origin, times - done);
        } else {
            done = times - translated->code(vector, vector_enabled_lanes(vector), dst_origin, times - done);
        }
    }
    return done;
}

/* vector_run_plans() for a run that has been translated, all of which may execute. 0: there is none. */
static inline uint32_t vector_run_translated(struct tensix *tensix, unsigned thread, const struct vector_replay *replay,
                                             const struct vector_run *run, uint32_t count)
{
    return run->count <= count ? run->count * vector_repeat_translated(tensix, thread, replay, run, 1) : 0;
}

#endif
