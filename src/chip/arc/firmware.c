#include "chip/arc/firmware.h"

#include <string.h>

#include "chip/arc/csm.h"

#define POST_CODE_INIT_DONE 0xc0de0020u /* scratch register 0 after initialization */

enum { MESSAGE_QUEUE_READY = 1, HW_INIT_DONE = 2 << 1 }; /* bits of the boot status word */

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

void arc_firmware_boot(struct arc *arc, const struct board *board)
{
    arc_telemetry_boot(arc, board);
    arc_store(arc, QUEUE_INFO, ARC_CSM_BASE + QUEUES_AT);
    arc_store(arc, QUEUE_INFO + 4, arc_queue_sizes());
    arc->scratch[0] = POST_CODE_INIT_DONE;
    arc->scratch_ram[ARC_BOOT_STATUS] = MESSAGE_QUEUE_READY | HW_INIT_DONE;
    arc->scratch_ram[ARC_EEPROM_BUFFER] = EEPROM_BUFFER_LOG2 << 24 | ((ARC_CSM_BASE + EEPROM_BUFFER) & 0xffffff);
    arc->scratch_ram[ARC_MESSAGE_QUEUES] = ARC_CSM_BASE + QUEUE_INFO;
    arc->scratch_ram[ARC_TELEMETRY_VALUES] = ARC_CSM_BASE + arc_telemetry_place(arc, 0);
    arc->scratch_ram[ARC_TELEMETRY_TABLE] = ARC_CSM_BASE + TELEMETRY;
}
