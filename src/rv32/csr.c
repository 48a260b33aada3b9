/* The CSRs. Source: ISA documentation, BabyRISCV/CSRs.md. */
#include <string.h>

#include "rv32/execute.h"
#include "rv32/timed.h"

enum { CFG0_PMC_CLR_ON_RD = 1 << 8, CFG0_DIS_TT_STATUS_REG = 1 << 29 };

/* The 64-bit counter of which a CSR is one half: the offset that writes change, and the running count that it is added
   to. */
struct counter {
    uint64_t *offset;
    uint64_t running;
    bool high;
};

static struct counter counter_of(struct rv32 *rv32, enum rv32_csr csr)
{
    struct rv32_core *core = rv32->core;
    switch (csr) {
    case RV32_CSR_minstret:
    case RV32_CSR_instret: return (struct counter){&core->minstret_offset, core->instret, false};
    case RV32_CSR_minstreth:
    case RV32_CSR_instreth: return (struct counter){&core->minstret_offset, core->instret, true};
    default:
        return (struct counter){&core->mcycle_offset, clock_of(rv32->clock, core->id),
                                csr == RV32_CSR_mcycleh || csr == RV32_CSR_cycleh};
    }
}

static uint32_t counter_read(struct rv32 *rv32, enum rv32_csr csr)
{
    struct counter counter = counter_of(rv32, csr);
    return (uint32_t)((counter.running + *counter.offset) >> (counter.high ? 32 : 0));
}

/* The counter goes on from the written value; the other half keeps its value. */
static void counter_write(struct rv32 *rv32, enum rv32_csr csr, uint32_t value)
{
    struct counter counter = counter_of(rv32, csr);
    uint64_t old = counter.running + *counter.offset;
    uint64_t new = counter.high ? (uint64_t)value << 32 | (uint32_t)old : (old >> 32 << 32 | value);
    *counter.offset = new - counter.running;
}

/* The events that mhpmevent3 and 4 can select are not documented: nothing is counted, which is correct only while no
   event is selected. */
static enum step events_read(struct rv32 *rv32, enum rv32_csr csr, uint32_t *value)
{
    struct rv32_core *core = rv32->core;
    bool is_3 = csr == RV32_CSR_mhpmcounter3 || csr == RV32_CSR_mhpmcounter3h;
    uint32_t event = core->csr[is_3 ? RV32_CSR_mhpmevent3 : RV32_CSR_mhpmevent4];
    if (event && diagnose(rv32->diagnostics, BH_UNSUPPORTED, "%s: event 0x%x is not emulated: nothing is counted",
                          rv32_csrs[csr].name, event) == STEP_STOP) {
        return STEP_STOP;
    }
    *value = core->csr[csr];
    if (core->csr[RV32_CSR_cfg0] & CFG0_PMC_CLR_ON_RD) {
        core->csr[csr] = 0;
    }
    return STEP_DONE;
}

/* Whether the coprocessor or the overlay keeps this CSR's value up to date. */
static bool is_live(const struct rv32_core *core, enum rv32_csr csr)
{
    bool is_t = core->id != BH_CORE_B && core->id != BH_CORE_NC;
    return !(core->csr[RV32_CSR_cfg0] & CFG0_DIS_TT_STATUS_REG) &&
           (rv32_csrs[csr].kind == RV32_CSR_STATUS || (rv32_csrs[csr].kind == RV32_CSR_STREAM && is_t));
}

static enum step live_read(struct rv32 *rv32, enum rv32_csr csr, uint32_t *value)
{
    if (rv32->bus.status) {
        return rv32->bus.status(rv32->bus.context, rv32->core->id, csr, value);
    }
    *value = 0;
    return diagnose(rv32->diagnostics, BH_UNSUPPORTED, "%s (%s) is not emulated yet", rv32_csrs[csr].name,
                    rv32_csrs[csr].meaning);
}

enum step rv32_csr_read(struct rv32 *rv32, enum rv32_csr csr, uint32_t *value)
{
    switch ((enum rv32_csr_kind)rv32_csrs[csr].kind) {
    case RV32_CSR_COUNTER: *value = counter_read(rv32, csr); return STEP_DONE;
    case RV32_CSR_EVENTS: return events_read(rv32, csr, value);
    default: break;
    }
    if (is_live(rv32->core, csr)) {
        return live_read(rv32, csr, value);
    }
    *value = rv32->core->csr[csr];
    return STEP_DONE;
}

bool rv32_csr_show(struct rv32 *rv32, enum rv32_csr csr, uint32_t *value)
{
    if (rv32_csrs[csr].kind == RV32_CSR_COUNTER) {
        *value = counter_read(rv32, csr);
        return true;
    }
    *value = rv32->core->csr[csr];
    if (!is_live(rv32->core, csr)) {
        return true;
    }
    return rv32_csrs[csr].kind == RV32_CSR_STATUS && rv32->bus.status &&
           rv32->bus.status(rv32->bus.context, rv32->core->id, csr, value) == STEP_DONE;
}

/* DisTTStatusReg freezes the status CSRs at their current values. */
static enum step freeze_status(struct rv32 *rv32)
{
    struct rv32_core *core = rv32->core;
    uint32_t frozen[RV32_CSRS];
    for (enum rv32_csr csr = 0; csr < RV32_CSRS; csr++) {
        frozen[csr] = core->csr[csr];
        if (is_live(core, csr) && rv32->bus.status) {
            enum step step = live_read(rv32, csr, &frozen[csr]);
            if (step != STEP_DONE) {
                return step;
            }
        }
    }
    memcpy(core->csr, frozen, sizeof frozen);
    return STEP_DONE;
}

enum step rv32_csr_write(struct rv32 *rv32, enum rv32_csr csr, uint32_t value)
{
    struct rv32_core *core = rv32->core;
    const struct rv32_csr_description *description = &rv32_csrs[csr];
    if (core->interrupted) { /* PIC.md: a hardware bug */
        return diagnose(rv32->diagnostics, BH_NON_CONTRACTUAL,
                        "%s: interrupt handlers can not write CSRs: the write of 0x%08x has no effect",
                        description->name, value);
    }
    switch ((enum rv32_csr_kind)description->kind) {
    case RV32_CSR_CONSTANT:
        return diagnose(rv32->diagnostics, BH_NON_CONTRACTUAL,
                        "%s is read-only here: the write of 0x%08x has no effect", description->name, value);
    case RV32_CSR_COUNTER: counter_write(rv32, csr, value); return STEP_DONE;
    default: break;
    }
    if (csr == RV32_CSR_cfg0 && value & ~core->csr[csr] & CFG0_DIS_TT_STATUS_REG) {
        enum step step = freeze_status(rv32);
        if (step != STEP_DONE) {
            return step;
        }
    }
    if (csr == RV32_CSR_cfg0 && value & RV32_CFG0_DIS_BP && rv32->timing) {
        memset(rv32->timing->branch, 0, sizeof rv32->timing->branch);
    }
    core->csr[csr] = value & description->writable; /* reads of a live CSR never return this value */
    return STEP_DONE;
}
