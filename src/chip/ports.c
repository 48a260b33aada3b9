#include "chip/ports.h"

#include <string.h>

#include "chip/arc/firmware.h"
#include "chip/device_state.h"
#include "noc/traffic.h"
#include "tile/timed.h"

#define FIRST_REGISTER 0xFFB00000u

enum { L1_READ_ALIGNMENT = 0xf, HOST_READ_ALIGNMENT = 0x3f };

/* Wakes a tile at rest before an access that its cores could notice: one of the host has done that (chip/access.c). */
static void disturb(const struct tensix_port *port, bool write, uint64_t address, uint32_t size)
{
    const struct tile_state *state = port->tile->state;
    if (write && port->device->exchanging && state->clock.timed) { /* else in its own turn, or by the host */
        tile_end_polling(port->tile);
    }
    bool dozes = tile_doze_any(&state->doze) && (write || address >= L1_SIZE);
    if (dozes || (device_rests(port->device, port->initiator) && rest_disturbed(&state->rest, write, address, size))) {
        device_wake(port->device, port->initiator);
    }
}

/* Functional mode: something has come to the tile, which may go on by it (chip/series.h). */
static void touch(const struct tensix_port *port)
{
    if (!port->tile->state->clock.timed) {
        port->device->touched[port->initiator / 64] |= port->bit;
    }
}

/* The tile may have something to run. In timed mode this may be found out in its own turn, in which it is active. */
static void activate(const struct tensix_port *port)
{
    if (!(*port->active & port->bit)) {
        *port->active |= port->bit;
    }
    touch(port);
}

/* Sets the clock of a tile that is between two turns. */
static void begin_clock(const struct tensix_port *port)
{
    if (!port->tile->carrier) {
        clock_begin(&port->tile->state->clock, device_tile_clock(port->device, port->initiator));
    }
}

/* An error has stopped the tile, and nothing else: it answers all ones, and takes nothing. */
static bool is_dead(const struct tensix_port *port)
{
    return device_is_dead(port->device, &port->tile->state->diagnostics);
}

/* Timed mode, in the device's turn: what the tile's overlay sends because of what comes now begins at that time. */
static void tell_time(const struct tensix_port *port)
{
    if (port->device->exchanging && port->device->config.mode == BH_MODE_TIMED) {
        port->tile->state->diagnostics.now.cycle = traffic_now(port->network->traffic);
    }
}

static enum step tensix_read(void *context, uint64_t address, void *data, uint32_t size)
{
    const struct tensix_port *port = context;
    if (is_dead(port)) {
        memset(data, 0xff, size);
        return STEP_DONE;
    }
    if (port->device->exchanging) {
        disturb(port, false, address, size);
    }
    if (address >= L1_SIZE) {
        device_touch(port->device, port->initiator);
    }
    begin_clock(port);
    return tile_read(port->tile, address, data, size);
}

static enum step tensix_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    const struct tensix_port *port = context;
    if (is_dead(port)) {
        return STEP_DONE;
    }
    disturb(port, true, address, size);
    begin_clock(port);
    activate(port);
    if (address >= L1_SIZE) {
        tell_time(port);
    }
    enum step step = tile_write(port->tile, address, data, size);
    if (address >= L1_SIZE) { /* an access to L1 starts no request */
        device_touch(port->device, port->initiator);
        network_notice(port->network, port->initiator);
    }
    return step;
}

static uint8_t *tensix_bytes(void *context, bool write, uint64_t address, uint32_t size)
{
    const struct tensix_port *port = context;
    if (!l1_contains(address, size) || is_dead(port)) {
        return NULL;
    }
    if (write) {
        disturb(port, true, address, size);
        activate(port);
        tile_before_write(port->tile, (uint32_t)address, size);
    } else if (device_rests(port->device, port->initiator)) { /* who dozes does not notice reads of L1 */
        disturb(port, false, address, size);
    }
    return l1_direct(&port->tile->l1) + address;
}

/* Something is on its way to the tile, which is to be run for it. */
static void tensix_expect(void *context)
{
    const struct tensix_port *port = context;
    activate(port);
    device_note_next_act(port->device, port->initiator);
}

/* An event at a tile's overlay may start requests. */
static const char *tensix_packet(void *context, uint16_t tag, uint32_t bytes)
{
    const struct tensix_port *port = context;
    if (is_dead(port)) {
        return NULL;
    }
    device_wake(port->device, port->initiator);
    touch(port);
    tell_time(port);
    struct overlay_site site = tile_overlay(port->tile);
    const char *wrong = overlay_packet(&site, tag, bytes);
    network_notice(port->network, port->initiator);
    return wrong;
}

static void tensix_sent(void *context, unsigned reader)
{
    const struct tensix_port *port = context;
    if (is_dead(port)) {
        return;
    }
    device_wake(port->device, port->initiator);
    touch(port);
    tell_time(port);
    struct overlay_site site = tile_overlay(port->tile);
    overlay_sent(&site, reader - 1);
    network_notice(port->network, port->initiator);
}

static void tensix_room(void *context)
{
    const struct tensix_port *port = context;
    if (is_dead(port)) {
        return;
    }
    device_wake(port->device, port->initiator);
    touch(port);
    struct overlay_site site = tile_overlay(port->tile);
    overlay_go_on(&site);
}

static enum step arc_port_read(void *context, uint64_t address, void *data, uint32_t size)
{
    return arc_read(context, address, data, size);
}

static enum step arc_port_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    return arc_write(context, address, data, size);
}

static enum step pcie_port_read(void *context, uint64_t address, void *data, uint32_t size)
{
    return pcie_noc_read(context, address, data, size);
}

static enum step pcie_port_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    return pcie_noc_write(context, address, data, size);
}

static struct absent_tile *absent_behind(const struct absent_port *port)
{
    return &port->device->absent.tile[port->index];
}

static enum step absent_port_read(void *context, uint64_t address, void *data, uint32_t size)
{
    return absent_read(absent_behind(context), address, data, size);
}

static enum step absent_port_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    return absent_write(absent_behind(context), address, data, size);
}

/* Accesses to an Ethernet tile happen at the clock up to which it has run. */
static const struct ethernet_port *ethernet_port_now(const void *context)
{
    const struct ethernet_port *port = context;
    clock_begin(&port->ethernet->tile.clock, device_tile_clock(port->device, port->initiator));
    if (port->device->exchanging && port->device->config.mode == BH_MODE_TIMED) { /* of what its overlay may send */
        port->ethernet->tile.diagnostics.now.cycle = traffic_now(port->network->traffic);
    }
    return port;
}

static bool ethernet_is_dead(const struct ethernet_port *port)
{
    return device_is_dead(port->device, &port->ethernet->tile.diagnostics);
}

static enum step ethernet_port_read(void *context, uint64_t address, void *data, uint32_t size)
{
    const struct ethernet_port *port = ethernet_port_now(context);
    if (ethernet_is_dead(port)) {
        memset(data, 0xff, size);
        return STEP_DONE;
    }
    return ethernet_read(port->ethernet, address, data, size);
}

static enum step ethernet_port_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    const struct ethernet_port *port = ethernet_port_now(context);
    if (ethernet_is_dead(port)) {
        return STEP_DONE;
    }
    enum step step = ethernet_write(port->ethernet, address, data, size);
    network_notice(port->network, port->initiator);
    return step;
}

static const char *ethernet_packet(void *context, uint16_t tag, uint32_t bytes)
{
    const struct ethernet_port *port = ethernet_port_now(context);
    if (ethernet_is_dead(port)) {
        return NULL;
    }
    struct overlay_site site = ethernet_overlay(port->ethernet);
    const char *wrong = overlay_packet(&site, tag, bytes);
    network_notice(port->network, port->initiator);
    return wrong;
}

static void ethernet_sent(void *context, unsigned reader)
{
    const struct ethernet_port *port = ethernet_port_now(context);
    if (ethernet_is_dead(port)) {
        return;
    }
    struct overlay_site site = ethernet_overlay(port->ethernet);
    overlay_sent(&site, reader - 1);
    network_notice(port->network, port->initiator);
}

static void ethernet_room(void *context)
{
    const struct ethernet_port *port = ethernet_port_now(context);
    if (ethernet_is_dead(port)) {
        return;
    }
    struct overlay_site site = ethernet_overlay(port->ethernet);
    overlay_go_on(&site);
}

static void ethernet_link_carry(void *context, const struct noc_request *request)
{
    const struct ethernet_port *port = ethernet_port_now(context);
    if (ethernet_is_dead(port)) {
        return;
    }
    bool timed = port->device->config.mode == BH_MODE_TIMED;
    ethernet_link(port->ethernet, request, timed ? request->start : port->ethernet->tile.clock.now);
    network_notice(port->network, port->initiator);
}

void ports_send_links(const struct bh_device *device, struct ethernet *ethernet, uint64_t end)
{
    if (device->config.mode == BH_MODE_TIMED && !device->config.jitter) {
        ethernet_send_links(ethernet, end);
    }
}

/* Connecting tiles, each when it is first reached. */

static void connect_tensix(struct bh_device *device, unsigned x, unsigned y)
{
    unsigned index;
    (void)tensix_index(x, y, &index);
    struct tensix_port *port = &device->ports.tensix[index];
    struct tile *tile = &device->tiles[index];
    struct tile_state *state = &device->states[index];
    *port = (struct tensix_port){device,           tile, &device->active[index / 64], UINT64_C(1) << index % 64,
                                 &device->network, index};
    const struct noc_endpoint endpoint = {.context = port,
                                          .read = tensix_read,
                                          .write = tensix_write,
                                          .bytes = tensix_bytes,
                                          .packet = tensix_packet,
                                          .sent = tensix_sent,
                                          .room = tensix_room,
                                          .expect = tensix_expect,
                                          .diagnostics = &state->diagnostics,
                                          .niu = state->registers.niu,
                                          .outbox = &state->registers.outbox,
                                          .l1 = &tile->l1,
                                          .memory = L1_SIZE,
                                          .registers = FIRST_REGISTER,
                                          .read_alignment = L1_READ_ALIGNMENT,
                                          .x = (uint8_t)x,
                                          .y = (uint8_t)y};
    network_connect_initiator(&device->network, &endpoint, index);
    device_prepare_tensix(device, index);
}

static void connect_ethernet(struct bh_device *device, unsigned x, unsigned y)
{
    unsigned channel = die_index(x);
    struct ethernet *ethernet = &device->ethernet[channel];
    struct ethernet_port *port = &device->ports.ethernet[channel];
    *port = (struct ethernet_port){device, ethernet, &device->network, TENSIX_TILES + channel};
    const struct noc_endpoint endpoint = {.context = port,
                                          .read = ethernet_port_read,
                                          .write = ethernet_port_write,
                                          .packet = ethernet_packet,
                                          .sent = ethernet_sent,
                                          .room = ethernet_room,
                                          .link = ethernet_link_carry,
                                          .diagnostics = &ethernet->tile.diagnostics,
                                          .niu = ethernet->niu,
                                          .outbox = &ethernet->tile.outbox,
                                          .l1 = &ethernet->tile.l1,
                                          .memory = ETHERNET_L1_SIZE,
                                          .registers = FIRST_REGISTER,
                                          .read_alignment = L1_READ_ALIGNMENT,
                                          .x = (uint8_t)x,
                                          .y = (uint8_t)y};
    network_connect_initiator(&device->network, &endpoint, port->initiator);
    device_prepare_ethernet(device, ethernet);
}

static void connect_arc(struct bh_device *device)
{
    struct arc *arc = &device->arc;
    struct arc_chip chip = device_arc_chip(device);
    const struct noc_endpoint endpoint = {.context = arc,
                                          .read = arc_port_read,
                                          .write = arc_port_write,
                                          .diagnostics = &arc->diagnostics,
                                          .niu = arc->niu.niu,
                                          .via = &arc->niu.via,
                                          .memory = ARC_CSM_BASE + ARC_CSM_SIZE,
                                          .x = ARC_X,
                                          .y = ARC_Y};
    network_connect(&device->network, &endpoint);
    arc_create(arc, &device->board, &device->translation, &chip, &device->clock, device->config.policy);
    if (device->wire.connected) {
        arc_links_changed(arc, &device->board, device->wire.port.up);
    }
}

static void connect_pcie(struct bh_device *device)
{
    const struct noc_endpoint endpoint = {.context = &device->pcie,
                                          .read = pcie_port_read,
                                          .write = pcie_port_write,
                                          .diagnostics = &device->pcie.diagnostics,
                                          .niu = device->pcie.niu.niu,
                                          .via = &device->pcie.niu.via,
                                          .memory = PCIE_HOST_END,
                                          .read_alignment = HOST_READ_ALIGNMENT,
                                          .x = PCIE_X,
                                          .y = PCIE_Y};
    network_connect(&device->network, &endpoint);
}

static void connect_absent(struct bh_device *device, unsigned x, unsigned y)
{
    unsigned index = y * NOC_WIDTH + x;
    struct absent_tile *tile = &device->absent.tile[index];
    struct absent_port *port = &device->ports.absent[index];
    *port = (struct absent_port){device, (uint8_t)index};
    const struct noc_endpoint endpoint = {.context = port,
                                          .read = absent_port_read,
                                          .write = absent_port_write,
                                          .diagnostics = &tile->diagnostics,
                                          .niu = tile->niu.niu,
                                          .via = &tile->niu.via,
                                          .registers = UINT64_MAX,
                                          .x = (uint8_t)x,
                                          .y = (uint8_t)y};
    network_connect(&device->network, &endpoint);
    absent_create(tile, x, y, &device->translation, device->config.policy);
    device->absent.ready[index / 64] |= UINT64_C(1) << index % 64;
}

static void connect_tile(struct bh_device *device, unsigned x, unsigned y)
{
    enum tile_kind kind = noc_tile_kind(x, y);
    if (absent_is(x, y) || !device_has_tile(device, x, y)) {
        connect_absent(device, x, y);
        return;
    }
    switch (kind) {
    case TILE_TENSIX: connect_tensix(device, x, y); break;
    case TILE_ETHERNET: connect_ethernet(device, x, y); break;
    case TILE_DRAM: ports_connect_dram(device, x, y); break;
    case TILE_ARC: connect_arc(device); break;
    default: connect_pcie(device); break;
    }
}

static void connect(void *context, unsigned x, unsigned y)
{
    struct bh_device *device = context;
    connect_tile(device, x, y);
    observers_connect(device, x, y);
}

void ports_connect(struct bh_device *device)
{
    device->network.connect = connect;
    device->network.book = device_book_copies;
    device->network.context = device;
    device->network.jitter = device->config.jitter;
}
