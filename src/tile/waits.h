/* Who waits for whom on a tile: a node for each core and each thread that has not finished, and edges to those that may
   end its wait. The root is the wait that nobody can end: the first that has to be repaired. */
#ifndef BHEMU_TILE_WAITS_H
#define BHEMU_TILE_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/diagnostic.h"
#include "util/text.h"

enum { WAIT_NODES = BH_PLACES, WAIT_LINE = 400 };

/* The node of a thread; that of a core is its number. */
static inline unsigned wait_thread(unsigned thread)
{
    return BH_CORE_COUNT + thread;
}

struct wait {
    bool here;     /* the core or thread has not finished */
    bool runs;     /* it waits for nothing */
    bool hopeless; /* nobody can end the wait, whatever the others do */
    bool outside;  /* somebody outside of the tile may end it, or somebody who is not known */
    uint8_t on;    /* those that may end it, a bit for each node */
    uint8_t agent; /* enum bh_agent */
    uint8_t index;
    uint32_t pc;
    char line[WAIT_LINE]; /* "core T0 at 0x00006264 waits ..." */
    char what[80];        /* what it waits for: "SrcB"; empty: the line says it better */
    char why[120];        /* why that does not come: "nothing unpacks to it" */
};

struct waits {
    struct wait node[WAIT_NODES];
    unsigned count; /* of those that are here */
    unsigned going; /* threads that execute, and are not here: a bit for each node */
};

/* From the strongest to the weakest. */
enum waits_root { ROOT_HOPELESS, ROOT_CIRCLE, ROOT_RUNS, ROOT_OUTSIDE, ROOT_NONE };

/* Finds the root. *node: where it is; of a circle one of its nodes. */
enum waits_root waits_find_root(const struct waits *waits, unsigned *node);

/* "core T0", "thread T1". */
void wait_name(const struct wait *wait, struct text *text);

/* Writes the sentence about the root, then a line for each node behind "\n  ". Sets `places`, and `lines`: where the
   line of each begins in the text. */
void waits_write(const struct waits *waits, struct text *text, struct bh_place places[BH_PLACES],
                 uint16_t lines[BH_PLACES]);

/* Whether two tiles hang alike. */
bool waits_alike(const struct waits *a, const struct waits *b);

#endif
