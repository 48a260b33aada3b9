/* The pack unit. */
#ifndef BHEMU_TENSIX_UNITS_PACK_H
#define BHEMU_TENSIX_UNITS_PACK_H

#include <stdint.h>

struct pack_unit {
    uint32_t reserved;
};

#endif
