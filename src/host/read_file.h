/* Whole files. */
#ifndef BHEMU_HOST_READ_FILE_H
#define BHEMU_HOST_READ_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "bhemu/error.h"

/* Reads a whole file, of at most 1 GiB. *bytes is malloc'ed. */
enum bh_status read_file(const char *path, uint8_t **bytes, size_t *size, struct bh_error *error);

#endif
