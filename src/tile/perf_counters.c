#include "tile/perf_counters.h"

#include <string.h>

#include "tensix/frontend/counts.h"
#include "tile/handlers.h"
#include "util/bits.h"

enum { START = 1, STOP = 2 };
enum { MODE_UNTIL_PERIOD = 1, MODE_NO_REFERENCE = 2, MODES };
enum { GRANTS = 0x100, L1_POSITIONS = 6, L1_PORTS_EACH = 8 };
#define NOT_MODELLED 0u

/* Registers of the banks: period, mode and control are consecutive, as are OUT_L and OUT_H. select_bits: number of the
   mode's bits that select a counter. */
static const struct {
    uint32_t period, out;
    uint8_t select_bits;
    char name[14];
} banks[PERF_BANKS] = {
    [PERF_BANK_INSTRN_THREAD] = {MMIO_ADDRESS_PERF_CNT_INSTRN_THREAD0, MMIO_ADDRESS_PERF_CNT_OUT_L_INSTRN_THREAD, 6,
                                 "INSTRN_THREAD"},
    [PERF_BANK_FPU] = {MMIO_ADDRESS_PERF_CNT_FPU0, MMIO_ADDRESS_PERF_CNT_OUT_L_FPU, 1, "FPU"},
    [PERF_BANK_TDMA_UNPACK] = {MMIO_ADDRESS_PERF_CNT_TDMA_UNPACK0, MMIO_ADDRESS_PERF_CNT_OUT_L_TDMA_UNPACK, 5,
                               "TDMA_UNPACK"},
    [PERF_BANK_TDMA_PACK] = {MMIO_ADDRESS_PERF_CNT_TDMA_PACK0, MMIO_ADDRESS_PERF_CNT_OUT_L_TDMA_PACK, 5, "TDMA_PACK"},
    [PERF_BANK_L1] = {MMIO_ADDRESS_PERF_CNT_L1_0, MMIO_ADDRESS_PERF_CNT_OUT_L_DBG_L1, 3, "L1"},
};

struct perf_counter {
    uint16_t select;
    uint16_t classes;
    uint8_t bank, threads;
    uint8_t timed; /* enum timing_count */
    char name[34];
};

static const struct perf_counter counters[] = {
#define PERF_COUNTER(bank, select, name, classes, threads, timed)                                                      \
    {select, classes, PERF_BANK_##bank, threads, timed, #name},
#include "perf_counters.def"
};

static uint32_t *period_of(struct tile *tile, enum perf_bank bank)
{
    return debug_word(tile, banks[bank].period);
}

static uint32_t *mode_of(struct tile *tile, enum perf_bank bank)
{
    return debug_word(tile, banks[bank].period + 4);
}

/* Adds what was counted since the last time to the bank's counters. */
static void add_counts(struct tile *tile, struct perf_bank_state *state)
{
    const struct issue_counts *issue = &tile->state->tensix.issue;
    const struct timing_counts *counts = &tile->state->tensix.timing.counts;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned unit = 0; unit < ISSUE_CLASSES; unit++) {
            state->counted[thread][unit] += issue->executed[thread][unit] - state->seen[thread][unit];
        }
    }
    memcpy(state->seen, issue->executed, sizeof state->seen);
    for (unsigned i = 0; tile->tensix.timed && i < TIMING_COUNTS; i++) {
        state->timed[i] += counts->count[i] - state->timed_seen[i];
    }
    memcpy(state->timed_seen, counts->count, sizeof state->timed_seen);
}

/* Adds the events up to `now` to the bank's counters. */
static void settle(struct tile *tile, enum perf_bank bank, uint64_t now)
{
    struct perf_bank_state *state = &tile->state->registers.perf[bank];
    struct issue_counts *issue = &tile->state->tensix.issue;
    unsigned mode = *mode_of(tile, bank) & 0xff;
    if (!state->running) {
        return;
    }
    if (tile->tensix.timed) {
        counts_reach(&tile->tensix, now);
    }
    uint64_t elapsed = now > state->since ? now - state->since : 0;
    uint32_t left = *period_of(tile, bank) > state->reference ? *period_of(tile, bank) - state->reference : 0;
    if (mode == MODE_UNTIL_PERIOD && elapsed >= left) {
        elapsed = left;
        state->running = false;
        issue->wanted &= ~(1u << bank);
    }
    if (mode != MODE_NO_REFERENCE) {
        state->reference += (uint32_t)elapsed;
    }
    state->since += elapsed;
    add_counts(tile, state);
}

static void start(struct tile *tile, enum perf_bank bank, uint64_t now)
{
    struct perf_bank_state *state = &tile->state->registers.perf[bank];
    struct issue_counts *issue = &tile->state->tensix.issue;
    if (tile->tensix.timed && issue->wanted) {
        counts_reach(&tile->tensix, now);
    } else if (tile->tensix.timed) {
        counts_begin(&tile->tensix, now);
    }
    *state = (struct perf_bank_state){.running = true, .since = now};
    memcpy(state->seen, issue->executed, sizeof state->seen);
    memcpy(state->timed_seen, tile->state->tensix.timing.counts.count, sizeof state->timed_seen);
    if (bank != PERF_BANK_L1) {
        issue->wanted |= 1u << bank;
    }
}

static void stop(struct tile *tile, enum perf_bank bank, uint64_t now)
{
    settle(tile, bank, now);
    tile->state->registers.perf[bank].running = false;
    tile->state->tensix.issue.wanted &= ~(1u << bank);
}

/* Executes all instructions pushed so far. false: the tile stops. */
static bool catch_up(struct tile *tile)
{
    (void)tensix_drain(&tile->tensix);
    return !tile->tensix.diagnostics->stopped;
}

/* Rising edges of a control register's bits start and stop the banks of `set`, after all instructions pushed before
   have executed. */
static enum step control(struct tile *tile, unsigned agent, uint32_t address, uint32_t value, uint32_t set,
                         uint64_t now)
{
    uint32_t *word = debug_word(tile, address), rising = value & ~*word & (START | STOP);
    if (rising && agent == MMIO_COPROCESSOR) {
        return diagnose(tile->tensix.diagnostics, BH_UNSUPPORTED,
                        "an instruction of the coprocessor starts or stops performance counters: only cores and the "
                        "NoC do that here");
    }
    if (rising == (START | STOP) &&
        diagnose(tile->tensix.diagnostics, BH_UNPREDICTABLE_VALUE,
                 "the same store starts and stops performance counters: here they stay cleared") == STEP_STOP) {
        return STEP_STOP;
    }
    if (rising && !catch_up(tile)) {
        return STEP_STOP;
    }
    *word = value;
    for (unsigned bank = 0; bank < PERF_BANKS; bank++) {
        if (set & 1u << bank && rising & START) {
            start(tile, bank, now);
        }
        if (set & 1u << bank && rising & STOP) {
            stop(tile, bank, now);
        }
    }
    return STEP_DONE;
}

static enum step set_mode(struct tile *tile, enum perf_bank bank, uint32_t value, uint64_t now)
{
    if ((value & 0xff) >= MODES) {
        enum step step = diagnose(tile->tensix.diagnostics, BH_NON_CONTRACTUAL,
                                  "performance counters of %s: there are modes 0, 1 and 2, %u counts as mode 0",
                                  banks[bank].name, value & 0xff);
        if (step != STEP_DONE) {
            return step;
        }
    }
    settle(tile, bank, now);
    *mode_of(tile, bank) = value;
    return STEP_DONE;
}

bool perf_counters_store(struct tile *tile, unsigned agent, uint32_t address, uint32_t value, uint64_t now,
                         enum step *step)
{
    if (address == MMIO_ADDRESS_PERF_CNT_ALL) {
        *step = control(tile, agent, address, value, 1u << PERF_BANK_INSTRN_THREAD | 1u << PERF_BANK_FPU, now);
        return true;
    }
    for (unsigned bank = 0; bank < PERF_BANKS; bank++) {
        switch (address - banks[bank].period) {
        case 0:
            settle(tile, bank, now);
            *period_of(tile, bank) = value;
            *step = STEP_DONE;
            return true;
        case 4: *step = set_mode(tile, bank, value, now); return true;
        case 8: *step = control(tile, agent, address, value, 1u << bank, now); return true;
        }
    }
    return false;
}

/* A thread's grants of instruction classes alias its count of all instructions, those of wait reasons its count of
   stalls. */
static unsigned unaliased(unsigned select)
{
    enum { CLASSES = 8, CLASSES_END = 24, STALLS = 24, REASONS = 9, REASONS_BEGIN = 31, REASONS_END = 58 };
    unsigned index = select & ~GRANTS;
    if (!(select & GRANTS)) {
        return select;
    }
    return index < CLASSES_END                             ? select - index % CLASSES
           : index >= REASONS_BEGIN && index < REASONS_END ? STALLS + (index - REASONS_BEGIN) / REASONS
                                                           : select;
}

/* The counter that a bank's mode register selects; null: none is documented. */
static const struct perf_counter *find(struct tile *tile, enum perf_bank bank, unsigned select)
{
    select &= GRANTS | ((1u << banks[bank].select_bits) - 1);
    if (bank == PERF_BANK_INSTRN_THREAD) {
        select = unaliased(select);
    } else if (bank == PERF_BANK_L1) {
        unsigned position = bits_get(*debug_word(tile, MMIO_ADDRESS_PERF_CNT_MUX_CTRL), 4, 3);
        select += L1_PORTS_EACH * (position < L1_POSITIONS ? position : 0);
    }
    for (unsigned i = 0; i < sizeof counters / sizeof *counters; i++) {
        if (counters[i].bank == bank && counters[i].select == select) {
            return &counters[i];
        }
    }
    return NULL;
}

static uint32_t sum(const struct perf_bank_state *state, const struct perf_counter *counter)
{
    uint32_t count = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned unit = 0; unit < ISSUE_CLASSES; unit++) {
            bool counts = counter->threads >> thread & 1 && counter->classes >> unit & 1;
            count += counts ? state->counted[thread][unit] : 0;
        }
    }
    return count;
}

static enum step diagnose_not_modelled(struct tile *tile, const struct perf_counter *counter)
{
    struct diagnostics *diagnostics = tile->tensix.diagnostics;
    const char *name = counter->name, *bank = banks[counter->bank].name;
    if (counter->timed == COUNT_NOTHING) {
        return diagnose_once(diagnostics, BH_NON_CONTRACTUAL,
                             "performance counter %s of %s reads as 0, as do all of access to L1: its ports are not "
                             "modelled, neither in functional nor in timed mode",
                             name, bank);
    }
    return diagnose_once(diagnostics, BH_NON_CONTRACTUAL,
                         "performance counter %s of %s reads as 0, as do all that count cycles of waiting or of being "
                         "busy: these are not modelled in functional mode, timed mode counts them",
                         name, bank);
}

enum step perf_counters_event(struct tile *tile, enum perf_bank bank, unsigned select, uint64_t now, uint32_t *value)
{
    struct diagnostics *diagnostics = tile->tensix.diagnostics;
    const struct perf_counter *counter = find(tile, bank, select);
    *value = 0;
    if (!counter) {
        return diagnose_once(diagnostics, BH_NON_CONTRACTUAL,
                             "performance counter 0x%03x of %s is documented nowhere: it reads as 0, as do others of "
                             "which no document says anything",
                             select, banks[bank].name);
    }
    bool timed = tile->tensix.timed;
    if (counter->classes != NOT_MODELLED && !counter->threads) { /* of instructions that there are none of */
        return STEP_DONE;
    }
    if (timed ? counter->timed == COUNT_NOTHING : counter->classes == NOT_MODELLED) {
        return diagnose_not_modelled(tile, counter);
    }
    enum step step = STEP_DONE;
    if (!timed && counter->classes != ISSUE_ALL) {
        step = diagnose_once(diagnostics, BH_NON_CONTRACTUAL,
                             "performance counter %s of %s counts instructions, as do all others that hardware counts "
                             "cycles of execution with: each as one cycle that never waits; timed mode counts cycles",
                             counter->name, banks[bank].name);
    }
    settle(tile, bank, now);
    const struct perf_bank_state *state = &tile->state->registers.perf[bank];
    *value = timed && counter->timed != COUNT_INSTRUCTIONS ? state->timed[counter->timed] : sum(state, counter);
    return step;
}

uint32_t perf_counters_reference(struct tile *tile, enum perf_bank bank, uint64_t now)
{
    settle(tile, bank, now);
    return tile->state->registers.perf[bank].reference;
}

/* The value of the selected counter, including instructions pushed before the load. */
static enum step event(struct tile *tile, enum perf_bank bank, uint64_t now, uint32_t *value)
{
    if (tile->state->registers.perf[bank].running && !catch_up(tile)) {
        return STEP_STOP;
    }
    return perf_counters_event(tile, bank, bits_get(*mode_of(tile, bank), 8, 9), now, value);
}

bool perf_counters_load(struct tile *tile, uint32_t address, uint64_t now, uint32_t *value, enum step *step)
{
    for (unsigned bank = 0; bank < PERF_BANKS; bank++) {
        if (address == banks[bank].out) {
            *value = perf_counters_reference(tile, bank, now);
            *step = STEP_DONE;
            return true;
        }
        if (address == banks[bank].out + 4) {
            *step = event(tile, bank, now, value);
            return true;
        }
    }
    return false;
}
