/* The ways in which sfpu_mad_lanes() may compute; all give the same bits. Internal to num/sfpu_mad*.c and its test. */
#ifndef BHEMU_TENSIX_NUM_SFPU_MAD_VARIANTS_H
#define BHEMU_TENSIX_NUM_SFPU_MAD_VARIANTS_H

#include <stdbool.h>

#include "tensix/num/sfpu_mad.h"

void sfpu_mad_lanes_portable(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);

/* Whether this host can run the next one. */
static inline bool sfpu_mad_has_avx512(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

void sfpu_mad_lanes_avx512(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);

#endif
