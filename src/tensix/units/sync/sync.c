/* Semaphores and mutexes. Sources: chapter "stallwait conditions"; ISA documentation SyncUnit.md, ATGETM.md, ATRELM.md,
   SEMINIT.md, SEMPOST.md, SEMGET.md. */
#include "tensix/units/execute.h"

#include <string.h>

enum { MUTEX_HOLE = 1, MUTEX_LAST = 4 };

void sync_reset(struct sync_unit *sync)
{
    memset(sync, 0, sizeof *sync);
    memset(sync->mutex_owner, MUTEX_FREE, sizeof sync->mutex_owner);
}

bool sync_mutex_exists(unsigned mutex)
{
    return mutex != MUTEX_HOLE && mutex <= MUTEX_LAST;
}

void sync_semaphore_post(struct sync_unit *sync, unsigned semaphore)
{
    if (sync->semaphore[semaphore].value < SEMAPHORE_LIMIT) {
        sync->semaphore[semaphore].value++;
    }
}

void sync_semaphore_get(struct sync_unit *sync, unsigned semaphore)
{
    if (sync->semaphore[semaphore].value > 0) {
        sync->semaphore[semaphore].value--;
    }
}

enum step execute_SEMINIT(struct tensix *tensix, unsigned thread, struct args_SEMINIT args)
{
    struct sync_unit *sync = &tensix->state->sync;
    for (uint32_t left = args.sem_sel; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        sync->semaphore[i].value = (uint8_t)args.init_value;
        sync->semaphore[i].max = (uint8_t)args.max_value;
    }
    return STEP_DONE;
}

enum step execute_SEMPOST(struct tensix *tensix, unsigned thread, struct args_SEMPOST args)
{
    for (uint32_t left = args.sem_sel; left; left &= left - 1) {
        sync_semaphore_post(&tensix->state->sync, (unsigned)__builtin_ctz(left));
    }
    return STEP_DONE;
}

enum step execute_SEMGET(struct tensix *tensix, unsigned thread, struct args_SEMGET args)
{
    for (uint32_t left = args.sem_sel; left; left &= left - 1) {
        sync_semaphore_get(&tensix->state->sync, (unsigned)__builtin_ctz(left));
    }
    return STEP_DONE;
}

/* A thread that waits for a mutex that does not exist waits for ever: documented, and never intended. */
static enum step wait_for_missing_mutex(struct tensix *tensix, const char *instruction, uint32_t mutex)
{
    enum step step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                              "%s: there is no mutex %u, so the thread waits for ever; Blackhole has 0, 2, 3 and 4",
                              instruction, mutex);
    return step == STEP_STOP ? STEP_STOP : STEP_WAIT;
}

enum step execute_ATGETM(struct tensix *tensix, unsigned thread, struct args_ATGETM args)
{
    struct sync_unit *sync = &tensix->state->sync;
    if (!sync_mutex_exists(args.mutex_index)) {
        return wait_for_missing_mutex(tensix, "ATGETM", args.mutex_index);
    }
    uint8_t *owner = &sync->mutex_owner[args.mutex_index];
    uint8_t *waiters = &sync->mutex_waiters[args.mutex_index];
    if (*owner != MUTEX_FREE && *owner != thread) {
        *waiters |= (uint8_t)(1u << thread);
        return STEP_WAIT;
    }
    *owner = (uint8_t)thread;
    *waiters &= (uint8_t) ~(1u << thread);
    return STEP_DONE;
}

/* A released mutex goes to the next thread in turn that waits for it. Releasing a mutex that the thread does not hold
   has no effect. */
enum step execute_ATRELM(struct tensix *tensix, unsigned thread, struct args_ATRELM args)
{
    struct sync_unit *sync = &tensix->state->sync;
    if (!sync_mutex_exists(args.mutex_index)) {
        return wait_for_missing_mutex(tensix, "ATRELM", args.mutex_index);
    }
    uint8_t *owner = &sync->mutex_owner[args.mutex_index];
    if (*owner != thread) {
        return STEP_DONE;
    }
    *owner = MUTEX_FREE;
    for (unsigned i = 1; i < TENSIX_THREADS; i++) {
        unsigned next = (thread + i) % TENSIX_THREADS;
        if (sync->mutex_waiters[args.mutex_index] & (1u << next)) {
            *owner = (uint8_t)next;
            break;
        }
    }
    return STEP_DONE;
}

TENSIX_RUN(SEMINIT)
TENSIX_RUN(SEMPOST)
TENSIX_RUN(SEMGET)
TENSIX_RUN(ATGETM)
TENSIX_RUN(ATRELM)
