/* SFPCONFIG: LaneConfig, the LRegs that software can set but not compute into, and what SFPLOADMACRO is programmed
   with. Source: ISA documentation SFPCONFIG.md. */
#include "tensix/units/vector_parts.h"

/* How Mod1 combines what is there with the new value. */
static uint32_t combine(uint32_t mod1, uint32_t old, uint32_t value)
{
    enum { BITWISE_OR = 2, BITWISE_AND = 4, BITWISE_XOR = 6 };
    switch (mod1 & 6) {
    case BITWISE_OR: return old | value;
    case BITWISE_AND: return old & value;
    case BITWISE_XOR: return old ^ value;
    default: return value;
    }
}

/* The lanes that are configured: each row of eight as the first is enabled and chosen by the immediate's even bits. */
static uint32_t configured_lanes(const struct vector_unit *vector, uint32_t mod1, uint32_t immediate)
{
    enum { IMM16_IS_LANE_MASK = 8 };
    uint32_t first_row = (vector->lane_flags | ~vector->use_lane_flags) & 0xff;
    if (mod1 & IMM16_IS_LANE_MASK) {
        for (unsigned lane = 0; lane < 8; lane++) {
            first_row &= immediate >> 2 * lane & 1 ? ALL_LANES : ~(1u << lane);
        }
    }
    return first_row * 0x01010101;
}

enum step execute_SFPCONFIG(struct tensix *tensix, unsigned thread, struct args_SFPCONFIG args)
{
    enum { SEQUENCE = 4, MISC = 8, NOTHING = 9, FIRST_LREG = 11, LANE_CONFIG = 15 };
    enum { IMM16_IS_VALUE = 1, MISC_BITS = 0xfff, IMMEDIATE_BITS = 0xffff };
    /* What LReg[11..14] get where an immediate would not fit: -1, 2^-16, -0.67487759, -0.34484843. */
    static const uint32_t defaults[] = {0xbf800000, 0x37800000, 0xbf2cc4c7, 0xbeb08ff9};
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t target = args.config_dest, mod1 = args.instr_mod1;
    if (target >= NOTHING && target < FIRST_LREG) {
        return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "SFPCONFIG: there is nothing to configure at %u",
                        target);
    }
    bool immediate = mod1 & IMM16_IS_VALUE;
    uint32_t lanes = configured_lanes(vector, mod1, args.imm16_math), source[8];
    for (unsigned i = 0; i < 8; i++) {
        source[i] = vector->lreg[0][i];
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if (!(lanes >> lane & 1)) {
            continue;
        }
        uint32_t from_lreg = source[lane & 7], value = immediate ? args.imm16_math : from_lreg;
        if (target < SEQUENCE) {
            vector->load_macro.instruction_template[target][lane] = from_lreg;
        } else if (target < MISC) {
            vector->load_macro.sequence[target - SEQUENCE][lane] = value;
        } else if (target == MISC) {
            vector->load_macro.misc[lane] = combine(mod1, vector->load_macro.misc[lane], value & MISC_BITS);
        } else if (target < LANE_CONFIG) {
            vector->lreg[target][lane] = immediate ? defaults[target - FIRST_LREG] : from_lreg;
        } else {
            uint32_t old = vector->lane_config[lane];
            uint32_t kept = immediate ? old & ~(uint32_t)IMMEDIATE_BITS : 0;
            vector->lane_config[lane] = (combine(mod1, old, value) | kept) & LANE_CONFIG_BITS;
        }
    }
    if (target == LANE_CONFIG) {
        vector_configure(vector);
    }
    return STEP_DONE;
}
