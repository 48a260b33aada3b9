/* The cases of rv32_vector.bin, made from their numbers by the program that records it and by the test that reads it.

   The file: a text of RV32_VECTOR_TEXT bytes, padded with zeros, that says where it comes from; then for each case 64
   bits, little endian: a hash (FNV-1a) of all state that the instruction can change, or 0 if the model refused it. */
#ifndef BHEMU_TESTS_VECTORS_RV32_VECTOR_H
#define BHEMU_TESTS_VECTORS_RV32_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { RV32_VECTOR_TEXT = 512, RV32_VECTOR_CASES = 12000, CASE_MEMORY = 4096, CASE_BASE = 2048 };

/* The instruction, and the state before it. Operands in integer registers are a1 (x11) and a2 (x12), in floating-point
   registers fa1 (f11); results go to a0 and fa0. For loads and stores a1 is the address of memory[CASE_BASE]. */
struct vector_case {
    uint32_t word, vtype, vl, vxrm, a1, a2, fa1;
    bool memory_used;
    uint8_t v[512];
    uint8_t memory[CASE_MEMORY];
};

/* The changes that it made. */
struct vector_result {
    uint32_t a0, fa0, fcsr, vxsat, vl, vtype;
    const uint8_t *v, *memory;
};

static const struct {
    uint8_t group, funct6, operands, is_multiply_add;
} vector_case_operations[] = {
#define VXI 7
#define VX 3
#define XI 6
#define V 1
#define X 2
#define I 4
#define GROUP_I 0
#define GROUP_M 1
#define GROUP_F 2
#define RV32_VECTOR(name, mnemonic, group, funct6, operands, shape)                                                    \
    {GROUP_##group, funct6, operands, GROUP_##group == GROUP_F && (funct6) >= 0x28},
#include "rv32_vector.def"
#undef RV32_VECTOR
#undef VXI
#undef VX
#undef XI
#undef V
#undef X
#undef I
#undef GROUP_I
#undef GROUP_M
};

enum { VECTOR_CASE_OPERATIONS = sizeof vector_case_operations / sizeof vector_case_operations[0] };

static uint64_t case_random_state;

static uint32_t case_random(void)
{
    case_random_state ^= case_random_state << 13;
    case_random_state ^= case_random_state >> 7;
    case_random_state ^= case_random_state << 17;
    return (uint32_t)(case_random_state >> 16);
}

/* A number from which no denormals result: neither itself, nor as a product or difference. */
static uint32_t case_float(void)
{
    static const uint32_t special[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x3f800000};
    uint32_t choice = case_random() % 16;
    if (choice < sizeof special / sizeof special[0]) {
        return special[choice];
    }
    uint32_t rest = case_random() & 0x807fffff; /* two statements, since compilers may evaluate operands in any order */
    return rest | (107 + case_random() % (choice < 12 ? 40 : 56)) << 23;
}

static uint32_t case_register(uint32_t lmul)
{
    uint32_t reg = case_random() % 32;
    return lmul < 4 && case_random() % 8 ? reg & ~((1u << lmul) - 1) : reg;
}

static uint32_t case_arithmetic(unsigned operation, uint32_t lmul)
{
    static const uint8_t opcodes[3][3] = {{0, 4, 3}, {2, 6, 0}, {1, 5, 0}}; /* [group][V, X, I] */
    unsigned group = vector_case_operations[operation].group, kind;
    do {
        kind = case_random() % 3;
    } while (!(vector_case_operations[operation].operands >> kind & 1));
    uint32_t funct6 = vector_case_operations[operation].funct6, vd = case_register(lmul), vs1 = case_register(lmul);
    bool unary = kind == 0 && group != 0 && (funct6 == 0x10 || funct6 == 0x12 || funct6 == 0x13 || funct6 == 0x14);
    if (unary) {
        vs1 = case_random() % 24;
        if (group == GROUP_F && funct6 == 0x12 && (vs1 & 6) == 6) {
            vs1 ^= 4; /* conversions that round towards zero: the model has a bug here */
        }
    } else if (kind == 1) {
        vs1 = 11;
    } else if (kind == 2 && funct6 == 0x27) {
        vs1 = (1u << case_random() % 4) - 1;
    }
    if (funct6 == 0x10 && group != 0 && kind == 0) {
        vd = 10;
        vs1 = group == GROUP_F || case_random() % 2 ? 0 : 16 + case_random() % 2;
    }
    uint32_t vs2 = funct6 == 0x10 && kind == 1 && group != 0 ? 0 : case_register(lmul);
    bool unmasked = group == 1 && kind == 0 && funct6 >= 0x17 && funct6 <= 0x1f; /* vcompress, logic on masks */
    return funct6 << 26 | (unmasked || case_random() % 2 ? 1u << 25 : 0) | vs2 << 20 | vs1 << 15 |
           (uint32_t)opcodes[group][kind] << 12 | vd << 7 | 0x57;
}

static uint32_t case_access(struct vector_case *c, uint32_t lmul)
{
    static const uint8_t widths[3] = {0, 5, 6}, kinds[4] = {0, 0, 8, 11};
    uint32_t mode = case_random() % 4, width = widths[case_random() % 3], store = case_random() % 2;
    uint32_t vs2 = mode == 0 ? kinds[case_random() % 4] : mode == 2 ? 12 : case_register(lmul);
    uint32_t masked = mode == 0 && vs2 ? 0 : case_random() % 2;
    uint32_t fields = mode == 0 && vs2 == 11 ? 0 : case_random() % 3 ? 0 : case_random() % 8;
    if (mode == 0 && vs2 == 8) {
        fields = (1u << case_random() % 4) - 1;
        width = store ? 0 : width;
    } else if (mode == 0 && vs2 == 11) {
        width = 0;
    }
    c->memory_used = true;
    c->a2 = (case_random() % 7 - 3) * 4;
    for (unsigned i = 0; mode & 1 && i < sizeof c->v; i++) { /* indices from 0 to 252, multiples of 4 */
        c->v[i] = i % (width == 0 ? 1 : width == 5 ? 2 : 4) == 0 ? c->v[i] & 0xfc : 0;
    }
    return fields << 29 | mode << 26 | (masked ? 0 : 1u << 25) | vs2 << 20 | 11u << 15 | width << 12 |
           case_register(lmul) << 7 | (store ? 0x27 : 0x07);
}

static uint32_t case_vset(struct vector_case *c)
{
    static const uint8_t types[] = {0x00, 0x01, 0x02, 0x03, 0x06, 0x07, 0x08, 0x09, 0x0a,
                                    0x0b, 0x0f, 0x10, 0x11, 0x12, 0x13, 0xc0, 0x48, 0x93};
    uint32_t vtype = types[case_random() % sizeof types], rs1 = case_random() % 2 ? 11u : 0;
    c->a1 = case_random() % 200;
    c->a2 = vtype;
    switch (case_random() % 3) {
    case 0: return vtype << 20 | rs1 << 15 | 7u << 12 | 10u << 7 | 0x57;
    case 1: return 3u << 30 | vtype << 20 | case_random() % 32 << 15 | 7u << 12 | 10u << 7 | 0x57;
    default: return 1u << 31 | 12u << 20 | rs1 << 15 | 7u << 12 | 10u << 7 | 0x57;
    }
}

static void make_vector_case(unsigned number, struct vector_case *c)
{
    case_random_state = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    static const int8_t lmuls[] = {-2, -1, 0, 0, 1, 2, 3};
    unsigned operation;
    do {
        operation = case_random() % (VECTOR_CASE_OPERATIONS + 24);
    } while (operation < VECTOR_CASE_OPERATIONS && vector_case_operations[operation].is_multiply_add);
    bool is_float = operation < VECTOR_CASE_OPERATIONS && vector_case_operations[operation].group == GROUP_F;
    bool converts = is_float && vector_case_operations[operation].funct6 == 0x12;
    uint32_t width = is_float ? (converts && case_random() % 2 ? 1 : 2) : case_random() % 3;
    int lmul = lmuls[case_random() % 7];
    if (lmul < 0 && (8u << width) > 32u >> -lmul) {
        lmul = 0;
    }
    uint32_t longest = lmul < 0 ? 16u >> width >> -lmul : 16u >> width << lmul;
    c->vtype = width << 3 | ((uint32_t)lmul & 7);
    c->vl = case_random() % 4 ? case_random() % (longest + 1) : longest;
    c->vxrm = case_random() % 4;
    c->a1 = case_random();
    c->a1 >>= case_random() % 32;
    c->a2 = case_random();
    c->fa1 = case_float();
    c->memory_used = false;
    for (unsigned i = 0; i < sizeof c->v; i += 4) {
        uint32_t value = is_float ? case_float() : case_random();
        value >>= is_float || case_random() % 4 ? 0 : case_random() % 32;
        for (unsigned byte = 0; byte < 4; byte++) {
            c->v[i + byte] = (uint8_t)(value >> 8 * byte);
        }
    }
    for (unsigned i = 0; i < CASE_MEMORY; i++) {
        c->memory[i] = (uint8_t)(i * 37 + i / 256 * 11 + number);
    }
    uint32_t group = lmul < 0 ? 0 : (uint32_t)lmul;
    c->word = operation < VECTOR_CASE_OPERATIONS        ? case_arithmetic(operation, group)
              : operation < VECTOR_CASE_OPERATIONS + 18 ? case_access(c, group)
                                                        : case_vset(c);
}

static uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t hash_word(uint64_t hash, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        hash = (hash ^ (word >> 8 * i & 0xff)) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t vector_case_hash(const struct vector_case *c, const struct vector_result *result)
{
    uint64_t hash = hash_bytes(UINT64_C(14695981039346656037), result->v, sizeof c->v);
    if (c->memory_used) {
        hash = hash_bytes(hash, result->memory, CASE_MEMORY);
    }
    hash = hash_word(hash_word(hash, result->a0), result->fa0);
    hash = hash_word(hash_word(hash, result->fcsr), result->vxsat);
    return hash_word(hash_word(hash, result->vl), result->vtype) | 1;
}

#endif
