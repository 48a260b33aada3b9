/* Rows between SrcA, SrcB and Dst. */
#include "tensix/units/matrix/move.h"

#include "tensix/units/execute.h"
#include "tensix/units/matrix/move_plain.h"
#include "tensix/units/matrix/operands.h"

/* ---- what configuration says ---- */

/* Columns that the vector unit's LaneConfig.BLOCK_DEST_MOV excludes from moves: one bit each. */
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

static inline bool fp16_forced(const struct matrix_view *view)
{
    return CONFIG_GET(view->thread_config, FP16A_FORCE_Enable);
}

/* A datum of Src counts as zero unless one of these bits is set. */
static inline uint32_t some_bits(const struct matrix_view *view)
{
    return CONFIG_GET(view->config, ALU_ACC_CTRL_Zero_Flag_disabled_src) ? UINT32_MAX : 0x7f800000;
}

static inline bool dst_has_32_bits(const struct matrix_view *view)
{
    return CONFIG_GET(view->config, ALU_ACC_CTRL_Fp32_enabled) ||
           CONFIG_GET(view->config, ALU_ACC_CTRL_INT8_math_enabled);
}

/* Whether the thread's data in Dst have 32 bits although the matrix unit is set to 16: the vendor's kernels move
   halves of 32-bit data so, for which they clear ALU_ACC_CTRL_Fp32_enabled for a while (tt-llk issue 449). Silicon
   finds 16-bit rows among those of 32 bits with bit 11 of DBG_FEATURE_DISABLE, which some of these kernels leave to
   others to set; here it is not needed. */
static inline bool moves_halves(const struct matrix_view *view)
{
    return CONFIG_GET(view->config, ALU_ACC_CTRL_SFPU_Fp32_enabled) && !dst_has_32_bits(view) && !fp16_forced(view);
}

/* With ALU_ACC_CTRL_Fp32_enabled silicon moves all 19 bits of floating-point data to a row of 32 bits, as of TF32,
   whatever Src's format is (blackhole-py, test_dst_paths.py and others; of integers there are no runs). The vendor's
   kernels clear it where they move data of 16 bits. */
static inline bool all_are_tf32(const struct matrix_view *view, enum data_format format)
{
    bool integer = format == FORMAT_INT8 || format == FORMAT_INT16 || format == FORMAT_INT32;
    return CONFIG_GET(view->config, ALU_ACC_CTRL_Fp32_enabled) && !integer && !fp16_forced(view);
}

/* A datum of 19 bits goes to a row of 32 bits of Dst, whatever Dst's width is. A datum of 16 bits goes to a row of 16
   bits, or with `low_half` to the low half of a row of 32 bits, whose high half keeps its value. */
static inline void move_to_dst(const struct matrix_view *view, bool from_a, bool low_half, struct move *move)
{
    enum data_format format = matrix_view_srca_format(view, move->src);
    bool halves = moves_halves(view), tf32 = format == FORMAT_TF32 || (!low_half && all_are_tf32(view, format));
    if (halves && !view->state->dst.only_row32) {
        tf32 &= !low_half;
        move->complaint = MOVE_OF_HALVES;
    } else if (tf32 && low_half) {
        move->complaint = MOVE_OF_TF32_LOW_HALF;
    }
    move->way = MOVE_TO_DST;
    move->row32 = tf32 || low_half || halves;
    move->how.fp16 = !tf32 && (matrix_style_of(format) == STYLE_FP16 || fp16_forced(view));
    move->how.tf32 = tf32;
    move->how.low_half = low_half;
    move->how.bits = from_a ? FPU_TF32_BITS : matrix_moved_srcb_bits(matrix_view_srcb_format(view, move->src));
    move->how.some = some_bits(view);
    move->how.blocked = blocked_columns(view->state);
}

/* According to the documentation, Dst of 16 bits has neither TF32 nor a low half, but the vendor's kernels on
   Blackhole read the low half of 32-bit data so. TF32 is then BF16, since a half has only 16 bits. */
static inline void move_from_dst(const struct matrix_view *view, bool low_half, struct move *move)
{
    bool forced = fp16_forced(view), dst32 = !forced && dst_has_32_bits(view);
    enum matrix_style style = forced ? STYLE_FP16 : matrix_style_of(matrix_view_srca_format(view, move->src));
    if (!dst32) {
        bool halves = moves_halves(view);
        if (halves && !view->state->dst.only_row32) {
            style = style == STYLE_TF32 ? STYLE_BF16 : style;
            move->complaint = MOVE_OF_HALVES;
        } else if (style == STYLE_TF32) {
            move->complaint = MOVE_OF_TF32_FROM_16_BITS;
        } else if (low_half) {
            move->complaint = MOVE_OF_LOW_HALF;
        }
        dst32 = (low_half || halves) && style != STYLE_TF32;
    }
    move->way = MOVE_FROM_DST;
    move->row32 = dst32;
    move->how.fp16 = style == STYLE_FP16;
    move->how.tf32 = dst32 && style == STYLE_TF32;
    move->how.low_half = dst32 && low_half;
    move->how.blocked = blocked_columns(view->state);
}

struct move matrix_move_of(const struct matrix_view *view, uint32_t opcode, uint32_t mode, bool low_half)
{
    struct src_register_file *srca = &view->state->srca, *srcb = &view->state->srcb;
    bool block = mode & MOVE_BLOCK, second = mode & MOVE_ONE_ROW_FOR_ALL;
    struct move move = {.src = srcb, .reserved_mode = second, .how.rows = block ? 4 : 1};
    switch (opcode) {
    case TENSIX_OPCODE_MOVA2D: move.waits = !src_matrix_may_use(srca); __attribute__((fallthrough));
    case TENSIX_OPCODE_MOVDBGA2D: /* whoever SrcA belongs to */
        move.src = srca;
        move.how.rows = block ? 8 : 1;
        move_to_dst(view, true, low_half, &move);
        break;
    case TENSIX_OPCODE_MOVB2D: move.waits = !src_matrix_may_use(srcb); __attribute__((fallthrough));
    case TENSIX_OPCODE_MOVDBGB2D:
        move.reserved_mode = block && second;
        move.how.rows = second ? 8 : move.how.rows;
        move.how.one_row_for_all = second;
        move.how.column_0 = mode & MOVE_COLUMN_0;
        move_to_dst(view, false, low_half, &move);
        break;
    /* Neither of these two waits. */
    case TENSIX_OPCODE_MOVD2A: move.src = srca; __attribute__((fallthrough));
    case TENSIX_OPCODE_MOVD2B: move_from_dst(view, low_half, &move); break;
    default: /* MOVB2A waits for SrcB only. It copies the 19 bits unchanged, except denormals. */
        move.waits = !src_matrix_may_use(srcb);
        move.way = MOVE_TO_SRCA;
        move.how.some = some_bits(view);
    }
    return move;
}

/* ---- rows ---- */

/* Where the rows of a kind of moves are found in packed counters. */
struct addressing {
    unsigned src_at, dst_at;
    uint32_t src_mask, dst_mask;
    bool row32;
};

static inline struct addressing addressing_of(const struct matrix_view *view, const struct move *move)
{
    const bool of_a = move->src == &view->state->srca, to_a = move->way == MOVE_TO_SRCA;
    return (struct addressing){.src_at = of_a ? RWC_SRCA_AT : RWC_SRCB_AT,
                               .dst_at = to_a ? RWC_SRCA_AT : RWC_DST_AT,
                               .src_mask = SRC_ROWS - (move->how.one_row_for_all ? 1 : move->how.rows),
                               .dst_mask = (to_a ? SRC_ROWS : DST_ROWS) - move->how.rows,
                               .row32 = !to_a && (move->row32 || view->state->dst.only_row32)};
}

/* The first rows of a move, for which the counters and its fields are `named`: no move crosses a boundary of eight
   rows. */
static inline struct row_places places_of(const struct addressing *addressing, rwc_packed named)
{
    uint32_t dst = named >> addressing->dst_at & addressing->dst_mask;
    return (struct row_places){.src = (uint16_t)(named >> addressing->src_at & addressing->src_mask),
                               .dst = (uint16_t)(addressing->row32 ? dst_row32(dst) : dst)};
}

rwc_packed matrix_move_rows(const struct matrix_view *view, const struct move *move, const struct rwc_entry *entry,
                            const struct rwc_entry *end, rwc_packed counters)
{
    const bool of_a = move->src == &view->state->srca, to_a = move->way == MOVE_TO_SRCA;
    const struct addressing addressing = addressing_of(view, move);
    struct row_places places[MATRIX_MOVES_AT_ONCE];
    uint32_t count = 0;
    rwc_packed before = counters;
    for (; entry < end; entry++, count++) {
        before = counters;
        places[count] = places_of(&addressing, counters + entry->fields);
        counters = rwc_entry_step(entry, counters);
    }
    uint32_t(*src)[ROW_COLUMNS] = matrix_rows(move->src);
    if (move->way != MOVE_TO_DST) {
        struct src_register_file *written = to_a ? &view->state->srca : move->src;
        written->zero[written->matrix_bank] = false;
    }
    switch (move->way) {
    case MOVE_TO_DST: move_rows_to_dst(&move->how, src, &view->state->dst, places, count); break;
    case MOVE_FROM_DST: move_rows_from_dst(&move->how, src, &view->state->dst, places, count); break;
    case MOVE_TO_SRCA: move_rows_to_srca(&move->how, src, matrix_rows(&view->state->srca), places, count); break;
    }
    /* The row for SHIFTXA: the row of SrcA of the last move if it has one, otherwise the counter. */
    const uint32_t last = of_a ? places[count - 1].src : to_a ? places[count - 1].dst : 0;
    view->state->matrix.last_srca_row = of_a || to_a ? last : (before >> RWC_SRCA_AT & RWC_SRC_MASK);
    return counters;
}

/* ---- single instructions ---- */

/* The fields of a move, under the names that most moves use; for MOVB2A `src` is the row of SrcA and `dst` that of
   SrcB. */
struct move_fields {
    uint32_t low_half, src, addr_mode, mode, dst;
};

static enum step complain(struct tensix *tensix, const char *name, enum move_complaint complaint)
{
    bool only_row32 = tensix->state->dst.only_row32;
    switch (complaint) {
    case MOVE_IS_PLAIN: break;
    case MOVE_OF_HALVES:
        return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "%s while ALU_ACC_CTRL_Fp32_enabled is clear and SFPU_Fp32_enabled set: taken to move halves "
                        "of 32-bit Dst, which silicon may not do without bit 11 of DBG_FEATURE_DISABLE",
                        name);
    case MOVE_OF_TF32_LOW_HALF:
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "dest_32b_lo with data of format TF32, which need all 32 bits of Dst (erratum TEN-4245): give "
                        "the thread another format of SrcA for the low half");
    case MOVE_OF_TF32_FROM_16_BITS:
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "%s: Dst holds 16 bits each, no TF32: set ALU_ACC_CTRL_Fp32_enabled or another format of SrcA",
                        name);
    case MOVE_OF_LOW_HALF:
        return diagnose(tensix->diagnostics, only_row32 ? BH_NON_CONTRACTUAL : BH_UNDEFINED_BEHAVIOR,
                        "%s of a low half while ALU_ACC_CTRL_Fp32_enabled is clear%s: taken as that of 32-bit Dst",
                        name, only_row32 ? "" : " and bit 11 of DBG_FEATURE_DISABLE too");
    }
    return STEP_DONE;
}

/* The move that the fields describe, and they themselves as packed counters. */
static inline struct move decode_move(const struct matrix_view *view, uint32_t opcode, struct move_fields fields,
                                      rwc_packed *packed)
{
    const struct move move = matrix_move_of(view, opcode, fields.mode, fields.low_half);
    bool to_a = move.way == MOVE_TO_SRCA, of_a = to_a || move.src == &view->state->srca;
    rwc_packed dst = to_a ? 0 : matrix_view_dst_origin(view) & RWC_DST_MASK;
    *packed = dst + ((rwc_packed)fields.src << (of_a ? RWC_SRCA_AT : RWC_SRCB_AT)) +
              ((rwc_packed)fields.dst << (to_a ? RWC_SRCB_AT : RWC_DST_AT));
    return move;
}

static enum step execute_move(struct tensix *tensix, unsigned thread, uint32_t opcode, const char *name,
                              struct move_fields fields)
{
    const struct matrix_view view = matrix_view_of(tensix->state, thread);
    struct rwc_entry entry = {};
    const struct move move = decode_move(&view, opcode, fields, &entry.fields);
    if (move.waits) {
        return STEP_WAIT;
    }
    uint32_t mode = opcode == TENSIX_OPCODE_MOVB2D || opcode == TENSIX_OPCODE_MOVDBGB2D ? fields.mode : fields.mode / 2;
    if (move.reserved_mode &&
        diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s: mode %u is reserved", name, mode) != STEP_DONE) {
        return STEP_STOP;
    }
    enum step step = complain(tensix, name, move.complaint);
    if (step != STEP_DONE) {
        return step;
    }
    matrix_move_rows(&view, &move, &entry, &entry + 1, rwc_pack(view.rwc));
    rwc_advance(tensix, thread, fields.addr_mode);
    return STEP_DONE;
}

/* Of a row of 32 bits of Dst a move writes both halves (TF32), the low one, which clears the high one of a row that is
   not valid, or the high one. */
static void add_operands(struct tensix_state *state, unsigned thread, uint32_t opcode, struct move_fields fields,
                         struct operand_sets *sets)
{
    const struct matrix_view view = matrix_view_of(state, thread);
    rwc_packed packed;
    const struct move move = decode_move(&view, opcode, fields, &packed);
    const struct addressing addressing = addressing_of(&view, &move);
    const struct row_places places = places_of(&addressing, packed + rwc_pack(view.rwc));
    bool of_b = move.src == &state->srcb, low = move.how.tf32 || move.how.low_half;
    struct operand_rows *read = &sets->read.rows, *written = &sets->written.rows;
    uint32_t src_rows = move.how.one_row_for_all ? 1 : move.how.rows;
    operand_src_rows(move.way == MOVE_FROM_DST ? written : read, of_b, move.src->matrix_bank, places.src, src_rows);
    if (move.way == MOVE_TO_SRCA) {
        operand_src_rows(written, false, state->srca.matrix_bank, places.dst, src_rows);
        return;
    }
    for (unsigned i = 0; i < move.how.rows; i++) {
        if (move.way == MOVE_FROM_DST || move.how.low_half) {
            operand_dst_place(read, low, places.dst + i);
        }
        if (move.way == MOVE_TO_DST) {
            operand_dst_place(written, low, places.dst + i);
        }
    }
}

/* The fields of `args`, of the instruction NAME. */
#define MOVE_FIELDS_OF_MOVA2D                                                                                          \
    {                                                                                                                  \
        args.dest_32b_lo, args.src, args.addr_mode, 2 * args.instr_mod, args.dst                                       \
    }
#define MOVE_FIELDS_OF_MOVDBGA2D MOVE_FIELDS_OF_MOVA2D
#define MOVE_FIELDS_OF_MOVB2D                                                                                          \
    {                                                                                                                  \
        args.dest_32b_lo, args.src, args.addr_mode, args.movb2d_instr_mod, args.dst                                    \
    }
#define MOVE_FIELDS_OF_MOVDBGB2D MOVE_FIELDS_OF_MOVB2D
#define MOVE_FIELDS_OF_MOVD2A MOVE_FIELDS_OF_MOVA2D
#define MOVE_FIELDS_OF_MOVD2B MOVE_FIELDS_OF_MOVA2D
#define MOVE_FIELDS_OF_MOVB2A                                                                                          \
    {                                                                                                                  \
        0, args.srca, args.addr_mode, 2 * args.instr_mod, args.srcb                                                    \
    }

#define MOVE(name)                                                                                                     \
    enum step execute_##name(struct tensix *tensix, unsigned thread, struct args_##name args)                          \
    {                                                                                                                  \
        return execute_move(tensix, thread, TENSIX_OPCODE_##name, #name, (struct move_fields)MOVE_FIELDS_OF_##name);   \
    }                                                                                                                  \
    TENSIX_RUN(name)
MOVE(MOVA2D)
MOVE(MOVDBGA2D)
MOVE(MOVB2D)
MOVE(MOVDBGB2D)
MOVE(MOVD2A)
MOVE(MOVD2B)
MOVE(MOVB2A)

void matrix_move_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets)
{
    switch (word >> 24) {
#define MOVE_OPERANDS(name)                                                                                            \
    case TENSIX_OPCODE_##name: {                                                                                       \
        const struct args_##name args = decode_##name(word);                                                           \
        add_operands(state, thread, TENSIX_OPCODE_##name, (struct move_fields)MOVE_FIELDS_OF_##name, sets);            \
        break;                                                                                                         \
    }
        MOVE_OPERANDS(MOVA2D)
        MOVE_OPERANDS(MOVDBGA2D)
        MOVE_OPERANDS(MOVB2D)
        MOVE_OPERANDS(MOVDBGB2D)
        MOVE_OPERANDS(MOVD2A)
        MOVE_OPERANDS(MOVD2B)
        MOVE_OPERANDS(MOVB2A)
    default: break;
    }
}
