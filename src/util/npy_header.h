/* The header of numpy's .npy files, version 1.0, for arrays in C order. */
#ifndef BHEMU_UTIL_NPY_HEADER_H
#define BHEMU_UTIL_NPY_HEADER_H

#include <stddef.h>

enum { NPY_HEADER = 128 };

/* Fills in NPY_HEADER bytes, which precede the elements. type: "<f4" and so on; at most three dimensions. */
void npy_header(char header[NPY_HEADER], const char *type, const size_t *shape, unsigned dimensions);

#endif
