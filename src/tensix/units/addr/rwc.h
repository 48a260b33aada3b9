/* rwc_apply_addr_mod() for hot paths: inline for address modes that only add. Internal to the units that use the
   read-write counters; rwc.c applies the other modes. */
#ifndef BHEMU_TENSIX_UNITS_ADDR_RWC_H
#define BHEMU_TENSIX_UNITS_ADDR_RWC_H

#include <string.h>

#include "tensix/units/state.h"

enum { RWC_SRC_MASK = 0x3f, RWC_DST_MASK = 0x3ff, RWC_FIDELITY_MASK = 3 };

/* The words of ThreadConfig of one address mode. All sections have the same layout, so the field names of section 0
   are used for all. */
#define RWC_MODE_FIELD(word, name) (((uint32_t)(word) >> name##_SHAMT) & ((1u << name##_WIDTH) - 1))

/* The bits of a mode that make it do more than an addition. */
enum {
    RWC_AB_SPECIAL = ADDR_MOD_AB_SEC0_SrcAClear_MASK | ADDR_MOD_AB_SEC0_SrcACR_MASK | ADDR_MOD_AB_SEC0_SrcBClear_MASK |
                     ADDR_MOD_AB_SEC0_SrcBCR_MASK,
    RWC_DST_SPECIAL = ADDR_MOD_DST_SEC0_DestClear_MASK | ADDR_MOD_DST_SEC0_DestCToCR_MASK |
                      ADDR_MOD_DST_SEC0_DestCR_MASK | ADDR_MOD_DST_SEC0_FidelityClear_MASK,
};

/* The number of the ThreadConfig section of an address mode. */
static inline unsigned rwc_section(const struct rwc *rwc, unsigned addr_mode)
{
    return (addr_mode + rwc->extra_addr_mod_bit * RWC_BIAS_OFFSET) % RWC_ADDR_MODES;
}

static inline void rwc_advance(struct tensix *tensix, unsigned thread, unsigned addr_mode)
{
    struct rwc *rwc = &tensix->state->addr.rwc[thread];
    const uint16_t *config = tensix->state->config.thread[thread];
    unsigned index = rwc_section(rwc, addr_mode);
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

/* The step by which rwc_apply_partial_addr_mod() moves Dst's counter. false: the mode does more. */
static inline bool rwc_partial_step(const uint16_t *config, const struct rwc *rwc, unsigned addr_mode,
                                    uint32_t *increment)
{
    enum { SPECIAL = RWC_DST_SPECIAL & ~ADDR_MOD_DST_SEC0_FidelityClear_MASK };
    const uint16_t *section = config + rwc_section(rwc, addr_mode);
    uint32_t dst = section[ADDR_MOD_DST_SEC0_DestIncr_ADDR32];
    *increment = RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_DestIncr);
    return (section[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32] | section[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32] |
            (dst & SPECIAL)) == 0;
}

/* Layout of packed counters: first those that modes add to, each with spare bits above it for the carry. */
enum {
    RWC_DST_AT = 0,
    RWC_SRCB_AT = 17,
    RWC_SRCA_AT = 28,
    RWC_SRCA_CR_AT = 35,
    RWC_SRCB_CR_AT = 41,
    RWC_DST_CR_AT = 47,
    RWC_PHASE_AT = 57
};

/* Computes `modes` from ThreadConfig `config`. */
void rwc_learn_modes(struct rwc_modes *modes, const uint16_t *config);

static inline bool rwc_same_words(const uint16_t *some, const uint16_t *others)
{
    return memcmp(some, others, RWC_ADDR_MODES * sizeof *some) == 0;
}

static inline void rwc_read_modes(struct rwc_modes *modes, const uint16_t *config)
{
    if (__builtin_expect(!modes->known || !rwc_same_words(modes->ab, config + ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32) ||
                             !rwc_same_words(modes->dst, config + ADDR_MOD_DST_SEC0_DestIncr_ADDR32) ||
                             !rwc_same_words(modes->bias, config + ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32),
                         0)) {
        rwc_learn_modes(modes, config);
    }
}

static inline rwc_packed rwc_pack(const struct rwc *rwc)
{
    return (rwc_packed)rwc->dst << RWC_DST_AT | (rwc_packed)rwc->dst_cr << RWC_DST_CR_AT |
           (rwc_packed)rwc->srcb << RWC_SRCB_AT | (rwc_packed)rwc->srcb_cr << RWC_SRCB_CR_AT |
           (rwc_packed)rwc->srca << RWC_SRCA_AT | (rwc_packed)rwc->srca_cr << RWC_SRCA_CR_AT |
           (rwc_packed)rwc->fidelity_phase << RWC_PHASE_AT;
}

static inline void rwc_unpack(struct rwc *rwc, rwc_packed packed)
{
    rwc->dst = packed >> RWC_DST_AT & RWC_DST_MASK;
    rwc->dst_cr = packed >> RWC_DST_CR_AT & RWC_DST_MASK;
    rwc->srcb = packed >> RWC_SRCB_AT & RWC_SRC_MASK;
    rwc->srcb_cr = packed >> RWC_SRCB_CR_AT & RWC_SRC_MASK;
    rwc->srca = packed >> RWC_SRCA_AT & RWC_SRC_MASK;
    rwc->srca_cr = packed >> RWC_SRCA_CR_AT & RWC_SRC_MASK;
    rwc->fidelity_phase = packed >> RWC_PHASE_AT & RWC_FIDELITY_MASK;
}

#endif
