#include "tensix/engine/portable.h"

#include <stddef.h>

#include "tensix/engine/portable_levels.h"
#include "tensix/units/vector/dst.h"
#include "util/host_vectors.h"

/* An instruction that only tests. */
static uint8_t comparison(const struct vector_operation *operation)
{
    switch (operation->condition) {
#define COMPARE(name, ...)                                                                                             \
    case CONDITION_##name: return PORTABLE_compare_##name;
        PORTABLE_COMPARISONS(COMPARE)
#undef COMPARE
    default: return PORTABLE_refuse;
    }
}

static uint8_t narrowing(const struct vector_operation *operation)
{
    switch (operation->condition) {
#define NARROW(name, ...)                                                                                              \
    case CONDITION_##name: return PORTABLE_narrow_##name;
        PORTABLE_NARROWINGS(NARROW)
#undef NARROW
    default: return PORTABLE_refuse;
    }
}

static uint8_t exchange(const struct vector_operation *operation)
{
    if (operation->condition == CONDITION_ALWAYS) {
        return PORTABLE_exchange;
    }
    return operation->vc >= LREG_WRITABLE      ? PORTABLE_limit
           : operation->immediate == ALL_LANES ? PORTABLE_sort_alike
                                               : PORTABLE_sort;
}

static uint8_t shuffle(const struct vector_operation *operation)
{
    static const uint8_t shuffles[] = {
        [SHUFFLE_COPY4] = PORTABLE_copy4,
        [SHUFFLE_CHAINED_COPY4] = PORTABLE_chained_copy4,
        [SHUFFLE_SHFLROR1_AND_COPY4] = PORTABLE_rotate_and_copy4,
        [SHUFFLE_SHFLROR1] = PORTABLE_rotate,
        [SHUFFLE_SHFLSHR1] = PORTABLE_shift_lanes,
        [SHUFFLE_TRANSPOSE] = PORTABLE_transpose,
    };
    return shuffles[operation->immediate];
}

static uint8_t look_up(const struct vector_operation *operation)
{
    return operation->vb == LOOK_UP_8_BITS    ? PORTABLE_look_up_8_bits
           : operation->vb == LOOK_UP_16_BITS ? PORTABLE_look_up_16_bits
                                              : PORTABLE_look_up_FP32;
}

static uint8_t load(const struct vector_operation *operation)
{
    static const uint8_t loads[] = {[MOD0_FMT_SRCB] = PORTABLE_load_SRCB,
#define LOAD(format, ...) [MOD0_FMT_##format] = PORTABLE_load_##format,
                                    VECTOR_DST_LOADS(LOAD, LOAD)
#undef LOAD
    };
    return loads[operation->format];
}

static uint8_t store(const struct vector_operation *operation)
{
    static const uint8_t stores[] = {[MOD0_FMT_SRCB] = PORTABLE_store_SRCB,
#define STORE(format, ...) [MOD0_FMT_##format] = PORTABLE_store_##format,
                                     VECTOR_DST_STORES(STORE, STORE)
#undef STORE
    };
    return stores[operation->format];
}

static uint8_t effect(const struct vector_operation *operation)
{
    switch ((enum vector_effect)operation->effect) {
    case EFFECT_COMPARE: return comparison(operation);
    case EFFECT_NARROW: return narrowing(operation);
    case EFFECT_ENABLE: return PORTABLE_enable;
    case EFFECT_COMPLEMENT: return PORTABLE_complement;
    case EFFECT_PUSH: return PORTABLE_push;
    case EFFECT_POP: return PORTABLE_pop;
    case EFFECT_EXCHANGE: return exchange(operation);
    case EFFECT_CONFIGURE: return PORTABLE_configure;
    case EFFECT_LOAD: return load(operation);
    case EFFECT_STORE: return store(operation);
    case EFFECT_COUNT: return PORTABLE_count;
    case EFFECT_ROUND: return (uint8_t)(PORTABLE_to_float_at_random + operation->rounding - WORDS_to_float_at_random);
    case EFFECT_CONVERT: return PORTABLE_reciprocal;
    case EFFECT_LOOK_UP: return look_up(operation);
    case EFFECT_SHUFFLE: return shuffle(operation);
    default: return PORTABLE_refuse;
    }
}

/* Multiplying by one, and adding zero, is as exact as a lone addition or multiplication. */
static uint8_t sum(const struct vector_operation *operation)
{
    bool immediate = operation->va == VA_IMMEDIATE;
    if (operation->vc == LREG_ZERO && !operation->z_sign) {
        return immediate ? PORTABLE_multiply_immediate : PORTABLE_multiply;
    }
    if (operation->vb == LREG_ONE || operation->va == LREG_ONE) {
        return immediate ? PORTABLE_add_immediate : PORTABLE_add;
    }
    return immediate ? PORTABLE_refuse : PORTABLE_multiply_add;
}

enum { CONFIG_SEQUENCE = 4, CONFIG_MISC = 8, CONFIG_LANE_CONFIG = 15 };

static uint8_t configuration(const struct vector_operation *operation)
{
    switch (operation->condition) {
    case CONFIGURE_IMMEDIATE:
        return operation->vc == CONFIG_LANE_CONFIG ? PORTABLE_configure_lanes_alike : PORTABLE_configure_immediate;
    case CONFIGURE_FROM_LREG: return PORTABLE_configure_from_lreg;
    default: return PORTABLE_configure_lanes;
    }
}

/* The words that SFPCONFIG names by its config_dest. */
static uint16_t configured_words(uint32_t target)
{
    if (target < CONFIG_SEQUENCE) {
        return offsetof(struct vector_unit, load_macro.instruction_template[target]);
    }
    if (target < CONFIG_MISC) {
        return offsetof(struct vector_unit, load_macro.sequence[target - CONFIG_SEQUENCE]);
    }
    return target == CONFIG_MISC          ? offsetof(struct vector_unit, load_macro.misc)
           : target == CONFIG_LANE_CONFIG ? offsetof(struct vector_unit, lane_config)
                                          : offsetof(struct vector_unit, lreg[target]);
}

static uint8_t handler_of(const struct vector_operation *operation)
{
    switch ((enum vector_operation_kind)operation->kind) {
    case VECTOR_NOTHING: return PORTABLE_nothing;
    case VECTOR_WORDS: return operation->word_operation;
    case VECTOR_WORDS_AND_FLAGS: return effect(operation);
    case VECTOR_SUM: return sum(operation);
    case VECTOR_COUNTERS: return PORTABLE_counters;
    case VECTOR_BY_UNIT: return operation->effect == EFFECT_CONFIGURE ? configuration(operation) : PORTABLE_by_unit;
    default: return PORTABLE_refuse;
    }
}

static uint32_t lanes_of_rows(uint32_t rows)
{
    return ((rows & 1) | (rows & 2) << 7 | (rows & 4) << 14 | (rows & 8) << 21) * 0xff;
}

void portable_prepare(struct vector_operation *operation)
{
    operation->handler = handler_of(operation);
    if (operation->handler == PORTABLE_configure_lanes_alike) {
        operation->row_masked = lanes_of_rows(operation->immediate >> LANE_CONFIG_ROW_MASK_SHIFT);
    }
    operation->d = offsetof(struct vector_unit, lreg[operation->vd]);
    operation->b = offsetof(struct vector_unit, lreg[operation->vb]);
    operation->c = operation->kind == VECTOR_BY_UNIT && operation->effect == EFFECT_CONFIGURE
                       ? configured_words(operation->vc)
                       : offsetof(struct vector_unit, lreg[operation->vc]);
}

/* While ENABLE_DEST_INDEX is set there are warnings. */
uint32_t portable_run_by(const struct portable_level *level, struct tensix *tensix, unsigned thread,
                         const struct vector_operation *operations, uint32_t count, uint32_t times)
{
    struct vector_unit *vector = &tensix->state->vector;
    struct rwc *rwc = &tensix->state->addr.rwc[thread];
    struct portable portable = {
        .tensix = tensix, .state = tensix->state, .rwc = rwc, .thread = thread, .end = operations + count};
    portable_handler *const first = level->handler[operations->handler];
    uint32_t done = 0;
    if (vector_schedule_active(vector)) {
        return 0;
    }
    for (; times && !(vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX); times--, done += count) {
        const struct vector_operation *at =
            first(vector, operations, vector_enabled_lanes(vector), rwc->dst, level, &portable);
        if (at != portable.end) {
            return done + (uint32_t)(at - operations);
        }
    }
    return done;
}

static const struct portable_level *level_of_host(void)
{
#if defined(__x86_64__) && !defined(__clang__)
    return host_vectors == HOST_VECTORS_V4   ? &portable_v4
           : host_vectors == HOST_VECTORS_V3 ? &portable_v3
                                             : &portable_basic;
#else
    return &portable_basic;
#endif
}

uint32_t portable_run(struct tensix *tensix, unsigned thread, const struct vector_operation *operations, uint32_t count,
                      uint32_t times)
{
    return portable_run_by(level_of_host(), tensix, thread, operations, count, times);
}

void portable_run_alone(struct vector_unit *vector, const struct vector_operation *operation, uint32_t lanes)
{
    const struct portable_level *level = level_of_host();
    struct rwc unused;
    struct portable portable = {.rwc = &unused, .end = operation + 1};
    level->handler[operation->handler](vector, operation, lanes, 0, level, &portable);
}
