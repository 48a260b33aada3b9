/* Reads a YAML file into structs. Tables say which keys a mapping has, what each value may be, and where it goes.
   Anything else is refused with one line: file, line, key, value, and what is allowed. */
#ifndef BHEMU_HOST_SCHEMA_H
#define BHEMU_HOST_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "bhemu/error.h"

enum schema_kind {
    SCHEMA_NUMBER, /* a whole number, decimal or hexadecimal: a uint32_t or uint64_t, by `size` */
    SCHEMA_REAL,   /* a finite number, not negative: a double */
    SCHEMA_TEXT,   /* any text: a char * */
    SCHEMA_PATH,   /* of a file: a char * */
    SCHEMA_NAME,   /* one of `names`: an enum */
    SCHEMA_LIST,   /* of `least` to `most` values like `item`: a pointer to them, and an unsigned that counts them */
    SCHEMA_MAP,    /* a mapping with `keys`: a struct */
    SCHEMA_TABLE /* a mapping from numbers to values like `item`: as a list of structs of `size` bytes, which begin with
                    the number, a uint32_t, and have the value at `place` */
};

struct schema_name {
    const char *name;
    int value;
};

struct schema_value {
    enum schema_kind kind;
    size_t size;          /* in bytes, of what it becomes */
    uint64_t least, most; /* of a number, or how many there may be in a list */
    unsigned multiple;    /* a number is a multiple of it; 0: any is allowed */
    const struct schema_name *names;
    const struct schema_value *item;
    const struct schema_key *keys;
    unsigned count; /* of names or keys */
    bool open;      /* other keys may be there, and mean nothing */
    size_t place;   /* of a table */
};

struct schema_key {
    const char *name;
    const char *help; /* what it is, in a few words; may be null */
    const struct schema_value *value;
    size_t place, count; /* offsets in the struct: of the value, and of the number of a list's items */
    bool optional;       /* what is not there is left as it was: zero */
    bool pointer;        /* the struct has a pointer to the value */
};

/* What was read from a file besides the values: their memory, and their lines. */
struct schema_file;

/* Reads the one document of a file into *to, which is all zero. Call schema_free() afterwards, also after a failure. */
enum bh_status schema_load(const char *path, const struct schema_value *value, void *to, struct schema_file **file,
                           struct bh_error *error);

/* The same of a text, which messages name as `path`. */
enum bh_status schema_parse(const char *path, const char *text, const struct schema_value *value, void *to,
                            struct schema_file **file, struct bh_error *error);
void schema_free(struct schema_file *file);

/* Whether the file has the key that fills in a member of a struct. */
bool schema_has(const struct schema_file *file, const void *member);

/* Writes "FILE:LINE: " and the text, if error is not null, and returns status. The line is that of the key that the
   member `what` was filled in by, or of the mapping that the struct `what` was; there is none for null. */
enum bh_status schema_fail(const struct schema_file *file, const void *what, struct bh_error *error,
                           enum bh_status status, const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
