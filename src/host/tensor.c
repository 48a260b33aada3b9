#include "bhemu/tensor.h"

#include <stdbool.h>
#include <string.h>

#include "host/block_float.h"
#include "util/bits.h"

enum { TILE_EDGE = 32, FACE_EDGE = 16, FACE = FACE_EDGE * FACE_EDGE, TILE = TILE_EDGE * TILE_EDGE };

/* Floating-point types by the widths of their fields; integers have no exponent. */
struct number {
    const char *name;
    uint8_t size, exponent, mantissa;
    uint8_t below;            /* zero bits below the mantissa */
    bool finite;              /* there are no infinities and NaN */
    struct block_float block; /* of block formats; they have no size */
};

#define NUMBER(name_, size_, exponent_, mantissa_, ...)                                                                \
    {                                                                                                                  \
        .name = (name_), .size = (size_), .exponent = (exponent_), .mantissa = (mantissa_), __VA_ARGS__                \
    }

static const struct number formats[BH_FORMAT_COUNT] = {
    [BH_FP32] = NUMBER("fp32", 4, 8, 23),
    [BH_BF16] = NUMBER("bf16", 2, 8, 7),
    [BH_FP16] = NUMBER("fp16", 2, 5, 10),
    [BH_INT32] = NUMBER("int32", 4, 0, 0),
    [BH_UINT16] = NUMBER("uint16", 2, 0, 0),
    [BH_INT8] = NUMBER("int8", 1, 0, 0),
    [BH_UINT8] = NUMBER("uint8", 1, 0, 0),
    [BH_UINT32] = NUMBER("uint32", 4, 0, 0),
    [BH_INT16] = NUMBER("int16", 2, 0, 0),
    [BH_TF32] = NUMBER("tf32", 4, 8, 10, .below = 13),
    [BH_FP8] = NUMBER("fp8", 1, 5, 2),
    [BH_E4M3] = NUMBER("e4m3", 1, 4, 3, .finite = true),
    [BH_BFP8] = {.name = "bfp8", .block = {8, false}},
    [BH_BFP4] = {.name = "bfp4", .block = {4, false}},
    [BH_BFP2] = {.name = "bfp2", .block = {2, false}},
    [BH_BFP8A] = {.name = "bfp8a", .block = {8, true}},
    [BH_BFP4A] = {.name = "bfp4a", .block = {4, true}},
    [BH_BFP2A] = {.name = "bfp2a", .block = {2, true}},
};

static const struct number host_types[BH_HOST_TYPE_COUNT] = {
    [BH_HOST_FLOAT32] = NUMBER("float32", 4, 8, 23), [BH_HOST_FLOAT64] = NUMBER("float64", 8, 11, 52),
    [BH_HOST_FLOAT16] = NUMBER("float16", 2, 5, 10), [BH_HOST_BFLOAT16] = NUMBER("bfloat16", 2, 8, 7),
    [BH_HOST_INT8] = NUMBER("int8", 1, 0, 0),        [BH_HOST_UINT8] = NUMBER("uint8", 1, 0, 0),
    [BH_HOST_INT16] = NUMBER("int16", 2, 0, 0),      [BH_HOST_UINT16] = NUMBER("uint16", 2, 0, 0),
    [BH_HOST_INT32] = NUMBER("int32", 4, 0, 0),      [BH_HOST_UINT32] = NUMBER("uint32", 4, 0, 0),
};

size_t bh_format_size(enum bh_format format)
{
    return (unsigned)format < BH_FORMAT_COUNT ? formats[format].size : 0;
}

/* Bytes of a tile of a block format, and of the exponents in front of it. */
static size_t block_tile_size(const struct block_float *block)
{
    return TILE / BLOCK_FLOAT_GROUP + TILE * block->bits / 8;
}

size_t bh_tensor_size(enum bh_format format, enum bh_layout layout, size_t rows, size_t columns)
{
    size_t elements, size;
    if ((unsigned)format >= BH_FORMAT_COUNT || (unsigned)layout > BH_TILES ||
        __builtin_mul_overflow(rows, columns, &elements) ||
        (layout == BH_TILES && (rows % TILE_EDGE || columns % TILE_EDGE)) ||
        __builtin_mul_overflow(elements, formats[format].size, &size)) {
        return 0;
    }
    bool block = formats[format].block.bits;
    return !block ? size : layout == BH_TILES ? elements / TILE * block_tile_size(&formats[format].block) : 0;
}

size_t bh_host_type_size(enum bh_host_type type)
{
    return (unsigned)type < BH_HOST_TYPE_COUNT ? host_types[type].size : 0;
}

enum bh_format bh_format_by_name(const char *name)
{
    unsigned i = 0;
    while (i < BH_FORMAT_COUNT && (!name || strcmp(name, formats[i].name) != 0)) {
        i++;
    }
    return (enum bh_format)i;
}

const char *bh_format_name(enum bh_format format)
{
    return (unsigned)format < BH_FORMAT_COUNT ? formats[format].name : "unknown format";
}

const char *bh_host_type_name(enum bh_host_type type)
{
    return (unsigned)type < BH_HOST_TYPE_COUNT ? host_types[type].name : "unknown type";
}

/* A floating-point value between any two types, on its bits alone: rounded to nearest, ties to even. Infinities stay,
   NaN becomes a quiet NaN with what of its payload fits. */
static uint64_t convert_fields(uint64_t bits, const struct number *from, const struct number *to)
{
    uint64_t sign = bits >> (from->exponent + from->mantissa) & 1;
    int special = (1 << from->exponent) - 1;
    int exponent = (int)(bits >> from->mantissa) & special;
    uint64_t mantissa = bits & ((UINT64_C(1) << from->mantissa) - 1);
    uint64_t to_infinity = to->finite ? (UINT64_C(1) << (to->exponent + to->mantissa)) - 1
                                      : ((UINT64_C(1) << to->exponent) - 1) << to->mantissa;
    uint64_t to_sign = sign << (to->exponent + to->mantissa);
    if (exponent == special && !from->finite) {
        if (to->finite) {
            return to_sign | to_infinity;
        }
        if (mantissa == 0) {
            return to_sign | to_infinity;
        }
        uint64_t payload = to->mantissa >= from->mantissa ? mantissa << (to->mantissa - from->mantissa)
                                                          : mantissa >> (from->mantissa - to->mantissa);
        return to_sign | to_infinity | UINT64_C(1) << (to->mantissa - 1) | payload;
    }
    if (exponent == 0 && mantissa == 0) {
        return to_sign;
    }
    /* Normalise to a significand with its leading one in bit 62, value = significand * 2^(unbiased - 62). */
    int unbiased = exponent - ((1 << (from->exponent - 1)) - 1);
    uint64_t significand = mantissa | (exponent ? UINT64_C(1) << from->mantissa : 0);
    unbiased += exponent == 0;
    int up = __builtin_clzll(significand) - 1;
    significand <<= up;
    unbiased += 62 - from->mantissa - up;
    int to_exponent = unbiased + ((1 << (to->exponent - 1)) - 1);
    int drop = 62 - to->mantissa; /* bits of the significand that do not fit */
    if (to_exponent <= 0) {       /* denormal: fewer fit */
        drop += 1 - to_exponent;
        to_exponent = 0;
    }
    if (drop > 63) {
        return to_sign; /* less than half of the smallest denormal */
    }
    uint64_t kept = significand >> drop, rest = significand & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << (drop - 1);
    kept += rest > half || (rest == half && kept & 1);
    /* The leading one of a normal number adds to the exponent, and so does what rounding carries out. */
    uint64_t result = to_exponent ? ((uint64_t)(to_exponent - 1) << to->mantissa) + kept : kept;
    return to_sign | (result >= to_infinity ? to_infinity : result);
}

static uint64_t convert_float(uint64_t bits, const struct number *from, const struct number *to)
{
    return convert_fields(bits >> from->below, from, to) << to->below;
}

static uint64_t read_element(const uint8_t *place, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, place, size);
    return value;
}

/* Whether elements go over as their bits. */
static bool same_bits(const struct number *a, const struct number *b)
{
    bool integer = a->exponent == 0 || b->exponent == 0;
    return a->size == b->size && (integer || (a->exponent == b->exponent && a->mantissa == b->mantissa));
}

static bool convertible(const struct number *host, const struct number *format)
{
    return same_bits(host, format) || (host->exponent && (format->exponent || format->block.bits));
}

/* Where element (row, column) of a matrix with `columns` columns lies in L1, counted in elements. */
static size_t place_of(size_t row, size_t column, size_t columns, enum bh_layout layout)
{
    if (layout == BH_ROWS) {
        return row * columns + column;
    }
    size_t tile = row / TILE_EDGE * (columns / TILE_EDGE) + column / TILE_EDGE;
    size_t face = row / FACE_EDGE % 2 * 2 + column / FACE_EDGE % 2;
    return tile * TILE + face * FACE + row % FACE_EDGE * FACE_EDGE + column % FACE_EDGE;
}

/* Those that have elements: an array without columns may say that it has any number of rows. */
static size_t rows_of(const struct bh_array *array)
{
    return array->columns ? array->rows : 0;
}

/* Whether the bytes can not be counted, with elements of the largest type. */
static bool is_too_large(const struct bh_array *array)
{
    return array->columns && array->rows > SIZE_MAX / sizeof(double) / array->columns;
}

static enum bh_status check(const struct bh_array *array, enum bh_format format, enum bh_layout layout)
{
    if (!array || !array->data || (unsigned)layout > BH_TILES || (unsigned)format >= BH_FORMAT_COUNT ||
        (unsigned)array->type >= BH_HOST_TYPE_COUNT || !convertible(&host_types[array->type], &formats[format])) {
        return BH_ERROR_ARGUMENT;
    }
    if (layout == BH_TILES ? array->rows % TILE_EDGE || array->columns % TILE_EDGE : formats[format].block.bits) {
        return BH_ERROR_ARGUMENT;
    }
    return is_too_large(array) ? BH_ERROR_ARGUMENT : BH_OK;
}

/* Calls a function for each group of a block format: with its elements in the array, and its exponent and its elements
   in L1, of which the first is in the low bits of a byte. */
typedef void for_group(const struct block_float *block, const struct number *type, uint8_t *elements, uint8_t *exponent,
                       uint8_t *data);

static void for_each_group(const struct bh_array *array, const struct block_float *block, uint8_t *bytes,
                           for_group *visit)
{
    const struct number *type = &host_types[array->type];
    for (size_t row = 0; row < rows_of(array); row++) {
        for (size_t column = 0; column < array->columns; column += BLOCK_FLOAT_GROUP) {
            size_t place = place_of(row, column, array->columns, BH_TILES), group = place % TILE / BLOCK_FLOAT_GROUP;
            uint8_t *tile = bytes + place / TILE * block_tile_size(block);
            visit(block, type, (uint8_t *)array->data + (row * array->columns + column) * type->size, tile + group,
                  tile + TILE / BLOCK_FLOAT_GROUP + group * BLOCK_FLOAT_GROUP * block->bits / 8);
        }
    }
}

static void encode_group(const struct block_float *block, const struct number *type, uint8_t *elements,
                         uint8_t *exponent, uint8_t *data)
{
    double values[BLOCK_FLOAT_GROUP];
    uint8_t encoded[BLOCK_FLOAT_GROUP];
    for (unsigned i = 0; i < BLOCK_FLOAT_GROUP; i++) {
        uint64_t bits =
            convert_float(read_element(elements + i * type->size, type->size), type, &host_types[BH_HOST_FLOAT64]);
        memcpy(&values[i], &bits, sizeof bits);
    }
    block_float_encode(block, values, exponent, encoded);
    memset(data, 0, BLOCK_FLOAT_GROUP * block->bits / 8);
    for (unsigned i = 0; i < BLOCK_FLOAT_GROUP; i++) {
        data[i * block->bits / 8] |= (uint8_t)(encoded[i] << i * block->bits % 8);
    }
}

static void decode_group(const struct block_float *block, const struct number *type, uint8_t *elements,
                         uint8_t *exponent, uint8_t *data)
{
    double values[BLOCK_FLOAT_GROUP];
    uint8_t encoded[BLOCK_FLOAT_GROUP];
    for (unsigned i = 0; i < BLOCK_FLOAT_GROUP; i++) {
        encoded[i] = (uint8_t)(data[i * block->bits / 8] >> i * block->bits % 8 & ((1u << block->bits) - 1));
    }
    block_float_decode(block, *exponent, encoded, values);
    for (unsigned i = 0; i < BLOCK_FLOAT_GROUP; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits = convert_float(bits, &host_types[BH_HOST_FLOAT64], type);
        memcpy(elements + i * type->size, &bits, type->size);
    }
}

enum bh_status bh_tensor_to_device(const struct bh_array *array, enum bh_format format, enum bh_layout layout,
                                   void *bytes)
{
    enum bh_status status = bytes ? check(array, format, layout) : BH_ERROR_ARGUMENT;
    if (status != BH_OK) {
        return status;
    }
    const struct number *from = &host_types[array->type], *to = &formats[format];
    if (to->block.bits) {
        for_each_group(array, &to->block, bytes, encode_group);
        return BH_OK;
    }
    bool copy = same_bits(from, to);
    for (size_t row = 0; row < rows_of(array); row++) {
        for (size_t column = 0; column < array->columns; column++) {
            const uint8_t *element = (const uint8_t *)array->data + (row * array->columns + column) * from->size;
            uint64_t value = read_element(element, from->size);
            value = copy ? value : convert_float(value, from, to);
            memcpy((uint8_t *)bytes + place_of(row, column, array->columns, layout) * to->size, &value, to->size);
        }
    }
    return BH_OK;
}

enum bh_status bh_tensor_from_device(const void *bytes, enum bh_format format, enum bh_layout layout,
                                     struct bh_array *array)
{
    enum bh_status status = bytes ? check(array, format, layout) : BH_ERROR_ARGUMENT;
    if (status != BH_OK) {
        return status;
    }
    const struct number *from = &formats[format], *to = &host_types[array->type];
    if (from->block.bits) {
        for_each_group(array, &from->block, (uint8_t *)(uintptr_t)bytes, decode_group);
        return BH_OK;
    }
    bool copy = same_bits(from, to);
    for (size_t row = 0; row < rows_of(array); row++) {
        for (size_t column = 0; column < array->columns; column++) {
            const uint8_t *element =
                (const uint8_t *)bytes + place_of(row, column, array->columns, layout) * from->size;
            uint64_t value = read_element(element, from->size);
            value = copy ? value : convert_float(value, from, to);
            memcpy((uint8_t *)array->data + (row * array->columns + column) * to->size, &value, to->size);
        }
    }
    return BH_OK;
}
