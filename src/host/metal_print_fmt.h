/* Formats as tt-metal's kernels hand them over: "{0,I:#x} {1,f:.2}": the place of an argument in the message, its type,
   and how it is shown, in the language of the fmt library. */
#ifndef BHEMU_HOST_METAL_PRINT_FMT_H
#define BHEMU_HOST_METAL_PRINT_FMT_H

#include "host/metal_print.h"
#include "watch/print_format.h"

struct metal_spec {
    char fill[5]; /* a character of UTF-8 */
    char align;   /* < > ^, 0: as the type has it */
    char sign;    /* + - or a blank; 0: not given */
    bool alternate, zero;
    unsigned width;
    int precision; /* -1: not given */
    char type;     /* 0: not given */
};

enum metal_kind { METAL_INTEGER, METAL_UNSIGNED, METAL_FLOAT, METAL_BOOL, METAL_ADDRESS };

struct metal_value {
    enum metal_kind kind;
    bool single; /* METAL_FLOAT: of 32 bits or fewer */
    int64_t integer;
    double number;
};

static inline struct metal_value metal_integer(int64_t integer)
{
    return (struct metal_value){.kind = METAL_INTEGER, .integer = integer};
}

static inline struct metal_value metal_single(float number)
{
    return (struct metal_value){.kind = METAL_FLOAT, .single = true, .number = (double)number};
}

void metal_add_value(struct print_text *text, const struct metal_value *value, const struct metal_spec *spec);

/* A message: its format, and what it says of its arguments in so many bytes. list: texts that it may refer to; memory:
   that of the core. */
void metal_add_message(struct print_text *text, const char *format, const uint8_t *bytes, unsigned size,
                       const struct metal_format_list *list, const struct print_memory *memory);

#endif
