/* Vector instructions that do not work element by element: permutations, merges, extensions, and mask instructions. */
#include "rv32/vector.h"

/* Groups vd and vs2 of the selected type; a masked vd may not overlap v0. */
static const char *why_reserved(const struct vector *vector, bool apart)
{
    struct vector_group vd = {vector->vd, vector->lmul, vector->width},
                        vs2 = {vector->vs2, vector->lmul, vector->width};
    unsigned count = vector->lmul > 0 ? 1u << vector->lmul : 1;
    if (!vector_group_valid(vd) || !vector_group_valid(vs2)) {
        return "a group that starts at the wrong register";
    }
    if (vector->masked && vector->vd == 0) {
        return "the destination overlaps the mask v0";
    }
    if (apart && vector->vd < vector->vs2 + count && vector->vs2 < vector->vd + count) {
        return "the destination overlaps the source";
    }
    return NULL;
}

/* vd[i] = vs2[index], or 0 */
static void gather(struct vector *vector, uint32_t i, uint64_t index)
{
    bool inside = index < vector_length(vector->width, vector->lmul);
    uint32_t value = inside ? vector_get(vector, vector->vs2, (uint32_t)index, vector->width) : 0;
    vector_set(vector, vector->vd, i, vector->width, value);
}

/* The number of registers in a group of this LMUL; lmul is its logarithm. */
static unsigned registers_of(int lmul)
{
    return lmul > 0 ? 1u << (lmul & 7) : 1;
}

static enum step gathers(struct vector *vector)
{
    bool by_16 = vector->op == RV32_VECTOR_VRGATHEREI16, by_vector = vector->source == VECTOR_SOURCE_V;
    unsigned index_width = by_16 ? 16 : vector->width;
    struct vector_group indices = {.first = vector->vs1, .lmul = vector->lmul, .width = index_width};
    if (by_16) {
        indices.lmul += (vector->width == 8) - (vector->width == 32);
    }
    const char *why = why_reserved(vector, true);
    unsigned count = registers_of(vector->lmul), index_count = registers_of(indices.lmul);
    if (!why && by_vector && !vector_group_valid(indices)) {
        why = "a group that starts at the wrong register";
    }
    if (!why && by_vector && vector->vd < vector->vs1 + index_count && vector->vs1 < vector->vd + count) {
        why = "the destination overlaps the source";
    }
    if (why) {
        return vector_reserved(vector, why);
    }
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (vector_active(vector, i)) {
            gather(vector, i,
                   by_vector                           ? vector_get(vector, vector->vs1, i, index_width)
                   : vector->source == VECTOR_SOURCE_I ? vector->vs1
                                                       : vector->scalar);
        }
    }
    return STEP_DONE;
}

/* vslideup, vslidedown, and vslide1up and vslide1down, which insert a scalar. */
static enum step slides(struct vector *vector, bool up, bool by_one)
{
    const char *why = why_reserved(vector, up);
    if (why) {
        return vector_reserved(vector, why);
    }
    uint64_t distance = by_one ? 1 : vector->source == VECTOR_SOURCE_I ? vector->vs1 : vector->scalar;
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (!vector_active(vector, i) || (up && !by_one && i < distance)) {
            continue;
        }
        if (by_one && i == (up ? 0 : vector->vl - 1)) {
            vector_set(vector, vector->vd, i, vector->width, vector->scalar);
        } else {
            gather(vector, i, up ? i - distance : i + distance);
        }
    }
    return STEP_DONE;
}

/* vmerge and vfmerge, which without a mask are the moves of vectors and scalars. */
static enum step merge(struct vector *vector)
{
    struct vector_group group = {vector->vd, vector->lmul, vector->width};
    bool valid = vector_group_valid(group);
    group.first = vector->vs2;
    valid = valid && vector_group_valid(group) && (vector->masked || vector->vs2 == 0);
    group.first = vector->vs1;
    valid = valid && (vector->source != VECTOR_SOURCE_V || vector_group_valid(group));
    if (!valid || (vector->masked && vector->vd == 0)) {
        return vector_reserved(vector, "a group that starts at the wrong register, or overlaps the mask v0; a move has "
                                       "no second source");
    }
    for (uint32_t i = 0; i < vector->vl; i++) {
        uint32_t value = vector_active(vector, i) ? vector_last_source(vector, i, vector->width)
                                                  : vector_get(vector, vector->vs2, i, vector->width);
        vector_set(vector, vector->vd, i, vector->width, value);
    }
    return STEP_DONE;
}

/* vmv1r, vmv2r, vmv4r, vmv8r */
static enum step move_registers(struct vector *vector)
{
    unsigned count = vector->vs1 + 1;
    if (vector->masked || (count & (count - 1)) || count > 8 || vector->vd % count || vector->vs2 % count) {
        return vector_reserved(vector, "a move of 1, 2, 4 or 8 whole registers starts at multiples of that");
    }
    memcpy(vector->core->v + vector->vd * RV32_VECTOR_BYTES, vector->before + vector->vs2 * RV32_VECTOR_BYTES,
           count * RV32_VECTOR_BYTES);
    return STEP_DONE;
}

/* vmv.x.s, vcpop.m, vfirst.m */
static enum step to_integer_register(struct vector *vector)
{
    enum { MV_X_S = 0, CPOP = 16, FIRST = 17 };
    uint32_t result;
    if (vector->vs1 == MV_X_S && !vector->masked) {
        uint32_t value = vector_get(vector, vector->vs2, 0, vector->width);
        result = (uint32_t)((int32_t)(value << (32 - vector->width)) >> (32 - vector->width));
    } else if (vector->vs1 == CPOP || vector->vs1 == FIRST) {
        uint32_t count = 0, first = UINT32_MAX;
        for (uint32_t i = 0; i < vector->vl; i++) {
            if (vector_active(vector, i) && vector_get_bit(vector, vector->vs2, i)) {
                first = count++ == 0 ? i : first;
            }
        }
        result = vector->vs1 == CPOP ? count : first;
    } else {
        return vector_reserved(vector, "no operation has this number in vs1");
    }
    if (vector->vd) {
        vector->core->x[vector->vd] = result;
    }
    return STEP_DONE;
}

/* vzext and vsext, from an eighth, a quarter or a half of the width. */
static enum step extensions(struct vector *vector)
{
    unsigned kind = vector->vs1 >> 1, shift = 4 - kind; /* kind 1: an eighth, 2: a quarter, 3: a half */
    bool is_signed = vector->vs1 & 1;
    if (kind < 1 || kind > 3 || vector->width >> shift < 8) {
        return vector_reserved(vector, "an extension from elements of less than 8 bits, or an unknown one");
    }
    struct vector_group vd = {vector->vd, vector->lmul, vector->width};
    struct vector_group vs2 = {vector->vs2, vector->lmul - (int)shift, vector->width >> shift};
    if (!vector_group_valid(vd) || !vector_group_valid(vs2) || !vector_overlap_valid(vd, vs2) ||
        (vector->masked && vector->vd == 0)) {
        return vector_reserved(vector, "a group that starts at the wrong register, or overlaps another one");
    }
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (vector_active(vector, i)) {
            uint32_t value = vector_get(vector, vector->vs2, i, vs2.width);
            unsigned unused = 32 - vs2.width;
            value = is_signed ? (uint32_t)((int32_t)(value << unused) >> unused) : value;
            vector_set(vector, vector->vd, i, vector->width, value);
        }
    }
    return STEP_DONE;
}

/* vmsbf, vmsof, vmsif: sets bits before, at, or up to and including the first set bit. */
static enum step before_first(struct vector *vector)
{
    enum { BEFORE = 1, ONLY = 2 };
    if (vector->vd == vector->vs2 || (vector->masked && vector->vd == 0)) {
        return vector_reserved(vector, "the destination overlaps a source");
    }
    bool found = false;
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (vector_active(vector, i)) {
            bool is_first = !found && vector_get_bit(vector, vector->vs2, i);
            bool result = vector->vs1 == ONLY ? is_first : !found && !(vector->vs1 == BEFORE && is_first);
            vector_set_bit(vector, vector->vd, i, result);
            found |= is_first;
        }
    }
    return STEP_DONE;
}

/* viota: number of set bits below i; vid: i */
static enum step counts(struct vector *vector)
{
    enum { IOTA = 16, ID = 17 };
    struct vector_group vd = {vector->vd, vector->lmul, vector->width}, vs2 = {vector->vs2, 0, 1};
    bool iota = vector->vs1 == IOTA;
    unsigned size = vector->lmul > 0 ? 1u << vector->lmul : 1;
    bool overlaps = vector->vs2 >= vector->vd && vector->vs2 < vector->vd + size;
    if (!vector_group_valid(vd) || (vector->masked && vector->vd == 0) || (iota ? overlaps : vs2.first != 0)) {
        return vector_reserved(vector, "a group that starts at the wrong register, or overlaps another one");
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (vector_active(vector, i)) {
            vector_set(vector, vector->vd, i, vector->width, iota ? count : i);
            count += vector_get_bit(vector, vector->vs2, i);
        }
    }
    return STEP_DONE;
}

static enum step of_masks(struct vector *vector)
{
    switch (vector->vs1) {
    case 1:
    case 2:
    case 3: return before_first(vector);
    case 16:
    case 17: return counts(vector);
    default: return vector_reserved(vector, "no operation has this number in vs1");
    }
}

static enum step compress(struct vector *vector)
{
    struct vector_group vd = {vector->vd, vector->lmul, vector->width};
    unsigned count = vector->lmul > 0 ? 1u << vector->lmul : 1;
    const char *why = why_reserved(vector, true);
    if (why || vector->masked || !vector_group_valid(vd) ||
        (vector->vs1 >= vector->vd && vector->vs1 < vector->vd + count)) {
        return vector_reserved(vector, "vcompress is never masked, and its destination apart from its sources");
    }
    uint32_t to = 0;
    for (uint32_t i = 0; i < vector->vl; i++) {
        if (vector_get_bit(vector, vector->vs1, i)) {
            vector_set(vector, vector->vd, to++, vector->width, vector_get(vector, vector->vs2, i, vector->width));
        }
    }
    return STEP_DONE;
}

/* vmv.s.x, vfmv.s.f */
static enum step set_first(struct vector *vector)
{
    if (vector->masked || vector->vs2) {
        return vector_reserved(vector, "a move into the first element is not masked and has one source");
    }
    if (vector->vl) {
        vector_set(vector, vector->vd, 0, vector->width, vector->scalar);
    }
    return STEP_DONE;
}

enum step vector_other(struct vector *vector)
{
    switch (vector->op) {
    case RV32_VECTOR_VRGATHER:
    case RV32_VECTOR_VRGATHEREI16: return gathers(vector);
    case RV32_VECTOR_VSLIDEUP: return slides(vector, true, false);
    case RV32_VECTOR_VSLIDEDOWN: return slides(vector, false, false);
    case RV32_VECTOR_VSLIDE1UP:
    case RV32_VECTOR_VFSLIDE1UP: return slides(vector, true, true);
    case RV32_VECTOR_VSLIDE1DOWN:
    case RV32_VECTOR_VFSLIDE1DOWN: return slides(vector, false, true);
    case RV32_VECTOR_VMERGE:
    case RV32_VECTOR_VFMERGE: return merge(vector);
    case RV32_VECTOR_VMVR: return move_registers(vector);
    case RV32_VECTOR_VWXUNARY0: return to_integer_register(vector);
    case RV32_VECTOR_VXUNARY0: return extensions(vector);
    case RV32_VECTOR_VMUNARY0: return of_masks(vector);
    case RV32_VECTOR_VCOMPRESS: return compress(vector);
    default: return set_first(vector); /* vmv.s.x, vfmv.s.f */
    }
}
