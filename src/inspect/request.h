/* What is to be dumped (include/bhemu/dump.h describes requests). */
#ifndef BHEMU_INSPECT_REQUEST_H
#define BHEMU_INSPECT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "inspect/formats.h"

struct dump_section;

enum { REQUEST_SIZE = 2000, REQUEST_FIELDS = 64, DUMP_TILE_ROWS = 64 };

struct dump_request {
    const struct dump_section *section; /* null: all */
    uint32_t cores;                     /* those named, one bit for each; all if there are none */
    int bank;                           /* -1: both */
    bool as_tiles, counted;
    uint32_t first, count;
    enum dump_type type;     /* DUMP_TYPES: what the configuration says */
    enum data_format format; /* of L1, and ... */
    bool e4m3, unsigned_;    /* ... of FP8 and INT8, which kind */
    const char *fields[REQUEST_FIELDS];
    unsigned field_count;
    char text[REQUEST_SIZE]; /* which fields[] point into */
};

enum bh_status dump_request_read(const char *text, struct dump_request *request, struct bh_error *error);

/* Adds a core that is named. false: there is none of this name. */
bool dump_add_core(const char *name, uint32_t *cores);

#define DUMP_ALL_CORES ((1u << BH_CORE_COUNT) - 1)

#endif
