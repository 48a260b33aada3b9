/* Names in profiles, and what units can do at best. */
#include "isa/tensix_isa.h"
#include "util/bits.h"
#include "watch/profile_state.h"

const char *bh_profile_state_name(unsigned state)
{
    static const char *const names[BH_PROFILE_WAITING] = {"stopped", "running", "idle"};
    return state < BH_PROFILE_WAITING ? names[state]
           : state == BH_PROFILE_WAITING + BH_PROFILE_POLLS
               ? "polling"
               : bh_wait_name((enum bh_wait_reason)(state - BH_PROFILE_WAITING));
}

const char *profile_agent_name(unsigned agent)
{
    static const char *const threads[BH_PROFILE_THREADS] = {"thread T0", "thread T1", "thread T2"};
    return agent < BH_PROFILE_CORES    ? bh_core_name((enum bh_core)agent)
           : agent < BH_PROFILE_AGENTS ? threads[agent - BH_PROFILE_CORES]
                                       : NULL;
}

const struct profile_rate profile_rates[PROFILE_PEAKS] = {
#define RATE_PEAK(name, numerator, denominator, meaning, source) {#name, numerator, denominator, meaning},
#include "rates.def"
};

struct operations {
    uint16_t flop;
    uint8_t repeats;
};

static const struct operations operations[256] = {
#define RATE_FLOP(name, flop_, repeats_, source) [TENSIX_OPCODE_##name] = {.flop = (flop_), .repeats = (repeats_)},
#include "rates.def"
};

/* What a bit of the word makes of it. */
static const struct {
    uint16_t flop;
    uint8_t bit;
} with_bit[256] = {
#define RATE_FLOP_IF(name, bit_, flop_, source) [TENSIX_OPCODE_##name] = {.flop = (flop_), .bit = (bit_)},
#include "rates.def"
};

uint32_t profile_flop(uint32_t word, bool *repeats)
{
    uint32_t opcode = word >> 24;
    *repeats = operations[opcode].repeats;
    return word >> with_bit[opcode].bit & 1 && with_bit[opcode].flop ? with_bit[opcode].flop : operations[opcode].flop;
}
