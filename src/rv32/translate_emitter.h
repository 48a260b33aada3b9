/* What the files that translate instructions share: where registers are, and what is emitted later. Nobody else
   includes this. */
#ifndef BHEMU_RV32_TRANSLATE_EMITTER_H
#define BHEMU_RV32_TRANSLATE_EMITTER_H

#include "jit/x86.h"
#include "rv32/translate.h"

/* Registers of the host. What the core has in x1..x31 is in `homes`, or in memory at X; the upper halves of homes are
   always zero. On the stack is the rest of the context. */
static const enum x86_register X = X86_RBX, BYTES = X86_RBP /* of L1 */, LEFT = X86_R13, SCRATCH = X86_RAX,
                               SCRATCH_2 = X86_RCX, SCRATCH_3 = X86_RDX;
enum { NOWHERE = X86_REGISTERS };

/* What is on the stack, from its top on, of struct translated_context. */
enum emitter_stacked {
    STACK_RAM,
    STACK_RAM_LIMITS, /* two of them */
    STACK_RAM_LIMITS_2,
    STACK_CODE_BLOCKS,
    STACK_PUSHES,
    STACK_ENTRIES,
    STACK_PLACES,
    STACK_ROOM,
    STACK_WORDS,
    STACK_CONTEXT,
    STACKED, /* with `kept` and a return address an odd number of words: what is called within calls wants that */
};

static inline struct x86_operand emitter_on_stack(enum emitter_stacked index)
{
    return x86_at(X86_RSP, (int32_t)(index * sizeof(uint64_t)));
}

/* What an access has been tried at, in vain. */
enum tried { TRIED_WORD, TRIED_L1, TRIED_RAM };

/* What is emitted behind the region, because it is rare. */
struct aside {
    enum aside_kind {
        ASIDE_LEAVES,   /* for the interpreter to go on */
        ASIDE_OTHER,    /* accesses the memory that was not tried first */
        ASIDE_ACCESSES, /* calls translated_access() */
        ASIDE_LOOKS,    /* skips rounds of a loop */
    } kind;
    uint32_t jump;   /* where it comes from */
    uint32_t pc;     /* of the instruction */
    uint32_t word;   /* its index in the region */
    uint32_t resume; /* where it goes on */
    uint8_t returns; /* instructions of the block that have not been executed, but counted */
    uint8_t tried;   /* enum tried */
};

enum { ASIDES = 6 * REGION_WORDS, JUMPS = 6 * REGION_WORDS, RETURNS = 4 };

struct emitter {
    struct evex_code *code;
    const struct translate_shared *shared;
    const struct region *region;
    const struct rv32 *rv32;
    uint8_t home[RV32_SINK];  /* of x1..x31; NOWHERE: memory */
    uint32_t written;         /* of x1..x31 */
    uint32_t spill;           /* where registers go back to memory, and then the code is left */
    uint32_t spill_dispatch;  /* the same for other translated code */
    uint32_t access;          /* calls translated_access(); the pc is in SCRATCH, what is left in SCRATCH_2 */
    uint32_t word, remaining; /* being translated, and how many of its block are left with it */
    uint32_t block;           /* the first word of its block */
    uint32_t label[REGION_WORDS];
    uint32_t asides, jumps;
    struct aside aside[ASIDES];
    struct {
        uint32_t jump, word;
    } jump[JUMPS];                           /* ahead, within the region */
    uint32_t returns[RETURNS], return_count; /* where calls within the region return to */
};

/* Where what the core has in a register is. Of x0 nothing is anywhere. */
struct x86_operand emitter_operand(const struct emitter *emitter, unsigned reg);

/* Its home, or NOWHERE. */
static inline unsigned emitter_home(const struct emitter *emitter, unsigned reg)
{
    return reg < RV32_SINK ? emitter->home[reg] : NOWHERE;
}

/* to = what the core has in a register */
void emitter_fetch(struct emitter *emitter, enum x86_register to, unsigned reg);

/* The register's home, or `scratch` with what is in it. */
enum x86_register emitter_fetched(struct emitter *emitter, unsigned reg, enum x86_register scratch);

/* Where to compute what goes to register rd; emitter_store() afterwards. */
static inline enum x86_register emitter_result(const struct emitter *emitter, unsigned rd)
{
    unsigned home = emitter_home(emitter, rd);
    return home != NOWHERE ? (enum x86_register)home : SCRATCH;
}

void emitter_store(struct emitter *emitter, unsigned rd, enum x86_register from);

/* Something to be emitted later; code->full when there is no room for it. */
void emitter_later(struct emitter *emitter, const struct aside *aside);

/* The code is left where the jump lands, before the instruction being translated. */
void emitter_leave_at(struct emitter *emitter, uint32_t jump);

/* The instruction being translated, an access, is done by translated_access() where the jump lands. It goes on where
   emitter_resume() is called, for all since there were `asides`. */
void emitter_access_at(struct emitter *emitter, uint32_t jump);
void emitter_resume(struct emitter *emitter, uint32_t asides, uint32_t resume);

/* Compares two registers. */
void emitter_compare(struct emitter *emitter, unsigned rs1, unsigned rs2);

/* A jump ahead that is taken when the address in SCRATCH is misaligned or not below the limit. SCRATCH_2 is lost. */
uint32_t emitter_check(struct emitter *emitter, uint32_t limit, uint8_t size);

/* Instructions of REGION_NEXT: those whose result goes to a register; loads and stores; .ttinsn. */
void emitter_arithmetic(struct emitter *emitter, const struct rv32_code *code);
void emitter_access(struct emitter *emitter, const struct rv32_code *code);
void emitter_push(struct emitter *emitter, uint32_t word, uint32_t pc);

/* The access to the memory that was not tried first. */
void emitter_other_access(struct emitter *emitter, const struct aside *aside);

#endif
