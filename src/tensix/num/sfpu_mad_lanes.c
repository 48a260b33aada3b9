#include "tensix/num/sfpu_mad.h"

void sfpu_mad_lanes(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t sum =
            sfpu_mad(operands->x[lane] ^ operands->x_sign, operands->y[lane], operands->z[lane] ^ operands->z_sign);
        result[lane] = lanes >> lane & 1 ? sum : result[lane];
    }
}
