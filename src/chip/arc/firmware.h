/* What the firmware of the ARC processor does for the host: it leaves telemetry in CSM, and answers messages.

   A message queue is a header of eight words, then requests, then responses of eight words each. Words of the header: 0
   request write pointer and 1 response read pointer, which the host writes; 4 request read pointer, 5 response write
   pointer and 6 last serial number, which firmware writes. Pointers wrap at twice the number of entries. The first word
   of a request is its code, that of a response a status in its low byte: 0xff for a code that firmware does not know.
   Sources: tt-zephyr-platforms bh_arc (msgqueue.c, telemetry.c, smc_msg.h). */
#ifndef BHEMU_CHIP_ARC_FIRMWARE_H
#define BHEMU_CHIP_ARC_FIRMWARE_H

#include "chip/arc/arc.h"

/* Boots: fills telemetry and message queues in CSM, and the scratch registers that point to them. */
void arc_firmware_boot(struct arc *arc, const struct board *board);

/* Links of the Ethernet channels whose bits are set are up. */
void arc_links_changed(struct arc *arc, const struct board *board, uint32_t up);

/* To be called after each read of [offset, offset + size) of CSM. The firmware of silicon advances the heartbeat every
   100 ms; here each read of the heartbeat advances it, so that hosts that wait for a change do not wait long. */
void arc_firmware_looked_at(struct arc *arc, uint32_t offset, uint32_t size);

/* The doorbell: answers the requests of every queue, as long as there is room for responses. STEP_STOP: a request is
   not emulated; those before it are answered. */
enum step arc_firmware_serve(struct arc *arc);

#endif
