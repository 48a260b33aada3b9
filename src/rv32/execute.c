/* The interpreter's loop without hooks. */
#include "rv32/execute.h"
#include "rv32/clock_wait.h"
#include "rv32/execute_handlers.h"
#include "rv32/float.h"
#include "rv32/float_single.h"
#include "rv32/operations.h"
#include "rv32/translator.h"
#include "tensix/num/sfpu_mad.h"
#include "util/bits.h"

#include "rv32/execute.inc"
