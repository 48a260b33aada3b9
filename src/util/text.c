#include "util/text.h"

#include <stdarg.h>
#include <stdio.h>

void text_add(struct text *text, const char *format, ...)
{
    size_t room = text->length < text->size ? text->size - text->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(room ? text->buffer + text->length : NULL, room, format, arguments);
    va_end(arguments);
    text->length += wanted > 0 ? (size_t)wanted : 0;
}

int text_nothing(char *buffer, unsigned size)
{
    if (buffer && size) {
        buffer[0] = 0;
    }
    return 0;
}
