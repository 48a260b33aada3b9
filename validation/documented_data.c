#include "validation/documented.h"

const struct documented_figure documented_data[] = {{0}};
