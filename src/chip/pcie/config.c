#include "chip/pcie/config.h"

enum {
    CLASS_AND_REVISION = 0x12000000, /* processing accelerator, revision 0 */
    BAR_64_BIT = 4,                  /* 64-bit memory, not prefetchable */
    BAR_ATTRIBUTES = 0xf,
    NO_INTERRUPT = 0xff,
};
#define VENDOR_AND_DEVICE 0xB1401E52u

const uint64_t pcie_bar_sizes[PCIE_BARS] = {UINT64_C(512) << 20, UINT64_C(1) << 20, UINT64_C(32) << 30};

void pcie_config_reset(struct pcie_config *config)
{
    static const uint64_t bases[PCIE_BARS] = {0x100000000, 0x120000000, 0x800000000};
    *config = (struct pcie_config){.interrupt_line_pin = NO_INTERRUPT};
    for (unsigned i = 0; i < PCIE_BARS; i++) {
        config->bar[2 * i] = (uint32_t)bases[i] | BAR_64_BIT;
        config->bar[2 * i + 1] = (uint32_t)(bases[i] >> 32);
    }
}

void pcie_config_move(struct pcie_config *config, unsigned chip)
{
    for (unsigned i = 0; i < PCIE_BARS; i++) {
        config->bar[2 * i + 1] += chip << (PCIE_CHIP_BITS - 32);
    }
}

static bool is_aligned(uint32_t offset, struct diagnostics *diagnostics, enum step *step)
{
    *step = offset % 4 ? diagnose(diagnostics, BH_BAD_INPUT, "config space offset 0x%x is not a multiple of 4", offset)
                       : STEP_DONE;
    return *step == STEP_DONE;
}

enum step pcie_config_read(const struct pcie_config *config, uint32_t offset, uint32_t *value,
                           struct diagnostics *diagnostics)
{
    enum step step;
    *value = 0;
    if (!is_aligned(offset, diagnostics, &step)) {
        return step;
    }
    switch (offset) {
    case 0x00: *value = VENDOR_AND_DEVICE; break;
    case 0x04: *value = config->command_status; break;
    case 0x08: *value = CLASS_AND_REVISION; break;
    case 0x0c: *value = config->cache_latency_header; break;
    case 0x10 ... 0x24: *value = config->bar[(offset - 0x10) / 4]; break;
    case 0x28: /* CardBus CIS pointer, subsystem, expansion ROM, capabilities: none */
    case 0x2c:
    case 0x30:
    case 0x34:
    case 0x38: break;
    case 0x3c: *value = config->interrupt_line_pin; break;
    default: return diagnose(diagnostics, BH_UNSUPPORTED, "config space offset 0x%x is not emulated", offset);
    }
    return STEP_DONE;
}

/* Replaces the writable bits, those of mask. */
static void write_bits(uint32_t *word, uint32_t mask, uint32_t value)
{
    *word = (*word & ~mask) | (value & mask);
}

enum step pcie_config_write(struct pcie_config *config, uint32_t offset, uint32_t value,
                            struct diagnostics *diagnostics)
{
    enum step step;
    if (!is_aligned(offset, diagnostics, &step)) {
        return step;
    }
    switch (offset) {
    case 0x04: write_bits(&config->command_status, 0xffff, value); break;
    case 0x0c: write_bits(&config->cache_latency_header, 0xffff, value); break;
    case 0x10 ... 0x24: {
        unsigned word = (offset - 0x10) / 4;
        write_bits(&config->bar[word], (uint32_t)(~(pcie_bar_sizes[word / 2] - 1) >> 32 * (word % 2)), value);
        break;
    }
    case 0x30: break; /* there is no expansion ROM */
    case 0x3c: write_bits(&config->interrupt_line_pin, 0xff, value); break;
    default: return diagnose(diagnostics, BH_UNSUPPORTED, "writing config space offset 0x%x is not emulated", offset);
    }
    return STEP_DONE;
}

bool pcie_config_find(const struct pcie_config *config, uint64_t address, enum pcie_bar *bar, uint64_t *offset)
{
    for (unsigned i = 0; i < PCIE_BARS; i++) {
        uint64_t base = (uint64_t)config->bar[2 * i + 1] << 32 | (config->bar[2 * i] & ~(uint32_t)BAR_ATTRIBUTES);
        if (address >= base && address - base < pcie_bar_sizes[i]) {
            *bar = (enum pcie_bar)i;
            *offset = address - base;
            return true;
        }
    }
    return false;
}
