/* Tensors between a host's arrays and the forms that kernels read and write in L1.

   A host array is a row-major matrix, rows x columns, of elements of a host type. In L1 it is either the same row-major
   matrix of elements in a device format, or a row-major matrix of tiles: 32x32 elements cut into four faces of 16x16,
   faces and the elements within them row-major. Rows and columns must then be multiples of 32. Block formats are there
   as tiles only: 64 shared exponents, one for each row of a face, then the elements, of which the first ones are in the
   low bits of a byte. */
#ifndef BHEMU_TENSOR_H
#define BHEMU_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "bhemu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bh_format {
    BH_FP32,
    BH_BF16,
    BH_FP16,
    BH_INT32,
    BH_UINT16,
    BH_INT8,
    BH_UINT8,
    BH_UINT32,
    BH_INT16,
    BH_TF32, /* in 32 bits as FP32, the lower 13 bits zero */
    BH_FP8,  /* e5m2 */
    BH_E4M3, /* without infinities and NaN: the largest exponent is one like any other */
    BH_BFP8, /* block formats with exponents of eight bits; bits of an element with its sign */
    BH_BFP4,
    BH_BFP2,
    BH_BFP8A, /* the same with exponents of five bits */
    BH_BFP4A,
    BH_BFP2A,
    BH_FORMAT_COUNT
};
enum bh_layout { BH_ROWS, BH_TILES };

enum bh_host_type {
    BH_HOST_FLOAT32,
    BH_HOST_FLOAT64,
    BH_HOST_FLOAT16,
    BH_HOST_BFLOAT16, /* 16 bits, as ml_dtypes keeps them */
    BH_HOST_INT8,
    BH_HOST_UINT8,
    BH_HOST_INT16,
    BH_HOST_UINT16,
    BH_HOST_INT32,
    BH_HOST_UINT32,
    BH_HOST_TYPE_COUNT
};

struct bh_array {
    enum bh_host_type type;
    size_t rows, columns;
    void *data; /* rows * columns elements */
};

/* Bytes of one element; 0 of block formats. */
BH_API size_t bh_format_size(enum bh_format format);

/* Bytes of a matrix in L1. 0: it has no elements, can not be in this layout, or is too large. */
BH_API size_t bh_tensor_size(enum bh_format format, enum bh_layout layout, size_t rows, size_t columns);
BH_API size_t bh_host_type_size(enum bh_host_type type);

/* "bf16" and so on; BH_FORMAT_COUNT when there is none of that name. */
BH_API enum bh_format bh_format_by_name(const char *name);
BH_API const char *bh_format_name(enum bh_format format);

/* "float32", "bfloat16" and so on. */
BH_API const char *bh_host_type_name(enum bh_host_type type);

/* Converts an array to what lies in L1, bh_tensor_size() bytes. Floating-point values are rounded to nearest, ties to
   even; NaN stays NaN. What BH_E4M3 can not hold becomes its largest magnitude, NaN too. In block formats data share
   the exponent of the largest one, and are rounded to at most the largest magnitude, which infinities and NaN get, too,
   with the largest exponent. An array of integers as wide as a floating-point format, or of a float type of the same
   name, is taken as its bits. BH_ERROR_ARGUMENT when the types do not go together, when rows or columns are not
   multiples of 32 for BH_TILES, when a block format is not to be in tiles, or when the array or what it becomes is too
   large. */
BH_API enum bh_status bh_tensor_to_device(const struct bh_array *array, enum bh_format format, enum bh_layout layout,
                                          void *bytes);

/* The reverse: from L1 to an array whose type, rows, columns and data the caller has set. */
BH_API enum bh_status bh_tensor_from_device(const void *bytes, enum bh_format format, enum bh_layout layout,
                                            struct bh_array *array);

#ifdef __cplusplus
}
#endif
#endif
