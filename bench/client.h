/* A host like the vendor's driver: loads a libttsim.so, ours or a peer's, and accesses one Tensix tile through TLB
   windows of BAR0. A library keeps its state in the process and ends it on errors, so every measure runs in a process
   of its own. */
#ifndef BHEMU_BENCH_CLIENT_H
#define BHEMU_BENCH_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

struct client {
    void *library;
    uint64_t chip; /* added to all addresses: where its BARs are, 64 GiB x its number; 0 when opened */
    void (*init)(void);
    void (*exit)(void);
    void (*read)(uint64_t address, void *data, uint32_t size);
    void (*write)(uint64_t address, const void *data, uint32_t size);
    void (*clock)(uint32_t cycles);
};

/* Loads the library and starts its device. false: the reason is on stderr. */
bool client_open(struct client *client, const char *path);

/* Points the chip's windows at the tile at (x, y), for later reads, writes and resets. */
void client_choose_tile(struct client *client, unsigned x, unsigned y);

/* Points the first window at other memory: addresses of L1 are then counted from `address` on, a multiple of 2 MiB. */
void client_choose_memory(struct client *client, uint32_t address, unsigned x, unsigned y);

/* Addresses of L1, or of the tile's registers from 0xFFA00000 on. */
void client_read(struct client *client, uint32_t address, void *data, uint32_t size);
void client_write(struct client *client, uint32_t address, const void *data, uint32_t size);
uint32_t client_read32(struct client *client, uint32_t address);
void client_write32(struct client *client, uint32_t address, uint32_t value);

/* Writes the segments of an ELF to L1. false: the reason is on stderr. */
bool client_load_elf(struct client *client, const char *path);

/* Releases cores: clears these bits of the soft reset register. */
void client_release(struct client *client, uint32_t bits);

#endif
