/* The instructions of F and Zfh, except loads and stores, which are those of integers (predecode.c). Source: ISA
   documentation, BabyRISCV/InstructionSet.md: rounding is always to nearest even, whatever the instruction or fcsr
   request; BF16 rounds as cfg0 selects. Halves are NaN-boxed, as Zfh specifies. */
#include "rv32/execute.h"
#include "rv32/float.h"

enum { CFG0_EN_BFLOAT = 1 << 30, BOX = 0xffff0000, ROUNDING_DYNAMIC = 7 };
enum { FCSR_ROUNDING = 5 };

static const char *const rounding_names[8] = {
    "to nearest even", "towards zero", "down", "up", "to nearest, ties away", "reserved", "reserved", "dynamic",
};

/* An instruction during its execution. */
struct operation {
    struct rv32 *rv32;
    const struct rv32_instruction *instruction;
    uint32_t word;
    struct float_format format;
    bool unboxed; /* an operand is not NaN-boxed as a half should be */
    uint32_t flags;
};

static struct float_format half_format(const struct rv32_core *core)
{
    uint32_t cfg0 = core->csr[RV32_CSR_cfg0];
    return !(cfg0 & CFG0_EN_BFLOAT) ? float_half : cfg0 >> 31 ? float_bf16_nearest : float_bf16;
}

/* A floating-point register, in the format of the instruction. */
static uint32_t operand_as(struct operation *operation, unsigned index, struct float_format format)
{
    uint32_t value = operation->rv32->core->x[RV32_F0 + index];
    if (format.mantissa_bits == float_single.mantissa_bits) {
        return value;
    }
    if ((value & BOX) != BOX) {
        operation->unboxed = true;
        return float_nan(format);
    }
    return value & ~(uint32_t)BOX;
}

static uint32_t operand(struct operation *operation, unsigned index)
{
    return operand_as(operation, index, operation->format);
}

static uint32_t boxed(struct float_format format, uint32_t value)
{
    return format.mantissa_bits == float_single.mantissa_bits ? value : BOX | value;
}

/* fs1 * fs2 + fs3, with their signs inverted by these masks. The documentation only says that the hardware's result
   lies between that of one rounding and that of two: where these agree the result is certain, otherwise there is a
   diagnostic. */
static enum step multiply_add(struct operation *operation, bool negate_product, bool negate_addend, uint32_t *result)
{
    struct float_format format = operation->format;
    uint32_t sign = float_sign(format), unused = 0;
    uint32_t a = operand(operation, rv32_rs1(operation->word)) ^ (negate_product ? sign : 0);
    uint32_t b = operand(operation, rv32_rs2(operation->word));
    uint32_t c = operand(operation, operation->word >> 27) ^ (negate_addend ? sign : 0);
    *result = float_multiply_add(format, a, b, c, &operation->flags);
    if (format.mantissa_bits == float_single.mantissa_bits ||
        *result == float_add(format, float_multiply(format, a, b, &unused), c, &unused)) {
        return STEP_DONE;
    }
    return diagnose(operation->rv32->diagnostics, BH_UNPREDICTABLE_VALUE,
                    "%s: the hardware's result is between that of one rounding, 0x%04x, which is taken here, and that "
                    "of a multiplication and an addition; use fmul.h and fadd.h",
                    operation->instruction->name, *result);
}

/* fd = fs1 with the sign of `signs` */
static uint32_t with_sign(struct operation *operation, uint32_t signs)
{
    uint32_t sign = float_sign(operation->format);
    return (operand(operation, rv32_rs1(operation->word)) & (sign - 1)) | (signs & sign);
}

/* Converts between formats; the documentation does not mention denormals here. */
static enum step convert(struct operation *operation, struct float_format from, struct float_format to,
                         uint32_t *result)
{
    uint32_t a = operand_as(operation, rv32_rs1(operation->word), from);
    bool denormal = !(a & float_infinity(from)) && (a & (float_sign(from) - 1));
    *result = float_convert(from, to, a, &operation->flags);
    if (!denormal && !(operation->flags & FLOAT_UNDERFLOW)) {
        return STEP_DONE;
    }
    return diagnose(operation->rv32->diagnostics, BH_UNPREDICTABLE_VALUE,
                    "%s of a denormal, or to one: taken as zero, as in arithmetic", operation->instruction->name);
}

/* Computes the result; *to_x: it goes to an integer register. */
static enum step compute(struct operation *operation, enum rv32_op op, uint32_t *result, bool *to_x)
{
    uint32_t *flags = &operation->flags;
    struct float_format format = operation->format;
    enum float_rounding rounding = (enum float_rounding)format.rounding;
    unsigned rs1 = rv32_rs1(operation->word), rs2 = rv32_rs2(operation->word);
    const uint32_t *x = operation->rv32->core->x;
#define A operand(operation, rs1)
#define B operand(operation, rs2)
#define BOTH(name) RV32_OP_##name##_S : case RV32_OP_##name##_H
    *to_x = operation->instruction->format == RV32_FORMAT_FCMP || operation->instruction->format == RV32_FORMAT_FTOX;
    switch (op) {
    case BOTH(FMADD): return multiply_add(operation, false, false, result);
    case BOTH(FMSUB): return multiply_add(operation, false, true, result);
    case BOTH(FNMSUB): return multiply_add(operation, true, false, result);
    case BOTH(FNMADD): return multiply_add(operation, true, true, result);
    case BOTH(FADD): *result = float_add(format, A, B, flags); break;
    case BOTH(FSUB): *result = float_add(format, A, B ^ float_sign(format), flags); break;
    case BOTH(FMUL): *result = float_multiply(format, A, B, flags); break;
    case BOTH(FSGNJ): *result = with_sign(operation, B); break;
    case BOTH(FSGNJN): *result = with_sign(operation, ~B); break;
    case BOTH(FSGNJX): *result = with_sign(operation, A ^ B); break;
    case BOTH(FMIN): *result = float_minimum(format, A, B, flags); break;
    case BOTH(FMAX): *result = float_maximum(format, A, B, flags); break;
    case BOTH(FLE): *result = float_less_equal(format, A, B, flags); break;
    case BOTH(FLT): *result = float_less(format, A, B, flags); break;
    case BOTH(FEQ): *result = float_equal(format, A, B, flags); break;
    case BOTH(FCLASS): *result = float_classify(format, A); break;
    case RV32_OP_FCVT_W_S:
    case RV32_OP_FCVT_W_H: *result = float_to_integer(format, A, 32, true, rounding, flags); break;
    case RV32_OP_FCVT_WU_S:
    case RV32_OP_FCVT_WU_H: *result = float_to_integer(format, A, 32, false, rounding, flags); break;
    case RV32_OP_FCVT_S_W:
    case RV32_OP_FCVT_H_W: *result = float_from_integer(format, x[rs1], true, flags); break;
    case RV32_OP_FCVT_S_WU:
    case RV32_OP_FCVT_H_WU: *result = float_from_integer(format, x[rs1], false, flags); break;
    case RV32_OP_FCVT_S_H: return convert(operation, half_format(operation->rv32->core), float_single, result);
    case RV32_OP_FCVT_H_S: return convert(operation, float_single, format, result);
    case RV32_OP_FMV_X_W: *result = x[RV32_F0 + rs1]; break;
    case RV32_OP_FMV_X_H: *result = (uint32_t)(int16_t)x[RV32_F0 + rs1]; break;
    case RV32_OP_FMV_W_X: *result = x[rs1]; break;
    default: *result = (uint16_t)x[rs1]; break; /* fmv.h.x */
    }
#undef A
#undef B
#undef BOTH
    return STEP_DONE;
}

/* The rounding mode that the program requests. */
static unsigned requested_rounding(const struct operation *operation)
{
    unsigned rounding = operation->word >> 12 & 7;
    return rounding == ROUNDING_DYNAMIC ? operation->rv32->core->csr[RV32_CSR_fcsr] >> FCSR_ROUNDING & 7 : rounding;
}

/* Diagnoses an ignored rounding mode if the result is inexact, since only then it matters. */
static enum step check_rounding(const struct operation *operation)
{
    bool has_mode = !(operation->instruction->mask & 0x7000);
    if (!has_mode || !(operation->flags & FLOAT_INEXACT) ||
        requested_rounding(operation) == operation->format.rounding) {
        return STEP_DONE;
    }
    return diagnose(operation->rv32->diagnostics, BH_NON_CONTRACTUAL,
                    "%s: the rounding mode (%s) is ignored: the hardware rounds %s", operation->instruction->name,
                    rounding_names[requested_rounding(operation)], rounding_names[operation->format.rounding]);
}

static enum step check_boxes(const struct operation *operation)
{
    if (!operation->unboxed) {
        return STEP_DONE;
    }
    return diagnose(operation->rv32->diagnostics, BH_UNPREDICTABLE_VALUE,
                    "%s: an operand's upper 16 bits are not all ones, so it holds no half precision: taken as a NaN",
                    operation->instruction->name);
}

enum step rv32_float(struct rv32 *rv32, enum rv32_op op)
{
    struct rv32_core *core = rv32->core;
    bool is_half = rv32_instructions[op].extension == RV32_ZFH && op != RV32_OP_FCVT_S_H;
    struct operation operation = {
        .rv32 = rv32,
        .instruction = &rv32_instructions[op],
        .word = rv32->diagnostics->now.instruction,
        .format = is_half ? half_format(core) : float_single,
    };
    if (requested_rounding(&operation) ==
        operation.format.rounding) { /* otherwise the inexact flag has to show whether this result is inexact */
        operation.flags = core->csr[RV32_CSR_fcsr] & FLOAT_INEXACT;
    }
    uint32_t result;
    bool to_x;
    if (compute(&operation, op, &result, &to_x) != STEP_DONE || check_boxes(&operation) != STEP_DONE ||
        check_rounding(&operation) != STEP_DONE) {
        return STEP_STOP;
    }
    unsigned rd = rv32_rd(operation.word);
    core->csr[RV32_CSR_fcsr] |= operation.flags;
    if (!to_x) {
        core->x[RV32_F0 + rd] = boxed(operation.format, result);
    } else if (rd) {
        core->x[rd] = result;
    }
    return STEP_DONE;
}
