/* DRAM: eight channels of 4 GiB. Three tiles of the NoC show each of them. A channel is mapped when it is first
   written, and costs what is written to it; before that it reads as zeroes. Sources: ISA documentation NoC/README.md;
   emulator specification, dram. */
#ifndef BHEMU_CHIP_DRAM_H
#define BHEMU_CHIP_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "noc/coordinates.h"

#define DRAM_CHANNEL_SIZE (UINT64_C(4) << 30)

/* Where nothing was ever written is known by blocks: nobody has to look for it in 4 GiB. */
enum { DRAM_BLOCK = 2 << 20, DRAM_BLOCKS = DRAM_CHANNEL_SIZE / DRAM_BLOCK };

/* The host's memory is taken in parts: a program that writes one page of DRAM is likely to write those behind it. A
   block behind two that were taken as wholes is so, too, as a large page: not sooner, for a host that is a virtual
   machine and gives free memory back may take 5 ms for one, as long as for ten times as much in small pages. */
enum { DRAM_PART = 64 << 10, DRAM_PARTS = DRAM_CHANNEL_SIZE / DRAM_PART };

struct dram {
    uint8_t *channel[DRAM_CHANNELS];                   /* null: nothing was ever written */
    uint64_t written[DRAM_CHANNELS][DRAM_BLOCKS / 64]; /* a bit for each block to which something was */
    uint64_t taken[DRAM_CHANNELS][DRAM_PARTS / 64];    /* a bit for each part that was taken */
};

/* Takes the parts of [address, address + size) of a channel that is mapped. */
void dram_take(struct dram *dram, unsigned channel, uint64_t address, uint64_t size);

/* To be called before a write to [address, address + size), which is shorter than a block. */
static inline void dram_written(struct dram *dram, unsigned channel, uint64_t address, uint32_t size)
{
    uint64_t first = address / DRAM_BLOCK, last = (address + size - 1) / DRAM_BLOCK;
    uint64_t part = address / DRAM_PART, last_part = (address + size - 1) / DRAM_PART;
    dram->written[channel][first / 64] |= UINT64_C(1) << first % 64;
    dram->written[channel][last / 64] |= UINT64_C(1) << last % 64;
    if (__builtin_expect(!(dram->taken[channel][part / 64] >> part % 64 &
                           dram->taken[channel][last_part / 64] >> last_part % 64 & 1),
                         0)) {
        dram_take(dram, channel, address, size);
    }
}

/* Whether all of [address, address + size), which is shorter than a block, reads as zeroes, since nothing was ever
   written to its blocks. */
static inline bool dram_is_new(const struct dram *dram, unsigned channel, uint64_t address, uint32_t size)
{
    uint64_t first = address / DRAM_BLOCK, last = (address + size - 1) / DRAM_BLOCK;
    return !((dram->written[channel][first / 64] >> first % 64 | dram->written[channel][last / 64] >> last % 64) & 1);
}

void dram_destroy(struct dram *dram);

/* Maps a channel, unless it is. false: the host has no memory. */
bool dram_map(struct dram *dram, unsigned channel);

/* false: [address, address + size) is not within the channel, or the host has no memory; nothing was transferred. */
bool dram_read(const struct dram *dram, unsigned channel, uint64_t address, void *data, uint32_t size);
bool dram_write(struct dram *dram, unsigned channel, uint64_t address, const void *data, uint32_t size);

#endif
