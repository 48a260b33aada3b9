#include "chip/core_tile/core_tile.h"

#include <string.h>

#include "rv32/debug.h"
#include "rv32/stores_seen.h"
#include "tile/mmio.h"

#define RESET_PC_END (CORE_TILE_RESET_PC + CORE_TILE_CORES * CORE_TILE_RESET_PC_STRIDE)
#define LOCAL_RAM_TOP 0xFFB02000u

uint32_t *core_tile_soft_reset(struct core_tile *tile)
{
    return &tile->debug[(MMIO_ADDRESS_SOFT_RESET_0 - CORE_TILE_DEBUG) / 4];
}

/* The cores' bus. */

/* L1 accesses of the cores end at its size; accesses beyond it reach this function through the bus. */
static enum step beyond_l1(struct core_tile *tile, const char *access, uint32_t address)
{
    return diagnose(&tile->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s at 0x%08x: L1 of %s ends at 0x%08x", access, address,
                    tile->kind->name, tile->kind->l1_size - 1);
}

static enum step core_load(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    struct core_tile *tile = context;
    if (address < L1_SIZE) {
        return beyond_l1(tile, "load", address);
    }
    enum step step = core_tile_register_read(tile, address & ~3u, value);
    *value = *value >> 8 * (address & 3) & (size == 4 ? UINT32_MAX : (1u << 8 * size) - 1);
    return step;
}

static enum step core_store(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value)
{
    struct core_tile *tile = context;
    if (address < L1_SIZE) {
        return beyond_l1(tile, "store", address);
    }
    if (size != 4) {
        return diagnose(&tile->diagnostics, BH_UNDEFINED_BEHAVIOR, "store of %u bytes at 0x%08x: registers take words",
                        size, address);
    }
    return core_tile_register_write(tile, address, value);
}

static uint32_t *core_word(void *context, unsigned core, uint32_t address, bool stores)
{
    return address >= CORE_TILE_NIU_0 && address < CORE_TILE_NIUS_END
               ? core_tile_niu_word(context, address >= CORE_TILE_NIU_1, address & 0xffff, stores)
               : NULL;
}

static enum step core_push(void *context, unsigned core, uint32_t word)
{
    struct core_tile *tile = context;
    return diagnose(&tile->diagnostics, BH_UNDEFINED_BEHAVIOR, "Tensix instruction 0x%08x: %s has no coprocessor", word,
                    tile->kind->name);
}

/* The cores have the CSRs of the Tensix tile's B and NC. */
static void connect_cores(struct core_tile *tile)
{
    static const uint8_t like[CORE_TILE_CORES] = {BH_CORE_B, BH_CORE_NC};
    for (unsigned i = 0; i < core_tile_cores(tile); i++) {
        tile->core[i].id = like[i];
        tile->core[i].halt = RV32_IN_RESET;
        tile->rv32[i] = (struct rv32){.core = &tile->core[i],
                                      .local_ram = tile->local_ram[i],
                                      .local_ram_size = LOCAL_RAM_SIZE,
                                      .l1_size = tile->kind->l1_size,
                                      .l1 = &tile->l1,
                                      .diagnostics = &tile->diagnostics,
                                      .clock = &tile->clock,
                                      .bus = {.context = tile,
                                              .load = core_load,
                                              .store = core_store,
                                              .push = core_push,
                                              .word = tile->kind->distant_nius ? NULL : core_word,
                                              .words = tile}};
    }
}

void core_tile_create(struct core_tile *tile, const struct core_tile_kind *kind, void *code_room, struct niu *niu,
                      unsigned number, unsigned x, unsigned y, enum bh_policy_preset policy)
{
    l1_connect(&tile->l1, tile->l1_bytes, code_room);
    tile->kind = kind;
    tile->niu = niu;
    tile->number = number;
    tile->diagnostics.tile_x = (uint8_t)x;
    tile->diagnostics.tile_y = (uint8_t)y;
    diagnostics_set_policy(&tile->diagnostics, policy);
    for (unsigned core = 0; core < core_tile_cores(tile); core++) {
        *core_tile_soft_reset(tile) |= kind->reset[core];
    }
    connect_cores(tile);
}

/* Running. */

bool core_tile_core_runnable(const struct core_tile *tile, unsigned core)
{
    return tile->core[core].halt == RV32_RUNNING;
}

bool core_tile_active(const struct core_tile *tile)
{
    bool active = false;
    for (unsigned core = 0; core < core_tile_cores(tile); core++) {
        active |= core_tile_core_runnable(tile, core) || rv32_debug_abandoned(&tile->core[core]);
    }
    return active && !tile->diagnostics.stopped;
}

bool core_tile_ahead(const struct core_tile *tile)
{
    bool ahead = false;
    for (unsigned core = 0; core < core_tile_cores(tile); core++) {
        ahead |= core_tile_core_runnable(tile, core) && tile->rv32[core].timing && !tile->core[core].waiting &&
                 clock_of(&tile->clock, tile->core[core].id) > tile->clock.now;
    }
    return ahead && !tile->diagnostics.stopped;
}

uint64_t core_tile_instructions(const struct core_tile *tile)
{
    uint64_t instructions = 0;
    for (unsigned core = 0; core < core_tile_cores(tile); core++) {
        instructions += tile->core[core].instret;
    }
    return instructions;
}

/* A core with times of its own, up to `end` or a little beyond. Others see its stores when they leave its queue. */
static uint32_t run_timed(struct core_tile *tile, struct rv32 *rv32, uint64_t end)
{
    unsigned id = rv32->core->id;
    struct rv32_turn turn = {.until = end, .end = end, .exact = true};
    uint32_t retired = 0;
    rv32_stores_arrive(rv32, tile->clock.now);
    if (clock_of(&tile->clock, id) >= end) {
        return 0;
    }
    tile->diagnostics.now.cycle = clock_of(&tile->clock, id);
    rv32_stores_show(rv32);
    if (rv32_debug_watches(rv32->core)) {
        retired = rv32_debug_run(rv32, 1);
        rv32->timing->unseen_count = 0; /* steps are seen at once */
    } else {
        retired = rv32_run_timed(rv32, &turn);
    }
    if (rv32->core->waiting || rv32_debug_abandoned(rv32->core)) {
        clock_reach(&tile->clock, id, end);
    }
    rv32_stores_hide(rv32, clock_sooner(clock_of(&tile->clock, id), end));
    if (rv32->core->halt != RV32_RUNNING) { /* it has no further turn, in which they would leave its queue */
        rv32_stores_arrive(rv32, CLOCK_NEVER - 1);
    }
    return retired;
}

static uint32_t run_core(struct core_tile *tile, struct rv32 *rv32, uint32_t cycles)
{
    return rv32->timing                     ? run_timed(tile, rv32, tile->clock.now + cycles)
           : rv32_debug_watches(rv32->core) ? rv32_debug_run(rv32, cycles)
                                            : rv32_run(rv32, cycles);
}

uint64_t core_tile_run(struct core_tile *tile, uint32_t cycles, const struct rv32_core **last)
{
    uint64_t retired = 0;
    *last = NULL;
    clock_begin(&tile->clock, tile->clock.now);
    for (unsigned core = 0; core < core_tile_cores(tile) && !tile->diagnostics.stopped; core++) {
        tile->polled[core].spins = false; /* not true any more */
        if (core_tile_core_runnable(tile, core)) {
            tile->diagnostics.now.cycle = tile->clock.now;
            tile->executing = core + 1;
            retired += run_core(tile, &tile->rv32[core], cycles);
            tile->executing = 0;
            *last = &tile->core[core];
        }
    }
    return retired;
}

void core_tile_start(struct core_tile *tile, unsigned core, uint32_t pc, uint32_t back)
{
    enum { RA = 1, SP = 2 };
    rv32_reset(&tile->core[core], pc);
    tile->core[core].x[RA] = back;
    tile->core[core].x[SP] = LOCAL_RAM_TOP;
}

/* A core leaves reset, which clears its local RAM (tt-metal active_erisc.cc). */
static void leave_reset(struct core_tile *tile, unsigned core)
{
    memset(tile->local_ram[core], 0, sizeof tile->local_ram[core]);
    rv32_flush_cache(&tile->rv32[core]);
    if (tile->rv32[core].timing) {
        rv32_time_reset(tile->rv32[core].timing);
    }
    if (!tile->kind->leaves || tile->kind->leaves(tile, core)) {
        core_tile_start(tile, core, tile->reset_pc[core], 0);
    }
}

static void soft_reset_write(struct core_tile *tile, uint32_t value)
{
    const struct core_tile_kind *kind = tile->kind;
    uint32_t *word = core_tile_soft_reset(tile), before = *word;
    *word = value & (kind->reset[0] | kind->reset[1] | kind->more_reset_bits);
    for (unsigned core = 0; core < core_tile_cores(tile); core++) {
        if (*word & kind->reset[core]) {
            tile->core[core].halt = RV32_IN_RESET;
            tile->core[core].waiting = false;
            rv32_debug_reset(&tile->core[core]);
            if (kind->held) {
                kind->held(tile, core);
            }
        } else if (before & kind->reset[core]) {
            leave_reset(tile, core);
        }
    }
}

/* Registers. */

enum step core_tile_absent(struct core_tile *tile, const char *what, uint32_t address)
{
    return diagnose(&tile->diagnostics, BH_UNSUPPORTED, "%s at 0x%08x: this part of %s is not emulated", what, address,
                    tile->kind->name);
}

/* RESET_PC, or END_PC, the end of instruction prefetching, of a core; null: it is none of these. */
static uint32_t *reset_register(struct core_tile *tile, uint32_t address)
{
    unsigned core = (address - CORE_TILE_RESET_PC) / CORE_TILE_RESET_PC_STRIDE;
    if (address < CORE_TILE_RESET_PC || address >= RESET_PC_END || core >= core_tile_cores(tile)) {
        return NULL;
    }
    return address & 4 ? &tile->end_pc[core] : &tile->reset_pc[core];
}

static bool in_nius(uint32_t address)
{
    return address >= CORE_TILE_NIU_0 && address < CORE_TILE_NIUS_END;
}

enum step core_tile_register_read(struct core_tile *tile, uint32_t address, uint32_t *value)
{
    const uint32_t *word = reset_register(tile, address);
    *value = 0;
    if (word) {
        *value = *word;
        return STEP_DONE;
    }
    if (address >= CORE_TILE_DEBUG && address < CORE_TILE_DEBUG_END) {
        return core_tile_debug_read(tile, address, value);
    }
    return in_nius(address) ? core_tile_niu_read(tile, address >= CORE_TILE_NIU_1, address & 0xffff, value)
                            : tile->kind->read(tile, address, value);
}

enum step core_tile_register_write(struct core_tile *tile, uint32_t address, uint32_t value)
{
    uint32_t *word = reset_register(tile, address);
    if (word) {
        *word = value;
        return STEP_DONE;
    }
    if (address == MMIO_ADDRESS_SOFT_RESET_0) {
        soft_reset_write(tile, value);
        return STEP_DONE;
    }
    if (address >= CORE_TILE_DEBUG && address < CORE_TILE_DEBUG_END) {
        return core_tile_debug_write(tile, address, value);
    }
    return in_nius(address) ? core_tile_niu_write(tile, address >= CORE_TILE_NIU_1, address & 0xffff, value)
                            : tile->kind->write(tile, address, value);
}

/* Accesses over the NoC. */

/* Whether [address, address + size) is words beyond L1; otherwise *step is the result of the access. */
static bool are_registers(struct core_tile *tile, uint64_t address, uint32_t size, enum step *step)
{
    uint32_t l1_size = tile->kind->l1_size;
    if (address >= l1_size && address <= UINT32_MAX && size <= UINT32_MAX - address + 1 && (address | size) % 4 == 0) {
        return true;
    }
    *step = diagnose(&tile->diagnostics, BH_UNDEFINED_BEHAVIOR,
                     "access of %u bytes at 0x%llx: L1 of %s ends at 0x%08x, and registers take aligned words", size,
                     (unsigned long long)address, tile->kind->name, l1_size - 1);
    return false;
}

/* Registers of a NIU that have no names and belong to no array. */
bool core_tile_niu_is_unknown(uint32_t address)
{
    enum { CONFIG = 0x100, CONFIG_END = 0x180, RANGES = 0x200, RANGES_END = 0x600 };
    uint32_t offset = address & 0xffff;
    bool known = (offset >= CONFIG && offset < CONFIG_END) || (offset >= RANGES && offset < RANGES_END);
    return !known && !mmio_register_at(address);
}

static bool is_unknown(const struct core_tile *tile, uint32_t address)
{
    return in_nius(address)
               ? core_tile_niu_is_unknown(address)
               : (address >= CORE_TILE_DEBUG_END && address < CORE_TILE_RESET_PC) || tile->kind->unknown(address);
}

static enum step read_word(struct core_tile *tile, uint32_t address, uint32_t *value)
{
    if (!is_unknown(tile, address)) {
        return core_tile_register_read(tile, address, value);
    }
    *value = 0;
    return diagnose(&tile->diagnostics, BH_UNPREDICTABLE_VALUE,
                    "read of 0x%08x: %s has no register there that is known, here it reads as 0", address,
                    tile->kind->name);
}

/* What cores have stored by now is seen. */
static void stores_arrive(struct core_tile *tile)
{
    for (unsigned core = 0; core < core_tile_cores(tile); core++) {
        if (tile->rv32[core].timing) {
            rv32_stores_arrive(&tile->rv32[core], tile->clock.now);
        }
    }
}

enum step core_tile_read(struct core_tile *tile, uint64_t address, void *data, uint32_t size)
{
    stores_arrive(tile);
    if (core_tile_in_l1(tile, address, size)) {
        memcpy(data, l1_direct(&tile->l1) + address, size);
        return STEP_DONE;
    }
    enum step step = STEP_DONE;
    if (!are_registers(tile, address, size, &step)) {
        if (step == STEP_DONE) { /* the policy lets it pass */
            memset(data, 0, size);
        }
        return step;
    }
    for (uint32_t i = 0; i < size && step == STEP_DONE; i += 4) {
        uint32_t value;
        step = read_word(tile, (uint32_t)address + i, &value);
        memcpy((uint8_t *)data + i, &value, sizeof value);
    }
    return step;
}

/* Debuggers may write all registers of tile control. */
static enum step write_word(struct core_tile *tile, uint32_t address, uint32_t value)
{
    if (address >= CORE_TILE_DEBUG_END && address < CORE_TILE_RESET_PC) {
        return diagnose(&tile->diagnostics, BH_NON_CONTRACTUAL,
                        "write at 0x%08x: %s has no register there that is known: no effect", address,
                        tile->kind->name);
    }
    return core_tile_register_write(tile, address, value);
}

/* Whether a value may be written to a register there over the NoC. */
static bool takes(struct core_tile *tile, uint32_t address, uint32_t value)
{
    if (in_nius(address)) {
        return core_tile_niu_takes(address & 0xffff);
    }
    return (address >= CORE_TILE_DEBUG && address < CORE_TILE_DEBUG_END) || reset_register(tile, address) ||
           tile->kind->takes(tile, address, value);
}

/* Writes those of some words which registers take, or says of the others that they do not. */
static enum step write_words(struct core_tile *tile, uint32_t address, const void *data, uint32_t size, bool taken)
{
    enum step step = STEP_DONE;
    for (uint32_t i = 0; i < size && step == STEP_DONE; i += 4) {
        uint32_t value;
        memcpy(&value, (const uint8_t *)data + i, sizeof value);
        step = takes(tile, address + i, value) == taken ? write_word(tile, address + i, value) : STEP_DONE;
    }
    return step;
}

enum step core_tile_write(struct core_tile *tile, uint64_t address, const void *data, uint32_t size)
{
    stores_arrive(tile);
    if (core_tile_in_l1(tile, address, size)) {
        l1_write(&tile->l1, (uint32_t)address, data, size);
        return STEP_DONE;
    }
    enum step step = STEP_DONE;
    if (!are_registers(tile, address, size, &step)) {
        return step;
    }
    step = write_words(tile, (uint32_t)address, data, size, false);
    return step == STEP_DONE ? write_words(tile, (uint32_t)address, data, size, true) : step;
}
