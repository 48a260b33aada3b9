/* The rare accesses of translated code: to registers, misaligned ones, stores to blocks of L1 that hold code, pushes
   into a full FIFO. They do the same as the interpreter's macros LOAD and STORE, and as its .ttinsn. */
#include "rv32/translate.h"

#include "tensix/frontend/fifo.h"

static uint64_t ended(uint32_t pc, uint32_t left, unsigned how)
{
    return (uint64_t)left << 32 | pc | how;
}

/* The word of a register that a load or store of a word may access directly. */
static uint32_t *register_at(const struct rv32 *rv32, uint32_t address, bool stores)
{
    return address % 4 == 0 && rv32->bus.word ? rv32->bus.word(rv32->bus.context, rv32->core->id, address, stores)
                                              : NULL;
}

static enum step load(struct rv32 *rv32, const struct rv32_code *code, uint32_t pc, uint64_t instret, uint32_t *acted)
{
    uint32_t *x = rv32->core->x, address = x[code->rs1] + (uint32_t)code->immediate, value;
    unsigned size = code->op == RV32_OP_LW ? 4 : code->op == RV32_OP_LH || code->op == RV32_OP_LHU ? 2 : 1;
    const uint32_t *place = size == 4 ? register_at(rv32, address, false) : NULL;
    if (place) {
        x[code->rd] = *place;
        return STEP_DONE;
    }
    *acted = 1;
    rv32_attend(rv32, pc, instret);
    enum step step = rv32_load_elsewhere(rv32, address, size, &value);
    if (step == STEP_DONE) {
        x[code->rd] = code->op == RV32_OP_LB   ? (uint32_t)(int8_t)value
                      : code->op == RV32_OP_LH ? (uint32_t)(int16_t)value
                                               : value;
    }
    return step;
}

static enum step store(struct rv32 *rv32, const struct rv32_code *code, uint32_t pc, uint64_t instret)
{
    const uint32_t *x = rv32->core->x;
    uint32_t address = x[code->rs1] + (uint32_t)code->immediate, value = x[code->rs2];
    unsigned size = code->op == RV32_OP_SW ? 4 : code->op == RV32_OP_SH ? 2 : 1;
    if (size == 4 && address == INSTRN_BUF_BASE && rv32->pushes && fifo_push(rv32->pushes, value, pc)) {
        return STEP_DONE;
    }
    uint32_t *place = size == 4 ? register_at(rv32, address, true) : NULL;
    if (place) {
        *place = value;
        return STEP_DONE;
    }
    rv32_attend(rv32, pc, instret);
    value &= size == 4 ? UINT32_MAX : (1u << 8 * size) - 1;
    return rv32_store_elsewhere(rv32, address, size, value);
}

static enum step push(struct rv32 *rv32, uint32_t word, uint32_t pc, uint64_t instret)
{
    if (rv32->pushes && fifo_push(rv32->pushes, word, pc)) {
        return STEP_DONE;
    }
    rv32_attend(rv32, pc, instret);
    return rv32_push(rv32, word);
}

uint64_t translated_access(struct translated_context *context, uint32_t pc, uint32_t left)
{
    struct rv32 *rv32 = context->rv32;
    const struct l1 *l1 = rv32->l1;
    uint32_t forgotten = l1->forgotten;
    uint64_t instret = context->instret_at_end - left;
    struct rv32_code code;
    memcpy(&code, &l1->code[pc / 4], sizeof code);
    code.op = rv32_op_of(code.op);
    enum step step = code.op == RV32_CODE_TTINSN ? push(rv32, (uint32_t)code.immediate, pc, instret)
                     : code.op >= RV32_OP_SB     ? store(rv32, &code, pc, instret)
                                                 : load(rv32, &code, pc, instret, &context->acted);
    if (step != STEP_DONE) {
        return ended(pc, left, TRANSLATED_WAITS);
    }
    if (rv32->core->halt != RV32_RUNNING || rv32->yield || rv32->diagnostics->stopped) {
        return ended(pc, left, TRANSLATED_YIELDS);
    }
    return l1->forgotten == forgotten ? 0 : ended(pc + 4, left - 1, 0);
}
