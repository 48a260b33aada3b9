#include "chip/arc_firmware.h"

#include <string.h>

#include "util/bits.h"

/* What is where in CSM. The firmware's own places vary from version to version; the scratch RAM says where they are. */
enum { TELEMETRY = 0x1000, QUEUE_INFO = 0x2000, QUEUES_AT = 0x2010 };

/* Scratch register 0 after initialization; after a message was handled. */
#define POST_CODE_INIT_DONE 0xc0de0020u
#define POST_CODE_MESSAGES_DONE 0xc0de003fu

enum { MESSAGE_QUEUE_READY = 1, HW_INIT_DONE = 2 << 1 }; /* of the boot status */

static uint32_t load(const struct arc *arc, uint32_t offset)
{
    uint32_t value;
    memcpy(&value, arc->csm + offset, sizeof value);
    return value;
}

static void store(struct arc *arc, uint32_t offset, uint32_t value)
{
    memcpy(arc->csm + offset, &value, sizeof value);
}

/* Telemetry: a table of version, number of entries, and tags with the places of their values; then the values, each at
   the place that is its tag. */

enum telemetry_tag {
    BOARD_ID_HIGH = 1,
    BOARD_ID_LOW = 2,
    ASIC_ID = 3,
    UPDATE_TELEM_SPEED = 5,
    VCORE = 6,
    TDP = 7,
    TDC = 8,
    VDD_LIMITS = 9,
    THM_LIMIT_SHUTDOWN = 10,
    ASIC_TEMPERATURE = 11,
    BOARD_TEMPERATURE = 13,
    AICLK = 14,
    AXICLK = 15,
    ARCCLK = 16,
    L2CPUCLK = 17, /* four of them */
    ETH_LIVE_STATUS = 21,
    GDDR_STATUS = 22,
    GDDR_SPEED = 23,
    ETH_FW_VERSION = 24,
    FLASH_BUNDLE_VERSION = 28,
    CM_FW_VERSION = 29,
    TIMER_HEARTBEAT = 32,
    TELEM_ENUM_COUNT = 33,
    ENABLED_TENSIX_COL = 34,
    ENABLED_ETH = 35,
    ENABLED_GDDR = 36,
    ENABLED_L2CPU = 37,
    PCIE_USAGE = 38,
    NOC_TRANSLATION = 40,
    GDDR_TEMPERATURES = 42, /* four of them */
    MAX_GDDR_TEMP = 51,
    ASIC_LOCATION = 52,
    BOARD_POWER_LIMIT = 53,
    TDC_LIMIT_MAX = 55,
    THM_LIMIT_THROTTLE = 56,
    ASIC_ID_HIGH = 61,
    ASIC_ID_LOW = 62,
    AICLK_LIMIT_MAX = 63,
    TDP_LIMIT_MAX = 64,
    TAGS = 69, /* and tag 0 is not used */
};

enum { TABLE_VERSION = 0x100, TABLE_HEADER = 8, VALUES = TELEMETRY + TABLE_HEADER + 4 * TAGS };

enum { AICLK_IDLE = 800, AICLK_BUSY = 1350, AICLK_LOWEST = 200 };

static void set_telemetry(struct arc *arc, unsigned tag, uint32_t value)
{
    store(arc, VALUES + 4 * tag, value);
}

static uint32_t telemetry(const struct arc *arc, unsigned tag)
{
    return load(arc, VALUES + 4 * tag);
}

/* Two bits for each channel that is there: training is complete, and there is no error. */
static uint32_t gddr_status(unsigned channels)
{
    uint32_t status = 0;
    for (unsigned i = 0; i < DRAM_CHANNELS; i++) {
        status |= (channels >> i & 1) << 2 * i;
    }
    return status;
}

/* Values that do not depend on the board are those of an idle p150a, and made up where they are measured. */
static void boot_telemetry(struct arc *arc, const struct board *board)
{
    static const struct {
        uint8_t tag;
        uint32_t value;
    } fixed[] = {
        {ASIC_ID, 1},
        {UPDATE_TELEM_SPEED, 100},
        {VCORE, 750},
        {TDP, 25},
        {TDC, 33},
        {VDD_LIMITS, 900 << 16 | 700},
        {THM_LIMIT_SHUTDOWN, 110},
        {ASIC_TEMPERATURE, 40 << 16},
        {BOARD_TEMPERATURE, 35 << 16},
        {AICLK, AICLK_IDLE},
        {AXICLK, 900},
        {ARCCLK, 540},
        {L2CPUCLK, 200},
        {L2CPUCLK + 1, 200},
        {L2CPUCLK + 2, 200},
        {L2CPUCLK + 3, 200},
        {GDDR_SPEED, 16000},
        {ETH_FW_VERSION, 0x00010600},
        {CM_FW_VERSION, 0x00110000},
        {TIMER_HEARTBEAT, 1},
        {TELEM_ENUM_COUNT, TAGS},
        {ENABLED_L2CPU, 0}, /* they answer as absent hardware */
        {PCIE_USAGE, 1},
        {NOC_TRANSLATION, 1},
        {GDDR_TEMPERATURES, 0x28282828},
        {GDDR_TEMPERATURES + 1, 0x28282828},
        {GDDR_TEMPERATURES + 2, 0x28282828},
        {GDDR_TEMPERATURES + 3, 0x28282828},
        {MAX_GDDR_TEMP, 40},
        {BOARD_POWER_LIMIT, 300},
        {TDC_LIMIT_MAX, 200},
        {THM_LIMIT_THROTTLE, 90},
        {ASIC_ID_LOW, 1},
        {AICLK_LIMIT_MAX, AICLK_BUSY},
        {TDP_LIMIT_MAX, 170},
    };
    store(arc, TELEMETRY, TABLE_VERSION);
    store(arc, TELEMETRY + 4, TAGS - 1);
    for (unsigned tag = 1; tag < TAGS; tag++) {
        store(arc, TELEMETRY + TABLE_HEADER + 4 * (tag - 1), tag | tag << 16);
    }
    for (unsigned i = 0; i < COUNT_OF(fixed); i++) {
        set_telemetry(arc, fixed[i].tag, fixed[i].value);
    }
    set_telemetry(arc, BOARD_ID_HIGH, (uint32_t)(board->id >> 32));
    set_telemetry(arc, BOARD_ID_LOW, (uint32_t)board->id);
    set_telemetry(arc, ETH_LIVE_STATUS, board->tiles.ethernet);
    set_telemetry(arc, GDDR_STATUS, gddr_status(board->tiles.dram));
    set_telemetry(arc, FLASH_BUNDLE_VERSION, board->firmware_bundle);
    set_telemetry(arc, ENABLED_TENSIX_COL, board->tiles.tensix_columns);
    set_telemetry(arc, ENABLED_ETH, board->tiles.ethernet);
    set_telemetry(arc, ENABLED_GDDR, board->tiles.dram);
}

void arc_firmware_looked_at(struct arc *arc, uint32_t offset, uint32_t size)
{
    uint32_t heartbeat = VALUES + 4 * TIMER_HEARTBEAT;
    if (offset <= heartbeat && heartbeat < offset + size) {
        set_telemetry(arc, TIMER_HEARTBEAT, telemetry(arc, TIMER_HEARTBEAT) + 1);
    }
}

/* Messages. */

enum { QUEUES = 4, ENTRIES = 4, WRAP = 2 * ENTRIES, HEADER_WORDS = 8, ENTRY_WORDS = 8, ENTRY_BYTES = 4 * ENTRY_WORDS };
enum { QUEUE_BYTES = 4 * HEADER_WORDS + 2 * ENTRIES * ENTRY_BYTES };

/* Words of a queue's header. */
enum { REQUEST_WRITE, RESPONSE_READ, REQUEST_READ = 4, RESPONSE_WRITE, LAST_SERIAL };

enum message {
    GET_VOLTAGE = 0x13,
    REPORT_SCRATCH_ONLY = 0x16,
    READ_TS = 0x1b,
    POWER_SETTING = 0x21,
    FORCE_AICLK = 0x33,
    GET_AICLK = 0x34,
    AICLK_GO_BUSY = 0x52,
    AICLK_GO_LONG_IDLE = 0x54,
    TEST = 0x90,
    SET_LAST_SERIAL = 0xbe,
};

enum { STATUS_OK = 0, STATUS_SCRATCH_ONLY = 0xfe, STATUS_UNKNOWN = 0xff };

/* How messages are answered that do nothing to what is emulated, and those that would. */
enum answer { ANSWER_UNKNOWN, ANSWER_OK, ANSWER_UNSUPPORTED };

static enum answer other_answer(uint32_t code)
{
    switch (code) {
    case 0x12: /* set voltage */
    case 0x14: /* switch clock scheme */
    case 0x17: /* send PCIe MSI */
    case 0x18: /* switch VOUT control */
    case 0x22: /* set TDP limit */
    case 0x23: /* set ASIC host fmax */
    case 0x39: /* force VDD */
    case 0xa0: /* ASIC state 0 */
    case 0xa3: /* ASIC state 3 */
    case 0xac: /* force fan speed */
    case 0xb6: /* toggle GDDR reset: trains anew, which keeps the memory */
    case 0xc0: /* ping the board's controller */
    case 0xc1: /* set watchdog timeout */
    case 0xc2: /* flash unlock */
    case 0xc3: /* flash lock */
    case 0xc4: /* confirm flashed SPI */
    case 0xc5: /* blink */ return ANSWER_OK;
    case 0x15: /* debug NoC translation */
    case 0x19: /* read and write EEPROM */
    case 0x1a:
    case 0x1c: /* read process detector and voltage monitor */
    case 0x1d:
    case 0x1e: /* I2C */
    case 0x20: /* reinitialize Tensix */
    case 0x30: /* voltage and frequency curves */
    case 0x31: /* AICLK sweep */
    case 0x32:
    case 0x35: /* counter */
    case 0x56: /* trigger reset */
    case 0x9b: /* PCIe DMA */
    case 0x9c:
    case 0xa6:
    case 0xaf: /* toggle Tensix reset */ return ANSWER_UNSUPPORTED;
    default: return ANSWER_UNKNOWN;
    }
}

/* POWER_SETTING: bits 11:8 of the first word say how many of the flags from bit 16 on are meant; flag 0 is AICLK. */
static void power_setting(struct arc *arc, uint32_t word)
{
    if (word >> 8 & 0xf) {
        set_telemetry(arc, AICLK, word >> 16 & 1 ? AICLK_BUSY : AICLK_IDLE);
    }
}

/* 0 lets the clock free again. */
static void force_aiclk(struct arc *arc, uint32_t megahertz)
{
    uint32_t within = megahertz < AICLK_LOWEST ? AICLK_LOWEST : megahertz > AICLK_BUSY ? AICLK_BUSY : megahertz;
    set_telemetry(arc, AICLK, megahertz ? within : AICLK_IDLE);
}

static enum step answer(struct arc *arc, uint32_t queue, const uint32_t *request, uint32_t *response)
{
    uint32_t code = request[0] & 0xff;
    response[0] = STATUS_OK;
    switch (code) {
    case SET_LAST_SERIAL: store(arc, queue + 4 * LAST_SERIAL, request[1]); return STEP_DONE;
    case TEST:
        response[1] = request[1] + 1;
        response[2] = load(arc, queue + 4 * LAST_SERIAL) + 1;
        return STEP_DONE;
    case REPORT_SCRATCH_ONLY: response[0] = STATUS_SCRATCH_ONLY; return STEP_DONE;
    case AICLK_GO_BUSY: set_telemetry(arc, AICLK, AICLK_BUSY); return STEP_DONE;
    case AICLK_GO_LONG_IDLE: set_telemetry(arc, AICLK, AICLK_IDLE); return STEP_DONE;
    case POWER_SETTING: power_setting(arc, request[0]); return STEP_DONE;
    case FORCE_AICLK: force_aiclk(arc, request[1]); return STEP_DONE;
    case GET_AICLK: response[1] = telemetry(arc, AICLK); return STEP_DONE;
    case GET_VOLTAGE: response[1] = telemetry(arc, VCORE); return STEP_DONE;
    case READ_TS: response[1] = telemetry(arc, ASIC_TEMPERATURE); return STEP_DONE;
    default: break;
    }
    enum answer other = other_answer(code);
    if (other == ANSWER_UNSUPPORTED) {
        return diagnose(&arc->diagnostics, BH_UNSUPPORTED,
                        "message 0x%02x to the ARC firmware: what it does is not emulated", code);
    }
    response[0] = other == ANSWER_OK ? STATUS_OK : STATUS_UNKNOWN;
    return STEP_DONE;
}

/* Whether a queue has a request, and room for the response. */
static bool has_work(const struct arc *arc, uint32_t queue)
{
    uint32_t request_write = load(arc, queue + 4 * REQUEST_WRITE), request_read = load(arc, queue + 4 * REQUEST_READ);
    uint32_t response_write = load(arc, queue + 4 * RESPONSE_WRITE);
    uint32_t response_read = load(arc, queue + 4 * RESPONSE_READ);
    bool sane = request_write < WRAP && request_read < WRAP && response_write < WRAP && response_read < WRAP;
    return sane && request_write != request_read && (response_write - response_read) % WRAP != ENTRIES;
}

static enum step serve_one(struct arc *arc, uint32_t queue)
{
    uint32_t read = load(arc, queue + 4 * REQUEST_READ), write = load(arc, queue + 4 * RESPONSE_WRITE);
    uint32_t requests = queue + 4 * HEADER_WORDS, responses = requests + ENTRIES * ENTRY_BYTES;
    uint32_t request[ENTRY_WORDS], response[ENTRY_WORDS] = {0};
    memcpy(request, arc->csm + requests + read % ENTRIES * ENTRY_BYTES, sizeof request);
    enum step step = answer(arc, queue, request, response);
    if (step != STEP_DONE) {
        return step;
    }
    memcpy(arc->csm + responses + write % ENTRIES * ENTRY_BYTES, response, sizeof response);
    store(arc, queue + 4 * REQUEST_READ, (read + 1) % WRAP);
    store(arc, queue + 4 * RESPONSE_WRITE, (write + 1) % WRAP);
    if ((request[0] & 0xff) != SET_LAST_SERIAL) {
        store(arc, queue + 4 * LAST_SERIAL, load(arc, queue + 4 * LAST_SERIAL) + 1);
    }
    return STEP_DONE;
}

enum step arc_firmware_serve(struct arc *arc)
{
    for (unsigned i = 0; i < QUEUES; i++) {
        uint32_t queue = QUEUES_AT + i * QUEUE_BYTES;
        while (has_work(arc, queue)) {
            enum step step = serve_one(arc, queue);
            if (step != STEP_DONE) {
                return step;
            }
        }
    }
    arc->scratch[0] = POST_CODE_MESSAGES_DONE;
    return STEP_DONE;
}

void arc_firmware_boot(struct arc *arc, const struct board *board)
{
    boot_telemetry(arc, board);
    store(arc, QUEUE_INFO, ARC_CSM_BASE + QUEUES_AT);
    store(arc, QUEUE_INFO + 4, ENTRIES | QUEUES << 8);
    arc->scratch[0] = POST_CODE_INIT_DONE;
    arc->scratch_ram[ARC_BOOT_STATUS] = MESSAGE_QUEUE_READY | HW_INIT_DONE;
    arc->scratch_ram[ARC_MESSAGE_QUEUES] = ARC_CSM_BASE + QUEUE_INFO;
    arc->scratch_ram[ARC_TELEMETRY_VALUES] = ARC_CSM_BASE + VALUES;
    arc->scratch_ram[ARC_TELEMETRY_TABLE] = ARC_CSM_BASE + TELEMETRY;
}
