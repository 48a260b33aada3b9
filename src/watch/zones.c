#include "watch/zones.h"

#include <stdlib.h>
#include <string.h>

/* The two halves of the wall clock that kernels read (tables/mmio.def). */
static const uint64_t clock_low = 0xffb121f0, clock_high = 0xffb121f4;

enum zone_kind { ZONE_START, ZONE_END };

struct zones_core {
    bool high_read, first, low_read; /* the clock; the first word of a marker is stored; the rest of the clock */
    uint32_t high, low, word;
    uint64_t address; /* of the first word */
    unsigned depth;
    struct zone open[ZONES_OPEN];
};

struct zones_tile {
    struct zones_core core[WATCH_CORES];
};

static struct zones_core *core_at(struct zones *zones, unsigned x, unsigned y, unsigned core, bool make)
{
    if (x >= WATCH_GRID || y >= WATCH_GRID || core >= WATCH_CORES) {
        return NULL;
    }
    struct zones_tile **tile = &zones->tiles[y][x];
    if (!*tile && make) {
        *tile = calloc(1, sizeof **tile);
        zones->no_memory |= !*tile;
    }
    return *tile ? &(*tile)->core[core] : NULL;
}

static void end_zone(struct zones *zones, unsigned x, unsigned y, unsigned core, struct zone *zone, uint64_t time)
{
    zone->end = time < zone->begin ? zone->begin : time;
    zones->ended(zones->context, x, y, core, zone);
}

/* Zones end in the reverse order; one of which the begin was not seen, or left out, ends none. */
static void marked(struct zones *zones, const struct bh_event *event, struct zones_core *of)
{
    uint16_t id = (uint16_t)(of->word >> 12);
    uint64_t time = (uint64_t)(of->word & 0xfff) << 32 | of->low;
    unsigned kind = of->word >> 28 & 7, depth = of->depth;
    if (kind == ZONE_START && depth < ZONES_OPEN) {
        of->open[of->depth++] = (struct zone){.id = id, .begin = time};
    }
    while (kind == ZONE_END && depth && of->open[depth - 1].id != id) {
        depth--;
    }
    while (kind == ZONE_END && depth && of->depth >= depth) {
        end_zone(zones, event->tile_x, event->tile_y, event->index, &of->open[--of->depth], time);
    }
}

static void loaded(struct zones *zones, const struct bh_event *event, uint32_t value)
{
    bool high = event->access.address == clock_high;
    if (!high && event->access.address != clock_low) {
        return;
    }
    struct zones_core *of = core_at(zones, event->tile_x, event->tile_y, event->index, high);
    if (of && high) {
        of->high = value;
        of->high_read = true;
    } else if (of) {
        of->low = value;
        of->low_read = of->first;
    }
}

static void stored(struct zones *zones, const struct bh_event *event, uint32_t value)
{
    struct zones_core *of = core_at(zones, event->tile_x, event->tile_y, event->index, false);
    uint64_t address = event->access.address;
    if (!of) {
        return;
    }
    if (of->first && of->low_read && address == of->address + 4 && value == of->low) {
        of->first = of->low_read = false;
        marked(zones, event, of);
    } else if (of->high_read && value >> 31 && (value & 0xfff) == (of->high & 0xfff)) {
        of->first = true;
        of->high_read = of->low_read = false;
        of->address = address;
        of->word = value;
    }
}

void zones_event(struct zones *zones, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    uint32_t value;
    if (event->kind != BH_EVENT_ACCESS || event->agent != BH_AGENT_CORE || access->size != 4 || !access->data) {
        return;
    }
    memcpy(&value, access->data, sizeof value);
    if (!access->write && access->space == BH_SPACE_REGISTER) {
        loaded(zones, event, value);
    } else if (access->write && access->space == BH_SPACE_L1) {
        stored(zones, event, value);
    }
}

void zones_close(struct zones *zones, unsigned x, unsigned y, unsigned core, uint64_t time)
{
    struct zones_core *of = core_at(zones, x, y, core, false);
    while (of && of->depth) {
        end_zone(zones, x, y, core, &of->open[--of->depth], time);
    }
}

void zones_close_all(struct zones *zones, uint64_t time)
{
    for (unsigned i = 0; i < WATCH_GRID * WATCH_GRID; i++) {
        for (unsigned core = 0; core < WATCH_CORES; core++) {
            zones_close(zones, i % WATCH_GRID, i / WATCH_GRID, core, time);
        }
    }
}

void zones_free(struct zones *zones)
{
    for (unsigned i = 0; i < WATCH_GRID * WATCH_GRID; i++) {
        free(zones->tiles[i / WATCH_GRID][i % WATCH_GRID]);
    }
}
