/* PCBufs: a FIFO of 16 values from B to each T core. A read by B waits until the T core has popped everything, is
   waiting for more, and its Tensix thread is idle. Source: ISA documentation PCBufs.md. */
#include "tensix/frontend/timed.h"
#include "tile/handlers.h"

enum { OVERRIDE_BITS = 10 };

static uint32_t override_field(const struct tile *tile, unsigned thread, unsigned shift, uint32_t mask)
{
    uint32_t word = tile->state->registers.debug[(MMIO_ADDRESS_TRISC_PC_BUF_OVERRIDE - 0xFFB12000u) / 4];
    return word >> (OVERRIDE_BITS * thread + shift) & mask;
}

bool pc_buf_override_enabled(const struct tile *tile, unsigned thread)
{
    return override_field(tile, thread, 0, 1);
}

bool pc_buf_override_busy(const struct tile *tile, unsigned thread)
{
    return override_field(tile, thread, 1, 1);
}

uint32_t pc_buf_override_value(const struct tile *tile, unsigned thread)
{
    return override_field(tile, thread, 2, 0xff);
}

bool pc_buf_is_awaited(const struct tile *tile, unsigned index)
{
    const struct rv32_core *core = &tile->state->core[index];
    return core->waiting && (core->wait_address & ~3u) == mmio_region(MMIO_PC_BUF)->first &&
           core->halt == RV32_RUNNING && index != BH_CORE_B;
}

enum step pc_buf_load_b(struct tile *tile, unsigned thread, uint32_t *value)
{
    const struct tile_state *state = tile->state;
    bool overridden = pc_buf_override_enabled(tile, thread) && pc_buf_override_busy(tile, thread);
    bool drained = state->registers.pc_buf[thread].count == 0 && pc_buf_is_awaited(tile, BH_CORE_T0 + thread) &&
                   tensix_thread_done(&state->tensix, thread);
    *value = 0;
    if (tile->tensix.timed && drained && !overridden) {
        clock_reach(&tile->state->clock, BH_CORE_B, frontend_done(&tile->tensix, thread));
    } else if (tile->jitter && drained) {
        lag_drain(&tile->tensix, LAG_OF_ALL, thread);
    }
    return overridden || drained ? STEP_DONE : STEP_WAIT;
}

enum step pc_buf_store_b(struct tile *tile, unsigned thread, uint32_t value)
{
    struct pc_buf *pc_buf = &tile->state->registers.pc_buf[thread];
    if (pc_buf->count == PC_BUF_CAPACITY) {
        return STEP_WAIT;
    }
    pc_buf->values[(pc_buf->head + pc_buf->count) % PC_BUF_CAPACITY] = value;
    pc_buf->count++;
    return STEP_DONE;
}

/* The PCBuf that B accesses: there is one region for each. */
static unsigned pc_buf_of_b(const struct mmio_access *access)
{
    return access->region == MMIO_PC_BUF1 ? 1 : access->region == MMIO_PC_BUF2 ? 2 : 0;
}

static enum step pop(struct tile *tile, unsigned thread, uint32_t *value)
{
    struct pc_buf *pc_buf = &tile->state->registers.pc_buf[thread];
    if (pc_buf->count) {
        *value = pc_buf->values[pc_buf->head];
        pc_buf->head = (pc_buf->head + 1) % PC_BUF_CAPACITY;
        pc_buf->count--;
        return STEP_DONE;
    }
    if (pc_buf_override_enabled(tile, thread)) {
        *value = pc_buf_override_value(tile, thread);
        return STEP_DONE;
    }
    return STEP_WAIT;
}

enum step pc_buf_load(const struct mmio_access *access, uint32_t *value)
{
    if (access->agent == BH_CORE_B) {
        return pc_buf_load_b(access->tile, pc_buf_of_b(access), value);
    }
    return pop(access->tile, thread_of(access->agent), value);
}

enum step pc_buf_store(const struct mmio_access *access, uint32_t value)
{
    if (access->agent == BH_CORE_B) {
        return pc_buf_store_b(access->tile, pc_buf_of_b(access), value);
    }
    return STEP_DONE; /* discarded */
}
