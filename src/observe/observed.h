/* Reports of one tile to observers (include/bhemu/event.h). Parts with events have a pointer to the tile's struct
   observed, which is null while the tile is not observed: this test is the only cost then. The reporting part fills in
   its own fields of the event; observed_event() fills in place, time and agent. */
#ifndef BHEMU_OBSERVE_OBSERVED_H
#define BHEMU_OBSERVE_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/event.h"
#include "debug/diagnostic.h"

enum { OBSERVED_CORES = BH_CORE_KINDS, OBSERVED_THREADS = 3 };

/* The reported state of a core or a thread. */
struct observed_executor {
    bool issued;         /* whether its current instruction was reported as issued, */
    uint32_t pc, word;   /* that instruction, */
    struct bh_wait wait; /* the reason for which it waits, */
    uint64_t cycle;      /* the time of the last event */
    bool goes_on;        /* observed_goes_on() has made this event, of which little changes: */
    struct bh_event event;
};

struct observed_tensix; /* registers as last reported: tensix/units/observe.h */

/* State of the tile that its parts do not have; may be null. */
struct observed_tile {
    void *context;
    struct bh_wait (*wait)(void *context, unsigned core); /* why a core waits */
    void (*changed)(void *context); /* the executing agent has written registers: reports the changes */
};

struct observed {
    uint64_t kinds; /* union of all observers' kinds: bits of enum bh_event_kind */
    const struct bh_observer *const *observers;
    unsigned count;
    uint8_t x, y;         /* of NoC 0 */
    const uint8_t *names; /* of tiles other than Tensix tiles: enum bh_core of the cores with the numbers of B and NC */
    uint64_t cycle;
    struct bh_issue issue;                   /* of the thread's instruction that is about to be reported as issued */
    const struct diagnostics *diagnostics;   /* its `now` names the executing agent; null: the tile has none */
    const struct diagnostic_origin *outside; /* the agent of an access from outside, during that; else null */
    const struct diagnostic_origin *cause;   /* the instruction of a write that arrives later, during that; else null */
    bool uncached;                           /* a core reads L1 without its data cache, during that */
    struct observed_executor core[OBSERVED_CORES], thread[OBSERVED_THREADS];
    struct observed_tensix *tensix;
    struct observed_tile tile;
    /* A debugger's. */
    bool every_round; /* the tile does not rest while its cores go round: each instruction is told */
    bool leaves;      /* set by the observer of an instruction that a core issues: it is not executed, and the core's
                         turn ends, with its pc at */
    uint32_t goes_to;
    const struct bh_observer *only; /* repeats what all others were told before: only this one is. Null: all are */
};

/* An agent other than the executing one. */
struct actor {
    uint8_t agent, index; /* enum bh_agent */
};

static inline bool observed_wants(const struct observed *observed, enum bh_event_kind kind)
{
    return observed && observed->kinds >> kind & 1;
}

/* An event of this kind at the current place and time, by the agent in `diagnostics->now`. */
struct bh_event observed_event(struct observed *observed, enum bh_event_kind kind);

/* The same for a core or a thread that executes `word` of `pc`. */
struct bh_event observed_event_of(struct observed *observed, enum bh_event_kind kind, enum bh_agent agent,
                                  unsigned index, uint32_t pc, uint32_t word);

/* The same as observed_event(), of an agent whose own clock does not stand at the current time. */
struct bh_event observed_event_aside(struct observed *observed, enum bh_event_kind kind);

/* Delivers an event to the observers of its kind. */
void observed_tell(const struct observed *observed, const struct bh_event *event);

/* Reports an access to memory. `data`: the bytes. */
void observed_access(struct observed *observed, struct actor actor, enum bh_space space, bool write, uint64_t address,
                     uint32_t size, const void *data);

/* The stages of an instruction of a core or a thread, in this order. While it waits each may be repeated, and then
   reports nothing except a changed reason. */
void observed_issued(struct observed *observed, enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word);
/* Whether a core's instruction was reported as issued before, and has not waited for anybody since; and when. */
bool observed_began(struct observed *observed, unsigned core, uint32_t pc, uint32_t word, uint64_t *cycle);
/* The same as that the core's last instruction has retired, and this one is issued, where nobody wants the former. */
void observed_goes_on(struct observed *observed, unsigned core, uint32_t pc, uint32_t word);
void observed_waits(struct observed *observed, enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word,
                    struct bh_wait wait);
void observed_retired(struct observed *observed, enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word);

#endif
