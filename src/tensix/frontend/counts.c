#include "tensix/frontend/counts.h"

#include "isa/tensix_facts.h"
#include "isa/tensix_isa.h"
#include "tensix/frontend/timed.h"
#include "tensix/units/src_banks.h"
#include "time/clock.h"

enum { SEMAPHORE_IS_ZERO = 1, SEMAPHORE_IS_MAX = 2 };
enum { C5_SRCA_CLEAR = 1 << 5, C7_SRCA_VALID = 1 << 7 }; /* those of SrcB are one bit higher */

/* From `from` on, up to but without `to`. */
struct span {
    uint64_t from, to;
};

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct span both(struct span a, struct span b)
{
    return (struct span){clock_later(a.from, b.from), earlier(a.to, b.to)};
}

static uint32_t length(struct span span)
{
    return span.from < span.to ? (uint32_t)(span.to - span.from) : 0;
}

/* Cycles that are in any of three spans. */
static uint32_t length_of_any(const struct span spans[TENSIX_THREADS])
{
    uint32_t all = 0;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        all += length(spans[i]);
        for (unsigned k = 0; k < i; k++) {
            all -= length(both(spans[i], spans[k]));
        }
    }
    return all + length(both(spans[0], both(spans[1], spans[2])));
}

/* What is said of the threads together about the cycles that are being counted. */
struct together {
    struct span all; /* these cycles */
    struct span stalled[TENSIX_THREADS];
    struct span bank[BANK_REASONS][TENSIX_THREADS];
    struct span valid[MATH_VALIDS][TENSIX_THREADS];
};

static bool is_math(unsigned class)
{
    return class == ISSUE_MATRIX || class == ISSUE_VECTOR;
}

/* The Matrix Unit and the Vector Unit are one class in performance counters. */
static unsigned available_class(unsigned class)
{
    return class == ISSUE_VECTOR ? ISSUE_MATRIX : class;
}

static void count_available(struct timing_counts *counts, unsigned thread, unsigned class, struct span span)
{
    counts->count[COUNT_FIRST_AVAILABLE + TENSIX_THREADS * available_class(class) + thread] += length(span);
}

/* When the semaphores that a SEMWAIT looks at came to their values, or CLOCK_NEVER: one of them has to change. */
static uint64_t semaphores_met(const struct tensix_state *state, const struct latched_wait *wait, uint32_t condition)
{
    uint64_t met = 0;
    for (uint32_t left = wait->semaphores; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint8_t value = state->sync.semaphore[i].value, max = state->sync.semaphore[i].max;
        bool holds = condition == SEMAPHORE_IS_ZERO ? value == 0 : value >= max;
        met = holds ? CLOCK_NEVER : clock_later(met, state->timing.sync.changed[i]);
    }
    return met;
}

static uint64_t bank_met(const struct tensix_state *state, unsigned reason)
{
    const struct src_register_file *source = reason % 2 ? &state->srcb : &state->srca;
    bool clear = reason < WAITS_SRCA_VALID;
    uint8_t bank = clear ? source->unpacker_bank : source->matrix_bank;
    return source->owner[bank] != (clear ? SRC_UNPACKERS : SRC_MATRIX_UNIT) ? CLOCK_NEVER
           : clear ? state->timing.matrix.released[reason % 2][bank]
                   : state->timing.unpack.filled[reason % 2][bank];
}

/* What a latched wait that blocks the thread's next instruction waits for. */
static void count_reasons(const struct tensix_state *state, struct timing_counts *counts, unsigned thread,
                          struct together *together)
{
    static const uint16_t conditions[WAIT_REASONS] = {
        [WAITS_THCON_IDLE] = 1 << 0, [WAITS_UNPACK_IDLE] = 3 << 1, [WAITS_PACK_IDLE] = 1 << 3,
        [WAITS_MATH_IDLE] = 1 << 4,  [WAITS_MOVE_IDLE] = 1 << 9,   [WAITS_CFG_IDLE] = 1 << 10,
        [WAITS_SFPU_IDLE] = 1 << 11};
    const struct latched_wait *wait = &state->frontend[thread].wait;
    uint64_t met[WAIT_REASONS] = {0};
    if (wait->opcode == TENSIX_OPCODE_SEMWAIT) {
        met[WAITS_NONZERO_SEM] =
            wait->condition & SEMAPHORE_IS_ZERO ? semaphores_met(state, wait, SEMAPHORE_IS_ZERO) : 0;
        met[WAITS_NONFULL_SEM] = wait->condition & SEMAPHORE_IS_MAX ? semaphores_met(state, wait, SEMAPHORE_IS_MAX) : 0;
    } else if (wait->opcode == TENSIX_OPCODE_STALLWAIT) {
        for (unsigned i = 0; i < WAIT_REASONS; i++) {
            met[i] = wait_gate_drained(&state->timing, thread, wait->condition & conditions[i]);
        }
        if (unpack_owes(state, (wait->condition & conditions[WAITS_UNPACK_IDLE]) >> 1, thread)) {
            met[WAITS_UNPACK_IDLE] = CLOCK_NEVER;
        }
        for (unsigned i = 0; i < BANK_REASONS; i++) {
            bool waits = wait->condition & (C5_SRCA_CLEAR << i);
            together->bank[i][thread] = both(together->all, (struct span){0, waits ? bank_met(state, i) : 0});
        }
    }
    for (unsigned i = 0; i < WAIT_REASONS; i++) {
        counts->count[COUNT_FIRST_WAIT + TENSIX_THREADS * i + thread] +=
            length(both(together->all, (struct span){0, met[i]}));
    }
}

/* An instruction for the Matrix Unit or the Vector Unit stands at the gate during `span`, and nothing but its unit
   holds it. */
static void note_valid(struct tensix_state *state, unsigned thread, uint32_t word, struct span span,
                       struct together *together)
{
    struct matrix_stalls stalls = {0};
    bool matrix = issue_class_of(word) == ISSUE_MATRIX;
    if (matrix) {
        stalls = matrix_stalls(state, thread, word);
    }
    const uint64_t from[MATH_VALIDS] = {[MATH_HAS_SOURCES] =
                                            matrix && tensix_facts[word >> 24].waits ? stalls.sources : CLOCK_NEVER,
                                        [MATH_NOT_DST_TO_SRC] = stalls.dst_to_src,
                                        [MATH_NOT_SCOREBOARD] = stalls.scoreboard};
    for (unsigned i = 0; i < MATH_VALIDS; i++) {
        together->valid[i][thread] = both(span, (struct span){from[i], CLOCK_NEVER});
    }
}

/* The cycle in which an instruction passes. */
static void count_passing(struct timing_counts *counts, unsigned thread, struct together *together)
{
    struct span span = both(together->all, (struct span){0, counts->passes_until[thread]});
    unsigned class = issue_class_of(counts->passed[thread]);
    count_available(counts, thread, class, span);
    if (length(span) && is_math(class)) {
        for (unsigned i = 0; i < MATH_VALIDS; i++) {
            bool counted = i != MATH_HAS_SOURCES || tensix_facts[counts->passed[thread] >> 24].waits;
            together->valid[i][thread] = counted ? span : (struct span){0};
        }
    }
}

/* What stands at the gate and does not pass. Behind an instruction that keeps its thread, it is what would come. */
static void count_held(struct tensix *tensix, struct timing_counts *counts, unsigned thread, struct together *together)
{
    struct tensix_state *state = tensix->state;
    const struct frontend *frontend = &state->frontend[thread];
    uint32_t word = frontend->next.word;
    struct span *stalled = &together->stalled[thread];
    *stalled = both(together->all, (struct span){counts->passes_until[thread], CLOCK_NEVER});
    if (!counts->held[thread] || !frontend->at_gate) {
        *stalled = both(*stalled, (struct span){frontend_next_at(tensix, thread), state->timing.frontend[thread].gate});
    } else if (frontend->wait.latched && wait_gate_blocks(&frontend->wait, word >> 24)) {
        count_available(counts, thread, issue_class_of(word), *stalled);
        count_reasons(state, counts, thread, together);
    } else if (is_math(issue_class_of(word))) {
        note_valid(state, thread, word, *stalled, together);
    }
    counts->count[COUNT_FIRST_STALL + thread] += length(*stalled);
}

static void count_fetches(const struct unpack_timing *unpack, struct timing_counts *counts, struct span all)
{
    for (unsigned i = 0; i < UNPACKERS; i++) {
        for (unsigned k = 0; k < 2; k++) {
            const struct unpack_span *fetch = &unpack->fetches[i][k];
            uint32_t cycles = length(both(all, (struct span){fetch->from, fetch->to}));
            counts->count[COUNT_FETCH(i)] += cycles;
            counts->count[fetch->thread % 2 ? COUNT_FETCH_ODD(i) : COUNT_FETCH_EVEN(i)] += cycles;
        }
    }
}

static void count_units(const struct tensix_state *state, struct timing_counts *counts, struct span all)
{
    const struct tensix_timing *timing = &state->timing;
    uint64_t fpu = timing->matrix.accepts, sfpu = clock_later(timing->vector.accepts, timing->vector.accepts_others),
             pack = 0;
    counts->count[COUNT_FPU] += length(both(all, (struct span){0, fpu}));
    counts->count[COUNT_SFPU] += length(both(all, (struct span){0, sfpu}));
    counts->count[COUNT_FPU_OR_SFPU] += length(both(all, (struct span){0, clock_later(fpu, sfpu)}));
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 0; i < UNPACKERS; i++) {
            const uint64_t until = timing->busy_until[i ? BUSY_UNPACK1 : BUSY_UNPACK0][thread];
            const struct span busy = {0, unpack_owes(state, 1u << i, thread) ? CLOCK_NEVER : until};
            counts->count[COUNT_UNPACK_BUSY(i, thread)] += length(both(all, busy));
        }
        pack = clock_later(pack, timing->busy_until[BUSY_PACK][thread]);
    }
    counts->count[COUNT_PACK_BUSY] += length(both(all, (struct span){0, pack}));
    counts->count[COUNT_PACK_READS] += length(both(all, (struct span){0, timing->pack.reads_until}));
    count_fetches(&timing->unpack, counts, all);
}

void counts_reach(struct tensix *tensix, uint64_t now)
{
    struct timing_counts *counts = &tensix->state->timing.counts;
    struct together together = {.all = {counts->since, now}};
    if (now <= counts->since) {
        return;
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        count_passing(counts, thread, &together);
        count_held(tensix, counts, thread, &together);
    }
    counts->count[COUNT_ANY_STALL] += length_of_any(together.stalled);
    for (unsigned i = 0; i < BANK_REASONS; i++) {
        counts->count[COUNT_FIRST_BANK_WAIT + i] += length_of_any(together.bank[i]);
    }
    for (unsigned i = 0; i < MATH_VALIDS; i++) {
        counts->count[COUNT_FIRST_VALID + i] += length_of_any(together.valid[i]);
    }
    count_units(tensix->state, counts, together.all);
    counts->since = now;
}
