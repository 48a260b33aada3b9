/* Explains why an instruction of the sync, scalar or configuration unit waits: the condition, its present value, and
   who can change it. For reports of deadlocks. */
#ifndef BHEMU_TENSIX_UNITS_EXPLAIN_WAIT_H
#define BHEMU_TENSIX_UNITS_EXPLAIN_WAIT_H

#include <stdint.h>

struct tensix;

/* Writes one clause about `word` of `thread`, for which its unit returned STEP_WAIT, like snprintf. Returns its
   length; 0 if the instruction is not of these units. */
int explain_wait(const struct tensix *tensix, unsigned thread, uint32_t word, char *buffer, unsigned size);

#endif
