/* Diagnostics with the source lines of the places that they name. */
#ifndef BHEMU_CHIP_DIAGNOSTIC_LINES_H
#define BHEMU_CHIP_DIAGNOSTIC_LINES_H

#include <stdbool.h>

#include "bhemu/diagnostic.h"

struct diagnostic_lines {
    /* As bh_job_source(). */
    bool (*source)(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size);
    /* A line of the output, without a newline at its end. */
    void (*write)(void *context, const char *line);
    void *context;
};

/* Writes a diagnostic as bh_diagnostic_format() does, and below each line about a place in a program where in the
   source that is, if that is known. */
void diagnostic_write_lines(const struct bh_diagnostic *diagnostic, const struct diagnostic_lines *lines);

#endif
