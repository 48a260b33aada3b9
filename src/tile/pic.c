/* The programmable interrupt controller: 32 software interrupts and 4 hardware interrupts, each with a handler, for B
   and NC. The hardware interrupts of the overlay and of the two NIUs are emulated; watchdog and ECC never raise
   theirs, since the settings that would let them do so are refused elsewhere. Source: ISA documentation PIC.md. */
#include "tile/handlers.h"

enum {
    SW_INT_EN = 0, /* register of B; those of NC follow */
    HW_INT_EN,
    INT_NO,
    ENABLES_OF_NC = 3,
    SW_INT = 0x18 / 4,
    HW_INT = 0x98 / 4,
    SW_INT_PC = 0xa8 / 4,
    HW_INT_PC = 0x128 / 4,
    SOFTWARE_INTERRUPTS = 32,
    HARDWARE_INTERRUPTS = 4,
    INTERRUPTS = SOFTWARE_INTERRUPTS + HARDWARE_INTERRUPTS,
};

enum { HARDWARE_OVERLAY = 0, HARDWARE_NIU_0 = 1 };

/* The raised hardware interrupts, as bits. */
static uint32_t hardware_raised(const struct tile *tile)
{
    uint32_t raised = (uint32_t)(tile->state->registers.overlay.done != 0) << HARDWARE_OVERLAY;
    for (unsigned noc = 0; noc < NIUS; noc++) {
        const struct niu *niu = &tile->state->registers.niu[noc];
        bool pending = niu->returned_to_zero & niu->config[NIU_TRANS_COUNT_RTZ_CFG] & 0xffff;
        raised |= (uint32_t)pending << (HARDWARE_NIU_0 + noc);
    }
    return raised;
}

static uint32_t software_raised(const struct tile *tile)
{
    uint32_t raised = 0;
    for (unsigned i = 0; i < SOFTWARE_INTERRUPTS; i++) {
        raised |= (uint32_t)(tile->state->registers.pic[SW_INT + i] != 0) << i;
    }
    return raised;
}

/* The enables and INT_NO of a core. */
static const uint32_t *registers_of(const struct tile *tile, unsigned core)
{
    return &tile->state->registers.pic[core == BH_CORE_NC ? ENABLES_OF_NC : 0];
}

/* The interrupts that are raised and enabled for a core. */
static uint64_t wanted(const struct tile *tile, unsigned core)
{
    const uint32_t *enabled = registers_of(tile, core);
    return (software_raised(tile) & enabled[SW_INT_EN]) | (uint64_t)(hardware_raised(tile) & enabled[HW_INT_EN])
                                                              << SOFTWARE_INTERRUPTS;
}

bool pic_enabled(const struct tile *tile)
{
    const uint32_t *b = registers_of(tile, BH_CORE_B), *nc = registers_of(tile, BH_CORE_NC);
    return b[SW_INT_EN] | b[HW_INT_EN] | nc[SW_INT_EN] | nc[HW_INT_EN];
}

bool pic_interrupts(const struct tile *tile, unsigned core)
{
    if (core != BH_CORE_B && core != BH_CORE_NC) {
        return false;
    }
    const uint32_t *enabled = registers_of(tile, core);
    const struct rv32_core *state = &tile->state->core[core];
    return (enabled[SW_INT_EN] | enabled[HW_INT_EN]) && !state->interrupted && !state->waiting &&
           (state->halt == RV32_RUNNING || state->halt == RV32_SELF_JUMP) && wanted(tile, core) != 0;
}

/* Round-robin: takes the first interrupt after the last one taken. */
void pic_take(struct tile *tile, unsigned core)
{
    uint32_t *pic = tile->state->registers.pic, *number = &pic[(core == BH_CORE_NC ? ENABLES_OF_NC : 0) + INT_NO];
    uint64_t raised = wanted(tile, core);
    do {
        *number = (*number + 1) % INTERRUPTS;
    } while (!(raised >> *number & 1));
    uint32_t handler =
        *number < SOFTWARE_INTERRUPTS ? pic[SW_INT_PC + *number] : pic[HW_INT_PC + *number - SOFTWARE_INTERRUPTS];
    rv32_interrupt(&tile->state->core[core], handler);
}

enum step pic_load(const struct mmio_access *access, uint32_t *value)
{
    uint32_t *pic = access->tile->state->registers.pic, index = access->offset / 4;
    *value = pic[index];
    if (index >= SW_INT && index < HW_INT) {
        pic[index] = 0;
    } else if (index >= HW_INT && index < SW_INT_PC) {
        *value = hardware_raised(access->tile) >> (index - HW_INT) & 1;
    }
    return STEP_DONE;
}

enum step pic_store(const struct mmio_access *access, uint32_t value)
{
    struct tile *tile = access->tile;
    uint32_t index = access->offset / 4;
    if (index == INT_NO || index == ENABLES_OF_NC + INT_NO || (index >= HW_INT && index < SW_INT_PC)) {
        return diagnose(tile->tensix.diagnostics, BH_NON_CONTRACTUAL,
                        "store by %s at 0x%08x: this register of the PIC is read-only", mmio_agent_name(access->agent),
                        access->address);
    }
    tile->state->registers.pic[index] = value;
    if (access->agent < BH_CORE_COUNT && (pic_interrupts(tile, BH_CORE_B) || pic_interrupts(tile, BH_CORE_NC))) {
        tile->core[access->agent].yield = true;
    }
    return STEP_DONE;
}
