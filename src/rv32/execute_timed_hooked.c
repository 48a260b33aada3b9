/* The interpreter in timed mode with its hooks on. */
#include "rv32/execute.h"
#include "rv32/execute_handlers.h"
#include "rv32/float.h"
#include "rv32/float_single.h"
#include "rv32/operations.h"
#include "rv32/translator.h"
#include "tensix/num/sfpu_mad.h"
#include "util/bits.h"

#define RV32_TIMED
#define RV32_HOOKED
#include "rv32/execute.inc"
