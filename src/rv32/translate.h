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

/* An entry point of translated code: its pc, and its offset in the code buffer. */
struct translated_place {
    uint32_t pc, offset;
};

/* Entries of struct l1 are indices of places, hashed by pc: the search goes from the hash, of which a small table takes
   the low bits, on to the first entry that is 0 or whose place has the pc. */
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
        ram_limits[3]; /* number of bytes, halves and words of local RAM, which differs between the cores of a tile */
    uint32_t entry_mask;
    struct instruction_fifo *pushes;
    uint64_t (*access)(struct translated_context *context, uint32_t pc, uint32_t left);
    struct rv32 *rv32;
    uint64_t instret_at_end; /* the core's instret when `left` is 0 */
    uint32_t left;           /* instructions left of the core's turn */
    uint32_t acted;          /* set if a load had side effects; skip_rounds() clears it */
    void *words;             /* struct rv32_bus */
};

/* Why translated code ended, unless only because the interpreter has to execute the next instruction. */
enum {
    TRANSLATED_WAITS = 1,  /* an instruction waits, or was refused */
    TRANSLATED_YIELDS = 2, /* an instruction was executed and ends the core's turn; it is not counted yet */
    TRANSLATED_MISSED = 3, /* it jumped to where no translated code can be entered */
    TRANSLATED_ENDS = 3
};

/* Executes the load, store or .ttinsn at `pc`; the context's x[] holds the registers before it. `left` counts it
   already. Returns 0 when done, otherwise why translated code ends. */
uint64_t translated_access(struct translated_context *context, uint32_t pc, uint32_t left);

/* Returns bits 31:2 of the pc, 1:0 why it ended, 63:32: instructions left of the turn. */
typedef uint64_t translated_code(struct translated_context *context, const void *entry);

/* Code shared by all regions of a code buffer, at its beginning; it is a translated_code. */
struct translate_shared {
    uint32_t leave,
        dispatch; /* translated code jumps there, with the pc in eax, when the core's registers are stored */
    uint32_t end; /* or there, with its return value in rax */
};

bool translate_possible(void);
void translate_shared(struct evex_code *code, struct translate_shared *shared);

/* Appends the region's code; `offsets`: the entry points in it, by words of the region. */
void translate_region(struct evex_code *code, const struct translate_shared *shared, const struct region *region,
                      const struct rv32 *rv32, uint32_t offsets[REGION_WORDS]);

#endif
