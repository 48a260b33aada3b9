/* TLB windows of the PCIe tile: 202 of 2 MiB in BAR0, then 8 of 4 GiB in BAR4. Each shows the host a piece of the
   address space of one tile, or, for writes, of a rectangle of tiles. A window is set up by three words:
   2 MiB: address bits 63:21 in bits 42:0; x 48:43, y 54:49 (multicast: the last corner); first corner x 60:55, y 66:61;
   NoC 68:67; multicast 69; ordering 71:70; linked 72; static VC 75:73
   4 GiB: address bits 63:32 in bits 31:0; x 37:32, y 43:38; first corner x 49:44, y 55:50; NoC 57:56; multicast 58;
   ordering 60:59; linked 61; static VC 64:62
   Orderings: 0 relaxed, 1 strict, 2 posted, 3 posted and strict, for a single tile only.
   Sources: tt-umd blackhole_implementation.hpp, tt_kmd_lib.h (orderings); ttsim. */
#ifndef BHEMU_CHIP_TLB_H
#define BHEMU_CHIP_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"

enum {
    TLB_WINDOWS_2M = 202,
    TLB_WINDOWS_4G = 8,
    TLB_WINDOWS = TLB_WINDOWS_2M + TLB_WINDOWS_4G,
    TLB_WORDS = 3,
    TLB_PATTERNS = 32
};

/* Behind the words of all windows, the first 32 have one more each: a pattern of tiles other than a rectangle for their
   multicasts. The kernel driver clears it whenever it sets up a window (TLB_STRIDED_REGS of tt-kmd, blackhole.c). */
struct tlb {
    uint32_t words[TLB_WINDOWS][TLB_WORDS];
    uint32_t patterns[TLB_PATTERNS];
};

/* Where an access goes: coordinates as the host gave them. */
struct tlb_target {
    unsigned x, y;             /* or the last corner of the rectangle */
    unsigned first_x, first_y; /* multicast: the first corner */
    unsigned noc;
    bool multicast;
    bool posted; /* writes are not acknowledged */
    uint64_t address;
};

/* What `size` bytes at `offset` of a window are. STEP_STOP: the window is set up wrongly, or does not have them all. */
enum step tlb_look_up(const struct tlb *tlb, unsigned window, uint64_t offset, uint32_t size, struct tlb_target *target,
                      struct diagnostics *diagnostics);

#endif
