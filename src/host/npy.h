/* Files with arrays: numpy's .npy, versions 1 to 3, C order, little-endian, up to any number of dimensions (all but the
   last are folded into rows), and raw files. */
#ifndef BHEMU_HOST_NPY_H
#define BHEMU_HOST_NPY_H

#include "bhemu/error.h"
#include "bhemu/tensor.h"
#include "host/file_target.h"

/* Reads a .npy file; array->data is malloc'ed. */
enum bh_status npy_read(const char *path, struct bh_array *array, struct bh_error *error);

/* As stage_file(). */
enum bh_status npy_stage(const char *path, const struct bh_array *array, struct staged_file *staged,
                         struct bh_error *error);
enum bh_status npy_write(const char *path, const struct bh_array *array, struct bh_error *error);

#endif
