/* Tile control of an Ethernet tile except soft resets: clocks, the debug interface of the cores, and those signals of
   the debug daisychain that show the cores. Sources: ISA documentation EthernetTile/README.md; tt-exalens (places of
   signals). */
#include "chip/ethernet/ethernet.h"
#include "tile/debug_signals.h"
#include "tile/mmio.h"
#include "tile/risc_debug.h"

#define DEBUG 0xFFB12000u

static uint32_t *debug_word(struct ethernet *ethernet, uint32_t address)
{
    return &ethernet->debug[(address - DEBUG) / 4];
}

/* RISC_DBG_CNTL_0. */
static enum step debug_cores(struct ethernet *ethernet, uint32_t value)
{
    unsigned core = risc_debug_core(value);
    bool exists = core < ETHERNET_CORES, listens = exists && ethernet->core[core].halt != RV32_IN_RESET;
    struct risc_debug registers = {
        debug_word(ethernet, MMIO_ADDRESS_RISC_DBG_CNTL_0), debug_word(ethernet, MMIO_ADDRESS_RISC_DBG_CNTL_1),
        debug_word(ethernet, MMIO_ADDRESS_RISC_DBG_STATUS_0), debug_word(ethernet, MMIO_ADDRESS_RISC_DBG_STATUS_1)};
    return risc_debug_write(&registers, value, exists ? &ethernet->rv32[core] : NULL, listens);
}

/* The signals that DBG_BUS_CNTL_REG selects: groups A and B of the cores. */
static enum step signals_chosen(struct ethernet *ethernet, struct debug_signals *signals, unsigned *word)
{
    enum { FIRST_A = 18 };
    uint32_t control = *debug_word(ethernet, MMIO_ADDRESS_DBG_BUS_CNTL_REG);
    struct debug_select at = debug_select(control);
    unsigned group = at.signals - FIRST_A;
    *word = at.word;
    if (!at.enabled || at.chain != DEBUG_CHAIN_CORES || group >= 2 * ETHERNET_CORES) {
        return ethernet_absent(ethernet, "read of these signals", MMIO_ADDRESS_DBG_RD_DATA);
    }
    debug_signals_core(signals, &ethernet->core[group / 2], group % 2);
    return STEP_DONE;
}

static enum step read_debug_bus(struct ethernet *ethernet, uint32_t *value)
{
    struct debug_signals signals = {};
    unsigned word;
    enum step step = signals_chosen(ethernet, &signals, &word);
    *value = signals.words[word];
    return step;
}

static enum step capture(struct ethernet *ethernet, uint32_t value)
{
    struct debug_signals signals = {};
    struct debug_capture capture = {.address = debug_word(ethernet, MMIO_ADDRESS_DBG_L1_MEM_REG0),
                                    .end = debug_word(ethernet, MMIO_ADDRESS_DBG_L1_MEM_REG1),
                                    .control = debug_word(ethernet, MMIO_ADDRESS_DBG_L1_MEM_REG2),
                                    .next = &ethernet->debug_capture_next,
                                    .l1 = &ethernet->l1,
                                    .limit = ETHERNET_L1_SIZE,
                                    .diagnostics = &ethernet->diagnostics};
    unsigned word;
    enum step step = debug_capture_triggers(&capture, value) ? signals_chosen(ethernet, &signals, &word) : STEP_DONE;
    return step == STEP_DONE ? debug_capture_write(&capture, value, &signals) : step;
}

enum step ethernet_debug_read(struct ethernet *ethernet, uint32_t address, uint32_t *value)
{
    uint64_t now = ethernet_now(ethernet);
    switch (address) {
    case MMIO_ADDRESS_WALL_CLOCK_L:
        ethernet->wall_clock_high = (uint32_t)(now >> 32);
        *value = (uint32_t)now;
        break;
    case MMIO_ADDRESS_WALL_CLOCK_H_LIVE: *value = (uint32_t)(now >> 32); break;
    case MMIO_ADDRESS_WALL_CLOCK_H: *value = ethernet->wall_clock_high; break;
    case MMIO_ADDRESS_DBG_RD_DATA: return read_debug_bus(ethernet, value);
    default: *value = *debug_word(ethernet, address); break;
    }
    return STEP_DONE;
}

enum step ethernet_debug_write(struct ethernet *ethernet, uint32_t address, uint32_t value)
{
    if (address == MMIO_ADDRESS_RISC_DBG_CNTL_0) {
        return debug_cores(ethernet, value);
    }
    if (address == MMIO_ADDRESS_DBG_L1_MEM_REG2) {
        return capture(ethernet, value);
    }
    *debug_word(ethernet, address) = value;
    return STEP_DONE;
}
