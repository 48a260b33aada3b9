/* The interpreter as it normally runs. */
#include "rv32/execute.h"
#include "rv32/operations.h"
#include "util/bits.h"

#include "rv32/execute.inc"
