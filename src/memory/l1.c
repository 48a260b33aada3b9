#include "memory/l1.h"

#include <sys/mman.h>

#include "util/pages.h"

/* The entry after the last word is always 0: execution that runs off the end of L1 stops there. */
enum { CODE_ENTRIES = L1_SIZE / 4 + 1, CODE_PAGES = L1_SIZE / L1_CODE_PAGE, PAGE = 4096 };

/* What lies in the room. Of the tables behind the instructions one page has what code in the first 80 KiB needs: the
   last part of those of translated words, which begin with the last block, few entries, the first of code_blocks. */
enum {
    HOT_BLOCKS = 320,
    TRANSLATED_BYTES = L1_CODE_BLOCKS * sizeof(uint64_t),
    HOT_AT = (CODE_ENTRIES * sizeof(uint64_t) + TRANSLATED_BYTES + PAGE - 1) / PAGE * PAGE,
    TRANSLATED_END = HOT_AT + HOT_BLOCKS * sizeof(uint64_t),
    FEW_ENTRIES_AT = TRANSLATED_END,
    BLOCKS_AT = FEW_ENTRIES_AT + L1_FEW_ENTRIES * sizeof(uint16_t),
    ENTRIES_AT = (BLOCKS_AT + L1_CODE_BLOCKS + PAGE - 1) / PAGE * PAGE,
    CODE_BYTES = ENTRIES_AT + L1_ENTRIES * sizeof(uint16_t),
};

enum { WORDS = L1_CODE_BLOCK / 4 }; /* of a block */

_Static_assert(WORDS == 64, "a bit of struct l1's translated for each word");

_Static_assert(L1_CODE_BLOCKS % (8 * 64) == 0, "l1_flush_cache() looks at eight at a time");

const size_t l1_code_room = ((CODE_BYTES + PAGE - 1) / PAGE | 1) * PAGE;

void l1_connect(struct l1 *l1, uint8_t *bytes, void *code_room)
{
    uint8_t *room = code_room;
    *l1 = (struct l1){.bytes = bytes,
                      .code = code_room,
                      .code_blocks = room + BLOCKS_AT,
                      .entries = (uint16_t *)(room + FEW_ENTRIES_AT),
                      .entry_mask = L1_FEW_ENTRIES - 1,
                      .translated_end = (uint64_t *)(room + TRANSLATED_END)};
}

/* Takes the pages from `first` up to `end` of those at `bytes`. A single one is left to its fault. */
static void take(uint64_t *taken, void *bytes, uint32_t first, uint32_t end)
{
    for (uint32_t page = first; page < end; page++) {
        taken[page / 64] |= UINT64_C(1) << page % 64;
    }
    if (end - first > 1) {
        pages_take((uint8_t *)bytes + (size_t)first * PAGE, (size_t)(end - first) * PAGE);
    }
}

/* Whether L1 seems to hold instructions where those of a page of `code` begin: somebody has written something there. */
static bool may_hold_code(const struct l1 *l1, uint32_t page)
{
    return page < CODE_PAGES && l1_has_taken(l1->taken, page * L1_CODE_PAGE / L1_PAGE) &&
           l1_load32(l1, page * L1_CODE_PAGE);
}

void l1_take_code(struct l1 *l1, uint32_t address)
{
    enum { MOST = 4 };
    uint32_t first = address / L1_CODE_PAGE, end = first + 1;
    if (!l1_has_taken(l1->code_taken, first)) {
        while (end < first + MOST && may_hold_code(l1, end) && !l1_has_taken(l1->code_taken, end)) {
            end++;
        }
        take(l1->code_taken, l1->code, first, end);
    }
}

void l1_take(struct l1 *l1, uint32_t address, uint32_t size)
{
    enum { MOST = 7 };
    uint32_t first = address / L1_PAGE, end = (size ? (address + size - 1) / L1_PAGE : first) + 1, behind = 0;
    first += end - first > 1 && l1_has_taken(l1->taken, first);
    while (behind < MOST && behind < first && l1_has_taken(l1->taken, first - 1 - behind)) {
        behind++;
    }
    for (; behind && end < L1_SIZE / L1_PAGE && !l1_has_taken(l1->taken, end); behind--) {
        end++;
    }
    take(l1->taken, l1->bytes, first, end);
}

bool l1_create(struct l1 *l1, uint8_t *bytes)
{
    void *room = mmap(NULL, l1_code_room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        return false;
    }
    l1_connect(l1, bytes, room);
    return true;
}

void l1_destroy(struct l1 *l1)
{
    if (l1->code) {
        munmap(l1->code, l1_code_room);
    }
    *l1 = (struct l1){};
}

static uint64_t hash_of(uint64_t code)
{
    return (code & ~(uint64_t)L1_ENTRY) * 0x9e3779b97f4a7c15u >> L1_MARK_HASH;
}

static uint64_t mark_of(const struct l1 *l1, uint64_t code, uint8_t block)
{
    uint64_t caches = block & ~L1_PREDECODED, flushes = l1->flushes;
    return L1_REWRITTEN | caches << L1_MARK_CACHES | flushes << L1_MARK_FLUSHES | hash_of(code) << L1_MARK_HASH;
}

/* Code that is rewritten twice keeps its first mark, since it was not fetched in between. */
void l1_forget_code(struct l1 *l1, uint32_t address, uint32_t size)
{
    uint32_t first = address / 4, last = (address + size - 1) / 4;
    for (uint32_t word = first; word <= last; word++) {
        uint64_t code = l1->code[word];
        if (code && (uint8_t)code != L1_REWRITTEN) {
            if (l1_is_translated(l1, word * 4)) {
                l1_forget_translations(l1);
            }
            l1->code[word] = mark_of(l1, code, l1->code_blocks[word * 4 / L1_CODE_BLOCK]);
            l1->rewritten++;
        }
    }
}

void l1_forget_translations(struct l1 *l1)
{
    l1->forgotten++;
    if (l1->entry_count) {
        memset(l1->entries, 0, (l1->entry_mask + 1) * sizeof l1->entries[0]);
        l1->entry_count = 0;
    }
    for (uint32_t block = 0; block < l1->code_end; block++) {
        for (uint64_t left = l1->code_blocks[block] ? *l1_translated_words(l1, block) : 0; left; left &= left - 1) {
            uint32_t word = block * WORDS + (uint32_t)__builtin_ctzll(left);
            l1->code[word] &= (uint8_t)l1->code[word] == L1_REWRITTEN ? UINT64_MAX : ~(uint64_t)L1_ENTRY;
        }
        if (l1->code_blocks[block]) {
            *l1_translated_words(l1, block) = 0;
        }
    }
}

void l1_enlarge_entries(struct l1 *l1)
{
    memset(l1->entries, 0, (l1->entry_mask + 1) * sizeof l1->entries[0]);
    l1->entries = (uint16_t *)((uint8_t *)l1->code + ENTRIES_AT);
    l1->entry_mask = L1_ENTRIES - 1;
    l1->entry_count = 0;
}

void l1_flush_cache(struct l1 *l1, unsigned cache)
{
    uint64_t bit_of_each = 0x0101010101010101u << cache, eight;
    for (unsigned block = 0; block < l1->code_end; block += sizeof eight) {
        memcpy(&eight, l1->code_blocks + block, sizeof eight);
        if (eight & bit_of_each) { /* leaves untouched pages unmapped */
            eight &= ~bit_of_each;
            memcpy(l1->code_blocks + block, &eight, sizeof eight);
        }
    }
    l1->flushes += l1->flushes < L1_FLUSHES_MAX;
    l1->flushed[cache] = l1->flushes;
}

bool l1_is_stale(const struct l1 *l1, unsigned cache, uint64_t mark, uint64_t code)
{
    return l1_may_be_stale(l1, cache, mark) && hash_of(code) != mark >> L1_MARK_HASH;
}
