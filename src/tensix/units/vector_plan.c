#include "tensix/units/vector_plan.h"

#include "tensix/dispatch.h"
#include "tensix/units/vector_words.h"

/* Translating a run takes as long as executing it some ten times. */
enum { SHORTEST_TRANSLATED = 3, OFTEN = 20 };

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
    if (plan.vd >= LREG_WRITABLE || (word & ~tensix_dispatch[word >> 24].fields) != 0) {
        plan.kind = VECTOR_NOT_PLANNED;
    }
    plan.word = word;
    return plan;
}

/* Brings a plan up to date. */
static void refresh(struct vector_unit *vector, struct vector_plan *plan, uint32_t word)
{
    *plan = vector_plan_of(word);
    plan->word_operation = plan->kind == VECTOR_WORDS ? (uint8_t)vector_word_operation(plan->operation) : WORDS_NONE;
    plan->lregs.result = vector->lreg[plan->vd];
    plan->lregs.operands.x = vector->lreg[plan->va];
    plan->lregs.operands.y = vector->lreg[plan->vb];
    plan->lregs.operands.z = vector->lreg[plan->vc];
}

static void run_lanewise(const struct vector_plan *plan, uint32_t count, uint32_t lanes)
{
    for (; count; count--, plan++) {
        plan->operation(plan->lregs.result, plan->lregs.operands.y, plan->lregs.operands.z, plan->immediate, lanes);
    }
}

/* The run that begins at `place`, with its plans. */
static __attribute__((noinline)) void find_run(struct vector_unit *vector, struct vector_replay *replay,
                                               const uint32_t *words, uint32_t place)
{
    struct vector_run run = {.loads = replay->loads};
    for (uint32_t i = place; i < REPLAY_CAPACITY; i++) {
        struct vector_plan *plan = &replay->plans[i];
        if (plan->word != words[i]) {
            refresh(vector, plan, words[i]);
        }
        if (i == place) {
            run.kind = plan->kind;
        }
        if (plan->kind != run.kind || run.kind == VECTOR_NOT_PLANNED) {
            break;
        }
        run.count++;
    }
    replay->runs[place] = run;
}

/* Forgets all that has been translated. */
static void make_room(struct tensix *tensix)
{
    tensix->translator.used = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
            struct vector_run *run = &tensix->replays[thread].runs[i];
            run->code = NULL;
            run->executed = 0;
        }
    }
}

static __attribute__((noinline)) void translate(struct tensix *tensix, struct vector_run *run,
                                                const struct vector_plan *plan)
{
    vector_code *code = NULL;
    if (vector_translate(&tensix->translator, plan, run->count, &code) == VECTOR_ROOM_FULL) {
        make_room(tensix);
        vector_translate(&tensix->translator, plan, run->count, &code);
    }
    run->code = code;
}

/* The first `count` instructions of a run of plain operations that is not translated, or not all of it. */
static __attribute__((noinline)) void run_words(struct tensix *tensix, struct vector_run *run,
                                                const struct vector_plan *plan, uint32_t count, uint32_t lanes)
{
    if (run->count >= SHORTEST_TRANSLATED && run->executed < OFTEN && ++run->executed == OFTEN) {
        translate(tensix, run, plan);
    }
    if (lanes == ALL_LANES) {
        vector_run_words(plan, count);
    } else {
        run_lanewise(plan, count, lanes);
    }
}

/* The first `count` instructions of a run of calls. Returns how many have executed. */
static uint32_t run_calls(struct tensix *tensix, unsigned thread, const struct vector_plan *plan, uint32_t count)
{
    uint32_t done = 0;
    while (done < count && plan[done].call(tensix, thread, &plan[done])) {
        done++;
    }
    return done;
}

uint32_t vector_run_plans(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t place, uint32_t count)
{
    struct vector_unit *vector = &tensix->state->vector;
    struct vector_replay *replay = &tensix->replays[thread];
    uint32_t done = 0;
    while (done < count && !(vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX)) { /* then there are warnings */
        uint32_t lanes = vector_enabled_lanes(vector);
        struct vector_run *run = &replay->runs[place + done];
        const struct vector_plan *plan = &replay->plans[place + done];
        if (__builtin_expect(run->loads != replay->loads || plan->word != words[place + done], 0)) {
            find_run(vector, replay, words, place + done);
        }
        if (run->code && run->count <= count - done) {
            run->code(vector->lreg[0], lanes);
            done += run->count;
            continue;
        }
        uint32_t some = run->count < count - done ? run->count : count - done, called;
        switch (run->kind) {
        case VECTOR_NOT_PLANNED: return done;
        case VECTOR_NOTHING: break;
        case VECTOR_CALL:
            called = run_calls(tensix, thread, plan, some);
            if (called < some) {
                return done + called;
            }
            break;
        case VECTOR_SUM: sfpu_mad_sequence(&plan->lregs, sizeof *plan, some, lanes); break;
        default: run_words(tensix, run, plan, some, lanes); break;
        }
        done += some;
    }
    return done;
}
