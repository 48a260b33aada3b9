/* Print buffers that are written as a kernel would, and such that are not. */
#include <stdio.h>
#include <string.h>

#include "bhemu/print.h"
#include "chip/device_fixture.h"
#include "watch/print_format.h"

enum { X = 1, Y = 2, FORMATS = 0x20000, WORDS = 32, HEADER = 8, MESSAGE = 5, PROGRAM = 0x1000 };

/* As tables/print.def has it. */
struct header {
    uint32_t magic, more_magic, words, written, read, drained, lost, reserved;
};

static struct bh_print *print;
static char lines[1 << 16]; /* with line ends; ! in front of those that are wrong */

static void on_line(void *context, const struct bh_print_line *line)
{
    char text[5000];
    (void)bh_print_format(line, text, sizeof text);
    snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s%s\n", line->wrong ? "!" : "", text);
}

static const struct bh_print_options options = {.on_line = on_line};

static int begin(void **context)
{
    lines[0] = 0;
    if (set_up(context) != 0) {
        return -1;
    }
    struct fixture *fixture = *context;
    return bh_print_open(fixture->device, &options, &print) == BH_OK ? 0 : -1;
}

static int end(void **context)
{
    bh_print_close(print);
    print = NULL;
    return tear_down(context);
}

static uint32_t address_of(enum bh_core core)
{
    return BH_PRINT_ADDRESS + core * BH_PRINT_SIZE;
}

static void put(struct fixture *fixture, unsigned x, uint32_t address, const void *data, uint32_t size)
{
    assert_int_equal(bh_write(fixture->device, x, Y, address, data, size), BH_OK);
}

static uint32_t get(struct fixture *fixture, uint32_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(fixture->device, X, Y, address, &word, 4), BH_OK);
    return word;
}

static struct header header_of(struct fixture *fixture, enum bh_core core)
{
    struct header header;
    assert_int_equal(bh_read(fixture->device, X, Y, address_of(core), &header, sizeof header), BH_OK);
    return header;
}

/* What loading a program does. */
static void load(struct fixture *fixture, unsigned x, enum bh_core core)
{
    const uint32_t empty[HEADER + WORDS] = {(uint32_t)PRINT_magic, (uint32_t)PRINT_more_magic, WORDS};
    put(fixture, x, address_of(core), empty, sizeof empty);
}

/* Prints a format with at most two words, as a kernel does that knows there is room. */
static void print_at(struct fixture *fixture, unsigned x, enum bh_core core, uint32_t time, uint32_t sequence,
                     const char *format, unsigned count, uint32_t first, uint32_t second)
{
    static uint32_t formats = FORMATS;
    uint32_t address = address_of(core), place, length = (uint32_t)strlen(format) + 1, size = MESSAGE + count;
    uint32_t message[] = {(uint32_t)PRINT_head | count << 8 | size, 0, formats, time, sequence, first, second};
    assert_int_equal(bh_read(fixture->device, x, Y, address + 12, &place, 4), BH_OK);
    if (place + size >= WORDS) {
        const uint32_t wrap = (uint32_t)PRINT_wrap;
        put(fixture, x, address + 4 * (HEADER + place), &wrap, 4);
        place = 0;
    }
    put(fixture, x, formats, format, length);
    put(fixture, x, address + 4 * (HEADER + place), message, size * 4);
    place += size;
    put(fixture, x, address + 12, &place, 4);
    formats += length;
}

static void run(struct fixture *fixture)
{
    static const uint32_t count[] = {0x00128293, 0xffdff06f}; /* addi t0, t0, 1; j . - 4 */
    put(fixture, 16, PROGRAM, count, sizeof count);
    assert_int_equal(bh_core_start(fixture->device, 16, Y, BH_CORE_T0, PROGRAM), BH_OK);
    assert_int_equal(bh_run(fixture->device, 50000, &fixture->result), BH_OK);
}

static void messages_become_lines(void **context)
{
    struct fixture *fixture = *context;
    load(fixture, X, BH_CORE_T1);
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_T1, address_of(BH_CORE_T1)), BH_OK);
    assert_int_equal(header_of(fixture, BH_CORE_T1).drained, 1);
    print_at(fixture, X, BH_CORE_T1, 0, 0, "%d and %x\nthen ", 2, 7, 255);
    print_at(fixture, X, BH_CORE_T1, 0, 1, "%d\n\n", 1, 8, 0);
    print_at(fixture, X, BH_CORE_T1, 0, 2, "no end", 0, 0, 0);
    run(fixture);
    assert_string_equal(lines, "1-2 T1: 7 and ff\n1-2 T1: then 8\n1-2 T1: \n");
    assert_int_equal(header_of(fixture, BH_CORE_T1).read, header_of(fixture, BH_CORE_T1).written);
    bh_print_close(print);
    print = NULL;
    assert_string_equal(lines, "1-2 T1: 7 and ff\n1-2 T1: then 8\n1-2 T1: \n1-2 T1: no end\n");
}

static void messages_go_round(void **context)
{
    struct fixture *fixture = *context;
    char expected[1 << 12] = "";
    load(fixture, X, BH_CORE_NC);
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_NC, address_of(BH_CORE_NC)), BH_OK);
    for (uint32_t i = 0; i < 50; i++) {
        print_at(fixture, X, BH_CORE_NC, 0, i, "%u %u\n", i % 3, i, i + 1);
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s1-2 NC: %s", i % 3 == 2 ? "" : "!",
                 "");
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected),
                 i % 3 == 0   ? "<%%u: no argument> <%%u: no argument>\n"
                 : i % 3 == 1 ? "%u <%%u: no argument>\n"
                              : "%u %u\n",
                 i, i + 1);
        run(fixture);
    }
    assert_string_equal(lines, expected);
}

static void a_tile_is_in_the_order_of_its_messages_and_tiles_in_that_of_time(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(bh_print_add_all(print, X, Y), BH_OK);
    assert_int_equal(bh_print_add_all(print, 2, Y), BH_OK);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        load(fixture, X, core);
        load(fixture, 2, core);
    }
    bh_pass(fixture->device, 1000);
    print_at(fixture, X, BH_CORE_B, 500, UINT32_MAX, "second\n", 0, 0, 0);
    print_at(fixture, X, BH_CORE_NC, 100, 0, "fourth\n", 0, 0, 0);
    print_at(fixture, X, BH_CORE_T0, 700, 1, "sixth\n", 0, 0, 0);
    print_at(fixture, 2, BH_CORE_T0, 400, 7, "first\n", 0, 0, 0);
    print_at(fixture, 2, BH_CORE_B, 600, 9, "fifth\n", 0, 0, 0);
    print_at(fixture, X, BH_CORE_B, 300, 0, "third\n", 0, 0, 0);
    run(fixture);
    assert_string_equal(lines, "2-2 T0: first\n1-2 B: second\n1-2 B: third\n1-2 NC: fourth\n2-2 B: fifth\n"
                               "1-2 T0: sixth\n");
}

static void control_characters_can_do_nothing(void **context)
{
    struct fixture *fixture = *context;
    load(fixture, X, BH_CORE_B);
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_B, address_of(BH_CORE_B)), BH_OK);
    print_at(fixture, X, BH_CORE_B, 0, 0, "a\x1b[31m\tb\r%c\x7f\xc3\xa9\n", 1, 7, 0);
    run(fixture);
    assert_string_equal(lines, "1-2 B: a\\x1b[31m\tb\\x0d\\x07\\x7f\xc3\xa9\n");
}

static void texts_in_local_ram_are_those_of_the_core(void **context)
{
    struct fixture *fixture = *context;
    load(fixture, X, BH_CORE_T2);
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_T2, address_of(BH_CORE_T2)), BH_OK);
    put(fixture, X, 0xffb1c010, "its own", 8);
    put(fixture, X, 0xffb14010, "another's", 10);
    print_at(fixture, X, BH_CORE_T2, 0, 0, "%s\n", 1, 0xffb00010, 0);
    run(fixture);
    assert_string_equal(lines, "1-2 T2: its own\n");
}

static void missing_messages_are_counted(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t lost = 3;
    load(fixture, X, BH_CORE_B);
    print_at(fixture, X, BH_CORE_B, 0, 0, "the last that fits\n", 0, 0, 0);
    put(fixture, X, address_of(BH_CORE_B) + 24, &lost, 4);
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_B, address_of(BH_CORE_B)), BH_OK);
    run(fixture);
    run(fixture);
    assert_string_equal(lines,
                        "1-2 B: the last that fits\n"
                        "!1-2 B: <3 messages are missing here: the print buffer was full, and nobody read it>\n");
}

static void garbage_ends_a_buffer_until_it_is_loaded_again(void **context)
{
    static const uint32_t garbage[][MESSAGE] = {
        {0x12345678},                           /* no message */
        {0xa5a5a5a5},                           /* the end, but the rest is not there */
        {0x5a5a0000 | 4, 0, FORMATS},           /* shorter than its beginning */
        {0x5a5a0000 | 30, 0, FORMATS},          /* longer than what was written */
        {0x5a5a0000 | 1 << 8 | 5, 0, FORMATS},  /* no room for its argument */
        {0x5a5a0000 | 13 << 8 | 5, 0, FORMATS}, /* too many arguments */
    };
    struct fixture *fixture = *context;
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_T0, address_of(BH_CORE_T0)), BH_OK);
    for (unsigned i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        const uint32_t written = MESSAGE;
        char expected[500];
        load(fixture, X, BH_CORE_T0);
        run(fixture);
        lines[0] = 0;
        put(fixture, X, address_of(BH_CORE_T0) + 4 * HEADER, garbage[i], sizeof garbage[i]);
        put(fixture, X, address_of(BH_CORE_T0) + 12, &written, 4);
        run(fixture);
        snprintf(expected, sizeof expected,
                 "!1-2 T0: <the print buffer at 0x17000 was overwritten: word 0x%x at 0x17020 begins no message; what "
                 "else it held is lost>\n",
                 garbage[i][0]);
        assert_string_equal(lines, expected);
        assert_int_equal(header_of(fixture, BH_CORE_T0).drained, 0); /* the kernel goes on */
    }
    load(fixture, X, BH_CORE_T0);
    run(fixture);
    lines[0] = 0;
    print_at(fixture, X, BH_CORE_T0, 0, 0, "again\n", 0, 0, 0);
    run(fixture);
    assert_string_equal(lines, "1-2 T0: again\n");
}

static void a_header_that_makes_no_sense_is_said_once(void **context)
{
    /* Which word, and what stands there. */
    static const uint32_t garbage[][2] = {{0, 0}, {1, 1}, {2, 0x7fffffff}, {3, WORDS}, {4, UINT32_MAX}};
    struct fixture *fixture = *context;
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_T0, address_of(BH_CORE_T0)), BH_OK);
    for (unsigned i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        load(fixture, X, BH_CORE_T0);
        run(fixture);
        lines[0] = 0;
        put(fixture, X, address_of(BH_CORE_T0) + 4 * garbage[i][0], &garbage[i][1], 4);
        run(fixture);
        run(fixture);
        assert_string_equal(lines, "!1-2 T0: <the print buffer at 0x17000 was overwritten: its header makes no sense; "
                                   "what it held is lost>\n");
    }
}

static void what_is_found_may_be_replaced(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t other = 0x13; /* of another program */
    assert_int_equal(bh_print_add_all(print, X, Y), BH_OK);
    for (unsigned i = 0; i < 2; i++) {
        load(fixture, X, BH_CORE_T0);
        run(fixture);
        print_at(fixture, X, BH_CORE_T0, 0, 0, "round %u\n", 1, i, 0);
        run(fixture);
        put(fixture, X, address_of(BH_CORE_T0), &other, 4);
        run(fixture);
    }
    assert_string_equal(lines, "1-2 T0: round 0\n1-2 T0: round 1\n");
}

static void without_a_buffer_nothing_is_written(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(bh_print_add_all(print, 0, 0), BH_OK);
    run(fixture);
    assert_string_equal(lines, "");
    for (uint32_t address = BH_PRINT_ADDRESS; address < address_of(BH_CORE_COUNT); address += 4) {
        assert_int_equal(get(fixture, address), 0);
    }
}

static void what_was_printed_comes_before_a_diagnostic(void **context)
{
    static const uint32_t wild[] = {0x500002b7, 0x0002a023}; /* lui t0, 0x50000; sw zero, 0(t0) */
    struct fixture *fixture = *context;
    load(fixture, X, BH_CORE_T1);
    assert_int_equal(bh_print_add_all(print, 0, 0), BH_OK);
    print_at(fixture, X, BH_CORE_T1, 0, 0, "before\n", 0, 0, 0);
    put(fixture, X, PROGRAM, wild, sizeof wild);
    assert_int_equal(bh_core_start(fixture->device, X, Y, BH_CORE_T1, PROGRAM), BH_OK);
    assert_int_equal(bh_run(fixture->device, 10, NULL), BH_ERROR_STOPPED);
    assert_int_equal(fixture->diagnostics, 1);
    assert_string_equal(lines, "1-2 T1: before\n");
}

static void arguments_that_make_no_sense_are_refused(void **context)
{
    struct fixture *fixture = *context;
    struct bh_print *other;
    assert_int_equal(bh_print_open(NULL, &options, &other), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_print_open(fixture->device, &(struct bh_print_options){}, &other), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_print_open(fixture->device, &options, &other), BH_ERROR_ARGUMENT); /* it has one */
    assert_int_equal(bh_print_add(print, 0, 0, BH_CORE_B, 0x10000), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_print_add(print, 17, 12, BH_CORE_B, 0x10000), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_COUNT, 0x10000), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_B, 0x10002), BH_ERROR_ADDRESS);
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_B, 0x180000 - 4), BH_ERROR_ADDRESS);
    assert_int_equal(bh_print_add(print, X, Y, BH_CORE_B, 0xffb00000), BH_ERROR_ADDRESS);
    assert_int_equal(bh_print_add_all(NULL, 0, 0), BH_ERROR_ARGUMENT);
    bh_print_close(NULL);
}

#define PRINT_TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PRINT_TEST(messages_become_lines),
        PRINT_TEST(messages_go_round),
        PRINT_TEST(a_tile_is_in_the_order_of_its_messages_and_tiles_in_that_of_time),
        PRINT_TEST(control_characters_can_do_nothing),
        PRINT_TEST(texts_in_local_ram_are_those_of_the_core),
        PRINT_TEST(missing_messages_are_counted),
        PRINT_TEST(garbage_ends_a_buffer_until_it_is_loaded_again),
        PRINT_TEST(a_header_that_makes_no_sense_is_said_once),
        PRINT_TEST(what_is_found_may_be_replaced),
        PRINT_TEST(without_a_buffer_nothing_is_written),
        PRINT_TEST(what_was_printed_comes_before_a_diagnostic),
        PRINT_TEST(arguments_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
