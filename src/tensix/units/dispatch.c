#include "tensix/units/dispatch.h"

#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"
#include "tensix/units/execute.h"
#include "tensix/units/matrix/move_plain.h"
#include "tensix/units/state.h"
#include "tensix/units/vector/operation.h"

/* For each instruction the bits of its word that are not reserved. */
enum {
#define TENSIX_BEGIN(name_, ...) FIELDS_OF_##name_ = (int)(0xff000000
#define TENSIX_FIELD(name_, field, shift, width) | (((1u << (width)) - 1) << (shift))
#define TENSIX_RESERVED(...)
#define TENSIX_END(name_) ),
#include "tensix.def"
};

/* Instructions that the engine may execute as part of a burst: all except those of the frontend, and those that may
   access registers of the tile, since some of these reset a frontend. */
#define EXECUTES_IN_A_ROW(unit) (TENSIX_##unit != TENSIX_FRONTEND)
#define TENSIX_USE_LREGS(mask) 0
#define IS_DECODED true
#define IS_NOT_DECODED false

enum {
#define TENSIX_FACTS(name_, sub_unit, decoded, ...) DECODED_##name_ = IS_##decoded,
#include "tensix.def"
};
enum {
#define TENSIX_BEGIN(name_, opcode, unit, ...) IN_A_ROW_##name_ = EXECUTES_IN_A_ROW(unit) && !((0
#define TENSIX_READS(name_, what, when) | TENSIX_USE_##what
#define TENSIX_WRITES(name_, what, when) | TENSIX_USE_##what
#define TENSIX_END(name_) ) & TENSIX_USE_REGISTERS),
#include "tensix.def"
};

enum {
#define TENSIX_BEGIN(name_, opcode, ...)                                                                               \
    BY_UNIT_##name_ = IN_A_ROW_##name_ && !DECODED_##name_ && !MATRIX_MAY_RUN(opcode),
#include "tensix.def"
};

const struct tensix_dispatch tensix_dispatch[256] = {
#define TENSIX_BEGIN(name_, opcode, unit, ...)                                                                         \
    [opcode] = {.run = run_##name_,                                                                                    \
                .fields = (uint32_t)FIELDS_OF_##name_,                                                                 \
                .in_a_row = IN_A_ROW_##name_,                                                                          \
                .by_unit = BY_UNIT_##name_,                                                                            \
                .traced = VECTOR_MAY_BE_DECODED(opcode) && !BY_UNIT_##name_},
#include "tensix.def"
};

enum step tensix_check_word(struct tensix *tensix, uint32_t word)
{
    uint32_t opcode = word >> 24;
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)opcode);
    if (!instruction) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "no instruction has opcode 0x%02x%s", opcode,
                        word ? ""
                             : ": memory that is zero reads as this, and so do places of a replay buffer that nothing "
                               "was loaded to; did execution run past the end of a program, or a REPLAY?");
    }
    uint32_t set = word & ~tensix_dispatch[opcode].fields;
    if (!(set & ~instruction->ignored)) {
        return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "%s: reserved bits 0x%06x are set; cards ignore them",
                        instruction->name, set);
    }
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s: reserved bits 0x%06x are set", instruction->name,
                    set);
}

enum step tensix_execute(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc)
{
    return tensix_dispatch_word(tensix, thread, (struct pushed){.word = word, .pc = pc});
}
