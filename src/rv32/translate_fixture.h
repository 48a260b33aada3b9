/* For tests of translated code: two tiles with two cores each; one translates the code that it executes, its twin
   interprets everything. Both get the same input and have to reach the same state. */
#ifndef BHEMU_RV32_TRANSLATE_FIXTURE_H
#define BHEMU_RV32_TRANSLATE_FIXTURE_H

#include "rv32/fixture.h"

#include <string.h>

#include "rv32/debug.h"
#include "rv32/translator.h"

enum { TWIN_CORES = 2, TWIN_WORDS = 8, TWIN_REGISTERS = (int32_t)0xffb20000 };

struct twin {
    uint8_t *bytes;
    struct l1 l1;
    struct rv32_core core[TWIN_CORES];
    uint8_t ram[TWIN_CORES][LOCAL_RAM_SIZE];
    struct instruction_fifo fifo[TWIN_CORES];
    struct diagnostics diagnostics;
    struct clock clock;
    struct rv32 rv32[TWIN_CORES];
    /* the bus: registers that bus.word offers, its answer, and a digest of the accesses */
    uint32_t words[TWIN_WORDS], loaded;
    enum step answer;
    bool yields;
    uint64_t asked;
};

struct twins {
    struct twin translating, plain;
    uint64_t retired, counted, translated; /* retired: instructions; counted: those of turns that count how many are
                                              executed by translated code; translated: these */
};

static enum step twin_access(struct twin *twin, unsigned kind, unsigned id, uint32_t address, uint32_t size,
                             uint32_t value)
{
    const struct rv32_core *core = twin->core[0].id == id ? &twin->core[0] : &twin->core[1];
    const uint64_t facts[] = {kind, id, address, size, value, core->pc, core->instret, twin->diagnostics.now.pc};
    for (unsigned i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        twin->asked = (twin->asked ^ facts[i]) * 0x100000001b3u + (twin->asked >> 29);
    }
    for (unsigned i = 0; i < TWIN_CORES; i++) {
        twin->rv32[i].yield |= twin->yields;
    }
    return twin->answer;
}

static uint32_t *twin_word(void *context, unsigned core, uint32_t address, bool stores)
{
    struct twin *twin = context;
    uint32_t index = (address - (uint32_t)TWIN_REGISTERS) / 4;
    return index < TWIN_WORDS ? &twin->words[index] : NULL;
}

/* The register at the address, if cores that do not use bus.word find the same word there. */
static uint32_t *twin_word_for_all(struct twin *twin, unsigned core, uint32_t address, unsigned size)
{
    return twin->rv32[0].bus.word && size == 4 ? twin_word(twin, core, address, false) : NULL;
}

static enum step twin_load(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    struct twin *twin = context;
    const uint32_t *word = twin_word_for_all(twin, core, address, size);
    if (word) {
        *value = *word;
        return STEP_DONE;
    }
    *value = size == 4 ? twin->loaded : twin->loaded & ((1u << size * 8) - 1);
    return twin_access(twin, 'l', core, address, size, 0);
}

static enum step twin_store(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value)
{
    uint32_t *word = twin_word_for_all(context, core, address, size);
    if (word) {
        *word = value;
        return STEP_DONE;
    }
    return twin_access(context, 's', core, address, size, value);
}

static enum step twin_push(void *context, unsigned core, uint32_t word)
{
    return twin_access(context, 'p', core, INSTRN_BUF_BASE, 4, word);
}

static inline void twin_create(struct twin *twin, struct rv32_translator *translator, const uint8_t ids[TWIN_CORES])
{
    memset(twin, 0, sizeof *twin);
    twin->bytes = calloc(1, L1_SIZE);
    assert_non_null(twin->bytes);
    assert_true(l1_create(&twin->l1, twin->bytes));
    diagnostics_set_policy(&twin->diagnostics, BH_POLICY_SILICON);
    for (unsigned i = 0; i < TWIN_CORES; i++) {
        twin->core[i].id = ids[i];
        twin->rv32[i] = (struct rv32){
            .core = &twin->core[i],
            .local_ram = twin->ram[i],
            .local_ram_size = ids[i] == BH_CORE_B || ids[i] == BH_CORE_NC ? LOCAL_RAM_SIZE : LOCAL_RAM_SIZE_T,
            .l1 = &twin->l1,
            .diagnostics = &twin->diagnostics,
            .clock = &twin->clock,
            .bus = {.context = twin, .load = twin_load, .store = twin_store, .push = twin_push, .words = twin},
            .translator = translator,
        };
    }
}

static inline void twins_create(struct twins *twins, struct rv32_translator *translator, const uint8_t ids[TWIN_CORES])
{
    twin_create(&twins->translating, translator, ids);
    twin_create(&twins->plain, NULL, ids);
    twins->retired = twins->counted = twins->translated = 0;
}

static inline void twins_destroy(struct twins *twins)
{
    struct twin *both[] = {&twins->translating, &twins->plain};
    for (unsigned i = 0; i < 2; i++) {
        l1_destroy(&both[i]->l1);
        free(both[i]->bytes);
    }
}

/* Executes a statement for each of two twins. */
#define BOTH(twins, twin)                                                                                              \
    for (struct twin *twin = &(twins)->translating; twin; twin = twin == &(twins)->translating ? &(twins)->plain : NULL)

/* Translates the code at the core's pc now, if it is translatable. */
static inline void twins_heat(struct twins *twins, unsigned core)
{
    struct rv32 *rv32 = &twins->translating.rv32[core];
    memset(&rv32->heat, 0, sizeof rv32->heat);
    memset(rv32->translator->heat, 0, sizeof rv32->translator->heat);
    translator_heated(rv32, true);
}

static inline bool twin_is_translated(const struct twin *twin, unsigned core)
{
    uint32_t pc = twin->core[core].pc;
    return pc < L1_SIZE && pc % 4 == 0 && translator_entry(twin->rv32[core].translator, &twin->l1, pc);
}

/* rv32_run() in alternating parts: translated ones, which are counted, and single interpreted instructions. */
static inline uint32_t twins_run_counted(struct twins *twins, unsigned core, uint32_t budget)
{
    struct twin *twin = &twins->translating;
    struct rv32 *rv32 = &twin->rv32[core];
    uint64_t start = twin->diagnostics.now.cycle;
    uint32_t left = budget, retired = rv32_run(rv32, 1);
    left -= retired;
    while (left > 0 && retired && rv32->core->halt == RV32_RUNNING && !rv32->yield) {
        uint32_t before = left;
        if (twin_is_translated(twin, core)) {
            uint64_t at_end = rv32->core->instret + left;
            uint64_t ended = rv32_run_translated(rv32, rv32->core->pc, left, at_end);
            bool yields = (ended & TRANSLATED_ENDS) == TRANSLATED_YIELDS;
            left = (uint32_t)(ended >> 32) - yields;
            rv32_retire(rv32, at_end - left);
            twins->translated += before - left;
            if (!yields || rv32->core->halt == RV32_RUNNING || rv32->core->halt == RV32_PAUSED) {
                rv32->core->pc = ((uint32_t)ended & ~(uint32_t)TRANSLATED_ENDS) + (yields ? 4 : 0);
            }
            if (ended & TRANSLATED_ENDS) {
                break;
            }
        }
        if (left > 0) {
            twin->diagnostics.now.cycle = start + budget - left;
            retired = rv32_run(rv32, 1);
            left -= retired;
        }
    }
    twins->counted += budget - left;
    return budget - left;
}

static inline void assert_same_diagnostics(const struct diagnostics *a, const struct diagnostics *b, bool whole)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->stopped, b->stopped);
    for (unsigned i = 0; i < a->count && i < DIAGNOSTICS_KEPT; i++) {
        if (whole || a->entries[i].pc != L1_SIZE) { /* otherwise a part may begin beyond L1, where no turn began */
            assert_string_equal(a->entries[i].text, b->entries[i].text);
        }
        assert_int_equal(a->entries[i].pc, b->entries[i].pc);
        assert_int_equal(a->entries[i].instruction, b->entries[i].instruction);
        assert_int_equal(a->entries[i].index, b->entries[i].index);
        assert_true(a->entries[i].cycle == b->entries[i].cycle ||
                    !whole); /* otherwise it is the cycle at which a part began */
        assert_int_equal(a->entries[i].category, b->entries[i].category);
    }
}

static inline void assert_same_core(const struct rv32_core *a, const struct rv32_core *b)
{
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->instret, b->instret);
    assert_memory_equal(a->x, b->x, RV32_SINK * sizeof a->x[0]);
    assert_memory_equal(a->x + RV32_F0, b->x + RV32_F0, (RV32_REGISTERS - RV32_F0) * sizeof a->x[0]);
    assert_int_equal(a->halt, b->halt);
    assert_int_equal(a->waiting, b->waiting);
    assert_int_equal(a->wait_address, b->wait_address);
    assert_int_equal(a->mcycle_offset, b->mcycle_offset);
    assert_int_equal(a->minstret_offset, b->minstret_offset);
    assert_int_equal(a->interrupted, b->interrupted);
    assert_memory_equal(a->v, b->v, sizeof a->v);
    assert_memory_equal(a->csr, b->csr, sizeof a->csr);
}

/* Asserts that all other effects of a core are the same; L1: `size` bytes from `first` on. */
static inline void assert_same_tile(const struct twins *twins, unsigned core, uint32_t first, uint32_t size)
{
    const struct twin *a = &twins->translating, *b = &twins->plain;
    assert_memory_equal(a->bytes + first, b->bytes + first, size);
    assert_memory_equal(a->ram[core], b->ram[core], LOCAL_RAM_SIZE);
    assert_memory_equal(&a->fifo[core], &b->fifo[core], sizeof a->fifo[core]);
    assert_memory_equal(a->words, b->words, sizeof a->words);
    assert_int_equal(a->asked, b->asked);
    assert_int_equal(a->rv32[core].yield, b->rv32[core].yield);
    assert_int_equal(a->l1.flushes, b->l1.flushes);
}

/* How the translating core runs a turn. */
enum twin_turn { TWIN_RUNS, TWIN_COUNTS, TWIN_IS_HOOKED, TWIN_IS_DEBUGGED };

/* Runs a turn of a core of each twin, and asserts that both reach the same state. */
static inline uint32_t twins_turn(struct twins *twins, unsigned core, uint32_t budget, enum twin_turn how)
{
    static const struct rv32_hooks none;
    struct rv32 *rv32 = &twins->translating.rv32[core];
    uint64_t clock = twins->plain.diagnostics.now.cycle;
    uint32_t retired = how == TWIN_RUNS        ? rv32_run(rv32, budget)
                       : how == TWIN_COUNTS    ? twins_run_counted(twins, core, budget)
                       : how == TWIN_IS_HOOKED ? rv32_run_hooked(rv32, budget, &none)
                                               : rv32_debug_run(rv32, budget);
    assert_int_equal(retired, rv32_run(&twins->plain.rv32[core], budget));
    assert_same_core(rv32->core, &twins->plain.core[core]);
    assert_same_diagnostics(&twins->translating.diagnostics, &twins->plain.diagnostics,
                            how == TWIN_RUNS || how == TWIN_IS_HOOKED);
    twins->retired += retired;
    BOTH(twins, twin)
    {
        twin->diagnostics.count = 0;
        twin->diagnostics.now.cycle = clock + retired;
    }
    return retired;
}

#endif
