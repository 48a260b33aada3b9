#include "chip/dram.h"

#include <string.h>
#include <sys/mman.h>

void dram_destroy(struct dram *dram)
{
    for (unsigned i = 0; i < DRAM_CHANNELS; i++) {
        if (dram->channel[i]) {
            munmap(dram->channel[i], DRAM_CHANNEL_SIZE);
        }
    }
    *dram = (struct dram){};
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
    if (dram->channel[channel]) {
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
    for (uint64_t at = address, end = address + size; at < end; at = (at / DRAM_BLOCK + 1) * DRAM_BLOCK) {
        dram_written(dram, channel, at, 1);
    }
    memcpy(dram->channel[channel] + address, data, size);
    return true;
}
