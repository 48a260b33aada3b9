/* The way of most data through the packer: from Dst to L1 with nothing but a conversion between, and accumulation; none
   masked, rectified or compressed. Whether the configuration asks for that is resolved once, and remembered
   together with the words of configuration that say so: it counts as long as these are the same, whoever writes them.
   Sizes, addresses and counters are not among them. */
#ifndef BHEMU_TENSIX_UNITS_PACK_PLAN_H
#define BHEMU_TENSIX_UNITS_PACK_PLAN_H

#include <string.h>

#include "tensix/units/pack/convert.h"
#include "tensix/units/state.h"

/* Whether `config`, a bank of Config, has the words of the plan. In vectors of 128 bits, which are few and stay in
   line, and one of half that for the rest. */
static inline bool pack_plan_holds(const struct pack_plan *plan, const uint32_t *config)
{
    typedef uint64_t pair __attribute__((vector_size(16)));
    pair differences = {0};
    uint64_t now_output, then_output;
    _Static_assert(sizeof plan->key.output == sizeof now_output, "two words");
#define COMPARE(words, first)                                                                                          \
    _Pragma("GCC unroll 8") for (size_t i = 0; i < sizeof plan->key.words / (sizeof(pair)); i++)                       \
    {                                                                                                                  \
        pair now, then;                                                                                                \
        memcpy(&now, config + (first) + 4 * i, sizeof now);                                                            \
        memcpy(&then, plan->key.words + 4 * i, sizeof then);                                                           \
        differences |= now ^ then;                                                                                     \
    }
    COMPARE(formats, PACK_KEY_FORMATS)
    COMPARE(reading, PACK_KEY_READING)
#undef COMPARE
    memcpy(&now_output, config + PACK_KEY_OUTPUT, sizeof now_output);
    memcpy(&then_output, plan->key.output, sizeof then_output);
    return ((differences[0] | differences[1]) | (now_output ^ then_output)) == 0;
}

/* Whether the plan says what `config` asks for, and that without a diagnostic. */
static inline bool pack_plan_is_quiet(const struct pack_plan *plan, const uint32_t *config)
{
    return plan->quiet && pack_plan_holds(plan, config) && !(plan->descales && CONFIG_GET(config, INT_DESCALE_Enable));
}

/* What the configuration asks for, given its conversion. */
enum pack_way pack_choose_way(const uint32_t *config, const struct pack_conversion *conversion);

/* Whether any thread has the packer count exponents. It is looked up for each PACR. */
static inline bool pack_statistics_enabled(const struct config_unit *config)
{
    return CONFIG_GET(config->thread[0], ENABLE_ACC_STATS_Enable) |
           CONFIG_GET(config->thread[1], ENABLE_ACC_STATS_Enable) |
           CONFIG_GET(config->thread[2], ENABLE_ACC_STATS_Enable);
}

/* Says so if the configuration asks for what is not emulated. */
enum step pack_check_config(struct tensix *tensix, const uint32_t *config, const struct pack_conversion *conversion);

/* Resolves the plan anew. A configuration that deserves a diagnostic, whatever the policy makes of it now, is planned
   to be packed in stages: there it is given. */
void pack_make_plan(struct tensix *tensix, const uint32_t *config);

#endif
