/* iATU: the address translation unit of the PCIe controller. 16 outbound regions translate addresses that the device
   sends to the host; 16 inbound regions translate addresses in the BARs to other addresses in the BARs. Addresses
   outside of all enabled regions are not translated. Inbound regions match an address range, or a whole BAR: then the
   target is the base of that BAR, a multiple of its size. A region's registers: 0x00 control 1 (bit 13: the limit has
   an upper half of its own), 0x04 control 2 (bit 31: enabled; of an inbound region, bit 30: it matches the BAR that
   bits 10:8 name), 0x08 and 0x0c base, 0x10 limit, 0x14 and 0x18 target, 0x1c control 3, 0x20 upper half of the limit.
   Sources: ttsim; tt-umd blackhole_tt_device.cpp; DesignWare PCIe controller (names and granularity; Linux,
   pcie-designware.c, for matching BARs); ISA documentation PCIExpressTile/README.md ("Inbound iATU"). */
#ifndef BHEMU_CHIP_PCIE_IATU_H
#define BHEMU_CHIP_PCIE_IATU_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/pcie/config.h"
#include "debug/diagnostic.h"

enum { IATU_REGIONS = 32, IATU_REGISTERS = 9, IATU_STRIDE = 0x100, IATU_SIZE = IATU_REGIONS * IATU_STRIDE };

struct iatu {
    uint32_t region[IATU_REGIONS][IATU_REGISTERS]; /* outbound and inbound regions alternate */
    bool inbound;                                  /* an inbound region was enabled */
};

/* Accesses to the register at `offset`, a multiple of 4 below IATU_SIZE. */
enum step iatu_read(const struct iatu *iatu, uint32_t offset, uint32_t *value, struct diagnostics *diagnostics);
enum step iatu_write(struct iatu *iatu, uint32_t offset, uint32_t value, struct diagnostics *diagnostics);

/* Translates [address, address + size), which the host accesses, to an address in the BARs. */
enum step iatu_inbound(const struct iatu *iatu, const struct pcie_config *config, uint64_t address, uint32_t size,
                       uint64_t *translated, struct diagnostics *diagnostics);

/* The same of what the device accesses, to an address of the host, for the first bytes of it: *extent becomes how many.
   Regions begin and end at multiples of 4 KiB, which no request of PCIe crosses, so that each part of an access is
   translated by itself. */
enum step iatu_outbound(const struct iatu *iatu, uint64_t address, uint64_t *translated, uint32_t *extent,
                        struct diagnostics *diagnostics);

#endif
