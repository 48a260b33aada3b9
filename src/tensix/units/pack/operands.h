/* The rows of Dst that the packer reads, for observers. */
#ifndef BHEMU_TENSIX_UNITS_PACK_OPERANDS_H
#define BHEMU_TENSIX_UNITS_PACK_OPERANDS_H

#include "tensix/units/operands.h"

/* What an instruction of the packer finds, besides rows. */
struct pack_facts {
    unsigned context; /* its configuration context */
    bool begins;      /* it computes an address, since a tile or a stream of it begins */
    bool compresses;  /* with zero compression */
    bool from_l1;     /* it reads L1, not Dst */
};

/* Call it while diagnostics are silent and L1 is not observed. */
void pack_operands(struct tensix *tensix, unsigned thread, uint32_t word, struct operand_sets *sets,
                   struct pack_facts *facts);

#endif
