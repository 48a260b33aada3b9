#include "chip/series.h"

#include <string.h>

#include "chip/quantum.h"

enum {
    PATIENCE = 8,          /* quanta without a request after which a tile is in series no more */
    BUSY = 1 << 7,         /* in device->series: the tile runs beside others, since ... */
    BUSY_PER_REQUEST = 48, /* ... its coprocessor has executed more instructions than this for each request */
};

enum member_state { GOES_ON, WAITS };

struct member {
    uint8_t tile, state;  /* enum member_state */
    uint8_t rested_cores; /* of a tile at rest since the quantum began, counted as if it rested to its end */
    uint16_t at;          /* the cycle of the quantum up to which it has run */
    uint32_t requests;    /* what it has done in the quantum */
    uint64_t tensix_instructions;
};

struct series {
    struct bh_device *device;
    struct bh_run_result *result;
    struct outcome *outcome;
    uint64_t start, work;
    uint32_t carried; /* requests */
    uint16_t end;
    unsigned count;
    struct member member[TENSIX_TILES];
};

/* Who is in series. */

bool series_any(const struct bh_device *device)
{
    uint8_t any = 0;
    for (unsigned index = 0; index < TENSIX_TILES; index++) {
        any |= device->series[index];
    }
    return any != 0;
}

void series_update(struct bh_device *device)
{
    const bool possible = device->config.mode != BH_MODE_TIMED && !device->config.jitter;
    for (unsigned index = 0; possible && index < TENSIX_TILES; index++) {
        uint8_t *series = &device->series[index], patience = *series & ~BUSY;
        bool requested = device->requested[index / 64] >> index % 64 & 1;
        patience = requested ? PATIENCE : patience ? patience - 1 : 0;
        *series = patience ? patience | (*series & BUSY) : 0;
    }
    memset(device->requested, 0, sizeof device->requested);
}

/* A tile that does nothing for a while is as busy as it was before. */
static void update_busy(struct bh_device *device, const struct member *member)
{
    uint8_t *series = &device->series[member->tile];
    if (member->requests || member->tensix_instructions) {
        bool busy = member->tensix_instructions > (uint64_t)member->requests * BUSY_PER_REQUEST;
        *series = (*series & ~BUSY) | (busy ? BUSY : 0);
    }
}

static bool is_awake(const struct bh_device *device, unsigned tile)
{
    return device_awake(device, tile / 64) >> tile % 64 & 1;
}

/* All that run, or are at rest and may be woken. The others are at the end of the quantum. */
static void add_members(struct series *series)
{
    struct bh_device *device = series->device;
    for (unsigned tile = 0; tile < TENSIX_TILES; tile++) {
        const bool rests = device_rests(device, tile);
        if (rests || is_awake(device, tile)) {
            series->member[series->count++] =
                (struct member){.tile = (uint8_t)tile,
                                .state = rests || !device->series[tile] ? WAITS : GOES_ON,
                                .rested_cores = rests ? (uint8_t)rest_cores(&device->states[tile].rest) : 0,
                                .at = device->ahead[tile]};
        } else {
            device->ahead[tile] = series->end;
        }
    }
    for (unsigned index = TENSIX_TILES; index < DEVICE_TILES; index++) {
        device->ahead[index] = series->end;
    }
}

/* A tile is to run that may have been at rest before this quantum: from here on its cores do not go round. */
static void stop_counting(struct series *series, struct member *member)
{
    series->result->riscv_instructions -= (uint64_t)(series->end - member->at) * member->rested_cores;
    member->rested_cores = 0;
}

/* Turns. */

static void note(struct series *series, struct member *member, const struct turn *turn)
{
    struct bh_device *device = series->device;
    member->at = device->ahead[member->tile] = turn->end;
    member->requests += turn->requests;
    member->tensix_instructions += turn->came.tensix_instructions;
    series->work += turn_work(turn);
    series->result->riscv_instructions += turn->came.riscv_instructions;
    series->result->tensix_instructions += turn->came.tensix_instructions;
    turn_note(device, turn, series->outcome);
    if (turn->rests) {
        device_rest(device, member->tile, device->ran + turn->end);
    }
    if (turn->came.progress == TILE_STOPPED) {
        device->stopped |= !device_goes_on(device);
        member->at = device->ahead[member->tile] = series->end;
    }
}

static bool was_touched(const struct bh_device *device, unsigned tile)
{
    return device->touched[tile / 64] >> tile % 64 & 1;
}

static void forget_touch(struct bh_device *device, unsigned tile)
{
    device->touched[tile / 64] &= ~(UINT64_C(1) << tile % 64);
}

/* Carries out what a tile has started in its turn: struct tile_carrier. */
static bool carry(void *context, unsigned initiator, uint64_t now)
{
    struct series *series = context;
    struct bh_device *device = series->device;
    if (__builtin_expect(device->observers.told, 0)) {
        observers_reach_clock(device, now);
    }
    device->exchanging = true;
    bool carried = network_carry_at_once(&device->network, initiator);
    device->exchanging = false;
    series->carried += carried;
    return carried;
}

/* The same between two turns, for all that it has started. */
static void carry_all(struct series *series, const struct member *member)
{
    struct bh_device *device = series->device;
    if (device->stopped || !device->states[member->tile].registers.outbox.count) {
        return;
    }
    observers_reach_clock(device, device_tile_clock(device, member->tile));
    device->exchanging = true;
    series->carried += network_carry_all(&device->network, member->tile);
    device->exchanging = false;
}

static bool may_go_on(const struct series *series, const struct member *member)
{
    const struct bh_device *device = series->device;
    return member->at < series->end && !(device->series[member->tile] & BUSY) && is_awake(device, member->tile) &&
           !device->stopped;
}

/* Returns how many requests were carried out in it. */
static uint32_t run_step(struct series *series, struct member *member, uint16_t length)
{
    struct bh_device *device = series->device;
    struct tile *tile = &device->tiles[member->tile];
    const struct tile_carrier carrier = {carry, series, member->tile};
    const uint32_t carried = series->carried;
    const uint16_t left = series->end - member->at;
    struct turn turn = {
        .tile = member->tile, .begin = member->at, .end = (uint16_t)(member->at + (length < left ? length : left))};
    stop_counting(series, member);
    tile->carrier = &carrier;
    turn_run(device, series->start, &turn);
    tile->carrier = NULL;
    note(series, member, &turn);
    forget_touch(device, member->tile); /* of what it has read itself */
    return series->carried - carried;
}

/* A tile's turn in series. It ends where the tile starts nothing more, or something that others are to see first. It
   has a step in any case: what is carried out may start the next request for ever, where overlay streams of the tile
   lead in a circle. */
static void go_on(struct series *series, struct member *member)
{
    const struct noc_outbox *outbox = &series->device->states[member->tile].registers.outbox;
    uint32_t carried = 1;
    uint16_t length = SERIES_STEP;
    const uint16_t end = member->at + SERIES_TURN < series->end ? (uint16_t)(member->at + SERIES_TURN) : series->end;
    member->state = WAITS;
    carry_all(series, member);
    forget_touch(series->device, member->tile);
    while (carried && member->at < end && may_go_on(series, member)) {
        carried = run_step(series, member, length);
        carried = outbox->count ? 0 : carried;
        length = carried > 1 ? length * 2 : length;
    }
    member->state = carried && may_go_on(series, member) ? GOES_ON : WAITS;
    carry_all(series, member);
}

/* Turns one after the other, until no tile goes on. */
static void run_in_series(struct series *series)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < series->count; i++) {
            struct member *member = &series->member[i];
            bool comes = was_touched(series->device, member->tile) && may_go_on(series, member);
            if (member->state == GOES_ON || comes) {
                go_on(series, member);
                again = true;
            }
        }
    }
}

/* The cycle at which turns beside each other end: those who wait for others are not far ahead of them. */
static uint16_t beside_end(const struct series *series)
{
    const struct bh_device *device = series->device;
    uint16_t first = series->end;
    for (unsigned i = 0; i < series->count && !device->stopped; i++) {
        const struct member *member = &series->member[i];
        first = member->at < first && is_awake(device, member->tile) ? member->at : first;
    }
    const uint32_t end = (first / SERIES_BESIDE + 1u) * SERIES_BESIDE;
    return end < series->end ? (uint16_t)end : series->end;
}

/* Turns beside each other. Returns whether there were any. All members are among them, those that do not run with empty
   turns, so that each stays with the thread that ran it before, and in its caches (matmul_grid_2 of the benchmark). */
static bool run_beside(struct series *series)
{
    struct bh_device *device = series->device;
    const uint16_t end = beside_end(series);
    struct turns turns;
    uint64_t cycles = 0;
    turns_begin(&turns, device);
    for (unsigned i = 0; i < series->count; i++) {
        struct member *member = &series->member[i];
        const bool runs = member->at < end && is_awake(device, member->tile);
        if (runs) {
            cycles += end - member->at;
            stop_counting(series, member);
        }
        turns_add(&turns, member->tile, member->at, runs ? end : member->at);
        turns.turn[i].step = device->stopped || device->series[member->tile] & BUSY ? 0 : SERIES_STEP;
    }
    if (!cycles) {
        return false;
    }
    turns_run(&turns, cycles / turns.count);
    for (unsigned i = 0; i < turns.count; i++) {
        const struct turn *turn = &turns.turn[i];
        if (turn->end > turn->begin) {
            note(series, &series->member[i], turn);
            series->member[i].state = turn->requests ? GOES_ON : WAITS;
        }
    }
    return true;
}

/* Until the end of the quantum the device's clock shows its begin, in however many calls its cycles have passed: tiles
   see that clock in the firmware's timers. Nor is the quantum open for what requests do to the chip. */
static uint64_t close_quantum(struct bh_device *device)
{
    uint64_t lag = device->lag;
    device->clock -= lag;
    device->lag = 0;
    return lag;
}

static void reopen_quantum(struct bh_device *device, uint64_t lag)
{
    device->clock += lag;
    device->lag = lag;
}

uint64_t series_run(struct bh_device *device, uint16_t cycles, struct bh_run_result *result, struct outcome *outcome)
{
    const uint64_t lag = close_quantum(device);
    struct series series = {
        .device = device, .result = result, .outcome = outcome, .start = device->clock, .end = cycles};
    memset(device->touched, 0, sizeof device->touched);
    add_members(&series);
    do {
        run_in_series(&series);
    } while (run_beside(&series));
    for (unsigned i = 0; i < series.count; i++) {
        const struct member *member = &series.member[i];
        update_busy(device, member);
        if (device_rests(device, member->tile) && !member->rested_cores) {
            const struct tile_rest *rest = &device->states[member->tile].rest;
            result->riscv_instructions += (uint64_t)(cycles - member->at) * rest_cores(rest);
        }
    }
    if (series.carried) {
        outcome->running = true;
        device_note_carried(device, device->clock + cycles);
    }
    reopen_quantum(device, lag);
    return series.work;
}
