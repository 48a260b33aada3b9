/* Helpers of the tests of the RX classifier. For ethernet_*_test.c only. */
#ifndef BHEMU_CHIP_ETHERNET_CLASSIFIER_FIXTURE_H
#define BHEMU_CHIP_ETHERNET_CLASSIFIER_FIXTURE_H

#include <stdint.h>

#include "chip/ethernet/classifier.h"

#define GO (1u << 31) /* start bit of the registers that execute a command on a pattern */

/* A big-endian number. */
static inline uint32_t big(const uint8_t *bytes, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

#endif
