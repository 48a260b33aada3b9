/* The device's tiles as the NoC sees them: their network endpoints. A tile has none, is not even reset, and takes no
   memory, before somebody first reaches it. */
#ifndef BHEMU_CHIP_PORTS_H
#define BHEMU_CHIP_PORTS_H

#include <stdint.h>

#include "chip/absent.h"
#include "chip/dram/dram_tile.h"
#include "chip/ethernet/ethernet.h"
#include "chip/niu_window.h"
#include "noc/network.h"

struct bh_device;
struct tile;

/* A Tensix tile. What is written to it may give it something to run: then its bit of `active` is set. */
struct tensix_port {
    struct bh_device *device;
    struct tile *tile;
    uint64_t *active;
    uint64_t bit;
    struct network *network;
    unsigned initiator;
};

/* A DRAM tile: one of the three that show a channel. */
struct dram_port {
    struct bh_device *device;
    unsigned number, channel;
    struct niu_window *niu;
};

/* An Ethernet tile, whose outbox has this number. */
struct ethernet_port {
    struct bh_device *device;
    struct ethernet *ethernet;
    struct network *network;
    unsigned initiator;
};

struct absent_port {
    struct bh_device *device;
    uint8_t index; /* among the absent tiles */
};

struct ports {
    struct tensix_port tensix[TENSIX_TILES];
    struct ethernet_port ethernet[ETHERNET_TILES];
    struct dram_port dram[DRAM_TILES];
    struct niu_window dram_niu[DRAM_TILES]; /* apart from what is written of all tiles, wherever somebody looks */
    struct absent_port absent[ABSENT_TILES];
};

/* Connects a device's network with its tiles. The numbers of outboxes are those of DEVICE_TILES. */
void ports_connect(struct bh_device *device);

/* Timed mode: after an Ethernet tile's turn, which has come to `end`, what its overlay streams send over the link
   leaves. With jitter it does in the exchange, since NIUs begin later. */
void ports_send_links(const struct bh_device *device, struct ethernet *ethernet, uint64_t end);

/* Connects the DRAM tile at coordinates of NoC 0. */
void ports_connect_dram(struct bh_device *device, unsigned x, unsigned y);

/* Connects the core of a DRAM tile, unless it is. */
/* Timed mode: books what the engines at the tiles of a channel ask for before a time, in the order in which they do
   (struct network). context: the device. */
void device_book_copies(void *context, unsigned channel, uint64_t before);

/* To be called after the turn of the core of a DRAM tile, by its number. */
void device_note_copies(struct bh_device *device, unsigned number);

void ports_connect_dram_core(struct bh_device *device, unsigned number);

/* Configures the NIUs of DRAM tiles anew, as the device translates coordinates now. */
void ports_configure_dram(struct ports *ports);

#endif
