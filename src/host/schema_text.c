#include "host/schema_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

enum { QUOTED = 60, NAME = 32 };

static const char *name_of(const struct schema_value *value, unsigned index)
{
    return value->kind == SCHEMA_MAP ? value->keys[index].name : value->names[index].name;
}

static void add_names(struct text *text, const struct schema_value *value)
{
    for (unsigned i = 0; i < value->count; i++) {
        text_add(text, "%s%s", i ? ", " : "", name_of(value, i));
    }
}

/* Small numbers are decimal. */
static void add_bound(struct text *text, uint64_t bound)
{
    text_add(text, bound < 0x10000 ? "%" PRIu64 : "0x%" PRIx64, bound);
}

static void add_range(struct text *text, const struct schema_value *value)
{
    add_bound(text, value->least);
    if (value->most != value->least) {
        text_add(text, " to ");
        add_bound(text, value->most);
    }
}

/* How many a list may hold. */
static void add_length(struct text *text, const struct schema_value *list)
{
    if (list->most == UINT32_MAX) {
        text_add(text, list->least ? "%" PRIu64 " or more" : "any number of", list->least);
    } else {
        add_range(text, list);
    }
}

static void add_allowed(struct text *text, const struct schema_value *value)
{
    switch (value->kind) {
    case SCHEMA_NUMBER:
        text_add(text, "a whole number from ");
        add_range(text, value);
        if (value->multiple) {
            text_add(text, ", a multiple of %u", value->multiple);
        }
        text_add(text, ", written as 16 or 0x10");
        break;
    case SCHEMA_REAL: text_add(text, "a number that is not negative"); break;
    case SCHEMA_TEXT: text_add(text, "a text"); break;
    case SCHEMA_PATH: text_add(text, "the path of a file"); break;
    case SCHEMA_NAME:
        text_add(text, "one of ");
        add_names(text, value);
        break;
    case SCHEMA_LIST:
        text_add(text, "a list of ");
        add_length(text, value);
        text_add(text, ", each ");
        add_allowed(text, value->item);
        break;
    case SCHEMA_MAP:
        text_add(text, "a mapping with keys from ");
        add_names(text, value);
        break;
    case SCHEMA_TABLE:
        text_add(text, "a mapping from numbers, each to ");
        add_allowed(text, value->item);
        break;
    }
}

struct schema_words schema_allowed(const struct schema_value *value)
{
    struct schema_words words = {""};
    struct text text = {.buffer = words.text, .size = sizeof words.text};
    add_allowed(&text, value);
    return words;
}

struct schema_words schema_names(const struct schema_value *value)
{
    struct schema_words words = {""};
    struct text text = {.buffer = words.text, .size = sizeof words.text};
    add_names(&text, value);
    return words;
}

struct schema_words schema_quoted(const char *text, size_t length)
{
    struct schema_words words = {""};
    size_t shown = length < QUOTED ? length : QUOTED;
    while (shown < length && shown && (text[shown] & 0xc0) == 0x80) { /* not within a character of UTF-8 */
        shown--;
    }
    int end = snprintf(words.text, sizeof words.text, "'%.*s", (int)shown, text);
    snprintf(words.text + 1 + shown, sizeof words.text - 1 - shown, "%s'", shown < length ? "..." : "");
    for (int i = 1; i < 1 + (int)shown; i++) { /* what has a zero byte ends early */
        unsigned char byte = (unsigned char)words.text[i];
        words.text[i] = (char)(i >= end || byte < ' ' || byte == 0x7f ? '?' : byte);
    }
    return words;
}

/* How many characters are to be inserted, deleted or replaced to make a name of a text; capitals do not matter. */
static unsigned distance(const char *from, const char *to)
{
    unsigned row[NAME + 1];
    size_t length = strlen(to);
    for (unsigned j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (unsigned i = 0; from[i]; i++) {
        unsigned diagonal = row[0];
        row[0] = i + 1;
        for (unsigned j = 0; j < length; j++) {
            unsigned replaced = diagonal + (tolower((unsigned char)from[i]) != tolower((unsigned char)to[j]));
            unsigned other = 1 + (row[j] < row[j + 1] ? row[j] : row[j + 1]);
            diagonal = row[j + 1];
            row[j + 1] = replaced < other ? replaced : other;
        }
    }
    return row[length];
}

/* Whether somebody may have meant a name by a text: it begins with the same letter, or is a part of it. */
static bool resembles(const char *name, const char *text, unsigned apart)
{
    size_t longer = strlen(name) > strlen(text) ? strlen(name) : strlen(text);
    bool related = tolower((unsigned char)name[0]) == tolower((unsigned char)text[0]) || strstr(name, text);
    return related && 2 * apart <= longer + 1;
}

struct schema_words schema_suggestion(const struct schema_value *value, const char *text)
{
    struct schema_words words = {""};
    unsigned nearest = NAME;
    for (unsigned i = 0; *text && strlen(text) <= NAME && i < value->count; i++) {
        const char *name = name_of(value, i);
        unsigned apart = strlen(name) <= NAME ? distance(text, name) : NAME;
        if (apart < nearest && resembles(name, text, apart)) {
            nearest = apart;
            snprintf(words.text, sizeof words.text, "; did you mean %s?", name);
        }
    }
    return words;
}
