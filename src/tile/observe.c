#include "tile/observe.h"

#include "tensix/units/observe.h"
#include "tile/mmio.h"

/* The reason for which an access to a region waits, by a core other than B. */
static enum bh_wait_reason reason_of(enum mmio_region_index region, unsigned core)
{
    switch (region) {
    case MMIO_PUSH:
    case MMIO_PUSH1:
    case MMIO_PUSH2: return BH_WAIT_FIFO;
    case MMIO_PC_BUF:
    case MMIO_PC_BUF1:
    case MMIO_PC_BUF2: return BH_WAIT_PCBUF;
    case MMIO_SEMAPHORES:
    case MMIO_TTSYNC: return core == BH_CORE_B ? BH_WAIT_PCBUF : BH_WAIT_TTSYNC;
    case MMIO_GPR:
    case MMIO_CONFIG:
    case MMIO_MOP_CONFIG: return BH_WAIT_TTSYNC;
    case MMIO_MAILBOX0:
    case MMIO_MAILBOX1:
    case MMIO_MAILBOX2:
    case MMIO_MAILBOX3: return BH_WAIT_MAILBOX;
    case MMIO_NIU0:
    case MMIO_NIU1: return BH_WAIT_NOC;
    default: return BH_WAIT_REGISTER;
    }
}

struct bh_wait tile_core_wait(const struct tile *tile, unsigned core)
{
    uint32_t address = tile->state->core[core].wait_address;
    return (struct bh_wait){.reason = reason_of(mmio_region_at(address), core), .detail = address};
}

static struct bh_wait core_wait(void *context, unsigned core)
{
    return tile_core_wait(context, core);
}

static void core_changed(void *context)
{
    tile_tell_changes(context);
}

void tile_observe(struct tile *tile, struct observed *observed)
{
    bool steps = observed && observed->kinds & OBSERVED_IN_STEPS;
    tile->observed = observed;
    tile->l1.observed = observed_wants(observed, BH_EVENT_ACCESS) ? observed : NULL;
    tile->tensix.observed = steps ? observed : NULL;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        tile->core[core].observed = steps ? observed : NULL;
    }
    if (observed) {
        observed->diagnostics = &tile->state->diagnostics;
        observed->tile = (struct observed_tile){.context = tile, .wait = core_wait, .changed = core_changed};
    }
    if (steps) {
        observed->tensix->kinds = 0;
        tensix_tell_changes(&tile->tensix);
    }
}

void tile_tell_changes(struct tile *tile)
{
    if (__builtin_expect(tile->tensix.observed != NULL, 0)) {
        tensix_tell_changes(&tile->tensix);
    }
}
