/* What the firmware of the ARC processor has in CSM, for the parts of it that are emulated: telemetry
   (chip/arc/telemetry.c), message queues (chip/arc/queues.c), and the buffer through which the host reads and writes
   the flash (chip/arc/messages.c). The firmware's own places vary from version to version; the scratch RAM says where
   they are. */
#ifndef BHEMU_CHIP_ARC_CSM_H
#define BHEMU_CHIP_ARC_CSM_H

#include "chip/arc/arc.h"

enum { TELEMETRY = 0x1000, QUEUE_INFO = 0x2000, QUEUES_AT = 0x2010, EEPROM_BUFFER = 0x4000, EEPROM_BUFFER_LOG2 = 12 };

uint32_t arc_load(const struct arc *arc, uint32_t offset);
void arc_store(struct arc *arc, uint32_t offset, uint32_t value);

enum telemetry_tag {
#define TELEMETRY_TAG(entry, tag, name) name = (tag),
#include "arc_firmware.def"
#undef TELEMETRY_TAG
};

enum { AICLK_IDLE = 800, AICLK_BUSY = 1350, VCORE_BOOT = 750, TDP_LIMIT_OF_BOARD = 150 }; /* MHz, mV, W */

/* The values of an idle board. */
void arc_telemetry_boot(struct arc *arc, const struct board *board);

/* The clock that is asked for, under what the host has set as its limits, and who arbitrated it. */
void arc_telemetry_clock(struct arc *arc);

/* Where in CSM a value is. */
uint32_t arc_telemetry_place(const struct arc *arc, unsigned tag);

/* Values of tags that the firmware does not have are nowhere. */
void arc_set_telemetry(struct arc *arc, enum telemetry_tag tag, uint32_t value);
uint32_t arc_telemetry(const struct arc *arc, enum telemetry_tag tag);

/* The word that describes the queues to the host. */
uint32_t arc_queue_sizes(void);

enum { MESSAGE_WORDS = 8 };

/* Answers one request of a queue, whose last serial number is *serial. STEP_STOP: what it asks for is not emulated. */
enum step arc_answer(struct arc *arc, uint32_t *serial, const uint32_t request[MESSAGE_WORDS],
                     uint32_t response[MESSAGE_WORDS]);

#endif
