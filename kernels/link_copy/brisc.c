/* link_copy: two tiles of two chips send each other a stretch of L1. B. */
#include "link.h"

struct link_copy_arguments {
    uint32_t at; /* the Ethernet tile: x | y << 6 */
    uint32_t from, to, size;
};

void kernel_main(void)
{
    struct link_copy_arguments copy = *(const volatile struct link_copy_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(0);
    struct link link = link_open(&noc, copy.at, 0);
    for (uint32_t done = 0; done < copy.size; done += LINK_SLOT_SIZE) {
        uint32_t part = link_part(copy.size, done);
        link_send(&link, copy.from + done, part);
        link_receive(&link, copy.to + done, part);
    }
}
