/* What the files of this folder share: the one device behind the vendor's C ABI, and the way out.
   The ABI is a process-wide singleton and ends the process on any violation; docs/abi.md says what this library does
   where the contract leaves room. */
#ifndef BHEMU_ABI_ABI_H
#define BHEMU_ABI_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/device.h"

enum { TLB_WINDOWS_2M = 202, TLB_WINDOWS_4G = 8, TLB_WINDOWS = TLB_WINDOWS_2M + TLB_WINDOWS_4G, TLB_WORDS = 3 };
enum { IATU_REGIONS = 32, IATU_REGISTERS = 9 };

struct abi {
    struct bh_device *device; /* null: not between libttsim_init() and libttsim_exit() */
    uint32_t tlb[TLB_WINDOWS][TLB_WORDS];
    uint32_t iatu[IATU_REGIONS][IATU_REGISTERS]; /* kept; nothing of the device reaches the host yet */
    uint32_t bar[6];                             /* low and high halves of BAR0, BAR2 and BAR4 */
    uint32_t command_status, cache_latency_header, interrupt_line_pin;
    uint64_t deadlocked_clocks;    /* calls of libttsim_clock() in a row that found nothing that can go on */
    struct bh_diagnostic deadlock; /* the last of them */
    void (*dma_read)(uint64_t paddr, void *dst, uint32_t size);
    void (*dma_write)(uint64_t paddr, const void *src, uint32_t size);
};

/* Prints one line to stderr and ends the process with status 1. */
_Noreturn void abi_fail(const char *category, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Config space. */
void pci_reset(struct abi *abi);
uint32_t pci_config_read(const struct abi *abi, uint32_t offset);
void pci_config_write(struct abi *abi, uint32_t offset, uint32_t data);

/* Accesses to a physical address in one of the BARs. */
void pci_read(struct abi *abi, uint64_t paddr, void *data, uint32_t size);
void pci_write(struct abi *abi, uint64_t paddr, const void *data, uint32_t size);

/* Accesses through a TLB window: offset within the window. */
void tlb_read(struct abi *abi, unsigned window, uint64_t offset, void *data, uint32_t size);
void tlb_write(struct abi *abi, unsigned window, uint64_t offset, const void *data, uint32_t size);

#endif
