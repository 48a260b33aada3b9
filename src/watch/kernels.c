#include "watch/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { JUMP_TO_ITSELF = 0x6f };

/* Where the kernels of tt-metal's firmware begin, if B is at its entry point; else 0. */
static uint32_t end_of_firmware(uint32_t pc)
{
    static const struct {
        uint32_t entry, end;
    } layouts[] = {
#define METAL_LAYOUT(version, b, nc, t0, t1, t2, end, launch, go, go_index, core_info, form) {b, end},
#include "tt_metal.def"
    };
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        if (layouts[i].entry == pc) {
            return layouts[i].end;
        }
    }
    return 0;
}

static struct kernel_tile *tile_at(struct kernels *kernels, unsigned x, unsigned y)
{
    if (x >= WATCH_GRID || y >= WATCH_GRID) {
        return NULL;
    }
    struct kernel_tile **tile = &kernels->tiles[y][x];
    if (!*tile && !(*tile = calloc(1, sizeof **tile))) {
        kernels->no_memory = true;
    }
    return *tile;
}

const struct kernel_tile *kernels_at(const struct kernels *kernels, unsigned x, unsigned y)
{
    return x < WATCH_GRID && y < WATCH_GRID ? kernels->tiles[y][x] : NULL;
}

static void begin_launch(struct kernels *kernels, unsigned x, unsigned y, struct kernel_tile *tile, uint64_t time)
{
    if (tile->launch) {
        kernels->launched(kernels->context, x, y, tile);
    }
    for (unsigned i = 0; i < WATCH_CORES; i++) {
        tile->core[i].ran = tile->core[i].runs;
    }
    tile->launch++;
    tile->begin = tile->end = time;
}

static void begin_kernel(struct kernels *kernels, const struct bh_event *event, struct kernel_tile *tile)
{
    struct kernel_core *core = &tile->core[event->index];
    if (!tile->launch || core->ran) {
        begin_launch(kernels, event->tile_x, event->tile_y, tile, event->cycle);
    }
    core->runs = core->ran = true;
    core->begin = event->cycle;
    core->pc = event->place.pc;
    tile->begin = core->begin < tile->begin ? core->begin : tile->begin;
}

static void end_kernel(struct kernels *kernels, unsigned x, unsigned y, struct kernel_tile *tile, unsigned index,
                       uint64_t time)
{
    struct kernel_core *core = &tile->core[index];
    time = time < core->begin ? core->begin : time;
    core->runs = false;
    tile->end = time > tile->end ? time : tile->end;
    kernels->ended(kernels->context, x, y, tile, index, time);
}

void kernels_event(struct kernels *kernels, const struct bh_event *event)
{
    unsigned index = event->index;
    kernels->latest = event->cycle > kernels->latest ? event->cycle : kernels->latest;
    if (event->kind != BH_EVENT_ISSUED || event->agent != BH_AGENT_CORE || index >= WATCH_CORES) {
        return;
    }
    struct kernel_tile *tile = tile_at(kernels, event->tile_x, event->tile_y);
    if (!tile) {
        return;
    }
    struct kernel_core *core = &tile->core[index];
    uint32_t pc = event->place.pc, firmware_end = index == BH_CORE_B ? end_of_firmware(pc) : 0;
    if (firmware_end && !tile->firmware_end) { /* what led there is firmware, too */
        *tile = (struct kernel_tile){.firmware_end = firmware_end};
    }
    bool in_kernel = tile->firmware_end ? pc >= tile->firmware_end : event->instruction != JUMP_TO_ITSELF;
    if (in_kernel && !core->runs) {
        begin_kernel(kernels, event, tile);
    } else if (!in_kernel && core->runs) {
        end_kernel(kernels, event->tile_x, event->tile_y, tile, index, event->cycle);
    }
}

void kernels_end(struct kernels *kernels)
{
    for (unsigned i = 0; i < WATCH_GRID * WATCH_GRID; i++) {
        unsigned x = i % WATCH_GRID, y = i / WATCH_GRID;
        struct kernel_tile *tile = kernels->tiles[y][x];
        for (unsigned core = 0; tile && core < WATCH_CORES; core++) {
            if (tile->core[core].runs) {
                end_kernel(kernels, x, y, tile, core, kernels->latest);
            }
        }
        if (tile && tile->launch) {
            kernels->launched(kernels->context, x, y, tile);
        }
    }
}

void kernels_free(struct kernels *kernels)
{
    for (unsigned i = 0; i < WATCH_GRID * WATCH_GRID; i++) {
        free(kernels->tiles[i / WATCH_GRID][i % WATCH_GRID]);
    }
}

void kernels_name(const char *name, char *buffer, unsigned size)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    unsigned length = 0;
    for (; name[length] && length < size - 1; length++) {
        buffer[length] = '_';
        if (strchr(allowed, name[length])) {
            buffer[length] = name[length];
        }
    }
    buffer[length] = 0;
}

const char *kernels_processor(unsigned core)
{
    static const char *const names[WATCH_CORES] = {
        [BH_CORE_B] = "BRISC",   [BH_CORE_T0] = "TRISC_0", [BH_CORE_T1] = "TRISC_1", [BH_CORE_T2] = "TRISC_2",
        [BH_CORE_NC] = "NCRISC", [BH_CORE_E0] = "ERISC",   [BH_CORE_E1] = "ERISC",   [BH_CORE_DRISC] = "DRISC",
    };
    return names[core];
}

const char *kernels_processor_type(unsigned core)
{
    return core >= BH_CORE_T0 && core <= BH_CORE_T2 ? "TRISC" : kernels_processor(core);
}

unsigned kernels_compute_cores(const struct bh_tiles *board)
{
    enum { COLUMNS = 14, ROWS = 10 };
    return ROWS * (board ? (unsigned)__builtin_popcount(board->tensix_columns) : COLUMNS);
}
