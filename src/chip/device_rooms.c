/* The host's memory of a device and its tiles: tiles take it when they are first used, and give it back when they are
   reset. */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "chip/device_state.h"
#include "chip/ethernet/firmware.h"
#include "util/pages.h"

enum { PAGE = 4096 };

/* A device and everything that it points to except DRAM: one mapping of zeroes, of which pages take memory when they
   are first written. */
struct mapping {
    struct bh_device device;
    _Alignas(PAGE) struct tile_state states[TENSIX_TILES];
    _Alignas(PAGE) struct ethernet ethernet[ETHERNET_TILES];
    _Alignas(PAGE) struct dram_tile dram_tiles[DRAM_TILES];
    _Alignas(PAGE) uint8_t code_buffers[TENSIX_TILES][CODE_BUFFER_SIZE];
    _Alignas(PAGE) uint8_t code_rooms[];
};

static size_t mapping_size(void)
{
    return sizeof(struct mapping) + DEVICE_TILES * l1_code_room;
}

struct bh_device *device_map(void)
{
    struct mapping *mapping =
        mmap(NULL, mapping_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        return NULL;
    }
    pages_take(&mapping->device, offsetof(struct bh_device, ports) + sizeof mapping->device.ports.tensix[0]);
    mapping->device.states = mapping->states;
    mapping->device.ethernet = mapping->ethernet;
    mapping->device.dram_tiles = mapping->dram_tiles;
    mapping->device.code_rooms = mapping->code_rooms;
    mapping->device.code_buffers = mapping->code_buffers[0];
    return &mapping->device;
}

void device_unmap(struct bh_device *device)
{
    munmap(device, mapping_size());
}

static uint8_t *code_room(struct bh_device *device, unsigned index)
{
    return device->code_rooms + index * l1_code_room;
}

/* What every tile writes when it is reset and runs. */
static void take_pages(struct tile_state *state)
{
    pages_take(state->diagnostics.policy, offsetof(struct tile_state, registers.outbox.request[1]) -
                                              offsetof(struct tile_state, diagnostics.policy));
    pages_take(state->tensix.dst.valid,
               offsetof(struct tensix_state, vector.macro.queue) - offsetof(struct tensix_state, dst.valid));
}

void device_prepare_tensix(struct bh_device *device, unsigned index)
{
    unsigned x, y;
    tensix_coordinates(index, &x, &y);
    take_pages(&device->states[index]);
    tile_connect(&device->tiles[index], &device->states[index], code_room(device, index),
                 device->code_buffers + index * CODE_BUFFER_SIZE, x, y);
    tile_translate(&device->tiles[index], device->translator);
    if (device->config.mode == BH_MODE_TIMED) {
        tile_model_time(&device->tiles[index]);
        tile_receive(&device->tiles[index], device->network.initiator[index]->inbox);
    } else if (device->config.engine == BH_ENGINE_PLAIN) {
        device->tiles[index].tensix.engine = NULL;
    } else if (device->config.verify) {
        tile_verify(&device->tiles[index]);
    }
    tile_jitter(&device->tiles[index], device->config.jitter, x, y);
    diagnostics_set_policy(&device->states[index].diagnostics, device->config.policy);
    for (unsigned noc = 0; noc < NIUS; noc++) {
        niu_reset(&device->states[index].registers.niu[noc], noc, x, y, &device->translation);
    }
    device->ready[index / 64] |= UINT64_C(1) << index % 64;
    device_touch(device, index);
    observers_connect(device, x, y);
}

void device_prepare_ethernet(struct bh_device *device, struct ethernet *ethernet)
{
    unsigned channel = (unsigned)(ethernet - device->ethernet);
    ethernet_create(ethernet, code_room(device, TENSIX_TILES + channel), channel, &device->board, &device->translation,
                    device->config.policy);
    for (unsigned core = 0; core < ETHERNET_CORES; core++) {
        ethernet->tile.rv32[core].translator = device->translator;
    }
    ethernet->wire = &device->wire;
    ethernet->tile.payloads = device->network.initiator[TENSIX_TILES + channel]->payloads; /* null in functional mode */
    clock_begin(&ethernet->tile.clock, device->clock);
    ethernet_firmware_starts(ethernet, device->began_at); /* whenever somebody first looks */
    device->ready_cores |= UINT64_C(1) << channel;
}

void device_prepare_dram(struct bh_device *device, unsigned number)
{
    unsigned core = ETHERNET_TILES + number;
    struct dram_tile *tile = &device->dram_tiles[number];
    struct niu_window *window = &device->ports.dram_niu[number];
    dram_tile_create(tile, code_room(device, TENSIX_TILES + core), window->niu, &device->dram, window->x, window->y,
                     device->config.policy);
    tile->tile.rv32[0].translator = device->translator;
    tile->tile.payloads = device->network.initiator[TENSIX_TILES + core]->payloads; /* null in functional mode */
    if (device->config.mode == BH_MODE_TIMED) {
        dram_tile_model_time(tile);
    }
    clock_begin(&tile->tile.clock, device->clock);
    device->ready_cores |= UINT64_C(1) << core;
}

/* Gives pages back to the host; they read as zeroes again. */
static void forget_pages(void *pages, size_t size)
{
    (void)mprotect(pages, size, PROT_READ | PROT_WRITE);
    (void)madvise(pages, size, MADV_DONTNEED);
}

/* Makes large memory zero, most of whose pages were never touched: clearing those would map them. */
static void clear_memory(void *memory, size_t size)
{
    char *begin = memory, *end = begin + size;
    char *first = (char *)(((uintptr_t)begin + PAGE - 1) / PAGE * PAGE);
    char *last = (char *)((uintptr_t)end / PAGE * PAGE);
    if (first >= last) {
        memset(begin, 0, size);
        return;
    }
    memset(begin, 0, (size_t)(first - begin));
    forget_pages(first, (size_t)(last - first));
    memset(last, 0, (size_t)(end - last));
}

void device_forget_tensix(struct bh_device *device, unsigned index)
{
    forget_pages(code_room(device, index), l1_code_room);
    forget_pages(device->code_buffers + index * CODE_BUFFER_SIZE, CODE_BUFFER_SIZE);
    clear_memory(&device->states[index], offsetof(struct tile_state, l1));
    clear_memory(&device->tiles[index], sizeof device->tiles[index]);
}

void device_clear_tensix(struct bh_device *device, unsigned index)
{
    forget_pages(&device->states[index], sizeof device->states[index]);
}

void device_clear_arc(struct bh_device *device)
{
    struct arc *arc = &device->arc;
    memset(arc, 0, offsetof(struct arc, flash));
    clear_memory(arc->flash, sizeof arc->flash);
}

void device_forget_core_tile(struct bh_device *device, unsigned number)
{
    forget_pages(code_room(device, TENSIX_TILES + number), l1_code_room);
    if (number < ETHERNET_TILES) {
        clear_memory(&device->ethernet[number], sizeof device->ethernet[number]);
    } else {
        clear_memory(&device->dram_tiles[number - ETHERNET_TILES], sizeof *device->dram_tiles);
    }
}

void device_forget_tiles(struct bh_device *device)
{
    forget_pages(device->states, TENSIX_TILES * sizeof *device->states);
    forget_pages(device->ethernet, ETHERNET_TILES * sizeof *device->ethernet);
    forget_pages(device->dram_tiles, DRAM_TILES * sizeof *device->dram_tiles);
    forget_pages(device->code_buffers, (size_t)TENSIX_TILES * CODE_BUFFER_SIZE);
    forget_pages(device->code_rooms, DEVICE_TILES * l1_code_room);
    dram_destroy(&device->dram);
    clear_memory(device->tiles, sizeof device->tiles);
    memset(device->ready, 0, sizeof device->ready);
    memset(device->active, 0, sizeof device->active);
    memset(device->known, 0, sizeof device->known);
    memset(device->resting, 0, sizeof device->resting);
    device->resting_cores = 0;
    device->ready_cores = 0;
}
