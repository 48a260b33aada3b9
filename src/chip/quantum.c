#include "chip/quantum.h"

#include <string.h>

enum {
    DEVICE_QUANTUM = 1000, /* cycles that one tile runs before the next one does */
    NOC_QUANTUM = 100,     /* the same while tiles talk to each other: nobody hears anything before its end */
    NOC_QUIET = 4000,      /* cycles without a request after which they do not */
    LONG_QUANTUM = 10000,  /* the longest when they have not for long */
    QUIET_PER_QUANTUM = 8, /* who starts a request waits for no longer than this part of the time without any */
    POOL_MINIMUM = 4000,   /* cycles, summed over tiles, from which on a quantum is worth waking other threads */
    TENSIX_WORK = 16,      /* instructions of a core, that take as long as one of the coprocessor */
};

static void mark_idle(struct bh_device *device, unsigned index)
{
    device->active[index / 64] &= ~(UINT64_C(1) << index % 64);
}

unsigned device_next_tile(const uint64_t bitmap[DEVICE_BITMAP_WORDS], unsigned index)
{
    for (unsigned word = index / 64; word < DEVICE_BITMAP_WORDS; word++) {
        uint64_t bits = bitmap[word];
        if (word == index / 64) {
            bits &= UINT64_MAX << index % 64;
        }
        if (bits) {
            return word * 64 + (unsigned)__builtin_ctzll(bits);
        }
    }
    return TENSIX_TILES;
}

static bool any_rests(const struct bh_device *device)
{
    return device->resting_cores > 0;
}

bool device_ethernet_runs(const struct bh_device *device)
{
    for (unsigned channel = 0; device->ready_ethernet && channel < ETHERNET_TILES; channel++) {
        if (device_ethernet_ready(device, channel) && ethernet_active(&device->ethernet[channel])) {
            return true;
        }
    }
    return false;
}

/* Forgets a tile that has nothing to run. Whether it has. */
static bool still_active(struct bh_device *device, unsigned index)
{
    const struct tile *tile = &device->tiles[index];
    if (tile_active(tile)) {
        return true;
    }
    uint64_t busy_until = tile->state->busy_until;
    device->busy_until = busy_until > device->busy_until ? busy_until : device->busy_until;
    mark_idle(device, index);
    return false;
}

bool device_any_active(struct bh_device *device)
{
    bool any = any_rests(device) || device_ethernet_runs(device);
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        uint64_t tiles = device_awake(device, word);
        any |= (tiles & device->known[word]) != 0;
        for (tiles &= ~device->known[word]; tiles; tiles &= tiles - 1) {
            any |= still_active(device, word * 64 + (unsigned)__builtin_ctzll(tiles));
        }
    }
    return any;
}

/* What a tile has done in a quantum. */
struct turn {
    uint8_t tile;
    bool noted; /* has requests or diagnostics */
    bool rests;
    struct tile_turn came; /* of it */
};

/* One quantum of the active tiles, and what came of each. They do not see each other before the exchange, so that it
   does not matter which thread runs which tile, or when. */
struct quantum {
    struct bh_device *device;
    uint64_t start, cycles;
    struct turn turn[TENSIX_TILES];
};

/* A tile's turn up to so many cycles after the start, but for what it has run ahead. */
static void run_turn(struct bh_device *device, uint64_t start, uint64_t cycles, struct turn *turn)
{
    struct tile *tile = &device->tiles[turn->tile];
    uint64_t ahead = device->ahead[turn->tile];
    tile->state->clock = start + ahead;
    tile_run_or_rest(tile, cycles - ahead, &turn->came);
    turn->rests = tile->state->rest.resting;
    turn->noted = tile->state->registers.outbox.count || tile->state->diagnostics.count;
}

static void run_tile(void *context, unsigned index)
{
    struct quantum *quantum = context;
    run_turn(quantum->device, quantum->start, quantum->cycles, &quantum->turn[index]);
}

/* Runs them all, on the threads that there are. Returns how many. */
static unsigned run_active_tiles(struct bh_device *device, struct quantum *quantum)
{
    unsigned count = 0;
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        for (uint64_t tiles = device_awake(device, word); tiles; tiles &= tiles - 1) {
            quantum->turn[count++].tile = (uint8_t)(word * 64 + (unsigned)__builtin_ctzll(tiles));
        }
    }
    if (device->pool && count > 1 && count * quantum->cycles >= POOL_MINIMUM) {
        pool_run(device->pool, count, run_tile, quantum);
    } else {
        for (unsigned i = 0; i < count; i++) {
            run_tile(quantum, i);
        }
    }
    return count;
}

/* What a quantum came to. */
struct outcome {
    bool running, blocked, stopped;
};

static void add_progress(struct outcome *outcome, enum tile_progress progress)
{
    outcome->running |= progress == TILE_RUNNING;
    outcome->blocked |= progress == TILE_BLOCKED;
    outcome->stopped |= progress == TILE_STOPPED;
}

/* The same for the Ethernet tiles. */
static void run_ethernet_tiles(struct bh_device *device, uint64_t cycles, struct bh_run_result *result,
                               struct outcome *outcome)
{
    for (unsigned channel = 0; device->ready_ethernet && channel < ETHERNET_TILES; channel++) {
        struct ethernet *ethernet = &device->ethernet[channel];
        if (device_ethernet_ready(device, channel) && ethernet_active(ethernet)) {
            uint64_t retired = ethernet_run(ethernet, (uint32_t)cycles);
            result->riscv_instructions += retired;
            network_notice(&device->network, device->ports.ethernet[channel].initiator);
            device_deliver(device, &ethernet->diagnostics);
            outcome->running |= retired != 0;
            outcome->blocked |= retired == 0 && ethernet_active(ethernet);
            outcome->stopped |= ethernet->diagnostics.stopped;
        }
    }
}

/* Whether a tile has something to run after its turn. */
static void note_activity(struct bh_device *device, unsigned index, bool active)
{
    uint64_t bit = UINT64_C(1) << index % 64, *known = &device->known[index / 64];
    *known = active ? *known | bit : *known & ~bit;
}

/* What came of a turn is seen by others. */
static void note_turn(struct bh_device *device, const struct turn *turn, struct outcome *outcome)
{
    note_activity(device, turn->tile, turn->came.active);
    if (turn->noted) {
        network_notice(&device->network, turn->tile);
        if (device->tiles[turn->tile].state->diagnostics.count) {
            device_deliver(device, &device->tiles[turn->tile].state->diagnostics);
        }
    }
    add_progress(outcome, turn->came.progress);
}

/* Runs all tiles to the end of the quantum. What came of it is seen in the order of their numbers. */
static enum tile_progress run_tiles(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    struct outcome outcome = {.running = device->open_runs};
    struct bh_run_result run = {0};
    struct quantum quantum;
    run_ethernet_tiles(device, cycles, &run, &outcome);
    quantum.device = device;
    quantum.start = device->clock - device->lag;
    quantum.cycles = cycles;
    unsigned count = run_active_tiles(device, &quantum);
    for (const struct turn *turn = quantum.turn; turn < quantum.turn + count; turn++) {
        run.riscv_instructions += turn->came.riscv_instructions;
        run.tensix_instructions += turn->came.tensix_instructions;
        note_turn(device, turn, &outcome);
    }
    device->pace = (run.riscv_instructions + run.tensix_instructions * TENSIX_WORK) / cycles;
    result->riscv_instructions += run.riscv_instructions + cycles * device->resting_cores;
    result->tensix_instructions += run.tensix_instructions;
    outcome.running |= any_rests(device);
    for (const struct turn *turn = quantum.turn; turn < quantum.turn + count; turn++) {
        if (turn->rests) {
            device_rest(device, turn->tile, device->ran + cycles);
        }
    }
    return outcome.stopped ? TILE_STOPPED : outcome.running ? TILE_RUNNING : outcome.blocked ? TILE_BLOCKED : TILE_IDLE;
}

/* Hands over what tiles have found in the course of an exchange. */
static void deliver_exchanged(struct bh_device *device)
{
    for (unsigned i = device_next_tile(device->ready, 0); i < TENSIX_TILES;
         i = device_next_tile(device->ready, i + 1)) {
        struct tile *tile = &device->tiles[i];
        device->stopped |= tile->state->diagnostics.stopped;
        if (tile->state->diagnostics.count) {
            device_deliver(device, &tile->state->diagnostics);
        }
    }
    for (unsigned channel = 0; channel < ETHERNET_TILES; channel++) {
        device->stopped |= device_ethernet_ready(device, channel) && device->ethernet[channel].diagnostics.stopped;
    }
}

/* Lets the tiles hear from each other. Whether there was anything to hear. A request can be wrong, and then stops its
   tile. */
static bool exchange(struct bh_device *device)
{
    device->exchanging = true;
    unsigned carried = network_exchange(&device->network);
    device->exchanging = false;
    if (carried == 0) {
        return false;
    }
    device->noc_busy_until = device->clock + NOC_QUIET;
    if (device->network.told) {
        device->network.told = false;
        deliver_exchanged(device);
    }
    device_deliver_others(device);
    return true;
}

uint64_t device_quantum_length(const struct bh_device *device)
{
    if (device->clock < device->noc_busy_until) {
        return NOC_QUANTUM;
    }
    uint64_t length = (device->clock - device->noc_busy_until) / QUIET_PER_QUANTUM;
    return length < DEVICE_QUANTUM ? DEVICE_QUANTUM : length < LONG_QUANTUM ? length : LONG_QUANTUM;
}

enum tile_progress device_end_quantum(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    enum tile_progress progress = run_tiles(device, cycles, result);
    if (device->lag) {
        memset(device->ahead, 0, sizeof device->ahead);
    }
    device->clock += cycles - device->lag;
    device->ran += cycles;
    device->lag = 0;
    device->open_runs = false;
    device_reset_if_due(device);
    if (progress != TILE_STOPPED && exchange(device)) {
        progress = TILE_RUNNING;
    }
    device->stopped |= progress == TILE_STOPPED;
    return device->stopped ? TILE_STOPPED : progress;
}

/* Quanta that are left open. */

void device_settle(struct bh_device *device)
{
    struct bh_run_result result = {0};
    if (device->lag) {
        (void)device_end_quantum(device, device->lag, &result);
    }
}

void device_catch_up(struct bh_device *device, unsigned index)
{
    struct tile_state *state = device->tiles[index].state;
    struct turn turn = {.tile = (uint8_t)index};
    struct outcome outcome = {0};
    bool runs = device_awake(device, index / 64) >> index % 64 & 1;
    if (runs && device->ahead[index] < device->lag && !device->stopped) {
        struct diagnostic_origin now = state->diagnostics.now; /* whose access it is */
        run_turn(device, device->clock - device->lag, device->lag, &turn);
        state->diagnostics.now = now;
        note_turn(device, &turn, &outcome);
        device->open_runs |= outcome.running;
        device->stopped |= outcome.stopped;
    }
    device->ahead[index] = (uint16_t)device->lag;
    if (turn.rests) {
        device_rest(device, index, device->ran + device->lag);
    }
}
