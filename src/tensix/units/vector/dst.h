/* Addresses of lanes in Dst, and formats, of SFPLOAD and SFPSTORE: for units/vector/dst.c, which executes them in any
   state of the vector unit, and engine/portable_dst.inc, which covers the most common state. Internal to these.
   Sources: ISA documentation SFPLOAD.md, SFPSTORE.md. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_DST_H
#define BHEMU_TENSIX_UNITS_VECTOR_DST_H

#include "tensix/num/formats.h"
#include "tensix/units/vector/dst_formats.h"
#include "tensix/units/vector/parts.h"
#include "tensix/units/vector/words_in_c.h"

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

/* Resolves MOD0_FMT_SRCB, which stands for the format that the rest of the pipeline is configured for. */
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

/* The address of the lanes: bits 9:2 select four rows, bit 1 the odd columns. INT32_ALL adds the stack pointer where
   the others add the RWC. */
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

/* The part of the address that depends on neither the counter nor the instruction; not for INT32_ALL. */
static inline uint32_t vector_dst_origin(const struct tensix_state *state, unsigned thread)
{
    const uint32_t *config = config_bank(&state->config, thread);
    uint32_t stack = state->vector.dst_stack_pointer[thread] + CONFIG_GET(config, DEST_SP_BASE_Base);
    return CONFIG_GET(state->config.thread[thread], DEST_TARGET_REG_CFG_MATH_Offset) +
           CONFIG_GET(config, DEST_REGW_BASE_Base) + (stack & 3);
}

/* The bits of LaneConfig that affect SFPLOAD, and SFPSTORE. */
enum {
    DST_LOAD_LANE_CONFIG = LANE_CONFIG_ENABLE_FP16A_INF | LANE_CONFIG_CAPTURE_DEFAULT_DEST_INDEX |
                           LANE_CONFIG_BLOCK_SFPU_RD_FROM_DEST | LANE_CONFIG_DEST_RD_COL_EXCHANGE,
    DST_STORE_LANE_CONFIG = LANE_CONFIG_BLOCK_DEST_WR_FROM_SFPU | LANE_CONFIG_DEST_WR_COL_EXCHANGE
};

/* Four rows of Dst are contiguous, so the even and the odd column of a lane are in one word of these 128 bytes. The
   bit positions of their cells in the word. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { DST_EVEN_SHIFT = 0, DST_ODD_SHIFT = 16 };
#else
enum { DST_EVEN_SHIFT = 16, DST_ODD_SHIFT = 0 };
#endif

enum { LANES_ROWS = 4 };
_Static_assert(sizeof(uint16_t[LANES_ROWS][ROW_COLUMNS]) == sizeof(uint32_t[SFPU_LANES]), "a lane is two columns");

#endif
