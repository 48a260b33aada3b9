#include "tensix/num/clones.h"
#include "tensix/num/fpu.h"

/* An integer "8" keeps its sign where a float has it and its ten bits of magnitude where a float has its mantissa; a
   zero exponent means zero here too. A fidelity phase selects bits of the magnitudes: of SrcA the low five or the three
   above, of SrcB the low four or the six above (ISA documentation SrcASrcB.md, "Fidelity phases (integer)"). */
static uint32_t srca_magnitude_bits(const struct fpu_mode *mode)
{
    return mode->fidelity_phase & 1 ? 0x01f : 0x0e0;
}

static uint32_t srcb_magnitude_bits(const struct fpu_mode *mode)
{
    return mode->fidelity_phase & 2 ? 0x00f : 0x3f0;
}

static inline int32_t integer_of(uint32_t datum, uint32_t magnitude_bits, bool keep_denormals)
{
    int32_t magnitude = (int32_t)(datum >> 13 & magnitude_bits);
    magnitude = (datum & 0x7f800000) || keep_denormals ? magnitude : 0;
    return (int32_t)datum < 0 ? -magnitude : magnitude;
}

/* Dst + value, where Dst is sign and magnitude; clamped at plus and minus 2^31 - 1. |value| < 2^30. */
static inline uint32_t add_to_dst(uint32_t dst, int32_t value)
{
    int32_t magnitude = (int32_t)(dst & 0x7fffffff);
    int32_t addend = (int32_t)dst < 0 ? -magnitude : magnitude;
    int32_t sum = (int32_t)((uint32_t)addend + (uint32_t)value);
    bool overflow = ((addend ^ sum) & (value ^ sum)) < 0;
    uint32_t clamped = value < 0 ? UINT32_C(0xffffffff) : UINT32_C(0x7fffffff);
    uint32_t result = sum < 0 ? UINT32_C(0x80000000) - (uint32_t)sum : (uint32_t)sum;
    return overflow || sum == INT32_MIN ? clamped : result;
}

CLONES(void, fpu_multiply_integer_matrices,
       (const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS], const uint32_t b[][FPU_DEPTH],
        uint32_t dst[][FPU_COLUMNS], unsigned rows),
       (mode, a, b, dst, rows))
{
    int32_t srca[FPU_DEPTH][FPU_COLUMNS];
    uint32_t a_bits = srca_magnitude_bits(mode), b_bits = srcb_magnitude_bits(mode);
    for (unsigned k = 0; k < FPU_DEPTH; k++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            srca[k][j] = integer_of(a[k][j], a_bits, false);
        }
    }
    for (unsigned i = 0; i < rows; i++) {
        int32_t sums[FPU_COLUMNS] = {0}; /* at most 16 * 1023 * 255 */
        for (unsigned k = 0; k < FPU_DEPTH; k++) {
            int32_t factor = integer_of(b[i][k], b_bits, mode->keep_srcb_denormals);
            for (unsigned j = 0; j < FPU_COLUMNS; j++) {
                sums[j] += srca[k][j] * factor;
            }
        }
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            dst[i][j] = add_to_dst(dst[i][j], sums[j]);
        }
    }
}

CLONES(void, fpu_multiply_integer_elements,
       (const struct fpu_mode *mode, const uint32_t a[restrict][FPU_COLUMNS], const uint32_t b[restrict][FPU_COLUMNS],
        uint32_t dst[restrict][FPU_COLUMNS], unsigned rows),
       (mode, a, b, dst, rows))
{
    uint32_t a_bits = srca_magnitude_bits(mode), b_bits = srcb_magnitude_bits(mode);
    bool keep = mode->keep_srcb_denormals;
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            int32_t product = integer_of(a[i][j], a_bits, false) * integer_of(b[i][j], b_bits, keep);
            dst[i][j] = add_to_dst(dst[i][j], product);
        }
    }
}

CLONES(void, fpu_add_integer_elements,
       (const struct fpu_mode *mode, const uint32_t a[restrict][FPU_COLUMNS], const uint32_t b[restrict][FPU_COLUMNS],
        uint32_t dst[restrict][FPU_COLUMNS], unsigned rows),
       (mode, a, b, dst, rows))
{
    bool keep = mode->keep_srcb_denormals;
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            int32_t sum = integer_of(a[i][j], 0x3ff, false) + integer_of(b[i][j], 0x3ff, keep);
            dst[i][j] = add_to_dst(dst[i][j], sum);
        }
    }
}
