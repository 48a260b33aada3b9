#include "chip/wired.h"

#include "chip/arc/firmware.h"
#include "chip/ethernet/firmware.h"
#include "chip/quantum.h"

/* What cores of a tile poll may change. */
static void wake(struct bh_device *device, struct ethernet *ethernet)
{
    clock_begin(&ethernet->tile.clock, device->clock);
    for (unsigned core = 0; core < ETHERNET_CORES; core++) {
        ethernet->tile.polled[core].spins = false;
    }
}

/* Gives an Ethernet tile what has arrived over its link. A tile that an error has stopped takes nothing. */
static void deliver(struct bh_device *device, unsigned channel, const struct wire_message *message)
{
    struct ethernet *ethernet = &device->ethernet[channel];
    (void)network_endpoint(&device->network, die_column(channel), ETHERNET_Y);
    if (device_is_dead(device, &ethernet->tile.diagnostics)) {
        return;
    }
    struct diagnostic_origin now = ethernet->tile.diagnostics.now;
    wake(device, ethernet);
    ethernet->tile.diagnostics.now =
        (struct diagnostic_origin){.agent = BH_AGENT_ETHERNET, .index = message->queue, .cycle = device->clock};
    (void)ethernet_receive(ethernet, message, message + 1);
    ethernet->tile.diagnostics.now = now;
    network_notice(&device->network, device->ports.ethernet[channel].initiator);
    device_deliver(device, &ethernet->tile.diagnostics);
    device_note_stop(device, &ethernet->tile.diagnostics);
}

/* The link of a channel is up now, after training, or may not be any more. */
static void note_link(struct bh_device *device, unsigned channel, bool trained)
{
    struct ethernet *ethernet = &device->ethernet[channel];
    if (device_ethernet_ready(device, channel)) {
        wake(device, ethernet);
        if (trained) {
            ethernet_firmware_trained(ethernet);
        } else {
            ethernet_firmware_sees_link(ethernet);
        }
    }
    if (device->arc.firmware) { /* it has booted */
        arc_links_changed(&device->arc, &device->board, device->wire.port.up);
    }
}

/* The other end's port was switched. */
static void take_carrier(struct bh_device *device, unsigned channel, bool on)
{
    struct link_ports *ports = &device->wire.port;
    uint16_t bit = (uint16_t)(1u << channel);
    ports->other_on = on ? ports->other_on | bit : ports->other_on & (uint16_t)~bit;
    wire_update(&device->wire, channel, device->clock);
    note_link(device, channel, false);
}

static void take_message(struct bh_device *device, unsigned channel)
{
    const struct wire_message *message = wire_next(&device->wire, channel);
    bool carrier = message->kind == WIRE_CARRIER, on = message->value;
    bool lost =
        message->kind == WIRE_NOTHING || (message->kind == WIRE_FRAME && !port_is_up(&device->wire.port, channel));
    if (!carrier && !lost) {
        deliver(device, channel, message);
    }
    wire_take(&device->wire, channel);
    if (carrier) {
        take_carrier(device, channel, on);
    }
}

bool wired_receive(struct bh_device *device)
{
    unsigned channel;
    bool any = false;
    while (wire_next_arrival(&device->wire, &channel) <= device->clock) {
        if (device->wire.port.due[channel] <= device->clock) {
            port_act(&device->wire.port, channel);
            note_link(device, channel, port_is_up(&device->wire.port, channel));
        } else {
            take_message(device, channel);
        }
        device->worked_at = device->clock;
        device->blocked = false;
        any = true;
    }
    return any;
}

void wired_plug(struct bh_device *device, unsigned channel, bool in)
{
    struct link_ports *ports = &device->wire.port;
    uint16_t bit = (uint16_t)(1u << channel);
    ports->plugged = in ? ports->plugged | bit : ports->plugged & (uint16_t)~bit;
    wire_update(&device->wire, channel, device->clock);
    note_link(device, channel, false);
    device->blocked = false;
}

/* Nothing runs before something arrives: lets so much of the time pass. Returns how much. */
static uint64_t wait_for_arrival(struct bh_device *device, uint64_t cycles)
{
    unsigned channel;
    uint64_t next = wire_next_arrival(&device->wire, &channel);
    uint64_t wait = next > device->clock ? next - device->clock : 0, passed = cycles < wait ? cycles : wait;
    device_pass(device, passed);
    (void)wired_receive(device);
    return passed;
}

static bool has_nothing_to_run(struct bh_device *device)
{
    return device->blocked || (!device_any_active(device) && !network_pending(&device->network));
}

static enum bh_run_reason reason_of(const struct bh_device *device, bool stopped, bool idle)
{
    return stopped || device->early_stop ? BH_RAN_STOPPED
           : device->blocked             ? BH_RAN_DEADLOCK
           : idle                        ? BH_RAN_IDLE
                                         : BH_RAN_CYCLES;
}

enum bh_run_reason wired_run(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    device_settle(device);
    bool idle = false, stopped = device->stopped;
    while (cycles) {
        idle = has_nothing_to_run(device);
        if (idle) {
            cycles -= wait_for_arrival(device, cycles);
        } else {
            device_make_room_for_translations(device);
            device_begin_quantum(device, false);
            uint64_t quantum = cycles < device->quantum ? cycles : device->quantum;
            device->blocked = device_end_quantum(device, quantum, result) == TILE_BLOCKED;
            cycles -= quantum;
        }
        stopped |= device->stopped; /* firmware may reset the chip later */
    }
    return reason_of(device, stopped, idle && has_nothing_to_run(device));
}

enum bh_run_reason wired_advance(struct bh_device *device, uint64_t cycles)
{
    bool idle = false, stopped = device->stopped;
    while (cycles) {
        idle = device->lag == 0 && has_nothing_to_run(device);
        if (idle) {
            device->pace = 0;
            cycles -= wait_for_arrival(device, cycles);
        } else {
            cycles -= device_advance_in_quantum(device, cycles);
        }
        stopped |= device->stopped;
    }
    return reason_of(device, stopped, idle && has_nothing_to_run(device));
}
