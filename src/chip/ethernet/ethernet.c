#include "chip/ethernet/ethernet.h"

#include <string.h>

#include "chip/ethernet/firmware.h"
#include "isa/rv32_isa.h"
#include "noc/translation.h"
#include "rv32/debug.h"
#include "tile/mmio.h"

enum { E0 = ETHERNET_E0, E1 = ETHERNET_E1 };

/* Bits of SOFT_RESET_0 that hold E0 and E1. */
static const uint32_t reset_bits[ETHERNET_CORES] = {1 << 11, 1 << 12};

#define DEBUG 0xFFB12000u
#define DEBUG_END (DEBUG + 4 * ETHERNET_DEBUG_REGISTERS)
#define RESET_PC_E0 ETHERNET_RESET_PC
#define RESET_PC_E1 (ETHERNET_RESET_PC + ETHERNET_RESET_PC_STRIDE)
#define END_PC_E0 0xFFB14004u
#define END_PC_E1 0xFFB1400Cu
#define INTERRUPT_MODE 0xFFB14020u /* and the PIC behind it */
#define PIC_END 0xFFB14064u
#define NIU_0 0xFFB20000u
#define NIU_1 0xFFB30000u
#define NIUS_END 0xFFB40000u
#define OVERLAY_END 0xFFB80000u
#define QUEUES 0xFFB90000u
#define QUEUES_END 0xFFB98700u
#define CONTROL 0xFFB98000u
#define CONTROL_END 0xFFB98200u
#define LOCAL_RAM_TOP 0xFFB02000u

enum {
    PCS_STATUS = 0xc,
    ERR_STAT = 0xd8,
    EOP_STATUS_GOOD_LO = 0x120,
    MAC_RX_ROUTING = 0x150,
    MAC_RX_ADDR_ROUTING = 0x154
};
enum { EOP_STATUS_GOOD_RESET = 0x1f };

static uint32_t *soft_reset(struct ethernet *ethernet)
{
    return &ethernet->debug[(MMIO_ADDRESS_SOFT_RESET_0 - DEBUG) / 4];
}

/* The cores' bus. */

/* L1 accesses of the cores end at ETHERNET_L1_SIZE; accesses beyond it reach this function through the bus. */
static enum step beyond_l1(struct ethernet *ethernet, const char *access, uint32_t address)
{
    return diagnose(&ethernet->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "%s at 0x%08x: L1 of an Ethernet tile ends at 0x%08x", access, address, ETHERNET_L1_SIZE - 1);
}

static enum step core_load(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    struct ethernet *ethernet = context;
    if (address < L1_SIZE) {
        return beyond_l1(ethernet, "load", address);
    }
    enum step step = ethernet_register_read(ethernet, address & ~3u, value);
    *value = *value >> 8 * (address & 3) & (size == 4 ? UINT32_MAX : (1u << 8 * size) - 1);
    return step;
}

static enum step core_store(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value)
{
    struct ethernet *ethernet = context;
    if (address == FIRMWARE_CALL) {
        return ethernet_firmware_call(ethernet, core == BH_CORE_B ? E0 : E1, value);
    }
    if (address < L1_SIZE) {
        return beyond_l1(ethernet, "store", address);
    }
    if (size != 4) {
        return diagnose(&ethernet->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "store of %u bytes at 0x%08x: registers take words", size, address);
    }
    return ethernet_register_write(ethernet, address, value);
}

static uint32_t *core_word(void *context, unsigned core, uint32_t address, bool stores)
{
    return address >= NIU_0 && address < NIUS_END
               ? ethernet_niu_word(context, address >= NIU_1, address & 0xffff, stores)
               : NULL;
}

static enum step core_push(void *context, unsigned core, uint32_t word)
{
    struct ethernet *ethernet = context;
    return diagnose(&ethernet->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "Tensix instruction 0x%08x: an Ethernet tile has no coprocessor", word);
}

/* Both cores have the CSRs of the Tensix tile's B and NC. */
static void connect_cores(struct ethernet *ethernet)
{
    static const uint8_t like[ETHERNET_CORES] = {BH_CORE_B, BH_CORE_NC};
    for (unsigned i = 0; i < ETHERNET_CORES; i++) {
        ethernet->core[i].id = like[i];
        ethernet->core[i].halt = RV32_IN_RESET;
        ethernet->rv32[i] = (struct rv32){.core = &ethernet->core[i],
                                          .local_ram = ethernet->local_ram[i],
                                          .local_ram_size = LOCAL_RAM_SIZE,
                                          .l1_size = ETHERNET_L1_SIZE,
                                          .l1 = &ethernet->l1,
                                          .diagnostics = &ethernet->diagnostics,
                                          .clock = &ethernet->clock,
                                          .bus = {.context = ethernet,
                                                  .load = core_load,
                                                  .store = core_store,
                                                  .push = core_push,
                                                  .word = core_word,
                                                  .words = ethernet}};
    }
}

void ethernet_create(struct ethernet *ethernet, void *code_room, unsigned channel, const struct board *board,
                     const struct noc_translation *translation, enum bh_policy_preset policy)
{
    unsigned x = die_column(channel), y = ETHERNET_Y;
    l1_connect(&ethernet->l1, ethernet->l1_bytes, code_room);
    ethernet->channel = channel;
    ethernet->diagnostics.tile_x = (uint8_t)x;
    ethernet->diagnostics.tile_y = (uint8_t)y;
    diagnostics_set_policy(&ethernet->diagnostics, policy);
    for (unsigned noc = 0; noc < NIUS; noc++) {
        niu_reset(&ethernet->niu[noc], noc, x, y, translation);
    }
    ethernet->overlay.of_ethernet = true;
    *soft_reset(ethernet) = reset_bits[E1]; /* E0 runs firmware */
    ethernet->eop_status_good = EOP_STATUS_GOOD_RESET;
    ethernet_queues_reset(ethernet);
    classifier_reset(&ethernet->classifier);
    connect_cores(ethernet);
    ethernet_firmware_boot(ethernet, board);
}

/* Running. */

bool ethernet_core_runnable(const struct ethernet *ethernet, unsigned core)
{
    return ethernet->core[core].halt == RV32_RUNNING;
}

bool ethernet_active(const struct ethernet *ethernet)
{
    bool active = false;
    for (unsigned core = 0; core < ETHERNET_CORES; core++) {
        active |= ethernet_core_runnable(ethernet, core) || rv32_debug_abandoned(&ethernet->core[core]);
    }
    return active && !ethernet->diagnostics.stopped;
}

static uint32_t run_core(struct rv32 *rv32, uint32_t cycles)
{
    return rv32_debug_watches(rv32->core) ? rv32_debug_run(rv32, cycles) : rv32_run(rv32, cycles);
}

/* Who asks firmware for something: the core whose turn it was last, by its next instruction; null: the host. */
static struct diagnostic_origin origin_of(const struct ethernet *ethernet, const struct rv32_core *core)
{
    struct diagnostic_origin origin = {.agent = BH_AGENT_HOST, .cycle = ethernet->clock.now};
    if (core) {
        origin.agent = BH_AGENT_CORE;
        origin.index = core->id;
        origin.pc = core->pc;
    }
    return origin;
}

uint64_t ethernet_run(struct ethernet *ethernet, uint32_t cycles)
{
    uint64_t retired = 0;
    const struct rv32_core *last = NULL;
    clock_begin(&ethernet->clock, ethernet->clock.now);
    for (unsigned core = 0; core < ETHERNET_CORES && !ethernet->diagnostics.stopped; core++) {
        ethernet->polled[core].spins = false; /* not true any more */
        if (!ethernet_core_runnable(ethernet, core)) {
            continue;
        }
        ethernet->diagnostics.now.cycle = ethernet->clock.now;
        ethernet->executing = core + 1;
        retired += run_core(&ethernet->rv32[core], cycles);
        ethernet->executing = 0;
        last = &ethernet->core[core];
    }
    if (!ethernet->diagnostics.stopped) {
        ethernet->diagnostics.now = origin_of(ethernet, last);
    }
    (void)ethernet_firmware_poll(ethernet);
    return retired;
}

void ethernet_start(struct ethernet *ethernet, unsigned core, uint32_t pc, uint32_t back)
{
    enum { RA = 1, SP = 2 };
    rv32_reset(&ethernet->core[core], pc);
    ethernet->core[core].x[RA] = back;
    ethernet->core[core].x[SP] = LOCAL_RAM_TOP;
}

/* Whether a core that leaves reset has a program rather than firmware: a reset PC was set, or there is an instruction
   at address 0. */
static bool has_program(const struct ethernet *ethernet, unsigned core)
{
    enum rv32_op first = rv32_identify(l1_load32(&ethernet->l1, 0));
    return ethernet->reset_pc[core] || (first != RV32_OP_NONE && first != RV32_OP_TTINSN);
}

/* A core leaves reset, which clears its local RAM (tt-metal active_erisc.cc). */
static void leave_reset(struct ethernet *ethernet, unsigned core)
{
    memset(ethernet->local_ram[core], 0, sizeof ethernet->local_ram[core]);
    rv32_flush_cache(&ethernet->rv32[core]);
    if (has_program(ethernet, core)) {
        ethernet_start(ethernet, core, ethernet->reset_pc[core], 0);
    } else if (core == E0) {
        ethernet_firmware_begins(ethernet);
    }
}

static void soft_reset_write(struct ethernet *ethernet, uint32_t value)
{
    uint32_t *word = soft_reset(ethernet), before = *word;
    *word = value & (reset_bits[E0] | reset_bits[E1]); /* UMD also writes the reset bits of a Tensix tile's cores */
    for (unsigned core = 0; core < ETHERNET_CORES; core++) {
        if (*word & reset_bits[core]) {
            ethernet->core[core].halt = RV32_IN_RESET;
            ethernet->core[core].waiting = false;
            rv32_debug_reset(&ethernet->core[core]);
            ethernet->firmware.runs &= core != E0;
        } else if (before & reset_bits[core]) {
            leave_reset(ethernet, core);
        }
    }
}

/* Registers. */

enum step ethernet_absent(struct ethernet *ethernet, const char *what, uint32_t address)
{
    return diagnose(&ethernet->diagnostics, BH_UNSUPPORTED,
                    "%s at 0x%08x: this part of an Ethernet tile is not emulated", what, address);
}

enum step ethernet_register_read(struct ethernet *ethernet, uint32_t address, uint32_t *value)
{
    *value = 0;
    if (address >= DEBUG && address < DEBUG_END) {
        return ethernet_debug_read(ethernet, address, value);
    }
    if (address == RESET_PC_E0 || address == RESET_PC_E1) {
        *value = ethernet->reset_pc[address == RESET_PC_E1];
        return STEP_DONE;
    }
    if (address == END_PC_E0 || address == END_PC_E1) {
        *value = ethernet->end_pc[address == END_PC_E1];
        return STEP_DONE;
    }
    if (address >= CLASSIFIER_BASE && address < CLASSIFIER_END && classifier_has(address)) {
        *value = classifier_read(&ethernet->classifier, address);
        return STEP_DONE;
    }
    if (ethernet_timer_has(address)) {
        *value = ethernet_timer_read(&ethernet->timer, ethernet_now(ethernet), address);
        return STEP_DONE;
    }
    if (address >= INTERRUPT_MODE && address < PIC_END) {
        return STEP_DONE; /* nothing else can be written */
    }
    if (address >= NIU_0 && address < NIUS_END) {
        return ethernet_niu_read(ethernet, address >= NIU_1, address & 0xffff, value);
    }
    if (address >= NIUS_END && address < OVERLAY_END) {
        return ethernet_overlay_read(ethernet, address, value);
    }
    if (address >= CONTROL && address < CONTROL_END) {
        switch (address - CONTROL) {
        case PCS_STATUS: *value = ethernet_link_is_up(ethernet); return STEP_DONE;
        case ERR_STAT: return STEP_DONE; /* no errors */
        case FIRMWARE_PROGRAM - CONTROL: *value = ethernet->firmware.program; return STEP_DONE;
        case EOP_STATUS_GOOD_LO: *value = ethernet->eop_status_good; return STEP_DONE;
        case MAC_RX_ROUTING: *value = ethernet->mac_rx_routing; return STEP_DONE;
        case MAC_RX_ADDR_ROUTING: *value = ethernet->mac_rx_addr_routing; return STEP_DONE;
        default: return ethernet_absent(ethernet, "read", address);
        }
    }
    if (address >= QUEUES && address < QUEUES_END) {
        return ethernet_queue_read(ethernet, address, value);
    }
    return ethernet_absent(ethernet, "read", address);
}

enum step ethernet_register_write(struct ethernet *ethernet, uint32_t address, uint32_t value)
{
    if (address == MMIO_ADDRESS_SOFT_RESET_0) {
        soft_reset_write(ethernet, value);
        return STEP_DONE;
    }
    if (address >= DEBUG && address < DEBUG_END) {
        return ethernet_debug_write(ethernet, address, value);
    }
    if (address == RESET_PC_E0 || address == RESET_PC_E1) {
        ethernet->reset_pc[address == RESET_PC_E1] = value;
        return STEP_DONE;
    }
    if (address == END_PC_E0 || address == END_PC_E1) { /* end of instruction prefetching */
        ethernet->end_pc[address == END_PC_E1] = value;
        return STEP_DONE;
    }
    if (address >= CLASSIFIER_BASE && address < CLASSIFIER_END && classifier_has(address)) {
        classifier_write(&ethernet->classifier, address, value);
        return STEP_DONE;
    }
    if (ethernet_timer_has(address)) {
        ethernet_timer_write(&ethernet->timer, ethernet_now(ethernet), address, value);
        return STEP_DONE;
    }
    if (address >= INTERRUPT_MODE && address < PIC_END) {
        return value ? ethernet_absent(ethernet, "enabling an interrupt", address) : STEP_DONE;
    }
    if (address >= NIU_0 && address < NIUS_END) {
        return ethernet_niu_write(ethernet, address >= NIU_1, address & 0xffff, value);
    }
    if (address >= NIUS_END && address < OVERLAY_END) {
        return ethernet_overlay_write(ethernet, address, value);
    }
    if (address == CONTROL + EOP_STATUS_GOOD_LO) {
        ethernet->eop_status_good = value;
        return STEP_DONE;
    }
    if (address == CONTROL + MAC_RX_ADDR_ROUTING) {
        ethernet->mac_rx_addr_routing = value;
        return STEP_DONE;
    }
    if (address == CONTROL + MAC_RX_ROUTING) {
        ethernet->mac_rx_routing = value;
        return STEP_DONE;
    }
    if (address >= QUEUES && address < QUEUES_END && (address < CONTROL || address >= CONTROL_END)) {
        return ethernet_queue_write(ethernet, address, value);
    }
    return ethernet_absent(ethernet, "write", address);
}

/* Accesses over the NoC. */

static bool in_l1(uint64_t address, uint32_t size)
{
    return address <= ETHERNET_L1_SIZE && size <= ETHERNET_L1_SIZE - address;
}

/* Whether [address, address + size) is words beyond L1; otherwise *step is the result of the access. */
static bool are_registers(struct ethernet *ethernet, uint64_t address, uint32_t size, enum step *step)
{
    if (address >= ETHERNET_L1_SIZE && address <= UINT32_MAX && size <= UINT32_MAX - address + 1 &&
        (address | size) % 4 == 0) {
        return true;
    }
    *step = diagnose(
        &ethernet->diagnostics, BH_UNDEFINED_BEHAVIOR,
        "access of %u bytes at 0x%llx: L1 of an Ethernet tile ends at 0x%08x, and registers take aligned words", size,
        (unsigned long long)address, ETHERNET_L1_SIZE - 1);
    return false;
}

static enum step read_word(struct ethernet *ethernet, uint32_t address, uint32_t *value)
{
    if (!ethernet_unknown(address)) {
        return ethernet_register_read(ethernet, address, value);
    }
    *value = 0;
    return diagnose(&ethernet->diagnostics, BH_UNPREDICTABLE_VALUE,
                    "read of 0x%08x: an Ethernet tile has no register there that is known, here it reads as 0",
                    address);
}

enum step ethernet_read(struct ethernet *ethernet, uint64_t address, void *data, uint32_t size)
{
    if (in_l1(address, size)) {
        if (address <= FIRMWARE_HEARTBEAT && address + size > FIRMWARE_HEARTBEAT) {
            ethernet_firmware_beat(ethernet);
        }
        memcpy(data, l1_direct(&ethernet->l1) + address, size);
        return STEP_DONE;
    }
    enum step step = STEP_DONE;
    if (!are_registers(ethernet, address, size, &step)) {
        if (step == STEP_DONE) { /* the policy lets it pass */
            memset(data, 0, size);
        }
        return step;
    }
    for (uint32_t i = 0; i < size && step == STEP_DONE; i += 4) {
        uint32_t value;
        step = read_word(ethernet, (uint32_t)address + i, &value);
        memcpy((uint8_t *)data + i, &value, sizeof value);
    }
    return step;
}

/* Debuggers may write all registers of tile control. */
static enum step write_word(struct ethernet *ethernet, uint32_t address, uint32_t value)
{
    if (address >= DEBUG_END && address < RESET_PC_E0) {
        return diagnose(&ethernet->diagnostics, BH_NON_CONTRACTUAL,
                        "write at 0x%08x: an Ethernet tile has no register there that is known: no effect", address);
    }
    return ethernet_register_write(ethernet, address, value);
}

enum step ethernet_write(struct ethernet *ethernet, uint64_t address, const void *data, uint32_t size)
{
    if (in_l1(address, size)) {
        l1_write(&ethernet->l1, (uint32_t)address, data, size);
        return ethernet_firmware_written(ethernet, (uint32_t)address, size);
    }
    enum step step = STEP_DONE;
    if (!are_registers(ethernet, address, size, &step)) {
        return step;
    }
    for (uint32_t i = 0; i < size && step == STEP_DONE; i += 4) {
        uint32_t value;
        memcpy(&value, (const uint8_t *)data + i, sizeof value);
        step = write_word(ethernet, (uint32_t)address + i, value);
    }
    return step;
}
