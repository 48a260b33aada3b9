/* What messages to the firmware of the ARC tile do to the chip: DMA, resets of tiles and of all, and how coordinates
   are translated. Sources: tt-zephyr-platforms msgqueue.h (the requests), and of bh_arc noc_init.c, chip/pcie/dma.c,
   reset.c, cm2dm_msg.c. */
#include <stddef.h>
#include <string.h>

#include "chip/quantum.h"
#include "noc/traffic.h"

enum { STATUS_OK = 0, STATUS_REFUSED = 1, STATUS_BAD_ARGUMENT = 0xea /* -EINVAL, in a byte */ };

/* Coordinates. */

static void reset_window(struct bh_device *device, struct niu_window *window)
{
    for (unsigned noc = 0; noc < NIUS; noc++) {
        niu_reset(&window->niu[noc], noc, window->x, window->y, &device->translation);
    }
}

static void reset_nius(struct bh_device *device, struct niu *niu, unsigned x, unsigned y)
{
    for (unsigned noc = 0; noc < NIUS; noc++) {
        niu_reset(&niu[noc], noc, x, y, &device->translation);
    }
}

/* Configures all NIUs anew; those of tiles that were never reached are configured when they are. */
static void configure_nius(struct bh_device *device)
{
    reset_window(device, &device->pcie.niu);
    reset_window(device, &device->arc.niu);
    ports_configure_dram(&device->ports);
    for (unsigned i = absent_next(&device->absent, 0); i < ABSENT_TILES; i = absent_next(&device->absent, i + 1)) {
        reset_window(device, &device->absent.tile[i].niu);
    }
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        unsigned x, y;
        tensix_coordinates(i, &x, &y);
        if (device_used(device, i)) {
            reset_nius(device, device->states[i].registers.niu, x, y);
        }
    }
    for (unsigned channel = 0; channel < ETHERNET_TILES; channel++) {
        if (device_ethernet_ready(device, channel)) {
            reset_nius(device, device->ethernet[channel].tile.niu, die_column(channel), ETHERNET_Y);
        }
    }
    arc_tell_translation(&device->arc, !device->translation.off);
}

/* Bit 8 of the first word: whether to translate; bit 9: the PCIe tile, if bit 10 says so; from bit 16 on columns of
   Tensix tiles that are bad. In the second one: a bad channel of DRAM, 0xff if there is none, and Ethernet tiles to be
   left out. */
static uint32_t translate(struct bh_device *device, const uint32_t *request)
{
    enum { ENABLE = 1 << 8, INSTANCE = 1 << 9, OVERRIDE = 1 << 10, NO_BAD_CHANNEL = 0xff, OTHER_PCIE_X = 11 };
    uint32_t bad_channel = request[1] & 0xff;
    if (bad_channel >= DRAM_CHANNELS && bad_channel != NO_BAD_CHANNEL) {
        return STATUS_BAD_ARGUMENT;
    }
    struct noc_tiles arranged = {
        .tensix_columns = (uint16_t)(~(request[0] >> 16) & ALL_TENSIX_COLUMNS),
        .ethernet = (uint16_t)(~(request[1] >> 8) & ALL_ETHERNET),
        .dram = (uint8_t)(bad_channel == NO_BAD_CHANNEL ? ALL_DRAM : ALL_DRAM & ~(1u << bad_channel)),
    };
    bool other = request[0] & OVERRIDE && request[0] & INSTANCE;
    noc_translation_arrange(&device->translation, arranged, other ? OTHER_PCIE_X : PCIE_X);
    device->translation.off = !(request[0] & ENABLE);
    configure_nius(device);
    return STATUS_OK;
}

/* Programs again, in all tiles, what resets of Tensix tiles clear. */
static uint32_t reinitialize(struct bh_device *device)
{
    noc_translation_create(&device->translation, device->board.tiles);
    configure_nius(device);
    return STATUS_OK;
}

/* Resets. */

/* Resets a Tensix tile: it loses everything but L1, and its cores are in soft reset. During an exchange the requests in
   its outbox stay. */
void device_reset_tensix(struct bh_device *device, unsigned index)
{
    struct noc_outbox *outbox = &device->states[index].registers.outbox, kept = *outbox;
    device_deliver(device, &device->states[index].diagnostics);
    device_wake(device, index);
    traffic_forget(&device->network, index);
    device_forget_stop(device, index);
    device_forget_tensix(device, index);
    device_prepare_tensix(device, index);
    if (device->exchanging) {
        *outbox = kept;
    }
    device->blocked = false;
    device->resets++;
}

void device_reset_core_tile(struct bh_device *device, unsigned number)
{
    device_deliver(device, &device_core_tile(device, number)->diagnostics);
    traffic_forget(&device->network, TENSIX_TILES + number);
    device_forget_stop(device, TENSIX_TILES + number);
    device_forget_core_tile(device, number);
    if (number < ETHERNET_TILES) {
        device_prepare_ethernet(device, &device->ethernet[number]);
    } else {
        device_prepare_dram(device, number - ETHERNET_TILES);
    }
    device->blocked = false;
    device->resets++;
}

/* The coordinates are translated ones. */
static uint32_t reset_tile(struct bh_device *device, const uint32_t *request, uint32_t *response)
{
    unsigned x, y;
    bool there = noc_translate(&device->translation, request[1] & 0xff, request[1] >> 8 & 0xff, &x, &y);
    if (!there || noc_tile_kind(x, y) != TILE_TENSIX) {
        response[1] = 1;
        return STATUS_REFUSED;
    }
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        unsigned tile_x, tile_y;
        tensix_coordinates(i, &tile_x, &tile_y);
        if (tile_x == x && tile_y == y && device_used(device, i)) {
            device_reset_tensix(device, i);
        }
    }
    return STATUS_OK;
}

/* Resets all Tensix tiles. Their NIUs are not configured before message 0x20. */
static uint32_t reset_tiles(struct bh_device *device)
{
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        unsigned x, y;
        tensix_coordinates(i, &x, &y);
        if (!noc_tile_present(&device->translation, x, y)) {
            continue;
        }
        (void)network_endpoint(&device->network, x, y);
        device_reset_tensix(device, i);
        for (unsigned noc = 0; noc < NIUS; noc++) {
            struct niu *niu = &device->states[i].registers.niu[noc];
            memset(niu->config, 0, sizeof niu->config);
            niu_configured(niu);
        }
    }
    return STATUS_OK;
}

/* The response is sent before the chip is reset. */
static uint32_t reset_chip(struct bh_device *device, const uint32_t *request)
{
    enum { ASIC = 0, ASIC_AND_CONTROLLER = 3, DELAY = 5 * 1350 * 1000 /* 5 ms */ };
    if (request[1] != ASIC && request[1] != ASIC_AND_CONTROLLER) {
        return request[1] & 0xff;
    }
    device->reset_at = device->clock + DELAY;
    return STATUS_OK;
}

void device_reset(struct bh_device *device)
{
    struct arc *arc = &device->arc;
    struct traffic *traffic = device->network.traffic;
    device_deliver_others(device);
    device_forget_tiles(device);
    traffic_reset(traffic);
    device->network = (struct network){.traffic = traffic};
    memset(&device->ports, 0, sizeof device->ports);
    memset(&device->pcie, 0, sizeof device->pcie);
    absent_forget(&device->absent);
    wire_restart(&device->wire, device->clock);
    memset(arc, 0, offsetof(struct arc, flash));
    device->stopped = device->any_dead = false;
    memset(device->stops_late, 0, sizeof device->stops_late);
    device->blocked = false;
    device->resets++;
    device->reset_at = 0;
    device->began_at = device->clock;
    device_create_tiles(device);
}

/* DMA: the second word has the length, the third and fourth the device's address, then the host's, then where the
   completion message goes. */
static enum step transfer(struct bh_device *device, const uint32_t *request, bool to_device)
{
    enum { ENABLE = 0x0, DOORBELL = 0x4, SIZE = 0x1c, SOURCE = 0x20, DESTINATION = 0x28 };
    enum { INT_SETUP = 0x88, STOP = 0x90, ABORT = 0xa0, DATA = 0xa8, REMOTE_INTERRUPTS = 1 << 3 | 1 << 5 };
    uint32_t channel = to_device ? DMA_CHANNEL_SIZE : 0;
    const uint32_t *chip = &request[2], *host = &request[4], *message = &request[6];
    const uint32_t *source = to_device ? host : chip, *destination = to_device ? chip : host;
    uint64_t abort = ((uint64_t)message[1] << 32 | message[0]) + sizeof(uint32_t);
    const uint32_t writes[][2] = {
        {INT_SETUP, REMOTE_INTERRUPTS},
        {STOP, message[0]},
        {STOP + 4, message[1]},
        {ABORT, (uint32_t)abort},
        {ABORT + 4, (uint32_t)(abort >> 32)},
        {DATA, request[0] >> 8 & 0xff},
        {ENABLE, 1},
        {SOURCE, source[0]},
        {SOURCE + 4, source[1]},
        {DESTINATION, destination[0]},
        {DESTINATION + 4, destination[1]},
        {SIZE, request[1]},
        {DOORBELL, 1},
    };
    enum step step = STEP_DONE;
    for (unsigned i = 0; i < sizeof writes / sizeof writes[0] && step == STEP_DONE; i++) {
        step = pcie_dma_write(&device->pcie, channel + writes[i][0], writes[i][1]);
    }
    return step;
}

static enum step act(void *context, const uint32_t *request, uint32_t *response)
{
    struct bh_device *device = context;
    enum arc_deed deed = request[0] & 0xff;
    device_settle(device);
    response[0] = STATUS_OK;
    switch (deed) {
    case ARC_TRANSLATE: response[0] = translate(device, request); return STEP_DONE;
    case ARC_REINITIALIZE: response[0] = reinitialize(device); return STEP_DONE;
    case ARC_RESET_CHIP: response[0] = reset_chip(device, request); return STEP_DONE;
    case ARC_RESET_TILE: response[0] = reset_tile(device, request, response); return STEP_DONE;
    case ARC_RESET_TILES: response[0] = reset_tiles(device); return STEP_DONE;
    case ARC_DMA_TO_HOST:
    case ARC_DMA_TO_DEVICE: return transfer(device, request, deed == ARC_DMA_TO_DEVICE);
    }
    return STEP_DONE;
}

struct arc_chip device_arc_chip(struct bh_device *device)
{
    return (struct arc_chip){.context = device, .act = act};
}
