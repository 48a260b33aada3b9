/* Rare cases that the interpreter's loop leaves to functions: accesses beyond L1 and local RAM, and errors. The cores
   can not fault: where other cores would trap, they execute the instruction in some way (ISA documentation, WormholeB0
   BabyRISCV/README.md, "Faults / exceptions"). Here it gets a diagnostic, and if the policy continues, the same
   effect: misaligned accesses are rounded down except stores to L1, unknown instructions are no-operations. */
#include "rv32/debug.h"
#include "rv32/execute.h"

/* Rounds a misaligned address down, with a diagnostic. */
static enum step align(struct rv32 *rv32, const char *access, uint32_t *address, unsigned size)
{
    uint32_t aligned = *address & ~(size - 1);
    if (aligned == *address) {
        return STEP_DONE;
    }
    enum step step =
        diagnose(rv32->diagnostics, BH_NON_CONTRACTUAL,
                 "misaligned %s of %u bytes at 0x%08x: the hardware accesses 0x%08x instead; use an address "
                 "that is a multiple of %u",
                 access, size, *address, aligned, size);
    *address = aligned;
    return step;
}

/* The byte at an aligned address in the memories that the core accesses directly, or null. */
static uint8_t *direct(const struct rv32 *rv32, uint32_t address)
{
    if (address < rv32_l1_size(rv32)) {
        return l1_direct(rv32->l1) + address;
    }
    uint32_t offset = address - MEM_LOCAL_BASE;
    return offset < rv32->local_ram_size ? rv32->local_ram + offset : NULL;
}

/* A misaligned store to L1. Each byte lane of the bus carries the byte of the datum that an aligned store would place
   there; the addressed bytes are written from their lanes, up to the end of a line of 16 bytes (Blackhole, as the
   tests of tt-exalens found it: test_l1_mem_access). */
static enum step store_misaligned(struct rv32 *rv32, uint32_t address, unsigned size, uint32_t value)
{
    enum { LINE = 16 };
    uint32_t in_line = LINE - address % LINE, count = size < in_line ? size : in_line;
    if (diagnose(
            rv32->diagnostics, BH_NON_CONTRACTUAL,
            "misaligned store of %u bytes at 0x%08x: the hardware writes them in another order, %u of them; use an "
            "address that is a multiple of %u",
            size, address, count, size) == STEP_STOP) {
        return STEP_STOP;
    }
    for (uint32_t at = address; at < address + count; at++) {
        l1_direct(rv32->l1)[at] = (uint8_t)(value >> at % size * 8);
    }
    l1_written(rv32->l1, address, count);
    return STEP_DONE;
}

static enum step waits(struct rv32 *rv32, uint32_t address, enum step step)
{
    if (step == STEP_WAIT && !rv32->put_off) {
        rv32->core->waiting = true;
        rv32->core->wait_address = address;
    }
    return step;
}

enum step rv32_load_elsewhere(struct rv32 *rv32, uint32_t address, unsigned size, uint32_t *value)
{
    *value = 0;
    if (align(rv32, "load", &address, size) == STEP_STOP) {
        return STEP_STOP;
    }
    const uint8_t *bytes = direct(rv32, address);
    if (bytes) {
        memcpy(value, bytes, size);
        return STEP_DONE;
    }
    return waits(rv32, address, rv32->bus.load(rv32->bus.context, rv32->core->id, address, size, value));
}

enum step rv32_store_elsewhere(struct rv32 *rv32, uint32_t address, unsigned size, uint32_t value)
{
    if (address < rv32_l1_size(rv32) && address % size) {
        return store_misaligned(rv32, address, size, value);
    }
    if (align(rv32, "store", &address, size) == STEP_STOP) {
        return STEP_STOP;
    }
    uint8_t *bytes = direct(rv32, address);
    if (bytes) {
        memcpy(bytes, &value, size);
        if (address < L1_SIZE) {
            l1_written(rv32->l1, address, size);
        }
        return STEP_DONE;
    }
    return waits(rv32, address, rv32->bus.store(rv32->bus.context, rv32->core->id, address, size, value));
}

enum step rv32_amo_elsewhere(struct rv32 *rv32, uint32_t address)
{
    if (address % 4) {
        return diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "atomic access at 0x%08x is misaligned: its address must be a multiple of 4", address);
    }
    return diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "atomic access at 0x%08x: atomics reach L1 only (0x00000000 to 0x%08x)", address,
                    rv32_l1_size(rv32) - 1);
}

enum step rv32_push(struct rv32 *rv32, uint32_t word)
{
    return waits(rv32, INSTRN_BUF_BASE, rv32->bus.push(rv32->bus.context, rv32->core->id, word));
}

enum step rv32_jump_nowhere(struct rv32 *rv32, uint32_t target)
{
    enum step step;
    if (target >= L1_SIZE) {
        step = diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "jump into nothing: 0x%08x is outside L1 (0x00000000 to 0x%08x), and instructions come from L1 "
                        "only; is a return address or function pointer overwritten?",
                        target, L1_SIZE - 1);
    } else {
        step = diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "jump to 0x%08x: instructions are words, and start at multiples of 4", target);
    }
    if (step == STEP_DONE) {
        rv32->core->pc = target & ~3u;
        rv32->core->halt = target >= L1_SIZE ? RV32_LOST : RV32_RUNNING;
    }
    return step;
}

enum step rv32_fetch_rewritten(struct rv32 *rv32, struct rv32_code mark, struct rv32_code code)
{
    uint64_t marked, fetched;
    memcpy(&marked, &mark, sizeof marked);
    memcpy(&fetched, &code, sizeof fetched);
    unsigned cache = rv32->core->id;
    if (!rv32->flushable || !l1_is_stale(rv32->l1, cache, marked, fetched)) {
        return STEP_DONE;
    }
    if (code.op >= RV32_CODE_BEQ_BACK &&
        code.op <= RV32_CODE_JUMP_BACK) { /* its handler may have been replaced by the plain one */
        code.op = rv32_plain_op(code.op);
        memcpy(&fetched, &code, sizeof fetched);
        if (!l1_is_stale(rv32->l1, cache, marked, fetched)) {
            return STEP_DONE;
        }
    }
    l1_flush_cache(rv32->l1, cache); /* one diagnostic covers everything rewritten until now */
    return diagnose(rv32->diagnostics, BH_NON_CONTRACTUAL,
                    "executes what was written over instructions that core %s had fetched, and that its instruction "
                    "cache may still hold: a write to RISCV_IC_INVALIDATE_InvalidateAll, or a reset of the core, has "
                    "to come in between",
                    bh_core_name((enum bh_core)rv32->core->id));
}

enum step rv32_fetch_nothing(struct rv32 *rv32)
{
    enum step step = diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR,
                              "ran into nothing: execution came to the end of L1, 0x%08x; is a jump missing?", L1_SIZE);
    if (step == STEP_DONE) {
        rv32->core->halt = RV32_LOST;
    }
    return step;
}

enum step rv32_mret(struct rv32 *rv32)
{
    struct rv32_core *core = rv32->core;
    enum step step = STEP_DONE;
    if (core->id != BH_CORE_B && core->id != BH_CORE_NC) {
        step = diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR, "mret: only B and NC take interrupts");
    } else if (!core->interrupted) {
        step = diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR, "mret: core %s is not in an interrupt handler",
                        bh_core_name((enum bh_core)core->id));
    } else {
        core->interrupted = false;
        core->pc = core->return_pc;
        rv32->yield = true; /* the next interrupt may be pending already: the caller has to check */
        return STEP_DONE;
    }
    core->pc += step == STEP_DONE ? 4 : 0;
    return step;
}

/* Pauses the core. Without a debugger it gets a diagnostic: otherwise a host that polls for the core's result would
   never learn that it is paused. */
static enum step pause_at(struct rv32 *rv32, const char *instruction)
{
    struct rv32_core *core = rv32->core;
    enum step step = STEP_DONE;
    if (!rv32_debug_attached(core)) {
        step = diagnose(rv32->diagnostics, BH_NON_CONTRACTUAL,
                        "%s: the core pauses here until a debugger resumes it or it is reset; no debugger has asked "
                        "for that by slow execution mode, a breakpoint or a watchpoint",
                        instruction);
    }
    if (step == STEP_DONE) {
        rv32_debug_break(core);
    }
    return step;
}

enum step rv32_odd(struct rv32 *rv32)
{
    uint32_t word = rv32->diagnostics->now.instruction;
    enum rv32_op op = rv32_identify(word);
    const struct rv32_instruction *instruction = &rv32_instructions[op];

    if (op == RV32_OP_ECALL || op == RV32_OP_EBREAK) {
        return pause_at(rv32, instruction->name);
    }
    if (op == RV32_OP_FENCE_I) {
        return diagnose(rv32->diagnostics, BH_NON_CONTRACTUAL,
                        "fence.i does nothing here: the core has no Zifencei; the instruction cache is flushed by "
                        "RISCV_IC_INVALIDATE_InvalidateAll");
    }
    if (instruction->format == RV32_FORMAT_CSR || instruction->format == RV32_FORMAT_CSRI) {
        return diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s: there is no CSR 0x%03x", instruction->name,
                        word >> 20);
    }
    return diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "0x%08x is no instruction of this core; is the PC in data, or the program built for more than "
                    "rv32im_zicsr_zaamo_zba_zbb with parts of f and zfh?",
                    word);
}
