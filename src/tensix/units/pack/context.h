/* The packer's configuration contexts: four, of which each has output formats and addresses, tile counters, edge masks
   and an offset into Dst of its own. PACR names the context that it uses, or takes the one that the packer counts.
   Sources: the description of PACR in tt-llk (CfgContext, CtxtCtrl); the comments on the fields in the vendor's kernel
   library (hal/cfg/thcon.h, pack.h, global.h, hal/pack.h), which tell which registers are "reg sets 0/2" and "1/3". */
#ifndef BHEMU_TENSIX_UNITS_PACK_CONTEXT_H
#define BHEMU_TENSIX_UNITS_PACK_CONTEXT_H

#include "isa/tensix_isa.h"
#include "tensix/units/state.h"

enum { PACK_CONTEXTS = 4 };

/* CtxtCtrl: CfgContext counts; the packer's own context, which goes on with each tile, or each so many planes; back to
   context 0 and nothing else; the packer's own context, which stays. */
enum { CTXT_CTRL_NONE, CTXT_CTRL_FLOPS, CTXT_CTRL_RESET, CTXT_CTRL_HOLD };

/* The context that the instruction uses. */
unsigned pack_context_of(const struct pack_unit *pack, const struct args_PACR *args);

/* Config as context 0 would have it if `context` were context 0. */
void pack_context_config(const uint32_t bank[CONFIG_WORDS], unsigned context, uint32_t config[CONFIG_WORDS]);

/* Lets the packer's own context go on behind a PACR with CTXT_CTRL_FLOPS. `config`: of its context. */
void pack_context_advance(struct pack_unit *pack, const uint32_t *config, bool last);

#endif
