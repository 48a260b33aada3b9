/* The time of one tile, in cycles since the device was created. Every agent of the tile - core, or thread of the
   coprocessor - has a clock of its own, since agents are run one after the other.
   Time is not the number of instructions: the executing agent determines the cycles that pass (clock_pass()); in
   functional mode one for each instruction that a core retires, and one for each that leaves a thread's wait gate; in
   timed mode the cycles that silicon takes. mcycle, wall clock, timers, performance counters and the cycles left of a
   turn all read these clocks. */
#ifndef BHEMU_TIME_CLOCK_H
#define BHEMU_TIME_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bhemu/diagnostic.h"

/* Agents: cores by enum bh_core, then threads. */
enum { CLOCK_THREAD_0 = BH_CORE_COUNT, CLOCK_AGENTS = CLOCK_THREAD_0 + 3 };

/* In place of a time: not before somebody else acts. */
#define CLOCK_NEVER UINT64_MAX

/* Where clocks end that the host lets pass without execution, so that nothing wraps that is made of them: sums,
   times in thousandths of a cycle, keys that have other things in their low bits. */
#define CLOCK_LAST (UINT64_C(1) << 53)

/* How many of so many cycles a clock may pass. */
static inline uint64_t clock_room(uint64_t clock, uint64_t cycles)
{
    uint64_t room = clock < CLOCK_LAST ? CLOCK_LAST - clock : 0;
    return cycles < room ? cycles : room;
}

struct clock {
    uint64_t now;                  /* at the begin of the current quantum: the tile's time as seen from outside */
    uint64_t passed[CLOCK_AGENTS]; /* cycles of this quantum, for each agent */
    bool timed;                    /* agents may be further than the end of a quantum, and stay there in the next */
};

static inline uint64_t clock_later(uint64_t a, uint64_t b)
{
    return a < b ? b : a;
}

static inline uint64_t clock_sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Begins a quantum at `now`: all agents are there; in timed mode those that are behind it. */
static inline void clock_begin(struct clock *clock, uint64_t now)
{
    if (clock->timed && now == clock->now) {
        return;
    }
    if (clock->timed) {
        typedef int64_t pair __attribute__((vector_size(16), aligned(8), may_alias));
        pair later = {(int64_t)(now - clock->now), (int64_t)(now - clock->now)};
        _Static_assert(CLOCK_AGENTS % 2 == 0, "in pairs");
        for (unsigned agent = 0; agent < CLOCK_AGENTS; agent += 2) { /* without jumps: 0 if it is behind */
            pair *passed = (pair *)&clock->passed[agent], ahead = *passed - later;
            *passed = ahead & ~(ahead >> 63);
        }
    } else {
        memset(clock->passed, 0, sizeof clock->passed);
    }
    clock->now = now;
}

/* The time of one agent. */
static inline uint64_t clock_of(const struct clock *clock, unsigned agent)
{
    return clock->now + clock->passed[agent];
}

static inline void clock_pass(struct clock *clock, unsigned agent, uint64_t cycles)
{
    clock->passed[agent] += cycles;
}

/* An agent that waited goes on at `time`, unless it is beyond that. */
static inline void clock_reach(struct clock *clock, unsigned agent, uint64_t time)
{
    uint64_t passed = time > clock->now ? time - clock->now : 0;
    clock->passed[agent] = clock->passed[agent] < passed ? passed : clock->passed[agent];
}

/* Agents that waited, or are behind otherwise, go on at this cycle of the quantum. */
static inline void clock_pass_all(struct clock *clock, uint64_t cycles)
{
    for (unsigned agent = 0; agent < CLOCK_AGENTS; agent++) {
        clock->passed[agent] = clock->passed[agent] < cycles ? cycles : clock->passed[agent];
    }
}

/* The largest number of cycles of the quantum that have passed for any agent. */
static inline uint64_t clock_latest(const struct clock *clock)
{
    uint64_t latest = 0;
    for (unsigned agent = 0; agent < CLOCK_AGENTS; agent++) {
        latest = clock->passed[agent] > latest ? clock->passed[agent] : latest;
    }
    return latest;
}

#endif
