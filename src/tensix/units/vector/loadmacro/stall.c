#include "tensix/units/vector/loadmacro/stall.h"

#include "isa/tensix_facts.h"

/* The LRegs that an instruction reads without the stall logic's knowledge; *known: those that the logic takes it to
   read, rightly or not. */
static uint32_t unknown_reads(const struct vector_scheduled *instruction, uint32_t *known)
{
    const struct tensix_operands operands = {.vb = instruction->vb, .vc = instruction->vc, .vd = instruction->vd};
    uint64_t missed;
    *known = (uint32_t)tensix_reads_seen(instruction->word, &operands, &missed) & VECTOR_ALL_LREGS;
    return (uint32_t)missed & VECTOR_ALL_LREGS;
}

/* Instructions whose reads are all known also wait for products that would overwrite their results, but for products,
   each of which is there behind the one before it. Of two-cycle instructions the logic only knows the LReg that VD
   names. */
uint32_t vector_known_uses(const struct vector_scheduled *instruction, uint32_t *missed)
{
    enum { WRITABLE = (1 << LREG_WRITABLE) - 1 };
    uint32_t known;
    *missed = unknown_reads(instruction, &known);
    if (*missed || vector_sub_unit_of(instruction->word >> 24) == VECTOR_MAD) {
        return known;
    }
    bool late = vector_takes_two_cycles(instruction->word);
    return known | ((late ? 1u << instruction->vd : vector_writes(instruction)) & WRITABLE);
}

static uint32_t known_reads(const struct vector_scheduled *instruction)
{
    uint32_t known;
    (void)unknown_reads(instruction, &known);
    return known;
}

/* What it reads in its first cycle: SFPSWAP that compares nothing reads in its second. */
static uint32_t first_reads(const struct vector_scheduled *instruction)
{
    bool swaps_only = instruction->word >> 24 == TENSIX_OPCODE_SFPSWAP && !(instruction->word & 15);
    return swaps_only ? 0 : vector_reads(instruction) & VECTOR_ALL_LREGS;
}

enum step vector_check_products(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t written,
                                uint32_t waited_for)
{
    uint32_t missed = written ? written & first_reads(instruction) : 0;
    if (!missed || waited_for & known_reads(instruction)) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_UNPREDICTABLE_VALUE,
                    "this instruction reads LReg[%u] in the cycle after an instruction of the MAD sub-unit that writes "
                    "it, which takes two; hardware does not make it wait (SFPMAD.md): put an SFPNOP between them",
                    (unsigned)__builtin_ctz(missed));
}

enum step vector_check_pair(struct tensix *tensix, uint32_t before, uint32_t word)
{
    if (!vector_has_opcode(before) || vector_sub_unit_of(before >> 24) != VECTOR_MAD || !vector_has_opcode(word)) {
        return STEP_DONE;
    }
    struct vector_scheduled product = vector_regular(before), reader = vector_regular(word);
    uint32_t written = vector_known_product(&product); /* what LReg[7] will say is not known */
    return vector_check_products(tensix, &reader, written, written);
}
