/* The debug daisychain: DBG_BUS_CNTL_REG chooses 32 of the 128 signals of a place on the chain. Here are the places
   that show counters of the coprocessor: ADCs, RWCs, fidelity phases, who owns SrcA and SrcB, and the pc of the cores.
   Sources: ttsim; of the pc, tt-exalens. */
#include "tile/handlers.h"

enum { ENABLE_BIT = 29, WORD_SHIFT = 25, CHAIN_SHIFT = 16 };
enum { CHAIN_COUNTERS = 3, CHAIN_ADDRESSES = 6, CHAIN_CORES = 7 };
enum { SIGNALS_ADC_END = 6, SIGNALS_SRC = 9, SIGNALS_RWC = 2, SIGNALS_FIDELITY = 4 };

/* Up to 256 signals. */
struct signals {
    uint32_t words[8];
};

static void put(struct signals *signals, unsigned position, uint32_t value)
{
    signals->words[position / 32] |= value << position % 32;
    if (position % 32 && position / 32 + 1 < 8) {
        signals->words[position / 32 + 1] |= value >> (32 - position % 32);
    }
}

/* Of the unpackers those of thread 0 show, of the packer those of thread 2. */
static void put_adc(struct signals *signals, const struct addr_unit *addr, unsigned select)
{
    unsigned unit = select / 2;
    const struct adc_channel *channel = &addr->adc[unit == ADC_PACKER ? 2 : 0][unit].channel[select % 2];
    put(signals, 0, channel->x);
    put(signals, 18, channel->x_cr);
    put(signals, 64, channel->y);
    put(signals, 80, channel->y_cr);
    put(signals, 96, channel->z & 0xff);
    put(signals, 104, channel->z_cr & 0xff);
    put(signals, 112, channel->w & 0xff);
    put(signals, 120, channel->w_cr & 0xff);
}

static bool matrix_unit_owns(const struct src_register_file *src, unsigned bank)
{
    return src->owner[bank] == SRC_MATRIX_UNIT;
}

static void put_src(struct signals *signals, const struct tensix_state *state)
{
    const struct src_register_file *a = &state->srca, *b = &state->srcb;
    put(signals, 84, !matrix_unit_owns(a, a->unpacker_bank));
    put(signals, 85, matrix_unit_owns(a, a->matrix_bank));
    put(signals, 90, matrix_unit_owns(a, 1));
    put(signals, 91, matrix_unit_owns(a, 0));
    put(signals, 92, a->matrix_bank);
    put(signals, 93, a->matrix_bank);
    put(signals, 94, a->unpacker_bank);
    put(signals, 100, b->matrix_bank);
    put(signals, 101, b->matrix_bank);
    put(signals, 102, b->unpacker_bank);
    put(signals, 105, matrix_unit_owns(b, 0));
    put(signals, 106, matrix_unit_owns(b, 1));
}

static void put_rwc(struct signals *signals, const struct addr_unit *addr)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct rwc *rwc = &addr->rwc[thread];
        put(signals, 16 * thread, rwc->srca);
        put(signals, 16 * thread + 8, rwc->srca_cr);
        put(signals, 16 * thread + 60, rwc->srcb);
        put(signals, 16 * thread + 68, rwc->srcb_cr);
        put(signals, 20 * thread + 120, rwc->dst);
        put(signals, 20 * thread + 130, rwc->dst_cr);
    }
}

/* The pc of the instruction that a core executes next: whole among the signals before, without its upper bits among
   those at its number. */
static bool put_pc(struct signals *signals, const struct tile *tile, unsigned select)
{
    static const uint8_t places[BH_CORE_COUNT] = {11, 13, 15, 17, 25};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        uint32_t pc = tile->state->core[core].pc;
        if (select == places[core]) {
            put(signals, 32, pc & 0x3fffffff);
            return true;
        }
        if (select + 1 == places[core]) {
            put(signals, 0, pc & 0x7fffffff);
            return true;
        }
    }
    return false;
}

enum step debug_bus_read(struct tile *tile, uint32_t control, uint32_t *value)
{
    const struct tensix_state *state = &tile->state->tensix;
    unsigned select = control & 0xffff, chain = control >> CHAIN_SHIFT & 0xff, word = control >> WORD_SHIFT & 3;
    struct signals signals = {};
    *value = 0;
    if (!(control >> ENABLE_BIT & 1)) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "DBG_RD_DATA is read while DBG_BUS_CNTL_REG (0x%08x) does not enable it (bit 29)", control);
    }
    if (chain == CHAIN_ADDRESSES && select < SIGNALS_ADC_END) {
        put_adc(&signals, &state->addr, select);
    } else if (chain == CHAIN_ADDRESSES && select == SIGNALS_SRC) {
        put_src(&signals, state);
    } else if (chain == CHAIN_COUNTERS && (select == SIGNALS_RWC || select == SIGNALS_RWC + 1)) {
        put_rwc(&signals, &state->addr);
        word += select == SIGNALS_RWC ? 0 : 4;
    } else if (chain == CHAIN_COUNTERS && select == SIGNALS_FIDELITY) {
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            put(&signals, 60 + 2 * thread, state->addr.rwc[thread].fidelity_phase);
        }
    } else if (chain == CHAIN_CORES && put_pc(&signals, tile, select) && word == (select & 1)) {
        /* the only word of it that is emulated */
    } else {
        return diagnose(tile->tensix.diagnostics, BH_UNSUPPORTED,
                        "DBG_RD_DATA: place %u, signals %u of the debug daisychain are not emulated", chain, select);
    }
    *value = signals.words[word];
    return STEP_DONE;
}
