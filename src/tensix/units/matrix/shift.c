/* Data that move between the columns of SrcA or SrcB. */
#include <string.h>

#include "tensix/num/move_rows.h"
#include "tensix/units/execute.h"
#include "tensix/units/matrix/operands.h"
#include "tensix/units/matrix/parts.h"

enum shift_mode { SHIFT_RIGHT = 2, SHIFT_LEFT = 3 };

enum { SHIFTED_ROWS = 16, FIRST_TRANSPOSED = 16 };

/* Where the rows of SHIFTXA come from. */
static uint32_t shifted_from(const struct tensix_state *state)
{
    return state->matrix.last_srca_row & 0x30;
}

/* The row of SHIFTXB. */
static uint32_t rotated_row(const struct tensix_state *state, unsigned thread, struct args_SHIFTXB args)
{
    return (args.shift_row + state->addr.rwc[thread].srcb) & (SRC_ROWS - 1);
}

/* Shifts 16 rows into the first 16 rows. The instruction has no field for the source rows: it uses those of the last
   instruction with a row of SrcA. Column 0 is the leftmost. */
enum step execute_SHIFTXA(struct tensix *tensix, unsigned thread, struct args_SHIFTXA args)
{
    struct tensix_state *state = tensix->state;
    if (!src_matrix_may_use(&state->srca)) {
        return STEP_WAIT;
    }
    if (args.shift_mode < SHIFT_RIGHT || args.log2_amount2) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SHIFTXA: shift_mode must be 2 (right) or 3 (left), and log2_amount2 0");
    }
    enum step step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                              "SHIFTXA takes its rows from where the last instruction that named rows of SrcA did");
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t(*rows)[ROW_COLUMNS] = matrix_rows(&state->srca);
    uint32_t from = shifted_from(state);
    const size_t moved = (ROW_COLUMNS - 1) * sizeof rows[0][0];
    for (uint32_t i = 0; i < SHIFTED_ROWS; i++) {
        if (args.shift_mode == SHIFT_RIGHT) {
            memmove(&rows[i][1], &rows[from + i][0], moved);
            rows[i][0] = 0;
        } else {
            memmove(&rows[i][0], &rows[from + i][1], moved);
            rows[i][ROW_COLUMNS - 1] = 0;
        }
    }
    return STEP_DONE;
}

/* Shifts one row of SrcB one column to the left; column 15 gets the datum of column 0, or zero. */
enum step execute_SHIFTXB(struct tensix *tensix, unsigned thread, struct args_SHIFTXB args)
{
    struct tensix_state *state = tensix->state;
    if (!src_matrix_may_use(&state->srcb)) {
        return STEP_WAIT;
    }
    uint32_t *row = matrix_rows(&state->srcb)[rotated_row(state, thread, args)];
    uint32_t column0 = row[0];
    memmove(row, row + 1, (ROW_COLUMNS - 1) * sizeof row[0]);
    row[ROW_COLUMNS - 1] = args.rot_shift ? 0 : column0;
    rwc_apply_addr_mod(tensix, thread, args.addr_mode, true);
    return STEP_DONE;
}

enum step execute_TRNSPSRCB(struct tensix *tensix, unsigned thread, struct args_TRNSPSRCB args)
{
    struct tensix_state *state = tensix->state;
    if (!src_matrix_may_use(&state->srcb)) {
        return STEP_WAIT;
    }
    uint32_t(*rows)[ROW_COLUMNS] = matrix_rows(&state->srcb) + FIRST_TRANSPOSED;
    src_transpose(rows, rows);
    return STEP_DONE;
}

void matrix_shift_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets)
{
    unsigned srca = state->srca.matrix_bank, srcb = state->srcb.matrix_bank;
    switch (word >> 24) {
    case TENSIX_OPCODE_SHIFTXA:
        operand_src_rows(&sets->read.rows, false, srca, shifted_from(state), SHIFTED_ROWS);
        operand_src_rows(&sets->written.rows, false, srca, 0, SHIFTED_ROWS);
        break;
    case TENSIX_OPCODE_SHIFTXB:
        operand_src_rows(&sets->read.rows, true, srcb, rotated_row(state, thread, decode_SHIFTXB(word)), 1);
        operand_src_rows(&sets->written.rows, true, srcb, rotated_row(state, thread, decode_SHIFTXB(word)), 1);
        break;
    default:
        operand_src_rows(&sets->read.rows, true, srcb, FIRST_TRANSPOSED, ROW_COLUMNS);
        operand_src_rows(&sets->written.rows, true, srcb, FIRST_TRANSPOSED, ROW_COLUMNS);
        break;
    }
}

TENSIX_RUN(TRNSPSRCB)
TENSIX_RUN(SHIFTXA)
TENSIX_RUN(SHIFTXB)
