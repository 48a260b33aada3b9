/* For any host. */
#include <stdbool.h>
#include <stdint.h>

#define VECTOR_BYTES 16
#define SFPU_MAD_LANES sfpu_mad_lanes_basic
#include "tensix/num/sfpu_mad_lanes.inc"
