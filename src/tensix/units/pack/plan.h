/* Fast path of the packer for the most common case: from Dst to L1 with only a conversion and accumulation; without
   masks, ReLU or compression. Whether the configuration asks for this is resolved once and cached together with the
   words of configuration that it depends on: the plan is valid as long as they are the same, whoever writes them.
   Sizes, addresses and counters are not among them. */
#ifndef BHEMU_TENSIX_UNITS_PACK_PLAN_H
#define BHEMU_TENSIX_UNITS_PACK_PLAN_H

#include <string.h>

#include "tensix/units/pack/convert.h"
#include "tensix/units/state.h"

/* Whether the plan was made for the words in `config`, a bank of Config. Compared in vectors of 128 bits, so that the
   code is short enough to be inlined, and one of 64 bits. */
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

/* Whether the plan is valid for `config`, and needs no diagnostic. */
static inline bool pack_plan_is_quiet(const struct pack_plan *plan, const uint32_t *config)
{
    return plan->quiet && pack_plan_holds(plan, config) && !(plan->descales && CONFIG_GET(config, INT_DESCALE_Enable));
}

/* The way that suits the configuration and its conversion. */
enum pack_way pack_choose_way(const uint32_t *config, const struct pack_conversion *conversion);

/* Whether any thread has enabled exponent statistics. Checked for each PACR. */
static inline bool pack_statistics_enabled(const struct config_unit *config)
{
    return CONFIG_GET(config->thread[0], ENABLE_ACC_STATS_Enable) |
           CONFIG_GET(config->thread[1], ENABLE_ACC_STATS_Enable) |
           CONFIG_GET(config->thread[2], ENABLE_ACC_STATS_Enable);
}

/* Diagnoses settings that are not emulated. */
enum step pack_check_config(struct tensix *tensix, const uint32_t *config, const struct pack_conversion *conversion);

/* Executes a PACR by the plan, up to `times` times. Returns how often it has; fewer: the plan does not cover it. */
uint32_t pack_as_planned(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t times);

/* Makes a new plan. A configuration that needs a diagnostic, whatever the current policy, is planned to be packed in
   stages, where the diagnostic is given. */
void pack_make_plan(struct tensix *tensix, const uint32_t *config);

#endif
