/* The mover unit. */
#ifndef BHEMU_TENSIX_UNITS_MOVER_H
#define BHEMU_TENSIX_UNITS_MOVER_H

#include <stdint.h>

struct mover {
    uint32_t reserved;
};

#endif
