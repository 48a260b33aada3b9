/* Single-precision floating-point arithmetic on vectors, as the scalar instructions have it (rv32/float.h). */
#include "rv32/float.h"
#include "rv32/vector.h"

enum { SIGN = 1u << 31 };

/* a: vs2's element, b: the last source's, d: the destination's old one. */
static uint32_t compute(enum rv32_vector_op op, uint32_t a, uint32_t b, uint32_t d, uint32_t *flags)
{
    const struct float_format f = float_single;
    switch (op) {
    case RV32_VECTOR_VFADD:
    case RV32_VECTOR_VFREDUSUM:
    case RV32_VECTOR_VFREDOSUM: return float_add(f, a, b, flags);
    case RV32_VECTOR_VFSUB: return float_add(f, a, b ^ SIGN, flags);
    case RV32_VECTOR_VFRSUB: return float_add(f, b, a ^ SIGN, flags);
    case RV32_VECTOR_VFMUL: return float_multiply(f, a, b, flags);
    case RV32_VECTOR_VFMIN:
    case RV32_VECTOR_VFREDMIN: return float_minimum(f, a, b, flags);
    case RV32_VECTOR_VFMAX:
    case RV32_VECTOR_VFREDMAX: return float_maximum(f, a, b, flags);
    case RV32_VECTOR_VFSGNJ: return (a & ~SIGN) | (b & SIGN);
    case RV32_VECTOR_VFSGNJN: return (a & ~SIGN) | (~b & SIGN);
    case RV32_VECTOR_VFSGNJX: return a ^ (b & SIGN);
    case RV32_VECTOR_VMFEQ: return float_equal(f, a, b, flags);
    case RV32_VECTOR_VMFNE: return !float_equal(f, a, b, flags);
    case RV32_VECTOR_VMFLE: return float_less_equal(f, a, b, flags);
    case RV32_VECTOR_VMFLT: return float_less(f, a, b, flags);
    case RV32_VECTOR_VMFGT: return float_less(f, b, a, flags);
    case RV32_VECTOR_VMFGE: return float_less_equal(f, b, a, flags);
    case RV32_VECTOR_VFMADD: return float_multiply_add(f, b, d, a, flags);
    case RV32_VECTOR_VFNMADD: return float_multiply_add(f, b ^ SIGN, d, a ^ SIGN, flags);
    case RV32_VECTOR_VFMSUB: return float_multiply_add(f, b, d, a ^ SIGN, flags);
    case RV32_VECTOR_VFNMSUB: return float_multiply_add(f, b ^ SIGN, d, a, flags);
    case RV32_VECTOR_VFMACC: return float_multiply_add(f, b, a, d, flags);
    case RV32_VECTOR_VFNMACC: return float_multiply_add(f, b ^ SIGN, a, d ^ SIGN, flags);
    case RV32_VECTOR_VFMSAC: return float_multiply_add(f, b, a, d ^ SIGN, flags);
    default: return float_multiply_add(f, b ^ SIGN, a, d, flags); /* vfnmsac */
    }
}

static const char *why_reserved(const struct vector *vector, struct vector_group vd, struct vector_group vs2)
{
    struct vector_group vs1 = {vector->vs1, vd.width == 1 ? vs2.lmul : vd.lmul, vector->width};
    bool has_vs1 = vector->source == VECTOR_SOURCE_V;
    if (!vector_group_valid(vd) || !vector_group_valid(vs2) || (has_vs1 && !vector_group_valid(vs1))) {
        return "a group of registers that is too large, or starts at the wrong register";
    }
    if (!vector_overlap_valid(vd, vs2) || (has_vs1 && !vector_overlap_valid(vd, vs1)) ||
        (vector->masked && vector->vd == 0 && vd.width != 1)) {
        return "the destination overlaps the mask v0, or a source of another width";
    }
    return NULL;
}

static enum step reserved_width(const struct vector *vector)
{
    return vector_reserved(vector, "floating-point elements have 32 bits");
}

static enum step elementwise(struct vector *vector)
{
    bool compares = vector->shape == VECTOR_COMPARE;
    struct vector_group vs2 = {vector->vs2, vector->lmul, 32}, vd = {vector->vd, vector->lmul, 32};
    if (compares) {
        vd = (struct vector_group){vector->vd, 0, 1};
    }
    const char *why = why_reserved(vector, vd, vs2);
    if (why) {
        return vector_reserved(vector, why);
    }
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (!vector_active(vector, i)) {
            continue;
        }
        uint32_t d = compares ? 0 : vector_get(vector, vector->vd, i, 32);
        uint32_t result = compute(vector->op, vector_get(vector, vector->vs2, i, 32), vector_last_source(vector, i, 32),
                                  d, &vector->flags);
        if (compares) {
            vector_set_bit(vector, vector->vd, i, result);
        } else {
            vector_set(vector, vector->vd, i, 32, result);
        }
    }
    return STEP_DONE;
}

/* Sums are computed in order; so is the unordered sum, whose order is not documented. */
static enum step reduce(struct vector *vector)
{
    if (!vector_group_valid((struct vector_group){vector->vs2, vector->lmul, 32})) {
        return vector_reserved(vector, "a group that starts at the wrong register");
    }
    uint32_t result = vector_get(vector, vector->vs1, 0, 32);
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (vector_active(vector, i)) {
            result = compute(vector->op, result, vector_get(vector, vector->vs2, i, 32), 0, &vector->flags);
        }
    }
    if (vector->vl) {
        vector_set(vector, vector->vd, 0, 32, result);
    }
    return STEP_DONE;
}

enum step vector_float(struct vector *vector)
{
    if (vector->width != 32) {
        return reserved_width(vector);
    }
    return vector->shape == VECTOR_REDUCE ? reduce(vector) : elementwise(vector);
}

/* The conversions, by the number in vs1: bit 0: signed; narrowing ones convert from, widening ones to twice the
   width. */
enum {
    TO_UNSIGNED,
    TO_SIGNED,
    FROM_UNSIGNED,
    FROM_SIGNED,
    TO_UNSIGNED_ZERO = 6,
    TO_SIGNED_ZERO,
    WIDEN = 8,
    NARROW = 16
};

static enum step convert(struct vector *vector)
{
    unsigned kind = vector->vs1 & 7;
    bool widens = vector->vs1 / 8 == 1, narrows = vector->vs1 / 8 == 2, is_signed = kind & 1;
    bool from_integer = kind == FROM_UNSIGNED || kind == FROM_SIGNED;
    bool known = kind != 4 && kind != 5 && vector->vs1 < 24;
    struct vector_group vs2 = {vector->vs2, vector->lmul + narrows, vector->width << narrows};
    struct vector_group vd = {vector->vd, vector->lmul + widens, vector->width << widens};
    if (!known || (from_integer ? vd.width : vs2.width) != 32) {
        return reserved_width(vector);
    }
    if (!vector_group_valid(vd) || !vector_group_valid(vs2) || !vector_overlap_valid(vd, vs2) ||
        (vector->masked && vector->vd == 0)) {
        return vector_reserved(vector, "a group that starts at the wrong register, or overlaps another one");
    }
    enum float_rounding rounding = kind >= TO_UNSIGNED_ZERO ? FLOAT_TOWARDS_ZERO : FLOAT_NEAREST_EVEN;
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (!vector_active(vector, i)) {
            continue;
        }
        uint32_t a = vector_get(vector, vector->vs2, i, vs2.width), result;
        if (from_integer) {
            unsigned unused = 32 - vs2.width;
            a = is_signed ? (uint32_t)((int32_t)(a << unused) >> unused) : a;
            result = float_from_integer(float_single, a, is_signed, &vector->flags);
        } else {
            result = float_to_integer(float_single, a, vd.width, is_signed, rounding, &vector->flags);
        }
        vector_set(vector, vector->vd, i, vd.width, result);
    }
    return STEP_DONE;
}

static enum step classify(struct vector *vector)
{
    enum { CLASS = 16 };
    struct vector_group group = {vector->vd, vector->lmul, 32}, vs2 = {vector->vs2, vector->lmul, 32};
    if (vector->vs1 != CLASS || !vector_group_valid(group) || !vector_group_valid(vs2) ||
        (vector->masked && vector->vd == 0)) {
        return vector_reserved(vector, "a group that starts at the wrong register, or square root or a reciprocal, "
                                       "which the core does not have");
    }
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (vector_active(vector, i)) {
            vector_set(vector, vector->vd, i, 32, float_classify(float_single, vector_get(vector, vector->vs2, i, 32)));
        }
    }
    return STEP_DONE;
}

static enum step first_to_register(struct vector *vector)
{
    if (vector->masked || vector->vs1) {
        return vector_reserved(vector, "a move of the first element is not masked and has one source");
    }
    vector->core->x[RV32_F0 + vector->vd] = vector_get(vector, vector->vs2, 0, 32);
    return STEP_DONE;
}

enum step vector_other_float(struct vector *vector)
{
    if (vector->op == RV32_VECTOR_VFUNARY0) {
        return convert(vector);
    }
    if (vector->width != 32) {
        return reserved_width(vector);
    }
    switch (vector->op) {
    case RV32_VECTOR_VFUNARY1: return classify(vector);
    case RV32_VECTOR_VFMV_F_S: return first_to_register(vector);
    case RV32_VECTOR_VFMERGE:
        return vector->masked || vector->vs2 == 0 ? vector_other(vector)
                                                  : vector_reserved(vector, "a move has one source");
    default: return vector_other(vector);
    }
}
