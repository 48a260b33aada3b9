/* Messages of DPRINT: types and formats, and those that make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/metal_print_fmt.h"

static bool read_memory(const struct print_memory *memory, uint32_t address, void *data, uint32_t size)
{
    static const char text[] = "text";
    if (address < 0x100 || address - 0x100 + size > sizeof text) {
        return false;
    }
    memcpy(data, text + address - 0x100, size);
    return true;
}

static const struct print_memory memory = {read_memory};

static void check(bool wrong, const char *expected, const char *format, const void *bytes, unsigned size)
{
    struct print_text text = {};
    metal_add_message(&text, format, bytes, size, NULL, &memory);
    assert_string_equal(text.bytes ? text.bytes : "", expected);
    assert_int_equal(text.wrong, wrong);
    print_text_free(&text);
}

#define CHECK(expected, format, ...)                                                                                   \
    check(false, expected, format, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__})
#define WRONG(expected, format, ...)                                                                                   \
    check(true, expected, format, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__})

static void texts_and_braces(void **context)
{
    CHECK("no {} arguments\n", "no {{}} arguments\n", 0);
    CHECK("", "", 0);
}

static void integers(void **context)
{
    CHECK("-1 4294967295 ffffffff", "{0,i} {0,I} {0,I:x}", UINT32_MAX);
    CHECK("-5000000000 18446744068709551616", "{0,q} {0,Q}", 0xd5fa0e00, 0xfffffffe);
    CHECK("-2 65534 -2 254", "{0,h} {1,H} {2,b} {3,B}", 0xfffefffe, 0xfefe);
    CHECK("true false 1", "{0,?} {1,?} {0,?:d}", 0x0001);
    CHECK("|   42|42   | 42  |x42xx|00042|+42|0x2a|0b101010|052|", /* all ways to stand in a width */
          "|{0,i:5}|{0,i:<5}|{0,i:^5}|{0,i:x^5}|{0,i:05}|{0,i:+}|{0,i:#x}|{0,i:#b}|{0,i:#o}|", 42);
    CHECK("0x0000002a|-0x2a|2A|*", "{0,i:#010x}|{1,i:#x}|{0,i:X}|{0,i:c}", 42, (uint32_t)-42);
}

/* 8, 4, 4, 4, 4 and 1 bytes, as two versions of the vendor's headers number them. */
static void numbers_the_wrong_way_round(void **context)
{
    const uint32_t bytes[] = {0x456789ab, 0x123, 7000, (uint32_t)-7, 0x3fc00000, 7, 200};
    check(false, "7 7000 -7 1.5 200 1250999896491", "{4,I} {1,I} {2,i} {3,f} {5,B} {0,Q}", bytes, sizeof bytes);
    check(false, "7 7000 -7 1.5 200 1250999896491", "{5,I} {1,I} {2,i} {3,f} {0,B} {4,Q}", bytes, sizeof bytes);
}

static void floating_point_values(void **context)
{
    CHECK("1 0.1 1.5 1e+10 1e-05 1234567 1.2345678e+07 -0", "{0,f} {1,f} {2,f} {3,f} {4,f} {5,f} {6,f} {7,f}",
          0x3f800000, 0x3dcccccd, 0x3fc00000, 0x501502f9, 0x3727c5ac, 0x4996b438, 0x4b3c614e, 0x80000000);
    CHECK("inf -inf nan", "{0,f} {1,f} {2,f}", 0x7f800000, 0xff800000, 0x7fc00000);
    CHECK("3.14|3.1|  3.1416|3.141593e+00|003.1|+3.14", "{0,f:.2f}|{0,f:.2}|{0,f:8.4f}|{0,f:e}|{0,f:05.1f}|{0,f:+.2f}",
          0x40490fdb);
    CHECK("0.1 0.1", "{0,d} {0,d:.3}", 0x9999999a, 0x3fb99999);
    CHECK("1.5 -2", "{0,w} {1,w:.3}", 0xc0003fc0);
    CHECK("1.5 -0.375", "{0,E} {1,e}", 0x0b7e607f); /* 96/64, and -3/4 x 2^-1 */
}

static void texts_and_addresses(void **context)
{
    CHECK("text|  text|text  |te", "{0,s}|{0,s:>6}|{0,s:6}|{0,s:.2}", 0x100);
    CHECK("0xb1ac", "{0,p}", 0xb1ac);
    CHECK("(ns::Kind)3|  (Kind)3", "{0,/e_I_ns::Kind}|{0,/E_I_Kind:>9}", 3);
    WRONG("<no text at 0x50000000>", "{0,s}", 0x50000000);
}

static void slices_of_tiles(void **context)
{
    /* address; rows 0 to 2, columns 0 to 2; buffer 1, format, count, ends of rows, result, room; data */
    CHECK("1 2\n3 4\n|", "{0,t}|", 0x30000, 0x00010200, 0x05010102, 0x08020104, 0x40003f80, 0x40804040);
    CHECK("1.0 2.0\n3.0 4.0\n|", "{0,t:.1f}|", 0x30000, 0x00010200, 0x05010102, 0x08020104, 0x40003f80, 0x40804040);
    WRONG("1 2\n3 <the print has room for 3 data only>\n|", "{0,t}|", 0x30000, 0x00010200, 0x05010102, 0x06020103,
          0x40003f80, 0x4040);
    WRONG("<tile of circular buffer 1: bad pointer 0x30000>", "{0,t}", 0x30000, 0x00010200, 0x05010102, 0x00040104);
    WRONG("<a slice of a tile in data format 10>", "{0,t}", 0x30000, 0x00010200, 0x0a010102, 0x00020104);
}

static void arrays_of_registers(void **context)
{
    CHECK("1 -2 ", "{0,A}", 2 << 16 | 8, 1, (uint32_t)-2);
    CHECK("    1   255 ", "{0,A:5}", 1 << 16 | 9, 0x00ff0001);
    WRONG("<{0,A}: no argument>", "{0,A}", 0xffff0008, 1);
}

static void messages_that_make_no_sense_are_said(void **context)
{
    WRONG("1 <{1,I}: no argument>", "{0,I} {1,I}", 1);
    WRONG("<{0,q:>5}: no argument>", "{0,q:>5}", 1);
    WRONG("<{1,I}: no argument>", "{1,I}", 1, 2);        /* what the first one is nobody says */
    WRONG("<{0,z}: no argument>", "{0,z}", 1);           /* no type */
    WRONG("<no format: \"{} {0,I}\">\n", "{} {0,I}", 1); /* as the program's author wrote it */
    WRONG("<no format: \"{0,I\">\n", "{0,I", 1);
    WRONG("<no format: \"{99,I}\">\n", "{99,I}", 1);
    WRONG("<no format: \"{0,/x_I_a}\">\n", "{0,/x_I_a}", 1);
}

static void formats_without_measure_end(void **context)
{
    struct print_text text = {};
    const uint32_t one[] = {0x7f000000, 0};
    metal_add_message(&text, "{0,f:999999999.999999999f}{0,f:}}", (const uint8_t *)one, 4, NULL, &memory);
    assert_true(text.length < 3000);
    print_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_and_braces),
        cmocka_unit_test(integers),
        cmocka_unit_test(numbers_the_wrong_way_round),
        cmocka_unit_test(floating_point_values),
        cmocka_unit_test(texts_and_addresses),
        cmocka_unit_test(slices_of_tiles),
        cmocka_unit_test(arrays_of_registers),
        cmocka_unit_test(messages_that_make_no_sense_are_said),
        cmocka_unit_test(formats_without_measure_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
