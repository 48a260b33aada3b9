/* Whole LRegs and values between lanes: SFPMOV, SFPSWAP, SFPTRANSP, SFPSHFT2. Sources: the ISA documentation's page of
   each. */
#include <string.h>

#include "tensix/units/vector_words.h"
#include "util/bits.h"

enum { ROW_LANES = 8 };

/* What SFPMOV reads in its mode FROM_SPECIAL, where VC means nearly what SFPCONFIG's VD does. */
static void read_special(struct vector_unit *vector, uint32_t vc, uint32_t lanes, uint32_t *value)
{
    enum { SEQUENCE = 4, MISC = 8, PRNG = 9, LANE_CONFIG = 15 };
    size_t size = SFPU_LANES * sizeof *value;
    if (vc < SEQUENCE) {
        memcpy(value, vector->load_macro.instruction_template[vc], size);
    } else if (vc < MISC) {
        memcpy(value, vector->load_macro.sequence[vc - SEQUENCE], size);
    } else if (vc == MISC) {
        memcpy(value, vector->load_macro.misc, size);
    } else if (vc == PRNG) {
        vector_advance_prng(vector, lanes, value);
    } else if (vc == LANE_CONFIG) {
        memcpy(value, vector->lane_config, size);
    } else {
        memset(value, 0, size);
    }
}

enum { MOV_NEGATE = 1, MOV_ALL_LANES_ENABLED = 2, MOV_FROM_SPECIAL = 8 };

struct vector_plan vector_plan_SFPMOV(struct args_SFPMOV args)
{
    if (args.instr_mod1 == MOV_ALL_LANES_ENABLED || args.instr_mod1 & MOV_FROM_SPECIAL) {
        return (struct vector_plan){0};
    }
    return vector_lanewise_plan(lanewise_move, args.lreg_dest, args.lreg_c, args.lreg_c,
                                args.instr_mod1 & MOV_NEGATE ? SIGN_BIT : 0);
}

enum step execute_SFPMOV(struct tensix *tensix, unsigned thread, struct args_SFPMOV args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = vector_begin_result(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & (args.instr_mod1 == MOV_ALL_LANES_ENABLED ? ALL_LANES : vector_enabled_lanes(vector));
    if (args.instr_mod1 & MOV_FROM_SPECIAL) {
        uint32_t value[SFPU_LANES];
        read_special(vector, args.lreg_c, lanes, value);
        vector_write(vector, args.lreg_dest, value, lanes);
    } else if (vector_writable(args.lreg_dest)) {
        const uint32_t *c = vector->lreg[args.lreg_c];
        lanewise_move(vector->lreg[args.lreg_dest], c, c, args.instr_mod1 & MOV_NEGATE ? SIGN_BIT : 0, lanes);
    }
    return STEP_DONE;
}

/* In which lanes VD gets the smaller value, for each Mod1 of SFPSWAP but 0; from 10 on it is as 9. */
static const uint32_t vd_gets_min[10] = {
    [1] = 0xffffffff, [2] = 0x0000ffff, [3] = 0x00ff00ff, [4] = 0xff0000ff, [5] = 0x000000ff,
    [6] = 0x0000ff00, [7] = 0x00ff0000, [8] = 0xff000000, [9] = 0x00000000,
};

STATIC_CLONES(void, swap, (uint32_t *restrict x, uint32_t *restrict y, uint32_t lanes), (x, y, lanes))
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t both = x[lane] ^ y[lane];
        both = lanes >> lane & 1 ? both : 0;
        x[lane] ^= both;
        y[lane] = y[lane] ^ both;
    }
}

/* Swaps where both may be written; else copies, in `lanes`, the one to the other. */
static void swap_writable(struct vector_unit *vector, uint32_t vc, uint32_t vd, uint32_t writable, uint32_t lanes)
{
    uint32_t *c = vector->lreg[vc], *d = vector->lreg[vd];
    if (vc == vd) {
        return;
    }
    if (vc < writable && vd < writable) {
        swap(c, d, lanes);
    } else if (vc < writable) {
        lanewise_move(c, d, d, 0, lanes);
    } else if (vd < writable) {
        lanewise_move(d, c, c, 0, lanes);
    }
}

enum step vector_swap_compare(struct tensix *tensix, struct args_SFPSWAP args, uint32_t executing, uint32_t *lanes)
{
    enum { SWAP = 0, MAX_IN_ALL_LANES = 9 };
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t mod1 = args.instr_mod1;
    if (mod1 > MAX_IN_ALL_LANES) {
        enum step step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "SFPSWAP: Mod1 = %u is reserved", mod1);
        if (step != STEP_DONE) {
            return step;
        }
        mod1 = MAX_IN_ALL_LANES;
    }
    *lanes = executing & vector_enabled_lanes(vector);
    if (mod1 != SWAP) {
        uint32_t c_smaller = vector_smaller_lanes(vector->lreg[args.lreg_src_c], vector->lreg[args.lreg_dest]);
        uint32_t exchanged = vector_configured_lanes(vector, LANE_CONFIG_EXCHANGE_SRCB_SRCC);
        *lanes &= c_smaller ^ ~vd_gets_min[mod1] ^ exchanged;
    }
    return STEP_DONE;
}

void vector_swap_exchange(struct vector_unit *vector, uint32_t vc, uint32_t vd, uint32_t lanes)
{
    enum { INDEX_BANK = 4 };
    uint32_t indexed = vector_configured_lanes(vector, LANE_CONFIG_ENABLE_DEST_INDEX);
    swap_writable(vector, vc, vd, LREG_WRITABLE, lanes & ~indexed);
    if (indexed & lanes) { /* argmin and argmax: what goes with the values is swapped as they are */
        swap_writable(vector, vc, vd, INDEX_BANK, lanes & indexed);
        swap_writable(vector, INDEX_BANK + (vc & 3), INDEX_BANK + (vd & 3), LREG_WRITABLE, lanes & indexed);
    }
}

enum step execute_SFPSWAP(struct tensix *tensix, unsigned thread, struct args_SFPSWAP args)
{
    uint32_t executing, lanes;
    enum step step = vector_begin(tensix, args.lreg_dest, &executing);
    if (step == STEP_DONE) {
        step = vector_swap_compare(tensix, args, executing, &lanes);
    }
    if (step == STEP_DONE) {
        vector_swap_exchange(&tensix->state->vector, args.lreg_src_c, args.lreg_dest, lanes);
    }
    return step;
}

/* Transposes, in each column of lanes, the 4x4 values of LReg[base .. base + 3]; each value is written if its own lane
   is among `lanes`. */
static void transpose(struct vector_unit *vector, unsigned base, uint32_t lanes)
{
    enum { ROWS = SFPU_LANES / ROW_LANES };
    uint32_t transposed[ROWS][SFPU_LANES];
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t row = 0; row < ROWS; row++) {
            memcpy(&transposed[i][row * ROW_LANES], &vector->lreg[base + row][i * ROW_LANES],
                   ROW_LANES * sizeof **transposed);
        }
    }
    for (unsigned i = 0; i < ROWS; i++) {
        vector_write(vector, base + i, transposed[i], lanes);
    }
}

enum step execute_SFPTRANSP(struct tensix *tensix, unsigned thread, struct args_SFPTRANSP args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_dest, &executing);
    if (step == STEP_DONE) {
        transpose(vector, 0, executing & vector_enabled_lanes(vector));
        transpose(vector, 4, executing & vector_enabled_lanes(vector));
    }
    return step;
}

/* Each lane from its left neighbour within its row of eight; the first from the last, or zero. */
static void move_right(const uint32_t *from, bool rotate, uint32_t *to)
{
    memcpy(to + 1, from, (SFPU_LANES - 1) * sizeof *to);
    for (unsigned row = 0; row < SFPU_LANES; row += ROW_LANES) {
        to[row] = rotate ? from[row + ROW_LANES - 1] : 0;
    }
}

/* LReg[0..2] from LReg[1..3], and LReg[3] from `last`. */
static void copy4(struct vector_unit *vector, const uint32_t *last, uint32_t lanes)
{
    for (unsigned i = 0; i < 3; i++) {
        vector_write(vector, i, vector->lreg[i + 1], lanes);
    }
    vector_write(vector, 3, last, lanes);
}

LANE_OPERATION(shift_by_register, (int32_t)c >= 0 ? b << (c & 31) : b >> (-c & 31))
LANE_OPERATION(shift_by_immediate, (int32_t)immediate >= 0 ? b << (immediate & 31) : b >> (-immediate & 31))

enum step execute_SFPSHFT2(struct tensix *tensix, unsigned thread, struct args_SFPSHFT2 args)
{
    enum { COPY4, CHAINED_COPY4, SHFLROR1_AND_COPY4, SHFLROR1, SHFLSHR1, SHFT_LREG, SHFT_IMM };
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t vd = args.lreg_dest, vb = vector_source_b(vector, args.imm12_math & 15), executing, last[SFPU_LANES] = {};
    enum step step =
        args.instr_mod1 < SHFLROR1 ? vector_begin(tensix, vd, &executing) : vector_begin_result(tensix, vd, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector);
    switch (args.instr_mod1) {
    case COPY4: copy4(vector, last, lanes); break;
    case CHAINED_COPY4:
        memcpy(last, vector->lreg[0] + ROW_LANES, sizeof last - ROW_LANES * sizeof *last);
        copy4(vector, last, lanes);
        break;
    case SHFLROR1_AND_COPY4:
        move_right(vector->lreg[args.lreg_src_c], true, last);
        copy4(vector, last, lanes);
        break;
    case SHFLROR1:
    case SHFLSHR1:
        move_right(vector->lreg[args.lreg_src_c], args.instr_mod1 == SHFLROR1, last);
        vector_write(vector, vd, last, lanes);
        break;
    case SHFT_LREG:
    case SHFT_IMM:
        if (vector_writable(vd)) {
            (args.instr_mod1 == SHFT_LREG ? shift_by_register : shift_by_immediate)(
                vector->lreg[vd], vector->lreg[vb], vector->lreg[args.lreg_src_c],
                (uint32_t)bits_sign_extend(args.imm12_math, 12), lanes);
        }
        break;
    default:
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "SFPSHFT2: no meaning is documented for Mod1 = %u",
                        args.instr_mod1);
    }
    return STEP_DONE;
}
