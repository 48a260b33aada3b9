#include "isa/rv32_vector_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/bits.h"

enum { V = 1, X = 2, I = 4, VX = V | X, XI = X | I, VXI = V | X | I };
enum { GROUP_I, GROUP_M, GROUP_F };
enum shape { SAME, CARRY, COMPARE, CARRY_OUT, NARROW, WIDE, WIDE_W, REDUCE, WIDE_REDUCE, MASK, OTHER };

static const struct operation {
    char mnemonic[29];
    uint8_t group, funct6, operands, shape;
} operations[] = {
#define RV32_VECTOR(name, mnemonic, group, funct6, operands, shape) {mnemonic, GROUP_##group, funct6, operands, shape},
#include "rv32_vector.def"
#undef RV32_VECTOR
};

static const struct operation *find(unsigned group, unsigned funct6, unsigned operand)
{
    for (size_t i = 0; i < COUNT_OF(operations); i++) {
        if (operations[i].group == group && operations[i].funct6 == funct6 && operations[i].operands & operand) {
            return &operations[i];
        }
    }
    return NULL;
}

/* What is printed. */
struct text {
    uint32_t word;
    const char *const *x, *const *f;
    unsigned vd, rs1, vs2;
    const char *mask; /* ",v0.t" or nothing */
    char *buffer;
    size_t size;
};

static int unknown(const struct text *text)
{
    return snprintf(text->buffer, text->size, ".word 0x%08x", text->word);
}

/* vsetvli, vsetivli, vsetvl */
static int vset_text(const struct text *text)
{
    const char *rd = text->x[text->vd], *rs1 = text->x[text->rs1];
    if (text->word >> 30 == 2) {
        return snprintf(text->buffer, text->size, "vsetvl %s,%s,%s", rd, rs1, text->x[text->vs2]);
    }
    static const char *const lmuls[8] = {"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};
    bool immediate = text->word >> 30 == 3;
    uint32_t vtype = bits_get(text->word, 20, immediate ? 10 : 11);
    char vl[8], type[32];
    snprintf(vl, sizeof vl, "%u", text->rs1);
    if (vtype >> 8 || (vtype >> 3 & 7) > 3 || !lmuls[vtype & 7]) {
        snprintf(type, sizeof type, "%u", vtype);
    } else {
        snprintf(type, sizeof type, "e%u,%s,%s,%s", 8u << (vtype >> 3 & 7), lmuls[vtype & 7],
                 vtype & 0x40 ? "ta" : "tu", vtype & 0x80 ? "ma" : "mu");
    }
    return snprintf(text->buffer, text->size, "%s %s,%s,%s", immediate ? "vsetivli" : "vsetvli", rd,
                    immediate ? vl : rs1, type);
}

static int access_text(const struct text *text)
{
    bool store = text->word & 0x20;
    unsigned mode = bits_get(text->word, 26, 2), code = bits_get(text->word, 12, 3), fields = (text->word >> 29) + 1;
    unsigned width = code == 0 ? 8 : 8u << (code - 4);
    char kind = store ? 's' : 'l', segments[8] = "", name[24], third[8] = "";
    if (fields > 1) {
        snprintf(segments, sizeof segments, "seg%u", fields);
    }
    enum { UNIT, INDEXED_UNORDERED, STRIDED, WHOLE = 8, BITS = 11, FAULT_FIRST = 16 };
    if (mode == STRIDED) {
        snprintf(name, sizeof name, "v%cs%se%u.v", kind, segments, width);
        snprintf(third, sizeof third, ",%s", text->x[text->vs2]);
    } else if (mode != UNIT) {
        snprintf(name, sizeof name, "v%c%cx%sei%u.v", kind, mode == INDEXED_UNORDERED ? 'u' : 'o', segments, width);
        snprintf(third, sizeof third, ",v%u", text->vs2);
    } else if (text->vs2 == WHOLE && store) {
        snprintf(name, sizeof name, "vs%ur.v", fields);
    } else if (text->vs2 == WHOLE) {
        snprintf(name, sizeof name, "vl%ure%u.v", fields, width);
    } else if (text->vs2 == BITS) {
        snprintf(name, sizeof name, "v%cm.v", kind);
    } else {
        snprintf(name, sizeof name, "v%c%se%u%s.v", kind, segments, width, text->vs2 == FAULT_FIRST ? "ff" : "");
    }
    return snprintf(text->buffer, text->size, "%s v%u,(%s)%s%s", name, text->vd, text->x[text->rs1], third, text->mask);
}

/* Instructions that differ only in the number in vs1. */
static int unary_text(const struct text *text, unsigned group, unsigned funct6)
{
    static const struct {
        uint8_t group, funct6, vs1;
        char result; /* v, x or f */
        const char *name;
    } unaries[] = {
        {GROUP_M, 0x10, 0, 'x', "vmv.x.s"},
        {GROUP_M, 0x10, 16, 'x', "vcpop.m"},
        {GROUP_M, 0x10, 17, 'x', "vfirst.m"},
        {GROUP_M, 0x12, 2, 'v', "vzext.vf8"},
        {GROUP_M, 0x12, 3, 'v', "vsext.vf8"},
        {GROUP_M, 0x12, 4, 'v', "vzext.vf4"},
        {GROUP_M, 0x12, 5, 'v', "vsext.vf4"},
        {GROUP_M, 0x12, 6, 'v', "vzext.vf2"},
        {GROUP_M, 0x12, 7, 'v', "vsext.vf2"},
        {GROUP_M, 0x14, 1, 'v', "vmsbf.m"},
        {GROUP_M, 0x14, 2, 'v', "vmsof.m"},
        {GROUP_M, 0x14, 3, 'v', "vmsif.m"},
        {GROUP_M, 0x14, 16, 'v', "viota.m"},
        {GROUP_M, 0x14, 17, 'i', "vid.v"},
        {GROUP_F, 0x10, 0, 'f', "vfmv.f.s"},
        {GROUP_F, 0x12, 0, 'v', "vfcvt.xu.f.v"},
        {GROUP_F, 0x12, 1, 'v', "vfcvt.x.f.v"},
        {GROUP_F, 0x12, 2, 'v', "vfcvt.f.xu.v"},
        {GROUP_F, 0x12, 3, 'v', "vfcvt.f.x.v"},
        {GROUP_F, 0x12, 6, 'v', "vfcvt.rtz.xu.f.v"},
        {GROUP_F, 0x12, 7, 'v', "vfcvt.rtz.x.f.v"},
        {GROUP_F, 0x12, 8, 'v', "vfwcvt.xu.f.v"},
        {GROUP_F, 0x12, 9, 'v', "vfwcvt.x.f.v"},
        {GROUP_F, 0x12, 10, 'v', "vfwcvt.f.xu.v"},
        {GROUP_F, 0x12, 11, 'v', "vfwcvt.f.x.v"},
        {GROUP_F, 0x12, 12, 'v', "vfwcvt.f.f.v"},
        {GROUP_F, 0x12, 14, 'v', "vfwcvt.rtz.xu.f.v"},
        {GROUP_F, 0x12, 15, 'v', "vfwcvt.rtz.x.f.v"},
        {GROUP_F, 0x12, 16, 'v', "vfncvt.xu.f.w"},
        {GROUP_F, 0x12, 17, 'v', "vfncvt.x.f.w"},
        {GROUP_F, 0x12, 18, 'v', "vfncvt.f.xu.w"},
        {GROUP_F, 0x12, 19, 'v', "vfncvt.f.x.w"},
        {GROUP_F, 0x12, 20, 'v', "vfncvt.f.f.w"},
        {GROUP_F, 0x12, 21, 'v', "vfncvt.rod.f.f.w"},
        {GROUP_F, 0x12, 22, 'v', "vfncvt.rtz.xu.f.w"},
        {GROUP_F, 0x12, 23, 'v', "vfncvt.rtz.x.f.w"},
        {GROUP_F, 0x13, 16, 'v', "vfclass.v"},
    };
    for (size_t i = 0; i < COUNT_OF(unaries); i++) {
        if (unaries[i].group == group && unaries[i].funct6 == funct6 && unaries[i].vs1 == text->rs1) {
            char result[8];
            snprintf(result, sizeof result, "v%u", text->vd);
            const char *to = unaries[i].result == 'x'   ? text->x[text->vd]
                             : unaries[i].result == 'f' ? text->f[text->vd]
                                                        : result;
            if (unaries[i].result == 'i') {
                return snprintf(text->buffer, text->size, "%s %s%s", unaries[i].name, to, text->mask);
            }
            return snprintf(text->buffer, text->size, "%s %s,v%u%s", unaries[i].name, to, text->vs2, text->mask);
        }
    }
    return unknown(text);
}

/* Whether the assembler writes the last operand before vs2: multiply-adds. */
static bool accumulates(const struct operation *operation)
{
    unsigned f = operation->funct6;
    return (operation->group == GROUP_M && ((f >= 0x29 && f <= 0x2f) || f >= 0x3c)) ||
           (operation->group == GROUP_F && f >= 0x28 && f <= 0x2f);
}

/* Shifts, slides, gathers and clips take their immediate without a sign. */
static bool unsigned_immediate(unsigned funct6)
{
    return funct6 == 0x0c || funct6 == 0x0e || funct6 == 0x0f || funct6 == 0x25 || (funct6 >= 0x28 && funct6 <= 0x2f);
}

static int arithmetic_text(const struct text *text)
{
    static const struct {
        uint8_t group, operand;
    } opcodes[7] = {{GROUP_I, V}, {GROUP_F, V}, {GROUP_M, V}, {GROUP_I, I}, {GROUP_I, X}, {GROUP_F, X}, {GROUP_M, X}};
    unsigned code = bits_get(text->word, 12, 3), funct6 = text->word >> 26, operand = opcodes[code].operand;
    unsigned group = opcodes[code].group;
    bool masked = text->mask[0];
    const struct operation *operation = find(group, funct6, operand);
    if (!operation) {
        return unknown(text);
    }
    char last[12];
    snprintf(last, sizeof last, operand == I ? "%d" : "v%d",
             operand == I && !unsigned_immediate(funct6) ? bits_sign_extend(text->rs1, 5) : (int)text->rs1);
    const char *source = operand != X ? last : group == GROUP_F ? text->f[text->rs1] : text->x[text->rs1];
    char scalar = operand == V ? 'v' : operand == I ? 'i' : group == GROUP_F ? 'f' : 'x', name[32];
    const char *mnemonic = operation->mnemonic, *mask = text->mask;
    bool has_carry = operation->shape == CARRY || (operation->shape == CARRY_OUT && masked);
    bool merges = group != GROUP_M && funct6 == 0x17;
    if (operand == V && group != GROUP_I && (funct6 == 0x10 || funct6 == 0x12 || funct6 == 0x13 || funct6 == 0x14)) {
        return unary_text(text, group, funct6);
    }
    if (merges && !masked) {
        snprintf(name, sizeof name, group == GROUP_F ? "vfmv.v.%c" : "vmv.v.%c", scalar);
        return snprintf(text->buffer, text->size, "%s v%u,%s", name, text->vd, source);
    }
    if (funct6 == 0x10 && group != GROUP_I) { /* vmv.s.x, vfmv.s.f */
        return snprintf(text->buffer, text->size, "%s v%u,%s", mnemonic, text->vd, source);
    }
    if (funct6 == 0x27 && operand == I) {
        return snprintf(text->buffer, text->size, "vmv%ur.v v%u,v%u", text->rs1 + 1, text->vd, text->vs2);
    }
    if (has_carry || merges) {
        snprintf(name, sizeof name, "%s.v%cm", mnemonic, scalar);
        mask = ",v0";
    } else if (operation->shape == WIDE_W) {
        snprintf(name, sizeof name, "%s%c", mnemonic, scalar);
    } else if (operation->shape == MASK) {
        snprintf(name, sizeof name, "%s.mm", mnemonic);
    } else if (operation->shape == REDUCE || operation->shape == WIDE_REDUCE) {
        snprintf(name, sizeof name, "%s.vs", mnemonic);
    } else if (group == GROUP_M && funct6 == 0x17) {
        snprintf(name, sizeof name, "%s.vm", mnemonic);
    } else {
        snprintf(name, sizeof name, "%s.%c%c", mnemonic, operation->shape == NARROW ? 'w' : 'v', scalar);
    }
    if (accumulates(operation)) {
        return snprintf(text->buffer, text->size, "%s v%u,%s,v%u%s", name, text->vd, source, text->vs2, mask);
    }
    return snprintf(text->buffer, text->size, "%s v%u,v%u,%s%s", name, text->vd, text->vs2, source, mask);
}

int rv32_vector_text(uint32_t word, const char *const *x, const char *const *f, char *buffer, size_t size)
{
    enum { ARITHMETIC = 0x57, CONFIGURATION = 7 };
    const struct text text = {
        .word = word,
        .x = x,
        .f = f,
        .vd = bits_get(word, 7, 5),
        .rs1 = bits_get(word, 15, 5),
        .vs2 = bits_get(word, 20, 5),
        .mask = word >> 25 & 1 ? "" : ",v0.t",
        .buffer = buffer,
        .size = size,
    };
    if ((word & 0x7f) != ARITHMETIC) {
        return access_text(&text);
    }
    return bits_get(word, 12, 3) == CONFIGURATION ? vset_text(&text) : arithmetic_text(&text);
}
