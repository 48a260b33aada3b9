/* Loops that wait by the wall clock: they load it, compare it with a time, and go round again without doing anything
   else. Firmware waits so for thousands of cycles. Whole rounds of such a loop can be skipped as far as a look at one
   of them tells that the others are like it. */
#ifndef BHEMU_RV32_CLOCK_WAIT_H
#define BHEMU_RV32_CLOCK_WAIT_H

#include "rv32/rv32.h"

/* The core, whose state is up to date but for core->pc, is about to load bus.clock_register in functional mode, by the
   word load at `pc`, and may retire `left` instructions before its turn ends. Returns how many it need not execute: it
   would come back to this load after them, since until then all branches go as they do now. The integer registers are
   then those that it would come back with; the caller counts the instructions. 0: none. */
uint32_t rv32_wait_by_clock(struct rv32 *rv32, uint32_t pc, uint32_t left);

#endif
