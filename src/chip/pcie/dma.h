/* The DMA engine of the PCIe controller: channel 0 from the device to the host (registers from offset 0 of BAR2 on)
   and channel 0 from the host to the device (from 0x100 on). Addresses of the device are offsets in the TLB windows of
   2 MiB. Ringing the doorbell executes the whole transfer at once: afterwards the size register is 0, and the
   completion message has been sent if it was requested. Sources: ttsim; tt-umd blackhole_dma_transfer.cpp; DesignWare
   HDMA (names of registers). */
#ifndef BHEMU_CHIP_PCIE_DMA_H
#define BHEMU_CHIP_PCIE_DMA_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"

enum {
    DMA_CHANNELS = 2,
    DMA_CHANNEL_SIZE = 0x100,
    DMA_REGISTERS = 0xac / 4,
    DMA_SIZE = DMA_CHANNELS * DMA_CHANNEL_SIZE
};

struct pcie;

struct pcie_dma {
    uint32_t channel[DMA_CHANNELS][DMA_REGISTERS]; /* 0: to the host, 1: to the device */
};

/* Accesses to the register at `offset`, a multiple of 4 below DMA_SIZE. */
enum step pcie_dma_read(struct pcie *pcie, uint32_t offset, uint32_t *value);
enum step pcie_dma_write(struct pcie *pcie, uint32_t offset, uint32_t value);

#endif
