/* Recognises and describes Ethernet and DRAM tiles whose cores only wait. */
#include <stdio.h>

#include "chip/core_tile/core_tile.h"
#include "rv32/debug.h"
#include "tile/mmio.h"
#include "tile/waits.h"

bool core_tile_spins(struct core_tile *tile, uint64_t *cycles, bool on_trial)
{
    bool spins = true;
    clock_begin(&tile->clock, tile->clock.now);
    for (unsigned i = 0; spins && i < core_tile_cores(tile); i++) {
        if (!core_tile_core_runnable(tile, i)) {
            continue;
        }
        tile->core[i].halt = RV32_RUNNING;
        tile->executing = i + 1; /* registers that only the core reaches are among what it may poll */
        spins = core_spins(&tile->rv32[i], *cycles, on_trial, &tile->polled[i]);
        tile->executing = 0;
        tile->polled[i].spins = spins;
    }
    *cycles = on_trial ? 0 : clock_latest(&tile->clock);
    return spins;
}

static const char *name_of(const struct core_tile *tile, uint32_t address)
{
    const struct mmio_register *named = mmio_register_at(address);
    return named ? named->name : tile->kind->name_of ? tile->kind->name_of(address) : NULL;
}

/* Describes a core's waiting loop in one clause. */
static int explain_core(const struct core_tile *tile, unsigned core, char *buffer, unsigned size)
{
    const struct rv32_core *state = &tile->core[core];
    const struct polled *polled = &tile->polled[core];
    if (rv32_debug_abandoned(state)) {
        return snprintf(buffer, size,
                        "is paused by the ebreak or ecall before it, until a debugger resumes it, and there is none");
    }
    if (state->waiting) {
        return snprintf(buffer, size, "waits for a register (0x%08x)", state->wait_address);
    }
    if (!polled->spins) {
        return snprintf(buffer, size, "runs");
    }
    const char *name = polled->kind == POLLED_REGISTER ? name_of(tile, polled->address) : NULL;
    switch ((enum polled_kind)polled->kind) {
    case POLLED_NOTHING: return snprintf(buffer, size, "runs in a loop");
    case POLLED_LOCAL:
        return snprintf(buffer, size, "runs in a loop that reads 0x%x from 0x%08x, in its local RAM", polled->value,
                        polled->address);
    case POLLED_L1:
        return snprintf(buffer, size, "polls 0x%08x in L1, reads 0x%x: nobody writes it", polled->address,
                        polled->value);
    default:
        return snprintf(buffer, size, "polls 0x%08x (%s), reads 0x%x: nothing changes it", polled->address,
                        name ? name : "a register", polled->value);
    }
}

void core_tile_explain(const struct core_tile *tile, struct waits *waits)
{
    *waits = (struct waits){};
    for (unsigned i = 0; i < core_tile_cores(tile); i++) {
        if (!core_tile_core_runnable(tile, i) && !rv32_debug_abandoned(&tile->core[i])) {
            continue;
        }
        struct wait *wait = &waits->node[i];
        unsigned core = tile->kind->core[i];
        *wait = (struct wait){.here = true, .agent = BH_AGENT_CORE, .index = (uint8_t)core, .pc = tile->core[i].pc};
        waits->count++;
        wait->runs = !tile->core[i].waiting && !tile->polled[i].spins && !rv32_debug_abandoned(&tile->core[i]);
        wait->outside = !wait->runs;
        int length =
            snprintf(wait->line, sizeof wait->line, "core %s at 0x%08x ", bh_core_name((enum bh_core)core), wait->pc);
        (void)explain_core(tile, i, wait->line + length, sizeof wait->line - (unsigned)length);
    }
}
