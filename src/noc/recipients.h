/* Who receives a request: one tile, or those of a rectangle that take broadcasts. Source: ISA documentation
   NoC/MemoryMap.md (NOC_TARG_ADDR and NOC_RET_ADDR, ROUTER_CFG_1, ROUTER_CFG_3), L2CPUTile/TLBWindows.md (strides and
   exclusion); tt-metal dataflow_api.h (bits of NOC_BRCST_EXCLUDE). */
#ifndef BHEMU_NOC_RECIPIENTS_H
#define BHEMU_NOC_RECIPIENTS_H

#include "noc/journey.h"

struct recipients {
    struct noc_endpoint *endpoint[NOC_WIDTH * NOC_HEIGHT];
    unsigned count;
};

/* STEP_STOP, and a diagnostic: there is no such tile. */
enum step recipients_find(const struct journey *journey, const struct noc_place *place, struct recipients *recipients);

#endif
