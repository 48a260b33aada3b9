#include "tensix/units/config/timing.h"

#include "isa/tensix_facts.h"
#include "tensix/units/state.h"

/* What passes through the pipeline, one stage a cycle. */
struct way {
    uint8_t first; /* enum config_stage */
    bool twice;    /* it stays at STAGE_ACCESS for a second cycle, and keeps what would come there out of STAGE_READ */
};

static struct way way_of(uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_STREAMWRCFG: return (struct way){.first = STAGE_PREPARE};
    case TENSIX_OPCODE_WRCFG: return (struct way){.first = STAGE_READ};
    case TENSIX_OPCODE_CFGSHIFTMASK: return (struct way){.first = STAGE_ACCESS, .twice = true};
    default: return (struct way){.first = STAGE_ACCESS};
    }
}

static void advance_to(struct config_timing *config, uint64_t time)
{
    if (time <= config->base) {
        return;
    }
    uint64_t cycles = time - config->base;
    for (unsigned stage = 0; stage < CONFIG_STAGES; stage++) {
        config->occupied[stage] = cycles < 8 ? (uint8_t)(config->occupied[stage] >> cycles) : 0;
    }
    config->base = time;
    config->entered = 0;
}

/* Whether something may enter at `stage` now. What enters in the same cycle at another stage does not keep it out. */
static bool may_enter(const struct config_timing *config, unsigned stage)
{
    if (config->entered >> stage & 1 || (config->occupied[stage] & 1)) {
        return false;
    }
    for (unsigned lower = STAGE_ISSUE; lower < stage; lower++) {
        if ((config->occupied[lower] & 1) && !(config->entered >> lower & 1)) {
            return false;
        }
    }
    return true;
}

static bool way_is_free(const struct config_timing *config, struct way way)
{
    return may_enter(config, way.first) && (!way.twice || may_enter(config, STAGE_READ));
}

static void enter(struct config_timing *config, struct way way)
{
    for (unsigned stage = way.first; stage < CONFIG_STAGES; stage++) {
        config->occupied[stage] |= (uint8_t)(1u << (stage - way.first));
    }
    config->entered |= (uint8_t)(1u << way.first);
    if (way.twice) {
        config->occupied[STAGE_READ] |= 1;
        config->occupied[STAGE_ACCESS] |= 2;
        config->entered |= 1 << STAGE_READ;
    }
}

/* Threads that find the same stage taken have it one after the other. */
static bool is_turn_of_another(const struct config_timing *config, unsigned stage, unsigned thread)
{
    return config->turn == config->base && config->turn_at == stage && config->turn_of != thread &&
           !(config->entered >> stage & 1);
}

static void take_turn(struct config_timing *config, unsigned stage, unsigned thread)
{
    if (config->entered >> stage & 1 && config->turn != config->base + 1) {
        config->turn = config->base + 1;
        config->turn_at = (uint8_t)stage;
        config->turn_of = (uint8_t)thread;
    }
}

bool config_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct config_timing *config = &timing->config;
    if (next->word >> 24 == TENSIX_OPCODE_SETC16) {
        return false;
    }
    struct way way = way_of(next->word);
    advance_to(config, timing->now[thread]);
    if (is_turn_of_another(config, way.first, thread)) {
        return timing_wait_until(timing, thread, config->base + 1);
    }
    if (!way_is_free(config, way)) {
        take_turn(config, way.first, thread);
        return timing_wait_until(timing, thread, config->base + 1);
    }
    return false;
}

void config_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    if (passed->word >> 24 != TENSIX_OPCODE_SETC16) {
        enter(&timing->config, way_of(passed->word));
    }
    timing_busy(timing, BUSY_CONFIG, thread, timing->now[thread] + passed->latency);
}

uint64_t config_accessed(struct tensix_timing *timing, uint64_t time)
{
    const struct way way = {.first = STAGE_ACCESS};
    advance_to(&timing->config, time);
    while (!way_is_free(&timing->config, way)) {
        advance_to(&timing->config, timing->config.base + 1);
    }
    enter(&timing->config, way);
    return timing->config.base + 1;
}
