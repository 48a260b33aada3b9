/* The host's vector instructions that the measured libraries may use. Lower levels can be measured on a host with
   higher ones: GLIBC_TUNABLES makes the C library hide features of the processor. */
#ifndef BHEMU_BENCH_LEVEL_H
#define BHEMU_BENCH_LEVEL_H

#include "measure.h"

/* The level of this process and those that it starts: AVX-512, AVX2, baseline or NEON. */
const char *level_name(void);

/* The goal of a row at this level. 0: none. */
double level_goal(const struct measure *measure);

/* Restarts the program with the same arguments at a level no higher than `option`: avx512, avx2 or baseline. Returns
   true if this is so already, false after an error, with the reason on stderr. */
bool level_choose(const char *option, char **argv);

#endif
