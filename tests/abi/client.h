/* A client of libttsim.so that behaves like tt-umd, shared by the tests of this folder. The library is that of the
   build, or the one that BHEMU_PEER names. Sources: tt-umd tt_sim_communicator.cpp, tt_sim_tlb_window.cpp. */
#ifndef BHEMU_TESTS_ABI_CLIENT_H
#define BHEMU_TESTS_ABI_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct client {
    void *library;
    void (*init)(void);
    void (*exit)(void);
    void (*set_callbacks)(void (*read)(uint64_t, void *, uint32_t), void (*write)(uint64_t, const void *, uint32_t));
    uint32_t (*config_read)(uint32_t bdf, uint32_t offset);
    void (*read)(uint64_t paddr, void *data, uint32_t size);
    void (*write)(uint64_t paddr, const void *data, uint32_t size);
    void (*tile_read)(uint32_t x, uint32_t y, uint64_t address, void *data, uint32_t size);
    void (*tile_write)(uint32_t x, uint32_t y, uint64_t address, const void *data, uint32_t size);
    void (*clock)(uint32_t clocks);
    uint64_t bar0, bar2, bar4; /* as config space has them */
};

static inline bool client_is_peer(void)
{
    return getenv("BHEMU_PEER") != NULL;
}

/* All nine symbols have to resolve, or tt-umd refuses the library. */
static inline bool client_load_from(struct client *client, const char *path)
{
    client->library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!client->library) {
        print_error("%s\n", dlerror());
        return false;
    }
    struct {
        void **place;
        const char *name;
    } symbols[] = {
        {(void **)&client->init, "libttsim_init"},
        {(void **)&client->exit, "libttsim_exit"},
        {(void **)&client->set_callbacks, "libttsim_set_pci_dma_mem_callbacks"},
        {(void **)&client->config_read, "libttsim_pci_config_rd32"},
        {(void **)&client->read, "libttsim_pci_mem_rd_bytes"},
        {(void **)&client->write, "libttsim_pci_mem_wr_bytes"},
        {(void **)&client->tile_read, "libttsim_tile_rd_bytes"},
        {(void **)&client->tile_write, "libttsim_tile_wr_bytes"},
        {(void **)&client->clock, "libttsim_clock"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        *symbols[i].place = dlsym(client->library, symbols[i].name);
        if (!*symbols[i].place) {
            print_error("%s\n", dlerror());
            return false;
        }
    }
    return true;
}

static inline bool client_load(struct client *client)
{
    const char *peer = getenv("BHEMU_PEER");
    return client_load_from(client, peer ? peer : BHEMU_BUILD_DIR "/libttsim.so");
}

/* The older form of the start-up: the device's number and its BARs. */
static inline void client_find_bars(struct client *client)
{
    assert_int_equal(client->config_read(0, 0) & 0xffff, 0x1e52);
    assert_int_equal(client->config_read(0, 0) >> 16, 0xb140);
    uint64_t *bars[] = {&client->bar0, &client->bar2, &client->bar4};
    for (unsigned i = 0; i < 3; i++) {
        *bars[i] = client->config_read(0, 0x10 + 8 * i) | (uint64_t)client->config_read(0, 0x14 + 8 * i) << 32;
        *bars[i] &= ~UINT64_C(15);
    }
}

static inline void client_put32(struct client *client, uint64_t paddr, uint32_t word)
{
    client->write(paddr, &word, sizeof word);
}

static inline uint32_t client_get32(struct client *client, uint64_t paddr)
{
    uint32_t word;
    client->read(paddr, &word, sizeof word);
    return word;
}

enum { CLIENT_WINDOW = 0, ORDERING_STRICT = 1 };

/* Points window 0 at an address of a tile; the result is the address in the window. */
static inline uint64_t client_point(struct client *client, unsigned x, unsigned y, uint64_t address)
{
    uint64_t setup = client->bar0 + 0x1fc00000 + 12 * CLIENT_WINDOW;
    client_put32(client, setup, (uint32_t)(address >> 21));
    client_put32(client, setup + 4, (uint32_t)(address >> 53) | x << 11 | y << 17);
    client_put32(client, setup + 8, ORDERING_STRICT << 6);
    return client->bar0 + (CLIENT_WINDOW << 21) + (address & 0x1fffff);
}

/* Blocks of a tile, window by window, with a clock after each read, as tt-umd does it. */
static inline void client_read_block(struct client *client, unsigned x, unsigned y, uint64_t address, void *data,
                                     uint32_t size)
{
    while (size) {
        uint32_t left = 0x200000 - (uint32_t)(address & 0x1fffff), part = size < left ? size : left;
        client->read(client_point(client, x, y, address), data, part);
        data = (uint8_t *)data + part;
        address += part;
        size -= part;
    }
    client->clock(1);
}

static inline void client_write_block(struct client *client, unsigned x, unsigned y, uint64_t address, const void *data,
                                      uint32_t size)
{
    while (size) {
        uint32_t left = 0x200000 - (uint32_t)(address & 0x1fffff), part = size < left ? size : left;
        client->write(client_point(client, x, y, address), data, part);
        data = (const uint8_t *)data + part;
        address += part;
        size -= part;
    }
}

static inline uint32_t client_tile_get32(struct client *client, unsigned x, unsigned y, uint64_t address)
{
    uint32_t word;
    client_read_block(client, x, y, address, &word, sizeof word);
    return word;
}

static inline void client_tile_put32(struct client *client, unsigned x, unsigned y, uint64_t address, uint32_t word)
{
    client_write_block(client, x, y, address, &word, sizeof word);
}

#endif
