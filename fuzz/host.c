/* A host whose accesses to a device are mostly meaningful: config space, BARs, TLB windows on any tile, iATU, DMA,
   messages, and programs' accesses to the host's memory. */
#include <stdlib.h>
#include <string.h>

#include "bhemu/device.h"
#include "bhemu/pci.h"
#include "fuzz.h"
#include "script.h"

enum { HOST_MEMORY = 1 << 16, ACCESS = 256 };

static uint8_t host_memory[HOST_MEMORY];

static void read_memory(void *context, uint64_t address, void *data, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        ((uint8_t *)data)[i] = host_memory[(address + i) % HOST_MEMORY];
    }
}

static void write_memory(void *context, uint64_t address, const void *data, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        host_memory[(address + i) % HOST_MEMORY] = ((const uint8_t *)data)[i];
    }
}

/* An address in a tile. */
static uint64_t tile_address(struct script *script)
{
    static const uint64_t places[] = {
        0,          0x10001000, 0x10002000,         0x80030000,         0xffb12000,
        0xffb14000, 0xffb20000, 0xffb40000,         0xffb90000,         0xffb98000,
        0x7cc00,    0x7d000,    0x1000000000000000, 0xf800000000000000, 0xffffffffff000000};
    return places[take(script, 1) % (sizeof places / sizeof places[0])] + take(script, 2);
}

static void access_device(struct bh_device *device, struct script *script)
{
    uint8_t data[ACCESS];
    uint32_t operation = take(script, 1), size = operation & 0x80 ? take(script, 1) : 4, value = take(script, 4);
    memset(data, (int)(value & 0xff), sizeof data);
    memcpy(data, &value, 4);
    switch (operation % 8) {
    case 0: (void)bh_pci_config_read(device, value % 0x80, &value); break;
    case 1: (void)bh_pci_config_write(device, value % 0x80, value); break;
    case 2: (void)bh_pci_read(device, take_bar_address(script), data, size); break;
    case 3:
    case 4: (void)bh_pci_write(device, take_bar_address(script), data, size); break;
    case 5: (void)bh_read(device, value % 33, (value >> 8) % 33, tile_address(script), data, size); break;
    case 6: (void)bh_write(device, value % 33, (value >> 8) % 33, tile_address(script), data, size); break;
    default: (void)bh_run(device, value % 2000, NULL); break;
    }
}

void fuzz_host(const uint8_t *bytes, size_t size)
{
    struct script script = {bytes, size};
    uint32_t choice = take(&script, 1);
    struct bh_tiles tiles = {.tensix_columns = take(&script, 2) & 0x3fff};
    tiles.ethernet = take(&script, 2) & 0x3fff;
    tiles.dram = (uint8_t)take(&script, 1);
    struct bh_device_config config = {.policy = (enum bh_policy_preset)(choice % 3),
                                      .board = (enum bh_board)((choice >> 2) % BH_BOARDS),
                                      .tiles = choice & 0x80 ? &tiles : NULL,
                                      .host_read = choice & 0x40 ? read_memory : NULL,
                                      .host_write = choice & 0x40 ? write_memory : NULL};
    struct bh_device *device;
    if (bh_device_create(&config, &device) != BH_OK) {
        return;
    }
    for (unsigned i = 0; i < 1000 && script.size; i++) {
        access_device(device, &script);
    }
    bh_device_destroy(device);
}
