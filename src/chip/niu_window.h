/* The NIUs of a tile that cannot start requests, as they are visible over the NoC: identification, configuration and
   counters. Source: ISA documentation NoC/MemoryMap.md. */
#ifndef BHEMU_CHIP_NIU_WINDOW_H
#define BHEMU_CHIP_NIU_WINDOW_H

#include <stdint.h>

#include "debug/diagnostic.h"
#include "noc/niu.h"

enum { NIU_WINDOW_SIZE = 0x2000 };

struct niu_window {
    struct niu niu[NIUS];
    uint8_t x, y; /* of NoC 0 */
    uint8_t via;  /* the NoC over which the tile is accessed: it selects the NIU */
    uint32_t endpoint_id;
};

void niu_window_create(struct niu_window *window, unsigned x, unsigned y, uint32_t endpoint_id,
                       const struct noc_translation *translation);

/* NOC_NODE_ID of the NIU of a tile. */
uint32_t niu_node_id(unsigned noc, unsigned x, unsigned y);

/* Accesses to the word at `offset` from NIU_BASE; it is a multiple of 4 below NIU_WINDOW_SIZE. */
enum step niu_window_read(const struct niu_window *window, unsigned noc, uint32_t offset, uint32_t *value,
                          struct diagnostics *diagnostics);
enum step niu_window_write(struct niu_window *window, unsigned noc, uint32_t offset, uint32_t value,
                           struct diagnostics *diagnostics);

/* Whether there is a register at `offset`. */
bool niu_window_has(uint32_t offset);

/* The NIU registers in the address space of a DRAM tile: those of NoC 0 at 0xFFB20000, of NoC 1 at 0xFFB30000, whatever
   the bits above are. false: address is not among them. */
bool niu_window_dram(uint64_t address, unsigned *noc, uint32_t *offset);

/* The NIU registers in the address space of a tile that is neither Tensix, nor Ethernet, nor DRAM: from
   0xFFFFFFFFFF000000 on, or, as the ISA documentation has it, 0xFFFFFFFFFFB20000 or 0xFFFFFFFFFFB30000. false: address
   is not among them. */
bool niu_window_offset(uint64_t address, uint32_t *offset);

#endif
