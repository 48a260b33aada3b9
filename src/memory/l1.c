#include "memory/l1.h"

#include <sys/mman.h>

/* The entry behind the last word is never anything but 0: execution that runs off the end of L1 meets it. */
enum { CODE_ENTRIES = L1_SIZE / 4 + 1, CODE_BYTES = CODE_ENTRIES * sizeof(uint64_t) + L1_CODE_BLOCKS, PAGE = 4096 };

const size_t l1_code_room = (CODE_BYTES + PAGE - 1) / PAGE * PAGE;

void l1_connect(struct l1 *l1, uint8_t *bytes, void *code_room)
{
    *l1 = (struct l1){
        .bytes = bytes, .code = code_room, .code_blocks = (uint8_t *)code_room + CODE_ENTRIES * sizeof(uint64_t)};
}

bool l1_create(struct l1 *l1, uint8_t *bytes)
{
    void *room = mmap(NULL, l1_code_room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        return false;
    }
    l1_connect(l1, bytes, room);
    return true;
}

void l1_destroy(struct l1 *l1)
{
    if (l1->code) {
        munmap(l1->code, l1_code_room);
    }
    *l1 = (struct l1){};
}

void l1_forget_code(struct l1 *l1, uint32_t address, uint32_t size)
{
    uint32_t first = address / 4, last = (address + size - 1) / 4;
    memset(l1->code + first, 0, (last - first + 1) * sizeof *l1->code);
}
