#include "chip/dram/dram_tile.h"

#include "chip/niu_window.h"
#include "noc/coordinates.h"
#include "rv32/stores_seen.h"
#include "tile/mmio.h"

enum { DRAM_TILE = 0x0800 };

#define SCRATCH 0xFFB14010u
#define CLOCK_GATING 0xFFB14020u
#define RISC_CONTROL_END 0xFFB1407Cu
#define WEIGHTS 0xFC105830u
#define OVERLAY 0xFFB40000u
#define OVERLAY_END 0xFFB80000u
#define GIB_4 (UINT64_C(1) << 32)

/* The DRAM tile of which this is a part. */
static struct dram_tile *of_tile(struct core_tile *tile)
{
    return (struct dram_tile *)tile; /* its first member */
}

_Static_assert(offsetof(struct dram_tile, tile) == 0, "of_tile()");

static struct gddr_dma_site dma_of(struct dram_tile *tile)
{
    return (struct gddr_dma_site){.dma = &tile->dma,
                                  .dram = tile->dram,
                                  .channel = tile->channel,
                                  .l1 = &tile->tile.l1,
                                  .l1_size = DRISC_L1_SIZE,
                                  .timed = tile->tile.clock.timed,
                                  .now = core_tile_now(&tile->tile),
                                  .diagnostics = &tile->tile.diagnostics,
                                  .observed = tile->tile.observed};
}

/* Registers. */

static uint32_t *plain_word(struct dram_tile *tile, uint32_t address)
{
    if (address - SCRATCH < sizeof tile->scratch) {
        return &tile->scratch[(address - SCRATCH) / 4];
    }
    return address - WEIGHTS < sizeof tile->weight ? &tile->weight[(address - WEIGHTS) / 4] : NULL;
}

/* Only the core reaches what is not on the tile's register bus. */
static bool is_cores_own(uint32_t address)
{
    return (address >= GDDR_DMA_FIRST && address < GDDR_DMA_END) || address - WEIGHTS < 4 * GDDR_PORTS;
}

static enum step own_read(struct core_tile *tile, uint32_t address, uint32_t *value)
{
    const uint32_t *word = plain_word(of_tile(tile), address);
    const struct gddr_dma_site dma = dma_of(of_tile(tile));
    if (is_cores_own(address) && !tile->executing) {
        return core_tile_absent(tile, "access from outside", address);
    }
    if (word) {
        *value = *word;
        return STEP_DONE;
    }
    return is_cores_own(address) ? gddr_dma_read(&dma, address, value) : core_tile_absent(tile, "read", address);
}

static enum step own_write(struct core_tile *tile, uint32_t address, uint32_t value)
{
    uint32_t *word = plain_word(of_tile(tile), address);
    const struct gddr_dma_site dma = dma_of(of_tile(tile));
    if (is_cores_own(address) && !tile->executing) {
        return core_tile_absent(tile, "access from outside", address);
    }
    if (word) {
        *word = value;
        return STEP_DONE;
    }
    return is_cores_own(address) ? gddr_dma_write(&dma, address, value) : core_tile_absent(tile, "write", address);
}

static bool own_takes(struct core_tile *tile, uint32_t address, uint32_t value)
{
    return address - SCRATCH < sizeof of_tile(tile)->scratch;
}

/* Clock gating, ECC, interrupts (tt-exalens); overlay streams, of which tt-metal uses none here. */
static bool is_unknown(uint32_t address)
{
    return (address >= CLOCK_GATING && address < RISC_CONTROL_END) || (address >= OVERLAY && address < OVERLAY_END);
}

static bool in_noc2axi_mode(const struct niu *niu)
{
    return niu->config[NIU_CFG_0] & NIU_AXI_SUBORDINATE;
}

static const char *starts(const struct core_tile *tile, unsigned noc)
{
    return in_noc2axi_mode(&tile->niu[noc]) ? "the NIU of a DRAM tile starts no requests in NOC2AXI mode (bit 15 of "
                                              "NIU_CFG_0 is 1)"
                                            : NULL;
}

/* The tile. */

static const struct core_tile_kind dram_core = {
    .name = "the core of a DRAM tile",
    .l1_size = DRISC_L1_SIZE,
    .cores = 1,
    .core = {BH_CORE_DRISC},
    .reset = {1 << 11},
    .type = DRAM_TILE,
    .distant_nius = true,
    .read = own_read,
    .write = own_write,
    .takes = own_takes,
    .unknown = is_unknown,
    .name_of = gddr_dma_register_name,
    .starts = starts,
};

void dram_tile_create(struct dram_tile *tile, void *code_room, struct niu *niu, struct dram *dram, unsigned x,
                      unsigned y, enum bh_policy_preset policy)
{
    tile->dram = dram;
    tile->channel = dram_channel_at(x, y);
    core_tile_create(&tile->tile, &dram_core, code_room, niu, tile->channel, x, y, policy);
}

void dram_tile_model_time(struct dram_tile *tile)
{
    tile->tile.clock.timed = true;
    tile->tile.rv32[0].timing = &tile->timing;
}

bool dram_tile_active(const struct dram_tile *tile)
{
    return core_tile_active(&tile->tile) || (tile->dma.count && !tile->tile.diagnostics.stopped);
}

/* Ends the copies that are due by then. */
static void settle_until(struct dram_tile *tile, uint64_t time)
{
    if (tile->dma.count) {
        struct gddr_dma_site dma = dma_of(tile);
        dma.now = time;
        gddr_dma_settle(&dma);
    }
}

static void settle(struct dram_tile *tile)
{
    settle_until(tile, core_tile_now(&tile->tile));
}

/* The core sees what copies bring when they end, and they take its stores of before: it runs no further than to the
   next end, nor so far that a copy could both start and end. Where the tile's turns end makes no difference. */
static uint64_t run_timed(struct dram_tile *tile, uint32_t cycles)
{
    const struct rv32_core *last;
    uint64_t begin = tile->tile.clock.now, end = begin + cycles, retired = 0;
    settle_until(tile, begin);
    for (uint64_t now = begin; now < end;) {
        now = clock_sooner(clock_sooner(now + GDDR_DMA_SHORTEST, gddr_dma_next_end(&tile->dma)), end);
        retired += core_tile_run(&tile->tile, (uint32_t)(now - begin), &last);
        settle_until(tile, now);
    }
    return retired;
}

uint64_t dram_tile_run(struct dram_tile *tile, uint32_t cycles)
{
    const struct rv32_core *last;
    if (tile->tile.clock.timed) {
        return run_timed(tile, cycles);
    }
    uint64_t retired = core_tile_run(&tile->tile, cycles, &last);
    settle(tile);
    return retired;
}

/* Accesses over the NoC. */

static bool within(uint32_t address, uint32_t first, uint32_t end)
{
    return address >= first && address < end;
}

bool dram_tile_is_core(const struct niu *niu, uint64_t address)
{
    uint32_t low = (uint32_t)address;
    bool niu_register = within(low, CORE_TILE_NIU_0, CORE_TILE_NIUS_END);
    return address & DRISC_L1_TAG || !in_noc2axi_mode(niu) || within(low, CORE_TILE_DEBUG, CORE_TILE_DEBUG_END) ||
           within(low, CORE_TILE_RESET_PC, RISC_CONTROL_END) || (niu_register && !core_tile_niu_is_unknown(low)) ||
           (address >= GIB_4 && within(low, CORE_TILE_NIU_0, OVERLAY_END));
}

/* Registers are there whatever the bits above are. */
enum step dram_tile_read(struct dram_tile *tile, uint64_t address, void *data, uint32_t size)
{
    settle(tile);
    return core_tile_read(&tile->tile, (uint32_t)address, data, size);
}

/* Identification and counters of the NIUs. */
static bool is_read_only(uint32_t address)
{
    uint32_t offset = address & 0xffff;
    return within(address, CORE_TILE_NIU_0, CORE_TILE_NIUS_END) && niu_window_has(offset) &&
           !within(offset, NIU_CONFIG, NIU_CONFIG_END);
}

enum step dram_tile_write(struct dram_tile *tile, uint64_t address, const void *data, uint32_t size)
{
    settle(tile);
    if (size == sizeof(uint32_t) && is_read_only((uint32_t)address)) {
        return STEP_DONE;
    }
    return core_tile_write(&tile->tile, (uint32_t)address, data, size);
}
