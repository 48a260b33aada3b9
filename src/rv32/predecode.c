#include "rv32/execute.h"

enum { LONGEST_LOOK = 64 }; /* the longest loop, in instructions, that is checked for polling */

/* A jump by `distance` bytes from `pc`: converted to instructions if the target is a word of L1, else RV32_CODE_FAR. */
static struct rv32_code predecode_jump(struct rv32_code code, uint32_t pc, int32_t distance)
{
    uint32_t target = pc + (uint32_t)distance;
    if (target >= L1_SIZE || target % 4) {
        code.op = RV32_CODE_FAR;
    } else if (distance < 0 && distance >= -4 * LONGEST_LOOK) {
        code.op = code.op != RV32_OP_JAL ? (uint8_t)(RV32_CODE_BEQ_BACK + (code.op - RV32_OP_BEQ))
                  : code.rd == RV32_SINK ? (uint8_t)RV32_CODE_JUMP_BACK
                                         : code.op;
    }
    code.immediate = distance / 4;
    return code;
}

/* An arithmetic instruction of F: registers are indices into x[]; the immediate holds the rounding mode and the third
   source. */
static struct rv32_code predecode_float(struct rv32_code code, enum rv32_format format, uint32_t word)
{
    bool to_x = format == RV32_FORMAT_FCMP || format == RV32_FORMAT_FTOX;
    code.rd = (uint8_t)(to_x ? code.rd : RV32_F0 + rv32_rd(word));
    code.rs1 = (uint8_t)(format == RV32_FORMAT_XTOF ? code.rs1 : RV32_F0 + code.rs1);
    code.rs2 = (uint8_t)(RV32_F0 + code.rs2);
    code.immediate = (int32_t)((word >> 12 & 7) | (RV32_F0 + (word >> 27)) << RV32_THIRD_SOURCE);
    return code;
}

struct rv32_code rv32_predecode(uint32_t word, uint32_t pc)
{
    enum rv32_op op = rv32_identify(word);
    enum rv32_format format = (enum rv32_format)rv32_instructions[op].format;
    int32_t immediate = rv32_immediate(format, word);
    struct rv32_code code = {
        .op = (uint8_t)op,
        .rd = (uint8_t)(rv32_rd(word) ? rv32_rd(word) : RV32_SINK),
        .rs1 = (uint8_t)rv32_rs1(word),
        .rs2 = (uint8_t)rv32_rs2(word),
        .immediate = immediate,
    };
    switch (op) {
    case RV32_OP_NONE:
    case RV32_OP_ECALL:
    case RV32_OP_EBREAK:
    case RV32_OP_FENCE_I: code.op = RV32_CODE_ODD; break;
    case RV32_OP_TTINSN:
        code.op = RV32_CODE_TTINSN;
        code.immediate = (int32_t)(word >> 2 | word << 30);
        break;
    case RV32_OP_AUIPC:
        code.op = RV32_OP_LUI;
        code.immediate = (int32_t)(pc + (uint32_t)immediate);
        break;
    case RV32_OP_JAL:
        if (immediate == 0 && rv32_rd(word) == 0) {
            code.op = RV32_CODE_SELF_JUMP;
            break;
        }
        return predecode_jump(code, pc, immediate);
    case RV32_OP_BEQ:
    case RV32_OP_BNE:
    case RV32_OP_BLT:
    case RV32_OP_BGE:
    case RV32_OP_BLTU:
    case RV32_OP_BGEU:
        if (immediate == 0) {
            code.op = RV32_CODE_SELF_BRANCH;
            break;
        }
        return predecode_jump(code, pc, immediate);
    case RV32_OP_CSRRW:
    case RV32_OP_CSRRS:
    case RV32_OP_CSRRC:
    case RV32_OP_CSRRWI:
    case RV32_OP_CSRRSI:
    case RV32_OP_CSRRCI:
        code.immediate = (int32_t)rv32_find_csr((unsigned)immediate);
        if (code.immediate == RV32_CSRS) {
            code.op = RV32_CODE_ODD;
        }
        break;
    case RV32_OP_FLW:
    case RV32_OP_FLH:
        code.op = op == RV32_OP_FLW ? RV32_OP_LW : (uint8_t)RV32_CODE_FLH;
        code.rd = (uint8_t)(RV32_F0 + rv32_rd(word));
        break;
    case RV32_OP_FSW:
    case RV32_OP_FSH:
        code.op = op == RV32_OP_FSW ? RV32_OP_SW : RV32_OP_SH;
        code.rs2 = (uint8_t)(RV32_F0 + rv32_rs2(word));
        break;
    default:
        switch (rv32_instructions[op].extension) {
        case RV32_F: return predecode_float(code, format, word);
        case RV32_ZFH:
            code = predecode_float(code, format, word);
            code.op = RV32_CODE_HALF;
            code.immediate = (int32_t)op;
            break;
        case RV32_V:
            code.op = RV32_CODE_VECTOR;
            code.immediate = (int32_t)op;
            break;
        default: break;
        }
        break;
    }
    return code;
}
