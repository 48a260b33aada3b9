/* ELWADD, ELWSUB, ELWMUL: eight rows of SrcA with eight of SrcB, or with one row or column 0 of them broadcast. */
#include <string.h>

#include "tensix/num/clones.h"
#include "tensix/units/addr/rwc.h"
#include "tensix/units/execute.h"
#include "tensix/units/matrix/operands.h"
#include "tensix/units/matrix/parts.h"

enum operation { ADD, SUBTRACT, MULTIPLY };

enum { BLOCK_ROWS = 8, BROADCAST_COLUMN = 1, BROADCAST_ROW = 2 };

/* Copies the block of SrcB, broadcast as the operation says; subtraction inverts the sign. Stored in whole vectors,
   since they are loaded as such right afterwards. */
STATIC_CLONES(void, take_srcb,
              (const uint32_t rows[restrict][ROW_COLUMNS], uint32_t broadcast, bool negate,
               uint32_t block[restrict BLOCK_ROWS][ROW_COLUMNS]),
              (rows, broadcast, negate, block))
{
    uint32_t sign = negate ? UINT32_C(0x80000000) : 0;
    for (unsigned i = 0; i < BLOCK_ROWS; i++) {
        const uint32_t *row = rows[broadcast & BROADCAST_ROW ? 0 : i];
        if (broadcast & BROADCAST_COLUMN) {
            AS_VECTOR
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                block[i][column] = row[0] ^ sign;
            }
        } else {
            AS_VECTOR
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                block[i][column] = row[column] ^ sign;
            }
        }
    }
}

/* Sums without accumulation are computed with a Dst of zeroes. */
static void compute(const struct matrix_setting *setting, enum operation operation, bool accumulate,
                    const uint32_t a[][ROW_COLUMNS], const uint32_t b[][ROW_COLUMNS], uint32_t dst[][ROW_COLUMNS])
{
    bool integer = setting->style == STYLE_INT8;
    if (!accumulate && !integer) {
        fpu_sum_elements(&setting->fpu, a, b, dst, BLOCK_ROWS);
    } else if (operation == MULTIPLY) {
        (integer ? fpu_multiply_integer_elements : fpu_multiply_elements)(&setting->fpu, a, b, dst, BLOCK_ROWS);
    } else {
        (integer ? fpu_add_integer_elements : fpu_add_elements)(&setting->fpu, a, b, dst, BLOCK_ROWS);
    }
}

static void compute_at_random(struct tensix_state *state, const struct matrix_setting *setting,
                              enum operation operation, const uint32_t a[][ROW_COLUMNS],
                              const uint32_t b[][ROW_COLUMNS], uint32_t dst[][ROW_COLUMNS])
{
    uint32_t random[BLOCK_ROWS][ROW_COLUMNS];
    stochastic_draw(&state->matrix.random, random, BLOCK_ROWS);
    (operation == MULTIPLY ? fpu_multiply_elements_at_random : fpu_add_elements_at_random)(&setting->fpu, a, b, dst,
                                                                                           BLOCK_ROWS, random);
}

static inline struct matrix_places places_of(struct tensix_state *state, unsigned thread, struct args_ELWADD args)
{
    const struct rwc *rwc = &state->addr.rwc[thread];
    return (struct matrix_places){.srca = rwc->srca & 0x38,
                                  .srcb = rwc->srcb & (args.instr_mod19 & BROADCAST_ROW ? 0x3f : 0x38),
                                  .dst = matrix_dst_row(state, thread, args.dst) & 0x3f8};
}

/* ELWMUL always accumulates, whatever dest_accum_en says. */
static inline bool accumulates(enum operation operation, struct args_ELWADD args)
{
    return operation == MULTIPLY || args.dest_accum_en;
}

static enum step elementwise(struct tensix *tensix, unsigned thread, enum operation operation, struct args_ELWADD args)
{
    struct tensix_state *state = tensix->state;
    if (!matrix_may_use_both(state)) {
        return STEP_WAIT;
    }
    struct matrix_setting setting = matrix_setting_of(state, thread);
    const struct matrix_places places = places_of(state, thread, args);
    uint32_t srca_row = places.srca, srcb_row = places.srcb, dst_row = places.dst;
    uint32_t(*a)[ROW_COLUMNS] = matrix_rows(&state->srca) + srca_row;
    uint32_t(*b)[ROW_COLUMNS] = matrix_rows(&state->srcb) + srcb_row;
    _Alignas(64) uint32_t changed[BLOCK_ROWS][ROW_COLUMNS];
    if (args.instr_mod19 || operation == SUBTRACT) {
        take_srcb(b, args.instr_mod19, operation == SUBTRACT, changed);
        b = changed;
    }

    enum step step = matrix_check_exponents(tensix, &setting, a, BLOCK_ROWS, "SrcA");
    if (step == STEP_DONE) {
        step = matrix_check_exponents(tensix, &setting, b, BLOCK_ROWS, "SrcB");
    }
    if (step == STEP_DONE && operation != MULTIPLY && setting.style != STYLE_INT8 && setting.fpu.fidelity_phase) {
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "fidelity phase %u divides a sum by %u, which is probably not intended: set the phase to 0",
                        setting.fpu.fidelity_phase, (const unsigned[]){1, 32, 128, 4096}[setting.fpu.fidelity_phase]);
    }
    if (step == STEP_DONE && setting.special) {
        step = matrix_check_special(tensix, thread, &setting);
    }
    if (step != STEP_DONE) {
        return step;
    }

    uint32_t data[BLOCK_ROWS][ROW_COLUMNS];
    bool accumulate = accumulates(operation, args);
    if (accumulate) {
        fpu_read_dst(&setting.fpu, &state->dst, dst_row, 1, BLOCK_ROWS, data);
    } else if (setting.random || setting.style == STYLE_INT8) {
        memset(data, 0, sizeof data);
    }
    if (setting.random) {
        compute_at_random(state, &setting, operation, a, b, data);
    } else {
        compute(&setting, operation, accumulate, a, b, data);
    }
    fpu_write_dst(&setting.fpu, &state->dst, dst_row, 1, BLOCK_ROWS, data);

    state->matrix.last_srca_row = srca_row;
    src_banks_clear_dvalid(tensix, thread, args.clear_dvalid);
    rwc_advance(tensix, thread, args.addr_mode);
    return STEP_DONE;
}

enum step execute_ELWADD(struct tensix *tensix, unsigned thread, struct args_ELWADD args)
{
    return elementwise(tensix, thread, ADD, args);
}

enum step execute_ELWSUB(struct tensix *tensix, unsigned thread, struct args_ELWSUB args)
{
    return elementwise(tensix, thread, SUBTRACT,
                       (struct args_ELWADD){.clear_dvalid = args.clear_dvalid,
                                            .dest_accum_en = args.dest_accum_en,
                                            .instr_mod19 = args.instr_mod19,
                                            .addr_mode = args.addr_mode,
                                            .dst = args.dst});
}

enum step execute_ELWMUL(struct tensix *tensix, unsigned thread, struct args_ELWMUL args)
{
    return elementwise(tensix, thread, MULTIPLY,
                       (struct args_ELWADD){.clear_dvalid = args.clear_dvalid,
                                            .instr_mod19 = args.instr_mod19,
                                            .addr_mode = args.addr_mode,
                                            .dst = args.dst});
}

/* The three have the same fields. */
void matrix_elementwise_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets)
{
    const struct args_ELWADD args = decode_ELWADD(word);
    const struct matrix_places places = places_of(state, thread, args);
    bool dst32 = matrix_setting_of(state, thread).dst32;
    enum operation operation = word >> 24 == TENSIX_OPCODE_ELWMUL ? MULTIPLY : ADD;
    operand_src_rows(&sets->read.rows, false, state->srca.matrix_bank, places.srca, BLOCK_ROWS);
    operand_src_rows(&sets->read.rows, true, state->srcb.matrix_bank, places.srcb,
                     args.instr_mod19 & BROADCAST_ROW ? 1 : BLOCK_ROWS);
    if (accumulates(operation, args)) {
        operand_dst_rows(&sets->read.rows, &state->dst, dst32, places.dst, 1, BLOCK_ROWS);
    }
    operand_dst_rows(&sets->written.rows, &state->dst, dst32, places.dst, 1, BLOCK_ROWS);
}

TENSIX_RUN(ELWADD)
TENSIX_RUN(ELWSUB)
TENSIX_RUN(ELWMUL)
