/* One function for each Tensix instruction, as tables/tensix.def lists them. The function of an instruction that no
   unit defines yet is absent (a weak symbol that is null); tensix_execute() then says so in a diagnostic. */
#ifndef BHEMU_TENSIX_EXECUTE_H
#define BHEMU_TENSIX_EXECUTE_H

#include "isa/tensix_isa.h"
#include "tensix/tensix.h"

#define TENSIX_BEGIN(name, ...)                                                                                        \
    enum step execute_##name(struct tensix *tensix, unsigned thread, struct args_##name args)                          \
        __attribute__((weak, visibility("hidden")));
#define TENSIX_FIELD(...)
#define TENSIX_END(...)
#include "tensix.def"
#undef TENSIX_BEGIN
#undef TENSIX_FIELD
#undef TENSIX_END

#endif
