/* Registers of overlay streams in an Ethernet tile's memory map; tile/overlay.h has the streams' behaviour. */
#include "chip/ethernet/ethernet.h"
#include "tile/mmio.h"

#define OVERLAY 0xFFB40000u

enum { CONFIGURATION_END = 256 };

struct overlay_site ethernet_overlay(struct ethernet *ethernet)
{
    return (struct overlay_site){.overlay = &ethernet->overlay,
                                 .l1 = &ethernet->tile.l1,
                                 .l1_size = ETHERNET_L1_SIZE,
                                 .link_units = ethernet_link_units(ethernet, 0),
                                 .niu = ethernet->tile.niu,
                                 .outbox = &ethernet->tile.outbox,
                                 .diagnostics = &ethernet->tile.diagnostics,
                                 .observed = ethernet->tile.observed};
}

/* Whether a stream register exists and can be read, or written. The registers are those of Tensix tiles. */
static bool exists(const struct ethernet *ethernet, uint32_t address, bool store)
{
    unsigned stream = (address - OVERLAY) / STREAM_STRIDE;
    uint32_t index = address % STREAM_STRIDE / 4;
    if (stream >= ETHERNET_STREAMS || index >= STREAM_REGISTERS) {
        return false;
    }
    const struct mmio_register *named = mmio_register_at(address);
    if (!named) {
        return index < CONFIGURATION_END || overlay_is_row(&ethernet->overlay, stream, index);
    }
    enum mmio_kind kind = store ? named->store : named->load;
    return kind == MMIO_KIND_STATE || kind == MMIO_KIND_EFFECT;
}

/* The window has room for 64 streams. Until September 2025 firmware of idle Ethernet cores reset streams 8 to 39
   (tt-metal idle_erisc.cc). */
static enum step missing(struct ethernet *ethernet, const char *what, uint32_t address)
{
    unsigned stream = (address - OVERLAY) / STREAM_STRIDE;
    if (stream < ETHERNET_STREAMS) {
        return ethernet_absent(ethernet, what, address);
    }
    return diagnose(&ethernet->tile.diagnostics, BH_NON_CONTRACTUAL,
                    "%s at 0x%08x: stream %u of an Ethernet tile, which has %u: no effect", what, address, stream,
                    (unsigned)ETHERNET_STREAMS);
}

enum step ethernet_overlay_read(struct ethernet *ethernet, uint32_t address, uint32_t *value)
{
    struct overlay_site site = ethernet_overlay(ethernet);
    return exists(ethernet, address, false)
               ? overlay_read(&site, (address - OVERLAY) / STREAM_STRIDE, address % STREAM_STRIDE / 4, value)
               : missing(ethernet, "read", address);
}

bool ethernet_overlay_takes(const struct ethernet *ethernet, uint32_t address)
{
    return exists(ethernet, address, true);
}

enum step ethernet_overlay_write(struct ethernet *ethernet, uint32_t address, uint32_t value)
{
    struct overlay_site site = ethernet_overlay(ethernet);
    return exists(ethernet, address, true)
               ? overlay_write(&site, (address - OVERLAY) / STREAM_STRIDE, address % STREAM_STRIDE / 4, value)
               : missing(ethernet, "write", address);
}
