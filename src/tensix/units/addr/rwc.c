/* The read-write counters of the matrix and the vector unit: the address modes that their instructions apply, SETRWC
   and INCRWC. Sources: chapter "rwc and addressing", sections 2 and 3; ISA documentation RWCs.md, SETRWC.md, INCRWC.md.
 */
#include "tensix/units/addr/rwc.h"
#include "tensix/units/execute.h"
#include "tensix/units/src_banks.h"
#include "util/bits.h"

/* The bits of rwc_cr and of BitMask: SrcA, SrcB, Dst; then those that only SETRWC has. */
enum { RWC_A = 1, RWC_B = 2, RWC_D = 4, RWC_FIDELITY = 8, RWC_C_TO_CR = 8 };

/* One counter and its checkpoint, `_cr` in the documentation's names. */
struct counter {
    uint32_t *value, *cr;
    uint32_t mask;
};

static inline void counter_set(struct counter counter, uint32_t value)
{
    *counter.value = *counter.cr = value & counter.mask;
}

static inline void counter_add(struct counter counter, uint32_t increment)
{
    *counter.value = (*counter.value + increment) & counter.mask;
}

static inline void counter_add_to_cr(struct counter counter, uint32_t increment)
{
    counter_set(counter, *counter.cr + increment);
}

static inline struct counter counter_a(struct rwc *rwc)
{
    return (struct counter){&rwc->srca, &rwc->srca_cr, RWC_SRC_MASK};
}

static inline struct counter counter_b(struct rwc *rwc)
{
    return (struct counter){&rwc->srcb, &rwc->srcb_cr, RWC_SRC_MASK};
}

static inline struct counter counter_d(struct rwc *rwc)
{
    return (struct counter){&rwc->dst, &rwc->dst_cr, RWC_DST_MASK};
}

static inline void apply_ab(struct rwc *rwc, uint16_t ab)
{
    if (RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcAClear)) {
        counter_set(counter_a(rwc), 0);
    } else if (RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcACR)) {
        counter_add_to_cr(counter_a(rwc), RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcAIncr));
    } else {
        counter_add(counter_a(rwc), RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcAIncr));
    }
    if (RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcBClear)) {
        counter_set(counter_b(rwc), 0);
    } else if (RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcBCR)) {
        counter_add_to_cr(counter_b(rwc), RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcBIncr));
    } else {
        counter_add(counter_b(rwc), RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcBIncr));
    }
}

/* The increment is signed and as wide as the counter, ten bits: adding it modulo 1024 gives the same result. */
static inline void apply_dst(struct rwc *rwc, uint16_t dst)
{
    uint32_t increment = RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_DestIncr);
    if (RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_DestClear)) {
        counter_set(counter_d(rwc), 0);
    } else if (RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_DestCToCR)) {
        counter_set(counter_d(rwc), rwc->dst + increment);
    } else if (RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_DestCR)) {
        counter_add_to_cr(counter_d(rwc), increment);
    } else {
        counter_add(counter_d(rwc), increment);
    }
}

static inline void apply_fidelity(struct rwc *rwc, uint16_t dst)
{
    if (RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_FidelityClear)) {
        rwc->fidelity_phase = 0;
    } else {
        rwc->fidelity_phase =
            (rwc->fidelity_phase + RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_FidelityIncr)) & RWC_FIDELITY_MASK;
    }
}

/* The counter has one bit: it flips if any of the increment's low two bits is set. */
static inline void apply_bias(struct rwc *rwc, uint16_t bias)
{
    if (RWC_MODE_FIELD(bias, ADDR_MOD_BIAS_SEC0_BiasClear)) {
        rwc->extra_addr_mod_bit = 0;
    } else if (RWC_MODE_FIELD(bias, ADDR_MOD_BIAS_SEC0_BiasIncr) & 3) {
        rwc->extra_addr_mod_bit ^= 1;
    }
}

void rwc_apply_addr_mod(struct tensix *tensix, unsigned thread, unsigned addr_mode, bool update_fidelity)
{
    struct rwc *rwc = &tensix->state->addr.rwc[thread];
    const uint16_t *config = tensix->state->config.thread[thread];
    unsigned index = rwc_section(rwc, addr_mode);
    uint16_t dst = config[ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + index];
    apply_ab(rwc, config[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + index]);
    apply_dst(rwc, dst);
    if (update_fidelity) {
        apply_fidelity(rwc, dst);
    }
    apply_bias(rwc, config[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + index]);
}

void rwc_apply_partial_addr_mod(struct tensix *tensix, unsigned thread, unsigned addr_mode)
{
    rwc_apply_addr_mod(tensix, thread, addr_mode, false);
}

static struct rwc_mode packed_mode(uint16_t ab, uint16_t dst)
{
    const struct rwc increments = {
        .srca = RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcAIncr),
        .srcb = RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcBIncr),
        .dst = RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_DestIncr),
        .fidelity_phase = RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_FidelityIncr),
    };
    uint32_t srca = RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcAClear) ? 0 : RWC_SRC_MASK;
    uint32_t srcb = RWC_MODE_FIELD(ab, ADDR_MOD_AB_SEC0_SrcBClear) ? 0 : RWC_SRC_MASK;
    uint32_t dst_bits = RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_DestClear) ? 0 : RWC_DST_MASK;
    const struct rwc kept = {
        .srca = srca,
        .srca_cr = srca,
        .srcb = srcb,
        .srcb_cr = srcb,
        .dst = dst_bits,
        .dst_cr = dst_bits,
        .fidelity_phase = RWC_MODE_FIELD(dst, ADDR_MOD_DST_SEC0_FidelityClear) ? 0 : RWC_FIDELITY_MASK,
    };
    return (struct rwc_mode){.add = rwc_pack(&increments), .keep = rwc_pack(&kept)};
}

void rwc_learn_modes(struct rwc_modes *modes, const uint16_t *config)
{
    const uint16_t checkpoints_ab = ADDR_MOD_AB_SEC0_SrcACR_MASK | ADDR_MOD_AB_SEC0_SrcBCR_MASK;
    const uint16_t checkpoints_dst = ADDR_MOD_DST_SEC0_DestCToCR_MASK | ADDR_MOD_DST_SEC0_DestCR_MASK;
    modes->known = true;
    modes->plain = 0;
    for (unsigned i = 0; i < RWC_ADDR_MODES; i++) {
        modes->ab[i] = config[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + i];
        modes->dst[i] = config[ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + i];
        modes->bias[i] = config[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + i];
        modes->modes[i] = packed_mode(modes->ab[i], modes->dst[i]);
        modes->plain |=
            (uint32_t) !((modes->ab[i] & checkpoints_ab) | (modes->dst[i] & checkpoints_dst) | modes->bias[i]) << i;
    }
    memcpy(modes->modes + RWC_ADDR_MODES, modes->modes, RWC_BIAS_OFFSET * sizeof *modes->modes);
    modes->plain |= modes->plain << RWC_ADDR_MODES;
}

static inline void set_counter(struct counter counter, uint32_t value, bool add_cr)
{
    counter_set(counter, add_cr ? *counter.cr + value : value);
}

enum step execute_SETRWC(struct tensix *tensix, unsigned thread, struct args_SETRWC args)
{
    struct rwc *rwc = &tensix->state->addr.rwc[thread];
    if (args.BitMask & RWC_A) {
        set_counter(counter_a(rwc), args.rwc_a, args.rwc_cr & RWC_A);
    }
    if (args.BitMask & RWC_B) {
        set_counter(counter_b(rwc), args.rwc_b, args.rwc_cr & RWC_B);
    }
    if (args.rwc_cr & RWC_C_TO_CR) {
        counter_set(counter_d(rwc), rwc->dst + args.rwc_d);
    } else if (args.BitMask & RWC_D) {
        set_counter(counter_d(rwc), args.rwc_d, args.rwc_cr & RWC_D);
    }
    if (args.BitMask & RWC_FIDELITY) {
        rwc->fidelity_phase = 0;
    }
    src_banks_clear_dvalid(tensix, thread, args.clear_ab_vld);
    return STEP_DONE;
}

static inline void increment_counter(struct counter counter, uint32_t increment, bool in_cr)
{
    if (in_cr) {
        counter_add_to_cr(counter, increment);
    } else {
        counter_add(counter, increment);
    }
}

/* The documentation gives rwc_cr three bits. The vendor's kernels for tiles of few rows set the fourth, which they say
   advances "dest and carry register", as it does in SETRWC. Only then their results are right. */
enum step execute_INCRWC(struct tensix *tensix, unsigned thread, struct args_INCRWC args)
{
    const uint32_t documented = RWC_A | RWC_B | RWC_D;
    if (args.rwc_cr & ~documented &&
        diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                 "INCRWC: of rwc_cr, 0x%x here, the bits of SrcA, SrcB and Dst are documented; bit 3 is taken as in "
                 "SETRWC, others are ignored",
                 args.rwc_cr) == STEP_STOP) {
        return STEP_STOP;
    }
    struct rwc *rwc = &tensix->state->addr.rwc[thread];
    increment_counter(counter_a(rwc), args.rwc_a, args.rwc_cr & RWC_A);
    increment_counter(counter_b(rwc), args.rwc_b, args.rwc_cr & RWC_B);
    if (args.rwc_cr & RWC_C_TO_CR) {
        counter_set(counter_d(rwc), rwc->dst + args.rwc_d);
    } else {
        increment_counter(counter_d(rwc), args.rwc_d, args.rwc_cr & RWC_D);
    }
    return STEP_DONE;
}

/* Sets or increments the bias counter alone. No page describes it. assembly.yaml names the fields and says "set or
   increment"; p_setibrwc of the vendor's kernel library says which value is which, and that rwc_cr is 0 or 1. The
   counter is the extra bit of the address modes, which have no checkpoint of it. */
enum step execute_SETIBRWC(struct tensix *tensix, unsigned thread, struct args_SETIBRWC args)
{
    enum { SET_BIAS = 0, INC_BIAS = 1 };
    bool known = args.set_inc_ctrl <= INC_BIAS && args.rwc_cr == 0 && args.rwc_bias <= 1;
    enum step step =
        known
            ? diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                       "SETIBRWC: described by its fields' names alone; taken to set ExtraAddrModBit, or to add to it")
            : diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                       "SETIBRWC: set_inc_ctrl %u, rwc_bias %u, rwc_cr %u; known are set_inc_ctrl 0 (set) and 1 "
                       "(increment) of a bit, without a checkpoint (rwc_cr 0)",
                       args.set_inc_ctrl, args.rwc_bias, args.rwc_cr);
    if (step == STEP_STOP) {
        return STEP_STOP;
    }
    uint32_t *bit = &tensix->state->addr.rwc[thread].extra_addr_mod_bit;
    if (args.set_inc_ctrl == SET_BIAS) {
        *bit = args.rwc_bias & 1;
    } else {
        *bit ^= args.rwc_bias & 1;
    }
    return STEP_DONE;
}

TENSIX_RUN(SETRWC)
TENSIX_RUN(INCRWC)
TENSIX_RUN(SETIBRWC)
