/* Text that grows, as kernels print it. */
#ifndef BHEMU_WATCH_PRINT_TEXT_H
#define BHEMU_WATCH_PRINT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct print_text {
    char *bytes; /* malloc'ed; ends with a zero byte if it is not null */
    size_t length, room;
    bool wrong; /* something could not be shown */
};

/* When there is no memory they drop what is added. */
void print_text_add(struct print_text *text, const char *bytes, size_t length);
void print_text_addf(struct print_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "<...>": says why something can not be shown. */
void print_text_complain(struct print_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Removes the first bytes. */
void print_text_drop(struct print_text *text, size_t length);

void print_text_free(struct print_text *text);

#endif
