/* Shared by the files that translate instructions: the allocation of registers, and code emitted out of line. Not to
   be included by others. */
#ifndef BHEMU_RV32_TRANSLATE_EMITTER_H
#define BHEMU_RV32_TRANSLATE_EMITTER_H

#include "jit/x86.h"
#include "rv32/translate.h"

/* Registers of the host. The core's x1..x31 are in their `home` register, or in memory at X; the upper halves of home
   registers are always zero. The other values of the context are on the stack. */
static const enum x86_register X = X86_RBX, BYTES = X86_RBP /* BYTES: of L1 */, LEFT = X86_R13, SCRATCH = X86_RAX,
                               SCRATCH_2 = X86_RCX, SCRATCH_3 = X86_RDX;
enum { NOWHERE = X86_REGISTERS };

/* Values of struct translated_context on the stack, from its top on. */
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
    STACKED, /* odd, together with `kept` and a return address: keeps the stack aligned in calls */
};

static inline struct x86_operand emitter_on_stack(enum emitter_stacked index)
{
    return x86_at(X86_RSP, (int32_t)(index * sizeof(uint64_t)));
}

/* Memories that the inline part of an access has tried without success. */
enum tried { TRIED_WORD, TRIED_L1, TRIED_RAM };

/* Rare code, emitted out of line after the region. */
struct aside {
    enum aside_kind {
        ASIDE_LEAVES,   /* for the interpreter to go on */
        ASIDE_OTHER,    /* accesses the memory that was not tried inline */
        ASIDE_ACCESSES, /* calls translated_access() */
        ASIDE_LOOKS,    /* skips iterations of a polling loop */
        ASIDE_GOES,     /* jumps to somewhere outside the region */
        ASIDE_PUSHES,   /* pushes one by one what was to be pushed at once */
        ASIDE_WRAPS,    /* the same where the FIFO has room, but at its end and its beginning */
    } kind;
    uint32_t jump;   /* the jump that leads here */
    uint32_t pc;     /* of the instruction */
    uint32_t word;   /* its index in the region */
    uint32_t resume; /* where it returns to */
    uint8_t returns; /* instructions of the block that were counted but not executed */
    uint8_t tried;   /* enum tried */
    uint8_t pushes;
};

enum { ASIDES = 6 * REGION_WORDS, JUMPS = 6 * REGION_WORDS };

struct emitter {
    struct evex_code *code;
    const struct translate_shared *shared;
    const struct region *region;
    const struct rv32 *rv32;
    uint8_t home[RV32_SINK];  /* host registers of x1..x31; NOWHERE: in memory */
    uint32_t written;         /* of x1..x31 */
    uint32_t spill;           /* stores registers to memory and leaves the code */
    uint32_t spill_dispatch;  /* stores registers and continues with other translated code */
    uint32_t access;          /* calls translated_access() with the pc in SCRATCH and `left` in SCRATCH_2 */
    uint32_t word, remaining; /* the instruction being translated, and how many of its block are left including it */
    uint32_t block;           /* the first word of its block */
    uint32_t label[REGION_WORDS];
    uint32_t asides, jumps;
    struct aside aside[ASIDES];
    struct {
        uint32_t jump, word;
    } jump[JUMPS]; /* ahead, within the region */
    /* Where indirect jumps within the region go: the code for the words from its first one on, as offsets in the code
       buffer, 0 where no block begins. */
    uint32_t table, table_words;
};

/* The place of a register of the core; x0 has none. */
struct x86_operand emitter_operand(const struct emitter *emitter, unsigned reg);

/* Its home, or NOWHERE. */
static inline unsigned emitter_home(const struct emitter *emitter, unsigned reg)
{
    return reg < RV32_SINK ? emitter->home[reg] : NOWHERE;
}

/* Loads a register of the core to `to`. */
void emitter_fetch(struct emitter *emitter, enum x86_register to, unsigned reg);

/* The register's home, or `scratch` after loading it there. */
enum x86_register emitter_fetched(struct emitter *emitter, unsigned reg, enum x86_register scratch);

/* The host register in which to compute the value of rd; call emitter_store() afterwards. */
static inline enum x86_register emitter_result(const struct emitter *emitter, unsigned rd)
{
    unsigned home = emitter_home(emitter, rd);
    return home != NOWHERE ? (enum x86_register)home : SCRATCH;
}

void emitter_store(struct emitter *emitter, unsigned rd, enum x86_register from);

/* Adds out-of-line code; sets code->full when there is no room for it. */
void emitter_later(struct emitter *emitter, const struct aside *aside);

/* Emits out of line, as the jump's target: leave the code before the current instruction. */
void emitter_leave_at(struct emitter *emitter, uint32_t jump);

/* Emits out of line, as the jump's target: translated_access() executes the current access. It returns to the place
   where emitter_resume() is called, which serves all asides added since there were `asides`. */
void emitter_access_at(struct emitter *emitter, uint32_t jump);
void emitter_resume(struct emitter *emitter, uint32_t asides, uint32_t resume);

/* Compares two registers. */
void emitter_compare(struct emitter *emitter, unsigned rs1, unsigned rs2);

/* Emits a check of the address in SCRATCH: the returned forward jump is taken if it is misaligned or not below the
   limit. Overwrites SCRATCH_2. */
uint32_t emitter_check(struct emitter *emitter, uint32_t limit, uint8_t size);

/* Instructions of flow REGION_NEXT: those whose result goes to a register; loads and stores; .ttinsn. */
void emitter_arithmetic(struct emitter *emitter, const struct rv32_code *code);
void emitter_access(struct emitter *emitter, const struct rv32_code *code);
void emitter_push(struct emitter *emitter, uint32_t word, uint32_t pc);

/* `count` .ttinsn in a row, from the current instruction on, at once if the FIFO has room for them (rows pushed_* of
   the benchmark); `count` is no more than EMITTER_PUSHES. */
enum { EMITTER_PUSHES = 8 };
void emitter_pushes(struct emitter *emitter, uint32_t count);

/* Emit, out of line, the same one by one, and at the FIFO's end and its beginning. */
void emitter_push_each(struct emitter *emitter, const struct aside *aside);
void emitter_push_round(struct emitter *emitter, const struct aside *aside);

/* Emits, out of line, the access to the memory that was not tried inline. */
void emitter_other_access(struct emitter *emitter, const struct aside *aside);

#endif
