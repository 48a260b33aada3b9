/* The interpreter in timed mode where it executes .ttinsn in a row: of cores whose FIFO is full, so that their turns
   are short, and beginning one would take longer than the turn itself (rows pushed_* of `make bench`). */
#include "rv32/execute.h"

#define RV32_TIMED
enum { HOOKED = 0 };
#include "rv32/execute_macros.h"

bool rv32_only_pushes(const struct rv32 *rv32)
{
    const struct rv32_code *code = (const struct rv32_code *)rv32->l1->code + rv32->core->pc / 4;
    if (rv32->core->pc >= L1_SIZE - 4 * TIMING_RV32_FUSED_PUSHES) {
        return false;
    }
    for (unsigned i = 0; i <= TIMING_RV32_FUSED_PUSHES; i++) {
        if (code[i].op != RV32_CODE_TTINSN) {
            return false;
        }
    }
    return true;
}

uint32_t rv32_run_pushes(struct rv32 *rv32, struct rv32_turn *turn)
{
    struct rv32_core *core = rv32->core;
    struct rv32_code *code = (struct rv32_code *)rv32->l1->code, *ip = code + core->pc / 4;
    uint64_t instret = core->instret;
    TIMES();
    uint32_t left = budget;
    core->waiting = false;
    for (;; ip++, left--) {
        FETCH();
        ENTER_PUSH();
        if (!PUSHES((uint32_t)ip->immediate)) {
            core->waiting = true;
            core->wait_address = INSTRN_BUF_BASE;
            goto out_of_time;
        }
        PUSHED();
    }
out_of_time:
    now = at;
    core->pc = PC;
    RETIRE();
    return budget - left;
}
