/* The debug daisychain: DBG_BUS_CNTL_REG selects 32 of the 128 signals of a place on the chain, DBG_L1_MEM_REG2 writes
   all 128 to L1. Emulated are the places with counters of the coprocessor (ADCs, RWCs, fidelity phases, owners of SrcA
   and SrcB), and all signals of cores and threads. Other places have internal registers of the hardware that no
   document describes: tools dump them when a core does not answer, and no program depends on them. Sources: ttsim; of
   cores and threads, ISA documentation DebugDaisychain.md (Wormhole), tt-exalens. */
#include <string.h>

#include "tile/debug_bus.h"
#include "tile/handlers.h"

enum { SIGNALS_ADC_END = 6, SIGNALS_SRC = 9, SIGNALS_RWC = 2, SIGNALS_FIDELITY = 4, SIGNALS_B = 1 };

/* The ADCs shown are those of thread 0 for unpackers, and of thread 2 for the packer. */
static void put_adc(struct debug_signals *signals, const struct addr_unit *addr, unsigned select)
{
    unsigned unit = select / 2;
    const struct adc_channel *channel = &addr->adc[unit == ADC_PACKER ? 2 : 0][unit].channel[select % 2];
    debug_signals_put(signals, 0, channel->x);
    debug_signals_put(signals, 18, channel->x_cr);
    debug_signals_put(signals, 64, channel->y);
    debug_signals_put(signals, 80, channel->y_cr);
    debug_signals_put(signals, 96, channel->z & 0xff);
    debug_signals_put(signals, 104, channel->z_cr & 0xff);
    debug_signals_put(signals, 112, channel->w & 0xff);
    debug_signals_put(signals, 120, channel->w_cr & 0xff);
}

static bool matrix_unit_owns(const struct src_register_file *src, unsigned bank)
{
    return src->owner[bank] == SRC_MATRIX_UNIT;
}

static void put_src(struct debug_signals *signals, const struct tensix_state *state)
{
    const struct src_register_file *a = &state->srca, *b = &state->srcb;
    debug_signals_put(signals, 84, !matrix_unit_owns(a, a->unpacker_bank));
    debug_signals_put(signals, 85, matrix_unit_owns(a, a->matrix_bank));
    debug_signals_put(signals, 90, matrix_unit_owns(a, 1));
    debug_signals_put(signals, 91, matrix_unit_owns(a, 0));
    debug_signals_put(signals, 92, a->matrix_bank);
    debug_signals_put(signals, 93, a->matrix_bank);
    debug_signals_put(signals, 94, a->unpacker_bank);
    debug_signals_put(signals, 100, b->matrix_bank);
    debug_signals_put(signals, 101, b->matrix_bank);
    debug_signals_put(signals, 102, b->unpacker_bank);
    debug_signals_put(signals, 105, matrix_unit_owns(b, 0));
    debug_signals_put(signals, 106, matrix_unit_owns(b, 1));
}

static void put_rwc(struct debug_signals *signals, const struct addr_unit *addr)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct rwc *rwc = &addr->rwc[thread];
        debug_signals_put(signals, 16 * thread, rwc->srca);
        debug_signals_put(signals, 16 * thread + 8, rwc->srca_cr);
        debug_signals_put(signals, 16 * thread + 60, rwc->srcb);
        debug_signals_put(signals, 16 * thread + 68, rwc->srcb_cr);
        debug_signals_put(signals, 20 * thread + 120, rwc->dst);
        debug_signals_put(signals, 20 * thread + 130, rwc->dst_cr);
    }
}

/* Puts signals of cores: groups A and B of each core, C and D of T cores. false: `select` has no signals of cores;
   otherwise *step is the result. */
static bool put_core(struct debug_signals *signals, const struct tile *tile, unsigned select, enum step *step)
{
    enum { FIRST_A = 10, FIRST_C = 18, FIRST_NC = 24, END = 26 };
    *step = STEP_DONE;
    if (select == SIGNALS_B) {
        debug_signals_b(signals, tile);
        return true;
    }
    if (select < FIRST_A || select >= END) {
        return false;
    }
    if (select >= FIRST_C && select < FIRST_NC) {
        unsigned thread = (select - FIRST_C) / 2;
        if (select % 2) {
            *step = debug_signals_group_d(signals, tile, thread);
        } else {
            debug_signals_group_c(signals, tile, thread);
        }
        return true;
    }
    unsigned core = select >= FIRST_NC ? BH_CORE_NC : (select - FIRST_A) / 2;
    debug_signals_core(signals, &tile->state->core[core], select % 2);
    return true;
}

/* The thread whose frontend a place shows; TENSIX_THREADS: none. */
static unsigned frontend_at(unsigned select)
{
    return select == 12 ? 0 : select == 8 ? 1 : select == 4 ? 2 : TENSIX_THREADS;
}

static enum step put_signals(struct debug_signals *signals, struct tile *tile, const struct debug_select *at)
{
    const struct tensix_state *state = &tile->state->tensix;
    enum step step = STEP_DONE;
    if (at->chain == DEBUG_CHAIN_ADDRESSES && at->signals < SIGNALS_ADC_END) {
        put_adc(signals, &state->addr, at->signals);
    } else if (at->chain == DEBUG_CHAIN_ADDRESSES && at->signals == SIGNALS_SRC) {
        put_src(signals, state);
    } else if (at->chain == DEBUG_CHAIN_COUNTERS && (at->signals == SIGNALS_RWC || at->signals == SIGNALS_RWC + 1)) {
        struct debug_signals both = {};
        put_rwc(&both, &state->addr);
        memcpy(signals->words, both.words + DEBUG_READ_WORDS * (at->signals - SIGNALS_RWC),
               DEBUG_READ_WORDS * sizeof *both.words);
    } else if (at->chain == DEBUG_CHAIN_COUNTERS && at->signals == SIGNALS_FIDELITY) {
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            debug_signals_put(signals, 60 + 2 * thread, state->addr.rwc[thread].fidelity_phase);
        }
    } else if (at->chain == DEBUG_CHAIN_FRONTEND && frontend_at(at->signals) < TENSIX_THREADS) {
        debug_signals_frontend(signals, &state->frontend[frontend_at(at->signals)]);
    } else if (!debug_signals_perf(signals, tile, at, &step) &&
               (at->chain != DEBUG_CHAIN_CORES || !put_core(signals, tile, at->signals, &step))) {
        return diagnose_once(tile->tensix.diagnostics, BH_NON_CONTRACTUAL,
                             "place %u, signals %u of the debug daisychain read as 0, as do all others that show what "
                             "is inside hardware only",
                             at->chain, at->signals);
    }
    return step;
}

/* Collects the signals that DBG_BUS_CNTL_REG selects. */
static enum step signals_chosen(struct tile *tile, const char *what, struct debug_signals *signals, unsigned *word)
{
    uint32_t control = *debug_word(tile, MMIO_ADDRESS_DBG_BUS_CNTL_REG);
    struct debug_select at = debug_select(control);
    *word = at.word;
    if (!at.enabled) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "%s while DBG_BUS_CNTL_REG (0x%08x) does not enable the debug daisychain (bit 29)", what,
                        control);
    }
    return put_signals(signals, tile, &at);
}

enum step debug_bus_read(struct tile *tile, uint32_t *value)
{
    struct debug_signals signals = {};
    unsigned word;
    enum step step = signals_chosen(tile, "DBG_RD_DATA is read", &signals, &word);
    *value = signals.words[word];
    return step;
}

enum step debug_bus_capture(struct tile *tile, uint32_t value)
{
    struct debug_signals signals = {};
    struct debug_capture capture = {.address = debug_word(tile, MMIO_ADDRESS_DBG_L1_MEM_REG0),
                                    .end = debug_word(tile, MMIO_ADDRESS_DBG_L1_MEM_REG1),
                                    .control = debug_word(tile, MMIO_ADDRESS_DBG_L1_MEM_REG2),
                                    .next = &tile->state->registers.debug_capture_next,
                                    .l1 = &tile->l1,
                                    .limit = L1_SIZE,
                                    .diagnostics = tile->tensix.diagnostics};
    unsigned word;
    enum step step = debug_capture_triggers(&capture, value)
                         ? signals_chosen(tile, "DBG_L1_MEM_REG2 triggers", &signals, &word)
                         : STEP_DONE;
    return step == STEP_DONE ? debug_capture_write(&capture, value, &signals) : step;
}
