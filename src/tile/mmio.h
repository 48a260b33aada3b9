/* The memory map of a tile: finds the handler of an access by its address and agent, with a diagnostic for addresses
   that are not mapped, not for this agent, or not of this size. Made from tables/mmio.def. The same handlers serve the
   RISC-V cores, the coprocessor (LOADREG, STOREREG) and the NoC. Source: ISA documentation BabyRISCV/README.md (memory
   map). */
#ifndef BHEMU_TILE_MMIO_H
#define BHEMU_TILE_MMIO_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/diagnostic.h"
#include "debug/diagnostic.h"

struct tile;

/* The agent of an access: a core (enum bh_core), or one of these. The coprocessor may access the regions that the NoC
   may. */
enum { MMIO_NOC = BH_CORE_COUNT, MMIO_COPROCESSOR, MMIO_AGENTS };

enum mmio_region_index {
#define MMIO_REGION(name, ...) MMIO_##name,
#include "mmio.def"
#undef MMIO_REGION
    MMIO_REGIONS,
    MMIO_UNMAPPED = MMIO_REGIONS
};

/* How wide an access may be. */
enum mmio_width { MMIO_NONE, MMIO_WORD, MMIO_LANES, MMIO_ANY };

struct mmio_access {
    struct tile *tile;
    unsigned agent;
    uint32_t address;
    uint32_t offset; /* from the region's first address on */
    unsigned size;   /* 1, 2 or 4; the address is aligned to it */
    enum mmio_region_index region;
};

struct mmio_region {
    uint32_t first, last;
    uint8_t agents;      /* bit i: agent i may access */
    uint8_t load, store; /* enum mmio_width */
    enum step (*load_handler)(const struct mmio_access *access, uint32_t *value);
    enum step (*store_handler)(const struct mmio_access *access, uint32_t value);
    char name[17], title[65];
};

/* How a register behaves in one direction; see tables/mmio.def. */
enum mmio_kind { MMIO_KIND_NONE, MMIO_KIND_STATE, MMIO_KIND_EFFECT, MMIO_KIND_ABSENT };

struct mmio_register {
    uint32_t address;
    uint8_t load, store; /* enum mmio_kind */
    uint32_t reset;
    char name[61], meaning[81]; /* arrays rather than pointers, which would have to be relocated */
};

/* MMIO_ADDRESS_<name> of every named register. */
enum mmio_addresses {
#define MMIO_REGISTER(address, name, ...) MMIO_ADDRESS_##name = address,
#include "mmio.def"
#undef MMIO_REGISTER
};

/* The region that contains an address, or MMIO_UNMAPPED. L1 is no region. */
enum mmio_region_index mmio_region_at(uint32_t address);
const struct mmio_region *mmio_region(enum mmio_region_index index);

/* The named register at an address, or of which the address is a copy; null if it has no name. */
const struct mmio_register *mmio_register_at(uint32_t address);

/* The same for an access whose region is known. */
const struct mmio_register *mmio_register_of(const struct mmio_access *access);

/* All named registers, in ascending order of their addresses. */
const struct mmio_register *mmio_registers(unsigned *count);

/* The name of a counter of an NIU; null: the register is none. */
const char *mmio_counter_name(uint32_t address);

/* "B", ..., "NoC", "coprocessor" */
const char *mmio_agent_name(unsigned agent);

/* An access of an agent to anything but L1. size is 1, 2 or 4, the address aligned to it. */
enum step mmio_load(struct tile *tile, unsigned agent, uint32_t address, unsigned size, uint32_t *value);
enum step mmio_store(struct tile *tile, unsigned agent, uint32_t address, unsigned size, uint32_t value);

/* Whether mmio_load() or mmio_store() of a word by `agent` would reach the region's handler. */
bool mmio_allows(unsigned agent, uint32_t address, bool store);

#endif
