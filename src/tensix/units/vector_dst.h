/* What SFPLOAD and SFPSTORE do, as vector_dst.c does it in every state of the vector unit and vector_dst_plain.c in
   that which it is nearly always in: where lanes lie in Dst, and the formats. Internal to vector_dst*.c.
   Sources: ISA documentation SFPLOAD.md, SFPSTORE.md. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_DST_H
#define BHEMU_TENSIX_UNITS_VECTOR_DST_H

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

/* MOD0_FMT_SRCB stands for the format that the rest of the pipeline is set up for. */
static inline enum mod0 vector_dst_format(const struct tensix_state *state, unsigned thread, enum mod0 mod0)
{
    enum {
        AS_BF16 = 1 << FORMAT_FP32 | 1 << FORMAT_TF32 | 1 << FORMAT_BF16 | 1 << FORMAT_BFP8 | 1 << FORMAT_BFP4 |
                  1 << FORMAT_BFP2 | 1 << FORMAT_INT32 | 1 << FORMAT_INT16
    };
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
    return (uint32_t)AS_BF16 >> (format & 31) & 1 ? MOD0_FMT_BF16 : MOD0_FMT_FP16;
}

/* Where the lanes lie: bits 9:2 choose four rows, bit 1 the odd columns. INT32_ALL goes by the stack pointer where the
   others go by the RWC. */
static inline uint32_t vector_dst_address(const struct tensix_state *state, unsigned thread, enum mod0 mod0,
                                          uint32_t imm10)
{
    const uint32_t *config = config_bank(&state->config, thread);
    uint32_t offset = state->addr.rwc[thread].dst + CONFIG_GET(config, DEST_REGW_BASE_Base);
    uint32_t stack = state->vector.dst_stack_pointer[thread] + CONFIG_GET(config, DEST_SP_BASE_Base);
    uint32_t address = imm10 + CONFIG_GET(state->config.thread[thread], DEST_TARGET_REG_CFG_MATH_Offset);
    address += mod0 == MOD0_FMT_INT32_ALL ? stack + (offset & 3) : offset + (stack & 3);
    return address & (DST_ROWS - 1);
}

/* What plans of `thread` find. */
static inline struct vector_calling vector_calling(struct tensix *tensix, unsigned thread)
{
    struct tensix_state *state = tensix->state;
    const uint32_t *config = config_bank(&state->config, thread);
    const uint16_t *thread_config = state->config.thread[thread];
    uint32_t stack = state->vector.dst_stack_pointer[thread] + CONFIG_GET(config, DEST_SP_BASE_Base);
    return (struct vector_calling){
        .tensix = tensix,
        .state = state,
        .rwc = &state->addr.rwc[thread],
        .thread_config = thread_config,
        .dst_origin = CONFIG_GET(thread_config, DEST_TARGET_REG_CFG_MATH_Offset) +
                      CONFIG_GET(config, DEST_REGW_BASE_Base) + (stack & 3),
        .srcb_format = vector_dst_format(state, thread, MOD0_FMT_SRCB),
        .thread = thread,
    };
}

/* Four rows of Dst follow each other, so the pair of columns that a lane chooses from is one word of these 128 bytes.
   How far up in it the cell of even columns is, and that of odd ones. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { DST_EVEN_SHIFT = 0, DST_ODD_SHIFT = 16 };
#else
enum { DST_EVEN_SHIFT = 16, DST_ODD_SHIFT = 0 };
#endif

enum { LANES_ROWS = 4 };
_Static_assert(sizeof(uint16_t[LANES_ROWS][ROW_COLUMNS]) == sizeof(uint32_t[SFPU_LANES]), "a lane is two columns");

/* ---- formats: on words, since lanes are words ---- */

/* dst_from_hardware() and dst_to_hardware(). */
static inline uint32_t cell_of_hardware(uint32_t bits)
{
    return (bits & 0x8000) | (bits & 0xff) << 7 | (bits >> 8 & 0x7f);
}

static inline uint32_t hardware_of_cell(uint32_t cell)
{
    return (cell & 0x8000) | (cell & 0x7f) << 8 | (cell >> 7 & 0xff);
}

/* FP16 as Dst holds it, five exponent bits lowest and of which 31 is an ordinary one, to FP32. */
static inline uint32_t fp16_of_hardware(uint32_t bits)
{
    uint32_t exponent = bits & 0x1f;
    return (bits & 0x8000) << 16 | (exponent ? exponent + 112 : 0) << 23 | (bits >> 5 & 0x3ff) << 13;
}

/* FP32 to FP16 as Dst holds it: truncated, flushed, and saturated at the largest magnitude. */
static inline uint32_t hardware_of_fp16(uint32_t fp32)
{
    uint32_t sign = fp32 >> 16 & 0x8000;
    int32_t exponent = (int32_t)(fp32 >> 23 & 0xff) - 112;
    uint32_t magnitude = (fp32 >> 13 & 0x3ff) << 5 | (uint32_t)exponent;
    return sign | (exponent <= 0 ? 0 : exponent > 31 ? 0x7fff : magnitude);
}

/* Ten bits of integer as FP16 with an exponent of 16. */
static inline uint32_t hardware_of_int8(uint32_t integer)
{
    return (integer >> 16 & 0x8000) | (integer & 0x3ff) << 5 | 16;
}

static inline uint32_t flush_denormal(uint32_t fp32)
{
    return fp32 & EXPONENT_BITS ? fp32 : fp32 & SIGN_BIT;
}

/* An integer of `bits` of magnitude below the sign in bit 15, the magnitude starting at bit `shift`. */
static inline uint32_t sign_magnitude(uint32_t bits, unsigned shift, unsigned count)
{
    return (bits & 0x8000) << 16 | (bits >> shift & ((1u << count) - 1));
}

/* For each format what SFPLOAD loads of the cell c; b is what the LReg held. LOAD32: b is the cell of the low half. */
/* clang-format off */
#define VECTOR_DST_LOADS \
    LOAD(FP16, fp16_of_hardware(hardware_of_cell(c))) \
    LOAD(BF16, c << 16) \
    LOAD32(FP32, c << 16 | hardware_of_cell(b)) \
    LOAD32(INT32, c << 16 | hardware_of_cell(b)) \
    LOAD(INT8, sign_magnitude(hardware_of_cell(c), 5, 8)) \
    LOAD(UINT16, hardware_of_cell(c)) \
    LOAD(HI16, hardware_of_cell(c) << 16) \
    LOAD(INT16, sign_magnitude(hardware_of_cell(c), 0, 15)) \
    LOAD(LO16, hardware_of_cell(c)) \
    LOAD32(INT32_ALL, c << 16 | hardware_of_cell(b)) \
    LOAD(ZERO, 0) \
    LOAD32(INT32_SM, c << 16 | hardware_of_cell(b)) \
    LOAD(INT8_COMP, sign_magnitude(hardware_of_cell(c), 5, 10)) \
    LOAD(LO16_ONLY, (b & 0xffff0000) | hardware_of_cell(c)) \
    LOAD(HI16_ONLY, hardware_of_cell(c) << 16 | (b & 0xffff))

/* The cell that SFPSTORE stores of the datum c. STORE32: the cells of its high and its low half. HI16 and LO16 store
   32 bits as they are, which reads back as two 16-bit integers; LO16 the halves swapped. */
#define VECTOR_DST_STORES \
    STORE(FP16, cell_of_hardware(hardware_of_fp16(c))) \
    STORE(BF16, flush_denormal(c) >> 16) \
    STORE32(FP32, flush_denormal(c) >> 16, cell_of_hardware(flush_denormal(c))) \
    STORE32(INT32, c >> 16, cell_of_hardware(c)) \
    STORE(INT8, cell_of_hardware(hardware_of_int8(c))) \
    STORE(UINT16, cell_of_hardware(c)) \
    STORE32(HI16, cell_of_hardware(c >> 16), cell_of_hardware(c)) \
    STORE(INT16, cell_of_hardware((c >> 16 & 0x8000) | (c & 0x7fff))) \
    STORE32(LO16, cell_of_hardware(c), cell_of_hardware(c >> 16)) \
    STORE32(INT32_ALL, c >> 16, cell_of_hardware(c)) \
    STORE(ZERO, 0) \
    STORE32(INT32_SM, c >> 16, cell_of_hardware(c)) \
    STORE(INT8_COMP, cell_of_hardware(hardware_of_int8(c))) \
    STORE(LO16_ONLY, cell_of_hardware(c)) \
    STORE(HI16_ONLY, cell_of_hardware(c >> 16))
/* clang-format on */

#endif
