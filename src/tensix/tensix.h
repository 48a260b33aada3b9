/* The Tensix coprocessor of one tile as a whole: three threads, each with its frontend (frontend/frontend.h), in front
   of the units that they share (units/state.h). For the tile; what lies below includes units/state.h only. */
#ifndef BHEMU_TENSIX_TENSIX_H
#define BHEMU_TENSIX_TENSIX_H

#include "tensix/frontend/frontend.h"
#include "tensix/units/state.h"

/* Puts the coprocessor into the state that it has after reset. */
void tensix_reset(struct tensix_state *state);

/* The same for a state that is all zero bytes; it leaves most of them untouched, so that their memory stays unmapped.
 */
void tensix_reset_zeroed(struct tensix_state *state);

/* Lets every thread execute until none can go on. Returns how many instructions passed. It ends early when a diagnostic
   stops the tile. */
uint32_t tensix_drain(struct tensix *tensix);

/* Whether no instruction of the thread is on its way, nor waits within an unpacker. */
bool tensix_thread_done(const struct tensix_state *state, unsigned thread);

/* The same of all threads. */
bool tensix_idle(const struct tensix_state *state);

#endif
