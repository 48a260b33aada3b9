/* Config space of the PCIe endpoint: the 64 bytes of a type 0 header. Sources: PCI Local Bus Specification; ttsim
   (values). */
#ifndef BHEMU_CHIP_PCIE_CONFIG_H
#define BHEMU_CHIP_PCIE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"

enum pcie_bar { PCIE_BAR0, PCIE_BAR2, PCIE_BAR4, PCIE_BARS };

struct pcie_config {
    uint32_t bar[2 * PCIE_BARS]; /* low and high halves */
    uint32_t command_status, cache_latency_header, interrupt_line_pin;
};

/* BAR0 512 MiB, BAR2 1 MiB, BAR4 32 GiB. */
extern const uint64_t pcie_bar_sizes[PCIE_BARS];

/* Resets to the state in which the host's firmware leaves it: BARs at 0x1_0000_0000, 0x1_2000_0000 and
   0x8_0000_0000. */
void pcie_config_reset(struct pcie_config *config);

/* And those of the chips of a system behind each other: each has 64 GiB of addresses. Source: ttsim libttsim.cpp
   (PER_DEVICE_PADDR_STRIDE). */
enum { PCIE_CHIP_BITS = 36 };
void pcie_config_move(struct pcie_config *config, unsigned chip);

/* Accesses to the word at `offset`. */
enum step pcie_config_read(const struct pcie_config *config, uint32_t offset, uint32_t *value,
                           struct diagnostics *diagnostics);
enum step pcie_config_write(struct pcie_config *config, uint32_t offset, uint32_t value,
                            struct diagnostics *diagnostics);

/* Finds the BAR that contains a physical address, and the offset in it. false: none does. */
bool pcie_config_find(const struct pcie_config *config, uint64_t address, enum pcie_bar *bar, uint64_t *offset);

#endif
