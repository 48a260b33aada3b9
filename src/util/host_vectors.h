/* The host's level of vector instructions, by which functions that are compiled for several of them
   (tensix/num/clones.h) are chosen. */
#ifndef BHEMU_UTIL_HOST_VECTORS_H
#define BHEMU_UTIL_HOST_VECTORS_H

#include <stdbool.h>

enum host_vectors {
    HOST_VECTORS_BASIC, /* what every host of the architecture has */
    HOST_VECTORS_V3,    /* x86-64-v3: AVX2 and what came with it */
    HOST_VECTORS_V4,    /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL as well */
};

/* Set before main() begins, or when the library is loaded; never changes afterwards. Any value up to the host's level
   gives the same bits. */
extern enum host_vectors host_vectors;

static inline bool host_has_avx512(void)
{
    return host_vectors == HOST_VECTORS_V4;
}

#endif
