#include "bhemu/observer.h"

#include <stdlib.h>
#include <string.h>

#include "chip/device_state.h"
#include "tensix/units/observe.h"
#include "tile/observe.h"

static struct observed *observed_at(struct bh_device *device, unsigned x, unsigned y)
{
    return device->observers.tiles ? &device->observers.tiles[y * NOC_WIDTH + x] : NULL;
}

static void observe_cores(struct core_tile *tile, struct observed *observed)
{
    bool steps = observed && observed->kinds & OBSERVED_IN_STEPS;
    tile->observed = observed;
    tile->l1.observed = observed_wants(observed, BH_EVENT_ACCESS) ? observed : NULL;
    for (unsigned core = 0; core < CORE_TILE_CORES; core++) {
        tile->rv32[core].observed = steps ? observed : NULL;
    }
    if (observed) {
        observed->diagnostics = &tile->diagnostics;
        observed->names = tile->kind->core;
    }
}

/* The core of a DRAM tile is observed with its memory, from when it is first reached. */
static void observe_dram(struct bh_device *device, unsigned x, unsigned y, struct observed *observed)
{
    for (unsigned number = 0; number < DRAM_TILES; number++) {
        struct noc_endpoint *core = &device->network.dram_core[number];
        if (core->read && core->x == x && core->y == y) {
            core->observed = observed;
            observe_cores(&device->dram_tiles[number].tile, observed);
        }
    }
}

void observers_connect(struct bh_device *device, unsigned x, unsigned y)
{
    struct noc_endpoint *endpoint = &device->network.endpoint[y][x];
    struct observed *observed = observed_at(device, x, y);
    unsigned index;
    if (!endpoint->read || (!observed && !endpoint->observed)) {
        return;
    }
    observed = observed && observed->kinds ? observed : NULL;
    endpoint->observed = observed;
    if (tensix_index(x, y, &index) && device_used(device, index)) {
        if (observed && tile_doze_any(&device->states[index].doze)) { /* each of its rounds is told */
            device_wake(device, index);
        }
        tile_observe(&device->tiles[index], observed);
    } else if (y == ETHERNET_Y && noc_tile_kind(x, y) == TILE_ETHERNET && device_has_ethernet(device, die_index(x))) {
        observe_cores(&device->ethernet[die_index(x)].tile, observed);
    } else if (noc_tile_kind(x, y) == TILE_DRAM) {
        observe_dram(device, x, y, observed);
    }
}

void observers_set_clock(struct bh_device *device)
{
    for (unsigned i = 0; device->observers.told && i < OBSERVED_TILES; i++) {
        device->observers.tiles[i].cycle = device->clock;
    }
}

void observers_reach_clock(struct bh_device *device, uint64_t clock)
{
    for (unsigned i = 0; device->observers.told && i < OBSERVED_TILES; i++) {
        uint64_t *cycle = &device->observers.tiles[i].cycle;
        *cycle = *cycle < clock ? clock : *cycle;
    }
}

void observers_tell_only(struct bh_device *device, const struct bh_observer *observer)
{
    device->observers.only = observer;
    for (unsigned i = 0; device->observers.tiles && i < OBSERVED_TILES; i++) {
        device->observers.tiles[i].only = observer;
    }
}

/* Whether an observer is told of the tile at (x, y) of NoC 0. */
static bool wants_tile(const struct bh_device *device, const struct bh_observer *observer, unsigned x, unsigned y)
{
    for (unsigned i = 0; i < observer->tile_count; i++) {
        unsigned tile_x, tile_y;
        if (noc_translate(&device->translation, observer->tiles[i].x, observer->tiles[i].y, &tile_x, &tile_y) &&
            tile_x == x && tile_y == y) {
            return true;
        }
    }
    return observer->tile_count == 0;
}

/* Clocks of events may differ from the device's, and an instruction's may begin long before it retires: an observer is
   told of so many cycles before its time begins, and behind its end. */
enum { ASIDE = 2000 };

static uint64_t first_clock(const struct bh_observer *observer)
{
    return observer->from > ASIDE ? observer->from - ASIDE : 0;
}

static uint64_t clock_behind(const struct bh_observer *observer)
{
    return !observer->to || observer->to >= UINT64_MAX - ASIDE ? UINT64_MAX : observer->to + ASIDE;
}

/* Finds out which observers are told in a quantum from the device's clock up to `end`, and when that changes. */
static void choose(struct bh_device *device, bool *told)
{
    struct observers *observers = &device->observers;
    observers->told = 0;
    observers->begins = observers->ends = UINT64_MAX;
    for (unsigned i = 0; i < observers->count; i++) {
        uint64_t first = first_clock(observers->all[i]), behind = clock_behind(observers->all[i]);
        bool over = device->clock >= behind;
        told[i] = !over && observers->end >= first;
        observers->told += told[i];
        if (told[i]) {
            observers->ends = behind < observers->ends ? behind : observers->ends;
        } else if (!over) {
            observers->begins = first < observers->begins ? first : observers->begins;
        }
    }
}

/* Finds out anew who is to be told of each tile. */
static void arrange(struct bh_device *device)
{
    struct observers *observers = &device->observers;
    const struct bh_observer **next = observers->of_tiles;
    choose(device, observers->is_told);
    for (unsigned i = 0; i < OBSERVED_TILES; i++) {
        struct observed *observed = &observers->tiles[i];
        observed->kinds = 0;
        observed->count = 0;
        observed->observers = next;
        for (unsigned j = 0; j < observers->count; j++) {
            if (observers->is_told[j] && wants_tile(device, observers->all[j], observed->x, observed->y)) {
                observed->kinds |= observers->all[j]->kinds;
                observed->count++;
                *next++ = observers->all[j];
            }
        }
    }
    for (unsigned i = 0; i < OBSERVED_TILES; i++) {
        observers_connect(device, observers->tiles[i].x, observers->tiles[i].y);
    }
}

/* Tiles, and registers of those that have a coprocessor. false: no memory. */
static bool make_tiles(struct observers *observers)
{
    if (observers->tiles) {
        return true;
    }
    struct observed *tiles = calloc(OBSERVED_TILES, sizeof *tiles);
    struct observed_tensix *tensix = calloc(TENSIX_TILES, sizeof *tensix);
    if (!tiles || !tensix) {
        free(tiles);
        free(tensix);
        return false;
    }
    for (unsigned i = 0; i < OBSERVED_TILES; i++) {
        unsigned index;
        tiles[i].x = (uint8_t)(i % NOC_WIDTH);
        tiles[i].y = (uint8_t)(i / NOC_WIDTH);
        if (tensix_index(tiles[i].x, tiles[i].y, &index)) {
            tiles[i].tensix = &tensix[index];
        }
    }
    observers->tiles = tiles;
    return true;
}

/* Room for one observer more. */
static bool make_room(struct observers *observers)
{
    size_t count = observers->count + 1;
    const struct bh_observer **all = realloc(observers->all, count * sizeof(const struct bh_observer *));
    observers->all = all ? all : observers->all;
    const struct bh_observer **of_tiles =
        all ? realloc(observers->of_tiles, count * OBSERVED_TILES * sizeof(const struct bh_observer *)) : NULL;
    observers->of_tiles = of_tiles ? of_tiles : observers->of_tiles;
    bool *is_told = of_tiles ? realloc(observers->is_told, count * sizeof *is_told) : NULL;
    observers->is_told = is_told ? is_told : observers->is_told;
    return is_told && make_tiles(observers);
}

static unsigned place_of(const struct observers *observers, const struct bh_observer *observer)
{
    unsigned place = 0;
    while (place < observers->count && observers->all[place] != observer) {
        place++;
    }
    return place;
}

static bool tiles_exist(const struct bh_device *device, const struct bh_observer *observer)
{
    for (unsigned i = 0; i < observer->tile_count; i++) {
        unsigned x, y;
        if (!observer->tiles ||
            !noc_translate(&device->translation, observer->tiles[i].x, observer->tiles[i].y, &x, &y) ||
            !device_has_tile(device, x, y)) {
            return false;
        }
    }
    return true;
}

enum bh_status bh_device_add_observer(struct bh_device *device, const struct bh_observer *observer)
{
    if (!device || device_is_remote(device) || !observer || !observer->on_event || !tiles_exist(device, observer) ||
        place_of(&device->observers, observer) < device->observers.count) {
        return BH_ERROR_ARGUMENT;
    }
    if (!make_room(&device->observers)) {
        return BH_ERROR_MEMORY;
    }
    device->observers.all[device->observers.count++] = observer;
    device->observers.end = device->clock - device->lag + device->quantum;
    arrange(device);
    return BH_OK;
}

bool observers_begin_quantum(struct bh_device *device, uint64_t end)
{
    struct observers *observers = &device->observers;
    observers->end = end;
    if (!observers->count || (end < observers->begins && device->clock < observers->ends)) {
        return false;
    }
    arrange(device);
    return true;
}

enum bh_status bh_device_remove_observer(struct bh_device *device, const struct bh_observer *observer)
{
    unsigned place = device && observer ? place_of(&device->observers, observer) : 0;
    if (!device || !observer || place == device->observers.count) {
        return BH_ERROR_ARGUMENT;
    }
    unsigned behind = --device->observers.count - place;
    memmove(&device->observers.all[place], &device->observers.all[place + 1],
            behind * sizeof(const struct bh_observer *));
    arrange(device);
    return BH_OK;
}

void observers_destroy(struct observers *observers)
{
    for (unsigned i = 0; observers->tiles && i < OBSERVED_TILES; i++) {
        unsigned index;
        if (tensix_index(i % NOC_WIDTH, i / NOC_WIDTH, &index) && index == 0) {
            free(observers->tiles[i].tensix); /* that of the first: they are one array */
        }
    }
    free(observers->tiles);
    free(observers->all);
    free(observers->of_tiles);
    free(observers->is_told);
}
