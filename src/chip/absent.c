#include "chip/absent.h"

#include <string.h>

#include "chip/pcie.h"

enum { EMPTY_NIU_SPAN = 0x20000 };
#define EMPTY_NIUS 0xFFB20000u
#define EMPTY_NIU 0xFF000000u

/* Tile type and index, as NOC_ENDPOINT_ID has them. */
static uint32_t endpoint_id(unsigned x, unsigned y)
{
    switch (noc_tile_kind(x, y)) {
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

void absent_create(struct absent_tile *tile, unsigned x, unsigned y, const struct noc_translation *translation,
                   enum bh_policy_preset policy)
{
    niu_window_create(&tile->niu, x, y, endpoint_id(x, y), translation);
    tile->diagnostics.tile_x = (uint8_t)x;
    tile->diagnostics.tile_y = (uint8_t)y;
    diagnostics_set_policy(&tile->diagnostics, policy);
}

/* Empty tiles have their NIUs where Tensix tiles have them, and, as tt-umd has it, at 0xFF00_0000. */
static bool in_niu(const struct absent_tile *tile, uint64_t address, uint32_t *offset)
{
    if (noc_tile_kind(tile->niu.x, tile->niu.y) != TILE_NONE) {
        return niu_window_offset(address, offset);
    }
    if (address >= EMPTY_NIU && address < EMPTY_NIU + NIU_WINDOW_SIZE) {
        *offset = (uint32_t)(address - EMPTY_NIU);
        return true;
    }
    *offset = (uint32_t)(address - EMPTY_NIUS) & 0xffff;
    return address >= EMPTY_NIUS && address < EMPTY_NIUS + EMPTY_NIU_SPAN && *offset < NIU_WINDOW_SIZE;
}

/* Nobody answers. */
static enum step nobody(struct absent_tile *tile, uint64_t address, uint32_t size)
{
    enum tile_kind kind = noc_tile_kind(tile->niu.x, tile->niu.y);
    if (kind == TILE_NONE) {
        return diagnose(&tile->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "there is no tile at (%u, %u): access of %u bytes at 0x%llx", tile->niu.x, tile->niu.y, size,
                        (unsigned long long)address);
    }
    return diagnose(&tile->diagnostics, BH_NON_CONTRACTUAL,
                    "access of %u bytes at 0x%llx: %s tiles answer as absent hardware does: reads return ones, writes "
                    "vanish",
                    size, (unsigned long long)address, tile_kind_name(kind));
}

enum step absent_read(struct absent_tile *tile, uint64_t address, void *data, uint32_t size)
{
    uint32_t offset, value = 0;
    if (size == 4 && address % 4 == 0 && in_niu(tile, address, &offset)) {
        enum step step = niu_window_read(&tile->niu, tile->niu.via, offset, &value, &tile->diagnostics);
        memcpy(data, &value, sizeof value);
        return step;
    }
    memset(data, 0xff, size);
    return nobody(tile, address, size);
}

enum step absent_write(struct absent_tile *tile, uint64_t address, const void *data, uint32_t size)
{
    uint32_t offset, value;
    if (size == 4 && address % 4 == 0 && in_niu(tile, address, &offset)) {
        memcpy(&value, data, sizeof value);
        return niu_window_write(&tile->niu, tile->niu.via, offset, value, &tile->diagnostics);
    }
    return nobody(tile, address, size);
}
