#include "tile/debug_signals.h"

#include "util/bits.h"

struct debug_select debug_select(uint32_t control)
{
    return (struct debug_select){.signals = bits_get(control, 0, 16),
                                 .chain = bits_get(control, 16, 8),
                                 .word = bits_get(control, 25, 2),
                                 .enabled = bits_get(control, 29, 1)};
}

void debug_signals_put(struct debug_signals *signals, unsigned position, uint32_t value)
{
    unsigned word = position / 32, shift = position % 32;
    signals->words[word] |= value << shift;
    if (shift && word + 1 < DEBUG_SIGNAL_WORDS) {
        signals->words[word + 1] |= value >> (32 - shift);
    }
}

void debug_signals_core(struct debug_signals *signals, const struct rv32_core *core, bool group_b)
{
    enum { DECODES_PC = 32, RETIRES_PC = 0, FETCHES_PC = 64, PC_BITS = 30 };
    if (group_b) {
        debug_signals_put(signals, DECODES_PC, bits_get(core->pc, 0, PC_BITS));
        return;
    }
    debug_signals_put(signals, RETIRES_PC, bits_get(core->pc, 0, PC_BITS + 1));
    debug_signals_put(signals, FETCHES_PC, bits_get(core->pc, 0, PC_BITS));
}

enum { MODE_BITS = 4, TRIGGER_SHIFT = 12 };
enum { MODE_SAME_PLACE = 0, MODE_NEXT_PLACE = 1, MODE_SAMPLES = 4, MODE_PREPARE = 15 };
enum { SAMPLE_BYTES = 16, REACHABLE = 1 << 20 }; /* the low 1 MiB of L1 */

bool debug_capture_triggers(const struct debug_capture *capture, uint32_t value)
{
    return value & ~*capture->control & 1u << TRIGGER_SHIFT;
}

static enum step refuse_place(const struct debug_capture *capture, uint32_t samples)
{
    return diagnose(capture->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "the debug daisychain writes %u samples to L1 from 0x%llx on: it reaches the low 1 MiB", samples,
                    (unsigned long long)*capture->next * SAMPLE_BYTES);
}

static enum step write_samples(const struct debug_capture *capture, uint32_t mode, const struct debug_signals *signals)
{
    uint32_t next = *capture->next, samples = mode == MODE_SAMPLES ? *capture->end - next : 1;
    uint32_t places = (capture->limit < REACHABLE ? capture->limit : REACHABLE) / SAMPLE_BYTES;
    if (next > places || samples > places - next) {
        return refuse_place(capture, samples);
    }
    for (uint32_t i = 0; i < samples; i++) {
        l1_put(capture->l1, (struct actor){.agent = BH_AGENT_RECORDER}, (next + i) * SAMPLE_BYTES, signals->words,
               SAMPLE_BYTES);
    }
    *capture->next = mode == MODE_SAME_PLACE ? next : next + samples;
    return STEP_DONE;
}

enum step debug_capture_write(const struct debug_capture *capture, uint32_t value, const struct debug_signals *signals)
{
    uint32_t mode = bits_get(value, 0, MODE_BITS), before = bits_get(*capture->control, 0, MODE_BITS);
    bool triggers = debug_capture_triggers(capture, value);
    if (triggers && mode != MODE_SAME_PLACE && mode != MODE_NEXT_PLACE && mode != MODE_SAMPLES) {
        return diagnose(capture->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "DBG_L1_MEM_REG2 triggers with WriteMode %u: there are 0, 1 and 4", mode);
    }
    if (before == MODE_PREPARE) {
        *capture->next = *capture->address;
    }
    enum step step = triggers ? write_samples(capture, mode, signals) : STEP_DONE;
    if (step == STEP_DONE) {
        *capture->control = value;
    }
    return step;
}
