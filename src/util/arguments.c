#include "util/arguments.h"

#include "util/fail.h"

enum bh_status arguments_array(const void *array, unsigned count, const char *what, struct bh_error *error)
{
    return array || !count ? BH_OK : fail(error, BH_ERROR_ARGUMENT, "%s: %u, but where they are is null", what, count);
}

enum bh_status arguments_pointers(const void *array, unsigned count, const char *what, struct bh_error *error)
{
    const void *const *pointers = array;
    enum bh_status status = arguments_array(array, count, what, error);
    for (unsigned i = 0; status == BH_OK && i < count; i++) {
        status =
            pointers[i] ? BH_OK : fail(error, BH_ERROR_ARGUMENT, "%s: number %u of %u is null", what, i + 1, count);
    }
    return status;
}
