/* Memory that is mapped, and whose pages the host takes when they are first written. Each of these page faults takes as
   long as ten pages that are asked for together, most of all on a virtual machine. */
#ifndef BHEMU_UTIL_PAGES_H
#define BHEMU_UTIL_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the pages of [first, first + size), which is mapped and may be written, before they are written. What they hold
   stays as it is. A host that can not do this takes them one by one, as without it. */
void pages_take(void *first, size_t size);

/* The same for whole aligned units of PAGES_LARGE bytes, as large pages, which take no longer than ten small ones;
   small pages that were taken before become part of them. Call pages_take() if this is false: the host has none to
   give. */
enum { PAGES_LARGE = 2 << 20 };
bool pages_take_large(void *first, size_t size);

#endif
