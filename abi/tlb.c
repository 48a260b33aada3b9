/* TLB windows: 202 of 2 MiB in BAR0, 8 of 4 GiB in BAR4. Each shows a piece of the address space of one tile, or, for
   writes, of a rectangle of tiles. Source: ttsim; tt-umd blackhole_implementation.hpp. */
#include "abi.h"
#include "noc/coordinates.h"

enum { ORDERING_RESERVED = 3 };

/* Where an access goes. */
struct target {
    unsigned x, y;             /* or the last corner of the rectangle */
    unsigned first_x, first_y; /* multicast: the first corner */
    bool multicast;
    uint64_t address;
};

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

static void check_routing(unsigned window, uint32_t noc, uint32_t ordering)
{
    if (noc != 0) {
        abi_fail("Unsupported", "TLB window %u: it uses NoC 1 (bits %u); only NoC 0 is emulated", window, noc);
    }
    if (ordering == ORDERING_RESERVED) {
        abi_fail("BadInput", "TLB window %u: ordering 3 is reserved", window);
    }
}

/* Linked transactions and static virtual channels change nothing here: every access arrives in order. */

static struct target target_of_2m(const uint32_t *words, unsigned window, uint64_t offset)
{
    check_routing(window, bits(words[2], 4, 3), bits(words[2], 7, 6));
    return (struct target){.x = bits(words[1], 16, 11),
                           .y = bits(words[1], 22, 17),
                           .first_x = bits(words[1], 28, 23),
                           .first_y = bits(words[1], 31, 29) | bits(words[2], 2, 0) << 3,
                           .multicast = bits(words[2], 5, 5),
                           .address = ((uint64_t)bits(words[1], 10, 0) << 32 | words[0]) << 21 | offset};
}

static struct target target_of_4g(const uint32_t *words, unsigned window, uint64_t offset)
{
    check_routing(window, bits(words[1], 25, 24), bits(words[1], 28, 27));
    return (struct target){.x = bits(words[1], 5, 0),
                           .y = bits(words[1], 11, 6),
                           .first_x = bits(words[1], 17, 12),
                           .first_y = bits(words[1], 23, 18),
                           .multicast = bits(words[1], 26, 26),
                           .address = (uint64_t)words[0] << 32 | offset};
}

static struct target target_of(const struct abi *abi, unsigned window, uint64_t offset, uint32_t size)
{
    bool small = window < TLB_WINDOWS_2M;
    uint64_t window_size = small ? 1ull << 21 : 1ull << 32;
    if (size > window_size - offset) {
        abi_fail("BadInput", "access of %u bytes at offset 0x%llx leaves TLB window %u", size,
                 (unsigned long long)offset, window);
    }
    const uint32_t *words = abi->tlb[window];
    return small ? target_of_2m(words, window, offset) : target_of_4g(words, window, offset);
}

static void check_tile(unsigned x, unsigned y, uint64_t address)
{
    enum tile_kind kind = tile_kind_at(x, y);
    if (kind == TILE_NONE) {
        abi_fail("BadInput", "there is no tile at (%u, %u)", x, y);
    }
    if (kind != TILE_TENSIX && kind != TILE_DRAM) {
        abi_fail("Unsupported", "access to 0x%llx of tile (%u, %u): %s tiles are not emulated yet",
                 (unsigned long long)address, x, y, tile_kind_name(kind));
    }
}

/* on_diagnostic has ended the process already if a diagnostic was given for the refusal. */
static void check_status(enum bh_status status, const struct target *target)
{
    if (status != BH_OK) {
        abi_fail("BadInput", "access to 0x%llx of tile (%u, %u) was refused", (unsigned long long)target->address,
                 target->x, target->y);
    }
}

void tlb_read(struct abi *abi, unsigned window, uint64_t offset, void *data, uint32_t size)
{
    struct target target = target_of(abi, window, offset, size);
    if (target.multicast) {
        abi_fail("BadInput", "reading through TLB window %u, which is set up for multicast", window);
    }
    check_tile(target.x, target.y, target.address);
    check_status(bh_read(abi->device, target.x, target.y, target.address, data, size), &target);
}

/* Multicast goes to the Tensix tiles of the rectangle. */
static void multicast(struct abi *abi, const struct target *target, const void *data, uint32_t size)
{
    if (tile_kind_at(target->x, target->y) != TILE_TENSIX ||
        tile_kind_at(target->first_x, target->first_y) != TILE_TENSIX || target->first_x > target->x ||
        target->first_y > target->y) {
        abi_fail("BadInput", "multicast to (%u, %u) .. (%u, %u): its corners must be Tensix tiles, the first one first",
                 target->first_x, target->first_y, target->x, target->y);
    }
    for (unsigned y = target->first_y; y <= target->y; y++) {
        for (unsigned x = target->first_x; x <= target->x; x++) {
            if (tile_kind_at(x, y) == TILE_TENSIX) {
                check_status(bh_write(abi->device, x, y, target->address, data, size), target);
            }
        }
    }
}

void tlb_write(struct abi *abi, unsigned window, uint64_t offset, const void *data, uint32_t size)
{
    struct target target = target_of(abi, window, offset, size);
    if (target.multicast) {
        multicast(abi, &target, data, size);
        return;
    }
    check_tile(target.x, target.y, target.address);
    check_status(bh_write(abi->device, target.x, target.y, target.address, data, size), &target);
}
