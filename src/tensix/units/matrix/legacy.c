/* Instructions of earlier chips. Convolutions and average pooling still wait, apply their address modes and hand over
   banks, but only add zero to Dst; pooling by maximum reads zeroes for SrcA (ISA documentation MatrixUnit.md, "Legacy
   instructions", and RWCs.md, which recommends them for their address modes). Two do nothing
   (blackhole-emulator-spec.md). The remaining effects of the others are not documented. */
#include <string.h>

#include "tensix/units/execute.h"
#include "tensix/units/matrix/operands.h"
#include "tensix/units/matrix/parts.h"
#include "tensix/units/matrix/pool.h"

enum { LEGACY_ROWS = 8 };

static enum step warn(struct tensix *tensix, const char *name, const char *what)
{
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "%s is left from earlier chips and only %s", name, what);
}

static uint32_t first_row(struct tensix_state *state, unsigned thread, uint32_t dst)
{
    return matrix_dst_row(state, thread, dst) & 0x3f8;
}

/* Dst += 0, as a product with a zero SrcA would: undefined rows become zero, and so do denormals. */
static enum step add_zero(struct tensix *tensix, unsigned thread, const char *name, uint32_t dst, uint32_t addr_mode,
                          uint32_t clear_dvalid)
{
    struct tensix_state *state = tensix->state;
    if (!matrix_may_use_both(state)) {
        return STEP_WAIT;
    }
    enum step step = warn(tensix, name, "adds zero to eight rows of Dst");
    if (step != STEP_DONE) {
        return step;
    }
    static const uint32_t zeroes[FPU_DEPTH][ROW_COLUMNS];
    struct matrix_setting setting = matrix_setting_of(state, thread);
    uint32_t dst_row = first_row(state, thread, dst);
    uint32_t data[LEGACY_ROWS][ROW_COLUMNS];
    fpu_read_dst(&setting.fpu, &state->dst, dst_row, 1, LEGACY_ROWS, data);
    if (setting.style != STYLE_INT8) {
        fpu_multiply_matrices(&setting.fpu, zeroes, zeroes, data, LEGACY_ROWS);
    }
    fpu_write_dst(&setting.fpu, &state->dst, dst_row, 1, LEGACY_ROWS, data);
    state->matrix.last_srca_row = state->addr.rwc[thread].srca & 0x38;
    src_banks_clear_dvalid(tensix, thread, clear_dvalid);
    rwc_apply_addr_mod(tensix, thread, addr_mode, true);
    return STEP_DONE;
}

static enum step pool_zeroes(struct tensix *tensix, unsigned thread, const char *name, struct pool pool)
{
    if (!matrix_may_use_both(tensix->state)) {
        return STEP_WAIT;
    }
    enum step step = warn(tensix, name, "does what GMPOOL does to a SrcA of zeroes");
    pool.srca_is_zero = true;
    return step == STEP_DONE ? matrix_pool(tensix, thread, pool) : step;
}

enum step execute_CONV3S1(struct tensix *tensix, unsigned thread, struct args_CONV3S1 args)
{
    return add_zero(tensix, thread, "CONV3S1", args.dst, args.addr_mode, args.clear_dvalid);
}

enum step execute_CONV3S2(struct tensix *tensix, unsigned thread, struct args_CONV3S2 args)
{
    return add_zero(tensix, thread, "CONV3S2", args.dst, args.addr_mode, args.clear_dvalid);
}

enum step execute_MFCONV3S1(struct tensix *tensix, unsigned thread, struct args_MFCONV3S1 args)
{
    return add_zero(tensix, thread, "MFCONV3S1", args.dst, args.addr_mode, args.clear_dvalid);
}

enum step execute_APOOL3S1(struct tensix *tensix, unsigned thread, struct args_APOOL3S1 args)
{
    return add_zero(tensix, thread, "APOOL3S1", args.dst, args.pool_addr_mode, args.clear_dvalid);
}

enum step execute_APOOL3S2(struct tensix *tensix, unsigned thread, struct args_APOOL3S2 args)
{
    return add_zero(tensix, thread, "APOOL3S2", args.dst, args.pool_addr_mode, args.clear_dvalid);
}

enum step execute_MPOOL3S1(struct tensix *tensix, unsigned thread, struct args_MPOOL3S1 args)
{
    return pool_zeroes(tensix, thread, "MPOOL3S1",
                       (struct pool){.dst = args.dst,
                                     .addr_mode = args.pool_addr_mode,
                                     .clear_dvalid = args.clear_dvalid,
                                     .index = args.index_en});
}

enum step execute_MPOOL3S2(struct tensix *tensix, unsigned thread, struct args_MPOOL3S2 args)
{
    return pool_zeroes(tensix, thread, "MPOOL3S2",
                       (struct pool){.dst = args.dst,
                                     .addr_mode = args.pool_addr_mode,
                                     .clear_dvalid = args.clear_dvalid,
                                     .index = args.index_en});
}

/* TRNSPSRCA and RAREB: the emulator specification lists them among the instructions without effect on Blackhole. */
static enum step do_nothing(struct tensix *tensix, const char *name)
{
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "%s is left from earlier chips and does nothing", name);
}

/* Undocumented ones. */
static enum step undocumented(struct tensix *tensix, const char *name)
{
    return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                    "%s is left from earlier chips; what it does on Blackhole is documented nowhere: do not use it",
                    name);
}

enum step execute_TRNSPSRCA(struct tensix *tensix, unsigned thread, struct args_TRNSPSRCA args)
{
    return do_nothing(tensix, "TRNSPSRCA");
}

enum step execute_RAREB(struct tensix *tensix, unsigned thread, struct args_RAREB args)
{
    return do_nothing(tensix, "RAREB");
}

enum step execute_SETASHRMH(struct tensix *tensix, unsigned thread, struct args_SETASHRMH args)
{
    return undocumented(tensix, "SETASHRMH");
}

enum step execute_SETASHRMH0(struct tensix *tensix, unsigned thread, struct args_SETASHRMH0 args)
{
    return undocumented(tensix, "SETASHRMH0");
}

enum step execute_SETASHRMH1(struct tensix *tensix, unsigned thread, struct args_SETASHRMH1 args)
{
    return undocumented(tensix, "SETASHRMH1");
}

enum step execute_SETASHRMV(struct tensix *tensix, unsigned thread, struct args_SETASHRMV args)
{
    return undocumented(tensix, "SETASHRMV");
}

enum step execute_SETPKEDGOF(struct tensix *tensix, unsigned thread, struct args_SETPKEDGOF args)
{
    return undocumented(tensix, "SETPKEDGOF");
}

/* Those that add zero: all have the field in the same place. */
void matrix_legacy_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets)
{
    uint32_t dst_row = first_row(state, thread, decode_CONV3S1(word).dst);
    bool dst32 = matrix_setting_of(state, thread).dst32;
    operand_dst_rows(&sets->read.rows, &state->dst, dst32, dst_row, 1, LEGACY_ROWS);
    operand_dst_rows(&sets->written.rows, &state->dst, dst32, dst_row, 1, LEGACY_ROWS);
}

TENSIX_RUN(TRNSPSRCA)
TENSIX_RUN(RAREB)
TENSIX_RUN(SETASHRMH0)
TENSIX_RUN(SETASHRMH1)
TENSIX_RUN(SETASHRMV)
TENSIX_RUN(SETPKEDGOF)
TENSIX_RUN(SETASHRMH)
TENSIX_RUN(CONV3S1)
TENSIX_RUN(CONV3S2)
TENSIX_RUN(MPOOL3S1)
TENSIX_RUN(APOOL3S1)
TENSIX_RUN(MPOOL3S2)
TENSIX_RUN(APOOL3S2)
TENSIX_RUN(MFCONV3S1)
