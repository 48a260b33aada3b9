/* What the firmware of the ARC processor has in CSM, for the parts of it that are emulated: telemetry
   (arc_firmware.c), message queues (arc_queues.c), and the buffer through which the host reads and writes the flash
   (arc_messages.c). The firmware's own places vary from version to version; the scratch RAM says where they are. */
#ifndef BHEMU_CHIP_ARC_CSM_H
#define BHEMU_CHIP_ARC_CSM_H

#include "chip/arc.h"

enum { TELEMETRY = 0x1000, QUEUE_INFO = 0x2000, QUEUES_AT = 0x2010, EEPROM_BUFFER = 0x4000, EEPROM_BUFFER_LOG2 = 12 };

uint32_t arc_load(const struct arc *arc, uint32_t offset);
void arc_store(struct arc *arc, uint32_t offset, uint32_t value);

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

enum { AICLK_IDLE = 800, AICLK_BUSY = 1350, VCORE_BOOT = 750, TDP_LIMIT_OF_BOARD = 170 }; /* MHz, mV, W */

void arc_set_telemetry(struct arc *arc, enum telemetry_tag tag, uint32_t value);
uint32_t arc_telemetry(const struct arc *arc, enum telemetry_tag tag);

/* The word that describes the queues to the host. */
uint32_t arc_queue_sizes(void);

enum { MESSAGE_WORDS = 8 };

/* Answers one request of a queue, whose last serial number is *serial. STEP_STOP: what it asks for is not emulated. */
enum step arc_answer(struct arc *arc, uint32_t *serial, const uint32_t request[MESSAGE_WORDS],
                     uint32_t response[MESSAGE_WORDS]);

#endif
