/* For any host. */
#include <string.h>

#include "tensix/engine/portable_levels.h"
#include "tensix/units/addr/rwc.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/vector/dst.h"
#include "tensix/units/vector/lut.h"

#define VECTOR_BYTES 16
#define PORTABLE_LEVEL portable_basic
#include "tensix/engine/portable.inc"
