#include "tensix/units/matrix/timing.h"

#include "isa/tensix_facts.h"
#include "tensix/units/matrix/parts.h"
#include "tensix/units/state.h"
#include "time/clock.h"
#include "time/timing.h"

static const struct tensix_operands no_lregs;

static bool dst_has_32_bits(const struct tensix_state *state, unsigned thread)
{
    const uint32_t *config = config_bank(&state->config, thread);
    return CONFIG_GET(config, ALU_ACC_CTRL_Fp32_enabled) || CONFIG_GET(config, ALU_ACC_CTRL_INT8_math_enabled);
}

static uint64_t *readable(struct tensix_state *state, unsigned thread, uint32_t row)
{
    uint32_t place = dst_place(&state->dst, dst_has_32_bits(state, thread), row);
    return &state->timing.matrix.dst.readable[place / DST_BLOCK_ROWS];
}

void matrix_look_up(struct timing_word *facts)
{
    enum { EIGHT_ROWS = 2 };
    const uint32_t word = facts->word, opcode = word >> 24;
    const uint64_t reads = tensix_reads(word, &no_lregs), writes = tensix_writes(word, &no_lregs);
    const unsigned latency = timing_latency(word);
    const bool to_a = opcode == TENSIX_OPCODE_MOVD2A || opcode == TENSIX_OPCODE_MOVB2A;
    const bool sums = opcode == TENSIX_OPCODE_ELWADD || opcode == TENSIX_OPCODE_ELWSUB;
    const bool moves = opcode == TENSIX_OPCODE_MOVA2D || opcode == TENSIX_OPCODE_MOVB2D ||
                       opcode == TENSIX_OPCODE_MOVDBGA2D || opcode == TENSIX_OPCODE_MOVDBGB2D;
    facts->reads_dst = reads & TENSIX_USE_DST || sums; /* measured: they wait without accumulation, too */
    facts->writes_dst = writes & TENSIX_USE_DST && opcode != TENSIX_OPCODE_ZEROACC;
    facts->reads_srca = reads & TENSIX_USE_SRCA;
    facts->reads_srcb = reads & TENSIX_USE_SRCB;
    facts->waits_for_src = tensix_facts[opcode].waits;
    facts->moves_to_dst = moves;
    facts->moves_eight_rows = opcode == TENSIX_OPCODE_MOVA2D && decode_MOVA2D(word).instr_mod == EIGHT_ROWS;
    facts->always_reads_dst = facts->reads_dst && !sums;
    facts->is_kept_from_srca = facts->reads_srca && !to_a;
    facts->is_kept_by_move_a = !to_a;
    facts->is_kept_by_move_b = opcode != TENSIX_OPCODE_MOVD2B;
    if (writes & (TENSIX_USE_DST | TENSIX_USE_SRCA | TENSIX_USE_SRCB)) {
        facts->drain =
            (uint8_t)((latency < TIMING_MATRIX_STAGES ? TIMING_MATRIX_STAGES : latency) + TIMING_MATRIX_DRAIN);
    }
}

/* What is not executed now, but counted. */
static struct timing_word facts_of(uint32_t word)
{
    struct timing_word facts = {.word = word};
    matrix_look_up(&facts);
    return facts;
}

/* Whether the rows that MOVA2D moves come from the upper half of SrcA. */
static bool moves_upper_rows(const struct tensix_state *state, unsigned thread, const struct timing_word *facts)
{
    return facts->moves_eight_rows &&
           (decode_MOVA2D(facts->word).src + state->addr.rwc[thread].srca) % SRC_ROWS >= SRC_ROWS / 2;
}

/* How long what the instruction writes to Dst cannot be read. */
static unsigned dst_latency(const struct timing_word *facts)
{
    return facts->latency + (facts->moves_to_dst ? 0 : TIMING_DST_COMPUTED_MORE);
}

/* When what keeps out some instructions lets this one in. */
static inline uint64_t accepted(const struct matrix_timing *matrix, const struct timing_word *facts)
{
    uint64_t time = matrix->accepts;
    time = facts->is_kept_by_move_b ? clock_later(time, matrix->accepts_not_to_b) : time;
    time = facts->is_kept_by_move_a ? clock_later(time, matrix->accepts_others) : time;
    time = facts->is_kept_from_srca ? clock_later(time, matrix->accepts_srca_users) : time;
    return facts->always_reads_dst ? clock_later(time, matrix->accepts_readers) : time;
}

/* When the unpackers have filled the banks that it waits for. */
static uint64_t filled(const struct tensix_state *state, const struct timing_word *facts)
{
    uint64_t time = 0;
    if (!facts->waits_for_src) {
        return time;
    }
    const struct src_register_file *sources[] = {&state->srca, &state->srcb};
    const bool uses[] = {facts->reads_srca, facts->reads_srcb};
    for (unsigned i = 0; i < 2; i++) {
        if (uses[i] && src_matrix_may_use(sources[i])) {
            time = clock_later(time, state->timing.unpack.filled[i][sources[i]->matrix_bank]);
        }
    }
    return time;
}

/* Whether no rows have a say in when the instruction is accepted. */
static inline bool uses_no_rows(const struct timing_word *facts)
{
    return !(facts->reads_srca | facts->reads_srcb | facts->reads_dst | facts->writes_dst);
}

/* When the rows that it uses let the instruction in. */
static __attribute__((noinline)) uint64_t rows_accept(struct tensix_state *state, unsigned thread,
                                                      const struct timing_word *facts)
{
    struct matrix_timing *matrix = &state->timing.matrix;
    uint64_t time = filled(state, facts);
    if (facts->reads_dst | facts->writes_dst) {
        uint32_t row = matrix_dst_row(state, thread, facts->word & (DST_ROWS - 1));
        time = clock_later(time, dst_accessible(&matrix->dst, thread, DST_MATRIX, facts->reads_dst));
        if (facts->reads_dst) {
            time = clock_later(time, *readable(state, thread, row));
        }
        matrix->before[thread].row = row;
    }
    matrix->before[thread].more = moves_upper_rows(state, thread, facts) ? TIMING_MOVE_UPPER_ROWS_MORE : 0;
    return time;
}

bool matrix_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_state *state = tensix->state;
    struct matrix_timing *matrix = &state->timing.matrix;
    struct matrix_before *before = &matrix->before[thread];
    uint64_t time = accepted(matrix, next);
    before->bank[0] = state->srca.matrix_bank;
    before->bank[1] = state->srcb.matrix_bank;
    before->more = 0;
    if (!uses_no_rows(next)) {
        time = clock_later(time, rows_accept(state, thread, next));
    }
    return timing_wait_until(&state->timing, thread, time);
}

/* Banks that the instruction has given back can be filled from the next cycle on. */
static void note_released(struct tensix_state *state, unsigned thread, uint64_t now)
{
    struct matrix_timing *matrix = &state->timing.matrix;
    const struct src_register_file *sources[] = {&state->srca, &state->srcb};
    for (unsigned i = 0; i < 2; i++) {
        unsigned bank = matrix->before[thread].bank[i];
        if (sources[i]->matrix_bank != bank) {
            matrix->released[i][bank] = now + 1;
        }
    }
}

void matrix_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct tensix_state *state = tensix->state;
    struct tensix_timing *timing = &state->timing;
    struct matrix_timing *matrix = &timing->matrix;
    uint64_t now = timing->now[thread];
    unsigned more = matrix->before[thread].more, latency = passed->latency + more;
    matrix->accepts = now + passed->issue + more;
    if (passed->reads_dst | passed->writes_dst) {
        dst_access(&matrix->dst, thread, DST_MATRIX, now);
    }
    if (passed->writes_dst) {
        *readable(state, thread, matrix->before[thread].row) = now + dst_latency(passed) + more;
    }
    if (passed->moves_to_dst) {
        matrix->accepts_readers = matrix->dst.moved = now + latency;
    }
    switch (passed->word >> 24) {
    case TENSIX_OPCODE_MOVD2A: matrix->accepts_others = now + latency; break;
    case TENSIX_OPCODE_MOVD2B: matrix->accepts_not_to_b = now + latency; break;
    case TENSIX_OPCODE_MOVB2A: matrix->accepts_srca_users = now + latency; break;
    default: break;
    }
    timing_busy(timing, BUSY_MATRIX, thread, now + TIMING_MATRIX_BUSY + more);
    timing_drains(timing, thread, now + passed->drain + more);
    note_released(state, thread, now);
}

static bool lacks_sources(const struct tensix_state *state, const struct timing_word *facts)
{
    return facts->waits_for_src && ((facts->reads_srca && !src_matrix_may_use(&state->srca)) ||
                                    (facts->reads_srcb && !src_matrix_may_use(&state->srcb)));
}

bool matrix_lacks_sources(const struct tensix_state *state, uint32_t word)
{
    const uint64_t reads = tensix_reads(word, &no_lregs);
    const struct timing_word facts = {.waits_for_src = tensix_facts[word >> 24].waits,
                                      .reads_srca = (reads & TENSIX_USE_SRCA) != 0,
                                      .reads_srcb = (reads & TENSIX_USE_SRCB) != 0};
    return lacks_sources(state, &facts);
}

struct matrix_stalls matrix_stalls(struct tensix_state *state, unsigned thread, uint32_t word)
{
    const struct matrix_timing *matrix = &state->timing.matrix;
    const struct timing_word facts = facts_of(word);
    uint32_t row = matrix_dst_row(state, thread, word & (DST_ROWS - 1));
    return (struct matrix_stalls){
        .sources = lacks_sources(state, &facts) ? CLOCK_NEVER : filled(state, &facts),
        .dst_to_src = clock_later(facts.is_kept_by_move_a ? matrix->accepts_others : 0,
                                  facts.is_kept_by_move_b ? matrix->accepts_not_to_b : 0),
        .scoreboard = facts.reads_dst ? *readable(state, thread, row) : 0,
    };
}
