#include "memory/l1.h"

#include <sys/mman.h>

#include "util/pages.h"

/* The entry after the last word is always 0: execution that runs off the end of L1 stops there. */
enum { CODE_ENTRIES = L1_SIZE / 4 + 1, PAGE = 4096 };

/* What lies in the room. */
enum {
    BLOCKS_AT = CODE_ENTRIES * sizeof(uint64_t),
    ENTRIES_AT = BLOCKS_AT + L1_CODE_BLOCKS,
    TRANSLATED_AT = ENTRIES_AT + L1_ENTRIES * sizeof(uint16_t),
    CODE_BYTES = TRANSLATED_AT + L1_CODE_BLOCKS * sizeof(uint64_t),
    USUAL_BYTES = 4 * PAGE - BLOCKS_AT % PAGE, /* of these tables, for code in the first 190 KiB */
};

enum { WORDS = L1_CODE_BLOCK / 4 }; /* of a block */

_Static_assert(sizeof((struct l1){}.code_taken) == 3 * sizeof(uint64_t), "l1_take_code() looks at each");

_Static_assert(WORDS == 64, "a bit of struct l1's translated for each word");

_Static_assert(L1_CODE_BLOCKS % (8 * 64) == 0, "l1_flush_cache() looks at eight at a time");

const size_t l1_code_room = ((CODE_BYTES + PAGE - 1) / PAGE | 1) * PAGE;

void l1_connect(struct l1 *l1, uint8_t *bytes, void *code_room)
{
    uint8_t *room = code_room;
    *l1 = (struct l1){.bytes = bytes,
                      .code = code_room,
                      .code_blocks = room + BLOCKS_AT,
                      .entries = (uint16_t *)(room + ENTRIES_AT),
                      .translated = (uint64_t *)(room + TRANSLATED_AT)};
}

void l1_take_code(struct l1 *l1, uint32_t address)
{
    uint32_t part = address / L1_CODE_PART;
    if (!(l1->code_taken[0] | l1->code_taken[1] | l1->code_taken[2])) {
        pages_take(l1->code_blocks, USUAL_BYTES);
    }
    if (!(l1->code_taken[part / 64] >> part % 64 & 1)) {
        l1->code_taken[part / 64] |= UINT64_C(1) << part % 64;
        pages_take(l1->code + part * (L1_CODE_PART / 4), L1_CODE_PART / 4 * sizeof *l1->code);
    }
}

void l1_take(struct l1 *l1, uint32_t address, uint32_t size)
{
    uint32_t first = address / L1_PART, last = size ? (address + size - 1) / L1_PART : first;
    for (uint32_t part = first; part <= last; part++) {
        if (!(l1->taken >> part & 1)) {
            l1->taken |= UINT64_C(1) << part;
            pages_take(l1->bytes + part * L1_PART, L1_PART);
        }
    }
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
        }
    }
}

void l1_forget_translations(struct l1 *l1)
{
    l1->forgotten++;
    if (l1->entry_count) {
        memset(l1->entries, 0, L1_ENTRIES * sizeof l1->entries[0]);
        l1->entry_count = 0;
    }
    for (uint32_t block = 0; block < l1->code_end; block++) {
        for (uint64_t left = l1->code_blocks[block] ? l1->translated[block] : 0; left; left &= left - 1) {
            uint32_t word = block * WORDS + (uint32_t)__builtin_ctzll(left);
            l1->code[word] &= (uint8_t)l1->code[word] == L1_REWRITTEN ? UINT64_MAX : ~(uint64_t)L1_ENTRY;
        }
        if (l1->code_blocks[block]) {
            l1->translated[block] = 0;
        }
    }
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
