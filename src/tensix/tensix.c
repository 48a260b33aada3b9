#include "tensix/tensix.h"

#include <string.h>

void tensix_reset(struct tensix_state *state)
{
    memset(state, 0, sizeof *state);
    tensix_reset_zeroed(state);
}

void tensix_reset_zeroed(struct tensix_state *state)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        frontend_reset(&state->frontend[thread]);
    }
    memset(state->sync.mutex_owner, MUTEX_FREE, sizeof state->sync.mutex_owner);
    memset(state->dst.valid, 1, sizeof state->dst.valid);
    vector_reset_zeroed(&state->vector);
    stochastic_seed(state, 0);
}

uint32_t tensix_drain(struct tensix *tensix)
{
    uint32_t passed = 0, before;
    do {
        before = passed;
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            if (!frontend_idle(&tensix->state->frontend[thread])) {
                passed += frontend_drain(tensix, thread);
            }
        }
    } while (passed != before && !tensix->diagnostics->stopped);
    return passed;
}

bool tensix_thread_done(const struct tensix_state *state, unsigned thread)
{
    enum { BOTH = 3 };
    return frontend_idle(&state->frontend[thread]) && !unpack_owes(state, BOTH, thread);
}

bool tensix_idle(const struct tensix_state *state)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (!frontend_idle(&state->frontend[thread])) {
            return false;
        }
    }
    return !unpack_all_begun(&state->unpack);
}
