/* DRAM tiles as the NoC sees them: a channel of GDDR, and the tile's core (chip/dram/dram_tile.h), which is connected
   when somebody first reaches it. */
#include <string.h>

#include "chip/device_state.h"
#include "chip/ports.h"
#include "noc/journey.h"
#include "noc/traffic.h"

#define FIRST_REGISTER 0xFFB00000u

enum { L1_READ_ALIGNMENT = 0xf, DRAM_READ_ALIGNMENT = 0x3f };

/* GDDR. */

static enum step channel_read(void *context, uint64_t address, void *data, uint32_t size)
{
    const struct dram_port *port = context;
    return dram_read(&port->device->dram, port->channel, address, data, size) ? STEP_DONE : STEP_STOP;
}

static enum step channel_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    const struct dram_port *port = context;
    return dram_write(&port->device->dram, port->channel, address, data, size) ? STEP_DONE : STEP_STOP;
}

/* The host's pointer to bytes of a channel; null for memory that was never written. */
static uint8_t *channel_bytes(void *context, bool write, uint64_t address, uint32_t size)
{
    const struct dram_port *port = context;
    struct dram *dram = &port->device->dram;
    uint8_t *bytes = dram->channel[port->channel];
    if (!bytes || !size || address >= DRAM_CHANNEL_SIZE || size > DRAM_CHANNEL_SIZE - address) {
        return NULL;
    }
    if (write) {
        dram_written(dram, port->channel, address, size);
    } else if (dram_is_new(dram, port->channel, address, size)) {
        return NULL;
    }
    return bytes + address;
}

/* The core. */

static struct dram_tile *tile_of(const struct dram_port *port)
{
    return &port->device->dram_tiles[port->number];
}

/* Accesses happen at the clock up to which the tile has run. */
static struct dram_tile *tile_now(const struct dram_port *port)
{
    struct dram_tile *tile = tile_of(port);
    clock_begin(&tile->tile.clock, device_tile_clock(port->device, TENSIX_TILES + ETHERNET_TILES + port->number));
    return tile;
}

static enum step core_read(void *context, uint64_t address, void *data, uint32_t size)
{
    struct dram_tile *tile = tile_now(context);
    const struct dram_port *port = context;
    if (device_is_dead(port->device, &tile->tile.diagnostics)) {
        memset(data, 0xff, size);
        return STEP_DONE;
    }
    return dram_tile_read(tile, address, data, size);
}

static enum step core_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    struct dram_tile *tile = tile_now(context);
    const struct dram_port *port = context;
    if (device_is_dead(port->device, &tile->tile.diagnostics)) {
        return STEP_DONE;
    }
    enum step step = dram_tile_write(tile, address, data, size);
    network_notice(&port->device->network, TENSIX_TILES + ETHERNET_TILES + port->number);
    return step;
}

static void connect_core(struct dram_port *port)
{
    struct bh_device *device = port->device;
    struct dram_tile *tile = tile_of(port);
    const struct noc_endpoint endpoint = {.context = port,
                                          .read = core_read,
                                          .write = core_write,
                                          .diagnostics = &tile->tile.diagnostics,
                                          .niu = port->niu->niu,
                                          .outbox = &tile->tile.outbox,
                                          .l1 = &tile->tile.l1,
                                          .memory = DRISC_L1_SIZE,
                                          .registers = FIRST_REGISTER,
                                          .ignored = ~(uint64_t)UINT32_MAX,
                                          .read_alignment = L1_READ_ALIGNMENT,
                                          .x = port->niu->x,
                                          .y = port->niu->y};
    network_connect_dram_core(&device->network, &endpoint, port->number, TENSIX_TILES + ETHERNET_TILES + port->number);
    device_prepare_dram(device, port->number);
    observers_connect(device, port->niu->x, port->niu->y);
}

void ports_connect_dram_core(struct bh_device *device, unsigned number)
{
    if (!device->network.dram_core[number].read) {
        connect_core(&device->ports.dram[number]);
    }
}

/* Of the engines at the tiles of a channel the one that asks first, before a time; null: none does. */
static struct dram_tile *first_that_asks(struct bh_device *device, unsigned channel, uint64_t before)
{
    struct dram_tile *first = NULL;
    for (unsigned number = 0; number < DRAM_TILES; number++) {
        struct dram_tile *tile = &device->dram_tiles[number];
        if (device_core_ready(device, ETHERNET_TILES + number) && tile->channel == channel &&
            gddr_dma_asks(&tile->dma) < before) {
            before = gddr_dma_asks(&tile->dma);
            first = tile;
        }
    }
    return first;
}

void device_book_copies(void *context, unsigned channel, uint64_t before)
{
    struct bh_device *device = context;
    struct dram_tile *tile;
    while ((tile = first_that_asks(device, channel, before * MILLI))) {
        gddr_dma_book(&tile->dma, &device->network.traffic->timing, channel);
    }
    if (!first_that_asks(device, channel, CLOCK_NEVER)) {
        device->network.copies &= ~(1u << channel);
    }
}

void device_note_copies(struct bh_device *device, unsigned number)
{
    const struct dram_tile *tile = &device->dram_tiles[number];
    if (device->network.traffic && tile->dma.count) {
        device->network.copies |= 1u << tile->channel;
    }
}

/* Both. */

static struct noc_endpoint *side(void *context, unsigned noc, uint64_t address)
{
    struct dram_port *port = context;
    struct network *network = &port->device->network;
    if (!dram_tile_is_core(&port->niu->niu[noc], address)) {
        return &network->endpoint[port->niu->y][port->niu->x];
    }
    ports_connect_dram_core(port->device, port->number);
    return &network->dram_core[port->number];
}

/* How many DRAM tiles come before (x, y), row by row. */
static unsigned number_of(unsigned x, unsigned y)
{
    unsigned count = 0;
    for (unsigned place = 0; place < y * NOC_WIDTH + x; place++) {
        count += noc_tile_kind(place % NOC_WIDTH, place / NOC_WIDTH) == TILE_DRAM;
    }
    return count;
}

void ports_connect_dram(struct bh_device *device, unsigned x, unsigned y)
{
    enum { DRAM_TILE = 0x0800 };
    unsigned number = number_of(x, y);
    struct dram_port *port = &device->ports.dram[number];
    *port = (struct dram_port){
        .device = device, .number = number, .channel = dram_channel_at(x, y), .niu = &device->ports.dram_niu[number]};
    const struct noc_endpoint endpoint = {.context = port,
                                          .read = channel_read,
                                          .write = channel_write,
                                          .bytes = channel_bytes,
                                          .side = side,
                                          .niu = port->niu->niu,
                                          .memory = DRAM_CHANNEL_SIZE,
                                          .read_alignment = DRAM_READ_ALIGNMENT,
                                          .x = (uint8_t)x,
                                          .y = (uint8_t)y};
    network_connect(&device->network, &endpoint);
    niu_window_create(port->niu, x, y, port->channel | DRAM_TILE << 8, &device->translation);
}

void ports_configure_dram(struct ports *ports)
{
    for (unsigned i = 0; i < DRAM_TILES; i++) {
        struct niu_window *window = &ports->dram_niu[i];
        for (unsigned noc = 0; noc < NIUS && window->endpoint_id; noc++) { /* else the tile was never reached */
            niu_reset(&window->niu[noc], noc, window->x, window->y, &ports->dram[i].device->translation);
        }
    }
}
