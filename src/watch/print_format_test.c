/* printf() formats with arguments that go with them, and with such that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "watch/print_format.h"

/* 64 bytes of memory at 0x100, no end of a text in the last four. */
static const char memory_bytes[65] = "text\0a longer text\0-\0............................................";

static bool read_memory(const struct print_memory *memory, uint32_t address, void *data, uint32_t size)
{
    if (address < 0x100 || address - 0x100 + size > 64) {
        return false;
    }
    memcpy(data, memory_bytes + address - 0x100, size);
    return true;
}

static const struct print_memory memory = {read_memory};

static struct print_argument word(uint32_t value)
{
    return (struct print_argument){PRINT_WORD, value};
}

static struct print_argument wide(uint64_t value)
{
    return (struct print_argument){PRINT_LONG, value};
}

static struct print_argument fp32(float value)
{
    struct print_argument argument = {PRINT_FLOAT, 0};
    memcpy(&argument.bits, &value, sizeof value);
    return argument;
}

static struct print_argument fp64(double value)
{
    struct print_argument argument = {PRINT_DOUBLE, 0};
    memcpy(&argument.bits, &value, sizeof value);
    return argument;
}

static void check(bool wrong, const char *expected, const char *format, const struct print_argument *arguments,
                  unsigned count)
{
    struct print_text text = {};
    print_format(&text, format, arguments, count, &memory);
    assert_string_equal(text.bytes ? text.bytes : "", expected);
    assert_int_equal(text.wrong, wrong);
    print_text_free(&text);
}

#define CHECK(expected, format, ...)                                                                                   \
    check(false, expected, format, (const struct print_argument[]){__VA_ARGS__},                                       \
          sizeof(struct print_argument[]){__VA_ARGS__} / sizeof(struct print_argument))
#define WRONG(expected, format, ...)                                                                                   \
    check(true, expected, format, (const struct print_argument[]){__VA_ARGS__},                                        \
          sizeof(struct print_argument[]){__VA_ARGS__} / sizeof(struct print_argument))

static void texts_without_conversions_stay(void **context)
{
    check(false, "", "", NULL, 0);
    check(false, "100 %\n", "100 %%\n", NULL, 0);
}

static void integers(void **context)
{
    CHECK("-1 4294967295 ffffffff 37777777777", "%d %u %x %o", word(-1u), word(-1u), word(-1u), word(-1u));
    CHECK("-1 255 -1 65535", "%hhd %hhu %hd %hu", word(0x7ff), word(0x7ff), word(0x7ffff), word(0x7ffff));
    CHECK("-5000000000 fffffffed5fa0e00", "%lld %llx", wide((uint64_t)-5000000000), wide((uint64_t)-5000000000));
    CHECK("|   42|42   |00042|+42|0x2a| 42|", "|%5d|%-5d|%05d|%+d|%#x|% d|", word(42), word(42), word(42), word(42),
          word(42), word(42));
    CHECK("|   42|42   |00042|", "|%*d|%*d|%.*d|", word(5), word(42), word(-5u), word(42), word(5), word(42));
    CHECK("-7 -7", "%ld %lld", word(-7u), word(-7u));
}

static void characters_addresses_texts(void **context)
{
    CHECK("x|  x|x  |\\x00", "%c|%3c|%-3c|%c", word('x'), word('x'), word('x'), word(0));
    CHECK("0x0000b1ac 0x00000000", "%p %p", word(0xb1ac), word(0));
    CHECK("text|  text|text  |te|", "%s|%6s|%-6s|%.2s|", word(0x100), word(0x100), word(0x100), word(0x100));
    CHECK("a longer text.", "%s.", word(0x105));
    CHECK("....|", "%.4s|", word(0x13c));
}

static void floating_point_values(void **context)
{
    CHECK("1.500000 -0.25 1e+10 inf", "%f %g %g %f", fp32(1.5f), fp32(-0.25f), fp64(1e10), fp32(__builtin_inff()));
    CHECK("|  3.14|3.1e+00|0x1p+1|", "|%6.2f|%.1e|%a|", fp32(3.14159f), fp64(3.14159), fp64(2));
    CHECK("1.5", "%g", word(0x3fc00000)); /* the bits of a word */
}

static void what_does_not_go_together_is_said_in_its_place(void **context)
{
    WRONG("1 <%d: no argument> <%s: no argument>", "%d %d %s", word(1));
    check(true, "<%5.1f: no argument>\n", "%5.1f\n", NULL, 0);
    WRONG("done<1 argument too many, the first 0x7>\n", "done\n", word(7));
    WRONG("done<2 arguments too many, the first 0x7>", "done", word(7), word(8));
    WRONG("<%y: no such conversion><1 argument too many, the first 0x1>", "%y", word(1));
    WRONG("<%: no such conversion><1 argument too many, the first 0x1>", "%", word(1));
    WRONG("<%n: no such conversion><1 argument too many, the first 0x1>", "%n", word(1));
    WRONG("<%d: the argument is a floating-point value, 0x3fc00000>", "%d", fp32(1.5f));
    WRONG("<%s: the argument is a floating-point value, 0x3fc00000>", "%s", fp32(1.5f));
}

static void texts_that_are_not_there_are_said_in_their_place(void **context)
{
    WRONG("a <no text at 0x0> b", "a %s b", word(0));
    WRONG("<no text at 0x50000000>", "%s", word(0x50000000));
    WRONG("....<no end of the text at 0x13c>", "%s", word(0x13c));
}

static void a_width_without_measure_is_cut_off(void **context)
{
    struct print_text text = {};
    const struct print_argument arguments[] = {fp64(1e308), word(1)};
    print_format(&text, "%999999999.999999999f%-*d", arguments, 2, &memory);
    assert_true(text.length < 3000);
    print_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_without_conversions_stay),
        cmocka_unit_test(integers),
        cmocka_unit_test(characters_addresses_texts),
        cmocka_unit_test(floating_point_values),
        cmocka_unit_test(what_does_not_go_together_is_said_in_its_place),
        cmocka_unit_test(texts_that_are_not_there_are_said_in_their_place),
        cmocka_unit_test(a_width_without_measure_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
