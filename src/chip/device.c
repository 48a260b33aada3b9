/* The device behind include/bhemu/device.h: its tiles, who of them has something to run, the NoC between them, and the
   clock. */
#include "chip/device_state.h"

#include <string.h>

enum {
    DEVICE_QUANTUM = 1000, /* cycles that one tile runs before the next one does */
    NOC_QUANTUM = 100,     /* the same while tiles talk to each other: nobody hears anything before its end */
    NOC_QUIET = 4000,      /* cycles without a request after which they do not */
    LONG_QUANTUM = 10000,  /* the longest when they have not for long */
    QUIET_PER_QUANTUM = 8, /* who starts a request waits for no longer than this part of the time without any */
    POOL_MINIMUM = 4000,   /* cycles, summed over tiles, from which on a quantum is worth waking other threads */
    SPIN_CHECK_INTERVAL = 1000 * 1000, /* cycles of one bh_run() between two looks whether all tiles run in circles */
    SPIN_CHECK_CYCLES = 4096,          /* the longest circle that is recognised */
    DEADLOCKS_EXPLAINED = 8,           /* tiles; more of the same tell nothing new */
};

void device_create_tiles(struct bh_device *device)
{
    enum bh_policy_preset policy = device->config.policy;
    struct pcie_bus bus = device_pcie_bus(device);
    noc_translation_create(&device->translation, device->board.tiles);
    pcie_create(&device->pcie, &bus, &device->translation, policy);
    ports_connect(device);
}

/* At least one Tensix tile and one DRAM channel, and none that the die does not have. */
static bool tiles_are_possible(const struct bh_tiles *tiles)
{
    return !tiles || (tiles->tensix_columns && tiles->dram && !(tiles->tensix_columns & ~ALL_TENSIX_COLUMNS) &&
                      !(tiles->ethernet & ~ALL_ETHERNET));
}

enum bh_status bh_device_create(const struct bh_device_config *config, struct bh_device **device)
{
    if (!device || (config && ((unsigned)config->policy > BH_POLICY_SILICON || (unsigned)config->board >= BH_BOARDS ||
                               !tiles_are_possible(config->tiles)))) {
        return BH_ERROR_ARGUMENT;
    }
    *device = NULL;
    struct bh_device *created = device_map();
    if (!created) {
        return BH_ERROR_MEMORY;
    }
    translator_create(&created->translator);
    if (config) {
        created->config = *config;
    }
    if (created->config.threads > 1 && !(created->pool = pool_create(created->config.threads))) {
        bh_device_destroy(created);
        return BH_ERROR_MEMORY;
    }
    created->board = board_create(created->config.board, created->config.tiles);
    created->config.tiles = NULL; /* the caller's */
    device_create_tiles(created);
    *device = created;
    return BH_OK;
}

void bh_device_destroy(struct bh_device *device)
{
    if (!device) {
        return;
    }
    dram_destroy(&device->dram);
    pool_destroy(device->pool);
    translator_destroy(&device->translator);
    device_unmap(device);
}

uint64_t bh_clock(const struct bh_device *device)
{
    return device ? device->clock : 0;
}

void bh_pass(struct bh_device *device, uint64_t cycles)
{
    if (device) {
        device->clock += cycles;
        device_reset_if_due(device);
    }
}

/* Whether a warning that a device gives but once was given. */
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

void device_deliver(struct bh_device *device, struct diagnostics *diagnostics)
{
    uint32_t count = diagnostics->count < DIAGNOSTICS_KEPT ? diagnostics->count : DIAGNOSTICS_KEPT;
    for (uint32_t i = 0; i < count && device->config.on_diagnostic; i++) {
        bool once = diagnostics->once >> i & 1;
        if (!once || !was_told(device, diagnostics->entries[i].text)) {
            device->config.on_diagnostic(device->config.context, &diagnostics->entries[i]);
        }
    }
    diagnostics->count = 0;
    diagnostics->once = 0;
}

/* What a tile has found. */
static void deliver(struct bh_device *device, struct tile *tile)
{
    device_deliver(device, &tile->state->diagnostics);
}

void device_deliver_others(struct bh_device *device)
{
    device_deliver(device, &device->arc.diagnostics);
    device_deliver(device, &device->pcie.diagnostics);
    for (uint32_t ready = device->absent.ready; ready; ready &= ready - 1) {
        device_deliver(device, &device->absent.tile[__builtin_ctz(ready)].diagnostics);
    }
    for (unsigned channel = 0; device->ready_ethernet && channel < ETHERNET_TILES; channel++) {
        if (device_ethernet_ready(device, channel)) {
            device_deliver(device, &device->ethernet[channel].diagnostics);
        }
    }
}

/* Running. */

static void mark_idle(struct bh_device *device, unsigned index)
{
    device->active[index / 64] &= ~(UINT64_C(1) << index % 64);
}

/* The next tile from `index` on whose bit is set; TENSIX_TILES: none. */
static unsigned next_tile(const uint64_t bitmap[DEVICE_BITMAP_WORDS], unsigned index)
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

/* Of a word of the bitmaps, the tiles that may have something to run, and do not rest. */
static uint64_t awake(const struct bh_device *device, unsigned word)
{
    return device->active[word] & ~device->resting[word];
}

static bool ethernet_runs(const struct bh_device *device)
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

/* Forgets the tiles that have nothing to run. Whether any is left. */
static bool any_active(struct bh_device *device)
{
    bool any = any_rests(device) || ethernet_runs(device);
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        uint64_t tiles = awake(device, word);
        any |= (tiles & device->known[word]) != 0;
        for (tiles &= ~device->known[word]; tiles; tiles &= tiles - 1) {
            any |= still_active(device, word * 64 + (unsigned)__builtin_ctzll(tiles));
        }
    }
    return any;
}

/* Adds what a tile has executed since it was created; sign -1 takes it away. */
static void count_instructions(const struct tile *tile, struct bh_run_result *result, int sign)
{
    result->riscv_instructions += (uint64_t)sign * tile_riscv_instructions(tile);
    result->tensix_instructions += (uint64_t)sign * tile_tensix_instructions(tile);
}

/* One quantum of the active tiles, and what came of each. They do not see each other before the exchange, so that it
   does not matter which thread runs which tile, or when. */
struct quantum {
    struct bh_device *device;
    uint64_t cycles;
    struct turn {
        uint8_t tile;
        bool noted; /* has requests or diagnostics */
        bool rests;
        struct tile_turn came; /* of it */
    } turn[TENSIX_TILES];
};

static void run_tile(void *context, unsigned index)
{
    struct quantum *quantum = context;
    struct turn *turn = &quantum->turn[index];
    struct tile *tile = &quantum->device->tiles[turn->tile];
    tile->state->clock = quantum->device->clock;
    tile_run_or_rest(tile, quantum->cycles, &turn->came);
    turn->rests = tile->state->rest.resting;
    turn->noted = tile->state->registers.outbox.count || tile->state->diagnostics.count;
}

/* Runs them all, on the threads that there are. Returns how many. */
static unsigned run_active_tiles(struct bh_device *device, struct quantum *quantum)
{
    unsigned count = 0;
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        for (uint64_t tiles = awake(device, word); tiles; tiles &= tiles - 1) {
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

/* The same for the Ethernet tiles. */
static enum tile_progress run_ethernet_tiles(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    bool running = false, blocked = false, stopped = false;
    for (unsigned channel = 0; device->ready_ethernet && channel < ETHERNET_TILES; channel++) {
        struct ethernet *ethernet = &device->ethernet[channel];
        if (device_ethernet_ready(device, channel) && ethernet_active(ethernet)) {
            uint64_t retired = ethernet_run(ethernet, (uint32_t)cycles);
            result->riscv_instructions += retired;
            network_notice(&device->network, device->ports.ethernet[channel].initiator);
            device_deliver(device, &ethernet->diagnostics);
            running |= retired != 0;
            blocked |= retired == 0 && ethernet_active(ethernet);
            stopped |= ethernet->diagnostics.stopped;
        }
    }
    return stopped ? TILE_STOPPED : running ? TILE_RUNNING : blocked ? TILE_BLOCKED : TILE_IDLE;
}

/* Whether a tile has something to run after its turn. */
static void note_activity(struct bh_device *device, unsigned index, bool active)
{
    uint64_t bit = UINT64_C(1) << index % 64, *known = &device->known[index / 64];
    *known = active ? *known | bit : *known & ~bit;
}

/* Runs all tiles for one quantum. What came of it is seen in the order of their numbers. */
static enum tile_progress run_tiles(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    enum tile_progress ethernet = run_ethernet_tiles(device, cycles, result);
    bool running = ethernet == TILE_RUNNING, blocked = ethernet == TILE_BLOCKED, stopped = ethernet == TILE_STOPPED;
    struct quantum quantum;
    quantum.device = device;
    quantum.cycles = cycles;
    unsigned count = run_active_tiles(device, &quantum);
    for (const struct turn *turn = quantum.turn; turn < quantum.turn + count; turn++) {
        const struct tile_turn *came = &turn->came;
        result->riscv_instructions += came->riscv_instructions;
        result->tensix_instructions += came->tensix_instructions;
        note_activity(device, turn->tile, came->active);
        if (turn->noted) {
            network_notice(&device->network, turn->tile);
            if (device->tiles[turn->tile].state->diagnostics.count) {
                deliver(device, &device->tiles[turn->tile]);
            }
        }
        running |= came->progress == TILE_RUNNING;
        blocked |= came->progress == TILE_BLOCKED;
        stopped |= came->progress == TILE_STOPPED;
    }
    result->riscv_instructions += cycles * device->resting_cores;
    running |= any_rests(device);
    for (const struct turn *turn = quantum.turn; turn < quantum.turn + count; turn++) {
        if (turn->rests) {
            device_rest(device, turn->tile, device->ran + cycles);
        }
    }
    return stopped ? TILE_STOPPED : running ? TILE_RUNNING : blocked ? TILE_BLOCKED : TILE_IDLE;
}

/* Hands over what tiles have found in the course of an exchange. */
static void deliver_exchanged(struct bh_device *device)
{
    for (unsigned i = next_tile(device->ready, 0); i < TENSIX_TILES; i = next_tile(device->ready, i + 1)) {
        struct tile *tile = &device->tiles[i];
        device->stopped |= tile->state->diagnostics.stopped;
        if (tile->state->diagnostics.count) {
            deliver(device, tile);
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

/* Whether every Ethernet tile that runs does so in circles; *longest grows to what finding out took. */
static bool ethernet_spin(struct bh_device *device, struct bh_run_result *result, uint64_t *longest)
{
    bool spin = true;
    for (unsigned channel = 0; spin && channel < ETHERNET_TILES; channel++) {
        struct ethernet *ethernet = &device->ethernet[channel];
        if (!device_ethernet_ready(device, channel) || !ethernet_active(ethernet)) {
            continue;
        }
        uint64_t cycles = SPIN_CHECK_CYCLES, before = ethernet->core[0].instret + ethernet->core[1].instret;
        spin = ethernet_spins(ethernet, &cycles);
        result->riscv_instructions += ethernet->core[0].instret + ethernet->core[1].instret - before;
        network_notice(&device->network, device->ports.ethernet[channel].initiator);
        *longest = cycles > *longest ? cycles : *longest;
        device_deliver(device, &ethernet->diagnostics);
        device->stopped |= ethernet->diagnostics.stopped;
    }
    return spin;
}

/* Whether every tile that runs does so in circles. Finding out takes the tiles some cycles. */
static bool all_spin(struct bh_device *device, struct bh_run_result *result)
{
    uint64_t longest = 0;
    bool spin = ethernet_spin(device, result, &longest);
    uint64_t tiles[DEVICE_BITMAP_WORDS];
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        tiles[word] = awake(device, word);
    }
    for (unsigned i = next_tile(tiles, 0); spin && i < TENSIX_TILES; i = next_tile(tiles, i + 1)) {
        struct tile *tile = &device->tiles[i];
        uint64_t cycles = SPIN_CHECK_CYCLES;
        tile->state->clock = device->clock;
        count_instructions(tile, result, -1);
        spin = tile_spins(tile, &cycles);
        device_touch(device, i);
        count_instructions(tile, result, 1);
        network_notice(&device->network, i);
        longest = cycles > longest ? cycles : longest;
        if (tile->state->diagnostics.count) {
            deliver(device, tile);
        }
        device->stopped |= tile->state->diagnostics.stopped;
    }
    device->clock += longest;
    result->cycles += longest;
    return spin;
}

/* Says who waits for what on a tile: a Tensix tile, or an Ethernet tile. */
static void explain_tile(struct bh_device *device, enum bh_action action, const struct diagnostics *of,
                         const struct tile *tile, const struct ethernet *ethernet)
{
    struct bh_diagnostic diagnostic = {
        .category = BH_DEADLOCK,
        .action = action,
        .tile_x = of->tile_x,
        .tile_y = of->tile_y,
        .agent = BH_AGENT_HOST,
        .cycle = device->clock,
    };
    (void)(tile ? tile_explain(tile, diagnostic.text, sizeof diagnostic.text, diagnostic.places)
                : ethernet_explain(ethernet, diagnostic.text, sizeof diagnostic.text, diagnostic.places));
    while (diagnostic.places_count < BH_PLACES && diagnostic.places[diagnostic.places_count].agent) {
        diagnostic.places_count++;
    }
    if (device->config.on_diagnostic) {
        device->config.on_diagnostic(device->config.context, &diagnostic);
    }
}

/* Says it for the first tiles that still run, or would if they had seen what was written. A deadlock ends when somebody
   outside acts: the tile is not stopped for good. */
static void explain(struct bh_device *device, enum bh_action action)
{
    unsigned explained = 0;
    device_wake_all(device);
    for (unsigned i = next_tile(device->ready, 0); i < TENSIX_TILES; i = next_tile(device->ready, i + 1)) {
        const struct tile *tile = &device->tiles[i];
        if (!tile_active(tile) && !tile_misses_code(tile)) {
            continue;
        }
        if (explained++ == DEADLOCKS_EXPLAINED) {
            return;
        }
        explain_tile(device, action, &tile->state->diagnostics, tile, NULL);
    }
    for (unsigned channel = 0; channel < ETHERNET_TILES; channel++) {
        const struct ethernet *ethernet = &device->ethernet[channel];
        if (device_ethernet_ready(device, channel) && ethernet_active(ethernet) && explained++ < DEADLOCKS_EXPLAINED) {
            explain_tile(device, action, &ethernet->diagnostics, NULL, ethernet);
        }
    }
}

void bh_report(struct bh_device *device)
{
    if (device && !device->stopped) {
        (void)any_active(device);
        explain(device, BH_WARN);
    }
}

/* Long while tiles keep to themselves, since quanta have their cost; the same whatever the number of threads. */
static uint64_t quantum_length(const struct bh_device *device)
{
    if (device->clock < device->noc_busy_until) {
        return NOC_QUANTUM;
    }
    uint64_t length = (device->clock - device->noc_busy_until) / QUIET_PER_QUANTUM;
    return length < DEVICE_QUANTUM ? DEVICE_QUANTUM : length < LONG_QUANTUM ? length : LONG_QUANTUM;
}

enum bh_status bh_run(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    struct bh_run_result run = {.reason = BH_RAN_CYCLES};
    if (!device) {
        return BH_ERROR_ARGUMENT;
    }
    uint64_t next_spin_check = SPIN_CHECK_INTERVAL;
    while (run.cycles < cycles && run.reason == BH_RAN_CYCLES) {
        if (device->stopped || (!any_active(device) && !network_pending(&device->network))) {
            break;
        }
        device_make_room_for_translations(device);
        uint64_t left = cycles - run.cycles;
        uint64_t quantum = quantum_length(device);
        quantum = left < quantum ? left : quantum;
        enum tile_progress progress = run_tiles(device, quantum, &run);
        device->clock += quantum;
        device->ran += quantum;
        run.cycles += quantum;
        device_reset_if_due(device);
        if (progress != TILE_STOPPED && exchange(device)) {
            progress = device->stopped ? TILE_STOPPED : TILE_RUNNING;
        }
        if (progress == TILE_RUNNING && !network_pending(&device->network) && run.cycles >= next_spin_check &&
            cycles - run.cycles >= SPIN_CHECK_CYCLES) {
            next_spin_check += SPIN_CHECK_INTERVAL;
            progress = all_spin(device, &run) && !network_pending(&device->network) ? TILE_BLOCKED
                       : device->stopped                                            ? TILE_STOPPED
                                                                                    : TILE_RUNNING;
        }
        if (progress == TILE_STOPPED) {
            device->stopped = true;
        } else if (progress == TILE_BLOCKED) {
            run.reason = BH_RAN_DEADLOCK;
            explain(device, BH_STOP);
        }
    }
    if (device->stopped) {
        run.reason = BH_RAN_STOPPED;
    } else if (run.reason == BH_RAN_CYCLES && !any_active(device)) {
        run.reason = BH_RAN_IDLE;
        /* The quantum in which the last tile ended was not used up. */
        uint64_t start = device->clock - run.cycles;
        if (device->busy_until >= start && device->busy_until < device->clock) {
            run.cycles = device->busy_until - start;
            device->clock = device->busy_until;
        }
    }
    if (result) {
        *result = run;
    }
    return run.reason == BH_RAN_STOPPED || run.reason == BH_RAN_DEADLOCK ? BH_ERROR_STOPPED : BH_OK;
}
