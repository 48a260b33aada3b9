/* The PCIe side of the device: config space and BARs.
   Sources: libttsim_api.md, ttsim (addresses and sizes of the BARs); ISA documentation NoC/MemoryMap.md (NODE_ID). */
#include <string.h>

#include "abi.h"
#include "noc/coordinates.h"

#define BAR0_BASE 0x100000000ull
#define BAR2_BASE 0x120000000ull
#define BAR4_BASE 0x800000000ull
#define BAR0_SIZE (512ull << 20)
#define BAR2_SIZE (1ull << 20)
#define BAR4_SIZE (32ull << 30)

enum {
    VENDOR_AND_DEVICE = (int)0xB1401E52,
    CLASS_AND_REVISION = 0x12000000,
    BAR_64_BIT = 4, /* 64-bit memory, not prefetchable */
    NO_INTERRUPT = 0xff,
};

/* Places in BAR0 and BAR2. */
enum {
    TLB_2M_END = TLB_WINDOWS_2M << 21,
    TLB_CONFIG = 0x1FC00000,
    TLB_CONFIG_END = TLB_CONFIG + TLB_WINDOWS * TLB_WORDS * 4,
    NIU0 = 0x1FD04000,
    NIU1 = 0x1FD14000,
    NIU_SIZE = 0x2000,
    NIU_NODE_ID = 0x44,
    NIU_CFG_0 = 0x100,
    NIU_TRANSLATION_ENABLED = 1 << 14,
    IATU = 0x1000,
    IATU_STRIDE = 0x100,
    IATU_END = IATU + IATU_REGIONS * IATU_STRIDE,
};

enum { PCIE_X = 2, PCIE_Y = 0 };

/* Config space. */

static const uint64_t bar_bases[3] = {BAR0_BASE, BAR2_BASE, BAR4_BASE};
static const uint64_t bar_sizes[3] = {BAR0_SIZE, BAR2_SIZE, BAR4_SIZE};

void pci_reset(struct abi *abi)
{
    for (size_t i = 0; i < 3; i++) {
        abi->bar[2 * i] = (uint32_t)bar_bases[i] | BAR_64_BIT;
        abi->bar[2 * i + 1] = (uint32_t)(bar_bases[i] >> 32);
    }
    abi->command_status = 0;
    abi->cache_latency_header = 0;
    abi->interrupt_line_pin = NO_INTERRUPT;
}

uint32_t pci_config_read(const struct abi *abi, uint32_t offset)
{
    switch (offset) {
    case 0x00: return (uint32_t)VENDOR_AND_DEVICE;
    case 0x04: return abi->command_status;
    case 0x08: return CLASS_AND_REVISION;
    case 0x0c: return abi->cache_latency_header;
    case 0x10 ... 0x24: return abi->bar[(offset - 0x10) / 4];
    case 0x28: /* CardBus CIS pointer, subsystem, expansion ROM, capabilities: none */
    case 0x2c:
    case 0x30:
    case 0x34:
    case 0x38: return 0;
    case 0x3c: return abi->interrupt_line_pin;
    default: abi_fail("Unsupported", "config space offset 0x%x is not emulated", offset);
    }
}

void pci_config_write(struct abi *abi, uint32_t offset, uint32_t data)
{
    switch (offset) {
    case 0x04: abi->command_status = (abi->command_status & ~0xffffu) | (data & 0xffff); break;
    case 0x0c: abi->cache_latency_header = (abi->cache_latency_header & ~0xffffu) | (data & 0xffff); break;
    case 0x10 ... 0x24: {
        unsigned word = (offset - 0x10) / 4;
        uint32_t mask = (uint32_t)(~(bar_sizes[word / 2] - 1) >> 32 * (word % 2));
        abi->bar[word] = (abi->bar[word] & ~mask) | (data & mask);
        break;
    }
    case 0x30: break; /* there is no expansion ROM */
    case 0x3c: abi->interrupt_line_pin = (abi->interrupt_line_pin & ~0xffu) | (data & 0xff); break;
    default: abi_fail("Unsupported", "writing config space offset 0x%x is not emulated", offset);
    }
}

/* BAR0. */

static uint32_t pcie_niu_read(unsigned noc, uint32_t offset)
{
    unsigned x = noc ? NOC_WIDTH - 1 - PCIE_X : PCIE_X, y = noc ? NOC_HEIGHT - 1 - PCIE_Y : PCIE_Y;
    switch (offset) {
    case NIU_NODE_ID: return x | y << 6 | NOC_WIDTH << 12 | NOC_HEIGHT << 19 | (uint32_t)(noc == 0) << 28;
    case NIU_CFG_0: return NIU_TRANSLATION_ENABLED;
    default: abi_fail("Unsupported", "register 0x%x of the PCIe tile's NIU %u is not emulated yet", offset, noc);
    }
}

static void check_word(const char *what, uint64_t offset, uint32_t size)
{
    if (size != 4 || offset % 4) {
        abi_fail("BadInput", "%s: access of %u bytes at offset 0x%llx; it takes aligned words", what, size,
                 (unsigned long long)offset);
    }
}

/* The word of the TLB configuration, or null. */
static uint32_t *tlb_config_word(struct abi *abi, uint64_t offset, uint32_t size)
{
    if (offset < TLB_CONFIG || offset >= TLB_CONFIG_END) {
        return NULL;
    }
    check_word("TLB configuration", offset, size);
    uint32_t word = (uint32_t)(offset - TLB_CONFIG) / 4;
    return &abi->tlb[word / TLB_WORDS][word % TLB_WORDS];
}

static void bar0_read(struct abi *abi, uint64_t offset, void *data, uint32_t size)
{
    if (offset < TLB_2M_END) {
        tlb_read(abi, (unsigned)(offset >> 21), offset & 0x1fffff, data, size);
        return;
    }
    const uint32_t *word = tlb_config_word(abi, offset, size);
    if (word) {
        memcpy(data, word, 4);
        return;
    }
    for (unsigned noc = 0; noc < 2; noc++) {
        uint64_t base = noc ? NIU1 : NIU0;
        if (offset >= base && offset < base + NIU_SIZE) {
            check_word("PCIe tile's NIU", offset, size);
            uint32_t value = pcie_niu_read(noc, (uint32_t)(offset - base));
            memcpy(data, &value, 4);
            return;
        }
    }
    abi_fail("Unsupported", "BAR0: reading offset 0x%llx is not emulated yet", (unsigned long long)offset);
}

static void bar0_write(struct abi *abi, uint64_t offset, const void *data, uint32_t size)
{
    if (offset < TLB_2M_END) {
        tlb_write(abi, (unsigned)(offset >> 21), offset & 0x1fffff, data, size);
        return;
    }
    uint32_t *word = tlb_config_word(abi, offset, size);
    if (!word) {
        abi_fail("Unsupported", "BAR0: writing offset 0x%llx is not emulated yet", (unsigned long long)offset);
    }
    memcpy(word, data, 4);
}

/* BAR2: the address translation of what the device sends to the host is kept. */

static uint32_t *bar2_word(struct abi *abi, uint64_t offset, uint32_t size)
{
    check_word("BAR2", offset, size);
    uint32_t in_region = offset % IATU_STRIDE;
    if (offset < IATU || offset >= IATU_END || in_region >= IATU_REGISTERS * 4) {
        abi_fail("Unsupported", "BAR2: offset 0x%llx is not emulated yet", (unsigned long long)offset);
    }
    return &abi->iatu[(offset - IATU) / IATU_STRIDE][in_region / 4];
}

/* All BARs. */

static unsigned bar_at(uint64_t paddr, uint32_t size, uint64_t *offset)
{
    if (size == 0) {
        abi_fail("BadInput", "access of no bytes at physical address 0x%llx", (unsigned long long)paddr);
    }
    for (unsigned i = 0; i < 3; i++) {
        if (paddr >= bar_bases[i] && paddr - bar_bases[i] < bar_sizes[i]) {
            *offset = paddr - bar_bases[i];
            if (size > bar_sizes[i] - *offset) {
                abi_fail("BadInput", "access of %u bytes at 0x%llx leaves BAR%u", size, (unsigned long long)paddr,
                         2 * i);
            }
            return 2 * i;
        }
    }
    abi_fail("BadInput", "physical address 0x%llx is in no BAR", (unsigned long long)paddr);
}

void pci_read(struct abi *abi, uint64_t paddr, void *data, uint32_t size)
{
    uint64_t offset;
    switch (bar_at(paddr, size, &offset)) {
    case 0: bar0_read(abi, offset, data, size); break;
    case 2: memcpy(data, bar2_word(abi, offset, size), 4); break;
    default: tlb_read(abi, TLB_WINDOWS_2M + (unsigned)(offset >> 32), offset & UINT32_MAX, data, size); break;
    }
}

void pci_write(struct abi *abi, uint64_t paddr, const void *data, uint32_t size)
{
    uint64_t offset;
    switch (bar_at(paddr, size, &offset)) {
    case 0: bar0_write(abi, offset, data, size); break;
    case 2: memcpy(bar2_word(abi, offset, size), data, 4); break;
    default: tlb_write(abi, TLB_WINDOWS_2M + (unsigned)(offset >> 32), offset & UINT32_MAX, data, size); break;
    }
}
