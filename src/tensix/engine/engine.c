#include "tensix/engine/engine.h"

#include "tensix/engine/portable.h"
#include "tensix/engine/verify.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/matrix/move_plain.h"
#include "tensix/units/pack/plan.h"
#include "tensix/units/state.h"
#include "util/host_floats.h"

/* Bits of LaneConfig that code does not know of. */
enum { NO_CODE_FOR = LANE_CONFIG_ENABLE_DEST_INDEX | LANE_CONFIG_EXCHANGE_SRCB_SRCC };

/* The code of a trace that holds in the state at hand; null: there is none. *dst_origin: what it is to be handed.
   *checked has one bit for each of trace->code of which what is configured is known to be as it goes by: no trace
   changes that. */
static inline const struct trace_code *code_that_holds(const struct tensix_state *state, unsigned thread,
                                                       const struct trace *trace, uint32_t *dst_origin,
                                                       uint32_t *checked)
{
    enum { ROWS = 4 };
    uint32_t counter = state->addr.rwc[thread].dst, index = trace->finds_columns ? counter >> 1 & 1 : 0;
    const struct trace_code *code = &trace->code[index];
    if (!code->code) {
        return NULL;
    }
    if (code->guards.dst.any) {
        if (code->guards.dst.thread != thread) {
            return NULL;
        }
        if (!(*checked >> index & 1) && !dst_guards_hold(state, &code->guards.dst, dst_origin)) {
            return NULL;
        }
        *checked |= 1u << index;
        if ((counter + *dst_origin) % ROWS != code->guards.dst.remainder) {
            return NULL;
        }
    }
    return trace_guards_hold(&state->vector, &code->guards) ? code : NULL;
}

/* Executes the code of a trace up to `times` times. Returns how often it has; fewer: there is none for the state. */
static inline uint32_t run_code(struct tensix *tensix, unsigned thread, const struct trace *trace, uint32_t times)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t done = 0, dst_origin = 0, checked = 0;
    while (done < times) {
        const struct trace_code *code = code_that_holds(tensix->state, thread, trace, &dst_origin, &checked);
        if (!code) {
            break;
        }
        if (__builtin_expect(tensix->engine->compiler.verifies, false)) {
            done += verify_code(tensix, thread, trace, code, dst_origin, times - done);
        } else {
            done = times - code->code(vector, vector_enabled_lanes(vector), dst_origin, times - done);
        }
    }
    return done;
}

/* For the state at hand. If there is code for another state, that has not lasted. If there can not be any for this one,
   it is tried again after as many executions. */
static __attribute__((noinline)) bool compile(struct tensix *tensix, unsigned thread, struct trace *trace)
{
    struct engine *engine = tensix->engine;
    struct trace_code code = {0};
    uint32_t index = tensix->state->addr.rwc[thread].dst >> 1 & 1;
    if (lower_trace(&engine->compiler, tensix->state, thread, trace->operations, trace->decoded, &code) ==
        CODE_BUFFER_FULL) {
        engine->compiler.used = 0;
        trace_forget_code(&engine->cache);
        lower_trace(&engine->compiler, tensix->state, thread, trace->operations, trace->decoded, &code);
    }
    trace->finds_columns = code.guards.dst.any;
    trace->code[trace->finds_columns ? index : 0] = code;
    trace->executed = 0;
    return code.code;
}

/* Counts an execution of a trace that no code holds for. Returns whether some does from now on. */
static inline bool count_execution(struct tensix *tensix, unsigned thread, struct trace *trace)
{
    return trace->compiles && ++trace->executed >= tensix->engine->compiler.patience && compile(tensix, thread, trace);
}

static inline struct pushed instruction_of(const struct burst *burst, uint32_t at)
{
    return (struct pushed){.word = burst->words[at], .pc = burst->pcs ? burst->pcs[at] : burst->pc};
}

/* One instruction by its unit. */
static inline enum step execute_one(struct tensix *tensix, unsigned thread, const struct burst *burst, uint32_t at)
{
    return tensix_dispatch_word(tensix, thread, instruction_of(burst, at));
}

/* The operations of a trace `times` times, without code. Where one has more to it in the state at hand, its unit
   executes it: some have diagnostics then. Returns how many have executed. */
static uint32_t run_portably(struct tensix *tensix, unsigned thread, const struct trace *trace,
                             const struct burst *burst, uint32_t from, uint32_t times, enum step *step)
{
    uint32_t all = times * trace->decoded, done = 0;
    while (done < all) {
        uint32_t at = done % trace->decoded, left = at ? trace->decoded - at : all - done;
        uint32_t some =
            portable_run(tensix, thread, &trace->operations[at], trace->decoded - at, at ? 1 : left / trace->decoded);
        done += some;
        if (some < left) {
            *step = execute_one(tensix, thread, burst, from + done % trace->decoded);
            if (*step != STEP_DONE) {
                break;
            }
            done++;
        }
    }
    return done;
}

/* A trace, `times` times; at once if there can not be code of it: rows nop, setrwc and config_macro of the benchmark,
   and all of the vector unit on hosts without AVX-512. Returns how many instructions have executed. */
static uint32_t run_trace(struct tensix *tensix, unsigned thread, struct trace *trace, const struct burst *burst,
                          uint32_t from, uint32_t times, enum step *step)
{
    const uint32_t *lane_config = &tensix->state->vector.any_lane_config;
    const host_floats before = host_floats_begin(); /* for sums */
    uint32_t rounds = 0, part = 0;
    while (rounds < times && *step == STEP_DONE) {
        bool rare = *lane_config & NO_CODE_FOR;
        uint32_t some = rare ? 0 : run_code(tensix, thread, trace, times - rounds);
        rounds += some;
        if (!some && (rare || !count_execution(tensix, thread, trace))) {
            part = run_portably(tensix, thread, trace, burst, from, trace->compiles ? 1 : times - rounds, step);
            rounds += part / trace->decoded;
            part %= trace->decoded;
        }
    }
    host_floats_end(before);
    return rounds * trace->decoded + part;
}

/* Whether what comes next is the frontend's, or that of instructions that were scheduled. */
static inline bool others_have_a_say(const struct tensix_state *state, unsigned thread)
{
    return state->src_given_back | state->frontend[thread].wait.latched | vector_schedule_active(&state->vector);
}

/* One instruction again and again, by those units that resolve it once for all. Returns how often it has executed. */
static inline uint32_t repeat(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t times)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_UNPACR: return unpack_as_planned(tensix, thread, word, times);
    case TENSIX_OPCODE_PACR: return pack_as_planned(tensix, thread, word, times);
    default: return 0;
    }
}

/* Instructions from number `at` of a round on that stand in a row, `count` at the most, or the only one of it as often:
   those that only units can execute, or any (`all`); up to one that others have a say behind. Returns how many have
   executed. The loop is the whole cost of what units do not take long for (row zerosrc of the benchmark). */
static inline __attribute__((always_inline)) uint32_t run_straight(struct tensix *tensix, unsigned thread,
                                                                   const struct burst *burst, uint32_t at,
                                                                   uint32_t count, bool all, enum step *step)
{
    const struct tensix_state *state = tensix->state;
    const uint32_t *words = burst->words, *pcs = burst->pcs;
    const uint32_t next = burst->length > 1;
    struct diagnostic_origin *now = &tensix->diagnostics->now;
    uint32_t done = 0;
    do {
        const uint32_t word = words[at];
        const struct tensix_dispatch *entry = &tensix_dispatch[word >> 24];
        if (!(all ? entry->in_a_row : entry->by_unit) || word & ~entry->fields) {
            break;
        }
        now->instruction = word;
        if (pcs) {
            now->pc = pcs[at];
        }
        const enum step came = entry->run(tensix, thread, word);
        if (__builtin_expect(came != STEP_DONE, 0)) {
            *step = came;
            break;
        }
        at += next;
    } while (++done < count && !others_have_a_say(state, thread));
    return done;
}

/* From number `at` on `least` instructions, and what follows that only units can execute, `most` at the most, one after
   the other. The first one is in a row. Returns how many have executed. */
static uint32_t run_by_units(struct tensix *tensix, unsigned thread, const struct burst *burst, uint32_t at,
                             uint32_t least, uint32_t most, enum step *step)
{
    uint32_t done = burst->length == 1 ? repeat(tensix, thread, burst->words[0], most) : 0, some;
    if (done) {
        return done;
    }
    tensix_now(tensix, thread, instruction_of(burst, at));
    done = some = run_straight(tensix, thread, burst, at, least < most ? least : most, true, step);
    while (some && done >= least && done < most && *step == STEP_DONE && !others_have_a_say(tensix->state, thread)) {
        at = at + some < burst->length ? at + some : 0;
        uint32_t straight = burst->length == 1 ? most : burst->length - at, left = most - done;
        some = run_straight(tensix, thread, burst, at, straight < left ? straight : left, false, step);
        done += some;
    }
    return done;
}

/* What stands from number `at` on in a round, if that is a trace; *left: how many instructions may execute. Returns how
   many have. What is not a trace yet executes by its units: looking for what is in the middle of it would find nothing
   either. */
static uint32_t run_vector(struct tensix *tensix, unsigned thread, const struct burst *burst, uint32_t at,
                           uint32_t left, enum step *step)
{
    uint32_t count = burst->length - at < left ? burst->length - at : left;
    struct trace *trace = trace_find(tensix->engine, thread, burst, at, count);
    if (!trace) {
        return run_by_units(tensix, thread, burst, at, trace_candidates(burst->words + at, count), left, step);
    }
    if (trace->decoded == 0) {
        return 0;
    }
    uint32_t times = trace->decoded == burst->length ? left / burst->length : 1;
    return run_trace(tensix, thread, trace, burst, at, times, step);
}

/* The same of moves. */
static uint32_t run_moves(struct tensix *tensix, unsigned thread, const struct burst *burst, uint32_t at, uint32_t left)
{
    const uint32_t *words = burst->words + at;
    uint32_t times = at == 0 && left >= burst->length ? left / burst->length : 1;
    uint32_t count = burst->length - at < left ? burst->length - at : left;
    return matrix_run_moves(tensix, thread, words, count, times);
}

uint32_t engine_run(struct tensix *tensix, unsigned thread, const struct burst *burst, uint32_t most, enum step *step)
{
    uint32_t all = burst->length * burst->times, at = 0, done = 0;
    all = all < most ? all : most;
    *step = STEP_DONE;
    while (done < all) {
        uint32_t word = burst->words[at], some = 0;
        if (!tensix_in_a_row(word)) {
            break;
        }
        if (tensix_dispatch[word >> 24].by_unit) {
            some = run_by_units(tensix, thread, burst, at, 1, all - done, step);
        } else if (tensix_may_be_traced(word)) {
            some = run_vector(tensix, thread, burst, at, all - done, step);
        } else if (matrix_may_run(word)) {
            some = run_moves(tensix, thread, burst, at, all - done);
        }
        if (some == 0 && *step == STEP_DONE) {
            some = run_by_units(tensix, thread, burst, at, 1, all - done, step);
        }
        done += some;
        at += some;
        at = at < burst->length ? at : at % burst->length;
        if (*step != STEP_DONE || others_have_a_say(tensix->state, thread)) {
            break;
        }
    }
    if (done) {
        tensix_now(tensix, thread, instruction_of(burst, at ? at - 1 : burst->length - 1));
    }
    return done;
}
