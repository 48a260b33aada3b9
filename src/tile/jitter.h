/* Jitter: delays where hardware gives no guarantee, chosen by a seed, the place and the time alone, so that the same
   seed gives the same run on any number of host threads. struct bh_device_config's `jitter`. */
#ifndef BHEMU_TILE_JITTER_H
#define BHEMU_TILE_JITTER_H

#include <stdbool.h>
#include <stdint.h>

enum { JITTER_DEVICE = 255 }; /* in place of an agent */

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

/* Timed mode: by how many cycles the agent goes on later. */
static inline uint64_t jitter_delay(uint64_t seed, uint64_t time, unsigned agent)
{
    enum { SELDOM = 16, SHORT = 32, LONG = 1000 };
    uint32_t bits = jitter_bits(seed, time, agent);
    return bits % SELDOM ? 0 : (bits >> 8) % (bits >> 24 & 7 ? SHORT : LONG);
}

#endif
