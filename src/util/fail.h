/* Reporting a failure: a status and the text of a struct bh_error. */
#ifndef BHEMU_UTIL_FAIL_H
#define BHEMU_UTIL_FAIL_H

#include "bhemu/device.h"
#include "bhemu/error.h"

/* Writes the text, if error is not null, and returns status. */
enum bh_status fail(struct bh_error *error, enum bh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
