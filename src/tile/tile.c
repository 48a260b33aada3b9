#include "tile/tile.h"

#include <string.h>

#include "tile/handlers.h"
#include "time/jitter.h"
#include "util/pages.h"

#define NIU0_FIRST 0xFFB20000u
#define SEMAPHORES_FIRST 0xFFE80020u

enum { NIU_SPACE = 0x10000, SEMAPHORES_SIZE = 4 * SEMAPHORES };

/* The bus of the cores and of the coprocessor. */

/* Whether that is NOC_CMD_CTRL of an initiator, which each transfer loads and stores. */
static bool is_start(uint32_t niu, uint32_t offset, unsigned size)
{
    return niu < NIUS && offset % NIU_INITIATOR_STRIDE == 4 * NOC_CMD_CTRL && offset < NIU_INITIATOR_END && size == 4;
}

/* An access that a core has executed may be what another one waits for. */
static inline enum step accessed(struct tile *tile, enum step step)
{
    tile->accesses += step != STEP_WAIT;
    return step;
}

/* A shortcut, as there is for stores. */
static enum step core_load(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    struct tile *tile = context;
    uint32_t niu = (address - NIU0_FIRST) / NIU_SPACE, offset = address % NIU_SPACE;
    if (tile->tensix.timed && is_start(niu, offset, size)) {
        *value = niu_busy(&tile->state->registers.niu[niu], offset / NIU_INITIATOR_STRIDE,
                          clock_of(&tile->state->clock, core));
        return STEP_DONE;
    }
    enum step step = mmio_load(context, core, address, size, value);
    return address - SEMAPHORES_FIRST < SEMAPHORES_SIZE ? step : accessed(tile, step); /* which many poll */
}

/* A shortcut for starts of NoC requests, the last store of each transfer. */
static enum step core_store(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value)
{
    struct tile *tile = context;
    uint32_t niu = (address - NIU0_FIRST) / NIU_SPACE, offset = address % NIU_SPACE;
    if (is_start(niu, offset, size) && value & 1) {
        return tile_start_request(tile, niu, offset / NIU_INITIATOR_STRIDE, clock_of(&tile->state->clock, core));
    }
    if (tile->tensix.timed) {
        tile->state->diagnostics.now.cycle = clock_of(&tile->state->clock, core);
    }
    return accessed(tile, mmio_store(context, core, address, size, value));
}

static enum step core_push(void *context, unsigned core, uint32_t word)
{
    if (core == BH_CORE_NC) { /* has no such window */
        return mmio_store(context, core, INSTRN_BUF_BASE, 4, word);
    }
    struct mmio_access access = {context, core, INSTRN_BUF_BASE, 0, 4, MMIO_PUSH};
    access.tile->plain.cores = 0;
    return accessed(access.tile, push_store(&access, word));
}

static enum step coprocessor_load(void *context, uint32_t address, uint32_t *value)
{
    return mmio_load(context, MMIO_COPROCESSOR, address, 4, value);
}

static enum step coprocessor_store(void *context, uint32_t address, uint32_t value)
{
    return mmio_store(context, MMIO_COPROCESSOR, address, 4, value);
}

static void flush_caches(void *context, uint32_t cores)
{
    struct tile *tile = context;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (cores >> core & 1) {
            rv32_flush_cache(&tile->core[core]);
        }
    }
}

static void connect(struct tile *tile)
{
    struct tile_state *state = tile->state;
    struct tensix *tensix = &tile->tensix;
    tensix->state = &state->tensix;
    tensix->l1 = &tile->l1;
    tensix->diagnostics = &state->diagnostics;
    tensix->words = &tile->timing_words;
    tensix->bus = (struct tensix_bus){tile, coprocessor_load, coprocessor_store, flush_caches};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        tile->core[core] = (struct rv32){.core = &state->core[core],
                                         .local_ram = tile_ram(state, core),
                                         .local_ram_size = tile_ram_size(core),
                                         .l1 = &tile->l1,
                                         .diagnostics = &state->diagnostics,
                                         .clock = &state->clock,
                                         .flushable = true,
                                         .bus = {.context = tile,
                                                 .load = core_load,
                                                 .store = core_store,
                                                 .push = core_push,
                                                 .word = core_word,
                                                 .words = &state->registers,
                                                 .clock_register = MMIO_ADDRESS_WALL_CLOCK_L,
                                                 .status = core_status}};
    }
    pushes_connect(tile);
}

static void reset(struct tile *tile, unsigned x, unsigned y)
{
    struct tile_state *state = tile->state;
    state->diagnostics.tile_x = (uint8_t)x;
    state->diagnostics.tile_y = (uint8_t)y;
    diagnostics_set_policy(&state->diagnostics, BH_POLICY_DEFAULT);
    tensix_reset_zeroed(&state->tensix);
    debug_reset(&state->registers);
    nius_reset(&state->registers, x, y);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        state->core[core].id = (uint8_t)core;
        state->core[core].halt = RV32_IN_RESET;
    }
    connect(tile);
}

void tile_connect(struct tile *tile, struct tile_state *state, void *code_room, uint8_t *code_buffer, unsigned x,
                  unsigned y)
{
    tile->state = state;
    tile->tensix.engine = &tile->engine;
    tile->engine.compiler.buffer = code_buffer;
    tile->engine.compiler.patience = COMPILER_PATIENCE;
    l1_connect(&tile->l1, state->l1, code_room);
    reset(tile, x, y);
}

void tile_translate(struct tile *tile, struct rv32_translator *translator)
{
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        tile->core[core].translator = translator;
    }
}

void tile_model_time(struct tile *tile)
{
    tile->tensix.engine = NULL;
    tile->tensix.timed = tile->tensix.defers = true;
    tile->state->clock.timed = true;
    pushes_connect(tile);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        tile->core[core].timing = &tile->state->timing[core];
        tile->core[core].shared_timing = &tile->state->shared_timing;
        words_connect(tile, &tile->core[core]);
    }
}

void tile_jitter(struct tile *tile, uint64_t seed, unsigned x, unsigned y)
{
    tile->jitter = tile->tensix.jitter = jitter_of_tile(seed, x, y);
    tile->tensix.defers |= seed != 0;
}

void tile_receive(struct tile *tile, struct noc_inbox *inbox)
{
    tile->inbox = inbox;
}

void tile_verify(struct tile *tile)
{
    tile->engine.compiler.verifies = true;
    tile->engine.compiler.patience = VERIFYING_PATIENCE;
}

bool tile_create(struct tile *tile, struct tile_state *state, unsigned x, unsigned y)
{
    *tile = (struct tile){.state = state};
    if (!l1_create(&tile->l1, state->l1)) {
        return false;
    }
    reset(tile, x, y);
    return true;
}

void tile_destroy(struct tile *tile)
{
    l1_destroy(&tile->l1);
}

/* Accesses from outside. */

void tile_provide(struct tile *tile)
{
    enum { SEVERAL = 4 };
    unsigned pages = 0;
    for (unsigned i = 0; i < sizeof tile->l1.taken / sizeof *tile->l1.taken; i++) {
        pages += (unsigned)__builtin_popcountll(tile->l1.taken[i]);
    }
    if (pages >= SEVERAL) {
        struct tensix_state *tensix = &tile->state->tensix;
        tile->provided = true;
        pages_take(&tensix->scalar, offsetof(struct tensix_state, timing) - offsetof(struct tensix_state, scalar));
        pages_take(tile->state->local_rams, sizeof tile->state->local_rams);
    }
}

/* The bytes of [address, address + size) if it is RAM: L1, or a core's local RAM at its slow address, which is used
   from then on if `store`; otherwise null. */
static uint8_t *ram_at(struct tile *tile, uint64_t address, uint32_t size, bool store)
{
    struct tile_state *state = tile->state;
    if (l1_contains(address, size)) {
        return l1_direct(&tile->l1) + address;
    }
    if (address > UINT32_MAX) {
        return NULL;
    }
    static const uint8_t owner[] = {[MMIO_LOCAL_RAM_B] = BH_CORE_B,
                                    [MMIO_LOCAL_RAM_NC] = BH_CORE_NC,
                                    [MMIO_LOCAL_RAM_T0] = BH_CORE_T0,
                                    [MMIO_LOCAL_RAM_T1] = BH_CORE_T1,
                                    [MMIO_LOCAL_RAM_T2] = BH_CORE_T2};
    enum mmio_region_index index = mmio_region_at((uint32_t)address);
    if (index < MMIO_LOCAL_RAM_B || index > MMIO_LOCAL_RAM_T2) {
        return NULL;
    }
    uint32_t length = tile_ram_size(owner[index]);
    uint32_t offset = ((uint32_t)address - mmio_region(index)->first) % length;
    state->used_rams |= (uint8_t)(store << owner[index]);
    return size <= length - offset ? tile_ram(state, owner[index]) + offset : NULL;
}

/* Whether [address, address + size) is words of registers that the NoC may access; otherwise *step is the result. */
static bool words_allowed(struct tile *tile, uint64_t address, uint32_t size, bool store, enum step *step)
{
    const char *what = store ? "write" : "read";
    struct diagnostics *diagnostics = &tile->state->diagnostics;
    if (address > UINT32_MAX || size > UINT32_MAX - address + 1 || (address < L1_SIZE && !l1_contains(address, size))) {
        *step = diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR,
                         "%s of %u bytes at 0x%llx: it leaves what is mapped; L1 ends at 0x%08x", what, size,
                         (unsigned long long)address, L1_SIZE - 1);
        return false;
    }
    if (address >= L1_SIZE && (address % 4 || size % 4) && mmio_region_at((uint32_t)address) != MMIO_UNMAPPED) {
        *step = diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR,
                         "%s of %u bytes at 0x%08x: %s takes aligned words from the NoC", what, size, (uint32_t)address,
                         mmio_region(mmio_region_at((uint32_t)address))->title);
        return false;
    }
    for (uint32_t i = 0; i < size; i += 4) {
        uint32_t word = (uint32_t)address + i, value;
        if (!mmio_allows(MMIO_NOC, word, store)) {
            *step = store ? mmio_store(tile, MMIO_NOC, word, 4, 0) : mmio_load(tile, MMIO_NOC, word, 4, &value);
            return false;
        }
    }
    return true;
}

enum step tile_read(struct tile *tile, uint64_t address, void *data, uint32_t size)
{
    const uint8_t *ram = ram_at(tile, address, size, false);
    if (ram) {
        memcpy(data, ram, size);
        return STEP_DONE;
    }
    enum step step = STEP_DONE;
    if (!words_allowed(tile, address, size, false, &step)) {
        if (step == STEP_DONE) { /* the policy lets it pass */
            memset(data, 0, size);
        }
        return step;
    }
    for (uint32_t i = 0; i < size && step == STEP_DONE; i += 4) {
        uint32_t value;
        step = mmio_load(tile, MMIO_NOC, (uint32_t)address + i, 4, &value);
        memcpy((uint8_t *)data + i, &value, 4);
    }
    return step;
}

enum step tile_write(struct tile *tile, uint64_t address, const void *data, uint32_t size)
{
    if (l1_contains(address, size)) {
        tile_before_write(tile, (uint32_t)address, size);
        l1_write(&tile->l1, (uint32_t)address, data, size);
        return STEP_DONE;
    }
    uint8_t *ram = ram_at(tile, address, size, true);
    if (ram) {
        memcpy(ram, data, size);
        return STEP_DONE;
    }
    enum step step = STEP_DONE;
    if (!words_allowed(tile, address, size, true, &step)) {
        return step;
    }
    for (uint32_t i = 0; i < size && step == STEP_DONE; i += 4) {
        uint32_t value;
        memcpy(&value, (const uint8_t *)data + i, 4);
        step = mmio_store(tile, MMIO_NOC, (uint32_t)address + i, 4, value);
    }
    return step;
}
