/* The page docs/formats.md while it is written: the formats, cells with the result of an instruction, and notes with
   the diagnostics. For tests/formats_test.c only. */
#ifndef BHEMU_TESTS_FORMATS_PAGE_H
#define BHEMU_TESTS_FORMATS_PAGE_H

#include <stdio.h>

#include "tensix/units/pack/fixture.h"

enum { PAGE_SIZE = 1 << 19, NOTES_MAX = 64 };

/* A format of L1 or of a register file, with its variant bit if it has one. */
struct kind {
    enum data_format format;
    bool variant; /* FP8: e4m3; INT8: unsigned */
    const char *name;
};

static const struct kind kinds[] = {
    {FORMAT_FP32, false, "FP32"},   {FORMAT_TF32, false, "TF32"},   {FORMAT_BF16, false, "BF16"},
    {FORMAT_FP16, false, "FP16"},   {FORMAT_FP8, false, "e5m2"},    {FORMAT_FP8, true, "e4m3"},
    {FORMAT_BFP8, false, "BFP8"},   {FORMAT_BFP4, false, "BFP4"},   {FORMAT_BFP2, false, "BFP2"},
    {FORMAT_BFP8A, false, "BFP8a"}, {FORMAT_BFP4A, false, "BFP4a"}, {FORMAT_BFP2A, false, "BFP2a"},
    {FORMAT_INT32, false, "INT32"}, {FORMAT_INT16, false, "INT16"}, {FORMAT_INT8, false, "INT8"},
    {FORMAT_INT8, true, "UINT8"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The formats that a register file or the packer's stages can be configured for: the kinds without variants. */
static inline bool is_register_kind(unsigned kind)
{
    return !kinds[kind].variant;
}

/* ---- the page ---- */

struct page {
    char text[PAGE_SIZE];
    size_t length;
    char notes[NOTES_MAX][1100];
    unsigned notes_count;
};

__attribute__((format(printf, 2, 3))) static inline void put(struct page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(page->text + page->length, PAGE_SIZE - page->length, format, arguments);
    va_end(arguments);
    page->length += (size_t)length;
    assert_true(page->length < PAGE_SIZE);
}

static inline bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static inline bool differs_by_cell(const char *word, size_t length)
{
    for (unsigned format = 0; format < FORMATS; format++) {
        const char *name = format_name((enum data_format)format);
        if (strlen(name) == length && memcmp(name, word, length) == 0) {
            return true;
        }
    }
    return word[0] >= '0' && word[0] <= '9';
}

/* The number of a diagnostic among the page's notes; differences in numbers and names of formats are ignored. */
static inline unsigned note_of(struct page *page, const struct bh_diagnostic *diagnostic)
{
    char note[1100];
    size_t length = (size_t)snprintf(note, sizeof note, "%s: ", bh_category_name(diagnostic->category));
    for (const char *at = diagnostic->text; *at;) {
        size_t word = 0;
        while (is_word(at[word])) {
            word++;
        }
        if (word && differs_by_cell(at, word)) {
            note[length++] = '#';
        } else {
            memcpy(note + length, at, word ? word : 1);
            length += word ? word : 1;
        }
        at += word ? word : 1;
    }
    note[length] = 0;
    for (unsigned i = 0; i < page->notes_count; i++) {
        if (strcmp(page->notes[i], note) == 0) {
            return i + 1;
        }
    }
    assert_true(page->notes_count < NOTES_MAX);
    strcpy(page->notes[page->notes_count], note);
    return ++page->notes_count;
}

/* The result of the last instruction: 0, or the note number of its diagnostic. */
static inline unsigned outcome(struct page *page, const struct fixture *f, enum step step)
{
    if (f->diagnostics.count) {
        return note_of(page, &f->diagnostics.entries[0]);
    }
    assert_int_equal(step, STEP_DONE);
    return 0;
}

static inline void put_outcome(struct page *page, unsigned note)
{
    if (note) {
        put(page, "(%u)", note);
    } else {
        put(page, "exact");
    }
}

static inline void put_cell(struct page *page, const struct fixture *f, enum step step)
{
    put(page, " ");
    put_outcome(page, outcome(page, f, step));
    put(page, " |");
}

static inline void put_rule(struct page *page, unsigned columns)
{
    put(page, "\n|---|");
    for (unsigned i = 0; i < columns; i++) {
        put(page, "---|");
    }
    put(page, "\n");
}

/* The head of a table that has one column for each format of the register files; `corner`: above its rows. */
static inline void put_format_columns(struct page *page, const char *corner)
{
    unsigned columns = 0;
    put(page, "| %s |", corner);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (is_register_kind(kind)) {
            put(page, " %s |", format_name(kinds[kind].format));
            columns++;
        }
    }
    put_rule(page, columns);
}

/* A coprocessor after reset that stops at every diagnostic. */
static inline void begin(struct fixture *f)
{
    tensix_reset(&f->state);
    f->diagnostics.count = 0;
    f->diagnostics.stopped = false;
    memset(f->diagnostics.warned, 0, sizeof f->diagnostics.warned);
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_STRICT);
}

#endif
