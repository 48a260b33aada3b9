#include "tensix/units/vector/prng.h"

#include "tensix/units/state.h"

enum { STEPS_BEFORE_THE_FIRST_LANE = 32, STEPS_PER_LANE = 2 };

static uint32_t steps(uint32_t state, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        state = vector_prng_step(state);
    }
    return state;
}

/* The shift register with the seed fills the lanes' states from the last lane to the first. */
void vector_seed_prng(struct tensix *tensix, uint32_t seed)
{
    uint32_t state = steps(seed, STEPS_BEFORE_THE_FIRST_LANE);
    for (unsigned lane = SFPU_LANES; lane-- > 0;) {
        state = steps(state, STEPS_PER_LANE);
        tensix->state->vector.prng[lane] = state;
    }
}
