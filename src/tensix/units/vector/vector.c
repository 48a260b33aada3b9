/* State of the vector unit, and functions shared by its instructions. */
#include "tensix/units/vector/vector.h"

#include <string.h>

#include "tensix/units/vector/parts.h"
#include "tensix/units/vector/prng.h"

/* Reset values of the constant registers as FP32 bits (ISA documentation LReg.md, and ttsim for those that SFPCONFIG
   can set). */
static const uint32_t constants[16] = {
    [8] = 0x3f56594b, [10] = 0x3f800000, [11] = 0xbf800000, [12] = 0x3b000000, [13] = 0xbf2cc4c7, [14] = 0xbeb08ff9,
};

/* Lane flags are not in use after a reset: VectorUnit.md, "Lane Predication Masks". */
void vector_reset(struct vector_unit *vector)
{
    memset(vector, 0, sizeof *vector);
    vector_reset_zeroed(vector);
}

void vector_reset_zeroed(struct vector_unit *vector)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        for (unsigned i = 8; i < 15; i++) {
            vector->lreg[i][lane] = constants[i];
        }
        vector->lreg[15][lane] = lane * 2;
    }
}

STATIC_CLONES(uint32_t, any_of, (const uint32_t *words), (words))
{
    uint32_t any = 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        any |= words[lane];
    }
    return any;
}

/* LaneConfig[lane & 7].ROW_MASK has one bit for each row of eight lanes. */
void vector_configured(struct vector_unit *vector, uint32_t any)
{
    vector->any_lane_config = any;
    vector->row_masked = 0;
    for (unsigned lane = 0; vector->any_lane_config >> LANE_CONFIG_ROW_MASK_SHIFT && lane < SFPU_LANES; lane++) {
        uint32_t masked = vector->lane_config[lane & 7] >> (LANE_CONFIG_ROW_MASK_SHIFT + lane / 8) & 1;
        vector->row_masked |= masked << lane;
    }
}

void vector_configure(struct vector_unit *vector)
{
    vector_configured(vector, any_of(vector->lane_config));
}

uint32_t vector_configured_lanes(const struct vector_unit *vector, uint32_t bit)
{
    uint32_t lanes = 0;
    if (vector->any_lane_config & bit) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            lanes |= (uint32_t)((vector->lane_config[lane] & bit) != 0) << lane;
        }
    }
    return lanes;
}

enum step vector_begin_backdoor(struct tensix *tensix, uint32_t vd, uint32_t *executing)
{
    struct vector_unit *vector = &tensix->state->vector;
    *executing = ALL_LANES;
    if (vd == LREG_MACRO) {
        return STEP_DONE;
    }
    *executing = vector_configured_lanes(vector, LANE_CONFIG_DISABLE_BACKDOOR_LOAD);
    if (*executing != ALL_LANES && vector_enabled_lanes(vector) != ALL_LANES) {
        enum step step = diagnose(tensix->diagnostics, BH_UNPREDICTABLE_VALUE,
                                  "an instruction with destination %u becomes SFPLOADMACRO's InstructionTemplate[%u]; "
                                  "whether that happens in lanes that are not enabled is not documented: enable all "
                                  "lanes first",
                                  vd, vd - LREG_TEMPLATES);
        if (step != STEP_DONE) {
            return step;
        }
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if (!(*executing >> lane & 1)) {
            vector->load_macro.instruction_template[vd - LREG_TEMPLATES][lane] = tensix->diagnostics->now.instruction;
        }
    }
    return STEP_DONE;
}

enum step vector_warn_of_index_bank(struct tensix *tensix, uint32_t vd)
{
    return diagnose(tensix->diagnostics, BH_UNPREDICTABLE_VALUE,
                    "erratum TEN-2932: while LaneConfig.ENABLE_DEST_INDEX is set, what this instruction writes to "
                    "LReg[%u] is not what it computes; write to LReg[0..3], or clear ENABLE_DEST_INDEX first",
                    vd);
}

CLONES(uint32_t, vector_negative_lanes, (const uint32_t *lreg), (lreg))
{
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        lanes |= lreg[lane] >> 31 << lane;
    }
    return lanes;
}

CLONES(uint32_t, vector_nonzero_lanes, (const uint32_t *lreg), (lreg))
{
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        lanes |= (lreg[lane] != 0 ? 1u : 0u) << lane;
    }
    return lanes;
}

/* Inverts negative magnitudes, so that two's complement comparison gives the order. */
static inline int32_t total_order(uint32_t x)
{
    return (int32_t)(x ^ (uint32_t)((int32_t)x >> 31) >> 1);
}

CLONES(uint32_t, vector_smaller_lanes, (const uint32_t *smaller, const uint32_t *larger), (smaller, larger))
{
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        lanes |= (total_order(smaller[lane]) < total_order(larger[lane]) ? 1u : 0u) << lane;
    }
    return lanes;
}

CLONES(void, vector_advance_prng, (struct vector_unit * vector, uint32_t lanes, uint32_t *numbers),
       (vector, lanes, numbers))
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t state = vector->prng[lane];
        numbers[lane] = state;
        vector->prng[lane] = lanes >> lane & 1 ? vector_prng_step(state) : state;
    }
}

CLONES(void, vector_write, (struct vector_unit * vector, uint32_t vd, const uint32_t *value, uint32_t lanes),
       (vector, vd, value, lanes))
{
    if (vector_writable(vd)) {
        uint32_t *lreg = vector->lreg[vd];
        LANES_ARE_INDEPENDENT
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            lreg[lane] = lanes >> lane & 1 ? value[lane] : lreg[lane];
        }
    }
}

void vector_write_indirect(struct vector_unit *vector, const uint32_t *value, uint32_t lanes)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t vd = vector->lreg[LREG_INDIRECT][lane] & 15;
        if (lanes >> lane & 1 && vector_writable(vd)) {
            vector->lreg[vd][lane] = value[lane];
        }
    }
}
