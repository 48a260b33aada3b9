/* L1: 1.5 MiB of RAM of one Tensix tile, seen by its RISC-V cores, its unpackers and packers, its mover and the NoC.
   The bytes are part of the tile's state. Beside them, outside the state, lies what the RISC-V cores have predecoded
   out of them; whoever writes L1 calls l1_written() so that reloaded and self-modified code is seen at once. What
   was predecoded leaves a mark, by which a core learns that it executes what replaced an instruction that it had
   fetched before, and that its instruction cache, which L1 does not keep up to date, may still hold.
   Addresses are byte addresses 0 .. L1_SIZE - 1; who calls has checked them.
   Units reach L1 through the accessors below that take an actor: these tell observers. RISC-V cores, and those who give
   others access to L1, tell of it themselves, and use the others. */
#ifndef BHEMU_MEMORY_L1_H
#define BHEMU_MEMORY_L1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "observe/observed.h"

enum { L1_SIZE = 1536 * 1024, L1_CODE_BLOCK = 256, L1_CODE_BLOCKS = L1_SIZE / L1_CODE_BLOCK };

enum { L1_ENTRIES = 2048 };      /* one page */
enum { L1_CACHES = 7 };          /* instruction caches that can be told apart */
enum { L1_PREDECODED = 1 << 7 }; /* bit of code_blocks; those below are of caches that have fetched from the block */
enum { L1_REWRITTEN = 255 };     /* low byte of an entry of code: a mark, not an instruction */
enum { L1_ENTRY = 1 << 7 };      /* bit of any other low byte: translated code begins with this instruction, too */

struct l1 {
    uint8_t *bytes;            /* L1_SIZE bytes of the tile's state */
    struct observed *observed; /* null: nobody wants to hear of accesses */
    uint64_t *code;       /* one predecoded instruction for each aligned word; 0: none. Mapped lazily. rv32/ knows more.
                             One entry more than there are words: that one is always 0 */
    uint8_t *code_blocks; /* L1_CODE_BLOCKS; nonzero where some word of the block is predecoded */
    uint32_t code_end;    /* the end of the last of these blocks, as a multiple of eight; only ever grows */
    /* What was translated to code of the host (rv32/translator.h): a table of L1_ENTRIES places where it is entered, of
       which 0 is none, searched by hash; by blocks, a bit for each word of which translated code goes by that it stays
       as it is. */
    uint16_t *entries;
    uint32_t entry_count;
    uint64_t *translated;
    uint32_t forgotten;          /* how often all of it has been */
    uint32_t flushes;            /* of instruction caches, so far */
    uint32_t flushed[L1_CACHES]; /* `flushes` as it was after the last one of that cache */
};

/* Bytes that what is predecoded takes: whole pages. */
extern const size_t l1_code_room;

/* Connects L1 with its bytes, and with l1_code_room bytes of zeroes, which are to stay the caller's. */
void l1_connect(struct l1 *l1, uint8_t *bytes, void *code_room);

/* The same, with a room of its own, that l1_destroy() unmaps. false: no memory. */
bool l1_create(struct l1 *l1, uint8_t *bytes);
void l1_destroy(struct l1 *l1);

/* Forgets what was predecoded out of [address, address + size), but for marks. */
void l1_forget_code(struct l1 *l1, uint32_t address, uint32_t size);

/* Forgets what was translated; what was predecoded stays. */
void l1_forget_translations(struct l1 *l1);

/* Whether translated code goes by a word; from now on it does. */
static inline bool l1_is_translated(const struct l1 *l1, uint32_t address)
{
    return l1->translated[address / L1_CODE_BLOCK] >> address / 4 % (L1_CODE_BLOCK / 4) & 1;
}

static inline void l1_translated(struct l1 *l1, uint32_t address)
{
    l1->translated[address / L1_CODE_BLOCK] |= UINT64_C(1) << address / 4 % (L1_CODE_BLOCK / 4);
}

/* An instruction cache becomes empty. */
void l1_flush_cache(struct l1 *l1, unsigned cache);

/* What a mark says, by its bits: L1_REWRITTEN, the caches that had fetched from the block, `flushes` when it was made,
   a hash of what was there. */
enum { L1_MARK_CACHES = 8, L1_MARK_FLUSHES = 16, L1_MARK_HASH = 40 };
enum { L1_FLUSHES_MAX = (1 << (L1_MARK_HASH - L1_MARK_FLUSHES)) - 1 };

/* Whether the cache has fetched what the mark stands for, and not lost it since. */
static inline bool l1_may_be_stale(const struct l1 *l1, unsigned cache, uint64_t mark)
{
    bool fetched = mark >> (L1_MARK_CACHES + cache) & 1;
    bool lost = l1->flushed[cache] > (mark >> L1_MARK_FLUSHES & L1_FLUSHES_MAX);
    return fetched && !lost && l1->flushes < L1_FLUSHES_MAX;
}

/* Whether `mark` stands for something else than `code`, which the cache has fetched and not lost since. */
bool l1_is_stale(const struct l1 *l1, unsigned cache, uint64_t mark, uint64_t code);

/* To be called for every word that is predecoded: a core executes it, out of its instruction cache if `caches` has that
   one's bit. */
static inline void l1_predecoded(struct l1 *l1, uint32_t address, uint8_t caches)
{
    uint32_t block = address / L1_CODE_BLOCK;
    l1->code_blocks[block] |= (uint8_t)(L1_PREDECODED | caches);
    if (block >= l1->code_end) {
        l1->code_end = block / sizeof(uint64_t) * sizeof(uint64_t) + sizeof(uint64_t);
    }
}

static inline bool l1_contains(uint64_t address, uint64_t size)
{
    return address <= L1_SIZE && size <= L1_SIZE - address;
}

/* Accesses that nobody is told of here: who makes them tells, or they are none of the emulated chip. */

/* All bytes. */
static inline uint8_t *l1_direct(const struct l1 *l1)
{
    return l1->bytes;
}

/* What lies from `address` on, for a unit that only finds out whether it is going to access it. */
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

/* Where to write from `address` on; l1_end_write() is to be called afterwards, with what was written. */
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

/* Copies `size` bytes there; may be none. */
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
