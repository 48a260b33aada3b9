/* The mover: copies from L1, or writes zeros, in units of 16 bytes, to L1 or to configuration. XMOV takes the transfer
   from configuration; the RISC-V cores describe theirs to TDMA-RISC (tile/tdma.c).

   Directions are named after "L0", which is no memory: as a source it stands for zeros, as a destination for the
   mover's view of registers. There 0 to 0xffff are the window of backend configuration that the cores see at
   0xffef0000: Config[0], Config[1], ConfigDualWrite. Wormhole has the instruction RAM of NC at 0x40000; Blackhole has
   none. What is written to there, as to any other address, is discarded.

   A transfer is done when the instruction or the command that starts it is. So in functional mode the mover is always
   ready to start, is never seen busy, and condition C9 of STALLWAIT never holds. How long it is busy in timed mode:
   mover/timing.h.

   Undefined, and left out where the policy goes on: L1 beyond its end, configuration beyond ConfigDualWrite, a
   destination that runs out of its 64 KiB of registers.
   Sources: ISA documentation Mover.md, XMOV.md, SoftReset.md; "XMOV instruction and TDMA mover" of the vendor's
   emulator specifications. */
#ifndef BHEMU_TENSIX_UNITS_MOVER_MOVER_H
#define BHEMU_TENSIX_UNITS_MOVER_MOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"

struct tensix;

struct mover {
    bool in_reset; /* held by soft reset: transfers are discarded */
};

enum mover_direction { XMOV_L0_TO_L1, XMOV_L1_TO_L0, XMOV_L0_TO_L0, XMOV_L1_TO_L1 };

/* One transfer. Addresses and size are bytes, multiples of 16. */
struct mover_transfer {
    uint32_t source, destination, size;
    enum mover_direction direction;
};

/* Decodes a transfer from its registers: addresses in units of 16 bytes, the size in 16 bits, the direction in 2. */
struct mover_transfer mover_transfer_of(uint32_t source, uint32_t destination, uint32_t size, uint32_t direction);

/* The transfer that configuration describes for an XMOV of `thread`. */
struct mover_transfer mover_transfer_of_thread(const struct tensix *tensix, unsigned thread);

/* The words of the configuration window that the transfer writes: from *first on; returns the end. */
uint32_t mover_config_words(const struct tensix *tensix, const struct mover_transfer *transfer, uint32_t *first);

/* Executes a transfer completely, or not at all if it gets a diagnostic. */
enum step mover_move(struct tensix *tensix, struct mover_transfer transfer);

#endif
