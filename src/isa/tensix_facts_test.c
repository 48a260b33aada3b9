/* Facts of the instruction table against the documents. All lists are written from the documents, not from the
   table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"
#include "util/bits.h"

/* Whether a list of names that are separated by blanks has this one. */
static bool names(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name)) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
            return true;
        }
    }
    return false;
}

static unsigned length_of(const char *list)
{
    unsigned count = *list != '\0';
    for (; *list; list++) {
        count += *list == ' ';
    }
    return count;
}

/* SFPLOADMACRO.md, the table of what each sub-unit executes, and the load-style instructions below it. */
static void sub_units_are_those_of_the_page(void **state)
{
    static const struct {
        enum tensix_sub_unit sub_unit;
        const char *list;
    } sub_units[] = {
        {TENSIX_SUB_UNIT_SIMPLE,
         "SFPABS SFPAND SFPARECIP SFPCAST SFPCOMPC SFPCONFIG SFPDIVP2 SFPENCC SFPEXEXP SFPEXMAN "
         "SFPGT SFPIADD SFPLE SFPLZ SFPMOV SFPNOT SFPOR SFPPOPC SFPPUSHC SFPSETCC SFPSETEXP "
         "SFPSETMAN SFPSETSGN SFPSHFT SFPSWAP SFPTRANSP SFPXOR"},
        {TENSIX_SUB_UNIT_MAD, "SFPADD SFPADDI SFPLUT SFPLUTFP32 SFPMAD SFPMUL SFPMULI SFPMUL24"},
        {TENSIX_SUB_UNIT_ROUND, "SFPSHFT2 SFP_STOCH_RND"},
        {TENSIX_SUB_UNIT_STORE, "SFPSTORE"},
        {TENSIX_SUB_UNIT_LOAD, "SFPLOAD SFPLOADI SFPLOADMACRO SFPNOP"}, /* SFPNOP goes anywhere */
    };
    unsigned listed = 0, found = 0;
    for (unsigned i = 0; i < COUNT_OF(sub_units); i++) {
        listed += length_of(sub_units[i].list);
    }
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        enum tensix_sub_unit expected = TENSIX_SUB_UNIT_NONE;
        for (unsigned j = 0; j < COUNT_OF(sub_units); j++) {
            expected = names(sub_units[j].list, instruction->name) ? sub_units[j].sub_unit : expected;
        }
        found += expected != TENSIX_SUB_UNIT_NONE;
        if (tensix_facts[instruction->opcode].sub_unit != expected) {
            fail_msg("%s is said to belong to sub-unit %u", instruction->name,
                     tensix_facts[instruction->opcode].sub_unit);
        }
    }
    assert_int_equal(found, listed);
}

/* assembly.yaml of the kernel library, RESOURCEDECL. Those that never reach the backend are tracked by no class: ISA
   documentation AutoTTSync.md. */
static void ttsync_classes_are_those_of_resourcedecl(void **state)
{
    static const char *const classes[] = {
        "ADDDMAREG SUBDMAREG MULDMAREG BITWOPDMAREG SHIFTDMAREG CMPDMAREG SETDMAREG",
        "ATINCGET ATINCGETPTR ATSWAP ATCAS",
        "REG2FLOP",
        "LOADIND STOREIND",
        "STREAMWRCFG CFGSHIFTMASK",
        "STOREREG",
        "LOADREG",
        "FLUSHDMA",
        "WRCFG",
        "RDCFG",
        "XMOV",
        "UNPACR UNPACR_NOP",
        "PACR",
        "MOP",
        "REPLAY",
    };
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        unsigned expected = names("NOP MOP_CFG RESOURCEDECL", instruction->name) ? TENSIX_TTSYNC_UNTRACKED : 15;
        for (unsigned j = 0; j < COUNT_OF(classes); j++) {
            expected = names(classes[j], instruction->name) ? j : expected;
        }
        if (tensix_facts[instruction->opcode].ttsync != expected) {
            fail_msg("%s is of class %u", instruction->name, tensix_facts[instruction->opcode].ttsync);
        }
    }
}

/* A word of an instruction, by the places that the pages' encodings give the operands. */
static uint32_t word_of(const char *name, uint32_t bits)
{
    return (uint32_t)tensix_by_name(name)->opcode << 24 | bits;
}

/* VA is LReg[1], VB LReg[2], VC LReg[3], VD LReg[4]: where an encoding has them. */
enum { VA = 1, VB = 2, VC = 3, VD = 4 };

static uint32_t three_operands(const char *name, unsigned mod1)
{
    return word_of(name, VA << 16 | VB << 12 | VC << 8 | VD << 4 | mod1);
}

static uint32_t two_operands(const char *name, unsigned mod1)
{
    return word_of(name, VC << 8 | VD << 4 | mod1);
}

static uint32_t first_operand(const char *name, unsigned mod0)
{
    return word_of(name, VD << 20 | mod0 << 16);
}

#define L(i) (1u << (i))
#define ANY_WRITABLE 0xffu
#define FLAGS TENSIX_USE_LANE_FLAGS
#define STACK TENSIX_USE_FLAG_STACK

static void check(const char *name, uint32_t word, uint64_t reads, uint64_t writes)
{
    struct tensix_operands operands = tensix_operands_of(word);
    uint64_t lregs = (UINT64_C(1) << TENSIX_LREGS) - 1, known = lregs | FLAGS | STACK | TENSIX_USE_PRNG;
    uint64_t said = tensix_reads(word, &operands) & known;
    if (said != reads) {
        fail_msg("%s 0x%08x reads 0x%llx, not 0x%llx", name, word, (unsigned long long)said, (unsigned long long)reads);
    }
    said = tensix_writes(word, &operands) & known;
    if (said != writes) {
        fail_msg("%s 0x%08x writes 0x%llx, not 0x%llx", name, word, (unsigned long long)said,
                 (unsigned long long)writes);
    }
}

/* Instructions whose functional model is `LReg[VD] = f(LReg[VC])`, or with LReg[VB] where VB = VD; lane flags decide in
   which lanes. Each page of these names. */
static void lanewise_instructions_read_and_write_what_their_pages_say(void **state)
{
    static const char *const of_vc[] = {"SFPDIVP2", "SFPEXMAN", "SFPABS", "SFPNOT"};
    for (unsigned mod1 = 0; mod1 < 2; mod1++) {
        for (unsigned i = 0; i < COUNT_OF(of_vc); i++) {
            check(of_vc[i], two_operands(of_vc[i], mod1), FLAGS | L(VC), L(VD));
        }
        static const char *const with_immediate[] = {"SFPSETEXP", "SFPSETMAN", "SFPSETSGN"};
        for (unsigned i = 0; i < COUNT_OF(with_immediate); i++) { /* ARG_IMM: VD is not read */
            check(with_immediate[i], two_operands(with_immediate[i], mod1), FLAGS | L(VC) | (mod1 ? 0 : L(VD)), L(VD));
        }
        static const char *const bitwise[] = {"SFPAND", "SFPOR"};
        for (unsigned i = 0; i < COUNT_OF(bitwise); i++) { /* USE_VB */
            check(bitwise[i], three_operands(bitwise[i], mod1) & ~0x0f0000u, FLAGS | L(VC) | (mod1 ? L(VB) : L(VD)),
                  L(VD));
        }
    }
    check("SFPXOR", two_operands("SFPXOR", 0), FLAGS | L(VC) | L(VD), L(VD));
    for (unsigned mod1 = 0; mod1 < 16; mod1++) {
        uint64_t flags = mod1 & 2 || mod1 & 8 ? FLAGS : 0; /* SET_CC..., SET_CC_COMP */
        check("SFPEXEXP", two_operands("SFPEXEXP", mod1), FLAGS | L(VC), L(VD) | flags);
        check("SFPLZ", two_operands("SFPLZ", mod1), FLAGS | L(VC), L(VD) | flags);
        /* Mod1: ARG_IMM 1, CC_NONE 4, CC_GTE0 8 inverts. */
        check("SFPIADD", two_operands("SFPIADD", mod1), FLAGS | L(VC) | (mod1 & 1 ? 0 : L(VD)),
              L(VD) | ((mod1 & 12) == 4 ? 0 : FLAGS));
        /* CLEAR 8, IMM_BIT0 1. */
        check("SFPSETCC", two_operands("SFPSETCC", mod1), FLAGS | (mod1 & 9 ? 0 : L(VC)), FLAGS);
        /* SET_CC 1, MUTATE_STACK 2, MUTATE_OR 4, SET_VD 8. */
        static const char *const comparisons[] = {"SFPGT", "SFPLE"};
        for (unsigned i = 0; i < COUNT_OF(comparisons); i++) {
            check(comparisons[i], two_operands(comparisons[i], mod1), FLAGS | L(VC) | L(VD) | (mod1 & 2 ? STACK : 0),
                  (mod1 & 8 ? L(VD) : 0) | (mod1 & 1 ? FLAGS : 0) | (mod1 & 2 ? STACK : 0));
        }
        /* SFPCAST: only SM32_TO_FP32_RNS (1) draws a random number. */
        if (mod1 < 4) {
            uint64_t random = mod1 == 1 ? TENSIX_USE_PRNG : 0;
            check("SFPCAST", two_operands("SFPCAST", mod1), FLAGS | L(VC) | random, L(VD) | random);
        }
    }
    /* SFPSHFT: VD shifted by VC; ARG_IMM: VD by an immediate; with USE_VC: VC by an immediate. */
    check("SFPSHFT", two_operands("SFPSHFT", 0), FLAGS | L(VC) | L(VD), L(VD));
    check("SFPSHFT", two_operands("SFPSHFT", 1), FLAGS | L(VD), L(VD));
    check("SFPSHFT", two_operands("SFPSHFT", 5), FLAGS | L(VC), L(VD));
    /* SFPARECIP: RECIP 0, COND_RECIP 1, EXP 2. */
    check("SFPARECIP", three_operands("SFPARECIP", 0) & ~0x0f0000u, FLAGS | L(VC), L(VD));
    check("SFPARECIP", three_operands("SFPARECIP", 1) & ~0x0f0000u, FLAGS | L(VB) | L(VC), L(VD));
    check("SFPARECIP", three_operands("SFPARECIP", 2) & ~0x0f0000u, FLAGS | L(VC), L(VD));
    /* SFPSTOCHRND: random numbers advance in every mode; VB only where integers are shifted by a register. */
    for (unsigned mod1 = 0; mod1 < 8; mod1++) {
        bool shifts = mod1 == 4 || mod1 == 5;
        check("SFP_STOCH_RND", three_operands("SFP_STOCH_RND", mod1) & ~0x0f0000u,
              FLAGS | L(VC) | TENSIX_USE_PRNG | (shifts ? L(VB) : 0), L(VD) | TENSIX_USE_PRNG);
    }
    check("SFP_STOCH_RND", three_operands("SFP_STOCH_RND", 12) & ~0x0f0000u, FLAGS | L(VC) | TENSIX_USE_PRNG,
          L(VD) | TENSIX_USE_PRNG);
    /* SFPMOV: -VC; ALL_LANES_ENABLED 2; FROM_SPECIAL 8: VC is no LReg, 9 the random numbers. */
    check("SFPMOV", two_operands("SFPMOV", 0), FLAGS | L(VC), L(VD));
    check("SFPMOV", two_operands("SFPMOV", 2), L(VC), L(VD));
    check("SFPMOV", two_operands("SFPMOV", 8), FLAGS, L(VD));
    check("SFPMOV", word_of("SFPMOV", 9 << 8 | VD << 4 | 8), FLAGS | TENSIX_USE_PRNG, L(VD) | TENSIX_USE_PRNG);
}

/* SFPMAD.md, SFPMUL24.md, SFPADDI.md, SFPMULI.md, SFPLUT.md, SFPLUTFP32.md. INDIRECT_VA 4 and INDIRECT_VD 8 take
   LReg[7] for the number of another. */
static void products_read_and_write_what_their_pages_say(void **state)
{
    static const char *const products[] = {"SFPMAD", "SFPADD", "SFPMUL", "SFPMUL24"};
    for (unsigned i = 0; i < COUNT_OF(products); i++) {
        check(products[i], three_operands(products[i], 0), FLAGS | L(VA) | L(VB) | L(VC), L(VD));
        check(products[i], three_operands(products[i], 4), FLAGS | 0xffff, L(VD));
        check(products[i], three_operands(products[i], 8), FLAGS | L(VA) | L(VB) | L(VC) | L(7), ANY_WRITABLE);
    }
    static const char *const immediate[] = {"SFPADDI", "SFPMULI"};
    for (unsigned i = 0; i < COUNT_OF(immediate); i++) {
        check(immediate[i], word_of(immediate[i], 0x123456 << 4 & 0xffff00) | VD << 4, FLAGS | L(VD), L(VD));
        check(immediate[i], word_of(immediate[i], VD << 4 | 8), FLAGS | L(VD) | L(7), ANY_WRITABLE);
    }
    check("SFPLUT", first_operand("SFPLUT", 0), FLAGS | L(0) | L(1) | L(2) | L(3), L(VD));
    check("SFPLUT", first_operand("SFPLUT", 8), FLAGS | L(0) | L(1) | L(2) | L(3) | L(7), ANY_WRITABLE);
    uint64_t six = L(0) | L(1) | L(2) | L(3) | L(4) | L(5) | L(6);
    check("SFPLUTFP32", two_operands("SFPLUTFP32", 0) & ~0xf00u, FLAGS | six, L(VD));
    check("SFPLUTFP32", two_operands("SFPLUTFP32", 2) & ~0xf00u, FLAGS | six, L(VD));
    check("SFPLUTFP32", two_operands("SFPLUTFP32", 3) & ~0xf00u, FLAGS | six, L(VD));
    check("SFPLUTFP32", two_operands("SFPLUTFP32", 10) & ~0xf00u, FLAGS | L(0) | L(1) | L(2) | L(3) | L(7),
          ANY_WRITABLE);
}

/* SFPSHFT2.md, SFPSWAP.md, SFPTRANSP.md, SFPCONFIG.md, SFPLOAD.md, SFPLOADI.md, SFPSTORE.md, SFPLOADMACRO.md. */
static void moves_read_and_write_what_their_pages_say(void **state)
{
    check("SFPSHFT2", two_operands("SFPSHFT2", 0), FLAGS | L(1) | L(2) | L(3), 0xf);
    check("SFPSHFT2", two_operands("SFPSHFT2", 1), FLAGS | 0xf, 0xf);
    check("SFPSHFT2", word_of("SFPSHFT2", 6 << 8 | VD << 4 | 2), FLAGS | L(1) | L(2) | L(3) | L(6), 0xf);
    check("SFPSHFT2", two_operands("SFPSHFT2", 3), FLAGS | L(VC), L(VD));
    check("SFPSHFT2", two_operands("SFPSHFT2", 4), FLAGS | L(VC), L(VD));
    check("SFPSHFT2", word_of("SFPSHFT2", VB << 12 | VC << 8 | VD << 4 | 5), FLAGS | L(VB) | L(VC), L(VD));
    check("SFPSHFT2", word_of("SFPSHFT2", 0xff2000 | VD << 4 | 6), FLAGS | L(2), L(VD)); /* VB = Imm12 & 15 */
    for (unsigned mod1 = 0; mod1 < 10; mod1++) {
        check("SFPSWAP", two_operands("SFPSWAP", mod1), FLAGS | L(VC) | L(VD), L(VC) | L(VD));
    }
    check("SFPTRANSP", word_of("SFPTRANSP", 0), FLAGS | 0xff, 0xff);
    for (unsigned vd = 0; vd < 16; vd++) {
        bool nothing = vd == 9 || vd == 10;
        uint64_t written = vd >= 11 && vd <= 14 ? L(vd) : 0;
        check("SFPCONFIG", word_of("SFPCONFIG", vd << 4), FLAGS | (nothing ? 0 : L(0)), written);
        check("SFPCONFIG", word_of("SFPCONFIG", vd << 4 | 1), FLAGS | (vd < 4 ? L(0) : 0), written);
    }
    for (unsigned mod0 = 0; mod0 < 16; mod0++) {
        uint64_t half = mod0 == 14 || mod0 == 15 ? L(VD) : 0; /* LO16_ONLY, HI16_ONLY */
        check("SFPLOAD", first_operand("SFPLOAD", mod0), FLAGS | half, L(VD));
        check("SFPSTORE", first_operand("SFPSTORE", mod0), FLAGS | L(VD), 0);
        half = mod0 == 8 || mod0 == 10 ? L(VD) : 0; /* UPPER, LOWER */
        check("SFPLOADI", first_operand("SFPLOADI", mod0), FLAGS | half, L(VD));
    }
    check("SFPLOADMACRO", word_of("SFPLOADMACRO", 0xe << 20 | 1), FLAGS, L(6)); /* VDHi is bit 0 */
    check("SFPNOP", word_of("SFPNOP", 0), 0, 0);
}

/* SFPENCC.md, SFPCOMPC.md, SFPPUSHC.md, SFPPOPC.md. */
static void conditional_execution_reads_and_writes_what_its_pages_say(void **state)
{
    for (unsigned mod1 = 0; mod1 < 16; mod1++) {
        /* INVERT_ENABLE 1, unless SET_ENABLE 2; in all lanes. */
        check("SFPENCC", word_of("SFPENCC", mod1), (mod1 & 3) == 1 ? FLAGS : 0, FLAGS);
        bool combines = mod1 >= 1 && mod1 <= 12, inverts = mod1 == 13;
        check("SFPPUSHC", word_of("SFPPUSHC", mod1), STACK | (mod1 < 14 ? FLAGS : 0), STACK | (inverts ? FLAGS : 0));
        check("SFPPOPC", word_of("SFPPOPC", mod1), (mod1 <= 12 ? STACK : 0) | (combines || inverts ? FLAGS : 0),
              FLAGS | (mod1 == 0 ? STACK : 0));
    }
    check("SFPCOMPC", word_of("SFPCOMPC", 0), FLAGS | STACK, FLAGS);
}

/* MatrixUnit.md: the tables of who reads and writes Dst, SrcA and SrcB, in the first mode of each. */
static void the_matrix_unit_reads_and_writes_what_its_tables_say(void **state)
{
    static const struct {
        uint64_t reads, writes;
        const char *list;
    } cells[] = {
        {TENSIX_USE_DST | TENSIX_USE_SRCA | TENSIX_USE_SRCB, TENSIX_USE_DST, "MVMUL DOTPV GAPOOL GMPOOL ELWMUL"},
        {TENSIX_USE_SRCA, TENSIX_USE_DST, "MOVA2D MOVDBGA2D"},
        {TENSIX_USE_SRCB, TENSIX_USE_DST, "MOVB2D"},
        {0, TENSIX_USE_DST, "ZEROACC"},
        {TENSIX_USE_DST, TENSIX_USE_SRCA, "MOVD2A"},
        {TENSIX_USE_SRCA, TENSIX_USE_SRCA, "SHIFTXA"},
        {TENSIX_USE_SRCB, TENSIX_USE_SRCA, "MOVB2A"},
        {TENSIX_USE_DST, TENSIX_USE_SRCB, "MOVD2B"},
        {TENSIX_USE_SRCB, TENSIX_USE_SRCB, "SHIFTXB TRNSPSRCB"},
        {0, 0, "SETRWC INCRWC CLEARDVALID CLREXPHIST GATESRCRST"},
        {TENSIX_USE_DST, TENSIX_USE_DST, "MFCONV3S1 CONV3S1 CONV3S2 APOOL3S1 APOOL3S2"}, /* Dst += 0 */
    };
    const uint64_t files = TENSIX_USE_DST | TENSIX_USE_SRCA | TENSIX_USE_SRCB;
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        for (unsigned j = 0; j < COUNT_OF(cells); j++) {
            if (names(cells[j].list, tensix_instructions[i].name)) {
                struct tensix_operands operands = {};
                uint32_t word = (uint32_t)tensix_instructions[i].opcode << 24;
                assert_int_equal(tensix_reads(word, &operands) & files, cells[j].reads);
                assert_int_equal(tensix_writes(word, &operands) & files, cells[j].writes);
            }
        }
    }
    struct tensix_operands operands = {};
    /* ELWADD.md, ELWSUB.md: AddDst (21). ZEROSRC.md: which are cleared. */
    for (unsigned sub = 0; sub < 2; sub++) {
        uint32_t word = word_of(sub ? "ELWSUB" : "ELWADD", 0);
        assert_int_equal(tensix_reads(word, &operands) & files, TENSIX_USE_SRCA | TENSIX_USE_SRCB);
        assert_int_equal(tensix_reads(word | 1 << 21, &operands) & files, files);
        assert_int_equal(tensix_writes(word, &operands) & files, TENSIX_USE_DST);
    }
    for (unsigned mask = 0; mask < 4; mask++) {
        assert_int_equal(tensix_writes(word_of("ZEROSRC", mask), &operands) & files,
                         (mask & 1 ? TENSIX_USE_SRCA : 0) | (mask & 2 ? TENSIX_USE_SRCB : 0));
    }
    /* "Note that instructions in other units can also interact". */
    assert_int_equal(tensix_writes(word_of("SFPSTORE", 0), &operands) & files, TENSIX_USE_DST);
    assert_int_equal(tensix_reads(word_of("SFPLOAD", 0), &operands) & files, TENSIX_USE_DST);
    assert_int_equal(tensix_reads(word_of("SFPLOADMACRO", 0), &operands) & files, TENSIX_USE_DST);
    assert_int_equal(tensix_reads(word_of("PACR", 0), &operands) & files, TENSIX_USE_DST);
    assert_int_equal(tensix_writes(word_of("UNPACR", 0), &operands) & files, TENSIX_USE_SRCA | TENSIX_USE_DST);
    assert_int_equal(tensix_writes(word_of("UNPACR", 1 << 23), &operands) & files, TENSIX_USE_SRCB);
    assert_int_equal(tensix_writes(word_of("STOREIND", 0), &operands) & files, TENSIX_USE_SRCA);
    assert_int_equal(tensix_writes(word_of("STOREIND", 1 << 21), &operands) & files, TENSIX_USE_SRCB);
    assert_int_equal(tensix_writes(word_of("STOREIND", 1 << 23), &operands) & (files | TENSIX_USE_L1), TENSIX_USE_L1);
}

#define GPR(i) (UINT64_C(1) << (i))

static void check_gprs(const char *name, uint32_t bits, uint64_t reads, uint64_t writes)
{
    uint32_t word = word_of(name, bits);
    struct tensix_operands operands = {};
    if (tensix_gprs_read(word) != reads || tensix_gprs_written(word) != writes) {
        fail_msg("%s 0x%08x: GPRs", name, word);
    }
    assert_int_equal((tensix_reads(word, &operands) & TENSIX_USE_GPR) != 0, reads != 0);
    assert_int_equal((tensix_writes(word, &operands) & TENSIX_USE_GPR) != 0, writes != 0);
}

/* Chapters "gpr and dma instructions", "additional scalar unit instructions", "config sync instructions"; the ISA
   documentation's page of each. */
static void gprs_are_those_of_the_pages(void **state)
{
    static const char *const arithmetic[] = {"ADDDMAREG",    "SUBDMAREG",   "MULDMAREG",
                                             "BITWOPDMAREG", "SHIFTDMAREG", "CMPDMAREG"};
    for (unsigned i = 0; i < COUNT_OF(arithmetic); i++) {
        check_gprs(arithmetic[i], 40 << 12 | 13 << 6 | 5, GPR(5) | GPR(13), GPR(40));
        check_gprs(arithmetic[i], 1 << 23 | 40 << 12 | 13 << 6 | 5, GPR(5), GPR(40)); /* a constant */
    }
    check_gprs("SETDMAREG", 0x1234 << 8 | 11, 0, GPR(5));                   /* half 11 */
    check_gprs("SETDMAREG", 2u << 22 | 1 << 7 | 13, 0, UINT64_C(0xf) << 4); /* 128 bits */
    check_gprs("SETDMAREG", 1u << 22 | 1 << 7 | 13, 0, GPR(6));             /* 32 bits */
    check_gprs("LOADIND", 1u << 22 | 9 << 14 | 20 << 6 | 30, GPR(30) | GPR(4), GPR(20));
    check_gprs("LOADIND", 9 << 14 | 1 << 12 | 21 << 6 | 30, GPR(30) | GPR(4), UINT64_C(0xf) << 20 | GPR(4));
    check_gprs("STOREIND", 3u << 22 | 9 << 14 | 20 << 6 | 30, GPR(30) | GPR(4) | GPR(20), 0);
    check_gprs("STOREIND", 1u << 23 | 9 << 14 | 2 << 12 | 22 << 6 | 30, GPR(30) | GPR(4) | UINT64_C(0xf) << 20, GPR(4));
    check_gprs("STOREREG", 33u << 18, GPR(33), 0);
    check_gprs("LOADREG", 33u << 18, 0, GPR(33));
    check_gprs("ATINCGET", 20 << 6 | 30, GPR(30) | GPR(20), GPR(20));
    check_gprs("ATINCGETPTR", 20 << 6 | 30, GPR(30), GPR(20));
    check_gprs("ATCAS", 20 << 6 | 30, GPR(30), 0); /* the values are immediates */
    check_gprs("ATSWAP", 21 << 6 | 30, GPR(30) | UINT64_C(0xf) << 20, 0);
    check_gprs("ATSWAP", 1 << 22 | 21 << 6 | 30, GPR(30) | GPR(21), 0);
    check_gprs("WRCFG", 33 << 16, GPR(33), 0);
    check_gprs("WRCFG", 33 << 16 | 1 << 15, UINT64_C(0xf) << 32, 0);
    check_gprs("RDCFG", 33 << 16, 0, GPR(33));
    check_gprs("REG2FLOP", 1u << 22 | 33, GPR(33), 0);
    check_gprs("REG2FLOP", 33, UINT64_C(0xf) << 32, 0);
    check_gprs("MVMUL", 0, 0, 0);
}

/* What reaches memory and registers: MatrixUnit.md and the pages of the Scalar Unit, the packer, the mover. */
static void memory_is_reached_by_those_whose_pages_say_so(void **state)
{
    static const char reads_l1[] = "LOADIND ATINCGET ATINCGETPTR ATCAS UNPACR PACR XMOV",
                      writes_l1[] = "ATINCGET ATINCGETPTR ATSWAP ATCAS PACR XMOV",
                      reaches_registers[] = "STOREREG LOADREG PACR_SETREG STREAMWRCFG STREAMWAIT UNPACR_NOP XMOV";
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const char *name = tensix_instructions[i].name;
        struct tensix_operands operands = {};
        uint32_t word = (uint32_t)tensix_instructions[i].opcode << 24;
        uint64_t reads = tensix_reads(word, &operands), writes = tensix_writes(word, &operands);
        assert_int_equal((reads & TENSIX_USE_L1) != 0, names(reads_l1, name));
        assert_int_equal((writes & TENSIX_USE_L1) != 0, names(writes_l1, name));
        assert_int_equal(((reads | writes) & TENSIX_USE_REGISTERS) != 0, names(reaches_registers, name));
    }
    struct tensix_operands operands = {};
    assert_true(tensix_writes(word_of("STOREIND", 1 << 22), &operands) & TENSIX_USE_REGISTERS);
}

/* SyncUnit.md, XMOV.md, FLUSHDMA.md and the pages of those that wait for a bank of SrcA or SrcB. */
static void those_that_wait_are_those_whose_pages_say_so(void **state)
{
    static const char waiting[] =
        "MVMUL DOTPV GAPOOL GMPOOL ELWMUL ELWADD ELWSUB MFCONV3S1 CONV3S1 CONV3S2 APOOL3S1 APOOL3S2 MPOOL3S1 MPOOL3S2 "
        "MOVA2D MOVB2D MOVB2A MOVD2A MOVD2B SHIFTXA SHIFTXB TRNSPSRCB UNPACR UNPACR_NOP XMOV FLUSHDMA ATGETM ATRELM "
        "ATCAS ATINCGETPTR STOREIND STOREREG LOADREG STREAMWRCFG";
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        if (tensix_facts[tensix_instructions[i].opcode].waits != names(waiting, tensix_instructions[i].name)) {
            fail_msg("%s", tensix_instructions[i].name);
        }
    }
}

/* Every figure of the units' pages; for Blackhole's own instructions those of BlackholeA0. */
static void cycles_are_those_of_the_pages(void **state)
{
    enum { NONE = TENSIX_CYCLES_UNKNOWN, VARIES = TENSIX_CYCLES_VARIES };
    static const struct {
        unsigned issue, latency;
        const char *list;
    } rows[] = {
        /* MatrixUnit.md */
        {1, 5, "MVMUL DOTPV GAPOOL ELWMUL GMPOOL ELWADD ELWSUB"},
        {1, 1, "SETRWC INCRWC CLEARDVALID CLREXPHIST GATESRCRST SHIFTXA ZEROACC ZEROSRC TRNSPSRCB"},
        {2, 2, "SHIFTXB"},
        {1, 2, "MOVD2A"},
        {1, 4, "MOVA2D MOVDBGA2D MOVB2D MOVB2A MOVD2B"}, /* MOVD2B.md: only MOVD2B for three cycles more */
        /* VectorUnit.md */
        {1, 2, "SFPADDI SFPADD SFPMAD SFPMUL SFPMULI SFPLUT SFPLUTFP32 SFPMUL24 SFPCONFIG"},
        {2, 2, "SFPSWAP"},
        {1, 1,
         "SFPMOV SFPSETSGN SFPABS SFPARECIP SFPGT SFPLE SFPLZ SFPSETCC SFPDIVP2 SFPSETEXP SFPSETMAN SFPEXMAN "
         "SFPEXEXP SFPIADD SFPCAST SFP_STOCH_RND SFPAND SFPOR SFPXOR SFPNOT SFPSHFT SFPSHFT2 SFPLOADI SFPLOAD "
         "SFPSTORE SFPTRANSP SFPENCC SFPPUSHC SFPCOMPC SFPPOPC SFPNOP"},
        {1, VARIES, "SFPLOADMACRO"}, /* "Complex" */
        /* ScalarUnit.md */
        {1, 1, "DMANOP SETDMAREG"},
        {2, 2, "REG2FLOP FLUSHDMA"},
        {3, 3, "ADDDMAREG CMPDMAREG MULDMAREG SUBDMAREG BITWOPDMAREG SHIFTDMAREG STOREIND STOREREG"},
        {3, VARIES, "ATSWAP LOADIND LOADREG ATINCGET"}, /* delivered some time later */
        {15, 15, "ATCAS ATINCGETPTR"},
        /* ConfigurationUnit.md */
        {1, 1, "SETC16 RMWCIB0 RMWCIB1 RMWCIB2 RMWCIB3"},
        {1, 2, "WRCFG RDCFG"},
        {2, 2, "CFGSHIFTMASK"},
        {1, 5, "STREAMWRCFG"},
        /* SyncUnit.md, MiscellaneousUnit.md */
        {1, 1, "ATGETM ATRELM SEMINIT SEMPOST SEMGET SEMWAIT STALLWAIT STREAMWAIT"},
        {1, 1, "SETADC SETADCXX SETADCXY SETADCZW INCADCXY INCADCZW ADDRCRXY ADDRCRZW SETDVALID NOP"},
        /* UNPACR_Regular.md, XMOV.md, MOPExpander.md, REPLAY.md */
        {2, VARIES, "UNPACR"},
        {1, VARIES, "XMOV PACR"},
        {1, NONE, "UNPACR_NOP PACR_SETREG"},
        {VARIES, VARIES, "MOP REPLAY"},
        /* In none of them. */
        {NONE, NONE,
         "MOP_CFG RESOURCEDECL MOVDBGB2D TRNSPSRCA RAREB SETASHRMH SETASHRMH0 SETASHRMH1 SETASHRMV "
         "SETPKEDGOF SETIBRWC CONV3S1 CONV3S2 MFCONV3S1 APOOL3S1 APOOL3S2 MPOOL3S1 MPOOL3S2 RSTDMA "
         "TBUFCMD"},
    };
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        unsigned found = 0;
        for (unsigned j = 0; j < COUNT_OF(rows); j++) {
            if (names(rows[j].list, instruction->name)) {
                found++;
                if (instruction->issue != rows[j].issue || instruction->latency != rows[j].latency) {
                    fail_msg("%s: issue %u, latency %u", instruction->name, instruction->issue, instruction->latency);
                }
            }
        }
        assert_int_equal(found, 1);
    }
}

/* Where a mode takes another time. */
static void cycles_of_modes_are_those_of_the_pages(void **state)
{
    for (unsigned mod1 = 0; mod1 < 7; mod1++) { /* VectorUnit.md: SFPSHFT2, where lanes move */
        assert_int_equal(tensix_duration_of(word_of("SFPSHFT2", mod1)).latency, mod1 >= 2 && mod1 <= 4 ? 2 : 1);
    }
    for (unsigned vd = 0; vd < 16; vd++) { /* LReg[11..14]: 1, others 2 */
        assert_int_equal(tensix_duration_of(word_of("SFPCONFIG", vd << 4)).latency, vd >= 11 && vd <= 14 ? 1 : 2);
    }
    /* ADDDMAREG.md: three cycles, or four for registers of different groups of four. */
    assert_int_equal(tensix_duration_of(word_of("ADDDMAREG", 1 << 23 | 9 << 6 | 1)).issue, 3);
    assert_int_equal(tensix_duration_of(word_of("ADDDMAREG", 3 << 6 | 1)).issue, 3);
    assert_int_equal(tensix_duration_of(word_of("ADDDMAREG", 4 << 6 | 1)).issue, 4);
    assert_int_equal(tensix_duration_of(word_of("SFPSWAP", 0)).issue, 2);
    assert_int_equal(tensix_duration_of(word_of("MVMUL", 0)).latency, 5);
}

/* Every field that names an LReg, and means something, is an operand. */
static void fields_of_lregs_are_operands(void **state)
{
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        for (unsigned j = 0; j < instruction->field_count; j++) {
            const struct tensix_field *field = &instruction->fields[j];
            bool operand = strncmp(field->name, "lreg_", 5) != 0 || field->kind == TENSIX_FIELD_RESERVED ||
                           strcmp(instruction->name, "SFPLOADMACRO") == 0; /* only two of its bits */
            const char *place = NULL;
            struct tensix_fact_line line;
            while (tensix_next_fact(instruction->opcode, &place, &line)) {
                operand |= (line.kind == TENSIX_FACT_SOURCE || line.kind == TENSIX_FACT_RESULT) &&
                           strcmp(line.field, field->name) == 0;
            }
            if (!operand) {
                fail_msg("%s: %s is neither a source nor a result", instruction->name, field->name);
            }
        }
    }
}

static void lines_are_told_as_text(void **state)
{
    const char *place = NULL;
    struct tensix_fact_line line;
    assert_true(tensix_next_fact(tensix_by_name("SFPAND")->opcode, &place, &line));
    assert_int_equal(line.kind, TENSIX_FACT_SOURCE);
    assert_string_equal(line.what, "VC");
    assert_string_equal(line.field, "lreg_c");
    assert_string_equal(line.when, "");
    assert_true(tensix_next_fact(tensix_by_name("SFPAND")->opcode, &place, &line));
    assert_int_equal(line.kind, TENSIX_FACT_SOURCE);
    assert_string_equal(line.what, "VB");
    assert_string_equal(line.field, "imm12_math");
    assert_string_equal(line.when, "instr_mod1 & 1");
    assert_true(tensix_next_fact(tensix_by_name("SFPAND")->opcode, &place, &line));
    assert_int_equal(line.kind, TENSIX_FACT_UNSEEN);
    place = NULL;
    while (tensix_next_fact(tensix_by_name("SFPLUTFP32")->opcode, &place, &line) && line.kind != TENSIX_FACT_ASSUMED) {
    }
    assert_string_equal(line.what, "LReg[0..6], LReg[8..15]");
    place = NULL;
    assert_false(tensix_next_fact(0xff, &place, &line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sub_units_are_those_of_the_page),
        cmocka_unit_test(ttsync_classes_are_those_of_resourcedecl),
        cmocka_unit_test(lanewise_instructions_read_and_write_what_their_pages_say),
        cmocka_unit_test(products_read_and_write_what_their_pages_say),
        cmocka_unit_test(moves_read_and_write_what_their_pages_say),
        cmocka_unit_test(conditional_execution_reads_and_writes_what_its_pages_say),
        cmocka_unit_test(the_matrix_unit_reads_and_writes_what_its_tables_say),
        cmocka_unit_test(gprs_are_those_of_the_pages),
        cmocka_unit_test(memory_is_reached_by_those_whose_pages_say_so),
        cmocka_unit_test(those_that_wait_are_those_whose_pages_say_so),
        cmocka_unit_test(cycles_are_those_of_the_pages),
        cmocka_unit_test(cycles_of_modes_are_those_of_the_pages),
        cmocka_unit_test(fields_of_lregs_are_operands),
        cmocka_unit_test(lines_are_told_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
