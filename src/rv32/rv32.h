/* One baby RISC-V core: RV32IM, Zicsr, Zaamo, Zba, Zbb and .ttinsn, with the CSRs of the ISA documentation.
   Instructions are fetched from L1 only and kept predecoded beside it (memory/l1.h). The core reaches L1 and its own
   local data RAM directly; everything else goes through the bus that its tile gives it.
   Source: ISA documentation BabyRISCV/README.md, InstructionSet.md, CSRs.md. */
#ifndef BHEMU_RV32_RV32_H
#define BHEMU_RV32_RV32_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "memory/l1.h"

enum { MEM_LOCAL_BASE = 0xFFB00000, LOCAL_RAM_SIZE = 8192, LOCAL_RAM_SIZE_T = 4096, INSTRN_BUF_BASE = 0xFFE40000 };

/* Why a core does not run. */
enum rv32_halt {
    RV32_RUNNING,
    RV32_IN_RESET,  /* held by soft reset */
    RV32_SELF_JUMP, /* at an instruction that jumps to itself: only a reset, or a write to that word, gets it going */
};

/* State of one core: plain data, a section of the tile's state. */
struct rv32_core {
    uint32_t x[32];
    uint32_t pc;
    uint8_t id;            /* enum bh_core */
    uint8_t halt;          /* enum rv32_halt */
    bool waiting;          /* the last access answered STEP_WAIT; wait_address says to what */
    uint32_t wait_address;
    uint64_t instret;      /* instructions retired */
    uint32_t csr[16];      /* what the CSRs hold, in the order of tables/rv32.def */
};

/* What a core reaches beyond L1 and its local RAM. size is 1, 2 or 4; address is aligned to it. A load of less than four
   bytes returns them zero-extended. push is .ttinsn: a store to INSTRN_BUF_BASE. `instret` of the core is up to date
   when these are called, and diagnostics' `now` names the core, the PC and the instruction. */
struct rv32_bus {
    void *context;
    enum step (*load)(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value);
    enum step (*store)(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value);
    enum step (*push)(void *context, unsigned core, uint32_t word);
};

/* What a core is handed to run. */
struct rv32 {
    struct rv32_core *core;
    uint8_t *local_ram;       /* LOCAL_RAM_SIZE bytes; a T core has the use of LOCAL_RAM_SIZE_T */
    uint32_t local_ram_size;
    struct l1 *l1;
    struct diagnostics *diagnostics;
    struct rv32_bus bus;
};

/* Runs at most `budget` instructions. Returns how many retired. It returns early, with core->waiting set, when the bus
   answers STEP_WAIT; with core->halt set, at a jump to itself; with diagnostics->stopped set, when something is wrong. */
uint32_t rv32_run(struct rv32 *rv32, uint32_t budget);

/* Puts the core into the state that it has when it leaves reset at `pc`. */
void rv32_reset(struct rv32_core *core, uint32_t pc);

#endif
