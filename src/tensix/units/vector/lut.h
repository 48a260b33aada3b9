/* Piecewise linear functions and reciprocals: SFPLUT, SFPLUTFP32 and SFPARECIP. Internal to units/vector/. Sources:
   the ISA documentation's page of each. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LUT_H
#define BHEMU_TENSIX_UNITS_VECTOR_LUT_H

#include <stdint.h>

enum { LUT_SGN_RETAIN = 4, LUT_INDIRECT_VD = 8, LREG_ARGUMENT = 3 };
enum { FP16_6ENTRY_TABLE1 = 2, FP16_6ENTRY_TABLE2 = 3, FP16_3ENTRY_TABLE = 10 }; /* of SFPLUTFP32 */

/* FP32 bits of the ends of intervals. */
enum {
    HALF = 0x3f000000,
    ONE = 0x3f800000,
    ONE_AND_A_HALF = 0x3fc00000,
    TWO = 0x40000000,
    THREE = 0x40400000,
    FOUR = 0x40800000
};

/* The beginning of the last of six intervals. */
static inline uint32_t vector_look_up_cut(uint32_t mod1)
{
    return (mod1 & FP16_6ENTRY_TABLE2) == FP16_6ENTRY_TABLE2 ? FOUR : THREE;
}

/* Magnitudes, as FP32 bits, without a normal reciprocal: those below the first number, and those from the second on. */
enum { SMALLEST_NORMAL = 0x00800000, TOO_LARGE = 0x7e800000 };

#endif
