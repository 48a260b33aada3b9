#define BHEMU_ABI_LIBRARY_LOADER
#include <dlfcn.h>
#include <stddef.h>

#include "libdw_calls.h"
#include "libyaml_calls.h"

struct libdw_calls libdw_calls;
struct libyaml_calls libyaml_calls;

/* Sets a function pointer for each of the names. The library stays loaded: it keeps nothing but its code. */
static const char *load(const char *name, const char *const *names, void **calls, unsigned count)
{
    void *library = calls[count - 1] ? NULL : dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!calls[count - 1] && !library) {
        return dlerror();
    }
    for (unsigned i = 0; library && i < count; i++) {
        if (!(calls[i] = dlsym(library, names[i]))) {
            return dlerror();
        }
    }
    return NULL;
}

enum { POINTER = sizeof(void *) };

#define NAME(name) #name,
const char *libdw_load(void)
{
    static const char *const names[] = {LIBDW_CALLS(NAME)};
    return load("libdw.so.1", names, (void **)&libdw_calls, sizeof libdw_calls / POINTER);
}

const char *libyaml_load(void)
{
    static const char *const names[] = {LIBYAML_CALLS(NAME)};
    return load("libyaml-0.so.2", names, (void **)&libyaml_calls, sizeof libyaml_calls / POINTER);
}
