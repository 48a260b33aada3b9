/* The words of configuration that an instruction consults: tables/operands.def, evaluated. */
#ifndef BHEMU_TENSIX_UNITS_OPERANDS_CONFIG_H
#define BHEMU_TENSIX_UNITS_OPERANDS_CONFIG_H

#include "tensix/units/operands.h"
#include "tensix/units/pack/operands.h"

/* What the instruction has found out of the state: its configuration context, of an UNPACR, and the packer's. */
struct operand_facts {
    unsigned context;
    struct pack_facts pack;
};

/* Appends the words of Config and ThreadConfig that it reads. */
void operands_add_config_reads(struct operand_list *list, struct bh_operand operand, const struct tensix_state *state,
                               unsigned thread, uint32_t word, const struct operand_facts *facts);

/* Those that a store reads that SFPLOADMACRO has scheduled. */
void operands_add_store_format(struct operand_list *list, struct bh_operand operand, const struct tensix_state *state,
                               unsigned thread, unsigned mod0);

#endif
