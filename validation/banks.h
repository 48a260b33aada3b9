/* The tiles that show the banks of DRAM to the NoCs: translated coordinates, three for each bank, the banks of either
   side below each other. */
#ifndef BHEMU_VALIDATION_BANKS_H
#define BHEMU_VALIDATION_BANKS_H

#include "validation/program.h"

static inline struct place bank_tile(unsigned bank, unsigned endpoint)
{
    return (struct place){bank < 4 ? 17 : 18, 12 + bank % 4 * 3 + endpoint};
}

/* Which of the three software uses on a NoC. */
static inline unsigned preferred_endpoint(unsigned noc)
{
    return noc ? 1 : 2;
}

#endif
