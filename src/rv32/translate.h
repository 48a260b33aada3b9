/* Code of the host for a region: what it does to the core, to L1 and to local RAM is what the interpreter does. It ends
   where a jump leaves the region for what is not translated, before an instruction that it leaves to the interpreter,
   and where less is left of the core's turn than the next block of instructions. Accesses to something else than L1 or
   local RAM, stores to blocks of L1 that hold code, and pushes into a full FIFO are calls.

   Registers of the core that are used most stay in those of the host from the beginning to the end of such code.
   For hosts of x86-64-v3, for its BMI1, BMI2, LZCNT and POPCNT; on others nothing is translated. */
#ifndef BHEMU_RV32_TRANSLATE_H
#define BHEMU_RV32_TRANSLATE_H

#include "jit/evex.h"
#include "rv32/region.h"

/* Where translated code is entered: the pc, and an offset in the room. */
struct translated_place {
    uint32_t pc, offset;
};

/* Entries of struct l1 are places' numbers: from this one on the first that is 0, or whose place has the pc. */
enum { TRANSLATED_HASH = 0x1e3779b1, TRANSLATED_HASH_SHIFT = 21 };
static inline uint32_t translated_hash(uint32_t pc)
{
    return pc * TRANSLATED_HASH >> TRANSLATED_HASH_SHIFT;
}
_Static_assert(L1_ENTRIES == 1 << (32 - TRANSLATED_HASH_SHIFT), "bits of a hash");

/* What translated code works on. */
struct translated_context {
    uint32_t *x;
    uint8_t *l1;
    uint8_t *local_ram;
    const uint8_t *code_blocks;
    const uint16_t *entries; /* struct l1 */
    const struct translated_place *places;
    const uint8_t *room;
    uint32_t
        ram_limits[4]; /* how many bytes, halves, words there are of local RAM: cores of a tile have more or less */
    struct instruction_fifo *pushes;
    uint64_t (*access)(struct translated_context *context, uint32_t pc, uint32_t left);
    struct rv32 *rv32;
    uint64_t instret_at_end; /* what the core's instret is when nothing is left */
    uint32_t left;           /* instructions of the core's turn */
    uint32_t acted;          /* a load did more than look, since somebody cleared it */
    void *words;             /* struct rv32_bus */
};

/* How translated code ended at an instruction, besides that the interpreter is to execute it. */
enum {
    TRANSLATED_WAITS = 1,  /* it waits, or was refused */
    TRANSLATED_YIELDS = 2, /* it was executed, and the core's turn ends with it; it is not counted yet */
    TRANSLATED_ENDS = 3
};

/* The load, store or .ttinsn at `pc`, which is in the context's x[] as it is before. `left` counts it. Returns 0 when
   it is done, else how translated code ends. */
uint64_t translated_access(struct translated_context *context, uint32_t pc, uint32_t left);

/* Bits 31:2 of the pc, 1:0 as above, 63:32: what is left of the turn. */
typedef uint64_t translated_code(struct translated_context *context, const void *entry);

/* The part that all code in a room shares, at its beginning, is a translated_code. */
struct translate_shared {
    uint32_t leave, dispatch; /* where translated code goes, with the pc in eax, when it is done with its registers, */
    uint32_t end;             /* and with what it returns in rax */
};

bool translate_possible(void);
void translate_shared(struct evex_code *code, struct translate_shared *shared);

/* Appends the region's code, in which `offsets` says where its entries are entered, by words of the region. */
void translate_region(struct evex_code *code, const struct translate_shared *shared, const struct region *region,
                      const struct rv32 *rv32, uint32_t offsets[REGION_WORDS]);

#endif
