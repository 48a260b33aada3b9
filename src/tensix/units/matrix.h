/* The matrix unit. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_H
#define BHEMU_TENSIX_UNITS_MATRIX_H

#include <stdint.h>

struct matrix_unit {
    uint32_t reserved;
};

#endif
