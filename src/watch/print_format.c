#include "watch/print_format.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WIDTH = 1000, LONGEST_STRING = 4096, TEXT = 400 + MOST_WIDTH };

bool print_add_string(struct print_text *text, const struct print_memory *memory, uint32_t address, uint32_t most)
{
    uint32_t length = 0;
    char byte;
    while (length < most && memory->read(memory, address + length, &byte, 1)) {
        if (byte == 0) {
            return true;
        }
        print_text_add(text, &byte, 1);
        length++;
    }
    if (length == 0 && most) {
        return false;
    }
    if (length < most || most == LONGEST_STRING) {
        print_text_complain(text, "no end of the text at 0x%x", address);
    }
    return true;
}

/* A conversion: %[flags][width][.precision][length]type. */
struct conversion {
    char flags[8];
    int width, precision; /* -1: not given */
    char length[3];
    char type;
    const char *begin, *end;
};

struct arguments {
    const struct print_argument *next;
    unsigned left;
};

static const struct print_argument *take(struct arguments *arguments)
{
    if (!arguments->left) {
        return NULL;
    }
    arguments->left--;
    return arguments->next++;
}

/* A width or a precision: digits, or * for an argument; cut off where no line is that long. */
static int parse_number(const char **at, struct arguments *arguments, int none)
{
    long number = 0;
    if (**at == '*') {
        const struct print_argument *argument = take(arguments);
        ++*at;
        number = argument ? (int32_t)argument->bits : none;
    } else if (**at < '0' || **at > '9') {
        return none;
    }
    for (; **at >= '0' && **at <= '9'; ++*at) {
        number = number < MOST_WIDTH ? number * 10 + (**at - '0') : number;
    }
    return number > MOST_WIDTH ? MOST_WIDTH : number < -MOST_WIDTH ? -MOST_WIDTH : (int)number;
}

static struct conversion parse(const char *format, struct arguments *arguments)
{
    struct conversion conversion = {.begin = format, .precision = -1};
    const char *at = format + 1;
    unsigned flags = 0, length = 0;
    for (; *at && strchr("-+ #0", *at); at++) {
        if (flags < 5 && !strchr(conversion.flags, *at)) {
            conversion.flags[flags++] = *at;
        }
    }
    conversion.width = parse_number(&at, arguments, 0);
    if (conversion.width < 0) {
        conversion.flags[flags++] = '-';
        conversion.width = -conversion.width;
    }
    if (*at == '.') {
        at++;
        conversion.precision = parse_number(&at, arguments, 0);
    }
    for (; *at && strchr("hlLjzt", *at) && length < 2; at++) {
        conversion.length[length++] = *at;
    }
    conversion.type = *at;
    conversion.end = *at ? at + 1 : at;
    return conversion;
}

/* "%#08" + what the host calls the type. */
static void make_host_format(const struct conversion *conversion, const char *type, char format[40])
{
    char precision[16] = "";
    if (conversion->precision >= 0) {
        (void)snprintf(precision, sizeof precision, ".%d", conversion->precision);
    }
    char width[16] = "";
    if (conversion->width) {
        (void)snprintf(width, sizeof width, "%d", conversion->width);
    }
    (void)snprintf(format, 40, "%%%s%s%s%s", conversion->flags, width, precision, type);
}

/* The formats that are used here are made above, of parts that were checked. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void add_integer(struct print_text *text, const struct conversion *conversion,
                        const struct print_argument *argument)
{
    bool is_signed = conversion->type == 'd' || conversion->type == 'i';
    uint64_t value = argument->bits;
    unsigned bits = argument->kind == PRINT_LONG || argument->kind == PRINT_DOUBLE ? 64 : 32;
    bits = strcmp(conversion->length, "hh") == 0 ? 8 : strcmp(conversion->length, "h") == 0 ? 16 : bits;
    if (bits < 64) {
        uint64_t sign = UINT64_C(1) << (bits - 1);
        value &= 2 * sign - 1;
        value = is_signed ? (value ^ sign) - sign : value;
    }
    char format[40], type[] = {'l', 'l', conversion->type, 0}, piece[TEXT];
    make_host_format(conversion, type, format);
    (void)snprintf(piece, sizeof piece, format, (unsigned long long)value);
    print_text_add(text, piece, strlen(piece));
}

/* A word with %f is taken for the bits of an FP32 value: programs in assembly have no types. */
static void add_float(struct print_text *text, const struct conversion *conversion,
                      const struct print_argument *argument)
{
    double value;
    if (argument->kind == PRINT_DOUBLE || argument->kind == PRINT_LONG) {
        memcpy(&value, &argument->bits, sizeof value);
    } else {
        uint32_t bits = (uint32_t)argument->bits;
        float single;
        memcpy(&single, &bits, sizeof single);
        value = single;
    }
    char format[40], type[] = {conversion->type, 0}, piece[TEXT];
    make_host_format(conversion, type, format);
    (void)snprintf(piece, sizeof piece, format, value);
    print_text_add(text, piece, strlen(piece));
}

static void pad(struct print_text *text, int count)
{
    for (; count > 0; count--) {
        print_text_add(text, " ", 1);
    }
}

static void add_string(struct print_text *text, const struct conversion *conversion, uint32_t address,
                       const struct print_memory *memory)
{
    struct print_text string = {};
    uint32_t most = conversion->precision < 0 ? LONGEST_STRING : (uint32_t)conversion->precision;
    if (!print_add_string(&string, memory, address, most)) {
        print_text_complain(&string, "no text at 0x%x", address);
    }
    bool left = strchr(conversion->flags, '-') != NULL;
    int padding = conversion->width - (int)string.length;
    pad(text, left ? 0 : padding);
    if (string.bytes) {
        print_text_add(text, string.bytes, string.length);
    }
    pad(text, left ? padding : 0);
    text->wrong |= string.wrong;
    print_text_free(&string);
}

static void add_character(struct print_text *text, const struct conversion *conversion, char value)
{
    bool left = strchr(conversion->flags, '-') != NULL;
    pad(text, left ? 0 : conversion->width - 1);
    if (value) {
        print_text_add(text, &value, 1);
    } else {
        print_text_add(text, "\\x00", 4);
    }
    pad(text, left ? conversion->width - 1 : 0);
}

static void add_conversion(struct print_text *text, const struct conversion *conversion, struct arguments *arguments,
                           const struct print_memory *memory)
{
    int length = (int)(conversion->end - conversion->begin);
    if (!conversion->type || !strchr("diouxXcspfFeEgGaA", conversion->type)) {
        print_text_complain(text, "%.*s: no such conversion", length, conversion->begin);
        return;
    }
    const struct print_argument *argument = take(arguments);
    if (!argument) {
        print_text_complain(text, "%.*s: no argument", length, conversion->begin);
        return;
    }
    bool is_float = argument->kind == PRINT_FLOAT || argument->kind == PRINT_DOUBLE;
    if (strchr("fFeEgGaA", conversion->type)) {
        add_float(text, conversion, argument);
    } else if (is_float) {
        print_text_complain(text, "%.*s: the argument is a floating-point value, 0x%llx", length, conversion->begin,
                            (unsigned long long)argument->bits);
    } else if (conversion->type == 's') {
        add_string(text, conversion, (uint32_t)argument->bits, memory);
    } else if (conversion->type == 'c') {
        add_character(text, conversion, (char)argument->bits);
    } else if (conversion->type == 'p') {
        struct conversion address = {.type = 'x', .precision = 8, .flags = "#", .width = conversion->width};
        address.flags[1] = strchr(conversion->flags, '-') ? '-' : 0;
        if (argument->bits == 0) { /* # leaves 0x away */
            print_text_addf(text, "%*s", address.flags[1] ? -address.width : address.width, "0x00000000");
        } else {
            add_integer(text, &address, argument);
        }
    } else {
        add_integer(text, conversion, argument);
    }
}

void print_format(struct print_text *text, const char *format, const struct print_argument *values, unsigned count,
                  const struct print_memory *memory)
{
    struct arguments arguments = {values, count};
    const char *at = format;
    while (*at) {
        size_t plain = strcspn(at, "%");
        print_text_add(text, at, plain);
        at += plain;
        if (at[0] == '%' && at[1] == '%') {
            print_text_add(text, "%", 1);
            at += 2;
        } else if (*at) {
            struct conversion conversion = parse(at, &arguments);
            add_conversion(text, &conversion, &arguments, memory);
            at = conversion.end;
        }
    }
    if (arguments.left) {
        bool ends = text->length && text->bytes[text->length - 1] == '\n';
        text->length -= ends;
        print_text_complain(text, "%u argument%s too many, the first 0x%llx", arguments.left,
                            arguments.left == 1 ? "" : "s", (unsigned long long)arguments.next->bits);
        print_text_add(text, "\n", ends);
    }
}
