/* Accesses of the host through TLB windows: to one tile, or to a rectangle of Tensix tiles. */
#include "chip/pcie/pcie.h"

enum { FIRST_TRANSLATED_ROW = 2 };

/* Translates coordinates of a NoC to those of NoC 0. With translation enabled both NoCs use the same coordinates,
   except that x of the untranslated rows counts from the other side on NoC 1. */
static bool locate(const struct pcie *pcie, unsigned noc, unsigned x, unsigned y, unsigned *noc_x, unsigned *noc_y)
{
    if (x >= TRANSLATED || y >= TRANSLATED) {
        return false;
    }
    bool mirrored = noc && y < FIRST_TRANSLATED_ROW;
    if (mirrored && x >= NOC_WIDTH) {
        return false;
    }
    if (!noc_translate(pcie->translation, mirrored ? NOC_WIDTH - 1 - x : x, y, noc_x, noc_y)) {
        return *noc_x < NOC_WIDTH && *noc_y < NOC_HEIGHT; /* tiles without a function have a NIU */
    }
    return true;
}

/* The tile of a target without multicast; of a multicast target, the tile at the end of the rectangle, whose fields
   are in the same place. A read is never a broadcast: drivers read through multicast windows to flush their writes. */
static enum step find_place(struct pcie *pcie, const struct tlb_target *target, struct pcie_place *place)
{
    unsigned x, y;
    if (!locate(pcie, target->noc, target->x, target->y, &x, &y)) {
        return diagnose(&pcie->diagnostics, BH_BAD_INPUT, "there is no tile at (%u, %u)", target->x, target->y);
    }
    *place = (struct pcie_place){x, y, target->noc, true, target->posted};
    return STEP_DONE;
}

enum step pcie_window_read(struct pcie *pcie, unsigned window, uint64_t offset, void *data, uint32_t size)
{
    struct tlb_target target;
    struct pcie_place place;
    enum step step = tlb_look_up(&pcie->tlb, window, offset, size, &target, &pcie->diagnostics);
    if (step != STEP_DONE) {
        return step;
    }
    step = find_place(pcie, &target, &place);
    return step != STEP_DONE ? step : pcie->bus.tile_read(pcie->bus.context, &place, target.address, data, size);
}

static bool is_worker(const struct pcie *pcie, unsigned x, unsigned y)
{
    return noc_tile_kind(x, y) == TILE_TENSIX && noc_tile_present(pcie->translation, x, y);
}

/* Writes to the Tensix tiles of a rectangle; other tiles in it ignore the write. */
static enum step multicast(struct pcie *pcie, const struct tlb_target *target, const void *data, uint32_t size)
{
    unsigned first_x, first_y, last_x, last_y;
    bool located = locate(pcie, target->noc, target->first_x, target->first_y, &first_x, &first_y) &&
                   locate(pcie, target->noc, target->x, target->y, &last_x, &last_y);
    if (!located || first_x > last_x || first_y > last_y) {
        return diagnose(&pcie->diagnostics, BH_BAD_INPUT,
                        "multicast to (%u, %u) .. (%u, %u): its corners must be tiles, the first one first",
                        target->first_x, target->first_y, target->x, target->y);
    }
    bool reached = false;
    for (unsigned y = first_y; y <= last_y; y++) {
        for (unsigned x = first_x; x <= last_x; x++) {
            if (is_worker(pcie, x, y)) {
                struct pcie_place place = {x, y, target->noc, true, target->posted};
                enum step step = pcie->bus.tile_write(pcie->bus.context, &place, target->address, data, size);
                if (step != STEP_DONE) {
                    return step;
                }
                reached = true;
            }
        }
    }
    return reached ? STEP_DONE
                   : diagnose(&pcie->diagnostics, BH_NON_CONTRACTUAL,
                              "multicast to (%u, %u) .. (%u, %u): no Tensix tile is among them, nothing is written",
                              target->first_x, target->first_y, target->x, target->y);
}

/* Refuses multicast patterns other than rectangles. */
static enum step check_pattern(struct pcie *pcie, unsigned window)
{
    uint32_t pattern = window < TLB_PATTERNS ? pcie->tlb.patterns[window] : 0;
    return !pattern ? STEP_DONE
                    : diagnose(&pcie->diagnostics, BH_UNSUPPORTED,
                               "TLB window %u: multicasts by the pattern 0x%x are not emulated", window, pattern);
}

enum step pcie_window_write(struct pcie *pcie, unsigned window, uint64_t offset, const void *data, uint32_t size)
{
    struct tlb_target target;
    struct pcie_place place;
    enum step step = tlb_look_up(&pcie->tlb, window, offset, size, &target, &pcie->diagnostics);
    if (step != STEP_DONE) {
        return step;
    }
    if (target.multicast) {
        step = check_pattern(pcie, window);
        return step != STEP_DONE ? step : multicast(pcie, &target, data, size);
    }
    step = find_place(pcie, &target, &place);
    return step != STEP_DONE ? step : pcie->bus.tile_write(pcie->bus.context, &place, target.address, data, size);
}
