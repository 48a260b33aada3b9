/* Soft reset of the cores and the mover. Source: ISA documentation SoftReset.md. */
#include <string.h>

#include "rv32/debug.h"
#include "rv32/stores_seen.h"
#include "tile/handlers.h"
#include "tile/timed.h"

enum { SOFT_RESET_BITS = 0xffffff }; /* higher bits have no effect */
enum { SOFT_RESET_MOVER = 1 << 6 };

static const struct {
    uint8_t soft_reset; /* bit of SOFT_RESET_0 */
    uint8_t keep_ram;   /* bit of DISABLE_RESET that keeps the local RAM; the next bit keeps the debug registers */
    uint32_t default_pc;
    uint32_t pc, override; /* addresses of registers; 0: none */
    uint8_t override_bit;
} resets[BH_CORE_COUNT] = {
    [BH_CORE_B] = {11, 6, 0, 0, 0, 0},
    [BH_CORE_T0] = {12, 0, 0x06000, MMIO_ADDRESS_TRISC0_RESET_PC, MMIO_ADDRESS_TRISC_RESET_PC_OVERRIDE, 0},
    [BH_CORE_T1] = {13, 2, 0x0A000, MMIO_ADDRESS_TRISC1_RESET_PC, MMIO_ADDRESS_TRISC_RESET_PC_OVERRIDE, 1},
    [BH_CORE_T2] = {14, 4, 0x0E000, MMIO_ADDRESS_TRISC2_RESET_PC, MMIO_ADDRESS_TRISC_RESET_PC_OVERRIDE, 2},
    [BH_CORE_NC] = {18, 8, 0x12000, MMIO_ADDRESS_NCRISC_RESET_PC, MMIO_ADDRESS_NCRISC_RESET_PC_OVERRIDE, 0},
};

static bool is_t_core(unsigned core)
{
    return core >= BH_CORE_T0 && core <= BH_CORE_T2;
}

static uint32_t reset_pc(struct tile *tile, unsigned core)
{
    bool overridden =
        resets[core].override && *debug_word(tile, resets[core].override) >> resets[core].override_bit & 1;
    return overridden ? *debug_word(tile, resets[core].pc) : resets[core].default_pc;
}

bool debug_registers_kept(struct tile *tile, unsigned core)
{
    return *debug_word(tile, MMIO_ADDRESS_DISABLE_RESET) >> (resets[core].keep_ram + 1) & 1;
}

static void enter(struct tile *tile, unsigned core, unsigned agent)
{
    struct tile_state *state = tile->state;
    state->core[core].halt = RV32_IN_RESET;
    state->core[core].waiting = false;
    if (state->clock.timed) {
        rv32_stores_leave(&tile->core[core], tile_clock(tile, agent));
        tile_hold_core(tile, core);
    }
    if (!debug_registers_kept(tile, core)) {
        rv32_debug_reset(&state->core[core]);
    }
    if (is_t_core(core)) {
        struct frontend *frontend = &state->tensix.frontend[thread_of(core)];
        frontend->fifo = (struct instruction_fifo){};
        frontend->mop.active = false;
    }
    if (core < MAILBOX_CORES) {
        memset(state->registers.mailbox[core], 0, sizeof state->registers.mailbox[core]);
    }
}

static void leave(struct tile *tile, unsigned core)
{
    struct tile_state *state = tile->state;
    if (is_t_core(core)) {
        state->registers.pc_buf[thread_of(core)] = (struct pc_buf){};
    }
    bool used = state->used_rams >> core & 1; /* otherwise it is zero, and takes no memory yet */
    if (used && !(*debug_word(tile, MMIO_ADDRESS_DISABLE_RESET) >> resets[core].keep_ram & 1)) {
        memset(tile_ram(state, core), 0, tile_ram_size(core));
    }
    state->used_rams |= (uint8_t)(1 << core);
    rv32_flush_cache(&tile->core[core]);
    rv32_reset(&state->core[core], reset_pc(tile, core));
    l1_take_code(&tile->l1, state->core[core].pc < L1_SIZE ? state->core[core].pc : 0);
}

/* A core begins at the time at which another agent lets it out of reset, in timed mode also if it had computed beyond
   that before. If that is a core, its turn ends, so that others get theirs. */
static void begin_now(struct tile *tile, unsigned core, unsigned agent)
{
    struct clock *clock = &tile->state->clock;
    if (clock->timed) {
        clock->passed[core] = tile_clock(tile, agent) - clock->now;
        rv32_time_reset(&tile->state->timing[core]);
    } else if (agent < BH_CORE_COUNT) {
        clock->passed[core] = clock_later(clock->passed[core], clock->passed[agent]);
    }
    if (agent < BH_CORE_COUNT) {
        tile->core[agent].yield = true;
    }
}

enum step soft_reset_write(struct tile *tile, unsigned agent, uint32_t value)
{
    uint32_t *word = debug_word(tile, MMIO_ADDRESS_SOFT_RESET_0);
    value &= SOFT_RESET_BITS;
    uint32_t entering = value & ~*word, leaving = *word & ~value;
    enum step step = parts_check_reset(tile, entering & SOFT_RESET_PARTS);
    if (step != STEP_DONE) {
        return step;
    }
    *word = value;
    pushes_connect(tile);
    tile->state->tensix.mover.in_reset = value & SOFT_RESET_MOVER;
    parts_enter_reset(tile, entering & SOFT_RESET_PARTS);
    parts_leave_reset(tile, leaving & SOFT_RESET_PARTS);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        uint32_t bit = 1u << resets[core].soft_reset;
        if (entering & bit) {
            enter(tile, core, agent);
        } else if (leaving & bit) {
            leave(tile, core);
            begin_now(tile, core, agent);
        }
    }
    return STEP_DONE;
}
