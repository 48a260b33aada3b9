/* The address counters of the unpackers and packers, and the other instructions of the miscellaneous unit.
   Sources: chapter "rwc and addressing", section 5; ISA documentation ADCs.md and the page of each instruction. */
#include <stddef.h>

#include "tensix/units/execute.h"
#include "tensix/units/src_banks.h"

/* An instruction's operands for the counters of one unit: one for each of two dimensions of each channel, and a mask
   of those that apply. The dimensions are X and Y, or Z and W. */
enum { FIRST_0, SECOND_0, FIRST_1, SECOND_1, OPERANDS };

struct change {
    uint32_t operand[OPERANDS];
    uint32_t mask; /* bit i: operand i applies */
};

enum dimension { X, Y, Z, W };

static const uint32_t counter_masks[] = {[X] = ADC_X_MASK, [Y] = ADC_Y_MASK, [Z] = ADC_Z_MASK, [W] = ADC_W_MASK};

/* A channel's counters, each followed by its checkpoint. */
static inline uint32_t *counter_of(struct adc_channel *channel, enum dimension dimension)
{
    return (uint32_t *)channel + 2 * dimension;
}

_Static_assert(offsetof(struct adc_channel, y) == 2 * Y * sizeof(uint32_t) &&
                   offsetof(struct adc_channel, w_cr) == (2 * W + 1) * sizeof(uint32_t),
               "a checkpoint lies behind its counter");

/* What an operand does to a counter. */
typedef void operation(uint32_t counter[2], uint32_t operand, uint32_t mask);

static inline void set(uint32_t counter[2], uint32_t value, uint32_t mask)
{
    counter[0] = counter[1] = value & mask;
}

static inline void increment(uint32_t counter[2], uint32_t by, uint32_t mask)
{
    counter[0] = (counter[0] + by) & mask;
}

static inline void increment_cr(uint32_t counter[2], uint32_t by, uint32_t mask)
{
    set(counter, counter[1] + by, mask);
}

/* Applies `change` to dimensions `first` and first + 1 of each unit in `units`. Inline, so that the compiler knows the
   counters and the change in each caller and keeps everything in registers. */
__attribute__((always_inline)) static inline void apply(struct adc adc[ADC_UNITS], uint32_t units, enum dimension first,
                                                        struct change change, operation *operate)
{
#pragma GCC unroll 3
    for (unsigned unit = 0; unit < ADC_UNITS; unit++) {
        if (!(units & (1u << unit))) {
            continue;
        }
#pragma GCC unroll 4
        for (unsigned i = 0; i < OPERANDS; i++) {
            if (change.mask & (1u << i)) {
                enum dimension dimension = first + i % 2;
                operate(counter_of(&adc[unit].channel[i / 2], dimension), change.operand[i], counter_masks[dimension]);
            }
        }
    }
}

/* ThreadOverride: 0 selects the issuing thread, n selects thread n - 1. */
static inline struct adc *adc_of(struct tensix *tensix, unsigned thread, uint32_t thread_override)
{
    return tensix->state->addr.adc[thread_override ? thread_override - 1 : thread];
}

enum step execute_SETADC(struct tensix *tensix, unsigned thread, struct args_SETADC args)
{
    struct adc *adc = adc_of(tensix, thread, args.Value >> 16);
    for (unsigned unit = 0; unit < ADC_UNITS; unit++) {
        if (args.CntSetMask & (1u << unit)) {
            uint32_t *counter = counter_of(&adc[unit].channel[args.ChannelIndex], args.DimensionIndex);
            set(counter, args.Value, counter_masks[args.DimensionIndex]);
        }
    }
    return STEP_DONE;
}

enum step execute_SETADCXX(struct tensix *tensix, unsigned thread, struct args_SETADCXX args)
{
    struct change change = {{[FIRST_0] = args.x_start, [FIRST_1] = args.x_end2}, 1u << FIRST_0 | 1u << FIRST_1};
    apply(tensix->state->addr.adc[thread], args.CntSetMask, X, change, set);
    return STEP_DONE;
}

enum step execute_SETADCXY(struct tensix *tensix, unsigned thread, struct args_SETADCXY args)
{
    struct change change = {{args.Ch0_X, args.Ch0_Y, args.Ch1_X, args.Ch1_Y}, args.BitMask};
    apply(adc_of(tensix, thread, args.ThreadOverride), args.CntSetMask, X, change, set);
    return STEP_DONE;
}

enum step execute_SETADCZW(struct tensix *tensix, unsigned thread, struct args_SETADCZW args)
{
    struct change change = {{args.Ch0_Z, args.Ch0_W, args.Ch1_Z, args.Ch1_W}, args.BitMask};
    apply(adc_of(tensix, thread, args.ThreadOverride), args.CntSetMask, Z, change, set);
    return STEP_DONE;
}

enum step execute_INCADCXY(struct tensix *tensix, unsigned thread, struct args_INCADCXY args)
{
    struct change change = {{args.Ch0_X, args.Ch0_Y, args.Ch1_X, args.Ch1_Y}, 0xf};
    apply(adc_of(tensix, thread, args.ThreadOverride), args.CntSetMask, X, change, increment);
    return STEP_DONE;
}

enum step execute_INCADCZW(struct tensix *tensix, unsigned thread, struct args_INCADCZW args)
{
    struct change change = {{args.Ch0_X, args.Ch0_Y, args.Ch1_X, args.Ch1_Y}, 0xf};
    apply(adc_of(tensix, thread, args.ThreadOverride), args.CntSetMask, Z, change, increment);
    return STEP_DONE;
}

enum step execute_ADDRCRXY(struct tensix *tensix, unsigned thread, struct args_ADDRCRXY args)
{
    struct change change = {{args.Ch0_X, args.Ch0_Y, args.Ch1_X, args.Ch1_Y}, args.BitMask};
    apply(adc_of(tensix, thread, args.ThreadOverride), args.CntSetMask, X, change, increment_cr);
    return STEP_DONE;
}

enum step execute_ADDRCRZW(struct tensix *tensix, unsigned thread, struct args_ADDRCRZW args)
{
    struct change change = {{args.Ch0_X, args.Ch0_Y, args.Ch1_X, args.Ch1_Y}, args.BitMask};
    apply(adc_of(tensix, thread, args.ThreadOverride), args.CntSetMask, Z, change, increment_cr);
    return STEP_DONE;
}

enum step execute_SETDVALID(struct tensix *tensix, unsigned thread, struct args_SETDVALID args)
{
    for (unsigned unpacker = 0; unpacker < UNPACKERS; unpacker++) {
        if (args.setvalid >> unpacker & 1 && tensix->state->unpack.begun[unpacker]) {
            return STEP_WAIT; /* silicon would hand over a bank that its unpacker is to fill */
        }
    }
    src_banks_set_dvalid(tensix, thread, args.setvalid);
    return STEP_DONE;
}

enum step execute_RSTDMA(struct tensix *tensix, unsigned thread, struct args_RSTDMA args)
{
    return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                    "RSTDMA: no public document says what a soft reset of the TDMA engine resets; leave it out");
}

TENSIX_RUN(SETADC)
TENSIX_RUN(SETADCXX)
TENSIX_RUN(SETADCXY)
TENSIX_RUN(SETADCZW)
TENSIX_RUN(INCADCXY)
TENSIX_RUN(INCADCZW)
TENSIX_RUN(ADDRCRXY)
TENSIX_RUN(ADDRCRZW)
TENSIX_RUN(RSTDMA)
TENSIX_RUN(SETDVALID)
