/* The values of data in Dst, SrcA, SrcB and LRegs. Bits are written down here as the ISA documentation shows them
   (Dst.md, SrcASrcB.md, FloatBitPatterns.md): in Dst and Src the mantissa comes before the exponent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "inspect/formats.h"
#include "tensix/num/formats_unpack.h"
#include "tensix/num/registers.h"
#include "util/bits.h"

/* 16-bit data of Dst in the order of the hardware. */
static double dst16(enum dump_type type, unsigned sign, unsigned mantissa, unsigned exponent, unsigned exponent_bits)
{
    uint16_t bits = (uint16_t)(sign << 15 | mantissa << exponent_bits | exponent);
    return dump_dst_value(type, dst_from_hardware(bits), 0);
}

static void data_of_16_bits_in_dst(void **state)
{
    assert_true(dst16(DUMP_BF16, 0, 1, 127, 8) == 1.0078125);
    assert_true(dst16(DUMP_BF16, 1, 0, 128, 8) == -2);
    assert_true(isinf(dst16(DUMP_BF16, 0, 0, 255, 8)));
    assert_true(isnan(dst16(DUMP_BF16, 0, 1, 255, 8)));
    assert_true(dst16(DUMP_FP16, 0, 0x200, 15, 5) == 1.5);
    assert_true(dst16(DUMP_FP16, 1, 1, 15, 5) == -1.0009765625);
    assert_true(dst16(DUMP_FP16, 0, 0, 31, 5) == 65536); /* no infinity */
    assert_true(dst16(DUMP_FP16, 0, 1023, 31, 5) == 131008);
    assert_true(dst16(DUMP_FP16, 0, 1, 0, 5) == ldexp(1, -24));
    assert_true(dst16(DUMP_INT8, 1, 5, 16, 5) == -5);
    assert_true(dst16(DUMP_INT8, 0, 1023, 16, 5) == 1023);
    assert_true(dst16(DUMP_INT8, 0, 0, 0, 5) == 0);
    assert_true(dst16(DUMP_UINT8, 0, 255, 16, 5) == 255);
    assert_true(dst16(DUMP_INT16, 1, 300, 0, 0) == -300);
    assert_true(dst16(DUMP_UINT16, 1, 300, 0, 0) == 0x8000 + 300);
    assert_true(dst16(DUMP_RAW16, 1, 300, 0, 0) == 0x8000 + 300);
    assert_true(dst16(DUMP_BITS16, 0, 1, 127, 8) == 0x3f81);
}

static double dst32(enum dump_type type, uint32_t datum)
{
    return dump_dst_value(type, dst_high_cell(datum), dst_low_cell(datum));
}

static void data_of_32_bits_in_dst(void **state)
{
    assert_true(dst32(DUMP_FP32, 0x40490fdb) == (double)3.14159274f);
    assert_true(dst32(DUMP_TF32, 0x3f802000) == 1.0009765625);
    assert_true(dst32(DUMP_INT32, 0x80000002) == -2);
    assert_true(dst32(DUMP_INT32, 0x7fffffff) == 2147483647);
    assert_true(dst32(DUMP_SMAG32, 0x80000000) == 0);
    assert_true(dst32(DUMP_TWOS32, 0xfffffffe) == -2);
    assert_true(dst32(DUMP_UINT32, 0xfffffffe) == 4294967294);
    assert_true(dst32(DUMP_BITS32, 0x40490fdb) == 0x40490fdb);
    /* The high half as BF16 is stored, sign, mantissa, exponent; the low half as it is. */
    assert_true(dst32(DUMP_RAW32, 0x3f81abcd) == 0x017fabcd);
}

static void data_of_src(void **state)
{
    assert_true(dump_src_value(DUMP_BF16, 0x3fc00000) == 1.5);
    assert_true(dump_src_value(DUMP_TF32, 0xbf802000) == -1.0009765625);
    assert_true(dump_src_value(DUMP_FP16, src_from_fp16(0x3e00)) == 1.5);
    assert_true(dump_src_value(DUMP_FP16, src_from_fp16(0xfc00)) == -65536);
    assert_true(dump_src_value(DUMP_INT8, src_from_fp16(0x8000 | 16 << 10 | 127)) == -127);
    assert_true(dump_src_value(DUMP_BITS19, 0x80002000) == 0x40001);
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        assert_true(dump_src_value(DUMP_UINT16, src_from_int16(bits)) == bits);
        assert_int_equal(src_to_fp16(src_from_fp16(bits)), bits);
    }
}

static void data_of_lregs(void **state)
{
    assert_true(dump_lreg_value(DUMP_FP32, 0x3f800000) == 1);
    assert_true(dump_lreg_value(DUMP_INT32, 0xfffffffe) == -2);
    assert_true(dump_lreg_value(DUMP_SMAG32, 0x80000002) == -2);
    assert_true(dump_lreg_value(DUMP_UINT32, 0xfffffffe) == 4294967294);
}

static void names(void **state)
{
    for (unsigned i = 0; i < DUMP_TYPES; i++) {
        assert_int_equal(dump_type_by_name(dump_type_name((enum dump_type)i)), i);
    }
    assert_int_equal(dump_type_by_name("BF16"), DUMP_BF16);
    assert_int_equal(dump_type_by_name("bfp8"), DUMP_BF16); /* what becomes of it in registers */
    assert_int_equal(dump_type_by_name("BFP4a"), DUMP_FP16);
    assert_int_equal(dump_type_by_name("fp8"), DUMP_FP16);
    assert_int_equal(dump_type_by_name("reserved"), DUMP_TYPES);
    assert_int_equal(dump_type_by_name(""), DUMP_TYPES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_of_16_bits_in_dst),
        cmocka_unit_test(data_of_32_bits_in_dst),
        cmocka_unit_test(data_of_src),
        cmocka_unit_test(data_of_lregs),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
