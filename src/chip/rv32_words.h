/* RISC-V instructions, as small as tests of the chip need them. For *_test.c only. */
#ifndef BHEMU_CHIP_RV32_WORDS_H
#define BHEMU_CHIP_RV32_WORDS_H

#include <stdint.h>

enum { T0 = 5, T1 = 6, T2 = 7, S0 = 8, S1 = 9, SELF_JUMP = 0x6f };

static inline uint32_t lui(unsigned rd, uint32_t value)
{
    return (value & 0xfffff000) | rd << 7 | 0x37;
}

static inline uint32_t addi(unsigned rd, unsigned rs, int32_t value)
{
    return (uint32_t)value << 20 | rs << 15 | rd << 7 | 0x13;
}

static inline uint32_t sw(unsigned value, unsigned base, uint32_t offset)
{
    return (offset >> 5 & 0x7f) << 25 | value << 20 | base << 15 | 2 << 12 | (offset & 0x1f) << 7 | 0x23;
}

static inline uint32_t lw(unsigned rd, unsigned base, uint32_t offset)
{
    return (offset & 0xfff) << 20 | base << 15 | 2 << 12 | rd << 7 | 0x03;
}

/* To `distance` bytes from here. */
static inline uint32_t bne(unsigned one, unsigned other, int32_t distance)
{
    uint32_t d = (uint32_t)distance;
    return (d >> 12 & 1) << 31 | (d >> 5 & 0x3f) << 25 | other << 20 | one << 15 | 1 << 12 | (d >> 1 & 0xf) << 8 |
           (d >> 11 & 1) << 7 | 0x63;
}

#endif
