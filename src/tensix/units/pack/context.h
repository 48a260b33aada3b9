/* The packer's configuration contexts: each of the four has its own output formats and addresses, tile counters, edge
   masks and offset into Dst. PACR names its context, or uses the one that the packer counts. Sources: the description
   of PACR in tt-llk (CfgContext, CtxtCtrl); the comments on the fields in the vendor's kernel library
   (hal/cfg/thcon.h, pack.h, global.h, hal/pack.h), which say which registers are "reg sets 0/2" and "1/3". */
#ifndef BHEMU_TENSIX_UNITS_PACK_CONTEXT_H
#define BHEMU_TENSIX_UNITS_PACK_CONTEXT_H

#include "isa/tensix_isa.h"
#include "tensix/units/state.h"

enum { PACK_CONTEXTS = 4 };

/* CtxtCtrl: the context is CfgContext; it is the packer's counter, which advances with each tile, or each number of
   planes; only resets the counter to 0; it is the counter, which does not advance. */
enum { CTXT_CTRL_NONE, CTXT_CTRL_FLOPS, CTXT_CTRL_RESET, CTXT_CTRL_HOLD };

/* The context that the instruction uses. */
unsigned pack_context_of(const struct pack_unit *pack, const struct args_PACR *args);

/* Copies Config so that the fields of `context` are where those of context 0 are. */
void pack_context_config(const uint32_t bank[CONFIG_WORDS], unsigned context, uint32_t config[CONFIG_WORDS]);

/* Advances the packer's context counter after a PACR with CTXT_CTRL_FLOPS. `config`: that of its context. */
void pack_context_advance(struct pack_unit *pack, const uint32_t *config, bool last);

#endif
