/* The scalar unit (ThCon): 64 general purpose registers for each thread, their arithmetic, and small accesses to L1,
   MMIO and configuration. Sources: chapters "gpr and dma instructions", "additional scalar unit instructions". */
#ifndef BHEMU_TENSIX_UNITS_SCALAR_H
#define BHEMU_TENSIX_UNITS_SCALAR_H

#include <stdint.h>

enum { GPRS = 64 };

struct scalar_unit {
    uint32_t gpr[3][GPRS];
};

#endif
