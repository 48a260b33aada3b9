#include "tensix/engine/avx512/lower.h"

#include "jit/evex_call.h"
#include "tensix/engine/avx512/lowering.h"
#include "util/host_vectors.h"

#if defined(__x86_64__) && defined(__linux__)
#include <assert.h>
#include <sys/mman.h>

void lower_stores(struct lowering *t)
{
    for (unsigned i = 0; i < FIRST_TEMPORARY; i++) {
        if (t->written >> i & 1) {
            evex_emit_store(&t->code, (uint8_t)i, i);
        }
    }
    t->written = 0;
}

/* Whether something is computed, for VD. */
static bool computes(const struct vector_operation *operation)
{
    return operation->word_operation != WORDS_NONE || operation->kind == VECTOR_SUM;
}

/* Whether an effect gives VD another value. */
static bool replaces_vd(const struct vector_operation *operation)
{
    return operation->effect == EFFECT_LOAD || operation->effect == EFFECT_ROUND ||
           operation->effect == EFFECT_CONVERT || operation->effect == EFFECT_LOOK_UP;
}

/* The LRegs that EFFECT_SHUFFLE changes. */
static uint32_t shuffled_lregs(const struct vector_operation *operation)
{
    enum { FIRST_FOUR = 0xf, ALL = 0xff };
    switch (operation->immediate) {
    case SHUFFLE_SHFLROR1:
    case SHUFFLE_SHFLSHR1: return 1u << operation->vd;
    case SHUFFLE_TRANSPOSE: return ALL;
    default: return FIRST_FOUR;
    }
}

/* The LRegs whose values a operation's effect depends on. */
static uint32_t effect_reads(const struct vector_operation *operation)
{
    switch (operation->effect) {
    case EFFECT_NARROW:
    case EFFECT_COMPARE: return 1u << operation->tested | 1u << operation->vb | 1u << operation->vc;
    case EFFECT_EXCHANGE: return 1u << operation->vd | 1u << operation->vc;
    case EFFECT_CONFIGURE: return 1u << 0;
    case EFFECT_LOAD: return 1u << operation->vd; /* some formats replace half of it */
    case EFFECT_STORE: return 1u << operation->vc;
    case EFFECT_CONVERT:
    case EFFECT_ROUND: return 1u << operation->vd | 1u << operation->vc;
    case EFFECT_LOOK_UP: return (operation->vb == LOOK_UP_8_BITS ? 0xf : 0x7f) | 1u << operation->vd;
    case EFFECT_SHUFFLE: return shuffled_lregs(operation) | 1u << operation->vc;
    default: return 0;
    }
}

/* The LRegs, a bit for each, that an instruction reads and that it writes. */
static uint32_t lregs_read(const struct vector_operation *operation)
{
    uint32_t lregs = effect_reads(operation);
    lregs |= computes(operation) ? 1u << operation->vb | 1u << operation->vc : 0;
    return lregs | (operation->kind == VECTOR_SUM ? 1u << operation->va : 0);
}

static uint32_t lregs_written(const struct vector_operation *operation)
{
    switch (operation->effect) {
    case EFFECT_EXCHANGE: return 1u << operation->vd | 1u << operation->vc;
    case EFFECT_SHUFFLE: return shuffled_lregs(operation);
    default: return computes(operation) || replaces_vd(operation) ? 1u << operation->vd : 0;
    }
}

/* The bits of VD that an operation replaces by those of its immediate, and changes no others; none if it is not so. */
static uint32_t immediate_bits(const struct vector_operation *operation)
{
    uint32_t bits = 0;
    switch (operation->word_operation) {
    case WORDS_load_immediate: return UINT32_MAX;
    case WORDS_load_upper: bits = 0xffff0000; break;
    case WORDS_load_lower: bits = 0xffff; break;
    default: break;
    }
    return operation->vc == operation->vd && !(operation->immediate & ~bits) ? bits : 0;
}

/* Keeps t->known for instruction `i` of a body. *operation becomes one that loads all bits at once where they are
 * known. */
static void fold_immediates(struct lowering *t, uint32_t i, struct lane_mask lanes, struct vector_operation *operation)
{
    uint32_t bits = lanes.kind == MASK_ALL ? immediate_bits(operation) : 0;
    t->constant[i] = false;
    if (operation->effect >= EFFECT_EXCHANGE) {
        uint32_t written = lregs_written(operation);
        for (unsigned lreg = 0; lreg < LREG_WRITABLE; lreg++) {
            t->known[lreg].bits = written >> lreg & 1 ? 0 : t->known[lreg].bits;
        }
    } else if (!computes(operation) || lanes.kind == MASK_NONE) {
        return;
    } else if (!bits) {
        t->known[operation->vd].bits = 0;
    } else {
        uint32_t word = (t->known[operation->vd].value & ~bits) | (operation->immediate & bits);
        bits |= t->known[operation->vd].bits;
        t->known[operation->vd].bits = bits;
        t->known[operation->vd].value = word;
        t->constant[i] = bits == UINT32_MAX;
        if (t->constant[i]) {
            operation->word_operation = WORDS_load_immediate;
            operation->immediate = word;
        }
    }
}

/* Vectors of LRegs into registers. */
static void load(struct lowering *t, uint32_t vectors)
{
    for (uint32_t lreg = 0; lreg < LREG_WRITABLE; lreg++) {
        for (t->half = 0; t->half < HALVES; t->half++) {
            if (vectors >> (HALVES * lreg + t->half) & 1) {
                lowered_lreg(t, lreg);
            }
        }
    }
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

/* Of what is in registers, what the instruction at hand leaves as it is: all LRegs but those that it writes. */
static void find_live(struct lowering *t, const struct vector_operation *operation)
{
    t->destinations = vectors_of(lregs_written(operation));
    t->code.live = (t->code.live & ~evex_registers(0, FIRST_TEMPORARY)) | (t->loaded & ~t->destinations);
    t->code.live_masks = lowered_live_masks(t);
}

static void emit_instructions(struct lowering *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        t->place = i;
        struct vector_operation operation = t->operations[i];
        find_live(t, &operation);
        struct lane_mask lanes = lowered_lanes(t);
        t->executes_in[i] = lanes.kind == MASK_NONE  ? IN_NO_LANES
                            : lanes.kind == MASK_ALL ? IN_ALL_LANES
                                                     : IN_SOME_LANES;
        fold_immediates(t, i, lanes, &operation);
        if (computes(&operation) && lanes.kind != MASK_NONE && t->needed[i]) {
            (operation.kind == VECTOR_SUM ? lower_sum : lower_operation)(t, &operation, lanes);
        }
        if (operation.effect != EFFECT_CONFIGURE || t->needed[i]) {
            lower_effect(t, &operation);
        }
    }
    find_live(t, &(struct vector_operation){0});
}

/* All instructions, once, and what is in memory after each time. Returns whether they can be executed once more from
   what is in registers, if rows of Dst have no say in it. */
static bool emit_once(struct lowering *t, bool all_lanes)
{
    memset(t->known, 0, sizeof t->known);
    emit_instructions(t);
    lower_last_dst(t);
    if (t->handled) {
        lower_stores(t);
        load(t, t->at_start);
    }
    bool rehearses = t->code.full; /* LRegs will have been loaded before */
    return (rehearses || !t->loaded_first) && lower_flags_again(t, all_lanes);
}

/* The same as often as is said when code runs, if it can be: where instructions leave the counter of Dst in the middle
   of four rows, they find other columns every second time, so that they are there twice. */
static void emit_again_and_again(struct lowering *t, bool all_lanes)
{
    uint32_t start = t->code.size;
    bool again = emit_once(t, all_lanes);
    bool twice = again && !lowered_dst_returns(t, 1) && lowered_dst_returns(t, 2);
    again &= twice || lowered_dst_returns(t, 1);
    uint32_t end = 0;
    if (again) {
        lower_dst_again(t);
    }
    evex_emit_count(&t->code);
    if (twice) {
        end = evex_emit_jump_if_last(&t->code);
        emit_once(t, all_lanes);
        lower_dst_again(t);
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
static void emit_body(struct lowering *t, bool all_lanes)
{
    t->loaded = t->written = 0;
    t->handled = false;
    t->code.live = t->destinations = 0;
    t->code.live_masks = 0;
    evex_emit_frame(&t->code, t->calls);
    load(t, t->loaded_first & vectors_of(t->live)); /* what instructions read before they write it */
    t->at_start = t->loaded;
    t->loaded_first = 0;
    lower_first_dst(t);
    lower_first_flags(t, all_lanes);
    emit_again_and_again(t, all_lanes);
    lower_stores(t);
    lower_last_flags(t);
    evex_emit_end_of_frame(&t->code, t->calls);
    evex_emit_return(&t->code);
}

/* A result is needed unless it is replaced in all lanes before anything reads it. */
static void find_needed(struct lowering *t)
{
    uint32_t live = (1u << SFPU_LREGS) - 1;
    for (uint32_t i = t->count; i--;) {
        const struct vector_operation *operation = &t->operations[i];
        uint32_t result = operation->effect == EFFECT_CONFIGURE ? operation->vc : operation->vd;
        live |= operation->effect == EFFECT_CONFIGURE ? 0 : effect_reads(operation);
        t->needed[i] = live >> result & 1;
        if (!(computes(operation) || operation->effect == EFFECT_CONFIGURE) || t->executes_in[i] == IN_NO_LANES ||
            !t->needed[i]) {
            continue;
        }
        if (t->executes_in[i] == IN_ALL_LANES) {
            live &= ~(1u << result);
        }
        live |= t->constant[i] ? 0 : lregs_read(operation);
    }
    t->live = live;
}

struct evex_operand lowered_constant(struct lowering *t, uint32_t number)
{
    uint32_t i = 0;
    while (i < t->constants_count && t->constants[i].value != number) {
        i++;
    }
    if (i == t->constants_count) {
        t->constants[t->constants_count++].value = number;
    }
    return (struct evex_operand){EVEX_CONSTANT, t->constants[i].place};
}

/* Goes through a body for its constants and to find out what is needed, without emitting it. */
static void rehearse_body(struct lowering *t, bool all_lanes)
{
    struct evex_code code = t->code;
    t->code = (struct evex_code){.full = true, .first_register = FIRST_HOST_REGISTER};
    memset(t->needed, true, sizeof t->needed);
    t->live = t->loaded_first = 0;
    emit_body(t, all_lanes);
    t->code = code;
    find_needed(t);
}

/* Returns where in the code execution begins. */
static uint32_t lower(struct lowering *t)
{
    t->calls = lowering_calls(t->operations, t->count);
    rehearse_body(t, false);
    rehearse_body(t, true);
    lower_handlers(t);
    for (uint32_t i = 0; i < t->constants_count; i++) {
        t->constants[i].place = evex_emit_constant(&t->code, t->constants[i].value);
    }
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

bool trace_compiles(const struct trace_compiler *compiler, const struct vector_operation *operation)
{
    return compiler->buffer && host_has_avx512() && operation->kind != VECTOR_NOT_DECODED &&
           operation->kind != VECTOR_BY_UNIT && operation->kind != VECTOR_COUNTERS;
}

enum lowering_outcome lower_trace(struct trace_compiler *compiler, const struct tensix_state *state, unsigned thread,
                                  const struct vector_operation *operations, uint32_t count, struct trace_code *result)
{
    enum { LINE = 64 };
    if (!compiler->buffer || !host_has_avx512() ||
        !find_trace_guards(&state->vector, operations, count, &result->guards) ||
        !find_dst_guards(state, thread, operations, count, &result->guards.dst)) {
        return CANNOT_LOWER;
    }
    struct lowering t = {.code = {.bytes = compiler->buffer + compiler->used,
                                  .capacity = CODE_BUFFER_SIZE - compiler->used,
                                  .first_register = FIRST_HOST_REGISTER},
                         .operations = operations,
                         .count = count,
                         .guards = &result->guards};
    if (mprotect(compiler->buffer, CODE_BUFFER_SIZE, PROT_READ | PROT_WRITE) != 0) {
        return CANNOT_LOWER;
    }
    uint32_t start = lower(&t);
    if (mprotect(compiler->buffer, CODE_BUFFER_SIZE, PROT_READ | PROT_EXEC) != 0) {
        compiler->buffer = NULL; /* nothing of it can be executed any more */
        return CODE_BUFFER_FULL;
    }
    assert(!t.code.overwrote || t.code.full);
    if (t.code.full) {
        return CODE_BUFFER_FULL;
    }
    if (t.code.overwrote) { /* more registers are needed than there are */
        compiler->refused++;
        return CANNOT_LOWER;
    }
    result->code = (trace_function *)(uintptr_t)(t.code.bytes + start);
    compiler->used += (t.code.size + LINE - 1) / LINE * LINE;
    return TRACE_LOWERED;
}

#else

bool trace_compiles(const struct trace_compiler *compiler, const struct vector_operation *operation)
{
    return false;
}

enum lowering_outcome lower_trace(struct trace_compiler *compiler, const struct tensix_state *state, unsigned thread,
                                  const struct vector_operation *operations, uint32_t count, struct trace_code *result)
{
    return CANNOT_LOWER;
}

#endif
