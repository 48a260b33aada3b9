/* What an agent knows of others: for each part of each tile the number of its last step that has certainly happened
   before what the agent does now (a vector clock). A step of a core is all that it does between two places at which it
   tells others; a step of a unit is an instruction. */
#ifndef BHEMU_CHECK_VIEW_H
#define BHEMU_CHECK_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/diagnostic.h"

enum { CHECK_DMA_STREAMS = 2 };

/* Whoever does things in an order of its own, in one tile. */
enum check_part {
    PART_CORE,                                       /* + number of the core: its instructions, and its loads */
    PART_STORE = PART_CORE + BH_CORE_KINDS,          /* + core: its stores to L1, which are performed later */
    PART_CONFIG_STORE = PART_STORE + BH_CORE_KINDS,  /* + core: stores to configuration, GPRs, Dst, the same */
    PART_THREAD = PART_CONFIG_STORE + BH_CORE_KINDS, /* + thread: what takes effect as it leaves the wait gate */
    PART_MOP = PART_THREAD + 3,                      /* + thread: its MOP expander */
    /* Units, + thread: each thread's instructions in a unit are in order, those of different threads are not, but for
       the matrix unit, where those are whose order of being taken is known. */
    PART_UNPACKER = PART_MOP + 3, /* + 3 for unpacker 1 */
    PART_MATRIX = PART_UNPACKER + 6,
    PART_VECTOR = PART_MATRIX + 3,
    PART_PACKER = PART_VECTOR + 3,
    PART_SCALAR = PART_PACKER + 3,
    PART_LOADED = PART_SCALAR + 3, /* GPRs that the scalar unit's memory requests write, later */
    PART_CONFIG,                   /* GPRs and configuration that RDCFG and STREAMWRCFG write, later */
    PART_MOVER,
    PART_DMA, /* + 2 for the second stream, + 1 for its writes: copies of the DMA engine of a DRAM tile */
    PART_MATRIX_TAKES = PART_DMA + 2 * CHECK_DMA_STREAMS, /* + thread: its instructions that the matrix unit has taken,
                                                             not yet ended */
    PART_NOC_READ = PART_MATRIX_TAKES + 3,                /* + NoC: what the tile's reads do, here and elsewhere */
    PART_NOC_ATOMIC = PART_NOC_READ + 2,                  /* + NoC: its atomic operations */
    PART_NOC_SOURCE = PART_NOC_ATOMIC + 2,                /* + NoC: what its writes read, before they are sent; ... */
    PART_NOC_WRITE = PART_NOC_SOURCE + 2,                 /* + NoC: ... and what they write, in the same steps */
    CHECK_PARTS = PART_NOC_WRITE + 2
};

enum { VIEW_ARRIVALS = 4 };

/* What is known of one tile. */
struct view_tile {
    uint32_t tile;
    uint32_t users;          /* who share it; it does not change while they do. 0: nobody else has it, it is copied */
    const struct view *from; /* view_share_own() of this view, of this part at this step; null: of none */
    uint32_t part, step;
    uint32_t known[CHECK_PARTS];
    /* Writes over each NoC that have arrived though earlier ones may not have: the latest, by their steps; 0: none. */
    uint32_t arrived[2][VIEW_ARRIVALS];
    bool any_arrived;
};

/* What is known of other tiles: the views of a tile mostly know the same of them, and share it. */
struct view_others;

struct view {
    uint32_t home;              /* the tile whose view it is, */
    struct view_tile *own;      /* and what is known of that; null: nothing */
    struct view_others *others; /* null: nothing */
    struct view_others *joined; /* what others knew when they were joined last: once is enough */
    uint32_t changes;           /* so far: a view that has not changed tells nothing new; ... */
    uint32_t cleared;           /* ... and when it was cleared last: it knows nothing if it has not changed since */
};

/* Forgets everything, and keeps room for it; keeps none. */
void view_clear(struct view *view);
void view_free(struct view *view);

/* What is known of a tile; null: nothing. Valid until the view changes. */
const struct view_tile *view_find(const struct view *view, uint32_t tile);

/* What is known of the view's own tile now, and that a part has come to a step, each time a later one; of a view that
   is never cleared. It can be shared; null: no memory. view_leave() when it is not needed any more; that takes null,
   too.
 */
struct view_tile *view_share_own(const struct view *view, unsigned part, uint32_t step);
void view_leave(struct view_tile *tile);

/* The same of a write over the NoC, though its earlier ones may not have arrived. */
struct view_tile *view_share_arrival(const struct view *view, unsigned part, uint32_t step);

/* Another write of that part over the NoC, the one of this step, is known to have arrived, too. Only for a view that
   nobody else shares yet. */
void view_add_arrival(struct view_tile *known, unsigned part, uint32_t step);

/* A part has come to a step. false: no memory. */
bool view_learn_step(struct view *view, uint32_t tile, unsigned part, uint32_t step);

/* A write over the NoC has arrived; its earlier ones may not have. false: no memory. */
bool view_learn_arrival(struct view *view, uint32_t tile, unsigned part, uint32_t step);

/* `to` knows from here on what `from` knows, too. false: no memory. */
bool view_join(struct view *to, const struct view *from);

/* The same, but `own` in place of what `from` knows of its own tile; null: that. */
bool view_join_with(struct view *to, const struct view *from, const struct view_tile *own);

/* Whether `view` knows all that `other` knows, but for a part of a tile. */
bool view_includes(const struct view *view, const struct view *other, uint32_t tile, unsigned part);

/* Of a part of a unit and a thread, that of T0. */
static inline unsigned unit_of_part(unsigned part)
{
    return part >= PART_UNPACKER && part < PART_LOADED ? part - (part - PART_UNPACKER) % 3 : part;
}

/* Requests on the NoC are steps of the tile that has started them, wherever they read and write. */
static inline bool is_noc_part(unsigned part)
{
    return part >= PART_NOC_READ;
}

static inline bool is_dma_part(unsigned part)
{
    return part >= PART_DMA && part < PART_MATRIX_TAKES;
}

static inline bool view_has_arrival(const struct view_tile *known, unsigned part, uint32_t step)
{
    bool any = false;
    for (unsigned i = 0; known->any_arrived && part >= PART_NOC_WRITE && i < VIEW_ARRIVALS; i++) {
        any |= known->arrived[part - PART_NOC_WRITE][i] == step;
    }
    return any;
}

/* A write that has arrived was sent. */
static inline bool view_has_sent(const struct view_tile *known, unsigned part, uint32_t step)
{
    unsigned write = part + PART_NOC_WRITE - PART_NOC_SOURCE;
    return part >= PART_NOC_SOURCE && part < PART_NOC_WRITE &&
           (known->known[write] >= step || view_has_arrival(known, write, step));
}

/* Whether it is known that a part has come to a step. */
static inline bool view_has(const struct view_tile *known, unsigned part, uint32_t step)
{
    return step == 0 || (known && (known->known[part] >= step || view_has_arrival(known, part, step) ||
                                   view_has_sent(known, part, step)));
}

static inline uint32_t view_knows(const struct view *view, uint32_t tile, unsigned part)
{
    const struct view_tile *known = view_find(view, tile);
    return known ? known->known[part] : 0;
}

#endif
