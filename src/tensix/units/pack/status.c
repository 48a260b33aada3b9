#include <string.h>

#include "tensix/units/bus.h"
#include "tensix/units/state.h"

void pack_clear_exponent_histogram(struct pack_unit *pack)
{
    memset(pack->exponent_histogram, 0, sizeof pack->exponent_histogram);
    pack->max_exponent = 0;
}

void pack_push_metadata(struct pack_unit *pack)
{
    if (pack->metadata_count < PACK_METADATA) {
        pack->metadata[pack->metadata_count++] =
            (struct pack_metadata){.tile_size = pack->last_tile_size, .all_zero_flags = pack->all_zero_flags};
    }
}

void pack_pop_metadata(struct pack_unit *pack)
{
    if (pack->metadata_count) {
        pack->metadata_count--;
        memmove(pack->metadata, pack->metadata + 1, pack->metadata_count * sizeof *pack->metadata);
    }
}

struct pack_status pack_status_read(const struct tensix *tensix, unsigned packer, unsigned thread)
{
    const struct pack_unit *pack = &tensix->state->pack;
    struct pack_status status = {0};
    if (packer != 0) {
        return status;
    }
    status.accumulated_tile_size = pack->accumulated_tile_size[thread];
    status.last_tile_size = pack->last_thread == thread ? pack->last_tile_size : 0;
    status.all_zero_flags = pack->all_zero_flags;
    status.exponent_histogram_max_exponent = pack->max_exponent;
    memcpy(status.exponent_histogram, pack->exponent_histogram, sizeof status.exponent_histogram);
    return status;
}

void pack_reset_accumulated_tile_size(struct tensix *tensix, unsigned packer)
{
    if (packer == 0) {
        struct pack_unit *pack = &tensix->state->pack;
        memset(pack->accumulated_tile_size, 0, sizeof pack->accumulated_tile_size);
    }
}

void pack_write_accumulated_tile_size(struct pack_unit *pack, uint32_t value)
{
    if (value >> 16 & 1) {
        memset(pack->accumulated_tile_size, 0, sizeof pack->accumulated_tile_size);
        pack->l1_dest_addr_offset = (uint16_t)value;
    }
}

void pack_set_register_addresses(struct pack_unit *pack, uint32_t value)
{
    for (unsigned i = 0; i < 2; i++) {
        pack->setreg_base[i] = bus_window_base(value, i);
    }
}
