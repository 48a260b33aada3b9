/* Shared by the parts of the RISC-V core: the form of predecoded instructions, and the functions for rare cases that
   the interpreter's loop (execute.inc) calls. Not to be included by others. */
#ifndef BHEMU_RV32_EXECUTE_H
#define BHEMU_RV32_EXECUTE_H

#include "rv32/rv32.h"
#include "tensix/frontend/fifo.h"

/* A predecoded instruction; L1 keeps one for each of its words. op 0: not predecoded yet. */
struct rv32_code {
    uint8_t op;        /* enum rv32_op or enum rv32_code_op: selects the handler. L1_ENTRY may be added */
    uint8_t rd;        /* index into x[]: RV32_SINK for x0, from RV32_F0 on for flw and flh */
    uint8_t rs1, rs2;  /* rs2 likewise for fsw and fsh; all three likewise in instructions of F */
    int32_t immediate; /* jumps: the distance in instructions; lui, auipc: the result; .ttinsn: the Tensix word;
                          CSR instructions: enum rv32_csr; F: the rounding mode, and behind it the index of the third
                          source; else as the instruction has it */
};

enum { RV32_THIRD_SOURCE = 8, RV32_ROUNDING = 7 };

_Static_assert(sizeof(struct rv32_code) == sizeof(uint64_t), "one entry of struct l1's code");

/* Handlers besides those of enum rv32_op. They take the numbers from RV32_OP_FLH on, whose instructions have no
   handlers of their own. */
enum rv32_code_op {
    RV32_CODE_ODD = RV32_OP_FENCE_I, /* instructions that get a diagnostic */
    RV32_CODE_HALF = RV32_OP_FLH,    /* instructions of Zfh that neither load nor store */
    RV32_CODE_VECTOR,
    RV32_CODE_TTINSN,
    RV32_CODE_FLH,         /* loads a half; the other loads and stores of F and Zfh use the handlers of integers */
    RV32_CODE_SELF_JUMP,   /* jal x0, . */
    RV32_CODE_SELF_BRANCH, /* a branch to itself: once taken, the core stays there for ever */
    RV32_CODE_FAR,         /* a jump or branch to a target that is no address of an instruction */
    RV32_CODE_BEQ_BACK,    /* backward branches and jumps that may close a polling loop: these */
    RV32_CODE_BNE_BACK,    /* are replaced by the plain ones once the loop turns out to do more */
    RV32_CODE_BLT_BACK,
    RV32_CODE_BGE_BACK,
    RV32_CODE_BLTU_BACK,
    RV32_CODE_BGEU_BACK,
    RV32_CODE_JUMP_BACK,
    RV32_CODES
};

_Static_assert((int)RV32_CODES <= (int)L1_ENTRY && (L1_REWRITTEN & ~L1_ENTRY) >= RV32_CODE_BEQ_BACK,
               "op is one byte, with a bit for entries, of which none is a jump that may be looked at");

/* The op without L1_ENTRY. */
static inline uint8_t rv32_op_of(uint8_t op)
{
    return op == L1_REWRITTEN ? op : op & (uint8_t)~L1_ENTRY;
}

/* The predecoded form of `word` at `pc`. */
struct rv32_code rv32_predecode(uint32_t word, uint32_t pc);

/* The plain handler of a branch or jump back. */
static inline uint8_t rv32_plain_op(uint8_t op)
{
    return (uint8_t)(op == RV32_CODE_JUMP_BACK ? RV32_OP_JAL : RV32_OP_BEQ + (op - RV32_CODE_BEQ_BACK));
}

_Static_assert(RV32_OP_BGEU - RV32_OP_BEQ == (int)RV32_CODE_BGEU_BACK - (int)RV32_CODE_BEQ_BACK, "the same order");

/* Whether two sets of integer registers are equal: a few vector instructions of the host. */
static inline bool rv32_same_registers(const uint32_t *a, const uint32_t *b)
{
    uint32_t different = 0;
    for (unsigned i = 0; i < RV32_SINK; i++) {
        different |= a[i] ^ b[i];
    }
    return different == 0;
}

/* Updates the count of retired instructions to `instret`, and the clock by one cycle for each. */
static inline void rv32_retire(struct rv32 *rv32, uint64_t instret)
{
    struct rv32_core *core = rv32->core;
    clock_pass(rv32->clock, core->id, instret - core->instret);
    core->instret = instret;
}

/* The interpreter with hooks; observers are not told. */
uint32_t rv32_interpret_hooked(struct rv32 *rv32, uint32_t budget, const struct rv32_hooks *hooks);

/* rv32_run_hooked() for a core with observers; `also` may be null. */
uint32_t rv32_run_observed(struct rv32 *rv32, uint32_t budget, const struct rv32_hooks *also);

/* Tells observers of an access by the current instruction. `data`: the bytes. */
void rv32_tell_access(struct rv32 *rv32, bool store, uint32_t address, unsigned size, const void *data);

/* Brings the core's pc and instret up to date before a function is called: it executes the instruction at `pc`, and
   has retired `instret` instructions before. */
void rv32_attend(struct rv32 *rv32, uint32_t pc, uint64_t instret);

static inline uint32_t rv32_l1_size(const struct rv32 *rv32)
{
    return rv32->l1_size ? rv32->l1_size : L1_SIZE;
}

/* Accesses that are misaligned, or neither to L1 nor to the core's local RAM. */
enum step rv32_load_elsewhere(struct rv32 *rv32, uint32_t address, unsigned size, uint32_t *value);
enum step rv32_store_elsewhere(struct rv32 *rv32, uint32_t address, unsigned size, uint32_t value);

/* An atomic instruction whose address is misaligned or not in L1. STEP_DONE: it has no effect. */
enum step rv32_amo_elsewhere(struct rv32 *rv32, uint32_t address);

/* .ttinsn */
enum step rv32_push(struct rv32 *rv32, uint32_t word);

/* Reads a CSR, unless `value` is null; writes it. */
enum step rv32_csr_read(struct rv32 *rv32, enum rv32_csr csr, uint32_t *value);
enum step rv32_csr_write(struct rv32 *rv32, enum rv32_csr csr, uint32_t value);

/* Jumps to a target that is misaligned or outside L1. STEP_DONE: core->pc is the next pc, or the core is halted as
   lost. */
enum step rv32_jump_nowhere(struct rv32 *rv32, uint32_t target);

/* Fetches `code` from core->pc, whose entry in L1's code marks a rewritten instruction. */
enum step rv32_fetch_rewritten(struct rv32 *rv32, struct rv32_code mark, struct rv32_code code);

/* Fetches from core->pc beyond the end of L1. */
enum step rv32_fetch_nothing(struct rv32 *rv32);

/* Executes instructions that get a diagnostic. STEP_DONE: it acts as a no-operation, or halted the core. */
enum step rv32_odd(struct rv32 *rv32);

/* Executes the instructions of F and Zfh except loads and stores. */
enum step rv32_float(struct rv32 *rv32, enum rv32_op op);

/* Returns from an interrupt handler: core->pc becomes the return address. */
enum step rv32_mret(struct rv32 *rv32);

/* Executes vector instructions; on cores other than T2 a diagnostic. */
enum step rv32_vector(struct rv32 *rv32, enum rv32_op op);

/* Whether the branch instruction `word` is taken. */
bool rv32_branch_taken(uint32_t word, const uint32_t *x);

/* Whether a branch that compares a and b is taken; of other instructions: false. */
bool rv32_branches(unsigned op, uint32_t a, uint32_t b);

#endif
