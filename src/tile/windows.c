/* Windows onto state of other files: local data RAM, MOP expander configuration, GPRs, backend configuration, the
   instruction FIFOs, the PCs. Sources: ISA documentation BabyRISCV/README.md, PushTensixInstruction.md,
   BackendConfiguration.md, ScalarUnit.md. */
#include <string.h>

#include "tensix/frontend/timed.h"
#include "tile/handlers.h"

/* A core's own RAM at MEM_LOCAL_BASE, for accesses that do not take the direct path. */
static uint8_t *own_ram(const struct mmio_access *access)
{
    return tile_ram(access->tile->state, access->agent) + (access->address - MEM_LOCAL_BASE);
}

enum step local_ram_load(const struct mmio_access *access, uint32_t *value)
{
    memcpy(value, own_ram(access), access->size);
    return STEP_DONE;
}

enum step local_ram_store(const struct mmio_access *access, uint32_t value)
{
    memcpy(own_ram(access), &value, access->size);
    return STEP_DONE;
}

/* Whose RAM is behind an address of the slow path. That of a T core appears twice. */
static unsigned owner_of(const struct mmio_access *access)
{
    switch (access->region) {
    case MMIO_LOCAL_RAM_B: return BH_CORE_B;
    case MMIO_LOCAL_RAM_NC: return BH_CORE_NC;
    case MMIO_LOCAL_RAM_T0: return BH_CORE_T0;
    case MMIO_LOCAL_RAM_T1: return BH_CORE_T1;
    default: return BH_CORE_T2;
    }
}

static uint8_t *any_ram(const struct mmio_access *access)
{
    unsigned owner = owner_of(access);
    return tile_ram(access->tile->state, owner) + access->offset % tile_ram_size(owner);
}

enum step slow_ram_load(const struct mmio_access *access, uint32_t *value)
{
    memcpy(value, any_ram(access), access->size);
    return STEP_DONE;
}

enum step slow_ram_store(const struct mmio_access *access, uint32_t value)
{
    access->tile->state->used_rams |= (uint8_t)(1 << owner_of(access));
    memcpy(any_ram(access), &value, access->size);
    return STEP_DONE;
}

enum step mop_config_store(const struct mmio_access *access, uint32_t value)
{
    return frontend_write_mop_config(&access->tile->tensix, thread_of(access->agent), access->offset / 4, value);
}

/* The GPR at an address: B sees those of all threads, a T core its own thread's. Null: none. */
static uint32_t *gpr_at(const struct mmio_access *access)
{
    uint32_t index = access->offset / 4;
    bool b = access->agent == BH_CORE_B;
    if (index >= (b ? TENSIX_THREADS * GPRS : GPRS)) {
        return NULL;
    }
    unsigned thread = b ? index / GPRS : thread_of(access->agent);
    return &access->tile->state->tensix.scalar.gpr[thread][index % GPRS];
}

enum step gpr_load(const struct mmio_access *access, uint32_t *value)
{
    const uint32_t *gpr = gpr_at(access);
    if (!gpr) {
        return mmio_nothing_there(access);
    }
    enum step step = synchronize(access, TRACK_GPR_READ);
    if (step != STEP_DONE) {
        return step;
    }
    *value = *gpr;
    return STEP_DONE;
}

enum step gpr_store(const struct mmio_access *access, uint32_t value)
{
    uint32_t *gpr = gpr_at(access);
    if (!gpr) {
        return mmio_nothing_there(access);
    }
    enum step step = synchronize(access, TRACK_GPR_WRITE);
    if (step != STEP_DONE) {
        return step;
    }
    *gpr = value;
    return STEP_DONE;
}

/* Whether INSTRN_BUF_CTRL0 connects the FIFO of a thread to the debug bus. */
static bool given_to_debug_bus(const struct tile *tile, unsigned thread)
{
    return tile->state->registers.debug[(MMIO_ADDRESS_INSTRN_BUF_CTRL0 - 0xFFB12000u) / 4] & 1u << thread;
}

void pushes_connect(struct tile *tile)
{
    for (unsigned core = 0; core < BH_CORE_NC; core++) {
        bool b = core == BH_CORE_B;
        unsigned thread = b ? 0 : thread_of(core);
        struct frontend *frontend = &tile->state->tensix.frontend[thread];
        bool plain = !tile->pushes_told && !parts_in_reset(tile) && !given_to_debug_bus(tile, thread);
        bool timed = tile->tensix.timed;
        tile->core[core].pushes = !plain || timed ? NULL : b ? &frontend->after_mop : &frontend->fifo;
        tile->core[core].frontend = plain && timed && !b ? frontend : NULL;
        tile->core[core].frontend_timing = &tile->state->tensix.timing.frontend[thread];
    }
}

enum step push_held(struct tile *tile, unsigned agent)
{
    if (!tile->holds_pushes) {
        return STEP_DONE;
    }
    tile->core[agent].put_off = true;
    return STEP_WAIT;
}

enum step push_store(const struct mmio_access *access, uint32_t value)
{
    struct tile_state *state = access->tile->state;
    bool b = access->agent == BH_CORE_B;
    unsigned thread = b ? access->region - MMIO_PUSH : thread_of(access->agent);
    if (parts_in_reset(access->tile)) {
        return diagnose(
            &state->diagnostics, BH_UNSUPPORTED,
            "%s pushes 0x%08x to Tensix T%u while SOFT_RESET_0 holds parts of the coprocessor (bits 0x%06x) "
            "in reset: instructions are emulated only when none is",
            mmio_agent_name(access->agent), value, thread, parts_in_reset(access->tile));
    }
    if (given_to_debug_bus(access->tile, thread)) {
        return diagnose(&state->diagnostics, BH_NON_CONTRACTUAL,
                        "%s pushes to Tensix T%u while INSTRN_BUF_CTRL0 gives its FIFO to the debug bus: discarded",
                        mmio_agent_name(access->agent), thread);
    }
    if (access->tile->tensix.timed) {
        struct pushed instruction = {.word = value, .pc = state->diagnostics.now.pc};
        return frontend_push_timed(&access->tile->tensix, thread, instruction, b,
                                   clock_of(&state->clock, access->agent));
    }
    enum step step = push_held(access->tile, access->agent);
    return step == STEP_DONE ? frontend_push(&access->tile->tensix, thread, value, state->diagnostics.now.pc, b) : step;
}

bool config_window_word(const struct tile *tile, uint32_t index, uint32_t *value)
{
    const struct config_unit *config = &tile->state->tensix.config;
    if (index < CONFIG_WINDOW_DUAL_WRITE) {
        *value = config->bank[index / CONFIG_WORDS][index % CONFIG_WORDS];
    } else if (index < CONFIG_WINDOW_THREADS) {
        *value = config->bank[0][index - CONFIG_WINDOW_DUAL_WRITE];
    } else if (index < CONFIG_WINDOW_END) {
        index -= CONFIG_WINDOW_THREADS;
        *value = config->thread[index / THD_STATE_SIZE][index % THD_STATE_SIZE];
    } else {
        return false;
    }
    return true;
}

enum step config_load(const struct mmio_access *access, uint32_t *value)
{
    uint32_t index = access->offset / 4;
    if (index >= CONFIG_WINDOW_END) {
        return mmio_nothing_there(access);
    }
    enum step step = synchronize(access, TRACK_CONFIG_READ);
    if (step != STEP_DONE) {
        return step;
    }
    (void)config_window_word(access->tile, index, value);
    if (index >= CONFIG_WINDOW_DUAL_WRITE && index < CONFIG_WINDOW_THREADS) {
        return diagnose(access->tile->tensix.diagnostics, BH_NON_CONTRACTUAL,
                        "%s reads ConfigDualWrite[%u], which is for writing: it gets Config[0][%u]",
                        mmio_agent_name(access->agent), index - CONFIG_WINDOW_DUAL_WRITE,
                        index - CONFIG_WINDOW_DUAL_WRITE);
    }
    return STEP_DONE;
}

enum step config_store(const struct mmio_access *access, uint32_t value)
{
    struct tensix *tensix = &access->tile->tensix;
    uint32_t index = access->offset / 4;
    enum step step = index < CONFIG_WINDOW_THREADS ? synchronize(access, TRACK_CONFIG_WRITE) : STEP_DONE;
    if (step != STEP_DONE) {
        return step;
    }
    if (index < CONFIG_WINDOW_THREADS) {
        config_window_write(tensix, index, value);
        return STEP_DONE;
    }
    if (index < CONFIG_WINDOW_END) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "store by %s at 0x%08x: cores can not write ThreadConfig; push a SETC16 instead",
                        mmio_agent_name(access->agent), access->address);
    }
    return mmio_nothing_there(access);
}

enum step pc_snapshot_load(const struct mmio_access *access, uint32_t *value)
{
    static const uint8_t order[] = {BH_CORE_B, BH_CORE_NC, BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};
    *value = access->tile->state->core[order[access->offset / 4]].pc;
    return STEP_DONE;
}
