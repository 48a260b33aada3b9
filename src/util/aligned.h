/* Memory for structs whose rows of registers begin at cache lines of the host (CACHE_LINE_ALIGNED): malloc() does not
   align enough. */
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
