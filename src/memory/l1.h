/* L1: 1.5 MiB of RAM of one Tensix tile, accessed by its RISC-V cores, unpackers and packers, its mover and the NoC.
   The bytes are part of the tile's state. The instructions that RISC-V cores have predecoded from them are stored
   separately; every write to L1 must be reported by l1_written(), so that reloaded and self-modified code takes effect
   at once. A rewritten instruction leaves a mark where it was predecoded. By the mark a core notices that it executes
   an instruction that replaced one that it had fetched before, and that its instruction cache, which does not follow
   L1, may still hold the old one. Addresses are byte addresses 0 .. L1_SIZE - 1, checked by the caller. Units use the
   accessors below that take an actor, which report to observers. RISC-V cores, and functions that give others access
   to L1, report accesses themselves and use the other accessors. */
#ifndef BHEMU_MEMORY_L1_H
#define BHEMU_MEMORY_L1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "observe/observed.h"

enum { L1_SIZE = 1536 * 1024, L1_CODE_BLOCK = 256, L1_CODE_BLOCKS = L1_SIZE / L1_CODE_BLOCK };

/* What a page of the host's memory holds (util/pages.h): of L1, and predecoded instructions of so many bytes of it. */
enum { L1_PAGE = 4096, L1_CODE_PAGE = 2048 };

enum { L1_ENTRIES = 2048, L1_FEW_ENTRIES = 256 }; /* one page; a part of one */
enum { L1_CACHES = 7 };                           /* number of distinct instruction caches */
enum {
    L1_PREDECODED = 1 << 7
}; /* bit of code_blocks; the bits below are those of caches that have fetched from the block */
enum { L1_REWRITTEN = 255 }; /* low byte of a mark in `code`, in place of an instruction */
enum { L1_ENTRY = 1 << 7 };  /* bit of other low bytes: translated code has an entry at this instruction */

struct l1 {
    uint8_t *bytes;            /* L1_SIZE bytes, part of the tile's state */
    struct observed *observed; /* null: accesses are not observed */
    uint64_t *code; /* one predecoded instruction for each aligned word; 0: none. Lazily mapped. The layout is known to
                       rv32/. There is an extra entry after the last word, which is always 0 */
    uint8_t *code_blocks;                   /* L1_CODE_BLOCKS; nonzero if a word of the block is predecoded */
    uint64_t taken[L1_SIZE / L1_PAGE / 64]; /* the pages of `bytes` that were taken or left to a fault: a bit each */
    uint64_t code_taken[L1_SIZE / L1_CODE_PAGE / 64]; /* the same of `code` */
    uint32_t code_end; /* the end of the last of these blocks, as a multiple of eight; only ever grows */
    /* Translated code (rv32/translator.h): a hash table of entry points, 0 is none, which has L1_FEW_ENTRIES until it
       has to have L1_ENTRIES; and for each block a bit for each word that translated code relies on not to change:
       those of block 0 are before this address, those of block 1 before them. */
    uint16_t *entries;
    uint32_t entry_mask; /* one less than it has */
    uint32_t entry_count;
    uint64_t *translated_end;
    uint32_t forgotten;          /* number of times that all translations were discarded */
    uint32_t flushes;            /* number of flushes of instruction caches */
    uint32_t flushed[L1_CACHES]; /* `flushes` after each cache's last flush */
    uint32_t rewritten;          /* number of times that predecoded instructions were discarded */
};

/* Size of the memory for predecoded instructions, in whole pages. */
extern const size_t l1_code_room;

/* Connects L1 with its bytes, and with l1_code_room bytes of zeroes, both owned by the caller. */
void l1_connect(struct l1 *l1, uint8_t *bytes, void *code_room);

/* The same, with memory for predecoded instructions that l1_destroy() frees. false: no memory. */
bool l1_create(struct l1 *l1, uint8_t *bytes);
void l1_destroy(struct l1 *l1);

/* Discards predecoded instructions of [address, address + size), except marks. */
void l1_forget_code(struct l1 *l1, uint32_t address, uint32_t size);

/* Discards translations; predecoded instructions remain. */
void l1_forget_translations(struct l1 *l1);

/* The table of entry points becomes the large one, and empty. */
void l1_enlarge_entries(struct l1 *l1);

/* The words of a block that translated code relies on. */
static inline uint64_t *l1_translated_words(const struct l1 *l1, uint32_t block)
{
    return l1->translated_end - 1 - block;
}

/* Whether translated code relies on a word; making it rely on the word. */
static inline bool l1_is_translated(const struct l1 *l1, uint32_t address)
{
    return *l1_translated_words(l1, address / L1_CODE_BLOCK) >> address / 4 % (L1_CODE_BLOCK / 4) & 1;
}

static inline void l1_translated(struct l1 *l1, uint32_t address)
{
    *l1_translated_words(l1, address / L1_CODE_BLOCK) |= UINT64_C(1) << address / 4 % (L1_CODE_BLOCK / 4);
}

/* An instruction cache becomes empty. */
void l1_flush_cache(struct l1 *l1, unsigned cache);

/* Bit positions of a mark: L1_REWRITTEN, the caches that had fetched from the block, `flushes` when it was made, a
   hash of the replaced instruction. */
enum { L1_MARK_CACHES = 8, L1_MARK_FLUSHES = 16, L1_MARK_HASH = 40 };
enum { L1_FLUSHES_MAX = (1 << (L1_MARK_HASH - L1_MARK_FLUSHES)) - 1 };

/* Whether the cache has fetched the replaced instruction, and not been flushed since. */
static inline bool l1_may_be_stale(const struct l1 *l1, unsigned cache, uint64_t mark)
{
    bool fetched = mark >> (L1_MARK_CACHES + cache) & 1;
    bool lost = l1->flushed[cache] > (mark >> L1_MARK_FLUSHES & L1_FLUSHES_MAX);
    return fetched && !lost && l1->flushes < L1_FLUSHES_MAX;
}

/* Whether `mark` replaces an instruction other than `code` that the cache may still hold. */
bool l1_is_stale(const struct l1 *l1, unsigned cache, uint64_t mark, uint64_t code);

/* Take pages together that are about to be written: of the predecoded instruction of an address; of
   [address, address + size) of L1. With them come some that are likely to be needed next: of instructions that lie
   behind, and as many as were taken right before. A single page is left to its fault, which takes no longer. */
void l1_take_code(struct l1 *l1, uint32_t address);
void l1_take(struct l1 *l1, uint32_t address, uint32_t size);

static inline bool l1_has_taken(const uint64_t *taken, uint32_t page)
{
    return taken[page / 64] >> page % 64 & 1;
}

/* May be called before others than cores write to L1. Whether they write to a page that none of them has written to. */
static inline bool l1_before_write(struct l1 *l1, uint32_t address, uint32_t size)
{
    uint32_t last = size ? address + size - 1 : address;
    if (__builtin_expect(!l1_has_taken(l1->taken, address / L1_PAGE) || !l1_has_taken(l1->taken, last / L1_PAGE), 0)) {
        l1_take(l1, address, size);
        return true;
    }
    return false;
}

/* To be called for every word that is predecoded: a core executes it, from its instruction cache if `caches` has that
   one's bit. */
static inline void l1_predecoded(struct l1 *l1, uint32_t address, uint8_t caches)
{
    uint32_t block = address / L1_CODE_BLOCK;
    if (!l1_has_taken(l1->code_taken, address / L1_CODE_PAGE)) {
        l1_take_code(l1, address);
    }
    l1->code_blocks[block] |= (uint8_t)(L1_PREDECODED | caches);
    if (block >= l1->code_end) {
        l1->code_end = block / sizeof(uint64_t) * sizeof(uint64_t) + sizeof(uint64_t);
    }
}

static inline bool l1_contains(uint64_t address, uint64_t size)
{
    return address <= L1_SIZE && size <= L1_SIZE - address;
}

/* Accesses that are not reported: the caller reports them, or they are not accesses of the emulated chip. */

/* All bytes. */
static inline uint8_t *l1_direct(const struct l1 *l1)
{
    return l1->bytes;
}

/* The bytes from `address` on, for a unit that only checks an access. */
static inline const uint8_t *l1_peek(const struct l1 *l1, uint32_t address)
{
    return l1->bytes + address;
}

/* To be called after every write. */
static inline void l1_written(struct l1 *l1, uint32_t address, uint32_t size)
{
    uint32_t last = (address + size - 1) / L1_CODE_BLOCK;
    for (uint32_t block = address / L1_CODE_BLOCK; block <= last && block < l1->code_end; block++) {
        if (__builtin_expect(l1->code_blocks[block], 0)) {
            l1_forget_code(l1, address, size);
            return;
        }
    }
}

static inline uint32_t l1_load32(const struct l1 *l1, uint32_t address)
{
    uint32_t value;
    memcpy(&value, l1->bytes + address, sizeof value);
    return value;
}

static inline void l1_store32(struct l1 *l1, uint32_t address, uint32_t value)
{
    memcpy(l1->bytes + address, &value, sizeof value);
    l1_written(l1, address, sizeof value);
}

static inline void l1_write(struct l1 *l1, uint32_t address, const void *data, uint32_t size)
{
    if (size) {
        memcpy(l1->bytes + address, data, size);
        l1_written(l1, address, size);
    }
}

/* Accesses by units. */

/* [address, address + size), to be read. */
static inline const uint8_t *l1_read(const struct l1 *l1, struct actor actor, uint32_t address, uint32_t size)
{
    const uint8_t *bytes = l1->bytes + address;
    if (__builtin_expect(l1->observed != NULL, 0)) {
        observed_access(l1->observed, actor, BH_SPACE_L1, false, address, size, bytes);
    }
    return bytes;
}

/* Pointer for writing from `address` on; l1_end_write() is to be called afterwards with the written size. */
static inline uint8_t *l1_begin_write(struct l1 *l1, uint32_t address)
{
    return l1->bytes + address;
}

static inline void l1_end_write(struct l1 *l1, struct actor actor, uint32_t address, uint32_t size)
{
    l1_written(l1, address, size);
    if (__builtin_expect(l1->observed != NULL, 0)) {
        observed_access(l1->observed, actor, BH_SPACE_L1, true, address, size, l1->bytes + address);
    }
}

static inline uint32_t l1_read32(const struct l1 *l1, struct actor actor, uint32_t address)
{
    uint32_t value;
    memcpy(&value, l1_read(l1, actor, address, sizeof value), sizeof value);
    return value;
}

/* Copies `size` bytes to L1; size may be 0. */
static inline void l1_put(struct l1 *l1, struct actor actor, uint32_t address, const void *data, uint32_t size)
{
    if (size) {
        memcpy(l1_begin_write(l1, address), data, size);
        l1_end_write(l1, actor, address, size);
    }
}

static inline void l1_write32(struct l1 *l1, struct actor actor, uint32_t address, uint32_t value)
{
    l1_put(l1, actor, address, &value, sizeof value);
}

#endif
