#include "isa/tensix_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/tensix_config_names.h"
#include "isa/tensix_table.h"
#include "util/text.h"

static void put_mnemonic(struct text *text, const char *name)
{
    text_add(text, "tt");
    for (; *name; name++) {
        if (*name != '_') {
            text_add(text, "%c", tolower((unsigned char)*name));
        }
    }
}

static void put_compact(struct text *text, const struct tensix_instruction *instruction, uint32_t word)
{
    unsigned count = instruction->argument_count;
    for (unsigned i = count; i < instruction->field_count; i++) {
        if (tensix_field_get(&instruction->fields[i], word)) {
            count = i + 1;
        }
    }
    put_mnemonic(text, instruction->name);
    for (unsigned i = 0; i < count; i++) {
        text_add(text, "%c%u", i ? ',' : ' ', tensix_field_get(&instruction->fields[i], word));
    }
}

static void put_fields(struct text *text, const struct tensix_instruction *instruction, uint32_t word)
{
    text_add(text, "%s", instruction->name);
    const char *separator = " ";
    for (unsigned i = 0; i < instruction->field_count; i++) {
        const struct tensix_field *field = &instruction->fields[i];
        uint32_t value = tensix_field_get(field, word);
        if (field->kind == TENSIX_FIELD_PLAIN || value) {
            text_add(text, "%s%s=%u", separator, field->name, value);
            separator = ", ";
        }
    }
}

size_t tensix_disassemble(uint32_t word, enum tensix_text form, char *buffer, size_t size)
{
    struct text text = {.buffer = buffer, .size = size};
    if (size) {
        *buffer = 0;
    }
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    if (!instruction || (word & instruction->reserved)) {
        text_add(&text, ".word 0x%08x", word);
        if (form & TENSIX_TEXT_COMMENT) {
            if (instruction) {
                text_add(&text, "  ; %s with reserved bits 0x%06x", instruction->name, word & instruction->reserved);
            } else {
                text_add(&text, "  ; no instruction has opcode 0x%02x", word >> 24);
            }
        }
        return text.length;
    }
    if (form & TENSIX_TEXT_COMPACT) {
        put_compact(&text, instruction, word);
    } else {
        put_fields(&text, instruction, word);
    }
    char names[TENSIX_TEXT_SIZE / 2];
    if ((form & TENSIX_TEXT_COMMENT) && tensix_config_names(word, names, sizeof names)) {
        text_add(&text, "  ; %s", names);
    }
    return text.length;
}

/* The assembler's position in its input, and the destination of errors. */
struct reader {
    const char *text;
    const char *at;
    struct tensix_text_error *error;
};

__attribute__((format(printf, 3, 4))) static bool fail(struct reader *reader, const char *at, const char *format, ...)
{
    reader->error->position = (size_t)(at - reader->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error->text, sizeof reader->error->text, format, arguments);
    va_end(arguments);
    return false;
}

static bool at_end(const char *at)
{
    return !*at || *at == ';' || *at == '#' || (at[0] == '/' && at[1] == '/');
}

static void skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at)) {
        reader->at++;
    }
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') {
        length++;
    }
    return length;
}

static unsigned digit_of(char c)
{
    return isdigit((unsigned char)c)    ? (unsigned)(c - '0')
           : isxdigit((unsigned char)c) ? (unsigned)(tolower(c) - 'a' + 10)
                                        : 99;
}

/* A number in decimal, 0x hexadecimal or 0b binary, of at most 32 bits. */
static bool read_number(struct reader *reader, uint32_t *value)
{
    const char *start = reader->at;
    size_t length = name_length(start);
    unsigned base = 10;
    size_t i = 0;
    if (length > 2 && start[0] == '0' && strchr("xXbB", start[1])) {
        base = start[1] == 'x' || start[1] == 'X' ? 16 : 2;
        i = 2;
    }
    uint64_t sum = 0;
    for (; i < length; i++) {
        if (digit_of(start[i]) >= base) {
            length = 0;
            break;
        }
        sum = sum * base + digit_of(start[i]);
        if (sum > UINT32_MAX) {
            return fail(reader, start, "a number of at most 32 bits expected");
        }
    }
    if (length == 0) {
        return fail(reader, start, "a number expected");
    }
    *value = (uint32_t)sum;
    reader->at = start + length;
    return true;
}

static bool read_value(struct reader *reader, const struct tensix_field *field, uint32_t *value)
{
    const char *start = reader->at;
    if (!read_number(reader, value)) {
        return false;
    }
    if (*value > tensix_field_max(field)) {
        return field->kind == TENSIX_FIELD_RESERVED ? fail(reader, start, "%s is reserved: 0 expected", field->name)
                                                    : fail(reader, start, "%s has %u bits: at most %u expected",
                                                           field->name, field->width, tensix_field_max(field));
    }
    return true;
}

static bool read_named(struct reader *reader, const struct tensix_instruction *instruction, uint32_t *values,
                       uint32_t *seen)
{
    const char *start = reader->at;
    size_t length = name_length(start);
    for (unsigned i = 0; i < instruction->field_count; i++) {
        const struct tensix_field *field = &instruction->fields[i];
        if (strlen(field->name) != length || strncmp(field->name, start, length) != 0) {
            continue;
        }
        if (*seen >> i & 1) {
            return fail(reader, start, "%s is given twice", field->name);
        }
        *seen |= 1u << i;
        reader->at = start + length;
        skip_blanks(reader);
        if (*reader->at != '=') {
            return fail(reader, reader->at, "'=' expected after %s", field->name);
        }
        reader->at++;
        skip_blanks(reader);
        return read_value(reader, field, &values[i]);
    }
    return fail(reader, start, "%s has no field '%.*s'", instruction->name, (int)length, start);
}

/* Operands up to `end` (a closing parenthesis, or 0: the end of the text). */
static bool read_operands(struct reader *reader, const struct tensix_instruction *instruction, char end,
                          uint32_t *values)
{
    bool named = false;
    unsigned count = 0;
    uint32_t seen = 0;
    skip_blanks(reader);
    while (!at_end(reader->at) && *reader->at != end) {
        const char *start = reader->at;
        if (count) {
            if (*start != ',') {
                return fail(reader, start, "',' or the end expected");
            }
            reader->at++;
            skip_blanks(reader);
            start = reader->at;
        }
        bool this_named = isalpha((unsigned char)*start) || *start == '_';
        if (count && this_named != named) {
            return fail(reader, start, "either all operands are named or none is");
        }
        named = this_named;
        if (!named && count == instruction->field_count) {
            return fail(reader, start, "%s takes %u operands", instruction->name, instruction->argument_count);
        }
        if (named ? !read_named(reader, instruction, values, &seen)
                  : !read_value(reader, &instruction->fields[count], &values[count])) {
            return false;
        }
        count++;
        skip_blanks(reader);
    }
    if (!named && count && count < instruction->argument_count) {
        return fail(reader, reader->at, "%s takes %u operands, %s expected next", instruction->name,
                    instruction->argument_count, instruction->fields[count].name);
    }
    if (!count && instruction->argument_count) {
        return fail(reader, reader->at, "%s takes %u operands, %s first", instruction->name,
                    instruction->argument_count, instruction->fields[0].name);
    }
    return true;
}

static bool read_end(struct reader *reader)
{
    skip_blanks(reader);
    return at_end(reader->at) || fail(reader, reader->at, "the end of the instruction expected");
}

bool tensix_assemble(const char *text, uint32_t *word, struct tensix_text_error *error)
{
    struct reader reader = {.text = text, .at = text, .error = error};
    skip_blanks(&reader);
    const char *start = reader.at;
    uint32_t value = 0;
    if (strncmp(start, ".word", 5) == 0 && isspace((unsigned char)start[5])) {
        reader.at += 5;
        skip_blanks(&reader);
        if (!read_number(&reader, &value) || !read_end(&reader)) {
            return false;
        }
        *word = value;
        return true;
    }
    size_t length = name_length(start);
    if (length == 0) {
        return fail(&reader, start, "an instruction expected");
    }
    const struct tensix_instruction *instruction = tensix_by_name_n(start, length);
    if (!instruction) {
        return fail(&reader, start, "no instruction is named '%.*s'", (int)(length < 64 ? length : 64), start);
    }
    reader.at += length;
    skip_blanks(&reader);
    char end = 0;
    if (*reader.at == '(') {
        end = ')';
        reader.at++;
    }
    uint32_t values[TENSIX_MAX_FIELDS] = {};
    if (!read_operands(&reader, instruction, end, values)) {
        return false;
    }
    if (end) {
        if (*reader.at != end) {
            return fail(&reader, reader.at, "')' expected");
        }
        reader.at++;
    }
    if (!read_end(&reader)) {
        return false;
    }
    *word = tensix_encode(instruction, values);
    return true;
}

bool tensix_text_is_blank(const char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return at_end(text);
}
