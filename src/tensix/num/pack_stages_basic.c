/* For any host. */
#define PACK_STAGES pack_stages_basic
#include "tensix/num/pack_stages.inc"
