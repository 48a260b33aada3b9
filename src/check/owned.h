/* What a program owns, as whoever runs it has told (bh_check_own()): buffers, circular buffers, arguments, code. An
   access belongs to the buffer that it begins in. */
#ifndef BHEMU_CHECK_OWNED_H
#define BHEMU_CHECK_OWNED_H

#include "check/checker.h"

struct owned {
    struct bh_check_owned what; /* its name is malloc'ed */
};

static inline uint64_t owned_end(const struct owned *owned)
{
    return owned->what.address + owned->what.size;
}

static inline bool owned_has(const struct owned *owned, uint64_t address)
{
    return address >= owned->what.address && address < owned_end(owned);
}

static inline bool owned_is_buffer(const struct owned *owned)
{
    return owned->what.kind == BH_CHECK_BUFFER || owned->what.kind == BH_CHECK_CIRCULAR_BUFFER;
}

/* All that is owned in a memory (check_home()). */
const struct owned_list *owned_in(const struct bh_check *check, uint32_t home);

/* The buffer in which an address lies, of several the one that ends last; null: in none. */
const struct owned *owned_buffer_at(const struct bh_check *check, uint32_t home, uint64_t address);

/* "circular buffer 3 (0x30000 to 0x30fff)". */
void owned_name(const struct owned *owned, char *text, size_t size);

void owned_free(struct bh_check *check);

#endif
