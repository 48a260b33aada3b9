#include "check/owned.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/dram/dram.h"
#include "chip/dram/dram_tile.h"
#include "chip/ethernet/ethernet.h"
#include "noc/coordinates.h"

enum { MOST_IN_ONE_PLACE = 1 << 16, LOCAL_RAM = 0xffb00000 };

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

/* Whether it lies in [first, first + size). */
static bool lies_in(const struct bh_check_owned *owned, uint64_t first, uint64_t size)
{
    uint64_t offset = owned->address - first;
    return owned->address >= first && offset <= size && owned->size <= size - offset;
}

static bool is_sensible(const struct bh_check_owned *owned)
{
    enum tile_kind tile = noc_tile_kind(owned->x, owned->y);
    bool cores = tile == TILE_TENSIX || tile == TILE_ETHERNET || tile == TILE_DRAM, data = owned->kind == BH_CHECK_DATA;
    uint64_t l1 = tile == TILE_ETHERNET ? ETHERNET_L1_SIZE : tile == TILE_DRAM ? DRISC_L1_SIZE : L1_SIZE;
    bool small = owned->cores & (1 << BH_CORE_T0 | 1 << BH_CORE_T1 | 1 << BH_CORE_T2);
    switch ((enum bh_space)owned->space) {
    case BH_SPACE_L1: return cores && owned->kind < BH_CHECK_DATA && lies_in(owned, 0, l1);
    case BH_SPACE_DRAM:
        return tile == TILE_DRAM && owned->kind == BH_CHECK_BUFFER && lies_in(owned, 0, DRAM_CHANNEL_SIZE);
    case BH_SPACE_LOCAL_RAM:
        return cores && data && lies_in(owned, LOCAL_RAM, small ? LOCAL_RAM_SIZE_T : LOCAL_RAM_SIZE);
    default: return false;
    }
}

enum bh_status bh_check_own(struct bh_check *check, const struct bh_check_owned *owned)
{
    if (!check || !owned || !is_sensible(owned)) {
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
    struct check_tile *tile = check && x < CHECK_GRID && y < CHECK_GRID ? check_tile_at(check, x, y) : NULL;
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
