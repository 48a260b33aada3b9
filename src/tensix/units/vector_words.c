#include "tensix/units/vector_words.h"

#define CONSTANT(number) (number)
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define NOT(x) (~(x))
#define SHIFT_LEFT(x, count) ((x) << (count))
#define SHIFT_RIGHT(x, count) ((x) >> (count))
#define NEGATIVE(x) (0u - ((x) >> 31))
#define SHIFT_LEFT_BY(x, y) ((x) << (y))
#define SHIFT_RIGHT_BY(x, y) ((x) >> (y))

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
