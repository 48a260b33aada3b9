/* One baby RISC-V core: RV32IM, Zicsr, Zaamo, Zba, Zbb, its parts of F and Zfh, on T2 of V, and .ttinsn, with the CSRs
   of the ISA documentation.
   Instructions are fetched from L1 only and kept predecoded beside it (memory/l1.h). The core reaches L1 and its own
   local data RAM directly; everything else goes through the bus that its tile gives it.
   Sources: RISC-V Unprivileged ISA; ISA documentation BabyRISCV/README.md, CSRs.md. */
#ifndef BHEMU_RV32_RV32_H
#define BHEMU_RV32_RV32_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "isa/rv32_isa.h"
#include "memory/l1.h"
#include "time/clock.h"

struct instruction_fifo;

#define MEM_LOCAL_BASE 0xFFB00000u
#define INSTRN_BUF_BASE 0xFFE40000u

enum { LOCAL_RAM_SIZE = 8192, LOCAL_RAM_SIZE_T = 4096 };

/* Why a core does not run. */
enum rv32_halt {
    RV32_RUNNING,
    RV32_IN_RESET,  /* held by soft reset */
    RV32_SELF_JUMP, /* at an instruction that jumps to itself, out of its instruction cache, whatever L1 holds by now: a
                       reset, an interrupt, or rv32_flush_cache() gets it going */
    RV32_PAUSED,    /* by a debugger, ebreak or ecall: only a reset, or a debugger, gets it going */
    RV32_LOST,      /* at a PC that nothing can be fetched from: only a reset gets it going */
};

/* x[RV32_SINK] takes what is written to x0; behind it are the floating-point registers. */
enum { RV32_SINK = 32, RV32_F0, RV32_REGISTERS = RV32_F0 + 32 };

enum { RV32_HEATS = 16, RV32_WANTS = 8 };

enum { RV32_VECTOR_REGISTERS = 32, RV32_VECTOR_BYTES = 16 };

enum { RV32_WATCHES = 8 };

/* The debug interface of a core (rv32/debug.h). */
struct rv32_debug {
    uint32_t command, argument[2], result;
    uint32_t modes, address[RV32_WATCHES]; /* of breakpoints and watchpoints, four bits of mode each */
    uint32_t cause;                        /* why the core is paused: bits of the status register */
    uint32_t reset_pc;                     /* where the core started */
    bool pausing;                          /* when the next instruction has retired */
    bool in_self_jump;                     /* paused where it was RV32_SELF_JUMP, which it is again afterwards */
    bool step_armed;                       /* the first of two step commands was given */
    bool busy, busy_write;                 /* an access of the debugger to memory waits */
};

/* State of one core: plain data, a section of the tile's state. */
struct rv32_core {
    uint32_t x[RV32_REGISTERS]; /* x[0] is always 0; x[RV32_F0 + i] is f[i] */
    uint32_t pc;
    uint8_t id;            /* enum bh_core */
    uint8_t halt;          /* enum rv32_halt */
    bool waiting;          /* the last access answered STEP_WAIT; wait_address says to what */
    uint32_t wait_address; /* INSTRN_BUF_BASE for .ttinsn */
    uint64_t instret;      /* instructions retired since the state was made; no reset, no CSR write changes it */
    uint64_t mcycle_offset, minstret_offset;              /* what is added to the core's clock and to instret */
    uint8_t v[RV32_VECTOR_REGISTERS * RV32_VECTOR_BYTES]; /* vector registers, of T2 only */
    bool interrupted;                                     /* runs an interrupt handler */
    uint32_t return_pc;                                   /* where mret goes */
    struct rv32_debug debug;
    uint32_t csr[RV32_CSRS]; /* what the CSRs hold, by enum rv32_csr; counters are above */
};

/* What a core reaches beyond L1 and its local RAM. size is 1, 2 or 4; address is aligned to it. A load of less than
   four bytes returns them zero-extended. push is .ttinsn: a store to INSTRN_BUF_BASE. `instret` and `pc` of the core
   are up to date when these are called, and diagnostics' `now` names the core, the PC and the instruction. They may
   reset the core, or halt it. */
struct rv32_bus {
    void *context;
    enum step (*load)(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value);
    enum step (*store)(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value);
    enum step (*push)(void *context, unsigned core, uint32_t word);
    /* Where the register at `address` lies, if a load or store of a word does nothing but access it, and loads find the
       same until the core's turn ends, unless it stores itself. Null: it may do more. May itself be null. All such
       words are in what `words` points to, and at the same place of it for all cores that have the same word(). */
    uint32_t *(*word)(void *context, unsigned core, uint32_t address, bool stores);
    void *words;
    /* Reads tt_cfg_qstatus, tt_cfg_bstatus, or, for a T core, tt_cfg_sstatus0..7. May be null: a diagnostic. */
    enum step (*status)(void *context, unsigned core, enum rv32_csr csr, uint32_t *value);
};

/* Where a core is often found (rv32/translator.h). Nothing that it executes depends on it. */
struct rv32_heat {
    uint8_t ends[RV32_HEATS]; /* turns that ended in a block of instructions, */
    uint8_t cold[RV32_HEATS]; /* times that it is to be hot before it is looked at, since that was in vain, */
    uint8_t vain[RV32_HEATS]; /* and those that it has been again */
    struct rv32_want {
        uint32_t pc, count;
    } wants[RV32_WANTS]; /* where translated code was left for the interpreter to go on */
    uint32_t patience;   /* counts until something is done about it */
};

struct rv32_translator;

/* What a core is handed to run. An instruction that retires lets a cycle pass on the core's clock, clock->passed[id].
   diagnostics->now.cycle is to be what that shows when rv32_run() starts. */
struct rv32 {
    struct rv32_core *core;
    uint8_t *local_ram; /* LOCAL_RAM_SIZE bytes; a T core has the use of LOCAL_RAM_SIZE_T */
    uint32_t local_ram_size;
    uint32_t l1_size; /* what the core reaches of L1: what is behind goes to the bus; 0: all of it */
    struct l1 *l1;
    struct diagnostics *diagnostics;
    struct clock *clock;
    struct rv32_bus bus;
    /* Where .ttinsn, and a store to INSTRN_BUF_BASE, pushes as long as there is room. Null: bus.push and bus.store have
       a say in it. */
    struct instruction_fifo *pushes;
    struct rv32_translator *translator; /* null: all is interpreted */
    struct rv32_heat heat;
    struct observed *observed; /* null: nobody wants to hear what the core executes */
    bool flushable;            /* software can flush the instruction cache: it is told when it should have */
    bool yield;                /* set by the bus: return after this instruction; rv32_run() clears it when it starts */
};

/* Runs at most `budget` instructions. Returns how many retired. It returns early, with core->waiting set, when the bus
   answers STEP_WAIT; with core->halt set, at a jump to itself (which does not count as retired), or when the bus halted
   the core; with diagnostics->stopped set, when something is wrong. core->pc is the instruction to execute next: the
   one that waits, that jumps to itself, that is wrong. A core that is halted does not run. */
uint32_t rv32_run(struct rv32 *rv32, uint32_t budget);

/* What an instruction did beyond registers: enough to tell whether a core that runs in circles has any effect, or waits
   for something to change. */
enum rv32_effect {
    RV32_EFFECT_MEMORY,    /* changed L1 or local RAM at address */
    RV32_EFFECT_BUS_LOAD,  /* loaded from address beyond L1 and local RAM: may have had side effects */
    RV32_EFFECT_BUS_STORE, /* stored there */
    RV32_EFFECT_PUSH,      /* pushed a Tensix instruction */
    RV32_EFFECT_VECTOR,    /* executed a vector instruction, which may have changed vector registers or memory */
    RV32_EFFECT_CSR,       /* executed a CSR instruction; address is the CSR's number. Counters count by themselves */
};

/* What rv32_run_hooked() tells; each may be null. */
struct rv32_hooks {
    void *context;
    /* Before each instruction, and again when one that waited is tried again. */
    void (*instruction)(void *context, uint32_t pc, uint32_t word);
    /* After each access that happened; store: value is what was stored, AMO: a load and a store. */
    void (*access)(void *context, bool store, uint32_t address, unsigned size, uint32_t value);
    void (*effect)(void *context, enum rv32_effect effect, uint32_t address);
};

/* rv32_run(), told to the hooks. The same in all else, only slower. */
uint32_t rv32_run_hooked(struct rv32 *rv32, uint32_t budget, const struct rv32_hooks *hooks);

/* Empties the core's instruction cache, as happens when it leaves reset, too. In all but one way the emulated core
   fetches what L1 holds, with a diagnostic where the cache may hold something else; but a jump to itself stays: no
   other instruction ever displaces it from the cache. */
void rv32_flush_cache(struct rv32 *rv32);

/* Whether the core is in a jump to itself over which something else was written. */
bool rv32_in_stale_self_jump(const struct rv32 *rv32);

/* Has a core, which is neither waiting nor in an interrupt handler, go on at the handler's pc. */
void rv32_interrupt(struct rv32_core *core, uint32_t handler_pc);

/* Puts the core into the state that it has when it leaves reset at `pc`. `id`, `instret` and the debug interface stay.
 */
void rv32_reset(struct rv32_core *core, uint32_t pc);

#endif
