#include "chip/dram/dram.h"

#include <string.h>
#include <sys/mman.h>

#include "util/pages.h"

void dram_destroy(struct dram *dram)
{
    for (unsigned i = 0; i < DRAM_CHANNELS; i++) {
        if (dram->channel[i]) {
            munmap(dram->channel[i], DRAM_CHANNEL_SIZE);
        }
    }
    *dram = (struct dram){};
}

enum { BLOCK_PARTS = DRAM_BLOCK / DRAM_PART };

_Static_assert((int)DRAM_BLOCK == (int)PAGES_LARGE && BLOCK_PARTS == 32,
               "blocks are large pages, their parts half a word");

/* The parts of a block that are taken. */
static uint32_t taken_of(const struct dram *dram, unsigned channel, uint64_t block)
{
    return (uint32_t)(dram->taken[channel][block / 2] >> block % 2 * BLOCK_PARTS);
}

/* Whether the blocks before this one were taken as wholes, as those of a long tensor are. */
static bool continues(const struct dram *dram, unsigned channel, uint64_t block)
{
    enum { BEFORE = 2 };
    bool whole = block >= BEFORE;
    for (unsigned i = 1; whole && i <= BEFORE; i++) {
        whole = taken_of(dram, channel, block - i) == UINT32_MAX;
    }
    return whole;
}

/* Takes parts of a block. */
static void take_parts(struct dram *dram, unsigned channel, uint64_t block, uint32_t wanted)
{
    uint64_t *word = &dram->taken[channel][block / 2];
    unsigned shift = block % 2 * BLOCK_PARTS;
    uint32_t taken = taken_of(dram, channel, block), more = wanted & ~taken;
    uint8_t *bytes = dram->channel[channel] + block * DRAM_BLOCK;
    if (more && continues(dram, channel, block) && pages_take_large(bytes, DRAM_BLOCK)) {
        *word |= (uint64_t)UINT32_MAX << shift;
        return;
    }
    for (*word |= (uint64_t)more << shift; more;) {
        unsigned first = (unsigned)__builtin_ctz(more);
        uint32_t behind = ~(more >> first);
        unsigned count = behind ? (unsigned)__builtin_ctz(behind) : BLOCK_PARTS;
        pages_take(bytes + first * DRAM_PART, (size_t)count * DRAM_PART);
        more &= count < BLOCK_PARTS ? ~(((1u << count) - 1) << first) : 0;
    }
}

void dram_take(struct dram *dram, unsigned channel, uint64_t address, uint64_t size)
{
    uint64_t first = address / DRAM_PART, last = (address + size - 1) / DRAM_PART;
    for (uint64_t block = first / BLOCK_PARTS; block <= last / BLOCK_PARTS; block++) {
        uint64_t begin = block * BLOCK_PARTS, end = begin + BLOCK_PARTS - 1;
        unsigned low = first > begin ? (unsigned)(first - begin) : 0,
                 high = last < end ? (unsigned)(last - begin) : BLOCK_PARTS - 1;
        uint32_t wanted = (UINT32_MAX >> (BLOCK_PARTS - 1 - high + low)) << low;
        take_parts(dram, channel, block, wanted);
    }
}

static bool contains(uint64_t address, uint32_t size)
{
    return address <= DRAM_CHANNEL_SIZE && size <= DRAM_CHANNEL_SIZE - address;
}

bool dram_read(const struct dram *dram, unsigned channel, uint64_t address, void *data, uint32_t size)
{
    if (!contains(address, size)) {
        return false;
    }
    if (size == 0) {
        return true;
    }
    if (dram->channel[channel] && (size >= DRAM_BLOCK || !dram_is_new(dram, channel, address, size))) {
        memcpy(data, dram->channel[channel] + address, size);
    } else {
        memset(data, 0, size);
    }
    return true;
}

bool dram_map(struct dram *dram, unsigned channel)
{
    if (!dram->channel[channel]) {
        void *bytes =
            mmap(NULL, DRAM_CHANNEL_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        dram->channel[channel] = bytes == MAP_FAILED ? NULL : bytes;
    }
    return dram->channel[channel] != NULL;
}

bool dram_write(struct dram *dram, unsigned channel, uint64_t address, const void *data, uint32_t size)
{
    if (!contains(address, size)) {
        return false;
    }
    if (size == 0) {
        return true;
    }
    if (!dram_map(dram, channel)) {
        return false;
    }
    dram_take(dram, channel, address, size);
    for (uint64_t at = address, end = address + size; at < end; at = (at / DRAM_BLOCK + 1) * DRAM_BLOCK) {
        dram_written(dram, channel, at, 1);
    }
    memcpy(dram->channel[channel] + address, data, size);
    return true;
}
