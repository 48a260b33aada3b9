/* Integer and fixed-point arithmetic on vectors, comparisons, reductions, and logic on masks. */
#include "rv32/vector.h"

/* One element: a: vs2's, b: the last source's, d: the destination's old one. */
struct lane {
    uint64_t a, b, d;
    unsigned width_a, width_b, width; /* width: that of the result */
    unsigned carry;
    unsigned rounding;
    bool saturated;
};

static int64_t extend(uint64_t value, unsigned width)
{
    return (int64_t)(value << (64 - width)) >> (64 - width);
}

/* value / 2^shift by the rounding mode of vxrm: to nearest up, to nearest even, down, to odd. */
static int64_t round_off(int64_t value, unsigned shift, unsigned rounding)
{
    if (shift == 0) {
        return value;
    }
    uint64_t rest = (uint64_t)value & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    int64_t down = value >> shift;
    switch (rounding) {
    case 0: return down + (rest >= half);
    case 1: return down + (rest > half || (rest == half && (down & 1)));
    case 2: return down;
    default: return down | (rest != 0);
    }
}

static uint64_t saturate_signed(struct lane *lane, int64_t value)
{
    int64_t largest = (INT64_C(1) << (lane->width - 1)) - 1, smallest = -largest - 1;
    int64_t result = value > largest ? largest : value < smallest ? smallest : value;
    lane->saturated |= result != value;
    return (uint64_t)result;
}

static uint64_t saturate_unsigned(struct lane *lane, int64_t value)
{
    int64_t largest = (INT64_C(1) << lane->width) - 1;
    int64_t result = value > largest ? largest : value < 0 ? 0 : value;
    lane->saturated |= result != value;
    return (uint64_t)result;
}

/* vsmul: a fraction times a fraction. */
static uint64_t multiply_fractions(struct lane *lane, int64_t a, int64_t b)
{
    return saturate_signed(lane, round_off(a * b, lane->width - 1, lane->rounding));
}

static uint64_t fixed_point(enum rv32_vector_op op, struct lane *lane, int64_t sa, int64_t sb)
{
    int64_t a = (int64_t)lane->a, b = (int64_t)lane->b;
    unsigned shift = (unsigned)b & (lane->width_a - 1), rounding = lane->rounding;
    switch (op) {
    case RV32_VECTOR_VSADDU: return saturate_unsigned(lane, a + b);
    case RV32_VECTOR_VSADD: return saturate_signed(lane, sa + sb);
    case RV32_VECTOR_VSSUBU: return saturate_unsigned(lane, a - b);
    case RV32_VECTOR_VSSUB: return saturate_signed(lane, sa - sb);
    case RV32_VECTOR_VSMUL: return multiply_fractions(lane, sa, sb);
    case RV32_VECTOR_VSSRL: return (uint64_t)round_off(a, shift, rounding);
    case RV32_VECTOR_VSSRA: return (uint64_t)round_off(sa, shift, rounding);
    case RV32_VECTOR_VNCLIPU: return saturate_unsigned(lane, round_off(a, shift, rounding));
    case RV32_VECTOR_VNCLIP: return saturate_signed(lane, round_off(sa, shift, rounding));
    case RV32_VECTOR_VAADDU: return (uint64_t)round_off(a + b, 1, rounding);
    case RV32_VECTOR_VAADD: return (uint64_t)round_off(sa + sb, 1, rounding);
    case RV32_VECTOR_VASUBU: return (uint64_t)round_off(a - b, 1, rounding);
    default: return (uint64_t)round_off(sa - sb, 1, rounding); /* vasub */
    }
}

/* The result in the low `width` bits; of comparisons and carries the lowest bit. */
static uint64_t compute(enum rv32_vector_op op, struct lane *lane)
{
    uint64_t a = lane->a, b = lane->b, d = lane->d;
    int64_t sa = extend(a, lane->width_a), sb = extend(b, lane->width_b);
    uint64_t ua_sb = a * (uint64_t)sb, sa_ub = (uint64_t)sa * b, product = (uint64_t)sa * (uint64_t)sb;
    unsigned shift = (unsigned)b & (lane->width_a - 1), width = lane->width;
    switch (op) {
    case RV32_VECTOR_VADD:
    case RV32_VECTOR_VWADDU:
    case RV32_VECTOR_VWADDU_W:
    case RV32_VECTOR_VREDSUM:
    case RV32_VECTOR_VWREDSUMU: return a + b;
    case RV32_VECTOR_VWADD:
    case RV32_VECTOR_VWADD_W:
    case RV32_VECTOR_VWREDSUM: return (uint64_t)(sa + sb);
    case RV32_VECTOR_VSUB:
    case RV32_VECTOR_VWSUBU:
    case RV32_VECTOR_VWSUBU_W: return a - b;
    case RV32_VECTOR_VWSUB:
    case RV32_VECTOR_VWSUB_W: return (uint64_t)(sa - sb);
    case RV32_VECTOR_VRSUB: return b - a;
    case RV32_VECTOR_VADC: return a + b + lane->carry;
    case RV32_VECTOR_VSBC: return a - b - lane->carry;
    case RV32_VECTOR_VMADC: return (a + b + lane->carry) >> lane->width_a;
    case RV32_VECTOR_VMSBC: return a < b + lane->carry;
    case RV32_VECTOR_VMINU:
    case RV32_VECTOR_VREDMINU: return a < b ? a : b;
    case RV32_VECTOR_VMIN:
    case RV32_VECTOR_VREDMIN: return sa < sb ? a : b;
    case RV32_VECTOR_VMAXU:
    case RV32_VECTOR_VREDMAXU: return a > b ? a : b;
    case RV32_VECTOR_VMAX:
    case RV32_VECTOR_VREDMAX: return sa > sb ? a : b;
    case RV32_VECTOR_VAND:
    case RV32_VECTOR_VREDAND: return a & b;
    case RV32_VECTOR_VOR:
    case RV32_VECTOR_VREDOR: return a | b;
    case RV32_VECTOR_VXOR:
    case RV32_VECTOR_VREDXOR: return a ^ b;
    case RV32_VECTOR_VMSEQ: return a == b;
    case RV32_VECTOR_VMSNE: return a != b;
    case RV32_VECTOR_VMSLTU: return a < b;
    case RV32_VECTOR_VMSLT: return sa < sb;
    case RV32_VECTOR_VMSLEU: return a <= b;
    case RV32_VECTOR_VMSLE: return sa <= sb;
    case RV32_VECTOR_VMSGTU: return a > b;
    case RV32_VECTOR_VMSGT: return sa > sb;
    case RV32_VECTOR_VSLL: return a << shift;
    case RV32_VECTOR_VSRL:
    case RV32_VECTOR_VNSRL: return a >> shift;
    case RV32_VECTOR_VSRA:
    case RV32_VECTOR_VNSRA: return (uint64_t)(sa >> shift);
    case RV32_VECTOR_VMUL:
    case RV32_VECTOR_VWMUL: return product;
    case RV32_VECTOR_VWMULU: return a * b;
    case RV32_VECTOR_VWMULSU: return sa_ub;
    case RV32_VECTOR_VMULH: return (uint64_t)((int64_t)product >> width);
    case RV32_VECTOR_VMULHU: return a * b >> width;
    case RV32_VECTOR_VMULHSU: return (uint64_t)((int64_t)sa_ub >> width);
    case RV32_VECTOR_VMADD: return b * d + a;
    case RV32_VECTOR_VNMSUB: return a - b * d;
    case RV32_VECTOR_VMACC: return d + product;
    case RV32_VECTOR_VNMSAC: return d - product;
    case RV32_VECTOR_VWMACCU: return d + a * b;
    case RV32_VECTOR_VWMACC: return d + product;
    case RV32_VECTOR_VWMACCUS: return d + sa_ub;
    case RV32_VECTOR_VWMACCSU: return d + ua_sb;
    default: return fixed_point(op, lane, sa, sb);
    }
}

static bool gives_mask(enum rv32_vector_shape shape)
{
    return shape == VECTOR_COMPARE || shape == VECTOR_CARRY_OUT;
}

/* The groups of the operands. */
static void groups_of(const struct vector *vector, struct vector_group *vd, struct vector_group *vs2,
                      struct vector_group *vs1)
{
    bool wide_vd = vector->shape == VECTOR_WIDE || vector->shape == VECTOR_WIDE_W;
    bool wide_vs2 = vector->shape == VECTOR_NARROW || vector->shape == VECTOR_WIDE_W;
    *vd = gives_mask(vector->shape)
              ? (struct vector_group){vector->vd, 0, 1}
              : (struct vector_group){vector->vd, vector->lmul + wide_vd, vector->width << wide_vd};
    *vs2 = (struct vector_group){vector->vs2, vector->lmul + wide_vs2, vector->width << wide_vs2};
    *vs1 = (struct vector_group){vector->vs1, vector->lmul, vector->width};
}

/* Why the instruction is reserved, or null. */
static const char *why_reserved(const struct vector *vector, struct vector_group vd, struct vector_group vs2,
                                struct vector_group vs1)
{
    bool has_vs1 = vector->source == VECTOR_SOURCE_V;
    if (!vector_group_valid(vd) || !vector_group_valid(vs2) || (has_vs1 && !vector_group_valid(vs1))) {
        return "a group of registers that is too large, or starts at the wrong register";
    }
    if (!vector_overlap_valid(vd, vs2) || (has_vs1 && !vector_overlap_valid(vd, vs1))) {
        return "the destination overlaps a source of another width";
    }
    if (vector->masked && vector->vd == 0 && !gives_mask(vector->shape)) {
        return "the destination overlaps the mask v0";
    }
    if (vector->shape == VECTOR_CARRY && !vector->masked) {
        return "an addition or subtraction with carry always has v0 as carry";
    }
    return NULL;
}

static enum step elementwise(struct vector *vector)
{
    struct vector_group vd, vs2, vs1;
    groups_of(vector, &vd, &vs2, &vs1);
    const char *why = why_reserved(vector, vd, vs2, vs1);
    if (why) {
        return vector_reserved(vector, why);
    }
    bool carries = vector->shape == VECTOR_CARRY || vector->shape == VECTOR_CARRY_OUT;
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (!carries && !vector_active(vector, i)) {
            continue;
        }
        struct lane lane = {
            .a = vector_get(vector, vector->vs2, i, vs2.width),
            .b = vector_last_source(vector, i, vector->width),
            .d = gives_mask(vector->shape) ? 0 : vector_get(vector, vector->vd, i, vd.width),
            .width_a = vs2.width,
            .width_b = vector->width,
            .width = vd.width,
            .carry = carries && vector->masked && vector_get_bit(vector, 0, i),
            .rounding = vector->core->csr[RV32_CSR_vxrm],
        };
        uint64_t result = compute(vector->op, &lane);
        if (gives_mask(vector->shape)) {
            vector_set_bit(vector, vector->vd, i, result & 1);
        } else {
            vector_set(vector, vector->vd, i, vd.width, (uint32_t)result);
        }
        vector->core->csr[RV32_CSR_vxsat] |= lane.saturated;
    }
    return STEP_DONE;
}

static enum step reduce(struct vector *vector)
{
    unsigned width = vector->width << (vector->shape == VECTOR_WIDE_REDUCE);
    if (width > 32 || !vector_group_valid((struct vector_group){vector->vs2, vector->lmul, vector->width})) {
        return vector_reserved(vector, "elements too wide, or a group that starts at the wrong register");
    }
    struct lane lane = {.b = vector_get(vector, vector->vs1, 0, width), .width_b = width, .width = width};
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (vector_active(vector, i)) {
            lane.a = vector_get(vector, vector->vs2, i, vector->width);
            lane.width_a = vector->width;
            uint64_t result = compute(vector->op, &lane);
            lane.b = width == 32 ? (uint32_t)result : result & ((1u << width) - 1);
        }
    }
    if (vector->vl) {
        vector_set(vector, vector->vd, 0, width, (uint32_t)lane.b);
    }
    return STEP_DONE;
}

static enum step mask_logic(struct vector *vector)
{
    if (vector->masked) {
        return vector_reserved(vector, "logic on masks can not be masked");
    }
    for (uint32_t i = 0; i < vector->vl; i++) {
        bool a = vector_get_bit(vector, vector->vs2, i), b = vector_get_bit(vector, vector->vs1, i), result;
        switch (vector->op) {
        case RV32_VECTOR_VMANDN: result = a && !b; break;
        case RV32_VECTOR_VMAND: result = a && b; break;
        case RV32_VECTOR_VMOR: result = a || b; break;
        case RV32_VECTOR_VMXOR: result = a != b; break;
        case RV32_VECTOR_VMORN: result = a || !b; break;
        case RV32_VECTOR_VMNAND: result = !(a && b); break;
        case RV32_VECTOR_VMNOR: result = !(a || b); break;
        default: result = a == b; break; /* vmxnor */
        }
        vector_set_bit(vector, vector->vd, i, result);
    }
    return STEP_DONE;
}

enum step vector_integer(struct vector *vector)
{
    switch (vector->shape) {
    case VECTOR_MASK: return mask_logic(vector);
    case VECTOR_REDUCE:
    case VECTOR_WIDE_REDUCE: return reduce(vector);
    default: return elementwise(vector);
    }
}
