/* Instructions as SFPLOADMACRO schedules them: their sub-units, and execution with chosen operands. Source: ISA
   documentation SFPLOADMACRO.md, and the pages of the instructions. */
#include "tensix/units/vector/loadmacro/scheduled.h"

#include <string.h>

#include "isa/tensix_facts.h"
#include "tensix/units/observe.h"

#define OPCODE(name) TENSIX_OPCODE_##name

enum { LREG_BITS = 15, INDIRECT_VD_BIT = 8, SFPLUT_MOD0_AT = 16, SFPLUTFP32_MOD1_MIRROR_AT = 16 };

static const uint8_t sub_units[256] = {
#define TENSIX_FACTS(name, sub_unit, ...) [OPCODE(name)] = VECTOR_##sub_unit,
#include "tensix.def"
};

enum vector_sub_unit vector_sub_unit_of(unsigned opcode)
{
    return sub_units[opcode];
}

static unsigned opcode_of(uint32_t word)
{
    return word >> 24;
}

static unsigned mod1_of(uint32_t word)
{
    return word & 15;
}

static struct tensix_operands operands_of(const struct vector_scheduled *instruction)
{
    return (struct tensix_operands){.vb = instruction->vb, .vc = instruction->vc, .vd = instruction->vd};
}

bool vector_takes_two_cycles(uint32_t word)
{
    enum { ALL_BUT_CONSTANTS = (1 << LREG_WRITABLE) - 1 };
    const struct tensix_operands any_writable = {};
    return tensix_duration_of(word).latency == 2 && tensix_writes(word, &any_writable) & ALL_BUT_CONSTANTS;
}

struct vector_scheduled vector_regular(uint32_t word)
{
    struct tensix_operands operands = tensix_operands_of(word);
    return (struct vector_scheduled){
        .word = word, .vd = operands.vd, .vb = operands.vb, .vc = operands.vc, .regular = true};
}

struct vector_scheduled vector_schedule(uint32_t word, uint32_t vd, uint32_t sequence)
{
    enum { OVERRIDE_VB = 0x80, TO_MACRO_LREG = 0x40 };
    /* The other operand of SFPSWAP is the template's VD, which is VB where that is not replaced: so the vendor's
       exponential takes the larger one of what was loaded and a constant (ckernel_sfpu_exp.h). */
    const bool keeps_vd = opcode_of(word) == OPCODE(SFPSWAP) && !(sequence & (OVERRIDE_VB | TO_MACRO_LREG));
    struct vector_scheduled instruction = vector_regular(word);
    instruction.regular = false;
    if (sequence & OVERRIDE_VB) {
        instruction.vb = (uint8_t)vd;
    } else {
        instruction.vc = (uint8_t)vd;
    }
    if (!keeps_vd) {
        instruction.vd = (uint8_t)(sequence & TO_MACRO_LREG ? LREG_MACRO : vd);
    }
    return instruction;
}

uint32_t vector_reads(const struct vector_scheduled *instruction)
{
    const struct tensix_operands operands = operands_of(instruction);
    return (uint32_t)tensix_reads(instruction->word, &operands) & (VECTOR_FLAGS | VECTOR_ALL_LREGS);
}

uint32_t vector_writes(const struct vector_scheduled *instruction)
{
    const struct tensix_operands operands = operands_of(instruction);
    return (uint32_t)tensix_writes(instruction->word, &operands) & (VECTOR_FLAGS | VECTOR_ALL_LREGS);
}

uint32_t vector_known_product(const struct vector_scheduled *product)
{
    unsigned opcode = opcode_of(product->word);
    unsigned mod_at = opcode == OPCODE(SFPLUT)       ? SFPLUT_MOD0_AT
                      : opcode == OPCODE(SFPLUTFP32) ? SFPLUTFP32_MOD1_MIRROR_AT
                                                     : 0;
    bool indirect = product->word >> mod_at & INDIRECT_VD_BIT;
    return indirect ? VECTOR_ALL_LREGS : vector_writable(product->vd) ? 1u << product->vd : 0;
}

static bool goes_indirectly(const struct vector_scheduled *product)
{
    unsigned mod_at = opcode_of(product->word) == OPCODE(SFPLUT) ? SFPLUT_MOD0_AT : 0;
    return product->word >> mod_at & INDIRECT_VD_BIT && product->vd != LREG_MACRO;
}

uint32_t vector_direct_product(const struct vector_scheduled *product)
{
    return vector_writable(product->vd) && !goes_indirectly(product) ? 1u << product->vd : 0;
}

/* set_operands_NAME(): sets the operands that have a field in the instruction; others are passed as CHOSEN_VB and
   CHOSEN_VC. */
#define SET_VB(field) args->field = operands->vb;
#define SET_VC(field) args->field = operands->vc;
#define SET_VD(field) args->field = operands->vd;
#define SET_VA(field)
#define SET_CHOSEN_VB(field)
#define SET_CHOSEN_VC(field)
#define SET_GPR(field)
#define SET_GPR_GROUP(field)
#define SET_GPR_HALF(field)
#define SET_GPR_OF_HALF(field)
#define SET_GPR_GROUP_OF_HALF(field)
#define SET_DST_ROW(field)
#define SET_SRCA_ROW(field)
#define SET_SRCB_ROW(field)
#define TENSIX_BEGIN(name, ...)                                                                                        \
    __attribute__((unused)) static inline void set_operands_##name(struct args_##name *args,                           \
                                                                   const struct tensix_operands *operands)             \
    {
#define TENSIX_SOURCE(name, kind, field, ...) SET_##kind(field)
#define TENSIX_RESULT(name, kind, field, ...) SET_##kind(field)
#define TENSIX_END(...) }
#include "tensix.def"

static enum step execute_with(struct tensix *tensix, unsigned thread, uint32_t word,
                              const struct tensix_operands *operands)
{
    switch (opcode_of(word)) {
#define EXECUTE(name)                                                                                                  \
    case OPCODE(name): {                                                                                               \
        struct args_##name args = decode_##name(word);                                                                 \
        set_operands_##name(&args, operands);                                                                          \
        return execute_##name(tensix, thread, args);                                                                   \
    }
#define EXECUTE_SIMPLE EXECUTE
#define EXECUTE_MAD EXECUTE
#define EXECUTE_ROUND EXECUTE
#define EXECUTE_LOAD(name)  /* SFPNOP; no other instruction can be scheduled */
#define EXECUTE_STORE(name) /* vector_store() */
#define EXECUTE_NONE(name)
#define TENSIX_FACTS(name, sub_unit, ...) EXECUTE_##sub_unit(name)
#include "tensix.def"
    default: return STEP_DONE;
    }
}

/* Executes it with its own VB, VC and VD; `vd` replaces the last. `lanes`: for changes of the stack. */
static enum step execute(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t vd, uint32_t lanes)
{
    struct vector_macro *macro = &tensix->state->vector.macro;
    const struct tensix_operands operands = {.vb = instruction->vb, .vc = instruction->vc, .vd = (uint8_t)vd};
    uint32_t word = instruction->word;
    enum step step = STEP_DONE;
    macro->source_b = (uint8_t)(operands.vb + 1);
    macro->source_c = (uint8_t)(operands.vc + 1);
    switch (opcode_of(word)) {
    case OPCODE(SFPPOPC): step = vector_pop(tensix, lanes, mod1_of(word)); break;
    case OPCODE(SFPPUSHC): step = vector_push(tensix, lanes, mod1_of(word)); break;
    case OPCODE(SFPCONFIG):
        if (vd == LREG_MACRO) { /* LREG_MACRO has no configuration */
            break;
        }
        __attribute__((fallthrough));
    default: step = execute_with(tensix, instruction->thread, word, &operands); break;
    }
    macro->source_b = macro->source_c = 0;
    return step;
}

/* Executes it, but stores its writes to `registers` as late results. */
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
    late->regular = instruction->regular ? registers : 0;
    late->waited_for = late->regular;
    enum step step = execute(tensix, instruction, vd, ALL_LANES);
    count = 0;
    for (uint32_t left = registers; left; left &= left - 1, count++) {
        uint32_t *lreg = vector->lreg[__builtin_ctz(left)];
        memcpy(late->value[count], lreg, sizeof *before);
        memcpy(lreg, before[count], sizeof *before);
    }
    if (step != STEP_DONE) {
        late->registers = late->regular = late->waited_for = 0;
    }
    return step;
}

/* Puts a result of the MAD sub-unit aside that goes where LReg[7] says when the instruction starts. */
static enum step execute_indirectly(struct tensix *tensix, const struct vector_scheduled *instruction,
                                    struct vector_late *late)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t destinations = 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        late->vd[0][lane] = vector->lreg[LREG_INDIRECT][lane] & LREG_BITS;
        destinations |= (vector_enabled_lanes(vector) >> lane & 1) << late->vd[0][lane];
    }
    enum step step = execute_late(tensix, instruction, LREG_MACRO, 1u << LREG_MACRO, late);
    if (step == STEP_DONE) {
        late->registers = VECTOR_ALL_LREGS;
        late->regular = instruction->regular ? destinations : 0;
    }
    return step;
}

static enum step execute_multiply_add(struct tensix *tensix, const struct vector_scheduled *instruction,
                                      struct vector_late *late)
{
    enum step step;
    late->indirect = goes_indirectly(instruction);
    if (late->indirect) {
        step = execute_indirectly(tensix, instruction, late);
    } else {
        step = execute_late(tensix, instruction, instruction->vd, vector_direct_product(instruction), late);
    }
    late->waited_for = step == STEP_DONE && instruction->regular ? vector_known_product(instruction) : 0;
    return step;
}

enum step vector_execute_scheduled(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t lanes,
                                   struct vector_late *late, struct vector_swap *swap)
{
    uint32_t word = instruction->word;
    if (!instruction->regular) {
        tensix_scheduled(tensix, instruction);
    }
    if (opcode_of(word) == OPCODE(SFPSTORE)) {
        if (tensix->timed) {
            struct tensix_timing *timing = &tensix->state->timing;
            dst_access(&timing->matrix.dst, instruction->thread, DST_VECTOR, timing->vector.cycle);
        }
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
    if (vector_takes_two_cycles(word)) { /* moves values to other lanes */
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
