#include "tensix/units/vector/plan.h"

#include "tensix/units/dispatch.h"
#include "tensix/units/vector/parts.h"

#define MAY_BE_PLANNED_DECODED(name)                                                                                   \
    _Static_assert(VECTOR_MAY_BE_PLANNED((unsigned)TENSIX_OPCODE_##name),                                              \
                   #name ": vector_may_be_planned() leaves it out");
#define MAY_BE_PLANNED_NOT_DECODED(name)
#define TENSIX_FACTS(name, sub_unit, decoded, ...) MAY_BE_PLANNED_##decoded(name)
#include "tensix.def"

struct vector_plan vector_plan_of(uint32_t word)
{
    struct vector_plan plan = {0};
    switch (word >> 24) {
#define PLAN_DECODED(name)                                                                                             \
    case TENSIX_OPCODE_##name:                                                                                         \
        plan = vector_plan_##name(decode_##name(word));                                                                \
        break;
#define PLAN_NOT_DECODED(name)
#define TENSIX_FACTS(name, sub_unit, decoded, ...) PLAN_##decoded(name)
#include "tensix.def"
    default: break;
    }
    if (plan.vd >= LREG_WRITABLE || tensix_sets_reserved_bits(word)) {
        plan.kind = VECTOR_NOT_PLANNED;
    }
    plan.word = word;
    return plan;
}
