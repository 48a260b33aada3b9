#include "chip/arc_firmware.h"

#include <string.h>

#include "chip/arc_csm.h"
#include "util/bits.h"

#define POST_CODE_INIT_DONE 0xc0de0020u /* scratch register 0 after initialization */

enum { MESSAGE_QUEUE_READY = 1, HW_INIT_DONE = 2 << 1 }; /* of the boot status */

uint32_t arc_load(const struct arc *arc, uint32_t offset)
{
    uint32_t value;
    memcpy(&value, arc->csm + offset, sizeof value);
    return value;
}

void arc_store(struct arc *arc, uint32_t offset, uint32_t value)
{
    memcpy(arc->csm + offset, &value, sizeof value);
}

/* Telemetry: a table of version, number of entries, and tags with the places of their values; then the values, each at
   the place that is its tag. */

enum { TABLE_VERSION = 0x100, TABLE_HEADER = 8, VALUES = TELEMETRY + TABLE_HEADER + 4 * TAGS };

void arc_set_telemetry(struct arc *arc, enum telemetry_tag tag, uint32_t value)
{
    arc_store(arc, VALUES + 4 * tag, value);
}

uint32_t arc_telemetry(const struct arc *arc, enum telemetry_tag tag)
{
    return arc_load(arc, VALUES + 4 * tag);
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
        {VCORE, VCORE_BOOT},
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
        {TDP_LIMIT_MAX, TDP_LIMIT_OF_BOARD},
    };
    arc_store(arc, TELEMETRY, TABLE_VERSION);
    arc_store(arc, TELEMETRY + 4, TAGS - 1);
    for (unsigned tag = 1; tag < TAGS; tag++) {
        arc_store(arc, TELEMETRY + TABLE_HEADER + 4 * (tag - 1), tag | tag << 16);
    }
    for (unsigned i = 0; i < COUNT_OF(fixed); i++) {
        arc_set_telemetry(arc, fixed[i].tag, fixed[i].value);
    }
    arc_set_telemetry(arc, BOARD_ID_HIGH, (uint32_t)(board->id >> 32));
    arc_set_telemetry(arc, BOARD_ID_LOW, (uint32_t)board->id);
    arc_set_telemetry(arc, ETH_LIVE_STATUS, board->tiles.ethernet);
    arc_set_telemetry(arc, GDDR_STATUS, gddr_status(board->tiles.dram));
    arc_set_telemetry(arc, FLASH_BUNDLE_VERSION, board->firmware_bundle);
    arc_set_telemetry(arc, ENABLED_TENSIX_COL, board->tiles.tensix_columns);
    arc_set_telemetry(arc, ENABLED_ETH, board->tiles.ethernet);
    arc_set_telemetry(arc, ENABLED_GDDR, board->tiles.dram);
}

void arc_firmware_looked_at(struct arc *arc, uint32_t offset, uint32_t size)
{
    uint32_t heartbeat = VALUES + 4 * TIMER_HEARTBEAT;
    if (offset <= heartbeat && heartbeat < offset + size) {
        arc_set_telemetry(arc, TIMER_HEARTBEAT, arc_telemetry(arc, TIMER_HEARTBEAT) + 1);
    }
}

void arc_firmware_boot(struct arc *arc, const struct board *board)
{
    boot_telemetry(arc, board);
    arc_store(arc, QUEUE_INFO, ARC_CSM_BASE + QUEUES_AT);
    arc_store(arc, QUEUE_INFO + 4, arc_queue_sizes());
    arc->scratch[0] = POST_CODE_INIT_DONE;
    arc->scratch_ram[ARC_BOOT_STATUS] = MESSAGE_QUEUE_READY | HW_INIT_DONE;
    arc->scratch_ram[ARC_EEPROM_BUFFER] = EEPROM_BUFFER_LOG2 << 24 | ((ARC_CSM_BASE + EEPROM_BUFFER) & 0xffffff);
    arc->scratch_ram[ARC_MESSAGE_QUEUES] = ARC_CSM_BASE + QUEUE_INFO;
    arc->scratch_ram[ARC_TELEMETRY_VALUES] = ARC_CSM_BASE + VALUES;
    arc->scratch_ram[ARC_TELEMETRY_TABLE] = ARC_CSM_BASE + TELEMETRY;
}
