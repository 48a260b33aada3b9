/* How the values of Dst, SrcA, SrcB and LRegs are read: as one of the documentation's data types, or as bits. FP32,
   TF32 and BF16 are read as IEEE 754 reads them. FP16 is read as the coprocessor does: its largest exponent is one like
   any other, and there are no infinities and NaN; what has exponent 0 is read as a denormal. Sources: ISA documentation
   Dst.md, SrcASrcB.md, LReg.md, FloatBitPatterns.md. */
#ifndef BHEMU_INSPECT_FORMATS_H
#define BHEMU_INSPECT_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/formats.h"

enum dump_file { DUMP_DST, DUMP_SRC, DUMP_LREG, DUMP_L1 };

enum dump_kind { DUMP_FLOAT, DUMP_SIGNED, DUMP_UNSIGNED, DUMP_BITS };

enum dump_type {
    DUMP_FP32,
    DUMP_TF32,
    DUMP_BF16,
    DUMP_FP16,
    DUMP_INT32,  /* Dst: sign and magnitude; LRegs: two's complement */
    DUMP_INT16,  /* sign and magnitude */
    DUMP_INT8,   /* the documentation's integer "8": sign and a magnitude of 10 bits */
    DUMP_UINT8,  /* the same without its sign */
    DUMP_UINT16, /* opaque */
    DUMP_UINT32,
    DUMP_SMAG32, /* sign and magnitude */
    DUMP_TWOS32, /* two's complement */
    DUMP_BITS16, /* the bits of BF16, and of an integer's high half, in the usual order */
    DUMP_BITS32,
    DUMP_RAW16, /* in the order of the hardware: sign, mantissa, exponent */
    DUMP_RAW32,
    DUMP_BITS19, /* Src: as TF32 */
    DUMP_TYPES
};

/* "bf16" and so on, in small letters. */
const char *dump_type_name(enum dump_type type);

/* By name, small or capital letters; also BFP8 and the like, under which data are BF16 or FP16 in registers.
   DUMP_TYPES: there is none. */
enum dump_type dump_type_by_name(const char *name);

/* What data of a format of L1 are in registers. */
enum dump_type dump_type_of(enum data_format format);

/* A format of data in L1 by its name: those of the documentation, e4m3 (of FP8), and types without a sign or as bits,
   which are of INT8, INT16 and INT32. *type: how it is read. FORMATS: there is none. */
enum data_format dump_format_by_name(const char *name, enum dump_type *type);

/* Bytes of a row of 16 data, or of a tile with its exponents. */
static inline uint32_t dump_l1_bytes(enum data_format format, bool tile)
{
    enum { ROW = 16, TILE = 1024, GROUP = 16 };
    return (tile ? TILE : ROW) * format_bits(format) / 8 + (tile && format_is_bfp(format) ? TILE / GROUP : 0);
}

enum dump_kind dump_kind_of(enum dump_type type);

/* Hexadecimal digits of DUMP_BITS, and decimal digits that tell floats apart. */
unsigned dump_digits(enum dump_type type);

/* Whether the data take 32-bit rows of Dst. */
bool dump_is_wide(enum dump_type type);

/* Whether a register file holds data of this type. */
bool dump_type_fits(enum dump_type type, enum dump_file file);

/* The value of a datum, exactly. `high`, `low`: cells of Dst, of 16-bit data the first. `word`: of Src in the layout of
   tensix/num/registers.h, of an LReg its bits. */
double dump_dst_value(enum dump_type type, uint16_t high, uint16_t low);
double dump_src_value(enum dump_type type, uint32_t word);
double dump_lreg_value(enum dump_type type, uint32_t word);

#endif
