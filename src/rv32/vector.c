/* The vector extension: decoding, vtype and vl. */
#include "rv32/vector.h"

#include "util/bits.h"

enum { INEXACT = 1, ROUNDING = 5 }; /* of fcsr */
enum { MAX_WIDTH = 32, LMUL_MAX = 3, LMUL_MIN = -2 };

enum { VXI = 7, VX = 3, XI = 6, V = 1, X = 2, I = 4 };

static const struct {
    uint8_t group, funct6, operands, shape;
} operations[RV32_VECTOR_OPS] = {
#define RV32_VECTOR(name, mnemonic, group, funct6, operands, shape)                                                    \
    [RV32_VECTOR_##name] = {VECTOR_GROUP_##group, funct6, operands, VECTOR_##shape},
#include "rv32_vector.def"
#undef RV32_VECTOR
};

bool vector_group_valid(struct vector_group group)
{
    return group.width <= MAX_WIDTH && group.lmul >= -3 && group.lmul <= LMUL_MAX &&
           (group.lmul <= 0 || group.first % (1u << group.lmul) == 0);
}

bool vector_overlap_valid(struct vector_group destination, struct vector_group source)
{
    unsigned destination_count = destination.lmul > 0 ? 1u << destination.lmul : 1;
    unsigned source_count = source.lmul > 0 ? 1u << source.lmul : 1;
    if (destination.first >= source.first + source_count || source.first >= destination.first + destination_count ||
        destination.width == source.width) {
        return true;
    }
    if (destination.width < source.width) {
        return destination.first == source.first;
    }
    return source.lmul >= 0 && source.first + source_count == destination.first + destination_count;
}

enum step vector_reserved(const struct vector *vector, const char *why)
{
    return diagnose(vector->rv32->diagnostics, BH_UNDEFINED_BEHAVIOR, "vector instruction 0x%08x is reserved: %s",
                    vector->word, why);
}

/* vtype's vlmul as log2, and whether vtype is one that the core has. */
static bool decode_vtype(uint32_t vtype, unsigned *width, int *lmul)
{
    *lmul = bits_sign_extend(vtype, 3);
    *width = 8u << bits_get(vtype, 3, 3);
    return *width <= MAX_WIDTH && *lmul >= LMUL_MIN && vtype >> 8 == 0 && *lmul != -4 &&
           (*lmul >= 0 || *width <= (unsigned)MAX_WIDTH >> -*lmul);
}

/* vsetvli, vsetivli, vsetvl */
static enum step set_vl(struct vector *vector, enum rv32_op op)
{
    struct rv32_core *core = vector->core;
    uint32_t word = vector->word, *vl = &core->csr[RV32_CSR_vl];
    unsigned rd = rv32_rd(word), rs1 = rv32_rs1(word);
    uint32_t vtype = op == RV32_OP_VSETVLI    ? bits_get(word, 20, 11)
                     : op == RV32_OP_VSETIVLI ? bits_get(word, 20, 10)
                                              : core->x[rv32_rs2(word)];
    unsigned width;
    int lmul;
    if (!decode_vtype(vtype, &width, &lmul)) {
        return diagnose(vector->rv32->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "%s: vtype 0x%x: elements have 8, 16 or 32 bits, and a group at least a quarter of a register",
                        rv32_instructions[op].name, vtype);
    }
    uint32_t longest = vector_length(width, lmul);
    uint32_t wanted = op == RV32_OP_VSETIVLI ? rs1 : rs1 ? core->x[rs1] : rd ? UINT32_MAX : *vl;
    core->csr[RV32_CSR_vtype] = vtype;
    *vl = wanted < longest ? wanted : longest;
    if (rd) {
        core->x[rd] = *vl;
    }
    return STEP_DONE;
}

/* The operation of an arithmetic instruction; RV32_VECTOR_OPS when there is none. */
static enum rv32_vector_op identify(unsigned group, unsigned funct6, unsigned source)
{
    for (enum rv32_vector_op op = 0; op < RV32_VECTOR_OPS; op++) {
        if (operations[op].group == group && operations[op].funct6 == funct6 && operations[op].operands & source) {
            return op;
        }
    }
    return RV32_VECTOR_OPS;
}

struct vector_kind vector_kind_of(uint32_t word)
{
    static const struct {
        uint8_t group, source;
    } operands[] = {{VECTOR_GROUP_I, VECTOR_SOURCE_V}, {VECTOR_GROUP_F, VECTOR_SOURCE_V},
                    {VECTOR_GROUP_M, VECTOR_SOURCE_V}, {VECTOR_GROUP_I, VECTOR_SOURCE_I},
                    {VECTOR_GROUP_I, VECTOR_SOURCE_X}, {VECTOR_GROUP_F, VECTOR_SOURCE_X},
                    {VECTOR_GROUP_M, VECTOR_SOURCE_X}};
    unsigned funct3 = bits_get(word, 12, 3);
    struct vector_kind kind = {.group = operands[funct3].group, .source = operands[funct3].source};
    kind.op = identify(kind.group, word >> 26, kind.source);
    kind.shape = kind.op == RV32_VECTOR_OPS ? VECTOR_OTHER : (enum rv32_vector_shape)operations[kind.op].shape;
    return kind;
}

static enum step arithmetic(struct vector *vector)
{
    struct vector_kind kind = vector_kind_of(vector->word);
    vector->source = kind.source;
    vector->op = kind.op;
    vector->shape = kind.shape;
    if (kind.op == RV32_VECTOR_OPS) {
        return vector_reserved(vector, "the core has no such operation (division, square root and reciprocals are left "
                                       "out, and so is what needs 64-bit elements)");
    }
    vector->scalar = kind.source == VECTOR_SOURCE_I ? (uint32_t)bits_sign_extend(vector->vs1, 5)
                     : kind.group == VECTOR_GROUP_F ? vector->core->x[RV32_F0 + vector->vs1]
                                                    : vector->core->x[vector->vs1];
    if (kind.shape == VECTOR_OTHER) {
        return kind.group == VECTOR_GROUP_F ? vector_other_float(vector) : vector_other(vector);
    }
    return kind.group == VECTOR_GROUP_F ? vector_float(vector) : vector_integer(vector);
}

/* Flags of floating-point arithmetic; rounding modes other than to nearest even are ignored. */
static enum step finish(struct vector *vector)
{
    uint32_t *fcsr = &vector->core->csr[RV32_CSR_fcsr];
    *fcsr |= vector->flags;
    if (!(vector->flags & INEXACT) || !(*fcsr >> ROUNDING & 7)) {
        return STEP_DONE;
    }
    return diagnose(vector->rv32->diagnostics, BH_NON_CONTRACTUAL,
                    "vector instruction 0x%08x: the rounding mode in fcsr (%u) is ignored: the hardware rounds to "
                    "nearest even",
                    vector->word, *fcsr >> ROUNDING & 7);
}

enum step rv32_vector(struct rv32 *rv32, enum rv32_op op)
{
    struct rv32_core *core = rv32->core;
    uint32_t word = rv32->diagnostics->now.instruction;
    if (core->id != BH_CORE_T2) {
        return diagnose(rv32->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s (%s): only T2 has vector instructions",
                        rv32_instructions[op].name, rv32_instructions[op].meaning);
    }
    struct vector vector = {
        .rv32 = rv32,
        .core = core,
        .word = word,
        .vd = rv32_rd(word),
        .vs1 = rv32_rs1(word),
        .vs2 = rv32_rs2(word),
        .masked = !(word >> 25 & 1),
        .vl = core->csr[RV32_CSR_vl],
    };
    if (op >= RV32_OP_VSETVLI) {
        return set_vl(&vector, op);
    }
    if (!decode_vtype(core->csr[RV32_CSR_vtype] & 0xff, &vector.width, &vector.lmul)) {
        return vector_reserved(&vector, "vtype holds no type of vectors; a vsetvli sets it");
    }
    uint32_t longest = vector_length(vector.width, vector.lmul);
    vector.vl = vector.vl < longest ? vector.vl : longest; /* vl can be written as a CSR */
    memcpy(vector.before, core->v, sizeof vector.before);
    uint32_t fcsr = core->csr[RV32_CSR_fcsr];
    vector.flags = fcsr >> ROUNDING & 7 ? 0 : fcsr & INEXACT; /* see finish() */
    if (op <= RV32_OP_VSTORE64) {
        return vector_memory(&vector, op >= RV32_OP_VSTORE8);
    }
    enum step step = arithmetic(&vector);
    return step == STEP_DONE ? finish(&vector) : step;
}
