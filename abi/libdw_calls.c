#define BHEMU_ABI_LIBDW_LOADER
#include "libdw_calls.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

struct libdw_calls libdw_calls;

/* The library stays loaded: it keeps nothing but its code. */
const char *libdw_load(void)
{
    static bool loaded;
    void *library = loaded ? NULL : dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loaded && !library) {
        return dlerror();
    }
#define CALL(name)                                                                                                     \
    if (!loaded && !(*(void **)&libdw_calls.name##_ = dlsym(library, #name))) {                                        \
        return dlerror();                                                                                              \
    }
    LIBDW_CALLS(CALL)
#undef CALL
    loaded = true;
    return NULL;
}
