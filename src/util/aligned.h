/* Memory for what holds rows of registers, which begin at the host's cache lines (CACHE_LINE_ALIGNED), as malloc()
   does not promise. */
#ifndef BHEMU_UTIL_ALIGNED_H
#define BHEMU_UTIL_ALIGNED_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

#define CACHE_LINE_ALIGNED _Alignas(CACHE_LINE)

/* `size` bytes of zeroes, to be given to free(); null: there is no memory. */
static inline void *aligned_zeroed(size_t size)
{
    size_t rounded = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *memory = aligned_alloc(CACHE_LINE, rounded);
    return memory ? memset(memory, 0, rounded) : NULL;
}

#endif
