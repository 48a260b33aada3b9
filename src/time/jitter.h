/* Jitter: delays where hardware gives no guarantee. All random numbers for it come from here: from a seed, the place
   and the time, or a count, alone, so that the same seed gives the same run on any number of host threads. Who asks:
   the device for the length of its quanta, tiles for their slices, cores and threads for when they go on, units for
   when what they do is there (tensix/units/lag.h). struct bh_device_config's `jitter`. */
#ifndef BHEMU_TIME_JITTER_H
#define BHEMU_TIME_JITTER_H

#include <stdbool.h>
#include <stdint.h>

enum { JITTER_NIU = 24, JITTER_DEVICE = 255 }; /* in place of an agent: NIU 0, NIU 1 after it; the device */

/* 32 random bits for an agent at a time. */
static inline uint32_t jitter_bits(uint64_t seed, uint64_t time, unsigned agent)
{
    uint64_t bits = seed + 0x9e3779b97f4a7c15u * (time + 1) + ((uint64_t)agent << 56);
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(bits >> 32);
}

/* Of a tile, from that of the device; never 0. */
static inline uint64_t jitter_of_tile(uint64_t seed, unsigned x, unsigned y)
{
    return seed ? (seed ^ (uint64_t)(x + 1) << 48 ^ (uint64_t)(y + 1) << 40) | 1 : 0;
}

/* Functional mode: of how many cycles, at most `longest`, a slice is; whether the agent does nothing in it. Now and
   then an agent is held for many slices in a row. */
static inline uint32_t jitter_slice(uint64_t seed, uint64_t time, uint32_t longest)
{
    return 1 + jitter_bits(seed, time, JITTER_DEVICE) % longest;
}

static inline bool jitter_holds(uint64_t seed, uint64_t time, unsigned agent)
{
    enum { LONG = 1024, OF_16 = 3 };
    bool long_hold = jitter_bits(seed, time / LONG, agent + 16) % 16 == 0;
    return jitter_bits(seed, time, agent) % 16 < (long_hold ? 15 : OF_16);
}

/* Timed mode: an agent begins nothing in some spans of time, most of them short. */

struct jitter_span {
    uint64_t from, to;
};

/* That of a window of so many cycles; empty, at its end, in most windows. */
static inline struct jitter_span jitter_span_of(uint64_t seed, uint64_t time, unsigned agent, uint32_t window,
                                                unsigned one_of)
{
    uint64_t begin = time / window * window;
    uint32_t bits = jitter_bits(seed, begin, agent + window), longest = window / 2;
    if (bits % one_of) {
        return (struct jitter_span){begin + window, begin + window};
    }
    uint64_t from = begin + (bits >> 4) % (window - longest);
    return (struct jitter_span){from, from + 1 + (bits >> 20) % longest};
}

enum { JITTER_SHORT = 64, JITTER_LONG = 4096 };

/* When the agent may begin what it could begin at `time`; *until: before this time what comes next. However time is
   divided into turns, the same comes of it. */
static inline uint64_t jitter_begin(uint64_t seed, uint64_t time, unsigned agent, uint64_t *until)
{
    for (;;) {
        struct jitter_span brief = jitter_span_of(seed, time, agent, JITTER_SHORT, 2);
        struct jitter_span lasting = jitter_span_of(seed, time, agent, JITTER_LONG, 4);
        uint64_t before = time;
        time = time >= brief.from && time < brief.to ? brief.to : time;
        time = time >= lasting.from && time < lasting.to ? lasting.to : time;
        if (time == before) {
            uint64_t end = (time / JITTER_SHORT + 1) * JITTER_SHORT;
            end = brief.from > time && brief.from < end ? brief.from : end;
            *until = lasting.from > time && lasting.from < end ? lasting.from : end;
            return time;
        }
    }
}

/* By how many cycles a unit is later with its next instruction, the `count`th of the tile's. Units are slow for some
   instructions in a row: a mistake often needs more than one that is late. */
static inline uint64_t jitter_of_unit(uint64_t seed, uint64_t count, unsigned unit)
{
    enum { IN_A_ROW = 32, FIRST_UNIT = 32, SELDOM = 8, SHORT = 64, LONG = 1000 };
    uint32_t bits = jitter_bits(seed, count, FIRST_UNIT + unit);
    bool slow = jitter_bits(seed, count / IN_A_ROW, 2 * FIRST_UNIT + unit) % 4 == 0;
    return bits % (slow ? 2 : SELDOM) ? 0 : (bits >> 8) % (slow && !(bits >> 24 & 3) ? LONG : SHORT);
}

#endif
