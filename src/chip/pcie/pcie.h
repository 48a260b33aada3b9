/* The PCIe tile, from both of its sides.
   The host sees config space (chip/pcie/config.h) and three BARs:
     BAR0  TLB windows of 2 MiB (tlb.h), their set-up at 0x1fc0_0000, the tile's NIUs at 0x1fd0_4000 and 0x1fd1_4000
     BAR2  DMA channels at 0 and 0x100 (chip/pcie/dma.h), iATU at 0x1000 (iatu.h)
     BAR4  TLB windows of 4 GiB
   Tiles see the host over the NoC: in bits 63:58 of an address, 0 to 3 lead to the host's address in the lower bits, 4
   to 7 lead there through the iATU; from 0xf8 << 56 on are the registers of the controller (DBI), at the end the NIU.
   The device is used at PCIe instance 0, (2, 0) of NoC 0. Sources: ttsim; ISA documentation NoC/README.md; tt-umd. */
#ifndef BHEMU_CHIP_PCIE_PCIE_H
#define BHEMU_CHIP_PCIE_PCIE_H

#include <stdint.h>

#include "chip/niu_window.h"
#include "chip/pcie/config.h"
#include "chip/pcie/dma.h"
#include "chip/pcie/iatu.h"
#include "chip/tlb.h"
#include "debug/diagnostic.h"

enum { PCIE_X = 2, PCIE_Y = 0 };

/* NoC addresses of the tile below this one lead to the host. */
#define PCIE_HOST_END (UINT64_C(8) << 58)

/* A tile at coordinates of NoC 0, and the NoC that leads there; whether NIUs count the access, and whether a write is
   posted. */
struct pcie_place {
    unsigned x, y, noc;
    bool counted, posted;
};

/* Accesses that the tile makes. */
struct pcie_bus {
    void *context;
    /* Accesses to a tile, on behalf of the host. */
    enum step (*tile_read)(void *context, const struct pcie_place *place, uint64_t address, void *data, uint32_t size);
    enum step (*tile_write)(void *context, const struct pcie_place *place, uint64_t address, const void *data,
                            uint32_t size);
    /* Accesses to the host's memory; may be null. */
    void *host;
    void (*host_read)(void *host, uint64_t address, void *data, uint32_t size);
    void (*host_write)(void *host, uint64_t address, const void *data, uint32_t size);
};

struct pcie {
    struct pcie_config config;
    struct tlb tlb;
    struct iatu iatu;
    struct pcie_dma dma;
    struct niu_window niu;
    uint32_t device_control; /* word of the PCI Express capability, in DBI */
    const struct noc_translation *translation;
    struct pcie_bus bus;
    struct diagnostics diagnostics;
};

/* *pcie has to be zero; the caller keeps `translation` alive. */
void pcie_create(struct pcie *pcie, const struct pcie_bus *bus, const struct noc_translation *translation,
                 enum bh_policy_preset policy);

/* Accesses of the host to a physical address in one of the BARs. */
enum step pcie_bar_read(struct pcie *pcie, uint64_t address, void *data, uint32_t size);
enum step pcie_bar_write(struct pcie *pcie, uint64_t address, const void *data, uint32_t size);

/* Accesses of tiles over the NoC. */
enum step pcie_noc_read(struct pcie *pcie, uint64_t address, void *data, uint32_t size);
enum step pcie_noc_write(struct pcie *pcie, uint64_t address, const void *data, uint32_t size);

/* Accesses of the DMA engine to the host's memory. */
enum step pcie_host_read(struct pcie *pcie, uint64_t address, void *data, uint32_t size);
enum step pcie_host_write(struct pcie *pcie, uint64_t address, const void *data, uint32_t size);

/* Accesses to TLB windows by number: chip/pcie/windows.c. */
enum step pcie_window_read(struct pcie *pcie, unsigned window, uint64_t offset, void *data, uint32_t size);
enum step pcie_window_write(struct pcie *pcie, unsigned window, uint64_t offset, const void *data, uint32_t size);

#endif
