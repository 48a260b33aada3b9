/* The wait gate in timed mode: when the condition of a latched wait is met, and the cycle by which it lags. */
#include "isa/tensix_isa.h"
#include "tensix/frontend/timed.h"
#include "tensix/units/state.h"
#include "time/timing.h"

/* Which thread's instructions a condition of STALLWAIT is about. */
enum whose { OWN, ANYBODYS };

static const struct {
    uint16_t bit;
    uint8_t what; /* enum timing_busy */
    uint8_t whose;
} busy_conditions[] = {
    {1 << 0, BUSY_SCALAR, OWN}, {1 << 1, BUSY_UNPACK0, OWN}, {1 << 2, BUSY_UNPACK1, OWN},
    {1 << 3, BUSY_PACK, OWN},   {1 << 4, BUSY_MATRIX, OWN},  {1 << 9, BUSY_MOVER, ANYBODYS},
    {1 << 10, BUSY_CORE, OWN},  {1 << 11, BUSY_VECTOR, OWN}, {1 << 12, BUSY_CONFIG, ANYBODYS},
};

static uint64_t busy_until(const struct tensix_timing *timing, unsigned thread, unsigned what, enum whose whose)
{
    uint64_t until = timing->busy_until[what][thread];
    for (unsigned i = 0; whose == ANYBODYS && i < TENSIX_THREADS; i++) {
        until = until < timing->busy_until[what][i] ? timing->busy_until[what][i] : until;
    }
    return until;
}

/* When the last unit that a STALLWAIT waits for has drained. */
static uint64_t drained(const struct tensix_timing *timing, unsigned thread, uint32_t condition)
{
    uint64_t time = 0;
    for (unsigned i = 0; i < sizeof busy_conditions / sizeof *busy_conditions; i++) {
        if (condition & busy_conditions[i].bit) {
            uint64_t until = busy_until(timing, thread, busy_conditions[i].what, busy_conditions[i].whose);
            time = time < until ? until : time;
        }
    }
    return time;
}

/* When the semaphores that a SEMWAIT looks at came to their present values. */
static uint64_t changed(const struct tensix_timing *timing, uint32_t semaphores)
{
    uint64_t time = 0;
    for (uint32_t left = semaphores; left; left &= left - 1) {
        uint64_t since = timing->sync.changed[__builtin_ctz(left)];
        time = time < since ? since : time;
    }
    return time;
}

static uint64_t met_since(const struct tensix_timing *timing, unsigned thread, const struct latched_wait *wait)
{
    switch (wait->opcode) {
    case TENSIX_OPCODE_STALLWAIT: return drained(timing, thread, wait->condition);
    case TENSIX_OPCODE_SEMWAIT: return changed(timing, wait->semaphores);
    default: return 0;
    }
}

bool wait_gate_holds_timed(struct tensix *tensix, unsigned thread)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct frontend_timing *own = &timing->frontend[thread];
    if (wait_gate_holds(tensix, thread)) {
        own->holds = true;
        return true;
    }
    if (own->holds) {
        own->holds = false;
        own->met = timing->now[thread];
    }
    uint64_t met = met_since(timing, thread, &tensix->state->frontend[thread].wait);
    return timing_wait_until(timing, thread, (met < own->met ? own->met : met) + TIMING_WAIT_GATE_LAG);
}

void wait_gate_latched(struct tensix *tensix, unsigned thread)
{
    struct frontend_timing *own = &tensix->state->timing.frontend[thread];
    own->holds = false;
    own->met = tensix->state->timing.now[thread] + 1; /* it is looked at from the next cycle on */
}
