/* Functional mode: tiles that have started requests over the NoC lately have their turns one after the other, in the
   order of their numbers, and their requests are carried out at once, so that a turn has many transfers. A tile goes
   on, for SERIES_TURN cycles at a time, as long as it starts a request in each SERIES_STEP cycles; then it waits
   until somebody writes to it. When no tile goes on, all that are not at the end of the quantum run beside each
   other, on all host threads, for SERIES_BESIDE cycles or to the end of a step with a request, after which they are
   in series again; those with much work for their coprocessors for all of SERIES_BESIDE. While any tile is in series,
   all others run with them in the same way, in that they wait at first: what they start in a quantum is carried out in
   it, too. So each request happens at one moment, and which, depends on nothing but what programs and host do. */
#ifndef BHEMU_CHIP_SERIES_H
#define BHEMU_CHIP_SERIES_H

#include "chip/turns.h"

enum { SERIES_QUANTUM = 1000, SERIES_STEP = 100, SERIES_BESIDE = 200, SERIES_TURN = 500 };

/* Whether any tile has started requests lately. */
bool series_any(const struct bh_device *device);

/* At the end of a quantum: which tiles are in series in the next ones. */
void series_update(struct bh_device *device);

/* Runs the tiles in series to the end of a quantum of so many cycles. Adds to *result and *outcome. Returns their work.
 */
uint64_t series_run(struct bh_device *device, uint16_t cycles, struct bh_run_result *result, struct outcome *outcome);

#endif
