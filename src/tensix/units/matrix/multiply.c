/* Matrix multiplication: Dst += SrcB @ SrcA. MVMUL, and two instructions for other shapes. */
#include <string.h>

#include "tensix/units/addr/rwc.h"
#include "tensix/units/execute.h"
#include "tensix/units/matrix/operands.h"
#include "tensix/units/matrix/parts.h"

/* The rows of SrcB and Dst that take part: consecutive rows of SrcB, or one for all; rows of Dst `dst_stride` apart. */
struct shape {
    unsigned rows;
    unsigned dst_stride;
    bool broadcast_row;
    uint32_t dst_mask;
};

static const struct shape eight_rows = {.rows = 8, .dst_stride = 1, .dst_mask = 0x3f8};
static const struct shape four_rows = {.rows = 4, .dst_stride = 1, .dst_mask = 0x3fc};

/* A row of SrcB goes to every other one of seven rows of Dst. */
static const struct shape broadcast = {.rows = 4, .dst_stride = 2, .broadcast_row = true, .dst_mask = 0x3f9};

static const struct shape *shape_of_mvmul(struct args_MVMUL args)
{
    return args.instr_mod19 & 1 ? &broadcast : &eight_rows;
}

/* Of SrcA there are always sixteen rows, aligned to as many. */
static inline struct matrix_places places_of(struct tensix_state *state, unsigned thread, const struct shape *shape,
                                             uint32_t dst)
{
    const struct rwc *rwc = &state->addr.rwc[thread];
    return (struct matrix_places){.srca = rwc->srca & 0x30,
                                  .srcb = rwc->srcb & (shape->broadcast_row ? 0x3f : 0x38),
                                  .dst = matrix_dst_row(state, thread, dst) & shape->dst_mask};
}

/* MVMUL.md counts FP32 among the formats of seven mantissa bits. Programs that were written on cards count on all bits
   of SrcA while the configuration, which decides where no format is implied, says so (blackhole-py,
   test_sum_finish.py). */
static void see_all_bits_of_fp32(const struct tensix_state *state, unsigned thread, struct matrix_setting *setting)
{
    bool configured = CONFIG_GET(state->config.thread[thread], DISABLE_IMPLIED_SRCA_FMT_Base);
    if (configured && setting->style == STYLE_BF16 && matrix_srca_format(state, thread, &state->srca) == FORMAT_FP32) {
        setting->fpu.srca_bits = matrix_style_bits(STYLE_TF32);
    }
}

static enum step multiply(struct tensix *tensix, unsigned thread, const struct shape *shape, uint32_t dst,
                          uint32_t addr_mode, uint32_t clear_dvalid)
{
    struct tensix_state *state = tensix->state;
    if (!matrix_may_use_both(state)) {
        return STEP_WAIT;
    }
    struct matrix_setting setting = matrix_setting_of(state, thread);
    see_all_bits_of_fp32(state, thread, &setting);
    const struct matrix_places places = places_of(state, thread, shape, dst);
    uint32_t srca_row = places.srca, srcb_row = places.srcb, dst_row = places.dst;

    uint32_t(*a)[ROW_COLUMNS] = matrix_rows(&state->srca) + srca_row;
    uint32_t(*b)[ROW_COLUMNS] = matrix_rows(&state->srcb) + srcb_row;
    uint32_t repeated[4][ROW_COLUMNS];
    if (shape->broadcast_row) {
        for (unsigned i = 0; i < shape->rows; i++) {
            memcpy(repeated[i], b, sizeof repeated[i]);
        }
        b = repeated;
    }
    enum step step = matrix_check_exponents(tensix, &setting, a, FPU_DEPTH, "SrcA");
    if (step == STEP_DONE) {
        step = matrix_check_exponents(tensix, &setting, b, shape->rows, "SrcB");
    }
    if (step == STEP_DONE && setting.special) {
        step = matrix_check_special(tensix, thread, &setting);
    }
    if (step != STEP_DONE) {
        return step;
    }

    uint32_t data[8][ROW_COLUMNS];
    fpu_read_dst(&setting.fpu, &state->dst, dst_row, shape->dst_stride, shape->rows, data);
    if (setting.style == STYLE_INT8) {
        fpu_multiply_integer_matrices(&setting.fpu, a, b, data, shape->rows);
    } else if (setting.random) {
        uint32_t random[8][ROW_COLUMNS];
        stochastic_draw(&state->matrix.random, random, shape->rows);
        fpu_multiply_matrices_at_random(&setting.fpu, a, b, data, shape->rows, random);
    } else {
        fpu_multiply_matrices(&setting.fpu, a, b, data, shape->rows);
    }
    fpu_write_dst(&setting.fpu, &state->dst, dst_row, shape->dst_stride, shape->rows, data);

    state->matrix.last_srca_row = srca_row;
    src_banks_clear_dvalid(tensix, thread, clear_dvalid);
    rwc_advance(tensix, thread, addr_mode);
    return STEP_DONE;
}

enum step execute_MVMUL(struct tensix *tensix, unsigned thread, struct args_MVMUL args)
{
    return multiply(tensix, thread, shape_of_mvmul(args), args.dst, args.addr_mode, args.clear_dvalid);
}

enum step execute_DOTPV(struct tensix *tensix, unsigned thread, struct args_DOTPV args)
{
    return multiply(tensix, thread, &eight_rows, args.dst, args.addr_mode, args.clear_dvalid);
}

enum step execute_GAPOOL(struct tensix *tensix, unsigned thread, struct args_GAPOOL args)
{
    if (args.max_pool_index_en) {
        enum step step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                                  "GAPOOL has no index to give: max_pool_index_en must be 0; it is ignored");
        if (step != STEP_DONE) {
            return step;
        }
    }
    return multiply(tensix, thread, &four_rows, args.dst, args.pool_addr_mode, args.clear_dvalid);
}

void matrix_multiply_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets)
{
    const struct shape *shape = &eight_rows;
    if (word >> 24 == TENSIX_OPCODE_MVMUL) {
        shape = shape_of_mvmul(decode_MVMUL(word));
    } else if (word >> 24 == TENSIX_OPCODE_GAPOOL) {
        shape = &four_rows;
    }
    const struct matrix_places places = places_of(state, thread, shape, decode_MVMUL(word).dst);
    bool dst32 = matrix_setting_of(state, thread).dst32;
    operand_src_rows(&sets->read.rows, false, state->srca.matrix_bank, places.srca, FPU_DEPTH);
    operand_src_rows(&sets->read.rows, true, state->srcb.matrix_bank, places.srcb,
                     shape->broadcast_row ? 1 : shape->rows);
    operand_dst_rows(&sets->read.rows, &state->dst, dst32, places.dst, shape->dst_stride, shape->rows);
    operand_dst_rows(&sets->written.rows, &state->dst, dst32, places.dst, shape->dst_stride, shape->rows);
}

TENSIX_RUN(MVMUL)
TENSIX_RUN(GAPOOL)
TENSIX_RUN(DOTPV)
