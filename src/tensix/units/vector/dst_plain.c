/* SFPLOAD and SFPSTORE as nearly all are executed: for general-purpose LRegs, with nothing in LaneConfig that has a
   say, from rows that are valid. Everything else is units/vector/dst.c's.
   How: for each format one function from the address to the address mode, compiled for every level of the host's
   vectors. */
#include <string.h>

#include "tensix/units/addr/rwc.h"
#include "tensix/units/vector/dst.h"

/* The four rows of an instruction. */
struct rows {
    uint32_t place, lanes;
    uint32_t shift; /* where the lanes' columns lie in pairs of columns */
    uint32_t step;  /* to the next rows */
};

/* false: there is more to it; perhaps something in LaneConfig, of those bits, has a say. */
static inline bool find_rows(const struct vector_calling *calling, const struct vector_plan *plan, uint32_t bits,
                             bool row32, struct rows *rows)
{
    const struct tensix_state *state = calling->state;
    const struct vector_unit *vector = &state->vector;
    uint32_t address = plan->immediate + calling->rwc->dst + calling->dst_origin;
    rows->place = dst_place(&state->dst, row32, address & (DST_ROWS - LANES_ROWS));
    rows->shift = address & 2 ? DST_ODD_SHIFT : DST_EVEN_SHIFT;
    rows->lanes = vector_enabled_lanes(vector);
    return rwc_partial_step(calling->thread_config, calling->rwc, plan->addr_mode, &rows->step) &&
           !(vector->any_lane_config & bits);
}

/* Afterwards. */
static inline void step_on(const struct vector_calling *calling, const struct rows *rows)
{
    calling->rwc->dst = (calling->rwc->dst + rows->step) & RWC_DST_MASK;
}

enum { ALL_VALID = 0x01010101, ROW_PAIRS = ROW_COLUMNS / 2, LOW_PAIRS = DST_LOW_HALF * ROW_PAIRS };

static inline bool are_valid(const struct dst_register_file *dst, uint32_t place)
{
    uint32_t valid;
    memcpy(&valid, dst->valid + place, sizeof valid);
    return valid == ALL_VALID;
}

static inline void mark_valid(struct dst_register_file *dst, uint32_t place, uint32_t lanes)
{
    uint32_t valid = ALL_VALID;
    if (__builtin_expect(lanes != ALL_LANES, 0)) {
        memcpy(&valid, dst->valid + place, sizeof valid);
        for (unsigned i = 0; i < LANES_ROWS; i++) {
            valid |= (lanes >> i * 8 & 0xff ? 1u : 0u) << i * 8;
        }
    }
    memcpy(dst->valid + place, &valid, sizeof valid);
}

#define CELL(pairs) ((pairs)[lane] >> rows.shift & 0xffff)

/* An SFPLOAD. by: how far the cell is shifted; low: b where a datum has 32 bits. */
#define PLAIN_LOAD(format, row32, by, low, expression)                                                                 \
    LEVELS(bool, load_##format, (const struct vector_calling *calling, const struct vector_plan *plan),                \
           (calling, plan))                                                                                            \
    {                                                                                                                  \
        struct tensix_state *state = calling->state;                                                                   \
        struct rows rows;                                                                                              \
        if (!find_rows(calling, plan, DST_LOAD_LANE_CONFIG, row32, &rows) || !are_valid(&state->dst, rows.place)) {    \
            return false;                                                                                              \
        }                                                                                                              \
        uint32_t *lreg = state->vector.lreg[plan->vd];                                                                 \
        const uint32_t *cells = (const uint32_t *)state->dst.rows[rows.place], *low_cells = cells + LOW_PAIRS;         \
        (void)low_cells;                                                                                               \
        if (__builtin_expect(rows.lanes == ALL_LANES, 1)) {                                                            \
            LANES_ARE_INDEPENDENT for (unsigned lane = 0; lane < SFPU_LANES; lane++)                                   \
            {                                                                                                          \
                uint32_t b = low, c = CELL(cells) << (by);                                                             \
                (void)b, (void)c;                                                                                      \
                lreg[lane] = (expression);                                                                             \
            }                                                                                                          \
        } else {                                                                                                       \
            LANES_ARE_INDEPENDENT for (unsigned lane = 0; lane < SFPU_LANES; lane++)                                   \
            {                                                                                                          \
                uint32_t b = low, c = CELL(cells) << (by);                                                             \
                uint32_t d = (expression);                                                                             \
                (void)b, (void)c;                                                                                      \
                lreg[lane] = rows.lanes >> lane & 1 ? d : lreg[lane];                                                  \
            }                                                                                                          \
        }                                                                                                              \
        step_on(calling, &rows);                                                                                       \
        return true;                                                                                                   \
    }

#define LOAD(format, by, expression) PLAIN_LOAD(format, false, by, lreg[lane], expression)
#define LOAD32(format, by, expression) PLAIN_LOAD(format, true, by, CELL(low_cells), expression)
VECTOR_DST_LOADS(LOAD, LOAD32)
#undef LOAD
#undef LOAD32

/* Replaces the cells of `lanes` in four rows. */
#define PUT(to, cell)                                                                                                  \
    do {                                                                                                               \
        uint32_t *pairs = (to), field = 0xffffu << rows.shift;                                                         \
        if (__builtin_expect(rows.lanes == ALL_LANES, 1)) {                                                            \
            LANES_ARE_INDEPENDENT for (unsigned lane = 0; lane < SFPU_LANES; lane++)                                   \
            {                                                                                                          \
                uint32_t c = lreg[lane];                                                                               \
                (void)c;                                                                                               \
                pairs[lane] = (pairs[lane] & ~field) | ((cell) << rows.shift & field);                                 \
            }                                                                                                          \
        } else {                                                                                                       \
            LANES_ARE_INDEPENDENT for (unsigned lane = 0; lane < SFPU_LANES; lane++)                                   \
            {                                                                                                          \
                uint32_t c = lreg[lane], replaced = rows.lanes >> lane & 1 ? field : 0;                                \
                (void)c;                                                                                               \
                pairs[lane] = (pairs[lane] & ~replaced) | ((cell) << rows.shift & replaced);                           \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

/* An SFPSTORE. put_low: what it does besides, where a datum has 32 bits. */
#define PLAIN_STORE(format, row32, high, put_low)                                                                      \
    LEVELS(bool, store_##format, (const struct vector_calling *calling, const struct vector_plan *plan),               \
           (calling, plan))                                                                                            \
    {                                                                                                                  \
        struct tensix_state *state = calling->state;                                                                   \
        struct rows rows;                                                                                              \
        if (!find_rows(calling, plan, DST_STORE_LANE_CONFIG, row32, &rows)) {                                          \
            return false;                                                                                              \
        }                                                                                                              \
        const uint32_t *lreg = state->vector.lreg[plan->vc];                                                           \
        uint32_t *cells = (uint32_t *)state->dst.rows[rows.place];                                                     \
        PUT(cells, high);                                                                                              \
        put_low;                                                                                                       \
        mark_valid(&state->dst, rows.place, rows.lanes);                                                               \
        step_on(calling, &rows);                                                                                       \
        return true;                                                                                                   \
    }

#define STORE(format, by, cell) PLAIN_STORE(format, false, (cell) >> (by), )
#define STORE32(format, by, high, low) PLAIN_STORE(format, true, (high) >> (by), PUT(cells + LOW_PAIRS, low))
VECTOR_DST_STORES(STORE, STORE32)
#undef STORE
#undef STORE32

/* The format may be another each time. */
static bool load_SRCB(const struct vector_calling *calling, const struct vector_plan *plan)
{
    switch (calling->srcb_format) {
    case MOD0_FMT_BF16: return CLONE(load_BF16)(calling, plan);
    case MOD0_FMT_FP32: return CLONE(load_FP32)(calling, plan);
    default: return CLONE(load_FP16)(calling, plan);
    }
}

static bool store_SRCB(const struct vector_calling *calling, const struct vector_plan *plan)
{
    switch (calling->srcb_format) {
    case MOD0_FMT_BF16: return CLONE(store_BF16)(calling, plan);
    case MOD0_FMT_FP32: return CLONE(store_FP32)(calling, plan);
    default: return CLONE(store_FP16)(calling, plan);
    }
}

static vector_call *load_of(enum mod0 mod0)
{
    switch (mod0) {
    case MOD0_FMT_SRCB: return load_SRCB;
#define LOAD(format, by, expression)                                                                                   \
    case MOD0_FMT_##format: return CLONE(load_##format);
        VECTOR_DST_LOADS(LOAD, LOAD)
#undef LOAD
    default: __builtin_unreachable();
    }
}

static vector_call *store_of(enum mod0 mod0)
{
    switch (mod0) {
    case MOD0_FMT_SRCB: return store_SRCB;
#define STORE(format, by, cell)                                                                                        \
    case MOD0_FMT_##format:                                                                                            \
        return CLONE(store_##format);
#define STORE32(format, by, high, low) STORE(format, by, high)
        VECTOR_DST_STORES(STORE, STORE32)
#undef STORE
#undef STORE32
    default: __builtin_unreachable();
    }
}

/* INT32_ALL moves a stack pointer. */
struct vector_plan vector_plan_SFPLOAD(struct args_SFPLOAD args)
{
    if (args.instr_mod0 == MOD0_FMT_INT32_ALL || args.lreg_ind >= LREG_WRITABLE) {
        return (struct vector_plan){0};
    }
    return (struct vector_plan){.kind = VECTOR_CALL,
                                .call = load_of((enum mod0)args.instr_mod0),
                                .effect = EFFECT_LOAD,
                                .format = (uint8_t)args.instr_mod0,
                                .vd = (uint8_t)args.lreg_ind,
                                .addr_mode = (uint8_t)args.sfpu_addr_mode,
                                .immediate = args.dest_reg_addr};
}

struct vector_plan vector_plan_SFPSTORE(struct args_SFPSTORE args)
{
    if (args.instr_mod0 == MOD0_FMT_INT32_ALL || args.lreg_ind >= LREG_TEMPLATES) {
        return (struct vector_plan){0};
    }
    return (struct vector_plan){.kind = VECTOR_CALL,
                                .call = store_of((enum mod0)args.instr_mod0),
                                .effect = EFFECT_STORE,
                                .format = (uint8_t)args.instr_mod0,
                                .vc = (uint8_t)args.lreg_ind,
                                .addr_mode = (uint8_t)args.sfpu_addr_mode,
                                .immediate = args.dest_reg_addr};
}
