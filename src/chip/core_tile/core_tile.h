/* What Ethernet and DRAM tiles have in common, and Tensix tiles have otherwise: one or two RISC-V cores without a
   coprocessor, their L1, two NIUs, and tile control. Memory map of the cores, and of the NoC but for the local RAMs:
     0x0000_0000 L1              0xffb0_0000 local RAM, 8 KiB     0xffb1_2000 tile control      0xffb1_4000 reset PCs
     0xffb2_0000 NIU 0           0xffb3_0000 NIU 1
   What else there is the kind of tile says (struct core_tile_kind).
   Sources: ISA documentation EthernetTile/README.md, BabyRISCV/README.md, NoC/MemoryMap.md; tt-exalens eth_block.py,
   dram_block.py (that DRAM tiles have the same tile control and reset PCs). */
#ifndef BHEMU_CHIP_CORE_TILE_CORE_TILE_H
#define BHEMU_CHIP_CORE_TILE_CORE_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "memory/l1.h"
#include "noc/niu.h"
#include "rv32/rv32.h"
#include "tile/spins.h"

enum { CORE_TILE_CORES = 2, CORE_TILE_DEBUG_REGISTERS = 0x24c / 4 };

#define CORE_TILE_DEBUG 0xFFB12000u
#define CORE_TILE_DEBUG_END (CORE_TILE_DEBUG + 4 * CORE_TILE_DEBUG_REGISTERS)
#define CORE_TILE_RESET_PC 0xFFB14000u /* of the first core; that of the other one is so far behind it: */
enum { CORE_TILE_RESET_PC_STRIDE = 8 };
#define CORE_TILE_NIU_0 0xFFB20000u
#define CORE_TILE_NIU_1 0xFFB30000u
#define CORE_TILE_NIUS_END 0xFFB40000u

struct core_tile;
struct noc_payloads;

struct core_tile_kind {
    const char *name;                /* for diagnostics: "an Ethernet tile" */
    uint32_t l1_size;                /* a prefix of L1_SIZE */
    unsigned cores;                  /* the first ones of CORE_TILE_CORES */
    uint8_t core[CORE_TILE_CORES];   /* enum bh_core: what users call them, */
    uint32_t reset[CORE_TILE_CORES]; /* and their bits of SOFT_RESET_0; 0: there is no such core */
    uint32_t more_reset_bits;        /* of SOFT_RESET_0, that do nothing */
    uint32_t type;                   /* NOC_ENDPOINT_ID but for the number of the NoC and the tile's own number */
    bool distant_nius; /* the NIUs are no members of what the tile is a part of: no direct access to their words */
    /* Registers of its own, beyond those above. address is a multiple of 4. */
    enum step (*read)(struct core_tile *tile, uint32_t address, uint32_t *value);
    enum step (*write)(struct core_tile *tile, uint32_t address, uint32_t value);
    /* Whether the NoC may write `value` to one of them: if not, write() refuses it or nothing happens. */
    bool (*takes)(struct core_tile *tile, uint32_t address, uint32_t value);
    bool (*unknown)(uint32_t address);        /* whether no public source says that there is a register */
    const char *(*name_of)(uint32_t address); /* of a register of its own; null: it has none. May itself be null */
    /* A core leaves reset, with its local RAM and caches empty; it has been put into reset. Either may be null. The
       first returns whether the core has something to run. */
    bool (*leaves)(struct core_tile *tile, unsigned core);
    void (*held)(struct core_tile *tile, unsigned core);
    /* Whether the tile can start requests on a NoC: what is wrong, or null. May itself be null. */
    const char *(*starts)(const struct core_tile *tile, unsigned noc);
};

struct core_tile {
    const struct core_tile_kind *kind;
    struct diagnostics diagnostics;
    struct clock clock; /* the device's clock; whoever runs or accesses the tile sets it before */
    unsigned executing; /* the core whose turn it is, plus 1; 0: none's */
    unsigned number;    /* of the tile among those of its kind, as NOC_ENDPOINT_ID has it */
    struct niu *niu;    /* of both NoCs */
    struct noc_outbox outbox;
    struct rv32_core core[CORE_TILE_CORES];
    struct rv32 rv32[CORE_TILE_CORES];
    struct polled polled[CORE_TILE_CORES];
    uint32_t debug[CORE_TILE_DEBUG_REGISTERS], wall_clock_high, debug_capture_next;
    uint32_t reset_pc[CORE_TILE_CORES], end_pc[CORE_TILE_CORES];
    struct observed *observed;     /* null: nobody observes the tile */
    struct noc_payloads *payloads; /* timed mode: of writes that the tile has started; else null */
    struct l1 l1;
    uint8_t local_ram[CORE_TILE_CORES][LOCAL_RAM_SIZE];
    _Alignas(4096) uint8_t l1_bytes[L1_SIZE]; /* the cores may use the first kind->l1_size bytes */
};

/* How many cores the tile has; the bound is for analyzers, which do not know kinds. */
static inline unsigned core_tile_cores(const struct core_tile *tile)
{
    return tile->kind->cores < CORE_TILE_CORES ? tile->kind->cores : CORE_TILE_CORES;
}

/* All cores are in reset. *tile has to be zero. code_room: see l1_connect(). x, y: of NoC 0. */
void core_tile_create(struct core_tile *tile, const struct core_tile_kind *kind, void *code_room, struct niu *niu,
                      unsigned number, unsigned x, unsigned y, enum bh_policy_preset policy);

/* Starts a core at pc, which would return to `back`, with the stack at the end of its local RAM. */
void core_tile_start(struct core_tile *tile, unsigned core, uint32_t pc, uint32_t back);

/* Bits of SOFT_RESET_0 that hold cores. */
uint32_t *core_tile_soft_reset(struct core_tile *tile);

bool core_tile_core_runnable(const struct core_tile *tile, unsigned core);

/* Whether a core has anything to run. */
bool core_tile_active(const struct core_tile *tile);

/* Lets each core retire at most `cycles` instructions. Returns how many were retired in all. *last: the core whose turn
   was last; null: there was none. */
uint64_t core_tile_run(struct core_tile *tile, uint32_t cycles, const struct rv32_core **last);

/* Timed mode: whether an instruction of a core ends behind the turn, in which the core may have retired nothing. */
bool core_tile_ahead(const struct core_tile *tile);

/* Like tile_spins() and tile_explain(); on_trial: in timed mode. */
bool core_tile_spins(struct core_tile *tile, uint64_t *cycles, bool on_trial);
struct waits;
void core_tile_explain(const struct core_tile *tile, struct waits *waits);

/* Instructions that its cores have retired. */
uint64_t core_tile_instructions(const struct core_tile *tile);

/* The time that clocks of the tile show: that of the core whose turn it is, else the device's. */
static inline uint64_t core_tile_now(const struct core_tile *tile)
{
    return tile->executing ? clock_of(&tile->clock, tile->core[tile->executing - 1].id) : tile->clock.now;
}

/* Whether [address, address + size) is in its L1. */
static inline bool core_tile_in_l1(const struct core_tile *tile, uint64_t address, uint32_t size)
{
    return address <= tile->kind->l1_size && size <= tile->kind->l1_size - address;
}

/* Accesses over the NoC. All or nothing. */
enum step core_tile_read(struct core_tile *tile, uint64_t address, void *data, uint32_t size);
enum step core_tile_write(struct core_tile *tile, uint64_t address, const void *data, uint32_t size);

/* One register. address is a multiple of 4, not in L1. */
enum step core_tile_register_read(struct core_tile *tile, uint32_t address, uint32_t *value);
enum step core_tile_register_write(struct core_tile *tile, uint32_t address, uint32_t value);

/* The groups of these registers: tile control and NIUs; offset is from the start of the NIU. */
enum step core_tile_debug_read(struct core_tile *tile, uint32_t address, uint32_t *value);
enum step core_tile_debug_write(struct core_tile *tile, uint32_t address, uint32_t value);
enum step core_tile_niu_read(struct core_tile *tile, unsigned noc, uint32_t offset, uint32_t *value);
enum step core_tile_niu_write(struct core_tile *tile, unsigned noc, uint32_t offset, uint32_t value);
uint32_t *core_tile_niu_word(struct core_tile *tile, unsigned noc, uint32_t offset, bool stores);
bool core_tile_niu_takes(uint32_t offset); /* whether there is one that can be written */

/* Whether no public source says that there is a register at this address in the space of the NIUs. */
bool core_tile_niu_is_unknown(uint32_t address);

/* Diagnoses an access to a register that does not exist or is not emulated. */
enum step core_tile_absent(struct core_tile *tile, const char *what, uint32_t address);

#endif
