/* The vector unit's way to Dst: SFPLOAD and SFPSTORE. Sources: ISA documentation SFPLOAD.md, SFPSTORE.md. */
#include "tensix/execute.h"
#include "tensix/num/formats.h"
#include "tensix/tensix.h"

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

/* Where the lanes lie: bits 9:2 choose four rows, bit 1 the odd columns. */
static uint32_t dst_address(struct tensix_state *state, unsigned thread, uint32_t imm10)
{
    const uint32_t *config = config_bank(&state->config, thread);
    uint32_t offset = state->addr.rwc[thread].dst + CONFIG_GET(config, DEST_REGW_BASE_Base);
    uint32_t stack = CONFIG_GET(config, DEST_SP_BASE_Base);
    return (imm10 + CONFIG_GET(state->config.thread[thread], DEST_TARGET_REG_CFG_MATH_Offset) + offset + (stack & 3)) &
           (DST_ROWS - 1);
}

static uint16_t read16(const struct dst_register_file *dst, uint32_t row, uint32_t column)
{
    return dst->valid[row] ? dst->rows[row][column] : 0;
}

static uint32_t read32(const struct dst_register_file *dst, uint32_t row, uint32_t column)
{
    uint32_t high = dst_row32(row);
    return dst->valid[high] ? dst_join32(dst->rows[high][column], dst->rows[high + DST_LOW_HALF][column]) : 0;
}

static void write16(struct dst_register_file *dst, uint32_t row, uint32_t column, uint16_t cell)
{
    dst->rows[row][column] = cell;
    dst->valid[row] = 1;
}

static void write32(struct dst_register_file *dst, uint32_t row, uint32_t column, uint16_t high, uint16_t low)
{
    uint32_t place = dst_row32(row);
    dst->rows[place][column] = high;
    dst->rows[place + DST_LOW_HALF][column] = low;
    dst->valid[place] = 1;
}

/* FP16 as Dst holds it, whose exponent of 31 is an ordinary one, to FP32. */
static uint32_t fp16_to_fp32(uint16_t fp16)
{
    uint32_t exponent = fp16 >> 10 & 0x1f;
    return (uint32_t)(fp16 & 0x8000) << 16 | (exponent ? exponent + 112 : 0) << 23 | (uint32_t)(fp16 & 0x3ff) << 13;
}

/* FP32 to FP16 as Dst holds it: truncated, flushed, and saturated at the largest magnitude. */
static uint16_t fp32_to_fp16(uint32_t fp32)
{
    uint32_t sign = fp32 >> 16 & 0x8000;
    int exponent = (int)(fp32 >> 23 & 0xff) - 112;
    if (exponent <= 0) {
        return (uint16_t)sign;
    }
    if (exponent > 31) {
        return (uint16_t)(sign | 0x7fff);
    }
    return (uint16_t)(sign | (uint32_t)exponent << 10 | (fp32 >> 13 & 0x3ff));
}

static uint32_t flush_denormal(uint32_t fp32)
{
    return fp32 & 0x7f800000 ? fp32 : fp32 & 0x80000000;
}

/* An integer of `width` bits of magnitude below the sign, the magnitude starting at bit `shift`. */
static uint32_t sign_magnitude(uint16_t bits, unsigned shift, unsigned width)
{
    return (uint32_t)(bits & 0x8000) << 16 | (bits >> shift & ((1u << width) - 1));
}

static uint32_t load_datum(const struct dst_register_file *dst, enum mod0 mod0, uint32_t row, uint32_t column,
                           uint32_t old)
{
    uint16_t cell = read16(dst, row, column);
    switch (mod0) {
    case MOD0_FMT_FP16: return fp16_to_fp32(dst_to_fp16(cell));
    case MOD0_FMT_BF16: return (uint32_t)cell << 16;
    case MOD0_FMT_INT8: return sign_magnitude(dst_to_hardware(cell), 5, 8);
    case MOD0_FMT_INT8_COMP: return sign_magnitude(dst_to_hardware(cell), 5, 10);
    case MOD0_FMT_INT16: return sign_magnitude(dst_to_hardware(cell), 0, 15);
    case MOD0_FMT_UINT16:
    case MOD0_FMT_LO16: return dst_to_hardware(cell);
    case MOD0_FMT_HI16: return (uint32_t)dst_to_hardware(cell) << 16;
    case MOD0_FMT_LO16_ONLY: return (old & 0xffff0000) | dst_to_hardware(cell);
    case MOD0_FMT_HI16_ONLY: return (uint32_t)dst_to_hardware(cell) << 16 | (old & 0xffff);
    case MOD0_FMT_ZERO: return 0;
    default: return read32(dst, row, column);
    }
}

static void store_datum(struct dst_register_file *dst, enum mod0 mod0, uint32_t row, uint32_t column, uint32_t datum)
{
    enum { INTEGER8_EXPONENT = 16 << 10 };
    uint16_t low = (uint16_t)datum, high = (uint16_t)(datum >> 16);
    switch (mod0) {
    case MOD0_FMT_FP16: write16(dst, row, column, dst_from_fp16(fp32_to_fp16(datum))); break;
    case MOD0_FMT_BF16: write16(dst, row, column, (uint16_t)(flush_denormal(datum) >> 16)); break;
    case MOD0_FMT_INT8:
    case MOD0_FMT_INT8_COMP:
        write16(dst, row, column, dst_from_fp16((uint16_t)((high & 0x8000) | INTEGER8_EXPONENT | (datum & 0x3ff))));
        break;
    case MOD0_FMT_INT16: write16(dst, row, column, dst_from_hardware((high & 0x8000) | (low & 0x7fff))); break;
    case MOD0_FMT_UINT16:
    case MOD0_FMT_LO16_ONLY: write16(dst, row, column, dst_from_hardware(low)); break;
    case MOD0_FMT_HI16_ONLY: write16(dst, row, column, dst_from_hardware(high)); break;
    case MOD0_FMT_LO16: write32(dst, row, column, dst_from_hardware(low), dst_from_hardware(high)); break;
    case MOD0_FMT_HI16: write32(dst, row, column, dst_from_hardware(high), dst_from_hardware(low)); break;
    case MOD0_FMT_ZERO: write16(dst, row, column, 0); break;
    case MOD0_FMT_FP32:
        datum = flush_denormal(datum);
        write32(dst, row, column, dst_high_cell(datum), dst_low_cell(datum));
        break;
    default: write32(dst, row, column, dst_high_cell(datum), dst_low_cell(datum)); break;
    }
}

static enum step refuse_stack_mode(struct tensix *tensix, const char *name)
{
    return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                    "%s in mode MOD0_FMT_INT32_ALL (10), which moves the Dst stack pointer, is not emulated yet", name);
}

enum step execute_SFPLOAD(struct tensix *tensix, unsigned thread, struct args_SFPLOAD args)
{
    struct tensix_state *state = tensix->state;
    struct vector_unit *vector = &state->vector;
    enum mod0 mod0 = resolve_format(state, thread, (enum mod0)args.instr_mod0);
    if (mod0 == MOD0_FMT_INT32_ALL) {
        return refuse_stack_mode(tensix, "SFPLOAD");
    }
    uint32_t address = dst_address(state, thread, args.dest_reg_addr);
    uint32_t row = address & ~3u, odd = address >> 1 & 1, enabled = vector_enabled_lanes(vector);
    if (args.lreg_ind < 8) {
        uint32_t *lreg = vector->lreg[args.lreg_ind];
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            if (enabled >> lane & 1) {
                lreg[lane] = load_datum(&state->dst, mod0, row + lane / 8, (lane & 7) * 2 + odd, lreg[lane]);
            }
        }
    }
    rwc_apply_partial_addr_mod(tensix, thread, args.sfpu_addr_mode);
    return STEP_DONE;
}

enum step execute_SFPSTORE(struct tensix *tensix, unsigned thread, struct args_SFPSTORE args)
{
    struct tensix_state *state = tensix->state;
    struct vector_unit *vector = &state->vector;
    enum mod0 mod0 = resolve_format(state, thread, (enum mod0)args.instr_mod0);
    if (mod0 == MOD0_FMT_INT32_ALL) {
        return refuse_stack_mode(tensix, "SFPSTORE");
    }
    uint32_t address = dst_address(state, thread, args.dest_reg_addr);
    uint32_t row = address & ~3u, odd = address >> 1 & 1, enabled = vector_enabled_lanes(vector);
    const uint32_t *lreg = vector->lreg[args.lreg_ind];
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if (enabled >> lane & 1) {
            store_datum(&state->dst, mod0, row + lane / 8, (lane & 7) * 2 + odd, lreg[lane]);
        }
    }
    rwc_apply_partial_addr_mod(tensix, thread, args.sfpu_addr_mode);
    return STEP_DONE;
}
