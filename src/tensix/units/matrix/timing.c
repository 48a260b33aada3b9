#include "tensix/units/matrix/timing.h"

#include "isa/tensix_facts.h"
#include "tensix/units/matrix/parts.h"
#include "tensix/units/state.h"
#include "time/clock.h"
#include "time/timing.h"

static const struct tensix_operands no_lregs;

static uint64_t reads_of(uint32_t word)
{
    return tensix_reads(word, &no_lregs);
}

/* Whether it reads Dst in all of its modes: hardware keeps these back while a move to Dst is under way. */
static bool always_reads_dst(uint32_t opcode)
{
    return opcode != TENSIX_OPCODE_ELWADD && opcode != TENSIX_OPCODE_ELWSUB;
}

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

/* ZEROACC clears flags of rows, not blocks of data. */
static bool writes_blocks(uint32_t word, uint64_t writes)
{
    return (writes & TENSIX_USE_DST) && word >> 24 != TENSIX_OPCODE_ZEROACC;
}

static bool moves_to_dst(uint32_t opcode)
{
    return opcode == TENSIX_OPCODE_MOVA2D || opcode == TENSIX_OPCODE_MOVB2D || opcode == TENSIX_OPCODE_MOVDBGA2D ||
           opcode == TENSIX_OPCODE_MOVDBGB2D;
}

/* MOVA2D of eight rows that come from the upper half of SrcA. */
static bool moves_upper_rows(const struct tensix_state *state, unsigned thread, uint32_t word)
{
    enum { EIGHT_ROWS = 2 };
    struct args_MOVA2D args = decode_MOVA2D(word);
    return word >> 24 == TENSIX_OPCODE_MOVA2D && args.instr_mod == EIGHT_ROWS &&
           (args.src + state->addr.rwc[thread].srca) % SRC_ROWS >= SRC_ROWS / 2;
}

/* How long what the instruction writes to Dst cannot be read. */
static unsigned dst_latency(const struct tensix_state *state, unsigned thread, const struct timing_word *facts)
{
    bool computes = !moves_to_dst(facts->word >> 24);
    return facts->latency + (computes && dst_has_32_bits(state, thread) ? TIMING_DST_32_BITS_MORE : 0);
}

/* When what keeps out some instructions lets this one in. */
static uint64_t accepted(const struct matrix_timing *matrix, uint32_t opcode, uint64_t reads)
{
    uint64_t time = matrix->accepts;
    bool to_a = opcode == TENSIX_OPCODE_MOVD2A || opcode == TENSIX_OPCODE_MOVB2A;
    if (opcode != TENSIX_OPCODE_MOVD2B) {
        time = clock_later(time, matrix->accepts_not_to_b);
    }
    if (!to_a) {
        time = clock_later(time, matrix->accepts_others);
        time = reads & TENSIX_USE_SRCA ? clock_later(time, matrix->accepts_srca_users) : time;
    }
    if (reads & TENSIX_USE_DST && always_reads_dst(opcode)) {
        time = clock_later(time, matrix->accepts_readers);
    }
    return time;
}

/* When the unpackers have filled the banks that it waits for. */
static uint64_t filled(const struct tensix_state *state, uint32_t opcode, uint64_t reads)
{
    uint64_t time = 0;
    if (!tensix_facts[opcode].waits) {
        return time;
    }
    const struct src_register_file *sources[] = {&state->srca, &state->srcb};
    const uint64_t uses[] = {TENSIX_USE_SRCA, TENSIX_USE_SRCB};
    for (unsigned i = 0; i < 2; i++) {
        if (reads & uses[i] && src_matrix_may_use(sources[i])) {
            time = clock_later(time, state->timing.unpack.filled[i][sources[i]->matrix_bank]);
        }
    }
    return time;
}

/* Whether no rows have a say in when the instruction is accepted. */
static bool uses_no_rows(const struct timing_word *facts)
{
    return !(facts->reads & (TENSIX_USE_SRCA | TENSIX_USE_SRCB | TENSIX_USE_DST)) &&
           !writes_blocks(facts->word, facts->writes);
}

/* When the rows that it uses let the instruction in. */
static __attribute__((noinline)) uint64_t rows_accept(struct tensix_state *state, unsigned thread,
                                                      const struct timing_word *facts)
{
    struct matrix_timing *matrix = &state->timing.matrix;
    uint32_t word = facts->word;
    uint64_t reads = facts->reads, time = filled(state, word >> 24, reads);
    if ((reads & TENSIX_USE_DST) || writes_blocks(word, facts->writes)) {
        uint32_t row = matrix_dst_row(state, thread, word & (DST_ROWS - 1));
        time = clock_later(time, dst_accessible(&matrix->dst, thread, DST_MATRIX, (reads & TENSIX_USE_DST) != 0));
        if (reads & TENSIX_USE_DST) {
            time = clock_later(time, *readable(state, thread, row));
        }
        matrix->before[thread].row = row;
    }
    matrix->before[thread].more = moves_upper_rows(state, thread, word) ? TIMING_MOVE_UPPER_ROWS_MORE : 0;
    return time;
}

bool matrix_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_state *state = tensix->state;
    struct matrix_timing *matrix = &state->timing.matrix;
    struct matrix_before *before = &matrix->before[thread];
    const struct timing_word *facts = timing_word(tensix->words, next.word);
    uint64_t time = accepted(matrix, next.word >> 24, facts->reads);
    before->bank[0] = state->srca.matrix_bank;
    before->bank[1] = state->srcb.matrix_bank;
    before->more = 0;
    if (!uses_no_rows(facts)) {
        time = clock_later(time, rows_accept(state, thread, facts));
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

/* How long an instruction that writes Dst, SrcA or SrcB is in the pipeline; others never get there. */
static unsigned drain_of(uint32_t word, uint64_t writes)
{
    unsigned latency = timing_latency(word), stages = latency < TIMING_MATRIX_STAGES ? TIMING_MATRIX_STAGES : latency;
    return writes & (TENSIX_USE_DST | TENSIX_USE_SRCA | TENSIX_USE_SRCB) ? stages + TIMING_MATRIX_DRAIN : 0;
}

void matrix_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_state *state = tensix->state;
    struct tensix_timing *timing = &state->timing;
    struct matrix_timing *matrix = &timing->matrix;
    uint32_t word = passed.word, opcode = word >> 24;
    const struct timing_word *facts = timing_word(tensix->words, word);
    uint64_t now = timing->now[thread], writes = facts->writes;
    unsigned more = matrix->before[thread].more, latency = facts->latency + more;
    bool accesses_dst = (facts->reads & TENSIX_USE_DST) || writes_blocks(word, writes);
    matrix->accepts = now + facts->issue + more;
    if (accesses_dst) {
        dst_access(&matrix->dst, thread, DST_MATRIX, now);
    }
    if (writes_blocks(word, writes)) {
        *readable(state, thread, matrix->before[thread].row) = now + dst_latency(state, thread, facts) + more;
    }
    if (moves_to_dst(opcode)) {
        matrix->accepts_readers = matrix->dst.moved = now + latency;
    }
    switch (opcode) {
    case TENSIX_OPCODE_MOVD2A: matrix->accepts_others = now + latency; break;
    case TENSIX_OPCODE_MOVD2B: matrix->accepts_not_to_b = now + latency; break;
    case TENSIX_OPCODE_MOVB2A: matrix->accepts_srca_users = now + latency; break;
    default: break;
    }
    timing_busy(timing, BUSY_MATRIX, thread, now + TIMING_MATRIX_BUSY + more);
    timing_drains(timing, thread, now + drain_of(word, writes) + more);
    note_released(state, thread, now);
}

bool matrix_lacks_sources(const struct tensix_state *state, uint32_t word)
{
    uint64_t reads = reads_of(word);
    return tensix_facts[word >> 24].waits && ((reads & TENSIX_USE_SRCA && !src_matrix_may_use(&state->srca)) ||
                                              (reads & TENSIX_USE_SRCB && !src_matrix_may_use(&state->srcb)));
}

struct matrix_stalls matrix_stalls(struct tensix_state *state, unsigned thread, uint32_t word)
{
    const struct matrix_timing *matrix = &state->timing.matrix;
    uint64_t reads = reads_of(word);
    uint32_t opcode = word >> 24;
    bool to_a = opcode == TENSIX_OPCODE_MOVD2A || opcode == TENSIX_OPCODE_MOVB2A;
    uint32_t row = matrix_dst_row(state, thread, word & (DST_ROWS - 1));
    return (struct matrix_stalls){
        .sources = matrix_lacks_sources(state, word) ? CLOCK_NEVER : filled(state, opcode, reads),
        .dst_to_src = clock_later(to_a ? 0 : matrix->accepts_others,
                                  opcode == TENSIX_OPCODE_MOVD2B ? 0 : matrix->accepts_not_to_b),
        .scoreboard = reads & TENSIX_USE_DST ? *readable(state, thread, row) : 0,
    };
}
