/* Why an instruction of the sync, scalar or configuration unit does not get on: the condition, its present value, and
   who could change it. For reports of deadlocks. */
#ifndef BHEMU_TENSIX_UNITS_EXPLAIN_WAIT_H
#define BHEMU_TENSIX_UNITS_EXPLAIN_WAIT_H

#include <stdint.h>

struct tensix;

/* Writes one clause on `word` of `thread`, which its unit answered with STEP_WAIT, as snprintf does. Returns its
   length; 0 where these units have nothing to say of it. */
int explain_wait(const struct tensix *tensix, unsigned thread, uint32_t word, char *buffer, unsigned size);

#endif
