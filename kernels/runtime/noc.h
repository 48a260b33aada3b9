/* Requests over the NoCs, and waiting for them by the counters of the NIU. Initiator 0 is for writes, 1 for reads, 2
   for registers, 3 for atomic operations. Coordinates are translated ones, the same on both NoCs. Source: ISA
   documentation NoC/MemoryMap.md, NoC/Counters.md, NoC/Atomics.md. */
#ifndef BHEMU_KERNELS_NOC_H
#define BHEMU_KERNELS_NOC_H

#include "mmio.h"

/* The NIU has four sets of request registers; a request waits only for the one before it in the same set. */
enum noc_initiator { NOC_WRITES, NOC_READS, NOC_REGISTERS, NOC_ATOMICS };

/* Registers of a set, in words from its beginning. */
enum noc_request_register {
    NOC_TARG_ADDR_LO,
    NOC_TARG_ADDR_MID,
    NOC_TARG_ADDR_HI,
    NOC_RET_ADDR_LO,
    NOC_RET_ADDR_MID,
    NOC_RET_ADDR_HI,
    NOC_PACKET_TAG,
    NOC_CTRL,
    NOC_AT_LEN_BE,
    NOC_AT_DATA = 10,
    NOC_CMD_CTRL = 16,
};

/* What noc_wait() waits for: atomic operations, writes, reads. */
enum noc_counter { NOC_ATOMIC_RESP_RECEIVED, NOC_WR_ACK_RECEIVED, NOC_RD_RESP_RECEIVED };

enum {
    NOC_BROADCAST = 1 << 5 | 1 << 8, /* over a path that is reserved first, as all broadcasts must be */
};
/* NOC_CTRL. */
enum { NOC_READ = 0, NOC_ATOMIC = 1, NOC_WRITE = 2, NOC_INLINE = 1 << 3, NOC_RESPONSE = 1 << 4 };

/* A place that the NoC reaches. */
struct noc_place {
    uint32_t at; /* x | y << 6 */
    uint32_t address;
};

/* One side of this tile's traffic on one NoC: how many responses it waits for. */
struct noc {
    volatile uint32_t *niu;
    uint32_t self;
    uint32_t expected[3];
};

/* How many responses of a kind have come since reset, modulo 2^32. */
static inline uint32_t noc_counter(const struct noc *noc, enum noc_counter counter)
{
    return noc->niu[0x200 / 4 + counter];
}

/* This tile's access to NoC 0 or 1. Of the cores of a tile one uses each NoC: their responses are counted together. */
static inline struct noc noc_open(uint32_t number)
{
    struct noc noc = {.niu = (volatile uint32_t *)(0xffb20000 + number * 0x10000)};
    noc.self = noc.niu[0x148 / 4] & 0xfff; /* NOC_ID_LOGICAL */
    for (uint32_t i = 0; i < 3; i++) {
        noc.expected[i] = noc_counter(&noc, (enum noc_counter)i);
    }
    return noc;
}

/* Sends any request, once its set of registers is free, and does not wait for it. ctrl: NOC_CTRL. The functions below
   are made of it. */
static inline void noc_start(const struct noc *noc, enum noc_initiator initiator, uint32_t ctrl,
                             struct noc_place target, struct noc_place back, uint32_t length, uint32_t data)
{
    volatile uint32_t *registers = noc->niu + initiator * (0x800 / 4);
    while (registers[NOC_CMD_CTRL]) {
    }
    registers[NOC_TARG_ADDR_LO] = target.address;
    registers[NOC_TARG_ADDR_MID] = 0;
    registers[NOC_TARG_ADDR_HI] = target.at;
    registers[NOC_RET_ADDR_LO] = back.address;
    registers[NOC_RET_ADDR_MID] = 0;
    registers[NOC_RET_ADDR_HI] = back.at;
    registers[NOC_PACKET_TAG] = 0;
    registers[NOC_CTRL] = ctrl;
    registers[NOC_AT_LEN_BE] = length;
    registers[NOC_AT_DATA] = data;
    registers[NOC_CMD_CTRL] = 1;
}

/* Copies up to 16 KiB to this tile's L1. From DRAM, addresses are the same modulo 64, else modulo 16. */
static inline void noc_read(struct noc *noc, struct noc_place from, uint32_t to, uint32_t size)
{
    noc_start(noc, NOC_READS, NOC_READ | NOC_RESPONSE, from, (struct noc_place){noc->self, to}, size, 0);
    noc->expected[NOC_RD_RESP_RECEIVED]++;
}

/* Copies up to 16 KiB from this tile's L1; addresses are the same modulo 16. */
static inline void noc_write(struct noc *noc, uint32_t from, struct noc_place to, uint32_t size)
{
    noc_start(noc, NOC_WRITES, NOC_WRITE | NOC_RESPONSE, (struct noc_place){noc->self, from}, to, size, 0);
    noc->expected[NOC_WR_ACK_RECEIVED]++;
}

/* The corners of a rectangle of tiles, in the direction in which a NoC goes. Corners are x | y << 6. */
static inline uint32_t noc_rectangle(uint32_t number, uint32_t top_left, uint32_t bottom_right)
{
    return number ? bottom_right << 12 | top_left : top_left << 12 | bottom_right;
}

/* Copies up to 16 KiB to all tiles of a rectangle but this one, which are so many. */
static inline void noc_broadcast(struct noc *noc, uint32_t from, struct noc_place to, uint32_t size, uint32_t tiles)
{
    noc_start(noc, NOC_WRITES, NOC_WRITE | NOC_RESPONSE | NOC_BROADCAST, (struct noc_place){noc->self, from}, to, size,
              0);
    noc->expected[NOC_WR_ACK_RECEIVED] += tiles;
}

/* Writes a word to a register, or to L1, of a tile. */
static inline void noc_write_register(struct noc *noc, struct noc_place to, uint32_t value)
{
    noc_start(noc, NOC_REGISTERS, NOC_WRITE | NOC_INLINE | NOC_RESPONSE, to, (struct noc_place){noc->self, 0}, 0xf,
              value);
    noc->expected[NOC_WR_ACK_RECEIVED]++;
}

/* Adds to a word of a tile's L1; its value before comes to the word at `old` in this tile's L1. */
static inline void noc_increment(struct noc *noc, struct noc_place word, uint32_t amount, uint32_t old)
{
    noc_start(noc, NOC_ATOMICS, NOC_ATOMIC | NOC_RESPONSE, word, (struct noc_place){noc->self, old},
              1 << 12 | 31 << 2 | (word.address >> 2 & 3), amount);
    noc->expected[NOC_ATOMIC_RESP_RECEIVED]++;
}

/* Waits until all responses of a kind are here. */
static inline void noc_wait(const struct noc *noc, enum noc_counter counter)
{
    while (noc_counter(noc, counter) != noc->expected[counter]) {
    }
}

#endif
