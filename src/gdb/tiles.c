/* What differs among tiles whose cores are threads: Tensix tiles, and those that have cores without a coprocessor. */
#include "bhemu/dump.h"
#include "gdb/state.h"
#include "noc/coordinates.h"
#include "rv32/execute.h"
#include "rv32/stores_seen.h"
#include "tile/sight.h"
#include "tile/timed_stores.h"
#include "tile/waits.h"

static bool is_tensix(const struct gdb_thread *thread)
{
    return thread->tile < TENSIX_TILES;
}

struct tile *gdb_tensix(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    return is_tensix(thread) ? &gdb->device->tiles[thread->tile] : NULL;
}

static struct core_tile *core_tile(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    return device_core_tile(gdb->device, thread->tile - TENSIX_TILES);
}

struct rv32 *gdb_core(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    struct tile *tile = gdb_tensix(gdb, thread);
    return is_tensix(thread) ? &tile->core[thread->slot] : &core_tile(gdb, thread)->rv32[thread->slot];
}

/* The DRAM tile at (x, y) of NoC 0, which is connected. */
static unsigned dram_number(const struct bh_device *device, unsigned x, unsigned y)
{
    unsigned number = 0;
    while (number < DRAM_TILES - 1 &&
           !(device->ports.dram_niu[number].x == x && device->ports.dram_niu[number].y == y)) {
        number++;
    }
    return number;
}

bool gdb_find_tile(struct bh_gdb *gdb, const struct bh_tile *tile, struct gdb_site *site)
{
    struct bh_device *device = gdb->device;
    unsigned x, y, index;
    if (!noc_translate(&device->translation, tile->x, tile->y, &x, &y) || !device_has_tile(device, x, y)) {
        return false;
    }
    (void)network_endpoint(&device->network, x, y); /* makes it ready, unless it is left out */
    site->x = (uint8_t)x;
    site->y = (uint8_t)y;
    switch (noc_tile_kind(x, y)) {
    case TILE_TENSIX:
        if (!tensix_index(x, y, &index) || !device_used(device, index)) {
            return false;
        }
        site->index = index;
        device_wake(device, index);
        return true;
    case TILE_ETHERNET: site->index = TENSIX_TILES + die_index(x); return true;
    case TILE_DRAM: {
        unsigned number = dram_number(device, x, y);
        ports_connect_dram_core(device, number);
        site->index = TENSIX_TILES + ETHERNET_TILES + number;
        return true;
    }
    default: return false;
    }
}

unsigned gdb_site_cores(struct bh_gdb *gdb, const struct gdb_site *site, uint8_t cores[BH_CORE_COUNT])
{
    if (site->index < TENSIX_TILES) {
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            cores[core] = (uint8_t)core;
        }
        return BH_CORE_COUNT;
    }
    const struct core_tile *tile = device_core_tile(gdb->device, site->index - TENSIX_TILES);
    unsigned count = core_tile_cores(tile);
    for (unsigned core = 0; core < count; core++) {
        cores[core] = tile->kind->core[core];
    }
    return count;
}

unsigned gdb_running_tiles(struct bh_gdb *gdb, struct bh_tile tiles[DEVICE_TILES])
{
    unsigned count = bh_dump_tiles(gdb->device, tiles, TENSIX_TILES);
    for (unsigned number = 0; number < CORE_TILES; number++) {
        const struct core_tile *tile = device_core_tile(gdb->device, number);
        bool runs = false;
        for (unsigned core = 0; device_core_ready(gdb->device, number) && core < core_tile_cores(tile); core++) {
            runs |= tile->core[core].halt != RV32_IN_RESET || tile->core[core].instret;
        }
        if (runs) {
            tiles[count++] = (struct bh_tile){tile->diagnostics.tile_x, tile->diagnostics.tile_y};
        }
    }
    return count;
}

void gdb_touch_tile(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    if (is_tensix(thread)) {
        device_touch(gdb->device, thread->tile);
    }
}

void gdb_wake_tile(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    gdb_touch_tile(gdb, thread);
    if (is_tensix(thread)) {
        gdb->device->active[thread->tile / 64] |= UINT64_C(1) << thread->tile % 64;
    }
    gdb->device->blocked = false;
}

/* Whether a core's turn goes on: then what it has stored is in its L1. */
static bool is_in_turn(const struct core_tile *tile, const struct gdb_thread *thread)
{
    return tile->executing == thread->slot + 1u;
}

void gdb_stores_look(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, void *copy, uint32_t size)
{
    const struct tile *tile = gdb_tensix(gdb, thread);
    const struct rv32 *rv32 = gdb_core(gdb, thread);
    if (is_tensix(thread)) {
        stores_look(tile, address, copy, size);
    } else if (rv32->timing && !is_in_turn(core_tile(gdb, thread), thread)) {
        rv32_stores_look(rv32->timing, address, copy, size);
    }
}

void gdb_stores_arrive(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    struct tile *tile = gdb_tensix(gdb, thread);
    struct rv32 *rv32 = gdb_core(gdb, thread);
    if (is_tensix(thread)) {
        (void)stores_arrive(tile, CLOCK_NEVER);
    } else if (rv32->timing && !is_in_turn(core_tile(gdb, thread), thread)) {
        rv32_stores_arrive(rv32, CLOCK_NEVER);
    }
}

void gdb_flush_caches(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    struct tile *tile = gdb_tensix(gdb, thread);
    unsigned cores = is_tensix(thread) ? BH_CORE_COUNT : core_tile_cores(core_tile(gdb, thread));
    for (unsigned core = 0; core < cores; core++) {
        struct rv32 *rv32 = is_tensix(thread) ? &tile->core[core] : &core_tile(gdb, thread)->rv32[core];
        if (rv32->core->halt != RV32_SELF_JUMP) {
            rv32_flush_cache(rv32);
        }
    }
}

void gdb_explain_tile(struct bh_gdb *gdb, const struct gdb_thread *thread, struct waits *waits)
{
    struct tile *tile = gdb_tensix(gdb, thread);
    struct tile_sight sight;
    if (is_tensix(thread)) {
        tile_see(tile, &sight);
        tile_explain(tile, &sight, waits);
    } else {
        core_tile_explain(core_tile(gdb, thread), waits);
    }
}
