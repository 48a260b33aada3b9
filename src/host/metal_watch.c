#include "host/metal_watch.h"

#include <stdlib.h>
#include <string.h>

#include "host/metal_layout.h"
#include "host/metal_own.h"
#include "isa/rv32_isa.h"
#include "tile/mmio.h"

enum { GRID = 32, KEPT = 1 << 17 }; /* kernel configurations end before 128 KiB */

struct watched {
    uint8_t kept[KEPT];
    uint32_t entries[BH_CORE_COUNT]; /* of all but B: reset PCs */
};

struct metal_watch {
    struct bh_check *check;
    struct bh_observer observer;
    struct watched *tile[GRID * GRID]; /* null: nothing was written */
};

static uint32_t word_at(const struct watched *tile, uint32_t address)
{
    uint32_t word;
    memcpy(&word, tile->kept + address, sizeof word);
    return word;
}

/* The layout of the firmware on a tile; null: none that is known. */
static const struct metal_layout *layout_of(const struct watched *tile)
{
    uint32_t entries[BH_CORE_COUNT], word = word_at(tile, 0);
    memcpy(entries, tile->entries, sizeof entries);
    entries[BH_CORE_B] = rv32_identify(word) == RV32_OP_JAL ? (uint32_t)rv32_immediate(RV32_FORMAT_J, word) : 0;
    return metal_layout_find(entries);
}

/* Whether a write has put GO into the tile's go message that counts. */
static bool says_go(const struct watched *tile, const struct metal_layout *layout, const struct bh_access *access)
{
    uint32_t at = layout->go + 4 * (word_at(tile, layout->go_index) % METAL_MESSAGES) + METAL_SIGNAL_BYTE;
    return access->address <= at && at < access->address + access->size && tile->kept[at] == METAL_SIGNAL_GO;
}

static void launches(struct metal_watch *watch, const struct bh_event *event, const struct watched *tile,
                     const struct metal_layout *layout)
{
    uint32_t entry = word_at(tile, METAL_LAUNCH_READ_PTR) % METAL_MESSAGES;
    const uint8_t *message = tile->kept + layout->launch + entry * metal_message_size(layout);
    uint64_t base = metal_get(layout, message, METAL_kernel_config_base, 0);
    bh_check_disown(watch->check, event->tile_x, event->tile_y);
    if (base < KEPT) { /* if there is no memory bh_check_end() says so */
        (void)metal_own_buffers(watch->check, event->tile_x, event->tile_y, layout, message, tile->kept + base,
                                (uint32_t)(KEPT - base));
    }
}

static void keep_entry(struct watched *tile, const struct bh_access *access)
{
    static const uint32_t registers[BH_CORE_COUNT] = {[BH_CORE_T0] = MMIO_ADDRESS_TRISC0_RESET_PC,
                                                      [BH_CORE_T1] = MMIO_ADDRESS_TRISC1_RESET_PC,
                                                      [BH_CORE_T2] = MMIO_ADDRESS_TRISC2_RESET_PC,
                                                      [BH_CORE_NC] = MMIO_ADDRESS_NCRISC_RESET_PC};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (registers[core] && access->address == registers[core] && access->size == sizeof(uint32_t)) {
            memcpy(&tile->entries[core], access->data, sizeof(uint32_t));
        }
    }
}

static struct watched *tile_of(struct metal_watch *watch, const struct bh_event *event)
{
    struct watched **tile = &watch->tile[event->tile_y % GRID * GRID + event->tile_x % GRID];
    *tile = *tile ? *tile : calloc(1, sizeof **tile);
    return *tile;
}

static void on_event(void *context, const struct bh_event *event)
{
    struct metal_watch *watch = context;
    const struct bh_access *access = &event->access;
    bool l1 = access->space == BH_SPACE_L1 && access->address < KEPT;
    struct watched *tile =
        access->write && access->data && (l1 || access->space == BH_SPACE_REGISTER) ? tile_of(watch, event) : NULL;
    if (!tile) {
        return;
    }
    if (!l1) {
        keep_entry(tile, access);
        return;
    }
    uint64_t room = KEPT - access->address;
    memcpy(tile->kept + access->address, access->data, access->size < room ? access->size : room);
    bool outside = event->agent == BH_AGENT_HOST || event->agent == BH_AGENT_NIU;
    const struct metal_layout *layout = outside ? layout_of(tile) : NULL;
    if (layout && says_go(tile, layout, access)) {
        launches(watch, event, tile, layout);
    }
}

struct metal_watch *metal_watch_open(struct bh_check *check, const struct bh_tile *tiles, unsigned tile_count)
{
    struct metal_watch *watch = calloc(1, sizeof *watch);
    if (watch) {
        watch->check = check;
        watch->observer = (struct bh_observer){.kinds = BH_EVENT_BIT(BH_EVENT_ACCESS),
                                               .tiles = tiles,
                                               .tile_count = tile_count,
                                               .on_event = on_event,
                                               .context = watch};
    }
    return watch;
}

const struct bh_observer *metal_watch_observer(const struct metal_watch *watch)
{
    return &watch->observer;
}

void metal_watch_close(struct metal_watch *watch)
{
    for (unsigned i = 0; watch && i < GRID * GRID; i++) {
        free(watch->tile[i]);
    }
    free(watch);
}
