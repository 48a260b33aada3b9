#include "check/owned.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noc/coordinates.h"

enum { MOST_IN_ONE_PLACE = 1 << 16 };

const struct owned_list *owned_in(const struct bh_check *check, uint32_t home)
{
    return &check->owned[home % CHECK_TILES];
}

const struct owned *owned_buffer_at(const struct bh_check *check, uint32_t home, uint64_t address)
{
    const struct owned_list *list = owned_in(check, home);
    const struct owned *best = NULL;
    for (unsigned i = 0; i < list->count; i++) {
        const struct owned *owned = &list->item[i];
        if (owned_is_buffer(owned) && owned_has(owned, address) && (!best || owned_end(owned) > owned_end(best))) {
            best = owned;
        }
    }
    return best;
}

void owned_name(const struct owned *owned, char *text, size_t size)
{
    const struct bh_check_owned *what = &owned->what;
    char name[120];
    if (what->kind == BH_CHECK_CIRCULAR_BUFFER) {
        (void)snprintf(name, sizeof name, "circular buffer %u", what->number);
    } else {
        (void)snprintf(name, sizeof name, "%s", what->name ? what->name : "a buffer");
    }
    (void)snprintf(text, size, "%s (0x%" PRIx64 " to 0x%" PRIx64 ")", name, what->address, owned_end(owned) - 1);
}

static bool is_sensible(const struct bh_check_owned *owned)
{
    enum tile_kind tile = noc_tile_kind(owned->x, owned->y);
    bool cores = tile == TILE_TENSIX || tile == TILE_ETHERNET, place = false;
    switch ((enum bh_space)owned->space) {
    case BH_SPACE_L1: place = cores && owned->kind != BH_CHECK_DATA; break;
    case BH_SPACE_DRAM: place = tile == TILE_DRAM && owned->kind == BH_CHECK_BUFFER; break;
    case BH_SPACE_LOCAL_RAM: place = cores && owned->kind == BH_CHECK_DATA; break;
    default: break;
    }
    return place && owned->kind <= BH_CHECK_DATA && owned->address <= UINT64_MAX - owned->size;
}

enum bh_status bh_check_own(struct bh_check *check, const struct bh_check_owned *owned)
{
    if (!is_sensible(owned)) {
        return BH_ERROR_ARGUMENT;
    }
    struct check_tile *tile = check_tile_at(check, owned->x, owned->y);
    if (!tile) {
        return BH_ERROR_MEMORY;
    }
    if (owned->kind == BH_CHECK_DATA) {
        memory_owned_data(tile, owned);
        return BH_OK;
    }
    struct owned_list *list = &check->owned[check_home(tile, (enum bh_space)owned->space) % CHECK_TILES];
    if (list->count >= MOST_IN_ONE_PLACE) {
        return BH_ERROR_MEMORY;
    }
    char *name = owned->name ? strdup(owned->name) : NULL;
    struct owned *more = realloc(list->item, (list->count + 1) * sizeof *more);
    list->item = more ? more : list->item;
    if (!more || (owned->name && !name)) {
        free(name);
        check->failed = true;
        return BH_ERROR_MEMORY;
    }
    list->item[list->count] = (struct owned){.what = *owned};
    list->item[list->count++].what.name = name;
    if (owned->kind == BH_CHECK_CIRCULAR_BUFFER && check_has(check, BH_CHECK_MEMORY)) {
        circular_owned(check, tile, &list->item[list->count - 1]);
    }
    return check->failed ? BH_ERROR_MEMORY : BH_OK;
}

void bh_check_disown(struct bh_check *check, unsigned x, unsigned y)
{
    struct check_tile *tile = x < CHECK_GRID && y < CHECK_GRID ? check_tile_at(check, x, y) : NULL;
    struct owned_list *list = tile ? &check->owned[tile->number] : NULL;
    unsigned kept = 0;
    for (unsigned i = 0; list && i < list->count; i++) {
        struct bh_check_owned *what = &list->item[i].what;
        if (what->kind == BH_CHECK_CIRCULAR_BUFFER || what->kind == BH_CHECK_ARGUMENTS) {
            free((char *)what->name);
        } else {
            list->item[kept++] = list->item[i];
        }
    }
    if (list && kept != list->count) {
        list->count = kept;
        pointers_forget(tile); /* they have numbers of what was in the list */
        memset(tile->walk, 0, sizeof tile->walk);
    }
}

void owned_free(struct bh_check *check)
{
    for (unsigned home = 0; home < CHECK_TILES; home++) {
        struct owned_list *list = &check->owned[home];
        for (unsigned i = 0; i < list->count; i++) {
            free((char *)list->item[i].what.name);
        }
        free(list->item);
    }
}
