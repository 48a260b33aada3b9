/* Which ELF of a code_index is in memory around an address. */
#ifndef BHEMU_HOST_CODE_MATCH_H
#define BHEMU_HOST_CODE_MATCH_H

#include "host/code_index.h"

/* A memory of whole words. */
struct code_memory {
    const uint8_t *bytes;
    uint32_t address, size;
};

struct code_match {
    uint32_t entry, address; /* where its first word is */
};

/* false: none is there, all of it, at `pc`. */
bool code_match_find(const struct code_index *index, const struct code_memory *memory, uint32_t pc,
                     struct code_match *match);

#endif
