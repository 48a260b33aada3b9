/* Where a dump goes: the same calls write text for people, or JSON (docs/dump.md). A dump has sections with a name,
   which have members: values, words, tables, matrices of numbers, and sections in turn. In text a section is a heading
   with its members indented; the columns of a table are as wide as they need be. */
#ifndef BHEMU_INSPECT_OUT_H
#define BHEMU_INSPECT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "inspect/formats.h"
#include "util/json.h"

enum { OUT_COLUMNS = 24 };

struct out_cell {
    enum { OUT_NOTHING, OUT_UNSIGNED, OUT_HEX, OUT_TEXT } kind;
    uint8_t digits; /* OUT_HEX */
    uint64_t number;
    char *text; /* OUT_TEXT: owned */
};

struct out {
    FILE *file;
    bool as_json, failed; /* no memory */
    struct json json;
    unsigned depth, in_line; /* text: nested sections, values in the line so far */
    /* The table that is written: it is known as a whole when it ends. */
    const char *columns[OUT_COLUMNS];
    struct out_cell *cells;
    size_t cell_count, cell_room;
    unsigned column_count;
};

/* A section; name null: an element of a list. In text its heading is `title`, or the name. */
void out_begin(struct out *out, const char *name, const char *title, ...) __attribute__((format(printf, 3, 4)));
void out_end(struct out *out);

/* A list of sections. In text only these are seen. */
void out_begin_list(struct out *out, const char *name);
void out_end_list(struct out *out);

/* Values, in text a line each. */
void out_text(struct out *out, const char *name, const char *text); /* null: there is none */
void out_number(struct out *out, const char *name, uint64_t number);
void out_hex(struct out *out, const char *name, uint64_t number, unsigned digits);
void out_bool(struct out *out, const char *name, bool value);

/* Words under names, in text several in a line: an object of numbers in JSON. */
void out_begin_words(struct out *out, const char *name);
void out_word(struct out *out, const char *name, uint64_t word, unsigned digits);
void out_end_words(struct out *out);

/* A table: rows of a cell for each column. In JSON a list of objects. */
void out_begin_table(struct out *out, const char *name, const char *const *columns, unsigned count);
void out_cell_text(struct out *out, const char *text);
void out_cell_number(struct out *out, uint64_t number);
void out_cell_hex(struct out *out, uint64_t number, unsigned digits);
void out_cell_nothing(struct out *out);
void out_end_table(struct out *out);

/* A line of text that JSON does not have. */
void out_note(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A row of a matrix; in text behind its label. */
void out_row(struct out *out, const char *label, const double *values, unsigned count, enum dump_type type);

#endif
