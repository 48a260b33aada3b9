/* Which of the host's vector instructions the libraries use that are measured. Any can be had of a host that has more:
   the C library tells programs less than the processor has if GLIBC_TUNABLES says so. */
#ifndef BHEMU_BENCH_LEVEL_H
#define BHEMU_BENCH_LEVEL_H

#include "measure.h"

/* AVX-512, AVX2, baseline or NEON: what this process, and those that it starts, may use. */
const char *level_name(void);

/* What a row aims at with them. 0: nothing. */
double level_goal(const struct measure *measure);

/* Starts the program anew, with the same arguments, so that it uses no more than `option`: avx512, avx2 or baseline.
   Returns if that is so already (true), or on errors (false): it says on stderr which. */
bool level_choose(const char *option, char **argv);

#endif
