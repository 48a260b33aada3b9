#include "chip/pcie/pcie.h"

#include <string.h>

enum { ENDPOINT_ID = 0x0300 << 8 | 2 };

/* Offsets in BAR0 and BAR2. */
enum {
    TLB_2M_END = TLB_WINDOWS_2M << 21,
    TLB_SETUP = 0x1FC00000,
    TLB_SETUP_END = TLB_SETUP + TLB_WINDOWS * TLB_WORDS * 4,
    TLB_PATTERNS_END = TLB_SETUP_END + TLB_PATTERNS * 4,
    NIU_0 = 0x1FD04000,
    NIU_1 = 0x1FD14000,
    ARC_APB = 0x1FF00000,
    IATU = 0x1000,
};

/* Addresses of the tile as the NoC sees them. */
#define HOST_WINDOW_BITS 58
#define HOST_THROUGH_IATU 4u
#define HOST_WINDOWS 8u
#define DBI 0xF800000000000000u
#define DBI_END 0xFC00000000000000u
enum { DBI_CONFIG_END = 0x40, DBI_DEVICE_CONTROL = 0x78 };

void pcie_create(struct pcie *pcie, const struct pcie_bus *bus, const struct noc_translation *translation,
                 enum bh_policy_preset policy)
{
    pcie->bus = *bus;
    pcie->translation = translation;
    pcie->diagnostics.tile_x = PCIE_X;
    pcie->diagnostics.tile_y = PCIE_Y;
    diagnostics_set_policy(&pcie->diagnostics, policy);
    pcie_config_reset(&pcie->config);
    niu_window_create(&pcie->niu, PCIE_X, PCIE_Y, ENDPOINT_ID, translation);
}

/* Whether an access to registers is of one aligned word; otherwise *step is the result of the access. */
static bool is_word(struct pcie *pcie, const char *what, uint64_t offset, uint32_t size, enum step *step)
{
    bool word = size == 4 && offset % 4 == 0;
    *step = word ? STEP_DONE
                 : diagnose(&pcie->diagnostics, BH_BAD_INPUT,
                            "%s: access of %u bytes at offset 0x%llx; it takes aligned words", what, size,
                            (unsigned long long)offset);
    return word;
}

/* What is refused leaves the host's bytes as they are. */
static void take_word(void *data, enum step step, uint32_t value)
{
    if (step == STEP_DONE) {
        memcpy(data, &value, sizeof value);
    }
}

/* BAR0. */

static bool in_niu(uint64_t offset, unsigned *noc, uint32_t *in_window)
{
    *noc = offset >= NIU_1;
    *in_window = (uint32_t)(offset - (*noc ? NIU_1 : NIU_0));
    return offset >= NIU_0 && *in_window < NIU_WINDOW_SIZE;
}

static uint32_t *tlb_word(struct pcie *pcie, uint64_t offset)
{
    if (offset >= TLB_SETUP_END) {
        return &pcie->tlb.patterns[(offset - TLB_SETUP_END) / 4];
    }
    uint32_t word = (uint32_t)(offset - TLB_SETUP) / 4;
    return &pcie->tlb.words[word / TLB_WORDS][word % TLB_WORDS];
}

static enum step bar0_elsewhere(struct pcie *pcie, const char *what, uint64_t offset)
{
    if (offset >= ARC_APB) { /* some hosts write here; the write has no effect */
        return diagnose(&pcie->diagnostics, BH_NON_CONTRACTUAL,
                        "BAR0: %s offset 0x%llx: PCIe instance 0 reaches the ARC tile over the NoC only; here reads "
                        "return ones, writes vanish",
                        what, (unsigned long long)offset);
    }
    return diagnose(&pcie->diagnostics, BH_UNSUPPORTED, "BAR0: %s offset 0x%llx is not emulated", what,
                    (unsigned long long)offset);
}

static enum step bar0_read(struct pcie *pcie, uint64_t offset, void *data, uint32_t size)
{
    unsigned noc;
    uint32_t in_window, value = 0;
    enum step step;
    if (offset < TLB_2M_END) {
        return pcie_window_read(pcie, (unsigned)(offset >> 21), offset & 0x1fffff, data, size);
    }
    if (offset >= TLB_SETUP && offset < TLB_PATTERNS_END) {
        if (is_word(pcie, "TLB configuration", offset, size, &step)) {
            memcpy(data, tlb_word(pcie, offset), 4);
        }
        return step;
    }
    if (in_niu(offset, &noc, &in_window)) {
        if (is_word(pcie, "PCIe tile's NIU", offset, size, &step)) {
            step = niu_window_read(&pcie->niu, noc, in_window, &value, &pcie->diagnostics);
            take_word(data, step, value);
        }
        return step;
    }
    step = bar0_elsewhere(pcie, "reading", offset);
    if (step == STEP_DONE) {
        memset(data, offset >= ARC_APB ? 0xff : 0, size);
    }
    return step;
}

static enum step bar0_write(struct pcie *pcie, uint64_t offset, const void *data, uint32_t size)
{
    unsigned noc;
    uint32_t in_window, value;
    enum step step;
    if (offset < TLB_2M_END) {
        return pcie_window_write(pcie, (unsigned)(offset >> 21), offset & 0x1fffff, data, size);
    }
    if (offset >= TLB_SETUP && offset < TLB_PATTERNS_END) {
        if (is_word(pcie, "TLB configuration", offset, size, &step)) {
            memcpy(tlb_word(pcie, offset), data, 4);
        }
        return step;
    }
    if (in_niu(offset, &noc, &in_window)) {
        if (is_word(pcie, "PCIe tile's NIU", offset, size, &step)) {
            memcpy(&value, data, 4);
            step = niu_window_write(&pcie->niu, noc, in_window, value, &pcie->diagnostics);
        }
        return step;
    }
    return bar0_elsewhere(pcie, "writing", offset);
}

/* BAR2. */

static enum step bar2_elsewhere(struct pcie *pcie, uint64_t offset)
{
    return diagnose(&pcie->diagnostics, BH_UNSUPPORTED, "BAR2: offset 0x%llx is not emulated",
                    (unsigned long long)offset);
}

static enum step bar2_read(struct pcie *pcie, uint64_t offset, void *data, uint32_t size)
{
    enum step step;
    uint32_t value = 0;
    if (!is_word(pcie, "BAR2", offset, size, &step)) {
        return step;
    }
    if (offset < DMA_SIZE) {
        step = pcie_dma_read(pcie, (uint32_t)offset, &value);
    } else if (offset >= IATU && offset < IATU + IATU_SIZE) {
        step = iatu_read(&pcie->iatu, (uint32_t)offset - IATU, &value, &pcie->diagnostics);
    } else {
        step = bar2_elsewhere(pcie, offset);
    }
    take_word(data, step, value);
    return step;
}

static enum step bar2_write(struct pcie *pcie, uint64_t offset, const void *data, uint32_t size)
{
    enum step step;
    uint32_t value;
    if (!is_word(pcie, "BAR2", offset, size, &step)) {
        return step;
    }
    memcpy(&value, data, 4);
    if (offset < DMA_SIZE) {
        return pcie_dma_write(pcie, (uint32_t)offset, value);
    }
    if (offset >= IATU && offset < IATU + IATU_SIZE) {
        return iatu_write(&pcie->iatu, (uint32_t)offset - IATU, value, &pcie->diagnostics);
    }
    return bar2_elsewhere(pcie, offset);
}

/* All BARs. */

static bool find(struct pcie *pcie, uint64_t address, uint32_t size, enum pcie_bar *bar, uint64_t *offset,
                 enum step *step)
{
    if (size == 0) {
        *step = diagnose(&pcie->diagnostics, BH_BAD_INPUT, "access of no bytes at physical address 0x%llx",
                         (unsigned long long)address);
        return false;
    }
    *step = iatu_inbound(&pcie->iatu, &pcie->config, address, size, &address, &pcie->diagnostics);
    if (*step != STEP_DONE) {
        return false;
    }
    if (!pcie_config_find(&pcie->config, address, bar, offset)) {
        *step = diagnose(&pcie->diagnostics, BH_BAD_INPUT, "physical address 0x%llx is in no BAR",
                         (unsigned long long)address);
        return false;
    }
    if (size > pcie_bar_sizes[*bar] - *offset) {
        *step = diagnose(&pcie->diagnostics, BH_BAD_INPUT, "access of %u bytes at 0x%llx leaves BAR%u", size,
                         (unsigned long long)address, 2 * *bar);
        return false;
    }
    return true;
}

enum step pcie_bar_read(struct pcie *pcie, uint64_t address, void *data, uint32_t size)
{
    enum pcie_bar bar;
    uint64_t offset;
    enum step step;
    if (!find(pcie, address, size, &bar, &offset, &step)) {
        return step;
    }
    switch (bar) {
    case PCIE_BAR0: return bar0_read(pcie, offset, data, size);
    case PCIE_BAR2: return bar2_read(pcie, offset, data, size);
    default: return pcie_window_read(pcie, TLB_WINDOWS_2M + (unsigned)(offset >> 32), offset & UINT32_MAX, data, size);
    }
}

enum step pcie_bar_write(struct pcie *pcie, uint64_t address, const void *data, uint32_t size)
{
    enum pcie_bar bar;
    uint64_t offset;
    enum step step;
    if (!find(pcie, address, size, &bar, &offset, &step)) {
        return step;
    }
    switch (bar) {
    case PCIE_BAR0: return bar0_write(pcie, offset, data, size);
    case PCIE_BAR2: return bar2_write(pcie, offset, data, size);
    default: return pcie_window_write(pcie, TLB_WINDOWS_2M + (unsigned)(offset >> 32), offset & UINT32_MAX, data, size);
    }
}

/* The NoC's side. */

enum step pcie_host_read(struct pcie *pcie, uint64_t address, void *data, uint32_t size)
{
    if (!pcie->bus.host_read) {
        return diagnose(&pcie->diagnostics, BH_BAD_INPUT,
                        "read of %u bytes: the PCIe tile leads to 0x%llx of the host's memory, and none is connected "
                        "(no callback was given for it)",
                        size, (unsigned long long)address);
    }
    pcie->bus.host_read(pcie->bus.host, address, data, size);
    return STEP_DONE;
}

enum step pcie_host_write(struct pcie *pcie, uint64_t address, const void *data, uint32_t size)
{
    if (!pcie->bus.host_write) {
        return diagnose(&pcie->diagnostics, BH_BAD_INPUT,
                        "write of %u bytes: the PCIe tile leads to 0x%llx of the host's memory, and none is connected "
                        "(no callback was given for it)",
                        size, (unsigned long long)address);
    }
    pcie->bus.host_write(pcie->bus.host, address, data, size);
    return STEP_DONE;
}

/* Translates an address of the tile to an address of the host. *extent: of the access; becomes that of its first part
   that is in one piece there. */
static enum step to_host(struct pcie *pcie, uint64_t address, uint64_t *host, uint32_t *extent)
{
    unsigned window = (unsigned)(address >> HOST_WINDOW_BITS);
    uint64_t offset = address & ((UINT64_C(1) << HOST_WINDOW_BITS) - 1);
    *host = offset;
    if (window >= HOST_WINDOWS || *extent > (UINT64_C(1) << HOST_WINDOW_BITS) - offset) {
        return diagnose(&pcie->diagnostics, BH_UNSUPPORTED,
                        "access of %u bytes at 0x%llx: of the PCIe tile's windows to the host, 0 to %u are emulated",
                        *extent, (unsigned long long)address, HOST_WINDOWS - 1);
    }
    return window < HOST_THROUGH_IATU ? STEP_DONE
                                      : iatu_outbound(&pcie->iatu, offset, host, extent, &pcie->diagnostics);
}

static bool is_register(uint64_t address)
{
    uint32_t offset;
    return (address >= DBI && address < DBI_END) || niu_window_offset(address, &offset);
}

static enum step dbi_absent(struct pcie *pcie, uint64_t offset)
{
    return diagnose(&pcie->diagnostics, BH_UNSUPPORTED, "DBI: register 0x%llx of the PCIe controller is not emulated",
                    (unsigned long long)offset);
}

static enum step register_read(struct pcie *pcie, uint64_t address, uint32_t *value)
{
    uint32_t offset;
    if (niu_window_offset(address, &offset)) {
        return niu_window_read(&pcie->niu, pcie->niu.via, offset, value, &pcie->diagnostics);
    }
    *value = pcie->device_control;
    if (address - DBI < DBI_CONFIG_END) {
        return pcie_config_read(&pcie->config, (uint32_t)(address - DBI), value, &pcie->diagnostics);
    }
    return address - DBI == DBI_DEVICE_CONTROL ? STEP_DONE : dbi_absent(pcie, address - DBI);
}

static enum step register_write(struct pcie *pcie, uint64_t address, uint32_t value)
{
    uint32_t offset;
    if (niu_window_offset(address, &offset)) {
        return niu_window_write(&pcie->niu, pcie->niu.via, offset, value, &pcie->diagnostics);
    }
    if (address - DBI != DBI_DEVICE_CONTROL) {
        return dbi_absent(pcie, address - DBI);
    }
    pcie->device_control = value;
    return STEP_DONE;
}

enum step pcie_noc_read(struct pcie *pcie, uint64_t address, void *data, uint32_t size)
{
    enum step step = STEP_DONE;
    uint32_t value = 0;
    if (is_register(address)) {
        if (is_word(pcie, "PCIe tile's registers", address, size, &step)) {
            step = register_read(pcie, address, &value);
            memcpy(data, &value, 4);
        }
        return step;
    }
    for (uint32_t done = 0, part; step == STEP_DONE && done < size; done += part) {
        uint64_t host;
        part = size - done;
        step = to_host(pcie, address + done, &host, &part);
        step = step == STEP_DONE ? pcie_host_read(pcie, host, (uint8_t *)data + done, part) : step;
    }
    return step;
}

enum step pcie_noc_write(struct pcie *pcie, uint64_t address, const void *data, uint32_t size)
{
    enum step step = STEP_DONE;
    uint32_t value;
    if (is_register(address)) {
        if (is_word(pcie, "PCIe tile's registers", address, size, &step)) {
            memcpy(&value, data, 4);
            step = register_write(pcie, address, value);
        }
        return step;
    }
    for (uint32_t done = 0, part; step == STEP_DONE && done < size; done += part) {
        uint64_t host;
        part = size - done;
        step = to_host(pcie, address + done, &host, &part);
        step = step == STEP_DONE ? pcie_host_write(pcie, host, (const uint8_t *)data + done, part) : step;
    }
    return step;
}
