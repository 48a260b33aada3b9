/* The vector unit's access to Dst: SFPLOAD and SFPSTORE. Sources: ISA documentation SFPLOAD.md, SFPSTORE.md. An
   instruction gathers or scatters the cells of all 32 lanes, with a conversion of formats between. */
#include <string.h>

#include "tensix/units/vector/dst.h"
#include "tensix/units/vector/operands.h"

enum { ROW_LANES = 8 };

static uint32_t stack_increment(const struct tensix_state *state, unsigned thread)
{
    return CONFIG_GET(state->config.thread[thread], SFPU_STACK_Incr);
}

/* The stack pointer with which INT32_ALL loads. */
static uint32_t popped_pointer(const struct tensix_state *state, unsigned thread)
{
    uint32_t pointer = state->vector.dst_stack_pointer[thread];
    return pointer ? (pointer - stack_increment(state, thread)) & (DST_ROWS - 1) : 0;
}

/* The lanes that are in odd columns. */
static uint32_t odd_lanes(const struct vector_unit *vector, uint32_t address, uint32_t exchange)
{
    return address & 2 ? ALL_LANES : (vector_configured_lanes(vector, exchange) & 0xff) * 0x01010101;
}

static uint32_t valid_lanes(const uint8_t *valid)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < LANES_ROWS; i++) {
        lanes |= (valid[i] ? 0xffu : 0) << i * ROW_LANES;
    }
    return lanes;
}

/* Gathers the cells of 32 lanes from four rows on; zero in rows that are not valid. */
STATIC_CLONES(void, gather, (const uint16_t (*rows)[ROW_COLUMNS], uint32_t valid, uint32_t odd, uint32_t *cells),
              (rows, valid, odd, cells))
{
    uint32_t pairs[SFPU_LANES];
    memcpy(pairs, rows, sizeof pairs);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t cell = pairs[lane] >> (odd >> lane & 1 ? DST_ODD_SHIFT : DST_EVEN_SHIFT) & 0xffff;
        cells[lane] = valid >> lane & 1 ? cell : 0;
    }
}

STATIC_CLONES(void, scatter, (uint16_t(*rows)[ROW_COLUMNS], const uint32_t *cells, uint32_t odd, uint32_t lanes),
              (rows, cells, odd, lanes))
{
    uint32_t pairs[SFPU_LANES];
    memcpy(pairs, rows, sizeof pairs);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t shift = odd >> lane & 1 ? DST_ODD_SHIFT : DST_EVEN_SHIFT;
        uint32_t replaced = lanes >> lane & 1 ? 0xffffu << shift : 0;
        pairs[lane] = (pairs[lane] & ~replaced) | (cells[lane] << shift & replaced);
    }
    memcpy(rows, pairs, sizeof pairs);
}

static void mark_valid(uint8_t *valid, uint32_t lanes)
{
    for (unsigned i = 0; i < LANES_ROWS; i++) {
        valid[i] |= (lanes >> i * ROW_LANES & 0xff) != 0;
    }
}

/* Conversions of 32 lanes after an SFPLOAD's gathering. */
#define LOAD(format, shift, expression) LANE_OPERATION(load_##format, (c <<= (shift), expression))
VECTOR_DST_LOADS(LOAD, LOAD)
#undef LOAD
/* Converts the largest magnitude of FP16 to infinity. */
LANE_OPERATION(fp16_infinity, (c & ~SIGN_BIT) == 0x47ffe000 ? (c & SIGN_BIT) | EXPONENT_BITS : c)

static const struct {
    lane_operation *operation;
    bool row32;
} loads[] = {
#define LOAD(format, shift, expression) [MOD0_FMT_##format] = {load_##format, false},
#define LOAD32(format, shift, expression) [MOD0_FMT_##format] = {load_##format, true},
    VECTOR_DST_LOADS(LOAD, LOAD32)
#undef LOAD
#undef LOAD32
};

/* While ENABLE_DEST_INDEX and CAPTURE_DEFAULT_DEST_INDEX are set, the index of the loaded row goes to the LReg that
   argmin and argmax of SFPSWAP exchange together with the values. */
static void capture_index(struct vector_unit *vector, uint32_t vd, uint32_t row, uint32_t odd, uint32_t lanes)
{
    uint32_t index[SFPU_LANES];
    lanes &= vector_configured_lanes(vector, LANE_CONFIG_ENABLE_DEST_INDEX) &
             vector_configured_lanes(vector, LANE_CONFIG_CAPTURE_DEFAULT_DEST_INDEX);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        index[lane] = (row + lane / ROW_LANES) << 4 | lane % ROW_LANES * 2 | (odd >> lane & 1);
    }
    vector_write(vector, vd + 4, index, lanes);
}

enum step vector_load(struct tensix *tensix, unsigned thread, struct args_SFPLOAD args, uint32_t *loaded_from)
{
    struct tensix_state *state = tensix->state;
    struct vector_unit *vector = &state->vector;
    enum mod0 mod0 = vector_dst_format(state, thread, (enum mod0)args.instr_mod0);
    uint32_t executing, vd = args.lreg_ind;
    enum step step = vector_begin(tensix, vd, &executing);
    if (step != STEP_DONE || !executing) {
        return step;
    }
    if (mod0 == MOD0_FMT_INT32_ALL) {
        vector->dst_stack_pointer[thread] = popped_pointer(state, thread);
    }
    uint32_t lanes = mod0 == MOD0_FMT_INT32_ALL ? ALL_LANES : vector_enabled_lanes(vector);
    lanes &= ~vector_configured_lanes(vector, LANE_CONFIG_BLOCK_SFPU_RD_FROM_DEST);
    uint32_t address = vector_dst_address(state, thread, mod0, args.dest_reg_addr), row = address & ~3u;
    uint32_t odd = odd_lanes(vector, address, LANE_CONFIG_DEST_RD_COL_EXCHANGE);
    *loaded_from = address;
    if (vd < LREG_WRITABLE) {
        const struct dst_register_file *dst = &state->dst;
        uint32_t *lreg = vector->lreg[vd], cells[SFPU_LANES], low[SFPU_LANES];
        bool row32 = loads[mod0].row32;
        uint32_t place = dst_place(dst, row32, row), valid = valid_lanes(dst->valid + place);
        if (row32) {
            gather(dst->rows + place, valid, odd, cells);
            gather(dst->rows + place + DST_LOW_HALF, valid, odd, low);
            loads[mod0].operation(lreg, low, cells, 0, lanes);
        } else {
            gather(dst->rows + place, valid, odd, cells);
            loads[mod0].operation(lreg, lreg, cells, 0, lanes);
            if (mod0 == MOD0_FMT_FP16) {
                uint32_t infinite = vector_configured_lanes(vector, LANE_CONFIG_ENABLE_FP16A_INF);
                if (infinite) {
                    fp16_infinity(lreg, lreg, lreg, 0, lanes & infinite);
                }
            }
        }
        if (vd < 4 && vector->any_lane_config & LANE_CONFIG_CAPTURE_DEFAULT_DEST_INDEX) {
            capture_index(vector, vd, row, odd, lanes);
        }
    }
    rwc_apply_partial_addr_mod(tensix, thread, args.sfpu_addr_mode);
    return STEP_DONE;
}

enum step execute_SFPLOAD(struct tensix *tensix, unsigned thread, struct args_SFPLOAD args)
{
    uint32_t address;
    return vector_load(tensix, thread, args, &address);
}

/* Conversions of 32 lanes before an SFPSTORE's scattering. */
#define STORE(format, shift, cell) LANE_OPERATION(store_##format, (cell) >> (shift))
#define STORE32(format, shift, high, low)                                                                              \
    STORE(format, shift, high)                                                                                         \
    LANE_OPERATION(store_low_##format, low)
VECTOR_DST_STORES(STORE, STORE32)
#undef STORE
#undef STORE32

/* For each format the conversion to its cell, or to those of the two halves of 32 bits. */
static const struct {
    lane_operation *cell, *low;
} stores[] = {
#define STORE(format, shift, cell) [MOD0_FMT_##format] = {store_##format, NULL},
#define STORE32(format, shift, high, low) [MOD0_FMT_##format] = {store_##format, store_low_##format},
    VECTOR_DST_STORES(STORE, STORE32)
#undef STORE
#undef STORE32
};

/* Stores in those lanes of `executing` that are enabled; INT32_ALL ignores the flags; mod0 is not FMT_SRCB. */
static void store(struct tensix_state *state, unsigned thread, uint32_t vd, enum mod0 mod0, uint32_t address,
                  uint32_t executing)
{
    struct vector_unit *vector = &state->vector;
    uint32_t lanes = mod0 == MOD0_FMT_INT32_ALL ? executing : executing & vector_enabled_lanes(vector);
    lanes &= ~vector_configured_lanes(vector, LANE_CONFIG_BLOCK_DEST_WR_FROM_SFPU);
    uint32_t odd = odd_lanes(vector, address, LANE_CONFIG_DEST_WR_COL_EXCHANGE), row = address & ~3u;
    struct dst_register_file *dst = &state->dst;
    const uint32_t *lreg = vector->lreg[vd];
    uint32_t cells[SFPU_LANES], place = dst_place(dst, stores[mod0].low, row);
    stores[mod0].cell(cells, lreg, lreg, 0, ALL_LANES);
    scatter(dst->rows + place, cells, odd, lanes);
    mark_valid(dst->valid + place, lanes);
    if (stores[mod0].low) {
        stores[mod0].low(cells, lreg, lreg, 0, ALL_LANES);
        scatter(dst->rows + place + DST_LOW_HALF, cells, odd, lanes);
    }
    if (mod0 == MOD0_FMT_INT32_ALL) {
        vector->dst_stack_pointer[thread] += stack_increment(state, thread);
        vector->dst_stack_pointer[thread] &= DST_ROWS - 1;
    }
}

void vector_store(struct tensix *tensix, unsigned thread, uint32_t vd, uint32_t mod0, uint32_t address,
                  uint32_t executing)
{
    store(tensix->state, thread, vd, vector_dst_format(tensix->state, thread, (enum mod0)mod0), address, executing);
}

enum step execute_SFPSTORE(struct tensix *tensix, unsigned thread, struct args_SFPSTORE args)
{
    struct tensix_state *state = tensix->state;
    enum mod0 mod0 = vector_dst_format(state, thread, (enum mod0)args.instr_mod0);
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_ind, &executing);
    if (step != STEP_DONE || !executing) {
        return step;
    }
    store(state, thread, args.lreg_ind, mod0, vector_dst_address(state, thread, mod0, args.dest_reg_addr), executing);
    rwc_apply_partial_addr_mod(tensix, thread, args.sfpu_addr_mode);
    return STEP_DONE;
}

static void add_rows(struct operand_rows *rows, const struct tensix_state *state, bool row32, uint32_t address)
{
    uint32_t place = dst_place(&state->dst, row32, address & ~3u);
    for (unsigned i = 0; i < LANES_ROWS; i++) {
        operand_dst_place(rows, row32, place + i);
    }
}

void vector_load_operands(struct tensix_state *state, unsigned thread, struct args_SFPLOAD args,
                          struct operand_sets *sets)
{
    enum mod0 mod0 = vector_dst_format(state, thread, (enum mod0)args.instr_mod0);
    uint32_t pointer = state->vector.dst_stack_pointer[thread];
    if (mod0 == MOD0_FMT_INT32_ALL) {
        state->vector.dst_stack_pointer[thread] = popped_pointer(state, thread);
    }
    add_rows(&sets->read.rows, state, loads[mod0].row32, vector_dst_address(state, thread, mod0, args.dest_reg_addr));
    state->vector.dst_stack_pointer[thread] = pointer;
    if (args.lreg_ind < 4 && state->vector.any_lane_config & LANE_CONFIG_CAPTURE_DEFAULT_DEST_INDEX) {
        sets->written.lregs |= 1u << (args.lreg_ind + 4);
    }
}

void vector_store_operands(struct tensix_state *state, unsigned thread, uint32_t mod0, uint32_t address,
                           struct operand_sets *sets)
{
    enum mod0 format = vector_dst_format(state, thread, (enum mod0)mod0);
    add_rows(&sets->written.rows, state, stores[format].low != NULL, address);
}

/* While ENABLE_DEST_INDEX is set SFPSWAP moves indices along with values. */
void vector_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_SFPLOAD: vector_load_operands(state, thread, decode_SFPLOAD(word), sets); break;
    case TENSIX_OPCODE_SFPLOADMACRO:
        vector_load_operands(state, thread, vector_load_of_macro(decode_SFPLOADMACRO(word)), sets);
        break;
    case TENSIX_OPCODE_SFPSTORE: {
        const struct args_SFPSTORE args = decode_SFPSTORE(word);
        enum mod0 mod0 = vector_dst_format(state, thread, (enum mod0)args.instr_mod0);
        vector_store_operands(state, thread, mod0, vector_dst_address(state, thread, mod0, args.dest_reg_addr), sets);
        break;
    }
    case TENSIX_OPCODE_SFPSWAP:
        if (state->vector.any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX) {
            const struct args_SFPSWAP args = decode_SFPSWAP(word);
            const uint32_t indices = vector_swapped_indices(args.lreg_src_c, args.lreg_dest);
            sets->read.lregs |= indices;
            sets->written.lregs |= indices;
        }
        break;
    default: break;
    }
}

/* INT32_ALL moves a stack pointer. */
struct vector_operation vector_decode_SFPLOAD(struct args_SFPLOAD args)
{
    if (args.instr_mod0 == MOD0_FMT_INT32_ALL || args.lreg_ind >= LREG_WRITABLE) {
        return (struct vector_operation){0};
    }
    return (struct vector_operation){.kind = VECTOR_WORDS_AND_FLAGS,
                                     .effect = EFFECT_LOAD,
                                     .format = (uint8_t)args.instr_mod0,
                                     .vd = (uint8_t)args.lreg_ind,
                                     .addr_mode = (uint8_t)args.sfpu_addr_mode,
                                     .immediate = args.dest_reg_addr};
}

struct vector_operation vector_decode_SFPSTORE(struct args_SFPSTORE args)
{
    if (args.instr_mod0 == MOD0_FMT_INT32_ALL || args.lreg_ind >= LREG_TEMPLATES) {
        return (struct vector_operation){0};
    }
    return (struct vector_operation){.kind = VECTOR_WORDS_AND_FLAGS,
                                     .effect = EFFECT_STORE,
                                     .format = (uint8_t)args.instr_mod0,
                                     .vc = (uint8_t)args.lreg_ind,
                                     .addr_mode = (uint8_t)args.sfpu_addr_mode,
                                     .immediate = args.dest_reg_addr};
}

TENSIX_RUN(SFPLOAD)
TENSIX_RUN(SFPSTORE)
