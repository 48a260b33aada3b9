/* The form of pack_rows.bin: four rows of Dst, packed by one PACR with Last set.

   The file: a text of PACK_VECTORS_TEXT bytes, padded with zeros, that says where it comes from; then the vectors, all
   numbers little endian. Dst rows are 0 to 3; of 32-bit data the high halves are there and the low halves in 8 to 11.
   What is not in a vector is zero, but for: Disable_zero_compress set, Exp_section_size 1, all edge masks but the first
   0, the packer's ADC at X 0 to 15, L1_Dest_addr PACK_VECTORS_DESTINATION / 16 - 1. */
#ifndef BHEMU_TESTS_VECTORS_PACK_ROWS_H
#define BHEMU_TESTS_VECTORS_PACK_ROWS_H

#include <stdint.h>

enum { PACK_VECTORS_TEXT = 512, PACK_VECTORS_DESTINATION = 0x8000, PACK_VECTORS_BYTES = 16 + 4 * 16 * 4 };

struct pack_vector {
    uint32_t formats;                   /* configuration word 1: IntermediateFormat */
    uint32_t relu;                      /* 2 */
    uint32_t dest_rd_ctrl;              /* 18 */
    uint32_t edge;                      /* 24: the edge mask of all rows */
    uint32_t packer[2];                 /* 70, 71: formats, L1 accumulation, FP8 with four bits of exponent */
    uint16_t cells[2][4][16];           /* rows 0 to 3 and 8 to 11, as the bits of BF16 in the usual order */
    uint8_t held[PACK_VECTORS_BYTES];   /* L1 at the destination before */
    uint8_t packed[PACK_VECTORS_BYTES]; /* and after */
};

#endif
