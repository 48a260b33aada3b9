/* The handlers of engine/portable.h, and what they work on. Internal to engine/portable*. */
#ifndef BHEMU_TENSIX_ENGINE_PORTABLE_LEVELS_H
#define BHEMU_TENSIX_ENGINE_PORTABLE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/addr/rwc.h"
#include "tensix/units/state.h"
#include "tensix/units/vector/counters.h"
#include "tensix/units/vector/words.h"

/* What the operations of a row have in common: none changes Config, ThreadConfig or a stack pointer; that which changes
   LaneConfig lets what depends on it be learned anew. */
struct portable {
    struct tensix *tensix;
    struct tensix_state *state;
    struct rwc *rwc;
    const struct vector_operation *end; /* of the row */
    unsigned thread;
    uint8_t loads,
        stores; /* one bit for each address mode of which it is known that SFPLOAD, SFPSTORE do no more than ... */
    uint16_t step[RWC_ADDR_MODES]; /* ... go on by so much */
    uint32_t dst_origin;           /* with these, what is added to an address in Dst besides the counter */
    uint32_t srcb_format;          /* what MOD0_FMT_SRCB stands for; that itself: it is not known yet */
};

struct portable_level;

/* Executes `operation`, and then all that follow: each handler calls the next one as the last thing that it does, which
   is a jump. Returns the first operation that has not executed, portable->end if all have. lanes: those that are
   enabled; counter: the counter of Dst, which goes back to portable->rwc in the end. */
typedef const struct vector_operation *portable_handler(struct vector_unit *vector,
                                                        const struct vector_operation *operation, uint32_t lanes,
                                                        uint32_t counter, const struct portable_level *level,
                                                        struct portable *portable);

/* Conditions that instructions test, and lanes that meet them: of LReg x, or of b and c. */
#define PORTABLE_COMPARISONS(COMPARE)                                                                                  \
    COMPARE(NOT_SET, ~vector->lane_flags)                                                                              \
    COMPARE(NEGATIVE, LANES_WHERE(negative(x)))                                                                        \
    COMPARE(NOT_NEGATIVE, ~LANES_WHERE(negative(x)))                                                                   \
    COMPARE(NOT_ZERO, ~LANES_WHERE(equal(x, all(0))))                                                                  \
    COMPARE(32, LANES_WHERE(equal(x, all(32))))                                                                        \
    COMPARE(NOT_32, ~LANES_WHERE(equal(x, all(32))))                                                                   \
    COMPARE(GREATER, LANES_WHERE(negative(BEFORE(c, b))))                                                              \
    COMPARE(NOT_GREATER, ~LANES_WHERE(negative(BEFORE(c, b))))
#define PORTABLE_NARROWINGS(NARROW)                                                                                    \
    NARROW(NEVER, 0)                                                                                                   \
    NARROW(ALWAYS, ALL_LANES)                                                                                          \
    NARROW(NEGATIVE, LANES_WHERE(negative(x)))                                                                         \
    NARROW(NOT_NEGATIVE, ~LANES_WHERE(negative(x)))                                                                    \
    NARROW(ZERO, LANES_WHERE(equal(x, all(0))))                                                                        \
    NARROW(NOT_ZERO, ~LANES_WHERE(equal(x, all(0))))

#define PORTABLE_COMPARE(name, ...) PORTABLE(compare_##name)
#define PORTABLE_NARROW(name, ...) PORTABLE(narrow_##name)
#define PORTABLE_ROUND(name, ...) PORTABLE(name)
#define PORTABLE_LOAD(format, ...) PORTABLE(load_##format)
#define PORTABLE_STORE(format, ...) PORTABLE(store_##format)

/* All handlers, but for those of VECTOR_WORD_OPERATIONS, whose numbers come first. */
/* clang-format off */
#define PORTABLE_HANDLERS \
    PORTABLE(refuse) PORTABLE(nothing) PORTABLE(counters) PORTABLE(by_unit) \
    PORTABLE(configure_lanes) PORTABLE(configure_lanes_alike) PORTABLE(configure_immediate) \
    PORTABLE(configure_from_lreg) \
    PORTABLE_COMPARISONS(PORTABLE_COMPARE) PORTABLE_NARROWINGS(PORTABLE_NARROW) \
    PORTABLE(enable) PORTABLE(complement) PORTABLE(push) PORTABLE(pop) \
    PORTABLE(exchange) PORTABLE(sort) PORTABLE(sort_alike) PORTABLE(limit) \
    PORTABLE(copy4) PORTABLE(chained_copy4) PORTABLE(rotate_and_copy4) PORTABLE(rotate) PORTABLE(shift_lanes) \
    PORTABLE(transpose) PORTABLE(configure) \
    PORTABLE(multiply_add) PORTABLE(multiply) PORTABLE(add) \
    PORTABLE(multiply_immediate) PORTABLE(add_immediate) \
    PORTABLE(look_up_8_bits) PORTABLE(look_up_16_bits) PORTABLE(look_up_FP32) \
    VECTOR_ROUNDINGS(PORTABLE_ROUND, PORTABLE_ROUND) \
    PORTABLE(reciprocal) \
    PORTABLE(count) PORTABLE(load_SRCB) PORTABLE(store_SRCB) \
    VECTOR_DST_LOADS(PORTABLE_LOAD, PORTABLE_LOAD) VECTOR_DST_STORES(PORTABLE_STORE, PORTABLE_STORE)
/* clang-format on */

enum portable_number {
    PORTABLE_BEFORE_THE_FIRST = WORDS_OPERATIONS - 1,
#define PORTABLE(name) PORTABLE_##name,
    PORTABLE_HANDLERS
#undef PORTABLE
        PORTABLE_COUNT
};
_Static_assert(PORTABLE_COUNT <= UINT8_MAX, "a handler's number is a byte");

/* By number. */
struct portable_level {
    portable_handler *handler[PORTABLE_COUNT];
};

#define DECLARE_LEVEL(level) extern const struct portable_level portable_##level;
DECLARE_LEVEL(basic)
#if defined(__x86_64__) && !defined(__clang__)
DECLARE_LEVEL(v3)
DECLARE_LEVEL(v4)
#endif
#undef DECLARE_LEVEL

/* portable_run() by the handlers of one level, which the host must have. */
uint32_t portable_run_by(const struct portable_level *level, struct tensix *tensix, unsigned thread,
                         const struct vector_operation *operations, uint32_t count, uint32_t times);

#endif
