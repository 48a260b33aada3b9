/* make bench-instructions: each instruction from the replay buffer, in all modes whose cost differs. The groups with a
   goal in measures.c have it here, too: of the vector unit SFPMAD, sums and products, and the instructions that the
   documentation assigns to the simple and the round sub-unit. */
#include "rows.h"

#include "tensix_config.h"

/* Each instruction reads the result of the one four before it, so that none is useless and few wait; in rows without a
   goal, that of the one before it. */
#define PAIRS_OF_LREGS(apply, ...)                                                                                     \
    apply(0, 4, __VA_ARGS__), apply(1, 5, __VA_ARGS__), apply(2, 6, __VA_ARGS__), apply(3, 7, __VA_ARGS__),            \
        apply(4, 0, __VA_ARGS__), apply(5, 1, __VA_ARGS__), apply(6, 2, __VA_ARGS__), apply(7, 3, __VA_ARGS__)
#define CHAIN_OF_LREGS(apply, ...)                                                                                     \
    apply(0, 4, __VA_ARGS__), apply(4, 5, __VA_ARGS__), apply(5, 6, __VA_ARGS__), apply(6, 0, __VA_ARGS__)
#define OPERATE(c, d, op, immediate, mod) TT_OP_##op(immediate, c, d, mod)
#define CAST(c, d, mod) TT_OP_SFPCAST(c, d, mod)
#define MULTIPLY(a, d, op, b, mod) TT_OP_##op(a, b, 9, d, mod)
#define STOCH_RND(c, d, how, immediate, mod) TT_OP_SFP_STOCH_RND(how, immediate, 0, c, d, mod)
#define EACH(op, immediate, mod) PAIRS_OF_LREGS(OPERATE, op, immediate, mod)
#define CHAIN(op, immediate, mod) CHAIN_OF_LREGS(OPERATE, op, immediate, mod)
#define ROUND(how, immediate, mod) PAIRS_OF_LREGS(STOCH_RND, how, immediate, mod)
/* Loads four rows, and stores them to others. */
#define COPY(format)                                                                                                   \
    TT_OP_SFPLOAD(4, format, 3, 0), TT_OP_SFPLOAD(5, format, 3, 4), TT_OP_SFPSTORE(4, format, 3, 512),                 \
        TT_OP_SFPSTORE(5, format, 3, 516)
#define MOVE(name, unit, dst, op, mod)                                                                                 \
    MATRIX(name, unit, BENCH_OPERATION, dst, 0, 20000, 400, (10, 15), 2, TT_OP_##op(0, 0, BENCH_NEXT, mod, 0),         \
           TT_OP_##op(0, 0, BENCH_CLEAR, mod, 0))
#define ELEMENTWISE(name, unit, dst, op, accumulate, broadcast)                                                        \
    MATRIX(name, unit, BENCH_OPERATION, dst, 0, 1000, 100, (10, 8), 2,                                                 \
           TT_OP_##op(0, accumulate, broadcast, BENCH_NEXT, 0), TT_OP_##op(0, accumulate, broadcast, BENCH_CLEAR, 0))

const struct measure instructions[] = {
    VECTOR("sfpmov", "SFPMOV", (25, 12), EACH(SFPMOV, 0, 0)),
    VECTOR("sfpmov_negated", "SFPMOV, negated", (25, 12), EACH(SFPMOV, 0, 1)),
    VECTOR("sfpabs", "SFPABS", (25, 12), EACH(SFPABS, 0, 1)),
    VECTOR("sfpabs_integer", "SFPABS, integer", (25, 12), EACH(SFPABS, 0, 0)),
    VECTOR("sfpand", "SFPAND", (25, 12), EACH(SFPAND, 0, 0)),
    VECTOR("sfpor", "SFPOR", (25, 12), EACH(SFPOR, 0, 0)),
    VECTOR("sfpxor", "SFPXOR", (25, 12), EACH(SFPXOR, 0, 0)),
    VECTOR("sfpnot", "SFPNOT", (25, 12), EACH(SFPNOT, 0, 0)),
    VECTOR("sfpiadd_subtract", "SFPIADD, subtract", (25, 12), EACH(SFPIADD, 0, 6)),
    VECTOR("sfpiadd_immediate", "SFPIADD, immediate", (25, 12), EACH(SFPIADD, 17, 5)),
    VECTOR("sfpiadd_flags", "SFPIADD, flags", (25, 12), EACH(SFPIADD, 0, 0)),
    VECTOR("sfpshft_immediate", "SFPSHFT, immediate", (25, 12), EACH(SFPSHFT, 3, 5)),
    VECTOR("sfpshft_arithmetic", "SFPSHFT, arithmetic", (25, 12), EACH(SFPSHFT, 0, 2)),
    VECTOR("sfpexexp", "SFPEXEXP", (25, 12), EACH(SFPEXEXP, 0, 0)),
    VECTOR("sfpexexp_biased", "SFPEXEXP, with its bias", (25, 12), EACH(SFPEXEXP, 0, 1)),
    VECTOR("sfpexexp_flags", "SFPEXEXP, flags", (25, 12), EACH(SFPEXEXP, 0, 2)),
    VECTOR("sfpexman", "SFPEXMAN", (25, 12), EACH(SFPEXMAN, 0, 0)),
    VECTOR("sfpsetexp", "SFPSETEXP", (25, 12), EACH(SFPSETEXP, 0, 0)),
    VECTOR("sfpsetexp_immediate", "SFPSETEXP, immediate", (25, 12), EACH(SFPSETEXP, 120, 1)),
    VECTOR("sfpsetman", "SFPSETMAN", (25, 12), EACH(SFPSETMAN, 0, 0)),
    VECTOR("sfpsetman_immediate", "SFPSETMAN, immediate", (25, 12), EACH(SFPSETMAN, 0, 1)),
    VECTOR("sfpsetsgn", "SFPSETSGN", (25, 12), EACH(SFPSETSGN, 0, 0)),
    VECTOR("sfpsetsgn_immediate", "SFPSETSGN, immediate", (25, 12), EACH(SFPSETSGN, 1, 1)),
    VECTOR("sfpdivp2", "SFPDIVP2", (25, 12), EACH(SFPDIVP2, 120, 0)),
    VECTOR("sfpdivp2_add", "SFPDIVP2, adding", (25, 12), EACH(SFPDIVP2, 1, 1)),
    VECTOR("sfplz", "SFPLZ", (25, 12), EACH(SFPLZ, 0, 0)),
    VECTOR("sfplz_flags", "SFPLZ, flags", (25, 12), EACH(SFPLZ, 0, 2)),
    VECTOR("sfpgt", "SFPGT", (25, 12), EACH(SFPGT, 0, 8)),
    VECTOR("sfpgt_flags", "SFPGT, flags", (25, 12), TT_OP_SFPGT(0, 1, 0, 1), TT_OP_SFPGT(0, 2, 0, 1),
           TT_OP_SFPGT(0, 3, 1, 1), TT_OP_SFPGT(0, 1, 2, 1)),
    VECTOR("sfple", "SFPLE", (25, 12), EACH(SFPLE, 0, 8)),
    VECTOR("sfple_flags", "SFPLE, flags", (25, 12), TT_OP_SFPLE(0, 1, 0, 1), TT_OP_SFPLE(0, 2, 0, 1),
           TT_OP_SFPLE(0, 3, 1, 1), TT_OP_SFPLE(0, 1, 2, 1)),
    VECTOR("sfpsetcc", "SFPSETCC", (25, 12), TT_OP_SFPSETCC(0, 0, 0, 0), TT_OP_SFPSETCC(0, 1, 0, 2),
           TT_OP_SFPSETCC(0, 2, 0, 4), TT_OP_SFPSETCC(0, 3, 0, 6)),
    VECTOR("sfpencc", "SFPENCC, on and off", (25, 12), TT_OP_SFPENCC(3, 0, 0, 10), TT_OP_SFPENCC(0, 0, 0, 10)),
    VECTOR("sfpcompc", "SFPCOMPC", (25, 12), TT_OP_SFPCOMPC(0, 0, 0, 0)),
    VECTOR("sfppushc", "SFPPUSHC, SFPPOPC", (25, 12), TT_OP_SFPPUSHC(0, 0, 0, 0), TT_OP_SFPPOPC(0, 0, 0, 0)),
    VECTOR("sfpadd", "SFPADD", (25, 12), TT_OP_SFPADD(10, 0, 1, 4, 0), TT_OP_SFPADD(10, 4, 2, 5, 0),
           TT_OP_SFPADD(10, 5, 3, 6, 0), TT_OP_SFPADD(10, 6, 1, 0, 2)),
    VECTOR("sfpmul", "SFPMUL", (25, 12), PAIRS_OF_LREGS(MULTIPLY, SFPMUL, 11, 0)),
    VECTOR("sfpmul24_lower", "SFPMUL24, lower half", (0, 0), PAIRS_OF_LREGS(MULTIPLY, SFPMUL24, 1, 0)),
    VECTOR("sfpmul24_upper", "SFPMUL24, upper half", (0, 0), PAIRS_OF_LREGS(MULTIPLY, SFPMUL24, 1, 1)),
    VECTOR("sfpcast_0", "SFPCAST, to FP32", (25, 12), PAIRS_OF_LREGS(CAST, 0)),
    VECTOR("sfpcast_1", "SFPCAST, to FP32, stochastic", (25, 12), PAIRS_OF_LREGS(CAST, 1)),
    VECTOR("sfpcast_2", "SFPCAST, absolute", (25, 12), PAIRS_OF_LREGS(CAST, 2)),
    VECTOR("sfpcast_3", "SFPCAST, INT32 and sign-magnitude", (25, 12), PAIRS_OF_LREGS(CAST, 3)),
    VECTOR("sfp_stoch_rnd_fp16a", "SFP_STOCH_RND, FP32 to FP16_A", (25, 12), ROUND(0, 0, 0)),
    VECTOR("sfp_stoch_rnd_fp16b", "SFP_STOCH_RND, FP32 to FP16_B", (25, 12), ROUND(0, 0, 1)),
    VECTOR("sfp_stoch_rnd_uint8", "SFP_STOCH_RND, FP32 to UINT8", (25, 12), ROUND(0, 0, 2)),
    VECTOR("sfp_stoch_rnd_int8", "SFP_STOCH_RND, FP32 to INT8", (25, 12), ROUND(0, 0, 3)),
    VECTOR("sfp_stoch_rnd_uint16", "SFP_STOCH_RND, FP32 to UINT16", (25, 12), ROUND(0, 0, 6)),
    VECTOR("sfp_stoch_rnd_int16", "SFP_STOCH_RND, FP32 to INT16", (25, 12), ROUND(0, 0, 7)),
    VECTOR("sfp_stoch_rnd_int32_uint8", "SFP_STOCH_RND, INT32 to UINT8", (25, 12), ROUND(0, 0, 4)),
    VECTOR("sfp_stoch_rnd_int32_immediate", "SFP_STOCH_RND, INT32 to UINT8, immediate", (25, 12), ROUND(0, 3, 12)),
    VECTOR("sfp_stoch_rnd_at_random", "SFP_STOCH_RND, FP32 to FP16_B, at random", (25, 12), ROUND(1, 0, 1)),
    VECTOR("sfptransp", "SFPTRANSP", (25, 12), TT_OP_SFPTRANSP(0, 0, 0, 0)),
    VECTOR("sfpshft2_0", "SFPSHFT2, COPY4", (25, 12), EACH(SFPSHFT2, 0, 0)),
    VECTOR("sfpshft2_1", "SFPSHFT2, SUBVEC_CHAINED_COPY4", (25, 12), EACH(SFPSHFT2, 0, 1)),
    VECTOR("sfpshft2_2", "SFPSHFT2, SUBVEC_SHFLROR1_AND_COPY4", (25, 12), EACH(SFPSHFT2, 0, 2)),
    VECTOR("sfpshft2_3", "SFPSHFT2, SUBVEC_SHFLROR1", (25, 12), EACH(SFPSHFT2, 0, 3)),
    VECTOR("sfpshft2_4", "SFPSHFT2, SUBVEC_SHFLSHR1", (25, 12), EACH(SFPSHFT2, 0, 4)),
    VECTOR("sfpshft2_5", "SFPSHFT2, SHFT_LREG", (25, 12), EACH(SFPSHFT2, 1, 5)),
    VECTOR("sfpshft2_6", "SFPSHFT2, SHFT_IMM", (25, 12), EACH(SFPSHFT2, 3, 6)),
    VECTOR("sfparecip_0", "SFPARECIP, RECIP", (25, 12), EACH(SFPARECIP, 0, 0)),
    VECTOR("sfparecip_1", "SFPARECIP, COND_RECIP", (25, 12), EACH(SFPARECIP, 0, 1)),
    VECTOR("sfparecip_2", "SFPARECIP, EXP", (25, 12), EACH(SFPARECIP, 0, 2)),
    VECTOR("sfplut", "SFPLUT, SGN_RETAIN", (0, 0), TT_OP_SFPLUT(4, 4, 0), TT_OP_SFPLUT(5, 4, 0), TT_OP_SFPLUT(6, 4, 0),
           TT_OP_SFPLUT(7, 4, 0)),
    VECTOR("sfplutfp32_0", "SFPLUTFP32, FP32_3ENTRY_TABLE", (0, 0), TT_OP_SFPLUTFP32(4, 0), TT_OP_SFPLUTFP32(5, 0),
           TT_OP_SFPLUTFP32(6, 0), TT_OP_SFPLUTFP32(7, 0)),
    VECTOR("sfplutfp32_2", "SFPLUTFP32, FP16_6ENTRY_TABLE1", (0, 0), TT_OP_SFPLUTFP32(4, 2), TT_OP_SFPLUTFP32(5, 2),
           TT_OP_SFPLUTFP32(6, 2), TT_OP_SFPLUTFP32(7, 2)),
    VECTOR("sfplutfp32_3", "SFPLUTFP32, FP16_6ENTRY_TABLE2", (0, 0), TT_OP_SFPLUTFP32(4, 3), TT_OP_SFPLUTFP32(5, 3),
           TT_OP_SFPLUTFP32(6, 3), TT_OP_SFPLUTFP32(7, 3)),
    VECTOR("sfplutfp32_10", "SFPLUTFP32, FP16_3ENTRY_TABLE", (0, 0), TT_OP_SFPLUTFP32(4, 10), TT_OP_SFPLUTFP32(5, 10),
           TT_OP_SFPLUTFP32(6, 10), TT_OP_SFPLUTFP32(7, 10)),
    VECTOR("sfpload_bf16", "SFPLOAD, SFPSTORE, BF16", (0, 0), COPY(2)),
    VECTOR("sfpload_fp32", "SFPLOAD, SFPSTORE, FP32", (0, 0), COPY(3)),
    VECTOR("sfpload_int32", "SFPLOAD, SFPSTORE, INT32", (0, 0), COPY(4)),
    VECTOR("chain_sfpexexp", "SFPEXEXP, one waits for the other", (0, 0), CHAIN(SFPEXEXP, 0, 0)),
    VECTOR("chain_sfpdivp2_add", "SFPDIVP2, adding, the same", (0, 0), CHAIN(SFPDIVP2, 1, 1)),
    VECTOR("chain_sfpmul24_upper", "SFPMUL24, upper half, the same", (0, 0), CHAIN_OF_LREGS(MULTIPLY, SFPMUL24, 1, 1)),
    VECTOR("chain_sfpshft2_3", "SFPSHFT2, SUBVEC_SHFLROR1, the same", (0, 0), CHAIN(SFPSHFT2, 0, 3)),
    VECTOR("chain_sfpshft2_4", "SFPSHFT2, SUBVEC_SHFLSHR1, the same", (0, 0), CHAIN(SFPSHFT2, 0, 4)),
    VECTOR("chain_sfpshft2_5", "SFPSHFT2, SHFT_LREG, the same", (0, 0), CHAIN(SFPSHFT2, 1, 5)),
    VECTOR("chain_sfparecip_0", "SFPARECIP, RECIP, the same", (0, 0), CHAIN(SFPARECIP, 0, 0)),
    VECTOR("sfpconfig_4", "SFPCONFIG of LoadMacroConfig", (0, 0), TT_OP_SFPCONFIG(0, 4, 1)),
    VECTOR("sfpconfig_15", "SFPCONFIG of LaneConfig", (0, 0), TT_OP_SFPCONFIG(0, 15, 1)),
    VECTOR("sfploadmacro", "SFPLOADMACRO", (0, 0), TT_OP_SFPLOADMACRO(4, 2, 3, 0)),
    VECTOR("incrwc", "INCRWC", (0, 0), TT_OP_INCRWC(0, 2, 0, 0)),
    VECTOR("setrwc", "SETRWC", (0, 0), TT_OP_SETRWC(0, 0, 0, 0, 0, 4)),
    MOVE("movb2d_8_column", "MOVB2D, column 0 of a row for 8", BENCH_DST16, MOVB2D, 3),
    MOVE("movb2d_4_column", "MOVB2D, column 0 of 4 rows", BENCH_DST16, MOVB2D, 5),
    MOVE("movd2b_row", "MOVD2B, a row", BENCH_DST16, MOVD2B, 0),
    MOVE("movd2b", "MOVD2B, 4 rows", BENCH_DST16, MOVD2B, 2),
    MOVE("movd2a_row", "MOVD2A, a row", BENCH_DST16, MOVD2A, 0),
    MOVE("mova2d_row", "MOVA2D, a row", BENCH_DST16, MOVA2D, 0),
    MOVE("movb2d_1", "MOVB2D, a row", BENCH_DST16, MOVB2D, 0),
    MATRIX("movb2a_row", "MOVB2A, a row", BENCH_OPERATION, BENCH_DST16, 0, 20000, 400, (10, 15), 2,
           TT_OP_MOVB2A(0, BENCH_NEXT, 0, 0), TT_OP_MOVB2A(0, BENCH_CLEAR, 0, 0)),
    MATRIX("movb2a", "MOVB2A, 4 rows", BENCH_OPERATION, BENCH_DST16, 0, 20000, 400, (10, 15), 2,
           TT_OP_MOVB2A(0, BENCH_NEXT, 2, 0), TT_OP_MOVB2A(0, BENCH_CLEAR, 2, 0)),
    MOVE("mova2d_32", "MOVA2D, 32-bit Dst", BENCH_DST32, MOVA2D, 2),
    MOVE("movb2d_32", "MOVB2D, 32-bit Dst", BENCH_DST32, MOVB2D, 4),
    MOVE("movd2a_32", "MOVD2A, 32-bit Dst", BENCH_DST32, MOVD2A, 2),
    MOVE("movd2b_32", "MOVD2B, 32-bit Dst", BENCH_DST32, MOVD2B, 2),
    ELEMENTWISE("elwadd_row", "ELWADD, row 0 for all", BENCH_DST16, ELWADD, 0, 2),
    ELEMENTWISE("elwadd_both", "ELWADD, datum 0 for all", BENCH_DST16, ELWADD, 0, 3),
    ELEMENTWISE("elwadd_accumulate", "ELWADD, accumulating", BENCH_DST16, ELWADD, 1, 0),
    ELEMENTWISE("elwadd_32", "ELWADD, 32-bit Dst", BENCH_DST32, ELWADD, 0, 0),
    ELEMENTWISE("elwsub", "ELWSUB", BENCH_DST16, ELWSUB, 0, 0),
    ELEMENTWISE("elwmul_32", "ELWMUL, 32-bit Dst", BENCH_DST32, ELWMUL, 0, 0),
    MATRIX("zeroacc_row", "ZEROACC, a row", BENCH_OPERATION, BENCH_DST16, 0, 20000, 400, (0, 0), 2,
           TT_OP_ZEROACC(0, 0, 0, 1, 0), TT_OP_ZEROACC(0, 0, 0, 1, 0)),
    MATRIX("zerosrc", "ZEROSRC, both", BENCH_OPERATION, BENCH_DST16, 0, 20000, 400, (0, 0), 2,
           TT_OP_ZEROSRC(0, 1, 0, 3), TT_OP_ZEROSRC(0, 1, 0, 3)),
    MATRIX("trnspsrcb", "TRNSPSRCB", BENCH_OPERATION, BENCH_DST16, 0, 20000, 400, (0, 0), 2, TT_OP_TRNSPSRCB,
           TT_OP_TRNSPSRCB),
    VECTOR("setc16", "SETC16", (0, 0), TT_OP_SETC16(ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32, 8)),
    VECTOR("wrcfg", "WRCFG", (0, 0), TT_OP_WRCFG(4, 0, THCON_SEC0_REG0_TileDescriptor_ADDR32)),
    VECTOR("wrcfg_128", "WRCFG, 128 bits", (0, 0), TT_OP_WRCFG(4, 1, THCON_SEC0_REG0_TileDescriptor_ADDR32)),
    VECTOR("rdcfg", "RDCFG", (0, 0), TT_OP_RDCFG(4, THCON_SEC0_REG0_TileDescriptor_ADDR32)),
    VECTOR("rmwcib", "RMWCIB", (0, 0), TT_OP_RMWCIB0(255, 1, THCON_SEC0_REG0_TileDescriptor_ADDR32)),
    VECTOR("setdmareg", "SETDMAREG", (0, 0), TT_OP_SETDMAREG(0, 17, 0, 8)),
    VECTOR("adddmareg", "ADDDMAREG", (0, 0), TT_OP_ADDDMAREG(0, 5, 6, 7)),
    VECTOR("muldmareg", "MULDMAREG", (0, 0), TT_OP_MULDMAREG(0, 5, 6, 7)),
    VECTOR("bitwopdmareg", "BITWOPDMAREG", (0, 0), TT_OP_BITWOPDMAREG(0, 0, 5, 6, 7)),
    VECTOR("cmpdmareg", "CMPDMAREG", (0, 0), TT_OP_CMPDMAREG(0, 0, 5, 6, 7)),
    VECTOR("sempost", "SEMPOST, SEMGET", (0, 0), TT_OP_SEMPOST(2), TT_OP_SEMGET(2)),
    VECTOR("semwait", "SEMWAIT", (0, 0), TT_OP_SEMWAIT(64, 2, 2)),
    VECTOR("seminit", "SEMINIT", (0, 0), TT_OP_SEMINIT(2, 0, 2)),
    VECTOR("stallwait", "STALLWAIT", (0, 0), TT_OP_STALLWAIT(64, 16)),
    VECTOR("setadcxy", "SETADCXY", (0, 0), TT_OP_SETADCXY(3, 0, 0, 0, 0, 15)),
    VECTOR("incadcxy", "INCADCXY", (0, 0), TT_OP_INCADCXY(3, 0, 0, 1, 1)),
    VECTOR("addrcrxy", "ADDRCRXY", (0, 0), TT_OP_ADDRCRXY(3, 0, 0, 1, 1, 15)),
    VECTOR("setadczw", "SETADCZW", (0, 0), TT_OP_SETADCZW(3, 0, 0, 0, 0, 15)),
    VECTOR("incadczw", "INCADCZW", (0, 0), TT_OP_INCADCZW(3, 0, 0, 1, 1)),
    VECTOR("setadcxx", "SETADCXX", (0, 0), TT_OP_SETADCXX(3, 15, 0)),
    VECTOR("setadc", "SETADC", (0, 0), TT_OP_SETADC(3, 0, 0, 1)),
    VECTOR("nop", "NOP", (0, 0), TT_OP_NOP),
    VECTOR("sfpnop", "SFPNOP", (0, 0), TT_OP_SFPNOP),
    VECTOR("dmanop", "DMANOP", (0, 0), TT_OP_DMANOP),
};
const unsigned instruction_count = sizeof instructions / sizeof *instructions;
