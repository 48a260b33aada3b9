#include "chip/pcie/iatu.h"

#include <stddef.h>

enum {
    CONTROL_1,
    CONTROL_2,
    LOWER_BASE,
    UPPER_BASE,
    LOWER_LIMIT,
    LOWER_TARGET,
    UPPER_TARGET,
    CONTROL_3,
    UPPER_LIMIT,
};

enum { INCREASE_REGION_SIZE = 1 << 13, GRANULE = 0xfff };
enum { MATCH_BAR = 1 << 30, BAR_NUMBER_SHAMT = 8, BAR_NUMBER = 7 };
#define REGION_ENABLE (1u << 31)

/* The word of a register, or null. */
static const uint32_t *word_at(const struct iatu *iatu, uint32_t offset)
{
    uint32_t index = offset % IATU_STRIDE / 4;
    return index < IATU_REGISTERS ? &iatu->region[offset / IATU_STRIDE][index] : NULL;
}

static enum step absent(uint32_t offset, struct diagnostics *diagnostics)
{
    return diagnose(diagnostics, BH_UNSUPPORTED, "iATU: there is no register at offset 0x%x", offset);
}

enum step iatu_read(const struct iatu *iatu, uint32_t offset, uint32_t *value, struct diagnostics *diagnostics)
{
    const uint32_t *word = word_at(iatu, offset);
    *value = word ? *word : 0;
    return word ? STEP_DONE : absent(offset, diagnostics);
}

enum step iatu_write(struct iatu *iatu, uint32_t offset, uint32_t value, struct diagnostics *diagnostics)
{
    uint32_t slot = offset / IATU_STRIDE, index = offset % IATU_STRIDE / 4;
    static const uint32_t emulated[IATU_REGISTERS] = {
        [CONTROL_1] = INCREASE_REGION_SIZE, [CONTROL_2] = REGION_ENABLE,
        [LOWER_BASE] = UINT32_MAX,          [UPPER_BASE] = UINT32_MAX,
        [LOWER_LIMIT] = UINT32_MAX,         [LOWER_TARGET] = UINT32_MAX,
        [UPPER_TARGET] = UINT32_MAX,        [CONTROL_3] = 0,
        [UPPER_LIMIT] = UINT32_MAX,
    };
    if (index >= IATU_REGISTERS) {
        return absent(offset, diagnostics);
    }
    uint32_t bits = emulated[index];
    bits |= slot % 2 && index == CONTROL_2 ? MATCH_BAR | BAR_NUMBER << BAR_NUMBER_SHAMT : 0;
    if (value & ~bits) {
        return diagnose(diagnostics, BH_UNSUPPORTED,
                        "iATU: 0x%08x in register 0x%02x of region %u: only bits 0x%08x are "
                        "emulated",
                        value, index * 4, slot / 2, bits);
    }
    iatu->region[slot][index] = value;
    iatu->inbound |= slot % 2 && index == CONTROL_2 && value & REGION_ENABLE;
    return STEP_DONE;
}

struct span {
    uint64_t first, last;
};

static uint64_t join(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static struct span span_of(const uint32_t *region)
{
    uint32_t upper_limit = region[CONTROL_1] & INCREASE_REGION_SIZE ? region[UPPER_LIMIT] : region[UPPER_BASE];
    return (struct span){join(region[UPPER_BASE], region[LOWER_BASE] & ~(uint32_t)GRANULE),
                         join(upper_limit, region[LOWER_LIMIT] | GRANULE)};
}

/* A region in BAR match mode spans the whole BAR, at its current address. false: no such BAR. */
static bool span_of_bar(const uint32_t *region, const struct pcie_config *config, struct span *span, uint64_t *target)
{
    unsigned number = region[CONTROL_2] >> BAR_NUMBER_SHAMT & BAR_NUMBER;
    if (number % 2 || number / 2 >= PCIE_BARS) { /* all BARs have 64 bits */
        return false;
    }
    uint64_t size = pcie_bar_sizes[number / 2], mask = size - 1;
    span->first = join(config->bar[number + 1], config->bar[number]) & ~mask;
    span->last = span->first + mask;
    *target &= ~mask;
    return true;
}

/* Registers of regions alternate: outbound regions have the even slots, inbound ones the odd slots. *extent: of the
   access; becomes the part of it, from the first byte on, that is translated alike. */
static enum step translate(const struct iatu *iatu, unsigned first, const struct pcie_config *config, uint64_t address,
                           uint64_t *translated, uint32_t *extent, struct diagnostics *diagnostics)
{
    unsigned matches = 0;
    *translated = address;
    for (unsigned slot = first; slot < IATU_REGIONS; slot += 2) {
        const uint32_t *region = iatu->region[slot];
        struct span span = span_of(region);
        uint64_t target = join(region[UPPER_TARGET], region[LOWER_TARGET]);
        if (config && region[CONTROL_2] & MATCH_BAR && !span_of_bar(region, config, &span, &target)) {
            continue;
        }
        if (!(region[CONTROL_2] & REGION_ENABLE) || address > span.last) {
            continue;
        }
        uint64_t same = address < span.first ? span.first - address : span.last - address + 1;
        *extent = same && same < *extent ? (uint32_t)same : *extent; /* 0: up to the last address there is */
        if (address >= span.first) {
            *translated = target + (address - span.first);
            matches++;
        }
    }
    if (matches > 1) {
        return diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "access at 0x%llx of the host: %u enabled regions of the iATU have it",
                        (unsigned long long)address, matches);
    }
    return STEP_DONE;
}

enum step iatu_outbound(const struct iatu *iatu, uint64_t address, uint64_t *translated, uint32_t *extent,
                        struct diagnostics *diagnostics)
{
    return translate(iatu, 0, NULL, address, translated, extent, diagnostics);
}

enum step iatu_inbound(const struct iatu *iatu, const struct pcie_config *config, uint64_t address, uint32_t size,
                       uint64_t *translated, struct diagnostics *diagnostics)
{
    uint32_t extent = size;
    *translated = address;
    if (!iatu->inbound) {
        return STEP_DONE;
    }
    enum step step = translate(iatu, 1, config, address, translated, &extent, diagnostics);
    if (step == STEP_DONE && extent < size) {
        return diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "access of %u bytes at 0x%llx of the host crosses the border of an inbound region of the iATU",
                        size, (unsigned long long)address);
    }
    return step;
}
