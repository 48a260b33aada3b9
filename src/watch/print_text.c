#include "watch/print_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 2000 }; /* the most that print_text_addf() adds */

static bool reserve(struct print_text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed > text->room) {
        size_t room = needed > 2 * text->room ? needed : 2 * text->room;
        char *bytes = realloc(text->bytes, room);
        if (!bytes) {
            text->wrong = true;
            return false;
        }
        text->bytes = bytes;
        text->room = room;
    }
    return true;
}

void print_text_add(struct print_text *text, const char *bytes, size_t length)
{
    if (reserve(text, length)) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
        text->bytes[text->length] = 0;
    }
}

static void add_arguments(struct print_text *text, const char *format, va_list arguments)
{
    char piece[PIECE];
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    if (length > 0) {
        print_text_add(text, piece, (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1);
    }
}

void print_text_addf(struct print_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_arguments(text, format, arguments);
    va_end(arguments);
}

void print_text_complain(struct print_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_text_add(text, "<", 1);
    add_arguments(text, format, arguments);
    print_text_add(text, ">", 1);
    va_end(arguments);
    text->wrong = true;
}

void print_text_drop(struct print_text *text, size_t length)
{
    text->length -= length;
    memmove(text->bytes, text->bytes + length, text->length + 1);
}

void print_text_free(struct print_text *text)
{
    free(text->bytes);
    *text = (struct print_text){};
}
