/* Registers of tiles, written in any order by a host under the policy that continues, and short runs in between:
   whatever is configured and started, no access may exceed its array. */
#include <stdlib.h>
#include <string.h>

#include "bhemu/device.h"
#include "fuzz.h"
#include "script.h"
#include "tile/mmio.h"
#include "tile/overlay/overlay.h"

enum { ACCESSES = 400, MEMORY = 1 << 12, MEMORY_AT = 0x1000, LOW_BITS = 0xfff };

static const uint8_t tiles[][2] = {{1, 2}, {2, 2}, {20, 25}, {21, 25}};

/* Streams: the first and the last of each kind, and neighbours. */
static const uint8_t streams[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 16, 31, 32, 62, 63};

enum { TILES = sizeof tiles / sizeof tiles[0], FEW_STREAMS = sizeof streams / sizeof streams[0] };

static uint32_t stream_register(struct script *script)
{
    uint32_t which = take(script, 1), index = take(script, 2) % STREAM_REGISTERS;
    return mmio_region(MMIO_OVERLAY)->first + streams[which % FEW_STREAMS] * (uint32_t)STREAM_STRIDE + index * 4;
}

/* A register of the table or, of arrays of registers, one near it. */
static uint32_t named_register(struct script *script)
{
    unsigned count;
    const struct mmio_register *registers = mmio_registers(&count);
    uint32_t which = take(script, 2), copy = take(script, 1), address = registers[which % count].address;
    switch (mmio_region_at(address)) {
    case MMIO_OVERLAY: return address + streams[copy % FEW_STREAMS] * (uint32_t)STREAM_STRIDE;
    case MMIO_NIU0: return address + (copy & 1) * 0x10000 + (copy >> 1 & 3) * 0x800;
    default: return address + (copy >= 0xf0 ? (copy & 15) * 4 : 0);
    }
}

static uint32_t any_address(struct script *script)
{
    const struct mmio_region *region = mmio_region((enum mmio_region_index)(take(script, 1) % MMIO_REGIONS));
    return region->first + (take(script, 3) % (region->last - region->first + 1) & ~3u);
}

/* Random bits, few bits, or a small number; or the address of a stream, or a NoC tile. */
static uint32_t take_value(struct script *script, uint32_t kind)
{
    uint32_t value = take(script, 4);
    switch (kind % 6) {
    case 0: return value;
    case 1: return 1u << value % 32;
    case 2: return 1u << value % 32 | 1u << (value >> 8) % 32 | 1u << (value >> 16) % 32;
    case 3: return value & LOW_BITS;
    case 4: return (1 + value % 3) | (2 + (value >> 8) % 2) << 6 | (value >> 16 & 0x3f) << 12;
    default: return 63 | 63 << 6 | (value & 0x3f) << 12;
    }
}

static void access_register(struct bh_device *device, struct script *script)
{
    uint32_t kind = take(script, 1), tile = take(script, 1), value;
    unsigned x = tiles[tile % TILES][0], y = tiles[tile % TILES][1];
    if (kind >= 0xe8) {
        (void)bh_run(device, take(script, 2) % 3000, NULL);
        return;
    }
    uint32_t address = kind % 4 == 0   ? any_address(script)
                       : kind % 4 == 1 ? named_register(script)
                                       : stream_register(script);
    if (kind >= 0xd0) {
        (void)bh_read(device, x, y, address, &value, sizeof value);
        return;
    }
    value = take_value(script, kind / 4);
    (void)bh_write(device, x, y, address, &value, sizeof value);
}

void fuzz_registers(const uint8_t *bytes, size_t size)
{
    struct script script = {bytes, size};
    const struct bh_device_config config = {.policy = BH_POLICY_SILICON};
    uint8_t memory[MEMORY];
    struct bh_device *device;
    if (bh_device_create(&config, &device) != BH_OK) {
        abort();
    }
    for (unsigned i = 0; i < MEMORY && size; i++) { /* configuration for streams, headers of messages */
        memory[i] = bytes[i % size];
    }
    for (unsigned i = 0; i < TILES && size; i++) {
        (void)bh_write(device, tiles[i][0], tiles[i][1], MEMORY_AT, memory, sizeof memory);
    }
    for (unsigned i = 0; i < ACCESSES && script.size; i++) {
        access_register(device, &script);
    }
    bh_device_destroy(device);
}
