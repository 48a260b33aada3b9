/* SFPCONFIG: sets LaneConfig, the LRegs that only it can write, and LoadMacroConfig. Source: ISA documentation
   SFPCONFIG.md. */
#include "tensix/units/vector/parts.h"

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

/* What becomes of the bits that a word may have, as Mod1 says. */
enum { COMBINE = 6, BITWISE_OR = 2, BITWISE_AND = 4, BITWISE_XOR = 6 };

/* The effect of an SFPCONFIG: words[lane] = (combined(words[lane], source[lane % 8]) & bits) | (words[lane] & kept).
   Where some are kept the source has none of them. */
struct change {
    uint32_t *words;
    const uint32_t *source; /* null: `value` in all lanes */
    uint32_t value, mod1, bits, kept;
};

/* Defaults for LReg[11..14], which an immediate can not express: -1, 2^-16, -0.67487759, -0.34484843. */
static const uint32_t defaults[] = {0xbf800000, 0x37800000, 0xbf2cc4c7, 0xbeb08ff9};

static struct change change_of(struct vector_unit *vector, uint32_t target, uint32_t mod1, uint32_t immediate)
{
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

/* A change of a row of lanes, whatever it is: words[lane] = (words[lane] & keep[lane]) ^ flip[lane]. */
struct row_change {
    uint32_t keep[ROW_LANES], flip[ROW_LANES];
};

/* That of the columns whose bit in `row` is set. */
__attribute__((always_inline)) static inline void prepare(const struct change *change, uint32_t row,
                                                          struct row_change *result)
{
    const uint32_t *source = change->source, bits = change->bits, kept = change->kept, value = change->value;
    const uint32_t combine = change->mod1 & COMBINE;
    const uint32_t both = combine == BITWISE_OR || combine == BITWISE_XOR ? bits | kept : kept; /* of the old bits */
    const uint32_t cleared = combine == BITWISE_XOR ? 0 : UINT32_MAX, added = combine == BITWISE_AND ? 0 : UINT32_MAX;
    uint32_t there[ROW_LANES];
    for (unsigned lane = 0; lane < ROW_LANES; lane++) {
        there[lane] = (source ? source[lane] : value) & bits;
    }
    for (unsigned lane = 0; lane < ROW_LANES; lane++) {
        uint32_t chosen = -(row >> lane & 1), keep = (both & ~(there[lane] & cleared)) | (there[lane] & ~added);
        result->keep[lane] = keep | ~chosen;
        result->flip[lane] = there[lane] & added & chosen;
    }
}

/* Returns the bits that are set in any lane afterwards. */
__attribute__((always_inline)) static inline uint32_t make_change(const struct change *change, uint32_t row)
{
    struct row_change each;
    uint32_t any[ROW_LANES] = {0}, result = 0, *words = change->words;
    prepare(change, row, &each);
    for (unsigned first = 0; first < SFPU_LANES; first += ROW_LANES) {
        for (unsigned lane = 0; lane < ROW_LANES; lane++) {
            uint32_t word = (words[first + lane] & each.keep[lane]) ^ each.flip[lane];
            words[first + lane] = word;
            any[lane] |= word;
        }
    }
    for (unsigned lane = 0; lane < ROW_LANES; lane++) {
        result |= any[lane];
    }
    return result;
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

/* Whether an SFPCONFIG sets LaneConfig to its immediate, which does not have the highest bits, and no lane keeps any of
   these: the words of all lanes become the same. */
static inline bool sets_lanes_alike(const struct vector_unit *vector, uint32_t target, uint32_t mod1, uint32_t row)
{
    return target == LANE_CONFIG && (mod1 & (IMM16_IS_VALUE | COMBINE)) == IMM16_IS_VALUE && row == ALL_OF_ROW &&
           !(vector->any_lane_config & ~(uint32_t)IMMEDIATE_BITS);
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
    if (sets_lanes_alike(vector, target, mod1, row)) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            vector->lane_config[lane] = immediate;
        }
        vector_configured(vector, immediate);
        return;
    }
    struct change change = change_of(vector, target, mod1, immediate);
    uint32_t any = make_change(&change, row);
    if (target == LANE_CONFIG) {
        vector_configured(vector, any);
    }
}

/* The operation that sets a word in all lanes that the first row's flags enable to `value`, or, if not by `immediate`,
   to the row's LReg[0] & value. */
static struct vector_operation configuring(uint32_t target, bool immediate, uint32_t value)
{
    return (struct vector_operation){.kind = VECTOR_BY_UNIT,
                                     .effect = EFFECT_CONFIGURE,
                                     .condition = immediate ? CONFIGURE_IMMEDIATE : CONFIGURE_FROM_LREG,
                                     .vc = (uint8_t)target,
                                     .immediate = value};
}

/* LaneConfig has a say in what other operations do, and in which lanes. */
struct vector_operation vector_decode_SFPCONFIG(struct args_SFPCONFIG args)
{
    uint32_t target = args.config_dest;
    bool immediate = args.instr_mod1 & IMM16_IS_VALUE && target >= SEQUENCE;
    bool replaces = chosen_lanes(args.instr_mod1, args.imm16_math) == ALL_OF_ROW &&
                    !((target == MISC || target == LANE_CONFIG) && args.instr_mod1 & COMBINE);
    if (target >= NOTHING && target < FIRST_LREG) {
        return (struct vector_operation){0};
    }
    if (!replaces || (target == LANE_CONFIG && !immediate)) {
        return (struct vector_operation){.kind = VECTOR_BY_UNIT,
                                         .effect = target == LANE_CONFIG ? EFFECT_CONFIGURE : EFFECT_NONE};
    }
    if (target < MISC || target == LANE_CONFIG) {
        return configuring(target, immediate, immediate ? args.imm16_math & IMMEDIATE_BITS : UINT32_MAX);
    }
    if (target == MISC) {
        return configuring(target, immediate, immediate ? args.imm16_math & MISC_BITS : MISC_BITS);
    }
    return immediate ? configuring(target, true, defaults[target - FIRST_LREG])
                     : vector_moving_operation(EFFECT_CONFIGURE, 0, target, 0);
}

/* Both write the same words, in the same lanes: SFPCONFIG does not change lane flags, and no other lanes count. */
bool vector_configures_anew(const struct vector_operation *first, const struct vector_operation *second)
{
    return first->kind == VECTOR_BY_UNIT && second->kind == VECTOR_BY_UNIT && first->effect == EFFECT_CONFIGURE &&
           second->effect == EFFECT_CONFIGURE && first->condition != CONFIGURE_LANES_OTHERWISE &&
           second->condition != CONFIGURE_LANES_OTHERWISE && first->vc == second->vc;
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
