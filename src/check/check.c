#include "bhemu/check.h"

#include <stdlib.h>
#include <string.h>

#include "check/order.h"
#include "check/owned.h"
#include "util/arguments.h"
#include "util/fail.h"

enum { DEFAULT_MEMORY = 1 << 30 };

typedef void view_act(struct view *view, uint32_t home);

static void begin_view(struct view *view, uint32_t home)
{
    view->home = home;
}

static void end_view(struct view *view, uint32_t home)
{
    (void)home;
    view_free(view);
}

static void for_views(struct view *views, size_t count, uint32_t home, view_act *act)
{
    for (size_t i = 0; i < count; i++) {
        act(&views[i], home);
    }
}

/* For each view of a tile but those of signals that are not used. */
static void each_view(struct check_tile *tile, view_act *act)
{
    for (unsigned i = 0; i < CHECK_CORES; i++) {
        act(&tile->core[i].view, tile->number);
        for (unsigned answer = 0; answer < CHECK_ANSWERS; answer++) {
            act(&tile->core[i].answer[answer].told, tile->number);
        }
    }
    for (unsigned i = 0; i < CHECK_THREADS; i++) {
        act(&tile->thread[i].view, tile->number);
        for_views(tile->thread[i].pushes.view, CHECK_PUSH_VIEWS, tile->number, act);
        for_views(tile->pcbuf[i].view, CHECK_FIFO, tile->number, act);
    }
    for (unsigned i = 0; tile->signals && i < CHECK_SIGNALS; i++) {
        if (tile->signal[i].used) {
            act(&tile->signal[i].view, tile->number);
        }
    }
    for (unsigned i = 0; i < BH_CORE_COUNT * BH_CORE_COUNT; i++) {
        for_views(tile->mailbox[i / BH_CORE_COUNT][i % BH_CORE_COUNT].view, CHECK_FIFO, tile->number, act);
    }
    for_views(tile->unit, CHECK_PARTS, tile->number, act);
    for_views(&tile->done[0][0], sizeof tile->done / sizeof(struct view), tile->number, act);
    for_views(&tile->done_with[0][0], sizeof tile->done_with / sizeof(struct view), tile->number, act);
    for_views(tile->semaphore, CHECK_SEMAPHORES, tile->number, act);
    for_views(tile->mutex, CHECK_MUTEXES, tile->number, act);
    for_views(&tile->bank[0][0], sizeof tile->bank / sizeof(struct view), tile->number, act);
    for_views(&tile->stream[0][0], sizeof tile->stream / sizeof(struct view), tile->number, act);
    act(&tile->streams, tile->number);
}

struct check_tile *check_tile_create(struct bh_check *check, unsigned x, unsigned y)
{
    uint32_t number = y % CHECK_GRID * CHECK_GRID + x % CHECK_GRID;
    struct check_tile *tile = calloc(1, sizeof *tile);
    check->tile[number] = tile;
    check->failed |= !tile;
    if (tile) {
        tile->number = number;
        tile->x = (uint8_t)x;
        tile->y = (uint8_t)y;
        each_view(tile, begin_view);
    }
    return tile;
}

/* Most events: they say where a core is. */
static void core_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct check_decoded *instruction = check_decoded(check->decoded, event->instruction);
    order_core_issues(check, tile, event, instruction);
    code_executes(check, tile, event);
    if (check_has(check, BH_CHECK_SYNCHRONISATION) && event->instruction == CHECK_JUMP_TO_ITSELF) {
        sync_event(check, tile, event);
    }
    if (check_has(check, BH_CHECK_MEMORY)) {
        memory_core_issues(check, tile, event, instruction);
    }
}

static void operands(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    order_finds_operand(check, tile, event);
    races_operand(check, tile, event);
    if (check_has(check, BH_CHECK_SYNCHRONISATION)) {
        sync_operand(check, tile, event);
    }
    if (check_has(check, BH_CHECK_MEMORY)) {
        walks_operand(tile, &event->operand);
    }
}

static void accesses(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    order_access(check, tile, event);
    races_access(check, tile, event);
    code_access(check, tile, event);
    if (check_has(check, BH_CHECK_SYNCHRONISATION) && event->access.space == BH_SPACE_REGISTER) {
        sync_register(check, tile, event);
    }
    if (check_has(check, BH_CHECK_MEMORY)) {
        memory_access(check, tile, event);
    }
}

static void others(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    order_event(check, tile, event);
    if (event->kind == BH_EVENT_ISSUED) {
        races_thread_issues(check, tile, event);
    }
    if (check_has(check, BH_CHECK_SYNCHRONISATION)) {
        sync_event(check, tile, event);
    }
    if (event->kind == BH_EVENT_NOC_SENT && check_has(check, BH_CHECK_MEMORY)) {
        pointers_send(check, tile, event);
        transfer_event(check, event);
    }
}

static void on_event(void *context, const struct bh_event *event)
{
    struct bh_check *check = context;
    struct check_tile *tile = check_tile_at(check, event->tile_x, event->tile_y);
    if (!tile) {
        return;
    }
    switch (event->kind) {
    case BH_EVENT_ACCESS: accesses(check, tile, event); break;
    case BH_EVENT_OPERAND: operands(check, tile, event); break;
    case BH_EVENT_ISSUED:
        if (event->agent == BH_AGENT_CORE) {
            core_issues(check, tile, event);
            break;
        }
        __attribute__((fallthrough));
    default: others(check, tile, event); break;
    }
}

enum bh_status bh_check_open(const struct bh_check_options *options, struct bh_check **check, struct bh_error *error)
{
    static const struct bh_check_options usual = {};
    options = options ? options : &usual;
    if (!check) {
        return fail(error, BH_ERROR_ARGUMENT, "nowhere to put the checker");
    }
    *check = NULL;
    if (options->tools & ~BH_CHECK_ALL_TOOLS) {
        return fail(error, BH_ERROR_ARGUMENT, "there is no such tool");
    }
    if ((unsigned)options->mode >= BH_MODES) {
        return fail(error, BH_ERROR_ARGUMENT, "there is no such mode");
    }
    if (arguments_array(options->tiles, options->tile_count, "tiles", error) != BH_OK) {
        return BH_ERROR_ARGUMENT;
    }
    struct bh_check *made = calloc(1, sizeof *made);
    struct bh_tile *tiles = options->tile_count ? malloc(options->tile_count * sizeof *tiles) : NULL;
    if (!made || (options->tile_count && !tiles) || !(made->findings = findings_create())) {
        free(tiles);
        free(made);
        return fail(error, BH_ERROR_MEMORY, "no memory for a checker");
    }
    if (tiles) {
        memcpy(tiles, options->tiles, options->tile_count * sizeof *tiles);
    }
    made->options = *options;
    made->options.tools = options->tools ? options->tools : BH_CHECK_ALL_TOOLS;
    made->options.tiles = tiles;
    made->tiles = tiles;
    made->host.home = CHECK_TILES;
    made->cells.limit = (options->memory ? options->memory : DEFAULT_MEMORY) / sizeof(struct cell_page);
    made->cells.limit = made->cells.limit ? made->cells.limit : 1;
    made->observer = (struct bh_observer){
        .kinds = BH_EVENT_BIT(BH_EVENT_ISSUED) | BH_EVENT_BIT(BH_EVENT_ACCESS) | BH_EVENT_BIT(BH_EVENT_SRC_BANK) |
                 BH_EVENT_BIT(BH_EVENT_SEMAPHORE) | BH_EVENT_BIT(BH_EVENT_MUTEX) | BH_EVENT_BIT(BH_EVENT_NOC_SENT) |
                 BH_EVENT_BIT(BH_EVENT_NOC_ACKNOWLEDGED) | BH_EVENT_BIT(BH_EVENT_OPERAND),
        .tiles = tiles,
        .tile_count = options->tile_count,
        .on_event = on_event,
        .context = made};
    *check = made;
    return BH_OK;
}

const struct bh_observer *bh_check_observer(const struct bh_check *check)
{
    return check ? &check->observer : NULL;
}

enum bh_status bh_check_end(struct bh_check *check)
{
    if (!check) {
        return BH_ERROR_ARGUMENT;
    }
    order_end(check);
    for (unsigned i = 0; i < CHECK_TILES; i++) {
        if (check->tile[i] && check_has(check, BH_CHECK_SYNCHRONISATION)) {
            sync_end(check, check->tile[i]);
        }
        if (check->tile[i] && check_has(check, BH_CHECK_MEMORY)) {
            memory_end(check, check->tile[i]);
        }
    }
    return check->failed ? BH_ERROR_MEMORY : BH_OK;
}

enum bh_status bh_check_stop(struct bh_check *check)
{
    if (!check) {
        return BH_ERROR_ARGUMENT;
    }
    for (unsigned i = 0; i < CHECK_TILES; i++) {
        if (check->tile[i] && check_has(check, BH_CHECK_MEMORY)) {
            memory_end(check, check->tile[i]);
        }
    }
    return check->failed ? BH_ERROR_MEMORY : BH_OK;
}

static void free_tile(struct check_tile *tile)
{
    free(tile->pointers);
    each_view(tile, end_view);
    for (unsigned i = 0; i < CHECK_REQUESTS; i++) {
        view_leave(tile->request[i].known);
    }
    free(tile);
}

void bh_check_close(struct bh_check *check)
{
    if (!check) {
        return;
    }
    for (unsigned i = 0; i < CHECK_TILES; i++) {
        if (check->tile[i]) {
            free_tile(check->tile[i]);
        }
    }
    view_free(&check->host);
    owned_free(check);
    cells_free(&check->cells);
    findings_free(check->findings);
    suppressions_free(check->suppressions);
    free(check->places);
    free(check->place_table);
    free(check->tiles);
    free(check);
}
