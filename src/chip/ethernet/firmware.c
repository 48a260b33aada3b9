#include "chip/ethernet/firmware.h"

#include "chip/ethernet/queues.h"

/* What firmware leaves in L1. */
enum {
    PARAMETERS = 0x7c000, /* what the ARC processor has told it */
    BOOT_RESULTS = 0x7cc00,
    PORT_STATUS = BOOT_RESULTS + 0x04,
    TRAIN_STATUS = BOOT_RESULTS + 0x08,
    LIVE_STATUS = BOOT_RESULTS + 0x200,
    FUNCTIONS = 0x7cf00,
    FIRMWARE_VERSION = 0x7cfbc,
    FIRMWARE_OWN_VERSION = 0x70188, /* inside the firmware's image; the ARC processor reads the version there */
    LOCAL_INFO = 0x7cfc0,           /* seven words: what the chip is, and what it tells the other end of the link */
    EXCHANGE = 0x7cfdc,
    REMOTE_INFO = 0x7cfe0, /* what the other end has told */
    MAILBOXES = 0x7d000,
    MAILBOX_SIZE = 16,
    MAILBOX_COUNT = 4,
    NOC_COUNTERS = 0x7d040,
};
enum { PORT_UP = 1, PORT_DOWN = 2, TRAINING = 0, TRAINED = 2, TIMED_OUT = 9, NOT_EXCHANGED = 1, EXCHANGED = 2 };
enum { WORD = 4 };
#define POSTCODE_INIT_PASS 0xc0dea000u
#define HEARTBEAT_SIGNATURE 0xabcd0000u

/* Words of the live status. Counters have 64 bits. */
enum {
    LIVE_RETRAIN_COUNT = 0x00,
    LIVE_RX_LINK_UP = 0x04,
    LIVE_FRAMES_TXD = 0x20,
    LIVE_FRAMES_TXD_OK = 0x28,
    LIVE_BYTES_TXD = 0x38,
    LIVE_BYTES_TXD_OK = 0x40,
    LIVE_FRAMES_RXD = 0x50,
    LIVE_FRAMES_RXD_OK = 0x58,
    LIVE_BYTES_RXD = 0x70,
    LIVE_BYTES_RXD_OK = 0x78,
    LIVE_TXQ_RESENDS = 0xa0,
    LIVE_RXQ_DROPS = 0xb8,
    LIVE_SIZE = 0x100,
};
#define NO_COPY UINT32_MAX

enum request {
    LINK_STATUS_CHECK = 1,
    RELEASE_CORE = 2,
    PORT_REINIT = 6,
    PORT_ACTION = 9,
    DYNAMIC_NOC_INIT = 0xf,
};
enum { ACTION_UP = 1, ACTION_DOWN = 2 };
#define STATUS 0xffff0000u
#define CALL 0xca110000u
#define ACKNOWLEDGED 0xcede0000u
#define DONE 0xd0e50000u

/* Functions of the table, by their numbers, and where a program returns to. */
enum function { SEND_MESSAGE, SERVICE_MESSAGES, CHECK_LINK, INIT_NOC_COUNTERS, RECOVER_LINK, FUNCTION_COUNT, RETURN };
enum { RETURN_ADDRESS = 0x76200, BEATS = 1000, FIRST_THAT_RECOVERS = 0x10800 /* 1.8.0 */ };

static const uint32_t addresses[FUNCTION_COUNT] = {0x71574, 0x759ac, 0x75414, 0x76000, 0x76100};

/* Code. */

enum { RET = 0x8067, JUMP_T1 = 0x30067, SELF_JUMP = 0x6f };

/* t0 = 0xffb98000; t1 = number; FIRMWARE_CALL = t1. Returns what comes behind. */
static uint32_t put_call(struct l1 *l1, uint32_t address, unsigned number)
{
    enum { LUI_T0 = 0x2b7, ADDI_T1 = 0x313, SW_T1_TO_T0 = 0x62a023, LOW = 0x1f0 };
    l1_store32(l1, address, (FIRMWARE_CALL & 0xfffff000) | LUI_T0);
    l1_store32(l1, address + WORD, number << 20 | ADDI_T1);
    l1_store32(l1, address + 2 * WORD, (uint32_t)(LOW >> 5) << 25 | (LOW & 0x1f) << 7 | SW_T1_TO_T0);
    return address + 3 * WORD;
}

static void put_code(struct l1 *l1, bool recovers)
{
    enum { LW_T1_FROM_T0 = 0x2a303, LOW = 0x1f4, BEQZ_T1_8 = 0x30463 };
    for (unsigned i = 0; i < FUNCTION_COUNT; i++) {
        bool empty = i == SEND_MESSAGE; /* its arguments are not public */
        uint32_t next = empty ? addresses[i] : put_call(l1, addresses[i], i);
        if (i == SERVICE_MESSAGES) { /* a program that is called returns to the caller of the function */
            l1_store32(l1, next, (uint32_t)LOW << 20 | LW_T1_FROM_T0);
            l1_store32(l1, next + WORD, BEQZ_T1_8);
            l1_store32(l1, next + 2 * WORD, JUMP_T1);
            next += 3 * WORD;
        }
        l1_store32(l1, next, RET);
        l1_store32(l1, FUNCTIONS + WORD * i, i == RECOVER_LINK && !recovers ? 0 : addresses[i]);
    }
    l1_store32(l1, put_call(l1, RETURN_ADDRESS, RETURN), SELF_JUMP);
}

/* Words of L1. */

/* Kinds of circuit boards, by those of boards (tt-system-firmware bh_fwtable.c). */
static uint32_t pcb_type(const struct board_chip *chip)
{
    enum { P150 = 2, P300 = 3, UBB = 4, UNKNOWN = 0xff };
    switch (chip->board_id >> 36 & 0xff) {
    case 0x40: /* P150A */
    case 0x41:
    case 0x42:
    case 0x43: return P150; /* P100A: "a depopulated P150" */
    case 0x44:              /* P300 */
    case 0x45:
    case 0x46: return P300;
    case 0x47: return UBB;
    default: return UNKNOWN;
    }
}

/* MAC addresses: a chip has twelve, for its tiles, which follow on the vendor's half. Source: tt-system-firmware eth.c,
   GetMacAddressBase(). */
enum { MAC_VENDOR = 0x208c47, MAC_ADDRESSES = 12, MAC_HALF = 0xffffff };

static uint32_t mac_base(const struct board_chip *chip)
{
    return (uint32_t)(chip->asic_id & 0xffff) * MAC_ADDRESSES & MAC_HALF;
}

/* Words of the parameters that tell the chip. The others, of ports and SerDes, are 0: they depend on settings of boards
   that are not public. Source: tt-system-firmware eth.c, LoadEthFwCfg(). */
static void write_parameters(struct l1 *l1, const struct board *board)
{
    enum { OF_CHIP = PARAMETERS + 32 * WORD };
    const struct board_chip *chip = &board->chip;
    const uint32_t words[] = {
        pcb_type(chip),
        chip->asic_location,
        (uint32_t)(chip->board_id >> 32),
        (uint32_t)chip->board_id,
        MAC_VENDOR,
        mac_base(chip),
        (uint32_t)(chip->asic_id >> 32),
        (uint32_t)chip->asic_id,
        board->tiles.ethernet,
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        l1_store32(l1, OF_CHIP + WORD * i, words[i]);
    }
}

/* Writes what firmware knows of the Ethernet tile of a chip. logical: its number among those that are there. Sources:
   tt-umd blackhole_eth.hpp; word 3 and 4, and what EXCHANGE is: measured, Knight-Ops/metalium-rs
   crates/tt-isa/src/eth.rs; how MAC addresses are counted: ISA documentation, sample ethdump.c. */
static void write_info(struct l1 *l1, uint32_t address, const struct board_chip *chip, unsigned channel,
                       unsigned logical)
{
    const uint32_t words[] = {
        pcb_type(chip) | (uint32_t)chip->asic_location << 8 | channel << 16 | logical << 24,
        (uint32_t)(chip->board_id >> 32),
        (uint32_t)chip->board_id,
        MAC_VENDOR,
        (mac_base(chip) + logical) & MAC_HALF,
        (uint32_t)(chip->asic_id >> 32),
        (uint32_t)chip->asic_id,
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        l1_store32(l1, address + WORD * i, words[i]);
    }
}

/* All entries of the TX header table have the tile's MAC address as their source ("SA on all 10 TXPKT rows is set once
   by base FW", tt-metal's TT-RDMA kernels). */
static void put_source_addresses(struct ethernet *ethernet)
{
    enum { MAC_SA = 0x10 / WORD, VENDOR_WORD = 3, OWN_WORD = 4, OWN_BITS = 24, BYTE = 8 };
    uint32_t vendor = l1_load32(&ethernet->tile.l1, LOCAL_INFO + VENDOR_WORD * WORD),
             own = l1_load32(&ethernet->tile.l1, LOCAL_INFO + OWN_WORD * WORD);
    for (unsigned i = 0; i < ETHERNET_HEADERS; i++) {
        ethernet->headers[i][MAC_SA] = vendor << OWN_BITS | (own & MAC_HALF);
        ethernet->headers[i][MAC_SA + 1] = vendor >> BYTE & 0xffff;
    }
}

void ethernet_firmware_boot(struct ethernet *ethernet, const struct board *board)
{
    const struct board_port *port = &board->port[ethernet->channel];
    struct l1 *l1 = &ethernet->tile.l1;
    l1_store32(l1, BOOT_RESULTS, POSTCODE_INIT_PASS);
    l1_store32(l1, PORT_STATUS, PORT_DOWN);
    l1_store32(l1, EXCHANGE, port->linked ? EXCHANGED : NOT_EXCHANGED);
    if (port->linked) {
        write_info(l1, REMOTE_INFO, &port->chip, port->channel, port->logical);
    }
    write_info(l1, LOCAL_INFO, &board->chip, ethernet->channel, board_logical_channel(board, ethernet->channel));
    write_parameters(l1, board);
    put_source_addresses(ethernet);
    l1_store32(l1, FIRMWARE_HEARTBEAT, HEARTBEAT_SIGNATURE);
    l1_store32(l1, FIRMWARE_VERSION, board->firmware->ethernet);
    l1_store32(l1, FIRMWARE_OWN_VERSION, board->firmware->ethernet);
    put_code(l1, board->firmware->ethernet >= FIRST_THAT_RECOVERS);
}

static void put_counter(struct ethernet *ethernet, uint32_t at, uint64_t count)
{
    l1_write(&ethernet->tile.l1, LIVE_STATUS + at, &count, sizeof count);
}

static void put_counters(struct ethernet *ethernet)
{
    const struct ethernet_mac *mac = &ethernet->mac;
    put_counter(ethernet, LIVE_FRAMES_TXD, mac->frames_sent);
    put_counter(ethernet, LIVE_FRAMES_TXD_OK, mac->frames_sent);
    put_counter(ethernet, LIVE_BYTES_TXD, mac->bytes_sent);
    put_counter(ethernet, LIVE_BYTES_TXD_OK, mac->bytes_sent);
    put_counter(ethernet, LIVE_FRAMES_RXD, mac->frames_received);
    put_counter(ethernet, LIVE_FRAMES_RXD_OK, mac->frames_received);
    put_counter(ethernet, LIVE_BYTES_RXD, mac->bytes_received);
    put_counter(ethernet, LIVE_BYTES_RXD_OK, mac->bytes_received);
    for (uint32_t queue = 0; queue < ETHERNET_QUEUES; queue++) {
        uint32_t at = queue * (uint32_t)sizeof(uint64_t);
        put_counter(ethernet, LIVE_TXQ_RESENDS + at, ethernet->wire->port.repeated[ethernet->channel][queue]);
        put_counter(ethernet, LIVE_RXQ_DROPS + at, ethernet->rx[queue][RXQ_PACKET_DROP_CNT]);
    }
}

/* A port whose link firmware has awaited in vain says so until the link is up. */
static void put_link(struct ethernet *ethernet)
{
    const struct link_ports *ports = &ethernet->wire->port;
    unsigned channel = ethernet->channel;
    bool up = ethernet->wire->wired && port_is_up(ports, channel), trains = ports->trains >> channel & 1;
    bool timed_out = !trains && l1_load32(&ethernet->tile.l1, TRAIN_STATUS) == TIMED_OUT;
    if (ethernet->wire->connected >> channel & 1) {
        l1_store32(&ethernet->tile.l1, TRAIN_STATUS, up ? TRAINED : timed_out ? TIMED_OUT : TRAINING);
    }
    l1_store32(&ethernet->tile.l1, PORT_STATUS, up ? PORT_UP : PORT_DOWN);
    l1_store32(&ethernet->tile.l1, LIVE_STATUS + LIVE_RX_LINK_UP, up);
    l1_store32(&ethernet->tile.l1, LIVE_STATUS + LIVE_RETRAIN_COUNT, ports->retrained[channel]);
}

static void check_link(struct ethernet *ethernet, uint32_t copy_to)
{
    put_link(ethernet);
    put_counters(ethernet);
    if (copy_to <= ETHERNET_L1_SIZE - LIVE_SIZE) {
        l1_write(&ethernet->tile.l1, copy_to, l1_direct(&ethernet->tile.l1) + LIVE_STATUS, LIVE_SIZE);
    }
}

void ethernet_firmware_beat(struct ethernet *ethernet)
{
    struct ethernet_firmware *firmware = &ethernet->firmware;
    if (firmware->runs) {
        uint64_t beats = (ethernet->tile.clock.now - firmware->beat_at) / BEATS;
        uint32_t count = l1_load32(&ethernet->tile.l1, FIRMWARE_HEARTBEAT) + (uint32_t)beats;
        l1_store32(&ethernet->tile.l1, FIRMWARE_HEARTBEAT, HEARTBEAT_SIGNATURE | (count & 0xffff));
        firmware->beat_at += beats * BEATS;
    }
}

void ethernet_firmware_starts(struct ethernet *ethernet, uint64_t time)
{
    ethernet->firmware.runs = true;
    ethernet->firmware.beat_at = time;
    put_link(ethernet);
}

void ethernet_firmware_begins(struct ethernet *ethernet)
{
    for (uint32_t at = MAILBOXES; at < MAILBOXES + MAILBOX_COUNT * MAILBOX_SIZE; at += WORD) {
        l1_store32(&ethernet->tile.l1, at, 0);
    }
    ethernet->firmware.reports = 0;
    ethernet_firmware_starts(ethernet, ethernet->tile.clock.now);
}

/* Counts of NoC transactions that cores in "dynamic NoC" mode share: of each NoC, for each core that may use it, one
   word for each counter. Those that have happened are counted as E0's on NoC 0, and E1's on NoC 1. */
static void init_noc_counters(struct ethernet *ethernet)
{
    static const uint8_t counters[] = {NIU_MST_RD_RESP_RECEIVED, NIU_MST_NONPOSTED_WR_REQ_SENT, NIU_MST_WR_ACK_RECEIVED,
                                       NIU_MST_ATOMIC_RESP_RECEIVED, NIU_MST_NONPOSTED_WR_REQ_SENT + POSTED};
    uint32_t at = NOC_COUNTERS;
    for (unsigned noc = 0; noc < NIUS; noc++) {
        for (unsigned core = 0; core < ETHERNET_CORES; core++) {
            for (unsigned i = 0; i < sizeof counters; i++, at += WORD) {
                l1_store32(&ethernet->tile.l1, at, core == noc ? ethernet->tile.niu[noc].counter[counters[i]] : 0);
            }
        }
    }
}

/* Requests. */

static void finish(struct ethernet *ethernet, uint32_t mailbox, uint32_t request)
{
    l1_store32(&ethernet->tile.l1, mailbox, DONE | request);
    for (uint32_t word = WORD; word < MAILBOX_SIZE; word += WORD) {
        l1_store32(&ethernet->tile.l1, mailbox + word, 0);
    }
}

/* Of a chip in no system no cable is plugged in, whatever the port does. */
static void switch_port(struct ethernet *ethernet, bool on)
{
    if (ethernet->wire->connected >> ethernet->channel & 1) {
        (void)wire_switch(ethernet->wire, ethernet->channel, ethernet->tile.clock.now, on);
    }
    put_link(ethernet);
}

/* Ends when the link is up again, or firmware gives up. */
static void reinit(struct ethernet *ethernet, uint32_t mailbox)
{
    struct link_ports *ports = &ethernet->wire->port;
    if (!(ethernet->wire->connected >> ethernet->channel & 1)) {
        finish(ethernet, mailbox, PORT_REINIT);
        return;
    }
    ports->awaited |= (uint16_t)(1u << ethernet->channel);
    ethernet->firmware.reports = (uint8_t)((mailbox - MAILBOXES) / MAILBOX_SIZE + 1);
    l1_store32(&ethernet->tile.l1, mailbox, ACKNOWLEDGED | PORT_REINIT);
    l1_store32(&ethernet->tile.l1, TRAIN_STATUS, TRAINING);
    switch_port(ethernet, false);
    switch_port(ethernet, true);
}

/* Measured, with tt-metal's fabric: training leaves the queues as after power-on. */
void ethernet_firmware_trained(struct ethernet *ethernet)
{
    ethernet_queues_reset(ethernet);
    put_source_addresses(ethernet);
    ethernet_firmware_sees_link(ethernet);
}

void ethernet_firmware_sees_link(struct ethernet *ethernet)
{
    struct ethernet_firmware *firmware = &ethernet->firmware;
    bool over = firmware->reports && !(ethernet->wire->port.awaited >> ethernet->channel & 1);
    if (over && !ethernet_link_is_up(ethernet)) {
        l1_store32(&ethernet->tile.l1, TRAIN_STATUS, TIMED_OUT);
    }
    if (firmware->runs || over) {
        put_link(ethernet);
    }
    if (over) {
        finish(ethernet, MAILBOXES + (firmware->reports - 1u) * MAILBOX_SIZE, PORT_REINIT);
        firmware->reports = 0;
    }
}

static enum step refuse(struct ethernet *ethernet, uint32_t word, uint32_t argument)
{
    if ((word & ~STATUS) == PORT_ACTION) {
        return diagnose(&ethernet->tile.diagnostics, BH_UNSUPPORTED,
                        "request 0x%08x to the firmware of an Ethernet tile: what port action %u is, is not public",
                        word, argument);
    }
    return diagnose(
        &ethernet->tile.diagnostics, BH_UNSUPPORTED,
        "request 0x%08x to the firmware of an Ethernet tile: only 1 (link status), 2 (run a program on E0), "
        "6 (initialise the port), 9 (port up or down) and 0xf (NoC counters) are emulated",
        word);
}

/* Serves the request of a mailbox. *program: to which to hand E0 over. One that is refused is answered, too. */
static enum step serve(struct ethernet *ethernet, uint32_t mailbox, uint32_t *program)
{
    uint32_t word = l1_load32(&ethernet->tile.l1, mailbox), argument = l1_load32(&ethernet->tile.l1, mailbox + WORD);
    bool action = argument == ACTION_UP || argument == ACTION_DOWN;
    enum step step = STEP_DONE;
    if ((word & STATUS) != CALL) {
        return STEP_DONE;
    }
    switch (word & ~STATUS) {
    case LINK_STATUS_CHECK: check_link(ethernet, argument); break;
    case RELEASE_CORE: *program = argument; break;
    case PORT_REINIT: reinit(ethernet, mailbox); return STEP_DONE;
    case PORT_ACTION:
        if (action) {
            switch_port(ethernet, argument == ACTION_UP);
        } else {
            step = refuse(ethernet, word, argument);
        }
        break;
    case DYNAMIC_NOC_INIT: init_noc_counters(ethernet); break;
    default: step = refuse(ethernet, word, argument); break;
    }
    finish(ethernet, mailbox, word & ~STATUS);
    return step;
}

static enum step serve_now(struct ethernet *ethernet, uint32_t mailbox)
{
    uint32_t program = 0;
    ethernet_firmware_beat(ethernet);
    enum step step = serve(ethernet, mailbox, &program);
    if (program) {
        ethernet->firmware.runs = false;
        core_tile_start(&ethernet->tile, ETHERNET_E0, program, RETURN_ADDRESS);
    }
    return step;
}

enum step ethernet_firmware_poll(struct ethernet *ethernet)
{
    enum step step = STEP_DONE;
    for (uint32_t i = 0; i < MAILBOX_COUNT && ethernet->firmware.runs && step == STEP_DONE; i++) {
        uint32_t mailbox = MAILBOXES + i * MAILBOX_SIZE;
        if ((l1_load32(&ethernet->tile.l1, mailbox) & STATUS) == CALL && !ethernet->tile.diagnostics.stopped) {
            step = serve_now(ethernet, mailbox);
        }
    }
    return step;
}

enum step ethernet_firmware_written(struct ethernet *ethernet, uint32_t address, uint32_t size)
{
    bool mailboxes = address < MAILBOXES + MAILBOX_COUNT * MAILBOX_SIZE && (uint64_t)address + size > MAILBOXES;
    return mailboxes ? ethernet_firmware_poll(ethernet) : STEP_DONE;
}

/* Functions. */

static enum step service(struct ethernet *ethernet)
{
    enum step step = STEP_DONE;
    ethernet->firmware.program = 0;
    for (uint32_t i = 0; i < MAILBOX_COUNT && step == STEP_DONE && !ethernet->firmware.program; i++) {
        step = serve(ethernet, MAILBOXES + i * MAILBOX_SIZE, &ethernet->firmware.program);
    }
    return step;
}

/* The core executes what comes behind the call when this returns. */
enum step ethernet_firmware_call(struct ethernet *ethernet, unsigned core, uint32_t function)
{
    enum { A0 = 10 };
    switch (function) {
    case SERVICE_MESSAGES: return service(ethernet);
    case CHECK_LINK: check_link(ethernet, ethernet->tile.core[core].x[A0]); return STEP_DONE;
    case INIT_NOC_COUNTERS: init_noc_counters(ethernet); return STEP_DONE;
    case RECOVER_LINK: put_link(ethernet); return STEP_DONE; /* links that can train do so without being asked */
    case RETURN:
        ethernet->tile.core[core].halt = RV32_IN_RESET;
        ethernet->tile.core[core].waiting = false;
        if (core == ETHERNET_E0) {
            ethernet_firmware_starts(ethernet, ethernet->tile.clock.now);
        }
        return STEP_DONE;
    default:
        return diagnose(&ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "store of 0x%x to 0x%08x, with which the firmware's code calls the model of it", function,
                        FIRMWARE_CALL);
    }
}
