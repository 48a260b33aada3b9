/* The header that kernels include, compiled here: its words are those of the encoder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Where TT_NAME() pushes, instead of the instruction buffer. */
static volatile uint32_t pushed;
#define TENSIX_INSTRUCTION_BUFFER (&pushed)
#include "kernel/tensix.h"
#include "kernel/tensix_config.h"

#include "isa/tensix_table.h"

/* APPLY_n(MACRO): MACRO called with the first n of `v`; 0 arguments is an object-like macro. */
#define APPLY_0(macro) macro
#define APPLY_1(macro) macro(v[0])
#define APPLY_2(macro) macro(v[0], v[1])
#define APPLY_3(macro) macro(v[0], v[1], v[2])
#define APPLY_4(macro) macro(v[0], v[1], v[2], v[3])
#define APPLY_5(macro) macro(v[0], v[1], v[2], v[3], v[4])
#define APPLY_6(macro) macro(v[0], v[1], v[2], v[3], v[4], v[5])
#define APPLY_7(macro) macro(v[0], v[1], v[2], v[3], v[4], v[5], v[6])
#define APPLY_8(macro) macro(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7])
#define APPLY_9(macro) macro(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8])
#define APPLY_12(macro) macro(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11])
#define APPLY_13(macro) macro(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12])

/* clang-format off */
/* By hand, from ckernel_ops.h: how many arguments each macro of the vendor takes. */
#define FOR_EACH_INSTRUCTION(X) \
    X(MOP, 3) X(NOP, 0) X(MOP_CFG, 1) X(REPLAY, 4) X(RESOURCEDECL, 3) X(MOVD2A, 5) X(MOVDBGA2D, 5) X(MOVD2B, 5) \
    X(MOVB2A, 4) X(MOVDBGB2D, 5) X(ZEROACC, 5) X(ZEROSRC, 4) X(MOVA2D, 5) X(MOVB2D, 5) X(TRNSPSRCA, 0) X(RAREB, 0) \
    X(TRNSPSRCB, 0) X(SHIFTXA, 2) X(SHIFTXB, 3) X(SETASHRMH0, 2) X(SETASHRMH1, 2) X(SETASHRMV, 1) X(SETPKEDGOF, 4) \
    X(SETASHRMH, 2) X(CLREXPHIST, 0) X(CONV3S1, 4) X(CONV3S2, 4) X(MPOOL3S1, 4) X(APOOL3S1, 4) X(MVMUL, 4) \
    X(ELWMUL, 5) X(ELWADD, 5) X(DOTPV, 5) X(ELWSUB, 5) X(MPOOL3S2, 4) X(APOOL3S2, 4) X(GMPOOL, 5) X(GAPOOL, 5) \
    X(GATESRCRST, 2) X(CLEARDVALID, 2) X(SETRWC, 6) X(INCRWC, 4) X(SETIBRWC, 3) X(MFCONV3S1, 4) X(XMOV, 2) \
    X(PACR, 12) X(UNPACR, 13) X(UNPACR_NOP, 9) X(RSTDMA, 0) X(SETDMAREG, 4) X(FLUSHDMA, 1) X(REG2FLOP, 6) \
    X(LOADIND, 5) X(PACR_SETREG, 8) X(TBUFCMD, 0) X(SETADC, 4) X(SETADCXY, 6) X(INCADCXY, 5) X(ADDRCRXY, 6) \
    X(SETADCZW, 6) X(INCADCZW, 5) X(ADDRCRZW, 6) X(SETDVALID, 1) X(ADDDMAREG, 4) X(SUBDMAREG, 4) X(MULDMAREG, 4) \
    X(BITWOPDMAREG, 5) X(SHIFTDMAREG, 5) X(CMPDMAREG, 5) X(SETADCXX, 3) X(DMANOP, 0) X(ATINCGET, 5) \
    X(ATINCGETPTR, 7) X(ATSWAP, 4) X(ATCAS, 6) X(STOREIND, 7) X(STOREREG, 2) X(LOADREG, 2) X(SFPLOAD, 4) \
    X(SFPLOADI, 3) X(SFPSTORE, 4) X(SFPLUT, 3) X(SFPMULI, 3) X(SFPADDI, 3) X(SFPDIVP2, 4) X(SFPEXEXP, 4) \
    X(SFPEXMAN, 4) X(SFPIADD, 4) X(SFPSHFT, 4) X(SFPSETCC, 4) X(SFPMOV, 4) X(SFPABS, 4) X(SFPAND, 4) X(SFPOR, 4) \
    X(SFPNOT, 4) X(SFPLZ, 4) X(SFPSETEXP, 4) X(SFPSETMAN, 4) X(SFPMAD, 5) X(SFPADD, 5) X(SFPMUL, 5) X(SFPPUSHC, 4) \
    X(SFPPOPC, 4) X(SFPSETSGN, 4) X(SFPENCC, 4) X(SFPCOMPC, 4) X(SFPTRANSP, 4) X(SFPXOR, 4) X(SFP_STOCH_RND, 6) \
    X(SFPNOP, 0) X(SFPCAST, 3) X(SFPCONFIG, 3) X(SFPSWAP, 4) X(SFPLOADMACRO, 4) X(SFPSHFT2, 4) X(SFPLUTFP32, 2) \
    X(SFPLE, 4) X(SFPGT, 4) X(SFPMUL24, 5) X(SFPARECIP, 4) X(ATGETM, 1) X(ATRELM, 1) X(STALLWAIT, 2) X(SEMINIT, 3) \
    X(SEMPOST, 1) X(SEMGET, 1) X(SEMWAIT, 3) X(STREAMWAIT, 4) X(WRCFG, 3) X(RDCFG, 2) X(SETC16, 2) X(RMWCIB0, 3) \
    X(RMWCIB1, 3) X(RMWCIB2, 3) X(RMWCIB3, 3) X(STREAMWRCFG, 3) X(CFGSHIFTMASK, 6)
/* clang-format on */

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Random values for the arguments of an instruction; extra fields, which have no argument, stay 0. */
static void choose(const struct tensix_instruction *instruction, uint32_t *seed, uint32_t *values)
{
    memset(values, 0, TENSIX_MAX_FIELDS * sizeof *values);
    for (unsigned i = 0; i < instruction->argument_count; i++) {
        values[i] = next_random(seed) & tensix_field_max(&instruction->fields[i]);
    }
}

static void words_are_those_of_the_encoder(void **state)
{
    uint32_t seed = 0x1234567;
    unsigned instructions = 0;
#define CHECK(name, count)                                                                                             \
    for (unsigned round = 0; round < 200; round++) {                                                                   \
        const struct tensix_instruction *instruction = tensix_by_name(#name);                                          \
        uint32_t v[TENSIX_MAX_FIELDS];                                                                                 \
        assert_int_equal(instruction->argument_count, count);                                                          \
        choose(instruction, &seed, v);                                                                                 \
        assert_int_equal(APPLY_##count(TT_OP_##name), tensix_encode(instruction, v));                                  \
        APPLY_##count(TT_##name);                                                                                      \
        assert_int_equal(pushed, tensix_encode(instruction, v));                                                       \
        instructions += round == 0;                                                                                    \
    }
    FOR_EACH_INSTRUCTION(CHECK)
    assert_int_equal(instructions, TENSIX_INSTRUCTIONS);
}

/* Words of constants are constants: an initialiser of static storage takes nothing else. */
static const uint32_t constant_words[] = {TT_OP_MVMUL(0, 0, 5, 0), TT_OP_SEMWAIT(322, 2, 2), TT_OP_SFPNOP};

static void words_of_constants_are_constants(void **state)
{
    assert_int_equal(TENSIX_ROTATE(constant_words[0]), 0x98050000);
    assert_int_equal(constant_words[1], 0xa6a1000a);
    assert_int_equal(constant_words[2], 0x8f000000);
}

static void configuration_names_are_those_of_the_table(void **state)
{
#define CONFIG_FIELD(name, address, shift, width, ...)                                                                 \
    assert_int_equal(name##_ADDR32, (address));                                                                        \
    assert_int_equal(name##_SHAMT, (shift));                                                                           \
    assert_int_equal(name##_MASK, (((1ull << (width)) - 1) << (shift)) & 0xffffffff);
#define THREAD_CONFIG_FIELD CONFIG_FIELD
#include "config.def"
#undef CONFIG_FIELD
#undef THREAD_CONFIG_FIELD
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_the_encoder),
        cmocka_unit_test(words_of_constants_are_constants),
        cmocka_unit_test(configuration_names_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
