/* REG2FLOP: copies registers to the configuration words whose names start with THCON_, or to the address counters.
   Sources: chapter "config sync instructions"; ISA documentation REG2FLOP_Configuration.md, REG2FLOP_ADC.md. */
#include "tensix/units/scalar/parts.h"
#include "util/bits.h"

enum target { TARGET_CONFIG = 0, TARGET_LOCAL = 1, TARGET_ADC = 2, TARGET_ADC_OF_THREAD = 3 };
enum flop_size { SIZE_128_BITS, SIZE_32_BITS, SIZE_16_BITS, SIZE_8_BITS };

enum { THCON_WORDS = GLOBAL_CFGREG_BASE_ADDR32 - THCON_CFGREG_BASE_ADDR32 };

/* Fields without effect here: hardware writes the whole word, or all four, whatever they say. */
static enum step warn_of_ignored_fields(struct tensix *tensix, struct args_REG2FLOP args)
{
    if (!args.ByteOffset && !args.ContextId_2) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                    "REG2FLOP: configuration has neither byte offsets nor contexts; ByteOffset %u and ContextId %u are "
                    "ignored",
                    args.ByteOffset, args.ContextId_2);
}

/* Writes 128 bits, or 32: hardware treats the two smaller sizes as 32 bits here. */
static enum step to_config(struct tensix *tensix, unsigned thread, struct args_REG2FLOP args)
{
    if (args.FlopIndex >= THCON_WORDS) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "REG2FLOP: flop %u, but those of configuration are 0 to %u", args.FlopIndex, THCON_WORDS - 1);
    }
    enum step step = warn_of_ignored_fields(tensix, args);
    if (step != STEP_DONE) {
        return step;
    }
    const uint32_t *gpr = tensix->state->scalar.gpr[thread];
    unsigned bank = CONFIG_GET(tensix->state->config.thread[thread], CFG_STATE_ID_StateID);
    if (args.SizeSel != SIZE_128_BITS) {
        config_write(tensix, bank, THCON_CFGREG_BASE_ADDR32 + args.FlopIndex, gpr[args.RegIndex], UINT32_MAX);
        return STEP_DONE;
    }
    for (unsigned i = 0; i < GPR_QUAD; i++) {
        config_write(tensix, bank, THCON_CFGREG_BASE_ADDR32 + (args.FlopIndex & ~3u) + i,
                     gpr[(args.RegIndex & ~3u) + i], UINT32_MAX);
    }
    return STEP_DONE;
}

/* The part of a register that goes to a counter: 8, 16 or 32 bits at a byte offset that is a multiple of their size;
   zero-extended. */
static uint32_t part(uint32_t value, enum flop_size size, unsigned byte_offset)
{
    static const uint8_t bytes[] = {[SIZE_32_BITS] = 4, [SIZE_16_BITS] = 2, [SIZE_8_BITS] = 1};
    if (size == SIZE_128_BITS || byte_offset % bytes[size]) {
        return 0;
    }
    return bits_get(value, byte_offset * 8, bytes[size] * 8);
}

/* One counter of a channel, or its checkpoint. */
static void set_adc(struct adc_channel *channel, unsigned dimension, bool cr, uint32_t value)
{
    switch (dimension) {
    case 0: *(cr ? &channel->x_cr : &channel->x) = value & ADC_X_MASK; break;
    case 1: *(cr ? &channel->y_cr : &channel->y) = value & ADC_Y_MASK; break;
    case 2: *(cr ? &channel->z_cr : &channel->z) = value & ADC_Z_MASK; break;
    default: *(cr ? &channel->w_cr : &channel->w) = value & ADC_W_MASK; break;
    }
}

/* FlopIndex names a counter: the dimension in [1:0], its checkpoint in [2], the unit in [4:3], the channel in [5].
   Threads and units that do not exist are documented to be ignored. */
static enum step to_adc(struct tensix *tensix, unsigned thread, struct args_REG2FLOP args)
{
    unsigned which_thread = args.TargetSel == TARGET_ADC_OF_THREAD ? args.ContextId_2 : thread;
    unsigned unit = bits_get(args.FlopIndex, 3, 2);
    if (which_thread >= TENSIX_THREADS || unit >= ADC_UNITS) {
        return STEP_DONE;
    }
    uint32_t value = part(tensix->state->scalar.gpr[thread][args.RegIndex], args.SizeSel, args.ByteOffset);
    struct adc_channel *channel = &tensix->state->addr.adc[which_thread][unit].channel[bits_get(args.FlopIndex, 5, 1)];
    set_adc(channel, bits_get(args.FlopIndex, 0, 2), bits_get(args.FlopIndex, 2, 1), value);
    return STEP_DONE;
}

enum step execute_REG2FLOP(struct tensix *tensix, unsigned thread, struct args_REG2FLOP args)
{
    switch ((enum target)args.TargetSel) {
    case TARGET_CONFIG: return to_config(tensix, thread, args);
    case TARGET_ADC:
    case TARGET_ADC_OF_THREAD: return to_adc(tensix, thread, args);
    default:
        return diagnose(
            tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
            "REG2FLOP: TargetSel 1 (local registers) is documented nowhere; 0 is configuration, 2 and 3 are "
            "address counters");
    }
}

TENSIX_RUN(REG2FLOP)
