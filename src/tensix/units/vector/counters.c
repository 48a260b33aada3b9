/* SETRWC and INCRWC, which kernels use between instructions of the vector unit, and what does nothing, as decoded
   operations. */
#include "tensix/units/vector/counters.h"

#include "tensix/units/vector/parts.h"

enum { RWC_A = 1, RWC_B = 2, RWC_D = 4, RWC_FIDELITY = 8, RWC_C_TO_CR = 8 };
enum { RWC_CHECKPOINTS = 7 }; /* rwc_cr of INCRWC: SrcA, SrcB, Dst */

static uint32_t change_of(enum counter_source value, uint32_t number, enum counter_source checkpoint,
                          uint32_t checkpoint_number)
{
    return (number & COUNTER_NUMBER) << COUNTER_VALUE_AT | (uint32_t)value << COUNTER_VALUE_FROM_AT |
           (checkpoint_number & COUNTER_NUMBER) << COUNTER_CHECKPOINT_AT |
           (uint32_t)checkpoint << COUNTER_CHECKPOINT_FROM_AT;
}

/* The counter and its checkpoint become the same. */
static uint32_t set_both(enum counter_source source, uint32_t number)
{
    return change_of(source, number, source, number);
}

static uint32_t add(uint32_t number)
{
    return change_of(COUNTER_VALUE, number, COUNTER_CHECKPOINT, 0);
}

/* The change of a counter by SETRWC. */
static uint32_t set(bool chosen, bool add_to_checkpoint, uint32_t number)
{
    return chosen ? set_both(add_to_checkpoint ? COUNTER_CHECKPOINT : COUNTER_ZERO, number) : add(0);
}

/* Not decoded if it gives back a bank of SrcA or SrcB. */
struct vector_operation vector_decode_SETRWC(struct args_SETRWC args)
{
    if (args.clear_ab_vld) {
        return (struct vector_operation){0};
    }
    uint32_t dst = args.rwc_cr & RWC_C_TO_CR ? set_both(COUNTER_VALUE, args.rwc_d)
                                             : set(args.BitMask & RWC_D, args.rwc_cr & RWC_D, args.rwc_d);
    return (struct vector_operation){.kind = VECTOR_COUNTERS,
                                     .srca = set(args.BitMask & RWC_A, args.rwc_cr & RWC_A, args.rwc_a),
                                     .srcb = set(args.BitMask & RWC_B, args.rwc_cr & RWC_B, args.rwc_b),
                                     .immediate = dst | (args.BitMask & RWC_FIDELITY ? 1u << COUNTER_PHASE_AT : 0)};
}

static uint32_t increment(bool in_checkpoint, uint32_t number)
{
    return in_checkpoint ? set_both(COUNTER_CHECKPOINT, number) : add(number);
}

/* Not decoded if it may need a diagnostic. */
struct vector_operation vector_decode_INCRWC(struct args_INCRWC args)
{
    if (args.rwc_cr & ~(uint32_t)RWC_CHECKPOINTS) {
        return (struct vector_operation){0};
    }
    if (!args.rwc_cr && !args.rwc_a && !args.rwc_b) {
        return (struct vector_operation){
            .kind = VECTOR_WORDS_AND_FLAGS, .effect = EFFECT_COUNT, .immediate = args.rwc_d};
    }
    return (struct vector_operation){.kind = VECTOR_COUNTERS,
                                     .srca = increment(args.rwc_cr & RWC_A, args.rwc_a),
                                     .srcb = increment(args.rwc_cr & RWC_B, args.rwc_b),
                                     .immediate = increment(args.rwc_cr & RWC_D, args.rwc_d)};
}

/* An operation that only moves counters as a VECTOR_COUNTERS. false: it does more, or nothing. */
static bool as_counters(const struct vector_operation *operation, struct vector_operation *result)
{
    *result = *operation;
    if (operation->kind == VECTOR_WORDS_AND_FLAGS && operation->effect == EFFECT_COUNT) {
        *result = (struct vector_operation){.kind = VECTOR_COUNTERS,
                                            .word = operation->word,
                                            .srca = add(0),
                                            .srcb = add(0),
                                            .immediate = add(operation->immediate)};
    }
    return result->kind == VECTOR_COUNTERS;
}

/* What a source of the second change is after the first. */
static void follow(uint32_t first, uint32_t *source, uint32_t *number)
{
    if (*source == COUNTER_VALUE) {
        *source = first >> COUNTER_VALUE_FROM_AT & 3;
        *number += first >> COUNTER_VALUE_AT;
    } else if (*source == COUNTER_CHECKPOINT) {
        *source = first >> COUNTER_CHECKPOINT_FROM_AT & 3;
        *number += first >> COUNTER_CHECKPOINT_AT;
    }
}

static uint32_t joined(uint32_t first, uint32_t second)
{
    uint32_t value = second >> COUNTER_VALUE_FROM_AT & 3, checkpoint = second >> COUNTER_CHECKPOINT_FROM_AT & 3;
    uint32_t number = second >> COUNTER_VALUE_AT, checkpoint_number = second >> COUNTER_CHECKPOINT_AT;
    follow(first, &value, &number);
    follow(first, &checkpoint, &checkpoint_number);
    return change_of((enum counter_source)value, number, (enum counter_source)checkpoint, checkpoint_number);
}

void vector_join_counters(struct vector_operation *first, struct vector_operation *second)
{
    struct vector_operation a, b;
    if (!as_counters(first, &a) || !as_counters(second, &b)) {
        return;
    }
    b.srca = joined(a.srca, b.srca);
    b.srcb = joined(a.srcb, b.srcb);
    b.immediate = joined(a.immediate, b.immediate) | ((a.immediate | b.immediate) & 1u << COUNTER_PHASE_AT);
    *first = (struct vector_operation){.kind = VECTOR_NOTHING, .word = first->word};
    *second = b;
}

/* The instructions of other units that do nothing. */
struct vector_operation vector_decode_NOP(struct args_NOP args)
{
    return (struct vector_operation){.kind = VECTOR_NOTHING};
}

struct vector_operation vector_decode_DMANOP(struct args_DMANOP args)
{
    return (struct vector_operation){.kind = VECTOR_NOTHING};
}
