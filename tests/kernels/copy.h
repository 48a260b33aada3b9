/* Arguments of the programs of "operation" for tests whose own program runs between them, on T1. */
#ifndef BHEMU_TESTS_KERNELS_COPY_H
#define BHEMU_TESTS_KERNELS_COPY_H

#include "../../kernels/operation/operation.h"

/* Copies FP32 tiles through SrcA, which holds TF32, to a Dst of 32 bits a datum, and packs FP32. */
static inline struct operation_arguments copy_of_fp32(uint32_t input, uint32_t output, uint32_t tiles)
{
    enum { FP32 = 0, TF32 = 4 };
    return (struct operation_arguments){.input_a = input,
                                        .input_b = input,
                                        .output = output,
                                        .tiles = tiles,
                                        .operation = OPERATION_COPY,
                                        .fidelity_phases = 1,
                                        .flags = OPERATION_DST_32,
                                        .a_format = FP32,
                                        .b_format = FP32,
                                        .a_register = TF32,
                                        .b_register = TF32,
                                        .dst_format = FP32,
                                        .output_format = FP32,
                                        .row_tiles = 1};
}

#endif
