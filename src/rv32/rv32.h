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
    RV32_SELF_JUMP, /* at an instruction that jumps to itself. It is executed from the instruction cache, whatever L1
                       holds by now: only a reset, an interrupt or rv32_flush_cache() ends this */
    RV32_PAUSED,    /* by a debugger, ebreak or ecall: only a reset or a debugger ends this */
    RV32_LOST,      /* at a PC from which nothing can be fetched: only a reset ends this */
};

/* Writes to x0 go to x[RV32_SINK]; the floating-point registers follow it. */
enum { RV32_SINK = 32, RV32_F0, RV32_REGISTERS = RV32_F0 + 32 };

enum { RV32_HEATS = 16, RV32_WANTS = 8 };

enum { RV32_VECTOR_REGISTERS = 32, RV32_VECTOR_BYTES = 16 };

enum { RV32_WATCHES = 8 };

/* The debug interface of a core (rv32/debug.h). */
struct rv32_debug {
    uint32_t command, argument[2], result;
    uint32_t modes, address[RV32_WATCHES]; /* of breakpoints and watchpoints; modes: four bits for each */
    uint32_t cause;                        /* the reason for the pause: bits of the status register */
    uint32_t reset_pc;                     /* pc at the last reset */
    bool pausing;                          /* when the next instruction has retired */
    bool in_self_jump;                     /* paused in state RV32_SELF_JUMP, and will resume in it */
    bool step_armed;                       /* the first of two step commands was given */
    bool busy, busy_write;                 /* a memory access of the debugger waits */
};

/* State of one core: plain data, a section of the tile's state. */
struct rv32_core {
    uint32_t x[RV32_REGISTERS]; /* x[0] is always 0; x[RV32_F0 + i] is f[i] */
    uint32_t pc;
    uint8_t id;            /* enum bh_core */
    uint8_t halt;          /* enum rv32_halt */
    bool waiting;          /* the last access returned STEP_WAIT, at wait_address */
    uint32_t wait_address; /* INSTRN_BUF_BASE for .ttinsn */
    uint64_t instret;      /* instructions retired since the state was created; not affected by resets and CSR writes */
    uint64_t mcycle_offset, minstret_offset;              /* added to the core's clock and to instret */
    uint8_t v[RV32_VECTOR_REGISTERS * RV32_VECTOR_BYTES]; /* vector registers, of T2 only */
    bool interrupted;                                     /* runs an interrupt handler */
    uint32_t return_pc;                                   /* pc to which mret returns */
    struct rv32_debug debug;
    uint32_t csr[RV32_CSRS]; /* values of the CSRs, by enum rv32_csr; counters are kept above */
};

/* The core's accesses beyond L1 and its local RAM. size is 1, 2 or 4; address is aligned to it. A load of less than
   four bytes returns them zero-extended. push is .ttinsn: a store to INSTRN_BUF_BASE. `instret` and `pc` of the core
   are up to date when these are called, and diagnostics' `now` names the core, the PC and the instruction. They may
   reset the core, or halt it. */
struct rv32_bus {
    void *context;
    enum step (*load)(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value);
    enum step (*store)(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value);
    enum step (*push)(void *context, unsigned core, uint32_t word);
    /* The word of the register at `address`, if it may be accessed directly: a load or store has no side effects, and
       its value stays the same during the core's turn unless the core stores to it. Null: use load and store. May
       itself be null. All such words lie in the object `words`, at the same offset for all cores with the same
       word(). */
    uint32_t *(*word)(void *context, unsigned core, uint32_t address, bool stores);
    void *words;
    /* Address of a register that reads as the low word of the core's clock; the high word is 4 bytes further on, and 8
       bytes further on as of the last load of the low one. 0: none. */
    uint32_t clock_register;
    /* Reads tt_cfg_qstatus, tt_cfg_bstatus, or, for a T core, tt_cfg_sstatus0..7. May be null: a diagnostic. */
    enum step (*status)(void *context, unsigned core, enum rv32_csr csr, uint32_t *value);
};

/* What a core knows of translated code (rv32/translator.h). It does not affect the result of any instruction. */
struct rv32_heat {
    uint32_t sought[RV32_HEATS]; /* by blocks: for which, and among how many translations, it last found none */
    struct rv32_want {
        uint32_t pc, count;
    } wants[RV32_WANTS]; /* pcs at which translated code often returns to the interpreter */
};

/* Words of an NIU that cores access over and over again, which timed mode does without bus.word(): it is as if that had
   returned them. */
struct rv32_niu {
    uint32_t *commands;       /* registers of its initiators; null: none is accessed so */
    const uint32_t *counters; /* loads are noted in `polled`, a bit for each */
    uint64_t *polled;
};

struct rv32_translator;
struct rv32_timing;
struct rv32_shared_timing;

/* A core with everything that it needs to run. Each retired instruction adds one cycle to the core's clock,
   clock->passed[id]. The caller sets diagnostics->now.cycle to the clock at the start of rv32_run(). */
struct rv32 {
    struct rv32_core *core;
    uint8_t *local_ram; /* LOCAL_RAM_SIZE bytes; a T core may use LOCAL_RAM_SIZE_T */
    uint32_t local_ram_size;
    uint32_t l1_size; /* bytes of L1 that the core accesses directly; addresses beyond go to the bus. 0: all */
    struct l1 *l1;
    struct diagnostics *diagnostics;
    struct clock *clock;
    struct rv32_bus bus;
    /* FIFO for .ttinsn and stores to INSTRN_BUF_BASE; a full FIFO, or null, leaves them to bus.push and bus.store. */
    struct instruction_fifo *pushes;
    struct frontend *frontend; /* the same in timed mode: that of a core T's thread; null: all is left to the bus */
    struct frontend_timing *frontend_timing;
    struct rv32_translator *translator; /* null: all is interpreted */
    struct rv32_heat heat;
    struct rv32_timing *timing;               /* null: functional mode */
    struct rv32_shared_timing *shared_timing; /* null: the core contends with no other one */
    struct rv32_niu niu[2];                   /* timed mode */
    uint32_t plain_commands;   /* a bit for each register of an initiator that stores may go to without bus.word() */
    struct observed *observed; /* null: the core is not observed */
    bool flushable;            /* software can flush the instruction cache: stale code gets a diagnostic */
    /* Set by the bus, cleared by rv32_run() at its start: return after this instruction; return before it, with
       STEP_WAIT, since it has to be executed in a later turn, though it waits for nothing. */
    bool yield, put_off;
};

/* Runs at most `budget` instructions. Returns the number retired. It returns early with core->waiting set if the bus
   returned STEP_WAIT; with core->halt set at a jump to itself (which does not count as retired), or if the bus halted
   the core; with diagnostics->stopped set after an error. core->pc is the instruction to execute next, which is the
   waiting one, the jump, or the wrong one in these cases. A halted core does not run. */
uint32_t rv32_run(struct rv32 *rv32, uint32_t budget);

/* The value of a CSR, for a look from outside: without the effects of reading it. false: it is not known without
   them, as that of an overlay stream's register. */
bool rv32_csr_show(struct rv32 *rv32, enum rv32_csr csr, uint32_t *value);

/* Effects of an instruction beyond registers: enough to tell whether a looping core has any effect, or polls for a
   change. */
enum rv32_effect {
    RV32_EFFECT_MEMORY,    /* changed L1 or local RAM at address */
    RV32_EFFECT_BUS_LOAD,  /* loaded from an address beyond L1 and local RAM: may have had side effects */
    RV32_EFFECT_BUS_STORE, /* stored to such an address */
    RV32_EFFECT_PUSH,      /* pushed a Tensix instruction */
    RV32_EFFECT_VECTOR,    /* executed a vector instruction, which may have changed vector registers or memory */
    RV32_EFFECT_CSR, /* executed a CSR instruction; address is the CSR's number. Counting by itself is no effect */
};

/* Callbacks of rv32_run_hooked(); each may be null. */
struct rv32_hooks {
    void *context;
    /* Before each instruction, and again when an instruction that waited is retried. */
    void (*instruction)(void *context, uint32_t pc, uint32_t word);
    /* After each completed access; value: the loaded or stored one; AMO: a load and a store. */
    void (*access)(void *context, bool store, uint32_t address, unsigned size, uint32_t value);
    void (*effect)(void *context, enum rv32_effect effect, uint32_t address);
};

/* rv32_run() with callbacks. The result is the same, but it is slower. */
uint32_t rv32_run_hooked(struct rv32 *rv32, uint32_t budget, const struct rv32_hooks *hooks);

/* Empties the core's instruction cache, as a reset does. The emulated core always fetches the instructions in L1, with
   a diagnostic where the cache may hold others, with one exception: a jump to itself stays cached, since no other
   instruction ever displaces it from the cache. */
void rv32_flush_cache(struct rv32 *rv32);

/* Whether the core is in a jump to itself that has been overwritten in L1. */
bool rv32_in_stale_self_jump(const struct rv32 *rv32);

/* Makes a core, which is neither waiting nor in an interrupt handler, continue at the handler's pc. */
void rv32_interrupt(struct rv32_core *core, uint32_t handler_pc);

/* Resets the core: it will start at `pc`. `id`, `instret` and the debug interface keep their values. */
void rv32_reset(struct rv32_core *core, uint32_t pc);

#endif
