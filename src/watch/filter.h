/* What a log or a trace is about: cores and units of the coprocessor by their names, and a time. */
#ifndef BHEMU_WATCH_FILTER_H
#define BHEMU_WATCH_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "bhemu/event.h"
#include "isa/tensix_table.h"

enum { WATCH_CORES = BH_CORE_KINDS, WATCH_THREADS = 3, WATCH_GRID = 32 };

struct watch_filter {
    bool all; /* neither cores nor units were named: all of them */
    uint32_t cores, units;
    uint64_t from, to; /* clocks, both included */
};

/* What options say; `to` 0: without an end. Tiles are only checked. BH_ERROR_ARGUMENT: there is no such core, unit or
   mode, or an array is null. error may be null. */
struct watch_names {
    const struct bh_tile *tiles;
    unsigned tile_count;
    enum bh_mode mode;
    const char *const *cores;
    unsigned core_count;
    const char *const *units;
    unsigned unit_count;
    uint64_t from, to;
};
enum bh_status watch_filter_make(struct watch_filter *filter, const struct watch_names *names, struct bh_error *error);

/* The unit that executes an instruction word of a thread. */
enum bh_unit watch_unit(uint32_t word);

static inline bool watch_core(const struct watch_filter *filter, unsigned core)
{
    return filter->all || filter->cores >> core & 1;
}

static inline bool watch_word(const struct watch_filter *filter, uint32_t word)
{
    return filter->all || filter->units >> watch_unit(word) & 1;
}

static inline bool watch_time(const struct watch_filter *filter, uint64_t time)
{
    return time >= filter->from && time <= filter->to;
}

#endif
