/* The timeline of a tile: what its cores, threads and units did, in bins of equal length. When a run goes beyond the
   last bin, pairs of bins become one: the number of bins stays, and each is twice as long. */
#ifndef BHEMU_WATCH_PROFILE_TIMELINE_H
#define BHEMU_WATCH_PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/profile.h"

enum { PROFILE_BINS_MOST = 4096, PROFILE_BINS = 1024, PROFILE_TIMELINES = 12, PROFILE_TIMELINES_OF_GROUP = 4 };

/* Units, of which there are two unpackers: the second one is behind the others. Then bytes that come over the NoCs, and
   that leave. */
enum { PROFILE_UNPACKER_1 = BH_UNITS, PROFILE_NOC_IN, PROFILE_NOC_OUT, PROFILE_UNIT_LANES };

struct profile_timeline {
    uint64_t from;  /* of bin 0 */
    uint64_t width; /* cycles of a bin: a power of two */
    uint32_t bins;
    uint64_t *states; /* [agent][state][bin]: cycles */
    uint64_t *units;  /* [unit][bin]: cycles; functional mode: instructions; bytes */
};

/* null: no memory. */
struct profile_timeline *profile_timeline_new(uint64_t from, uint32_t bins);
void profile_timeline_free(struct profile_timeline *timeline);

/* From `from` on, up to but without `to`. */
void profile_timeline_state(struct profile_timeline *timeline, unsigned agent, unsigned state, uint64_t from,
                            uint64_t to);
void profile_timeline_unit(struct profile_timeline *timeline, unsigned unit, uint64_t from, uint64_t to);

/* So many bytes, at one time. */
void profile_timeline_bytes(struct profile_timeline *timeline, unsigned lane, uint64_t at, uint32_t bytes);

static inline const uint64_t *profile_timeline_states(const struct profile_timeline *timeline, unsigned agent,
                                                      unsigned state)
{
    return &timeline->states[((uint64_t)agent * BH_PROFILE_STATES + state) * timeline->bins];
}

static inline const uint64_t *profile_timeline_units(const struct profile_timeline *timeline, unsigned unit)
{
    return &timeline->units[(uint64_t)unit * timeline->bins];
}

#endif
