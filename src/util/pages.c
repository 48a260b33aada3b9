#include "util/pages.h"

#include <stdint.h>
#include <sys/mman.h>

/* Linux 5.14 and 6.1; older C libraries do not name them. */
#if defined(__linux__) && !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23
#endif
#if defined(__linux__) && !defined(MADV_COLLAPSE)
#define MADV_COLLAPSE 25
#endif

enum { PAGE = 4096 };

void pages_take(void *first, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t skipped = (uintptr_t)first % PAGE;
    (void)madvise((char *)first - skipped, size + skipped, MADV_POPULATE_WRITE);
#else
    (void)first;
    (void)size;
#endif
}

bool pages_take_large(void *first, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    return (uintptr_t)first % PAGES_LARGE == 0 && madvise(first, size, MADV_HUGEPAGE) == 0 &&
           madvise(first, size, MADV_COLLAPSE) == 0;
#else
    (void)first;
    (void)size;
    return false;
#endif
}
