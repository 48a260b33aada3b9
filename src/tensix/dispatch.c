/* From an instruction word to the function of its unit. */
#include "isa/tensix_isa.h"
#include "tensix/execute.h"
#include "tensix/tensix.h"

struct dispatch {
    enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word);
    const char *name;
    uint32_t fields; /* bits of the word that mean something */
};

/* For each instruction a function that decodes its word and calls its unit. */
#define TENSIX_BEGIN(name, ...)                                                                                        \
    static enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)                                 \
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

static const struct dispatch dispatch[256] = {
#define TENSIX_BEGIN(name_, opcode, ...) [opcode] = {.run = run_##name_, .name = #name_, .fields = 0xff000000
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

enum step tensix_execute(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc)
{
    struct diagnostics *diagnostics = tensix->diagnostics;
    tensix_now(tensix, thread, (struct pushed){.word = word, .pc = pc});
    const struct dispatch *entry = &dispatch[word >> 24];
    if (__builtin_expect(!entry->run, 0)) {
        return diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR, "no instruction has opcode 0x%02x%s", word >> 24,
                        word ? ""
                             : ": memory that is zero reads as this; did execution run past the end of a program?");
    }
    if (__builtin_expect((word & ~entry->fields) != 0, 0)) {
        enum step step = diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR, "%s: reserved bits 0x%06x are set", entry->name,
                                  word & ~entry->fields);
        if (step != STEP_DONE) {
            return step;
        }
    }
    return entry->run(tensix, thread, word);
}
