/* The vector unit. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_H
#define BHEMU_TENSIX_UNITS_VECTOR_H

#include <stdint.h>

struct vector_unit {
    uint32_t reserved;
};

#endif
