/* Arithmetic of single instructions that takes more than one expression. */
#ifndef BHEMU_RV32_OPERATIONS_H
#define BHEMU_RV32_OPERATIONS_H

#include <stdint.h>

/* orc.b: each byte all ones unless it is zero. */
static inline uint32_t or_combine_bytes(uint32_t value)
{
    uint32_t nonzero = ((value & 0x7f7f7f7f) + 0x7f7f7f7f) | value; /* bit 7 of each byte */
    return (nonzero >> 7 & 0x01010101) * 0xff;
}

/* grevi: bit i of the result is bit i ^ index of the value. Each bit of index exchanges neighbouring groups of bits. */
static inline uint32_t bits_exchanged(uint32_t value, uint32_t index)
{
    static const uint32_t upper[] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};
    for (unsigned i = 0; i < 5; i++) {
        if (index >> i & 1) {
            value = (value & upper[i]) >> (1u << i) | (value & ~upper[i]) << (1u << i);
        }
    }
    return value;
}

#endif
