/* Rows of random vector instructions for tile_rows_test.c: opcodes, modes and LRegs that occur together. */
#ifndef BHEMU_TESTS_SFPU_TILE_ROWS_H
#define BHEMU_TESTS_SFPU_TILE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix_isa.h"
#include "tensix/units/vector/parts.h"
#include "util/xorshift.h"

enum { NOTHING = 0x8f000000 };

static uint64_t seed;

static uint32_t random_bits(void)
{
    return xorshift64_word(&seed);
}

static uint32_t below(uint32_t limit)
{
    return random_bits() % limit;
}

static bool one_in(uint32_t times)
{
    return below(times) == 0;
}

/* The values of an instruction's fields. Bits of `any` are random, of `modes` one is chosen. LReg numbers are in the
   nibbles that `sources` marks, and in nibble `dest`. */
struct kind {
    uint8_t opcode, mode_nibble, dest, sources;
    uint16_t modes;
    uint32_t any;
};

enum { NONE = 15, ALL_MODES = 0xffff, C = 1 << 2, B = 1 << 3, A = 1 << 4, IMMEDIATE = 0xfff000 };

static const struct kind kinds[] = {
    {TENSIX_OPCODE_SFPLOAD, 4, 5, 0, ALL_MODES, 0x00e07e},
    {TENSIX_OPCODE_SFPLOADI, 4, 5, 0, 0x0517, 0x00ffff},
    {TENSIX_OPCODE_SFPSTORE, 4, 5, 0, ALL_MODES, 0x00e07e},
    {TENSIX_OPCODE_SFPLUT, 4, 5, 0, ALL_MODES, 0},
    {TENSIX_OPCODE_SFPMULI, 0, 1, 0, 1, 0xffff00},
    {TENSIX_OPCODE_SFPADDI, 0, 1, 0, 1, 0xffff00},
    {TENSIX_OPCODE_SFPDIVP2, 0, 1, C, 3, IMMEDIATE},
    {TENSIX_OPCODE_SFPEXEXP, 0, 1, C, ALL_MODES, 0},
    {TENSIX_OPCODE_SFPEXMAN, 0, 1, C, 3, 0},
    {TENSIX_OPCODE_SFPIADD, 0, 1, C, 0x0f77, IMMEDIATE},
    {TENSIX_OPCODE_SFPSHFT, 0, 1, C, 0x00ff, IMMEDIATE},
    {TENSIX_OPCODE_SFPSETCC, 0, NONE, C, 0x0555, 0x001000},
    {TENSIX_OPCODE_SFPMOV, 0, 1, C, 0x0107, 0},
    {TENSIX_OPCODE_SFPABS, 0, 1, C, 3, 0},
    {TENSIX_OPCODE_SFPAND, 0, 1, C | B, 3, 0},
    {TENSIX_OPCODE_SFPOR, 0, 1, C | B, 3, 0},
    {TENSIX_OPCODE_SFPNOT, 0, 1, C, 1, 0},
    {TENSIX_OPCODE_SFPLZ, 0, 1, C, 0x0555, 0},
    {TENSIX_OPCODE_SFPSETEXP, 0, 1, C, 7, 0x0ff000},
    {TENSIX_OPCODE_SFPSETMAN, 0, 1, C, 3, IMMEDIATE},
    {TENSIX_OPCODE_SFPMAD, 0, 1, A | B | C, 0x0f, 0},
    {TENSIX_OPCODE_SFPADD, 0, 1, A | B | C, 0x0f, 0},
    {TENSIX_OPCODE_SFPMUL, 0, 1, A | B | C, 0x03, 0},
    {TENSIX_OPCODE_SFPPUSHC, 0, NONE, 0, 1, 0},
    {TENSIX_OPCODE_SFPPOPC, 0, NONE, 0, 1, 0},
    {TENSIX_OPCODE_SFPSETSGN, 0, 1, C, 3, 0x001000},
    {TENSIX_OPCODE_SFPENCC, 0, NONE, 0, 0x0407, 0x003000},
    {TENSIX_OPCODE_SFPCOMPC, 0, NONE, 0, 1, 0},
    {TENSIX_OPCODE_SFPTRANSP, 0, NONE, 0, 1, 0},
    {TENSIX_OPCODE_SFPXOR, 0, 1, C, 1, 0},
    {TENSIX_OPCODE_SFP_STOCH_RND, 0, 1, C | B, 0x30ff, 0x200000},
    {TENSIX_OPCODE_SFPNOP, 0, NONE, 0, 1, 0},
    {TENSIX_OPCODE_SFPCAST, 0, 1, C, 0x0f, 0},
    {TENSIX_OPCODE_SFPCONFIG, 0, NONE, 0, 1, 0},
    {TENSIX_OPCODE_SFPSWAP, 0, 1, C, 0x03ff, 0},
    {TENSIX_OPCODE_SFPSHFT2, 0, 1, C, 0x7f, 0x00f000},
    {TENSIX_OPCODE_SFPLUTFP32, 0, 1, 0, 0x040d, 0},
    {TENSIX_OPCODE_SFPLE, 0, 1, C, 0x0307, 0},
    {TENSIX_OPCODE_SFPGT, 0, 1, C, 0x0307, 0},
    {TENSIX_OPCODE_SFPMUL24, 0, 1, A | B, 3, 0},
    {TENSIX_OPCODE_SFPARECIP, 0, 1, C, 7, 0},
    {TENSIX_OPCODE_INCRWC, 0, NONE, 0, 1, 0x038000},
    {TENSIX_OPCODE_NOP, 0, NONE, 0, 1, 0},
};

enum { KINDS = sizeof kinds / sizeof *kinds, FEWEST_KINDS = 3, MOST_KINDS = 14 };

/* What a program keeps to. */
struct style {
    const struct kind *kinds[MOST_KINDS];
    uint32_t kinds_count;
    uint8_t lregs[8], lregs_count;
    uint8_t same;   /* one in `same` sources is the last result */
    uint8_t nop;    /* one in `nop` instructions does nothing; 0: none */
    uint8_t idioms; /* one in `idioms` instructions begins an idiom; 0: none */
    uint8_t last;
};

static const struct kind *kind_of(uint8_t opcode)
{
    const struct kind *kind = kinds;
    while (kind->opcode != opcode) {
        kind++;
    }
    return kind;
}

static uint32_t source(const struct style *style)
{
    return one_in(style->same) ? style->last : one_in(8) ? 8 + below(8) : style->lregs[below(style->lregs_count)];
}

static uint32_t mode_of(const struct kind *kind)
{
    uint32_t mode;
    do {
        mode = below(16);
    } while (!(kind->modes >> mode & 1));
    return mode;
}

static uint32_t instruction(struct style *style, const struct kind *kind)
{
    uint32_t word = (uint32_t)kind->opcode << 24 | (random_bits() & kind->any) | mode_of(kind) << 4 * kind->mode_nibble;
    for (unsigned nibble = 2; nibble < 5; nibble++) {
        word |= kind->sources >> nibble & 1 ? source(style) << 4 * nibble : 0;
    }
    if (kind->dest != NONE) {
        uint32_t dest = one_in(50) ? below(16) : style->lregs[below(style->lregs_count)];
        word |= dest << 4 * kind->dest;
        style->last = dest < LREG_WRITABLE ? (uint8_t)dest : style->last;
    }
    if (kind->opcode == TENSIX_OPCODE_SFPCONFIG) { /* a constant */
        word |= (11 + below(4)) << 4;
    }
    return word;
}

static struct style choose_style(void)
{
    static const uint8_t immediates[] = {
        TENSIX_OPCODE_SFPLOADI,  TENSIX_OPCODE_SFPIADD,   TENSIX_OPCODE_SFPDIVP2, TENSIX_OPCODE_SFPSETEXP,
        TENSIX_OPCODE_SFPSETMAN, TENSIX_OPCODE_SFPSHFT2,  TENSIX_OPCODE_SFPSHFT2, TENSIX_OPCODE_SFPARECIP,
        TENSIX_OPCODE_SFPTRANSP, TENSIX_OPCODE_SFPSETSGN, TENSIX_OPCODE_SFPCAST,  TENSIX_OPCODE_SFPSWAP,
    };
    struct style style = {.kinds_count = FEWEST_KINDS + below(MOST_KINDS - FEWEST_KINDS + 1),
                          .lregs_count = (uint8_t)(one_in(2) ? LREG_WRITABLE : 2 + below(4)),
                          .same = one_in(2) ? 2 : 6,
                          .nop = one_in(4) ? 2 + below(2) : 0,
                          .idioms = one_in(2) ? 4 : 0};
    bool of_immediates = one_in(3);
    for (uint32_t i = 0; i < style.kinds_count; i++) {
        style.kinds[i] =
            of_immediates && !one_in(4) ? kind_of(immediates[below(sizeof immediates)]) : &kinds[below(KINDS)];
    }
    for (uint32_t i = 0; i < style.lregs_count; i++) {
        style.lregs[i] = (uint8_t)(style.lregs_count == LREG_WRITABLE ? i : below(LREG_WRITABLE));
    }
    return style;
}

/* Updates the depth of the stack by an instruction; false: not possible at this depth. */
static bool follow_stack(uint32_t word, uint32_t *depth)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_SFPPUSHC: return ++*depth <= SFPU_STACK;
    case TENSIX_OPCODE_SFPPOPC: return (*depth)-- > 0;
    default: return true;
    }
}

/* F sets flags, R reads the last result, S is a sum or a table, Q rounds, E enables all lanes, * is any instruction; (
   and ) push and pop, ! complements. */
static uint32_t idiomatic(struct style *style, char what)
{
    static const uint8_t flags[] = {TENSIX_OPCODE_SFPIADD,  TENSIX_OPCODE_SFPLZ, TENSIX_OPCODE_SFPEXEXP,
                                    TENSIX_OPCODE_SFPSETCC, TENSIX_OPCODE_SFPLE, TENSIX_OPCODE_SFPGT};
    static const uint8_t sums[] = {TENSIX_OPCODE_SFPMAD, TENSIX_OPCODE_SFPADD,     TENSIX_OPCODE_SFPMULI,
                                   TENSIX_OPCODE_SFPLUT, TENSIX_OPCODE_SFPLUTFP32, TENSIX_OPCODE_SFPMUL};
    uint8_t same = style->same;
    uint32_t word;
    switch (what) {
    case 'F': return instruction(style, kind_of(flags[below(sizeof flags)]));
    case 'S': return instruction(style, kind_of(sums[below(sizeof sums)]));
    case 'Q': return instruction(style, kind_of(TENSIX_OPCODE_SFP_STOCH_RND));
    case 'E': return 0x8a00300a;
    case '(': return (uint32_t)TENSIX_OPCODE_SFPPUSHC << 24;
    case ')': return (uint32_t)TENSIX_OPCODE_SFPPOPC << 24;
    case '!': return (uint32_t)TENSIX_OPCODE_SFPCOMPC << 24;
    case 'R':
        style->same = 1;
        word = instruction(style, &kinds[below(KINDS)]);
        style->same = same;
        return word;
    default: return instruction(style, style->kinds[below(style->kinds_count)]);
    }
}

static uint32_t distance(uint32_t one, uint32_t other)
{
    return one > other ? one - other : other - one;
}

/* A row that leaves the depth of the stack unchanged. */
static void choose_row(uint32_t *row, uint32_t count, uint32_t depth)
{
    static const char *const idioms[] = {"(F*)",    "(F*!*)", "FR",    "FRS",  "FFR",    "EQ)FRS", "Q)FRS", "QFRS",
                                         "(EQ)FRS", "(Q)",    ")FRS(", "!FRS", "EFQFRS", "(F**)",  "F!RS",  "SRR"};
    const char *idiom = "";
    const uint32_t first_depth = depth;
    struct style style = choose_style();
    for (uint32_t i = 0; i < count; i++) {
        uint32_t left = count - i, after = depth;
        if (!*idiom && style.idioms && one_in(style.idioms)) {
            idiom = idioms[below(sizeof idioms / sizeof *idioms)];
        }
        uint32_t word = *idiom                            ? idiomatic(&style, *idiom++)
                        : style.nop && !one_in(style.nop) ? NOTHING
                                                          : idiomatic(&style, '*');
        if (distance(depth, first_depth) == left) { /* the rest of the row returns to the initial depth */
            word = idiomatic(&style, depth > first_depth ? ')' : '(');
        }
        bool possible = follow_stack(word, &after) && distance(after, first_depth) < left;
        row[i] = possible ? word : NOTHING;
        depth = possible ? after : depth;
    }
}

#endif
