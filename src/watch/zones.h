/* Zones that kernels mark themselves: tt-metal's DeviceZoneScopedN. A kernel that was compiled with the profiler stores
   two words at the begin of a zone, and two at its end:
     bit 31 set, bits 28..30 the kind, bits 12..27 a hash of the zone's name, bits 0..11 the wall clock's bits 32..43
     the wall clock's bits 0..31
   each as soon as it has read that half of the clock. They are recognised by that, wherever tt-metal's host has put the
   buffer: a store of such a word behind a load of the clock's upper half, then one of the lower half's value to the
   next word. What tt-metal's own host leaves out, since the buffer was full, the kernel has not stored. Source:
   tt-metal tools/profiler/kernel_profiler.hpp, hostdevcommon/profiler_common.h. */
#ifndef BHEMU_WATCH_ZONES_H
#define BHEMU_WATCH_ZONES_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/error.h"
#include "bhemu/event.h"
#include "watch/filter.h"

/* The observer's kinds have to have this one. */
#define ZONES_KINDS BH_EVENT_BIT(BH_EVENT_ACCESS)

enum { ZONES_OPEN = 32 }; /* zones of a core within each other; more are left out */

struct zone {
    uint16_t id; /* the hash */
    uint64_t begin, end;
};

struct zones_tile;

struct zones {
    /* A zone has ended, inner ones first. */
    void (*ended)(void *context, unsigned x, unsigned y, unsigned core, const struct zone *zone);
    void *context;
    bool no_memory;
    struct zones_tile *tiles[WATCH_GRID][WATCH_GRID];
};

/* BH_EVENT_ACCESS; others have no effect. */
void zones_event(struct zones *zones, const struct bh_event *event);

/* Zones of a core that have not ended do so at that time, at their begin if that is later; those of all cores. */
void zones_close(struct zones *zones, unsigned x, unsigned y, unsigned core, uint64_t time);
void zones_close_all(struct zones *zones, uint64_t time);
void zones_free(struct zones *zones);

/* Names: the compiler prints NAME,FILE,LINE,KERNEL_PROFILER for each zone, of which the hash is made; tt-metal collects
   that in zone_src_locations.log. Lines without it are passed over, so that a log of the compiler does as well. */
struct zone_names;

struct zone_name {
    const char *name, *file; /* "zone 0x1234" and "" if it is not known; until the next call */
    unsigned line;
};

/* path null: no names, *names becomes null. BH_ERROR_IO, BH_ERROR_MEMORY with *error. */
enum bh_status zone_names_read(const char *path, struct zone_names **names, struct bh_error *error);
struct zone_name zone_name(struct zone_names *names, uint16_t id, char buffer[16]);
void zone_names_free(struct zone_names *names);

#endif
