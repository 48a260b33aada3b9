/* Operations of traces, executed one after the other by functions of C that are compiled for every level of the host's
   vector instructions: what there is no code of the host for, yet or on this host. */
#ifndef BHEMU_TENSIX_ENGINE_PORTABLE_H
#define BHEMU_TENSIX_ENGINE_PORTABLE_H

#include <stdint.h>

struct tensix;
struct vector_plan;

/* Executes up to `count` operations of a trace for `thread`, of any kinds. Returns how many. Fewer: there is more to
   the next one in the state at hand, nothing of it has happened, and its unit is to execute it. Nothing is scheduled by
   SFPLOADMACRO. */
uint32_t portable_run(struct tensix *tensix, unsigned thread, const struct vector_plan *plans, uint32_t count);

#endif
