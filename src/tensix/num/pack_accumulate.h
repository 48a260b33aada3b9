/* L1 accumulation: the packer's additions to data in L1. There is an adder for each format; all treat denormals as
   zero, in operands and in results. Their peculiarities are those of silicon, as ttsim records them:

     FP32  rounds to nearest even; every NaN becomes 0x7fc00000
     BF16  rounds to nearest even; a NaN in L1 is larger than all finite numbers; a NaN that is added is the number
           that its bits would be if exponent 255 were an ordinary one; infinity minus infinity is 0x7fc0
     FP16  exponent 31 is an ordinary one; overflow saturates, and so do results that are too small by more than a
           factor of two, and the exact cancellation of two numbers of exponent 30 or 31
     INT32 sign and magnitude, with saturation (ISA documentation, L1.md); zero has no sign */
#ifndef BHEMU_TENSIX_NUM_PACK_ACCUMULATE_H
#define BHEMU_TENSIX_NUM_PACK_ACCUMULATE_H

#include <stdint.h>

uint32_t pack_accumulate_fp32(uint32_t held, uint32_t added);
uint16_t pack_accumulate_bf16(uint16_t held, uint16_t added);
uint16_t pack_accumulate_fp16(uint16_t held, uint16_t added);
uint32_t pack_accumulate_int32(uint32_t held, uint32_t added);

/* Adds `count` data to those in L1, both in the layout of L1, at any address. */
void pack_accumulate_fp32_data(void *held, const void *data, unsigned count);
void pack_accumulate_bf16_data(void *held, const void *data, unsigned count);
void pack_accumulate_fp16_data(void *held, const void *data, unsigned count);
void pack_accumulate_int32_data(void *held, const void *data, unsigned count);

#endif
