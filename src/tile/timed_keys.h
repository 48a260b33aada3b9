/* Which agent of a tile goes next in timed mode: that with the lowest key, which is its time, then its number. */
#ifndef BHEMU_TILE_TIMED_KEYS_H
#define BHEMU_TILE_TIMED_KEYS_H

#include "tile/tile.h"

enum { AGENT_BITS = 3, AGENT_MASK = (1 << AGENT_BITS) - 1 };
_Static_assert(CLOCK_AGENTS <= 1 << AGENT_BITS, "an agent's number is in its key");

static inline uint64_t key_of(unsigned agent, uint64_t time)
{
    return time == CLOCK_NEVER ? CLOCK_NEVER : time << AGENT_BITS | agent;
}

static inline uint64_t time_of(uint64_t key)
{
    return key >> AGENT_BITS;
}

static inline void set_key(struct tile_schedule *schedule, unsigned agent, uint64_t key)
{
    uint32_t bit = 1u << agent;
    schedule->key[agent] = key;
    schedule->going = key == CLOCK_NEVER ? schedule->going & ~bit : schedule->going | bit;
}

/* The two lowest of some keys. */
struct lowest {
    uint64_t first, second;
};

static inline struct lowest lowest_of_two(uint64_t a, uint64_t b)
{
    return a < b ? (struct lowest){a, b} : (struct lowest){b, a};
}

static inline struct lowest lowest_of(struct lowest a, struct lowest b)
{
    uint64_t later = a.first < b.first ? b.first : a.first, second = a.second < b.second ? a.second : b.second;
    return (struct lowest){a.first < b.first ? a.first : b.first, later < second ? later : second};
}

/* That of the agent furthest behind, and the next one. */
static inline struct lowest lowest_keys(const struct tile_schedule *schedule)
{
    const uint64_t *key = schedule->key;
    uint32_t going = schedule->going;
    if (!(going & (going - 1))) { /* one, or none */
        return (struct lowest){going ? key[__builtin_ctz(going)] : CLOCK_NEVER, CLOCK_NEVER};
    }
    _Static_assert(CLOCK_AGENTS == 8, "all of them");
    return lowest_of(lowest_of(lowest_of_two(key[0], key[1]), lowest_of_two(key[2], key[3])),
                     lowest_of(lowest_of_two(key[4], key[5]), lowest_of_two(key[6], key[7])));
}

/* The time from which on the agent with the key `other` may act before this one does. */
static inline uint64_t acts_before(uint64_t other, unsigned agent)
{
    return other == CLOCK_NEVER ? CLOCK_NEVER : time_of(other) + ((other & AGENT_MASK) > agent);
}

#endif
