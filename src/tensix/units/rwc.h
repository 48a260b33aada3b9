/* rwc_apply_addr_mod() for the hot path: within its caller where an address mode only adds. Internal to the units that
   use the read-write counters; rwc.c says how every mode is applied. */
#ifndef BHEMU_TENSIX_UNITS_RWC_H
#define BHEMU_TENSIX_UNITS_RWC_H

#include "tensix/tensix.h"

enum { RWC_SRC_MASK = 0x3f, RWC_DST_MASK = 0x3ff, RWC_FIDELITY_MASK = 3, RWC_BIAS_OFFSET = 4, RWC_ADDR_MODES = 8 };

/* The words of ThreadConfig that describe one address mode. Every section has the layout of section 0, whose field
   names stand for all of them. */
#define RWC_MODE_FIELD(word, name) (((uint32_t)(word) >> name##_SHAMT) & ((1u << name##_WIDTH) - 1))

/* The bits that ask for more than an addition. */
enum {
    RWC_AB_SPECIAL = ADDR_MOD_AB_SEC0_SrcAClear_MASK | ADDR_MOD_AB_SEC0_SrcACR_MASK | ADDR_MOD_AB_SEC0_SrcBClear_MASK |
                     ADDR_MOD_AB_SEC0_SrcBCR_MASK,
    RWC_DST_SPECIAL = ADDR_MOD_DST_SEC0_DestClear_MASK | ADDR_MOD_DST_SEC0_DestCToCR_MASK |
                      ADDR_MOD_DST_SEC0_DestCR_MASK | ADDR_MOD_DST_SEC0_FidelityClear_MASK,
};

static inline void rwc_advance(struct tensix *tensix, unsigned thread, unsigned addr_mode)
{
    struct rwc *rwc = &tensix->state->addr.rwc[thread];
    const uint16_t *config = tensix->state->config.thread[thread];
    unsigned index = (addr_mode + rwc->extra_addr_mod_bit * RWC_BIAS_OFFSET) % RWC_ADDR_MODES;
    uint32_t ab = config[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + index];
    uint32_t dst = config[ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + index];
    uint32_t bias = config[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + index];
    if ((ab & RWC_AB_SPECIAL) | (dst & RWC_DST_SPECIAL) | bias) {
        rwc_apply_addr_mod(tensix, thread, addr_mode, true);
        return;
    }
    rwc->srca = (rwc->srca + RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcAIncr)) & RWC_SRC_MASK;
    rwc->srcb = (rwc->srcb + RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcBIncr)) & RWC_SRC_MASK;
    rwc->dst = (rwc->dst + RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_DestIncr)) & RWC_DST_MASK;
    rwc->fidelity_phase =
        (rwc->fidelity_phase + RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_FidelityIncr)) & RWC_FIDELITY_MASK;
}

/* By how much rwc_apply_partial_addr_mod() moves Dst's counter. false: it does something else. */
static inline bool rwc_partial_step(const uint16_t *config, const struct rwc *rwc, unsigned addr_mode,
                                    uint32_t *increment)
{
    enum { SPECIAL = RWC_DST_SPECIAL & ~ADDR_MOD_DST_SEC0_FidelityClear_MASK };
    const uint16_t *section = config + (addr_mode + rwc->extra_addr_mod_bit * RWC_BIAS_OFFSET) % RWC_ADDR_MODES;
    uint32_t dst = section[ADDR_MOD_DST_SEC0_DestIncr_ADDR32];
    *increment = RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_DestIncr);
    return (section[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32] | section[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32] |
            (dst & SPECIAL)) == 0;
}

/* The words of an address mode but for that of the bias: ADDR_MOD_AB, and ADDR_MOD_DST above it. */
enum { RWC_MODE_DST_SHIFT = 16 };

/* Reads a mode of ThreadConfig `config`. false: it asks for more than rwc_step() does. */
static inline bool rwc_read_mode(const uint16_t *config, uint32_t extra_addr_mod_bit, unsigned addr_mode,
                                 uint32_t *mode)
{
    size_t index = (addr_mode + extra_addr_mod_bit * RWC_BIAS_OFFSET) % RWC_ADDR_MODES;
    const uint16_t *section = config + index; /* every section has the layout of section 0 */
    uint32_t checkpoints = ADDR_MOD_AB_SEC0_SrcACR_MASK | ADDR_MOD_AB_SEC0_SrcBCR_MASK |
                           (uint32_t)(ADDR_MOD_DST_SEC0_DestCToCR_MASK | ADDR_MOD_DST_SEC0_DestCR_MASK)
                               << RWC_MODE_DST_SHIFT;
    *mode = section[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32] | (uint32_t)section[ADDR_MOD_DST_SEC0_DestIncr_ADDR32]
                                                            << RWC_MODE_DST_SHIFT;
    return ((*mode & checkpoints) | section[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32]) == 0;
}

/* The words of struct rwc: SrcA, its checkpoint, SrcB, its own, Dst, its own, the fidelity phase, the extra bit. */
typedef uint32_t rwc_words __attribute__((vector_size(sizeof(struct rwc)), aligned(4), may_alias));
enum { RWC_WORD_SRCA = 0, RWC_WORD_SRCB = 2, RWC_WORD_DST = 4 };

/* What rwc_advance() does, and for modes that clear counters too: to all of them at once. For functions that are
   compiled for vectors with a shift for each lane (num/clones.h). */
static inline void rwc_step(rwc_words *counters, uint32_t mode)
{
#define OF_DST(constant) ((uint32_t)(constant) << RWC_MODE_DST_SHIFT)
    enum { SRC = RWC_SRC_MASK, DST = RWC_DST_MASK, PHASE = RWC_FIDELITY_MASK };
    const rwc_words shift = {ADDR_MOD_AB_SEC0_SrcAIncr_SHAMT,
                             0,
                             ADDR_MOD_AB_SEC0_SrcBIncr_SHAMT,
                             0,
                             ADDR_MOD_DST_SEC0_DestIncr_SHAMT + RWC_MODE_DST_SHIFT,
                             0,
                             ADDR_MOD_DST_SEC0_FidelityIncr_SHAMT + RWC_MODE_DST_SHIFT,
                             0};
    const rwc_words increments = {SRC, 0, SRC, 0, DST, 0, PHASE, 0};
    const rwc_words bits = {SRC, UINT32_MAX, SRC, UINT32_MAX, DST, UINT32_MAX, PHASE, UINT32_MAX};
    const rwc_words clears = {ADDR_MOD_AB_SEC0_SrcAClear_MASK,
                              ADDR_MOD_AB_SEC0_SrcAClear_MASK,
                              ADDR_MOD_AB_SEC0_SrcBClear_MASK,
                              ADDR_MOD_AB_SEC0_SrcBClear_MASK,
                              OF_DST(ADDR_MOD_DST_SEC0_DestClear_MASK),
                              OF_DST(ADDR_MOD_DST_SEC0_DestClear_MASK),
                              OF_DST(ADDR_MOD_DST_SEC0_FidelityClear_MASK)};
#undef OF_DST
    rwc_words modes = mode - (rwc_words){0};
    rwc_words kept = (rwc_words)((modes & clears) == 0) & bits;
    *counters = (*counters + (modes >> shift & increments)) & kept;
}

#endif
