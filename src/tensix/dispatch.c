#include "tensix/dispatch.h"

#include "isa/tensix_table.h"
#include "tensix/execute.h"
#include "tensix/tensix.h"

enum {
    UNITS_IN_A_ROW = 1 << TENSIX_SYNC | 1 << TENSIX_SCALAR | 1 << TENSIX_CONFIG | 1 << TENSIX_ADDR |
                     1 << TENSIX_UNPACK | 1 << TENSIX_MATRIX | 1 << TENSIX_VECTOR | 1 << TENSIX_PACK
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

enum step tensix_execute(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc)
{
    return tensix_dispatch_word(tensix, thread, (struct pushed){.word = word, .pc = pc});
}
