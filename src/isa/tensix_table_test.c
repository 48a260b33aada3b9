/* The instruction table against itself and against what the documents say of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/tensix_table.h"

static void lists_every_opcode_once_in_order(void **state)
{
    for (unsigned i = 1; i < TENSIX_INSTRUCTIONS; i++) {
        assert_true(tensix_instructions[i - 1].opcode < tensix_instructions[i].opcode);
    }
}

static void finds_instructions_by_opcode(void **state)
{
    unsigned found = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)opcode);
        if (instruction) {
            assert_int_equal(instruction->opcode, opcode);
            found++;
        }
    }
    assert_int_equal(found, TENSIX_INSTRUCTIONS);
    assert_string_equal(tensix_by_opcode(0x26)->name, "MVMUL");
    assert_null(tensix_by_opcode(0x00));
    assert_null(tensix_by_opcode(0xff));
}

static void finds_instructions_by_every_spelling(void **state)
{
    static const char *const spellings[] = {"UNPACR_NOP",       "unpacr_nop",   "TT_UNPACR_NOP", "TTI_UNPACR_NOP",
                                            "TT_OP_UNPACR_NOP", "ttunpacr_nop", "ttunpacrnop",   "UnpacrNop"};
    for (unsigned i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const struct tensix_instruction *instruction = tensix_by_name(spellings[i]);
        assert_non_null(instruction);
        assert_int_equal(instruction->opcode, 0x43);
    }
    assert_int_equal(tensix_by_name("UNPACR")->opcode, 0x42);
    assert_null(tensix_by_name("UNPAC"));
    assert_null(tensix_by_name("tt"));
    assert_null(tensix_by_name(""));
}

/* No two fields overlap; fields and what is in none cover 23:0; extra fields come last. */
static void fields_are_disjoint_and_cover_the_word(void **state)
{
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        uint32_t used = 0, meaning = 0;
        for (unsigned j = 0; j < instruction->field_count; j++) {
            const struct tensix_field *field = &instruction->fields[j];
            uint32_t bits = tensix_field_mask(field) << field->shift;
            assert_true(field->width >= 1 && field->shift + field->width <= 24);
            assert_int_equal(used & bits, 0);
            assert_int_equal(field->kind == TENSIX_FIELD_EXTRA, j >= instruction->argument_count);
            used |= bits;
            meaning |= field->kind == TENSIX_FIELD_RESERVED ? 0 : bits;
        }
        assert_int_equal(*instruction->fields[instruction->field_count].name, '\0');
        assert_int_equal(meaning ^ instruction->reserved, 0xffffff);
    }
}

/* Bits 12:10, between the ten of an address that hardware takes and the address mode. */
static void ignored_bits_are_those_that_kernels_set_on_cards(void **state)
{
    static const char *const with_addresses[] = {"SFPLOAD", "SFPSTORE", "SFPLOADMACRO"};
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        uint32_t expected = 0;
        for (unsigned j = 0; j < sizeof with_addresses / sizeof *with_addresses; j++) {
            expected |= strcmp(instruction->name, with_addresses[j]) == 0 ? 0x1c00 : 0;
        }
        assert_int_equal(instruction->ignored, expected);
        assert_int_equal(instruction->ignored & ~instruction->reserved, 0);
    }
}

/* The decoders of tensix_isa.h and the table come from the same lines: a value goes in and out through both. */
static void encoder_and_decoders_agree(void **state)
{
    uint32_t seed = 1;
    for (unsigned round = 0; round < 200; round++) {
#define TENSIX_BEGIN(name, opcode, ...)                                                                                \
    {                                                                                                                  \
        const struct tensix_instruction *instruction = tensix_by_opcode(opcode);                                       \
        uint32_t values[TENSIX_MAX_FIELDS] = {};                                                                       \
        for (unsigned i = 0; i < instruction->field_count; i++) {                                                      \
            seed = seed * 1664525u + 1013904223u;                                                                      \
            values[i] = (seed >> 8) & tensix_field_mask(&instruction->fields[i]);                                      \
        }                                                                                                              \
        struct args_##name args = decode_##name(tensix_encode(instruction, values));                                   \
        unsigned next = 0;                                                                                             \
        (void)args;                                                                                                    \
        (void)next;
#define TENSIX_FIELD(name, field, ...) assert_int_equal(args.field, values[next++]);
#define TENSIX_END(name) }
#include "tensix.def"
    }
}

/* Chapter "stallwait conditions", block mask table, with B0 also holding UNPACR, UNPACR_NOP and FLUSHDMA, as the ISA
   documentation's table has it (STALLWAIT.md). One list for each bit, written from those tables and not from ours. */
static const char *const blocked_by[9] = {
    "ADDDMAREG ADDRCRXY ADDRCRZW ATCAS ATINCGET ATINCGETPTR ATSWAP BITWOPDMAREG CMPDMAREG DMANOP FLUSHDMA INCADCXY "
    "INCADCZW LOADIND LOADREG MULDMAREG PACR PACR_SETREG REG2FLOP RSTDMA SEMWAIT SETADC SETADCXX SETADCXY SETADCZW "
    "SETDMAREG SETDVALID SHIFTDMAREG STALLWAIT STOREIND STOREREG STREAMWAIT SUBDMAREG UNPACR UNPACR_NOP XMOV",
    "ATGETM ATRELM SEMGET SEMINIT SEMPOST SEMWAIT STALLWAIT STREAMWAIT",
    "PACR PACR_SETREG SEMWAIT STALLWAIT STREAMWAIT",
    "UNPACR UNPACR_NOP SEMWAIT STALLWAIT STREAMWAIT",
    "XMOV SEMWAIT STALLWAIT STREAMWAIT",
    "ADDDMAREG ATCAS ATINCGET ATINCGETPTR ATSWAP BITWOPDMAREG CMPDMAREG DMANOP FLUSHDMA LOADIND LOADREG MULDMAREG "
    "REG2FLOP SETDMAREG SHIFTDMAREG STOREIND STOREREG SUBDMAREG SEMWAIT STALLWAIT STREAMWAIT",
    "APOOL3S1 APOOL3S2 CLEARDVALID CLREXPHIST CONV3S1 CONV3S2 DOTPV ELWADD ELWMUL ELWSUB GAPOOL GATESRCRST GMPOOL "
    "INCRWC MFCONV3S1 MOVA2D MOVB2A MOVB2D MOVD2A MOVD2B MOVDBGA2D MPOOL3S1 MPOOL3S2 MVMUL SETRWC SHIFTXA SHIFTXB "
    "TRNSPSRCB ZEROACC ZEROSRC SEMWAIT STALLWAIT STREAMWAIT",
    "CFGSHIFTMASK RDCFG RMWCIB0 RMWCIB1 RMWCIB2 RMWCIB3 SETC16 STREAMWRCFG WRCFG SEMWAIT STALLWAIT STREAMWAIT",
    "SFPABS SFPADD SFPADDI SFPAND SFPARECIP SFPCAST SFPCOMPC SFPCONFIG SFPDIVP2 SFPENCC SFPEXEXP SFPEXMAN SFPGT "
    "SFPIADD SFPLE SFPLOAD SFPLOADI SFPLOADMACRO SFPLUT SFPLUTFP32 SFPLZ SFPMAD SFPMOV SFPMUL SFPMUL24 SFPMULI SFPNOP "
    "SFPNOT SFPOR SFPPOPC SFPPUSHC SFPSETCC SFPSETEXP SFPSETMAN SFPSETSGN SFPSHFT SFPSHFT2 SFP_STOCH_RND SFPSTORE "
    "SFPSWAP SFPTRANSP SFPXOR SEMWAIT STALLWAIT STREAMWAIT"};

/* In none of the tables: the vendor names them, and the unit that executes them, and no more. */
static const char not_tabled[] =
    "MOVDBGB2D TRNSPSRCA RAREB SETASHRMH SETASHRMH0 SETASHRMH1 SETASHRMV SETPKEDGOF SETIBRWC TBUFCMD";

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

static void block_bits_hold_what_the_tables_say(void **state)
{
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        if (names(not_tabled, instruction->name)) {
            continue;
        }
        for (unsigned bit = 0; bit < 9; bit++) {
            bool holds = tensix_block_holds(1u << bit, instruction->opcode);
            if (holds != names(blocked_by[bit], instruction->name)) {
                fail_msg("B%u %s %s", bit, holds ? "holds" : "does not hold", instruction->name);
            }
        }
    }
}

static void nop_is_held_by_all_nine_bits_only(void **state)
{
    for (uint32_t mask = 0; mask <= TENSIX_BLOCK_ALL; mask++) {
        assert_int_equal(tensix_block_holds(mask, TENSIX_OPCODE_NOP), mask == TENSIX_BLOCK_ALL);
    }
}

static void frontend_instructions_are_never_held(void **state)
{
    static const uint8_t opcodes[] = {TENSIX_OPCODE_MOP, TENSIX_OPCODE_MOP_CFG, TENSIX_OPCODE_REPLAY,
                                      TENSIX_OPCODE_RESOURCEDECL};
    for (unsigned i = 0; i < sizeof opcodes; i++) {
        assert_false(tensix_block_holds(TENSIX_BLOCK_ALL, opcodes[i]));
    }
}

/* MatrixUnit.md, VectorUnit.md, ScalarUnit.md and ConfigurationUnit.md: one of each row. */
static void cycles_are_the_documented_ones(void **state)
{
    static const struct {
        const char *name;
        unsigned issue, latency;
    } rows[] = {{"MVMUL", 1, 5},   {"ELWSUB", 1, 5},       {"SETRWC", 1, 1}, {"SHIFTXB", 2, 2},     {"MOVD2A", 1, 2},
                {"MOVB2D", 1, 4},  {"SFPMAD", 1, 2},       {"SFPABS", 1, 1}, {"SFPSWAP", 2, 2},     {"SETDMAREG", 1, 1},
                {"ATCAS", 15, 15}, {"CFGSHIFTMASK", 2, 2}, {"WRCFG", 1, 2},  {"STREAMWRCFG", 1, 5}, {"SETC16", 1, 1}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct tensix_instruction *instruction = tensix_by_name(rows[i].name);
        assert_int_equal(instruction->issue, rows[i].issue);
        assert_int_equal(instruction->latency, rows[i].latency);
    }
}

/* 11 in the two lowest bits marks a RISC-V instruction: no rotated Tensix word may have it. */
static void inline_words_are_no_riscv_instructions(void **state)
{
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        uint32_t word = (uint32_t)tensix_instructions[i].opcode << 24 | 0x5a5a5a;
        assert_int_not_equal(tensix_to_inline(word) & 3, 3);
        assert_int_equal(tensix_from_inline(tensix_to_inline(word)), word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_every_opcode_once_in_order),
        cmocka_unit_test(finds_instructions_by_opcode),
        cmocka_unit_test(finds_instructions_by_every_spelling),
        cmocka_unit_test(fields_are_disjoint_and_cover_the_word),
        cmocka_unit_test(ignored_bits_are_those_that_kernels_set_on_cards),
        cmocka_unit_test(encoder_and_decoders_agree),
        cmocka_unit_test(block_bits_hold_what_the_tables_say),
        cmocka_unit_test(nop_is_held_by_all_nine_bits_only),
        cmocka_unit_test(frontend_instructions_are_never_held),
        cmocka_unit_test(cycles_are_the_documented_ones),
        cmocka_unit_test(inline_words_are_no_riscv_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
