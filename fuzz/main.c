/* libFuzzer's entry: FUZZ_TARGET is one of the functions of fuzz.h. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

const char *__lsan_default_suppressions(void);

/* libdw 0.188 leaks the scopes that it has found when dwarf_getscopes() fails at an invalid DIE. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libdw.so";
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    FUZZ_TARGET(bytes, size);
    return 0;
}
