/* Registers of overlay streams in a Tensix tile's memory map; overlay.h has the streams' behaviour. */
#include "tile/overlay/overlay.h"

#include "tile/handlers.h"

enum { CONFIGURATION_END = 256 }; /* registers below configure a stream, those from here on have effects */

/* A register without a name and unknown to the overlay: a plain word if it is a configuration register, otherwise an
   effect that is not emulated. */
static enum step unknown(const struct mmio_access *access)
{
    return diagnose(access->tile->tensix.diagnostics, BH_UNSUPPORTED,
                    "access by %s at 0x%08x: register %u of overlay stream %u is not emulated yet",
                    mmio_agent_name(access->agent), access->address, access->offset % STREAM_STRIDE / 4,
                    access->offset / STREAM_STRIDE);
}

struct overlay_site tile_overlay(struct tile *tile)
{
    struct tile_registers *registers = &tile->state->registers;
    return (struct overlay_site){.overlay = &registers->overlay,
                                 .l1 = &tile->l1,
                                 .l1_size = L1_SIZE,
                                 .niu = registers->niu,
                                 .outbox = &registers->outbox,
                                 .diagnostics = &tile->state->diagnostics,
                                 .observed = tile->observed};
}

static bool is_known(const struct mmio_access *access, uint32_t index)
{
    return index < CONFIGURATION_END ||
           overlay_is_row(&access->tile->state->registers.overlay, access->offset / STREAM_STRIDE, index);
}

enum step overlay_load(const struct mmio_access *access, uint32_t *value)
{
    unsigned stream = access->offset / STREAM_STRIDE;
    uint32_t index = access->offset % STREAM_STRIDE / 4;
    struct overlay_site site = tile_overlay(access->tile);
    if (index >= STREAM_REGISTERS) {
        return mmio_nothing_to_load(access);
    }
    bool handled = false;
    if (mmio_register_of(access)) {
        enum step step = mmio_register_load(access, &site.overlay->words[index][stream], value, &handled);
        if (handled) {
            return step;
        }
    } else if (!is_known(access, index)) {
        return unknown(access);
    }
    return overlay_read(&site, stream, index, value);
}

enum step overlay_store(const struct mmio_access *access, uint32_t value)
{
    unsigned stream = access->offset / STREAM_STRIDE;
    uint32_t index = access->offset % STREAM_STRIDE / 4;
    struct overlay_site site = tile_overlay(access->tile);
    if (index >= STREAM_REGISTERS) {
        return mmio_nothing_to_store(access);
    }
    bool handled = false;
    if (mmio_register_of(access)) {
        enum step step = mmio_register_store(access, &site.overlay->words[index][stream], value, &handled);
        if (handled) {
            return step;
        }
    } else if (!is_known(access, index)) {
        return unknown(access);
    }
    return overlay_write(&site, stream, index, value);
}
