#include "check/decoded.h"

#include "isa/rv32_isa.h"

enum { LOAD = 0x03, FLOAD = 0x07, STORE = 0x23, FSTORE = 0x27, AMO = 0x2f, BRANCH = 0x63 }; /* major opcodes */
enum { ALL = UINT8_MAX };

/* The registers that an instruction reads, as far as loads are concerned: instructions of the vector and floating-point
   units read others. */
static uint32_t reads_x(enum rv32_format format, uint32_t word)
{
    uint32_t first = 1u << rv32_rs1(word), both = first | 1u << rv32_rs2(word);
    switch (format) {
    case RV32_FORMAT_R:
    case RV32_FORMAT_B:
    case RV32_FORMAT_STORE:
    case RV32_FORMAT_AMO: return both;
    case RV32_FORMAT_UNARY:
    case RV32_FORMAT_I:
    case RV32_FORMAT_SHIFT:
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_LOAD:
    case RV32_FORMAT_FLOAD:
    case RV32_FORMAT_FSTORE:
    case RV32_FORMAT_XTOF:
    case RV32_FORMAT_CSR: return first;
    default: return 0;
    }
}

static bool writes_x(enum rv32_format format)
{
    switch (format) {
    case RV32_FORMAT_NONE:
    case RV32_FORMAT_B:
    case RV32_FORMAT_STORE:
    case RV32_FORMAT_FENCE:
    case RV32_FORMAT_FENCE_I:
    case RV32_FORMAT_FLOAD:
    case RV32_FORMAT_FSTORE:
    case RV32_FORMAT_FR:
    case RV32_FORMAT_FR4:
    case RV32_FORMAT_FUNARY:
    case RV32_FORMAT_XTOF:
    case RV32_FORMAT_VECTOR: return false;
    default: return true;
    }
}

static void find_sources(struct check_decoded *decoded, enum rv32_format format)
{
    switch (format) {
    case RV32_FORMAT_R:
        decoded->taint.first = decoded->taint.second = ALL;
        decoded->asked = decoded->taint;
        break;
    case RV32_FORMAT_B:
        decoded->taint.first = decoded->taint.second = ALL;
        decoded->looks = decoded->taint;
        break;
    case RV32_FORMAT_UNARY:
    case RV32_FORMAT_I:
    case RV32_FORMAT_SHIFT: decoded->taint.first = decoded->asked.first = ALL; break;
    case RV32_FORMAT_STORE: decoded->uses.first = decoded->uses.second = decoded->looks.second = ALL; break;
    case RV32_FORMAT_LOAD: decoded->uses.first = ALL; break;
    case RV32_FORMAT_AMO: decoded->looks.second = ALL; break;
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_CSR:
    case RV32_FORMAT_XTOF:
    case RV32_FORMAT_VECTOR: decoded->looks.first = ALL; break;
    default: break;
    }
}

/* Of an instruction that accesses no memory. */
static enum check_computes computes(enum rv32_op op, uint32_t word)
{
    switch (word & 0x7f) {
    case LOAD:
    case AMO:
    case FLOAD:
    case STORE:
    case FSTORE:
    case BRANCH: return COMPUTES_NOTHING;
    default: break;
    }
    if (!rv32_rd(word)) {
        return COMPUTES_NOTHING;
    }
    switch (op) {
    case RV32_OP_ADDI: return COMPUTES_FIRST;
    case RV32_OP_SLLI:
    case RV32_OP_SRLI: return COMPUTES_UNITS;
    case RV32_OP_ADD: return COMPUTES_SUM;
    case RV32_OP_SH1ADD:
    case RV32_OP_SH2ADD:
    case RV32_OP_SH3ADD: return COMPUTES_SECOND;
    case RV32_OP_SUB: return COMPUTES_DIFFERENCE;
    default: return COMPUTES_OTHER;
    }
}

void check_decode(struct check_decoded *decoded, uint32_t word)
{
    *decoded = (struct check_decoded){.word = word};
    if ((word & 3) != 3) {
        return;
    }
    enum rv32_op op = rv32_identify(word);
    enum rv32_format format = (enum rv32_format)rv32_instructions[op].format;
    decoded->rd = (uint8_t)rv32_rd(word);
    decoded->rs1 = (uint8_t)rv32_rs1(word);
    decoded->rs2 = (uint8_t)rv32_rs2(word);
    decoded->reads = reads_x(format, word);
    decoded->writes = writes_x(format) ? 1u << decoded->rd : 0;
    decoded->fence = op == RV32_OP_FENCE;
    decoded->answered = format == RV32_FORMAT_FENCE || format == RV32_FORMAT_AMO;
    decoded->jumps = format == RV32_FORMAT_B || format == RV32_FORMAT_J;
    decoded->distance = decoded->jumps ? rv32_immediate(format, word) : 0;
    decoded->computes = (uint8_t)computes(op, word);
    find_sources(decoded, format);
}
