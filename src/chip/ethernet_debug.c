/* Tile control of an Ethernet tile but for soft resets: clocks, the debug interface of the cores, and of the debug
   daisychain the pc of the cores. Sources: ISA documentation EthernetTile/README.md; tt-exalens (places of the pc). */
#include "chip/ethernet.h"
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

/* DBG_RD_DATA: the pc is whole in word 1 of the signals at a core's number, and without its upper bits in word 0 of
   those before. */
static enum step read_debug_bus(struct ethernet *ethernet, uint32_t control, uint32_t *value)
{
    enum { WORD_SHIFT = 25, CHAIN_SHIFT = 16, CHAIN_CORES = 7, FIRST_SIGNALS = 18 };
    unsigned signals = (control & 0xffff) - FIRST_SIGNALS, word = control >> WORD_SHIFT & 3;
    bool is_pc = (control >> CHAIN_SHIFT & 0xff) == CHAIN_CORES && signals < 2 * ETHERNET_CORES && word == signals % 2;
    if (!is_pc) {
        return ethernet_absent(ethernet, "read of these signals", MMIO_ADDRESS_DBG_RD_DATA);
    }
    *value = ethernet->core[signals / 2].pc & (word ? 0x3fffffff : 0x7fffffff);
    return STEP_DONE;
}

enum step ethernet_debug_read(struct ethernet *ethernet, uint32_t address, uint32_t *value)
{
    uint64_t now = *ethernet->clock;
    switch (address) {
    case MMIO_ADDRESS_WALL_CLOCK_L:
        ethernet->wall_clock_high = (uint32_t)(now >> 32);
        *value = (uint32_t)now;
        break;
    case MMIO_ADDRESS_WALL_CLOCK_H_LIVE: *value = (uint32_t)(now >> 32); break;
    case MMIO_ADDRESS_WALL_CLOCK_H: *value = ethernet->wall_clock_high; break;
    case MMIO_ADDRESS_DBG_RD_DATA:
        return read_debug_bus(ethernet, *debug_word(ethernet, MMIO_ADDRESS_DBG_BUS_CNTL_REG), value);
    default: *value = *debug_word(ethernet, address); break;
    }
    return STEP_DONE;
}

enum step ethernet_debug_write(struct ethernet *ethernet, uint32_t address, uint32_t value)
{
    if (address == MMIO_ADDRESS_RISC_DBG_CNTL_0) {
        return debug_cores(ethernet, value);
    }
    *debug_word(ethernet, address) = value;
    return STEP_DONE;
}
