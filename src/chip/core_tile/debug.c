/* Tile control of Ethernet and DRAM tiles except soft resets: clocks, the debug interface of the cores, and those
   signals of the debug daisychain that show the cores. Sources: ISA documentation EthernetTile/README.md; tt-exalens
   (places of signals). */
#include "chip/core_tile/core_tile.h"
#include "tile/debug_signals.h"
#include "tile/mmio.h"
#include "tile/risc_debug.h"

static uint32_t *debug_word(struct core_tile *tile, uint32_t address)
{
    return &tile->debug[(address - CORE_TILE_DEBUG) / 4];
}

/* RISC_DBG_CNTL_0. */
static enum step debug_cores(struct core_tile *tile, uint32_t value)
{
    unsigned core = risc_debug_core(value);
    bool exists = core < core_tile_cores(tile), listens = exists && tile->core[core].halt != RV32_IN_RESET;
    struct risc_debug registers = {
        debug_word(tile, MMIO_ADDRESS_RISC_DBG_CNTL_0), debug_word(tile, MMIO_ADDRESS_RISC_DBG_CNTL_1),
        debug_word(tile, MMIO_ADDRESS_RISC_DBG_STATUS_0), debug_word(tile, MMIO_ADDRESS_RISC_DBG_STATUS_1)};
    return risc_debug_write(&registers, value, exists ? &tile->rv32[core] : NULL, listens);
}

/* The signals that DBG_BUS_CNTL_REG selects: groups A and B of the cores. */
static enum step signals_chosen(struct core_tile *tile, struct debug_signals *signals, unsigned *word)
{
    enum { FIRST_A = 18 };
    uint32_t control = *debug_word(tile, MMIO_ADDRESS_DBG_BUS_CNTL_REG);
    struct debug_select at = debug_select(control);
    unsigned group = at.signals - FIRST_A;
    *word = at.word;
    if (!at.enabled || at.chain != DEBUG_CHAIN_CORES || group >= 2 * tile->kind->cores) {
        return core_tile_absent(tile, "read of these signals", MMIO_ADDRESS_DBG_RD_DATA);
    }
    debug_signals_core(signals, &tile->core[group / 2], group % 2);
    return STEP_DONE;
}

static enum step read_debug_bus(struct core_tile *tile, uint32_t *value)
{
    struct debug_signals signals = {};
    unsigned word;
    enum step step = signals_chosen(tile, &signals, &word);
    *value = signals.words[word];
    return step;
}

static enum step capture(struct core_tile *tile, uint32_t value)
{
    struct debug_signals signals = {};
    struct debug_capture capture = {.address = debug_word(tile, MMIO_ADDRESS_DBG_L1_MEM_REG0),
                                    .end = debug_word(tile, MMIO_ADDRESS_DBG_L1_MEM_REG1),
                                    .control = debug_word(tile, MMIO_ADDRESS_DBG_L1_MEM_REG2),
                                    .next = &tile->debug_capture_next,
                                    .l1 = &tile->l1,
                                    .limit = tile->kind->l1_size,
                                    .diagnostics = &tile->diagnostics};
    unsigned word;
    enum step step = debug_capture_triggers(&capture, value) ? signals_chosen(tile, &signals, &word) : STEP_DONE;
    return step == STEP_DONE ? debug_capture_write(&capture, value, &signals) : step;
}

enum step core_tile_debug_read(struct core_tile *tile, uint32_t address, uint32_t *value)
{
    uint64_t now = core_tile_now(tile);
    switch (address) {
    case MMIO_ADDRESS_WALL_CLOCK_L:
        tile->wall_clock_high = (uint32_t)(now >> 32);
        *value = (uint32_t)now;
        break;
    case MMIO_ADDRESS_WALL_CLOCK_H_LIVE: *value = (uint32_t)(now >> 32); break;
    case MMIO_ADDRESS_WALL_CLOCK_H: *value = tile->wall_clock_high; break;
    case MMIO_ADDRESS_DBG_RD_DATA: return read_debug_bus(tile, value);
    default: *value = *debug_word(tile, address); break;
    }
    return STEP_DONE;
}

enum step core_tile_debug_write(struct core_tile *tile, uint32_t address, uint32_t value)
{
    if (address == MMIO_ADDRESS_RISC_DBG_CNTL_0) {
        return debug_cores(tile, value);
    }
    if (address == MMIO_ADDRESS_DBG_L1_MEM_REG2) {
        return capture(tile, value);
    }
    *debug_word(tile, address) = value;
    return STEP_DONE;
}
