/* One function for each Tensix instruction, as tables/tensix.def lists them. dispatch.c refers to them weakly: that of
   an instruction that no unit defines is null, and tensix_execute() then says so in a diagnostic.

   dispatch.c calls each by way of run_NAME(), which decodes the word. A unit whose instructions are executed often
   defines that itself, TENSIX_RUN(NAME) after execute_NAME(): then the compiler sees both, and nothing passes through
   memory. */
#ifndef BHEMU_TENSIX_EXECUTE_H
#define BHEMU_TENSIX_EXECUTE_H

#include "isa/tensix_isa.h"
#include "tensix/tensix.h"

#ifndef TENSIX_REFERENCE
#define TENSIX_REFERENCE __attribute__((visibility("hidden")))
#endif

#define TENSIX_BEGIN(name, ...)                                                                                        \
    enum step execute_##name(struct tensix *tensix, unsigned thread, struct args_##name args) TENSIX_REFERENCE;        \
    enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word) TENSIX_REFERENCE;
#define TENSIX_FIELD(...)
#define TENSIX_END(...)
#include "tensix.def"
#undef TENSIX_BEGIN
#undef TENSIX_FIELD
#undef TENSIX_END

#define TENSIX_RUN(name)                                                                                               \
    __attribute__((flatten)) enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)               \
    {                                                                                                                  \
        return execute_##name(tensix, thread, decode_##name(word));                                                    \
    }

#endif
