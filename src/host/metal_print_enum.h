/* The enumerators of a program, for DPRINT of their values: what its debug information says. */
#ifndef BHEMU_HOST_METAL_PRINT_ENUM_H
#define BHEMU_HOST_METAL_PRINT_ENUM_H

#include <stdbool.h>
#include <stdint.h>

#include "watch/print_text.h"

struct metal_enumerator {
    int64_t value;
    char *name;
};

struct metal_enumeration {
    struct metal_enumeration *next;
    char *name; /* "outer::inner::name" */
    unsigned count;
    struct metal_enumerator *enumerators; /* count 0: nothing is known of it */
};

/* Reads an enumeration of the program at `path`; name has so many bytes. null: there is no memory. */
struct metal_enumeration *metal_enumeration_read(const char *path, const char *name, unsigned size);
void metal_enumeration_free(struct metal_enumeration *enumeration);

/* "Name"; full: "outer::inner::name::Name"; flags: "Name | Other". What has no name is "(outer::inner::name)7". */
void metal_enumeration_add(struct print_text *text, const struct metal_enumeration *enumeration, int64_t value,
                           bool flags, bool full);

#endif
