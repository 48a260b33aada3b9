#include "validation/documented.h"

const struct documented_figure documented_frontend[] = {{0}};
