/* The wait gate in timed mode: when the condition of a latched wait is met, and the cycle by which it lags. */
#include "isa/tensix_isa.h"
#include "tensix/frontend/timed.h"
#include "tensix/units/state.h"
#include "time/clock.h"
#include "time/timing.h"

enum { C5_SRCA_CLEAR = 1 << 5, C7_SRCA_VALID = 1 << 7 }; /* those of SrcB are one bit higher */

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
        until = clock_later(until, timing->busy_until[what][i]);
    }
    return until;
}

uint64_t wait_gate_drained(const struct tensix_timing *timing, unsigned thread, uint32_t condition)
{
    uint64_t time = 0;
    for (unsigned i = 0; i < sizeof busy_conditions / sizeof *busy_conditions; i++) {
        if (condition & busy_conditions[i].bit) {
            time = clock_later(time, busy_until(timing, thread, busy_conditions[i].what, busy_conditions[i].whose));
        }
    }
    return time;
}

/* When the banks that a STALLWAIT asks about came to those whom they belong to. */
static uint64_t handed_over(const struct tensix_state *state, uint32_t condition)
{
    const struct tensix_timing *timing = &state->timing;
    const struct src_register_file *const sources[] = {&state->srca, &state->srcb};
    uint64_t time = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t cleared = condition & C5_SRCA_CLEAR << i ? timing->matrix.released[i][sources[i]->unpacker_bank] : 0;
        uint64_t valid = condition & C7_SRCA_VALID << i ? timing->unpack.filled[i][sources[i]->matrix_bank] : 0;
        time = clock_later(time, clock_later(cleared, valid));
    }
    return time;
}

/* When the semaphores that a SEMWAIT looks at came to their present values. */
static uint64_t changed(const struct tensix_timing *timing, uint32_t semaphores)
{
    uint64_t time = 0;
    for (uint32_t left = semaphores; left; left &= left - 1) {
        time = clock_later(time, timing->sync.changed[__builtin_ctz(left)]);
    }
    return time;
}

static uint64_t met_since(const struct tensix_state *state, unsigned thread, const struct latched_wait *wait)
{
    switch (wait->opcode) {
    case TENSIX_OPCODE_STALLWAIT:
        return clock_later(wait_gate_drained(&state->timing, thread, wait->condition),
                           handed_over(state, wait->condition));
    case TENSIX_OPCODE_SEMWAIT: return changed(&state->timing, wait->semaphores);
    default: return 0;
    }
}

bool wait_gate_holds_timed(struct tensix *tensix, unsigned thread)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct frontend_timing *own = &timing->frontend[thread];
    if (own->ends) {
        return timing_wait_until(timing, thread, own->ends);
    }
    if (wait_gate_holds(tensix, thread)) {
        own->holds = true;
        return true;
    }
    if (own->holds) {
        own->holds = false;
        own->met = timing->now[thread];
    }
    uint64_t met = clock_later(met_since(tensix->state, thread, &tensix->state->frontend[thread].wait), own->met);
    if (met <= timing->now[thread]) {
        own->ends = met + TIMING_WAIT_GATE_LAG; /* whatever the thread's next instruction, which may pass now, does */
    }
    return timing_wait_until(timing, thread, met + TIMING_WAIT_GATE_LAG);
}

bool frontend_waits_for_others(const struct tensix *tensix, unsigned thread)
{
    const struct frontend *frontend = &tensix->state->frontend[thread];
    uint32_t opcode = frontend->next.word >> 24;
    bool for_stream = frontend->wait.latched && frontend->wait.opcode == TENSIX_OPCODE_STREAMWAIT;
    bool for_l1 = opcode == TENSIX_OPCODE_ATCAS || opcode == TENSIX_OPCODE_ATINCGETPTR;
    return frontend->at_gate && !for_stream && !for_l1;
}

void wait_gate_latched(struct tensix *tensix, unsigned thread)
{
    struct frontend_timing *own = &tensix->state->timing.frontend[thread];
    own->holds = false;
    own->ends = 0;
    own->met = tensix->state->timing.now[thread] + 1; /* it is looked at from the next cycle on */
}
