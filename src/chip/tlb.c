#include "chip/tlb.h"

enum { ORDERING_POSTED = 2, ORDERING_POSTED_STRICT = 3, NOCS = 2 };

enum { ADDRESS_BITS_2M = 43, ADDRESS_BITS_4G = 32 };

/* Bits of a window behind its address, which the first word begins: the same fields in the same order for both sizes.
 */
static uint64_t behind_address(const uint32_t *words, bool small)
{
    uint64_t pair = words[1] | (uint64_t)words[2] << 32;
    return pair >> ((small ? ADDRESS_BITS_2M : ADDRESS_BITS_4G) - 32);
}

/* Linked transactions and static virtual channels change nothing here: every access arrives in order. */
static struct tlb_target routing(uint64_t bits)
{
    unsigned ordering = bits >> 27 & 3;
    return (struct tlb_target){.x = bits & 0x3f,
                               .y = bits >> 6 & 0x3f,
                               .first_x = bits >> 12 & 0x3f,
                               .first_y = bits >> 18 & 0x3f,
                               .noc = bits >> 24 & 3,
                               .multicast = bits >> 26 & 1,
                               .posted = ordering == ORDERING_POSTED || ordering == ORDERING_POSTED_STRICT};
}

enum step tlb_look_up(const struct tlb *tlb, unsigned window, uint64_t offset, uint32_t size, struct tlb_target *target,
                      struct diagnostics *diagnostics)
{
    bool small = window < TLB_WINDOWS_2M;
    unsigned shift = small ? 21 : 32;
    const uint32_t *words = tlb->words[window];
    uint64_t bits = behind_address(words, small);
    *target = routing(bits);
    uint64_t page = words[0] | (small ? (uint64_t)(words[1] & 0x7ff) << 32 : 0);
    target->address = page << shift | offset;
    if (size > (UINT64_C(1) << shift) - offset) {
        return diagnose(diagnostics, BH_BAD_INPUT, "access of %u bytes at offset 0x%llx leaves TLB window %u", size,
                        (unsigned long long)offset, window);
    }
    if (target->noc >= NOCS) {
        return diagnose(diagnostics, BH_BAD_INPUT, "TLB window %u: there is no NoC %u", window, target->noc);
    }
    if (target->multicast && (bits >> 27 & 3) == ORDERING_POSTED_STRICT) {
        return diagnose(diagnostics, BH_BAD_INPUT, "TLB window %u: ordering 3 (posted and strict) is not for multicast",
                        window);
    }
    return STEP_DONE;
}
