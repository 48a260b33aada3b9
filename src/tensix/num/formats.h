/* The data formats of L1, Src and Dst, with the numbers that the 4-bit fields of tile descriptors and configuration
   use. The a and b formats differ in their exponents: five bits as in FP16, or eight as in BF16. A separate
   configuration bit makes INT8 unsigned (UINT8) and INT16 UINT16, and selects e5m2 or e4m3 for FP8. Source: chapter
   "data types and conversions", section 6; ISA documentation UNPACR_Regular.md. */
#ifndef BHEMU_TENSIX_NUM_FORMATS_H
#define BHEMU_TENSIX_NUM_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

enum data_format {
    FORMAT_FP32 = 0,
    FORMAT_FP16 = 1,
    FORMAT_BFP8A = 2,
    FORMAT_BFP4A = 3,
    FORMAT_TF32 = 4,
    FORMAT_BF16 = 5,
    FORMAT_BFP8 = 6,
    FORMAT_BFP4 = 7,
    FORMAT_INT32 = 8,
    FORMAT_INT16 = 9,
    FORMAT_FP8 = 10,
    FORMAT_BFP2A = 11,
    FORMAT_INT8 = 14,
    FORMAT_BFP2 = 15,
    FORMATS = 16
};

/* The name that the documentation uses, such as "BF16"; "reserved" for the two numbers without a format. */
const char *format_name(enum data_format format);

/* Bits of one datum in L1, without the shared exponent; 0 for the two numbers without a format. */
static inline unsigned format_bits(enum data_format format)
{
    static const uint8_t bits[FORMATS] = {
        [FORMAT_FP32] = 32,  [FORMAT_TF32] = 32, [FORMAT_INT32] = 32, [FORMAT_FP16] = 16, [FORMAT_BF16] = 16,
        [FORMAT_INT16] = 16, [FORMAT_FP8] = 8,   [FORMAT_INT8] = 8,   [FORMAT_BFP8] = 8,  [FORMAT_BFP8A] = 8,
        [FORMAT_BFP4] = 4,   [FORMAT_BFP4A] = 4, [FORMAT_BFP2] = 2,   [FORMAT_BFP2A] = 2,
    };
    return bits[format];
}

/* Whether 16 datums share one exponent byte. */
static inline bool format_is_bfp(enum data_format format)
{
    const unsigned bfp = 1u << FORMAT_BFP8 | 1u << FORMAT_BFP8A | 1u << FORMAT_BFP4 | 1u << FORMAT_BFP4A |
                         1u << FORMAT_BFP2 | 1u << FORMAT_BFP2A;
    return bfp >> format & 1;
}

#endif
