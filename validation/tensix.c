#include "validation/validation.h"

const struct validation_program validation_tensix[] = {{0}};
