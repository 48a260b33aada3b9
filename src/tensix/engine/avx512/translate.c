#include "tensix/engine/avx512/translate.h"

#include "jit/evex_call.h"
#include "tensix/engine/avx512/translation.h"
#include "util/host_vectors.h"

#if defined(__x86_64__) && defined(__linux__)
#include <assert.h>
#include <sys/mman.h>

static void store_written(struct translation *t)
{
    for (unsigned i = 0; i < FIRST_TEMPORARY; i++) {
        if (t->written >> i & 1) {
            evex_emit_store(&t->code, (uint8_t)i, i);
        }
    }
}

/* Whether something is computed, for VD. */
static bool computes(const struct vector_plan *plan)
{
    return plan->word_operation != WORDS_NONE || plan->kind == VECTOR_SUM;
}

/* The bits of VD that an operation replaces by those of its immediate, and changes no others; none if it is not so. */
static uint32_t immediate_bits(const struct vector_plan *plan)
{
    uint32_t bits = 0;
    switch (plan->word_operation) {
    case WORDS_load_immediate: return UINT32_MAX;
    case WORDS_load_upper: bits = 0xffff0000; break;
    case WORDS_load_lower: bits = 0xffff; break;
    default: break;
    }
    return plan->vc == plan->vd && !(plan->immediate & ~bits) ? bits : 0;
}

/* Whether an effect gives VD another value. */
static bool replaces_vd(const struct vector_plan *plan)
{
    return plan->effect == EFFECT_LOAD || plan->effect == EFFECT_ROUND || plan->effect == EFFECT_CONVERT ||
           plan->effect == EFFECT_LOOK_UP;
}

/* Keeps t->known for instruction `i` of a body. *plan becomes one that loads all bits at once where they are known. */
static void fold_immediates(struct translation *t, uint32_t i, struct lane_mask lanes, struct vector_plan *plan)
{
    uint32_t bits = lanes.kind == MASK_ALL ? immediate_bits(plan) : 0;
    t->constant[i] = false;
    if (plan->effect >= EFFECT_EXCHANGE) {
        uint32_t written = translated_writes(plan);
        for (unsigned lreg = 0; lreg < LREG_WRITABLE; lreg++) {
            t->known[lreg].bits = written >> lreg & 1 ? 0 : t->known[lreg].bits;
        }
    } else if (!computes(plan) || lanes.kind == MASK_NONE) {
        return;
    } else if (!bits) {
        t->known[plan->vd].bits = 0;
    } else {
        uint32_t word = (t->known[plan->vd].value & ~bits) | (plan->immediate & bits);
        bits |= t->known[plan->vd].bits;
        t->known[plan->vd].bits = bits;
        t->known[plan->vd].value = word;
        t->constant[i] = bits == UINT32_MAX;
        if (t->constant[i]) {
            plan->word_operation = WORDS_load_immediate;
            plan->immediate = word;
        }
    }
}

/* The LRegs that EFFECT_SHUFFLE changes. */
static uint32_t shuffled_lregs(const struct vector_plan *plan)
{
    enum { FIRST_FOUR = 0xf, ALL = 0xff };
    switch (plan->immediate) {
    case SHUFFLE_SHFLROR1:
    case SHUFFLE_SHFLSHR1: return 1u << plan->vd;
    case SHUFFLE_TRANSPOSE: return ALL;
    default: return FIRST_FOUR;
    }
}

/* The LRegs whose values a plan's effect depends on. */
static uint32_t effect_reads(const struct vector_plan *plan)
{
    switch (plan->effect) {
    case EFFECT_NARROW:
    case EFFECT_COMPARE: return 1u << plan->tested | 1u << plan->vb | 1u << plan->vc;
    case EFFECT_EXCHANGE: return 1u << plan->vd | 1u << plan->vc;
    case EFFECT_CONFIGURE: return 1u << 0;
    case EFFECT_LOAD: return 1u << plan->vd; /* some formats replace half of it */
    case EFFECT_STORE: return 1u << plan->vc;
    case EFFECT_CONVERT:
    case EFFECT_ROUND: return 1u << plan->vd | 1u << plan->vc;
    case EFFECT_LOOK_UP: return (plan->vb == LOOK_UP_8_BITS ? 0xf : 0x7f) | 1u << plan->vd;
    case EFFECT_SHUFFLE: return shuffled_lregs(plan) | 1u << plan->vc;
    default: return 0;
    }
}

uint32_t translated_reads(const struct vector_plan *plan)
{
    uint32_t lregs = effect_reads(plan);
    lregs |= computes(plan) ? 1u << plan->vb | 1u << plan->vc : 0;
    return lregs | (plan->kind == VECTOR_SUM ? 1u << plan->va : 0);
}

uint32_t translated_writes(const struct vector_plan *plan)
{
    switch (plan->effect) {
    case EFFECT_EXCHANGE: return 1u << plan->vd | 1u << plan->vc;
    case EFFECT_SHUFFLE: return shuffled_lregs(plan);
    default: return computes(plan) || replaces_vd(plan) ? 1u << plan->vd : 0;
    }
}

/* LRegs of which it is known that instructions read them before they write them. */
static void load_read(struct translation *t, uint32_t vectors)
{
    t->loaded = 0;
    for (uint32_t lreg = 0; lreg < LREG_WRITABLE; lreg++) {
        for (t->half = 0; t->half < HALVES; t->half++) {
            if (t->live >> lreg & vectors >> (HALVES * lreg + t->half) & 1) {
                translated_lreg(t, lreg);
            }
        }
    }
    t->loaded_first = 0;
}

/* The vectors of LRegs. */
static uint32_t vectors_of(uint32_t lregs)
{
    uint32_t vectors = 0;
    for (uint32_t lreg = 0; lreg < LREG_WRITABLE; lreg++) {
        vectors |= lregs >> lreg & 1 ? evex_registers(HALVES * lreg, HALVES) : 0;
    }
    return vectors;
}

/* Of what is in registers, what the instruction at hand leaves as it is: all LRegs but those that it writes, and what
   the last one has left in registers for results. */
static void find_live(struct translation *t, const struct vector_plan *plan)
{
    const uint32_t changing = evex_registers(0, FIRST_TEMPORARY) | evex_registers(FIRST_RESULT, HALVES);
    t->destinations = vectors_of(translated_writes(plan));
    t->code.live = (t->code.live & ~changing) | (t->loaded & ~t->destinations) |
                   (t->result_of == NO_LREG ? 0 : evex_registers(FIRST_RESULT, HALVES));
    t->code.live_masks = translated_live_masks(t);
}

static void emit_instructions(struct translation *t)
{
    const struct vector_plan nothing = {0};
    t->result_of = NO_LREG;
    for (uint32_t i = 0; i < t->count; i++) {
        t->place = i;
        find_live(t, &nothing);
        translate_skip(t, i);
        struct vector_plan plan = t->plans[i];
        t->result_of =
            plan.word_operation == WORDS_NONE ? NO_LREG : t->result_of; /* no other operand is looked for there */
        find_live(t, &plan);
        struct lane_mask lanes = translated_lanes(t);
        t->executes_in[i] = lanes.kind == MASK_NONE  ? IN_NO_LANES
                            : lanes.kind == MASK_ALL ? IN_ALL_LANES
                                                     : IN_SOME_LANES;
        fold_immediates(t, i, lanes, &plan);
        if (computes(&plan) && lanes.kind != MASK_NONE && t->needed[i]) {
            (plan.kind == VECTOR_SUM ? translate_sum : translate_operation)(t, &plan, lanes);
        }
        if (plan.effect != EFFECT_CONFIGURE || t->needed[i]) {
            translate_effect(t, &plan);
        }
        bool has_result = translated_has_result(&plan) && lanes.kind == MASK_PAIR;
        t->result_of = has_result ? plan.vd : NO_LREG;
    }
    find_live(t, &nothing);
    translate_skip(t, t->count);
    find_live(t, &nothing);
}

/* All instructions, once, and what is in memory after each time. Returns whether they can be executed once more from
   what is in registers, if rows of Dst have no say in it. */
static bool emit_once(struct translation *t, bool all_lanes)
{
    memset(t->known, 0, sizeof t->known);
    emit_instructions(t);
    translate_due_random(t);
    translate_last_dst(t);
    bool rehearses = t->code.full; /* LRegs will have been loaded before */
    return (rehearses || !t->loaded_first) && translate_flags_again(t, all_lanes);
}

/* The same as often as is said when code runs, if it can be: where instructions leave the counter of Dst in the middle
   of four rows, they find other columns every second time, so that they are there twice. */
static void emit_again_and_again(struct translation *t, bool all_lanes)
{
    uint32_t start = t->code.size;
    bool again = emit_once(t, all_lanes);
    bool twice = again && !translated_dst_returns(t, 1) && translated_dst_returns(t, 2);
    again &= twice || translated_dst_returns(t, 1);
    uint32_t end = 0;
    if (again) {
        translate_dst_again(t);
    }
    evex_emit_count(&t->code);
    if (twice) {
        end = evex_emit_jump_if_last(&t->code);
        emit_once(t, all_lanes);
        translate_dst_again(t);
        evex_emit_count(&t->code);
    }
    if (again) {
        evex_emit_jump_if_more(&t->code, start);
    }
    if (twice) {
        evex_land(&t->code, end);
    }
}

/* All instructions; they execute in all lanes at first, or in those of the masks, and as often as can be from what is
   in registers. A result in all lanes does not wait for what it replaces. */
static void emit_body(struct translation *t, bool all_lanes)
{
    t->written = 0;
    t->skip.end = 0;
    t->code.live = t->destinations = 0;
    t->code.live_masks = 0;
    translate_frame(t);
    load_read(t, t->loaded_first);
    translate_first_constants(t);
    translate_first_random(t);
    translate_first_dst(t);
    translate_first_flags(t, all_lanes);
    emit_again_and_again(t, all_lanes);
    store_written(t);
    translate_last_random(t);
    translate_last_flags(t);
    translate_end_of_frame(t);
    evex_emit_return(&t->code);
}

/* A result is needed unless it is replaced in all lanes before anything reads it. */
static void find_needed(struct translation *t)
{
    uint32_t live = (1u << SFPU_LREGS) - 1;
    for (uint32_t i = t->count; i--;) {
        const struct vector_plan *plan = &t->plans[i];
        uint32_t result = plan->effect == EFFECT_CONFIGURE ? plan->vc : plan->vd;
        live |= plan->effect == EFFECT_CONFIGURE ? 0 : effect_reads(plan);
        t->needed[i] = live >> result & 1;
        if (!(computes(plan) || plan->effect == EFFECT_CONFIGURE) || t->executes_in[i] == IN_NO_LANES ||
            !t->needed[i]) {
            continue;
        }
        if (t->executes_in[i] == IN_ALL_LANES) {
            live &= ~(1u << result);
        }
        live |= t->constant[i] ? 0 : translated_reads(plan);
    }
    t->live = live;
}

/* The highest register written of those that are temporaries: above them is what operations share. */
static uint8_t highest_temporary(const struct translation *t)
{
    uint32_t temporaries = t->code.written & evex_registers(FIRST_TEMPORARY, t->lowest_shared - FIRST_TEMPORARY);
    return (uint8_t)(temporaries ? 31 - __builtin_clz(temporaries) : FIRST_TEMPORARY - 1);
}

/* Goes through a body for its constants and to find out what is needed, without emitting it. */
static void rehearse_body(struct translation *t, bool all_lanes)
{
    struct evex_code code = t->code;
    t->code = (struct evex_code){.full = true, .first_register = FIRST_HOST_REGISTER};
    memset(t->needed, true, sizeof t->needed);
    t->live = t->loaded_first = 0;
    for (uint32_t i = 0; i < t->constants_count; i++) {
        t->constants[i].uses = 0;
    }
    translate_keep_constants(t, false);
    t->lowest_shared = t->first_kept;
    emit_body(t, all_lanes);
    t->highest_temporary = highest_temporary(t);
    t->code = code;
    find_needed(t);
    translate_keep_constants(t, true);
}

/* Returns where in the code execution begins. */
static uint32_t translate(struct translation *t)
{
    t->calls = vector_translation_calls(t->plans, t->count);
    for (uint32_t i = 0; i < t->count && !t->calls; i++) {
        t->keeps_random |= t->plans[i].effect == EFFECT_ROUND;
    }
    rehearse_body(t, false);
    rehearse_body(t, true);
    translate_constants(t);
    uint32_t start = t->code.size, jump = evex_emit_jump_unless_all(&t->code);
    emit_body(t, true);
    evex_land(&t->code, jump);
    rehearse_body(t, false);
    t->code.live_masks = 0; /* those of the other body */
    evex_emit_masks(&t->code);
    emit_body(t, false);
    return start;
}

_Static_assert(offsetof(struct vector_unit, lreg) == 0, "LRegs are where the vector unit is");

bool trace_compiles(const struct trace_compiler *compiler, const struct vector_plan *plan)
{
    bool sums = vector_translates_sums();
    if (!compiler->room || !host_has_avx512()) {
        return false;
    }
    switch (plan->kind) {
    case VECTOR_NOTHING:
    case VECTOR_WORDS: return true;
    case VECTOR_WORDS_AND_FLAGS: return sums || plan->effect != EFFECT_LOOK_UP;
    case VECTOR_SUM: return sums;
    default: return false;
    }
}

enum vector_translated vector_translate(struct trace_compiler *compiler, const struct tensix_state *state,
                                        unsigned thread, const struct vector_plan *plans, uint32_t count,
                                        struct trace_code *result)
{
    enum { LINE = 64 };
    if (!compiler->room || !host_has_avx512() || !find_trace_guards(&state->vector, plans, count, &result->guards) ||
        !find_dst_guards(state, thread, plans, count, &result->guards.dst)) {
        return VECTOR_CANNOT_TRANSLATE;
    }
    struct translation t = {.code = {.bytes = compiler->room + compiler->used,
                                     .capacity = VECTOR_CODE_ROOM - compiler->used,
                                     .first_register = FIRST_HOST_REGISTER},
                            .plans = plans,
                            .count = count,
                            .guards = &result->guards};
    if (mprotect(compiler->room, VECTOR_CODE_ROOM, PROT_READ | PROT_WRITE) != 0) {
        return VECTOR_CANNOT_TRANSLATE;
    }
    uint32_t start = translate(&t);
    if (mprotect(compiler->room, VECTOR_CODE_ROOM, PROT_READ | PROT_EXEC) != 0) {
        compiler->room = NULL; /* nothing of it can be executed any more */
        return VECTOR_ROOM_FULL;
    }
    assert(!t.code.overwrote || t.code.full);
    if (t.code.full) {
        return VECTOR_ROOM_FULL;
    }
    if (t.code.overwrote) { /* more registers are needed than there are */
        compiler->refused++;
        return VECTOR_CANNOT_TRANSLATE;
    }
    result->code = (trace_function *)(uintptr_t)(t.code.bytes + start);
    compiler->used += (t.code.size + LINE - 1) / LINE * LINE;
    return VECTOR_TRANSLATED;
}

#else

bool trace_compiles(const struct trace_compiler *compiler, const struct vector_plan *plan)
{
    return false;
}

enum vector_translated vector_translate(struct trace_compiler *compiler, const struct tensix_state *state,
                                        unsigned thread, const struct vector_plan *plans, uint32_t count,
                                        struct trace_code *result)
{
    return VECTOR_CANNOT_TRANSLATE;
}

#endif
