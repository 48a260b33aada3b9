/* The library's own pages. Functions that one kernel needs lie all over the library's code: the host's memory for them
   is mapped at once, instead of in a page fault for every 16 pages of them, which take longer than the kernel runs. */
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>

#include "abi.h"

#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22 /* Linux 5.14; older C libraries do not name it */
#endif

/* The file's first bytes, where it is mapped: the linker defines it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

void abi_map_library(void)
{
#ifdef MADV_POPULATE_READ
    enum { PAGE = 4096 };
    const char *base = (const char *)&__ehdr_start;
    const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff),
                     *end = segment + __ehdr_start.e_phnum;
    for (; segment < end; segment++) {
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
            uintptr_t first = ((uintptr_t)base + segment->p_vaddr) / PAGE * PAGE;
            uintptr_t last = (uintptr_t)base + segment->p_vaddr + segment->p_filesz;
            (void)madvise((void *)first, last - first, MADV_POPULATE_READ); /* older hosts do without it */
        }
    }
#endif
}
