/* Overlay streams of an Ethernet tile: 32 idle streams, whose configuration registers and space counters software uses
   as its own counters. Messages are not carried. Source: ISA documentation NoC/Overlay/AsGeneralUse.md; ttsim. */
#include "chip/ethernet.h"
#include "tile/mmio.h"

#define OVERLAY 0xFFB40000u
#define INDEX(name) ((MMIO_ADDRESS_STREAM_##name & 0xfff) / 4)

enum { STREAM_STRIDE = 0x1000, WORD_BITS = 0xffffff, BUFFER_BITS = 0x1ffff, UPDATE_SHIFT = 6 };

/* The word of a configuration register; null: it is not one. */
static uint32_t *configuration(struct ethernet *ethernet, uint32_t address)
{
    uint32_t stream = (address - OVERLAY) / STREAM_STRIDE, index = address % STREAM_STRIDE / 4;
    return stream < ETHERNET_STREAMS && index < ETHERNET_STREAM_REGISTERS ? &ethernet->stream[stream][index] : NULL;
}

/* What a stream has room for at its destination. */
static uint32_t *space(struct ethernet *ethernet, uint32_t address)
{
    return &ethernet->stream_space[(address - OVERLAY) / STREAM_STRIDE % ETHERNET_STREAMS];
}

static bool is_stream(uint32_t address)
{
    return (address - OVERLAY) / STREAM_STRIDE < ETHERNET_STREAMS;
}

enum step ethernet_overlay_read(struct ethernet *ethernet, uint32_t address, uint32_t *value)
{
    const uint32_t *word = configuration(ethernet, address);
    if (word) {
        *value = *word;
        return STEP_DONE;
    }
    if (is_stream(address) && address % STREAM_STRIDE / 4 == INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE)) {
        *value = *space(ethernet, address);
        return STEP_DONE;
    }
    return ethernet_absent(ethernet, "read", address);
}

/* Bits 5:0 of an update say which destination; such a stream has one. */
static enum step add_space(struct ethernet *ethernet, uint32_t address, uint32_t value)
{
    if (value & ((1 << UPDATE_SHIFT) - 1)) {
        return ethernet_absent(ethernet, "update of a destination that is not the first", address);
    }
    *space(ethernet, address) = (*space(ethernet, address) + (value >> UPDATE_SHIFT)) & BUFFER_BITS;
    return STEP_DONE;
}

enum step ethernet_overlay_write(struct ethernet *ethernet, uint32_t address, uint32_t value)
{
    uint32_t index = address % STREAM_STRIDE / 4, *word = configuration(ethernet, address);
    if (is_stream(address) && index == INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE)) {
        return add_space(ethernet, address, value);
    }
    if (!word) {
        return ethernet_absent(ethernet, "write", address);
    }
    bool buffer = index == INDEX(REMOTE_DEST_BUF_SIZE) || index == INDEX(REMOTE_DEST_BUF_START);
    *word = value & (buffer ? BUFFER_BITS : WORD_BITS);
    if (index == INDEX(REMOTE_DEST_BUF_SIZE)) {
        *space(ethernet, address) = *word;
    }
    return STEP_DONE;
}
