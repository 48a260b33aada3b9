/* The bytes of a snapshot, written and read by the same functions: archive_bytes() and the like copy from the device
   when a snapshot is taken, and to the device when it is restored. Numbers are little-endian, as on all hosts that
   bhemu is compiled for; structs are copied as they lie in memory, which is the same on all of them (the table
   src/chip/snapshot/layout.def, and its test). Sections have a name and a length. */
#ifndef BHEMU_CHIP_SNAPSHOT_ARCHIVE_H
#define BHEMU_CHIP_SNAPSHOT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "snapshots are little-endian");

enum { ARCHIVE_NAME = 16, ARCHIVE_PAGE = 4096, ARCHIVE_WINDOW = 8192 };

struct archive {
    bool loads; /* else it saves */
    uint8_t *bytes;
    size_t size, room, at; /* of bytes: how many there are, how many fit, and the next to be read */
    const char *wrong;     /* null: nothing is */
    bool no_memory;        /* and that is what is wrong */
    const char *section;   /* the one that is open */
    size_t section_at;     /* where its length is, or, while it is read, where it ends */
    /* Tests: called with all of the device's memory that is saved. May be null. */
    void (*saved)(void *context, const void *data, size_t size);
    void *context;
    /* Which pages of this process were ever written: entries of its page map from window_first on. */
    int page_map; /* file descriptor; -1: not known */
    uint64_t window_first;
    uint32_t window_count;
    uint64_t window[ARCHIVE_WINDOW];
};

/* For saving, or for loading `size` bytes, which stay the caller's. */
void archive_begin_save(struct archive *archive);
void archive_begin_load(struct archive *archive, const uint8_t *bytes, size_t size);

/* Closes it; the bytes that were saved are the caller's. */
void archive_end(struct archive *archive);

/* Notes what is wrong, unless something was before. All that is loaded afterwards is zeroes. */
void archive_wrong(struct archive *archive, const char *what);
void archive_no_memory(struct archive *archive);

void archive_section(struct archive *archive, const char *name);
void archive_end_section(struct archive *archive);

void archive_bytes(struct archive *archive, void *data, size_t size);
#define ARCHIVE(archive, lvalue) archive_bytes(archive, &(lvalue), sizeof(lvalue))

/* What is not a copy of memory of the device. */
void archive_raw(struct archive *archive, void *data, size_t size);
#define ARCHIVE_RAW(archive, lvalue) archive_raw(archive, &(lvalue), sizeof(lvalue))

/* Memory of which most is zero: only blocks of ARCHIVE_PAGE bytes that are not. When it is loaded it has to be all
   zeroes before. */
void archive_memory(struct archive *archive, void *memory, size_t size);

/* A flag of the device: nothing but 0 and 1 is loaded. */
void archive_flag(struct archive *archive, bool *flag);

/* A number below `limit`. */
uint32_t archive_number(struct archive *archive, uint32_t number, uint32_t limit);

#endif
