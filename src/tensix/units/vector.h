/* The vector unit (SFPU): 32 lanes, LRegs, per-lane condition codes, and its way to Dst.

   Lane l is column l % 8 * 2 (+ 1 for odd columns) of row l / 8 of the four rows that an instruction touches.
   LReg[0..7] are general purpose, LReg[8..10] constants (0.8373, 0, 1), LReg[11..14] constants that SFPCONFIG can set,
   LReg[15] holds twice the lane's number; LReg[16] belongs to SFPLOADMACRO.
   Sources: ISA documentation VectorUnit.md, LReg.md and the SFP* pages. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_H
#define BHEMU_TENSIX_UNITS_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { SFPU_LANES = 32, SFPU_LREGS = 17, SFPU_STACK = 8, SFPU_MACROS = 4 };

struct vector_unit {
    uint32_t lreg[SFPU_LREGS][SFPU_LANES];
    uint32_t use_lane_flags; /* one bit a lane: whether the lane flag decides */
    uint32_t lane_flags;     /* one bit a lane */
    struct {
        uint32_t use_lane_flags, lane_flags;
    } stack[SFPU_STACK];
    uint32_t stack_depth;
    uint32_t lane_config[SFPU_LANES];
    uint32_t prng[SFPU_LANES];
    struct {
        uint32_t instruction_template[SFPU_MACROS];
        uint32_t sequence[SFPU_MACROS];
        uint32_t misc;
    } load_macro;
};

/* The lanes that an instruction acts on: LaneEnabled of the documentation. */
static inline uint32_t vector_enabled_lanes(const struct vector_unit *vector)
{
    return vector->lane_flags | ~vector->use_lane_flags;
}

void vector_reset(struct vector_unit *vector);

#endif
