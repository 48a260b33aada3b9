#include "inspect/out.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, WORDS_IN_LINE = 4, WORD_NAME = 8 };

static void indent(struct out *out)
{
    fprintf(out->file, "%*s", (int)(out->depth * INDENT), "");
}

static void name_of(struct out *out, const char *name)
{
    if (name) {
        json_name(&out->json, name);
    }
}

void out_begin(struct out *out, const char *name, const char *title, ...)
{
    if (out->as_json) {
        name_of(out, name);
        json_begin_object(&out->json);
        return;
    }
    va_list arguments;
    va_start(arguments, title);
    indent(out);
    if (title) {
        vfprintf(out->file, title, arguments);
    } else {
        fputs(name, out->file);
    }
    fputc('\n', out->file);
    va_end(arguments);
    out->depth++;
}

void out_end(struct out *out)
{
    if (out->as_json) {
        json_end_object(&out->json);
    } else {
        out->depth--;
    }
}

void out_begin_list(struct out *out, const char *name)
{
    if (out->as_json) {
        name_of(out, name);
        json_begin_array(&out->json);
    }
}

void out_end_list(struct out *out)
{
    if (out->as_json) {
        json_end_array(&out->json);
    }
}

void out_text(struct out *out, const char *name, const char *text)
{
    if (out->as_json) {
        json_name(&out->json, name);
        json_text(&out->json, text);
    } else if (text) {
        indent(out);
        fprintf(out->file, "%s %s\n", name, text);
    }
}

void out_number(struct out *out, const char *name, uint64_t number)
{
    if (out->as_json) {
        json_name(&out->json, name);
        json_unsigned(&out->json, number);
    } else {
        indent(out);
        fprintf(out->file, "%s %" PRIu64 "\n", name, number);
    }
}

void out_hex(struct out *out, const char *name, uint64_t number, unsigned digits)
{
    if (out->as_json) {
        out_number(out, name, number);
    } else {
        indent(out);
        fprintf(out->file, "%s 0x%0*" PRIx64 "\n", name, (int)digits, number);
    }
}

void out_bool(struct out *out, const char *name, bool value)
{
    if (out->as_json) {
        json_name(&out->json, name);
        json_bool(&out->json, value);
    } else {
        out_text(out, name, value ? "yes" : "no");
    }
}

/* Words. */

void out_begin_words(struct out *out, const char *name)
{
    if (out->as_json) {
        json_name(&out->json, name);
        json_begin_object(&out->json);
    } else {
        indent(out);
        fprintf(out->file, "%s\n", name);
        out->depth++;
        out->in_line = 0;
    }
}

void out_word(struct out *out, const char *name, uint64_t word, unsigned digits)
{
    if (out->as_json) {
        out_number(out, name, word);
        return;
    }
    if (out->in_line == WORDS_IN_LINE) {
        fputc('\n', out->file);
        out->in_line = 0;
    }
    if (out->in_line++ == 0) {
        indent(out);
    } else {
        fputs("  ", out->file);
    }
    fprintf(out->file, "%-*s 0x%0*" PRIx64, WORD_NAME, name, (int)digits, word);
}

void out_end_words(struct out *out)
{
    if (out->as_json) {
        json_end_object(&out->json);
        return;
    }
    if (out->in_line) {
        fputc('\n', out->file);
    }
    out->in_line = 0;
    out->depth--;
}

/* Tables. */

void out_begin_table(struct out *out, const char *name, const char *const *columns, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        out->columns[i] = columns[i];
    }
    out->column_count = count;
    out->cell_count = 0;
    if (out->as_json) {
        json_name(&out->json, name);
        json_begin_array(&out->json);
    } else {
        indent(out);
        fprintf(out->file, "%s\n", name);
    }
}

static void write_cell(struct out *out, const struct out_cell *cell)
{
    switch (cell->kind) {
    case OUT_NOTHING: json_null(&out->json); break;
    case OUT_TEXT: json_text(&out->json, cell->text); break;
    default: json_unsigned(&out->json, cell->number); break;
    }
}

static void add_cell(struct out *out, struct out_cell cell)
{
    if (out->as_json) {
        unsigned column = (unsigned)(out->cell_count++ % out->column_count);
        if (column == 0) {
            json_begin_object(&out->json);
        }
        json_name(&out->json, out->columns[column]);
        write_cell(out, &cell);
        if (column + 1 == out->column_count) {
            json_end_object(&out->json);
        }
        return;
    }
    if (out->cell_count == out->cell_room) {
        size_t room = out->cell_room ? 2 * out->cell_room : 256;
        struct out_cell *more = realloc(out->cells, room * sizeof *more);
        if (!more) {
            out->failed = true;
            return;
        }
        out->cells = more;
        out->cell_room = room;
    }
    if (cell.kind == OUT_TEXT && !(cell.text = strdup(cell.text))) {
        out->failed = true;
        return;
    }
    out->cells[out->cell_count++] = cell;
}

void out_cell_text(struct out *out, const char *text)
{
    if (text) {
        add_cell(out, (struct out_cell){.kind = OUT_TEXT, .text = (char *)text});
    } else {
        out_cell_nothing(out);
    }
}

void out_cell_number(struct out *out, uint64_t number)
{
    add_cell(out, (struct out_cell){.kind = OUT_UNSIGNED, .number = number});
}

void out_cell_hex(struct out *out, uint64_t number, unsigned digits)
{
    add_cell(out, (struct out_cell){.kind = OUT_HEX, .number = number, .digits = (uint8_t)digits});
}

void out_cell_nothing(struct out *out)
{
    add_cell(out, (struct out_cell){.kind = OUT_NOTHING});
}

/* The text of a cell; a number's is put into `room`. */
static const char *text_of(const struct out_cell *cell, char *room, size_t size)
{
    switch (cell->kind) {
    case OUT_NOTHING: return "-";
    case OUT_TEXT: return cell->text;
    case OUT_HEX: (void)snprintf(room, size, "0x%0*" PRIx64, cell->digits, cell->number); return room;
    default: (void)snprintf(room, size, "%" PRIu64, cell->number); return room;
    }
}

/* A column is as wide as its longest cell; a cell with more than this, as an instruction of many fields, moves the rest
   of its row to the right, but not those of all rows. */
enum { WIDEST = 80 };

static int width_of(const struct out *out, unsigned column)
{
    char room[40];
    size_t width = strlen(out->columns[column]);
    for (size_t i = column; i < out->cell_count; i += out->column_count) {
        size_t length = strlen(text_of(&out->cells[i], room, sizeof room));
        width = length > width && length <= WIDEST ? length : width;
    }
    return (int)width;
}

static void print_table(struct out *out)
{
    int widths[OUT_COLUMNS];
    unsigned last = out->column_count - 1;
    if (out->column_count == 0) {
        return;
    }
    for (unsigned i = 0; i < out->column_count; i++) {
        widths[i] = width_of(out, i);
        fprintf(out->file, "%*s%-*s", i ? INDENT : (int)((out->depth + 1) * INDENT), "", i < last ? widths[i] : 0,
                out->columns[i]);
    }
    fputc('\n', out->file);
    for (size_t i = 0; i < out->cell_count; i++) {
        char room[40];
        unsigned column = (unsigned)(i % out->column_count);
        fprintf(out->file, "%*s%-*s%s", column ? INDENT : (int)((out->depth + 1) * INDENT), "",
                column < last ? widths[column] : 0, text_of(&out->cells[i], room, sizeof room),
                column < last ? "" : "\n");
    }
}

void out_end_table(struct out *out)
{
    if (out->as_json) {
        json_end_array(&out->json);
    } else if (out->cell_count) {
        print_table(out);
    } else {
        out->depth++;
        out_note(out, "none");
        out->depth--;
    }
    for (size_t i = 0; !out->as_json && i < out->cell_count; i++) {
        free(out->cells[i].kind == OUT_TEXT ? out->cells[i].text : NULL);
    }
    free(out->cells);
    out->cells = NULL;
    out->cell_count = out->cell_room = 0;
}

/* Matrices. */

void out_note(struct out *out, const char *format, ...)
{
    if (out->as_json) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    indent(out);
    vfprintf(out->file, format, arguments);
    fputc('\n', out->file);
    va_end(arguments);
}

static void write_value(struct out *out, double value, enum dump_type type)
{
    switch (dump_kind_of(type)) {
    case DUMP_FLOAT: json_double(&out->json, value); break;
    case DUMP_SIGNED: json_signed(&out->json, (int64_t)value); break;
    default: json_unsigned(&out->json, (uint64_t)value); break;
    }
}

/* With as few digits as tell it apart; `most` always do. */
static void print_float(struct out *out, double value, int most)
{
    enum { FEW = 6, BESIDES_DIGITS = 6 /* sign, point, exponent */ };
    char text[40];
    int digits = most < FEW ? most : FEW;
    do {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
    } while (digits++ < most && (float)strtod(text, NULL) != (float)value);
    fprintf(out->file, " %*s", most + BESIDES_DIGITS, text);
}

static void print_value(struct out *out, double value, enum dump_type type)
{
    int digits = (int)dump_digits(type);
    switch (dump_kind_of(type)) {
    case DUMP_FLOAT: print_float(out, value, digits); break;
    case DUMP_BITS: fprintf(out->file, " %0*" PRIx64, digits, (uint64_t)value); break;
    default: fprintf(out->file, " %*.0f", dump_is_wide(type) ? 11 : 6, value); break;
    }
}

void out_row(struct out *out, const char *label, const double *values, unsigned count, enum dump_type type)
{
    if (out->as_json) {
        json_begin_array(&out->json);
    } else {
        indent(out);
        fputs(label, out->file);
    }
    for (unsigned i = 0; i < count; i++) {
        if (out->as_json) {
            write_value(out, values[i], type);
        } else {
            print_value(out, values[i], type);
        }
    }
    if (out->as_json) {
        json_end_array(&out->json);
    } else {
        fputc('\n', out->file);
    }
}
