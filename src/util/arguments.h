/* Arrays that callers of the public functions give together with a count. BH_ERROR_ARGUMENT, and the text of *error,
   which may be null: there are some, but the array is null, or one of its pointers. */
#ifndef BHEMU_UTIL_ARGUMENTS_H
#define BHEMU_UTIL_ARGUMENTS_H

#include "bhemu/device.h"
#include "bhemu/error.h"

/* `what` names them: "tiles". */
enum bh_status arguments_array(const void *array, unsigned count, const char *what, struct bh_error *error);

/* An array of pointers to anything: names, observers. */
enum bh_status arguments_pointers(const void *array, unsigned count, const char *what, struct bh_error *error);

#endif
