#include "host/metal_print_fmt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/metal_print_data.h"
#include "host/metal_print_enum.h"

enum { MOST_WIDTH = 1000, MOST_ARGUMENTS = 64, LONGEST_STRING = 4096 };

/* How something is shown. */

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static unsigned parse_number(const char **at)
{
    unsigned number = 0;
    for (; is_digit(**at); ++*at) {
        number = number < MOST_WIDTH ? number * 10 + (unsigned)(**at - '0') : MOST_WIDTH;
    }
    return number < MOST_WIDTH ? number : MOST_WIDTH;
}

static unsigned character_bytes(const char *at)
{
    unsigned char first = (unsigned char)*at;
    unsigned bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return (unsigned)strnlen(at, bytes);
}

static bool is_align(char character)
{
    return character == '<' || character == '>' || character == '^';
}

/* Behind the colon. Returns where it ends. */
static const char *parse_spec(const char *at, struct metal_spec *spec)
{
    unsigned fill = character_bytes(at);
    *spec = (struct metal_spec){.fill = " ", .precision = -1};
    if (fill && is_align(at[fill])) {
        memcpy(spec->fill, at, fill);
        spec->fill[fill] = 0;
        at += fill;
    }
    if (is_align(*at)) {
        spec->align = *at++;
    }
    if (*at && strchr("+- ", *at)) {
        spec->sign = *at++;
    }
    if (*at == '#') {
        spec->alternate = true;
        at++;
    }
    if (*at == '0') {
        spec->zero = true;
        at++;
    }
    spec->width = parse_number(&at);
    if (*at == '.') {
        at++;
        spec->precision = (int)parse_number(&at);
    }
    at += *at == 'L';
    if (*at && *at != '}') {
        spec->type = *at++;
    }
    return at;
}

/* Characters of UTF-8. */
static unsigned length_of(const char *bytes, size_t size)
{
    unsigned count = 0;
    for (size_t i = 0; i < size; i++) {
        count += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    }
    return count;
}

static void add_fill(struct print_text *text, const struct metal_spec *spec, unsigned count)
{
    for (; count; count--) {
        print_text_add(text, spec->fill, strlen(spec->fill));
    }
}

static void add_aligned(struct print_text *text, const struct metal_spec *spec, const char *bytes, size_t size,
                        char otherwise)
{
    unsigned length = length_of(bytes, size), room = spec->width > length ? spec->width - length : 0;
    char align = spec->align ? spec->align : otherwise;
    unsigned before = align == '<' ? 0 : align == '>' ? room : room / 2;
    add_fill(text, spec, before);
    print_text_add(text, bytes, size);
    add_fill(text, spec, room - before);
}

/* sign: what stands before the digits. */
static void add_number(struct print_text *text, const struct metal_spec *spec, const char *sign, const char *digits,
                       bool finite)
{
    struct print_text number = {};
    struct metal_spec of = *spec;
    size_t length = strlen(sign) + strlen(digits);
    print_text_add(&number, sign, strlen(sign));
    for (size_t i = length; spec->zero && !spec->align && finite && i < spec->width; i++) {
        print_text_add(&number, "0", 1);
    }
    print_text_add(&number, digits, strlen(digits));
    if (!finite && of.fill[0] == '0') {
        of.fill[0] = ' ';
    }
    if (number.bytes) {
        add_aligned(text, &of, number.bytes, number.length, finite || spec->zero ? '>' : '<');
    }
    print_text_free(&number);
}

static const char *sign_of(const struct metal_spec *spec, bool negative)
{
    return negative ? "-" : spec->sign == '+' ? "+" : spec->sign == ' ' ? " " : "";
}

static void add_integer(struct print_text *text, const struct metal_value *value, const struct metal_spec *spec)
{
    bool negative = value->kind == METAL_INTEGER && value->integer < 0;
    uint64_t magnitude = negative ? -(uint64_t)value->integer : (uint64_t)value->integer;
    char sign[8], digits[72];
    const char *prefix = "";
    if (spec->type == 'c') {
        const char character = (char)value->integer;
        add_aligned(text, spec, &character, 1, '<');
        return;
    }
    if (spec->type == 'b' || spec->type == 'B') {
        unsigned bits = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 1;
        for (unsigned i = 0; i < bits; i++) {
            digits[i] = magnitude >> (bits - 1 - i) & 1 ? '1' : '0';
        }
        digits[bits] = 0;
        prefix = spec->type == 'b' ? "0b" : "0B";
    } else if (spec->type == 'x' || spec->type == 'X') {
        (void)snprintf(digits, sizeof digits, spec->type == 'x' ? "%llx" : "%llX", (unsigned long long)magnitude);
        prefix = spec->type == 'x' ? "0x" : "0X";
    } else if (spec->type == 'o') {
        (void)snprintf(digits, sizeof digits, "%llo", (unsigned long long)magnitude);
        prefix = magnitude ? "0" : "";
    } else {
        (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude);
    }
    (void)snprintf(sign, sizeof sign, "%s%s", sign_of(spec, negative), spec->alternate ? prefix : "");
    add_number(text, spec, sign, digits, true);
}

/* The fewest digits that say which value it is; with an exponent below 1e-4 and where digits would not be known. */
static void shortest(double value, bool single, char *digits, size_t size)
{
    enum { SINGLE_DIGITS = 9, DOUBLE_DIGITS = 17 };
    int precision = 1, most = single ? SINGLE_DIGITS : DOUBLE_DIGITS;
    for (; precision < most; precision++) {
        (void)snprintf(digits, size, "%.*e", precision - 1, value);
        double read = single ? (double)strtof(digits, NULL) : strtod(digits, NULL);
        if (read == value) {
            break;
        }
    }
    (void)snprintf(digits, size, "%.*e", precision - 1, value);
    int exponent = atoi(strchr(digits, 'e') + 1), limit = single ? 7 : 16;
    if (exponent >= -4 && exponent < limit) {
        int decimals = precision - 1 - exponent;
        (void)snprintf(digits, size, "%.*f", decimals > 0 ? decimals : 0, value);
    }
}

static void add_float(struct print_text *text, const struct metal_value *value, const struct metal_spec *spec)
{
    char digits[MOST_WIDTH + 400], format[] = {'%', '.', '*', spec->type, 0};
    double magnitude = fabs(value->number);
    if (!isfinite(magnitude)) {
        bool upper = spec->type && strchr("AEFG", spec->type);
        (void)snprintf(digits, sizeof digits, "%s", isnan(magnitude) ? (upper ? "NAN" : "nan") : upper ? "INF" : "inf");
    } else if (spec->type && strchr("aA", spec->type)) {
        (void)snprintf(digits, sizeof digits, spec->type == 'a' ? "%a" : "%A", magnitude);
    } else if (spec->type && strchr("eEfFgG", spec->type)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(digits, sizeof digits, format, spec->precision < 0 ? 6 : spec->precision, magnitude);
#pragma GCC diagnostic pop
    } else if (spec->precision >= 0) {
        (void)snprintf(digits, sizeof digits, "%.*g", spec->precision, magnitude);
    } else {
        shortest(magnitude, value->single, digits, sizeof digits);
    }
    add_number(text, spec, sign_of(spec, signbit(value->number) != 0), digits, isfinite(magnitude));
}

void metal_add_value(struct print_text *text, const struct metal_value *value, const struct metal_spec *spec)
{
    char address[24];
    switch (value->kind) {
    case METAL_FLOAT: add_float(text, value, spec); break;
    case METAL_BOOL:
        if (spec->type && spec->type != 's') {
            add_integer(text, value, spec);
        } else {
            add_aligned(text, spec, value->integer ? "true" : "false", value->integer ? 4 : 5, '<');
        }
        break;
    case METAL_ADDRESS:
        (void)snprintf(address, sizeof address, "0x%llx", (unsigned long long)value->integer);
        add_aligned(text, spec, address, strlen(address), '>');
        break;
    default: add_integer(text, value, spec); break;
    }
}

/* Messages. */

/* "{0,I:#x}", or "{0,/e_I_name::of::an::enum}". */
struct placeholder {
    unsigned place;
    char type;
    const char *enumeration; /* not null: of that name, with so many bytes */
    unsigned enumeration_size;
    bool flags; /* several enumerators may make a value */
    struct metal_spec spec;
    const char *end;
};

static bool parse_placeholder(const char *at, struct placeholder *placeholder)
{
    *placeholder = (struct placeholder){.spec = {.fill = " ", .precision = -1}};
    at++;
    if (!is_digit(*at)) {
        return false;
    }
    placeholder->place = parse_number(&at);
    if (*at++ != ',' || !(placeholder->type = *at++) || placeholder->place >= MOST_ARGUMENTS) {
        return false;
    }
    if (placeholder->type == '/') {
        if ((*at != 'e' && *at != 'E') || at[1] != '_' || !at[2] || at[3] != '_') {
            return false;
        }
        placeholder->flags = *at == 'E';
        placeholder->type = at[2];
        placeholder->enumeration = at += 4;
        while (*at && *at != '}' && (*at != ':' || at[1] == ':')) {
            at += *at == ':' ? 2 : 1;
        }
        placeholder->enumeration_size = (unsigned)(at - placeholder->enumeration);
    }
    if (*at == ':') {
        at = parse_spec(at + 1, &placeholder->spec);
    }
    placeholder->end = at + 1;
    return *at == '}';
}

/* Bytes of an argument at `bytes`; 0: the type is not known, or says itself how many it has and does not. */
static unsigned size_of(char type, const uint8_t *bytes, unsigned left)
{
    switch (type) {
    case 'b':
    case 'B':
    case '?': return 1;
    case 'h':
    case 'H':
    case 'e':
    case 'E':
    case 'w': return 2;
    case 'i':
    case 'I':
    case 'f':
    case 'p':
    case 's': return 4;
    case 'q':
    case 'Q':
    case 'd': return 8;
    case 't': return left >= METAL_SLICE_HEAD ? METAL_SLICE_HEAD + bytes[METAL_SLICE_HEAD - 1] : 0;
    case 'A': return left >= 4 ? 4 + 4 * (metal_word(bytes) >> 16) : 0;
    default: return 0;
    }
}

static struct metal_value value_of(char type, const uint8_t *bytes)
{
    uint64_t bits = 0;
    float single;
    double number;
    memcpy(&bits, bytes, size_of(type, bytes, 0));
    switch (type) {
    case 'b': return metal_integer((int8_t)bits);
    case 'h': return metal_integer((int16_t)bits);
    case 'i': return metal_integer((int32_t)bits);
    case 'q': return metal_integer((int64_t)bits);
    case 'f': memcpy(&single, bytes, sizeof single); return metal_single(single);
    case 'd': memcpy(&number, bytes, sizeof number); return (struct metal_value){.kind = METAL_FLOAT, .number = number};
    case 'w':
        bits <<= 16;
        memcpy(&single, &bits, sizeof single);
        return metal_single(single);
    case 'E': return metal_single(metal_block_value(8, (unsigned)(bits >> 8), bits & 0xff));
    case 'e': return metal_single(metal_block_value(4, bits >> 8 & 0xf, bits & 0xff));
    case '?': return (struct metal_value){.kind = METAL_BOOL, .integer = bits != 0};
    case 'p': return (struct metal_value){.kind = METAL_ADDRESS, .integer = (int64_t)bits};
    default: return (struct metal_value){.kind = METAL_UNSIGNED, .integer = (int64_t)bits};
    }
}

/* A text of the program, or of the core's memory. */
static void add_string(struct print_text *text, const struct metal_spec *spec, uint32_t address,
                       const struct metal_format_list *list, const struct print_memory *memory)
{
    struct print_text string = {};
    const char *known = list ? metal_format_text(list, address) : NULL;
    if (known) {
        print_text_add(&string, known, strlen(known));
    } else if (!print_add_string(&string, memory, address, LONGEST_STRING)) {
        print_text_complain(&string, "no text at 0x%x", address);
    }
    if (string.bytes) {
        size_t size = spec->precision >= 0 && (size_t)spec->precision < string.length && !string.wrong
                          ? (size_t)spec->precision
                          : string.length;
        add_aligned(text, spec, string.bytes, size, '<');
    }
    text->wrong |= string.wrong;
    print_text_free(&string);
}

/* The name of a value, or its number. # asks for the name of the enumeration, too. */
static void add_enumeration(struct print_text *text, const struct placeholder *placeholder,
                            const struct metal_value *value, const struct metal_format_list *list)
{
    const struct metal_enumeration *enumeration =
        list ? metal_format_enumeration(list, placeholder->enumeration, placeholder->enumeration_size) : NULL;
    struct print_text name = {};
    if (enumeration) {
        metal_enumeration_add(&name, enumeration, value->integer, placeholder->flags, placeholder->spec.alternate);
    } else {
        print_text_addf(&name, "(%.*s)%lld", (int)placeholder->enumeration_size, placeholder->enumeration,
                        (long long)value->integer);
    }
    if (name.bytes) {
        add_aligned(text, &placeholder->spec, name.bytes, name.length, '<');
    }
    print_text_free(&name);
}

static void add_array(struct print_text *text, const struct metal_spec *spec, const uint8_t *bytes)
{
    uint32_t head = metal_word(bytes);
    for (unsigned i = 0; i < head >> 16; i++) {
        metal_add_registers(text, metal_word(bytes + 4 + 4 * i), head & 0xffff, spec->width);
    }
}

static void add_argument(struct print_text *text, const struct placeholder *placeholder, const uint8_t *bytes,
                         unsigned size, const struct metal_format_list *list, const struct print_memory *memory)
{
    if (placeholder->type == 's') {
        add_string(text, &placeholder->spec, metal_word(bytes), list, memory);
    } else if (placeholder->type == 't') {
        metal_add_slice(text, bytes, size, &placeholder->spec);
    } else if (placeholder->type == 'A') {
        add_array(text, &placeholder->spec, bytes);
    } else {
        struct metal_value value = value_of(placeholder->type, bytes);
        if (placeholder->enumeration) {
            add_enumeration(text, placeholder, &value, list);
        } else {
            metal_add_value(text, &value, &placeholder->spec);
        }
    }
}

/* Where the arguments are: one behind the other, in the order of their places. */
struct arguments {
    unsigned count;
    char type[MOST_ARGUMENTS];                         /* 0: the format does not say */
    unsigned at[MOST_ARGUMENTS], size[MOST_ARGUMENTS]; /* size 0: it is not there */
    unsigned placeholders;                             /* more than MOST_ARGUMENTS are not listed: */
    uint8_t place[MOST_ARGUMENTS];                     /* the places that they name */
};

static bool find_types(const char *format, struct arguments *arguments)
{
    struct placeholder placeholder;
    while (*format) {
        if ((format[0] == '{' || format[0] == '}') && format[1] == format[0]) {
            format += 2;
        } else if (*format == '{') {
            if (!parse_placeholder(format, &placeholder)) {
                return false;
            }
            unsigned needed = placeholder.place + 1;
            arguments->count = needed > arguments->count ? needed : arguments->count;
            arguments->type[placeholder.place] = placeholder.type;
            if (arguments->placeholders < MOST_ARGUMENTS) {
                arguments->place[arguments->placeholders] = (uint8_t)placeholder.place;
            }
            arguments->placeholders++;
            format = placeholder.end;
        } else {
            format++;
        }
    }
    return true;
}

/* Larger arguments come before smaller ones. true, too, if some say themselves how large they are. */
static bool are_sorted(const char *types, unsigned count)
{
    bool sorted = true, known = true;
    for (unsigned i = 0; i < count; i++) {
        known &= size_of(types[i], NULL, 0) > 0;
        sorted &= i == 0 || size_of(types[i - 1], NULL, 0) >= size_of(types[i], NULL, 0);
    }
    return sorted || !known;
}

/* Compilers' headers of April 2026 have the numbers the wrong way round: the k-th placeholder names the argument in the
   k-th place, not the place of the k-th argument. It shows where sizes are not sorted but would be. */
static void straighten(struct arguments *arguments)
{
    unsigned count = arguments->count;
    char types[MOST_ARGUMENTS] = {};
    uint8_t places[MOST_ARGUMENTS];
    uint64_t named = 0;
    if (arguments->placeholders != count || are_sorted(arguments->type, count)) {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned argument = arguments->place[i];
        named |= UINT64_C(1) << argument;
        places[argument] = (uint8_t)i;
        types[i] = arguments->type[arguments->place[argument]];
    }
    if (named == UINT64_MAX >> (64 - count) && are_sorted(types, count)) {
        memcpy(arguments->type, types, sizeof types);
        memcpy(arguments->place, places, count);
    }
}

static void find_arguments(struct arguments *arguments, const uint8_t *bytes, unsigned size)
{
    unsigned at = 0;
    for (unsigned i = 0; i < arguments->count; i++) {
        unsigned its = at < size ? size_of(arguments->type[i], bytes + at, size - at) : 0;
        if (its == 0 || its > size - at) {
            break;
        }
        arguments->at[i] = at;
        arguments->size[i] = its;
        at += its;
    }
}

void metal_add_message(struct print_text *text, const char *format, const uint8_t *bytes, unsigned size,
                       const struct metal_format_list *list, const struct print_memory *memory)
{
    struct arguments arguments = {};
    struct placeholder placeholder;
    if (!find_types(format, &arguments)) {
        print_text_complain(text, "no format: \"%.200s\"", format);
        print_text_add(text, "\n", 1);
        return;
    }
    straighten(&arguments);
    find_arguments(&arguments, bytes, size);
    for (unsigned number = 0; *format;) {
        size_t plain = strcspn(format, "{}");
        print_text_add(text, format, plain);
        format += plain;
        if (*format && format[1] == *format) {
            print_text_add(text, format, 1);
            format += 2;
        } else if (*format == '{' && parse_placeholder(format, &placeholder)) {
            unsigned place = number < MOST_ARGUMENTS ? arguments.place[number] : placeholder.place;
            number++;
            if (arguments.size[place]) {
                add_argument(text, &placeholder, bytes + arguments.at[place], arguments.size[place], list, memory);
            } else {
                print_text_complain(text, "%.*s: no argument", (int)(placeholder.end - format), format);
            }
            format = placeholder.end;
        } else if (*format) {
            print_text_add(text, format++, 1);
        }
    }
}
