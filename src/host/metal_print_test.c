/* Print buffers of tt-metal, written as its kernels do, and such that are not. */
#include "host/metal_print.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chip/device_fixture.h"

enum { X = 1, Y = 2, CORE_INFO = 0x8b8, BUFFERS = CORE_INFO - 0x400, SIZE = 204, PROGRAM = 0x10000 };
static const struct metal_layout layout = {.core_info = CORE_INFO};
static const uint32_t starting = 0x98989898, disabled = 0xf8f8f8f8;

static struct bh_print *print;
static struct metal_formats *formats;
static char lines[1 << 14]; /* with line ends; ! in front of those that are wrong */

static void on_line(void *context, const struct bh_print_line *line)
{
    char text[5000];
    (void)bh_print_format(line, text, sizeof text);
    snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s%s\n", line->wrong ? "!" : "", text);
}

static int begin(void **context)
{
    static const struct bh_print_options options = {.on_line = on_line};
    static const uint32_t count[] = {0x00128293, 0xffdff06f}; /* addi t0, t0, 1; j . - 4 */
    lines[0] = 0;
    if (set_up(context) != 0) {
        return -1;
    }
    struct fixture *fixture = *context;
    formats = metal_formats_new();
    return bh_print_open(fixture->device, &options, &print) == BH_OK &&
                   bh_write(fixture->device, 16, Y, PROGRAM, count, sizeof count) == BH_OK &&
                   bh_core_start(fixture->device, 16, Y, BH_CORE_T0, PROGRAM) == BH_OK
               ? 0
               : -1;
}

static int end(void **context)
{
    bh_print_close(print);
    metal_formats_free(formats);
    return tear_down(context);
}

static void run(struct fixture *fixture)
{
    assert_int_equal(bh_run(fixture->device, 20000, &fixture->result), BH_OK);
}

static void put(struct fixture *fixture, uint32_t address, const void *data, uint32_t size)
{
    assert_int_equal(bh_write(fixture->device, X, Y, address, data, size), BH_OK);
}

static void put_word(struct fixture *fixture, uint32_t address, uint32_t word)
{
    put(fixture, address, &word, sizeof word);
}

static uint32_t get(struct fixture *fixture, uint32_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(fixture->device, X, Y, address, &word, 4), BH_OK);
    return word;
}

static void add(struct fixture *fixture, struct bh_print *by, const char *kernel)
{
    const struct metal_print_tile tile = {.x = X, .y = Y, .kernels = {[BH_CORE_T1] = kernel}};
    assert_int_equal(metal_print_add(by, formats, fixture->device, &layout, &tile, false), BH_OK);
}

/* Streams. */

/* The kernel of a core puts bytes into its empty buffer. */
static void stream(struct fixture *fixture, unsigned processor, const void *bytes, uint32_t size)
{
    put(fixture, BUFFERS + SIZE * processor + 12, bytes, size);
    put_word(fixture, BUFFERS + SIZE * processor + 4, 0);
    put_word(fixture, BUFFERS + SIZE * processor, size);
    run(fixture);
}

#define STREAM(fixture, processor, ...)                                                                                \
    stream(fixture, processor, (const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__})
#define END 1, 1, 0

static void cores_are_told_who_reads(void **context)
{
    struct fixture *fixture = *context;
    add(fixture, print, NULL);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        assert_int_equal(get(fixture, BUFFERS + SIZE * i), starting);
    }
    run(fixture);
    add(fixture, NULL, NULL);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        assert_int_equal(get(fixture, BUFFERS + SIZE * i), disabled);
    }
    run(fixture);
    assert_string_equal(lines, "");
}

static void streams_have_values_of_all_types(void **context)
{
    struct fixture *fixture = *context;
    add(fixture, print, NULL);
    STREAM(fixture, 0, 0, 6, 't', 'e', 'x', 't', ' ', 0, 12, 1, 'c', END);
    STREAM(fixture, 1, 3, 1, 255, 12, 1, ' ', 4, 2, 255, 255, 12, 1, ' ', 5, 4, 0, 0, 0, 128, 12, 1, ' ', 6, 8, 0, 0, 0,
           0, 0, 0, 0, 128, END);
    STREAM(fixture, 2, 7, 1, 255, 12, 1, ' ', 8, 2, 254, 255, 12, 1, ' ', 9, 4, 253, 255, 255, 255, 12, 1, ' ', 10, 8,
           252, 255, 255, 255, 255, 255, 255, 255, END);
    STREAM(fixture, 3, 11, 4, 0, 0, 192, 63, 12, 1, ' ', 13, 2, 192, 63, 14, 1, 2, 15, 1, 0, 12, 1, ' ', 11, 4, 0, 0,
           192, 63, 16, 1, 0, 12, 1, ' ', 11, 4, 0, 0, 192, 63, END);
    STREAM(fixture, 4, 17, 1, 0, 7, 1, 255, 12, 1, ' ', 18, 1, 0, 3, 1, 8, 12, 1, ' ', 19, 1, 0, 2, 1, 4, 3, 1, 8, 3, 1,
           9, END);
    assert_string_equal(lines, "1-2 B: text c\n1-2 NC: 255 65535 2147483648 9223372036854775808\n1-2 T0: -1 -2 -3 -4\n"
                               "1-2 T1: 1.5 1.5 1.50 1.5\n1-2 T2: ff 10    89\n");
}

static void streams_have_tiles_and_registers(void **context)
{
    struct fixture *fixture = *context;
    add(fixture, print, NULL);
    /* address; rows 0 to 1, columns 0 to 2; buffer, BF16, two data, ends of rows */
    STREAM(fixture, 0, 20, 20, 0, 0, 0, 0, 0, 1, 1, 0, 2, 1, 7, 5, 2, 1, 2, 4, 128, 63, 0, 64, END);
    STREAM(fixture, 1, 21, 8, 1, 0, 0, 0, 255, 0, 0, 0, END);
    STREAM(fixture, 2, 2, 1, 6, 22, 8, 7, 0, 0, 0, 8, 0, 2, 0, END);
    assert_string_equal(lines, "1-2 B: 1 2\n1-2 NC: 0x1 0xff \n1-2 T0:      7 \n");
}

static void a_stream_goes_on_at_0_when_all_is_read(void **context)
{
    struct fixture *fixture = *context;
    add(fixture, print, NULL);
    for (uint8_t i = 0; i < 3; i++) {
        STREAM(fixture, 0, 3, 1, i, END);
        assert_int_equal(get(fixture, BUFFERS + 4), 6);
    }
    assert_string_equal(lines, "1-2 B: 0\n1-2 B: 1\n1-2 B: 2\n");
}

static void garbage_ends_a_stream(void **context)
{
    static const struct {
        uint8_t bytes[8];
        uint32_t written;
        const char *line;
    } garbage[] = {
        {{99, 1, 0}, 3, "at its byte 0 of 3"},            /* no type */
        {{0, 200, 'a'}, 3, "at its byte 0 of 3"},         /* longer than what was written */
        {{3, 1, 7, 5, 2, 7, 7}, 7, "at its byte 3 of 7"}, /* a word of two bytes */
        {{3}, 1, "at its byte 0 of 1"},                   /* no size */
        {{0}, 193, "at its byte 0 of 193"},               /* more than there is room for */
    };
    for (unsigned i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        struct fixture *fixture = *context;
        lines[0] = 0;
        add(fixture, print, NULL); /* a reader that has seen nothing */
        put(fixture, BUFFERS + SIZE + 12, garbage[i].bytes, sizeof garbage[i].bytes);
        put_word(fixture, BUFFERS + SIZE, garbage[i].written);
        run(fixture);
        run(fixture);
        assert_non_null(strstr(lines, "<the print buffer at 0x584 was overwritten: no value begins "));
        assert_non_null(strstr(lines, garbage[i].line));
        assert_ptr_equal(strchr(lines, '\n'), lines + strlen(lines) - 1); /* once */
        assert_int_equal(get(fixture, BUFFERS + SIZE), disabled);         /* the core goes on */
    }
}

/* Messages. */

static const char kernel[] = BHEMU_BUILD_DIR "/kernels/metal_print_messages.trisc1.elf";

static uint32_t head(unsigned is_kernel, unsigned processor, unsigned payload, unsigned format)
{
    return is_kernel | processor << 1 | payload << 6 | format << 16;
}

static void put_messages(struct fixture *fixture, uint32_t data, uint32_t written, const uint32_t *words, uint32_t size)
{
    put(fixture, BUFFERS + data, words, size);
    put_word(fixture, BUFFERS, written);
    run(fixture);
}

#define MESSAGES(fixture, data, written, ...)                                                                          \
    put_messages(fixture, data, written, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__})

/* The formats of the kernel have numbers as its compiler gave them. */
static unsigned number_of(const char *begin_of_format)
{
    bool foreign = false;
    const struct metal_format_list *list = metal_formats_of(formats, kernel, &foreign);
    assert_non_null(list);
    assert_false(foreign);
    for (unsigned i = 0; i < 4; i++) {
        if (strncmp(metal_format(list, i), begin_of_format, strlen(begin_of_format)) == 0) {
            return i;
        }
    }
    fail();
    return 0;
}

static bool built(struct fixture *fixture)
{
    if (access(kernel, R_OK) != 0) {
        return false;
    }
    add(fixture, print, kernel);
    return true;
}

static void find_messages(struct fixture *fixture, uint32_t data)
{
    if (!built(fixture)) {
        skip();
    }
    unsigned number = number_of("{0,i} {1");
    MESSAGES(fixture, data, 20, head(1, 3, 1023, 7), head(1, 3, 12, number), (uint32_t)-2, 0xb1ac, 0x40490fdb);
    assert_string_equal(lines, "1-2 T1: -2 0x0000b1ac 3.14 3.1415927 {}\n");
    assert_int_equal(get(fixture, BUFFERS + 4), 20);
}

static void messages_are_found_behind_a_lock(void **context)
{
    find_messages(*context, 20);
}

static void messages_are_found_where_there_is_no_lock(void **context)
{
    find_messages(*context, 16);
}

static void messages_go_round(void **context)
{
    struct fixture *fixture = *context;
    if (!built(fixture)) {
        skip();
    }
    unsigned number = number_of("{0,i} {1");
    MESSAGES(fixture, 20, 4, head(1, 3, 1023, 0));
    put_word(fixture, BUFFERS + 4, 980); /* as if all up to there had been read */
    put_word(fixture, BUFFERS, 980);
    run(fixture);
    MESSAGES(fixture, 20 + 980, 0x80000000, 0xffff0000); /* the writer waits at 0 */
    MESSAGES(fixture, 20, 16, head(1, 3, 12, number), 5, 6, 0);
    assert_string_equal(lines, "1-2 T1: 5 0x00000006 0.00 0 {}\n");
    assert_int_equal(get(fixture, BUFFERS + 4), 16);
}

static void formats_that_are_not_there_are_said(void **context)
{
    struct fixture *fixture = *context;
    if (!built(fixture)) {
        skip();
    }
    MESSAGES(fixture, 20, 16, head(1, 3, 1023, 0), head(1, 3, 0, 999), head(1, 2, 0, 0), head(0, 3, 0, 0));
    assert_string_equal(lines, "!1-2 T1: <the kernel has no format 999>\n!1-2 T0: <the kernel has no format 0>\n"
                               "!1-2 T1: <the firmware has no format 0>\n");
}

static void garbage_ends_messages(void **context)
{
    static const struct {
        uint32_t written, words[3];
        const char *line;
    } garbage[] = {
        {8, {0x1ffc1 | 3 << 1, 0xffffffff}, "at its byte 4 of 8"},          /* core 31 */
        {8, {0x1ffc1 | 3 << 1, 1 | 3 << 1 | 8 << 6}, "at its byte 4 of 8"}, /* longer than what was written */
        {6, {0x1ffc1 | 3 << 1}, "at its byte 4 of 6"},                      /* half a word */
        {2000, {0x1ffc1 | 3 << 1}, "at its byte 0 of 2000"},
    };
    if (!built(*context)) {
        skip();
    }
    for (unsigned i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        struct fixture *fixture = *context;
        lines[0] = 0;
        put_word(fixture, BUFFERS + 4, 0);
        add(fixture, print, kernel); /* a reader that has seen nothing */
        put_messages(fixture, 20, garbage[i].written, garbage[i].words, sizeof garbage[i].words);
        assert_non_null(strstr(lines, "<the print buffer at 0x4b8 was overwritten: no message begins "));
        assert_non_null(strstr(lines, garbage[i].line));
        assert_int_equal(get(fixture, BUFFERS), disabled);
    }
}

#define PRINT_TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PRINT_TEST(cores_are_told_who_reads),
        PRINT_TEST(streams_have_values_of_all_types),
        PRINT_TEST(streams_have_tiles_and_registers),
        PRINT_TEST(a_stream_goes_on_at_0_when_all_is_read),
        PRINT_TEST(garbage_ends_a_stream),
        PRINT_TEST(messages_are_found_behind_a_lock),
        PRINT_TEST(messages_are_found_where_there_is_no_lock),
        PRINT_TEST(messages_go_round),
        PRINT_TEST(formats_that_are_not_there_are_said),
        PRINT_TEST(garbage_ends_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
