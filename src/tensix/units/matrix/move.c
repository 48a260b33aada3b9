/* Rows between SrcA, SrcB and Dst. */
#include <string.h>

#include "tensix/num/move_rows.h"
#include "tensix/units/addr/rwc.h"
#include "tensix/units/execute.h"
#include "tensix/units/matrix/parts.h"

/* Columns that the vector unit's LaneConfig.BLOCK_DEST_MOV keeps out of moves: one bit each. */
static uint32_t blocked_columns(const struct tensix_state *state)
{
    uint32_t blocked = 0;
    if (!(state->vector.any_lane_config & LANE_CONFIG_BLOCK_DEST_MOV)) {
        return blocked;
    }
    for (unsigned lane = 0; lane < ROW_COLUMNS / 2; lane++) {
        blocked |= (state->vector.lane_config[lane] >> 9 & 3) << 2 * lane;
    }
    return blocked;
}

static bool fp16_forced(const struct tensix_state *state, unsigned thread)
{
    return CONFIG_GET(state->config.thread[thread], FP16A_FORCE_Enable);
}

static enum step reserved_mode(struct tensix *tensix, const char *name, uint32_t mode)
{
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s: mode %u is reserved", name, mode);
}

/* Whether the thread's data in Dst have 32 bits, though the matrix unit computes as if they had 16: so it is where the
   vendor's kernels move halves of them, for which they clear ALU_ACC_CTRL_Fp32_enabled for a while (tt-llk issue 449).
   Silicon finds 16-bit rows among those of 32 bits with bit 11 of DBG_FEATURE_DISABLE, which some of these kernels
   leave to others to set; here it does without. */
static bool moves_halves(const struct tensix_state *state, unsigned thread)
{
    const uint32_t *config = config_bank(&state->config, thread);
    return CONFIG_GET(config, ALU_ACC_CTRL_SFPU_Fp32_enabled) && !CONFIG_GET(config, ALU_ACC_CTRL_Fp32_enabled) &&
           !CONFIG_GET(config, ALU_ACC_CTRL_INT8_math_enabled) && !fp16_forced(state, thread);
}

static enum step tell_halves(struct tensix *tensix, const char *name)
{
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                    "%s while ALU_ACC_CTRL_Fp32_enabled is clear and SFPU_Fp32_enabled set: taken to move halves of "
                    "32-bit Dst, which silicon may not do without bit 11 of DBG_FEATURE_DISABLE",
                    name);
}

/* Where rows of a move come from and go to. */
struct rows {
    unsigned count;
    uint32_t src, dst;
    unsigned src_stride;    /* 0: one row of Src for all */
    bool broadcast_column0; /* SrcB to Dst only */
    bool low_half;          /* dest_32b_lo */
};

/* ---- to Dst ---- */

/* What the format makes of a move to Dst. */
struct to_dst {
    uint32_t bits; /* of the datum, that are moved */
    bool flush;
    bool exponent_8b; /* the cell becomes BF16, else FP16 */
    bool tf32;        /* 19 bits do not fit into a cell: Dst is taken as rows of 32 bits */
    bool halves;      /* rows of 16 bits are high halves of those of 32 */
};

static struct to_dst to_dst_setting(const struct tensix_state *state, unsigned thread,
                                    const struct src_register_file *src)
{
    enum data_format format = matrix_srca_format(state, thread, src);
    enum matrix_style style = matrix_style_of(format);
    return (struct to_dst){
        .bits = FPU_TF32_BITS,
        .flush = !CONFIG_GET(config_bank(&state->config, thread), ALU_ACC_CTRL_Zero_Flag_disabled_src),
        .exponent_8b = style != STYLE_FP16 && !fp16_forced(state, thread),
        .tf32 = format == FORMAT_TF32,
        .halves = moves_halves(state, thread),
    };
}

static uint16_t cell_of_src(uint32_t datum, bool exponent_8b)
{
    return exponent_8b ? (uint16_t)(datum >> 16) : dst_from_fp16(fp16_of_look_alike(datum & FPU_FP16_BITS));
}

/* Copies one row. A datum of 19 bits takes a row of 32 bits. A datum of 16 bits takes a row of 16 bits, or with
   `low_half` the low half of a row of 32 bits of which the high half stays. */
static void row_to_dst(struct dst_register_file *dst, const struct to_dst *setting, const uint32_t source[ROW_COLUMNS],
                       uint32_t row, const struct rows *rows, uint32_t blocked)
{
    bool dst32 = setting->tf32 || rows->low_half;
    uint32_t place = dst_place(dst, dst32 || setting->halves, row);
    uint16_t *cells = dst->rows[place];
    uint16_t *low_cells = dst32 ? dst->rows[place + DST_LOW_HALF] : NULL;
    bool valid = dst->valid[place];
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        if (blocked >> column & 1) {
            continue;
        }
        uint32_t datum = source[rows->broadcast_column0 ? 0 : column];
        datum = setting->flush && !(datum & 0x7f800000) ? 0 : datum & setting->bits;
        uint16_t cell = cell_of_src(datum, setting->exponent_8b);
        if (setting->tf32) {
            uint32_t low = (datum & 0xe000) | (rows->low_half ? dst_to_hardware(cell) : 0);
            cells[column] = cell;
            low_cells[column] = dst_low_cell(low);
        } else if (rows->low_half) {
            cells[column] = valid ? cells[column] : 0;
            low_cells[column] = cell;
        } else {
            cells[column] = cell;
        }
    }
    dst->valid[place] = 1;
}

/* Of low halves with TF32, and of halves where no bit says that there are any. */
static enum step check_halves(struct tensix *tensix, const char *name, struct to_dst *setting, bool low_half)
{
    bool only_row32 = tensix->state->dst.only_row32;
    if (setting->halves && !only_row32) {
        setting->tf32 &= !low_half;
        return tell_halves(tensix, name);
    }
    if (setting->tf32 && low_half) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "dest_32b_lo with data of format TF32, which need all 32 bits of Dst (erratum TEN-4245): give "
                        "the thread another format of SrcA for the low half");
    }
    return STEP_DONE;
}

static enum step move_to_dst(struct tensix *tensix, unsigned thread, const char *name, struct src_register_file *src,
                             struct to_dst *setting, const struct rows *rows, uint32_t addr_mode)
{
    struct tensix_state *state = tensix->state;
    enum step step = check_halves(tensix, name, setting, rows->low_half);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t blocked = blocked_columns(state);
    bool plain = !blocked && setting->exponent_8b && !setting->tf32 && !rows->low_half && !rows->broadcast_column0;
    if (plain) {
        /* No move crosses an aligned group of eight rows. */
        uint32_t place = dst_place(&state->dst, setting->halves, rows->dst);
        move_rows_to_bf16(matrix_rows(src) + rows->src, rows->src_stride, rows->count, setting->bits,
                          setting->flush ? 0x7f800000 : UINT32_MAX, state->dst.rows + place);
        memset(state->dst.valid + place, 1, rows->count);
    }
    for (unsigned i = 0; i < rows->count && !plain; i++) {
        row_to_dst(&state->dst, setting, matrix_rows(src)[rows->src + i * rows->src_stride], rows->dst + i, rows,
                   blocked);
    }
    rwc_advance(tensix, thread, addr_mode);
    return STEP_DONE;
}

static enum step move_a_to_d(struct tensix *tensix, unsigned thread, const char *name, struct args_MOVA2D args)
{
    struct tensix_state *state = tensix->state;
    if (args.instr_mod & 1 && reserved_mode(tensix, name, args.instr_mod) != STEP_DONE) {
        return STEP_STOP;
    }
    bool eight = args.instr_mod & 2;
    struct to_dst setting = to_dst_setting(state, thread, &state->srca);
    struct rows rows = {
        .count = eight ? 8 : 1,
        .src = (args.src + state->addr.rwc[thread].srca) & (eight ? 0x38 : 0x3f),
        .dst = matrix_dst_row(state, thread, args.dst) & (eight ? 0x3f8 : 0x3ff),
        .src_stride = 1,
        .low_half = args.dest_32b_lo,
    };
    enum step step = move_to_dst(tensix, thread, name, &state->srca, &setting, &rows, args.addr_mode);
    if (step == STEP_DONE) {
        state->matrix.last_srca_row = rows.src;
    }
    return step;
}

enum step execute_MOVA2D(struct tensix *tensix, unsigned thread, struct args_MOVA2D args)
{
    if (!src_matrix_may_use(&tensix->state->srca)) {
        return STEP_WAIT;
    }
    return move_a_to_d(tensix, thread, "MOVA2D", args);
}

/* Takes SrcA as it is, whoever it belongs to. */
enum step execute_MOVDBGA2D(struct tensix *tensix, unsigned thread, struct args_MOVDBGA2D args)
{
    return move_a_to_d(tensix, thread, "MOVDBGA2D",
                       (struct args_MOVA2D){.dest_32b_lo = args.dest_32b_lo,
                                            .src = args.src,
                                            .addr_mode = args.addr_mode,
                                            .instr_mod = args.instr_mod,
                                            .dst = args.dst});
}

static enum step move_b_to_d(struct tensix *tensix, unsigned thread, const char *name, struct args_MOVB2D args)
{
    struct tensix_state *state = tensix->state;
    uint32_t mode = args.movb2d_instr_mod;
    bool four = mode & 4, broadcast_row = mode & 2;
    if (four && broadcast_row && reserved_mode(tensix, name, mode) != STEP_DONE) {
        return STEP_STOP;
    }
    struct to_dst setting = to_dst_setting(state, thread, &state->srcb);
    setting.bits = matrix_moved_srcb_bits(matrix_srcb_format(state, thread));
    uint32_t src = args.src + state->addr.rwc[thread].srcb, dst = matrix_dst_row(state, thread, args.dst);
    struct rows rows = {
        .count = broadcast_row ? 8
                 : four        ? 4
                               : 1,
        .src = src & (four && !broadcast_row ? 0x3c : 0x3f),
        .dst = dst & (broadcast_row ? 0x3f8
                      : four        ? 0x3fc
                                    : 0x3ff),
        .src_stride = !broadcast_row,
        .broadcast_column0 = mode & 1,
        .low_half = args.dest_32b_lo,
    };
    uint32_t srca_row = state->addr.rwc[thread].srca;
    enum step step = move_to_dst(tensix, thread, name, &state->srcb, &setting, &rows, args.addr_mode);
    if (step == STEP_DONE) {
        state->matrix.last_srca_row = srca_row;
    }
    return step;
}

enum step execute_MOVB2D(struct tensix *tensix, unsigned thread, struct args_MOVB2D args)
{
    if (!src_matrix_may_use(&tensix->state->srcb)) {
        return STEP_WAIT;
    }
    return move_b_to_d(tensix, thread, "MOVB2D", args);
}

/* As MOVDBGA2D is to MOVA2D. */
enum step execute_MOVDBGB2D(struct tensix *tensix, unsigned thread, struct args_MOVDBGB2D args)
{
    return move_b_to_d(tensix, thread, "MOVDBGB2D",
                       (struct args_MOVB2D){.dest_32b_lo = args.dest_32b_lo,
                                            .src = args.src,
                                            .addr_mode = args.addr_mode,
                                            .movb2d_instr_mod = args.movb2d_instr_mod,
                                            .dst = args.dst});
}

/* ---- from Dst ---- */

/* A datum of Src out of a cell of 16 bits. */
static uint32_t src_of_cell(uint16_t cell, enum matrix_style style)
{
    return style == STYLE_FP16 ? look_alike_of_fp16(dst_to_fp16(cell)) : (uint32_t)cell << 16;
}

/* A datum of Src out of the two cells of a row of 32 bits. The low half of FP32, taken as TF32, is the 13 bits that the
   move of the high half leaves behind; they land in the exponent and the low mantissa bits. */
static uint32_t src_of_cells(uint16_t high, uint16_t low, enum matrix_style style, bool low_half)
{
    if (style != STYLE_TF32) {
        return src_of_cell(low_half ? low : high, style);
    }
    uint32_t datum = dst_join32(high, low);
    return low_half ? (datum & 0xff) << 23 | (datum >> 8 & 0x1f) << 13 : datum & FPU_TF32_BITS;
}

static void row_from_dst(const struct dst_register_file *dst, bool dst32, enum matrix_style style, uint32_t row,
                         bool low_half, uint32_t blocked, uint32_t target[ROW_COLUMNS])
{
    uint32_t place = dst_place(dst, dst32, row);
    const uint16_t *cells = dst->rows[place];
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        if (blocked >> column & 1) {
            continue;
        }
        uint32_t datum = dst32 ? src_of_cells(cells[column], dst->rows[place + DST_LOW_HALF][column], style, low_half)
                               : src_of_cell(cells[column], style);
        target[column] = dst->valid[place] ? datum : 0;
    }
}

/* Of moves from Dst of 16 bits each. The documentation gives it neither TF32 nor a low half, but a low half is where
   the vendor's kernels on Blackhole look for that of 32-bit data. TF32 is then BF16: 16 bits are all that a half has.
 */
static enum step check_16_bits(struct tensix *tensix, const char *name, enum matrix_style *style, bool low_half,
                               bool halves)
{
    if (halves && !tensix->state->dst.only_row32) {
        *style = *style == STYLE_TF32 ? STYLE_BF16 : *style;
        return tell_halves(tensix, name);
    }
    if (*style == STYLE_TF32) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "%s: Dst holds 16 bits each, no TF32: set ALU_ACC_CTRL_Fp32_enabled or another format of SrcA",
                        name);
    }
    if (low_half) {
        bool known = tensix->state->dst.only_row32;
        return diagnose(tensix->diagnostics, known ? BH_NON_CONTRACTUAL : BH_UNDEFINED_BEHAVIOR,
                        "%s of a low half while ALU_ACC_CTRL_Fp32_enabled is clear%s: taken as that of 32-bit Dst",
                        name, known ? "" : " and bit 11 of DBG_FEATURE_DISABLE too");
    }
    return STEP_DONE;
}

static enum step move_from_dst(struct tensix *tensix, unsigned thread, const char *name, struct src_register_file *src,
                               uint32_t src_counter, struct args_MOVD2A args)
{
    struct tensix_state *state = tensix->state;
    const uint32_t *config = config_bank(&state->config, thread);
    bool forced = fp16_forced(state, thread), four = args.instr_mod & 2;
    bool dst32 = !forced &&
                 (CONFIG_GET(config, ALU_ACC_CTRL_Fp32_enabled) || CONFIG_GET(config, ALU_ACC_CTRL_INT8_math_enabled));
    enum matrix_style style = forced ? STYLE_FP16 : matrix_style_of(matrix_srca_format(state, thread, src));
    if (args.instr_mod & 1 && reserved_mode(tensix, name, args.instr_mod) != STEP_DONE) {
        return STEP_STOP;
    }
    if (!dst32) {
        bool halves = moves_halves(state, thread);
        enum step step = check_16_bits(tensix, name, &style, args.dest_32b_lo, halves);
        if (step != STEP_DONE) {
            return step;
        }
        dst32 = (args.dest_32b_lo || halves) && style != STYLE_TF32;
    }
    uint32_t src_row = (args.src + src_counter) & (four ? 0x3c : 0x3f);
    uint32_t dst_row = matrix_dst_row(state, thread, args.dst) & (four ? 0x3fc : 0x3ff);
    uint32_t blocked = blocked_columns(state);
    unsigned rows = four ? 4 : 1;
    bool plain = !blocked && !dst32 && style != STYLE_FP16;
    if (plain) {
        uint32_t place = dst_place(&state->dst, false, dst_row);
        move_rows_from_bf16(state->dst.rows + place, state->dst.valid + place, rows, matrix_rows(src) + src_row);
    }
    for (unsigned i = 0; i < rows && !plain; i++) {
        row_from_dst(&state->dst, dst32, style, dst_row + i, args.dest_32b_lo, blocked, matrix_rows(src)[src_row + i]);
    }
    state->matrix.last_srca_row = src == &state->srca ? src_row : state->addr.rwc[thread].srca;
    rwc_advance(tensix, thread, args.addr_mode);
    return STEP_DONE;
}

/* Neither of the two waits for the bank to belong to the matrix unit. */
enum step execute_MOVD2A(struct tensix *tensix, unsigned thread, struct args_MOVD2A args)
{
    struct tensix_state *state = tensix->state;
    return move_from_dst(tensix, thread, "MOVD2A", &state->srca, state->addr.rwc[thread].srca, args);
}

enum step execute_MOVD2B(struct tensix *tensix, unsigned thread, struct args_MOVD2B args)
{
    struct tensix_state *state = tensix->state;
    return move_from_dst(tensix, thread, "MOVD2B", &state->srcb, state->addr.rwc[thread].srcb,
                         (struct args_MOVD2A){.dest_32b_lo = args.dest_32b_lo,
                                              .src = args.src,
                                              .addr_mode = args.addr_mode,
                                              .instr_mod = args.instr_mod,
                                              .dst = args.dst});
}

/* ---- between SrcB and SrcA ---- */

/* Waits for SrcB only. The 19 bits go over as they are, but for denormals. */
enum step execute_MOVB2A(struct tensix *tensix, unsigned thread, struct args_MOVB2A args)
{
    struct tensix_state *state = tensix->state;
    if (!src_matrix_may_use(&state->srcb)) {
        return STEP_WAIT;
    }
    if (args.instr_mod & 1 && reserved_mode(tensix, "MOVB2A", args.instr_mod) != STEP_DONE) {
        return STEP_STOP;
    }
    bool flush = !CONFIG_GET(config_bank(&state->config, thread), ALU_ACC_CTRL_Zero_Flag_disabled_src);
    bool four = args.instr_mod & 2;
    uint32_t srca_row = (args.srca + state->addr.rwc[thread].srca) & (four ? 0x3c : 0x3f);
    uint32_t srcb_row = (args.srcb + state->addr.rwc[thread].srcb) & (four ? 0x3c : 0x3f);
    for (unsigned i = 0; i < (four ? 4 : 1); i++) {
        const uint32_t *source = matrix_rows(&state->srcb)[srcb_row + i];
        uint32_t *target = matrix_rows(&state->srca)[srca_row + i];
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            target[column] = flush && !(source[column] & 0x7f800000) ? 0 : source[column];
        }
    }
    state->matrix.last_srca_row = srca_row;
    rwc_advance(tensix, thread, args.addr_mode);
    return STEP_DONE;
}

TENSIX_RUN(MOVDBGB2D)
