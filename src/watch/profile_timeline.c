#include "watch/profile_timeline.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = BH_PROFILE_AGENTS * BH_PROFILE_STATES };

struct profile_timeline *profile_timeline_new(uint64_t from, uint32_t bins)
{
    struct profile_timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline) {
        return NULL;
    }
    *timeline = (struct profile_timeline){.from = from, .width = 1, .bins = bins};
    timeline->states = calloc((size_t)ROWS * bins, sizeof *timeline->states);
    timeline->units = calloc((size_t)PROFILE_UNIT_LANES * bins, sizeof *timeline->units);
    if (!timeline->states || !timeline->units) {
        profile_timeline_free(timeline);
        return NULL;
    }
    return timeline;
}

void profile_timeline_free(struct profile_timeline *timeline)
{
    if (timeline) {
        free(timeline->states);
        free(timeline->units);
        free(timeline);
    }
}

static void join_pairs(uint64_t *row, uint32_t bins)
{
    for (uint32_t i = 0; i < bins / 2; i++) {
        row[i] = row[2 * i] + row[2 * i + 1];
    }
    memset(row + bins / 2, 0, bins / 2 * sizeof *row);
}

/* Makes bins long enough for all up to `to`. */
static void reach(struct profile_timeline *timeline, uint64_t to)
{
    while (to > timeline->from && (to - timeline->from - 1) / timeline->bins >= timeline->width) {
        for (unsigned row = 0; row < ROWS; row++) {
            join_pairs(timeline->states + (size_t)row * timeline->bins, timeline->bins);
        }
        for (unsigned row = 0; row < PROFILE_UNIT_LANES; row++) {
            join_pairs(timeline->units + (size_t)row * timeline->bins, timeline->bins);
        }
        timeline->width *= 2;
    }
}

static void add(struct profile_timeline *timeline, uint64_t *row, uint64_t from, uint64_t to)
{
    from -= timeline->from;
    to -= timeline->from;
    while (from < to) {
        uint64_t left = timeline->width - from % timeline->width, count = to - from < left ? to - from : left;
        row[from / timeline->width] += count;
        from += count;
    }
}

void profile_timeline_state(struct profile_timeline *timeline, unsigned agent, unsigned state, uint64_t from,
                            uint64_t to)
{
    reach(timeline, to);
    add(timeline, timeline->states + ((size_t)agent * BH_PROFILE_STATES + state) * timeline->bins, from, to);
}

void profile_timeline_unit(struct profile_timeline *timeline, unsigned unit, uint64_t from, uint64_t to)
{
    reach(timeline, to);
    add(timeline, timeline->units + (size_t)unit * timeline->bins, from, to);
}

void profile_timeline_bytes(struct profile_timeline *timeline, unsigned lane, uint64_t at, uint32_t bytes)
{
    reach(timeline, at + 1);
    timeline->units[(size_t)lane * timeline->bins + (at - timeline->from) / timeline->width] += bytes;
}
