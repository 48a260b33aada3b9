#include "chip/arc/arc.h"

#include <string.h>

#include "chip/arc/firmware.h"

#define APB_BASE 0x80000000u
#define APB_SIZE 0x100000u

enum { ENDPOINT_ID = 0x0500 << 8 };

/* Offsets in the APB. */
enum {
    RESET_UNIT = 0x30000,
    SCRATCH = RESET_UNIT + 0x60,
    SCRATCH_END = SCRATCH + 4 * ARC_SCRATCH,
    REFCLK_LOW = RESET_UNIT + 0xe0,
    REFCLK_HIGH = RESET_UNIT + 0xe4,
    MISC_CNTL = RESET_UNIT + 0x100,
    SCRATCH_RAM = RESET_UNIT + 0x400,
    SCRATCH_RAM_END = SCRATCH_RAM + 4 * ARC_SCRATCH_RAM,
    NIU_0 = 0x50000,
    NIU_1 = 0x58000,
    MSI_FIFO = 0xb0000,
    MSI_STATUS = 0xb0008,
};

enum {
    MISC_CNTL_IRQ0 = 0xf << 16,
    MSI_READY = 1,
    CLOCKS_PER_REFCLK = 27, /* 1.35 GHz and 50 MHz */
};

void arc_create(struct arc *arc, const struct board *board, const struct noc_translation *translation,
                const struct arc_chip *chip, const uint64_t *clock, enum bh_policy_preset policy)
{
    arc->chip = *chip;
    arc->firmware = board->firmware;
    arc->clock = clock;
    arc->diagnostics.tile_x = ARC_X;
    arc->diagnostics.tile_y = ARC_Y;
    diagnostics_set_policy(&arc->diagnostics, policy);
    niu_window_create(&arc->niu, ARC_X, ARC_Y, ENDPOINT_ID, translation);
    arc_firmware_boot(arc, board);
}

/* The word of plain storage at an offset in the APB, or null. */
static uint32_t *storage(struct arc *arc, uint32_t offset)
{
    if (offset >= SCRATCH && offset < SCRATCH_END) {
        return &arc->scratch[(offset - SCRATCH) / 4];
    }
    if (offset >= SCRATCH_RAM && offset < SCRATCH_RAM_END) {
        return &arc->scratch_ram[(offset - SCRATCH_RAM) / 4];
    }
    return offset == MISC_CNTL ? &arc->misc_control : NULL;
}

static bool in_niu(uint32_t offset, unsigned *noc, uint32_t *in_window)
{
    *noc = offset >= NIU_1;
    *in_window = offset - (*noc ? NIU_1 : NIU_0);
    return offset >= NIU_0 && *in_window < NIU_WINDOW_SIZE;
}

static enum step absent(struct arc *arc, const char *what, uint32_t offset)
{
    return diagnose(&arc->diagnostics, BH_UNSUPPORTED, "%s of offset 0x%05x of the APB, which is not emulated", what,
                    offset);
}

static enum step apb_read(struct arc *arc, uint32_t offset, uint32_t *value)
{
    unsigned noc;
    uint32_t in_window;
    const uint32_t *word = storage(arc, offset);
    if (word) {
        *value = *word;
        return STEP_DONE;
    }
    if (in_niu(offset, &noc, &in_window)) {
        return niu_window_read(&arc->niu, noc, in_window, value, &arc->diagnostics);
    }
    switch (offset) {
    case REFCLK_LOW: *value = (uint32_t)(*arc->clock / CLOCKS_PER_REFCLK); return STEP_DONE;
    case REFCLK_HIGH: *value = (uint32_t)(*arc->clock / CLOCKS_PER_REFCLK >> 32); return STEP_DONE;
    case MSI_STATUS: *value = MSI_READY; return STEP_DONE; /* firmware empties the FIFO at once: never full */
    default: *value = 0; return absent(arc, "read", offset);
    }
}

static enum step apb_write(struct arc *arc, uint32_t offset, uint32_t value)
{
    unsigned noc;
    uint32_t in_window;
    uint32_t *word = storage(arc, offset);
    if (word) {
        bool doorbell = offset == MISC_CNTL && value & MISC_CNTL_IRQ0;
        *word = doorbell ? value & ~(uint32_t)MISC_CNTL_IRQ0 : value;
        return doorbell ? arc_firmware_serve(arc) : STEP_DONE;
    }
    if (in_niu(offset, &noc, &in_window)) {
        return niu_window_write(&arc->niu, noc, in_window, value, &arc->diagnostics);
    }
    if (offset == MSI_FIFO) {
        return value == 0 ? arc_firmware_serve(arc) : STEP_DONE; /* other values signal nothing */
    }
    return absent(arc, "write", offset);
}

static bool in_csm(uint64_t address, uint32_t size)
{
    return address >= ARC_CSM_BASE && address - ARC_CSM_BASE <= ARC_CSM_SIZE &&
           size <= ARC_CSM_SIZE - (address - ARC_CSM_BASE);
}

/* Whether [address, address + size) is one word of registers; if not, *step says what to do. */
static bool is_register(struct arc *arc, uint64_t address, uint32_t size, enum step *step)
{
    uint32_t offset;
    bool mapped = (address >= APB_BASE && address < APB_BASE + APB_SIZE) || niu_window_offset(address, &offset);
    if (mapped && size == 4 && address % 4 == 0) {
        return true;
    }
    *step = mapped ? diagnose(&arc->diagnostics, BH_UNDEFINED_BEHAVIOR,
                              "access of %u bytes at 0x%llx: registers of the ARC tile take aligned words", size,
                              (unsigned long long)address)
                   : diagnose(&arc->diagnostics, BH_UNSUPPORTED,
                              "access of %u bytes at 0x%llx: of the ARC tile, CSM (0x%x to 0x%x) and the APB are "
                              "emulated",
                              size, (unsigned long long)address, ARC_CSM_BASE, ARC_CSM_BASE + ARC_CSM_SIZE - 1);
    return false;
}

enum step arc_read(struct arc *arc, uint64_t address, void *data, uint32_t size)
{
    if (in_csm(address, size)) {
        memcpy(data, arc->csm + (address - ARC_CSM_BASE), size);
        arc_firmware_looked_at(arc, (uint32_t)(address - ARC_CSM_BASE), size);
        return STEP_DONE;
    }
    enum step step;
    uint32_t offset, value = 0;
    if (!is_register(arc, address, size, &step)) {
        if (step == STEP_DONE) { /* the policy lets it pass */
            memset(data, 0, size);
        }
        return step;
    }
    step = niu_window_offset(address, &offset)
               ? niu_window_read(&arc->niu, arc->niu.via, offset, &value, &arc->diagnostics)
               : apb_read(arc, (uint32_t)(address - APB_BASE), &value);
    memcpy(data, &value, sizeof value);
    return step;
}

enum step arc_write(struct arc *arc, uint64_t address, const void *data, uint32_t size)
{
    if (in_csm(address, size)) {
        memcpy(arc->csm + (address - ARC_CSM_BASE), data, size);
        return STEP_DONE;
    }
    enum step step;
    uint32_t offset, value;
    if (!is_register(arc, address, size, &step)) {
        return step;
    }
    memcpy(&value, data, sizeof value);
    return niu_window_offset(address, &offset)
               ? niu_window_write(&arc->niu, arc->niu.via, offset, value, &arc->diagnostics)
               : apb_write(arc, (uint32_t)(address - APB_BASE), value);
}
