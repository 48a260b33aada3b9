#include "chip/turns.h"

enum {
    POOL_MINIMUM = 4000, /* cycles, summed over tiles, from which on other threads are woken for a quantum ... */
    TIMED_MINIMUM = 400, /* ... in timed mode, in which each takes ten times as long */
    TENSIX_WORK = 16,    /* instructions of a core that take as long as one of the coprocessor */
};

void outcome_add(struct outcome *outcome, enum tile_progress progress)
{
    outcome->running |= progress == TILE_RUNNING;
    outcome->blocked |= progress == TILE_BLOCKED;
    outcome->stopped |= progress == TILE_STOPPED;
}

enum tile_progress outcome_progress(const struct outcome *outcome)
{
    return outcome->stopped   ? TILE_STOPPED
           : outcome->running ? TILE_RUNNING
           : outcome->blocked ? TILE_BLOCKED
                              : TILE_IDLE;
}

void turns_begin(struct turns *turns, struct bh_device *device)
{
    turns->device = device;
    turns->start = device->clock - device->lag;
    turns->skipping = false;
    turns->count = 0;
}

void turns_add(struct turns *turns, unsigned tile, uint16_t begin, uint16_t end)
{
    struct turn *turn = &turns->turn[turns->count++];
    turn->tile = (uint8_t)tile;
    turn->begin = begin;
    turn->end = end;
    turn->step = 0;
}

uint64_t turn_quiet(const struct bh_device *device, unsigned index, uint64_t clock)
{
    return device->attended ? clock - device->written_at[index] : TILE_QUIET;
}

void turn_run(struct bh_device *device, uint64_t start, struct turn *turn)
{
    struct tile *tile = &device->tiles[turn->tile];
    const uint32_t started = tile->state->registers.outbox.started;
    const struct tile_span span = {.cycles = turn->end - turn->begin,
                                   .quiet = turn_quiet(device, turn->tile, start + turn->begin),
                                   .longest = device->tile_quantum,
                                   .untouched = device->known[turn->tile / 64] >> turn->tile % 64 & 1,
                                   .first = turn->begin == 0};
    clock_begin(&tile->state->clock, start + turn->begin);
    tile_run_or_rest(tile, &span, &turn->came);
    turn->rests = tile->state->rest.resting;
    turn->noted = tile->state->registers.outbox.count || tile->state->diagnostics.count;
    turn->requests = tile->state->registers.outbox.started - started;
}

static void add_result(struct tile_turn *sum, const struct tile_turn *came)
{
    const bool ran = sum->progress == TILE_RUNNING && came->progress != TILE_STOPPED;
    sum->progress = ran ? TILE_RUNNING : came->progress;
    sum->active = came->active;
    sum->riscv_instructions += came->riscv_instructions;
    sum->tensix_instructions += came->tensix_instructions;
    sum->retired += came->retired;
}

/* A turn that ends early if the tile has started a request. */
static void run_to_request(struct turns *turns, struct turn *turn)
{
    struct turn all = *turn;
    const uint16_t end = turn->end;
    all.came = (struct tile_turn){.progress = TILE_IDLE};
    do {
        uint16_t step_end = (uint16_t)((turn->begin / turn->step + 1) * turn->step);
        turn->end = step_end < end ? step_end : end;
        turn_run(turns->device, turns->start, turn);
        add_result(&all.came, &turn->came);
        turn->begin = turn->end;
    } while (turn->end < end && !turn->requests && !turn->rests && turn->came.progress != TILE_STOPPED);
    turn->begin = all.begin;
    turn->end = turn->came.progress == TILE_STOPPED ? end : turn->end;
    turn->came = all.came;
}

static void run(struct turns *turns, struct turn *turn)
{
    if (turn->begin == turn->end) {
        return;
    }
    if (turn->step) {
        run_to_request(turns, turn);
    } else {
        turn_run(turns->device, turns->start, turn);
    }
}

/* On any thread: all but what is observed. */
static void run_tile(void *context, unsigned index)
{
    struct turns *turns = context;
    struct turn *turn = &turns->turn[index];
    if (__builtin_expect(!turns->device->tiles[turn->tile].observed, 1)) {
        run(turns, turn);
    }
}

/* On the calling thread, whose observers they tell of what they do while they do it. */
static void run_observed_tiles(struct turns *turns)
{
    for (unsigned i = 0; i < turns->count; i++) {
        struct turn *turn = &turns->turn[i];
        if (turns->device->tiles[turn->tile].observed) {
            run(turns, turn);
        }
    }
}

void turns_run(struct turns *turns, uint64_t cycles)
{
    struct bh_device *device = turns->device;
    uint64_t minimum = device->config.mode == BH_MODE_TIMED ? TIMED_MINIMUM : POOL_MINIMUM;
    if (device->pool && turns->count > 1 && turns->count * cycles >= minimum) {
        pool_run(device->pool, turns->count, run_tile, turns);
    } else {
        for (unsigned i = 0; i < turns->count; i++) {
            run_tile(turns, i);
        }
    }
    if (observers_any(&device->observers)) {
        run_observed_tiles(turns);
    }
}

/* Notes whether a tile has something to run after its turn. */
static void note_activity(struct bh_device *device, unsigned index, bool active)
{
    uint64_t bit = UINT64_C(1) << index % 64, *known = &device->known[index / 64];
    *known = active ? *known | bit : *known & ~bit;
}

void turn_note(struct bh_device *device, const struct turn *turn, struct outcome *outcome)
{
    bool stopped = turn->came.progress == TILE_STOPPED;
    device->any_dead |= stopped && device_goes_on(device);
    note_activity(device, turn->tile, turn->came.active && !stopped);
    if (device->config.mode == BH_MODE_TIMED) {
        device_note_next_act(device, turn->tile);
    }
    if (turn->noted) {
        network_notice(&device->network, turn->tile);
        if (device->tiles[turn->tile].state->diagnostics.count) {
            device_deliver(device, &device->tiles[turn->tile].state->diagnostics);
        }
    }
    device->requested[turn->tile / 64] |= (uint64_t)(turn->requests != 0) << turn->tile % 64;
    if (turn->came.tensix_instructions) {
        device->worked_at = device->clock;
    }
    outcome_add(outcome, progress_for_device(device, turn->came.progress));
}

uint64_t turn_work(const struct turn *turn)
{
    return turn->came.retired + turn->came.tensix_instructions * TENSIX_WORK;
}
