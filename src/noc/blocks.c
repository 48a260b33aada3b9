#include "noc/blocks.h"

#include <stdalign.h>
#include <stdlib.h>

struct noc_block {
    struct noc_block *next;
    unsigned class; /* BLOCK_CLASSES: longer than all, never kept */
    alignas(max_align_t) uint8_t memory[];
};

/* Packets have powers of two of bytes, and what describes them before these. */
enum { SHORTEST = 256, DESCRIPTION = 256 };

static size_t size_of_class(unsigned class)
{
    return ((size_t)SHORTEST << class) + DESCRIPTION;
}

static unsigned class_of(size_t size)
{
    unsigned class = 0;
    while (class < BLOCK_CLASSES && size_of_class(class) < size) {
        class ++;
    }
    return class;
}

void *blocks_take(struct noc_blocks *blocks, size_t size)
{
    unsigned class = class_of(size);
    struct noc_block *block = blocks && class < BLOCK_CLASSES ? blocks->spare[class] : NULL;
    if (block) {
        blocks->spare[class] = block->next;
        blocks->kept[class]--;
    } else {
        block = malloc(sizeof *block + (class < BLOCK_CLASSES ? size_of_class(class) : size));
        if (!block) {
            return NULL;
        }
        block->class = class;
    }
    return block->memory;
}

void blocks_give(struct noc_blocks *blocks, void *memory)
{
    if (!memory) {
        return;
    }
    struct noc_block *block = (struct noc_block *)(void *)((uint8_t *)memory - offsetof(struct noc_block, memory));
    if (!blocks || block->class == BLOCK_CLASSES || blocks->kept[block->class] == BLOCKS_KEPT) {
        free(block);
        return;
    }
    block->next = blocks->spare[block->class];
    blocks->spare[block->class] = block;
    blocks->kept[block->class]++;
}

void blocks_clear(struct noc_blocks *blocks)
{
    for (unsigned class = 0; class < BLOCK_CLASSES; class ++) {
        for (struct noc_block *block; (block = blocks->spare[class]) != NULL; free(block)) {
            blocks->spare[class] = block->next;
        }
        blocks->kept[class] = 0;
    }
}
