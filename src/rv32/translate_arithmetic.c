#include "rv32/translate_emitter.h"

/* rd = rs1 operation rs2 */
static void sum(struct emitter *emitter, uint32_t operation, const struct rv32_code *code)
{
    unsigned a = code->rs1, b = code->rs2, home = emitter_home(emitter, code->rd);
    bool commutes = operation != X86_SUB;
    if (commutes && b && home != NOWHERE && home == emitter_home(emitter, b)) {
        a = code->rs2;
        b = code->rs1;
    }
    enum x86_register to = emitter_result(emitter, code->rd);
    if (a != b && home != NOWHERE && home == emitter_home(emitter, b)) {
        to = SCRATCH;
    }
    emitter_fetch(emitter, to, a);
    if (b) {
        x86_emit(emitter->code, operation, to, emitter_operand(emitter, b));
    } else if (operation == X86_AND || operation == X86_MULTIPLY) {
        x86_emit_constant(emitter->code, x86_in(to), 0);
    }
    emitter_store(emitter, code->rd, to);
}

static void sum_immediate(struct emitter *emitter, uint32_t operation, const struct rv32_code *code)
{
    enum x86_register to = emitter_result(emitter, code->rd);
    unsigned from = emitter_home(emitter, code->rs1);
    if (code->rs1 == 0) {
        x86_emit_constant(emitter->code, x86_in(to), operation == X86_AND ? 0 : (uint32_t)code->immediate);
    } else if (operation == X86_ADD && from != NOWHERE && from != to) {
        x86_emit(emitter->code, X86_ADDRESS, to, x86_at((enum x86_register)from, code->immediate));
    } else {
        emitter_fetch(emitter, to, code->rs1);
        if (code->immediate != 0 || operation == X86_AND) {
            x86_emit_immediate(emitter->code, operation, x86_in(to), code->immediate);
        }
    }
    emitter_store(emitter, code->rd, to);
}

static void shift(struct emitter *emitter, enum x86_shift shift, const struct rv32_code *code)
{
    enum x86_register to = emitter_result(emitter, code->rd), count = emitter_fetched(emitter, code->rs2, SCRATCH_2);
    if (code->rs1) {
        x86_emit_shift_by(emitter->code, shift, to, emitter_operand(emitter, code->rs1), count);
    } else {
        x86_emit_constant(emitter->code, x86_in(to), 0);
    }
    emitter_store(emitter, code->rd, to);
}

static void shift_immediate(struct emitter *emitter, enum x86_shift shift, const struct rv32_code *code)
{
    enum x86_register to = emitter_result(emitter, code->rd);
    emitter_fetch(emitter, to, code->rs1);
    x86_emit_shift(emitter->code, shift, to, (uint8_t)(code->immediate & 31));
    emitter_store(emitter, code->rd, to);
}

static void rotate(struct emitter *emitter, enum x86_shift shift, const struct rv32_code *code)
{
    emitter_fetch(emitter, SCRATCH_2, code->rs2);
    emitter_fetch(emitter, SCRATCH, code->rs1);
    x86_emit_shift_by_cl(emitter->code, shift, SCRATCH);
    emitter_store(emitter, code->rd, SCRATCH);
}

void emitter_compare(struct emitter *emitter, unsigned rs1, unsigned rs2)
{
    enum x86_register a = emitter_fetched(emitter, rs1, SCRATCH);
    if (rs2 == 0) {
        x86_emit(emitter->code, X86_TEST, a, x86_in(a));
    } else {
        x86_emit(emitter->code, X86_COMPARE, a, emitter_operand(emitter, rs2));
    }
}

/* rd = the condition of the comparison just made */
static void set(struct emitter *emitter, enum x86_condition condition, unsigned rd)
{
    enum x86_register to = emitter_result(emitter, rd);
    x86_emit_set(emitter->code, condition, SCRATCH);
    x86_emit(emitter->code, X86_LOAD_BYTE, to, x86_in(SCRATCH));
    emitter_store(emitter, rd, to);
}

static void set_immediate(struct emitter *emitter, enum x86_condition condition, const struct rv32_code *code)
{
    enum x86_register a = emitter_fetched(emitter, code->rs1, SCRATCH);
    x86_emit_immediate(emitter->code, X86_COMPARE, x86_in(a), code->immediate);
    set(emitter, condition, code->rd);
}

/* rd = (rs1 << count) + rs2 */
static void shifted_sum(struct emitter *emitter, uint8_t count, const struct rv32_code *code)
{
    enum x86_register to = emitter_result(emitter, code->rd);
    enum x86_register a = emitter_fetched(emitter, code->rs1, SCRATCH),
                      b = emitter_fetched(emitter, code->rs2, SCRATCH_2);
    x86_emit(emitter->code, X86_ADDRESS, to, x86_at_sum(b, a, count, 0));
    emitter_store(emitter, code->rd, to);
}

/* rd = rs1 or rs2: the one for which the comparison with the other holds. */
static void choose(struct emitter *emitter, enum x86_condition other, const struct rv32_code *code)
{
    emitter_fetch(emitter, SCRATCH, code->rs1);
    enum x86_register b = emitter_fetched(emitter, code->rs2, SCRATCH_2);
    x86_emit(emitter->code, X86_COMPARE, SCRATCH, x86_in(b));
    x86_emit(emitter->code, X86_MOVE_IF + other, SCRATCH, x86_in(b));
    emitter_store(emitter, code->rd, SCRATCH);
}

/* rd = operation(rs1), where the operand may be in memory or in a register. */
static void unary(struct emitter *emitter, uint32_t operation, const struct rv32_code *code)
{
    enum x86_register to = emitter_result(emitter, code->rd), from = emitter_fetched(emitter, code->rs1, SCRATCH);
    x86_emit(emitter->code, operation, to, x86_in(from));
    emitter_store(emitter, code->rd, to);
}

/* rd = ~rs2 & rs1; complement: an operand or the result is inverted. */
static void and_not(struct emitter *emitter, const struct rv32_code *code)
{
    enum x86_register to = emitter_result(emitter, code->rd);
    enum x86_register a = emitter_fetched(emitter, code->rs1, SCRATCH),
                      b = emitter_fetched(emitter, code->rs2, SCRATCH_2);
    x86_emit_and_not(emitter->code, to, b, x86_in(a));
    emitter_store(emitter, code->rd, to);
}

/* rd = rs1 operation ~rs2 */
static void with_complement(struct emitter *emitter, uint32_t operation, const struct rv32_code *code)
{
    emitter_fetch(emitter, SCRATCH, code->rs2);
    x86_emit_unary(emitter->code, X86_NOT, SCRATCH);
    x86_emit(emitter->code, operation, SCRATCH, x86_in(emitter_fetched(emitter, code->rs1, SCRATCH_2)));
    emitter_store(emitter, code->rd, SCRATCH);
}

/* rd = the upper half of rs1 * rs2 */
static void multiply_high(struct emitter *emitter, bool signed_a, bool signed_b, const struct rv32_code *code)
{
    enum x86_register a = emitter_fetched(emitter, code->rs1, SCRATCH),
                      b = emitter_fetched(emitter, code->rs2, SCRATCH_2);
    x86_emit_wide(emitter->code, signed_b ? X86_LOAD_SIGNED_WORD : X86_LOAD, SCRATCH_2, x86_in(b));
    x86_emit_wide(emitter->code, signed_a ? X86_LOAD_SIGNED_WORD : X86_LOAD, SCRATCH, x86_in(a));
    x86_emit_wide(emitter->code, X86_MULTIPLY, SCRATCH, x86_in(SCRATCH_2));
    x86_emit_shift_wide(emitter->code, X86_SHIFT_RIGHT, SCRATCH, 32);
    emitter_store(emitter, code->rd, SCRATCH);
}

/* rd = rs1 / rs2, or the remainder. Division by zero: all ones, and rs1. By -1: -rs1, and 0, since the host faults on
   -2^31 / -1. */
static void divide(struct emitter *emitter, bool is_signed, bool remainder, const struct rv32_code *code)
{
    struct evex_code *to = emitter->code;
    emitter_fetch(emitter, SCRATCH_2, code->rs2);
    emitter_fetch(emitter, SCRATCH, code->rs1);
    x86_emit(to, X86_TEST, SCRATCH_2, x86_in(SCRATCH_2));
    uint32_t by_zero = x86_emit_jump_ahead(to, X86_EQUAL), by_minus_one = 0, done[2];
    if (is_signed) {
        x86_emit_immediate(to, X86_COMPARE, x86_in(SCRATCH_2), -1);
        by_minus_one = x86_emit_jump_ahead(to, X86_EQUAL);
        x86_emit(to, X86_LOAD, X86_RDX, x86_in(X86_RAX));
        x86_emit_shift(to, X86_SHIFT_SIGNED, X86_RDX, 31);
    } else {
        x86_emit_constant(to, x86_in(X86_RDX), 0);
    }
    x86_emit_unary(to, is_signed ? X86_DIVIDE_SIGNED : X86_DIVIDE, SCRATCH_2);
    if (remainder) {
        x86_emit(to, X86_LOAD, SCRATCH, x86_in(X86_RDX));
    }
    done[0] = x86_emit_jump_ahead(to, X86_ALWAYS);
    done[1] = 0;
    if (is_signed) {
        x86_land(to, by_minus_one);
        if (remainder) {
            x86_emit_constant(to, x86_in(SCRATCH), 0);
        } else {
            x86_emit_unary(to, X86_NEGATE, SCRATCH);
        }
        done[1] = x86_emit_jump_ahead(to, X86_ALWAYS);
    }
    x86_land(to, by_zero);
    if (!remainder) {
        x86_emit_constant(to, x86_in(SCRATCH), UINT32_MAX);
    }
    x86_land(to, done[0]);
    if (is_signed) {
        x86_land(to, done[1]);
    }
    emitter_store(emitter, code->rd, SCRATCH);
}

static void pack(struct emitter *emitter, const struct rv32_code *code)
{
    emitter_fetch(emitter, SCRATCH_2, code->rs2);
    emitter_fetch(emitter, SCRATCH, code->rs1);
    x86_emit_shift(emitter->code, X86_SHIFT_LEFT, SCRATCH_2, 16);
    x86_emit(emitter->code, X86_LOAD_HALF, SCRATCH, x86_in(SCRATCH));
    x86_emit(emitter->code, X86_OR, SCRATCH, x86_in(SCRATCH_2));
    emitter_store(emitter, code->rd, SCRATCH);
}

void emitter_arithmetic(struct emitter *emitter, const struct rv32_code *code)
{
    if (code->rd == RV32_SINK) {
        return;
    }
    switch (code->op) {
    case RV32_OP_LUI:
        x86_emit_constant(emitter->code, emitter_operand(emitter, code->rd), (uint32_t)code->immediate);
        break;
    case RV32_OP_ADDI: sum_immediate(emitter, X86_ADD, code); break;
    case RV32_OP_XORI: sum_immediate(emitter, X86_XOR, code); break;
    case RV32_OP_ORI: sum_immediate(emitter, X86_OR, code); break;
    case RV32_OP_ANDI: sum_immediate(emitter, X86_AND, code); break;
    case RV32_OP_SLTI: set_immediate(emitter, X86_LESS, code); break;
    case RV32_OP_SLTIU: set_immediate(emitter, X86_BELOW, code); break;
    case RV32_OP_SLLI: shift_immediate(emitter, X86_SHIFT_LEFT, code); break;
    case RV32_OP_SRLI: shift_immediate(emitter, X86_SHIFT_RIGHT, code); break;
    case RV32_OP_SRAI: shift_immediate(emitter, X86_SHIFT_SIGNED, code); break;
    case RV32_OP_RORI: shift_immediate(emitter, X86_ROTATE_RIGHT, code); break;
    case RV32_OP_ADD: sum(emitter, X86_ADD, code); break;
    case RV32_OP_SUB: sum(emitter, X86_SUB, code); break;
    case RV32_OP_XOR: sum(emitter, X86_XOR, code); break;
    case RV32_OP_OR: sum(emitter, X86_OR, code); break;
    case RV32_OP_AND: sum(emitter, X86_AND, code); break;
    case RV32_OP_MUL: sum(emitter, X86_MULTIPLY, code); break;
    case RV32_OP_SLL: shift(emitter, X86_SHIFT_LEFT, code); break;
    case RV32_OP_SRL: shift(emitter, X86_SHIFT_RIGHT, code); break;
    case RV32_OP_SRA: shift(emitter, X86_SHIFT_SIGNED, code); break;
    case RV32_OP_ROL: rotate(emitter, X86_ROTATE_LEFT, code); break;
    case RV32_OP_ROR: rotate(emitter, X86_ROTATE_RIGHT, code); break;
    case RV32_OP_SLT:
        emitter_compare(emitter, code->rs1, code->rs2);
        set(emitter, X86_LESS, code->rd);
        break;
    case RV32_OP_SLTU:
        emitter_compare(emitter, code->rs1, code->rs2);
        set(emitter, X86_BELOW, code->rd);
        break;
    case RV32_OP_MULH: multiply_high(emitter, true, true, code); break;
    case RV32_OP_MULHSU: multiply_high(emitter, true, false, code); break;
    case RV32_OP_MULHU: multiply_high(emitter, false, false, code); break;
    case RV32_OP_DIV: divide(emitter, true, false, code); break;
    case RV32_OP_DIVU: divide(emitter, false, false, code); break;
    case RV32_OP_REM: divide(emitter, true, true, code); break;
    case RV32_OP_REMU: divide(emitter, false, true, code); break;
    case RV32_OP_SH1ADD: shifted_sum(emitter, 1, code); break;
    case RV32_OP_SH2ADD: shifted_sum(emitter, 2, code); break;
    case RV32_OP_SH3ADD: shifted_sum(emitter, 3, code); break;
    case RV32_OP_ANDN: and_not(emitter, code); break;
    case RV32_OP_ORN: with_complement(emitter, X86_OR, code); break;
    case RV32_OP_XNOR: with_complement(emitter, X86_XOR, code); break;
    case RV32_OP_MIN: choose(emitter, X86_NOT_LESS, code); break;
    case RV32_OP_MINU: choose(emitter, X86_NOT_BELOW, code); break;
    case RV32_OP_MAX: choose(emitter, X86_LESS, code); break;
    case RV32_OP_MAXU: choose(emitter, X86_BELOW, code); break;
    case RV32_OP_CLZ: unary(emitter, X86_LEADING_ZEROS, code); break;
    case RV32_OP_CTZ: unary(emitter, X86_TRAILING_ZEROS, code); break;
    case RV32_OP_CPOP: unary(emitter, X86_POPULATION, code); break;
    case RV32_OP_SEXT_B: unary(emitter, X86_LOAD_SIGNED_BYTE, code); break;
    case RV32_OP_SEXT_H: unary(emitter, X86_LOAD_SIGNED_HALF, code); break;
    case RV32_OP_ZEXT_H: unary(emitter, X86_LOAD_HALF, code); break;
    case RV32_OP_REV8:
        emitter_fetch(emitter, SCRATCH, code->rs1);
        x86_emit_swap_bytes(emitter->code, SCRATCH);
        emitter_store(emitter, code->rd, SCRATCH);
        break;
    case RV32_OP_PACK: pack(emitter, code); break;
    default: emitter->code->full = true; break; /* region.c has nothing else */
    }
}
