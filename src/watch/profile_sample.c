/* Profiles of samples: where cores and threads are, looked at between two quanta of the device. Nothing of the tiles is
   observed, so that they run at full speed. A core that runs is tried on a copy, to see whether it polls. The distances
   of looks vary, lest they fall into step with programs. */
#include <string.h>

#include "chip/quantum.h"
#include "tensix/frontend/frontend.h"
#include "tensix/units/observe.h"
#include "tile/observe.h"
#include "tile/sight.h"
#include "util/bits.h"
#include "util/fail.h"
#include "watch/profile_state.h"

/* What a look finds. */
struct seen {
    unsigned state; /* enum bh_profile_state */
    struct bh_wait wait;
    uint32_t pc, word;
    uint64_t executed; /* instructions so far */
};

static struct seen core_seen(const struct tile *tile, const struct tile_sight *sight, unsigned index)
{
    const struct polled *polled = &sight->polled[index];
    const struct rv32_core *core = &tile->state->core[index];
    struct seen seen = {.state = BH_PROFILE_RUNNING, .pc = core->pc, .executed = core->instret};
    seen.word = l1_contains(core->pc, sizeof seen.word) ? l1_load32(&tile->l1, core->pc) : 0;
    if (core->halt != RV32_RUNNING) {
        seen.state = BH_PROFILE_STOPPED;
    } else if (core->waiting) {
        seen.wait = tile_core_wait(tile, index);
        seen.state = BH_PROFILE_WAITING + seen.wait.reason;
    } else if (polled->spins && polled->kind != POLLED_NOTHING) {
        seen.wait = (struct bh_wait){.reason = BH_PROFILE_POLLS, .detail = polled->address};
        seen.state = BH_PROFILE_WAITING + BH_PROFILE_POLLS;
    }
    return seen;
}

/* Of a STALLWAIT and the like the place is that of this instruction. */
static struct seen thread_seen(const struct tile *tile, unsigned thread)
{
    const struct tensix_state *state = &tile->state->tensix;
    const struct frontend *frontend = &state->frontend[thread];
    const struct latched_wait *latched = &frontend->wait;
    struct seen seen = {.state = BH_PROFILE_IDLE, .executed = frontend->passed};
    if (frontend->at_gate) {
        seen.wait = tensix_gate_wait(state, thread);
        seen.state = BH_PROFILE_WAITING + seen.wait.reason;
        seen.pc = latched->latched ? latched->pc : frontend->next.pc;
        seen.word = latched->latched ? latched->word : frontend->next.word;
    } else if (!frontend_idle(frontend)) {
        seen.state = BH_PROFILE_RUNNING;
    } else if (!frontend->passed) {
        seen.state = BH_PROFILE_STOPPED;
    }
    return seen;
}

static void count_wait(struct profile_agent *agent, const struct seen *seen, struct profile_place place,
                       uint64_t cycles)
{
    uint32_t wait = profile_waiting_of(&agent->all_waits, place, seen->wait);
    if (wait != UINT32_MAX) {
        agent->all_waits.of[wait].count++;
        agent->all_waits.of[wait].cycles += cycles;
        agent->all_waits.of[wait].by[PROFILE_BY_OTHERS] += cycles;
    }
}

/* Cycles since the last look. Of those of a thread as many were running as instructions have left its gate, no more. */
static void count_cycles(struct bh_profile *profile, struct profile_tile *tile, unsigned index, const struct seen *seen,
                         uint64_t executed, uint64_t now)
{
    struct profile_agent *agent = &tile->agent[index];
    uint64_t from = agent->at, runs = profile_is_thread(index) ? executed : 0;
    if (from < profile->sampler.last) { /* the tile was not there */
        profile_add_cycles(tile, index, BH_PROFILE_STOPPED, from, profile->sampler.last);
        from = profile->sampler.last;
    }
    bool somewhere = seen->state != BH_PROFILE_STOPPED && (seen->pc || seen->word);
    struct profile_place place = {.pc = seen->pc, .word = seen->word};
    agent->site = UINT32_MAX;
    runs = runs < now - from ? runs : now - from;
    profile_add_cycles(tile, index, BH_PROFILE_RUNNING, from, from + runs);
    if (somewhere) {
        place = profile_place_of(profile, tile, index, seen->pc, seen->word);
        agent->site = profile_site_of(&agent->sites, place, profile_is_thread(index));
        profile->result.left_out += agent->site == UINT32_MAX;
    }
    if (agent->site != UINT32_MAX) {
        agent->sites.of[agent->site].count++;
    }
    const bool counted = profile_is_thread(index) && seen->state == BH_PROFILE_RUNNING;
    profile_add_cycles(tile, index, counted ? BH_PROFILE_IDLE : seen->state, from + runs, now);
    if (seen->state >= BH_PROFILE_WAITING) {
        count_wait(agent, seen, place, now - from - runs);
    }
    agent->at = now;
}

static void look_at(struct bh_profile *profile, struct profile_tile *tile, unsigned index, const struct seen *seen,
                    uint64_t clock)
{
    struct profile_agent *agent = &tile->agent[index];
    uint64_t now = profile_limited(profile, clock), before = agent->executed;
    uint64_t executed = seen->executed - (seen->executed >= before ? before : 0); /* a reset counts anew */
    agent->executed = seen->executed;
    if (now > agent->at) {
        tile->sums.agent[index].instructions += executed;
        agent->begun |= seen->state != BH_PROFILE_STOPPED || executed;
        if (agent->begun && !tile->begun) {
            profile_begin_tile(profile, tile);
        }
        count_cycles(profile, tile, index, seen, executed, now);
    }
}

static void look_at_tile(struct bh_profile *profile, unsigned number, uint64_t clock)
{
    unsigned x, y;
    const struct tile *tile = device_tile(profile->sampler.device, number);
    tensix_coordinates(number, &x, &y);
    struct profile_tile *of = tile ? profile_tile_at(profile, x, y) : NULL;
    if (!of) {
        return;
    }
    struct tile_sight sight;
    tile_see(tile, &sight);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        struct seen seen = core_seen(tile, &sight, core);
        look_at(profile, of, core, &seen, clock);
    }
    for (unsigned thread = 0; thread < BH_PROFILE_THREADS; thread++) {
        struct seen seen = thread_seen(tile, thread);
        look_at(profile, of, BH_PROFILE_CORES + thread, &seen, clock);
    }
}

static void look_at_all(struct bh_profile *profile, uint64_t clock)
{
    bool counts = profile_limited(profile, clock) == clock;
    for (unsigned number = 0; number < TENSIX_TILES && !profile->failed; number++) {
        if (profile->sampler.tiles[number]) {
            look_at_tile(profile, number, clock);
        }
    }
    profile->result.samples += counts;
    profile->sampler.last = profile_limited(profile, clock);
}

static uint64_t next_interval(struct bh_profile *profile)
{
    struct profile_sampler *sampler = &profile->sampler;
    sampler->random = sampler->random * 1664525 + 1013904223;
    return profile->options.every / 2 + (uint64_t)sampler->random * profile->options.every / UINT32_MAX;
}

static void come(void *context)
{
    struct bh_profile *profile = context;
    const uint64_t clock = bh_clock(profile->sampler.device);
    if (!profile->sampler.begun && clock >= profile->options.from) { /* what was executed before does not count */
        bh_profile_begin(profile, clock);
        profile->sampler.begun = true;
    }
    look_at_all(profile, clock);
    profile->sampler.visitor.interval = next_interval(profile);
}

enum bh_status bh_profile_sample(struct bh_profile *profile, struct bh_device *device, struct bh_error *error)
{
    if (!profile || !device || device_is_remote(device) || !profile->options.every || profile->sampler.device) {
        return fail(error, BH_ERROR_ARGUMENT,
                    "profile: it is not one of samples, or samples already, or the chip is in another process");
    }
    const struct bh_profile_options *options = &profile->options;
    struct profile_sampler *sampler = &profile->sampler;
    memset(sampler->tiles, options->tile_count == 0, sizeof sampler->tiles);
    for (unsigned i = 0; i < options->tile_count; i++) {
        unsigned number;
        if (!device_find_tensix(device, options->tiles[i].x, options->tiles[i].y, &number)) {
            return fail(error, BH_ERROR_ARGUMENT, "profile: there is no Tensix tile %u-%u", options->tiles[i].x,
                        options->tiles[i].y);
        }
        sampler->tiles[number] = true;
    }
    const uint64_t clock = bh_clock(device), from = options->from;
    const uint64_t interval = from > clock ? from - clock : next_interval(profile);
    sampler->begun = from <= clock;
    sampler->visitor =
        (struct device_visitor){.come = come, .context = profile, .interval = interval, .due = clock + interval};
    if (!device_add_visitor(device, &sampler->visitor)) {
        return fail(error, BH_ERROR_ARGUMENT, "profile: the device is sampled already");
    }
    sampler->device = device;
    device_settle(device);
    bh_profile_begin(profile, clock);
    look_at_all(profile, clock); /* counts only what was executed before */
    profile->result.samples = 0;
    return BH_OK;
}

void profile_sample_end(struct bh_profile *profile, uint64_t clock)
{
    if (profile->sampler.device) {
        device_settle(profile->sampler.device);
        look_at_all(profile, clock);
        device_remove_visitor(profile->sampler.device, &profile->sampler.visitor);
        profile->sampler.device = NULL;
    }
}
