/* Performance counters on the debug daisychain: the reference counter, then requests, grants and stalls of one counter.
   Stalls are requests that were not granted: there are none here. Source: the names and masks of signals in tt-exalens
   (Blackhole), where issue_dbg0 to issue_dbg18 are counters 0 to 18 of the unpackers' and the packer's banks. The
   places that show instruction grants or wait reasons, depending on PERF_CNT_MUX_CTRL, are not documented. */
#include "tile/debug_bus.h"
#include "tile/handlers.h"

enum { GRANTS = 0x100, FIRST_OF_PACK = 11 };

static enum step put_counter(struct debug_signals *signals, struct tile *tile, enum perf_bank bank, unsigned select)
{
    enum { REFERENCE, REQUESTS, GRANTED };
    uint64_t now = tile_clock(tile, BH_CORE_COUNT);
    signals->words[REFERENCE] = perf_counters_reference(tile, bank, now);
    enum step step = perf_counters_event(tile, bank, select, now, &signals->words[REQUESTS]);
    return step == STEP_DONE ? perf_counters_event(tile, bank, select | GRANTS, now, &signals->words[GRANTED]) : step;
}

/* Stalls of thread i are in word 3 - i. */
static enum step put_stalls(struct debug_signals *signals, struct tile *tile)
{
    enum { THREAD_STALLS = 24, THREAD_0 = 3 };
    enum step step = STEP_DONE;
    for (unsigned thread = 0; thread < TENSIX_THREADS && step == STEP_DONE; thread++) {
        step = perf_counters_event(tile, PERF_BANK_INSTRN_THREAD, THREAD_STALLS + thread,
                                   tile_clock(tile, BH_CORE_COUNT), &signals->words[THREAD_0 - thread]);
    }
    return step;
}

bool debug_signals_perf(struct debug_signals *signals, struct tile *tile, const struct debug_select *at,
                        enum step *step)
{
    enum { LOW_END = 16, HIGH_BEGIN = 2, HIGH_END = 24, HIGH_FIRST = 8, L1_BEGIN = 2, L1_END = 10 };
    unsigned place = at->signals;
    if (at->chain == DEBUG_CHAIN_FRONTEND && place == 1) {
        *step = put_stalls(signals, tile);
    } else if (at->chain == DEBUG_CHAIN_PERF_LOW && place < LOW_END && place % 2 == 0) {
        unsigned select = place / 2;
        *step = put_counter(signals, tile, PERF_BANK_TDMA_UNPACK, select);
    } else if (at->chain == DEBUG_CHAIN_PERF_HIGH && place >= HIGH_BEGIN && place < HIGH_END && place % 2 == 0) {
        unsigned select = HIGH_FIRST + (place - HIGH_BEGIN) / 2;
        *step =
            put_counter(signals, tile, select < FIRST_OF_PACK ? PERF_BANK_TDMA_UNPACK : PERF_BANK_TDMA_PACK, select);
    } else if (at->chain == DEBUG_CHAIN_CORES && place == 0) {
        *step = put_counter(signals, tile, PERF_BANK_FPU, 0);
    } else if (at->chain == DEBUG_CHAIN_CORES && place >= L1_BEGIN && place < L1_END) {
        *step = put_counter(signals, tile, PERF_BANK_L1, place - L1_BEGIN);
    } else {
        return false;
    }
    return true;
}
