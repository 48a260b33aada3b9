#include "tensix/units/vector/words.h"
#include "tensix/units/vector/words_in_c.h"

#define VECTOR_WORD_OPERATION(name, expression) LANE_OPERATION_BY(CLONES, lanewise_##name, expression)
VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION

enum vector_word_operation vector_word_operation(lane_operation *operation)
{
#define VECTOR_WORD_OPERATION(name, expression)                                                                        \
    if (operation == lanewise_##name) {                                                                                \
        return WORDS_##name;                                                                                           \
    }
    VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION
    return WORDS_NONE;
}

typedef uint32_t words __attribute__((vector_size(64), may_alias));
typedef int32_t signed_words __attribute__((vector_size(64)));
typedef uint64_t wide_words __attribute__((vector_size(64)));

#undef SHIFT_RIGHT_SIGNED
#undef LEADING_ZEROS
#undef MULTIPLY_UPPER
#define SHIFT_RIGHT_SIGNED(x, count) ((words)((signed_words)(x) >> (signed_words)((words){0} + (count))))
#define LEADING_ZEROS(x)                                                                                               \
    ({                                                                                                                 \
        words of = (x);                                                                                                \
        count_leading_zeros(&of);                                                                                      \
        of;                                                                                                            \
    })

#define MULTIPLY_UPPER(x, y)                                                                                           \
    ({                                                                                                                 \
        words of = (x);                                                                                                \
        const words by = (y);                                                                                          \
        multiply_upper_words(&of, &by);                                                                                \
        of;                                                                                                            \
    })

/* In even places and in odd ones. */
__attribute__((always_inline)) static inline void multiply_upper_words(words *x, const words *y)
{
    const wide_words a = (wide_words)*x, b = (wide_words)*y;
    wide_words even = (a & UINT32_MAX) * (b & UINT32_MAX), odd = (a >> 32) * (b >> 32);
    *x = (words)(even >> 32 | odd >> 32 << 32); /* the first of two is the lower one, as on all hosts of the library */
}

/* By halves: a word that is less than 2^n has as many zeros above that, and what is below matters. */
__attribute__((always_inline)) static inline void count_leading_zeros(words *x)
{
    words zeros = (words)(*x == 0) & 1;
    for (unsigned half = 16; half; half /= 2) {
        words empty = (words)(*x < 1u << (32 - half));
        zeros += empty & half;
        *x = SELECT(empty, *x << half, *x);
    }
    *x = zeros;
}

/* The values of an LReg. Members, not an array, so that the compiler keeps them in registers. */
struct lreg_words {
    words low, high;
};

/* known = operation(b, c, immediate) */
__attribute__((always_inline)) static inline void compute(uint8_t operation, struct lreg_words *known,
                                                          const struct lreg_words *vb, const struct lreg_words *vc,
                                                          uint32_t immediate)
{
    switch (operation) {
#define HALF(which, expression)                                                                                        \
    do {                                                                                                               \
        words b = vb->which, c = vc->which;                                                                            \
        (void)b, (void)c;                                                                                              \
        known->which = (words){0} + (expression);                                                                      \
    } while (0)
#define VECTOR_WORD_OPERATION(name, expression)                                                                        \
    case WORDS_##name:                                                                                                 \
        HALF(low, expression);                                                                                         \
        HALF(high, expression);                                                                                        \
        break;
        VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION
#undef HALF
    default: break;
    }
}

/* What has just been written is not read again: that would have to wait for the write. */
__attribute__((always_inline)) static inline void load(struct lreg_words *to, const uint32_t *from,
                                                       const uint32_t *known_from, const struct lreg_words *known)
{
    const struct lreg_words *lreg = (const struct lreg_words *)from;
    if (from == known_from) {
        to->low = known->low;
        to->high = known->high;
    } else {
        to->low = lreg->low;
        to->high = lreg->high;
    }
}

CLONES(void, vector_run_words, (const struct vector_plan *plan, uint32_t count), (plan, count))
{
    const uint32_t *known_from = NULL;
    struct lreg_words known = {0}, b, c;
    for (; count; count--, plan++) {
        load(&b, plan->lregs.operands.y, known_from, &known);
        load(&c, plan->lregs.operands.z, known_from, &known);
        compute(plan->word_operation, &known, &b, &c, plan->immediate);
        known_from = plan->lregs.result;
        struct lreg_words *result = (struct lreg_words *)plan->lregs.result;
        result->low = known.low;
        result->high = known.high;
    }
}
