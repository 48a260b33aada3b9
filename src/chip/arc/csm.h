/* Data that the firmware of the ARC processor keeps in CSM, as far as it is emulated: telemetry
   (chip/arc/telemetry.c), message queues (chip/arc/queues.c), and the buffer through which the host reads and writes
   the flash (chip/arc/messages.c). Real firmware places them differently from version to version; hosts find them
   through the scratch RAM. */
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

/* Fills telemetry with the values of an idle board. */
void arc_telemetry_boot(struct arc *arc, const struct board *board);

/* Computes the clock from the requested one and the host's limits, and records the arbiter that decided. */
void arc_telemetry_clock(struct arc *arc);

/* The offset in CSM of a tag's value. */
uint32_t arc_telemetry_place(const struct arc *arc, unsigned tag);

/* Sets the value of a tag; ignored for tags that this firmware version does not have. */
void arc_set_telemetry(struct arc *arc, enum telemetry_tag tag, uint32_t value);
uint32_t arc_telemetry(const struct arc *arc, enum telemetry_tag tag);

/* The word that describes the queues to the host. */
uint32_t arc_queue_sizes(void);

enum { MESSAGE_WORDS = 8 };

/* Answers one request of a queue, whose last serial number is *serial. STEP_STOP: the request is not emulated. */
enum step arc_answer(struct arc *arc, uint32_t *serial, const uint32_t request[MESSAGE_WORDS],
                     uint32_t response[MESSAGE_WORDS]);

#endif
