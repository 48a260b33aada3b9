/* Instructions as SFPLOADMACRO schedules them: which sub-unit takes what, and operands of its choosing. Source: ISA
   documentation SFPLOADMACRO.md, and the pages of the instructions. */
#include "tensix/units/vector/loadmacro/scheduled.h"

#include <string.h>

#include "util/bits.h"

#define OPCODE(name) TENSIX_OPCODE_##name

enum { LREG_BITS = 15, INDIRECT_VA_BIT = 4, INDIRECT_VD_BIT = 8 };

enum vector_sub_unit vector_sub_unit_of(unsigned opcode)
{
    switch (opcode) {
    case OPCODE(SFPLOAD):
    case OPCODE(SFPLOADI):
    case OPCODE(SFPLOADMACRO):
    case OPCODE(SFPNOP): return VECTOR_LOAD;
    case OPCODE(SFPADD):
    case OPCODE(SFPADDI):
    case OPCODE(SFPLUT):
    case OPCODE(SFPLUTFP32):
    case OPCODE(SFPMAD):
    case OPCODE(SFPMUL):
    case OPCODE(SFPMULI):
    case OPCODE(SFPMUL24): return VECTOR_MAD;
    case OPCODE(SFPSHFT2):
    case OPCODE(SFP_STOCH_RND): return VECTOR_ROUND;
    case OPCODE(SFPSTORE): return VECTOR_STORE;
    default: return VECTOR_SIMPLE;
    }
}

static unsigned opcode_of(uint32_t word)
{
    return word >> 24;
}

static unsigned mod1_of(uint32_t word)
{
    return word & 15;
}

/* SFPSHFT2's modes by which values go to other lanes. */
static bool shuffles_lanes(uint32_t word)
{
    enum { SHFLROR1_AND_COPY4 = 2, SHFLSHR1 = 4 };
    return opcode_of(word) == OPCODE(SFPSHFT2) && mod1_of(word) - SHFLROR1_AND_COPY4 <= SHFLSHR1 - SHFLROR1_AND_COPY4;
}

bool vector_takes_two_cycles(uint32_t word)
{
    unsigned opcode = opcode_of(word);
    return vector_sub_unit_of(opcode) == VECTOR_MAD || opcode == OPCODE(SFPSWAP) || shuffles_lanes(word);
}

/* Whether the encoding has VB, and whether this instruction uses it. */
static bool has_vb(uint32_t word)
{
    enum { USE_VB = 1 };
    switch (opcode_of(word)) {
    case OPCODE(SFPAND):
    case OPCODE(SFPOR): return mod1_of(word) & USE_VB;
    case OPCODE(SFPARECIP):
    case OPCODE(SFPMAD):
    case OPCODE(SFPADD):
    case OPCODE(SFPMUL):
    case OPCODE(SFPMUL24):
    case OPCODE(SFPSHFT2):
    case OPCODE(SFP_STOCH_RND): return true;
    default: return false;
    }
}

static bool has_vc(uint32_t word)
{
    unsigned opcode = opcode_of(word);
    return opcode != OPCODE(SFPADDI) && opcode != OPCODE(SFPMULI) && opcode != OPCODE(SFPLUT);
}

static uint32_t vd_of(uint32_t word)
{
    switch (opcode_of(word)) {
    case OPCODE(SFPLOAD):
    case OPCODE(SFPLOADI):
    case OPCODE(SFPSTORE):
    case OPCODE(SFPLUT): return bits_get(word, 20, 4);
    case OPCODE(SFPLOADMACRO): return (word & 1) << 2 | bits_get(word, 20, 2);
    default: return bits_get(word, 4, 4);
    }
}

struct vector_scheduled vector_regular(uint32_t word)
{
    uint32_t vd = vd_of(word);
    return (struct vector_scheduled){
        .word = word,
        .vd = (uint8_t)vd,
        .vb = (uint8_t)(has_vb(word) ? bits_get(word, 12, 4) : vd),
        .vc = (uint8_t)(has_vc(word) ? bits_get(word, 8, 4) : vd),
        .regular = true,
    };
}

struct vector_scheduled vector_schedule(uint32_t word, uint32_t vd, uint32_t sequence)
{
    enum { OVERRIDE_VB = 0x80, TO_MACRO_LREG = 0x40 };
    struct vector_scheduled instruction = vector_regular(word);
    instruction.regular = false;
    if (sequence & OVERRIDE_VB) {
        instruction.vb = (uint8_t)vd;
    } else {
        instruction.vc = (uint8_t)vd;
    }
    instruction.vd = (uint8_t)(sequence & TO_MACRO_LREG ? LREG_MACRO : vd);
    return instruction;
}

static uint32_t multiply_add_reads(const struct vector_scheduled *instruction)
{
    unsigned opcode = opcode_of(instruction->word), mod1 = mod1_of(instruction->word);
    uint32_t reads = 1u << LREG_INDIRECT; /* if only as INDIRECT_VD */
    if (opcode == OPCODE(SFPLUT) || opcode == OPCODE(SFPLUTFP32)) {
        return reads | 0xff;
    }
    reads |= 1u << instruction->vb | 1u << instruction->vc;
    if (opcode != OPCODE(SFPADDI) && opcode != OPCODE(SFPMULI)) {
        reads |= mod1 & INDIRECT_VA_BIT ? VECTOR_ALL_LREGS : 1u << bits_get(instruction->word, 16, 4);
    }
    return reads;
}

/* Loads of one half of an LReg. */
static bool keeps_half(uint32_t word)
{
    enum { LOADI_UPPER = 8, LOADI_LOWER = 10, LO16_ONLY = 14, HI16_ONLY = 15 };
    unsigned mod0 = bits_get(word, 16, 4);
    return opcode_of(word) == OPCODE(SFPLOADI) ? mod0 == LOADI_UPPER || mod0 == LOADI_LOWER
                                               : mod0 == LO16_ONLY || mod0 == HI16_ONLY;
}

uint32_t vector_reads(const struct vector_scheduled *instruction)
{
    uint32_t own = 1u << instruction->vb | 1u << instruction->vc | 1u << instruction->vd;
    switch (opcode_of(instruction->word)) {
    case OPCODE(SFPNOP): return 0;
    case OPCODE(SFPTRANSP): return VECTOR_FLAGS | 0xff;
    case OPCODE(SFPCONFIG): return VECTOR_FLAGS | 1;
    case OPCODE(SFPSHFT2): return VECTOR_FLAGS | 0xf | own;
    case OPCODE(SFPLOAD):
    case OPCODE(SFPLOADI):
    case OPCODE(SFPLOADMACRO): return VECTOR_FLAGS | (keeps_half(instruction->word) ? 1u << instruction->vd : 0);
    case OPCODE(SFPSTORE): return VECTOR_FLAGS | 1u << instruction->vd;
    default:
        return VECTOR_FLAGS |
               (vector_sub_unit_of(opcode_of(instruction->word)) == VECTOR_MAD ? multiply_add_reads(instruction) : own);
    }
}

uint32_t vector_writes(const struct vector_scheduled *instruction)
{
    enum { COPIES = 3 };
    uint32_t vd = 1u << instruction->vd;
    switch (opcode_of(instruction->word)) {
    case OPCODE(SFPNOP):
    case OPCODE(SFPSTORE):
    case OPCODE(SFPSWAP): return 0;
    case OPCODE(SFPSETCC):
    case OPCODE(SFPENCC):
    case OPCODE(SFPCOMPC):
    case OPCODE(SFPPUSHC):
    case OPCODE(SFPPOPC): return VECTOR_FLAGS;
    case OPCODE(SFPLE):
    case OPCODE(SFPGT):
    case OPCODE(SFPIADD):
    case OPCODE(SFPLZ):
    case OPCODE(SFPEXEXP): return VECTOR_FLAGS | vd;
    case OPCODE(SFPTRANSP): return 0xff;
    case OPCODE(SFPSHFT2): return mod1_of(instruction->word) < COPIES ? 0xf : vd;
    default: return vd;
    }
}

/* Executes it with its own VB, VC and VD; `vd` may stand in for the last. `lanes`: of what changes the stack. */
static enum step execute(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t vd, uint32_t lanes)
{
    struct vector_macro *macro = &tensix->state->vector.macro;
    unsigned thread = instruction->thread;
    uint32_t word = instruction->word, vb = instruction->vb, vc = instruction->vc;
    enum step step = STEP_DONE;
    macro->source_b = (uint8_t)(vb + 1);
    macro->source_c = (uint8_t)(vc + 1);
    switch (opcode_of(word)) {
#define EXECUTE(name, ...)                                                                                             \
    case OPCODE(name): {                                                                                               \
        struct args_##name args = decode_##name(word);                                                                 \
        __VA_ARGS__;                                                                                                   \
        step = execute_##name(tensix, thread, args);                                                                   \
        break;                                                                                                         \
    }
#define EXECUTE_C(name) EXECUTE(name, args.lreg_dest = vd, args.lreg_c = vc)
#define EXECUTE_SRC_C(name) EXECUTE(name, args.lreg_dest = vd, args.lreg_src_c = vc)
#define EXECUTE_SRC_BC(name) EXECUTE(name, args.lreg_dest = vd, args.lreg_src_b = vb, args.lreg_src_c = vc)
        EXECUTE_C(SFPABS)
        EXECUTE_C(SFPAND)
        EXECUTE_C(SFPARECIP)
        EXECUTE_SRC_C(SFPCAST)
        EXECUTE(SFPCOMPC, args.lreg_dest = vd)
        EXECUTE_C(SFPDIVP2)
        EXECUTE(SFPENCC, args.lreg_dest = vd)
        EXECUTE_C(SFPEXEXP)
        EXECUTE_C(SFPEXMAN)
        EXECUTE_C(SFPGT)
        EXECUTE_C(SFPIADD)
        EXECUTE_C(SFPLE)
        EXECUTE_C(SFPLZ)
        EXECUTE_C(SFPMOV)
        EXECUTE_C(SFPNOT)
        EXECUTE_C(SFPOR)
        EXECUTE_C(SFPSETCC)
        EXECUTE_C(SFPSETEXP)
        EXECUTE_C(SFPSETMAN)
        EXECUTE_C(SFPSETSGN)
        EXECUTE_C(SFPSHFT)
        EXECUTE(SFPTRANSP, args.lreg_dest = vd)
        EXECUTE_C(SFPXOR)
        EXECUTE_SRC_BC(SFPADD)
        EXECUTE(SFPADDI, args.lreg_dest = vd)
        EXECUTE(SFPLUT, args.lreg_ind = vd)
        EXECUTE(SFPLUTFP32, args.lreg_dest = vd)
        EXECUTE_SRC_BC(SFPMAD)
        EXECUTE_SRC_BC(SFPMUL)
        EXECUTE(SFPMULI, args.lreg_dest = vd)
        EXECUTE_SRC_BC(SFPMUL24)
        EXECUTE_SRC_C(SFPSHFT2)
        EXECUTE_SRC_BC(SFP_STOCH_RND)
    case OPCODE(SFPPOPC): step = vector_pop(tensix, lanes, mod1_of(word)); break;
    case OPCODE(SFPPUSHC): step = vector_push(tensix, lanes, mod1_of(word)); break;
    case OPCODE(SFPCONFIG):
        if (vd != LREG_MACRO) { /* nothing is configured there */
            struct args_SFPCONFIG args = decode_SFPCONFIG(word);
            args.config_dest = vd;
            step = execute_SFPCONFIG(tensix, thread, args);
        }
        break;
    default: break; /* SFPNOP */
    }
    macro->source_b = macro->source_c = 0;
    return step;
}

/* Executes with what it writes to `registers` put aside. */
static enum step execute_late(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t vd,
                              uint32_t registers, struct vector_late *late)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t before[VECTOR_LATE_REGISTERS][SFPU_LANES];
    unsigned count = 0;
    for (uint32_t left = registers; left; left &= left - 1) {
        memcpy(before[count++], vector->lreg[__builtin_ctz(left)], sizeof *before);
    }
    uint32_t lanes = vector_enabled_lanes(vector);
    for (unsigned i = 0; i < VECTOR_LATE_REGISTERS; i++) {
        late->lanes[i] = i < count ? lanes : 0;
    }
    late->registers = registers;
    late->waited_for = instruction->regular ? registers : 0;
    enum step step = execute(tensix, instruction, vd, ALL_LANES);
    count = 0;
    for (uint32_t left = registers; left; left &= left - 1, count++) {
        uint32_t *lreg = vector->lreg[__builtin_ctz(left)];
        memcpy(late->value[count], lreg, sizeof *before);
        memcpy(lreg, before[count], sizeof *before);
    }
    if (step != STEP_DONE) {
        late->registers = late->waited_for = 0;
    }
    return step;
}

/* The result of the MAD sub-unit; where it goes is decided when the instruction starts. */
static enum step execute_multiply_add(struct tensix *tensix, const struct vector_scheduled *instruction,
                                      struct vector_late *late)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t mod = opcode_of(instruction->word) == OPCODE(SFPLUT) ? bits_get(instruction->word, 16, 4)
                                                                  : mod1_of(instruction->word);
    late->indirect = mod & INDIRECT_VD_BIT && instruction->vd != LREG_MACRO;
    if (!late->indirect) {
        uint32_t registers = vector_writable(instruction->vd) ? 1u << instruction->vd : 0;
        return execute_late(tensix, instruction, instruction->vd, registers, late);
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        late->vd[0][lane] = vector->lreg[LREG_INDIRECT][lane] & LREG_BITS;
    }
    enum step step = execute_late(tensix, instruction, LREG_MACRO, 1u << LREG_MACRO, late);
    late->registers = late->registers ? VECTOR_ALL_LREGS : 0;
    late->waited_for = late->waited_for ? VECTOR_ALL_LREGS : 0;
    return step;
}

enum step vector_execute_scheduled(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t lanes,
                                   struct vector_late *late, struct vector_swap *swap)
{
    uint32_t word = instruction->word;
    if (opcode_of(word) == OPCODE(SFPSTORE)) {
        vector_store(tensix, instruction->thread, instruction->vd, instruction->mod0, instruction->address, lanes);
        return STEP_DONE;
    }
    if (opcode_of(word) == OPCODE(SFPSWAP)) {
        struct args_SFPSWAP args = decode_SFPSWAP(word);
        args.lreg_src_c = swap->vc = instruction->vc;
        args.lreg_dest = swap->vd = instruction->vd;
        swap->regular = instruction->regular;
        enum step step = vector_swap_compare(tensix, args, ALL_LANES, &swap->lanes);
        swap->columns = step == STEP_DONE ? VECTOR_ALL_COLUMNS : 0;
        return step;
    }
    if (vector_sub_unit_of(opcode_of(word)) == VECTOR_MAD) {
        return execute_multiply_add(tensix, instruction, late);
    }
    if (shuffles_lanes(word)) {
        late->indirect = false;
        uint32_t registers = vector_writes(instruction);
        return execute_late(tensix, instruction, instruction->vd,
                            vector_writable(instruction->vd) || registers == 0xf ? registers : 0, late);
    }
    return execute(tensix, instruction, instruction->vd, lanes);
}

void vector_write_late(struct vector_unit *vector, const struct vector_late *late)
{
    uint32_t left = late->registers;
    for (unsigned i = 0; i < VECTOR_LATE_REGISTERS && left; i++, left &= left - 1) {
        if (!late->indirect) {
            vector_write(vector, (uint32_t)__builtin_ctz(left), late->value[i], late->lanes[i]);
            continue;
        }
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            if (late->lanes[i] >> lane & 1 && vector_writable(late->vd[i][lane])) {
                vector->lreg[late->vd[i][lane]][lane] = late->value[i][lane];
            }
        }
    }
}
