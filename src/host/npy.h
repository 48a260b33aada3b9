/* Files with arrays: numpy's .npy, versions 1 to 3, C order, little-endian, up to any number of dimensions (all but the
   last are folded into rows), and raw files. */
#ifndef BHEMU_HOST_NPY_H
#define BHEMU_HOST_NPY_H

#include "bhemu/error.h"
#include "bhemu/tensor.h"

/* Reads a whole file, of at most 1 GiB. *bytes is malloc'ed. */
enum bh_status read_file(const char *path, uint8_t **bytes, size_t *size, struct bh_error *error);

/* A file that has been written under a temporary name beside its own, so that there is never half of one. All zero:
   there is none. */
struct staged_file {
    char *temporary, *path;
};

enum bh_status stage_file(const char *path, const void *bytes, size_t size, struct staged_file *staged,
                          struct bh_error *error);

/* Gives a staged file its own name. It is staged no more, whether that went well or not. */
enum bh_status commit_file(struct staged_file *staged, struct bh_error *error);

/* Removes a staged file, if there is one. */
void discard_file(struct staged_file *staged);

/* Stages and commits. */
enum bh_status write_file(const char *path, const void *bytes, size_t size, struct bh_error *error);

/* Reads a .npy file; array->data is malloc'ed. */
enum bh_status npy_read(const char *path, struct bh_array *array, struct bh_error *error);

enum bh_status npy_stage(const char *path, const struct bh_array *array, struct staged_file *staged,
                         struct bh_error *error);
enum bh_status npy_write(const char *path, const struct bh_array *array, struct bh_error *error);

#endif
