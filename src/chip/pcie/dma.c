#include "chip/pcie/pcie.h"

/* Indices of registers. */
enum {
    DMA_ENABLE = 0x00 / 4,
    DMA_DOORBELL = 0x04 / 4,
    DMA_TRANSFER_SIZE = 0x1c / 4,
    DMA_SOURCE = 0x20 / 4, /* index of the low word; the high word follows, as for all addresses */
    DMA_DESTINATION = 0x28 / 4,
    DMA_STATUS = 0x80 / 4,
    DMA_INT_STATUS = 0x84 / 4,
    DMA_INT_SETUP = 0x88 / 4,
    DMA_INT_CLEAR = 0x8c / 4,
    DMA_MSI_STOP = 0x90 / 4,
    DMA_MSI_ABORT = 0xa0 / 4,
    DMA_MSI_DATA = 0xa8 / 4,
};

enum { TO_HOST, TO_DEVICE };
enum { STATUS_STOPPED = 3, INT_STOP = 1, SETUP_REMOTE_STOP = 1 << 3 };
enum { CHUNK = 4096, WINDOW_SHIFT = 21 };

static bool is_register(uint32_t index)
{
    return index <= DMA_DOORBELL || (index >= DMA_TRANSFER_SIZE && index <= DMA_DESTINATION + 1) ||
           (index >= DMA_STATUS && index <= DMA_MSI_STOP + 1) || (index >= DMA_MSI_ABORT && index <= DMA_MSI_DATA);
}

static enum step absent(struct pcie *pcie, uint32_t offset)
{
    return diagnose(&pcie->diagnostics, BH_UNSUPPORTED, "BAR2: offset 0x%x is not emulated", offset);
}

enum step pcie_dma_read(struct pcie *pcie, uint32_t offset, uint32_t *value)
{
    uint32_t index = offset % DMA_CHANNEL_SIZE / 4;
    *value = 0;
    if (!is_register(index)) {
        return absent(pcie, offset);
    }
    *value = pcie->dma.channel[offset / DMA_CHANNEL_SIZE][index];
    return STEP_DONE;
}

static uint64_t address_in(const uint32_t *channel, unsigned index)
{
    return (uint64_t)channel[index + 1] << 32 | channel[index];
}

/* Moves at most one chunk, within one TLB window. Returns the number of bytes moved. */
static enum step move(struct pcie *pcie, bool to_device, uint64_t host, uint64_t device, uint32_t size, uint32_t *moved)
{
    uint8_t chunk[CHUNK];
    unsigned window = (unsigned)(device >> WINDOW_SHIFT);
    uint32_t offset = (uint32_t)device & ((1u << WINDOW_SHIFT) - 1), left = (1u << WINDOW_SHIFT) - offset;
    *moved = size < CHUNK ? size : CHUNK;
    *moved = *moved < left ? *moved : left;
    enum step step =
        to_device ? pcie_host_read(pcie, host, chunk, *moved) : pcie_window_read(pcie, window, offset, chunk, *moved);
    if (step != STEP_DONE) {
        return step;
    }
    return to_device ? pcie_window_write(pcie, window, offset, chunk, *moved)
                     : pcie_host_write(pcie, host, chunk, *moved);
}

static enum step check(struct pcie *pcie, uint64_t device, uint32_t size)
{
    const uint64_t end = (uint64_t)TLB_WINDOWS_2M << WINDOW_SHIFT;
    if (device > end || size > end - device) { /* first: whatever the policy, nothing is behind it */
        return diagnose(&pcie->diagnostics, BH_BAD_INPUT,
                        "DMA of %u bytes at 0x%llx of the device: the TLB windows of BAR0 end at 0x%llx", size,
                        (unsigned long long)device, (unsigned long long)end);
    }
    if (size == 0 || size % 4 || device % 4) {
        return diagnose(&pcie->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "DMA of %u bytes at 0x%llx of the device: both have to be multiples of 4, and not none", size,
                        (unsigned long long)device);
    }
    return STEP_DONE;
}

static enum step transfer(struct pcie *pcie, unsigned direction)
{
    uint32_t *channel = pcie->dma.channel[direction], size = channel[DMA_TRANSFER_SIZE], moved;
    bool to_device = direction == TO_DEVICE;
    uint64_t source = address_in(channel, DMA_SOURCE), destination = address_in(channel, DMA_DESTINATION);
    uint64_t device = to_device ? destination : source, host = to_device ? source : destination;
    enum step step = check(pcie, device, size);
    for (uint32_t done = 0; step == STEP_DONE && done < size; done += moved) {
        step = move(pcie, to_device, host + done, device + done, size - done, &moved);
    }
    if (step != STEP_DONE) {
        return step;
    }
    channel[DMA_TRANSFER_SIZE] = 0;
    channel[DMA_STATUS] = STATUS_STOPPED;
    channel[DMA_INT_STATUS] |= INT_STOP;
    uint64_t message = address_in(channel, DMA_MSI_STOP);
    if (channel[DMA_INT_SETUP] & SETUP_REMOTE_STOP && message) {
        return pcie_host_write(pcie, message, &channel[DMA_MSI_DATA], sizeof channel[DMA_MSI_DATA]);
    }
    return STEP_DONE;
}

enum step pcie_dma_write(struct pcie *pcie, uint32_t offset, uint32_t value)
{
    unsigned direction = offset / DMA_CHANNEL_SIZE;
    uint32_t index = offset % DMA_CHANNEL_SIZE / 4, *channel = pcie->dma.channel[direction];
    if (!is_register(index)) {
        return absent(pcie, offset);
    }
    if (index == DMA_INT_CLEAR) {
        channel[DMA_INT_STATUS] &= ~value;
        return STEP_DONE;
    }
    if (index == DMA_DOORBELL && value & 1) {
        return transfer(pcie, direction);
    }
    if (index != DMA_STATUS && index != DMA_INT_STATUS) { /* read-only */
        channel[index] = value;
    }
    return STEP_DONE;
}
