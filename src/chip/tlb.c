#include "chip/tlb.h"

#include "util/bits.h"

enum { ORDERING_RESERVED = 3, NOCS = 2 };

/* Bits [first + width - 1 : first] of the 96 bits of a window. */
static uint32_t field(const uint32_t *words, unsigned first, unsigned width)
{
    uint64_t pair = words[first / 32] | (first / 32 + 1 < TLB_WORDS ? (uint64_t)words[first / 32 + 1] << 32 : 0);
    return (uint32_t)(pair >> first % 32) & (uint32_t)((UINT64_C(1) << width) - 1);
}

/* Both sizes have the same fields in the same order behind the address. Linked transactions and static virtual channels
   change nothing here: every access arrives in order. */
static struct tlb_target routing(const uint32_t *words, unsigned first)
{
    return (struct tlb_target){.x = field(words, first, 6),
                               .y = field(words, first + 6, 6),
                               .first_x = field(words, first + 12, 6),
                               .first_y = field(words, first + 18, 6),
                               .noc = field(words, first + 24, 2),
                               .multicast = field(words, first + 26, 1)};
}

enum step tlb_look_up(const struct tlb *tlb, unsigned window, uint64_t offset, uint32_t size, struct tlb_target *target,
                      struct diagnostics *diagnostics)
{
    bool small = window < TLB_WINDOWS_2M;
    unsigned shift = small ? 21 : 32, first = small ? 43 : 32;
    const uint32_t *words = tlb->words[window];
    *target = routing(words, first);
    uint64_t page = words[0] | (small ? (uint64_t)field(words, 32, 11) << 32 : 0);
    target->address = page << shift | offset;
    if (size > (UINT64_C(1) << shift) - offset) {
        return diagnose(diagnostics, BH_BAD_INPUT, "access of %u bytes at offset 0x%llx leaves TLB window %u", size,
                        (unsigned long long)offset, window);
    }
    if (target->noc >= NOCS) {
        return diagnose(diagnostics, BH_BAD_INPUT, "TLB window %u: there is no NoC %u", window, target->noc);
    }
    if (field(words, first + 27, 2) == ORDERING_RESERVED) {
        return diagnose(diagnostics, BH_BAD_INPUT, "TLB window %u: ordering 3 is reserved", window);
    }
    return STEP_DONE;
}
