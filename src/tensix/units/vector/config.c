/* SFPCONFIG: sets LaneConfig, the LRegs that only it can write, and LoadMacroConfig. Source: ISA documentation
   SFPCONFIG.md. */
#include "tensix/units/vector/parts.h"

/* Combines the old value with the new one as Mod1 says. */
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

enum { SEQUENCE = 4, MISC = 8, NOTHING = 9, FIRST_LREG = 11, LANE_CONFIG = 15, ROW_LANES = 8 };
enum { IMM16_IS_VALUE = 1, IMM16_IS_LANE_MASK = 8, MISC_BITS = 0xfff, IMMEDIATE_BITS = 0xffff };
enum { ALL_OF_ROW = (1 << ROW_LANES) - 1 };

/* The lanes of a row that the immediate selects by its even bits. */
static uint32_t chosen_lanes(uint32_t mod1, uint32_t immediate)
{
    uint32_t row = 0;
    if (!(mod1 & IMM16_IS_LANE_MASK)) {
        return ALL_OF_ROW;
    }
    for (unsigned lane = 0; lane < ROW_LANES; lane++) {
        row |= (immediate >> 2 * lane & 1) << lane;
    }
    return row;
}

/* The effect of an SFPCONFIG: words[lane] = combine(words[lane], source[lane % 8] & bits) | (words[lane] & kept). */
struct change {
    uint32_t *words;
    const uint32_t *source; /* null: `value` in all lanes */
    uint32_t value, mod1, bits, kept;
};

static struct change change_of(struct vector_unit *vector, uint32_t target, uint32_t mod1, uint32_t immediate)
{
    /* Defaults for LReg[11..14], which an immediate can not express: -1, 2^-16, -0.67487759, -0.34484843. */
    static const uint32_t defaults[] = {0xbf800000, 0x37800000, 0xbf2cc4c7, 0xbeb08ff9};
    const uint32_t *source = mod1 & IMM16_IS_VALUE ? NULL : vector->lreg[0];
    struct change change = {.source = source, .value = immediate, .bits = UINT32_MAX};
    if (target < SEQUENCE) {
        change.words = vector->load_macro.instruction_template[target];
        change.source = vector->lreg[0];
    } else if (target < MISC) {
        change.words = vector->load_macro.sequence[target - SEQUENCE];
    } else if (target == MISC) {
        change.words = vector->load_macro.misc;
        change.bits = MISC_BITS;
        change.mod1 = mod1;
    } else if (target < LANE_CONFIG) {
        change.words = vector->lreg[target];
        change.value = defaults[target - FIRST_LREG];
    } else {
        change.words = vector->lane_config;
        change.bits = LANE_CONFIG_BITS;
        change.kept = source ? 0 : LANE_CONFIG_BITS & ~(uint32_t)IMMEDIATE_BITS;
        change.mod1 = mod1;
    }
    return change;
}

/* Applies to those columns of lanes whose bit in `row` is set. */
__attribute__((always_inline)) static inline void make_change(const struct change *change, uint32_t row)
{
    uint32_t source[ROW_LANES], mod1 = change->mod1, bits = change->bits, kept = change->kept;
    uint32_t *words = change->words;
    for (unsigned lane = 0; lane < ROW_LANES; lane++) {
        source[lane] = change->source ? change->source[lane] : change->value;
    }
    for (unsigned first = 0; first < SFPU_LANES; first += ROW_LANES) {
        for (unsigned lane = 0; lane < ROW_LANES; lane++) {
            uint32_t old = words[first + lane];
            uint32_t value = (combine(mod1, old, source[lane]) & bits) | (old & kept);
            words[first + lane] = row >> lane & 1 ? value : old;
        }
    }
}

/* Fast path of nearly every SFPCONFIG: all lanes of an LReg. */
__attribute__((always_inline)) static inline void copy_row(uint32_t *words, const uint32_t *source)
{
    for (unsigned first = 0; first < SFPU_LANES; first += ROW_LANES) {
        for (unsigned lane = 0; lane < ROW_LANES; lane++) {
            words[first + lane] = source[lane];
        }
    }
}

/* All rows of lanes are configured as the lane flags of the first row say. */
static inline uint32_t enabled_row(const struct vector_unit *vector)
{
    return (vector->lane_flags | ~vector->use_lane_flags) & 0xff;
}

STATIC_CLONES(void, configure, (struct vector_unit * vector, const struct args_SFPCONFIG *args), (vector, args))
{
    uint32_t target = args->config_dest, mod1 = args->instr_mod1, immediate = args->imm16_math;
    uint32_t row = enabled_row(vector) & chosen_lanes(mod1, immediate);
    if (target >= FIRST_LREG && target < LANE_CONFIG && !(mod1 & IMM16_IS_VALUE) && row == ALL_OF_ROW) {
        copy_row(vector->lreg[target], vector->lreg[0]);
        return;
    }
    struct change change = change_of(vector, target, mod1, immediate);
    make_change(&change, row);
    if (target == LANE_CONFIG) {
        vector_configure(vector);
    }
}

/* LaneConfig is not decoded, since it affects the decoding of other operations. */
struct vector_operation vector_decode_SFPCONFIG(struct args_SFPCONFIG args)
{
    uint32_t target = args.config_dest;
    bool lreg = target >= FIRST_LREG;
    if ((target >= NOTHING && target < FIRST_LREG) || target == LANE_CONFIG) {
        return (struct vector_operation){0};
    }
    bool from_lreg = lreg && !(args.instr_mod1 & IMM16_IS_VALUE);
    uint32_t chosen = chosen_lanes(args.instr_mod1, args.imm16_math);
    return from_lreg && chosen == ALL_OF_ROW ? vector_moving_operation(EFFECT_CONFIGURE, 0, target, 0)
                                             : (struct vector_operation){.kind = VECTOR_BY_UNIT};
}

enum step execute_SFPCONFIG(struct tensix *tensix, unsigned thread, struct args_SFPCONFIG args)
{
    if (args.config_dest >= NOTHING && args.config_dest < FIRST_LREG) {
        return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "SFPCONFIG: there is nothing to configure at %u",
                        args.config_dest);
    }
    configure(&tensix->state->vector, &args);
    return STEP_DONE;
}

TENSIX_RUN(SFPCONFIG)
