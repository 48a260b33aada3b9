/* What observers are told of one tile (include/bhemu/event.h). Rooms that have something to tell hold a pointer to
   the tile's struct observed, which is null as long as nobody wants to hear of it: that one test is all that it costs.
   Who tells fills in the part of the event that is its own; observed_event() says where, when and whose doing it is. */
#ifndef BHEMU_OBSERVE_OBSERVED_H
#define BHEMU_OBSERVE_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/event.h"
#include "debug/diagnostic.h"

enum { OBSERVED_CORES = BH_CORE_COUNT + 2, OBSERVED_THREADS = 3 };

/* A core or a thread, as far as it was told of. */
struct observed_executor {
    bool issued;         /* its next instruction, */
    uint32_t pc, word;   /* which is this one; */
    struct bh_wait wait; /* what that waits for */
    uint64_t cycle;      /* of its last event */
};

struct observed_tensix; /* registers as they were told: tensix/units/observe.h */

/* What a tile knows of its parts that they do not; may be null. */
struct observed_tile {
    void *context;
    struct bh_wait (*wait)(void *context, unsigned core); /* why a core waits */
    void (*changed)(void *context); /* who executes now has written registers: tells what came of it */
};

struct observed {
    uint64_t kinds; /* that any of the observers wants: bits of enum bh_event_kind */
    const struct bh_observer *const *observers;
    unsigned count;
    uint8_t x, y;  /* of NoC 0 */
    bool ethernet; /* whose two cores are known to themselves as B and NC */
    uint64_t cycle;
    const struct diagnostics *diagnostics;   /* whose `now` says who executes; null: nobody does on this tile */
    const struct diagnostic_origin *outside; /* who acts instead, while it is somebody outside; else null */
    struct observed_executor core[OBSERVED_CORES], thread[OBSERVED_THREADS];
    struct observed_tensix *tensix;
    struct observed_tile tile;
};

/* Who acts, if that is not who executes. */
struct actor {
    uint8_t agent, index; /* enum bh_agent */
};

static inline bool observed_wants(const struct observed *observed, enum bh_event_kind kind)
{
    return observed && observed->kinds >> kind & 1;
}

/* An event of this kind, here and now, by who executes according to `diagnostics->now`. */
struct bh_event observed_event(struct observed *observed, enum bh_event_kind kind);

/* The same of a core or a thread that executes `word` of `pc`. */
struct bh_event observed_event_of(struct observed *observed, enum bh_event_kind kind, enum bh_agent agent,
                                  unsigned index, uint32_t pc, uint32_t word);

/* Hands an event to who wants it. */
void observed_tell(const struct observed *observed, const struct bh_event *event);

/* Tells of an access to memory. `data`: the bytes. */
void observed_access(struct observed *observed, struct actor actor, enum bh_space space, bool write, uint64_t address,
                     uint32_t size, const void *data);

/* What becomes of the next instruction of a core or a thread, in this order; each may come again while it waits, and
   then tells nothing, or only that the reason is another one now. */
void observed_issued(struct observed *observed, enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word);
void observed_waits(struct observed *observed, enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word,
                    struct bh_wait wait);
void observed_retired(struct observed *observed, enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word);

#endif
