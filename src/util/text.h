/* A buffer that text is written to from the left. */
#ifndef BHEMU_UTIL_TEXT_H
#define BHEMU_UTIL_TEXT_H

#include <stddef.h>

struct text {
    char *buffer; /* ends in a zero byte once anything was added, if `size` is not 0 */
    size_t size;
    size_t length; /* of all that was added, whether there was room for it or not */
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of functions that write text as snprintf does, when they have nothing to write: the empty text. buffer may be null.
 */
int text_nothing(char *buffer, unsigned size);

#endif
