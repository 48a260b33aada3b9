#include "tile/sight.h"

#include <string.h>

#include "rv32/debug.h"
#include "tile/handlers.h"
#include "tile/tile.h"

enum { MOST_INSTRUCTIONS = 4096 }; /* the longest loop that is recognised */
enum { OPCODE_STORE = 0x23, OPCODE_FLOAT_STORE = 0x27, OPCODE_AMO = 0x2f };

/* A core on trial, and what accesses to registers may change meanwhile. */
struct trial {
    struct tile *tile;
    struct rv32_core core;
    uint8_t local_ram[LOCAL_RAM_SIZE];
    struct diagnostics diagnostics;
    struct clock clock;
    bool refused; /* the core was about to do what may not be tried */
};

/* Loads that have no effect, and whose value only others change. */
static bool may_load(uint32_t address)
{
    enum mmio_region_index region = mmio_region_at(address);
    const struct mmio_register *named = mmio_register_at(address);
    switch (region) {
    case MMIO_NIU0:
    case MMIO_NIU1:
    case MMIO_OVERLAY:
    case MMIO_MAILBOX0:
    case MMIO_MAILBOX1:
    case MMIO_MAILBOX2:
    case MMIO_MAILBOX3: return !load_consumes(address);
    case MMIO_SEMAPHORES: return true;
    case MMIO_DEBUG: return named && named->load == MMIO_KIND_STATE && !load_tells_time(address);
    default: return false;
    }
}

static enum step try_load(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    struct trial *trial = context;
    if (!may_load(address) || (core == BH_CORE_B && mmio_region_at(address) == MMIO_SEMAPHORES) ||
        mmio_load(trial->tile, core, address, size, value) != STEP_DONE) {
        trial->refused = true;
        return STEP_WAIT;
    }
    return STEP_DONE;
}

static enum step try_store(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value)
{
    ((struct trial *)context)->refused = true;
    return STEP_WAIT;
}

static enum step try_push(void *context, unsigned core, uint32_t word)
{
    ((struct trial *)context)->refused = true;
    return STEP_WAIT;
}

static enum step try_status(void *context, unsigned core, enum rv32_csr csr, uint32_t *value)
{
    return core_status(((struct trial *)context)->tile, core, csr, value);
}

/* Whether the next instruction would change L1: any store there but one of what is there already. */
static bool changes_l1(const struct trial *trial)
{
    const struct l1 *l1 = &trial->tile->l1;
    uint32_t pc = trial->core.pc, word = l1_contains(pc, 4) ? l1_load32(l1, pc) : 0;
    uint32_t address = trial->core.x[rv32_rs1(word)] + (uint32_t)rv32_immediate(RV32_FORMAT_STORE, word);
    uint32_t bits = 8u << (word >> 12 & 3), mask = bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    switch (word & 0x7f) {
    case OPCODE_FLOAT_STORE:
    case OPCODE_AMO: return true;
    case OPCODE_STORE:
        return l1_contains(address, 1) &&
               (address % (bits / 8) != 0 ||
                ((l1_load32(l1, address & ~3u) >> 8 * (address & 3)) ^ trial->core.x[rv32_rs2(word)]) & mask);
    default: return false;
    }
}

static enum circle_found try_core(struct trial *trial, unsigned index, struct polled *polled)
{
    struct circle_search search;
    struct rv32 rv32 = trial->tile->core[index];
    rv32.core = &trial->core;
    rv32.local_ram = trial->local_ram;
    rv32.diagnostics = &trial->diagnostics;
    rv32.clock = &trial->clock;
    rv32.bus = (struct rv32_bus){
        .context = trial, .load = try_load, .store = try_store, .push = try_push, .status = try_status};
    rv32.pushes = NULL;
    rv32.translator = NULL;
    rv32.timing = NULL;
    rv32.shared_timing = NULL;
    rv32.observed = NULL;
    circle_search_begin(&search, &trial->core, polled);
    for (unsigned i = 0; i < MOST_INSTRUCTIONS && search.found == CIRCLE_SOUGHT; i++) {
        if (changes_l1(trial)) {
            return NO_CIRCLE;
        }
        circle_search_run(&search, &rv32, 1);
        if (trial->refused) {
            return NO_CIRCLE;
        }
    }
    return search.found;
}

/* What loads of registers may note. */
struct noted {
    struct tile_doze doze;
    struct clock clock;
    struct diagnostics diagnostics;
};

static bool see_core(struct tile *tile, unsigned index, struct polled *polled)
{
    struct tile_state *state = tile->state;
    struct noted noted = {state->doze, state->clock, state->diagnostics};
    struct trial trial = {
        .tile = tile, .core = state->core[index], .diagnostics = state->diagnostics, .clock = state->clock};
    memcpy(trial.local_ram, tile_ram(state, index), tile_ram_size(index));
    bool found = try_core(&trial, index, polled) == CIRCLE_FOUND;
    state->doze = noted.doze;
    state->clock = noted.clock;
    state->diagnostics = noted.diagnostics;
    return found;
}

void tile_see(const struct tile *tile, struct tile_sight *sight)
{
    *sight = (struct tile_sight){};
    for (unsigned index = 0; index < BH_CORE_COUNT; index++) {
        const struct rv32_core *core = &tile->state->core[index];
        if (core->halt != RV32_RUNNING || core->waiting) {
            continue;
        }
        bool may_try = !rv32_debug_watches(core) && !pic_interrupts(tile, index);
        if (may_try && see_core((struct tile *)tile, index, &sight->polled[index])) { /* which puts all back */
            sight->polled[index].spins = true;
        } else {
            sight->polled[index] = tile->state->polled[index]; /* as was found when the core ran */
            sight->computes |= !sight->polled[index].spins;
        }
    }
}
