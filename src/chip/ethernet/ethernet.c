#include "chip/ethernet/ethernet.h"

#include <string.h>

#include "chip/ethernet/firmware.h"
#include "isa/rv32_isa.h"
#include "noc/translation.h"

enum { E0 = ETHERNET_E0, E1 = ETHERNET_E1, ETHERNET_TILE = 0x0200 };

#define INTERRUPT_MODE 0xFFB14020u /* and the PIC behind it */
#define PIC_END 0xFFB14064u
#define OVERLAY 0xFFB40000u
#define OVERLAY_END 0xFFB80000u
#define QUEUES 0xFFB90000u
#define QUEUES_END 0xFFB98700u
#define CONTROL 0xFFB98000u
#define CONTROL_END 0xFFB98200u

enum {
    PCS_STATUS = 0xc,
    ERR_STAT = 0xd8,
    EOP_STATUS_GOOD_LO = 0x120,
    MAC_RX_ROUTING = 0x150,
    MAC_RX_ADDR_ROUTING = 0x154
};
enum { EOP_STATUS_GOOD_RESET = 0x1f };

/* Bits of SOFT_RESET_0 that hold cores which only Tensix tiles have. They are set while firmware runs: 0x47000 in all
   (measured, blackhole-py validation/tp2-topology.json, Knight-Ops/metalium-rs crates/tt-isa/src/eth.rs). */
enum { RESET_OF_TENSIX = 0x46000 };

/* The Ethernet tile of which this is a part. */
static struct ethernet *of_tile(struct core_tile *tile)
{
    return (struct ethernet *)tile; /* its first member */
}

_Static_assert(offsetof(struct ethernet, tile) == 0, "of_tile()");

/* Resets. */

/* Where firmware begins, and where it has instruction prefetching end: before its parameters (tt-system-firmware
   eth.c). Its code is not there. */
enum { FIRMWARE_PC = 0x70000, FIRMWARE_END_PC = 0x7bffc };

/* Whether a core that leaves reset has a program rather than firmware: a reset PC was set, or there is an instruction
   where it begins. */
static bool has_program(const struct core_tile *tile, unsigned core)
{
    uint32_t pc = tile->reset_pc[core];
    if (pc != 0 && pc != FIRMWARE_PC) {
        return true;
    }
    enum rv32_op first = rv32_identify(l1_load32(&tile->l1, pc));
    return first != RV32_OP_NONE && first != RV32_OP_TTINSN;
}

static bool leaves_reset(struct core_tile *tile, unsigned core)
{
    bool program = has_program(tile, core);
    if (!program && core == E0) {
        ethernet_firmware_begins(of_tile(tile));
    }
    return program;
}

static void is_held(struct core_tile *tile, unsigned core)
{
    of_tile(tile)->firmware.runs &= core != E0;
}

/* Registers. */

enum step ethernet_absent(struct ethernet *ethernet, const char *what, uint32_t address)
{
    return core_tile_absent(&ethernet->tile, what, address);
}

static enum step read_control(const struct ethernet *ethernet, uint32_t address, uint32_t *value)
{
    switch (address - CONTROL) {
    case PCS_STATUS: *value = ethernet_link_is_up(ethernet); return STEP_DONE;
    case ERR_STAT: return STEP_DONE; /* no errors */
    case FIRMWARE_PROGRAM - CONTROL: *value = ethernet->firmware.program; return STEP_DONE;
    case EOP_STATUS_GOOD_LO: *value = ethernet->eop_status_good; return STEP_DONE;
    case MAC_RX_ROUTING: *value = ethernet->mac_rx_routing; return STEP_DONE;
    case MAC_RX_ADDR_ROUTING: *value = ethernet->mac_rx_addr_routing; return STEP_DONE;
    default: return STEP_STOP;
    }
}

static enum step own_read(struct core_tile *tile, uint32_t address, uint32_t *value)
{
    struct ethernet *ethernet = of_tile(tile);
    if (address >= CLASSIFIER_BASE && address < CLASSIFIER_END && classifier_has(address)) {
        *value = classifier_read(&ethernet->classifier, address);
        return STEP_DONE;
    }
    if (ethernet_timer_has(address)) {
        *value = ethernet_timer_read(&ethernet->timer, core_tile_now(tile), address);
        return STEP_DONE;
    }
    if (address >= INTERRUPT_MODE && address < PIC_END) {
        return STEP_DONE; /* nothing else can be written */
    }
    if (address >= OVERLAY && address < OVERLAY_END) {
        return ethernet_overlay_read(ethernet, address, value);
    }
    if (address >= CONTROL && address < CONTROL_END && read_control(ethernet, address, value) == STEP_DONE) {
        return STEP_DONE;
    }
    bool queue = address >= QUEUES && address < QUEUES_END && (address < CONTROL || address >= CONTROL_END);
    return queue ? ethernet_queue_read(ethernet, address, value) : ethernet_absent(ethernet, "read", address);
}

static enum step own_write(struct core_tile *tile, uint32_t address, uint32_t value)
{
    struct ethernet *ethernet = of_tile(tile);
    if (address == FIRMWARE_CALL && tile->executing) {
        return ethernet_firmware_call(ethernet, tile->executing - 1, value);
    }
    if (address >= CLASSIFIER_BASE && address < CLASSIFIER_END && classifier_has(address)) {
        classifier_write(&ethernet->classifier, address, value);
        return STEP_DONE;
    }
    if (ethernet_timer_has(address)) {
        ethernet_timer_write(&ethernet->timer, core_tile_now(tile), address, value);
        return STEP_DONE;
    }
    if (address >= INTERRUPT_MODE && address < PIC_END) {
        return value ? ethernet_absent(ethernet, "enabling an interrupt", address) : STEP_DONE;
    }
    if (address >= OVERLAY && address < OVERLAY_END) {
        return ethernet_overlay_write(ethernet, address, value);
    }
    switch (address) {
    case CONTROL + EOP_STATUS_GOOD_LO: ethernet->eop_status_good = value; return STEP_DONE;
    case CONTROL + MAC_RX_ADDR_ROUTING: ethernet->mac_rx_addr_routing = value; return STEP_DONE;
    case CONTROL + MAC_RX_ROUTING: ethernet->mac_rx_routing = value; return STEP_DONE;
    default: break;
    }
    bool queue = address >= QUEUES && address < QUEUES_END && (address < CONTROL || address >= CONTROL_END);
    return queue ? ethernet_queue_write(ethernet, address, value) : ethernet_absent(ethernet, "write", address);
}

static bool own_takes(struct core_tile *tile, uint32_t address, uint32_t value)
{
    if (address >= INTERRUPT_MODE && address < PIC_END) {
        return value == 0;
    }
    if (address >= OVERLAY && address < OVERLAY_END) {
        return ethernet_overlay_takes(of_tile(tile), address);
    }
    if (address >= CONTROL && address < CONTROL_END) {
        uint32_t offset = address - CONTROL;
        return offset == EOP_STATUS_GOOD_LO || offset == MAC_RX_ADDR_ROUTING || offset == MAC_RX_ROUTING;
    }
    return address >= QUEUES && address < QUEUES_END
               ? ethernet_queue_takes(address)
               : ethernet_timer_has(address) ||
                     (address >= CLASSIFIER_BASE && address < CLASSIFIER_END && classifier_has(address));
}

/* The tile. */

static const struct core_tile_kind ethernet_tile = {
    .name = "an Ethernet tile",
    .l1_size = ETHERNET_L1_SIZE,
    .cores = ETHERNET_CORES,
    .core = {BH_CORE_E0, BH_CORE_E1},
    .reset = {1 << 11, 1 << 12},
    .more_reset_bits = RESET_OF_TENSIX,
    .type = ETHERNET_TILE,
    .read = own_read,
    .write = own_write,
    .takes = own_takes,
    .unknown = ethernet_unknown,
    .leaves = leaves_reset,
    .held = is_held,
};

void ethernet_create(struct ethernet *ethernet, void *code_room, unsigned channel, const struct board *board,
                     const struct noc_translation *translation, enum bh_policy_preset policy)
{
    unsigned x = die_column(channel), y = ETHERNET_Y;
    core_tile_create(&ethernet->tile, &ethernet_tile, code_room, ethernet->niu, channel, x, y, policy);
    ethernet->channel = channel;
    for (unsigned noc = 0; noc < NIUS; noc++) {
        niu_reset(&ethernet->niu[noc], noc, x, y, translation);
    }
    ethernet->overlay.of_ethernet = true;
    *core_tile_soft_reset(&ethernet->tile) = ethernet_tile.reset[E1] | RESET_OF_TENSIX; /* E0 runs firmware */
    ethernet->tile.reset_pc[E0] = FIRMWARE_PC;
    ethernet->tile.end_pc[E0] = FIRMWARE_END_PC;
    ethernet->eop_status_good = EOP_STATUS_GOOD_RESET;
    ethernet_queues_reset(ethernet);
    classifier_reset(&ethernet->classifier);
    ethernet_firmware_boot(ethernet, board);
}

/* Who asks firmware for something: the core whose turn it was last, by its next instruction; null: the host. */
static struct diagnostic_origin origin_of(const struct ethernet *ethernet, const struct rv32_core *core)
{
    struct diagnostic_origin origin = {.agent = BH_AGENT_HOST, .cycle = ethernet->tile.clock.now};
    if (core) {
        origin.agent = BH_AGENT_CORE;
        origin.index = core->id;
        origin.pc = core->pc;
    }
    return origin;
}

uint64_t ethernet_run(struct ethernet *ethernet, uint32_t cycles)
{
    const struct rv32_core *last;
    uint64_t retired = core_tile_run(&ethernet->tile, cycles, &last);
    if (!ethernet->tile.diagnostics.stopped) {
        ethernet->tile.diagnostics.now = origin_of(ethernet, last);
    }
    (void)ethernet_firmware_poll(ethernet);
    return retired;
}

/* Accesses over the NoC. */

enum step ethernet_read(struct ethernet *ethernet, uint64_t address, void *data, uint32_t size)
{
    bool l1 = core_tile_in_l1(&ethernet->tile, address, size);
    if (l1 && address <= FIRMWARE_HEARTBEAT && address + size > FIRMWARE_HEARTBEAT) {
        ethernet_firmware_beat(ethernet);
    }
    return core_tile_read(&ethernet->tile, address, data, size);
}

enum step ethernet_write(struct ethernet *ethernet, uint64_t address, const void *data, uint32_t size)
{
    enum step step = core_tile_write(&ethernet->tile, address, data, size);
    bool l1 = core_tile_in_l1(&ethernet->tile, address, size);
    return step == STEP_DONE && l1 ? ethernet_firmware_written(ethernet, (uint32_t)address, size) : step;
}
