/* The device behind include/bhemu/device.h: creation, running, and its diagnostics. */
#include <string.h>

#include "chip/explain.h"
#include "chip/quantum.h"
#include "chip/remote.h"
#include "chip/run.h"
#include "chip/wired.h"
#include "noc/traffic.h"
#include "tile/timed.h"

void device_create_tiles(struct bh_device *device)
{
    enum bh_policy_preset policy = device->config.policy;
    struct pcie_bus bus = device_pcie_bus(device);
    noc_translation_create(&device->translation, device->board.tiles);
    pcie_create(&device->pcie, &bus, &device->translation, policy);
    pcie_config_move(&device->pcie.config, device->chip);
    ports_connect(device);
}

/* At least one Tensix tile and one DRAM channel, and none that the die does not have. */
static bool tiles_are_possible(const struct bh_tiles *tiles)
{
    return !tiles || (tiles->tensix_columns && tiles->dram && !(tiles->tensix_columns & ~ALL_TENSIX_COLUMNS) &&
                      !(tiles->ethernet & ~ALL_ETHERNET));
}

enum bh_status bh_engine_by_name(const char *name, enum bh_engine *engine)
{
    static const char *const names[BH_ENGINES] = {[BH_ENGINE_FAST] = "fast", [BH_ENGINE_PLAIN] = "plain"};
    for (unsigned i = 0; name && engine && i < BH_ENGINES; i++) {
        if (!strcmp(name, names[i])) {
            *engine = (enum bh_engine)i;
            return BH_OK;
        }
    }
    return BH_ERROR_ARGUMENT;
}

enum bh_status bh_on_error_by_name(const char *name, enum bh_on_error *on_error)
{
    static const char *const names[BH_ON_ERRORS] = {[BH_ON_ERROR_STOP] = "stop", [BH_ON_ERROR_REPORT] = "report"};
    for (unsigned i = 0; name && on_error && i < BH_ON_ERRORS; i++) {
        if (!strcmp(name, names[i])) {
            *on_error = (enum bh_on_error)i;
            return BH_OK;
        }
    }
    return BH_ERROR_ARGUMENT;
}

enum bh_status bh_mode_by_name(const char *name, enum bh_mode *mode)
{
    static const char *const names[BH_MODES] = {[BH_MODE_FUNCTIONAL] = "functional", [BH_MODE_TIMED] = "timed"};
    for (unsigned i = 0; name && mode && i < BH_MODES; i++) {
        if (!strcmp(name, names[i])) {
            *mode = (enum bh_mode)i;
            return BH_OK;
        }
    }
    return BH_ERROR_ARGUMENT;
}

const char *bh_mode_counts(enum bh_mode mode)
{
    return mode == BH_MODE_TIMED ? "modelled cycles" : "emulated steps";
}

/* Makes a new device one of a system. */
static void connect_wire(struct bh_device *device, const struct wired_place *place)
{
    device->chip = place->chip;
    device->chips = place->chips;
    device->board.chip = place->as;
    memcpy(device->board.port, place->port, sizeof place->port);
    device->wire.wired = true;
    device->wire.latency = place->latency;
    for (unsigned channel = 0; channel < BOARD_PORTS; channel++) {
        device->wire.connected |= (uint16_t)(place->port[channel].linked << channel);
    }
    device->wire.port.plugged = device->wire.port.other_on = device->wire.connected;
}

enum bh_status wired_create(const struct bh_device_config *config, const struct wired_place *place,
                            struct bh_device **device)
{
    if (!device || (config && ((unsigned)config->policy > BH_POLICY_SILICON || (unsigned)config->board >= BH_BOARDS ||
                               (unsigned)config->engine >= BH_ENGINES || (unsigned)config->mode >= BH_MODES ||
                               (unsigned)config->on_error >= BH_ON_ERRORS || !tiles_are_possible(config->tiles)))) {
        return BH_ERROR_ARGUMENT;
    }
    *device = NULL;
    struct bh_device *created = device_map();
    if (!created) {
        return BH_ERROR_MEMORY;
    }
    translator_create(&created->own_translator);
    created->translator = place ? place->translator : &created->own_translator;
    if (config) {
        created->config = *config;
    }
    if (created->config.mode == BH_MODE_TIMED) {
        created->config.engine = BH_ENGINE_PLAIN; /* time is that of single instructions */
    }
    created->translator->off |= created->config.engine == BH_ENGINE_PLAIN;
    if (created->config.mode == BH_MODE_TIMED && !(created->network.traffic = traffic_create())) {
        device_destroy(created);
        return BH_ERROR_MEMORY;
    }
    if (created->config.threads > 1 && !(created->pool = pool_create(created->config.threads))) {
        device_destroy(created);
        return BH_ERROR_MEMORY;
    }
    created->board = board_create(created->config.board, created->config.tiles);
    created->config.tiles = NULL; /* it belongs to the caller */
    if (place) {
        connect_wire(created, place);
    }
    wire_reset(&created->wire);
    device_create_tiles(created);
    *device = created;
    return BH_OK;
}

enum bh_status bh_device_create(const struct bh_device_config *config, struct bh_device **device)
{
    return wired_create(config, NULL, device);
}

void device_destroy(struct bh_device *device)
{
    if (!device) {
        return;
    }
    observers_destroy(&device->observers);
    traffic_destroy(device->network.traffic);
    wire_destroy(&device->wire);
    dram_destroy(&device->dram);
    pool_destroy(device->pool);
    translator_destroy(&device->own_translator);
    device_unmap(device);
}

/* Chips of a system are its own, and go with it. */
void bh_device_destroy(struct bh_device *device)
{
    if (device && !device->wire.wired) {
        device_destroy(device);
    }
}

uint64_t bh_clock(const struct bh_device *device)
{
    return device ? device->clock : 0;
}

void device_pass(struct bh_device *device, uint64_t cycles)
{
    device_settle(device);
    device->clock += clock_room(device->clock, cycles);
    (void)observers_begin_quantum(device, device->clock);
    device_reset_if_due(device);
}

/* Only the system lets time pass for a chip of it. */
void bh_pass(struct bh_device *device, uint64_t cycles)
{
    if (device && !device->wire.wired) {
        device_pass(device, cycles);
    }
}

/* Whether a warning that a device gives only once was given before; from now on it was. */
static bool was_told(struct bh_device *device, const char *text)
{
    uint32_t hash = diagnostic_hash(text, 0);
    for (unsigned i = 0; i < DEVICE_TOLD; i++) {
        if (device->told[i] == hash) {
            return true;
        }
        if (!device->told[i]) {
            device->told[i] = hash;
            return false;
        }
    }
    return false;
}

/* The interpreter and the NoC number the cores of other tiles as in a Tensix tile. A diagnostic may be of another tile
   than the one that has found it. */
static void name_core(const struct bh_device *device, struct bh_diagnostic *entry)
{
    if (entry->agent != BH_AGENT_CORE || entry->index >= BH_CORE_COUNT) {
        return;
    }
    for (uint64_t ready = device->ready_cores; ready; ready &= ready - 1) {
        const struct core_tile *tile = device_core_tile(device, (unsigned)__builtin_ctzll(ready));
        if (tile->diagnostics.tile_x == entry->tile_x && tile->diagnostics.tile_y == entry->tile_y) {
            entry->index = tile->kind->core[entry->index != BH_CORE_B];
            return;
        }
    }
}

void device_deliver(struct bh_device *device, struct diagnostics *diagnostics)
{
    uint32_t count = diagnostics->count < DIAGNOSTICS_KEPT ? diagnostics->count : DIAGNOSTICS_KEPT;
    for (uint32_t i = 0; i < count && device->config.on_diagnostic; i++) {
        bool once = diagnostics->once >> i & 1;
        device_look(device);
        name_core(device, &diagnostics->entries[i]);
        if (!once || !was_told(device, diagnostics->entries[i].text)) {
            device->config.on_diagnostic(device->config.context, &diagnostics->entries[i]);
        }
    }
    diagnostics->count = 0;
    diagnostics->once = 0;
}

void device_deliver_others(struct bh_device *device)
{
    device_deliver(device, &device->arc.diagnostics);
    device_deliver(device, &device->pcie.diagnostics);
    for (unsigned i = absent_next(&device->absent, 0); i < ABSENT_TILES; i = absent_next(&device->absent, i + 1)) {
        device_deliver(device, &device->absent.tile[i].diagnostics);
    }
    for (uint64_t ready = device->ready_cores; ready; ready &= ready - 1) {
        device_deliver(device, &device_core_tile(device, (unsigned)__builtin_ctzll(ready))->diagnostics);
    }
}

/* Whether every one of CORE_TILES that runs spins in a loop; *longest grows to the cycles that it took to find out. */
static bool cores_spin(struct bh_device *device, struct bh_run_result *result, uint64_t *longest)
{
    bool spin = true;
    for (uint64_t ready = device->ready_cores; spin && ready; ready &= ready - 1) {
        unsigned number = (unsigned)__builtin_ctzll(ready);
        struct core_tile *tile = device_core_tile(device, number);
        if (!device_core_tile_active(device, number)) {
            continue;
        }
        clock_begin(&tile->clock, device->clock);
        uint64_t cycles = SPIN_CHECK_CYCLES, before = core_tile_instructions(tile);
        spin = core_tile_spins(tile, &cycles, device->config.mode == BH_MODE_TIMED);
        result->riscv_instructions += core_tile_instructions(tile) - before;
        network_notice(&device->network, TENSIX_TILES + number);
        *longest = cycles > *longest ? cycles : *longest;
        device_deliver(device, &tile->diagnostics);
        device_note_stop(device, &tile->diagnostics);
    }
    return spin;
}

/* Adds what a tile has executed since it was created; sign -1 takes it away. */
static void count_instructions(const struct tile *tile, struct bh_run_result *result, int sign)
{
    result->riscv_instructions += (uint64_t)sign * tile_riscv_instructions(tile);
    result->tensix_instructions += (uint64_t)sign * tile_tensix_instructions(tile);
}

/* Whether every tile that runs spins in a loop. In functional mode finding out takes the tiles some cycles. */
static bool all_spin(struct bh_device *device, struct bh_run_result *result)
{
    uint64_t longest = 0;
    bool spin = cores_spin(device, result, &longest);
    uint64_t tiles[DEVICE_BITMAP_WORDS];
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        tiles[word] = device_awake(device, word);
    }
    for (unsigned i = device_next_tile(tiles, 0); spin && i < TENSIX_TILES; i = device_next_tile(tiles, i + 1)) {
        struct tile *tile = &device->tiles[i];
        uint64_t cycles = SPIN_CHECK_CYCLES;
        clock_begin(&tile->state->clock, device->clock);
        count_instructions(tile, result, -1);
        spin = tile_spins(tile, &cycles);
        device_touch(device, i);
        count_instructions(tile, result, 1);
        network_notice(&device->network, i);
        longest = cycles > longest ? cycles : longest;
        if (tile->state->diagnostics.count) {
            device_deliver(device, &tile->state->diagnostics);
        }
        device_note_stop(device, &tile->state->diagnostics);
    }
    device->clock += longest;
    result->cycles += longest;
    return spin;
}

void bh_report(struct bh_device *device)
{
    if (device_is_remote(device)) {
        (void)device_call(device, &(struct remote_call){.function = REMOTE_REPORT});
    } else if (device && !device->stopped && !device->early_stop) {
        device_report(device, NULL);
    }
}

/* Set by a signal handler or another thread. */
static bool is_interrupted(const struct bh_device *device)
{
    return device->config.interrupted && __atomic_load_n(device->config.interrupted, __ATOMIC_RELAXED);
}

static bool has_computed_for_long(const struct bh_device *device)
{
    return device->clock - device->worked_at >= SPIN_CHECK_INTERVAL;
}

/* Whether it is time to look whether all tiles spin, after a quantum; `interval`: that is so in functional mode.
   The search executes instructions as functional mode does. So timed mode takes back what it has done to cores and
   their clocks, and searches only after a long time in which cores have done nothing but compute, at clocks that do not
   depend on the calls of bh_run(). */
static bool spin_check_due(const struct bh_device *device, bool interval)
{
    return device->config.mode == BH_MODE_FUNCTIONAL
               ? interval
               : has_computed_for_long(device) && device_cycles_to_spin_check(device) == SPIN_CHECK_INTERVAL;
}

bool device_anything_arrives(const struct bh_device *device)
{
    bool any = false;
    for (uint64_t ready = device->ready_cores >> ETHERNET_TILES; ready; ready &= ready - 1) {
        any |= device->dram_tiles[__builtin_ctzll(ready)].dma.count != 0;
    }
    for (unsigned i = device_next_tile(device->ready, 0); i < TENSIX_TILES && !any;
         i = device_next_tile(device->ready, i + 1)) {
        any = device->config.mode == BH_MODE_TIMED && tile_next_arrival(&device->tiles[i]) != CLOCK_NEVER;
    }
    return any;
}

/* Whether nothing is under way that cores may poll for. */
static bool may_spin(const struct bh_device *device)
{
    return !network_pending(&device->network) && !device_anything_arrives(device);
}

bool wired_spins(struct bh_device *device, struct bh_run_result *result)
{
    bool due = device->config.mode == BH_MODE_FUNCTIONAL || has_computed_for_long(device);
    return due && may_spin(device) && all_spin(device, result) && !network_pending(&device->network);
}

uint64_t device_busy_until(const struct bh_device *device)
{
    uint64_t packets = device->config.mode == BH_MODE_TIMED ? traffic_now(device->network.traffic) : 0;
    return device->busy_until > packets ? device->busy_until : packets;
}

/* Nothing runs any more. The last tile, or packet, ended before the end of its quantum; in timed mode a tile may also
   have gone on behind that, or behind the cycles asked for, which then pass first. */
static void end_where_tiles_did(struct bh_device *device, struct bh_run_result *run, uint64_t cycles)
{
    uint64_t start = device->clock - run->cycles, end = device_busy_until(device);
    run->reason = BH_RAN_IDLE;
    if (end >= start) {
        uint64_t busy = end - start;
        run->reason = busy > cycles ? BH_RAN_CYCLES : BH_RAN_IDLE;
        run->cycles = busy > cycles ? cycles : busy;
        device->clock = start + run->cycles;
    }
}

void device_run_begin(struct bh_device *device, uint64_t cycles, struct device_run *run)
{
    *run = (struct device_run){.cycles = cycles, .next_spin_check = SPIN_CHECK_INTERVAL};
    device_settle(device);
    device->blocked = false;
}

/* All cores and threads wait. In timed mode the run ends at the clock at which the last of them, or a packet, did
   anything: the end of the quantum in which this is noticed depends on calls and on whether tiles are observed. Returns
   whether that clock is still to come. */
static bool end_where_all_wait(struct bh_device *device, struct bh_run_result *result)
{
    uint64_t end = clock_later(device->clock - result->cycles, device_busy_until(device));
    for (unsigned i = device_next_tile(device->ready, 0); i < TENSIX_TILES;
         i = device_next_tile(device->ready, i + 1)) {
        end = clock_later(end, device->states[i].busy_until);
    }
    if (device->config.mode == BH_MODE_TIMED && end < device->clock) {
        result->cycles -= device->clock - end;
        device->clock = end;
    }
    return device->config.mode == BH_MODE_TIMED && end > device->clock;
}

/* One quantum, and what follows from it. */
static void run_quantum(struct bh_device *device, struct device_run *run)
{
    struct bh_run_result *result = &run->result;
    device_make_room_for_translations(device);
    uint64_t left = run->cycles - result->cycles;
    device_begin_quantum(device, false);
    uint64_t quantum = left < device->quantum ? left : device->quantum;
    enum tile_progress progress = device_end_quantum(device, quantum, result);
    result->cycles += quantum;
    if (progress == TILE_BLOCKED && end_where_all_wait(device, result)) {
        progress = TILE_RUNNING;
    }
    bool check = progress == TILE_RUNNING && spin_check_due(device, result->cycles >= run->next_spin_check);
    device_visit(device, check); /* a core that waits for the visitor does not spin in vain */
    bool room = device->config.mode == BH_MODE_TIMED || run->cycles - result->cycles >= SPIN_CHECK_CYCLES;
    if (check && room && may_spin(device)) {
        run->next_spin_check += SPIN_CHECK_INTERVAL;
        progress = all_spin(device, result) && !network_pending(&device->network) ? TILE_BLOCKED
                   : device->stopped                                              ? TILE_STOPPED
                                                                                  : TILE_RUNNING;
    }
    if (progress == TILE_STOPPED) {
        device->stopped = true;
    } else if (progress == TILE_BLOCKED) {
        result->reason = BH_RAN_DEADLOCK;
        device_explain(device, BH_STOP, EXPLAINED_TILES);
    }
}

bool device_run_on(struct bh_device *device, uint64_t clock, struct device_run *run)
{
    struct bh_run_result *result = &run->result;
    while (result->cycles < run->cycles && result->reason == BH_RAN_CYCLES) {
        if (device->clock >= clock) {
            return true;
        }
        if (device->stopped || (!device_any_active(device) && !network_pending(&device->network))) {
            break; /* before an interruption, after which another call would not know where the tiles ended */
        }
        if (is_interrupted(device)) {
            result->reason = BH_RAN_INTERRUPTED;
            break;
        }
        run_quantum(device, run);
    }
    return false;
}

enum bh_status device_run_end(struct bh_device *device, struct device_run *run)
{
    struct bh_run_result *result = &run->result;
    if (device->stopped) {
        result->reason = BH_RAN_STOPPED;
    } else if (result->reason == BH_RAN_CYCLES && !device_any_active(device) && !network_pending(&device->network)) {
        end_where_tiles_did(device, result, run->cycles);
    }
    device_look(device);
    run->cycles = 0;
    return result->reason == BH_RAN_STOPPED || result->reason == BH_RAN_DEADLOCK ? BH_ERROR_STOPPED : BH_OK;
}

enum bh_status bh_run(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    struct device_run run;
    if (!device || device->wire.wired) {
        return BH_ERROR_ARGUMENT;
    }
    device_run_begin(device, cycles, &run);
    (void)device_run_on(device, UINT64_MAX, &run);
    enum bh_status status = device_run_end(device, &run);
    if (result) {
        *result = run.result;
    }
    return status;
}

uint64_t device_advance_in_quantum(struct bh_device *device, uint64_t cycles)
{
    struct bh_run_result result = {0};
    if (device->lag == 0) {
        device_make_room_for_translations(device);
        device_begin_quantum(device, true);
    }
    uint64_t step = device->quantum - device->lag;
    if (cycles < step) {
        device->clock += cycles;
        device->lag += cycles;
        return cycles;
    }
    device->blocked = device_end_quantum(device, device->quantum, &result) == TILE_BLOCKED;
    if (device->visitor && !device->wire.wired) {         /* the system visits its chips, on the calling thread */
        device_visit(device, !device_any_active(device)); /* nobody may come back before it runs again */
    }
    return step;
}

/* Whether there is nothing to run in a quantum that would begin now. */
static bool is_idle(struct bh_device *device)
{
    bool idle = device->lag == 0 && !device_any_active(device) && !network_pending(&device->network);
    device->pace = idle ? 0 : device->pace;
    return idle;
}

enum bh_run_reason bh_advance(struct bh_device *device, uint64_t cycles)
{
    if (!device || device->wire.wired) {
        return BH_RAN_STOPPED;
    }
    for (uint64_t left = cycles; left;) {
        if (device->stopped) {
            bh_pass(device, left);
            return BH_RAN_STOPPED;
        }
        if (device->blocked) {
            bh_pass(device, left);
            return BH_RAN_DEADLOCK;
        }
        if (device->lag == 0) {
            device_visit(device, false);
        }
        if (is_idle(device)) {
            bh_pass(device, left);
            return BH_RAN_IDLE;
        }
        left -= device_advance_in_quantum(device, left);
    }
    if (device->blocked) {
        device_explain(device, BH_STOP, EXPLAINED_AT_ONCE); /* not again before it has got on */
        return BH_RAN_DEADLOCK;
    }
    return device->stopped || device->early_stop ? BH_RAN_STOPPED : BH_RAN_CYCLES;
}

uint64_t bh_pace(const struct bh_device *device)
{
    return device && !device->blocked ? device->pace : 0;
}
