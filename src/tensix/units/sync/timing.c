#include "tensix/units/sync/timing.h"

#include "isa/tensix_isa.h"
#include "tensix/units/state.h"
#include "time/timing.h"

/* What accepts the instruction; null: one that waits for ever. */
static struct timing_port *port_of(struct sync_timing *sync, uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_ATGETM:
    case TENSIX_OPCODE_ATRELM: {
        uint32_t mutex = decode_ATGETM(word).mutex_index;
        return sync_mutex_exists(mutex) ? &sync->mutex[mutex] : NULL;
    }
    default: return &sync->semaphores;
    }
}

bool sync_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct timing_port *port = port_of(&timing->sync, next->word);
    return port && timing_wait_until(timing, thread, timing_port_accepts(port, thread, timing->now[thread]));
}

static void change(struct sync_timing *sync, uint32_t semaphores, uint64_t time)
{
    for (uint32_t left = semaphores; left; left &= left - 1) {
        sync->changed[__builtin_ctz(left)] = time;
    }
}

void sync_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct sync_timing *sync = &tensix->state->timing.sync;
    uint64_t done = tensix->state->timing.now[thread] + 1;
    port_of(sync, passed->word)->accepts = done;
    switch (passed->word >> 24) {
    case TENSIX_OPCODE_SEMINIT:
    case TENSIX_OPCODE_SEMPOST:
    case TENSIX_OPCODE_SEMGET: change(sync, decode_SEMPOST(passed->word).sem_sel, done); break;
    default: break;
    }
}

void sync_core_writes(struct tensix_timing *timing, unsigned semaphore, uint64_t time)
{
    struct timing_port *port = &timing->sync.semaphores;
    uint64_t accepted = time + TIMING_CORE_REQUEST;
    accepted = accepted < port->accepts ? port->accepts : accepted;
    timing->sync.changed[semaphore] = accepted + 1;
    port->accepts = accepted + 1;
}
