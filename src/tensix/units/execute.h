/* One function for each Tensix instruction of tables/tensix.def. If no unit defines it, the library does not link.
   dispatch.c calls them through run_NAME(), which decodes the word. For frequent instructions the unit defines it by
   TENSIX_RUN(NAME) after execute_NAME(), so that the compiler can inline both and pass the fields in registers. */
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
