/* Moves of whole LRegs and between lanes: SFPMOV, SFPSWAP, SFPTRANSP, SFPSHFT2. Sources: the ISA documentation's page
   of each. */
#include <string.h>

#include "tensix/units/vector/words.h"
#include "util/bits.h"

enum { ROW_LANES = 8, ROWS = SFPU_LANES / ROW_LANES };

/* Two rows of lanes as a vector, and an LReg in such vectors. */
typedef uint32_t rows __attribute__((vector_size(2 * ROW_LANES * sizeof(uint32_t)), aligned(4), may_alias));
enum { HALVES = 2 };

__attribute__((always_inline)) static inline rows *rows_of(uint32_t *lreg)
{
    return (rows *)lreg;
}

/* All ones in those lanes of half an LReg that are in `lanes`. */
__attribute__((always_inline)) static inline rows lanes_as_words(uint32_t lanes, unsigned half)
{
    const rows bits = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                       1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    return (rows)((((lanes >> half * 2 * ROW_LANES) - (rows){0}) & bits) != 0);
}

/* Sets half an LReg to `value` in `lanes`. */
__attribute__((always_inline)) static inline void set_rows(uint32_t *lreg, unsigned half, rows value, uint32_t lanes)
{
    rows *to = rows_of(lreg) + half;
    if (__builtin_expect(lanes != ALL_LANES, 0)) {
        rows mask = lanes_as_words(lanes, half);
        value = (value & mask) | (*to & ~mask);
    }
    *to = value;
}

/* The source of SFPMOV in its mode FROM_SPECIAL, where VC selects nearly the same registers as SFPCONFIG's VD. */
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

struct vector_operation vector_decode_SFPMOV(struct args_SFPMOV args)
{
    if (args.instr_mod1 == MOV_ALL_LANES_ENABLED || args.instr_mod1 & MOV_FROM_SPECIAL) {
        return (struct vector_operation){0};
    }
    return vector_lanewise_operation(WORDS_move, args.lreg_dest, args.lreg_c, args.lreg_c,
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

/* The lanes in which VD gets the smaller value, for each Mod1 of SFPSWAP except 0; modes from 10 on are like 9. */
static const uint32_t vd_gets_min[10] = {
    [1] = 0xffffffff, [2] = 0x0000ffff, [3] = 0x00ff00ff, [4] = 0xff0000ff, [5] = 0x000000ff,
    [6] = 0x0000ff00, [7] = 0x00ff0000, [8] = 0xff000000, [9] = 0x00000000,
};

__attribute__((always_inline)) static inline void swap_lanes(uint32_t *restrict x, uint32_t *restrict y, uint32_t lanes)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t both = x[lane] ^ y[lane];
        both = lanes >> lane & 1 ? both : 0;
        x[lane] ^= both;
        y[lane] = y[lane] ^ both;
    }
}

STATIC_CLONES(void, swap, (uint32_t * x, uint32_t *y, uint32_t lanes), (x, y, lanes))
{
    swap_lanes(x, y, lanes);
}

/* Exchanges two LRegs in `lanes` if both can be written; otherwise copies to the one that can. */
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

static struct vector_operation exchange_operation(uint32_t vd, uint32_t vc, uint32_t minimum,
                                                  enum vector_condition condition)
{
    struct vector_operation operation = vector_moving_operation(EFFECT_EXCHANGE, vd, vc, minimum);
    operation.condition = (uint8_t)condition & 15;
    return operation;
}

struct vector_operation vector_decode_SFPSWAP(struct args_SFPSWAP args)
{
    uint32_t mod1 = args.instr_mod1, vc = args.lreg_src_c, vd = args.lreg_dest;
    if (mod1 >= COUNT_OF(vd_gets_min) || vc == vd || vd >= LREG_WRITABLE || (vc >= LREG_WRITABLE && !mod1)) {
        return (struct vector_operation){0};
    }
    uint32_t minimum = vd_gets_min[mod1];
    if (!mod1) {
        return exchange_operation(vd, vc, 0, CONDITION_ALWAYS);
    }
    return minimum || vc >= LREG_WRITABLE ? exchange_operation(vd, vc, minimum, CONDITION_UNSORTED)
                                          : exchange_operation(vc, vd, ALL_LANES, CONDITION_UNSORTED);
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
    if (indexed & lanes) { /* argmin and argmax: indices are exchanged together with their values */
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

/* From four pairs of rows, the first row of each pair, or the second. */
#define FIRST_ROWS(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define SECOND_ROWS(x, y) __builtin_shufflevector(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)

/* Transposes, in each column of lanes, the 4x4 values of four LRegs; only the lanes of `lanes` are written. */
__attribute__((always_inline)) static inline void transpose(uint32_t (*lreg)[SFPU_LANES], uint32_t lanes)
{
    rows low[ROWS], high[ROWS];
    for (unsigned i = 0; i < ROWS; i++) {
        low[i] = rows_of(lreg[i])[0];
        high[i] = rows_of(lreg[i])[1];
    }
    for (unsigned i = 0; i < ROWS; i++) {
        const rows *from = i < 2 ? low : high;
        set_rows(lreg[i], 0, i % 2 ? SECOND_ROWS(from[0], from[1]) : FIRST_ROWS(from[0], from[1]), lanes);
        set_rows(lreg[i], 1, i % 2 ? SECOND_ROWS(from[2], from[3]) : FIRST_ROWS(from[2], from[3]), lanes);
    }
}

STATIC_CLONES(void, transpose_all, (struct vector_unit * vector, uint32_t lanes), (vector, lanes))
{
    transpose(vector->lreg, lanes);
    transpose(vector->lreg + ROWS, lanes);
}

struct vector_operation vector_decode_SFPTRANSP(struct args_SFPTRANSP args)
{
    return args.lreg_dest < LREG_TEMPLATES ? vector_moving_operation(EFFECT_SHUFFLE, 0, 0, SHUFFLE_TRANSPOSE)
                                           : (struct vector_operation){0};
}

enum step execute_SFPTRANSP(struct tensix *tensix, unsigned thread, struct args_SFPTRANSP args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_dest, &executing);
    if (step == STEP_DONE) {
        transpose_all(vector, executing & vector_enabled_lanes(vector));
    }
    return step;
}

/* Moves each lane's value to the right within its row of eight; the first lane gets the last one's value, or zero. */
__attribute__((always_inline)) static inline rows moved_right(rows from, bool rotate)
{
    rows moved = __builtin_shufflevector(from, from, 7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14);
    const rows all_but_first = {0, -1u, -1u, -1u, -1u, -1u, -1u, -1u, 0, -1u, -1u, -1u, -1u, -1u, -1u, -1u};
    if (!rotate) {
        moved &= all_but_first;
    }
    return moved;
}

__attribute__((always_inline)) static inline void move_lanes_right(uint32_t *to, uint32_t *from, bool rotate,
                                                                   uint32_t lanes)
{
    for (unsigned half = 0; half < HALVES; half++) {
        set_rows(to, half, moved_right(rows_of(from)[half], rotate), lanes);
    }
}

STATIC_CLONES(void, move_right, (uint32_t * to, uint32_t *from, bool rotate, uint32_t lanes), (to, from, rotate, lanes))
{
    move_lanes_right(to, from, rotate, lanes);
}

/* LReg[0..2] from LReg[1..3], and LReg[3] from `last`. */
STATIC_CLONES(void, copy4, (struct vector_unit * vector, uint32_t *last, uint32_t lanes), (vector, last, lanes))
{
    for (unsigned half = 0; half < HALVES; half++) {
        for (unsigned i = 0; i < 3; i++) {
            set_rows(vector->lreg[i], half, rows_of(vector->lreg[i + 1])[half], lanes);
        }
        set_rows(vector->lreg[3], half, rows_of(last)[half], lanes);
    }
}

enum { SHFT_LREG = SHUFFLE_SHFLSHR1 + 1, SHFT_IMM };

/* The modes that move values between lanes or LRegs; if the mode writes VD, it can be written. */
static void shuffle(struct vector_unit *vector, uint32_t mod1, uint32_t vc, uint32_t vd, uint32_t lanes)
{
    uint32_t last[SFPU_LANES];
    switch (mod1) {
    case SHUFFLE_COPY4: copy4(vector, memset(last, 0, sizeof last), lanes); break;
    case SHUFFLE_CHAINED_COPY4:
        memcpy(last, vector->lreg[0] + ROW_LANES, sizeof last - ROW_LANES * sizeof *last);
        memset(last + SFPU_LANES - ROW_LANES, 0, ROW_LANES * sizeof *last);
        copy4(vector, last, lanes);
        break;
    case SHUFFLE_SHFLROR1_AND_COPY4:
        move_right(last, vector->lreg[vc], true, ALL_LANES);
        copy4(vector, last, lanes);
        break;
    default: move_right(vector->lreg[vd], vector->lreg[vc], mod1 == SHUFFLE_SHFLROR1, lanes); break;
    }
}

static struct vector_operation shift_operation(struct args_SFPSHFT2 args)
{
    uint32_t immediate = (uint32_t)bits_sign_extend(args.imm12_math, 12), vb = args.imm12_math & 15;
    enum vector_word_operation word_operation = args.instr_mod1 == SHFT_LREG ? WORDS_shift
                                                : (int32_t)immediate >= 0    ? WORDS_shift_left_immediate
                                                                             : WORDS_shift_right_immediate;
    struct vector_operation operation =
        vector_lanewise_operation(word_operation, args.lreg_dest, vb, args.lreg_src_c, immediate);
    operation.chooses_vb = true;
    return operation;
}

struct vector_operation vector_decode_SFPSHFT2(struct args_SFPSHFT2 args)
{
    if (args.instr_mod1 == SHFT_LREG || args.instr_mod1 == SHFT_IMM) {
        return shift_operation(args);
    }
    if (args.instr_mod1 > SHFT_IMM || args.lreg_dest >= LREG_WRITABLE) {
        return (struct vector_operation){0};
    }
    return vector_moving_operation(EFFECT_SHUFFLE, args.lreg_dest, args.lreg_src_c, args.instr_mod1);
}

enum step execute_SFPSHFT2(struct tensix *tensix, unsigned thread, struct args_SFPSHFT2 args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t vd = args.lreg_dest, mod1 = args.instr_mod1, executing;
    if (mod1 == SHFT_LREG || mod1 == SHFT_IMM) {
        return vector_execute_operation(tensix, shift_operation(args), NULL);
    }
    enum step step =
        mod1 < SHUFFLE_SHFLROR1 ? vector_begin(tensix, vd, &executing) : vector_begin_result(tensix, vd, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    if (mod1 > SHFT_IMM) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "SFPSHFT2: no meaning is documented for Mod1 = %u",
                        mod1);
    }
    if (mod1 < SHUFFLE_SHFLROR1 || vector_writable(vd)) {
        shuffle(vector, mod1, args.lreg_src_c, vd, executing & vector_enabled_lanes(vector));
    }
    return STEP_DONE;
}

TENSIX_RUN(SFPMOV)
TENSIX_RUN(SFPTRANSP)
TENSIX_RUN(SFPSWAP)
TENSIX_RUN(SFPSHFT2)
