/* What the checker needs to know of a RISC-V instruction: made of its word once, and kept by it, as programs are mostly
   loops. */
#ifndef BHEMU_CHECK_DECODED_H
#define BHEMU_CHECK_DECODED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { CHECK_DECODED = 1024 /* instructions that are kept; a power of two */ };

/* What becomes of the pointer in the register that an instruction writes (pointers.c). */
enum check_computes {
    COMPUTES_NOTHING,
    COMPUTES_OTHER,
    COMPUTES_FIRST,
    COMPUTES_UNITS,
    COMPUTES_SUM,
    COMPUTES_SECOND,
    COMPUTES_DIFFERENCE
};

struct check_sources {
    uint8_t first, second;
};

/* Sources are chosen by masks: all ones, or zeroes. An instruction that is none of RISC-V has zeroes everywhere. */
struct check_decoded {
    uint32_t word;
    uint32_t reads;             /* x registers, a bit for each, as far as loads are concerned */
    uint32_t writes;            /* the x register, by its bit; 0: none. x0 has its bit, too */
    int32_t distance;           /* of a branch or a jump */
    uint8_t rd, rs1, rs2;       /* registers, in formats that have them */
    bool fence;                 /* the instruction FENCE */
    bool jumps;                 /* a branch, or a jump by a distance */
    bool answered;              /* it waits for the answers to all loads before it */
    uint8_t computes;           /* enum check_computes */
    struct check_sources taint, /* what its result, or a branch, depends on, */
        asked,                  /* what its result depends on, */
        looks,                  /* what it decides about, or takes where it is not followed, */
        uses;                   /* what it stores, or takes as an address */
};

void check_decode(struct check_decoded *decoded, uint32_t word);

/* Valid until the next call. */
static inline const struct check_decoded *check_decoded(struct check_decoded *kept, uint32_t word)
{
    struct check_decoded *decoded = &kept[(word ^ word >> 10 ^ word >> 20) % CHECK_DECODED];
    if (decoded->word != word) {
        check_decode(decoded, word);
    }
    return decoded;
}

/* What registers have of the sources that are chosen. */
static inline uint8_t check_sources(const uint8_t *of, const struct check_decoded *by, struct check_sources chosen)
{
    return (of[by->rs1] & chosen.first) | (of[by->rs2] & chosen.second);
}

/* No register has a bit any more. */
static inline void check_forget(uint8_t of[32], unsigned bit)
{
    uint64_t eight[4];
    memcpy(eight, of, sizeof eight);
    for (unsigned i = 0; i < sizeof eight / sizeof eight[0]; i++) {
        eight[i] &= ~(UINT64_C(0x0101010101010101) << bit);
    }
    memcpy(of, eight, sizeof eight);
}

#endif
