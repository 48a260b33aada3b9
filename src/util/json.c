#include "util/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* A file belongs to one thread while JSON is written to it. */
static void put(char c, FILE *file)
{
    (void)putc_unlocked(c, file);
}

/* What stands before a value or the name of a member. */
static void separate(struct json *json)
{
    if (json->member) {
        json->member = false;
        return;
    }
    if (json->depth == 0) {
        return;
    }
    bool *has_values = &json->has_values[json->depth - 1];
    if (*has_values) {
        put(',', json->file);
    }
    if (json->lines && json->depth == 1) {
        put('\n', json->file);
    }
    *has_values = true;
}

static void begin(struct json *json, char bracket)
{
    separate(json);
    put(bracket, json->file);
    assert(json->depth < JSON_DEPTH);
    json->has_values[json->depth++] = false;
}

static void end(struct json *json, char bracket)
{
    bool has_values = json->has_values[--json->depth];
    if (json->lines && json->depth == 0 && has_values) {
        put('\n', json->file);
    }
    put(bracket, json->file);
}

void json_begin_object(struct json *json)
{
    begin(json, '{');
}

void json_end_object(struct json *json)
{
    end(json, '}');
}

void json_begin_array(struct json *json)
{
    begin(json, '[');
}

void json_end_array(struct json *json)
{
    end(json, ']');
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

static void write_text(FILE *file, const char *text)
{
    put('"', file);
    while (*text) {
        size_t plain = 0;
        while (is_plain((unsigned char)text[plain])) {
            plain++;
        }
        (void)fwrite_unlocked(text, 1, plain, file);
        text += plain;
        if (*text == '"' || *text == '\\') {
            put('\\', file);
            put(*text++, file);
        } else if (*text) {
            fprintf(file, "\\u%04x", (unsigned char)*text++);
        }
    }
    put('"', file);
}

void json_name(struct json *json, const char *name)
{
    separate(json);
    write_text(json->file, name);
    put(':', json->file);
    json->member = true;
}

void json_text(struct json *json, const char *text)
{
    if (!text) {
        json_null(json);
        return;
    }
    separate(json);
    write_text(json->file, text);
}

void json_format(struct json *json, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_text(json, text);
}

void json_unsigned(struct json *json, uint64_t value)
{
    char digits[20];
    unsigned first = sizeof digits;
    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    separate(json);
    (void)fwrite_unlocked(digits + first, 1, sizeof digits - first, json->file);
}

void json_signed(struct json *json, int64_t value)
{
    separate(json);
    fprintf(json->file, "%" PRId64, value);
}

void json_bool(struct json *json, bool value)
{
    separate(json);
    fputs(value ? "true" : "false", json->file);
}

void json_null(struct json *json)
{
    separate(json);
    fputs("null", json->file);
}

void json_double(struct json *json, double value)
{
    if (!isfinite(value)) {
        json_text(json, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    separate(json);
    fputs(text, json->file);
}
