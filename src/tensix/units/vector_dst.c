/* The vector unit's way to Dst: SFPLOAD and SFPSTORE. Sources: ISA documentation SFPLOAD.md, SFPSTORE.md.
   An instruction gathers or scatters the cells of its 32 lanes, all at once; formats are converted in between. */
#include <string.h>

#include "tensix/num/formats.h"
#include "tensix/units/vector_parts.h"

enum mod0 {
    MOD0_FMT_SRCB,
    MOD0_FMT_FP16,
    MOD0_FMT_BF16,
    MOD0_FMT_FP32,
    MOD0_FMT_INT32,
    MOD0_FMT_INT8,
    MOD0_FMT_UINT16,
    MOD0_FMT_HI16,
    MOD0_FMT_INT16,
    MOD0_FMT_LO16,
    MOD0_FMT_INT32_ALL,
    MOD0_FMT_ZERO,
    MOD0_FMT_INT32_SM,
    MOD0_FMT_INT8_COMP,
    MOD0_FMT_LO16_ONLY,
    MOD0_FMT_HI16_ONLY,
};

enum { ROW_LANES = 8, ROWS = 4 };

/* MOD0_FMT_SRCB stands for the format that the rest of the pipeline is set up for. */
static enum mod0 resolve_format(const struct tensix_state *state, unsigned thread, enum mod0 mod0)
{
    if (mod0 != MOD0_FMT_SRCB) {
        return mod0;
    }
    const uint32_t *config = config_bank(&state->config, thread);
    const uint16_t *thread_config = state->config.thread[thread];
    if (CONFIG_GET(config, ALU_ACC_CTRL_SFPU_Fp32_enabled)) {
        return MOD0_FMT_FP32;
    }
    uint32_t format = CONFIG_GET(config, ALU_FORMAT_SPEC_REG_SrcB_override)
                          ? CONFIG_GET(config, ALU_FORMAT_SPEC_REG_SrcB_val)
                          : CONFIG_GET(config, ALU_FORMAT_SPEC_REG1_SrcB);
    if (CONFIG_GET(thread_config, SFPU_DEST_FMT_Enable)) {
        format = CONFIG_GET(thread_config, SFPU_DEST_FMT_Base);
    }
    switch (format) {
    case FORMAT_FP32:
    case FORMAT_TF32:
    case FORMAT_BF16:
    case FORMAT_BFP8:
    case FORMAT_BFP4:
    case FORMAT_BFP2:
    case FORMAT_INT32:
    case FORMAT_INT16: return MOD0_FMT_BF16;
    default: return MOD0_FMT_FP16;
    }
}

/* Where the lanes lie: bits 9:2 choose four rows, bit 1 the odd columns. INT32_ALL goes by the stack pointer where the
   others go by the RWC. */
static uint32_t dst_address(const struct tensix_state *state, unsigned thread, enum mod0 mod0, uint32_t imm10)
{
    const uint32_t *config = config_bank(&state->config, thread);
    uint32_t offset = state->addr.rwc[thread].dst + CONFIG_GET(config, DEST_REGW_BASE_Base);
    uint32_t stack = state->vector.dst_stack_pointer[thread] + CONFIG_GET(config, DEST_SP_BASE_Base);
    uint32_t address = imm10 + CONFIG_GET(state->config.thread[thread], DEST_TARGET_REG_CFG_MATH_Offset);
    address += mod0 == MOD0_FMT_INT32_ALL ? stack + (offset & 3) : offset + (stack & 3);
    return address & (DST_ROWS - 1);
}

static uint32_t stack_increment(const struct tensix_state *state, unsigned thread)
{
    return CONFIG_GET(state->config.thread[thread], SFPU_STACK_Incr);
}

static bool is_32_bits(enum mod0 mod0, bool store)
{
    switch (mod0) {
    case MOD0_FMT_FP32:
    case MOD0_FMT_INT32:
    case MOD0_FMT_INT32_ALL:
    case MOD0_FMT_INT32_SM: return true;
    case MOD0_FMT_LO16:
    case MOD0_FMT_HI16: return store;
    default: return false;
    }
}

/* The lanes that are in odd columns. */
static uint32_t odd_lanes(const struct vector_unit *vector, uint32_t address, uint32_t exchange)
{
    return address & 2 ? ALL_LANES : (vector_configured_lanes(vector, exchange) & 0xff) * 0x01010101;
}

/* Four rows of Dst follow each other, so the pair of columns that a lane chooses from is one word of these 128 bytes.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { EVEN_SHIFT = 0, ODD_SHIFT = 16 };
#else
enum { EVEN_SHIFT = 16, ODD_SHIFT = 0 };
#endif

_Static_assert(sizeof(uint16_t[ROWS][ROW_COLUMNS]) == sizeof(uint32_t[SFPU_LANES]), "a lane is two columns");

static uint32_t valid_lanes(const uint8_t *valid)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        lanes |= (valid[i] ? 0xffu : 0) << i * ROW_LANES;
    }
    return lanes;
}

/* The cells of 32 lanes, from four rows on; zero in rows that are not valid. */
STATIC_CLONES(void, gather, (const uint16_t (*rows)[ROW_COLUMNS], uint32_t valid, uint32_t odd, uint32_t *cells),
              (rows, valid, odd, cells))
{
    uint32_t pairs[SFPU_LANES];
    memcpy(pairs, rows, sizeof pairs);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t cell = pairs[lane] >> (odd >> lane & 1 ? ODD_SHIFT : EVEN_SHIFT) & 0xffff;
        cells[lane] = valid >> lane & 1 ? cell : 0;
    }
}

STATIC_CLONES(void, scatter, (uint16_t(*rows)[ROW_COLUMNS], const uint32_t *cells, uint32_t odd, uint32_t lanes),
              (rows, cells, odd, lanes))
{
    uint32_t pairs[SFPU_LANES];
    memcpy(pairs, rows, sizeof pairs);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t shift = odd >> lane & 1 ? ODD_SHIFT : EVEN_SHIFT;
        uint32_t replaced = lanes >> lane & 1 ? 0xffffu << shift : 0;
        pairs[lane] = (pairs[lane] & ~replaced) | (cells[lane] << shift & replaced);
    }
    memcpy(rows, pairs, sizeof pairs);
}

static void mark_valid(uint8_t *valid, uint32_t lanes)
{
    for (unsigned i = 0; i < ROWS; i++) {
        valid[i] |= (lanes >> i * ROW_LANES & 0xff) != 0;
    }
}

/* FP16 as Dst holds it, whose exponent of 31 is an ordinary one, to FP32. */
static inline uint32_t fp16_to_fp32(uint16_t fp16)
{
    uint32_t exponent = fp16 >> 10 & 0x1f;
    return (uint32_t)(fp16 & 0x8000) << 16 | (exponent ? exponent + 112 : 0) << 23 | (uint32_t)(fp16 & 0x3ff) << 13;
}

/* FP32 to FP16 as Dst holds it: truncated, flushed, and saturated at the largest magnitude. */
static inline uint16_t fp32_to_fp16(uint32_t fp32)
{
    uint32_t sign = fp32 >> 16 & 0x8000;
    int exponent = (int)(fp32 >> 23 & 0xff) - 112;
    uint32_t magnitude = exponent <= 0 ? 0 : exponent > 31 ? 0x7fff : (uint32_t)exponent << 10 | (fp32 >> 13 & 0x3ff);
    return (uint16_t)(sign | magnitude);
}

static inline uint32_t flush_denormal(uint32_t fp32)
{
    return fp32 & EXPONENT_BITS ? fp32 : fp32 & SIGN_BIT;
}

/* An integer of `bits` of magnitude below the sign in bit 15, the magnitude starting at bit `shift`. */
static inline uint32_t sign_magnitude(uint32_t cell, unsigned shift, unsigned bits)
{
    return (cell & 0x8000) << 16 | (cell >> shift & ((1u << bits) - 1));
}

static inline uint32_t hardware(uint32_t cell)
{
    return dst_to_hardware((uint16_t)cell);
}

/* Conversions of the 32 lanes that an SFPLOAD has gathered. b: what the LReg held, or the cells of low halves;
   c: the cells. */
LANE_OPERATION(load_fp16, fp16_to_fp32(dst_to_fp16((uint16_t)c)))
LANE_OPERATION(load_bf16, c << 16)
LANE_OPERATION(load_int8, sign_magnitude(hardware(c), 5, 8))
LANE_OPERATION(load_int8_comp, sign_magnitude(hardware(c), 5, 10))
LANE_OPERATION(load_int16, sign_magnitude(hardware(c), 0, 15))
LANE_OPERATION(load_uint16, hardware(c))
LANE_OPERATION(load_hi16, hardware(c) << 16)
LANE_OPERATION(load_lo16_only, (b & 0xffff0000) | hardware(c))
LANE_OPERATION(load_hi16_only, hardware(c) << 16 | (b & 0xffff))
LANE_OPERATION(load_zero, 0)
LANE_OPERATION(load_32, dst_join32((uint16_t)c, (uint16_t)b))
/* The largest magnitude of FP16 as infinity. */
LANE_OPERATION(fp16_infinity, (c & ~SIGN_BIT) == 0x47ffe000 ? (c & SIGN_BIT) | EXPONENT_BITS : c)

static lane_operation *const load_operations[] = {
    [MOD0_FMT_FP16] = load_fp16,
    [MOD0_FMT_BF16] = load_bf16,
    [MOD0_FMT_FP32] = load_32,
    [MOD0_FMT_INT32] = load_32,
    [MOD0_FMT_INT8] = load_int8,
    [MOD0_FMT_UINT16] = load_uint16,
    [MOD0_FMT_HI16] = load_hi16,
    [MOD0_FMT_INT16] = load_int16,
    [MOD0_FMT_LO16] = load_uint16,
    [MOD0_FMT_INT32_ALL] = load_32,
    [MOD0_FMT_ZERO] = load_zero,
    [MOD0_FMT_INT32_SM] = load_32,
    [MOD0_FMT_INT8_COMP] = load_int8_comp,
    [MOD0_FMT_LO16_ONLY] = load_lo16_only,
    [MOD0_FMT_HI16_ONLY] = load_hi16_only,
};

/* While ENABLE_DEST_INDEX and CAPTURE_DEFAULT_DEST_INDEX are set, the place that was loaded goes to the LReg that
   SFPSWAP's argmin and argmax swap along. */
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
    enum mod0 mod0 = resolve_format(state, thread, (enum mod0)args.instr_mod0);
    uint32_t executing, vd = args.lreg_ind;
    enum step step = vector_begin(tensix, vd, &executing);
    if (step != STEP_DONE || !executing) {
        return step;
    }
    if (mod0 == MOD0_FMT_INT32_ALL && vector->dst_stack_pointer[thread]) {
        vector->dst_stack_pointer[thread] -= stack_increment(state, thread);
        vector->dst_stack_pointer[thread] &= DST_ROWS - 1;
    }
    uint32_t lanes = mod0 == MOD0_FMT_INT32_ALL ? ALL_LANES : vector_enabled_lanes(vector);
    lanes &= ~vector_configured_lanes(vector, LANE_CONFIG_BLOCK_SFPU_RD_FROM_DEST);
    uint32_t address = dst_address(state, thread, mod0, args.dest_reg_addr), row = address & ~3u;
    uint32_t odd = odd_lanes(vector, address, LANE_CONFIG_DEST_RD_COL_EXCHANGE);
    *loaded_from = address;
    if (vd < LREG_WRITABLE) {
        const struct dst_register_file *dst = &state->dst;
        uint32_t *lreg = vector->lreg[vd], cells[SFPU_LANES], low[SFPU_LANES];
        bool row32 = is_32_bits(mod0, false);
        uint32_t place = dst_place(dst, row32, row), valid = valid_lanes(dst->valid + place);
        if (row32) {
            gather(dst->rows + place, valid, odd, cells);
            gather(dst->rows + place + DST_LOW_HALF, valid, odd, low);
            load_32(lreg, low, cells, 0, lanes);
        } else {
            gather(dst->rows + place, valid, odd, cells);
            load_operations[mod0](lreg, lreg, cells, 0, lanes);
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

/* Cells for SFPSTORE, of the datum c; the high half of 32-bit data, except that low_half has the other. */
LANE_OPERATION(store_fp16, dst_from_fp16(fp32_to_fp16(c)))
LANE_OPERATION(store_bf16, flush_denormal(c) >> 16)
LANE_OPERATION(store_int8, dst_from_fp16((uint16_t)((c >> 16 & 0x8000) | 16 << 10 | (c & 0x3ff))))
LANE_OPERATION(store_int16, dst_from_hardware((uint16_t)((c >> 16 & 0x8000) | (c & 0x7fff))))
LANE_OPERATION(store_low, dst_from_hardware((uint16_t)c))
LANE_OPERATION(store_high, dst_from_hardware((uint16_t)(c >> 16)))
LANE_OPERATION(store_zero, 0)
LANE_OPERATION(high_half, dst_high_cell(c))
LANE_OPERATION(high_half_of_fp32, dst_high_cell(flush_denormal(c)))
LANE_OPERATION(low_half_of_fp32, dst_low_cell(flush_denormal(c)))

/* For each format the cell, or those of the two halves of 32 bits. HI16 and LO16 store 32 bits as they are, which reads
   back as two 16-bit integers; LO16 the halves swapped. */
static const struct {
    lane_operation *cell, *low;
} store_operations[] = {
    [MOD0_FMT_FP16] = {store_fp16, NULL},
    [MOD0_FMT_BF16] = {store_bf16, NULL},
    [MOD0_FMT_FP32] = {high_half_of_fp32, low_half_of_fp32},
    [MOD0_FMT_INT32] = {high_half, store_low},
    [MOD0_FMT_INT8] = {store_int8, NULL},
    [MOD0_FMT_UINT16] = {store_low, NULL},
    [MOD0_FMT_HI16] = {store_high, store_low},
    [MOD0_FMT_INT16] = {store_int16, NULL},
    [MOD0_FMT_LO16] = {store_low, store_high},
    [MOD0_FMT_INT32_ALL] = {high_half, store_low},
    [MOD0_FMT_ZERO] = {store_zero, NULL},
    [MOD0_FMT_INT32_SM] = {high_half, store_low},
    [MOD0_FMT_INT8_COMP] = {store_int8, NULL},
    [MOD0_FMT_LO16_ONLY] = {store_low, NULL},
    [MOD0_FMT_HI16_ONLY] = {store_high, NULL},
};

/* Stores in those of `executing` lanes that are enabled, of which INT32_ALL takes no notice; mod0 is not FMT_SRCB. */
static void store(struct tensix_state *state, unsigned thread, uint32_t vd, enum mod0 mod0, uint32_t address,
                  uint32_t executing)
{
    struct vector_unit *vector = &state->vector;
    uint32_t lanes = mod0 == MOD0_FMT_INT32_ALL ? executing : executing & vector_enabled_lanes(vector);
    lanes &= ~vector_configured_lanes(vector, LANE_CONFIG_BLOCK_DEST_WR_FROM_SFPU);
    uint32_t odd = odd_lanes(vector, address, LANE_CONFIG_DEST_WR_COL_EXCHANGE), row = address & ~3u;
    struct dst_register_file *dst = &state->dst;
    const uint32_t *lreg = vector->lreg[vd];
    uint32_t cells[SFPU_LANES], place = dst_place(dst, store_operations[mod0].low, row);
    store_operations[mod0].cell(cells, lreg, lreg, 0, ALL_LANES);
    scatter(dst->rows + place, cells, odd, lanes);
    mark_valid(dst->valid + place, lanes);
    if (store_operations[mod0].low) {
        store_operations[mod0].low(cells, lreg, lreg, 0, ALL_LANES);
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
    store(tensix->state, thread, vd, resolve_format(tensix->state, thread, (enum mod0)mod0), address, executing);
}

enum step execute_SFPSTORE(struct tensix *tensix, unsigned thread, struct args_SFPSTORE args)
{
    struct tensix_state *state = tensix->state;
    enum mod0 mod0 = resolve_format(state, thread, (enum mod0)args.instr_mod0);
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_ind, &executing);
    if (step != STEP_DONE || !executing) {
        return step;
    }
    store(state, thread, args.lreg_ind, mod0, dst_address(state, thread, mod0, args.dest_reg_addr), executing);
    rwc_apply_partial_addr_mod(tensix, thread, args.sfpu_addr_mode);
    return STEP_DONE;
}
