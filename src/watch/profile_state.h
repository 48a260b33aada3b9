/* What a profile (include/bhemu/profile.h) has added up so far, and its result. For the files profile*.c. */
#ifndef BHEMU_WATCH_PROFILE_STATE_H
#define BHEMU_WATCH_PROFILE_STATE_H

#include <stdio.h>

#include "bhemu/profile.h"
#include "chip/visitor.h"
#include "noc/coordinates.h"
#include "watch/filter.h"
#include "watch/profile_tables.h"
#include "watch/profile_timeline.h"

enum { PROFILE_GRID_X = 17, PROFILE_GRID_Y = 12, PROFILE_SEMAPHORES = 8 };
enum { PROFILE_NOBODY = 0xff };

/* A core or a thread. */
struct profile_agent {
    uint64_t at;    /* the cycles before are accounted for */
    uint8_t state;  /* since then: enum bh_profile_state */
    bool retired;   /* its instruction has; while RUNNING */
    bool begun;     /* it has executed something */
    uint8_t phase;  /* fidelity phase of the instruction */
    uint32_t site;  /* of the instruction; UINT32_MAX: none */
    uint32_t waits; /* while it waits: index of the wait; UINT32_MAX: none */
    uint64_t since; /* when that wait began */
    bool polls;
    uint32_t unlooked;                 /* instructions since a core's last load */
    uint64_t changes;                  /* of a core: stores, and loads of something new */
    uint32_t latched_pc, latched_word; /* of the last STALLWAIT, SEMWAIT or STREAMWAIT of a thread */
    uint64_t executed;                 /* samples: instructions before the last look */
    struct profile_sites sites;
    struct profile_waits all_waits;
};

/* Who did last what others wait for: agents of the tile, or PROFILE_NOBODY. */
struct profile_actors {
    uint8_t semaphore[PROFILE_SEMAPHORES], mutex;
    uint8_t src[2][2]; /* by enum bh_src_owner: to whom a bank was given */
};

struct profile_tile {
    struct bh_profile_tile sums;
    struct profile_agent agent[BH_PROFILE_AGENTS];
    struct profile_actors actors;
    uint64_t busy_until[PROFILE_UNIT_LANES]; /* of each unit, as far as it is counted */
    bool begun;                              /* a core or a thread has */
    struct profile_timeline *timeline;       /* null: the tile has none */
};

/* Looks at a device (profile_sample.c). */
struct profile_sampler {
    struct bh_device *device; /* null: it does not look */
    struct device_visitor visitor;
    uint64_t last; /* look, as profile_limited() */
    bool begun;    /* the profile has */
    uint32_t random;
    bool tiles[TENSIX_TILES];
};

struct bh_profile {
    struct bh_observer observer;
    struct bh_profile_options options;
    struct watch_filter filter; /* of cores and units */
    struct profile_sampler sampler;
    char *title;
    bool failed; /* no memory */
    struct profile_tile *tiles[PROFILE_GRID_Y][PROFILE_GRID_X];
    unsigned timelines;
    unsigned timeline_groups[PROFILE_TIMELINES]; /* what programs their tiles have */
    struct bh_profile_result result;
    struct profile_stacks *stacks; /* source lines of all sites, with what was executed there */
    char **texts;                  /* those of the result */
    unsigned text_count;
};

/* Stacks of functions with what was executed there, most cycles first. Made by bh_profile_end(). */
struct profile_stack {
    uint8_t x, y, agent;
    const char *source; /* as bh_job_source() has it; null: not known */
    uint32_t pc, word;
    uint64_t count, running, waiting;
};

struct profile_stacks {
    struct profile_stack *of;
    size_t count;
};

/* profile.c. Accounts for all agents up to the same cycle: the clock, or the last event if a core was ahead; returns
 * it.
 */
void profile_on_event(void *context, const struct bh_event *event);
uint64_t profile_account_all(struct bh_profile *profile, uint64_t clock);

/* Nothing of the tiles that there are already counts before options.from. */
void profile_begin_tiles(struct bh_profile *profile);

/* The tile at these coordinates of NoC 0; null: no memory. Its first core or thread begins. */
struct profile_tile *profile_tile_at(struct bh_profile *profile, unsigned x, unsigned y);
void profile_begin_tile(struct bh_profile *profile, struct profile_tile *tile);

/* The cycle, or the first or last one of the profile if it is outside. */
uint64_t profile_limited(const struct bh_profile *profile, uint64_t cycle);

/* Counts cycles from..to of an agent for a state, for the instruction that it is at, and in the timeline. */
void profile_add_cycles(struct profile_tile *tile, unsigned agent, unsigned state, uint64_t from, uint64_t to);

/* profile_sample.c: looks for the last time, at this clock, if it does at all. */
void profile_sample_end(struct bh_profile *profile, uint64_t clock);

/* Whether the profile is about an agent, and about instructions of it. */
static inline bool profile_shows_agent(const struct bh_profile *profile, unsigned agent)
{
    return agent < BH_PROFILE_CORES ? watch_core(&profile->filter, agent)
                                    : profile->filter.all || profile->filter.units;
}

static inline bool profile_shows(const struct bh_profile *profile, unsigned agent, uint32_t word)
{
    return agent < BH_PROFILE_CORES ? watch_core(&profile->filter, agent) : watch_word(&profile->filter, word);
}

static inline bool profile_shows_unit(const struct bh_profile *profile, unsigned unit)
{
    return profile->filter.all || profile->filter.units >> unit & 1;
}

/* The instruction at a pc of a core, or that was pushed from there to a thread: of the program that is there now. */
struct profile_place profile_place_of(const struct bh_profile *profile, const struct profile_tile *tile, unsigned index,
                                      uint32_t pc, uint32_t word);

/* profile_result.c: makes profile->result. false: no memory. */
bool profile_conclude(struct bh_profile *profile);

/* A core's or thread's name: "B", "T0", "thread T0". */
const char *profile_agent_name(unsigned agent);

/* Whether the tile, or one of its kind, has such an agent. */
static inline bool profile_has_agent(const struct bh_profile_tile *tile, unsigned agent)
{
    bool ethernet = agent == BH_CORE_E0 || agent == BH_CORE_E1, dram = agent == BH_CORE_DRISC;
    return ethernet == (tile->ethernet != 0) && dram == (tile->dram != 0);
}

static inline bool profile_is_thread(unsigned agent)
{
    return agent >= BH_PROFILE_CORES;
}

static inline struct bh_place profile_place_at(unsigned agent, uint32_t pc)
{
    bool thread = profile_is_thread(agent);
    return (struct bh_place){.agent = thread ? BH_AGENT_THREAD : BH_AGENT_CORE,
                             .index = (uint8_t)(thread ? agent - BH_PROFILE_CORES : agent),
                             .pc = pc};
}

/* Floating-point operations of an instruction of the coprocessor; 0: none. *repeats: once for each fidelity phase. */
uint32_t profile_flop(uint32_t word, bool *repeats);

/* The peaks of tables/rates.def. */
enum profile_peak {
#define RATE_PEAK(name, ...) PROFILE_PEAK_##name,
#include "rates.def"
    PROFILE_PEAKS
};
struct profile_rate {
    const char *name;
    uint32_t numerator, denominator; /* bytes a cycle */
    const char *meaning;
};
extern const struct profile_rate profile_rates[PROFILE_PEAKS];

/* The formats: they write to a file, whose errors ferror() tells. */
void profile_write_text(const struct bh_profile *profile, FILE *file);
void profile_write_json(const struct bh_profile *profile, FILE *file);
void profile_write_html(const struct bh_profile *profile, FILE *file);
void profile_write_folded(const struct bh_profile *profile, FILE *file);

#endif
