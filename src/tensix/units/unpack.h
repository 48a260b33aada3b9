/* The unpack unit. */
#ifndef BHEMU_TENSIX_UNITS_UNPACK_H
#define BHEMU_TENSIX_UNITS_UNPACK_H

#include <stdint.h>

struct unpack_unit {
    uint32_t reserved;
};

#endif
