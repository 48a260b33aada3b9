#include "host/metal_seen.h"

#include "bhemu/device.h"
#include "tile/mmio.h"
#include "util/text.h"

static uint64_t get(struct bh_device *device, unsigned x, unsigned y, uint64_t address, uint32_t size)
{
    uint64_t value = 0;
    (void)bh_read(device, x, y, address, &value, size);
    return value;
}

/* Where a jump at address 0 goes; 0: there is none. */
static uint32_t jump_at_0(uint32_t word)
{
    enum { JAL_X0 = 0x6f };
    return (word & 0xfff) == JAL_X0 ? (word & 0xff000) | (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1 : 0;
}

bool metal_see(struct bh_device *device, unsigned x, unsigned y, struct metal_seen *seen)
{
    uint32_t entries[BH_CORE_COUNT];
    *seen = (struct metal_seen){};
    entries[BH_CORE_B] = jump_at_0((uint32_t)get(device, x, y, 0, 4));
    entries[BH_CORE_NC] = (uint32_t)get(device, x, y, MMIO_ADDRESS_NCRISC_RESET_PC, 4);
    for (unsigned thread = 0; thread < 3; thread++) {
        entries[BH_CORE_T0 + thread] = (uint32_t)get(device, x, y, MMIO_ADDRESS_TRISC0_RESET_PC + 4 * thread, 4);
    }
    const struct metal_layout *layout = seen->layout = metal_layout_find(entries);
    if (!layout) {
        return false;
    }
    uint32_t index = (uint32_t)get(device, x, y, layout->go_index, 4) % METAL_MESSAGES;
    seen->signal = (uint8_t)get(device, x, y, layout->go + 4 * index + METAL_SIGNAL_BYTE, 1);
    seen->entry = (uint32_t)get(device, x, y, METAL_LAUNCH_READ_PTR, 4) % METAL_MESSAGES;
    uint8_t message[METAL_MESSAGE_BYTES] = {0};
    (void)bh_read(device, x, y, layout->launch + seen->entry * metal_message_size(layout), message,
                  metal_message_size(layout));
    seen->id = (uint32_t)metal_get(layout, message, METAL_host_assigned_id, 0);
    seen->enables = (uint32_t)metal_get(layout, message, METAL_enables, 0);
    uint32_t base = (uint32_t)metal_get(layout, message, METAL_kernel_config_base, 0);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        enum bh_core core = metal_core(i);
        seen->kernel[core] = base + (uint32_t)metal_get(layout, message, METAL_kernel_text_offset, i);
        seen->run[core] = i ? (uint8_t)get(device, x, y, METAL_SUBORDINATE_SYNC + i - 1, 1) : METAL_RUN_DONE;
    }
    return true;
}

bool metal_is_busy(const struct metal_seen *seen)
{
    bool busy = seen->signal != METAL_SIGNAL_DONE;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        busy |= core != BH_CORE_B && seen->run[core] != METAL_RUN_DONE;
    }
    return busy;
}

void metal_describe(const struct metal_seen *seen, char *buffer, unsigned size)
{
    struct text text = {.buffer = buffer, .size = size};
    text_add(&text, "launch message %u, id %u: go message 0x%02x (%s)", seen->entry, seen->id, seen->signal,
             metal_signal_name(seen->signal));
    const char *before = "; kernels not ended: ";
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        enum bh_core core = metal_core(i);
        bool b = core == BH_CORE_B;
        if (!(seen->enables >> i & 1) || (b ? seen->signal == METAL_SIGNAL_DONE : seen->run[core] == METAL_RUN_DONE)) {
            continue;
        }
        text_add(&text, "%s%s at 0x%x", before, bh_core_name(core), seen->kernel[core]);
        if (b) {
            text_add(&text, " (or its wait for the others)");
        } else {
            text_add(&text, " (0x%02x, %s)", seen->run[core], metal_run_name(seen->run[core]));
        }
        before = ", ";
    }
}
