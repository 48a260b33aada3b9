/* Jumps over instructions that no lane executes, where that is seen only when code runs: as a rule what a condition
   encloses which no lane meets. What is jumped over ends where lane flags may be set again. */
#include "tensix/engine/avx512/lowering.h"

/* About how many instructions of the host are worth a jump, which may be mispredicted, and how many are executed for
   one instruction. */
enum { WORTH_A_JUMP = 32, COST_OF_WORDS = 4, COST_OF_MOVES = 12, COST_OF_SUM = 40 };

/* Whether an instruction does nothing while no lane flag is set. */
static bool needs_lanes(const struct vector_operation *operation)
{
    switch (operation->effect) {
    case EFFECT_ENABLE:
    case EFFECT_COMPLEMENT:
    case EFFECT_PUSH:
    case EFFECT_POP: return false;
    default: return true;
    }
}

static unsigned cost(const struct vector_operation *operation)
{
    bool calls = operation->kind == VECTOR_SUM || operation->effect == EFFECT_LOOK_UP;
    return calls                                  ? COST_OF_SUM
           : operation->kind == VECTOR_NOTHING    ? 0
           : operation->effect >= EFFECT_EXCHANGE ? COST_OF_MOVES
                                                  : COST_OF_WORDS;
}

/* LRegs that are in registers when code jumps are so where it lands. */
static void load_lregs(struct lowering *t, uint32_t lregs)
{
    for (t->half = 0; t->half < HALVES; t->half++) {
        for (uint32_t lreg = 0; lreg < LREG_WRITABLE; lreg++) {
            if (lregs >> lreg & 1) {
                lowered_lreg(t, lreg);
            }
        }
    }
}

static void begin(struct lowering *t, uint32_t from)
{
    uint32_t end = from, lregs = 0;
    unsigned sum = 0;
    for (; end < t->count && needs_lanes(&t->operations[end]); end++) {
        const struct vector_operation *operation = &t->operations[end];
        sum += cost(operation);
        lregs |= lowered_reads(operation) | lowered_writes(operation);
    }
    if (sum >= WORTH_A_JUMP) {
        lower_due_random(t);
        lower_unsaved_flags(t);
        load_lregs(t, lregs);
        t->skip.flags = t->flags.flags;
        t->skip.end = end;
        t->skip.jump =
            evex_emit_jump_if_none(&t->code, mask_register(t->skip.flags, 0), mask_register(t->skip.flags, 1));
    }
}

/* Flags are where they would be, had the code jumped: there, none is set. */
static void end(struct lowering *t)
{
    lower_flags_into(t, t->skip.flags);
    evex_land(&t->code, t->skip.jump);
    t->skip.end = 0;
}

void lower_skip(struct lowering *t, uint32_t place)
{
    if (t->skip.end && t->skip.end == place) {
        end(t);
    }
    if (place < t->count && !t->skip.end && t->flags.use && t->flags.flags.kind == MASK_PAIR &&
        (place == 0 || t->operations[place - 1].effect == EFFECT_NARROW ||
         t->operations[place - 1].effect == EFFECT_COMPARE)) {
        begin(t, place);
    }
}
