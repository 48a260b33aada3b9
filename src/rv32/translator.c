#include "rv32/translator.h"

#include "tensix/frontend/fifo.h"
#include "util/pages.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOM = 1 << 24, ROOM_FOR_ONE = 1 << 17, ROOM_USUAL = 1 << 15, ROOM_PART = 1 << 16, PAGE = 4096, FEW_WORDS = 4 };

/* A translated region. It fits cores that access as much of L1 directly, if L1 holds the same instructions. */
struct translated_region {
    struct translated_region *next;
    uint32_t first, last; /* pc */
    uint32_t l1_size;
    uint32_t root_count, count;
    uint32_t roots[REGION_ROOTS];
    struct translated_word {
        uint32_t pc;
        uint32_t entry; /* 0: none */
        uint64_t code;  /* the entry in L1's code, without L1_ENTRY */
    } words[];
};

void translator_create(struct rv32_translator *translator)
{
    *translator = (struct rv32_translator){0};
    translator->off = !translate_possible();
    pthread_mutex_init(&translator->mutex, NULL);
}

void translator_forget(struct rv32_translator *translator)
{
    while (translator->translations) {
        struct translated_region *translation = translator->translations;
        translator->translations = translation->next;
        free(translation);
    }
    if (translator->room) {
        munmap(translator->room, ROOM);
    }
    free(translator->places);
    translator->room = NULL;
    translator->places = NULL;
    translator->full = false;
}

void translator_destroy(struct rv32_translator *translator)
{
    translator_forget(translator);
    pthread_mutex_destroy(&translator->mutex);
}

/* Makes the code appended after the first `used` bytes executable. */
static bool finish(struct rv32_translator *translator, const struct evex_code *code)
{
    uint32_t size = (code->size + PAGE - 1) / PAGE * PAGE;
    if (code->full || mprotect(translator->room + translator->used, size - translator->used, PROT_READ | PROT_EXEC)) {
        return false;
    }
    translator->used = size;
    return true;
}

static bool open_room(struct rv32_translator *translator)
{
    if (translator->room) {
        return true;
    }
    void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct translated_place *places = calloc(TRANSLATOR_ENTRIES, sizeof *places);
    struct evex_code code = {.bytes = room, .capacity = PAGE};
    if (room == MAP_FAILED || !places) {
        if (room != MAP_FAILED) {
            munmap(room, ROOM);
        }
        free(places);
        return false;
    }
    translator->room = room;
    translator->places = places;
    translator->used = translator->taken = 0;
    translator->entries = 1;
    translate_shared(&code, &translator->shared);
    if (!finish(translator, &code)) {
        translator_forget(translator);
        return false;
    }
    return true;
}

static uint64_t code_at(const struct l1 *l1, uint32_t pc)
{
    uint64_t code = l1->code[pc / 4];
    return (uint8_t)code == L1_REWRITTEN ? code : code & ~(uint64_t)L1_ENTRY;
}

/* A branch back that the interpreter still checks for polling, as its plain form; 0: the instruction is none. Code of
   which another core knows that it does not poll is taken not to poll here either. */
static uint64_t plain_at(const struct l1 *l1, uint32_t pc)
{
    uint64_t code = code_at(l1, pc);
    uint8_t op = (uint8_t)code;
    bool checked = op >= RV32_CODE_BEQ_BACK && op <= RV32_CODE_JUMP_BACK && !region_may_skip(l1, pc);
    return checked ? (code & ~(uint64_t)UINT8_MAX) | rv32_plain_op(op) : 0;
}

static bool fits(const struct translated_region *translation, const struct rv32 *rv32)
{
    if (translation->l1_size != rv32_l1_size(rv32)) {
        return false;
    }
    for (uint32_t i = 0; i < translation->count; i++) {
        const struct translated_word *word = &translation->words[i];
        if (word->code != code_at(rv32->l1, word->pc) && word->code != plain_at(rv32->l1, word->pc)) {
            return false;
        }
    }
    return true;
}

static const struct translated_word *word_at(const struct translated_region *translation, uint32_t pc)
{
    if (pc < translation->first || pc > translation->last) {
        return NULL;
    }
    const struct translated_word *words = translation->words;
    uint32_t from = 0, to = translation->count;
    while (to - from > 1) {
        uint32_t middle = (from + to) / 2;
        from = words[middle].pc <= pc ? middle : from;
        to = words[middle].pc <= pc ? to : middle;
    }
    return words[from].pc == pc ? &words[from] : NULL;
}

/* The index of the place for `pc` among the entries of L1, or of the free entry for it. */
static uint32_t find_entry(const struct rv32_translator *translator, const struct l1 *l1, uint32_t pc)
{
    uint32_t at = translated_hash(pc) & l1->entry_mask;
    while (l1->entries[at] && translator->places[l1->entries[at]].pc != pc) {
        at = (at + 1) & l1->entry_mask;
    }
    return at;
}

uint32_t translator_entry(const struct rv32_translator *translator, const struct l1 *l1, uint32_t pc)
{
    return l1->entry_count ? l1->entries[find_entry(translator, l1, pc)] : 0;
}

static void enlarge(const struct rv32_translator *translator, struct l1 *l1)
{
    uint16_t few[L1_FEW_ENTRIES];
    memcpy(few, l1->entries, sizeof few);
    l1_enlarge_entries(l1);
    for (unsigned i = 0; i < L1_FEW_ENTRIES; i++) {
        if (few[i]) {
            l1->entries[find_entry(translator, l1, translator->places[few[i]].pc)] = few[i];
            l1->entry_count++;
        }
    }
}

/* Adds an entry, or replaces the one for the same pc. Some entries stay free. */
static void add_entry(const struct rv32_translator *translator, struct l1 *l1, uint32_t entry)
{
    enum { MOST = L1_ENTRIES / 4 * 3, MOST_OF_FEW = L1_FEW_ENTRIES / 4 * 3 };
    uint32_t pc = translator->places[entry].pc, at = find_entry(translator, l1, pc);
    if (!l1->entries[at] && l1->entry_count == MOST) {
        return;
    }
    if (!l1->entries[at] && l1->entry_count == MOST_OF_FEW && l1->entry_mask < L1_ENTRIES - 1) {
        enlarge(translator, l1);
        at = find_entry(translator, l1, pc);
    }
    l1->entry_count += !l1->entries[at];
    l1->entries[at] = (uint16_t)entry;
    l1->code[pc / 4] |= L1_ENTRY;
}

/* Enters a fitting translation's places into L1. */
static void attach(const struct rv32_translator *translator, const struct translated_region *translation, struct l1 *l1)
{
    for (uint32_t i = 0; i < translation->count; i++) {
        const struct translated_word *word = &translation->words[i];
        if (word->code != code_at(l1, word->pc)) {
            l1->code[word->pc / 4] = word->code | (l1->code[word->pc / 4] & L1_ENTRY);
        }
        l1_translated(l1, word->pc);
        if (word->entry) {
            add_entry(translator, l1, word->entry);
        }
    }
}

/* Whether to translate the region: most of it has to be translatable, and a polling loop around `pc` is better
   interpreted, since the interpreter skips its iterations. */
static bool is_worth_it(const struct region *region, uint32_t pc)
{
    uint32_t interpreted = 0;
    for (uint32_t i = 0; i < region->count; i++) {
        const struct region_word *word = &region->words[i];
        if (word->code.op >= RV32_CODE_BEQ_BACK && word->flow == REGION_INTERPRETS && word->pc >= pc &&
            region_target(word) <= pc) {
            return false;
        }
        interpreted += word->flow == REGION_INTERPRETS;
    }
    return region->count >= FEW_WORDS && interpreted * 6 <= region->count;
}

static struct translated_region *record(struct rv32_translator *translator, const struct region *region,
                                        const struct rv32 *rv32, const uint32_t *offsets)
{
    struct translated_region *made = malloc(sizeof *made + region->count * sizeof made->words[0]);
    if (!made) {
        return NULL;
    }
    made->next = translator->translations;
    made->first = region->words[0].pc;
    made->last = region->words[region->count - 1].pc;
    made->l1_size = rv32_l1_size(rv32);
    made->count = region->count;
    made->root_count = region->root_count;
    memcpy(made->roots, region->roots, sizeof made->roots);
    for (uint32_t i = 0; i < region->count; i++) {
        const struct region_word *word = &region->words[i];
        made->words[i] = (struct translated_word){.pc = word->pc, .code = code_at(rv32->l1, word->pc)};
        if (word->entry) {
            translator->places[translator->entries] = (struct translated_place){word->pc, offsets[i]};
            made->words[i].entry = translator->entries++;
        }
    }
    translator->translations = made;
    translator->made++;
    return made;
}

/* Translates the region of the roots. false: it was not translated. */
static bool translate(struct rv32_translator *translator, struct rv32 *rv32, struct region *region)
{
    region_find(region, rv32);
    if (!is_worth_it(region, region->roots[0])) {
        return false;
    }
    if (!open_room(translator)) {
        translator->off = true;
        return false;
    }
    if (ROOM - translator->used < ROOM_FOR_ONE || TRANSLATOR_ENTRIES - translator->entries < REGION_WORDS) {
        translator->full = true;
        return false;
    }
    uint32_t offsets[REGION_WORDS], end = translator->used + ROOM_USUAL;
    if (end > translator->taken) {
        pages_take(translator->room + translator->used, ROOM_PART);
        translator->taken = translator->used + ROOM_PART;
    }
    struct evex_code code = {
        .bytes = translator->room, .size = translator->used, .capacity = translator->used + ROOM_FOR_ONE};
    translate_region(&code, &translator->shared, region, rv32, offsets);
    if (!finish(translator, &code)) {
        translator->off = !code.full;
        return false;
    }
    const struct translated_region *made = record(translator, region, rv32, offsets);
    if (made) {
        attach(translator, made, rv32->l1);
    }
    return made;
}

/* A fitting translation that contains the instruction at `pc`; entry: as an entry point. */
static const struct translated_region *find(const struct rv32_translator *translator, const struct rv32 *rv32,
                                            uint32_t pc, bool entry)
{
    for (const struct translated_region *known = translator->translations; known; known = known->next) {
        const struct translated_word *word = word_at(known, pc);
        if (word && (word->entry || !entry) && fits(known, rv32)) {
            return known;
        }
    }
    return NULL;
}

static bool translate_or_find(struct rv32_translator *translator, struct rv32 *rv32, uint32_t pc, bool often)
{
    enum { RETURN_ADDRESS = 1 };
    const struct translated_region *known = find(translator, rv32, pc, false);
    if (known) {
        attach(translator, known, rv32->l1);
        return true;
    }
    struct region region = {0};
    region_add_root(&region, pc);
    region_add_root(&region, rv32->core->x[RETURN_ADDRESS]); /* the caller is likely to be in a loop */
    return often && translate(translator, rv32, &region);
}

enum { BLOCK = 256, BLOCK_BITS = 19, OFTEN = 16, COLDEST = 63 };

_Static_assert(L1_SIZE / BLOCK < 1 << (32 - BLOCK_BITS), "a block's number fits above that of translations");

/* Whether to try to translate the block. */
static bool is_due(struct translator_heat *heat)
{
    uint8_t vain = atomic_load_explicit(&heat->vain, memory_order_relaxed);
    bool due = vain >= atomic_load_explicit(&heat->cold, memory_order_relaxed);
    atomic_store_explicit(&heat->vain, (uint8_t)(due ? 0 : vain + 1), memory_order_relaxed);
    return due;
}

static void note_attempt(struct translator_heat *heat, bool translated)
{
    uint8_t cold = atomic_load_explicit(&heat->cold, memory_order_relaxed);
    cold = translated ? 0 : (uint8_t)(cold * 2 + 1) & COLDEST;
    atomic_store_explicit(&heat->cold, cold, memory_order_relaxed);
}

void translator_heated(struct rv32 *rv32, bool often)
{
    struct rv32_translator *translator = rv32->translator;
    uint32_t pc = rv32->core->pc, *sought = &rv32->heat.sought[pc / BLOCK % RV32_HEATS];
    struct translator_heat *heat = &translator->heat[pc / BLOCK % TRANSLATOR_HEATS];
    if (translator->off || translator->full || pc % 4 || pc >= L1_SIZE || l1_is_translated(rv32->l1, pc)) {
        return;
    }
    often = often && is_due(heat);
    uint32_t now = translator->made ^ (pc / BLOCK << BLOCK_BITS);
    if (!often && *sought == now) {
        return;
    }
    *sought = now;
    pthread_mutex_lock(&translator->mutex);
    bool translated = translate_or_find(translator, rv32, pc, often);
    pthread_mutex_unlock(&translator->mutex);
    if (often) {
        note_attempt(heat, translated);
    }
}

void translator_count(struct rv32 *rv32)
{
    struct translator_heat *heat = &rv32->translator->heat[rv32->core->pc / BLOCK % TRANSLATOR_HEATS];
    uint8_t ends = (uint8_t)(atomic_load_explicit(&heat->ends, memory_order_relaxed) + 1);
    atomic_store_explicit(&heat->ends, ends, memory_order_relaxed);
    translator_heated(rv32, ends % OFTEN == 0);
}

/* The place of a pc among `count` of those wanted. Cores of a tile mostly execute programs alike at addresses whose low
   bits are the same, and cases of a switch are as far apart as they like (row mixed of the benchmark): so it does not
   depend on low bits alone. */
static uint32_t place_of(uint32_t pc, uint32_t count)
{
    return (uint32_t)((uint64_t)(pc * (uint32_t)TRANSLATED_HASH) * count >> 32);
}

/* Adds an entry point at `pc`. If that takes a new translation, it gets the other wanted entry points, too. */
static void translate_wanted(struct rv32_translator *translator, struct rv32 *rv32, uint32_t pc, bool often)
{
    const struct translated_region *known = find(translator, rv32, pc, true);
    if (known || !often) {
        if (known) {
            attach(translator, known, rv32->l1);
        }
        return;
    }
    struct region region = {0};
    region_add_root(&region, pc);
    for (unsigned i = 0; i < TRANSLATOR_WANTS; i++) {
        const struct translator_want *want = &translator->wants[i];
        if (want->count && want->count >= want->patience / 4) {
            region_add_root(&region, want->pc);
        }
    }
    for (known = translator->translations; known; known = known->next) {
        if (known->first <= pc && pc <= known->last && fits(known, rv32)) {
            for (uint32_t i = 0; i < known->root_count; i++) {
                region_add_root(&region, known->roots[i]);
            }
            break;
        }
    }
    translate(translator, rv32, &region);
}

enum { SOME = 8, PATIENCE = 256, LONGEST_PATIENCE = 1 << 20 };

/* Counts SOME more ends of translated code at `pc`, on any tile. Whether that is often. */
static bool is_often(struct rv32_translator *translator, uint32_t pc)
{
    struct translator_want *want = &translator->wants[place_of(pc, TRANSLATOR_WANTS)];
    want->patience = want->patience ? want->patience : PATIENCE;
    if (want->pc != pc) {
        want->count -= want->count ? SOME : 0;
        if (want->count) {
            return false;
        }
        want->pc = pc;
    }
    want->count += SOME;
    if (want->count < want->patience) {
        return false;
    }
    want->patience *= want->patience < LONGEST_PATIENCE ? 2 : 1;
    return true;
}

/* Counts that translated code returned to the interpreter at `pc`. If that is frequent, an entry point is added there;
   or behind it, if translated code did not jump there, but ended just because of the instruction at `pc`. */
static void count_want(struct rv32 *rv32, uint32_t pc, bool jumped)
{
    if (!jumped && l1_is_translated(rv32->l1, pc) && region_may_leave(rv32->l1, pc)) {
        pc += 4;
    }
    if (!region_may_begin(rv32->l1, pc)) {
        return;
    }
    struct rv32_want *want = &rv32->heat.wants[place_of(pc, RV32_WANTS)];
    if (want->pc != pc) {
        if (want->count) {
            want->count--;
            return;
        }
        want->pc = pc;
    }
    struct rv32_translator *translator = rv32->translator;
    if (++want->count % SOME || translator->off || translator->full || translator_entry(translator, rv32->l1, pc)) {
        return;
    }
    pthread_mutex_lock(&translator->mutex);
    bool often = is_often(translator, pc);
    translate_wanted(translator, rv32, pc, often);
    if (often) {
        translator->wants[place_of(pc, TRANSLATOR_WANTS)].count = 0;
    }
    pthread_mutex_unlock(&translator->mutex);
}

uint64_t rv32_run_translated(struct rv32 *rv32, uint32_t pc, uint32_t left, uint64_t instret_at_end)
{
    enum { WORTH_IT = 100 }; /* more than any block */
    static struct instruction_fifo full = {.count = FIFO_CAPACITY};
    const struct rv32_translator *translator = rv32->translator;
    struct l1 *l1 = rv32->l1;
    struct translated_context context; /* all of it is set: as an initializer it would be cleared before */
    context.x = rv32->core->x;
    context.l1 = l1_direct(l1);
    context.local_ram = rv32->local_ram;
    context.code_blocks = l1->code_blocks;
    context.entries = l1->entries;
    context.places = translator->places;
    context.room = translator->room;
    context.ram_limits[0] = rv32->local_ram_size;
    context.ram_limits[1] = rv32->local_ram_size / 2;
    context.ram_limits[2] = rv32->local_ram_size / 4;
    context.entry_mask = l1->entry_mask;
    context.pushes = rv32->pushes ? rv32->pushes : &full;
    context.access = translated_access;
    context.rv32 = rv32;
    context.instret_at_end = instret_at_end;
    context.left = left;
    context.words = rv32->bus.words;
    context.acted = 0;
    translated_code *run = (translated_code *)(void *)translator->room;
    uint64_t result = run(&context, translator->room + translator->places[translator_entry(translator, l1, pc)].offset);
    bool missed = (result & TRANSLATED_ENDS) == TRANSLATED_MISSED;
    result &= missed ? ~(uint64_t)TRANSLATED_ENDS : UINT64_MAX;
    if (result >> 32 > WORTH_IT && !(result & TRANSLATED_ENDS)) {
        count_want(rv32, (uint32_t)result, missed);
    }
    return result;
}
