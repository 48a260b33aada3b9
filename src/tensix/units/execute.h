/* One function for each Tensix instruction, as tables/tensix.def lists them. One that no unit defines is missing when
   the library is linked.

   dispatch.c calls each by way of run_NAME(), which decodes the word. A unit whose instructions are executed often
   defines that itself, TENSIX_RUN(NAME) after execute_NAME(): then the compiler sees both, and nothing passes through
   memory. */
#ifndef BHEMU_TENSIX_UNITS_EXECUTE_H
#define BHEMU_TENSIX_UNITS_EXECUTE_H

#include "isa/tensix_isa.h"
#include "tensix/units/state.h"

#define TENSIX_BEGIN(name, ...)                                                                                        \
    enum step execute_##name(struct tensix *tensix, unsigned thread, struct args_##name args);                         \
    enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word);
#include "tensix.def"

#define TENSIX_RUN(name)                                                                                               \
    __attribute__((flatten)) enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)               \
    {                                                                                                                  \
        return execute_##name(tensix, thread, decode_##name(word));                                                    \
    }

#endif
