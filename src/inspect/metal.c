#include "inspect/metal.h"

#include "host/metal_layout.h"
#include "isa/rv32_isa.h"
#include "tile/mmio.h"

/* Where a core's firmware begins: that of B behind a jump at 0, others where the host or B said. */
static uint32_t entry_of(const struct tile *tile, unsigned core)
{
    static const uint32_t registers[BH_CORE_COUNT] = {[BH_CORE_T0] = MMIO_ADDRESS_TRISC0_RESET_PC,
                                                      [BH_CORE_T1] = MMIO_ADDRESS_TRISC1_RESET_PC,
                                                      [BH_CORE_T2] = MMIO_ADDRESS_TRISC2_RESET_PC,
                                                      [BH_CORE_NC] = MMIO_ADDRESS_NCRISC_RESET_PC};
    uint32_t word = l1_load32(&tile->l1, 0);
    if (core == BH_CORE_B) {
        return rv32_identify(word) == RV32_OP_JAL ? (uint32_t)rv32_immediate(RV32_FORMAT_J, word) : 0;
    }
    return tile->state->registers.debug[(registers[core] - mmio_region(MMIO_DEBUG)->first) / 4];
}

bool metal_buffers_find(const struct tile *tile, struct metal_buffers *buffers)
{
    uint32_t entries[BH_CORE_COUNT];
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        entries[core] = entry_of(tile, core);
    }
    const struct metal_layout *layout = metal_layout_find(entries);
    if (!layout) {
        return false;
    }
    /* The firmware may have gone on to the message behind that of the last launch. */
    unsigned next = l1_load32(&tile->l1, METAL_LAUNCH_READ_PTR) % METAL_MESSAGES;
    for (unsigned i = 0; i < 2; i++) {
        unsigned entry = (next + METAL_MESSAGES - i) % METAL_MESSAGES;
        const uint8_t *message = l1_peek(&tile->l1, layout->launch + entry * metal_message_size(layout));
        buffers->mask = metal_get(layout, message, METAL_local_cb_mask, 0);
        buffers->address = (uint32_t)(metal_get(layout, message, METAL_kernel_config_base, 0) +
                                      metal_get(layout, message, METAL_local_cb_offset, 0));
        if (buffers->mask) {
            return true;
        }
    }
    return false;
}
