#include "tensix/units/vector/loadmacro/stall.h"

#include "util/bits.h"

#define OPCODE(name) TENSIX_OPCODE_##name

enum { AND_USE_VB = 1, IADD_ARG_IMM = 1, SHFT_ARG_IMM = 1, SHFT_USE_VC = 4, SWAP = 0 };
enum { SHFLROR1_AND_COPY4 = 2, SHFLROR1, SHFLSHR1, SHFT_LREG, SHFT_IMM };

/* What the page lists, and what that logic takes such instructions to read instead. */
static uint32_t unknown_reads(const struct vector_scheduled *instruction, uint32_t *known)
{
    uint32_t vb = 1u << instruction->vb, vc = 1u << instruction->vc, vd = 1u << instruction->vd;
    uint32_t mod1 = bits_get(instruction->word, 0, 4);
    *known = 0;
    switch (instruction->word >> 24) {
    case OPCODE(SFPAND):
    case OPCODE(SFPOR): *known = vc | vd; return mod1 & AND_USE_VB ? vb : 0;
    case OPCODE(SFPIADD): *known = vc; return mod1 & IADD_ARG_IMM ? 0 : vd;
    case OPCODE(SFPSHFT):
        *known = mod1 & SHFT_ARG_IMM && !(mod1 & SHFT_USE_VC) ? 0 : vc;
        return mod1 & SHFT_ARG_IMM && mod1 & SHFT_USE_VC ? 0 : vd;
    case OPCODE(SFPCONFIG): return 1;
    case OPCODE(SFPSWAP): return mod1 == SWAP ? 0 : vc | vd;
    case OPCODE(SFPSHFT2):
        *known = mod1 < SHFT_LREG ? 0 : mod1 == SHFT_LREG ? vc | vd : vd;
        return mod1 == SHFLROR1_AND_COPY4 ? vc | 0xe /* LReg[1..3] */
               : mod1 < SHFLROR1          ? 0
               : mod1 < SHFT_LREG         ? vc
                                          : vb;
    default: return 0;
    }
}

uint32_t vector_known_uses(const struct vector_scheduled *instruction)
{
    uint32_t known;
    return unknown_reads(instruction, &known) ? known : vector_reads(instruction) | vector_writes(instruction);
}

enum step vector_check_products(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t products)
{
    uint32_t known, missed = products ? products & unknown_reads(instruction, &known) : 0;
    if (!missed || products & known) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_UNPREDICTABLE_VALUE,
                    "this instruction reads LReg[%u] in the cycle after an instruction of the MAD sub-unit that writes "
                    "it, which takes two; hardware does not make it wait (SFPMAD.md): put an SFPNOP between them",
                    (unsigned)__builtin_ctz(missed));
}

enum step vector_check_pair(struct tensix *tensix, uint32_t before, uint32_t word)
{
    enum { INDIRECT_VD = 8 };
    if (!vector_has_opcode(before) || vector_sub_unit_of(before >> 24) != VECTOR_MAD || !vector_has_opcode(word)) {
        return STEP_DONE;
    }
    struct vector_scheduled product = vector_regular(before), reader = vector_regular(word);
    uint32_t mod1 = before >> 24 == OPCODE(SFPLUT) ? bits_get(before, 16, 4) : bits_get(before, 0, 4);
    uint32_t products = mod1 & INDIRECT_VD ? (1u << LREG_WRITABLE) - 1 : vector_writes(&product);
    return vector_check_products(tensix, &reader, products);
}
