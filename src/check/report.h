/* Findings of the checker as JSON. */
#ifndef BHEMU_CHECK_REPORT_H
#define BHEMU_CHECK_REPORT_H

#include <stdio.h>

#include "bhemu/check.h"

/* The object that bh_check_write() writes. Errors of the file show in ferror(). */
void check_write_json(const struct bh_check *check, FILE *file);

#endif
