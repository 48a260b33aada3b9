/* What comes next before the wait gate of a thread, shown to the engine as a burst. */
#ifndef BHEMU_TENSIX_FRONTEND_BURST_H
#define BHEMU_TENSIX_FRONTEND_BURST_H

#include "tensix/engine/burst.h"
#include "tensix/frontend/frontend.h"
#include "tensix/frontend/replay.h"
#include "tensix/units/dispatch.h"

/* Of fewer instructions from the FIFO the search takes longer than they do. */
enum { FEWEST_SHOWN = 3 };

/* Whether entry `first` of a FIFO, one that it has, executes by its unit, since the engine knows no other way, or too
   few instructions stand in a row from there on. */
static inline bool frontend_executes_alone(const struct instruction_fifo *fifo, uint32_t first)
{
    uint32_t word = fifo_entry(fifo, first)->word;
    if (tensix_in_a_row_by_unit(word)) {
        return true;
    }
    bool in_row = fifo->count - first >= FEWEST_SHOWN;
    for (uint32_t i = 1; i < FEWEST_SHOWN && in_row; i++) {
        uint32_t next = fifo_entry(fifo, first + i)->word;
        in_row = tensix_in_a_row_at_once(next) || is_replay(next);
    }
    return !in_row && tensix_in_a_row(word);
}

/* A burst, with the words and the places that it points to, and where it comes from. */
struct shown {
    struct burst burst;
    struct rounds rounds; /* of the MOP expander; no words: it comes from elsewhere */
    bool replays;         /* from the FIFO, with REPLAYs in it */
    uint32_t words[BURST_LONGEST], pcs[BURST_LONGEST];
};

/* Whether frontend_show() may find anything. */
static inline bool frontend_may_show(const struct frontend *frontend)
{
    return !frontend->at_gate && !frontend->wait.latched &&
           (frontend->replay.mode == REPLAY_EXECUTES || frontend->mop.active || frontend->fifo.count >= FEWEST_SHOWN);
}

/* Shows what comes next, if it may: what is left of a REPLAY, rounds of a MOP, or what core T has pushed. false: the
   next instruction is for frontend_step() alone. No more than the thread may pass is shown, but that a REPLAY comes to
   its end. */
bool frontend_show(const struct frontend *frontend, struct shown *shown);

/* Lets the first `executed` instructions, one or more, of what it shows leave the frontend. */
void frontend_leave(struct frontend *frontend, const struct shown *shown, uint32_t executed);

#endif
