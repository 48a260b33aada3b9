#include "host/metal_print_data.h"

#include <math.h>
#include <stdio.h>

#include "host/metal_print_fmt.h"

enum {
#define METAL_TILE(name, value) TILE_##name = (value),
#include "tt_metal.def"
};

/* Of a slice. */
enum {
    ROWS_FROM = 4,
    ROWS_TO,
    ROWS_STEP,
    COLUMNS_FROM,
    COLUMNS_TO,
    COLUMNS_STEP,
    BUFFER,
    FORMAT,
    COUNT,
    END_ROWS,
    RESULT
};
enum { RESULT_OK = 2, RESULT_BAD_POINTER = 4, RESULT_BAD_FORMAT = 5, RESULT_MATH = 6, RESULT_ETHERNET = 7 };

float metal_block_value(unsigned bits, unsigned value, unsigned exponent)
{
    unsigned magnitude = value & ((1u << (bits - 1)) - 1);
    float number = ldexpf((float)magnitude, (int)exponent - 127 - ((int)bits - 2));
    return value >> (bits - 1) & 1 ? -number : number;
}

static float bf16_value(uint32_t bits)
{
    float value;
    bits <<= 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Bytes of a datum of a slice; block formats have each datum's exponent with it. */
static unsigned datum_size(unsigned format)
{
    switch (format) {
    case TILE_Float16_b:
    case TILE_Bfp8_b:
    case TILE_Bfp4_b:
    case TILE_UInt16: return 2;
    case TILE_Float32:
    case TILE_Int32:
    case TILE_UInt32: return 4;
    case TILE_Int8:
    case TILE_UInt8: return 1;
    default: return 0;
    }
}

static struct metal_value datum_of(unsigned format, const uint8_t *bytes)
{
    uint32_t bits = 0;
    float value;
    memcpy(&bits, bytes, datum_size(format));
    switch (format) {
    case TILE_Float32: memcpy(&value, &bits, sizeof value); break;
    case TILE_Float16_b: value = bf16_value(bits); break;
    case TILE_Bfp8_b: value = metal_block_value(8, bits >> 8, bits & 0xff); break;
    case TILE_Bfp4_b: value = metal_block_value(4, bits >> 8 & 0xf, bits & 0xff); break;
    case TILE_Int32: return metal_integer((int32_t)bits);
    case TILE_Int8: return metal_integer((int8_t)bits);
    default: return metal_integer(bits);
    }
    return metal_single(value);
}

/* Why there are no data; false: there are. */
static bool add_result(struct print_text *text, const uint8_t *bytes)
{
    switch (bytes[RESULT]) {
    case RESULT_OK: return false;
    case RESULT_BAD_POINTER:
        print_text_complain(text, "tile of circular buffer %u: bad pointer 0x%x", bytes[BUFFER], metal_word(bytes));
        break;
    case RESULT_BAD_FORMAT:
        print_text_complain(text, "tile of circular buffer %u: the kernel does not print data format %u", bytes[BUFFER],
                            bytes[FORMAT]);
        break;
    case RESULT_MATH: print_text_complain(text, "T1 can not print tiles"); break;
    case RESULT_ETHERNET: print_text_complain(text, "Ethernet cores can not print tiles"); break;
    default: print_text_complain(text, "a slice of a tile with result %u", bytes[RESULT]); break;
    }
    return true;
}

static void add_datum(struct print_text *text, const struct metal_value *value, const struct metal_spec *spec)
{
    if (spec) {
        metal_add_value(text, value, spec);
    } else if (value->kind == METAL_FLOAT) {
        print_text_addf(text, "%g", value->number);
    } else {
        print_text_addf(text, "%lld", (long long)value->integer);
    }
}

void metal_add_slice(struct print_text *text, const uint8_t *bytes, unsigned size, const struct metal_spec *spec)
{
    if (size < METAL_SLICE_HEAD) {
        print_text_complain(text, "a slice of a tile of %u bytes", size);
        return;
    }
    if (add_result(text, bytes)) {
        return;
    }
    unsigned width = datum_size(bytes[FORMAT]), number = 0;
    if (!width || !bytes[ROWS_STEP] || !bytes[COLUMNS_STEP]) {
        print_text_complain(text, "a slice of a tile in data format %u", bytes[FORMAT]);
        return;
    }
    for (unsigned row = bytes[ROWS_FROM]; row < bytes[ROWS_TO]; row += bytes[ROWS_STEP]) {
        for (unsigned column = bytes[COLUMNS_FROM]; column < bytes[COLUMNS_TO]; column += bytes[COLUMNS_STEP]) {
            if (number >= bytes[COUNT] || METAL_SLICE_HEAD + (number + 1) * width > size) {
                print_text_complain(text, "the print has room for %u data only", number);
                print_text_add(text, "\n", 1);
                return;
            }
            struct metal_value value = datum_of(bytes[FORMAT], bytes + METAL_SLICE_HEAD + number++ * width);
            add_datum(text, &value, spec);
            print_text_add(text, " ", column + bytes[COLUMNS_STEP] < bytes[COLUMNS_TO]);
        }
        print_text_add(text, "\n", bytes[END_ROWS] != 0);
    }
}

/* A sign, so many bits of mantissa, then so many of exponent. */
static double register_value(unsigned exponent_bits, unsigned mantissa_bits, uint32_t data)
{
    unsigned exponent = data & ((1u << exponent_bits) - 1),
             mantissa = data >> exponent_bits & ((1u << mantissa_bits) - 1);
    double value =
        ldexp(1 + (double)mantissa / (1u << mantissa_bits), (int)exponent - ((1 << (exponent_bits - 1)) - 1));
    return data >> (exponent_bits + mantissa_bits) & 1 ? -value : value;
}

void metal_add_registers(struct print_text *text, uint32_t word, unsigned format, unsigned width)
{
    int columns = (int)width;
    float single;
    switch (format) {
    case TILE_Float16:
    case TILE_Bfp8:
    case TILE_Bfp4:
    case TILE_Bfp2:
    case TILE_Lf8:
        print_text_addf(text, "%*g %*g ", columns, register_value(5, 10, word & 0xffff), columns,
                        register_value(5, 10, word >> 16));
        break;
    case TILE_Float16_b:
    case TILE_Bfp8_b:
    case TILE_Bfp4_b:
    case TILE_Bfp2_b:
        print_text_addf(text, "%*g %*g ", columns, register_value(8, 7, word & 0xffff), columns,
                        register_value(8, 7, word >> 16));
        break;
    case TILE_Tf32: print_text_addf(text, "%*g ", columns, register_value(8, 10, word)); break;
    case TILE_Float32:
        memcpy(&single, &word, sizeof single);
        print_text_addf(text, "%*g ", columns, (double)single);
        break;
    case TILE_UInt32: print_text_addf(text, "%*u ", columns, word); break;
    case TILE_Int32: print_text_addf(text, "%*d ", columns, (int32_t)word); break;
    case TILE_UInt16: print_text_addf(text, "%*u %*u ", columns, word & 0xffff, columns, word >> 16); break;
    case TILE_Int8:
    case TILE_UInt8:
        for (unsigned i = 0; i < 4; i++) {
            unsigned byte = word >> 8 * i & 0xff;
            print_text_addf(text, "%*d ", columns, format == TILE_Int8 ? (int8_t)byte : (int)byte);
        }
        break;
    default: print_text_complain(text, "0x%x, a register in data format %u", word, format); break;
    }
}
