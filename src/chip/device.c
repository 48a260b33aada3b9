/* The device behind include/bhemu/device.h: its tiles, who of them has something to run, the NoC between them, and the
   clock. */
#include "bhemu/device.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "chip/dram.h"
#include "chip/ports.h"
#include "noc/coordinates.h"
#include "noc/network.h"
#include "tile/mmio.h"
#include "tile/tile.h"

enum {
    DEVICE_QUANTUM = 1000, /* cycles that one tile runs before the next one does */
    NOC_QUANTUM = 100,     /* the same while tiles talk to each other: nobody hears anything before its end */
    NOC_QUIET = 4000,      /* cycles without a request after which they do not */
    SPIN_CHECK_INTERVAL = 1000 * 1000, /* cycles of one bh_run() between two looks whether all tiles run in circles */
    SPIN_CHECK_CYCLES = 4096,          /* the longest circle that is recognised */
    DEADLOCKS_EXPLAINED = 8,           /* tiles; more of the same tell nothing new */
    BITMAP_WORDS = (TENSIX_TILES + 63) / 64,
};

struct bh_device {
    struct bh_device_config config;
    struct tile_state *states;     /* of all tiles, in one lazily mapped region */
    uint64_t active[BITMAP_WORDS]; /* tiles that may have something to run */
    bool stopped;                  /* a diagnostic stopped a tile */
    uint64_t clock;
    uint64_t busy_until; /* the clock when the last tile so far ran out of things to run */
    uint64_t noc_busy_until;
    struct tile tiles[TENSIX_TILES];
    struct dram dram;
    struct network network;
    struct ports ports;
};

static const size_t states_size = (size_t)TENSIX_TILES * sizeof(struct tile_state);

static bool create_tiles(struct bh_device *device)
{
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        unsigned x, y;
        tensix_coordinates(i, &x, &y);
        if (!tile_create(&device->tiles[i], &device->states[i], x, y)) {
            return false;
        }
        diagnostics_set_policy(&device->states[i].diagnostics, device->config.policy);
    }
    ports_connect(&device->ports, &device->network, device->tiles, &device->dram, &device->clock, device->active);
    return true;
}

enum bh_status bh_device_create(const struct bh_device_config *config, struct bh_device **device)
{
    if (!device || (config && (unsigned)config->policy > BH_POLICY_SILICON)) {
        return BH_ERROR_ARGUMENT;
    }
    *device = NULL;
    struct bh_device *created = calloc(1, sizeof *created);
    if (!created) {
        return BH_ERROR_MEMORY;
    }
    if (config) {
        created->config = *config;
    }
    void *states = mmap(NULL, states_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    created->states = states == MAP_FAILED ? NULL : states;
    if (!created->states || !create_tiles(created)) {
        bh_device_destroy(created);
        return BH_ERROR_MEMORY;
    }
    *device = created;
    return BH_OK;
}

void bh_device_destroy(struct bh_device *device)
{
    if (!device) {
        return;
    }
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        tile_destroy(&device->tiles[i]);
    }
    dram_destroy(&device->dram);
    if (device->states) {
        munmap(device->states, states_size);
    }
    free(device);
}

uint64_t bh_clock(const struct bh_device *device)
{
    return device ? device->clock : 0;
}

/* Hands what a tile has found to the user. */
static void deliver(struct bh_device *device, struct tile *tile)
{
    struct diagnostics *diagnostics = &tile->state->diagnostics;
    uint32_t count = diagnostics->count < DIAGNOSTICS_KEPT ? diagnostics->count : DIAGNOSTICS_KEPT;
    for (uint32_t i = 0; i < count && device->config.on_diagnostic; i++) {
        device->config.on_diagnostic(device->config.context, &diagnostics->entries[i]);
    }
    diagnostics->count = 0;
}

/* Accesses of the host. */

static void mark_active(struct bh_device *device, unsigned index)
{
    device->active[index / 64] |= UINT64_C(1) << index % 64;
}

static void mark_idle(struct bh_device *device, unsigned index)
{
    device->active[index / 64] &= ~(UINT64_C(1) << index % 64);
}

/* What happens next on the tile is the host's doing. A tile that did not run has to catch up with the clock. */
static void host_acts(struct bh_device *device, struct tile *tile)
{
    struct diagnostics *diagnostics = &tile->state->diagnostics;
    tile->state->clock = device->clock;
    diagnostics->now.agent = BH_AGENT_HOST;
    diagnostics->now.index = 0;
    diagnostics->now.pc = 0;
    diagnostics->now.instruction = 0;
    diagnostics->now.cycle = device->clock;
}

/* An access that was refused changes nothing and does not stop the tile: the status tells the host. */
static enum bh_status finish_access(struct bh_device *device, struct tile *tile, enum step step, bool was_stopped)
{
    tile->state->diagnostics.stopped = was_stopped;
    deliver(device, tile);
    return step == STEP_DONE ? BH_OK : BH_ERROR_ADDRESS;
}

/* Where an access of the host goes. */
struct place {
    enum tile_kind kind;
    struct tile *tile; /* of a Tensix tile */
    unsigned index;    /* of the Tensix tile, or of the DRAM channel */
};

/* false: nothing at translated coordinates (x, y) can be accessed. */
static bool find_place(struct bh_device *device, unsigned x, unsigned y, struct place *place)
{
    unsigned noc_x, noc_y;
    if (!device || !noc_from_translated(x, y, &noc_x, &noc_y)) {
        return false;
    }
    *place = (struct place){.kind = noc_tile_kind(noc_x, noc_y)};
    if (place->kind == TILE_DRAM) {
        place->index = dram_channel_at(noc_x, noc_y);
        return true;
    }
    if (!tensix_index(noc_x, noc_y, &place->index)) {
        return false;
    }
    place->tile = &device->tiles[place->index];
    return true;
}

enum bh_status bh_write(struct bh_device *device, unsigned x, unsigned y, uint64_t address, const void *data,
                        uint32_t size)
{
    struct place place;
    if (!find_place(device, x, y, &place) || (!data && size)) {
        return BH_ERROR_ARGUMENT;
    }
    if (place.kind == TILE_DRAM) {
        return dram_write(&device->dram, place.index, address, data, size) ? BH_OK : BH_ERROR_ADDRESS;
    }
    bool was_stopped = place.tile->state->diagnostics.stopped;
    host_acts(device, place.tile);
    mark_active(device, place.index);
    enum step step = tile_write(place.tile, address, data, size);
    network_notice(&device->network, place.index);
    return finish_access(device, place.tile, step, was_stopped);
}

enum bh_status bh_read(struct bh_device *device, unsigned x, unsigned y, uint64_t address, void *data, uint32_t size)
{
    struct place place;
    if (!find_place(device, x, y, &place) || (!data && size)) {
        return BH_ERROR_ARGUMENT;
    }
    if (place.kind == TILE_DRAM) {
        return dram_read(&device->dram, place.index, address, data, size) ? BH_OK : BH_ERROR_ADDRESS;
    }
    bool was_stopped = place.tile->state->diagnostics.stopped;
    host_acts(device, place.tile);
    return finish_access(device, place.tile, tile_read(place.tile, address, data, size), was_stopped);
}

/* Cores. */

static const uint32_t soft_reset_bits[BH_CORE_COUNT] = {1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 18};

static enum bh_status change_bits(struct bh_device *device, unsigned x, unsigned y, uint32_t address, uint32_t clear,
                                  uint32_t set)
{
    uint32_t word;
    enum bh_status status = bh_read(device, x, y, address, &word, sizeof word);
    if (status != BH_OK) {
        return status;
    }
    word = (word & ~clear) | set;
    return bh_write(device, x, y, address, &word, sizeof word);
}

/* A jump to pc at address 0: `jal x0, pc` where that reaches, else `lui t0; jalr x0, t0`. */
static enum bh_status write_jump(struct bh_device *device, unsigned x, unsigned y, uint32_t pc)
{
    enum { LUI_T0 = 0x2b7, JALR_X0_T0 = 0x28067, JAL_X0 = 0x6f, JAL_REACH = 1 << 20 };
    uint32_t code[2];
    if (pc < JAL_REACH) {
        code[0] = JAL_X0 | (pc & 0xff000) | (pc >> 11 & 1) << 20 | (pc >> 1 & 0x3ff) << 21;
        return bh_write(device, x, y, 0, code, sizeof code[0]);
    }
    uint32_t low = pc & 0xfff, carry = (low & 0x800) << 1;
    code[0] = LUI_T0 | ((pc - low) + carry);
    code[1] = JALR_X0_T0 | low << 20;
    return bh_write(device, x, y, 0, code, sizeof code);
}

/* Tells the tile where a core is to start. */
static enum bh_status write_reset_pc(struct bh_device *device, unsigned x, unsigned y, enum bh_core core, uint32_t pc)
{
    if (core == BH_CORE_B) {
        return pc ? write_jump(device, x, y, pc) : BH_OK;
    }
    bool nc = core == BH_CORE_NC;
    unsigned thread = core - BH_CORE_T0;
    uint32_t address = nc ? MMIO_ADDRESS_NCRISC_RESET_PC : MMIO_ADDRESS_TRISC0_RESET_PC + 4 * thread;
    uint32_t enable = nc ? MMIO_ADDRESS_NCRISC_RESET_PC_OVERRIDE : MMIO_ADDRESS_TRISC_RESET_PC_OVERRIDE;
    enum bh_status status = bh_write(device, x, y, address, &pc, sizeof pc);
    return status == BH_OK ? change_bits(device, x, y, enable, 0, nc ? 1 : 1u << thread) : status;
}

enum bh_status bh_core_start(struct bh_device *device, unsigned x, unsigned y, enum bh_core core, uint32_t pc)
{
    enum bh_status status = pc % 4 || pc >= L1_SIZE ? BH_ERROR_ARGUMENT : bh_core_stop(device, x, y, core);
    if (status == BH_OK) {
        status = write_reset_pc(device, x, y, core, pc);
    }
    return status == BH_OK ? change_bits(device, x, y, MMIO_ADDRESS_SOFT_RESET_0, soft_reset_bits[core], 0) : status;
}

enum bh_status bh_core_stop(struct bh_device *device, unsigned x, unsigned y, enum bh_core core)
{
    unsigned index;
    if ((unsigned)core >= BH_CORE_COUNT || !tensix_index(x, y, &index)) {
        return BH_ERROR_ARGUMENT;
    }
    return change_bits(device, x, y, MMIO_ADDRESS_SOFT_RESET_0, 0, soft_reset_bits[core]);
}

/* Running. */

/* The next tile from `index` on that may have something to run; TENSIX_TILES: none. */
static unsigned next_active(const struct bh_device *device, unsigned index)
{
    for (unsigned word = index / 64; word < BITMAP_WORDS; word++) {
        uint64_t bits = device->active[word];
        if (word == index / 64) {
            bits &= UINT64_MAX << index % 64;
        }
        if (bits) {
            return word * 64 + (unsigned)__builtin_ctzll(bits);
        }
    }
    return TENSIX_TILES;
}

#define FOR_EACH_ACTIVE(device, i)                                                                                     \
    for (unsigned i = next_active(device, 0); i < TENSIX_TILES; i = next_active(device, i + 1))

/* Forgets the tiles that have nothing to run. Whether any is left. */
static bool any_active(struct bh_device *device)
{
    bool any = false;
    FOR_EACH_ACTIVE(device, i)
    {
        if (tile_active(&device->tiles[i])) {
            any = true;
        } else {
            uint64_t busy_until = device->tiles[i].state->busy_until;
            device->busy_until = busy_until > device->busy_until ? busy_until : device->busy_until;
            mark_idle(device, i);
        }
    }
    return any;
}

static uint64_t riscv_instructions(const struct tile *tile)
{
    uint64_t sum = 0;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        sum += tile->state->core[core].instret;
    }
    return sum;
}

static uint64_t tensix_instructions(const struct tile *tile)
{
    uint64_t sum = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        sum += tile->state->tensix.frontend[thread].passed;
    }
    return sum;
}

/* Adds what a tile has executed since it was created; sign -1 takes it away. */
static void count_instructions(const struct tile *tile, struct bh_run_result *result, int sign)
{
    result->riscv_instructions += (uint64_t)sign * riscv_instructions(tile);
    result->tensix_instructions += (uint64_t)sign * tensix_instructions(tile);
}

static enum tile_progress run_tile(struct bh_device *device, struct tile *tile, uint64_t cycles,
                                   struct bh_run_result *result)
{
    tile->state->clock = device->clock;
    count_instructions(tile, result, -1);
    enum tile_progress progress = tile_run(tile, cycles);
    count_instructions(tile, result, 1);
    network_notice(&device->network, (unsigned)(tile - device->tiles));
    if (tile->state->diagnostics.count) {
        deliver(device, tile);
    }
    return progress;
}

/* Runs all tiles for one quantum, in the order of their numbers. */
static enum tile_progress run_tiles(struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    bool running = false, blocked = false, stopped = false;
    FOR_EACH_ACTIVE(device, i)
    {
        enum tile_progress progress = run_tile(device, &device->tiles[i], cycles, result);
        running |= progress == TILE_RUNNING;
        blocked |= progress == TILE_BLOCKED;
        stopped |= progress == TILE_STOPPED;
    }
    return stopped ? TILE_STOPPED : running ? TILE_RUNNING : blocked ? TILE_BLOCKED : TILE_IDLE;
}

/* Lets the tiles hear from each other. Whether there was anything to hear. A request can be wrong, and then stops its
   tile. */
static bool exchange(struct bh_device *device)
{
    if (network_exchange(&device->network) == 0) {
        return false;
    }
    device->noc_busy_until = device->clock + NOC_QUIET;
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        struct tile *tile = &device->tiles[i];
        device->stopped |= tile->state->diagnostics.stopped;
        if (tile->state->diagnostics.count) {
            deliver(device, tile);
        }
    }
    return true;
}

/* Whether every tile that runs does so in circles. Finding out takes the tiles some cycles. */
static bool all_spin(struct bh_device *device, struct bh_run_result *result)
{
    bool spin = true;
    uint64_t longest = 0;
    for (unsigned i = next_active(device, 0); spin && i < TENSIX_TILES; i = next_active(device, i + 1)) {
        struct tile *tile = &device->tiles[i];
        uint64_t cycles = SPIN_CHECK_CYCLES;
        tile->state->clock = device->clock;
        count_instructions(tile, result, -1);
        spin = tile_spins(tile, &cycles);
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

/* Says for the first tiles that still run who waits for what. A deadlock ends when somebody outside acts: the tile is
   not stopped for good. */
static void explain(struct bh_device *device, enum bh_action action)
{
    unsigned explained = 0;
    FOR_EACH_ACTIVE(device, i)
    {
        if (explained++ == DEADLOCKS_EXPLAINED) {
            return;
        }
        struct tile *tile = &device->tiles[i];
        struct bh_diagnostic diagnostic = {
            .category = BH_DEADLOCK,
            .action = action,
            .tile_x = tile->state->diagnostics.tile_x,
            .tile_y = tile->state->diagnostics.tile_y,
            .agent = BH_AGENT_HOST,
            .cycle = device->clock,
        };
        (void)tile_explain(tile, diagnostic.text, sizeof diagnostic.text, diagnostic.places);
        while (diagnostic.places_count < BH_PLACES && diagnostic.places[diagnostic.places_count].agent) {
            diagnostic.places_count++;
        }
        if (device->config.on_diagnostic) {
            device->config.on_diagnostic(device->config.context, &diagnostic);
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
        uint64_t left = cycles - run.cycles;
        uint64_t quantum = device->clock < device->noc_busy_until ? NOC_QUANTUM : DEVICE_QUANTUM;
        quantum = left < quantum ? left : quantum;
        enum tile_progress progress = run_tiles(device, quantum, &run);
        device->clock += quantum;
        run.cycles += quantum;
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
