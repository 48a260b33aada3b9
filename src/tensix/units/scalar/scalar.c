/* SETDMAREG with an immediate, arithmetic on registers, DMANOP, FLUSHDMA. */
#include "tensix/units/scalar/parts.h"

#include <string.h>

static inline uint32_t *gprs(struct tensix *tensix, unsigned thread)
{
    return tensix->state->scalar.gpr[thread];
}

void scalar_deliver(struct tensix *tensix, unsigned thread, unsigned index, const void *data, unsigned bytes)
{
    bool by_rdcfg = tensix->diagnostics->now.instruction >> 24 == TENSIX_OPCODE_RDCFG;
    if (tensix->timed || (tensix->jitter && !by_rdcfg)) {
        late_gpr(tensix, thread, index, data, bytes);
    } else {
        memcpy(&gprs(tensix, thread)[index], data, bytes);
    }
}

enum step execute_SETDMAREG(struct tensix *tensix, unsigned thread, struct args_SETDMAREG args)
{
    if (args.SetSignalsMode) {
        scalar_set_from_signals(tensix, thread, args);
        return STEP_DONE;
    }
    uint32_t value = args.Payload_SigSelSize << 14 | args.Payload_SigSel;
    gpr_set_half(gprs(tensix, thread), args.RegIndex16b, (uint16_t)value);
    return STEP_DONE;
}

/* The operands of an arithmetic instruction: OpA is always a register, OpB one or an immediate of six bits. */
struct operands {
    uint32_t left, right;
    uint32_t *result;
};

#define OPERANDS(tensix, thread, args)                                                                                 \
    get_operands(gprs(tensix, thread), (args).OpBisConst, (args).OpARegIndex, (args).OpBRegIndex, (args).ResultRegIndex)

static inline struct operands get_operands(uint32_t gpr[GPRS], bool b_is_constant, uint32_t a, uint32_t b,
                                           uint32_t result)
{
    return (struct operands){.left = gpr[a], .right = b_is_constant ? b : gpr[b], .result = &gpr[result]};
}

enum step execute_ADDDMAREG(struct tensix *tensix, unsigned thread, struct args_ADDDMAREG args)
{
    struct operands o = OPERANDS(tensix, thread, args);
    *o.result = o.left + o.right;
    return STEP_DONE;
}

enum step execute_SUBDMAREG(struct tensix *tensix, unsigned thread, struct args_SUBDMAREG args)
{
    struct operands o = OPERANDS(tensix, thread, args);
    *o.result = o.left - o.right;
    return STEP_DONE;
}

/* Multiplies the low halves only; the product has all its 32 bits. */
enum step execute_MULDMAREG(struct tensix *tensix, unsigned thread, struct args_MULDMAREG args)
{
    struct operands o = OPERANDS(tensix, thread, args);
    *o.result = (o.left & 0xffff) * (o.right & 0xffff);
    return STEP_DONE;
}

/* Diagnoses an undefined OpSel. If the policy continues, the result register keeps its value. */
static enum step undefined_mode(struct tensix *tensix, const char *instruction, uint32_t mode, const char *modes)
{
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s: OpSel %u is undefined; there are %s", instruction,
                    mode, modes);
}

enum step execute_BITWOPDMAREG(struct tensix *tensix, unsigned thread, struct args_BITWOPDMAREG args)
{
    struct operands o = OPERANDS(tensix, thread, args);
    switch (args.OpSel) {
    case 0: *o.result = o.left & o.right; break;
    case 1: *o.result = o.left | o.right; break;
    case 2: *o.result = o.left ^ o.right; break;
    default: return undefined_mode(tensix, "BITWOPDMAREG", args.OpSel, "0 (and), 1 (or), 2 (xor)");
    }
    return STEP_DONE;
}

enum step execute_SHIFTDMAREG(struct tensix *tensix, unsigned thread, struct args_SHIFTDMAREG args)
{
    struct operands o = OPERANDS(tensix, thread, args);
    unsigned count = o.right & 31;
    switch (args.OpSel) {
    case 0: *o.result = o.left << count; break;
    case 1: *o.result = o.left >> count; break;
    default: return undefined_mode(tensix, "SHIFTDMAREG", args.OpSel, "0 (left), 1 (right)");
    }
    return STEP_DONE;
}

enum step execute_CMPDMAREG(struct tensix *tensix, unsigned thread, struct args_CMPDMAREG args)
{
    struct operands o = OPERANDS(tensix, thread, args);
    switch (args.OpSel) {
    case 0: *o.result = o.left > o.right; break;
    case 1: *o.result = o.left < o.right; break;
    case 2: *o.result = o.left == o.right; break;
    default: return undefined_mode(tensix, "CMPDMAREG", args.OpSel, "0 (greater), 1 (less), 2 (equal)");
    }
    return STEP_DONE;
}

enum step execute_DMANOP(struct tensix *tensix, unsigned thread, struct args_DMANOP args)
{
    return STEP_DONE;
}

enum { FLUSH_ALL = 1 << BUSY_SCALAR | 1 << BUSY_UNPACK0 | 1 << BUSY_UNPACK1 | 1 << BUSY_PACK };

/* Its conditions are requests in flight and busy pipelines: C0 to C3 of STALLWAIT. Instructions execute at once when
   they leave the wait gate, so that there are none but with jitter, and in an unpacker that waits for a bank. */
enum step execute_FLUSHDMA(struct tensix *tensix, unsigned thread, struct args_FLUSHDMA args)
{
    enum { UNPACKERS_OF_ALL = 3 };
    const unsigned unpackers = args.FlushSpec ? args.FlushSpec >> BUSY_UNPACK0 & UNPACKERS_OF_ALL : UNPACKERS_OF_ALL;
    if (unpack_owes(tensix->state, unpackers, thread)) {
        return STEP_WAIT;
    }
    if (tensix->jitter && !tensix->timed) {
        lag_drain(tensix, args.FlushSpec ? args.FlushSpec & FLUSH_ALL : FLUSH_ALL, thread);
    }
    return STEP_DONE;
}

TENSIX_RUN(SETDMAREG)
TENSIX_RUN(ADDDMAREG)
TENSIX_RUN(SUBDMAREG)
TENSIX_RUN(MULDMAREG)
TENSIX_RUN(BITWOPDMAREG)
TENSIX_RUN(SHIFTDMAREG)
TENSIX_RUN(CMPDMAREG)
TENSIX_RUN(DMANOP)
TENSIX_RUN(FLUSHDMA)
