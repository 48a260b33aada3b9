/* When the Vector Unit (SFPU) accepts instructions, in timed mode (units/timing.h): one in a cycle, of whichever
   thread. What reads a product, as far as hardware sees it, waits until it is there; after SFPSWAP, and where SFPSHFT2
   moves lanes, only SFPNOP is accepted in the next cycle; what accesses Dst takes turns with the Matrix Unit.
   What SFPLOADMACRO has scheduled executes when its cycle comes (units/vector/loadmacro/cycles.c): before anything else
   happens at a later time, vector_let_time_pass() executes what is due by then. Nothing waits for it but STALLWAIT.
   An instruction that reads a product in the cycle after it, and that hardware does not make wait, reads what was there
   before the product.
   Sources: ISA documentation VectorUnit.md, SFPMAD.md, SFPSWAP.md, SFPSHFT2.md, SFPLOAD.md. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_TIMING_H
#define BHEMU_TENSIX_UNITS_VECTOR_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/thread.h"

struct tensix;
struct timing_word;

/* Plain data, all zero at first. Times are absolute. */
struct vector_timing {
    uint64_t accepts;        /* when the unit accepts its next instruction, */
    uint64_t accepts_others; /* any but SFPNOP */
    uint64_t product_there;  /* when the last product can be read */
    uint32_t product;        /* the LRegs that it is taken to go to, one bit for each */
    uint32_t replaced;       /* the LReg that it goes to, one bit; 0: unknown, or it is handled as a late result */
    uint32_t before[32];     /* what that held */
    uint64_t cycle;          /* the first one that SFPLOADMACRO's schedule has not had yet */
};

/* timing_holds() and timing_passed() for instructions of the unit. */
bool vector_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void vector_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);

/* Adds the facts that only instructions of the unit have. */
void vector_look_up(struct timing_word *facts);

#endif
