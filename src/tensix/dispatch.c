#include "tensix/dispatch.h"

#include "isa/tensix_table.h"
#include "tensix/execute.h"
#include "tensix/tensix.h"
#include "tensix/units/matrix/move_plain.h"

enum {
    UNITS_IN_A_ROW = 1 << TENSIX_SYNC | 1 << TENSIX_SCALAR | 1 << TENSIX_CONFIG | 1 << TENSIX_ADDR |
                     1 << TENSIX_UNPACK | 1 << TENSIX_MATRIX | 1 << TENSIX_PACK
};

#define REACHES_REGISTERS(opcode)                                                                                      \
    ((opcode) == TENSIX_OPCODE_STOREIND || (opcode) == TENSIX_OPCODE_STOREREG || (opcode) == TENSIX_OPCODE_LOADREG ||  \
     (opcode) == TENSIX_OPCODE_STREAMWRCFG || (opcode) == TENSIX_OPCODE_UNPACR_NOP ||                                  \
     (opcode) == TENSIX_OPCODE_PACR_SETREG)

/* Bits of the word of each that mean something. */
enum {
#define TENSIX_BEGIN(name_, ...) FIELDS_OF_##name_ = (int)(0xff000000
#define TENSIX_FIELD(name_, field, shift, width) | (((1u << (width)) - 1) << (shift))
#define TENSIX_RESERVED(...)
#define TENSIX_END(name_) ),
#include "tensix.def"
#undef TENSIX_BEGIN
#undef TENSIX_FIELD
#undef TENSIX_END
};

const struct tensix_dispatch tensix_dispatch[256] = {
#define TENSIX_BEGIN(name_, opcode, unit, ...)                                                                         \
    [opcode] = {.run = run_##name_,                                                                                    \
                .in_a_row = (UNITS_IN_A_ROW >> TENSIX_##unit & 1) && !REACHES_REGISTERS(opcode),                       \
                .fields = (uint32_t)FIELDS_OF_##name_},
#define TENSIX_FIELD(...)
#define TENSIX_RESERVED(...)
#define TENSIX_END(name_)
#include "tensix.def"
#undef TENSIX_BEGIN
#undef TENSIX_FIELD
#undef TENSIX_END
};

enum step tensix_check_word(struct tensix *tensix, uint32_t word)
{
    uint32_t opcode = word >> 24;
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)opcode);
    if (!instruction) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "no instruction has opcode 0x%02x%s", opcode,
                        word ? ""
                             : ": memory that is zero reads as this; did execution run past the end of a program?");
    }
    uint32_t set = word & ~tensix_dispatch[opcode].fields;
    if (!(set & ~instruction->ignored)) {
        return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "%s: reserved bits 0x%06x are set; cards ignore them",
                        instruction->name, set);
    }
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s: reserved bits 0x%06x are set", instruction->name,
                    set);
}

/* Those that do less than it takes to call them: within tensix_execute_row(). None of them waits, or gives
   back a bank. */
#define EACH_SHORT_INSTRUCTION(apply)                                                                                  \
    apply(NOP) apply(DMANOP) apply(SETADC) apply(SETADCXX) apply(SETADCXY) apply(SETADCZW) apply(INCADCXY)             \
        apply(INCADCZW) apply(ADDRCRXY) apply(ADDRCRZW) apply(SETC16) apply(WRCFG) apply(RDCFG) apply(RMWCIB0)         \
            apply(RMWCIB1) apply(RMWCIB2) apply(RMWCIB3) apply(SETDMAREG) apply(ADDDMAREG) apply(SUBDMAREG)            \
                apply(MULDMAREG) apply(BITWOPDMAREG) apply(SHIFTDMAREG) apply(CMPDMAREG) apply(SEMINIT) apply(SEMPOST) \
                    apply(SEMGET) apply(STALLWAIT) apply(SEMWAIT) apply(CFGSHIFTMASK) apply(REG2FLOP)

/* Executes those that stand first, and returns the first that is not one of them, or not done: *step. */
static __attribute__((flatten, noinline)) const uint32_t *
execute_short(struct tensix *tensix, unsigned thread, const uint32_t *at, const uint32_t *end, enum step *step)
{
    const bool *latched = &tensix->state->frontend[thread].wait.latched;
    for (; at < end && !*latched; at++) {
        uint32_t word = *at;
        enum step one;
        switch (word >> 24) {
#define CASE(name)                                                                                                     \
    case TENSIX_OPCODE_##name:                                                                                         \
        if (word & ~FIELDS_OF_##name) {                                                                                \
            return at;                                                                                                 \
        }                                                                                                              \
        tensix->diagnostics->now.instruction = word;                                                                   \
        one = execute_##name(tensix, thread, decode_##name(word));                                                     \
        break;
            EACH_SHORT_INSTRUCTION(CASE)
#undef CASE
        default: return at;
        }
        if (__builtin_expect(one != STEP_DONE, 0)) {
            *step = one;
            return at;
        }
    }
    return at;
}

uint32_t tensix_execute_row(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count,
                            enum step *step)
{
    const struct tensix_state *state = tensix->state;
    const bool *latched = &state->frontend[thread].wait.latched;
    const uint32_t *at = words, *end = words + count;
    *step = STEP_DONE;
    for (;;) {
        at = execute_short(tensix, thread, at, end, step);
        if (at == end || *step != STEP_DONE || !tensix_in_a_row(*at) || *latched) {
            break;
        }
        uint32_t moves = matrix_may_run(*at) ? matrix_run_moves(tensix, thread, at, (uint32_t)(end - at), 1) : 0;
        if (moves) {
            at += moves;
            continue;
        }
        tensix->diagnostics->now.instruction = *at;
        *step = tensix_dispatch[*at >> 24].run(tensix, thread, *at);
        if (__builtin_expect(*step != STEP_DONE, 0)) {
            break;
        }
        at++;
        if (__builtin_expect(state->src_given_back, 0)) {
            break;
        }
    }
    return (uint32_t)(at - words);
}

enum step tensix_execute(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc)
{
    return tensix_dispatch_word(tensix, thread, (struct pushed){.word = word, .pc = pc});
}
