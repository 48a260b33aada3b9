#include "chip/ethernet/ethernet.h"

#include <string.h>

#include "isa/rv32_isa.h"
#include "noc/translation.h"
#include "rv32/debug.h"
#include "tile/mmio.h"

enum { E0, E1 };

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

enum { PCS_STATUS = 0xc, EOP_STATUS_GOOD_LO = 0x120, MAC_RX_ROUTING = 0x150, MAC_RX_ADDR_ROUTING = 0x154 };
enum { EOP_STATUS_GOOD_RESET = 0x1f, MAC_RX_ADDR_ROUTING_RESET = 0xa00 };

static uint32_t *soft_reset(struct ethernet *ethernet)
{
    return &ethernet->debug[(MMIO_ADDRESS_SOFT_RESET_0 - DEBUG) / 4];
}

/* Whether E0 is out of reset without a program of its own: on silicon it would then execute the firmware. */
static bool runs_firmware(struct ethernet *ethernet)
{
    return !(*soft_reset(ethernet) & reset_bits[E0]) && ethernet->core[E0].halt != RV32_RUNNING;
}

/* What firmware leaves in L1. */
enum {
    BOOT_RESULTS = 0x7cc00,
    PORT_STATUS = BOOT_RESULTS + 0x04,
    TRAIN_STATUS = BOOT_RESULTS + 0x08,
    LINK_UP = BOOT_RESULTS + 0x204, /* rx_link_up of the live status */
    HEARTBEAT = BOOT_RESULTS + 0x70,
    FUNCTIONS = 0x7cf00, /* three function pointers: send message, service messages, check link status */
    FIRMWARE_VERSION = 0x7cfbc,
    FIRMWARE_OWN_VERSION = 0x70188, /* inside the firmware's image; the ARC processor reads the version there */
    LOCAL_INFO = 0x7cfc0,           /* seven words: what the chip is, and what it tells the other end of the link */
    EXCHANGE = 0x7cfdc,
    REMOTE_INFO = 0x7cfe0, /* what the other end has told */
    MAILBOXES = 0x7d000,
    MAILBOX_SIZE = 16,
    MAILBOX_COUNT = 4,
};
enum { PORT_UP = 1, PORT_DOWN = 2, TRAINED = 2, NOT_EXCHANGED = 1, EXCHANGED = 2, RET = 0x8067 };
#define POSTCODE_INIT_PASS 0xc0dea000u
#define HEARTBEAT_SIGNATURE 0xabcd0000u
#define MAILBOX_CALL_AND_RELEASE 0xca110002u
#define MAILBOX_CALL 0xca11u
#define MAILBOX_DONE 0xd0e50002u

/* Writes what firmware knows of the Ethernet tile of a chip. logical: its number among those that are there. MAC
   addresses have the vendor's first half; the other one is made up. Sources: tt-umd blackhole_eth.hpp; word 3 and 4,
   and what EXCHANGE is: measured, Knight-Ops/metalium-rs crates/tt-isa/src/eth.rs. */
static void write_info(struct l1 *l1, uint32_t address, const struct board_chip *chip, unsigned channel,
                       unsigned logical)
{
    enum { VENDOR = 0x208c47, WORD = 4 };
    const uint32_t words[] = {
        (uint32_t)chip->asic_location << 8 | channel << 16 | logical << 24,
        (uint32_t)(chip->board_id >> 32),
        (uint32_t)chip->board_id,
        VENDOR,
        (uint32_t)(chip->asic_id << 4 | channel) & 0xffffff,
        (uint32_t)(chip->asic_id >> 32),
        (uint32_t)chip->asic_id,
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        l1_store32(l1, address + WORD * i, words[i]);
    }
}

static void boot_firmware(struct ethernet *ethernet, const struct board *board)
{
    const struct board_port *port = &board->port[ethernet->channel];
    static const uint32_t functions[] = {0x71574, 0x759ac, 0x75414};
    struct l1 *l1 = &ethernet->l1;
    l1_store32(l1, BOOT_RESULTS, POSTCODE_INIT_PASS);
    l1_store32(l1, PORT_STATUS, port->linked ? PORT_UP : PORT_DOWN);
    l1_store32(l1, EXCHANGE, port->linked ? EXCHANGED : NOT_EXCHANGED);
    if (port->linked) {
        l1_store32(l1, TRAIN_STATUS, TRAINED);
        l1_store32(l1, LINK_UP, 1);
        write_info(l1, REMOTE_INFO, &port->chip, port->channel, port->logical);
    }
    write_info(l1, LOCAL_INFO, &board->chip, ethernet->channel, board_logical_channel(board, ethernet->channel));
    l1_store32(l1, HEARTBEAT, HEARTBEAT_SIGNATURE);
    l1_store32(l1, FIRMWARE_VERSION, board->firmware->ethernet);
    l1_store32(l1, FIRMWARE_OWN_VERSION, board->firmware->ethernet);
    for (unsigned i = 0; i < 3; i++) {
        l1_store32(l1, FUNCTIONS + 4 * i, functions[i]);
        l1_store32(l1, functions[i], RET);
    }
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
    overlay_reset(&ethernet->overlay, ETHERNET_STREAMS, x, y);
    *soft_reset(ethernet) = reset_bits[E1]; /* E0 runs firmware */
    ethernet->mac_rx_addr_routing = MAC_RX_ADDR_ROUTING_RESET;
    ethernet->eop_status_good = EOP_STATUS_GOOD_RESET;
    ethernet_queues_reset(ethernet);
    classifier_reset(&ethernet->classifier);
    connect_cores(ethernet);
    boot_firmware(ethernet, board);
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

/* The interpreter numbers cores as in a Tensix tile. */
static void name_cores(struct diagnostics *diagnostics)
{
    for (uint32_t i = 0; i < diagnostics->count && i < DIAGNOSTICS_KEPT; i++) {
        struct bh_diagnostic *entry = &diagnostics->entries[i];
        if (entry->agent == BH_AGENT_CORE && entry->index < BH_CORE_COUNT) {
            entry->index = entry->index == BH_CORE_B ? BH_CORE_E0 : BH_CORE_E1;
        }
    }
}

static uint32_t run_core(struct rv32 *rv32, uint32_t cycles)
{
    return rv32_debug_watches(rv32->core) ? rv32_debug_run(rv32, cycles) : rv32_run(rv32, cycles);
}

uint64_t ethernet_run(struct ethernet *ethernet, uint32_t cycles)
{
    uint64_t retired = 0;
    clock_begin(&ethernet->clock, ethernet->clock.now);
    for (unsigned core = 0; core < ETHERNET_CORES && !ethernet->diagnostics.stopped; core++) {
        ethernet->polled[core].spins = false; /* not true any more */
        if (!ethernet_core_runnable(ethernet, core)) {
            continue;
        }
        ethernet->diagnostics.now.cycle = ethernet->clock.now;
        retired += run_core(&ethernet->rv32[core], cycles);
    }
    name_cores(&ethernet->diagnostics);
    return retired;
}

/* Starts a core at pc, with the stack that firmware would have set up. */
static void start(struct ethernet *ethernet, unsigned core, uint32_t pc)
{
    enum { SP = 2 };
    rv32_reset(&ethernet->core[core], pc);
    ethernet->core[core].x[SP] = LOCAL_RAM_TOP;
}

/* Whether a core that leaves reset has a program rather than firmware: a reset PC was set, or there is an instruction
   at address 0. */
static bool has_program(const struct ethernet *ethernet, unsigned core)
{
    enum rv32_op first = rv32_identify(l1_load32(&ethernet->l1, 0));
    return ethernet->reset_pc[core] || (first != RV32_OP_NONE && first != RV32_OP_TTINSN);
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
        } else if (before & reset_bits[core] && has_program(ethernet, core)) {
            start(ethernet, core, ethernet->reset_pc[core]);
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
        *value = ethernet_timer_read(&ethernet->timer, ethernet->clock.now, address);
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
        case PCS_STATUS: *value = 1; return STEP_DONE; /* up: the loopback */
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
        ethernet_timer_write(&ethernet->timer, ethernet->clock.now, address, value);
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

/* While firmware runs, each read of the heartbeat advances it, which is faster than on silicon. */
static void beat(struct ethernet *ethernet)
{
    if (runs_firmware(ethernet)) {
        uint32_t count = l1_load32(&ethernet->l1, HEARTBEAT) + 1;
        l1_store32(&ethernet->l1, HEARTBEAT, HEARTBEAT_SIGNATURE | (count & 0xffff));
    }
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
        if (address <= HEARTBEAT && address + size > HEARTBEAT) {
            beat(ethernet);
        }
        memcpy(data, l1_direct(&ethernet->l1) + address, size);
        return STEP_DONE;
    }
    enum step step = STEP_DONE;
    memset(data, 0, size);
    if (!are_registers(ethernet, address, size, &step)) {
        return step;
    }
    for (uint32_t i = 0; i < size && step == STEP_DONE; i += 4) {
        uint32_t value;
        step = read_word(ethernet, (uint32_t)address + i, &value);
        memcpy((uint8_t *)data + i, &value, sizeof value);
    }
    return step;
}

static bool is_mailbox(uint64_t address)
{
    return address >= MAILBOXES && address < MAILBOXES + MAILBOX_COUNT * MAILBOX_SIZE && address % MAILBOX_SIZE == 0;
}

/* Serves a request to firmware, after the host has written the mailbox's status word. */
static enum step serve_mailbox(struct ethernet *ethernet, uint32_t mailbox)
{
    uint32_t request = l1_load32(&ethernet->l1, mailbox);
    if (request >> 16 != MAILBOX_CALL || !runs_firmware(ethernet)) {
        return STEP_DONE;
    }
    if (request != MAILBOX_CALL_AND_RELEASE) {
        return diagnose(
            &ethernet->diagnostics, BH_UNSUPPORTED,
            "request 0x%08x to the firmware of an Ethernet tile: only 0x%08x (run a program on E0) is emulated",
            request, MAILBOX_CALL_AND_RELEASE);
    }
    start(ethernet, E0, l1_load32(&ethernet->l1, mailbox + 4));
    l1_store32(&ethernet->l1, mailbox, MAILBOX_DONE);
    for (uint32_t word = 4; word < MAILBOX_SIZE; word += 4) {
        l1_store32(&ethernet->l1, mailbox + word, 0);
    }
    return STEP_DONE;
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
        return size == 4 && is_mailbox(address) ? serve_mailbox(ethernet, (uint32_t)address) : STEP_DONE;
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
