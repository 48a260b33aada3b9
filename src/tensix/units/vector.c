#include "tensix/units/vector.h"

#include <string.h>

/* What the constant registers hold after reset, as FP32 bits (ISA documentation LReg.md). */
static const uint32_t constants[16] = {
    [8] = 0x3f56594b, [10] = 0x3f800000, [11] = 0xbf800000, [12] = 0x3b000000, [13] = 0xbf2cc4c7, [14] = 0xbeb08ff9,
};

void vector_reset(struct vector_unit *vector)
{
    memset(vector, 0, sizeof *vector);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        for (unsigned i = 8; i < 15; i++) {
            vector->lreg[i][lane] = constants[i];
        }
        vector->lreg[15][lane] = lane * 2;
    }
    vector->use_lane_flags = UINT32_MAX;
    vector->lane_flags = UINT32_MAX;
}
