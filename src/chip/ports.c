#include "chip/ports.h"

enum { L1_READ_ALIGNMENT = 0xf, DRAM_READ_ALIGNMENT = 0x3f };

static enum step tensix_read(void *context, uint64_t address, void *data, uint32_t size)
{
    const struct tensix_port *port = context;
    port->tile->state->clock = *port->clock;
    return tile_read(port->tile, address, data, size);
}

static enum step tensix_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    const struct tensix_port *port = context;
    port->tile->state->clock = *port->clock;
    *port->active |= port->bit;
    enum step step = tile_write(port->tile, address, data, size);
    network_notice(port->network, port->initiator);
    return step;
}

static enum step channel_read(void *context, uint64_t address, void *data, uint32_t size)
{
    const struct dram_port *port = context;
    return dram_read(port->dram, port->channel, address, data, size) ? STEP_DONE : STEP_STOP;
}

static enum step channel_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    const struct dram_port *port = context;
    return dram_write(port->dram, port->channel, address, data, size) ? STEP_DONE : STEP_STOP;
}

static void connect_tensix(struct ports *ports, struct network *network, struct tile *tile, unsigned index,
                           const uint64_t *clock, uint64_t *active)
{
    unsigned x, y;
    tensix_coordinates(index, &x, &y);
    ports->tensix[index] =
        (struct tensix_port){tile, clock, &active[index / 64], UINT64_C(1) << index % 64, network, index};
    (void)network_connect(network, &(struct noc_endpoint){.context = &ports->tensix[index],
                                                          .read = tensix_read,
                                                          .write = tensix_write,
                                                          .diagnostics = &tile->state->diagnostics,
                                                          .niu = tile->state->registers.niu,
                                                          .outbox = &tile->state->registers.outbox,
                                                          .l1 = &tile->l1,
                                                          .memory = L1_SIZE,
                                                          .read_alignment = L1_READ_ALIGNMENT,
                                                          .x = (uint8_t)x,
                                                          .y = (uint8_t)y});
}

static void connect_dram(struct ports *ports, struct network *network, unsigned x, unsigned y)
{
    (void)network_connect(network, &(struct noc_endpoint){.context = &ports->dram[dram_channel_at(x, y)],
                                                          .read = channel_read,
                                                          .write = channel_write,
                                                          .memory = DRAM_CHANNEL_SIZE,
                                                          .read_alignment = DRAM_READ_ALIGNMENT,
                                                          .x = (uint8_t)x,
                                                          .y = (uint8_t)y});
}

void ports_connect(struct ports *ports, struct network *network, struct tile *tiles, struct dram *dram,
                   const uint64_t *clock, uint64_t *active)
{
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        connect_tensix(ports, network, &tiles[i], i, clock, active);
    }
    for (unsigned channel = 0; channel < DRAM_CHANNELS; channel++) {
        ports->dram[channel] = (struct dram_port){dram, channel};
    }
    for (unsigned y = 0; y < NOC_HEIGHT; y++) {
        for (unsigned x = 0; x < NOC_WIDTH; x++) {
            if (noc_tile_kind(x, y) == TILE_DRAM) {
                connect_dram(ports, network, x, y);
            }
        }
    }
}
