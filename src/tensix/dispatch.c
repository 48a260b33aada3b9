#define TENSIX_REFERENCE __attribute__((weak, visibility("hidden")))
#include "tensix/execute.h"

#include "isa/tensix_table.h"
#include "tensix/dispatch.h"
#include "tensix/tensix.h"

/* For each instruction a function that decodes its word and calls its unit, where the unit has none. */
#define TENSIX_BEGIN(name, ...)                                                                                        \
    enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)                                        \
    {                                                                                                                  \
        if (!execute_##name) {                                                                                         \
            return diagnose(tensix->diagnostics, BH_UNSUPPORTED, #name " is not emulated yet");                        \
        }                                                                                                              \
        return execute_##name(tensix, thread, decode_##name(word));                                                    \
    }
#define TENSIX_FIELD(...)
#define TENSIX_END(...)
#include "tensix.def"
#undef TENSIX_BEGIN
#undef TENSIX_FIELD
#undef TENSIX_END

const struct tensix_dispatch tensix_dispatch[256] = {
#define TENSIX_BEGIN(name_, opcode, ...) [opcode] = {.run = run_##name_, .fields = 0xff000000
#define TENSIX_FIELD(name_, field, shift, width) | (((1u << (width)) - 1) << (shift))
#define TENSIX_RESERVED(...)
#define TENSIX_END(name_)                                                                                              \
    }                                                                                                                  \
    ,
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
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s: reserved bits 0x%06x are set", instruction->name,
                    word & ~tensix_dispatch[opcode].fields);
}

enum step tensix_execute(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc)
{
    return tensix_dispatch_word(tensix, thread, (struct pushed){.word = word, .pc = pc});
}
