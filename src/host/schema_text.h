/* What is allowed, and what was found, in words. */
#ifndef BHEMU_HOST_SCHEMA_TEXT_H
#define BHEMU_HOST_SCHEMA_TEXT_H

#include "host/schema.h"

enum { SCHEMA_WORDS = 700 };

struct schema_words {
    char text[SCHEMA_WORDS];
};

/* "a whole number from 0 to 0xffffffff, ...", "one of rows, tiles", ... */
struct schema_words schema_allowed(const struct schema_value *value);

/* The names, or the keys, of a value: "rows, tiles". */
struct schema_words schema_names(const struct schema_value *value);

/* A text in quotes, cut off when it is long, on one line. */
struct schema_words schema_quoted(const char *text, size_t length);

/* "; did you mean bf16?" when one of the names of a value, or of the keys of a mapping, is nearly that; else "". */
struct schema_words schema_suggestion(const struct schema_value *value, const char *text);

#endif
