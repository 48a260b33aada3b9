/* For hosts with AVX-512. Where the compiler is told to leave half of the host's vector registers as they are
   (CMakeLists.txt), there are functions for generated code. */
#include "tensix/num/sfpu_mad_registers.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v4")
#define VECTOR_BYTES 64
#define SFPU_MAD_LANES sfpu_mad_lanes_v4
#include "tensix/num/sfpu_mad_lanes.inc"
#endif

#if defined(BHEMU_KEEPS_VECTOR_REGISTERS)
/* Where those in `lanes` are in range: `sum`. */
INLINE words in_registers(words x, words y, words z, uint32_t lanes, words sum, words in_range)
{
    return __builtin_expect(lanes_out_of_range(in_range) & lanes, 0) ? sum_of_any(x, y, z) : sum;
}

static words multiply_add(words x, words y, words z, uint32_t lanes)
{
    words in_range = all(UINT32_MAX), sum = sum_in_range(x, y, z, &in_range);
    return in_registers(x, y, z, lanes, sum, in_range);
}

static words multiply(words x, words y, words unused, uint32_t lanes)
{
    words in_range = all(UINT32_MAX), product = product_in_range(x, y, &in_range);
    return in_registers(x, y, all(0), lanes, product, in_range);
}

static words add(words x, words z, words unused, uint32_t lanes)
{
    words in_range = all(UINT32_MAX), sum = addition_in_range(x, z, &in_range);
    return in_registers(x, all(ONE_FLOAT), z, lanes, sum, in_range);
}

const void *sfpu_mad_in_registers(enum sfpu_mad_function function)
{
    const void *const functions[] = {[SFPU_MULTIPLY_ADD] = (const void *)multiply_add,
                                     [SFPU_MULTIPLY] = (const void *)multiply,
                                     [SFPU_ADD] = (const void *)add};
    return functions[function];
}
#else
const void *sfpu_mad_in_registers(enum sfpu_mad_function function)
{
    return NULL;
}
#endif
