/* Functional mode: when an instruction that waits at its gate for a bank of SrcA or SrcB begins nevertheless, within
   its unpacker, so that its thread goes on as on silicon (tensix/units/unpack/begun.h): when nothing else happens in
   the tile, or when it has waited for long. */
#ifndef BHEMU_TILE_BEGINS_H
#define BHEMU_TILE_BEGINS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/issue.h"

struct tile;

/* Plain data, all zero at first. For each thread, what it had passed when it was last seen to wait, and since when. */
struct tile_begins {
    uint64_t passed[TENSIX_THREADS], since[TENSIX_THREADS];
};

/* After a quantum; at_once: in which nothing happened. Whether any thread's instruction may begin that might not
 * before.
 */
bool tile_lets_begin(struct tile *tile, bool at_once);

/* Whether any waits to begin. */
bool tile_awaits_begin(const struct tile *tile);

#endif
