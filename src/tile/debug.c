/* Tile control, debug and status registers. Most are plain words; this file has those with effects. Sources: ISA
   documentation TileControlDebugStatus.md, DebugTimestamper.md, PushTensixInstruction.md ("Debug registers"),
   BackendConfiguration.md ("Debug registers"). DBG_ARRAY_RD_*: ttsim. */
#include "tile/handlers.h"
#include "tile/risc_debug.h"

enum { BASE = 0xFFB12000, CONFIG_INDEX_MASK = 0x7ff };
enum { ARRAY_DST = 2 }; /* bits 31:16 of DBG_ARRAY_RD_CMD */

#define FEATURE_DST_ROWS_OF_32_BITS (UINT32_C(1) << 11)

void debug_reset(struct tile_registers *registers)
{
    unsigned count;
    const struct mmio_register *named = mmio_registers(&count);
    for (unsigned i = 0; i < count; i++) {
        if (named[i].reset && mmio_region_at(named[i].address) == MMIO_DEBUG) {
            registers->debug[(named[i].address - BASE) / 4] = named[i].reset;
        }
    }
}

/* Reads two columns of a row of Dst in hardware's order of bits: sign, mantissa, exponent. */
static enum step array_read(struct tile *tile, uint64_t now, uint32_t *value)
{
    uint32_t command = *debug_word(tile, MMIO_ADDRESS_DBG_ARRAY_RD_CMD);
    uint32_t row = command & 0xfff, pair = command >> 12 & 0xf, array = command >> 16;
    if (!(*debug_word(tile, MMIO_ADDRESS_DBG_ARRAY_RD_EN) & 1)) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "DBG_ARRAY_RD_DATA is read while DBG_ARRAY_RD_EN is 0");
    }
    if (array != ARRAY_DST) {
        return diagnose(tile->tensix.diagnostics, BH_UNSUPPORTED,
                        "DBG_ARRAY_RD_CMD 0x%08x: only Dst (2 in the upper half) is emulated", command);
    }
    if (row >= DST_ROWS || pair >= ROW_COLUMNS / 2) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "DBG_ARRAY_RD_CMD 0x%08x: Dst has rows 0..%u and column pairs 0..%u", command, DST_ROWS - 1,
                        ROW_COLUMNS / 2 - 1);
    }
    (void)vector_let_time_pass(&tile->tensix, now);
    *value = 0;
    for (unsigned i = 0; i < 2; i++) {
        *value |= (uint32_t)dst_to_hardware(tile->state->tensix.dst.rows[row][2 * pair + i]) << 16 * i;
    }
    return STEP_DONE;
}

/* Bits 2:0: not full; bits 6:4: empty. */
static uint32_t instruction_buffer_status(const struct tile *tile)
{
    uint32_t status = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        uint32_t count = tile->state->tensix.frontend[thread].after_mop.count;
        status |= (uint32_t)(count < FIFO_CAPACITY) << thread | (uint32_t)(count == 0) << (4 + thread);
    }
    return status;
}

/* Bits 2:0 connect the FIFO before the replay expander to the debug bus; a rising bit 4 + i pushes INSTRN_BUF_CTRL1. */
static enum step instruction_buffer_control(struct tile *tile, unsigned agent, uint32_t value)
{
    uint32_t *word = debug_word(tile, MMIO_ADDRESS_INSTRN_BUF_CTRL0);
    uint32_t rising = value & ~*word;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (!(value & 1u << thread && rising & 0x10u << thread)) {
            continue;
        }
        if (push_held(tile, agent) == STEP_WAIT) {
            return STEP_WAIT;
        }
        uint32_t instruction = *debug_word(tile, MMIO_ADDRESS_INSTRN_BUF_CTRL1);
        enum step step = frontend_push(&tile->tensix, thread, instruction, tile->state->diagnostics.now.pc, true);
        if (step == STEP_WAIT) {
            step = diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                            "INSTRN_BUF_CTRL0 pushes 0x%08x to Tensix T%u while its FIFO is full: discarded",
                            instruction, thread);
        }
        if (step != STEP_DONE) {
            return step;
        }
    }
    *word = value & 0xff;
    pushes_connect(tile);
    return STEP_DONE;
}

/* Only one of the chicken bits is emulated, which integer programs set: it selects how rows of Dst are addressed
   (Dst.md). */
static enum step feature_disable(struct tile *tile, uint32_t value, uint64_t now)
{
    struct tensix *tensix = &tile->tensix;
    bool only_row32 = value & FEATURE_DST_ROWS_OF_32_BITS;
    enum step step = STEP_DONE;
    if (value & ~FEATURE_DST_ROWS_OF_32_BITS) {
        step = diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "DBG_FEATURE_DISABLE = 0x%08x: of the chicken bits only bit 11 is emulated", value);
    } else if (only_row32) {
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "bit 11 of DBG_FEATURE_DISABLE makes 16-bit rows of Dst the high halves of 32-bit rows: what "
                        "writes them leaves something unpredictable in the low halves, here what they held");
    }
    if (step == STEP_DONE) {
        (void)vector_let_time_pass(tensix, now);
        *debug_word(tile, MMIO_ADDRESS_DBG_FEATURE_DISABLE) = value;
        tensix->state->dst.only_row32 = only_row32;
    }
    return step;
}

/* The value of WATCHDOG_TIMER at a clock. ISA documentation, CycleCounters.md (of Wormhole's Ethernet tiles). */
static uint32_t watchdog_timer(struct tile *tile, uint64_t now)
{
    uint32_t timer = *debug_word(tile, MMIO_ADDRESS_WATCHDOG_TIMER);
    uint64_t passed = now - tile->state->registers.watchdog_since;
    bool counts = *debug_word(tile, MMIO_ADDRESS_WDT_CNTL) & 1;
    return !counts ? timer : passed < timer ? timer - (uint32_t)passed : 0;
}

static enum step watchdog_control(struct tile *tile, uint32_t value, uint64_t now)
{
    enum step step = STEP_DONE;
    if (value & ~1u) {
        step = diagnose(tile->tensix.diagnostics, BH_UNSUPPORTED, "WDT_CNTL = 0x%08x: only bit 0 is emulated", value);
    }
    if (step == STEP_DONE) {
        *debug_word(tile, MMIO_ADDRESS_WATCHDOG_TIMER) = watchdog_timer(tile, now);
        *debug_word(tile, MMIO_ADDRESS_WDT_CNTL) = value;
        tile->state->registers.watchdog_since = now;
    }
    return step;
}

enum step debug_load(const struct mmio_access *access, uint32_t *value)
{
    struct tile *tile = access->tile;
    struct tile_registers *registers = &tile->state->registers;
    if (access->offset / 4 >= DEBUG_REGISTERS) {
        return mmio_nothing_to_load(access);
    }
    const uint32_t *word = &registers->debug[access->offset / 4];
    bool handled;
    enum step step = mmio_register_load(access, word, value, &handled);
    if (handled) {
        return step;
    }
    uint64_t now = tile_clock(tile, access->agent);
    switch (access->address) {
    case MMIO_ADDRESS_WALL_CLOCK_L:
        registers->wall_clock_high = (uint32_t)(now >> 32);
        *value = (uint32_t)now;
        return STEP_DONE;
    case MMIO_ADDRESS_WATCHDOG_TIMER: *value = watchdog_timer(tile, now); return STEP_DONE;
    case MMIO_ADDRESS_WDT_STATUS:
        *value = watchdog_timer(tile, now) == 0 && *debug_word(tile, MMIO_ADDRESS_WDT_CNTL) & 1;
        return STEP_DONE;
    case MMIO_ADDRESS_WALL_CLOCK_H_LIVE: *value = (uint32_t)(now >> 32); return STEP_DONE;
    case MMIO_ADDRESS_WALL_CLOCK_H: *value = registers->wall_clock_high; return STEP_DONE;
    case MMIO_ADDRESS_INSTRN_BUF_STATUS: *value = instruction_buffer_status(tile); return STEP_DONE;
    case MMIO_ADDRESS_DBG_ARRAY_RD_DATA: return array_read(tile, now, value);
    case MMIO_ADDRESS_DBG_RD_DATA: return debug_bus_read(tile, value);
    case MMIO_ADDRESS_TIMESTAMP_STATUS: *value = timestamp_status(tile); return STEP_DONE;
    default:
        *value = 0; /* what TIMESTAMP reads as */
        return perf_counters_load(tile, access->address, now, value, &step) ? step : STEP_DONE;
    }
}

/* RISC_DBG_CNTL_0. Its core number selects B, T0, T1 or T2. */
static enum step debug_cores(struct tile *tile, uint32_t value)
{
    unsigned core = risc_debug_core(value);
    bool listens = tile->state->core[core].halt != RV32_IN_RESET || debug_registers_kept(tile, core);
    struct risc_debug registers = {
        debug_word(tile, MMIO_ADDRESS_RISC_DBG_CNTL_0), debug_word(tile, MMIO_ADDRESS_RISC_DBG_CNTL_1),
        debug_word(tile, MMIO_ADDRESS_RISC_DBG_STATUS_0), debug_word(tile, MMIO_ADDRESS_RISC_DBG_STATUS_1)};
    return risc_debug_write(&registers, value, &tile->core[core], listens);
}

enum step debug_store(const struct mmio_access *access, uint32_t value)
{
    struct tile *tile = access->tile;
    struct tile_registers *registers = &tile->state->registers;
    if (access->offset / 4 >= DEBUG_REGISTERS) {
        return mmio_nothing_to_store(access);
    }
    uint32_t *word = &registers->debug[access->offset / 4];
    bool handled;
    enum step step = mmio_register_store(access, word, value, &handled);
    if (handled) {
        return step;
    }
    uint64_t now = tile_clock(tile, access->agent);
    if (perf_counters_store(tile, access->agent, access->address, value, now, &step)) {
        return step;
    }
    switch (access->address) {
    case MMIO_ADDRESS_SOFT_RESET_0: return soft_reset_write(tile, access->agent, value);
    case MMIO_ADDRESS_RISC_DBG_CNTL_0: return debug_cores(tile, value);
    case MMIO_ADDRESS_DBG_L1_MEM_REG2: return debug_bus_capture(tile, value);
    case MMIO_ADDRESS_INSTRN_BUF_CTRL0: return instruction_buffer_control(tile, access->agent, value);
    case MMIO_ADDRESS_CFGREG_RD_CNTL: {
        uint32_t *data = debug_word(tile, MMIO_ADDRESS_CFGREG_RDDATA);
        *word = value;
        *data = 0;
        (void)config_window_word(tile, value & CONFIG_INDEX_MASK, data);
        return STEP_DONE;
    }
    case MMIO_ADDRESS_WATCHDOG_TIMER:
        *word = value;
        registers->watchdog_since = now;
        return STEP_DONE;
    case MMIO_ADDRESS_WDT_CNTL: return watchdog_control(tile, value, now);
    case MMIO_ADDRESS_TIMESTAMP: return timestamp_write(tile, value, now);
    case MMIO_ADDRESS_TIMESTAMP_CNTL:
        *word = value;
        timestamp_control(tile, value);
        return STEP_DONE;
    case MMIO_ADDRESS_TIMESTAMP_STATUS: timestamp_clear(tile, value); return STEP_DONE;
    case MMIO_ADDRESS_DBG_FEATURE_DISABLE: return feature_disable(tile, value, now);
    case MMIO_ADDRESS_WALL_CLOCK_L: registers->wall_clock_high = (uint32_t)(now >> 32); return STEP_DONE;
    default: return STEP_DONE; /* the read-only halves of the wall clock: no effect */
    }
}
