#include "chip/quantum.h"

#include "chip/series.h"
#include "chip/turns.h"
#include "chip/wired.h"
#include "noc/traffic.h"
#include "tile/timed.h"
#include "time/jitter.h"
#include "time/timing.h"

#include <string.h>

enum {
    DEVICE_QUANTUM = 1000, /* cycles that one tile runs before the next one */
    NOC_QUANTUM = 100,     /* the same while tiles exchange requests, which arrive at its end */
    LONG_QUANTUM = 10000,  /* the longest after a long time without requests */
    SHOWN_AFTER = 4, /* what tiles in series do is shown after such a part of the time since the host's last write */
    QUIET_PER_QUANTUM = 8,  /* a request waits no longer than this part of the time without any before it */
    ARRIVALS_TOGETHER = 50, /* what arrives over links within so many cycles is seen at their end */
    TIMED_ETHERNET = 1,     /* quantum of Ethernet tiles in timed mode: wherever a tile's turn ends, nothing changes */
    EAGER_QUANTUM = 128,    /* quantum of tiles if so little runs that the host may look that often: */
    EAGER_PACE = 16,        /* less than so much work per cycle, by more than one core */
    SHOWN_TOGETHER = 1000,  /* cycles that a tile has to run for a look, from which on other tiles run as well */
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

bool device_core_tile_active(const struct bh_device *device, unsigned number)
{
    return number < ETHERNET_TILES ? core_tile_active(&device->ethernet[number].tile)
                                   : dram_tile_active(&device->dram_tiles[number - ETHERNET_TILES]);
}

static bool runs_cores(const struct bh_device *device, unsigned number)
{
    return device_core_ready(device, number) && device_core_tile_active(device, number);
}

bool device_cores_run(const struct bh_device *device)
{
    for (uint64_t ready = device->ready_cores; ready; ready &= ready - 1) {
        if (device_core_tile_active(device, (unsigned)__builtin_ctzll(ready))) {
            return true;
        }
    }
    return false;
}

/* Takes a tile that has nothing to run off the active ones. Returns whether it still is active. */
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
    bool any = any_rests(device) || device_cores_run(device);
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        uint64_t tiles = device_awake(device, word);
        any |= (tiles & device->known[word]) != 0;
        for (tiles &= ~device->known[word]; tiles; tiles &= tiles - 1) {
            any |= still_active(device, word * 64 + (unsigned)__builtin_ctzll(tiles));
        }
    }
    return any;
}

/* Cycles since the host last wrote to a tile. */
static uint64_t quiet_cycles(const struct bh_device *device, unsigned index)
{
    return turn_quiet(device, index, device_tile_clock(device, index));
}

/* Up to which cycle of the quantum a tile is run for somebody who looks. In timed mode it makes no difference where a
   turn ends. */
static uint16_t shown_end(const struct bh_device *device, unsigned index)
{
    uint16_t ahead = device->ahead[index];
    if (device->config.mode == BH_MODE_TIMED) {
        return (uint16_t)device->lag;
    }
    if (index < TENSIX_TILES && series_any(device)) {
        return ahead; /* others have their turns before and after it */
    }
    return (uint16_t)(ahead +
                      tile_whole_quanta(quiet_cycles(device, index), device->tile_quantum, device->lag - ahead));
}

/* Whether nothing would happen in the tile's turn up to then: it need not be run, and comes to its clock when somebody
   acts on it. */
static bool skips_until(const struct bh_device *device, unsigned index, uint64_t time)
{
    return device->config.mode == BH_MODE_TIMED && device->next_act[index] >= time;
}

/* Plans the turns of all tiles to the end of a quantum of so many cycles; 0: as far as each is shown. None has a turn
   here while any is in series. */
static void plan_turns(struct bh_device *device, struct turns *turns, uint64_t cycles)
{
    turns_begin(turns, device);
    if (series_any(device)) {
        return;
    }
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        for (uint64_t tiles = device_awake(device, word); tiles; tiles &= tiles - 1) {
            unsigned tile = word * 64 + (unsigned)__builtin_ctzll(tiles);
            uint16_t end = cycles ? (uint16_t)cycles : shown_end(device, tile);
            if (skips_until(device, tile, turns->start + end)) {
                turns->skipping = true;
            } else if (end > device->ahead[tile]) {
                turns_add(turns, tile, device->ahead[tile], end);
            }
        }
    }
}

/* The longest quantum of one of CORE_TILES. What Ethernet tiles send leaves at the begin of a turn: timed mode has
   short ones. The core of a DRAM tile has times of its own there, and is alone. */
static uint32_t longest_quantum(const struct bh_device *device, unsigned number)
{
    bool timed = device->config.mode == BH_MODE_TIMED;
    return !timed ? device->tile_quantum : number < ETHERNET_TILES ? TIMED_ETHERNET : UINT32_MAX;
}

/* One turn. Returns how many instructions were retired. */
static uint64_t run_cores_once(struct bh_device *device, unsigned number, uint32_t quantum)
{
    unsigned index = TENSIX_TILES + number;
    if (number >= ETHERNET_TILES) {
        return dram_tile_run(&device->dram_tiles[number - ETHERNET_TILES], quantum);
    }
    struct ethernet *ethernet = &device->ethernet[number];
    uint64_t executed = ethernet_run(ethernet, quantum);
    ports_send_links(device, ethernet, device_tile_clock(device, index) + quantum);
    return executed;
}

/* As for a Tensix tile: its cores take turns as those do. */
static enum tile_progress run_cores(struct bh_device *device, unsigned number, uint16_t end, uint64_t *retired)
{
    unsigned index = TENSIX_TILES + number;
    struct core_tile *tile = device_core_tile(device, number);
    uint32_t longest = longest_quantum(device, number);
    enum tile_progress progress = TILE_IDLE;
    while (device->ahead[index] < end) {
        uint32_t left = end - device->ahead[index];
        uint32_t quantum = longest == UINT32_MAX ? left : tile_quantum(quiet_cycles(device, index), longest);
        quantum = quantum < longest ? quantum : longest;
        quantum = left < quantum ? left : quantum;
        if (!device_core_tile_active(device, number)) {
            progress = TILE_IDLE;
            break;
        }
        clock_begin(&tile->clock, device_tile_clock(device, index));
        uint64_t executed = run_cores_once(device, number, quantum);
        if (executed) {
            device->busy_until = clock_later(device->busy_until, tile->clock.now + clock_latest(&tile->clock));
        }
        *retired += executed;
        progress = executed || core_tile_ahead(tile)         ? TILE_RUNNING
                   : device_core_tile_active(device, number) ? TILE_BLOCKED
                                                             : TILE_IDLE;
        device->ahead[index] += (uint16_t)quantum;
    }
    device->ahead[index] = end;
    network_notice(&device->network, index);
    if (number >= ETHERNET_TILES) {
        device_note_copies(device, number - ETHERNET_TILES);
    }
    device_deliver(device, &tile->diagnostics);
    return tile->diagnostics.stopped ? progress_for_device(device, TILE_STOPPED) : progress;
}

static void run_core_tiles(struct bh_device *device, uint64_t cycles, struct bh_run_result *result,
                           struct outcome *outcome)
{
    for (uint64_t ready = device->ready_cores; ready; ready &= ready - 1) {
        unsigned number = (unsigned)__builtin_ctzll(ready);
        if (device_core_tile_active(device, number)) {
            outcome_add(outcome, run_cores(device, number, (uint16_t)cycles, &result->riscv_instructions));
        }
    }
}

/* Runs the tiles to the end of the quantum, if none is in series. Returns their work. */
static uint64_t run_apart(struct bh_device *device, uint64_t cycles, struct bh_run_result *result,
                          struct outcome *outcome)
{
    uint64_t work = 0;
    struct turns turns;
    plan_turns(device, &turns, cycles);
    turns_run(&turns, cycles);
    result->riscv_instructions += cycles * device->resting_cores;
    outcome->running |= any_rests(device) || turns.skipping;
    for (const struct turn *turn = turns.turn; turn < turns.turn + turns.count; turn++) {
        work += turn_work(turn);
        result->riscv_instructions += turn->came.riscv_instructions;
        result->tensix_instructions += turn->came.tensix_instructions;
        turn_note(device, turn, outcome);
        device->ahead[turn->tile] = (uint16_t)cycles;
    }
    for (const struct turn *turn = turns.turn; turn < turns.turn + turns.count; turn++) {
        if (turn->rests) {
            device_rest(device, turn->tile, device->ran + cycles);
        }
    }
    return work;
}

/* Runs all tiles to the end of the quantum. Their results are handled in the order of the tiles' numbers. */
static enum tile_progress run_tiles(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    struct outcome outcome = {.stopped = device->early_stop};
    run_core_tiles(device, cycles, result, &outcome);
    uint64_t work = device->early + run_apart(device, cycles, result, &outcome);
    if (series_any(device)) {
        work += series_run(device, (uint16_t)cycles, result, &outcome);
    }
    series_update(device);
    device->pace = device_cores_run(device) ? 0 : (uint32_t)(work / cycles);
    return outcome_progress(&outcome);
}

/* Cycles since the last request between tiles, or the last write of the host that may have an answer. */
static uint64_t cycles_of_quiet(const struct bh_device *device)
{
    bool host = device->attended && device->host_wrote_at > device->noc_busy_until;
    return device->clock - (host ? device->host_wrote_at : device->noc_busy_until);
}

/* The earliest time at which anybody may do what others can see later. */
static uint64_t next_act(const struct bh_device *device)
{
    if (network_requested(&device->network) || device_cores_run(device)) {
        return device->clock;
    }
    uint64_t next = traffic_planned(device->network.traffic);
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS && next > device->clock; word++) {
        for (uint64_t tiles = device_awake(device, word); tiles && next > device->clock; tiles &= tiles - 1) {
            uint64_t time = device->next_act[word * 64 + (unsigned)__builtin_ctzll(tiles)];
            next = time < next ? time : next;
        }
    }
    return next;
}

uint64_t device_cycles_to_spin_check(const struct bh_device *device)
{
    return SPIN_CHECK_INTERVAL - (device->clock + SPIN_CHECK_INTERVAL / 2) % SPIN_CHECK_INTERVAL;
}

/* Others see what somebody does TIMING_NOC_LOOKAHEAD cycles later at the earliest. A quantum ends by then, where tiles
   that spin are to be looked for, and when something comes over the NoC to a tile that may see it, and cannot do it in
   its turn. */
static uint64_t timed_length(const struct bh_device *device)
{
    uint64_t next = next_act(device), act = next > device->clock ? next - device->clock : 0;
    uint64_t length = act < DEVICE_QUANTUM ? act + TIMING_NOC_LOOKAHEAD : DEVICE_QUANTUM;
    uint64_t visible = traffic_visible(device->network.traffic), check = device_cycles_to_spin_check(device);
    uint64_t left = visible > device->clock ? visible - device->clock : 1;
    length = left < length ? left : length;
    return check < length ? check : length;
}

/* Quanta are long while there are no requests, since each has a cost; the length does not depend on the number of
   threads, and never goes beyond a reset that is due. */
enum { JITTER_SHORTEST = 8 };

/* Of a chip of a system a quantum ends with the epoch, and where something arrives: in functional mode a little later,
   so that quanta are not too short where links are busy. */
static uint64_t wired_length(const struct bh_device *device, uint64_t length)
{
    unsigned channel;
    uint64_t end = device->horizon, arrival = wire_next_arrival(&device->wire, &channel);
    if (device->config.mode != BH_MODE_TIMED && arrival < end) {
        arrival = (arrival + ARRIVALS_TOGETHER - 1) / ARRIVALS_TOGETHER * ARRIVALS_TOGETHER;
    }
    end = arrival < end ? arrival : end;
    uint64_t left = end > device->clock ? end - device->clock : 1;
    return left < length ? left : length;
}

/* While there is traffic. Tiles in series are shown to the host when a quantum has ended: soon after its last write. */
static uint64_t noc_length(const struct bh_device *device)
{
    const bool apart = device->exchanged || device_cores_run(device); /* whose requests wait for its end */
    if (apart || !series_any(device)) {
        return NOC_QUANTUM;
    }
    uint64_t quiet = device->attended ? device->clock - device->host_wrote_at : TILE_QUIET,
             length = quiet / SHOWN_AFTER;
    return length < NOC_QUANTUM ? NOC_QUANTUM : length < SERIES_QUANTUM ? length : SERIES_QUANTUM;
}

static uint64_t quantum_length(const struct bh_device *device)
{
    uint64_t length;
    if (device->config.mode == BH_MODE_TIMED) {
        length = timed_length(device);
    } else if (device->clock < device->noc_busy_until) {
        length = noc_length(device);
    } else {
        length = cycles_of_quiet(device) / QUIET_PER_QUANTUM;
        length = length < DEVICE_QUANTUM ? DEVICE_QUANTUM : length < LONG_QUANTUM ? length : LONG_QUANTUM;
    }
    if (device->config.jitter && length > JITTER_SHORTEST) {
        length = JITTER_SHORTEST +
                 jitter_bits(device->config.jitter, device->clock, JITTER_DEVICE) % (length - JITTER_SHORTEST);
    }
    uint64_t before_reset = device->reset_at > device->clock ? device->reset_at - device->clock : length;
    length = length < before_reset ? length : before_reset;
    return device->wire.wired ? wired_length(device, length) : length;
}

void device_begin_quantum(struct bh_device *device, bool attended)
{
    bool eager = attended && device->pace > 1 && device->pace < EAGER_PACE;
    device->attended = attended;
    device->tile_quantum = eager ? EAGER_QUANTUM : TILE_QUANTUM;
    device->quantum = quantum_length(device);
    if (observers_begin_quantum(device, device->clock + device->quantum)) {
        device->quantum = quantum_length(device);
    }
}

enum tile_progress device_end_quantum(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    enum tile_progress progress = run_tiles(device, cycles, result);
    memset(device->ahead, 0, sizeof device->ahead);
    device->clock += cycles - device->lag;
    device->ran += cycles;
    device->lag = 0;
    device->early = 0;
    device->early_stop = false;
    device_reset_if_due(device);
    if (device->wire.wired && wired_receive(device)) {
        progress = progress == TILE_STOPPED ? TILE_STOPPED : TILE_RUNNING;
    }
    device->stopped |= progress == TILE_STOPPED;
    bool goes_on = progress != TILE_STOPPED || device->wire.wired; /* to the end of the epoch */
    if (goes_on && (device_exchange(device) || network_pending(&device->network) ||
                    (progress == TILE_BLOCKED && device_anything_arrives(device)))) {
        progress = TILE_RUNNING;
    }
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

/* Notes the result of a turn that was run before the quantum ends. The device is not stopped before then. */
static void note_early(struct bh_device *device, const struct turn *turn)
{
    struct outcome outcome = {0};
    turn_note(device, turn, &outcome);
    device->early += turn_work(turn);
    device->early_stop |= outcome.stopped;
    device->ahead[turn->tile] = turn->end;
    if (turn->rests) {
        device_rest(device, turn->tile, device->ran + turn->end);
    }
}

static void run_tensix_early(struct bh_device *device, unsigned index, uint16_t end)
{
    struct turn turn = {.tile = (uint8_t)index, .begin = device->ahead[index], .end = end};
    struct diagnostics *diagnostics = &device->tiles[index].state->diagnostics;
    struct diagnostic_origin now = diagnostics->now; /* the access that the tile is run for */
    turn_run(device, device->clock - device->lag, &turn);
    diagnostics->now = now;
    note_early(device, &turn);
}

static void run_cores_early(struct bh_device *device, unsigned number, uint16_t end)
{
    struct diagnostics *diagnostics = &device_core_tile(device, number)->diagnostics;
    struct diagnostic_origin now = diagnostics->now;
    uint64_t retired = 0;
    device->early_stop |= run_cores(device, number, end, &retired) == TILE_STOPPED;
    diagnostics->now = now;
}

static void run_early(struct bh_device *device, unsigned index, uint16_t end)
{
    if (end <= device->ahead[index]) {
        return;
    }
    if (index >= TENSIX_TILES) {
        if (runs_cores(device, index - TENSIX_TILES)) {
            run_cores_early(device, index - TENSIX_TILES, end);
        }
    } else if (device_awake(device, index / 64) >> index % 64 & 1) {
        run_tensix_early(device, index, end);
    }
    device->ahead[index] = end;
}

void device_show_all(struct bh_device *device)
{
    struct turns turns;
    if (device->lag) {
        plan_turns(device, &turns, 0);
        turns_run(&turns, device->lag);
        for (const struct turn *turn = turns.turn; turn < turns.turn + turns.count; turn++) {
            note_early(device, turn);
        }
        for (unsigned index = TENSIX_TILES; device->ready_cores && index < DEVICE_TILES; index++) {
            run_early(device, index, shown_end(device, index));
        }
    }
}

/* A host that looks at a second tile at the same clock may look at all of them: then all are run, on all threads. */
static bool looks_at_many(struct bh_device *device)
{
    bool second = device->looked_at == device->clock;
    device->looked_at = device->clock;
    return second;
}

void device_show(struct bh_device *device, unsigned index)
{
    if (device->lag) {
        uint16_t end = shown_end(device, index);
        if (end - device->ahead[index] >= SHOWN_TOGETHER && looks_at_many(device)) {
            device_show_all(device);
        }
        run_early(device, index, end);
    }
}

void device_reach(struct bh_device *device, unsigned index)
{
    if (device->lag) {
        run_early(device, index, (uint16_t)device->lag);
        bool timed = device->config.mode == BH_MODE_TIMED; /* then others may see what the tile does now */
        uint64_t most = timed ? TIMING_NOC_LOOKAHEAD : series_any(device) ? NOC_QUANTUM : DEVICE_QUANTUM;
        uint64_t latest = device->lag + most; /* the host may wait for it */
        device->quantum = device->quantum < latest ? device->quantum : latest;
    }
    if (index < TENSIX_TILES && tile_doze_any(&device->states[index].doze)) {
        device_wake(device, index);
    } else if (index < TENSIX_TILES && device->config.mode == BH_MODE_TIMED && device_used(device, index)) {
        tile_end_polling(&device->tiles[index]);
    }
    device->written_at[index] = device->clock;
    device->host_wrote_at = device->clock;
    device->blocked = false;
}
