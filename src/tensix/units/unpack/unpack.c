/* UNPACR in its three forms: move datums, increment a context counter, flush the cache of row start indices. */
#include "tensix/units/unpack/unpack.h"

#include <string.h>

#include "tensix/units/execute.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/unpack/finish.h"
#include "tensix/units/unpack/job.h"
#include "tensix/units/unpack/operands.h"
#include "tensix/units/unpack/plan.h"
#include "util/bits.h"

/* The context after `context` of an unpacker with 2 ^ Context_count contexts, or whose last one is
   Context_count_non_log2. */
static enum step next_context(struct tensix *tensix, const struct unpack_config *config, unsigned context,
                              uint8_t *next)
{
    unsigned last = (1u << CONFIG_GET(config->section, THCON_SEC0_REG2_Context_count)) - 1;
    enum step step = STEP_DONE;
    if (CONFIG_GET(config->section, THCON_SEC0_REG2_Context_count_non_log2_en)) {
        last = CONFIG_GET(config->section, THCON_SEC0_REG2_Context_count_non_log2);
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "UNPACR: Context_count_non_log2_en is known by a comment of the vendor's alone: the counter is "
                        "taken to wrap around after context %u, the value of Context_count_non_log2",
                        last);
    }
    unsigned incremented = (context + 1) % UNPACK_CONTEXTS;
    *next = incremented <= last ? (uint8_t)incremented : 0;
    return step;
}

static enum step increment_context_counter(struct tensix *tensix, unsigned thread, unsigned unpacker)
{
    struct unpack_config config = unpack_config_of(tensix, thread, unpacker);
    uint8_t *counter = &tensix->state->unpack.context_counter[unpacker][thread], next;
    enum step step = next_context(tensix, &config, *counter, &next);
    *counter = step == STEP_DONE ? next : *counter;
    return step;
}

void unpack_reset_context_counters(struct tensix *tensix, unsigned thread)
{
    for (unsigned unpacker = 0; unpacker < UNPACKERS; unpacker++) {
        tensix->state->unpack.context_counter[unpacker][thread] = 0;
    }
}

enum { BROADCAST_ROWS = 8 };

static uint32_t broadcast_row_of(const struct unpack_job *job)
{
    return (job->out_address / ROW_COLUMNS + job->out_row) % SRC_ROWS;
}

/* All that is known of srcb_bcast is that the starting row goes to eight adjacent rows of SrcB. */
static enum step check_broadcast(struct tensix *tensix, const struct unpack_job *job, bool *broadcast)
{
    *broadcast = false;
    if (job->unpacker == 0) {
        return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "UNPACR: srcb_bcast of unpacker 0, which does not write to SrcB: ignored");
    }
    uint32_t row = broadcast_row_of(job);
    bool one_row = job->uncompressed && !job->upsample_zeroes && job->count <= ROW_COLUMNS &&
                   job->out_address % ROW_COLUMNS == 0 && row % BROADCAST_ROWS == 0;
    if (!one_row) {
        return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "UNPACR: srcb_bcast with %u data from row %u of SrcB: all that is said of it is that the "
                        "starting row goes to eight adjacent rows; unpack up to 16 uncompressed data to a row that is "
                        "a multiple of eight",
                        job->count, row);
    }
    *broadcast = true;
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                    "UNPACR: srcb_bcast is known by a line of the vendor's instruction descriptions alone: the row is "
                    "taken to go to itself and the seven rows after it");
}

/* Copies the row that was just unpacked to the rows after it. */
static void broadcast_row(struct src_register_file *srcb, const struct unpack_job *job)
{
    uint32_t row = broadcast_row_of(job);
    for (unsigned i = 1; i < BROADCAST_ROWS; i++) {
        memcpy(srcb->rows[job->bank][row + i], srcb->rows[job->bank][row], job->count * sizeof(uint32_t));
    }
}

static void begin(struct tensix *tensix, const struct unpack_job *job, bool broadcast, struct unpack_bank_end end)
{
    struct unpack_begun_one *one = unpack_begin(tensix, job->thread, job->unpacker);
    one->job = *job;
    one->moves_data = true;
    one->broadcast = broadcast;
    one->end = end;
}

enum step execute_UNPACR(struct tensix *tensix, unsigned thread, struct args_UNPACR args)
{
    struct tensix_state *state = tensix->state;
    if (args.CfgContextCntInc) {
        return increment_context_counter(tensix, thread, args.Unpack_block_selection);
    }
    if (args.SearchCacheFlush) {
        return STEP_DONE; /* the cache of row start indices is not modelled */
    }
    const bool waits = unpack_waits(tensix, args.Unpack_block_selection);
    if (waits && !unpack_may_begin(tensix, thread, args.Unpack_block_selection, true)) {
        return STEP_WAIT;
    }
    bool broadcast = false;
    struct unpack_job job;
    unpack_job_clear(&job); /* preparing may end early if the policy continues after an error */
    enum step step = unpack_job_prepare(tensix, thread, &args, &job);
    uint8_t context = state->unpack.context_counter[args.Unpack_block_selection][thread];
    if (step == STEP_DONE && args.OvrdThreadId && args.AutoIncContextID) {
        struct unpack_config config = unpack_config_of(tensix, thread, job.unpacker);
        step = next_context(tensix, &config, job.context, &context);
    }
    if (step == STEP_DONE && args.srcb_bcast) {
        step = check_broadcast(tensix, &job, &broadcast);
    }
    if (step == STEP_DONE && !waits) {
        step = unpack_job_run(tensix, &job);
    }
    if (step != STEP_DONE) {
        return step;
    }
    state->unpack.context_counter[job.unpacker][thread] = context;
    if (tensix->timed) {
        state->timing.unpack.fetch = unpack_fetch_of(tensix, &job);
    }
    unpack_increment_adcs(&state->addr, job.unpacker, thread, job.adc_thread, args.AddrMode);
    const struct unpack_bank_end end = unpack_bank_end(state, unpack_config_of(tensix, thread, job.unpacker).section,
                                                       job.unpacker, thread, args.SetDatValid);
    if (waits) {
        begin(tensix, &job, broadcast, end);
        return STEP_DONE;
    }
    if (broadcast) {
        broadcast_row(&state->srcb, &job);
    }
    if (__builtin_expect(tensix->jitter != 0, 0)) {
        lag_unpack(tensix, &job, broadcast);
    }
    unpack_finish_bank(state, job.unpacker, thread, (uint8_t)job.out, end);
    return STEP_DONE;
}

static void add_job(struct tensix *tensix, unsigned thread, struct args_UNPACR args, struct operand_rows *written,
                    unsigned *context)
{
    struct unpack_job job;
    bool broadcast = false;
    unpack_job_clear(&job);
    enum step step = unpack_job_prepare(tensix, thread, &args, &job);
    *context = job.context;
    if (step == STEP_DONE && args.srcb_bcast) {
        step = check_broadcast(tensix, &job, &broadcast);
    }
    if (step == STEP_DONE) {
        unpack_rows_written(tensix, &job, broadcast, written);
    }
}

void unpack_operands(struct tensix *tensix, unsigned thread, uint32_t word, struct operand_sets *sets,
                     unsigned *context)
{
    struct args_UNPACR args = decode_UNPACR(word);
    *context = 0;
    if (word >> 24 == TENSIX_OPCODE_UNPACR_NOP) {
        unpack_nop_operands(tensix->state, decode_UNPACR_NOP(word), &sets->written.rows);
    } else if (!args.CfgContextCntInc && !args.SearchCacheFlush) {
        add_job(tensix, thread, args, &sets->written.rows, context);
    }
}

enum step unpack_job_again(struct tensix *tensix, const struct unpack_job *job, bool broadcast)
{
    enum step step = unpack_job_run(tensix, job);
    if (step == STEP_DONE && broadcast) {
        broadcast_row(&tensix->state->srcb, job);
    }
    return step;
}

void unpack_rows_written(struct tensix *tensix, const struct unpack_job *job, bool broadcast,
                         struct operand_rows *written)
{
    unpack_job_operands(tensix, job, written);
    if (broadcast) {
        operand_src_rows(written, true, job->bank, broadcast_row_of(job), BROADCAST_ROWS);
    }
}

enum step run_UNPACR(struct tensix *tensix, unsigned thread, uint32_t word)
{
    if (unpack_as_planned(tensix, thread, word, 1)) {
        return STEP_DONE;
    }
    enum step step = execute_UNPACR(tensix, thread, decode_UNPACR(word));
    if (step == STEP_DONE && !tensix->jitter) {
        unpack_make_plan(tensix, thread, word);
    }
    return step;
}
