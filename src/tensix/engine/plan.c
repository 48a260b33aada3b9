#include "tensix/engine/plan.h"

#include <string.h>

#include "tensix/dispatch.h"
#include "tensix/engine/run.h"
#include "tensix/units/vector/dst.h"
#include "tensix/units/vector/words.h"

/* Translating fewer instructions does not pay; how often execution ends in the same place until that counts. */
enum { SHORTEST_TRANSLATED = 3, OFTEN_CUT = 20 };

struct vector_plan vector_plan_of(uint32_t word)
{
    struct vector_plan plan = {0};
    switch (word >> 24) {
#define VECTOR_PLANNED(name)                                                                                           \
    case TENSIX_OPCODE_##name: plan = vector_plan_##name(decode_##name(word)); break;
        VECTOR_PLANNED_INSTRUCTIONS
#undef VECTOR_PLANNED
    default: break;
    }
    if (plan.vd >= LREG_WRITABLE || tensix_sets_reserved_bits(word)) {
        plan.kind = VECTOR_NOT_PLANNED;
    }
    plan.word = word;
    return plan;
}

/* Brings the plan of a place up to date. */
static void refresh(struct vector_unit *vector, struct vector_replay *replay, uint32_t place, uint32_t word)
{
    struct vector_plan *plan = &replay->plans[place];
    *plan = vector_plan_of(word);
    bool words = plan->kind == VECTOR_WORDS || plan->kind == VECTOR_WORDS_AND_FLAGS;
    plan->word_operation = words ? (uint8_t)vector_word_operation(plan->operation) : WORDS_NONE;
    plan->lregs.result = vector->lreg[plan->vd];
    plan->lregs.operands.y = vector->lreg[plan->vb];
    plan->lregs.operands.z = plan->kind == VECTOR_SUM && plan->vc == LREG_ZERO ? NULL : vector->lreg[plan->vc];
    plan->lregs.operands.x = plan->kind == VECTOR_SUM && plan->va < SFPU_LREGS ? vector->lreg[plan->va] : NULL;
    if (plan->kind == VECTOR_SUM && plan->va == VA_IMMEDIATE) {
        plan->lregs.operands.x = replay->immediates[place];
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            replay->immediates[place][lane] = plan->immediate;
        }
    }
}

static void run_lanewise(const struct vector_plan *plan, uint32_t count, uint32_t lanes)
{
    for (; count; count--, plan++) {
        plan->operation(plan->lregs.result, plan->lregs.operands.y, plan->lregs.operands.z, plan->immediate, lanes);
    }
}

/* Whether plans of one kind execute in a row with those of another. */
static bool is_one_run(const struct vector_translator *translator, uint8_t kind, uint8_t next)
{
    return kind == next || (vector_translates(translator, kind) && vector_translates(translator, next));
}

/* Sets down a run of `count` from `place` on, and those that begin within it. */
static void set_runs(struct vector_replay *replay, uint32_t place, uint32_t count)
{
    uint8_t plain = 0;
    for (uint32_t i = place + count; i-- > place;) {
        uint8_t kind = replay->plans[i].kind;
        plain = plain && kind == replay->plans[i + 1].kind ? (uint8_t)(plain + 1) : kind != VECTOR_WORDS_AND_FLAGS;
        if (replay->runs[i].loads != replay->loads || i == place) {
            replay->runs[i] = (struct vector_run){.loads = replay->loads,
                                                  .kind = replay->plans[i].kind,
                                                  .count = (uint8_t)(place + count - i),
                                                  .plain = plain};
        }
    }
}

/* What only translated code does, and what it does faster than a call. */
static void adapt_to_host(const struct vector_translator *translator, struct vector_plan *plan)
{
    bool translates = vector_translates(translator, VECTOR_WORDS_AND_FLAGS);
    if (plan->kind == VECTOR_WORDS_AND_FLAGS && !translates) {
        plan->kind = VECTOR_NOT_PLANNED;
    }
    translates &= plan->effect != EFFECT_LOOK_UP || vector_translates(translator, VECTOR_SUM);
    if (plan->kind == VECTOR_CALL && plan->effect != EFFECT_NONE && translates) {
        plan->kind = VECTOR_WORDS_AND_FLAGS;
    }
}

/* The run that begins at `place`, with its plans. */
static __attribute__((noinline)) void find_run(struct tensix *tensix, struct vector_replay *replay,
                                               const uint32_t *words, uint32_t place)
{
    uint32_t count = 0;
    for (uint32_t i = place; i < REPLAY_CAPACITY; i++, count++) {
        struct vector_plan *plan = &replay->plans[i];
        if (plan->word != words[i]) {
            refresh(&tensix->state->vector, replay, i, words[i]);
        }
        adapt_to_host(&tensix->translator, plan);
        if (plan->kind == VECTOR_NOT_PLANNED ||
            !is_one_run(&tensix->translator, replay->plans[place].kind, plan->kind)) {
            break;
        }
    }
    replay->runs[place] = (struct vector_run){.loads = replay->loads};
    set_runs(replay, place, count);
}

static void forget_translations(struct vector_replay *replay)
{
    for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
        memset(replay->runs[i].translated, 0, sizeof replay->runs[i].translated);
        replay->runs[i].executed = 0;
    }
    memset(replay->pieces, 0, sizeof replay->pieces);
}

/* Forgets all that has been translated. */
static void make_room(struct tensix *tensix)
{
    tensix->translator.used = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        forget_translations(&tensix->replays[thread]);
        for (unsigned i = 0; i < VECTOR_GROUPS; i++) {
            struct vector_groups *groups = &tensix->groups[thread];
            if (groups->head[i].length) {
                forget_translations(&groups->group[i].replay);
            }
        }
    }
}

/* For the state in which the vector unit is; if it was for another that did not last, or cannot be for this one, it is
   tried again when the run has been executed often once more. */
static __attribute__((noinline)) void translate(struct tensix *tensix, unsigned thread, struct vector_run *run,
                                                const struct vector_plan *plan)
{
    const struct tensix_state *state = tensix->state;
    struct vector_translated_run translated = {0};
    if (vector_translate(&tensix->translator, state, thread, plan, run->count, &translated) == VECTOR_ROOM_FULL) {
        make_room(tensix);
        vector_translate(&tensix->translator, state, thread, plan, run->count, &translated);
    }
    run->finds_columns = translated.assumed.dst.any;
    run->translated[vector_translated_index(state, thread, run)] = translated;
    run->executed = 0;
}

/* Execution of a run has to end after `left` of its instructions: at the end of a quantum, which comes anywhere, or of
   a REPLAY, behind which words of another stand. What always ends there becomes a run, unless all of it has been
   executed often. */
static void note_cut(struct vector_run *run, uint32_t left)
{
    if (run->translated[0].code || run->translated[1].code) {
        return;
    }
    run->times_cut = run->cut == left ? (uint8_t)(run->times_cut + 1) : 0;
    run->cut = (uint8_t)left;
    if (run->times_cut == OFTEN_CUT) {
        run->count = (uint8_t)left;
        run->plain = run->plain < run->count ? run->plain : run->count;
        memset(run->translated, 0, sizeof run->translated);
        run->executed = run->times_cut = 0;
    }
}

/* The piece of a run that begins at `place`, if no more than `left` instructions of it may execute; or the run, if
   there is none. */
static struct vector_run *choose_piece(struct vector_replay *replay, struct vector_run *run, uint32_t place,
                                       uint32_t left)
{
    if (run->kind == VECTOR_CALL || run->kind == VECTOR_NOT_PLANNED || left < VECTOR_PIECE ||
        place % VECTOR_PIECE != 0) {
        return run;
    }
    struct vector_run *piece = &replay->pieces[place / VECTOR_PIECE];
    if (piece->loads != replay->loads) {
        *piece = (struct vector_run){.loads = replay->loads,
                                     .kind = run->kind,
                                     .count = VECTOR_PIECE,
                                     .plain = run->plain < VECTOR_PIECE ? run->plain : VECTOR_PIECE};
    }
    return piece;
}

/* Counts an execution of a run that is not executed by its translation. Returns whether it can be from now on. */
static __attribute__((noinline)) bool count_execution(struct tensix *tensix, unsigned thread, struct vector_run *run,
                                                      const struct vector_plan *plan)
{
    bool worthwhile = run->count >= SHORTEST_TRANSLATED || run->plain < run->count;
    uint32_t dst_origin = 0, checked = 0;
    run->times_cut = 0;
    if (!worthwhile || vector_translation(tensix->state, thread, run, &dst_origin, &checked) ||
        ++run->executed < tensix->translator.patience) {
        return false;
    }
    translate(tensix, thread, run, plan);
    return run->translated[vector_translated_index(tensix->state, thread, run)].code;
}

/* The first `count` instructions of a run that is not translated, or not all of it, which are of one kind. */
static __attribute__((noinline)) void run_plain(uint8_t kind, const struct vector_plan *plan, uint32_t count,
                                                uint32_t lanes)
{
    if (kind == VECTOR_SUM) {
        sfpu_mad_sequence(&plan->lregs, sizeof *plan, count, lanes);
    } else if (kind == VECTOR_WORDS && lanes == ALL_LANES) {
        vector_run_words(plan, count);
    } else if (kind == VECTOR_WORDS) {
        run_lanewise(plan, count, lanes);
    }
}

/* Whether a plan that is translated is one that can be called, too. */
static inline bool may_call(const struct vector_plan *plan)
{
    return plan->effect >= EFFECT_EXCHANGE;
}

/* The first `count` instructions of a run of calls. Returns how many have executed. */
static inline uint32_t run_calls(const struct vector_calling *calling, const struct vector_plan *plan, uint32_t count)
{
    uint32_t done = 0;
    while (done < count && plan[done].call(calling, &plan[done])) {
        done++;
    }
    return done;
}

uint32_t vector_run_plans(struct tensix *tensix, unsigned thread, struct vector_replay *replay, const uint32_t *words,
                          uint32_t place, uint32_t count)
{
    struct vector_unit *vector = &tensix->state->vector;
    struct vector_calling calling = {0};
    uint32_t done = 0;
    while (done < count && !(vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX)) { /* then there are warnings */
        struct vector_run *run = &replay->runs[place + done];
        const struct vector_plan *plan = &replay->plans[place + done];
        if (__builtin_expect(run->loads != replay->loads || plan->word != words[place + done], 0)) {
            find_run(tensix, replay, words, place + done);
        }
        uint32_t lanes = vector_enabled_lanes(vector), left = count - done, called;
        if (run->count > left) {
            note_cut(run, left);
            run = choose_piece(replay, run, place + done, left);
        }
        uint32_t some = vector_run_translated(tensix, thread, replay, run, left);
        if (some) {
            done += some;
            continue;
        }
        some = run->count < left ? run->count : left;
        switch (run->kind) {
        case VECTOR_NOT_PLANNED: return done;
        case VECTOR_CALL:
            if (!calling.tensix) {
                calling = vector_calling(tensix, thread);
            }
            called = run_calls(&calling, plan, some);
            if (called < some) {
                return done + called;
            }
            break;
        default:
            if (run->count <= left && count_execution(tensix, thread, run, plan)) {
                continue;
            }
            some = run->plain < left ? run->plain : left;
            if (some) {
                run_plain(run->kind, plan, some, lanes);
                break;
            }
            if (!calling.tensix) {
                calling = vector_calling(tensix, thread);
            }
            if (!may_call(plan) || !plan->call(&calling, plan)) {
                return done;
            }
            some = 1;
            break;
        }
        done += some;
    }
    return done;
}
