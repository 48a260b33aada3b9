#include "rv32/rv32.h"

#include <string.h>

#include "rv32/execute.h"
#include "rv32/timed.h"
#include "util/bits.h"

void rv32_reset(struct rv32_core *core, uint32_t pc)
{
    *core = (struct rv32_core){
        .pc = pc,
        .id = core->id,
        .instret = core->instret,
        .minstret_offset = -core->instret,
        .debug = core->debug,
    };
    core->debug.reset_pc = pc;
    core->debug.in_self_jump = false;
    for (enum rv32_csr csr = 0; csr < RV32_CSRS; csr++) {
        core->csr[csr] = rv32_csrs[csr].reset;
    }
}

void rv32_interrupt(struct rv32_core *core, uint32_t handler_pc)
{
    core->interrupted = true;
    core->return_pc = core->pc;
    core->csr[RV32_CSR_intp_restore_pc] = core->pc;
    core->pc = handler_pc;
    core->halt = RV32_RUNNING;
}

bool rv32_branches(unsigned op, uint32_t a, uint32_t b)
{
    switch (op) {
    case RV32_OP_BEQ: return a == b;
    case RV32_OP_BNE: return a != b;
    case RV32_OP_BLT: return (int32_t)a < (int32_t)b;
    case RV32_OP_BGE: return (int32_t)a >= (int32_t)b;
    case RV32_OP_BLTU: return a < b;
    case RV32_OP_BGEU: return a >= b;
    default: return false;
    }
}

bool rv32_branch_taken(uint32_t word, const uint32_t *x)
{
    return rv32_branches(rv32_identify(word), x[rv32_rs1(word)], x[rv32_rs2(word)]);
}

void rv32_flush_cache(struct rv32 *rv32)
{
    struct rv32_core *core = rv32->core;
    if (core->halt == RV32_SELF_JUMP) {
        core->halt = RV32_RUNNING;
    }
    core->debug.in_self_jump = false;
    if (rv32->timing) {
        rv32_time_flush(rv32->timing);
    }
    if (rv32->flushable) {
        l1_flush_cache(rv32->l1, core->id);
    }
}

bool rv32_in_stale_self_jump(const struct rv32 *rv32)
{
    uint32_t pc = rv32->core->pc;
    if (rv32->core->halt != RV32_SELF_JUMP) {
        return false;
    }
    uint32_t word = l1_load32(rv32->l1, pc);
    struct rv32_code code = rv32_predecode(word, pc);
    return code.op != RV32_CODE_SELF_JUMP &&
           !(code.op == RV32_CODE_SELF_BRANCH && rv32_branch_taken(word, rv32->core->x));
}

void rv32_attend(struct rv32 *rv32, uint32_t pc, uint64_t instret)
{
    struct diagnostics *diagnostics = rv32->diagnostics;
    rv32->core->pc = pc;
    rv32_retire(rv32, instret);
    diagnostics->now.agent = BH_AGENT_CORE;
    diagnostics->now.index = rv32->core->id;
    diagnostics->now.pc = pc;
    diagnostics->now.instruction = l1_contains(pc, 4) ? l1_load32(rv32->l1, pc) : 0;
}
