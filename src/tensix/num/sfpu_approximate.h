/* The approximations of SFPARECIP, on FP32 bits without a sign. Source: ISA documentation SFPARECIP.md. */
#ifndef BHEMU_TENSIX_NUM_SFPU_APPROXIMATE_H
#define BHEMU_TENSIX_NUM_SFPU_APPROXIMATE_H

#include <stdint.h>

/* 1 / x to seven bits: the rounded reciprocal of the middle of the interval of numbers that share the upper seven
   mantissa bits of x. Infinity for zero and denormals, zero from 2^126 on. */
uint32_t sfpu_approximate_reciprocal(uint32_t x);

/* e^x to seven bits: of x truncated to seven mantissa bits, also truncated; the low 16 bits are those of x. Useful
   below 2. */
uint32_t sfpu_approximate_exponential(uint32_t x);

#endif
