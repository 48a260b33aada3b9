/* Registers behind the PCBuf in the address space of a T core: manual TTSync and semaphores. For B these addresses
   belong to PCBuf 0. Sources: ISA documentation ManualTTSync.md, SyncUnit.md. */
#include "tensix/frontend/timed.h"
#include "tile/handlers.h"

enum { COPROCESSOR_DONE_CHECK = 4, MOP_EXPANDER_DONE_CHECK = 8 };

/* Addresses relative to the PCBuf. */
static uint32_t offset_of(const struct mmio_access *access)
{
    return access->address - mmio_region(MMIO_PC_BUF)->first;
}

static bool mop_done(const struct tensix_state *state, unsigned thread)
{
    return frontend_mop_idle(&state->frontend[thread]);
}

enum step ttsync_load(const struct mmio_access *access, uint32_t *value)
{
    struct tile *tile = access->tile;
    if (access->agent == BH_CORE_B) {
        return pc_buf_load_b(tile, 0, value);
    }
    unsigned thread = thread_of(access->agent);
    bool (*is_done)(const struct tensix_state *state, unsigned thread);
    switch (offset_of(access)) {
    case COPROCESSOR_DONE_CHECK: is_done = tensix_thread_done; break;
    case MOP_EXPANDER_DONE_CHECK: is_done = mop_done; break;
    default: return mmio_nothing_there(access);
    }
    bool done = is_done(&tile->state->tensix, thread);
    if (!done) { /* the thread executes what it can at once, so that the core often need not wait */
        frontend_drain(&tile->tensix, thread);
        if (tile->state->diagnostics.stopped) {
            return STEP_STOP;
        }
        done = is_done(&tile->state->tensix, thread);
    }
    bool overridden = pc_buf_override_enabled(tile, thread) && pc_buf_override_busy(tile, thread);
    if (tile->tensix.timed && done && !overridden && is_done == tensix_thread_done) {
        timed_reach(access, frontend_done(&tile->tensix, thread));
    } else if (tile->jitter && done && is_done == tensix_thread_done) {
        lag_drain(&tile->tensix, LAG_OF_ALL, thread);
    }
    *value = 0; /* undefined */
    return done || overridden ? STEP_DONE : STEP_WAIT;
}

enum step ttsync_store(const struct mmio_access *access, uint32_t value)
{
    if (access->agent == BH_CORE_B) {
        return pc_buf_store_b(access->tile, 0, value);
    }
    uint32_t offset = offset_of(access);
    if (offset != COPROCESSOR_DONE_CHECK && offset != MOP_EXPANDER_DONE_CHECK) {
        return mmio_nothing_there(access);
    }
    return STEP_DONE; /* discarded */
}

enum step semaphore_load(const struct mmio_access *access, uint32_t *value)
{
    if (access->agent == BH_CORE_B) {
        return pc_buf_load_b(access->tile, 0, value);
    }
    unsigned semaphore = access->offset / 4;
    if (semaphore >= SEMAPHORES) {
        return mmio_nothing_there(access);
    }
    *value = access->tile->state->tensix.sync.semaphore[semaphore].value;
    return STEP_DONE;
}

enum step semaphore_store(const struct mmio_access *access, uint32_t value)
{
    if (access->agent == BH_CORE_B) {
        return pc_buf_store_b(access->tile, 0, value);
    }
    unsigned semaphore = access->offset / 4;
    if (semaphore >= SEMAPHORES) {
        return mmio_nothing_there(access);
    }
    struct sync_unit *sync = &access->tile->state->tensix.sync;
    if (access->tile->tensix.timed) {
        sync_core_writes(&access->tile->state->tensix.timing, semaphore,
                         clock_of(&access->tile->state->clock, access->agent));
    }
    if (value & 1) {
        sync_semaphore_get(sync, semaphore);
    } else {
        sync_semaphore_post(sync, semaphore);
    }
    return STEP_DONE;
}
