#include "util/fail.h"

#include <stdarg.h>
#include <stdio.h>

enum bh_status fail(struct bh_error *error, enum bh_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}
