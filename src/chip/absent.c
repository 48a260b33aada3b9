#include "chip/absent.h"

#include <string.h>

#include "chip/pcie/pcie.h"

enum { LOW_NIU_SPAN = 0x20000 };
#define LOW_NIUS 0xFFB20000u
#define EMPTY_NIU 0xFF000000u

/* Tile type and index, as NOC_ENDPOINT_ID has them. */
static uint32_t endpoint_id(unsigned x, unsigned y)
{
    unsigned index = 0;
    switch (noc_tile_kind(x, y)) {
    case TILE_TENSIX: (void)tensix_index(x, y, &index); return 0x0100 << 8 | index;
    case TILE_ETHERNET: return 0x0200 << 8 | die_index(x);
    case TILE_DRAM: return 0x0800 << 8 | dram_channel_at(x, y);
    case TILE_L2CPU: return 0x0901 << 8 | (y == 3 ? 0 : y == 9 ? 1 : y == 5 ? 2 : 3);
    case TILE_SECURITY: return 0x0a00 << 8;
    case TILE_PCIE: return 0x0300 << 8 | 2;
    default: return 0;
    }
}

bool absent_is(unsigned x, unsigned y)
{
    switch (noc_tile_kind(x, y)) {
    case TILE_NONE:
    case TILE_L2CPU:
    case TILE_SECURITY: return true;
    case TILE_PCIE: return x != PCIE_X;
    default: return false;
    }
}

unsigned absent_next(const struct absent *absent, unsigned first)
{
    while (first < ABSENT_TILES && !(absent->ready[first / 64] >> first % 64 & 1)) {
        first++;
    }
    return first;
}

void absent_forget(struct absent *absent)
{
    for (unsigned i = absent_next(absent, 0); i < ABSENT_TILES; i = absent_next(absent, i + 1)) {
        absent->tile[i] = (struct absent_tile){0};
    }
    memset(absent->ready, 0, sizeof absent->ready);
}

void absent_create(struct absent_tile *tile, unsigned x, unsigned y, const struct noc_translation *translation,
                   enum bh_policy_preset policy)
{
    niu_window_create(&tile->niu, x, y, endpoint_id(x, y), translation);
    tile->diagnostics.tile_x = (uint8_t)x;
    tile->diagnostics.tile_y = (uint8_t)y;
    diagnostics_set_policy(&tile->diagnostics, policy);
}

/* Whether an address is a register of the tile's NIUs, and *noc, of which. Empty and harvested tiles have them where
   Tensix tiles do; empty ones, as in tt-umd, also at 0xFF00_0000; those of DRAM tiles are there whatever the bits
   above. */
static bool in_niu(const struct absent_tile *tile, uint64_t address, unsigned *noc, uint32_t *offset)
{
    enum tile_kind kind = noc_tile_kind(tile->niu.x, tile->niu.y);
    *noc = tile->niu.via;
    if (kind == TILE_L2CPU || kind == TILE_SECURITY || kind == TILE_PCIE) {
        return niu_window_offset(address, offset);
    }
    if (kind == TILE_DRAM) {
        return niu_window_dram(address, noc, offset);
    }
    if (kind == TILE_NONE && address >= EMPTY_NIU && address < EMPTY_NIU + NIU_WINDOW_SIZE) {
        *offset = (uint32_t)(address - EMPTY_NIU);
        return true;
    }
    *offset = (uint32_t)(address - LOW_NIUS) & 0xffff;
    *noc = kind == TILE_NONE ? *noc : (uint32_t)(address - LOW_NIUS) >> 16;
    return address >= LOW_NIUS && address < LOW_NIUS + LOW_NIU_SPAN && *offset < NIU_WINDOW_SIZE;
}

/* Whether the host accesses the tile; requests over the NoC use the diagnostics of their initiator. */
static bool by_host(const struct absent_tile *tile)
{
    return tile->diagnostics.tile_x == tile->niu.x && tile->diagnostics.tile_y == tile->niu.y;
}

/* No hardware answers. A program's request was never meant to come here: an error. */
static enum step nobody(struct absent_tile *tile, uint64_t address, uint32_t size)
{
    enum tile_kind kind = noc_tile_kind(tile->niu.x, tile->niu.y);
    if (kind == TILE_NONE) {
        return diagnose(&tile->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "there is no tile at (%u, %u): access of %u bytes at 0x%llx", tile->niu.x, tile->niu.y, size,
                        (unsigned long long)address);
    }
    if (!absent_is(tile->niu.x, tile->niu.y)) {
        return diagnose(&tile->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "access of %u bytes at 0x%llx: the %s tile at coordinates (%u, %u) of NoC 0 is harvested, only "
                        "its NIUs answer",
                        size, (unsigned long long)address, tile_kind_name(kind), tile->niu.x, tile->niu.y);
    }
    return diagnose(&tile->diagnostics, by_host(tile) ? BH_NON_CONTRACTUAL : BH_UNDEFINED_BEHAVIOR,
                    "access of %u bytes at 0x%llx: %s answers as absent hardware does: reads return ones, writes "
                    "vanish",
                    size, (unsigned long long)address,
                    kind == TILE_PCIE    ? "the PCIe tile that is not in use"
                    : kind == TILE_L2CPU ? "an L2CPU tile"
                                         : "the security tile");
}

enum step absent_read(struct absent_tile *tile, uint64_t address, void *data, uint32_t size)
{
    unsigned noc;
    uint32_t offset, value = 0;
    if (size == 4 && address % 4 == 0 && in_niu(tile, address, &noc, &offset)) {
        enum step step = niu_window_read(&tile->niu, noc, offset, &value, &tile->diagnostics);
        memcpy(data, &value, sizeof value);
        return step;
    }
    enum step step = nobody(tile, address, size);
    if (step == STEP_DONE) {
        memset(data, 0xff, size);
    }
    return step;
}

enum step absent_write(struct absent_tile *tile, uint64_t address, const void *data, uint32_t size)
{
    unsigned noc;
    uint32_t offset, value;
    if (size == 4 && address % 4 == 0 && in_niu(tile, address, &noc, &offset)) {
        memcpy(&value, data, sizeof value);
        return niu_window_write(&tile->niu, noc, offset, value, &tile->diagnostics);
    }
    return nobody(tile, address, size);
}
