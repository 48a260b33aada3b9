/* Writing JSON (RFC 8259) as it comes: values one after the other, commas between them by themselves. Text is UTF-8;
   control characters in it are escaped. */
#ifndef BHEMU_UTIL_JSON_H
#define BHEMU_UTIL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 64 };

struct json {
    FILE *file;
    unsigned depth;
    bool lines;                  /* each element of the outermost array or object on a line of its own */
    bool member;                 /* the name of a member was written: its value comes next */
    bool has_values[JSON_DEPTH]; /* of the arrays and objects that are open */
};

/* Errors of the file show in ferror(). */
static inline struct json json_to(FILE *file)
{
    return (struct json){.file = file};
}

void json_begin_object(struct json *json);
void json_end_object(struct json *json);
void json_begin_array(struct json *json);
void json_end_array(struct json *json);

/* The name of the member whose value comes next. */
void json_name(struct json *json, const char *name);

void json_text(struct json *json, const char *text);                                                /* null: null */
void json_format(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3))); /* a text */
void json_unsigned(struct json *json, uint64_t value);
void json_signed(struct json *json, int64_t value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

/* The shortest decimal number that is read back as the same double. JSON has no infinities and NaN: they are the texts
   "inf", "-inf", "nan". */
void json_double(struct json *json, double value);

#endif
